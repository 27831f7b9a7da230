/* Curves, bars, reference lines, marks and the legend of a plot. */
#include "picture/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture/canvas.h"
#include "picture/font.h"
#include "picture/frame.h"
#include "picture/svg.h"

static const colour WHITE = { 255, 255, 255, 255 }, INK = { 45, 45, 45, 255 }, REFERENCE = { 110, 110, 110, 255 },
                    VEIL = { 255, 255, 255, 215 };

colour plot_colour(int i)
{
    static const colour palette[] = { { 0, 114, 178, 255 },   { 213, 94, 0, 255 },  { 0, 158, 115, 255 },
                                      { 204, 121, 167, 255 }, { 230, 159, 0, 255 }, { 86, 180, 233, 255 },
                                      { 70, 70, 70, 255 } };
    return palette[i % (int)(sizeof palette / sizeof palette[0])];
}

static colour colour_of(const plot *p, int i)
{
    const colour own = p->curves[i].colour;
    return own.a != 0 ? own : plot_colour(i);
}

static stroke stroke_of(const frame *f, int i)
{
    const plot_curve *c = &f->plot->curves[i];
    const double      again = i >= 7 && c->colour.a == 0 ? 6 : 0, dash = c->dash > 0 ? c->dash : again;
    return (stroke){ f->sizes.curve, colour_of(f->plot, i), dash, dash * 0.7 };
}

/* ---- Curves ---- */

/* Points of a line on their way to the surface: of those that fall into the same narrow column only the first, the
 * lowest, the highest and the last are kept, which looks the same. */
typedef struct run {
    point  *points;
    int64_t n;
    double  column;
    point   low, high, last;
    int64_t held; /* points of this column so far */
} run;

static void run_flush(run *r)
{
    if (r->held > 1) {
        const bool low_first = r->low.x <= r->high.x;
        r->points[r->n++] = low_first ? r->low : r->high;
        r->points[r->n++] = low_first ? r->high : r->low;
        r->points[r->n++] = r->last;
    }
    r->held = 0;
}

static void run_add(run *r, point p)
{
    const double column = floor(p.x * 4);
    if (r->held > 0 && column != r->column) run_flush(r);
    if (r->held == 0) {
        r->points[r->n++] = r->low = r->high = p;
        r->column = column;
    }
    if (p.y < r->low.y) r->low = p;
    if (p.y > r->high.y) r->high = p;
    r->last = p;
    r->held++;
}

static void draw_discs(const frame *f, const plot_curve *c, colour with)
{
    for (int64_t i = 0; i < c->n; i++) {
        if (!frame_shows(&f->x, c->x[i]) || !frame_shows(&f->y, c->y[i])) continue;
        surface_disc(f->surface, frame_position(&f->x, c->x[i]), frame_position(&f->y, c->y[i]), f->sizes.disc, with);
    }
}

static tess_status draw_line_curve(const frame *f, const plot_curve *c, stroke style)
{
    run r = { .points = malloc(sizeof(point) * (size_t)(c->n * 4 + 4)) };
    TESS_CHECK(r.points, TESS_ENOMEM, "plot: no memory for a curve of %lld points", (long long)c->n);
    for (int64_t i = 0; i <= c->n; i++) {
        if (i < c->n && frame_shows(&f->x, c->x[i]) && frame_shows(&f->y, c->y[i])) {
            run_add(&r, (point){ frame_position(&f->x, c->x[i]), frame_position(&f->y, c->y[i]) });
            continue;
        }
        run_flush(&r);
        if (r.n == 1) surface_disc(f->surface, r.points[0].x, r.points[0].y, f->sizes.disc, style.colour);
        if (r.n > 1) f->surface->line(f->surface, r.points, r.n, style);
        r.n = 0;
    }
    free(r.points);
    return TESS_OK;
}

