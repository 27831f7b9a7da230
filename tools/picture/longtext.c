/* Text that grows. */
#include "picture/longtext.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture/font.h"

static bool make_workspace(longtext *t, size_t more)
{
    if (t->failed) return false;
    if (t->length + more + 1 <= t->capacity) return true;
    const size_t capacity = (t->length + more + 1) * 3 / 2 + 256;
    char        *bytes = realloc(t->bytes, capacity);
    t->failed = !bytes;
    if (!bytes) return false;
    t->bytes = bytes;
    t->capacity = capacity;
    return true;
}

void longtext_bytes(longtext *t, const void *bytes, size_t n)
{
    if (!make_workspace(t, n)) return;
    memcpy(t->bytes + t->length, bytes, n);
    t->length += n;
    t->bytes[t->length] = 0;
}

void longtext_add(longtext *t, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int n = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (n > 0 && make_workspace(t, (size_t)n)) {
        (void)vsnprintf(t->bytes + t->length, (size_t)n + 1, format, again);
        t->length += (size_t)n;
    }
    va_end(again);
}

void longtext_number(longtext *t, double value)
{
    const double limited = isfinite(value) ? fmin(fmax(value, -1e9), 1e9) : 0;
    const long   hundredths = lround(fabs(limited) * 100);
    longtext_add(t, "%s%ld", limited < 0 && hundredths > 0 ? "-" : "", hundredths / 100);
    if (hundredths % 100 == 0) return;
    if (hundredths % 10 == 0) longtext_add(t, ".%ld", hundredths % 100 / 10);
    else longtext_add(t, ".%02ld", hundredths % 100);
}

void longtext_base64(longtext *t, const void *bytes, size_t n)
{
    static const char    digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *in = bytes;
    for (size_t i = 0; i < n; i += 3) {
        const unsigned word = (unsigned)in[i] << 16 | (i + 1 < n ? (unsigned)in[i + 1] << 8 : 0U) |
                              (i + 2 < n ? (unsigned)in[i + 2] : 0U);
        const char four[4] = { digits[word >> 18], digits[word >> 12 & 63], i + 1 < n ? digits[word >> 6 & 63] : '=',
                               i + 2 < n ? digits[word & 63] : '=' };
        longtext_bytes(t, four, 4);
    }
}

/* Characters that XML keeps for itself are spelt out; those it does not allow are left out. */
void longtext_escaped_bytes(longtext *t, const char *words, size_t n)
{
    for (const char *end = words + n; words < end;) {
        const char    *start = words;
        const uint32_t code = font_next(&words);
        if (code == '&') longtext_add(t, "&amp;");
        else if (code == '<') longtext_add(t, "&lt;");
        else if (code == '>') longtext_add(t, "&gt;");
        else if (code == '"') longtext_add(t, "&quot;");
        else if (code == 0xfffd || (code >= 0xd800 && code < 0xe000) || code == 0xfffe || code == 0xffff)
            longtext_add(t, "\xef\xbf\xbd");
        else if (code >= ' ' || code == '\t' || code == '\n') longtext_bytes(t, start, (size_t)(words - start));
    }
}

void longtext_escaped(longtext *t, const char *words) { longtext_escaped_bytes(t, words, strlen(words)); }

/* As an array of bytes, so that the file is put in its place whole. */
tess_status longtext_write(const longtext *t, const char *path, bool overwrite)
{
    tess_array bytes;
    TESS_CHECK(!t->failed, TESS_ENOMEM, "picture: no memory for the text of %s", path);
    TESS_TRY(tess_wrap(&bytes, t->bytes, TESS_SHAPE(1, 1, 1, (int64_t)t->length), TESS_U8, NULL));
    TESS_TRY(tess_write(path, &bytes,
                        &(tess_write_opts){ .format = TESS_FORMAT_RAW,
                                            .compression = TESS_COMPRESSION_NONE,
                                            .overwrite = overwrite ? 1 : 0 }));
    return TESS_OK;
}

void longtext_free(longtext *t)
{
    free(t->bytes);
    *t = (longtext){ 0 };
}
