/* Rotates an image there and back by every interpolation method, and prints the error of each. */
#include <math.h>
#include <stdio.h>

#include "tessera.h"

/* Rings that become finer towards the edge. */
static tess_status draw_rings(tess_array *picture, int64_t n)
{
    TESS_TRY(tess_empty(picture, TESS_SHAPE(1, 1, n, n), TESS_F32, tess_cpu()));
    for (int64_t i = 0; i < n * n; i++) {
        const double y = (double)(i / n - n / 2), x = (double)(i % n - n / 2);
        ((float *)picture->data)[i] = (float)cos(2.2 * (y * y + x * x) / (double)n);
    }
    return TESS_OK;
}

/* Root mean square of the difference, in a disc that no corner reaches. */
static double difference(const tess_array *a, const tess_array *b)
{
    const int64_t n = a->shape.w;
    double        sum = 0, count = 0;
    for (int64_t i = 0; i < n * n; i++) {
        const double y = (double)(i / n - n / 2), x = (double)(i % n - n / 2);
        if (y * y + x * x > 0.16 * (double)(n * n)) continue;
        const double d = (double)((float *)a->data)[i] - (double)((float *)b->data)[i];
        sum += d * d;
        count++;
    }
    return sqrt(sum / count);
}

static tess_status compare(const tess_array *picture, const char *name, tess_resample_opts o)
{
    const double angle = 0.5; /* radians, from +x to +y */
    tess_array   rotated = { 0 }, back = { 0 };
    tess_status  status = TESS_OK;
    TESS_GOTO(done, status, tess_rotate_image(&rotated, picture, angle, &o));
    TESS_GOTO(done, status, tess_rotate_image(&back, &rotated, -angle, &o));
    printf("%-14s differs by %.4f\n", name, difference(&back, picture));
done:
    tess_release(&rotated);
    tess_release(&back);
    return status;
}

static tess_status run(void)
{
    tess_array  picture = { 0 };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, draw_rings(&picture, 256));
    TESS_GOTO(done, status, compare(&picture, "nearest", (tess_resample_opts){ .interp = TESS_INTERP_NEAREST }));
    TESS_GOTO(done, status, compare(&picture, "linear", (tess_resample_opts){ .interp = TESS_INTERP_LINEAR }));
    TESS_GOTO(done, status, compare(&picture, "cubic", (tess_resample_opts){ .interp = TESS_INTERP_CUBIC }));
    TESS_GOTO(done, status,
              compare(&picture, "cubic_bspline",
                      (tess_resample_opts){ .interp = TESS_INTERP_CUBIC_BSPLINE, .prefilter = 1 }));
    TESS_GOTO(done, status, compare(&picture, "lanczos8", (tess_resample_opts){ .interp = TESS_INTERP_LANCZOS8 }));
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