/* The outline of a histogram: up and down along its bars. */
static tess_status draw_bars(const frame *f, const plot_curve *c, stroke style)
{
    point *points = malloc(sizeof(point) * (size_t)(c->n * 2 + 2));
    TESS_CHECK(points, TESS_ENOMEM, "plot: no memory for %lld bars", (long long)c->n);
    const double floor_at = frame_position(&f->y, f->y.log ? f->y.low : fmin(fmax(0, f->y.low), f->y.high));
    int64_t      n = 0;
    for (int64_t i = 0; i < c->n; i++) {
        const double x0 = f->x.log ? fmax(c->x[i], f->x.low) : c->x[i];
        const double x1 = f->x.log ? fmax(c->x[i + 1], f->x.low) : c->x[i + 1];
        const double y = frame_shows(&f->y, c->y[i]) ? frame_position(&f->y, c->y[i]) : floor_at;
        if (n == 0) points[n++] = (point){ frame_position(&f->x, x0), floor_at };
        points[n++] = (point){ frame_position(&f->x, x0), y };
        points[n++] = (point){ frame_position(&f->x, x1), y };
    }
    if (n > 0) {
        points[n] = (point){ points[n - 1].x, floor_at };
        n++;
    }
    colour inside = style.colour;
    inside.a = f->plot->n_curves > 1 ? 60 : 90;
    f->surface->fill(f->surface, points, n, inside);
    style.width *= 0.75;
    f->surface->line(f->surface, points, n, style);
    free(points);
    return TESS_OK;
}

static tess_status draw_curves(const frame *f)
{
    for (int i = 0; i < f->plot->n_curves; i++) {
        const plot_curve *c = &f->plot->curves[i];
        const stroke      style = stroke_of(f, i);
        if (c->kind == PLOT_BARS) TESS_TRY(draw_bars(f, c, style));
        if (c->kind == PLOT_LINE || c->kind == PLOT_LINE_POINTS) TESS_TRY(draw_line_curve(f, c, style));
        if (c->kind == PLOT_POINTS || c->kind == PLOT_LINE_POINTS) draw_discs(f, c, style.colour);
    }
    return TESS_OK;
}

/* ---- Reference lines and marks ---- */

static void draw_line(const frame *f, const plot_line *line)
{
    const frame_axis *axis = line->upright ? &f->x : &f->y;
    const double      slack = 1e-9 * fabs(axis->high - axis->low);
    if (!frame_shows(axis, line->value) || line->value < axis->low - slack || line->value > axis->high + slack) return;
    const double at = frame_position(axis, line->value);
    const stroke style = { f->sizes.line * (f->surface->cell_height > 0 ? 1 : 1.25), REFERENCE, 5, 4 };
    if (line->upright) surface_segment(f->surface, at, f->top, at, f->bottom, style);
    else surface_segment(f->surface, f->left, at, f->right, at, style);
}

/* A text on a veil, so that it can be read over lines. */
static void draw_note(const frame *f, double left, double base, const char *text, colour ink)
{
    const double size = f->sizes.label, pad = f->surface->cell_height > 0 ? 0 : size * 0.2;
    surface_rectangle(f->surface, left - pad, base - FONT_CAPITAL * size - pad, frame_text_width(f, text) + 2 * pad,
                      (FONT_CAPITAL + 0.1) * size + 2 * pad, VEIL);
    f->surface->text(f->surface, (point){ left, base }, text, (text_style){ size, ink, ANCHOR_START, false, false });
}

typedef struct spot {
    double left, base;
} spot;

/* The first spot for a text that is inside the frame and where no curve is; else the first inside. */
static spot choose_spot(const frame *f, const spot *spots, int n, double width)
{
    const double size = f->sizes.label;
    int          inside = -1;
    for (int i = 0; i < n; i++) {
        const spot s = spots[i];
        if (s.left < f->left || s.left + width > f->right || s.base - size < f->top || s.base > f->bottom) continue;
        if (!frame_covered(f, s.left - 2, s.base - FONT_CAPITAL * size - 1, s.left + width + 2, s.base + 1)) return s;
        if (inside < 0) inside = i;
    }
    return spots[inside < 0 ? 0 : inside];
}

static void label_line(const frame *f, const plot_line *line)
{
    const frame_axis *axis = line->upright ? &f->x : &f->y;
    if (!line->label || line->label[0] == 0 || !frame_shows(axis, line->value)) return;
    if (line->value < axis->low || line->value > axis->high) return;
    const double at = frame_position(axis, line->value), size = f->sizes.label, gap = f->sizes.gap * 0.75;
    const double width = frame_text_width(f, line->label), low = at + gap + FONT_CAPITAL * size;
    const double left = f->left + gap, right = f->right - width - gap, middle = (f->left + f->right - width) / 2;
    const double top = f->top + size + gap, bottom = f->bottom - gap;
    const spot   across[] = {
          { right, at - gap }, { left, at - gap }, { right, low }, { left, low }, { middle, at - gap }
    };
    const spot upright[] = { { at + gap, top },
                             { at - gap - width, top },
                             { at + gap, bottom },
                             { at - gap - width, bottom },
                             { at + gap, (top + bottom) / 2 } };
    const spot s = choose_spot(f, line->upright ? upright : across, 5, width);
    draw_note(f, s.left, s.base, line->label, REFERENCE);
}

