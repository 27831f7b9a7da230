/* Transforms of every length up to 130, of every kind, against plain sums in long double, and of some longer ones: f32 and
 * f64, along each axis, alone and side by side; then the same bits on every instruction set. */
#include <math.h>
#include <stdlib.h>

#include "cpu/isa.h"
#include "support/dft.h"
#include "support/test.h"

enum { LONGEST = 130, LONGER = 8192, LINES = 11 };

/* Error of a transform of n, relative, in units of half the last place of 1. */
static double bound(int64_t n) { return 2.0 + 1.2 * log2((double)n); }

static double unit(tess_dtype real) { return real == TESS_F32 ? 0x1p-24 : 0x1p-53; }

/* Numbers that both dtypes hold. */
static void draw(dft_number *x, int64_t n, bool real)
{
    for (int64_t i = 0; i < n; i++) {
        x[i].re = (float)(test_random_unit() - 0.5);
        x[i].im = real ? 0 : (float)(test_random_unit() - 0.5);
    }
}

/* ---- Lines in arrays ---- */

/* Line j of an array is 2^-j times the numbers of line 0, so that one reference serves all. */
static double factor_of(int64_t line) { return ldexp(1, -(int)line); }

static tess_shape shape_of(int64_t n, int axis, int64_t lines)
{
    tess_shape shape = TESS_SHAPE(1, 1, 1, 1);
    shape.dim[axis] = n;
    shape.dim[axis == 3 ? 0 : 3] = lines;
    return shape;
}

/* Address of number i of a line, by the strides alone. */
static void *at(const tess_array *a, int axis, int64_t i, int64_t line)
{
    const int64_t offset = i * a->strides.dim[axis] + line * a->strides.dim[axis == 3 ? 0 : 3];
    return (char *)a->data + offset * (int64_t)tess_dtype_size(a->dtype);
}

static void put(const tess_array *a, int axis, int64_t i, int64_t line, dft_number x)
{
    void        *p = at(a, axis, i, line);
    const double f = factor_of(line), re = (double)x.re * f, im = (double)x.im * f;
    switch (a->dtype) {
    case TESS_F32: *(float *)p = (float)re; break;
    case TESS_F64: *(double *)p = re; break;
    case TESS_C32: *(tess_c32 *)p = (tess_c32){ (float)re, (float)im }; break;
    default: *(tess_c64 *)p = (tess_c64){ re, im }; break;
    }
}

static dft_number get(const tess_array *a, int axis, int64_t i, int64_t line)
{
    const void  *p = at(a, axis, i, line);
    const double f = 1 / factor_of(line);
    switch (a->dtype) {
    case TESS_F32: return (dft_number){ *(const float *)p * f, 0 };
    case TESS_F64: return (dft_number){ *(const double *)p * f, 0 };
    case TESS_C32: return (dft_number){ ((const tess_c32 *)p)->re * f, ((const tess_c32 *)p)->im * f };
    default: return (dft_number){ ((const tess_c64 *)p)->re * f, ((const tess_c64 *)p)->im * f };
    }
}

/* ---- One case ---- */

enum { C2C, R2C, C2R, R2R };

typedef struct problem {
    int        what; /* one of the above */
    int        sign, r2r;
    int64_t    n, n_in, n_out;
    dft_number in[LONGER], want[LONGER];
    double     size; /* norm of what is wanted */
} problem;

static const char *name_of(const problem *p)
{
    static char              text[32];
    static const char *const names[] = { "c2c", "r2c", "c2r", "r2r" };
    (void)snprintf(text, sizeof text, "%s %d", names[p->what], p->what == R2R ? p->r2r : p->sign);
    return text;
}

static tess_status run(const problem *p, tess_array *out, const tess_array *in, tess_shape real, int axis)
{
    const tess_fft_opts opts = { .norm = TESS_FFT_NORM_NONE, .axes = TESS_B << axis };
    if (p->what == C2C) return tess_fft_c2c(out, in, (tess_fft_sign)p->sign, &opts);
    if (p->what == R2C) return tess_fft_r2c(out, in, &opts);
    if (p->what == C2R) return tess_fft_c2r(out, in, real, &opts);
    return tess_fft_r2r(out, in, (tess_fft_r2r_kind)p->r2r, TESS_FFT_FORWARD, &opts);
}

