/* Local motion of a simulated specimen. */
#include "jobs/simulate/specimen_motion.h"

#include <math.h>

#include "tessera/ewise.h"
#include "tessera/interp.h"
#include "tessera/motion.h"
#include "tessera/random.h"

/* x, y, x^2, y^2, xy: each with its place among the coefficients of a model, and the mean of its square term. */
enum { TERMS = 5, POWERS = 3 };
static const int    places[TERMS] = { 1, 3, 2, 4, 5 };
static const double means[TERMS] = { 0, 0, 1.0 / 12, 1.0 / 12, 0 };

/* ---- Drawing ---- */

/* The largest displacement of a grid over the whole frame, edges included. */
static tess_status find_largest(double *largest, const tess_array *model)
{
    enum { SIDE = 9 };
    double     at[SIDE * SIDE][2];
    tess_array positions, shifts = { 0 };
    for (int i = 0; i < SIDE * SIDE; i++) {
        at[i][0] = (double)(i / SIDE) / (SIDE - 1) - 0.5;
        at[i][1] = (double)(i % SIDE) / (SIDE - 1) - 0.5;
    }
    TESS_TRY(tess_wrap(&positions, at, TESS_SHAPE(SIDE * SIDE, 1, 1, 2), TESS_F64, NULL));
    TESS_TRY(tess_motion_shifts(&shifts, model, &positions, &tess_f64(1)));
    *largest = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        const double *s = (const double *)shifts.data + 2 * i;
        *largest = fmax(*largest, hypot(s[0], s[1]));
    }
    tess_release(&shifts);
    return TESS_OK;
}

static tess_status draw_model(tess__specimen_motion *s, double largest, uint64_t seed, uint32_t stream)
{
    double     random[2 * TERMS], found = 0;
    tess_array numbers;
    TESS_TRY(tess_zeros(&s->model, TESS_SHAPE(2, 1, 1, TESS_MOTION_COEFFICIENTS), TESS_F64, tess_cpu()));
    TESS_TRY(tess_wrap(&numbers, random, TESS_SHAPE(1, 1, 1, 2 * TERMS), TESS_F64, NULL));
    TESS_TRY(tess_random_normal(&numbers, 0, 1, seed, &(tess_random_opts){ .stream = stream }));
    for (int axis = 0; axis < 2; axis++) {
        double *c = (double *)s->model.data + axis * TESS_MOTION_COEFFICIENTS;
        for (int k = 0; k < TERMS; k++) {
            c[POWERS * places[k]] = random[axis * TERMS + k];
            c[0] -= random[axis * TERMS + k] * means[k];
        }
    }
    TESS_TRY(find_largest(&found, &s->model));
    return tess_mul(&s->model, &s->model, &tess_f64(largest / found));
}

tess_status tess__specimen_motion_draw(tess__specimen_motion *s, double largest, double dose, int64_t frames,
                                       uint64_t seed, uint32_t stream)
{
    TESS_TRY(draw_model(s, largest, seed, stream));
    TESS_TRY(tess_empty(&s->times, TESS_SHAPE(1, 1, 1, frames), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < frames; i++)
        ((double *)s->times.data)[i] = 1 - exp(-dose * (double)i / TESS__SPECIMEN_SETTLES);
    return TESS_OK;
}

void tess__specimen_motion_release(tess__specimen_motion *s)
{
    tess_release(&s->model);
    tess_release(&s->times);
}

/* ---- Use ---- */

tess_status tess__specimen_motion_apply(const tess__specimen_motion *s, tess_array *out, const tess_array *in,
                                        int64_t first)
{
    tess_array times;
    TESS_TRY(tess_slice(&times, &s->times, 3, first, first + in->shape.b, 1));
    return tess_motion_warp(out, in, &s->model, &times, &(tess_motion_warp_opts){ .interp = TESS_INTERP_LANCZOS8 });
}

/* Positions in pixels and shifts are rounded to a tenth of a thousandth. */
static double rounded(double value) { return round(1e4 * value) / 1e4; }

static tess_status fill_table(tess_array *table, const double *at, const tess_array *shifts, tess_shape frame)
{
    const int64_t n = shifts->shape.h, total = shifts->shape.b * n;
    const double *shift = shifts->data;
    TESS_TRY(tess_empty(table, TESS_SHAPE(1, 1, total, TESS_LOCAL_SHIFT_COLUMNS), TESS_F64, tess_cpu()));
    double *row = table->data;
    for (int64_t i = 0; i < total; i++, row += TESS_LOCAL_SHIFT_COLUMNS) {
        const double *position = at + 2 * (i / n);
        row[TESS_LOCAL_SHIFT_FRAME] = (double)(i % n);
        row[TESS_LOCAL_SHIFT_AT_X] = rounded((position[1] + 0.5) * (double)frame.w);
        row[TESS_LOCAL_SHIFT_AT_Y] = rounded((position[0] + 0.5) * (double)frame.h);
        row[TESS_LOCAL_SHIFT_X] = 0 - rounded(shift[2 * i + 1]);
        row[TESS_LOCAL_SHIFT_Y] = 0 - rounded(shift[2 * i]);
    }
    return TESS_OK;
}

tess_status tess__specimen_motion_table(const tess__specimen_motion *s, tess_array *table, tess_shape frame)
{
    enum { GRID = TESS__SPECIMEN_GRID };
    double     at[GRID * GRID][2];
    tess_array positions, shifts = { 0 };
    for (int i = 0; i < GRID * GRID; i++) {
        at[i][0] = ((double)(i / GRID) + 0.5) / GRID - 0.5;
        at[i][1] = ((double)(i % GRID) + 0.5) / GRID - 0.5;
    }
    TESS_TRY(tess_wrap(&positions, at, TESS_SHAPE(GRID * GRID, 1, 1, 2), TESS_F64, NULL));
    TESS_TRY(tess_motion_shifts(&shifts, &s->model, &positions, &s->times));
    const tess_status status = fill_table(table, at[0], &shifts, frame);
    tess_release(&shifts);
    return status;
}
