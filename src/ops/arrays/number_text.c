/* Shortest decimal digits of floats (Steele-White, Dragon4) with big integers, independent of the locale; columns. */
#include "ops/arrays/number_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/device/engine.h"

/* Enough for the largest f64, and for the smallest one times the power of ten that brings it to 1. */
enum { BIG_WORDS = 36 };

/* A big integer: `n` words, the lowest first, without leading zeros. */
typedef struct big {
    int      n;
    uint32_t word[BIG_WORDS];
} big;

static big big_from(uint64_t value)
{
    big b;
    for (b.n = 0; value; value >>= 32) b.word[b.n++] = (uint32_t)value;
    return b;
}

static void big_multiply(big *b, uint32_t factor)
{
    uint64_t carry = 0;
    for (int i = 0; i < b->n; i++) {
        carry += (uint64_t)b->word[i] * factor;
        b->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) b->word[b->n++] = (uint32_t)carry;
}

static void big_times_power_of_ten(big *b, int power)
{
    for (; power >= 9; power -= 9) big_multiply(b, 1000000000);
    for (; power > 0; power--) big_multiply(b, 10);
}

static void big_times_power_of_two(big *b, int power)
{
    const int words = power / 32;
    big_multiply(b, UINT32_C(1) << power % 32);
    for (int i = b->n - 1; i >= 0; i--) b->word[i + words] = b->word[i];
    for (int i = 0; i < words; i++) b->word[i] = 0;
    b->n += words;
}

/* Below 0, 0, or above 0, as a is less than, equal to, or more than b. */
static int big_compare(const big *a, const big *b)
{
    if (a->n != b->n) return a->n - b->n;
    for (int i = a->n - 1; i >= 0; i--)
        if (a->word[i] != b->word[i]) return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}

