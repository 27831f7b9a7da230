/* Searches of projection matching: every candidate at a grid of shifts, then a pattern search of halving steps. */
#include <inttypes.h>
#include <math.h>

#include "core/check/error.h"
#include "core/device/memory.h"
#include "ops/geometry/slices/match.h"
#include "tessera/rotation.h"

enum { TURNS = 27, MOVES = 9, PASSES = 2 }; /* rotations of a step about the best, and shifts; steps of each size */

/* Shifts on a square grid within the radius, nearest to 0 first in each row; `moves` may be NULL. */
static int64_t make_moves(double (*moves)[2], double radius, double step)
{
    const int64_t most = (int64_t)floor(radius / step + 1e-9);
    int64_t       n = 0;
    for (int64_t y = -most; y <= most; y++)
        for (int64_t x = -most; x <= most; x++) {
            if ((double)(y * y + x * x) * step * step > radius * radius * (1 + 1e-9)) continue;
            if (moves) moves[n][0] = (double)y * step, moves[n][1] = (double)x * step;
            n++;
        }
    return n;
}

tess_status tess__match_search(tess__matching *m, const tess_vec4_f64 *candidates, int64_t count)
{
    const int64_t n_moves = make_moves(NULL, m->o.radius, m->o.shift_step);
    double(*moves)[2] = tess__alloc((size_t)n_moves * sizeof *moves);
    TESS_CHECK(moves, TESS_ENOMEM, "%s: no memory for %" PRId64 " shifts", TESS__MATCH, n_moves);
    make_moves(moves, m->o.radius, m->o.shift_step);
    const tess_status status =
        tess__match_try(m, &(tess__match_trial){ candidates, count, m->o.each, (const double(*)[2])moves, n_moves });
    tess__free(moves);
    return status;
}

/* Rotations by -1, 0 and 1 times the angle about each axis of the image, after a rotation; the first is by 0. */
static void turn_about(tess_vec4_f64 *out, tess_vec4_f64 rotation, double angle)
{
    for (int k = 0; k < TURNS; k++) {
        const int           code = (k + TURNS / 2) % TURNS;
        const tess_vec3_f64 v = { { code / 9 - 1, code / 3 % 3 - 1, code % 3 - 1 } };
        const double        length = tess_vec3_norm_f64(v);
        out[k] = rotation;
        if (length > 0)
            out[k] = tess_quat_mul_f64(
                rotation, tess_quat_from_axis_angle_f64(tess_vec3_scale_f64(v, 1 / length), angle * length));
    }
}

tess_status tess__match_refine(tess__matching *m)
{
    tess_vec4_f64 *turns = tess__alloc((size_t)m->n * TURNS * sizeof *turns);
    tess_status    status = TESS_OK;
    TESS_CHECK(turns, TESS_ENOMEM, "%s: no memory for %" PRId64 " images", TESS__MATCH, m->n);
    for (int pass = 0; pass < PASSES * (m->o.halvings + 1); pass++) {
        const double part = pow(0.5, pass / PASSES), step = m->o.shift_step * part;
        double       moves[MOVES][2];
        for (int k = 0; k < MOVES; k++)
            moves[k][0] = ((k + 4) % 9 / 3 - 1) * step, moves[k][1] = ((k + 4) % 3 - 1) * step;
        for (int64_t i = 0; i < m->n; i++) turn_about(turns + i * TURNS, m->poses[i].rotation, m->o.angle * part);
        TESS_GOTO(done, status,
                  tess__match_try(m, &(tess__match_trial){ turns, TURNS, true, (const double(*)[2])moves, MOVES }));
    }
done:
    tess__free(turns);
    return status;
}
