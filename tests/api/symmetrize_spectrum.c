/* Symmetry of spectra: beside sums over atoms, which are exact, in all layouts; faults that others had; what is
 * rejected. Random ones are compared with NumPy in tests/oracle/geometry_slices.py. */
#include <math.h>

#include "support/arrays.h"
#include "support/hooks.h"
#include "tessera/matrix.h"
#include "tessera/random.h"
#include "tessera/symmetrize.h"
#include "tessera/symmetry.h"

enum { SIZE = 32, ATOMS = 9 };

static double atoms[ATOMS][3];

static void place_atoms(int dims)
{
    tess_array a = { 0 };
    CHECK_OK(tess_wrap(&a, atoms, TESS_SHAPE(1, 1, ATOMS, 3), TESS_F64, NULL));
    CHECK_OK(tess_random_uniform(&a, -5, 5, 3, NULL));
    for (int i = 0; dims == 2 && i < ATOMS; i++) atoms[i][0] = 0;
    tess_release(&a);
}

/* The spectrum of the atoms at f, moved by a centre. */
static tess_c64 scattered(const double f[3], const double centre[3])
{
    tess_c64 sum = { 0, 0 };
    for (int i = 0; i < ATOMS; i++) {
        double turns = 0;
        for (int k = 0; k < 3; k++) turns += f[k] * (atoms[i][k] + centre[k]);
        sum.re += cos(2 * acos(-1.0) * turns);
        sum.im -= sin(2 * acos(-1.0) * turns);
    }
    return sum;
}

static void frequency(double f[3], tess_shape half, int64_t i)
{
    const int64_t k[3] = { i / (half.h * half.w) % half.d, i / half.w % half.h, i % half.w };
    f[0] = half.d == 1 ? 0 : (double)(k[0] < SIZE / 2 ? k[0] : k[0] - SIZE) / SIZE;
    f[1] = (double)(k[1] < SIZE / 2 ? k[1] : k[1] - SIZE) / SIZE;
    f[2] = (double)k[2] / SIZE;
}

static tess_array spectrum_of_atoms(tess_shape shape, const double centre[3])
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, tess_rfft_shape(shape), TESS_C64, tess_cpu()));
    for (int64_t i = 0; i < tess_n_elements(&a); i++) {
        double f[3];
        frequency(f, a.shape, i);
        ((tess_c64 *)a.data)[i] = scattered(f, centre);
    }
    return a;
}

static void times(double out[3], const double *m, const double in[3])
{
    for (int i = 0; i < 3; i++) out[i] = m[3 * i] * in[0] + m[3 * i + 1] * in[1] + m[3 * i + 2] * in[2];
}

/* What a result should be: the atoms, and their centre, at A R^-1 B f, moved to a centre before the group and back. */
typedef struct expectation {
    const char *name;
    double      before[9], after[9], centre[3], shift[3];
} expectation;

static const double unit[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };

static tess_c64 expected(const expectation *e, const double *group, int64_t n, const double f[3])
{
    static const double origin[3] = { 0, 0, 0 };
    double              g[3], turned[3], at[3], re = 0, im = 0;
    times(g, e->after, f);
    for (int64_t i = 0; i < n; i++) {
        const double *r = group + 9 * i, t[9] = { r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8] };
        times(turned, t, g);
        times(at, e->before, turned);
        tess_c64 v = scattered(at, origin);
        double   turns = 0; /* the phase of the atoms' own centre, about which the group turns, and of the shift */
        for (int k = 0; k < 3; k++) turns += e->centre[k] * g[k] + e->shift[k] * f[k];
        const double c = cos(2 * acos(-1.0) * turns), s = -sin(2 * acos(-1.0) * turns);
        re += v.re * c - v.im * s;
        im += v.re * s + v.im * c;
    }
    return (tess_c64){ re / (double)n, im / (double)n };
}