static void draw_mark(const frame *f, const plot_mark *mark)
{
    if (!frame_shows(&f->x, mark->x) || !frame_shows(&f->y, mark->y)) return;
    const double x = frame_position(&f->x, mark->x), y = frame_position(&f->y, mark->y), size = f->sizes.label;
    surface_disc(f->surface, x, y, f->sizes.disc * 1.8, WHITE);
    surface_disc(f->surface, x, y, f->sizes.disc * 1.3, INK);
    if (!mark->label || mark->label[0] == 0) return;
    const double width = frame_text_width(f, mark->label), gap = f->sizes.gap, low = y + gap + FONT_CAPITAL * size;
    const spot   spots[] = { { x + gap, y - gap },
                             { x - gap - width, y - gap },
                             { x + gap, low },
                             { x - gap - width, low },
                             { x - width / 2, y - gap * 1.5 } };
    const spot   s = choose_spot(f, spots, 5, width);
    draw_note(f, s.left, s.base, mark->label, INK);
}

/* ---- Legend ---- */

typedef struct legend {
    int    n; /* curves with names that fit */
    double width, height, row, sample;
} legend;

static legend legend_size(const frame *f)
{
    const plot *p = f->plot;
    const bool  cells = f->surface->cell_height > 0;
    legend      l = { .row = f->sizes.label * (cells ? 1 : 1.45), .sample = f->sizes.gap * 3 };
    if (p->n_curves < 2) return l;
    for (int i = 0; i < p->n_curves; i++) {
        if (!p->curves[i].name || p->curves[i].name[0] == 0) continue;
        l.n++;
        l.width = fmax(l.width, frame_text_width(f, p->curves[i].name));
    }
    l.width = fmin(l.width, (f->right - f->left) * 0.4) + l.sample + f->sizes.gap * (cells ? 1 : 3);
    l.height = l.row * l.n + (cells ? 0 : f->sizes.gap);
    return l;
}

/* A position inside the frame where no curve is; false if there is none. */
static bool legend_position(const frame *f, const legend *l, double *x, double *y)
{
    const double gap = f->surface->cell_height > 0 ? 0 : f->sizes.gap;
    const double rights = f->right - gap - l->width, lefts = f->left + gap, tops = f->top + gap;
    const double bottoms = f->bottom - gap - l->height, across = (lefts + rights) / 2, down = (tops + bottoms) / 2;
    const double indices[][2] = { { rights, tops }, { rights, bottoms }, { lefts, tops },     { lefts, bottoms },
                                  { rights, down }, { across, tops },    { across, bottoms }, { lefts, down } };
    if (rights < lefts || bottoms < tops) return false;
    for (size_t i = 0; i < sizeof indices / sizeof indices[0]; i++) {
        *x = indices[i][0];
        *y = indices[i][1];
        if (!frame_covered(f, *x - 3, *y - 3, *x + l->width + 3, *y + l->height + 3)) return true;
    }
    return false;
}

static void draw_sample(const frame *f, int i, double x, double y, double width)
{
    const plot_curve *c = &f->plot->curves[i];
    const stroke      style = stroke_of(f, i);
    const double      high = f->sizes.label * 0.3;
    if (c->kind == PLOT_BARS) {
        colour inside = style.colour;
        inside.a = 60;
        surface_rectangle(f->surface, x, y - high, width, high * 2, inside);
        surface_segment(f->surface, x, y - high, x + width, y - high, style);
    }
    if (c->kind == PLOT_LINE || c->kind == PLOT_LINE_POINTS) surface_segment(f->surface, x, y, x + width, y, style);
    if (c->kind == PLOT_POINTS || c->kind == PLOT_LINE_POINTS) {
        surface_disc(f->surface, x + width / 2, y, f->sizes.disc, style.colour);
    }
}

