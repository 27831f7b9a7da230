/* Lines as dots, texts as letters. */
#include "picture/terminal/characters.h"

#include <math.h>
#include <stdlib.h>

#include "picture/font.h"
#include "picture/longtext.h"

static void set_dot(characters *c, double x, double y, colour with)
{
    if (!(x >= c->clip[0] && x < c->clip[2] && y >= c->clip[1] && y < c->clip[3])) return;
    /* Bits of braille: the left column is 1, 2, 4, 64, the right one 8, 16, 32, 128. */
    static const uint8_t bits[4][2] = { { 1, 8 }, { 2, 16 }, { 4, 32 }, { 64, 128 } };
    const int64_t        column = (int64_t)x, row = (int64_t)y, at = row / 4 * c->columns + column / 2;
    c->dots[at] |= bits[row % 4][column % 2];
    c->colours[at] = with;
}

static void characters_line(surface *s, const point *points, int64_t n, stroke style)
{
    characters *c = (characters *)s;
    double      along = 0;
    for (int64_t i = 0; i + 1 < n; i++) {
        const point  a = points[i], b = points[i + 1];
        const double steps = fmin(ceil(fmax(fabs(b.x - a.x), fabs(b.y - a.y))), 1e5);
        for (double k = 0; k <= steps; k++, along++) {
            if (style.dash > 0 && fmod(along, 6) >= 3) continue;
            const double t = steps > 0 ? k / steps : 0;
            set_dot(c, a.x + t * (b.x - a.x) + 1e-6, a.y + t * (b.y - a.y) + 1e-6, style.colour);
        }
    }
}

/* Areas are left empty but for discs, which become dots: what is filled here has an outline as well. */
static void characters_fill(surface *s, const point *points, int64_t n, colour inside)
{
    if (n != 32 || inside.a < 255) return;
    double x = 0, y = 0;
    for (int64_t i = 0; i < n; i++) {
        x += points[i].x / (double)n;
        y += points[i].y / (double)n;
    }
    for (int i = 0; i < 4; i++) set_dot((characters *)s, x - 0.5 + i % 2, y - 0.5 + i / 2, inside);
}

static double characters_text_width(const surface *s, const char *text, double size, bool bold)
{
    (void)size;
    (void)bold;
    return (double)font_count(text) * s->cell_width;
}

static void characters_text(surface *s, point at, const char *text, text_style style)
{
    characters   *c = (characters *)s;
    const double  width = characters_text_width(s, text, 0, false);
    const double  back = style.anchor == ANCHOR_START ? 0 : style.anchor == ANCHOR_MIDDLE ? width / 2 : width;
    const int64_t row =
        (int64_t)fmin(fmax(floor((at.y - 0.36 * s->cell_height) / s->cell_height), 0), (double)c->rows - 1);
    int64_t  column = (int64_t)floor((at.x - back) / s->cell_width + 0.5);
    uint32_t code;
    while ((code = font_next(&text)) != 0) {
        if (column >= 0 && column < c->columns) {
            c->letters[row * c->columns + column] = code;
            c->colours[row * c->columns + column] = style.colour;
        }
        column++;
    }
}

static void characters_clip(surface *s, double x, double y, double width, double height)
{
    characters *c = (characters *)s;
    const bool  all = width < 0;
    c->clip[0] = all ? 0 : fmax(x, 0);
    c->clip[1] = all ? 0 : fmax(y, 0);
    c->clip[2] = all ? s->width : fmin(x + width, s->width);
    c->clip[3] = all ? s->height : fmin(y + height, s->height);
}

tess_status characters_new(characters **made, int64_t columns, int64_t rows)
{
    characters *c = calloc(1, sizeof *c);
    if (c) {
        const size_t n = (size_t)(columns * rows);
        c->dots = calloc(n, 1);
        c->colours = calloc(n, sizeof *c->colours);
        c->letters = calloc(n, sizeof *c->letters);
    }
    if (!c || !c->dots || !c->colours || !c->letters) {
        characters_free(c);
        TESS_FAIL(TESS_ENOMEM, "picture: no memory for %lld x %lld characters", (long long)columns, (long long)rows);
    }
    c->columns = columns;
    c->rows = rows;
    c->surface =
        (surface){ (double)columns * 2,   (double)rows * 4, 2,   4, characters_line, characters_fill, characters_text,
                   characters_text_width, characters_clip,  NULL };
    characters_clip(&c->surface, 0, 0, -1, 0);
    *made = c;
    return TESS_OK;
}