/* The error of a result up to 0.4 cycles per pixel, beside its size. */
static double error_of(const tess_array *out, const expectation *e, int dims)
{
    tess_array  group = { 0 }, wide = { 0 };
    const char *name = e->name;
    double      error = 0, size = 0;
    CHECK_OK(tess_symmetry_matrices(&group, name, &(tess_symmetry_opts){ .images = dims == 2 }));
    CHECK_OK(tess_eye(&wide, TESS_SHAPE(group.shape.b, 1, 3, 3), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < group.shape.b; i++)
        for (int64_t k = 0; k < dims * dims; k++) {
            const int64_t first = 3 - dims, to = 9 * i + 3 * (first + k / dims) + first + k % dims;
            ((double *)wide.data)[to] = ((double *)group.data)[i * dims * dims + k];
        }
    for (int64_t i = 0; i < tess_n_elements(out); i++) {
        double f[3];
        frequency(f, out->shape, i);
        if (f[0] * f[0] + f[1] * f[1] + f[2] * f[2] > 0.16) continue;
        const tess_c64 got = ((const tess_c64 *)out->data)[i], want = expected(e, wide.data, wide.shape.b, f);
        error += (got.re - want.re) * (got.re - want.re) + (got.im - want.im) * (got.im - want.im);
        size += want.re * want.re + want.im * want.im;
    }
    tess_release(&group);
    tess_release(&wide);
    return sqrt(error / size);
}

static tess_array wrapped(const double *m, tess_shape shape)
{
    tess_array a = { 0 };
    CHECK_OK(tess_wrap(&a, (void *)(uintptr_t)m, shape, TESS_F64, NULL));
    return a;
}

/* ---- Beside sums over atoms ---- */

TEST(atoms_turn_about_index_0)
{
    static const char *const names[] = { "C3", "D2", "T", "O", "I1", "C7", "d5" };
    static const double      origin[3] = { 0, 0, 0 };
    for (int i = 0; i < 7; i++) {
        const int        dims = i < 5 ? 3 : 2;
        const tess_shape shape = TESS_SHAPE(1, dims == 3 ? SIZE : 1, SIZE, SIZE);
        expectation      e = { .name = names[i] };
        memcpy(e.before, unit, sizeof unit);
        memcpy(e.after, unit, sizeof unit);
        place_atoms(dims);
        tess_array in = spectrum_of_atoms(shape, origin), out = { 0 };
        CHECK_OK(tess_symmetrize_spectrum(&out, &in, shape, names[i],
                                          &(tess_symmetrize_spectrum_opts){ .interp = TESS_INTERP_LANCZOS8 }));
        const double error = error_of(&out, &e, dims);
        if (!(error < 5e-3)) (void)test_failed(__FILE__, __LINE__, "%s: %.5f", names[i], error);
        tess_release(&in);
        tess_release(&out);
    }
}

/* The atoms' centre is in the middle of the array, or elsewhere; matrices before and after, and a shift at last. */
TEST(atoms_turn_about_a_centre_between_matrices)
{
    const tess_shape shape = TESS_SHAPE(1, SIZE, SIZE, SIZE);
    const double     a = 0.4, b = -0.9;
    const double     before[9] = { 1, 0, 0, 0, cos(a), sin(a), 0, -sin(a), cos(a) };
    const double     after[9] = { cos(b), 0, -sin(b), 0, 1, 0, sin(b), 0, cos(b) };
    const double     centres[3][3] = { { 16, 16, 16 }, { 3, -2.5, 0.25 }, { 0, 0, 7 } };
    const double     shift[3] = { 1.5, -2, 0.75 };
    place_atoms(3);
    for (int i = 0; i < 6; i++) {
        expectation e = { .name = i % 2 ? "D3" : "C4" };
        memcpy(e.before, i >= 3 ? before : unit, sizeof unit);
        memcpy(e.after, i >= 3 ? after : unit, sizeof unit);
        memcpy(e.centre, centres[i % 3], sizeof e.centre);
        memcpy(e.shift, shift, sizeof shift);
        double given[3]; /* the centre before A: A c, as A is a rotation */
        times(given, e.before, e.centre);
        tess_array in = spectrum_of_atoms(shape, given), out = { 0 };
        tess_array m[3] = { wrapped(e.before, TESS_SHAPE(1, 1, 3, 3)), wrapped(e.after, TESS_SHAPE(1, 1, 3, 3)),
                            wrapped(shift, TESS_SHAPE(1, 1, 1, 3)) };
        const tess_symmetrize_spectrum_opts o = { .before = i >= 3 ? &m[0] : NULL,
                                                  .after = i >= 3 ? &m[1] : NULL,
                                                  .shifts = &m[2],
                                                  .centre_d = e.centre[0],
                                                  .centre_h = e.centre[1],
                                                  .centre_w = e.centre[2],
                                                  .interp = TESS_INTERP_LANCZOS8 };
        CHECK_OK(tess_symmetrize_spectrum(&out, &in, shape, e.name, &o));
        const double error = error_of(&out, &e, 3);
        if (!(error < 1e-2)) (void)test_failed(__FILE__, __LINE__, "case %d: %.5f", i, error);
        tess_release(&in);
        tess_release(&out);
        for (int k = 0; k < 3; k++) tess_release(&m[k]);
    }
}

/* ---- Exact ones ---- */

static tess_array noise(tess_shape shape, tess_dtype dtype)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, shape, dtype, tess_cpu()));
    CHECK_OK(tess_random_normal(&a, 0, 1, 5, NULL));
    return a;
}

