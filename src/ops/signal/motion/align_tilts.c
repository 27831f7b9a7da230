/* Alignment of tilt series by cross-correlation of neighbours, with cosine stretching. */
#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/device/memory.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/table/registry.h"
#include "core/device/stream.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "ops/arrays/deliver.h"
#include "ops/signal/correlate/correlate.h"
#include "ops/signal/motion/motion.h"
#include "tessera/correlate.h"
#include "tessera/device.h"
#include "tessera/fft.h"
#include "tessera/filter.h"
#include "tessera/motion.h"
#include "tessera/transform.h"
#include "tessera/window.h"

static const char fn[] = "align_tilts";

static const tess_arg_info args[] = {
    TESS__OUT("shifts",
              "shifts (h, w) that move each image onto the one of the smallest angle, in pixels, {b,1,1,2}; "
              "f64 if newly allocated",
              .axes = "B,1,1,2"),
    TESS__IN("images", "a tilt series, real numbers {b,1,h,w}", .axes = "B,1,h,w"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_ARRAY, TESS_ARG_HOST, "angles", "tilt angles in radians, {b,1,1,1}",
                  .sample = "b,1,1,1", .axes = "B,1,1,1"),
    TESS__OPT_F64(tess_align_tilts_opts, axis, "radians", 0, -DBL_MAX, DBL_MAX,
                  "direction of the tilt axis, from the h axis towards lower w"),
    TESS__OPT_F64(tess_align_tilts_opts, low, "cycles per pixel", 0.02, 0, 1, "lowest frequency used"),
    TESS__OPT_F64(tess_align_tilts_opts, high, "cycles per pixel", 0.25, 0, 1, "highest frequency used"),
    TESS__AUTO_F64(tess_align_tilts_opts, max_shift, "pixels", "unlimited", TESS__POSITIVE, DBL_MAX,
                   "maximum shift from one image to the next"),
};
TESS__CALL(align_tilts, v[0].out, v[1].in, v[2].in, opts)
const tess_function_info tess__info_align_tilts =
    TESS__OP_OPTS(TESS_CUT_NONE, align_tilts, "motion", "Align the images of a tilt series by correlation.", args,
                  tess_align_tilts_opts);

typedef struct series {
    const tess_align_tilts_opts *o;
    const tess_array            *images;
    const double                *angles;
    double                      *shifts;
    double                       across[2]; /* unit vector (h, w) across the axis */
    tess_shape                   image;
} series;

/* Image b: soft edges, its mean subtracted, stretched across the axis about its middle. */
static tess_status prepare(const series *s, tess_array *spectrum, int64_t b, double stretch)
{
    const tess_array      one = tess__frame_of(s->images, b);
    const tess_taper_opts soft = { .fraction = 0.1, .mean = 1 };
    const double          y = s->across[0], x = s->across[1], more = stretch - 1;
    double                numbers[4] = { 1 + more * y * y, more * y * x, more * y * x, 1 + more * x * x };
    const tess_dtype      dtype = tess_dtype_real(s->images->dtype) == TESS_F64 ? TESS_F64 : TESS_F32;
    tess_array            matrix, image = { .data = NULL }, tapered = { .data = NULL }, wide = { .data = NULL };
    tess_status           status = TESS_OK;
    const double          edge = 0.02;
    TESS_GOTO(done, status, tess_wrap(&matrix, numbers, TESS_SHAPE(1, 1, 2, 2), TESS_F64, NULL));
    TESS_GOTO(done, status, tess_cast(&wide, &one, dtype, NULL));
    TESS_GOTO(
        done, status,
        tess_transform_2d(&image, &wide, &matrix,
                          &(tess_transform_opts){
                              .interp = TESS_INTERP_CUBIC, .border = TESS_BORDER_CLAMP, .forward = 1, .centred = 1 }));
    TESS_GOTO(done, status, tess_taper(&tapered, &image, &soft));
    TESS_GOTO(done, status, tess_fft_r2c(spectrum, &tapered, NULL));
    TESS_GOTO(done, status,
              tess_bandpass(
                  spectrum, spectrum, s->image, s->o->low, s->o->high,
                  &(tess_bandpass_opts){ .low_width = s->o->low < edge ? s->o->low : edge, .high_width = 2 * edge }));
    TESS_GOTO(done, status, tess__sync(fn, s->images->device));
done:
    tess_release(&wide);
    tess_release(&image);
    tess_release(&tapered);
    return status;
}

/* The lag that moves image c, stretched, onto image p. */
static tess_status correlate(const series *s, double lag[2], int64_t p, int64_t c, double stretch)
{
    double      radii[2] = { s->o->max_shift, s->o->max_shift };
    tess_array  spectra[2] = { { .data = NULL }, { .data = NULL } }, map = { .data = NULL }, peak = { .data = NULL };
    tess_array  limit;
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_wrap(&limit, radii, TESS_SHAPE(1, 1, 1, 2), TESS_F64, NULL));
    TESS_GOTO(done, status, prepare(s, &spectra[0], p, 1));
    TESS_GOTO(done, status, prepare(s, &spectra[1], c, stretch));
    TESS_GOTO(done, status, tess_correlate_map(&map, &spectra[0], &spectra[1], s->image, NULL));
    const tess_correlate_peak_opts opts = { .max_lag = radii[0] > 0 ? &limit : NULL };
    TESS_GOTO(done, status, tess_correlate_peak(&peak, NULL, &map, &opts));
    for (int k = 0; k < 2; k++) TESS_GOTO(done, status, tess_get_f64(&lag[k], &peak, 0, 0, 0, k));
done:
    tess_release(&spectra[0]);
    tess_release(&spectra[1]);
    tess_release(&map);
    tess_release(&peak);
    return status;
}

