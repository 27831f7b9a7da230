/* Text files: read in one call, written through a buffer; numbers in them, independent of the locale. */
#include "io/text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/device/memory.h"

/* ---- Reading ---- */

static tess_status check_zeros(const char *fn, const char *name, const char *text, int64_t n)
{
    const char *zero = n ? memchr(text, 0, (size_t)n) : NULL;
    TESS_CHECK(!zero, TESS_EFORMAT, "%s: %s: byte %td is 0: this is not text", fn, name, zero - text);
    return TESS_OK;
}

/* A UTF-8 byte order mark, which editors of Windows put before a text, is no part of it; programs may add another. */
static int64_t mark_bytes(const char *text, int64_t n)
{
    int64_t marks = 0;
    while (n - marks >= 3 && memcmp(text + marks, "\xef\xbb\xbf", 3) == 0) marks += 3;
    return marks;
}

tess_status tess__text_read_source(char **text, int64_t *n, const char *fn, tess__source *source)
{
    const char *path = tess__source_name(source);
    *n = tess__source_size(source);
    TESS_CHECK(tess__source_compression(source) == TESS_COMPRESSION_NONE && *n >= 0, TESS_EUNSUPPORTED,
               "%s: %s: the file is compressed, which is not supported for text files; decompress it first", fn, path);
    *text = tess__alloc((size_t)*n + 1);
    TESS_CHECK(*text, TESS_ENOMEM, "%s: %s: no memory for %" PRId64 " bytes", fn, path, *n);
    tess_status status = tess__source_read_all(source, 0, *text, *n, "the text");
    if (status == TESS_OK) status = check_zeros(fn, path, *text, *n);
    if (status != TESS_OK) tess__free(*text);
    TESS_TRY(status);
    const int64_t mark = mark_bytes(*text, *n);
    *n -= mark;
    if (mark) memmove(*text, *text + mark, (size_t)*n);
    (*text)[*n] = '\0';
    return TESS_OK;
}

tess_status tess__text_read(char **text, int64_t *n, const char *fn, const char *path)
{
    tess__source *source = NULL;
    TESS_TRY(tess__check_pointer(fn, "path", path));
    TESS_TRY(tess__error_under(tess__source_open(&source, path), fn));
    const tess_status status = tess__text_read_source(text, n, fn, source);
    tess__source_close(source);
    TESS_TRY(tess__error_under(status, fn));
    return TESS_OK;
}

tess_status tess__text_copy(char **copy, const char *fn, const char *name, const char *text, int64_t n)
{
    TESS_CHECK(n >= 0, TESS_EARG, "%s: `n` is %" PRId64 "; expected 0 or more bytes", fn, n);
    if (n) TESS_TRY(tess__check_pointer(fn, "text", text));
    TESS_TRY(check_zeros(fn, name, text, n));
    const int64_t mark = mark_bytes(text, n);
    text += mark;
    n -= mark;
    *copy = tess__alloc((size_t)n + 1);
    TESS_CHECK(*copy, TESS_ENOMEM, "%s: no memory for %" PRId64 " bytes", fn, n);
    if (n) memcpy(*copy, text, (size_t)n);
    (*copy)[n] = '\0';
    return TESS_OK;
}

/* ---- Numbers ---- */

enum { MAX_DIGITS = 1000 /* characters of a number; longer ones are none */ };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static int64_t skip_digits(const char *text, int64_t n, int64_t at)
{
    while (at < n && is_digit(text[at])) at++;
    return at;
}

/* [+-] digits [. digits] [e [+-] digits], with a digit on one side of the point at least. Where the point is, or -1. */
static bool is_number(const char *text, int64_t n, int64_t *point)
{
    int64_t at = n > 0 && (text[0] == '+' || text[0] == '-'), from = at;
    *point = -1;
    at = skip_digits(text, n, at);
    int64_t digits = at - from;
    if (at < n && text[at] == '.') {
        *point = at;
        from = at + 1;
        at = skip_digits(text, n, from);
        digits += at - from;
    }
    if (digits == 0) return false;
    if (at < n && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        at += at < n && (text[at] == '+' || text[at] == '-');
        from = at;
        at = skip_digits(text, n, at);
        if (at == from) return false;
    }
    return at == n;
}

static bool is_word(const char *text, int64_t n, const char *word)
{
    if (n != (int64_t)strlen(word)) return false;
    for (int64_t i = 0; i < n; i++)
        if ((text[i] | 32) != word[i]) return false;
    return true;
}

static bool take_special(double *value, const char *text, int64_t n)
{
    const bool negative = n > 0 && text[0] == '-';
    if (n > 0 && (text[0] == '-' || text[0] == '+')) text++, n--;
    if (is_word(text, n, "nan")) *value = (double)__builtin_nanf("");
    else if (is_word(text, n, "inf") || is_word(text, n, "infinity")) *value = (double)__builtin_inff();
    else return false;
    if (negative) *value = -*value;
    return true;
}

