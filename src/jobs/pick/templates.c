/* Templates of particles, rotated in steps, and round blobs. */
#include "jobs/pick/templates.h"

#include <math.h>

#include "jobs/data/maps/fourier_box.h"
#include "tessera/constants.h"
#include "tessera/geometry.h"

void tess__templates_release(tess__templates *t)
{
    tess_release(&t->images);
    tess_release(&t->mask);
}

static tess_status make_mask(tess_array *mask, int64_t n, double radius)
{
    TESS_TRY(tess_empty(mask, TESS_SHAPE(1, 1, n, n), TESS_F32, tess_cpu()));
    for (int64_t i = 0; i < n * n; i++) {
        const double y = (double)(i / n - n / 2), x = (double)(i % n - n / 2);
        ((float *)mask->data)[i] = x * x + y * y <= radius * radius ? 1 : 0;
    }
    return TESS_OK;
}

/* ---- Blobs ---- */

static double blob_at(double square, double diameter, tess_blob kind)
{
    const double sd = diameter / 4, narrow = 0.28 * diameter, wide = 0.447 * diameter;
    if (kind == TESS_BLOB_GAUSS) return exp(-square / (2 * sd * sd));
    return exp(-square / (2 * narrow * narrow)) / (narrow * narrow) - exp(-square / (2 * wide * wide)) / (wide * wide);
}

static double blob_radius(double diameter) { return 0.75 * diameter; }

double tess__blob_size(double diameter) { return 2 * ceil(blob_radius(diameter)) + 1; }

tess_status tess__templates_of_blob(tess__templates *t, double diameter, tess_blob kind)
{
    const double  radius = blob_radius(diameter);
    const int64_t n = (int64_t)tess__blob_size(diameter);
    t->n_angles = 1;
    TESS_TRY(make_mask(&t->mask, n, radius));
    TESS_TRY(tess_empty(&t->images, TESS_SHAPE(1, 1, n, n), TESS_F32, tess_cpu()));
    for (int64_t i = 0; i < n * n; i++) {
        const double y = (double)(i / n - n / 2), x = (double)(i % n - n / 2);
        ((float *)t->images.data)[i] = (float)blob_at(x * x + y * y, diameter, kind);
    }
    return TESS_OK;
}

/* ---- Images ---- */

/* Pictures turn from +x to +y; matrices take the result to the image, pixels of which are `factor` of the result's. */
static tess_status make_turns(tess_array *matrices, int64_t n, double factor)
{
    TESS_TRY(tess_zeros(matrices, TESS_SHAPE(n, 1, 2, 2), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < n; i++) {
        const double angle = (2 * TESS_PI) * (double)i / (double)n;
        double      *m = (double *)matrices->data + 4 * i;
        m[0] = m[3] = cos(angle) / factor;
        m[1] = -sin(angle) / factor;
        m[2] = sin(angle) / factor;
    }
    return TESS_OK;
}

static tess_status turn_each(tess__templates *t, const tess_array *images, const tess_array *turns, int64_t size)
{
    const int64_t             n = images->shape.b, n_angles = t->n_angles;
    const tess_transform_opts opts = {
        .interp = TESS_INTERP_CUBIC_BSPLINE, .prefilter = 1, .border = TESS_BORDER_CLAMP, .centred = 1
    };
    TESS_TRY(tess_empty(&t->images, TESS_SHAPE(n * n_angles, 1, size, size), TESS_F32, tess_cpu()));
    for (int64_t i = 0; i < n; i++) {
        tess_array one, turned;
        TESS_TRY(tess_index(&one, images, 0, i));
        TESS_TRY(tess_slice(&turned, &t->images, 0, i * n_angles, (i + 1) * n_angles, 1));
        TESS_TRY(tess_transform_2d(&turned, &one, turns, &opts));
    }
    return TESS_OK;
}

/* Even, as near as can be. */
double tess__template_size(int64_t side, double factor) { return 2 * fmax(rint((double)side * factor / 2), 4); }

tess_status tess__templates_of_images(tess__templates *t, const tess_array *images, double factor, double diameter,
                                      int64_t n_angles)
{
    const double  old = (double)images->shape.w;
    const int64_t n = (int64_t)tess__template_size(images->shape.w, factor);
    tess_array    boxed = { 0 }, turns = { 0 };
    tess_status   status;
    const double  radius = diameter > 0 ? fmin(diameter / 2, (double)(n / 2 - 1)) : (double)(n / 2 - 1);
    t->n_angles = n_angles;
    TESS_GOTO(done, status, tess__fourier_box(&boxed, images, TESS_SHAPE(1, 1, n, n)));
    TESS_GOTO(done, status, make_turns(&turns, n_angles, factor * old / (double)n));
    TESS_GOTO(done, status, make_mask(&t->mask, n, radius));
    TESS_GOTO(done, status, turn_each(t, &boxed, &turns, n));
done:
    tess_release(&boxed);
    tess_release(&turns);
    return status;
}