static tess_array spectrum(tess_shape shape)
{
    tess_array x = noise(shape, TESS_F64), out = { 0 };
    CHECK_OK(tess_fft_r2c(&out, &x, NULL));
    tess_release(&x);
    return out;
}

/* The largest distance of two arrays of c64. */
static double distance(const tess_array *a, const tess_array *b)
{
    double most = tess_same_shape(a, b) ? 0 : INFINITY;
    for (int64_t i = 0; tess_same_shape(a, b) && i < tess_n_elements(a); i++) {
        const tess_c64 x = ((const tess_c64 *)a->data)[i], y = ((const tess_c64 *)b->data)[i];
        most = fmax(most, hypot(x.re - y.re, x.im - y.im));
    }
    return most;
}

TEST(no_symmetry_changes_nothing)
{
    const tess_shape shape = TESS_SHAPE(2, 6, 5, 8);
    tess_array       in = spectrum(shape), out = { 0 };
    for (int method = TESS_INTERP_NEAREST; method <= TESS_INTERP_LANCZOS8; method++) {
        if (method == TESS_INTERP_CUBIC_BSPLINE) continue;
        CHECK_OK(tess_symmetrize_spectrum(&out, &in, shape, "C1",
                                          &(tess_symmetrize_spectrum_opts){ .interp = method, .cutoff = 1 }));
        CHECK(distance(&out, &in) == 0);
    }
    tess_release(&in);
    tess_release(&out);
}

/* Quarter turns move pixels to pixels: in real space, with borders that are periodic as spectra are, and in Fourier
 * space the result is one. Of an odd size the centre of pixels is index n/2. */
TEST(quarter_turns_are_those_of_real_space)
{
    const tess_shape shape = TESS_SHAPE(2, 7, 7, 7);
    tess_array       x = noise(shape, TESS_F64), in = { 0 }, turned = { 0 }, want = { 0 }, out = { 0 };
    CHECK_OK(tess_fft_r2c(&in, &x, NULL));
    CHECK_OK(tess_symmetrize(&turned, &x, "O", &(tess_symmetrize_opts){ .border = TESS_BORDER_PERIODIC }));
    CHECK_OK(tess_fft_r2c(&want, &turned, NULL));
    const tess_symmetrize_spectrum_opts o = { .centre_d = 3, .centre_h = 3, .centre_w = 3, .cutoff = 1 };
    CHECK_OK(tess_symmetrize_spectrum(&out, &in, shape, "O", &o));
    CHECK(distance(&out, &want) < 1e-12);
    tess_array *all[] = { &x, &in, &turned, &want, &out };
    for (int i = 0; i < 5; i++) tess_release(all[i]);
}

