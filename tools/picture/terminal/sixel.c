/* Sixel, the protocol of DEC's VT340 for pictures in a terminal: six rows at a time, one colour after the other, of
 * 6 x 6 x 6 colours and 40 greys. */
#include "picture/terminal/sixel.h"

static int sixel_colour(const uint8_t *p)
{
    const int low = p[0] < p[1] ? (p[0] < p[2] ? p[0] : p[2]) : (p[1] < p[2] ? p[1] : p[2]);
    const int high = p[0] > p[1] ? (p[0] > p[2] ? p[0] : p[2]) : (p[1] > p[2] ? p[1] : p[2]);
    if (high - low < 10) return 216 + ((low + high) * 39 + 255) / 510;
    return (p[0] * 5 + 127) / 255 * 36 + (p[1] * 5 + 127) / 255 * 6 + (p[2] * 5 + 127) / 255;
}

static void add_palette(longtext *t)
{
    for (int i = 0; i < 216; i++) longtext_add(t, "#%d;2;%d;%d;%d", i, i / 36 * 20, i / 6 % 6 * 20, i % 6 * 20);
    for (int i = 0; i < 40; i++)
        longtext_add(t, "#%d;2;%d;%d;%d", 216 + i, (i * 100 + 19) / 39, (i * 100 + 19) / 39, (i * 100 + 19) / 39);
}

static void add_run(longtext *t, int64_t n, char sixel)
{
    if (n > 3) longtext_add(t, "!%lld%c", (long long)n, sixel);
    else
        for (; n > 0; n--) longtext_bytes(t, &sixel, 1);
}

static void add_band(longtext *t, const uint8_t *rgb, int64_t width, int64_t rows, int colour)
{
    int64_t n = 0;
    char    last = 0;
    for (int64_t x = 0; x < width; x++) {
        int bits = 0;
        for (int64_t y = 0; y < rows; y++) {
            if (sixel_colour(rgb + (y * width + x) * 3) == colour) bits |= 1 << y;
        }
        const char here = (char)(63 + bits);
        if (n > 0 && here != last) {
            add_run(t, n, last);
            n = 0;
        }
        last = here;
        n++;
    }
    if (last != 63) add_run(t, n, last);
}

void sixel_add(longtext *t, const uint8_t *rgb, int64_t width, int64_t height)
{
    longtext_add(t, "\033Pq\"1;1;%lld;%lld", (long long)width, (long long)height);
    add_palette(t);
    for (int64_t y = 0; y < height; y += 6) {
        const int64_t  rows = height - y < 6 ? height - y : 6;
        const uint8_t *band = rgb + y * width * 3;
        bool           used[256] = { false };
        for (int64_t i = 0; i < rows * width; i++) used[sixel_colour(band + i * 3)] = true;
        for (int colour = 0; colour < 256; colour++) {
            if (!used[colour]) continue;
            longtext_add(t, "#%d", colour);
            add_band(t, band, width, rows, colour);
            longtext_add(t, "$");
        }
        longtext_add(t, "-");
    }
    longtext_add(t, "\033\\\n");
}
