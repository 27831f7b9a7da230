/* Alignment in the plane by exhaustive rotations and cross-correlation. */
#include "jobs/align2d/aligner.h"

#include <math.h>

#include "jobs/run/context.h"
#include "tessera/constants.h"
#include "tessera/correlate.h"
#include "tessera/ewise.h"
#include "tessera/fft.h"
#include "tessera/geometry.h"
#include "tessera/reduce.h"

static const double full_turn = (2 * TESS_PI);

void tess__aligner_release(tess__aligner *a)
{
    tess_release(&a->mask);
    tess_release(&a->turns);
    tess_release(&a->spectra);
    tess_release(&a->lags);
}

/* 1 inside the radius, a raised cosine over the 4 pixels outside. */
static tess_status make_mask(tess__aligner *a, double radius)
{
    enum { EDGE = 4 };
    const int64_t n = a->shape.w;
    TESS_TRY(tess_empty(&a->mask, a->shape, TESS_F32, tess_cpu()));
    for (int64_t i = 0; i < n * n; i++) {
        const double y = (double)(i / n - n / 2), x = (double)(i % n - n / 2), far = sqrt(x * x + y * y) - radius;
        const double soft = 0.5 + 0.5 * cos(full_turn / 2 * far / EDGE);
        ((float *)a->mask.data)[i] = (float)(far <= 0 ? 1 : far >= EDGE ? 0 : soft);
    }
    return tess__move(&a->mask, a->device);
}

/* The result at p, from the middle, is the image at the rotation of p by -angle: pictures turn by the angle. */
static tess_status make_turns(tess__aligner *a)
{
    TESS_TRY(tess_empty(&a->turns, TESS_SHAPE(a->n_angles, 1, 2, 2), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < a->n_angles; i++) {
        const double angle = full_turn * (double)i / (double)a->n_angles;
        double      *m = (double *)a->turns.data + 4 * i;
        m[0] = m[3] = cos(angle);
        m[1] = -sin(angle);
        m[2] = sin(angle);
    }
    return tess__move(&a->turns, a->device);
}

tess_status tess__aligner_start(tess__aligner *a, tess_shape shape, int64_t n_angles, double max_shift, double radius,
                                tess_device device)
{
    *a = (tess__aligner){ .shape = shape, .n_angles = n_angles, .max_shift = max_shift, .device = device };
    a->shape.b = 1;
    TESS_TRY(make_mask(a, radius));
    TESS_TRY(make_turns(a));
    return tess_full(&a->lags, TESS_SHAPE(1, 1, 1, 2), TESS_F64, tess_cpu(), max_shift);
}

tess_status tess__aligner_reference(tess__aligner *a, const tess_array *reference)
{
    tess_array  mean = { 0 }, masked = { 0 }, image = { 0 }, turned = { 0 };
    tess_status status;
    TESS_GOTO(done, status, tess_weighted_mean(&mean, reference, &a->mask, TESS_H | TESS_W));
    TESS_GOTO(done, status, tess_sub(&masked, reference, &mean));
    TESS_GOTO(done, status, tess_mul(&masked, &masked, &a->mask));
    TESS_GOTO(done, status, tess_host_norm(&a->norm, &masked, NULL));
    TESS_GOTO(done, status,
              tess_empty(&turned, TESS_SHAPE(a->n_angles, 1, a->shape.h, a->shape.w), TESS_F32, a->device));
    const tess_transform_opts opts = { .interp = TESS_INTERP_CUBIC_BSPLINE, .prefilter = 1, .centred = 1 };
    TESS_GOTO(done, status, tess_cast(&image, &masked, TESS_F32, NULL));
    TESS_GOTO(done, status, tess_transform_2d(&turned, &image, &a->turns, &opts));
    TESS_GOTO(done, status, tess_fft_r2c(&a->spectra, &turned, NULL));
done:
    tess_release(&mean);
    tess_release(&masked);
    tess_release(&image);
    tess_release(&turned);
    return status;
}

/* ---- The best rotation ---- */

/* The vertex of the parabola through the best of the heights, which go around, and its neighbours: in steps. */
static double vertex(const double *heights, int64_t n, int64_t best)
{
    const double y = heights[(best + n - 1) % n], x = heights[best], z = heights[(best + 1) % n];
    const double a = (y + z) / 2 - x;
    return n > 2 && a < 0 ? fmax(-0.5, fmin(0.5, (y - z) / (4 * a))) : 0;
}

/* Peaks of all rotations, on the host. */
static void choose(tess__placement *p, const tess__aligner *a, const double *shifts, const double *heights, double norm)
{
    int64_t best = 0;
    for (int64_t i = 1; i < a->n_angles; i++)
        if (heights[i] > heights[best]) best = i;
    const double angle = ((double)best + vertex(heights, a->n_angles, best)) * full_turn / (double)a->n_angles;
    *p = (tess__placement){ .angle = angle > 0 ? full_turn - angle : -angle,
                            .x = -shifts[2 * best + 1],
                            .y = -shifts[2 * best],
                            .score = norm * a->norm > 0 ? heights[best] / (norm * a->norm) : 0 };
    if (p->angle > full_turn / 2) p->angle -= full_turn;
}

tess_status tess__aligner_place(tess__placement *p, const tess__aligner *a, const tess_array *image)
{
    tess_array  centred = { 0 }, spectrum = { 0 }, map = { 0 }, shifts = { 0 }, heights = { 0 };
    double      mean, norm;
    tess_shape  shape = a->shape;
    tess_status status;
    shape.b = a->n_angles;
    TESS_GOTO(done, status, tess_host_mean(&mean, image));
    TESS_GOTO(done, status, tess_sub(&centred, image, &tess_num(mean)));
    TESS_GOTO(done, status, tess_host_norm(&norm, &centred, NULL));
    TESS_GOTO(done, status, tess_fft_r2c(&spectrum, &centred, NULL));
    TESS_GOTO(done, status, tess_correlate_map(&map, &spectrum, &a->spectra, shape, NULL));
    const tess_correlate_peak_opts opts = { .max_lag = &a->lags };
    TESS_GOTO(done, status, tess_correlate_peak(&shifts, &heights, &map, &opts));
    TESS_GOTO(done, status, tess__move(&shifts, tess_cpu()));
    TESS_GOTO(done, status, tess__move(&heights, tess_cpu()));
    choose(p, a, shifts.data, heights.data, norm);
done:
    tess_release(&centred);
    tess_release(&spectrum);
    tess_release(&map);
    tess_release(&shifts);
    tess_release(&heights);
    return status;
}

tess_status tess__aligner_move(tess_array *moved, const tess__aligner *a, const tess_array *image,
                               const tess__placement *p)
{
    const double              c = cos(p->angle), s = sin(p->angle);
    double                    m[6] = { c, -s, -p->y, s, c, -p->x };
    const tess_transform_opts opts = {
        .interp = TESS_INTERP_CUBIC_BSPLINE, .prefilter = 1, .border = TESS_BORDER_MIRROR, .centred = 1
    };
    tess_array  host, matrix = { 0 };
    tess_status status;
    TESS_TRY(tess_wrap(&host, m, TESS_SHAPE(1, 1, 2, 3), TESS_F64, NULL));
    TESS_GOTO(done, status, tess_to_device(&matrix, &host, a->device));
    TESS_GOTO(done, status, tess_transform_2d(moved, image, &matrix, &opts));
done:
    tess_release(&matrix);
    return status;
}
