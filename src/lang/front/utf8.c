/* UTF-8 decoding, and the number of terminal columns that a character takes. */
#include "lang/front/utf8.h"

#include <stddef.h>

int32_t tess__utf8(const char *text, int32_t n, int32_t *code)
{
    static const int32_t min_code[5] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char  first = (unsigned char)*text;
    *code = first;
    if (first < 0x80) return 1;
    const int32_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    int32_t       c = first & (0xff >> (length + 1));
    *code = -1;
    if (first < 0xc2 || first > 0xf4 || length > n) return 1;
    for (int32_t i = 1; i < length; i++) {
        if (((unsigned char)text[i] & 0xc0) != 0x80) return 1;
        c = c << 6 | (text[i] & 0x3f);
    }
    if (c < min_code[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return 1;
    *code = c;
    return length;
}

typedef struct range {
    int32_t first, last;
} range;

/* Combining marks and zero-width characters. */
static const range none[] = { { 0x300, 0x36f },   { 0x483, 0x489 },   { 0x591, 0x5bd },   { 0x610, 0x61a },
                              { 0x64b, 0x65f },   { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x200b, 0x200f },
                              { 0x202a, 0x202e }, { 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f },
                              { 0xfeff, 0xfeff } };

/* East Asian wide characters and emoji. */
static const range wide[] = { { 0x1100, 0x115f },   { 0x2e80, 0x303e },   { 0x3041, 0x33ff },  { 0x3400, 0x4dbf },
                              { 0x4e00, 0x9fff },   { 0xa000, 0xa4cf },   { 0xac00, 0xd7a3 },  { 0xf900, 0xfaff },
                              { 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },   { 0xffe0, 0xffe6 },  { 0x1f300, 0x1f64f },
                              { 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd } };

static int is_in(int32_t code, const range *ranges, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (code >= ranges[i].first && code <= ranges[i].last) return 1;
    return 0;
}

int tess__utf8_width(int32_t code)
{
    if (code < 0x300) return 1;
    if (is_in(code, none, sizeof none / sizeof *none)) return 0;
    return is_in(code, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}
