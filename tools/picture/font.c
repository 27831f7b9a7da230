/* Glyphs of strokes, their widths, and texts made of them. */
#include "picture/font.h"

#include <math.h>

#include "tessera/constants.h"

typedef struct glyph {
    uint32_t    code;
    double      advance;
    const char *strokes;
} glyph;

static const glyph glyphs[] = {
#define GLYPH(code, advance, strokes) { code, advance, strokes },
#include "picture/glyphs.def"
#undef GLYPH
};
enum { N_GLYPHS = sizeof glyphs / sizeof glyphs[0] };

/* Characters made of others: letters with marks above, raised and lowered digits. */
typedef enum make { MAKE_SAME, MAKE_RING, MAKE_DOTS, MAKE_RAISED, MAKE_LOWERED } make;
typedef struct made {
    uint32_t code, base;
    make     how;
} made;
static const made mades[] = {
    { 0xa0, ' ', MAKE_SAME },      { 0x2009, ' ', MAKE_SAME },    { 0x3bc, 0xb5, MAKE_SAME },
    { 0x212b, 'A', MAKE_RING },    { 0xc5, 'A', MAKE_RING },      { 0xe5, 'a', MAKE_RING },
    { 0xc4, 'A', MAKE_DOTS },      { 0xd6, 'O', MAKE_DOTS },      { 0xdc, 'U', MAKE_DOTS },
    { 0xe4, 'a', MAKE_DOTS },      { 0xf6, 'o', MAKE_DOTS },      { 0xfc, 'u', MAKE_DOTS },
    { 0xb9, '1', MAKE_RAISED },    { 0xb2, '2', MAKE_RAISED },    { 0xb3, '3', MAKE_RAISED },
    { 0x2070, '0', MAKE_RAISED },  { 0x2074, '4', MAKE_RAISED },  { 0x2075, '5', MAKE_RAISED },
    { 0x2076, '6', MAKE_RAISED },  { 0x2077, '7', MAKE_RAISED },  { 0x2078, '8', MAKE_RAISED },
    { 0x2079, '9', MAKE_RAISED },  { 0x207a, '+', MAKE_RAISED },  { 0x207b, 0x2212, MAKE_RAISED },
    { 0x2080, '0', MAKE_LOWERED }, { 0x2081, '1', MAKE_LOWERED }, { 0x2082, '2', MAKE_LOWERED },
    { 0x2083, '3', MAKE_LOWERED }, { 0x2084, '4', MAKE_LOWERED }, { 0x2085, '5', MAKE_LOWERED },
    { 0x2086, '6', MAKE_LOWERED }, { 0x2087, '7', MAKE_LOWERED }, { 0x2088, '8', MAKE_LOWERED },
    { 0x2089, '9', MAKE_LOWERED },
};
enum { N_MADES = sizeof mades / sizeof mades[0] };

static const double SMALL_SCALE = 0.62;

/* How a character is drawn: a glyph, its size against others, how far it is raised, and what stands above it. */
typedef struct shape {
    const glyph *glyph;
    double       scale, rise;
    make         how;
} shape;

uint32_t font_next(const char **text)
{
    const unsigned char *s = (const unsigned char *)*text;
    if (*s == 0) return 0;
    const int more = *s < 0x80                 ? 0
                     : *s >= 0xc2 && *s < 0xe0 ? 1
                     : (*s & 0xf0) == 0xe0     ? 2
                     : (*s & 0xf8) == 0xf0     ? 3
                                               : -1;
    uint32_t  code = more <= 0 ? *s : *s & (0x3fU >> more);
    for (int i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            *text += 1;
            return 0xfffd;
        }
        code = code << 6 | (s[i] & 0x3fU);
    }
    *text += more < 0 ? 1 : more + 1;
    return more < 0 ? 0xfffd : code;
}

int64_t font_count(const char *text)
{
    int64_t n = 0;
    while (font_next(&text) != 0) n++;
    return n;
}

static const glyph *find_glyph(uint32_t code)
{
    for (int i = 0; i < N_GLYPHS; i++) {
        if (glyphs[i].code == code) return &glyphs[i];
    }
    return &glyphs[N_GLYPHS - 1];
}

