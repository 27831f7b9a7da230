/* Lines, areas and texts as pixels. A row at a time, each pixel gets the share of it that is covered, then its colour
 * is mixed in once: parts of a line that cross do not show. */
#include "picture/canvas.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture/font.h"

typedef struct segment {
    double x0, y0, x1, y1; /* in pixels */
} segment;

enum { MAX_PIXELS = 1 << 28 };

/* ---- Coverage of rows, and colour ---- */

static void blend_row(canvas *c, int64_t y, int64_t first, int64_t end, colour with)
{
    uint8_t *pixel = c->rgb + (y * c->width + first) * 3;
    for (int64_t x = first; x < end; x++, pixel += 3) {
        const float a = c->row[x] * (float)with.a / 255.0f;
        c->row[x] = 0;
        if (a <= 0) continue;
        const uint8_t to[3] = { with.r, with.g, with.b };
        for (int i = 0; i < 3; i++) {
            pixel[i] = (uint8_t)((float)pixel[i] + a * ((float)to[i] - (float)pixel[i]) + 0.5f);
        }
    }
}

static int64_t clamp_to(double value, int64_t low, int64_t high)
{
    return value <= (double)low ? low : value >= (double)high ? high : (int64_t)value;
}

static void add_segment(canvas *c, double x0, double y0, double x1, double y1)
{
    if (!(isfinite(x0) && isfinite(y0) && isfinite(x1) && isfinite(y1))) return;
    if (c->n_segments == c->capacity) {
        const int64_t capacity = c->capacity * 2 + 64;
        segment      *more = realloc(c->segments, (size_t)capacity * sizeof *more);
        if (!more) {
            c->failed = true;
            return;
        }
        c->segments = more;
        c->capacity = capacity;
    }
    c->segments[c->n_segments++] = (segment){ x0, y0, x1, y1 };
}

/* The rows that the segments reach, with `around` pixels more, inside the clip. */
static void find_rows(const canvas *c, double around, int64_t *first, int64_t *end)
{
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < c->n_segments; i++) {
        const segment *s = &c->segments[i];
        low = fmin(low, fmin(s->y0, s->y1));
        high = fmax(high, fmax(s->y0, s->y1));
    }
    *first = clamp_to(floor(low - around), c->clip[1], c->clip[3]);
    *end = clamp_to(ceil(high + around), c->clip[1], c->clip[3]);
}

/* ---- Lines: coverage falls off over one pixel at the distance of half the width ---- */

static void cover_row(canvas *c, const segment *s, double y, double radius, int64_t *first, int64_t *end)
{
    const double reach = radius + 0.5;
    if (fmax(s->y0, s->y1) < y - reach || fmin(s->y0, s->y1) > y + reach) return;
    const double dx = s->x1 - s->x0, dy = s->y1 - s->y0, length2 = dx * dx + dy * dy;
    double       left = fmin(s->x0, s->x1), right = fmax(s->x0, s->x1);
    if (fabs(dy) > 1e-9) { /* only the part of the segment near this row */
        const double a = s->x0 + (y - reach - s->y0) * dx / dy, b = s->x0 + (y + reach - s->y0) * dx / dy;
        const double slant = reach * fabs(dx) / sqrt(length2);
        left = fmax(left, fmin(a, b) - slant);
        right = fmin(right, fmax(a, b) + slant);
    }
    const int64_t from = clamp_to(floor(left - reach), c->clip[0], c->clip[2]);
    const int64_t to = clamp_to(ceil(right + reach), c->clip[0], c->clip[2]);
    for (int64_t x = from; x < to; x++) {
        const double px = (double)x + 0.5 - s->x0, py = y - s->y0;
        const double t = length2 > 0 ? fmin(fmax((px * dx + py * dy) / length2, 0), 1) : 0;
        const double ex = px - t * dx, ey = py - t * dy;
        const double cover = fmin(reach - sqrt(ex * ex + ey * ey), 1);
        if (cover > (double)c->row[x]) c->row[x] = (float)cover;
    }
    if (from < to) {
        if (from < *first) *first = from;
        if (to > *end) *end = to;
    }
}

static void stroke_segments(canvas *c, double width, colour with)
{
    const double radius = fmax(width, 1) / 2;
    if (width < 1) with.a = (uint8_t)((double)with.a * width + 0.5);
    int64_t first_row, end_row;
    find_rows(c, radius + 1, &first_row, &end_row);
    for (int64_t y = first_row; y < end_row; y++) {
        int64_t first = c->width, end = 0;
        for (int64_t i = 0; i < c->n_segments; i++) {
            cover_row(c, &c->segments[i], (double)y + 0.5, radius, &first, &end);
        }
        if (first < end) blend_row(c, y, first, end, with);
    }
    c->n_segments = 0;
}

