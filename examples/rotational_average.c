/* Sums into bins by an operator: the rotational average of each image of a stack, and a weighted histogram. */
#include <math.h>
#include <stdio.h>

#include "tessera.h"

enum { IMAGES = 2, SIDE = 64, RADII = SIDE / 2, BINS = 4 };

/* A pixel between two radii is split between both, by its distance from each. Each image has its own bins. */
static const char average_text[] = "op average(in f32 x, scatter f64 sums, scatter f64 weights) {"
                                   "  f32 v = (f32)(h - size(2)/2); f32 u = (f32)(w - size(3)/2);"
                                   "  f32 r = sqrt(v*v + u*u);"
                                   "  add_linear(sums, b, 0, 0, r, x); add_linear(weights, b, 0, 0, r, 1); }";

/* What is outside of the bins is dropped. */
static const char histogram_text[] = "op weighted(in f32 x, in f32 weight, scatter f64 bins) {"
                                     "  bins[0,0,0,(i64)floor(x*shape(bins,3))] += weight; }";

static tess_status average(tess_array *profile, const tess_array *images)
{
    tess_op         *op = NULL;
    tess_array       weights = { 0 };
    const tess_shape shape = TESS_SHAPE(images->shape.b, 1, 1, RADII);
    TESS_TRY(tess_op_text(&op, average_text));
    TESS_TRY(tess_zeros(profile, shape, TESS_F64, tess_cpu()));
    TESS_TRY(tess_zeros(&weights, shape, TESS_F64, tess_cpu()));
    TESS_TRY(tess_call(op, images, profile, &weights));
    TESS_TRY(tess_div(profile, profile, &weights));
    tess_release(&weights);
    tess_op_release(op);
    return TESS_OK;
}

static tess_status histogram(tess_array *bins, const tess_array *values, const tess_array *weights)
{
    tess_op *op = NULL;
    TESS_TRY(tess_op_text(&op, histogram_text));
    TESS_TRY(tess_zeros(bins, TESS_SHAPE(1, 1, 1, BINS), TESS_F64, tess_cpu()));
    TESS_TRY(tess_call(op, values, weights, bins));
    tess_op_release(op);
    return TESS_OK;
}

/* Rings: cos(r/4) about the centre of each image, brighter by one in each. */
static tess_status make_rings(tess_array *images)
{
    tess_op         *op = NULL;
    const tess_shape shape = TESS_SHAPE(IMAGES, 1, SIDE, SIDE);
    TESS_TRY(tess_empty(images, shape, TESS_F32, tess_cpu()));
    TESS_TRY(tess_op_text(&op, "op rings(out f32 x) { f32 v = (f32)(h - size(2)/2); f32 u = (f32)(w - size(3)/2);"
                               "  x = cos(sqrt(v*v + u*u)/4) + (f32)b; }"));
    TESS_TRY(tess_call(op, images));
    tess_op_release(op);
    return TESS_OK;
}

static tess_status run(void)
{
    tess_array images = { 0 }, profile = { 0 }, values = { 0 }, weights = { 0 }, bins = { 0 };
    double     x = 0, y = 0;
    TESS_TRY(make_rings(&images));
    TESS_TRY(average(&profile, &images));
    for (int r = 0; r < RADII; r += 4) {
        TESS_TRY(tess_get_f64(&x, &profile, 0, 0, 0, r));
        TESS_TRY(tess_get_f64(&y, &profile, 1, 0, 0, r));
        printf("radius %2d: %7.4f %7.4f, the rings have %7.4f %7.4f\n", r, x, y, cos(r / 4.0), cos(r / 4.0) + 1);
    }
    TESS_TRY(tess_arange(&values, TESS_SHAPE(1, 1, 1, 1000), TESS_F32, tess_cpu(), 0, 0.001));
    TESS_TRY(tess_arange(&weights, values.shape, TESS_F32, tess_cpu(), 2, -0.002));
    TESS_TRY(histogram(&bins, &values, &weights));
    for (int k = 0; k < BINS; k++) {
        TESS_TRY(tess_get_f64(&x, &bins, 0, 0, 0, k));
        printf("bin %d: %g\n", k, x);
    }
    tess_release(&images);
    tess_release(&profile);
    tess_release(&values);
    tess_release(&weights);
    tess_release(&bins);
    return TESS_OK;
}

int main(void)
{
    if (run() == TESS_OK) return 0;
    fputs(tess_error_trace(), stderr);
    return 1;
}
