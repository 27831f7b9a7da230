/* Sums into rings: outputs, the request, and means of the sums. */
#include <inttypes.h>

#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/minmax.h"
#include "core/check/output.h"
#include "core/check/text.h"
#include "ops/geometry/sampling/polar.h"
#include "tessera/device.h"
#include "tessera/ewise.h"
#include "tessera/op.h"

/* clang-format off */
TESS_EWISE(ring_mean, (in(f64,total), in(f64,weight), out(f64,z)),
    z = weight == 0.0 ? 0.0 : total / weight; )
/* clang-format on */

/* ---- CTFs ---- */

tess_status tess__check_ctf_rows(const char *fn, const char *arg, const tess_array *rows, const tess_array *in,
                                 int64_t h)
{
    char text[2][TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_numbers(fn, arg, rows));
    TESS_CHECK(rows->dtype < TESS_C16, TESS_EDTYPE, "%s: `%s` is %s; a real type is needed", fn, arg,
               tess_dtype_name(rows->dtype));
    const tess_shape *n = &rows->shape;
    TESS_CHECK((n->b == 1 || n->b == in->shape.b) && n->d == 1 && (n->h == 1 || n->h == h) &&
                   n->w >= TESS_CTF_MIN_COLUMNS && n->w <= TESS_CTF_COLUMNS,
               TESS_ESHAPE,
               "%s: `%s` has shape %s and `in` has shape %s; {1 or %" PRId64 ",1,1 or %" PRId64
               ",m} with m from %d to %d (pixel_size h, w, defocus, astigmatism, angle, voltage, amplitude, cs …) is "
               "needed",
               fn, arg, tess__shape_text(text[0], n->dim), tess__shape_text(text[1], in->shape.dim), in->shape.b, h,
               TESS_CTF_MIN_COLUMNS, TESS_CTF_COLUMNS);
    if (rows->device.kind != TESS_CPU) TESS_TRY(tess__check_device_of(fn, "in", in, arg, rows));
    return TESS_OK;
}

tess_status tess__take_ctf_rows(tess_array *ctfs, const char *fn, const tess_array *rows, tess_device device)
{
    const tess_shape shape = TESS_SHAPE(rows->shape.b, 1, rows->shape.h, TESS_CTF_COLUMNS);
    tess_array       all = { .data = NULL };
    tess_status      status = TESS_OK;
    TESS_TRY(tess__make(fn, &all, shape, TESS_F64, rows->device, true));
    tess_array given = all;
    given.shape.w = rows->shape.w;
    TESS_GOTO(done, status, tess_cast(&given, rows, TESS_F64, NULL));
    TESS_GOTO(done, status, tess_to_device(ctfs, &all, device));
done:
    tess_release(&all);
    return status;
}

/* ---- Outputs ---- */

static tess_status check_add(const char *fn, const tess__rings_end *end)
{
    if (!end->add) return TESS_OK;
    TESS_CHECK(!tess__is_empty_out(end->out), TESS_EARG,
               "%s: `out` is zeroed and `opts->add` is 1; an array that holds sums is needed", fn);
    TESS_CHECK(end->weights || end->sum, TESS_EARG,
               "%s: `opts->weights` is `NULL` and `opts->add` is 1; give weights that hold sums, or set `opts->sum`",
               fn);
    TESS_CHECK(!end->weights || !tess__is_empty_out(end->weights), TESS_EARG,
               "%s: `opts->weights` is zeroed and `opts->add` is 1; an array that holds sums is needed", fn);
    return TESS_OK;
}

tess_status tess__rings_outputs(tess__outputs *all, const tess__rings_end *end, const tess_array *in, int64_t n,
                                tess_dtype result)
{
    const tess_shape shape = TESS_SHAPE(in->shape.b, 1, 1, n);
    const bool       made = tess__is_empty_out(end->out);
    TESS_TRY(check_add(all->fn, end));
    tess__wants(all, "out", end->out, shape, made ? result : end->out->dtype, in->device);
    TESS_TRY(tess__wants_numbers(all, "opts->weights", end->weights, shape, in->device));
    tess__reads(all, "in", in);
    TESS_TRY(tess__outputs_take(all));
    return TESS_OK;
}

/* ---- The work ---- */

/* Rows of a chunk, and chunks. */
static void set_chunks(tess__rings_grid *g, const tess_array *in, int terms)
{
    const int64_t rows = in->shape.d * in->shape.h, columns = in->shape.w;
    const int64_t tables = TESS__RINGS_LANES * (g->rings + 2) * TESS__RINGS_SUMS(terms);
    const int64_t least = tess__max(tables, (int64_t)TESS__RINGS_CHUNK);
    g->rows = tess__max((least - 1) / columns + 1, (rows - 1) / TESS__RINGS_CHUNKS + 1);
    g->rows = tess__min(g->rows, rows);
    g->chunks = (rows - 1) / g->rows + 1;
}

/* Number k of each ring, {b,1,1,n}; of `dtype` c64, two numbers. */
static tess_status numbers_of(tess_array *view, const tess_array *sums, tess_dtype dtype, int k)
{
    tess_array all = *sums, one;
    if (dtype == TESS_C64) TESS_TRY(tess_reinterpret(&all, sums, TESS_C64));
    TESS_TRY(tess_index(&one, &all, 3, k));
    TESS_TRY(tess_permute(view, &one, 0, 3, 1, 2));
    return TESS_OK;
}

static tess_status divide(const tess_array *sums, const tess_array *weights, int numbers)
{
    for (int k = 0; k < numbers; k++) {
        tess_array total;
        TESS_TRY(numbers_of(&total, sums, TESS_F64, k));
        TESS_TRY(tess_call(&ring_mean, &total, weights, &total));
    }
    return TESS_OK;
}

static tess_status write_results(const tess__rings_end *end, const tess_array *sums, int terms)
{
    const bool is_complex = terms == TESS__RINGS_COMPLEX;
    tess_array values, weights;
    TESS_TRY(numbers_of(&values, sums, is_complex ? TESS_C64 : TESS_F64, 0));
    TESS_TRY(numbers_of(&weights, sums, TESS_F64, is_complex ? 2 : 1));
    if (end->add) TESS_TRY(tess_add(&values, &values, end->out));
    if (end->add && end->weights) TESS_TRY(tess_add(&weights, &weights, end->weights));
    if (!end->sum) TESS_TRY(divide(sums, &weights, is_complex ? 2 : 1));
    TESS_TRY(tess_cast(end->out, &values, end->out->dtype, NULL));
    if (end->weights) TESS_TRY(tess_cast(end->weights, &weights, end->weights->dtype, NULL));
    return TESS_OK;
}

tess_status tess__rings_submit(tess__rings *work, const tess__rings_end *end)
{
    const tess_shape shape = TESS_SHAPE(work->in.shape.b, 1, work->grid.rings, TESS__RINGS_SUMS(work->terms));
    tess_array       sums = { .data = NULL };
    tess_status      status = TESS_OK;
    const bool       any = tess__has_elements(&work->in);
    TESS_GOTO(done, status, tess__make(work->name, &sums, shape, TESS_F64, work->in.device, !any));
    work->out = sums;
    if (any) {
        set_chunks(&work->grid, &work->in, work->terms);
        TESS_GOTO(done, status, tess__rings_run(work));
    }
    TESS_GOTO(done, status, write_results(end, &sums, work->terms));
done:
    tess_release(&sums);
    return status;
}
