/* The curvature of the Ewald sphere beside single scattering by points: sums over atoms in f64 at frequencies on the
 * sphere itself, of which slices are a parabola. */
#include <math.h>

#include "support/arrays.h"
#include "tessera/fourier_slices.h"
#include "tessera/random.h"
#include "tessera/rotation.h"

enum { SIZE = 32, ATOMS = 12, VIEWS = 250 };
static const double radius = 2; /* 1 / pixel: strongly curved, so that points a few pixels away show it */

static double atoms[ATOMS][3];

static void place_atoms(void)
{
    tess_array a = { 0 };
    CHECK_OK(tess_wrap(&a, atoms, TESS_SHAPE(1, 1, ATOMS, 3), TESS_F64, NULL));
    CHECK_OK(tess_random_uniform(&a, -6, 6, 3, NULL));
    tess_release(&a);
}

/* What the atoms scatter to frequency f. */
static tess_c64 scattered(const double f[3])
{
    tess_c64 sum = { 0, 0 };
    for (int i = 0; i < ATOMS; i++) {
        const double phase = 2 * acos(-1.0) * (f[0] * atoms[i][0] + f[1] * atoms[i][1] + f[2] * atoms[i][2]);
        sum.re += cos(phase);
        sum.im -= sin(phase);
    }
    return sum;
}

static double cycles(int64_t k) { return (double)(k < SIZE / 2 ? k : k - SIZE) / SIZE; }

/* The same at (y, x) of a view: on the sphere that touches the plane of the slice at 0, on this side of it, or for side 0
 * in the plane. */
static tess_c64 seen(const double *m, double y, double x, double side)
{
    const double g[3] = { side * (radius - sqrt(radius * radius - y * y - x * x)), y, x };
    double       f[3];
    for (int k = 0; k < 3; k++) f[k] = m[3 * k] * g[0] + m[3 * k + 1] * g[1] + m[3 * k + 2] * g[2];
    return scattered(f);
}

/* The half spectrum of the atoms. */
static tess_array spectrum_of_atoms(void)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, tess_rfft_shape(TESS_SHAPE(1, SIZE, SIZE, SIZE)), TESS_C64, tess_cpu()));
    tess_c64 *out = a.data;
    for (int64_t z = 0; z < SIZE; z++)
        for (int64_t y = 0; y < SIZE; y++)
            for (int64_t x = 0; x <= SIZE / 2; x++) {
                const double f[3] = { cycles(z), cycles(y), (double)x / SIZE };
                *out++ = scattered(f);
            }
    return a;
}

static tess_array rotations_of(int64_t n)
{
    tess_array q = { 0 }, m = { 0 };
    CHECK_OK(tess_empty(&q, TESS_SHAPE(n, 1, 1, 4), TESS_F64, tess_cpu()));
    CHECK_OK(tess_quat_random(&q, 5, NULL));
    CHECK_OK(tess_quat_to_matrix(&m, &q));
    tess_release(&q);
    return m;
}

/* The distance of slices, full spectra, from what is seen, beside its size, up to 0.4 cycles per pixel. */
static double error_of(const tess_array *slices, const tess_array *m, double side)
{
    double error = 0, size = 0;
    for (int64_t i = 0; i < tess_n_elements(slices); i++) {
        const double y = cycles(i / SIZE % SIZE), x = cycles(i % SIZE);
        if (y * y + x * x > 0.16) continue;
        const tess_c64 got = ((const tess_c64 *)slices->data)[i];
        const tess_c64 want = seen((const double *)m->data + 9 * (i / SIZE / SIZE), y, x, side);
        error += (got.re - want.re) * (got.re - want.re) + (got.im - want.im) * (got.im - want.im);
        size += want.re * want.re + want.im * want.im;
    }
    return sqrt(error / size);
}

