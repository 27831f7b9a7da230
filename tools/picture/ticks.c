/* The choice of round numbers. */
#include "picture/ticks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double EDGE = 1e-9; /* of a step: how far outside a tick may lie */

double round_length(double max)
{
    if (!(max > 0) || !isfinite(max)) return 0;
    const double power = pow(10, floor(log10(max) + 1e-12));
    const double part = max / power * (1 + 1e-12);
    return power * (part >= 5 ? 5 : part >= 2 ? 2 : 1);
}

/* The least of 1, 2, 5 times a power of ten that is not below a number over 0. */
static double round_up(double min)
{
    const double power = pow(10, floor(log10(min)));
    const double part = min / power * (1 - 1e-12);
    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

/* Digits with a point whatever the locale, and a real minus sign. */
static char *fixed_text(char text[TICK_TEXT], double value, int decimals)
{
    char plain[TICK_TEXT] = "";
    (void)snprintf(plain, sizeof plain, "%.*f", decimals, fabs(value));
    const size_t point = strcspn(plain, ".,");
    if (plain[point] != 0) plain[point] = '.';
    const bool zero = strspn(plain, "0.") == strlen(plain);
    (void)snprintf(text, TICK_TEXT, "%s%.30s", value < 0 && !zero ? "\xe2\x88\x92" : "", plain);
    return text;
}

char *tick_number(char text[TICK_TEXT], double value, int digits)
{
    if (value == 0 || !isfinite(value)) {
        (void)snprintf(text, TICK_TEXT, "%s", value == 0 ? "0" : isnan(value) ? "NaN" : value > 0 ? "inf" : "-inf");
        return text;
    }
    const int exponent = (int)floor(log10(fabs(value)));
    if (exponent >= 6 || exponent < -4) {
        char part[TICK_TEXT], power[TICK_TEXT];
        tick_number(part, value / pow(10, exponent), digits);
        (void)snprintf(text, TICK_TEXT, "%.14s\xc3\x97%.22s", part, tick_power(power, exponent));
        return text;
    }
    const int decimals = digits - 1 - exponent > 0 ? digits - 1 - exponent : 0;
    fixed_text(text, value, decimals);
    if (strchr(text, '.')) {
        size_t n = strlen(text);
        while (text[n - 1] == '0') text[--n] = 0;
        if (text[n - 1] == '.') text[n - 1] = 0;
    }
    return text;
}

char *tick_power(char text[TICK_TEXT], int exponent)
{
    static const char *const raised[10] = { "\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",
                                            "\xe2\x81\xb4", "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7",
                                            "\xe2\x81\xb8", "\xe2\x81\xb9" };
    char                     digits[12];
    (void)snprintf(digits, sizeof digits, "%d", abs(exponent));
    (void)snprintf(text, TICK_TEXT, "10%s", exponent < 0 ? "\xe2\x81\xbb" : "");
    for (const char *d = digits; *d != 0; d++) strcat(text, raised[*d - '0']);
    return text;
}

/* Large and small numbers share a power of ten, a multiple of three. */
static int shared_exponent(double low, double high)
{
    const double largest = fmax(fabs(low), fabs(high));
    if (largest == 0 || (largest < 1e5 && largest >= 1e-2)) return 0;
    return (int)floor(log10(largest) / 3) * 3;
}

void ticks_linear(ticks *t, double low, double high, int max)
{
    *t = (ticks){ .n = 0 };
    if (!(high > low) || !isfinite(high - low)) return;
    max = max < 2 ? 2 : max > 16 ? 16 : max;
    double step = round_up((high - low) / max);
    /* A range may hold one tick more than it has steps. */
    while (floor(high / step + EDGE) - ceil(low / step - EDGE) + 1 > max) step = round_up(step * 1.01);
    t->step = step;
    t->exponent = shared_exponent(low, high);
    const double shown = step / pow(10, t->exponent);
    const int    decimals = shown < 1 ? (int)ceil(-log10(shown) - 1e-9) : 0;
    const double first = ceil(low / step - EDGE), last = floor(high / step + EDGE);
    for (double k = first; k <= last && t->n < MAX_TICKS; k++) {
        t->at[t->n] = k * step;
        fixed_text(t->label[t->n++], k * shown, decimals > 12 ? 12 : decimals);
    }
}

static void add_tick(ticks *t, double at, bool labelled, bool plain)
{
    if (t->n == MAX_TICKS) return;
    t->at[t->n] = at;
    t->label[t->n][0] = 0;
    if (labelled && plain) tick_number(t->label[t->n], at, 3);
    else if (labelled) tick_power(t->label[t->n], (int)lround(log10(at)));
    t->n++;
}

void ticks_log(ticks *t, double low, double high, int max)
{
    *t = (ticks){ .n = 0 };
    if (!(low > 0) || !(high > low) || !isfinite(high)) return;
    const int  first = (int)floor(log10(low) + EDGE), last = (int)ceil(log10(high) - EDGE), decades = last - first;
    const bool plain = first >= -3 && last <= 5, few = decades <= 2;
    int        every = 1;
    while (decades / every + 1 > (max < 2 ? 2 : max)) every++;
    for (int e = first; e <= last; e++) {
        for (int part = 1; part < 10; part++) {
            const double at = part * pow(10, e);
            if (at < low * (1 - EDGE) || at > high * (1 + EDGE)) continue;
            if (part > 1 && (decades > 6)) continue;
            const bool labelled = part == 1 ? e % every == 0 : few && plain && (part == 2 || part == 5);
            add_tick(t, at, labelled, plain);
        }
    }
}

/* Is a tick at least so far from all that are there? */
static bool is_free(const ticks *t, double at, double min)
{
    for (int i = 0; i < t->n; i++) {
        if (fabs(t->at[i] - at) < min) return false;
    }
    return true;
}

static void insert_tick(ticks *t, double at, double length)
{
    int i = t->n++;
    for (; i > 0 && t->at[i - 1] > at; i--) {
        t->at[i] = t->at[i - 1];
        memcpy(t->label[i], t->label[i - 1], TICK_TEXT);
    }
    t->at[i] = at;
    tick_number(t->label[i], length, 3);
}

void ticks_reciprocal(ticks *t, double low, double high, double min)
{
    /* The roundest lengths first; others where there is space between them. */
    static const double parts[3][6] = { { 1, 2, 5 }, { 3, 4, 6, 8 }, { 1.2, 1.5, 2.5, 3.5, 7, 9 } };
    *t = (ticks){ .n = 0 };
    if (!(high > 0) || !(high > low)) return;
    for (int tier = 0; tier < 3; tier++) {
        for (double power = pow(10, floor(-log10(high))); power < 1e6; power *= 10) {
            for (int i = 0; i < 6 && parts[tier][i] > 0 && t->n < MAX_TICKS; i++) {
                const double length = parts[tier][i] * power, at = 1 / length;
                if (at < low + min / 2 || at > high * (1 + EDGE) || !is_free(t, at, min)) continue;
                insert_tick(t, at, length);
            }
            if (1 / power < fmax(low, min / 8)) break;
        }
    }
}

static void widen_log(double *low, double *high)
{
    if (*high <= *low * 1.0001) {
        *low /= 2;
        *high *= 2;
    }
    const bool decades = *high / *low > 30;
    *low = decades ? pow(10, floor(log10(*low) + EDGE)) : round_length(*low);
    *high = decades ? pow(10, ceil(log10(*high) - EDGE)) : round_up(*high);
}

void ticks_widen(double *low, double *high, int max, bool is_log)
{
    if (is_log) {
        widen_log(low, high);
        return;
    }
    const double middle = *low + (*high - *low) / 2, half = fmax(fabs(middle) * 1e-7, 1e-300);
    if (*high - *low <= half) {
        const double around = middle == 0 ? 1 : fabs(middle) * 0.1;
        *low = middle - around;
        *high = middle + around;
    }
    const double step = round_up((*high - *low) / (max < 2 ? 2 : max));
    *low = floor(*low / step + EDGE) * step;
    *high = ceil(*high / step - EDGE) * step;
}
