/* Sums at positions of affine maps: matrices of the caller's, outputs, and requests. */
#include "ops/geometry/project/affine_sum.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/output.h"
#include "core/check/promote.h"
#include "core/device/stream.h"
#include "core/check/text.h"
#include "ops/geometry/items/items.h"
#include "ops/geometry/sampling/prefilter.h"
#include "tessera/device.h"

/* ---- Matrices ---- */

static bool is_among(const char *sizes, int64_t rows, int64_t columns)
{
    char text[16];
    if (rows < 2 || rows > 4 || columns < 2 || columns > 4) return false;
    (void)snprintf(text, sizeof text, "%dx%d", (int)rows, (int)columns);
    return strstr(sizes, text) != NULL;
}

static tess_status fail_size(const char *fn, const char *arg, const tess_array *given, const char *sizes)
{
    char text[TESS__SHAPE_TEXT];
    TESS_FAIL(TESS_ESHAPE,
              "%s: `%s` is %s %s; expected numbers {n,1,rows,columns} or matrices {n,1,1,1} of one of the sizes %s", fn,
              arg, tess_dtype_name(given->dtype), tess__shape_text(text, given->shape.dim), sizes);
}

/* Numbers {n,1,rows,columns}, to the host. */
static tess_status read_numbers(tess__matrices *m, const char *fn, const char *arg, const tess_array *given,
                                const char *sizes)
{
    tess_array  there = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_CHECK(tess_dtype_kind(given->dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: `%s` is %s; real numbers are needed", fn, arg, tess_dtype_name(given->dtype));
    if (given->shape.d != 1 || !is_among(sizes, given->shape.h, given->shape.w))
        return fail_size(fn, arg, given, sizes);
    m->n = given->shape.b;
    m->rows = (int)given->shape.h;
    m->columns = (int)given->shape.w;
    TESS_GOTO(done, status, tess__make(fn, &there, given->shape, TESS_F64, given->device, false));
    TESS_GOTO(done, status, tess_cast(&there, given, TESS_F64, NULL));
    TESS_GOTO(done, status, tess_to_device(&m->list, &there, tess_cpu()));
    TESS_GOTO(done, status, tess__sync(fn, given->device));
    TESS_GOTO(done, status, tess__sync(fn, tess_cpu()));
done:
    tess_release(&there);
    return status;
}

static tess_status read_compounds(tess__matrices *m, const char *fn, const char *arg, const tess_array *given,
                                  const char *sizes)
{
    const tess__item_form any = { TESS__ITEM_MATRIX, 0, 0, false };
    tess__items           items = { .arg = NULL };
    tess_status           status = TESS_OK;
    TESS_GOTO(done, status, tess__items_of(&items, fn, arg, given, any));
    m->n = tess_n_elements(&items.first);
    m->rows = items.rows;
    m->columns = items.columns;
    if (is_among(sizes, m->rows, m->columns)) status = tess__items_fetch(&m->list, fn, &items);
    else status = fail_size(fn, arg, given, sizes);
done:
    tess__items_end(&items);
    return status;
}

tess_status tess__matrices_read(tess__matrices *m, const char *fn, const char *arg, const tess_array *given,
                                const char *sizes)
{
    char text[32];
    memset(m, 0, sizeof *m);
    TESS_TRY(tess__check_array(fn, arg, given));
    TESS_TRY(tess__check_waits(fn, given->device));
    if (given->dtype < TESS_SCALAR_DTYPE_COUNT) TESS_TRY(read_numbers(m, fn, arg, given, sizes));
    else TESS_TRY(read_compounds(m, fn, arg, given, sizes));
    const int64_t each = m->rows * m->columns;
    const double *numbers = m->list.data;
    for (int64_t i = 0; i < m->n * each; i++)
        TESS_CHECK(isfinite(numbers[i]), TESS_ERANGE,
                   "%s: matrix %" PRId64 " of `%s` has the element %s; all elements must be finite", fn, i / each, arg,
                   tess__number_text(text, numbers[i]));
    return TESS_OK;
}

tess_status tess__maps_new(tess_array *maps, const char *fn, int64_t batches, int64_t terms)
{
    return tess__make(fn, maps, TESS_SHAPE(batches, terms, 3, 5), TESS_F64, tess_cpu(), true);
}

/* ---- Outputs ---- */

tess_dtype tess__sum_dtype(tess_dtype in) { return tess__half_to_single(tess__float_of(in)); }

tess_status tess__sum_output(const char *fn, tess_array *out, tess_shape shape, const char *arg, const tess_array *in,
                             bool add)
{
    const bool made = tess__is_empty_out(out);
    TESS_CHECK(!add || !made, TESS_EARG, "%s: `out` is zeroed and `opts->add` is 1; an allocated array is needed", fn);
    TESS_TRY(tess__output(fn, out, shape, tess__sum_dtype(in->dtype), in->device));
    if (!made) TESS_TRY(tess__check_overlap(fn, out, arg, in, false));
    return TESS_OK;
}

/* ---- Requests ---- */

/* What a request needs where it runs. */
typedef struct moved {
    tess_array in, held, maps, rays;
} moved;

static tess_status move_maps(tess_array *to, const tess_array *maps, tess_device device)
{
    if (maps) TESS_TRY(tess_to_device(to, maps, device));
    return TESS_OK;
}

static void release(moved *m)
{
    tess_release(&m->in);
    tess_release(&m->held);
    tess_release(&m->maps);
    tess_release(&m->rays);
}

/* Sums of nothing. */
static tess_status sum_nothing(const tess_array *out, bool add)
{
    tess_array to = *out;
    return add ? TESS_OK : tess_fill(&to, 0);
}

tess_status tess__sum_run(tess__affine_sum *work, bool prefilter, const tess_array *out, const tess_array *in,
                          const tess_array *maps, const tess_array *rays)
{
    const tess__prefilter like = { .name = work->name, .border = work->border, .value = { work->outside[0] } };
    moved                 m = { .in = { .data = NULL } };
    tess_status           status = TESS_OK;
    if (tess_is_empty(out)) return TESS_OK;
    if (tess_is_empty(in) || tess_is_empty(maps)) return sum_nothing(out, work->add);
    TESS_GOTO(done, status, move_maps(&m.maps, maps, out->device));
    TESS_GOTO(done, status, move_maps(&m.rays, rays, out->device));
    TESS_GOTO(done, status, tess__hold(&m.held, work->name, &in));
    TESS_GOTO(done, status, tess__prefilter_input(&m.in, &like, &in, out->dtype, prefilter, work->dims));
    work->out = *out;
    work->in = *in;
    work->maps = m.maps;
    work->rays = m.rays;
    TESS_GOTO(done, status, tess__affine_sum_run(work));
done:
    release(&m);
    return status;
}

tess_status tess__footprint_hand_on(tess__footprint *work, const tess_array *out, const tess_array *in,
                                    const tess_array *maps)
{
    moved       m = { .in = { .data = NULL } };
    tess_status status = TESS_OK;
    if (tess_is_empty(out)) return TESS_OK;
    if (tess_is_empty(in)) return sum_nothing(out, work->add);
    TESS_GOTO(done, status, move_maps(&m.maps, maps, out->device));
    TESS_GOTO(done, status, tess__hold(&m.held, work->name, &in));
    TESS_GOTO(done, status,
              tess__prefilter_input(&m.in, &(tess__prefilter){ .name = work->name }, &in, out->dtype, false, 2));
    work->out = *out;
    work->in = *in;
    work->maps = m.maps;
    TESS_GOTO(done, status, tess__footprint_run(work));
done:
    release(&m);
    return status;
}