static void draw_legend(const frame *f, const legend *l, double x, double y)
{
    const bool   cells = f->surface->cell_height > 0;
    const double pad = cells ? 0 : f->sizes.gap, max = floor((f->bottom - y - pad) / l->row);
    const int    shown = l->n <= (int)max ? l->n : (int)max - 1;
    char         text[200];
    surface_rectangle(f->surface, x, y, l->width, l->row * l->n + pad, VEIL);
    int done = 0;
    for (int i = 0; i < f->plot->n_curves && done < shown; i++) {
        const char *name = f->plot->curves[i].name;
        if (!name || name[0] == 0) continue;
        const double middle = y + pad / 2 + l->row * (done + 0.5);
        draw_sample(f, i, x + pad, middle, l->sample);
        f->surface->text(f->surface, (point){ x + pad + l->sample + f->sizes.gap, middle + 0.36 * f->sizes.label },
                         frame_fit(f, text, name, f->sizes.label, false, l->width - l->sample - pad - f->sizes.gap),
                         (text_style){ f->sizes.label, INK, ANCHOR_START, false, false });
        done++;
    }
    if (shown == l->n) return;
    (void)snprintf(text, sizeof text, "and %d more", l->n - shown);
    f->surface->text(
        f->surface,
        (point){ x + pad + l->sample + f->sizes.gap, y + pad / 2 + l->row * (shown + 0.5) + 0.36 * f->sizes.label },
        text, (text_style){ f->sizes.label, REFERENCE, ANCHOR_START, false, false });
}

/* ---- All of it ---- */

static const char *unless_empty(const char *text) { return text && text[0] != 0 ? text : NULL; }

tess_status plot_draw(surface *s, const plot *given, plot_facts *info)
{
    plot clean = *given;
    clean.title = unless_empty(given->title);
    clean.x.title = unless_empty(given->x.title);
    clean.y.title = unless_empty(given->y.title);
    const plot *p = &clean;
    frame       f;
    TESS_TRY(frame_make(&f, s, p, 0, info));
    const legend l = legend_size(&f);
    double       x = 0, y = 0;
    if (l.n > 0 && !legend_position(&f, &l, &x, &y)) {
        TESS_TRY(frame_make(&f, s, p, l.width, info));
        x = f.right + f.sizes.gap * (s->cell_height > 0 ? 0 : 0.5);
        y = f.top;
    }
    frame_draw(&f);
    /* What the caller cut off ends at the frame; all that is shown whole may reach over it by the width of its pen. */
    const bool   cut = p->x.low != 0 || p->x.high != 0 || p->y.low != 0 || p->y.high != 0;
    const double over = cut || s->cell_height > 0 ? 0 : f.sizes.disc;
    s->clip(s, f.left - over, f.top - over, f.right - f.left + 2 * over, f.bottom - f.top + 2 * over);
    for (int i = 0; i < p->n_lines; i++) draw_line(&f, &p->lines[i]);
    TESS_TRY(draw_curves(&f));
    s->clip(s, 0, 0, -1, 0);
    for (int i = 0; i < p->n_lines; i++) label_line(&f, &p->lines[i]);
    for (int i = 0; i < p->n_marks; i++) draw_mark(&f, &p->marks[i]);
    if (l.n > 0) draw_legend(&f, &l, x, y);
    return TESS_OK;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static tess_status write_svg(const plot *p, const char *path, bool overwrite, plot_facts *info)
{
    svg v;
    svg_start(&v, p->width, p->height, WHITE);
    tess_status status;
    TESS_GOTO(done, status, plot_draw(&v.surface, p, info));
    TESS_GOTO(done, status, svg_write(&v, path, overwrite));
done:
    svg_free(&v);
    return status;
}

tess_status plot_write(const plot *p, const char *path, double scale, bool overwrite, plot_facts *info)
{
    plot sized = *p;
    if (sized.width <= 0) sized.width = 800;
    if (sized.height <= 0) sized.height = 500;
    if (ends_with(path, ".svg")) return write_svg(&sized, path, overwrite, info);
    canvas     *c = NULL;
    tess_status status;
    TESS_TRY(canvas_new(&c, sized.width, sized.height, scale, WHITE));
    TESS_GOTO(done, status, plot_draw(&c->surface, &sized, info));
    TESS_GOTO(done, status, canvas_write(c, path, overwrite));
done:
    canvas_free(c);
    return status;
}