/* ---- Areas: the share of each pixel to the right of an edge, added up with the edge's direction ---- */

/* A piece of an edge inside one row and between the sides of the clip: `height` of it, from x0 to x1, by columns. */
static void add_piece(canvas *c, double x0, double x1, double height)
{
    const double left = fmin(x0, x1), right = fmax(x0, x1), width = right - left;
    for (int64_t column = (int64_t)floor(left); column < c->clip[2]; column++) {
        const double from = fmax(left, (double)column), to = fmin(right, (double)column + 1);
        const double part = width > 0 ? height * (to - from) / width : height;
        const double inside = part * ((double)column + 1 - (from + to) / 2);
        c->row[column] += (float)inside;
        if (column + 1 < c->clip[2]) c->row[column + 1] += (float)(part - inside);
        if (right <= (double)column + 1) break;
    }
}

/* What an edge adds to the row at y = top: to `carry` where it is left of the clip, nothing where it is right of it. */
static void add_edge(canvas *c, double *carry, segment s, double top)
{
    const double direction = s.y1 > s.y0 ? 1 : -1;
    if (direction < 0) s = (segment){ s.x1, s.y1, s.x0, s.y0 };
    const double y0 = fmax(s.y0, top), y1 = fmin(s.y1, top + 1);
    if (y1 <= y0) return;
    const double slope = (s.x1 - s.x0) / (s.y1 - s.y0), sides[2] = { (double)c->clip[0], (double)c->clip[2] };
    double       cuts[4] = { y0, y0, y1, y1 }; /* where it passes the sides of the clip */
    for (int i = 0; i < 2 && slope != 0; i++) {
        cuts[slope > 0 ? i + 1 : 2 - i] = fmin(fmax(s.y0 + (sides[i] - s.x0) / slope, y0), y1);
    }
    for (int i = 0; i < 3; i++) {
        const double height = direction * (cuts[i + 1] - cuts[i]);
        const double x0 = s.x0 + (cuts[i] - s.y0) * slope, x1 = s.x0 + (cuts[i + 1] - s.y0) * slope;
        const double middle = (x0 + x1) / 2;
        if (height == 0 || middle >= sides[1]) continue;
        if (middle <= sides[0]) *carry += height;
        else add_piece(c, fmin(fmax(x0, sides[0]), sides[1]), fmin(fmax(x1, sides[0]), sides[1]), height);
    }
}

static void fill_segments(canvas *c, colour with)
{
    int64_t first_row, end_row;
    find_rows(c, 0, &first_row, &end_row);
    for (int64_t y = first_row; y < end_row; y++) {
        double carry = 0;
        for (int64_t i = 0; i < c->n_segments; i++) add_edge(c, &carry, c->segments[i], (double)y);
        double sum = carry;
        for (int64_t x = c->clip[0]; x < c->clip[2]; x++) {
            sum += (double)c->row[x];
            c->row[x] = (float)fmin(fabs(sum) < 1e-4 ? 0 : fabs(sum), 1);
        }
        blend_row(c, y, c->clip[0], c->clip[2], with);
    }
    c->n_segments = 0;
}

/* ---- The surface ---- */

/* A line along rows or columns covers whole pixels: it is sharp, and as dark everywhere. */
static bool draw_straight(canvas *c, const point *p, stroke style)
{
    if (style.dash > 0 || (p[0].x != p[1].x && p[0].y != p[1].y)) return false;
    const double width = fmax(1, floor(style.width * c->scale + 0.5));
    const bool   upright = p[0].x == p[1].x;
    const double across = floor((upright ? p[0].x : p[0].y) * c->scale - width / 2 + 0.5);
    const double a = (upright ? p[0].y : p[0].x) * c->scale, b = (upright ? p[1].y : p[1].x) * c->scale;
    const double from = floor(fmin(a, b) + 0.5), to = floor(fmax(a, b) + 0.5);
    const double x0 = upright ? across : from, x1 = upright ? across + width : to;
    const double y0 = upright ? from : across, y1 = upright ? to : across + width;
    add_segment(c, x1, y0, x1, y1);
    add_segment(c, x0, y1, x0, y0);
    fill_segments(c, style.colour);
    return true;
}

/* The parts of a broken line; `at` is how far along the pattern it is. */
static void add_dashes(canvas *c, point a, point b, double dash, double gap, double *at)
{
    const double length = hypot(b.x - a.x, b.y - a.y), period = dash + gap;
    double       done = 0;
    for (int parts = 0; done < length && parts < 100000; parts++) {
        const bool   drawn = *at < dash;
        const double step = fmin(length - done, (drawn ? dash : period) - *at);
        if (drawn) {
            const double t0 = done / length, t1 = (done + step) / length;
            add_segment(c, a.x + t0 * (b.x - a.x), a.y + t0 * (b.y - a.y), a.x + t1 * (b.x - a.x),
                        a.y + t1 * (b.y - a.y));
        }
        done += step;
        *at += step;
        if (*at >= period - 1e-9) *at = 0;
    }
}