void characters_free(characters *c)
{
    if (!c) return;
    free(c->dots);
    free(c->colours);
    free(c->letters);
    free(c);
}

static void add_utf8(longtext *t, uint32_t code)
{
    const char bytes[4] = { (char)(code < 0x80      ? code
                                   : code < 0x800   ? 0xc0 | code >> 6
                                   : code < 0x10000 ? 0xe0 | code >> 12
                                                    : 0xf0 | code >> 18),
                            (char)(0x80 | (code < 0x800     ? code
                                           : code < 0x10000 ? code >> 6
                                                            : code >> 12) %
                                              64),
                            (char)(0x80 | (code < 0x10000 ? code : code >> 6) % 64), (char)(0x80 | code % 64) };
    longtext_bytes(t, bytes, code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4);
}

static bool is_raised(uint32_t code)
{
    return (code >= 0x2070 && code <= 0x207b) || code == 0xb9 || code == 0xb2 || code == 0xb3;
}

/* A letter where there is only ASCII. */
static uint32_t plain(uint32_t code)
{
    static const uint32_t pairs[][2] = { { 0xc5, 'A' },   { 0x212b, 'A' }, { 0xb5, 'u' }, { 0x2212, '-' },
                                         { 0xd7, 'x' },   { 0xb2, '2' },   { 0xb3, '3' }, { 0xb9, '1' },
                                         { 0x207b, '-' }, { 0x2013, '-' }, { 0xb7, '.' } };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (pairs[i][0] == code) return pairs[i][1];
    }
    if (code >= 0x2070 && code <= 0x2079) return '0' + (code - 0x2070);
    return code < 0x80 ? code : '?';
}

static void add_cell(longtext *t, const characters *c, int64_t at, bool utf8)
{
    const uint8_t dots = c->dots[at];
    if (c->letters[at] != 0) {
        /* Without raised digits 10 to the 6 is 1e6, which is as long. */
        const bool power =
            !utf8 && c->letters[at] == '0' && (at + 1) % c->columns != 0 && is_raised(c->letters[at + 1]);
        add_utf8(t, utf8 ? c->letters[at] : power ? 'e' : plain(c->letters[at]));
        return;
    }
    if (dots == 0) longtext_bytes(t, " ", 1);
    else if (utf8) add_utf8(t, 0x2800U + dots);
    else longtext_bytes(t, (dots & 0xc4) == dots ? "." : (dots & 0x09) == dots ? "'" : "*", 1);
}

tess_status characters_show(const characters *c, const terminal *t, FILE *stream)
{
    longtext out = { 0 };
    for (int64_t row = 0; row < c->rows; row++) {
        int64_t end = c->columns;
        colour  last = { 0, 0, 0, 0 };
        while (end > 0 && c->letters[row * c->columns + end - 1] == 0 && c->dots[row * c->columns + end - 1] == 0)
            end--;
        for (int64_t column = 0; column < end; column++) {
            const int64_t at = row * c->columns + column;
            colour        here = c->colours[at];
            const bool    grey = here.r == here.g && here.g == here.b; /* the terminal's own colour */
            if (grey) here = (colour){ 0, 0, 0, 0 };
            const bool same = here.r == last.r && here.g == last.g && here.b == last.b && here.a == last.a;
            if (!same && t->colours > 0) {
                if (grey) longtext_add(&out, "\033[0m");
                else terminal_colour(&out, t, (const uint8_t[3]){ here.r, here.g, here.b }, false);
            }
            last = here;
            add_cell(&out, c, at, t->utf8);
        }
        longtext_add(&out, "%s\n", t->colours > 0 && last.a != 0 ? "\033[0m" : "");
    }
    const bool complete = !out.failed;
    const bool written = complete && fwrite(out.bytes, 1, out.length, stream) == out.length && fflush(stream) == 0;
    longtext_free(&out);
    TESS_CHECK(complete, TESS_ENOMEM, "picture: no memory to show a plot");
    TESS_CHECK(written, TESS_EIO, "picture: the terminal could not be written to");
    return TESS_OK;
}
