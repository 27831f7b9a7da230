/* Random sequential placement of pseudo-atoms, and sums of separable Gaussians as a product of matrices. */
#include "jobs/simulate/pseudo_atoms.h"

#include <math.h>

#include "core/device/cancel.h"
#include "jobs/run/context.h"
#include "tessera/ewise.h"
#include "tessera/linalg.h"
#include "tessera/random.h"

/* The body: a union of balls, in parts of its radius, without any symmetry. z, y, x. */
static const struct {
    double radius, centre[3];
} balls[] = { { 0.52, { 0, 0, 0 } },
              { 0.42, { 0.05, 0.12, 0.56 } },
              { 0.33, { -0.2, 0.6, -0.18 } },
              { 0.25, { 0.65, -0.25, -0.22 } } };

enum { BALLS = sizeof balls / sizeof *balls, TRIED_AT_ONCE = 4096 };

static double squared_distance(const double *p, const double *q)
{
    double sum = 0;
    for (int i = 0; i < 3; i++) sum += (p[i] - q[i]) * (p[i] - q[i]);
    return sum;
}

static bool is_inside(const double *point)
{
    for (int i = 0; i < BALLS; i++)
        if (squared_distance(point, balls[i].centre) <= balls[i].radius * balls[i].radius) return true;
    return false;
}

static bool is_free(const double *point, const double *atoms, int64_t placed, double nearest)
{
    for (int64_t k = 0; k < placed; k++)
        if (squared_distance(point, atoms + 3 * k) < nearest * nearest) return false;
    return true;
}

/* Points one after the other, each taken if it is in the body and no other one is near. */
static tess_status place(double *atoms, int64_t n, uint64_t seed)
{
    const double nearest = 0.6 * cbrt(1.0 / (double)n); /* the body's volume is about 1 */
    tess_array   tried = { 0 };
    tess_status  status = tess_empty(&tried, TESS_SHAPE(TRIED_AT_ONCE, 1, 1, 3), TESS_F64, tess_cpu());
    for (int64_t placed = 0, first = 0; placed < n && status == TESS_OK; first += TRIED_AT_ONCE) {
        const double *points = tried.data;
        status = tess_random_uniform(&tried, -1, 1, seed, &(tess_random_opts){ .offset = 3 * (uint64_t)first });
        for (int64_t i = 0; i < TRIED_AT_ONCE && placed < n && status == TESS_OK; i++) {
            const double *point = points + 3 * i;
            if (!is_inside(point) || !is_free(point, atoms, placed, nearest)) continue;
            for (int axis = 0; axis < 3; axis++) atoms[3 * placed + axis] = point[axis];
            placed++;
        }
        if (status == TESS_OK && tess__cancelled()) status = tess__fail_cancelled("simulate_atoms");
    }
    tess_release(&tried);
    return status;
}

/* Their mean becomes 0, and the farthest one lies at the radius. */
static void centre_and_scale(double *atoms, int64_t n, double radius)
{
    double mean[3] = { 0, 0, 0 }, farthest = 0;
    for (int64_t i = 0; i < 3 * n; i++) mean[i % 3] += atoms[i] / (double)n;
    for (int64_t i = 0; i < n; i++) farthest = fmax(farthest, squared_distance(atoms + 3 * i, mean));
    for (int64_t i = 0; i < 3 * n; i++)
        atoms[i] = farthest > 0 ? (atoms[i] - mean[i % 3]) * radius / sqrt(farthest) : 0;
}

tess_status tess__pseudo_atoms(tess_array *atoms, int64_t n, double radius, uint64_t seed)
{
    TESS_TRY(tess_empty(atoms, TESS_SHAPE(n, 1, 1, 3), TESS_F64, tess_cpu()));
    const tess_status status = place(atoms->data, n, seed);
    if (status == TESS_OK) centre_and_scale(atoms->data, n, radius);
    else tess_release(atoms);
    return status;
}

/* Gaussians of the distances of `size` indices, from `first` on, to the places of n atoms along an axis: indices along
 * `along`, 1 d, 2 h or 3 w, atoms along w, or along h where indices are along w. */
static tess_status gaussians(tess_array *out, const tess_array *atoms, int axis, int along, int64_t first, int64_t size,
                             double sigma)
{
    const tess_shape shapes[] = { TESS_SHAPE(1, size, 1, 1), TESS_SHAPE(1, 1, size, 1), TESS_SHAPE(1, 1, 1, size) };
    const int64_t    n = atoms->shape.b;
    tess_array       indices = { 0 }, places, across;
    TESS_TRY(tess_slice(&places, atoms, 3, axis, axis + 1, 1));
    TESS_TRY(along == 3 ? tess_permute(&across, &places, 1, 2, 0, 3) : tess_permute(&across, &places, 1, 2, 3, 0));
    TESS_TRY(tess_arange(&indices, shapes[along - 1], TESS_F64, atoms->device, (double)first, 1));
    const tess_shape shape = along == 1   ? TESS_SHAPE(1, size, 1, n)
                             : along == 2 ? TESS_SHAPE(1, 1, size, n)
                                          : TESS_SHAPE(1, 1, n, size);
    tess_status      status;
    tess_array       x = { 0 };
    TESS_GOTO(done, status, tess_empty(out, shape, TESS_F32, atoms->device));
    TESS_GOTO(done, status, tess_sub(&x, &indices, &across));
    TESS_GOTO(done, status, tess_mul(&x, &x, &x));
    TESS_GOTO(done, status, tess_mul(&x, &x, &tess_num(-0.5 / (sigma * sigma))));
    TESS_GOTO(done, status, tess_exp(out, &x));
done:
    tess_release(&indices);
    tess_release(&x);
    return status;
}

/* The sum over atoms of gz gy gx: for each z a product of matrices, of y by atoms and of atoms by x. */
tess_status tess__gaussian_atoms(tess_array *out, const tess_array *atoms, double sigma, int64_t z)
{
    tess_array  places = { 0 }, along_z = { 0 }, along_y = { 0 }, along_x = { 0 }, zy = { 0 };
    tess_status status;
    TESS_GOTO(done, status, tess_copy(&places, atoms));
    TESS_GOTO(done, status, tess__move(&places, out->device));
    TESS_GOTO(done, status, gaussians(&along_z, &places, 0, 1, z, out->shape.d, sigma));
    TESS_GOTO(done, status, gaussians(&along_y, &places, 1, 2, 0, out->shape.h, sigma));
    TESS_GOTO(done, status, gaussians(&along_x, &places, 2, 3, 0, out->shape.w, sigma));
    TESS_GOTO(done, status, tess_mul(&zy, &along_z, &along_y));
    TESS_GOTO(done, status, tess_matmul(out, &zy, &along_x, NULL));
done:
    tess_release(&places);
    tess_release(&along_z);
    tess_release(&along_y);
    tess_release(&along_x);
    tess_release(&zy);
    return status;
}
