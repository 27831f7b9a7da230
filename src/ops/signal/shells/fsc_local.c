/* Local shell correlation: the FSC of two maps in a window that is moved over them. */
#include <string.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/check/promote.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "ops/resize/extract.h"
#include "ops/signal/shells/shells.h"
#include "tessera/ewise.h"
#include "tessera/fft.h"
#include "tessera/resize.h"

enum { CHUNK_BYTES = 4 << 20 /* of windows that are transformed by one call: they stay in a cache */ };

static const tess_arg_info args[] = {
    TESS__OUT("out", "one FSC curve per position, {n,1,1,shells}; f64 if newly allocated", .axes = "n,1,1,shells"),
    TESS__IN("lhs", "a map of real numbers"),
    TESS__IN("rhs", "a map of the same shape"),
    TESS__IN("window", "real window {1,d,h,w} that multiplies the maps at each position", .sample = "1,1,3,4"),
    TESS__IN_TABLE("origins",
                   "positions of the first element of window, integers {n,1,1,k}: h, w or d, h, w or b, d, h, w",
                   .sample = "b,1,1,2 index", .axes = "n,1,1,k"),
    TESS__FLAG(tess_fsc_local_opts, nearest, "assign each coefficient to the nearest shell instead of splitting it"),
};
TESS__CALL(fsc_local, v[0].out, v[1].in, v[2].in, v[3].in, v[4].in, opts)
const tess_function_info tess__info_fsc_local = TESS__OP_OPTS(
    TESS_CUT_NONE, fsc_local, "fsc", "Local FSC of two maps in a moving window.", args, tess_fsc_local_opts);

/* ---- Checks ---- */

static tess_status check_real(const char *arg, const tess_array *a)
{
    TESS_TRY(tess__check_numbers("fsc_local", arg, a));
    TESS_CHECK(a->dtype < TESS_C16, TESS_EDTYPE, "fsc_local: `%s` is %s; a real type is needed", arg,
               tess_dtype_name(a->dtype));
    return TESS_OK;
}

static tess_status check(const tess_array *lhs, const tess_array *rhs, const tess_array *window,
                         const tess_array *origins)
{
    char text[2][TESS__SHAPE_TEXT];
    TESS_TRY(check_real("lhs", lhs));
    TESS_TRY(check_real("rhs", rhs));
    TESS_TRY(check_real("window", window));
    TESS_CHECK(memcmp(lhs->shape.dim, rhs->shape.dim, sizeof lhs->shape.dim) == 0, TESS_ESHAPE,
               "fsc_local: `lhs` has shape %s and rhs %s; equal shapes are needed",
               tess__shape_text(text[0], lhs->shape.dim), tess__shape_text(text[1], rhs->shape.dim));
    const tess_shape *w = &window->shape;
    TESS_CHECK(w->b == 1 && w->d > 0 && w->h > 0 && w->w > 0, TESS_ESHAPE,
               "fsc_local: `window` has shape %s; {1,d,h,w} with sizes of 1 or more is needed",
               tess__shape_text(text[0], w->dim));
    TESS_TRY(tess__check_origins("fsc_local", origins, -1, "lhs", lhs));
    TESS_TRY(tess__check_device_of("fsc_local", "lhs", lhs, "rhs", rhs));
    TESS_TRY(tess__check_device_of("fsc_local", "lhs", lhs, "window", window));
    return TESS_OK;
}

/* ---- The work ---- */

typedef struct local_fsc {
    tess_array weights; /* the window, in the type of the transforms */
    tess_dtype dtype;
    int32_t    nearest;
    tess_array cut[2], part[2], spectrum[2]; /* of each map, for some positions */
    int64_t    size;                         /* positions that they are for */
} local_fsc;

static void release_chunk(local_fsc *f)
{
    for (int k = 0; k < 2; k++) {
        tess_release(&f->cut[k]);
        tess_release(&f->part[k]);
        tess_release(&f->spectrum[k]);
    }
}

/* Spectra of the windows of one of the maps. The arrays of the last chunk serve again if they are of this size: memory
 * that is new each time takes longer than the work. */