static void canvas_line(surface *s, const point *points, int64_t n, stroke style)
{
    canvas *c = (canvas *)s;
    if (n == 2 && draw_straight(c, points, style)) return;
    double at = 0;
    for (int64_t i = 0; i + 1 < n; i++) {
        const point a = { points[i].x * c->scale, points[i].y * c->scale };
        const point b = { points[i + 1].x * c->scale, points[i + 1].y * c->scale };
        if (style.dash > 0) add_dashes(c, a, b, style.dash * c->scale, style.gap * c->scale, &at);
        else add_segment(c, a.x, a.y, b.x, b.y);
    }
    stroke_segments(c, style.width * c->scale, style.colour);
}

static void canvas_fill(surface *s, const point *points, int64_t n, colour inside)
{
    canvas *c = (canvas *)s;
    for (int64_t i = 0; i < n; i++) {
        const point a = points[i], b = points[i + 1 < n ? i + 1 : 0];
        add_segment(c, a.x * c->scale, a.y * c->scale, b.x * c->scale, b.y * c->scale);
    }
    fill_segments(c, inside);
}

/* A text on its way to segments of a canvas. */
typedef struct writing {
    canvas *canvas;
    double  x, y;           /* start of the base line, pixels */
    double  from[4], to[4]; /* heights that are moved to borders of pixels, and where */
    bool    upwards;
} writing;

static double fit_height(const writing *w, double y)
{
    int i = 0;
    while (i < 2 && y > w->from[i + 1]) i++;
    return w->to[i] + (y - w->from[i]) * (w->to[i + 1] - w->to[i]) / (w->from[i + 1] - w->from[i]);
}

static void add_text_segment(void *context, double x0, double y0, double x1, double y1)
{
    const writing *w = context;
    y0 = fit_height(w, y0);
    y1 = fit_height(w, y1);
    if (w->upwards) add_segment(w->canvas, w->x - y0, w->y - x0, w->x - y1, w->y - x1);
    else add_segment(w->canvas, w->x + x0, w->y - y0, w->x + x1, w->y - y1);
}

static double canvas_text_width(const surface *s, const char *text, double size, bool bold)
{
    (void)s;
    return font_width(text, size, bold);
}

static void canvas_text(surface *s, point at, const char *text, text_style style)
{
    canvas      *c = (canvas *)s;
    const double size = style.size * c->scale, pen = fmax(font_pen(size, style.bold), 1);
    const double back = font_width(text, size, style.bold) * (style.anchor == ANCHOR_START    ? 0
                                                              : style.anchor == ANCHOR_MIDDLE ? 0.5
                                                                                              : 1);
    writing      w = { c, at.x * c->scale, at.y * c->scale, { 0 }, { 0 }, style.upwards };
    if (style.upwards) w.y += back;
    else w.x -= back;
    if (style.upwards) w.x = floor(w.x + 0.5);
    else w.y = floor(w.y + 0.5);
    /* On borders of pixels: the lower edge of the pen on the base line, the upper one of small letters and capitals. */
    const double heights[4] = { -0.17, 0.04, 0.48, 0.68 };
    for (int i = 0; i < 4; i++) {
        w.from[i] = heights[i] * size;
        w.to[i] = i == 0   ? floor(-FONT_DESCENT * size + 0.5) + pen / 2
                  : i == 1 ? pen / 2
                           : floor((heights[i] + 0.04) * size + 0.5) - pen / 2;
    }
    font_strokes(text, size, style.bold, add_text_segment, &w);
    if (c->n_segments > 0) stroke_segments(c, pen, style.colour);
}

static void canvas_clip(surface *s, double x, double y, double width, double height)
{
    canvas *c = (canvas *)s;
    if (width < 0) {
        c->clip[0] = c->clip[1] = 0;
        c->clip[2] = c->width;
        c->clip[3] = c->height;
        return;
    }
    c->clip[0] = clamp_to(floor(x * c->scale), 0, c->width);
    c->clip[1] = clamp_to(floor(y * c->scale), 0, c->height);
    c->clip[2] = clamp_to(ceil((x + width) * c->scale), 0, c->width);
    c->clip[3] = clamp_to(ceil((y + height) * c->scale), 0, c->height);
}

/* ---- Making and writing ---- */