/* A sixth of a turn takes frequencies half way between two: opposite ones must have opposite neighbours. */
TEST(the_nearest_of_two_keeps_a_spectrum_hermitian)
{
    enum { N = 15 };
    const tess_shape                    shape = TESS_SHAPE(1, 1, N, N);
    const tess_symmetrize_spectrum_opts o = { .interp = TESS_INTERP_NEAREST, .from = TESS_FFT_F, .cutoff = 0.4 };
    tess_array                          image = { 0 }, half = { 0 }, full = { 0 }, out = { 0 };
    CHECK_OK(tess_empty(&image, shape, TESS_F64, tess_cpu()));
    CHECK_OK(tess_random_normal(&image, 0, 1, 3, NULL));
    CHECK_OK(tess_fft_r2c(&half, &image, NULL));
    CHECK_OK(tess_fft_remap(&full, &half, shape, TESS_FFT_H, TESS_FFT_F));
    CHECK_OK(tess_symmetrize_spectrum(&out, &full, shape, "C6", &o));
    const tess_c64 *z = out.data;
    for (int64_t h = 0; h < N; h++)
        for (int64_t w = 0; w < N; w++) {
            const tess_c64 a = z[h * N + w], b = z[(N - h) % N * N + (N - w) % N];
            CHECK(fabs(a.re - b.re) < 1e-12 && fabs(a.im + b.im) < 1e-12);
        }
    tess_array *given[] = { &image, &half, &full, &out };
    for (size_t i = 0; i < 4; i++) tess_release(given[i]);
}

TEST(all_layouts_have_the_same_coefficients)
{
    const tess_shape              shape = TESS_SHAPE(2, 6, 5, 7);
    tess_array                    in = spectrum(shape), want = { 0 };
    tess_symmetrize_spectrum_opts o = { .interp = TESS_INTERP_CUBIC, .centre_h = 1.5, .sum = 1 };
    CHECK_OK(tess_symmetrize_spectrum(&want, &in, shape, "D3", &o));
    for (int i = 0; i < 16; i++) {
        tess_array given = { 0 }, out = { 0 }, expected_one = { 0 };
        o.from = 1 + i / 4;
        o.to = 1 + i % 4;
        CHECK_OK(tess_fft_remap(&given, &in, shape, TESS_FFT_H, (tess_fft_layout)o.from));
        CHECK_OK(tess_fft_remap(&expected_one, &want, shape, TESS_FFT_H, (tess_fft_layout)o.to));
        CHECK_OK(tess_symmetrize_spectrum(&out, &given, shape, "D3", &o));
        CHECK(distance(&out, &expected_one) < 1e-11);
        tess_release(&given);
        tess_release(&out);
        tess_release(&expected_one);
    }
    tess_release(&in);
    tess_release(&want);
}

/* A power has no phase: neither centre nor shift count. */
TEST(real_spectra_are_neither_conjugated_nor_moved)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 7, 7);
    const double     shift[2] = { 1, 2 };
    tess_array       in = noise(tess_rfft_shape(shape), TESS_F32), out = { 0 }, moved = { 0 };
    tess_array       shifts = wrapped(shift, TESS_SHAPE(1, 1, 1, 2));
    CHECK_OK(tess_symmetrize_spectrum(&out, &in, shape, "C2", &(tess_symmetrize_spectrum_opts){ .cutoff = 1 }));
    for (int64_t h = 0; h < 7; h++) {
        CHECK(value_at(&out, 0, 0, h, 2) == value_at(&in, 0, 0, h, 2));
        CHECK(value_at(&out, 0, 0, h, 0) == value_at(&out, 0, 0, (7 - h) % 7, 0)); /* column 0 has both */
    }
    const tess_symmetrize_spectrum_opts o = { .cutoff = 1, .centre_h = 2, .shifts = &shifts };
    CHECK_OK(tess_symmetrize_spectrum(&moved, &in, shape, "C2", &o));
    CHECK(same_values(&moved, &out));
    tess_array *all[] = { &in, &out, &moved, &shifts };
    for (int i = 0; i < 4; i++) tess_release(all[i]);
}

/* ---- Faults that others had ---- */

