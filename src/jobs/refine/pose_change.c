/* Quantiles of how far poses moved and of scores, and how much of the sphere has views. */
#include <math.h>
#include <stdlib.h>

#include "core/device/memory.h"
#include "jobs/refine/refining.h"
#include "tessera/constants.h"
#include "tessera/rotation.h"

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sort(double *numbers, int64_t n) { qsort(numbers, (size_t)n, sizeof *numbers, compare_numbers); }

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
        const int           sector = (int)fmin(7, floor((atan2(view.at[1], view.at[2]) + TESS_PI) * 4 / TESS_PI));
        if (!seen[band][sector]) count++;
        seen[band][sector] = true;
    }
    return count / 48.0;
}

static tess_status add_angles(double *row, const tess__refinement *r, const tess__poses *before, double *numbers)
{
    const int64_t n = r->set.n;
    tess_array    angles = { 0 };
    TESS_TRY(tess_quat_distance(&angles, &before->rotations, &r->set.rotations,
                                &(tess_quat_distance_opts){ .sym = r->o.sym }));
    for (int64_t i = 0; i < n; i++) numbers[i] = ((const double *)angles.data)[i];
    tess_release(&angles);
    sort(numbers, n);
    row[TESS_REFINED_ANGLE_50] = quantile(numbers, n, 0.5);
    row[TESS_REFINED_ANGLE_90] = quantile(numbers, n, 0.9);
    return TESS_OK;
}

static void add_shifts(double *row, const tess__refinement *r, const tess__poses *before, double *numbers)
{
    const int64_t n = r->set.n;
    const double *a = before->shifts.data, *b = r->set.shifts.data;
    for (int64_t i = 0; i < n; i++) numbers[i] = hypot(b[2 * i] - a[2 * i], b[2 * i + 1] - a[2 * i + 1]);
    sort(numbers, n);
    row[TESS_REFINED_SHIFT_50] = quantile(numbers, n, 0.5);
    row[TESS_REFINED_SHIFT_90] = quantile(numbers, n, 0.9);
}

static void add_scores(double *row, const tess__refinement *r, double *numbers)
{
    const int64_t n = r->set.n;
    for (int64_t i = 0; i < n; i++) numbers[i] = ((const double *)r->scores.data)[i];
    sort(numbers, n);
    row[TESS_REFINED_SCORE_10] = quantile(numbers, n, 0.1);
    row[TESS_REFINED_SCORE_50] = quantile(numbers, n, 0.5);
    row[TESS_REFINED_SCORE_90] = quantile(numbers, n, 0.9);
}

tess_status tess__pose_change(double row[TESS_REFINED_COLUMNS], const tess__refinement *r, const tess__poses *before)
{
    double *numbers = tess__alloc((size_t)r->set.n * sizeof *numbers);
    TESS_CHECK(numbers, TESS_ENOMEM, "%s: out of memory for %lld particles", r->fn, (long long)r->set.n);
    const tess_status status = add_angles(row, r, before, numbers);
    if (status == TESS_OK) {
        add_shifts(row, r, before, numbers);
        add_scores(row, r, numbers);
        row[TESS_REFINED_VIEWS] = views_covered(&r->set.rotations);
    }
    tess__free(numbers);
    return status;
}