static shape find_shape(uint32_t code)
{
    for (int i = 0; i < N_MADES; i++) {
        if (mades[i].code != code) continue;
        const make how = mades[i].how;
        shape      found = { find_glyph(mades[i].base), 1, 0, how };
        if (how == MAKE_RAISED || how == MAKE_LOWERED) found.scale = SMALL_SCALE;
        if (how == MAKE_RAISED) found.rise = 32;
        if (how == MAKE_LOWERED) found.rise = -14;
        return found;
    }
    return (shape){ find_glyph(code), 1, 0, MAKE_SAME };
}

double font_pen(double size, bool bold) { return size * (bold ? 0.125 : 0.082); }

double font_width(const char *text, double size, bool bold)
{
    double   width = 0;
    uint32_t code;
    while ((code = font_next(&text)) != 0) {
        const shape s = find_shape(code);
        width += s.glyph->advance * s.scale + (bold ? 3 : 0);
    }
    return width * size / 100;
}

/* A pen over the strokes of one glyph. */
typedef struct pen {
    double       x, y; /* where it is, in units of the glyph */
    bool         down;
    double       left, base, scale; /* from the units of the glyph to those of the text */
    font_segment segment;
    void        *context;
} pen;

static void pen_line(pen *p, double x, double y)
{
    if (p->down) {
        p->segment(p->context, p->left + p->x * p->scale, p->base + p->y * p->scale, p->left + x * p->scale,
                   p->base + y * p->scale);
    }
    p->x = x;
    p->y = y;
    p->down = true;
}

static void pen_arc(pen *p, const double v[6])
{
    const int    parts = (int)ceil(fabs(v[5] - v[4]) / 15);
    const double degree = TESS_PI / 180;
    for (int i = 0; i <= parts; i++) {
        const double angle = (v[4] + (v[5] - v[4]) * i / parts) * degree;
        pen_line(p, v[0] + v[2] * cos(angle), v[1] + v[3] * sin(angle));
    }
}

/* A number such as -17 or 41.5, with a point whatever the locale; the text moves on. */
static double next_number(const char **text)
{
    while (**text == ' ') ++*text;
    const double sign = **text == '-' ? -1 : 1;
    double       value = 0, place = 1;
    if (**text == '-') ++*text;
    for (bool after = false; (**text >= '0' && **text <= '9') || **text == '.'; ++*text) {
        if (**text == '.') after = true;
        else if (after) value += (place /= 10) * (**text - '0');
        else value = value * 10 + (**text - '0');
    }
    return sign * value;
}

static void pen_draw(pen *p, const char *strokes)
{
    p->down = false;
    while (*strokes != 0) {
        const char command = *strokes++;
        double     v[6] = { 0 };
        for (int i = 0; i < (command == 'A' ? 6 : 2); i++) v[i] = next_number(&strokes);
        if (command == 'M') p->down = false;
        if (command == 'A') pen_arc(p, v);
        else if (command == 'L' || v[0] != 0 || v[1] != 0) pen_line(p, v[0], v[1]);
        while (*strokes == ' ') strokes++;
    }
}

static void draw_marks(pen *p, const shape *s)
{
    const double middle = s->glyph->advance / 2, top = s->glyph->code >= 'a' ? 63 : 82;
    const double ring[6] = { middle, top - 1, 7, 7, 0, 360 };
    p->down = false;
    if (s->how == MAKE_RING) pen_arc(p, ring);
    for (int side = -1; s->how == MAKE_DOTS && side <= 1; side += 2) {
        p->down = false;
        pen_line(p, middle + 10 * side, top);
        pen_line(p, middle + 10 * side, top + 1);
    }
}

void font_strokes(const char *text, double size, bool bold, font_segment segment, void *context)
{
    pen      p = { .segment = segment, .context = context };
    double   left = bold ? 0.015 * size : 0;
    uint32_t code;
    while ((code = font_next(&text)) != 0) {
        const shape s = find_shape(code);
        p.scale = s.scale * size / 100;
        p.left = left;
        p.base = s.rise * size / 100;
        pen_draw(&p, s.glyph->strokes);
        draw_marks(&p, &s);
        left += (s.glyph->advance * s.scale + (bold ? 3 : 0)) * size / 100;
    }
}