/* In noa a tap below x = 0 is not conjugated by the nearest method, and flipped with its window by the linear one: the
 * mean of a picture and of its half turn has a real spectrum. */
TEST(noa_symmetry_of_spectra_does_not_conjugate)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 8, 8);
    tess_array       in = spectrum(shape), out = { 0 };
    for (int method = TESS_INTERP_NEAREST; method <= TESS_INTERP_LINEAR; method++) {
        CHECK_OK(tess_symmetrize_spectrum(&out, &in, shape, "C2",
                                          &(tess_symmetrize_spectrum_opts){ .interp = method, .cutoff = 1 }));
        for (int64_t i = 0; i < 40; i++) {
            const tess_c64 got = ((const tess_c64 *)out.data)[i], given = ((const tess_c64 *)in.data)[i];
            CHECK(fabs(got.re - given.re) < 1e-14 && fabs(got.im) < 1e-14);
        }
    }
    tess_release(&in);
    tess_release(&out);
}

/* In noa a centre of which only some coordinates are given takes the sizes of other axes. */
TEST(noa_centre_of_a_spectrum_is_of_other_axes)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 12, 20);
    tess_array       x = constant(TESS_F64, 1, 1, 12, 20, 0), in = { 0 }, sum = { 0 }, out = { 0 };
    ((double *)x.data)[15] = 1; /* y = 0; x = 12 + 3 */
    CHECK_OK(tess_fft_r2c(&in, &x, NULL));
    CHECK_OK(tess_symmetrize_spectrum(&sum, &in, shape, "c2",
                                      &(tess_symmetrize_spectrum_opts){ .centre_w = 12, .sum = 1, .cutoff = 1 }));
    CHECK_OK(tess_fft_c2r(&out, &sum, shape, NULL));
    ((double *)x.data)[9] = 1;
    for (int64_t i = 0; i < 240; i++) CHECK(fabs(((double *)out.data)[i] - ((double *)x.data)[i]) < 1e-12);
    tess_array *all[] = { &x, &in, &sum, &out };
    for (int i = 0; i < 4; i++) tess_release(all[i]);
}

/* ---- Nothing, and what is rejected ---- */

TEST(nothing_is_made_of_nothing)
{
    const tess_shape shape = TESS_SHAPE(0, 4, 4, 4);
    tess_array       in = { 0 }, out = { 0 };
    CHECK_OK(tess_empty(&in, tess_rfft_shape(shape), TESS_C32, tess_cpu()));
    CHECK_OK(tess_symmetrize_spectrum(&out, &in, shape, "O", NULL));
    CHECK(tess_is_empty(&out) && out.shape.w == 3);
    tess_release(&in);
    tess_release(&out);
}

