/* Numeric literals with the syntax of C: integers, reals (Clinger's fast path, else strtod). */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "core/device/float_env.h"
#include "lang/front/lex.h"

enum { LONGEST = 100 };

/* ---- Integers ---- */

typedef struct suffix {
    const char *text;
    int32_t     small, large; /* types: the first that holds the number */
} suffix;

/* Without a suffix, a literal takes the type of the other operand. */
static const suffix suffixes[] = {
    { "", TESS_I32, TESS_I64 },    { "u", TESS_U32, TESS_U64 },   { "l", TESS_I64, TESS_I64 },
    { "ll", TESS_I64, TESS_I64 },  { "ul", TESS_U64, TESS_U64 },  { "lu", TESS_U64, TESS_U64 },
    { "ull", TESS_U64, TESS_U64 }, { "llu", TESS_U64, TESS_U64 },
};

static const suffix *find_suffix(const char *text, int32_t n)
{
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        if ((int32_t)strlen(suffixes[i].text) != n) continue;
        int32_t same = 0;
        while (same < n && (text[same] | 32) == suffixes[i].text[same]) same++;
        if (same == n) return &suffixes[i];
    }
    return NULL;
}

static int digit_of(char c)
{
    return tess__is_digit(c) ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : 99;
}

static uint64_t max_of(int32_t type)
{
    return type == TESS_I32   ? (uint64_t)INT32_MAX
           : type == TESS_U32 ? (uint64_t)UINT32_MAX
           : type == TESS_I64 ? (uint64_t)INT64_MAX
                              : UINT64_MAX;
}

static void lex_integer(tess__source *s, tess__token *t)
{
    const char   *text = s->text + t->span.at;
    const int32_t n = t->span.length;
    const bool    hex = n > 1 && text[0] == '0' && (text[1] | 32) == 'x';
    const int     base = hex ? 16 : 10;
    int32_t       at = hex ? 2 : 0;
    uint64_t      value = 0;
    bool          over = false;
    const int32_t start = at;
    for (; at < n && digit_of(text[at]) < base; at++) {
        over |= __builtin_mul_overflow(value, (uint64_t)base, &value);
        over |= __builtin_add_overflow(value, (uint64_t)digit_of(text[at]), &value);
    }
    const int shown = tess__shown(t->span);
    if (at == start) {
        tess__complain(s, t->span, "'%.*s' is not a number: digits are missing", shown, text);
        return;
    }
    if (!hex && at > 1 && text[0] == '0') {
        tess__complain(s, t->span, "'%.*s' begins with 0, which means octal in C; write it in base 10 or 16", shown,
                       text);
        return;
    }
    const suffix *found = find_suffix(text + at, n - at);
    if (!found && n - at == 1 && (text[at] | 32) == 'f')
        tess__complain(s, t->span, "'%.*s' is not a number; write %.*s.0f", shown, text, (int)at, text);
    else if (!found)
        tess__complain(s, (tess__bytes){ t->span.at + at, n - at },
                       "'%.*s' is not a suffix of an integer; expected u, l, ul, ll or ull", (int)(n - at), text + at);
    else if (over || (value > max_of(found->large) && !(hex && found->text[0] == '\0')))
        tess__complain(s, t->span, "%.*s exceeds the largest %s", shown, text,
                       found->large == TESS_I64 && !(hex && found->text[0] == '\0') ? "i64" : "u64");
    else {
        t->type = value <= max_of(found->small)   ? found->small
                  : value <= max_of(found->large) ? found->large
                                                  : TESS_U64;
        t->weak = found->text[0] == '\0' ? TESS__WEAK_INTEGER : 0;
        if (t->type == TESS_I32 || t->type == TESS_I64) t->value.i = (int64_t)value;
        else t->value.u = value;
    }
}

/* ---- Reals ---- */

/* Clinger's fast path: digits and power of ten are exact floats, so that their quotient is rounded once. */
static bool read_simple(const char *text, int32_t n, bool single, double *out)
{
    static const double tens[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    const uint64_t      max = single ? (uint64_t)1 << 24 : (uint64_t)1 << 53;
    const int           largest = single ? 10 : 22;
    uint64_t            digits = 0;
    int                 power = 0;
    bool                point = false;
    for (int32_t i = 0; i < n; i++) {
        if (text[i] == '.' && !point) point = true;
        else if (!tess__is_digit(text[i])) return false;
        else digits = digits * 10 + (uint64_t)(text[i] - '0'), power -= point;
        if (digits > max || power < -largest) return false;
    }
    if (single) *out = (double)((float)digits / (float)tens[-power]);
    else *out = (double)digits / tens[-power];
    return true;
}

/* strtod in the locale "C": the caller's may have a decimal comma. */
static void read_any(tess__source *s, tess__token *t, const char *text, bool single, char **end)
{
    TESS__TEXT_SCOPE();
    const locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (c == (locale_t)0) {
        tess__no_memory(s, sizeof(locale_t));
        return;
    }
    const locale_t before = uselocale(c);
    t->value.f[0] = single ? (double)strtof(text, end) : strtod(text, end);
    (void)uselocale(before);
    freelocale(c);
}

static void lex_real(tess__source *s, tess__token *t)
{
    const char   *text = s->text + t->span.at;
    const int32_t n = t->span.length;
    const int     shown = tess__shown(t->span);
    const bool    hex = n > 1 && text[0] == '0' && (text[1] | 32) == 'x';
    bool          single = (text[n - 1] | 32) == 'f';
    if (hex) single = single && (memchr(text, 'p', (size_t)n) || memchr(text, 'P', (size_t)n));
    const int32_t digits = n - single;
    t->type = single ? TESS_F32 : TESS_F64;
    t->value.f[0] = t->value.f[1] = 0;
    if (!hex && read_simple(text, digits, single, &t->value.f[0])) return;
    char  copy[LONGEST + 1];
    char *end = copy;
    memcpy(copy, text, (size_t)digits);
    copy[digits] = '\0';
    read_any(s, t, copy, single, &end);
    if (end != copy + digits)
        tess__complain(s, t->span, "'%.*s' is not a number; write reals as 1.5, 1e-3 or, for f32, 1.5f", shown, text);
    else if (t->value.f[0] > (single ? 3.4028234663852886e38 : 1.7976931348623157e308))
        tess__complain(s, t->span, "%.*s exceeds the largest %s; write inf if intended", shown, text,
                       single ? "f32" : "f64");
}

void tess__lex_number(tess__source *s, tess__token *t)
{
    const char   *text = s->text + t->span.at;
    const int32_t n = t->span.length;
    t->type = TESS_I32, t->weak = 0;
    memset(&t->value, 0, sizeof t->value);
    if (n > LONGEST) {
        tess__complain(s, t->span, "number of %d characters; at most %d are allowed", (int)n, (int)LONGEST);
        return;
    }
    const bool hex = n > 1 && text[0] == '0' && (text[1] | 32) == 'x';
    bool       real = memchr(text, '.', (size_t)n) != NULL;
    for (int32_t i = 0; i < n; i++) real |= (text[i] | 32) == (hex ? 'p' : 'e');
    if (real) lex_real(s, t);
    else lex_integer(s, t);
}