TEST(extracted_slices_lie_on_the_sphere)
{
    place_atoms();
    tess_array volume = spectrum_of_atoms(), m = rotations_of(5), slices = { 0 };
    for (int side = -1; side <= 1; side++) {
        const tess_fourier_extract_opts o = {
            .ewald_h = side * radius, .ewald_w = side * radius, .interp = TESS_INTERP_LANCZOS8, .to = TESS_FFT_F
        };
        CHECK_OK(tess_fourier_extract(&slices, &volume, TESS_SHAPE(1, SIZE, SIZE, SIZE), &m, &o));
        const double above = error_of(&slices, &m, 1), below = error_of(&slices, &m, -1);
        const double right = side < 0 ? below : above, wrong = side < 0 ? above : below;
        if (!(side ? right < 0.02 && wrong > 0.5 : right > 0.3 && wrong > 0.3))
            (void)test_failed(__FILE__, __LINE__, "side %d: %.4f and %.4f", side, right, wrong);
    }
    tess_release(&volume);
    tess_release(&m);
    tess_release(&slices);
}

/* Half of what is seen on the sphere, or the other half of it: conjugated, that is half a spectrum on the sphere's other
 * side. */
static tess_array views(const tess_array *m, double side, bool other)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, tess_rfft_shape(TESS_SHAPE(VIEWS, 1, SIZE, SIZE)), TESS_C64, tess_cpu()));
    tess_c64 *out = a.data;
    for (int64_t i = 0; i < VIEWS * SIZE; i++)
        for (int64_t x = 0; x <= SIZE / 2; x++) {
            const double   y = cycles(i % SIZE), sign = other ? -1 : 1;
            const tess_c64 v = seen((const double *)m->data + 9 * (i / SIZE), sign * y, sign * (double)x / SIZE, side);
            *out++ = (tess_c64){ v.re, sign * v.im };
        }
    return a;
}

/* The distance from the atoms' spectrum, beside its size, up to 0.4 cycles per pixel, of views on a sphere (or plane)
 * that are inserted as if on one of another radius. */
static double insertion_error(const tess_array *truth, const tess_array *m, double side, double as)
{
    tess_array volume = { 0 }, weights = { 0 };
    double     error = 0, size = 0;
    for (int other = 0; other < 2; other++) {
        tess_array                     half = views(m, side, other);
        const double                   r = other ? -as : as;
        const tess_fourier_insert_opts o = { .ewald_h = r, .ewald_w = r, .add = other };
        CHECK_OK(tess_fourier_insert(&volume, &weights, &half, TESS_SHAPE(VIEWS, 1, SIZE, SIZE), m, &o));
        tess_release(&half);
    }
    CHECK_OK(tess_fourier_normalize(&volume, &volume, &weights, &(tess_fourier_normalize_opts){ .min_weight = 0.01 }));
    for (int64_t i = 0; i < tess_n_elements(truth); i++) {
        const int64_t  columns = SIZE / 2 + 1, row = i / columns;
        const double   z = cycles(row / SIZE), y = cycles(row % SIZE), x = (double)(i % columns) / SIZE;
        const tess_c64 got = ((const tess_c64 *)volume.data)[i], want = ((const tess_c64 *)truth->data)[i];
        if (z * z + y * y + x * x > 0.16) continue;
        error += (got.re - want.re) * (got.re - want.re) + (got.im - want.im) * (got.im - want.im);
        size += want.re * want.re + want.im * want.im;
    }
    tess_release(&volume);
    tess_release(&weights);
    return sqrt(error / size);
}

/* With its curvature a curved slice is inserted as well as a plane one is without. */
TEST(inserted_slices_need_their_curvature)
{
    place_atoms();
    tess_array   truth = spectrum_of_atoms(), m = rotations_of(VIEWS);
    const double plane = insertion_error(&truth, &m, 0, 0), curved = insertion_error(&truth, &m, 1, radius);
    const double ignored = insertion_error(&truth, &m, 1, 0), wrong = insertion_error(&truth, &m, 1, -radius);
    if (!(plane < 0.2 && curved < 1.1 * plane && ignored > 2 * plane && wrong > ignored))
        (void)test_failed(__FILE__, __LINE__, "plane %.4f, curved %.4f, ignored %.4f, the other side %.4f", plane,
                          curved, ignored, wrong);
    tess_release(&truth);
    tess_release(&m);
}
