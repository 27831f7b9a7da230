/* The exact results, by MPFR, and how far from them a result is. */
#include "truth.h"

#include <math.h>
#include <stdbool.h>

#include <mpfr.h>

#include "functions.h"

const truth_format truth_f32 = { 24, -149, 128 };
const truth_format truth_f64 = { 53, -1074, 1024 };

/* PRECISION leaves the measured error good to far below 1e-9 ulp; WIDE also covers the cancellation in logaddexp. */
enum { PRECISION = 144, WIDE = 400 };

static _Thread_local bool   ready;
static _Thread_local mpfr_t exact, first, second, distance, wide, wider;

static void prepare(void)
{
    if (ready) return;
    mpfr_inits2(PRECISION, exact, first, second, distance, (mpfr_ptr)0);
    mpfr_inits2(WIDE, wide, wider, (mpfr_ptr)0);
    ready = true;
}

void truth_thread_end(void)
{
    if (ready) mpfr_clears(exact, first, second, distance, wide, wider, (mpfr_ptr)0);
    ready = false;
    mpfr_free_cache();
}

static int truth_sinc(mpfr_t r, const mpfr_t x, mpfr_rnd_t round)
{
    if (mpfr_zero_p(x)) return mpfr_set_ui(r, 1, round);
    if (mpfr_inf_p(x)) return mpfr_set_ui(r, 0, round);
    mpfr_sin(wide, x, round);
    return mpfr_div(r, wide, x, round);
}

static int truth_rsqrt(mpfr_t r, const mpfr_t x, mpfr_rnd_t round)
{
    mpfr_sqrt(wide, x, round);
    return mpfr_ui_div(r, 1, wide, round);
}

static int truth_logaddexp(mpfr_t r, const mpfr_t a, const mpfr_t b, mpfr_rnd_t round)
{
    if (mpfr_nan_p(a) || mpfr_nan_p(b)) {
        mpfr_set_nan(r);
        return 0;
    }
    mpfr_srcptr high = mpfr_greater_p(a, b) ? a : b, low = high == a ? b : a;
    if (mpfr_inf_p(high) || mpfr_inf_p(low)) return mpfr_set(r, high, round);
    mpfr_sub(wide, low, high, round);
    mpfr_exp(wide, wide, round);
    mpfr_log1p(wider, wide, round);
    return mpfr_add(r, high, wider, round);
}

static void evaluate(int fn, double x, double y)
{
    mpfr_set_d(first, x, MPFR_RNDN);
    mpfr_set_d(second, y, MPFR_RNDN);
    switch (fn) {
#define TRUTH_1(truth) truth(exact, first, MPFR_RNDN)
#define TRUTH_2(truth) truth(exact, first, second, MPFR_RNDN)
#define FUNCTION(name, arity, pairs, bar_f32, bar_f64, truth, ...)                                                     \
    case FN_##name:                                                                                                    \
        TRUTH_##arity(truth);                                                                                          \
        break;
#include "functions.def"
#undef FUNCTION
    }
}

/* True if the exact result is at least halfway from the largest number to what would follow it. */
static bool overflows(const truth_format *f)
{
    if (mpfr_get_exp(exact) != f->largest) return mpfr_get_exp(exact) > f->largest;
    mpfr_set_ui_2exp(distance, 1, f->largest, MPFR_RNDN);
    mpfr_set_ui_2exp(second, 1, f->largest - f->bits - 1, MPFR_RNDN);
    mpfr_sub(distance, distance, second, MPFR_RNDN);
    return mpfr_cmpabs(exact, distance) >= 0;
}

/* logaddexp is a sum of two rounded numbers: where they cancel, its error is that of the larger argument. */
static long ulp_of_sum(const truth_format *f, long ulp, double larger)
{
    int exponent;
    if (!isfinite(larger) || larger == 0) return ulp;
    (void)frexp(larger, &exponent);
    return exponent - f->bits > ulp ? exponent - f->bits : ulp;
}

double truth_error(int fn, const truth_format *f, double got, double x, double y)
{
    prepare();
    evaluate(fn, x, y);
    if (mpfr_nan_p(exact) || isnan(got)) return mpfr_nan_p(exact) && isnan(got) ? 0 : INFINITY;
    /* logaddexp may underflow to a zero of either sign. */
    const bool same_sign = !mpfr_signbit(exact) == !signbit(got) || (got == 0 && fn == FN_logaddexp);
    if (mpfr_zero_p(exact)) return got != 0 ? fabs(got) / ldexp(1, f->smallest) : same_sign ? 0 : INFINITY;
    if (got == 0 && !same_sign) return INFINITY;
    if (mpfr_inf_p(exact) || overflows(f)) {
        if (isinf(got)) return same_sign ? 0 : INFINITY;
        if (mpfr_inf_p(exact)) return INFINITY;
    }
    /* An infinity in place of a number counts as the number that would follow the largest one. */
    if (isinf(got)) mpfr_set_si_2exp(distance, got > 0 ? 1 : -1, f->largest, MPFR_RNDN);
    else mpfr_set_d(distance, got, MPFR_RNDN);
    mpfr_sub(distance, distance, exact, MPFR_RNDN);
    long ulp = mpfr_get_exp(exact) - f->bits;
    if (fn == FN_logaddexp) ulp = ulp_of_sum(f, ulp, x > y ? x : y);
    if (ulp < f->smallest) ulp = f->smallest;
    mpfr_mul_2si(distance, distance, -ulp, MPFR_RNDN);
    return fabs(mpfr_get_d(distance, MPFR_RNDN));
}

/* The best rational approximations p / q of 2^e / (pi / 2) say that q * 2^e is nearly p quarter turns. The last three
 * whose q has no more than the format's bits are taken for each e. */
static size_t near_in_binade(const truth_format *f, long e, double *out)
{
    double recent[3] = { 0, 0, 0 }, before = 0, q = 1;
    mpfr_t turn, whole;
    mpfr_inits2(1400, turn, whole, (mpfr_ptr)0);
    mpfr_const_pi(turn, MPFR_RNDN);
    mpfr_si_div(turn, 2, turn, MPFR_RNDN);
    mpfr_mul_2si(turn, turn, e, MPFR_RNDN);
    mpfr_frac(turn, turn, MPFR_RNDN);
    while (q < ldexp(1, f->bits)) {
        recent[0] = recent[1], recent[1] = recent[2], recent[2] = q;
        mpfr_ui_div(turn, 1, turn, MPFR_RNDN);
        mpfr_floor(whole, turn);
        const double next = fma(mpfr_get_d(whole, MPFR_RNDN), q, before);
        before = q, q = next;
        mpfr_sub(turn, turn, whole, MPFR_RNDN);
    }
    mpfr_clears(turn, whole, (mpfr_ptr)0);
    for (int i = 0; i < 3; i++) out[i] = ldexp(recent[i], (int)e);
    return 3;
}

size_t truth_near_quarter_turns(const truth_format *f, double *out, size_t capacity)
{
    size_t n = 0;
    for (long e = -f->bits; e <= f->largest - f->bits && n + 3 <= capacity; e++) n += near_in_binade(f, e, out + n);
    return n;
}