/* The pixel of an image at a position, linear between the middles of its pixels. */
static double image_at(const grey_image *g, double x, double y)
{
    const double u = fmin(fmax(x - 0.5, 0), (double)(g->width - 1)),
                 v = fmin(fmax(y - 0.5, 0), (double)(g->height - 1));
    const int64_t  left = (int64_t)u, top = (int64_t)v;
    const int64_t  right = left + 1 < g->width ? left + 1 : left, bottom = top + 1 < g->height ? top + 1 : top;
    const double   du = u - (double)left, dv = v - (double)top;
    const uint8_t *upper = g->pixels + top * g->width, *lower = g->pixels + bottom * g->width;
    return (1 - dv) * ((1 - du) * upper[left] + du * upper[right]) + dv * ((1 - du) * lower[left] + du * lower[right]);
}

static void canvas_image(surface *s, double x, double y, double width, double height, const grey_image *image)
{
    canvas       *c = (canvas *)s;
    const int64_t left = (int64_t)rint(x * c->scale), right = (int64_t)rint((x + width) * c->scale);
    const int64_t top = (int64_t)rint(y * c->scale), bottom = (int64_t)rint((y + height) * c->scale);
    const double  across = (double)image->width / (double)(right - left);
    const double  down = (double)image->height / (double)(bottom - top);
    for (int64_t row = top > 0 ? top : 0; row < bottom && row < c->height; row++)
        for (int64_t column = left > 0 ? left : 0; column < right && column < c->width; column++) {
            const double value =
                image_at(image, ((double)(column - left) + 0.5) * across, ((double)(row - top) + 0.5) * down);
            memset(c->rgb + (row * c->width + column) * 3, (int)(value + 0.5), 3);
        }
}

tess_status canvas_new(canvas **made, double width, double height, double scale, colour background)
{
    const double w = floor(width * scale + 0.5), h = floor(height * scale + 0.5);
    TESS_CHECK(w >= 1 && h >= 1 && w * h <= MAX_PIXELS, TESS_ERANGE,
               "picture: its size is %g x %g pixels; at least 1 x 1 and at most %d pixels in total are allowed", w, h,
               MAX_PIXELS);
    canvas *c = calloc(1, sizeof *c);
    if (c) {
        c->width = (int64_t)w;
        c->height = (int64_t)h;
        c->rgb = malloc((size_t)(c->width * c->height * 3));
        c->row = calloc((size_t)c->width, sizeof *c->row);
    }
    if (!c || !c->rgb || !c->row) {
        canvas_free(c);
        TESS_FAIL(TESS_ENOMEM, "picture: no memory for %g x %g pixels", w, h);
    }
    c->scale = scale;
    c->surface = (surface){ width,       height,      0, 0, canvas_line, canvas_fill, canvas_text, canvas_text_width,
                            canvas_clip, canvas_image };
    canvas_clip(&c->surface, 0, 0, -1, 0);
    const uint8_t bytes[3] = { background.r, background.g, background.b };
    for (int64_t i = 0; i < c->width * c->height; i++) memcpy(c->rgb + i * 3, bytes, 3);
    *made = c;
    return TESS_OK;
}

void canvas_free(canvas *c)
{
    if (!c) return;
    free(c->rgb);
    free(c->row);
    free(c->segments);
    free(c);
}

void canvas_blit(canvas *c, int64_t x, int64_t y, const uint8_t *rgb, int64_t width, int64_t height, int64_t zoom)
{
    const int64_t top = y < 0 ? 0 : y, bottom = y + height * zoom < c->height ? y + height * zoom : c->height;
    const int64_t left = x < 0 ? 0 : x, right = x + width * zoom < c->width ? x + width * zoom : c->width;
    for (int64_t row = top; row < bottom; row++) {
        for (int64_t column = left; column < right; column++) {
            const uint8_t *from = rgb + ((row - y) / zoom * width + (column - x) / zoom) * 3;
            memcpy(c->rgb + (row * c->width + column) * 3, from, 3);
        }
    }
}

tess_status canvas_array(tess_array *view, const canvas *c)
{
    TESS_CHECK(!c->failed, TESS_ENOMEM, "picture: no memory to draw all of it");
    const tess_strides strides = { { 3 * c->width * c->height, 1, 3 * c->width, 3 } };
    const tess_shape   shape = { { 1, 3, c->height, c->width } };
    TESS_TRY(tess_wrap(view, c->rgb, shape, TESS_U8, &(tess_wrap_opts){ .strides = &strides }));
    return TESS_OK;
}

tess_status canvas_write(const canvas *c, const char *path, bool overwrite)
{
    tess_array view;
    TESS_TRY(canvas_array(&view, c));
    TESS_TRY(tess_write(
        path, &view,
        &(tess_write_opts){ .format = TESS_FORMAT_PNG, .rgb = 1, .keep_rows = 1, .overwrite = overwrite ? 1 : 0 }));
    return TESS_OK;
}