/* Clinger's fast path: up to 15 digits as an exact integer, divided by an exact power of ten: it is rounded once. */
static bool take_short(double *value, const char *text, int64_t n, int64_t point)
{
    static const double tens[] = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15
    };
    if (n > 16) return false;
    const int64_t first = text[0] == '-' || text[0] == '+';
    int64_t       integer = 0;
    for (int64_t i = first; i < n; i++) {
        if (i == point) continue;
        if (!is_digit(text[i])) return false;
        integer = integer * 10 + (text[i] - '0');
    }
    if (integer >= 1000000000000000) return false;
    *value = (double)integer / (point < 0 ? 1 : tens[n - 1 - point]);
    if (text[0] == '-') *value = -*value;
    return true;
}

bool tess__text_f64(double *value, const char *text, int64_t n)
{
    TESS__FLOAT_SCOPE();
    int64_t point;
    char    copy[MAX_DIGITS + 32], mark[32];
    if (n > MAX_DIGITS) return false;
    if (!is_number(text, n, &point)) return take_special(value, text, n);
    if (take_short(value, text, n, point)) return true;
    /* C's own reading wants the decimal mark of the locale: "0,5" without its first and last character. */
    const int length = snprintf(mark, sizeof mark, "%.1f", 0.5) - 2;
    if (length < 1 || length > 20) return false;
    size_t used = (size_t)(point < 0 ? n : point);
    memcpy(copy, text, used);
    if (point >= 0) {
        memcpy(copy + used, mark + 1, (size_t)length);
        used += (size_t)length;
        memcpy(copy + used, text + point + 1, (size_t)(n - point - 1));
        used += (size_t)(n - point - 1);
    }
    copy[used] = '\0';
    TESS__TEXT_SCOPE();
    *value = strtod(copy, NULL);
    return true;
}

bool tess__text_i64(int64_t *value, const char *text, int64_t n)
{
    const bool negative = n > 0 && text[0] == '-';
    int64_t    at = n > 0 && (text[0] == '-' || text[0] == '+'), integer = 0;
    if (at == n) return false;
    for (; at < n; at++) {
        if (!is_digit(text[at]) || __builtin_mul_overflow(integer, 10, &integer)) return false;
        const int digit = text[at] - '0';
        if (__builtin_add_overflow(integer, negative ? -digit : digit, &integer)) return false;
    }
    *value = integer;
    return true;
}

/* ---- Writing ---- */

enum { BUFFER_BYTES = 1 << 16 };

struct tess__text_out {
    tess__sink *sink;
    const char *fn;
    int64_t     n;
    bool        begun;
    char        buffer[BUFFER_BYTES];
};

tess_status tess__text_out_open(tess__text_out **out, const char *fn, const char *path, bool overwrite)
{
    TESS_TRY(tess__check_pointer(fn, "path", path));
    tess__text_out *o = tess__alloc(sizeof *o);
    TESS_CHECK(o, TESS_ENOMEM, "%s: %s: no memory for a buffer", fn, path);
    o->fn = fn;
    o->n = 0;
    o->begun = false;
    const tess_status status = tess__sink_open(&o->sink, path, overwrite, TESS_COMPRESSION_NONE, 6, 0);
    if (status != TESS_OK) tess__free(o);
    else *out = o;
    TESS_TRY(tess__error_under(status, fn));
    return TESS_OK;
}

static tess_status flush(tess__text_out *out)
{
    if (out->n == 0) return TESS_OK;
    TESS_TRY(tess__error_under(tess__sink_write(out->sink, out->buffer, out->n), out->fn));
    out->n = 0;
    return TESS_OK;
}

/* Readers take a mark away from the beginning of a file: where a text begins with one, an empty line comes first. */
static void begin(tess__text_out *out, const char *text, int64_t n)
{
    if (mark_bytes(text, n)) out->buffer[out->n++] = '\n';
    out->begun = true;
}

tess_status tess__text_put(tess__text_out *out, const char *text, int64_t n)
{
    if (!out->begun) begin(out, text, n);
    while (n > 0) {
        if (out->n == BUFFER_BYTES) TESS_TRY(flush(out));
        const int64_t some = n < BUFFER_BYTES - out->n ? n : BUFFER_BYTES - out->n;
        memcpy(out->buffer + out->n, text, (size_t)some);
        out->n += some;
        text += some;
        n -= some;
    }
    return TESS_OK;
}

tess_status tess__text_put_string(tess__text_out *out, const char *text)
{
    TESS_TRY(tess__text_put(out, text, (int64_t)strlen(text)));
    return TESS_OK;
}

tess_status tess__text_out_close(tess__text_out *out, tess_status status)
{
    if (status == TESS_OK) status = flush(out);
    if (status == TESS_OK) status = tess__error_under(tess__sink_finish(out->sink), out->fn);
    else tess__sink_discard(out->sink);
    tess__free(out);
    return status;
}