/* Image c after p, which is nearer to no tilt. What is across the axis is shorter by the stretch in c itself. */
static tess_status follow(const series *s, int64_t p, int64_t c)
{
    const double stretch = cos(s->angles[p]) / cos(s->angles[c]), less = 1 / stretch - 1;
    double       lag[2], sum[2];
    TESS_TRY(correlate(s, lag, p, c, stretch));
    for (int k = 0; k < 2; k++) sum[k] = isfinite(lag[k]) ? lag[k] + s->shifts[2 * p + k] : s->shifts[2 * p + k];
    const double along = sum[0] * s->across[0] + sum[1] * s->across[1];
    for (int k = 0; k < 2; k++) s->shifts[2 * c + k] = sum[k] + less * along * s->across[k];
    return TESS_OK;
}

/* The image of the nearest angle beyond that of image p; -1 if there is none. Of equal angles the one of the next
 * index. */
static int64_t next_of(const series *s, int64_t p, bool up)
{
    int64_t found = -1;
    for (int64_t i = 0; i < s->images->shape.b; i++) {
        const double step = up ? s->angles[i] - s->angles[p] : s->angles[p] - s->angles[i];
        const bool   beyond = step > 0 || (step == 0 && i > p);
        if (!beyond) continue;
        const double best = found < 0 ? INFINITY : fabs(s->angles[found] - s->angles[p]);
        if (step < best) found = i;
    }
    return found;
}

static tess_status align_all(const series *s)
{
    int64_t first = 0;
    for (int64_t i = 1; i < s->images->shape.b; i++)
        if (fabs(s->angles[i]) < fabs(s->angles[first])) first = i;
    for (int up = 0; up < 2; up++) {
        int64_t p = first;
        for (int64_t c = next_of(s, p, up); c >= 0; p = c, c = next_of(s, p, up)) TESS_TRY(follow(s, p, c));
    }
    return TESS_OK;
}

static tess_status check(const tess_array *shifts, const tess_array *images, const tess_array *angles,
                         const tess_align_tilts_opts *o)
{
    char text[2][TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_pointer(fn, "shifts", shifts));
    TESS_TRY(tess__check_numbers(fn, "images", images));
    TESS_TRY(tess__check_real(fn, "images", images));
    TESS_TRY(tess__check_numbers(fn, "angles", angles));
    TESS_CHECK(images->shape.d == 1, TESS_ESHAPE, "%s: `images` has shape %s; {b,1,h,w} is needed", fn,
               tess__shape_text(text[0], images->shape.dim));
    TESS_CHECK(angles->shape.b == images->shape.b, TESS_ESHAPE,
               "%s: `angles` has shape %s and `images` has shape %s; one angle per image is needed", fn,
               tess__shape_text(text[0], angles->shape.dim), tess__shape_text(text[1], images->shape.dim));
    TESS_CHECK(isfinite(o->axis), TESS_ERANGE, "%s: `opts->axis` is not finite; it must be a finite angle", fn);
    TESS_CHECK(o->low < o->high, TESS_ERANGE, "%s: `opts->low` is %s and `opts->high` is %s; low must be below high",
               fn, tess__number_text(text[0], o->low), tess__number_text(text[1], o->high));
    TESS_TRY(tess__check_waits(fn, images->device));
    return TESS_OK;
}

static tess_status check_angles(const double *angles, int64_t n)
{
    char text[32];
    for (int64_t i = 0; i < n; i++)
        TESS_CHECK(fabs(angles[i]) < 1.5, TESS_ERANGE,
                   "%s: angle %" PRId64 " of angles is %s; -1.5 to 1.5 radians are allowed", fn, i,
                   tess__number_text(text, angles[i]));
    return TESS_OK;
}

static tess_status run(const tess__outputs *out, const tess_array *images, const tess_array *angles,
                       const tess_align_tilts_opts *o)
{
    const tess_shape  one = TESS_SHAPE(1, 1, images->shape.h, images->shape.w);
    series            s = { .o = o, .images = images, .across = { sin(o->axis), cos(o->axis) }, .image = one };
    tess_array        numbers = { .data = NULL }, found = { .data = NULL };
    const tess_array *results[TESS__MAX_OUTPUTS] = { &found };
    tess_status       status = TESS_OK;
    TESS_GOTO(done, status, tess__motion_numbers(fn, "angles", &numbers, angles, TESS_SHAPE(images->shape.b, 1, 1, 1)));
    TESS_GOTO(done, status, check_angles(numbers.data, images->shape.b));
    TESS_GOTO(done, status, tess__make(fn, &found, out->wanted[0].shape, TESS_F64, tess_cpu(), true));
    s.angles = numbers.data;
    s.shifts = found.data;
    if (tess__has_elements(images)) TESS_GOTO(done, status, align_all(&s));
    TESS_GOTO(done, status, tess__deliver(out, results));
done:
    tess_release(&numbers);
    tess_release(&found);
    return status;
}

tess_status tess_align_tilts(tess_array *shifts, const tess_array *images, const tess_array *angles,
                             const tess_align_tilts_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_align_tilts_opts o;
    tess__outputs         out = { .fn = fn };
    TESS_TRY(tess__resolve(&tess__info_align_tilts, opts, &o));
    TESS_TRY(check(shifts, images, angles, &o));
    TESS_TRY(tess__wants_numbers(&out, "shifts", shifts, TESS_SHAPE(images->shape.b, 1, 1, 2), images->device));
    tess__reads(&out, "images", images);
    tess__reads(&out, "angles", angles);
    TESS_TRY(tess__outputs_take(&out));
    const tess_status status = run(&out, images, angles, &o);
    return tess__outputs_end(&out, tess__error_under(status, fn));
}
