/* Names of ZIP members as text: percent-encoding of what cannot be printed, one to one. */
#include "io/zip/zip.h"

static bool is_hex(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
}

static bool continues(unsigned char c) { return c >= 0x80 && c <= 0xbf; }

/* Bytes of the printable character that n bytes begin with; 0: a control character, or no UTF-8. */
static int64_t printable(const unsigned char *from, int64_t n)
{
    const unsigned char c = from[0];
    if (c < 0x80) return c >= ' ' && c != 127;
    if (c >= 0xc2 && c <= 0xdf) return n > 1 && continues(from[1]) && !(c == 0xc2 && from[1] < 0xa0) ? 2 : 0;
    const unsigned char least = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
    const unsigned char most = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
    if (n < 3 || c < 0xe0 || c > 0xf4 || from[1] < least || from[1] > most || !continues(from[2])) return 0;
    if (c < 0xf0) return 3;
    return n > 3 && continues(from[3]) ? 4 : 0;
}

/* A '%' stays as it is unless it would read as an encoded byte: "50%" is "50%", and "%41" is "%2541". */
static bool looks_encoded(const unsigned char *from, int64_t n)
{
    return n > 2 && from[0] == '%' && is_hex(from[1]) && is_hex(from[2]);
}

int64_t tess__zip_copy_name(char *to, const unsigned char *from, int64_t n)
{
    static const char digits[] = "0123456789ABCDEF";
    int64_t           used = 0;
    for (int64_t i = 0; i < n;) {
        const int64_t length = looks_encoded(from + i, n - i) ? 0 : printable(from + i, n - i);
        for (int64_t k = 0; k < length; k++) to[used++] = (char)from[i + k];
        if (length == 0) {
            const unsigned char c = from[i];
            to[used++] = '%';
            to[used++] = digits[c >> 4];
            to[used++] = digits[c & 15];
        }
        i += length ? length : 1;
    }
    to[used] = '\0';
    return used;
}