static big big_sum(const big *a, const big *b)
{
    const big *longer = a->n >= b->n ? a : b, *shorter = a->n >= b->n ? b : a;
    uint64_t   carry = 0;
    big        sum;
    for (int i = 0; i < longer->n; i++) {
        carry += (uint64_t)longer->word[i] + (i < shorter->n ? shorter->word[i] : 0);
        sum.word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    sum.n = longer->n;
    if (carry) sum.word[sum.n++] = (uint32_t)carry;
    return sum;
}

/* a -= b, where a >= b. */
static void big_subtract(big *a, const big *b)
{
    uint32_t borrow = 0;
    for (int i = 0; i < a->n; i++) {
        const uint64_t taken = (uint64_t)(i < b->n ? b->word[i] : 0) + borrow;
        borrow = a->word[i] < taken;
        a->word[i] = (uint32_t)(a->word[i] - taken);
    }
    while (a->n > 0 && a->word[a->n - 1] == 0) a->n--;
}

/* a / b, which is below 10; a becomes the remainder. */
static uint8_t big_divide(big *a, const big *b)
{
    uint8_t quotient = 0;
    for (; big_compare(a, b) >= 0; quotient++) big_subtract(a, b);
    return quotient;
}

/* Floating types by their size in bytes: bits of the significand, and the power of two of the smallest number. */
static const struct {
    int bits, lowest;
} float_types[] = {
    [2] = { 11, -24 },
    [4] = { 24, -149 },
    [8] = { 53, -1074 },
};

/* A number on its way to digits: value / scale * 10^power. */
typedef struct expansion {
    big  value, scale;
    big  below, above; /* half the way to the neighbours in the number's type, in units of 1 / scale */
    bool ties_to_it;   /* exactly half the way still reads back as this number */
    int  power;
} expansion;

static void times_ten(expansion *x)
{
    big_multiply(&x->value, 10);
    big_multiply(&x->below, 10);
    big_multiply(&x->above, 10);
}

/* Find the first digit. `exponent` is the number's power of two; its power of ten is the one here or the next. */
static void scale_to_first_digit(expansion *x, int exponent)
{
    const double log10_of_2 = 0.30102999566398120;
    x->power = (int)floor(exponent * log10_of_2);
    if (x->power >= 0) {
        big_times_power_of_ten(&x->scale, x->power);
    } else {
        big_times_power_of_ten(&x->value, -x->power);
        big_times_power_of_ten(&x->below, -x->power);
        big_times_power_of_ten(&x->above, -x->power);
    }
    big next = x->scale;
    big_multiply(&next, 10);
    if (big_compare(&x->value, &next) >= 0) {
        x->scale = next;
        x->power++;
    }
}

static void expand(expansion *x, double magnitude, tess_dtype real)
{
    const size_t size = tess_dtype_size(real);
    const int    bits = float_types[size].bits, lowest = float_types[size].lowest;
    int          exponent;
    (void)frexp(magnitude, &exponent);
    const int      unit = exponent - bits < lowest ? lowest : exponent - bits;
    const uint64_t significand = (uint64_t)ldexp(magnitude, -unit);
    /* Below a power of two the numbers lie twice as close. */
    const bool closer_below = significand == UINT64_C(1) << (bits - 1) && unit > lowest;

    x->value = big_from(4 * significand);
    x->scale = big_from(4);
    x->above = big_from(2);
    x->below = big_from(closer_below ? 1 : 2);
    x->ties_to_it = significand % 2 == 0;
    if (unit >= 0) {
        big_times_power_of_two(&x->value, unit);
        big_times_power_of_two(&x->below, unit);
        big_times_power_of_two(&x->above, unit);
    } else {
        big_times_power_of_two(&x->scale, -unit);
    }
    scale_to_first_digit(x, exponent - 1);
}

enum { MAX_DIGITS = 32 };

/* A number as digit[0].digit[1]digit[2]... times 10^power. Zeros at the end are left out; zero is "0" at power 0. */
typedef struct digits {
    int     power;
    int     n; /* 1 to MAX_DIGITS */
    uint8_t digit[MAX_DIGITS];
} digits;

static void set_zero(digits *out) { *out = (digits){ .n = 1 }; }

static void round_up(digits *out)
{
    while (out->n > 0 && out->digit[out->n - 1] == 9) out->n--;
    if (out->n > 0) {
        out->digit[out->n - 1]++;
    } else {
        out->digit[out->n++] = 1;
        out->power++;
    }
}

/* Digits down to decimal position `last`, or until the number is unique, though not before position `keep`. */
static void generate(digits *out, expansion *x, int keep, int last)
{
    bool enough_down, enough_up;
    out->power = x->power;
    for (out->n = 0;; x->power--) {
        out->digit[out->n++] = big_divide(&x->value, &x->scale);
        const big reach = big_sum(&x->value, &x->above);
        const int down = big_compare(&x->value, &x->below), up = big_compare(&reach, &x->scale);
        enough_down = x->ties_to_it ? down <= 0 : down < 0;
        enough_up = x->ties_to_it ? up >= 0 : up > 0;
        if ((enough_down || enough_up) && x->power <= keep) break;
        if (x->power <= last || out->n == MAX_DIGITS) break;
        times_ten(x);
    }
    const big twice = big_sum(&x->value, &x->value);
    const int half = big_compare(&twice, &x->scale);
    if (enough_down != enough_up ? enough_up : half > 0 || (half == 0 && out->digit[out->n - 1] % 2)) round_up(out);
    while (out->n > 0 && out->digit[out->n - 1] == 0) out->n--;
    if (out->n == 0) set_zero(out);
}

/* Digits of a finite `magnitude` of 0 or more, which is a number of the type `real`. At most `max` follow the first
 * digit; fewer do if they name the number uniquely, but not before `min` have been taken from its exact value. */
static void digits_scientific(digits *out, double magnitude, tess_dtype real, int min, int max)
{
    expansion x;
    set_zero(out);
    if (magnitude == 0) return;
    expand(&x, magnitude, real);
    generate(out, &x, x.power - min, x.power - max);
}

/* The same with at most `max` digits after the decimal point; those before it are exact. */
static void digits_positional(digits *out, double magnitude, tess_dtype real, int max)
{
    expansion x;
    set_zero(out);
    if (magnitude == 0) return;
    expand(&x, magnitude, real);
    if (x.power < -max - 1) return;
    if (x.power == -max - 1) {
        /* The first digit lies behind the last position: begin with the 0 before it, which may round up. */
        big_multiply(&x.scale, 10);
        x.power++;
    }
    generate(out, &x, 0, -max);
}

static void add(tess__slot *w, char c)
{
    if (w->n < (int)sizeof w->text) w->text[w->n++] = c;
}

void tess__slot_add(tess__slot *w, const char *text)
{
    while (*text) add(w, *text++);
}

static void add_spaces(tess__slot *w, int n)
{
    while (n-- > 0) add(w, ' ');
}

static int larger(int a, int b) { return a > b ? a : b; }

void tess__style_see(tess__style *s, double x)
{
    const double magnitude = fabs(x);
    if (!isfinite(x)) {
        s->any_special = true;
        s->any_negative_inf |= isinf(x) && x < 0;
    } else if (magnitude > 0) {
        if (magnitude > s->largest) s->largest = magnitude;
        if (s->smallest == 0 || magnitude < s->smallest) s->smallest = magnitude;
    }
}

/* NumPy divides in the array's type, so a ratio just above 1000 may count as 1000. */
tess_status tess__style_choose(tess__style *s)
{
    _Alignas(8) unsigned char narrow[sizeof(double)];
    double                    ratio = 0;
    if (s->largest == 0) return TESS_OK;
    ratio = s->largest / s->smallest;
    TESS_TRY(tess__convert(narrow, s->real, &ratio, TESS_F64));
    TESS_TRY(tess__convert(&ratio, TESS_F64, narrow, s->real));
    s->scientific = s->largest >= 1e8 || s->smallest < 1e-4 || ratio > 1000;
    return TESS_OK;
}

static bool has_sign(const tess__style *s, double x) { return s->imaginary || signbit(x); }

static int exponent_digits(int power) { return abs(power) < 100 ? 2 : 3; }

void tess__style_measure(tess__style *s, double x)
{
    digits d;
    if (!isfinite(x)) return;
    if (s->scientific) {
        digits_scientific(&d, fabs(x), s->real, 0, s->precision);
        s->left = larger(s->left, 1 + has_sign(s, x));
        s->exponent = larger(s->exponent, exponent_digits(d.power));
        s->fraction = larger(s->fraction, d.n - 1);
    } else {
        digits_positional(&d, fabs(x), s->real, s->precision);
        s->left = larger(s->left, larger(d.power, 0) + 1 + has_sign(s, x));
        s->fraction = larger(s->fraction, d.n - 1 - d.power);
    }
}

void tess__style_settle(tess__style *s)
{
    s->right = s->fraction;
    if (s->scientific) {
        s->precision = s->fraction;
        s->right += 2 + s->exponent;
    }
    if (s->any_special) s->left = larger(s->left, 3 + (s->imaginary || s->any_negative_inf) - (s->right + 1));
}

/* The digit at a decimal position; zeros stand before the first and after the last. */
static char digit_at(const digits *d, int power)
{
    const int i = d->power - power;
    return (char)('0' + (i >= 0 && i < d->n ? d->digit[i] : 0));
}

static void add_sign(tess__slot *w, const tess__style *s, double x)
{
    if (has_sign(s, x)) add(w, signbit(x) ? '-' : '+');
}

static void add_special(tess__slot *w, const tess__style *s, double x)
{
    const bool minus = isinf(x) && x < 0;
    add_spaces(w, s->left + s->right + 1 - 3 - (minus || s->imaginary));
    if (minus || s->imaginary) add(w, minus ? '-' : '+');
    tess__slot_add(w, isnan(x) ? "nan" : "inf");
}

static void add_scientific(tess__slot *w, const tess__style *s, double x)
{
    digits d;
    char   exponent[16];
    digits_scientific(&d, fabs(x), s->real, s->precision, s->precision);
    add_spaces(w, s->left - 1 - has_sign(s, x));
    add_sign(w, s, x);
    add(w, digit_at(&d, d.power));
    add(w, '.');
    for (int k = 1; k <= s->precision; k++) add(w, digit_at(&d, d.power - k));
    (void)snprintf(exponent, sizeof exponent, "e%c%0*d", d.power < 0 ? '-' : '+', s->exponent, abs(d.power));
    tess__slot_add(w, exponent);
}

static void add_positional(tess__slot *w, const tess__style *s, double x)
{
    digits d;
    digits_positional(&d, fabs(x), s->real, s->precision);
    const int whole = larger(d.power, 0), fraction = larger(d.n - 1 - d.power, 0);
    add_spaces(w, s->left - 1 - whole - has_sign(s, x));
    add_sign(w, s, x);
    for (int power = whole; power >= 0; power--) add(w, digit_at(&d, power));
    add(w, '.');
    for (int power = -1; power >= -fraction; power--) add(w, digit_at(&d, power));
    if (s->imaginary) add(w, 'j');
    add_spaces(w, s->right - fraction);
}

/* The j stands before the spaces that fill the column. */
void tess__style_write(tess__slot *w, const tess__style *s, double x)
{
    if (isfinite(x) && !s->scientific) {
        add_positional(w, s, x);
        return;
    }
    if (isfinite(x)) add_scientific(w, s, x);
    else add_special(w, s, x);
    if (s->imaginary) add(w, 'j');
}
