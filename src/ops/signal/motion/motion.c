/* Checks of frames, shifts and models of motion. */
#include "ops/signal/motion/motion.h"

#include "core/check/check.h"
#include "core/check/error.h"
#include "core/check/output.h"
#include "core/device/stream.h"
#include "core/check/text.h"
#include "ops/fft/layout.h"
#include "ops/signal/correlate/correlate.h"
#include "ops/signal/shells/shells.h"
#include "tessera/device.h"
#include "tessera/motion.h"

tess_status tess__check_frames(const char *fn, const char *arg, const tess_array *spectra, tess_shape shape)
{
    char text[TESS__SHAPE_TEXT];
    TESS_CHECK(shape.d == 1, TESS_ESHAPE, "%s: `shape` is %s; the shape of frames, {b,1,h,w}, is needed", fn,
               tess__shape_text(text, shape.dim));
    TESS_TRY(tess__check_spectrum(fn, arg, spectra,
                                  (tess__fft_variant){ "shape", shape, "the layout", TESS_FFT_H, .any_b = false }));
    TESS_CHECK(spectra->dtype == TESS_C32 || spectra->dtype == TESS_C64, TESS_EDTYPE,
               "%s: `%s` is %s; c32 or c64 is needed", fn, arg, tess_dtype_name(spectra->dtype));
    return TESS_OK;
}

tess_status tess__check_motion_numbers(const char *fn, const char *arg, const tess_array *a, tess_shape shape)
{
    char have[TESS__SHAPE_TEXT], want[TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_numbers(fn, arg, a));
    TESS_TRY(tess__check_real(fn, arg, a));
    TESS_CHECK((a->shape.b == shape.b || a->shape.b == 1) && a->shape.d == shape.d && a->shape.h == shape.h &&
                   a->shape.w == shape.w,
               TESS_ESHAPE, "%s: `%s` has shape %s; %s is needed", fn, arg, tess__shape_text(have, a->shape.dim),
               tess__shape_text(want, shape.dim));
    return TESS_OK;
}

tess_status tess__motion_numbers(const char *fn, const char *arg, tess_array *numbers, const tess_array *a,
                                 tess_shape shape)
{
    tess_array  all = { .data = NULL }, wide = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_TRY(tess__check_motion_numbers(fn, arg, a, shape));
    TESS_TRY(tess__check_waits(fn, a->device));
    TESS_GOTO(done, status, tess_broadcast(&all, a, shape));
    TESS_GOTO(done, status, tess_cast(&wide, &all, TESS_F64, NULL));
    TESS_GOTO(done, status, tess_to_device(numbers, &wide, tess_cpu()));
    TESS_GOTO(done, status, tess__sync(fn, a->device));
done:
    tess_release(&wide);
    return tess__error_under(status, fn);
}

tess_array tess__frame_of(const tess_array *frames, int64_t b)
{
    tess_array frame = *frames;
    frame.data = (char *)frames->data + b * frames->strides.b * tess__dtype_size(frames->dtype);
    frame.shape.b = 1;
    return frame;
}

void tess__motion_terms(double terms[TESS__MOTION_TERMS], double y, double x)
{
    const double values[TESS__MOTION_TERMS] = { 1, x, x * x, y, y * y, x * y };
    for (int k = 0; k < TESS__MOTION_TERMS; k++) terms[k] = values[k];
}

void tess__motion_at_time(double at[12], const double *coefficients, double time)
{
    for (int k = 0; k < 12; k++) {
        const double *c = coefficients + 3 * k;
        at[k] = time * (c[0] + time * (c[1] + time * c[2]));
    }
}
