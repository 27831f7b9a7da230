/* Samples an image at the points of a wave, and distributes values to the elements around them, which is the adjoint. */
#include <math.h>
#include <stdio.h>

#include "tessera.h"

enum { N = 128 };

/* For each element of the result the point y, x of the image that it shows. */
static tess_status make_wave(tess_array *points)
{
    TESS_TRY(tess_empty(points, TESS_SHAPE(1, N, N, 2), TESS_F32, tess_cpu()));
    for (int i = 0; i < N * N; i++) {
        float *point = (float *)points->data + 2 * i;
        point[0] = (float)(i / N + 3 * sin(i % N * 0.2));
        point[1] = (float)(i % N);
    }
    return TESS_OK;
}

static double product(const tess_array *a, const tess_array *b)
{
    double sum = 0;
    for (int i = 0; i < N * N; i++) sum += (double)((float *)a->data)[i] * (double)((float *)b->data)[i];
    return sum;
}

static tess_status run(void)
{
    const tess_coordinates_opts o = { .interp = TESS_INTERP_CUBIC, .border = TESS_BORDER_REFLECT };
    tess_array  image = { 0 }, points = { 0 }, waves = { 0 }, values = { 0 }, spread = { 0 }, small = { 0 };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_arange(&image, TESS_SHAPE(1, 1, N, N), TESS_F32, tess_cpu(), 0, 1.0 / (N * N)));
    TESS_GOTO(done, status, make_wave(&points));
    TESS_GOTO(done, status, tess_map_coordinates(&waves, &image, &points, &o));

    /* The adjoint A' of sampling A: the sum of (A x) y is that of x (A' y). */
    TESS_GOTO(done, status, tess_full(&values, waves.shape, TESS_F32, tess_cpu(), 1));
    TESS_GOTO(done, status, tess_map_coordinates_adjoint(&spread, &values, &points, image.shape, &o));
    printf("%.2f and %.2f\n", product(&waves, &values), product(&image, &spread));

    /* A third of the size, without aliasing. */
    const tess_zoom_opts smooth = { .antialias = 1, .pixel_grid = 1 };
    TESS_GOTO(done, status, tess_zoom(&small, &waves, 1, 1.0 / 3, 1.0 / 3, &smooth));
    printf("%d x %d pixels\n", (int)small.shape.h, (int)small.shape.w);
done:
    tess_release(&image);
    tess_release(&points);
    tess_release(&waves);
    tess_release(&values);
    tess_release(&spread);
    tess_release(&small);
    return status;
}

int main(void)
{
    if (run() == TESS_OK) return 0;
    (void)fprintf(stderr, "%s\n", tess_error_message());
    return 1;
}
