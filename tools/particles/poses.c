/* Poses of particles from round to round: quantiles of changes and scores, coverage of the sphere, weights of
 * shells. */
#include "particles/poses.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of sorted numbers, the one below which this part of them is. */
static double quantile(const double *sorted, int64_t n, double part)
{
    return sorted[(int64_t)fmin(floor(part * (double)n), (double)n - 1)];
}

/* The part of 48 directions of equal area, 6 bands of 8 sectors, that has any view. */
static double views_covered(const tess_array *quats)
{
    bool seen[6][8] = { { false } };
    int  count = 0;
    for (int64_t i = 0; i < quats->shape.b; i++) {
        const tess_vec3_f64 z = { { 1, 0, 0 } };
        const tess_vec3_f64 view = tess_quat_rotate_f64(((const tess_vec4_f64 *)quats->data)[i], z);
        const int           band = (int)fmin(5, floor((1 - view.at[0]) * 3));
        const int           sector = (int)fmin(7, floor((atan2(view.at[1], view.at[2]) + PI) * 4 / PI));
        if (!seen[band][sector]) count++;
        seen[band][sector] = true;
    }
    return count / 48.0;
}

static void add_quantiles(table *t, const char *const names[], const double parts[], int n, double *numbers,
                          int64_t count)
{
    qsort(numbers, (size_t)count, sizeof *numbers, compare_numbers);
    for (int k = 0; k < n; k++) table_number_as(t, names[k], quantile(numbers, count, parts[k]), TESS_F32);
}

static void report_shifts(table *t, const pose_change *c, double *numbers)
{
    const int64_t n = c->to->shape.b;
    const double *a = c->from_shifts->data, *b = c->to_shifts->data;
    for (int64_t i = 0; i < n; i++) numbers[i] = hypot(b[2 * i] - a[2 * i], b[2 * i + 1] - a[2 * i + 1]);
    add_quantiles(t, (const char *const[]){ "shift_50", "shift_90" }, (const double[]){ 0.5, 0.9 }, 2, numbers, n);
}

static tess_status report_angles(table *t, const pose_change *c, double *numbers, double *moved)
{
    const int64_t n = c->to->shape.b;
    tess_array    angles = { 0 };
    TESS_TRY(tess_quat_distance(&angles, c->from, c->to, &(tess_quat_distance_opts){ .symmetry = c->symmetry }));
    for (int64_t i = 0; i < n; i++) numbers[i] = ((const double *)angles.data)[i] * 180 / PI;
    add_quantiles(t, (const char *const[]){ "angle_50", "angle_90" }, (const double[]){ 0.5, 0.9 }, 2, numbers, n);
    *moved = quantile(numbers, n, 0.5) * PI / 180;
    tess_release(&angles);
    return TESS_OK;
}

tess_status report_poses(table *t, const pose_change *c, double *moved)
{
    const int64_t n = c->to->shape.b;
    double       *numbers = malloc((size_t)n * sizeof *numbers);
    TESS_CHECK(numbers, TESS_ENOMEM, "no memory for %lld particles", (long long)n);
    const tess_status status = report_angles(t, c, numbers, moved);
    if (status == TESS_OK) {
        report_shifts(t, c, numbers);
        for (int64_t i = 0; i < n; i++) numbers[i] = ((const double *)c->scores->data)[i];
        add_quantiles(t, (const char *const[]){ "score_10", "score_50", "score_90" }, (const double[]){ 0.1, 0.5, 0.9 },
                      3, numbers, n);
        table_number_as(t, "views", views_covered(c->to), TESS_F32);
    }
    free(numbers);
    return status;
}

/* ---- Weights of shells ---- */

static tess_status weigh_shells(tess_array *curve, double *frequency, const tess_array *fsc, tess_shape shape)
{
    tess_array    at = { 0 };
    const int64_t n = fsc->shape.w;
    TESS_TRY(tess_fsc_resolution(&at, fsc, shape, NULL));
    *frequency = fmax(*(const double *)at.data, 1 / (double)shape.w);
    tess_release(&at);
    TESS_TRY(tess_zeros(curve, TESS_SHAPE(1, 1, 1, n), TESS_F64, tess_cpu()));
    for (int64_t k = 0; k < n; k++) {
        const double f = k == 0 ? 1 : fmax(((const double *)fsc->data)[k], 0);
        if ((double)k <= *frequency * (double)shape.w) ((double *)curve->data)[k] = sqrt(2 * f / (1 + f));
    }
    return TESS_OK;
}

tess_status shell_weights(tess_array *curve, double *frequency, const tess_array *one, const tess_array *two)
{
    tess_array  spectra[2] = { { .data = NULL } }, fsc = { 0 };
    tess_status status;
    TESS_GOTO(done, status, tess_fft_r2c(&spectra[0], one, NULL));
    TESS_GOTO(done, status, tess_fft_r2c(&spectra[1], two, NULL));
    TESS_GOTO(done, status, tess_fsc(&fsc, &spectra[0], &spectra[1], one->shape, &(tess_fsc_opts){ .nearest = 1 }));
    TESS_GOTO(done, status, weigh_shells(curve, frequency, &fsc, one->shape));
done:
    tess_release(&spectra[0]);
    tess_release(&spectra[1]);
    tess_release(&fsc);
    return status;
}
