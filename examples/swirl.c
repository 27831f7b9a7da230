/* Twists an image and back by an operator that interpolates: the error is much smaller with B-splines than with linear
 * interpolation. */
#include <math.h>
#include <stdio.h>

#include "tessera.h"

/* Around the centre, by an angle that falls off with the distance. `METHOD` is put in. */
#define SWIRL(METHOD)                                                                                                  \
    "op swirl(view mirror f32 v, val f32 turn, out f32 o) {"                                                           \
    "  f32 cy = (f32)(size(2)/2); f32 cx = (f32)(size(3)/2);"                                                          \
    "  f32 y = h - cy; f32 x = w - cx;"                                                                                \
    "  f32 a = turn * exp(-(y*y + x*x) / (cy*cy*0.25f));"                                                              \
    "  o = interp_" METHOD "(v, b, d, cy + cos(a)*y + sin(a)*x, cx - sin(a)*y + cos(a)*x); }"

static tess_status draw_waves(tess_array *picture, int64_t n)
{
    TESS_TRY(tess_empty(picture, TESS_SHAPE(1, 1, n, n), TESS_F32, tess_cpu()));
    for (int64_t i = 0; i < n * n; i++)
        ((float *)picture->data)[i] = (float)(sin(0.6 * (double)(i / n)) * cos(0.7 * (double)(i % n)));
    return TESS_OK;
}

/* One twist; `spline`: the operator reads coefficients. */
static tess_status twist(tess_array *out, const tess_op *swirl, const tess_array *picture, float turn, int spline)
{
    tess_array  made = { 0 };
    tess_status status = TESS_OK;
    if (spline)
        TESS_GOTO(done, status,
                  tess_bspline_prefilter(&made, picture, &(tess_prefilter_opts){ .border = TESS_BORDER_MIRROR }));
    TESS_GOTO(done, status, tess_call(swirl, spline ? &made : picture, turn, out));
done:
    tess_release(&made);
    return status;
}

static tess_status compare(const tess_array *picture, const char *name, const char *text, int spline)
{
    tess_op    *swirl = NULL;
    tess_array  there = { 0 }, back = { 0 };
    double      sum = 0;
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_op_text(&swirl, text));
    TESS_GOTO(done, status, tess_empty(&there, picture->shape, TESS_F32, tess_cpu()));
    TESS_GOTO(done, status, tess_empty(&back, picture->shape, TESS_F32, tess_cpu()));
    TESS_GOTO(done, status, twist(&there, swirl, picture, 1.5f, spline));
    TESS_GOTO(done, status, twist(&back, swirl, &there, -1.5f, spline));
    for (int64_t i = 0; i < tess_n_elements(picture); i++) {
        const double d = (double)((float *)back.data)[i] - (double)((float *)picture->data)[i];
        sum += d * d;
    }
    printf("%-8s differs by %.4f\n", name, sqrt(sum / (double)tess_n_elements(picture)));
done:
    tess_op_release(swirl);
    tess_release(&there);
    tess_release(&back);
    return status;
}

static tess_status run(void)
{
    tess_array  picture = { 0 };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, draw_waves(&picture, 192));
    TESS_GOTO(done, status, compare(&picture, "linear", SWIRL("linear"), 0));
    TESS_GOTO(done, status, compare(&picture, "lanczos6", SWIRL("lanczos6"), 0));
    TESS_GOTO(done, status, compare(&picture, "bspline", SWIRL("bspline"), 1));
done:
    tess_release(&picture);
    return status;
}

int main(void)
{
    if (run() == TESS_OK) return 0;
    (void)fprintf(stderr, "%s\n", tess_error_message());
    return 1;
}