static void check_lines(const problem *p, const tess_array *out, int axis, int64_t lines, tess_dtype real)
{
    for (int64_t line = 0; line < lines; line++) {
        long double error = 0;
        for (int64_t i = 0; i < p->n_out; i++) {
            const dft_number  got = get(out, axis, i, line);
            const long double re = got.re - p->want[i].re, im = got.im - p->want[i].im;
            error += re * re + im * im;
        }
        const double units = p->size > 0 ? (double)sqrtl(error) / p->size / unit(real) : (double)error;
        if (!(units <= bound(p->n)))
            (void)test_failed(__FILE__, __LINE__, "%s, %s, n %d, axis %d, line %d of %d: error of %.2f units, not %.2f",
                              name_of(p), tess_dtype_name(real), (int)p->n, axis, (int)line, (int)lines, units,
                              bound(p->n));
    }
}

/* Processors of the x86 family before v3 have no fused multiplication, and round twice. */
static bool fuses(const char *isa)
{
#if defined(__x86_64__)
    return strcmp(isa, "v3") == 0 || strcmp(isa, "v4") == 0;
#else
    return isa != NULL;
#endif
}

static void check(const problem *p, int axis, int64_t lines, tess_dtype real)
{
    const tess_dtype complex = real == TESS_F32 ? TESS_C32 : TESS_C64;
    const bool       real_in = p->what == R2C || p->what == R2R;
    tess_array       in = { 0 }, out = { 0 };
    CHECK_OK(tess_empty(&in, shape_of(p->n_in, axis, lines), real_in ? real : complex, tess_cpu()));
    for (int64_t line = 0; line < lines; line++)
        for (int64_t i = 0; i < p->n_in; i++) put(&in, axis, i, line, p->in[i]);
    const char *first = NULL; /* the instruction set that `out` is of */
    for (const tess__isa *isa = tess__isas; isa->name && isa->supported(); isa++) {
        tess_array other = { 0 };
        CHECK_OK(tess_cpu_limit_set(isa->name));
        if (!CHECK_OK(run(p, &other, &in, shape_of(p->n, axis, lines), axis))) continue;
        if (first && fuses(first) == fuses(isa->name)) {
            if (memcmp(out.data, other.data, (size_t)tess_n_bytes(&out)) != 0)
                (void)test_failed(__FILE__, __LINE__, "%s, %s, n %d, axis %d, %d lines: other bits on %s than on %s",
                                  name_of(p), tess_dtype_name(real), (int)p->n, axis, (int)lines, isa->name, first);
            tess_release(&other);
            continue;
        }
        check_lines(p, &other, axis, lines, real);
        tess_release(&out);
        out = other;
        first = isa->name;
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    tess_release(&in);
    tess_release(&out);
}

/* Along each axis (half spectra along W), one line and several. */
static void check_all(problem *p)
{
    long double squares = 0;
    for (int64_t i = 0; i < p->n_out; i++) squares += p->want[i].re * p->want[i].re + p->want[i].im * p->want[i].im;
    p->size = (double)sqrtl(squares);
    for (int axis = p->what == R2C || p->what == C2R ? 3 : 0; axis < 4; axis++)
        for (int64_t lines = 1; lines <= LINES; lines += LINES - 1) {
            check(p, axis, lines, TESS_F32);
            check(p, axis, lines, TESS_F64);
        }
}

/* ---- Every length ---- */

TEST(complex_transforms)
{
    static problem p = { .what = C2C };
    for (int64_t n = 1; n <= LONGEST; n++)
        for (p.sign = -1; p.sign <= 1; p.sign += 2) {
            p.n = p.n_in = p.n_out = n;
            draw(p.in, n, false);
            CHECK(dft_plain(p.want, p.in, n, p.sign));
            check_all(&p);
        }
}

TEST(real_transforms)
{
    static problem p = { .what = R2C, .sign = -1 };
    for (int64_t n = 1; n <= LONGEST; n++) {
        p.n = p.n_in = n;
        p.n_out = n / 2 + 1;
        draw(p.in, n, true);
        CHECK(dft_plain(p.want, p.in, n, -1));
        check_all(&p);
    }
}

/* Half a spectrum, and the whole of it. */
static void draw_half(problem *p, dft_number *full, int64_t n)
{
    p->n = p->n_out = n;
    p->n_in = n / 2 + 1;
    draw(p->in, p->n_in, false);
    memcpy(full, p->in, (size_t)p->n_in * sizeof *full);
    full[0].im = 0; /* does not count */
    if (n % 2 == 0) full[n / 2].im = 0;
    for (int64_t k = n / 2 + 1; k < n; k++) full[k] = (dft_number){ full[n - k].re, -full[n - k].im };
}

TEST(transforms_to_real)
{
    static problem p = { .what = C2R, .sign = 1 };
    for (int64_t n = 1; n <= LONGEST; n++) {
        dft_number full[LONGEST];
        draw_half(&p, full, n);
        CHECK(dft_plain(p.want, full, n, 1));
        for (int64_t i = 0; i < n; i++) p.want[i].im = 0;
        check_all(&p);
    }
}

/* Stages of all radices in all places, primes, and products of a prime: alone, these are other algorithms than in a
 * block. */
TEST(longer_transforms)
{
    static const int  sizes[] = { 144,  169,  210,  243,  250,  343,  416,  500,  509,  512,  686,  972,  1000, 1009,
                                  1018, 1024, 1331, 1625, 2016, 2048, 2187, 2310, 3125, 4093, 4096, 8186, 8190, 8192 };
    static problem    p;
    static dft_number full[LONGER];
    for (int i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++) {
        const int64_t n = sizes[i];
        if (i % 3 && !test_takes_case()) continue; /* the reference takes long */
        p.what = C2C, p.n = p.n_in = p.n_out = n;
        for (p.sign = -1; p.sign <= 1; p.sign += 2) {
            draw(p.in, n, false);
            CHECK(dft_fast(p.want, p.in, n, p.sign));
            check_all(&p);
        }
        p.what = R2C, p.sign = -1, p.n_out = n / 2 + 1;
        draw(p.in, n, true);
        CHECK(dft_fast(p.want, p.in, n, -1));
        check_all(&p);
        p.what = C2R, p.sign = 1;
        draw_half(&p, full, n);
        CHECK(dft_fast(p.want, full, n, 1));
        for (int64_t j = 0; j < n; j++) p.want[j].im = 0;
        check_all(&p);
    }
}

/* A view of an array whose axes lie in memory in another order, with the numbers of `like`. */
static void permuted_like(tess_array *view, tess_array *owner, const tess_array *like, const int *order)
{
    int back[4];
    for (int d = 0; d < 4; d++) back[order[d]] = d;
    CHECK_OK(tess_permute_copy(owner, like, order[0], order[1], order[2], order[3]));
    CHECK_OK(tess_permute(view, owner, back[0], back[1], back[2], back[3]));
}

/* Rows long enough to be transformed by themselves, as threads' tasks: the bits of a plain layout in all others. */
static void check_layouts(const problem *p, const tess_array *in, tess_shape real)
{
    static const int orders[][4] = { { 3, 0, 1, 2 }, { 1, 3, 2, 0 }, { 0, 1, 3, 2 } };
    tess_array       out = { 0 };
    CHECK_OK(run(p, &out, in, real, 3));
    for (int k = 0; k < 3; k++) {
        tess_array given, given_owner = { 0 }, got, got_owner = { 0 }, plain = { 0 };
        permuted_like(&given, &given_owner, in, orders[k]);
        permuted_like(&got, &got_owner, &out, orders[k]);
        CHECK_OK(run(p, &got, &given, real, 3));
        CHECK_OK(tess_permute_copy(&plain, &got, 0, 1, 2, 3));
        CHECK(memcmp(plain.data, out.data, (size_t)tess_n_bytes(&out)) == 0);
        CHECK_OK(run(p, &got, in, real, 3));
        CHECK_OK(tess_permute_copy(&plain, &got, 0, 1, 2, 3));
        CHECK(memcmp(plain.data, out.data, (size_t)tess_n_bytes(&out)) == 0);
        tess_release(&given_owner), tess_release(&got_owner), tess_release(&plain);
    }
    tess_release(&out);
}

TEST(long_rows_in_any_layout)
{
    static const int sizes[] = { 4096, 8190, 8192, 12000, 16384 };
    static problem   p;
    for (int i = 0; i < 5; i++)
        for (int what = C2C; what <= C2R; what++) {
            const int64_t n = sizes[i];
            tess_array    in = { 0 };
            p.what = what, p.sign = 1;
            if (what == C2C && n > LONGER) continue;
            CHECK_OK(tess_empty(&in, TESS_SHAPE(3, 1, 5, what == C2R ? n / 2 + 1 : n),
                                what == R2C ? TESS_F32 : TESS_C32, tess_cpu()));
            for (int64_t k = 0; k < tess_n_bytes(&in) / 4; k++)
                ((float *)in.data)[k] = (float)(test_random_unit() - 0.5);
            check_layouts(&p, &in, TESS_SHAPE(3, 1, 5, n));
            tess_release(&in);
        }
}

/* The formulas of tessera/fft.h, with angles as parts of a whole turn. */
static long double term(int r2r, int64_t n, int64_t j, int64_t k)
{
    switch (r2r) {
    case TESS_FFT_DCT1: return (j == 0 || j == n - 1 ? 1 : 2) * dft_root(j * k, 2 * (n - 1)).re;
    case TESS_FFT_DCT2: return 2 * dft_root((2 * j + 1) * k, 4 * n).re;
    case TESS_FFT_DCT3: return (j == 0 ? 1 : 2) * dft_root(j * (2 * k + 1), 4 * n).re;
    case TESS_FFT_DCT4: return 2 * dft_root((2 * j + 1) * (2 * k + 1), 8 * n).re;
    case TESS_FFT_DST1: return 2 * dft_root((j + 1) * (k + 1), 2 * (n + 1)).im;
    case TESS_FFT_DST2: return 2 * dft_root((2 * j + 1) * (k + 1), 4 * n).im;
    case TESS_FFT_DST3: return (j == n - 1 ? 1 : 2) * dft_root((j + 1) * (2 * k + 1), 4 * n).im;
    default: return 2 * dft_root((2 * j + 1) * (2 * k + 1), 8 * n).im;
    }
}

TEST(cosine_and_sine_transforms)
{
    static problem p = { .what = R2R };
    for (p.r2r = TESS_FFT_DCT1; p.r2r <= TESS_FFT_DST4; p.r2r++)
        for (int64_t n = p.r2r == TESS_FFT_DCT1 ? 2 : 1; n <= LONGEST; n += n < 40 ? 1 : 13) {
            p.n = p.n_in = p.n_out = n;
            draw(p.in, n, true);
            for (int64_t k = 0; k < n; k++) {
                p.want[k] = (dft_number){ 0, 0 };
                for (int64_t j = 0; j < n; j++) p.want[k].re += p.in[j].re * term(p.r2r, n, j, k);
            }
            check_all(&p);
        }
}

/* The fast reference, which other tests rely on, against the plain one. */
TEST(references_agree)
{
    static dft_number in[1200], fast[1200], slow[1200];
    static const int  sizes[] = { 1, 2, 4, 36, 61, 64, 97, 105, 127, 210, 254, 509, 1122 };
    for (int i = 0; i < 13; i++) {
        const int64_t n = sizes[i];
        long double   error = 0, size = 0;
        draw(in, n, false);
        CHECK(dft_plain(slow, in, n, 1) && dft_fast(fast, in, n, 1));
        for (int64_t k = 0; k < n; k++) {
            const long double re = slow[k].re - fast[k].re, im = slow[k].im - fast[k].im;
            error += re * re + im * im;
            size += slow[k].re * slow[k].re + slow[k].im * slow[k].im;
        }
        CHECK(error <= 1e-35L * size);
    }
}