TEST(bad_arguments_are_told)
{
    const tess_shape shape = TESS_SHAPE(2, 1, 4, 4);
    const double     numbers_of[12] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    tess_array       in = noise(tess_rfft_shape(shape), TESS_C32), wrong = noise(shape, TESS_F16), out = { 0 };
    tess_array affine = wrapped(numbers_of, TESS_SHAPE(1, 1, 2, 3)), flat = wrapped(numbers_of, TESS_SHAPE(1, 1, 2, 2));
    tess_array three = wrapped(numbers_of, TESS_SHAPE(3, 1, 2, 2)), complex = noise(TESS_SHAPE(1, 1, 1, 2), TESS_C32);
#define FAILS(name, status, text, ...)                                                                                 \
    CHECK_FAILS(tess_symmetrize_spectrum(&out, &in, shape, name, &(tess_symmetrize_spectrum_opts){ __VA_ARGS__ }),     \
                status, text)
    FAILS("", TESS_EARG, "symmetrize_spectrum: neither name nor opts->matrices is given", .interp = 1);
    FAILS("C2", TESS_EARG, "symmetrize_spectrum: name is \"C2\" and opts->matrices is given", .matrices = &flat);
    FAILS("X", TESS_EPARSE, "name is \"X\"; C<n> or D<n>", .sum = 1);
    FAILS("T", TESS_EARG, "which has no matrices for images; C<n> or D<n> is needed", .sum = 1);
    FAILS(NULL, TESS_ERANGE, "determinant", .matrices = &flat);
    FAILS("C2", TESS_ESHAPE,
          "symmetrize_spectrum: opts->before is f64 {1,1,2,3}; expected numbers {n,1,rows,columns} or",
          .before = &affine);
    FAILS("C2", TESS_ESHAPE, "symmetrize_spectrum: opts->after has 3 matrices and in 2 batches", .after = &three);
    FAILS("C2", TESS_ERANGE, "determinant", .before = &flat, .centre_h = 1);
    FAILS("C2", TESS_EARG, "symmetrize_spectrum: opts->centre_d is 1; it must be 0 for images", .centre_d = 1);
    FAILS("C2", TESS_ERANGE, "symmetrize_spectrum: opts->centre_w is nan", .centre_w = (double)NAN);
    FAILS("C2", TESS_ESHAPE, "symmetrize_spectrum: opts->shifts is {1,1,2,3}; {1,1,1,2} or {2,1,1,2} is needed",
          .shifts = &affine);
    FAILS("C2", TESS_EDTYPE, "symmetrize_spectrum: opts->shifts is c32", .shifts = &complex);
    FAILS("C2", TESS_ERANGE, "symmetrize_spectrum: opts->cutoff is -1", .cutoff = -1);
    FAILS("C2", TESS_EARG, "symmetrize_spectrum: opts->interp is 9", .interp = 9);
    FAILS("C2", TESS_EARG, "symmetrize_spectrum: opts->to is 5", .to = 5);
    FAILS("C2", TESS_ESHAPE, "symmetrize_spectrum: in has shape {2,1,4,3}", .from = TESS_FFT_F);
    FAILS("C2", TESS_EARG, "reserved", .reserved = { 1 });
#undef FAILS
    CHECK_FAILS(tess_symmetrize_spectrum(NULL, &in, shape, "C2", NULL), TESS_EARG, "symmetrize_spectrum: out is NULL");
    CHECK_FAILS(tess_symmetrize_spectrum(&out, NULL, shape, "C2", NULL), TESS_EARG, "symmetrize_spectrum: in is NULL");
    CHECK_FAILS(tess_symmetrize_spectrum(&out, &wrong, shape, "C2", NULL), TESS_EDTYPE,
                "symmetrize_spectrum: in is f16; f32, f64, c32 or c64 is needed");
    CHECK_FAILS(tess_symmetrize_spectrum(&in, &in, shape, "C2", NULL), TESS_EALIAS, "symmetrize_spectrum");
    CHECK(out.data == NULL);
    tess_array *all[] = { &in, &wrong, &affine, &flat, &three, &complex };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tess_release(all[i]);
}

static hooks h;

/* Every allocation fails in turn: a clear status, no leak, and the output as it was. */
TEST(allocations_that_fail)
{
    const tess_shape shape = TESS_SHAPE(1, 3, 4, 5);
    const double     shift[3] = { 1, 2, 3 };
    hooks_on(&h);
    tess_array in = spectrum(shape), shifts = wrapped(shift, TESS_SHAPE(1, 1, 1, 3));
    tess_array before = wrapped(unit, TESS_SHAPE(1, 1, 3, 3));
    bool       done = false;
    for (int k = 1; !done && k < 300; k++) {
        const tess_symmetrize_spectrum_opts o = { .shifts = &shifts, .before = &before, .centre_w = 1 };
        tess_array                          out = { 0 };
        const long                          live = atomic_load(&h.live);
        atomic_store(&h.calls, 0);
        atomic_store(&h.fail_at, k);
        const tess_status status = tess_symmetrize_spectrum(&out, &in, shape, "D2", &o);
        atomic_store(&h.fail_at, 0);
        done = status == TESS_OK;
        if (!done) CHECK(status == TESS_ENOMEM && out.data == NULL && strstr(tess_error_message(), "memory"));
        tess_release(&out);
        CHECK(done || atomic_load(&h.live) == live);
    }
    CHECK(done);
    tess_release(&in);
    tess_release(&shifts);
    tess_release(&before);
    hooks_off();
}