static tess_status transform(local_fsc *f, int k, const tess_array *map, const tess_array *origins)
{
    const bool as_is = map->dtype == f->dtype;
    TESS_TRY(tess_extract(as_is ? &f->part[k] : &f->cut[k], map, origins, f->weights.shape, NULL));
    if (!as_is) TESS_TRY(tess_cast(&f->part[k], &f->cut[k], f->dtype, NULL));
    TESS_TRY(tess_mul(&f->part[k], &f->part[k], &f->weights));
    TESS_TRY(tess_fft_r2c(&f->spectrum[k], &f->part[k], NULL));
    return TESS_OK;
}

static tess_status run_chunk(local_fsc *f, tess_array *out, const tess_array maps[2], const tess_array *origins)
{
    tess_shape shape = f->weights.shape;
    shape.b = origins->shape.b;
    if (shape.b != f->size) release_chunk(f);
    f->size = shape.b;
    for (int k = 0; k < 2; k++) TESS_TRY(transform(f, k, &maps[k], origins));
    TESS_TRY(tess_fsc(out, &f->spectrum[0], &f->spectrum[1], shape, &(tess_fsc_opts){ .nearest = f->nearest }));
    return TESS_OK;
}

/* Without its own batch, an origin takes that of its number: maps are cut with origins. */
static tess_status run(local_fsc *f, tess_array *out, const tess_array *maps[2], const tess_array *origins)
{
    const tess_shape s = f->weights.shape;
    const int64_t    most = CHUNK_BYTES / 4 / (s.d * s.h * s.w), chunk = most < 1 ? 1 : most, n = origins->shape.b;
    for (int64_t first = 0; first < n; first += chunk) {
        const int64_t end = first + chunk < n ? first + chunk : n;
        tess_array    some[2], rows, curves;
        TESS_TRY(tess_slice(&rows, origins, 0, first, end, 1));
        TESS_TRY(tess_slice(&curves, out, 0, first, end, 1));
        for (int k = 0; k < 2; k++) {
            some[k] = *maps[k];
            if (origins->shape.w < 4 && maps[k]->shape.b > 1) TESS_TRY(tess_slice(&some[k], maps[k], 0, first, end, 1));
        }
        TESS_TRY(run_chunk(f, &curves, some, &rows));
    }
    return TESS_OK;
}

tess_status tess_fsc_local(tess_array *out, const tess_array *lhs, const tess_array *rhs, const tess_array *window,
                           const tess_array *origins, const tess_fsc_local_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_fsc_local_opts o;
    const char         *fn = "fsc_local";
    TESS_TRY(tess__resolve(&tess__info_fsc_local, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(check(lhs, rhs, window, origins));
    const bool        made = tess__is_empty_out(out);
    const tess_dtype  l = tess__float_of(lhs->dtype), r = tess__float_of(rhs->dtype);
    const tess_shape  wanted = TESS_SHAPE(origins->shape.b, 1, 1, tess_fsc_shells(window->shape));
    const tess_array *maps[2] = { lhs, rhs };
    local_fsc         f = { .dtype = l == TESS_F64 || r == TESS_F64 ? TESS_F64 : TESS_F32, .nearest = o.nearest };
    if (!made) TESS_TRY(tess__check_curve_dtype(fn, "out", out->dtype));
    TESS_TRY(tess__output(fn, out, wanted, made ? TESS_F64 : out->dtype, lhs->device));
    if (!made) {
        TESS_TRY(tess__check_overlap(fn, out, "lhs", lhs, false));
        TESS_TRY(tess__check_overlap(fn, out, "rhs", rhs, false));
        TESS_TRY(tess__check_overlap(fn, out, "window", window, false));
        TESS_TRY(tess__check_overlap(fn, out, "origins", origins, false));
    }
    tess_status status = TESS_OK;
    if (tess__has_elements(out)) {
        TESS_GOTO(done, status, tess_cast(&f.weights, window, f.dtype, NULL));
        TESS_GOTO(done, status, run(&f, out, maps, origins));
    }
done:
    release_chunk(&f);
    tess_release(&f.weights);
    return tess__finish(tess__error_under(status, fn), out, made);
}
