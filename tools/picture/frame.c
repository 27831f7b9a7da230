/* The ranges, margins, grid and numbers of a plot. */
#include "picture/frame.h"

#include <math.h>
#include <stdio.h>

static const colour INK = { 45, 45, 45, 255 }, SOFT = { 95, 95, 95, 255 }, GRID = { 229, 229, 229, 255 },
                    AXIS = { 120, 120, 120, 255 };

static plot_sizes find_sizes(const surface *s)
{
    if (s->cell_height > 0) {
        const double h = s->cell_height;
        return (plot_sizes){ h, h, h, s->cell_width, 0, 1, 1, 1 };
    }
    return (plot_sizes){ 13, 14, 17, 8, 5, 1, 2, 3.5 };
}

/* ---- Ranges ---- */

static void include(double range[2], double value)
{
    range[0] = fmin(range[0], value);
    range[1] = fmax(range[1], value);
}

static bool allowed(double value, bool is_log) { return isfinite(value) && (!is_log || value > 0); }

/* Limits that the caller gave, or none. */
static bool is_given(const plot_axis *axis) { return axis->low != 0 || axis->high != 0; }

/* The range of the points that can be drawn, and how many cannot. */
static void curve_range(const plot *p, const plot_curve *c, double x[2], double y[2], int64_t *left_out)
{
    const bool bars = c->kind == PLOT_BARS;
    for (int64_t i = 0; i < c->n; i++) {
        const bool good = allowed(c->x[i], p->x.log && !bars) && allowed(c->y[i], p->y.log);
        if (!good) {
            *left_out += 1;
            continue;
        }
        if (is_given(&p->x) && (c->x[bars ? i + 1 : i] < p->x.low || c->x[i] > p->x.high)) continue;
        if (allowed(c->x[i], p->x.log)) include(x, c->x[i]);
        if (bars && allowed(c->x[i + 1], p->x.log)) include(x, c->x[i + 1]);
        include(y, c->y[i]);
        if (bars && !p->y.log) include(y, 0);
    }
}

static void find_ranges(const plot *p, double x[2], double y[2], int64_t *left_out)
{
    for (int i = 0; i < p->n_curves; i++) curve_range(p, &p->curves[i], x, y, left_out);
    for (int i = 0; i < p->n_lines; i++) {
        const plot_line *line = &p->lines[i];
        if (line->upright ? allowed(line->value, p->x.log) : allowed(line->value, p->y.log)) {
            include(line->upright ? x : y, line->value);
        }
    }
    for (int i = 0; i < p->n_marks; i++) {
        if (!allowed(p->marks[i].x, p->x.log) || !allowed(p->marks[i].y, p->y.log)) continue;
        include(x, p->marks[i].x);
        include(y, p->marks[i].y);
    }
}

/* Is a range so narrow that it is one number? */
static bool is_single(double low, double high) { return high - low <= fmax(fabs(low), fabs(high)) * 1e-7; }

static tess_status set_axis(frame_axis *axis, const plot_axis *asked, const double range[2], const char *name,
                            bool widen)
{
    axis->log = asked->log;
    axis->low = range[0];
    axis->high = range[1];
    if (is_given(asked)) {
        TESS_CHECK(asked->low < asked->high && isfinite(asked->high - asked->low) && (!asked->log || asked->low > 0),
                   TESS_ERANGE, "plot: the range of %s is %g to %g; %s numbers in ascending order are needed", name,
                   asked->low, asked->high, asked->log ? "positive" : "finite");
        axis->low = asked->low;
        axis->high = asked->high;
        return TESS_OK;
    }
    TESS_CHECK(axis->low <= axis->high, TESS_ERANGE, "plot: no finite%s values along %s",
               asked->log ? ", positive" : "", name);
    if (!isfinite(axis->high - axis->low)) {
        TESS_FAIL(TESS_ERANGE, "plot: values along %s go from %g to %g, which is too wide a range to draw", name,
                  axis->low, axis->high);
    }
    /* An x axis ends with its data, or at 0 if that is near; a single point stands in the middle; a y axis ends with a
     * round number. */
    if (widen || is_single(axis->low, axis->high)) ticks_widen(&axis->low, &axis->high, 6, axis->log);
    else if (axis->low > 0 && axis->low < 0.05 * axis->high) axis->low = 0;
    return TESS_OK;
}

bool frame_shows(const frame_axis *axis, double value) { return allowed(value, axis->log); }

double frame_position(const frame_axis *axis, double value)
{
    const double t = axis->log ? log(value / axis->low) / log(axis->high / axis->low)
                               : (value - axis->low) / (axis->high - axis->low);
    return axis->from + fmin(fmax(t, -1e4), 1e4) * (axis->to - axis->from);
}

/* ---- Margins ---- */

static void make_ticks(frame_axis *axis, double spacing)
{
    const int fitting = (int)(fabs(axis->to - axis->from) / spacing) + 1, max = fitting > 12 ? 12 : fitting;
    if (axis->log) ticks_log(&axis->ticks, axis->low, axis->high, max);
    else ticks_linear(&axis->ticks, axis->low, axis->high, max);
}

double frame_text_width(const frame *f, const char *text)
{
    return f->surface->text_width(f->surface, text, f->sizes.label, false);
}

const char *frame_fit(const frame *f, char text[FRAME_TEXT], const char *given, double size, bool bold, double width)
{
    const surface *s = f->surface;
    (void)snprintf(text, FRAME_TEXT - 10, "%s", given);
    size_t n = strlen(text);
    if (s->text_width(s, text, size, bold) <= width && n == strlen(given)) return text;
    do {
        while (n > 0 && ((unsigned char)text[--n] & 0xc0) == 0x80) {}
        memcpy(text + n, "\xe2\x80\xa6", 4);
    } while (n > 0 && s->text_width(s, text, size, bold) > width);
    return text;
}

static double widest(const frame *f, const ticks *t)
{
    double width = 0;
    for (int i = 0; i < t->n; i++) width = fmax(width, frame_text_width(f, t->label[i]));
    return width;
}

static void set_top_and_bottom(frame *f)
{
    const plot       *p = f->plot;
    const plot_sizes *z = &f->sizes;
    const bool        cells = f->surface->cell_height > 0;
    f->top = cells ? 0 : z->gap * 1.5;
    if (p->title) f->top += z->heading * (cells ? 1 : 1.5);
    if (p->angstrom) f->top += z->label + z->tick + (cells ? 0 : z->gap / 2 + z->title * 1.4);
    /* Where a title cannot stand upright it gets a line above the frame, as a power of ten always does. */
    if (f->y.ticks.exponent != 0 || (cells && p->y.title)) f->top += z->label * (cells ? 1 : 1.3);
    f->bottom = f->surface->height - (cells ? 0 : z->gap * 1.5) - z->label - z->tick - (cells ? 1 : z->gap / 2);
    if (p->x.title || f->x.ticks.exponent != 0) f->bottom -= z->title * (cells ? 1 : 1.4);
}

static void set_left_and_right(frame *f)
{
    const plot_sizes *z = &f->sizes;
    const bool        cells = f->surface->cell_height > 0;
    f->left = z->gap * (cells ? 0 : 1.5) + widest(f, &f->y.ticks) + z->tick + z->gap * 0.75;
    if (f->plot->y.title && !cells) f->left += z->title * 1.6;
    f->right = f->surface->width - z->gap * (cells ? 1 : 2.5) - f->outside;
}

/* The last number of the x axis may stick out of the picture by half its width. */
static void keep_last_label_inside(frame *f)
{
    const ticks *t = &f->x.ticks;
    if (t->n == 0) return;
    const double over = frame_position(&f->x, t->at[t->n - 1]) + frame_text_width(f, t->label[t->n - 1]) / 2 -
                        (f->surface->width - f->sizes.gap);
    if (over > 0) f->right -= over;
}

/* Units as long along both axes: of what is too wide or too high, the right or the upper side comes nearer. */
static void equal_units(frame *f)
{
    const double wide = f->x.high - f->x.low, high = f->y.high - f->y.low;
    const double unit = fmax(wide / (f->right - f->left), high / (f->bottom - f->top));
    f->right = f->left + wide / unit;
    f->top = f->bottom - high / unit;
    f->x.to = f->right;
    f->y.to = f->top;
}

static double x_spacing(const frame *f)
{
    char text[TICK_TEXT];
    (void)tick_number(text, fmax(fabs(f->x.low), fabs(f->x.high)), 4);
    return frame_text_width(f, text) + (f->surface->cell_height > 0 ? 4 : 5) * f->sizes.gap;
}

/* Let a y axis end with the ticks it got: `range` is that of the data. */
static void end_with_ticks(frame_axis *axis, const double range[2])
{
    const double step = axis->ticks.step;
    if (axis->log || step <= 0 || !isfinite(range[1] - range[0]) || is_single(range[0], range[1])) return;
    const double low = floor(range[0] / step + 1e-9) * step, high = ceil(range[1] / step - 1e-9) * step;
    if (!(high > low)) return;
    axis->low = low;
    axis->high = high;
}

/* A cloud of points does not lie on the axis it is read from. */
static void leave_margins(const plot *p, double x[2])
{
    const double margin = 0.02 * (x[1] - x[0]);
    bool         points = false;
    for (int i = 0; i < p->n_curves; i++) points |= p->curves[i].kind == PLOT_POINTS;
    if (!points || p->x.log || !(margin > 0)) return;
    x[0] -= margin;
    x[1] += margin;
}

tess_status frame_make(frame *f, surface *s, const plot *p, double outside, plot_facts *info)
{
    *f = (frame){ .surface = s, .plot = p, .sizes = find_sizes(s), .outside = outside };
    double  x[2] = { INFINITY, -INFINITY }, y[2] = { INFINITY, -INFINITY };
    int64_t left_out = 0;
    find_ranges(p, x, y, &left_out);
    TESS_CHECK(x[0] <= x[1] || is_given(&p->x), TESS_ERANGE,
               "plot: none of the %lld points can be drawn; finite numbers%s are needed", (long long)left_out,
               p->x.log || p->y.log ? ", above 0 on a logarithmic axis," : "");
    leave_margins(p, x);
    TESS_TRY(set_axis(&f->x, &p->x, x, "x", p->x.log));
    TESS_TRY(set_axis(&f->y, &p->y, y, "y", true));
    /* A bar that ends where a logarithmic axis begins would not be seen. */
    for (int i = 0; i < p->n_curves; i++) {
        if (p->curves[i].kind == PLOT_BARS && p->y.log && !is_given(&p->y) && f->y.low >= y[0]) f->y.low = y[0] / 2;
    }
    f->right = s->width;
    for (int pass = 0; pass < 3; pass++) { /* ticks need the size of the frame, and the frame the width of labels */
        set_top_and_bottom(f);
        f->y.from = f->bottom;
        f->y.to = f->top;
        if (!is_given(&p->y)) end_with_ticks(&f->y, y);
        make_ticks(&f->y, f->sizes.label * (s->cell_height > 0 ? 3 : 3.5));
        set_left_and_right(f);
        f->x.from = f->left;
        f->x.to = f->right;
        make_ticks(&f->x, x_spacing(f));
        keep_last_label_inside(f);
        f->x.to = f->right;
    }
    if (p->backdrop) equal_units(f);
    TESS_CHECK(f->right - f->left >= 4 * f->sizes.gap && f->bottom - f->top >= 2 * f->sizes.label, TESS_ERANGE,
               "plot: the picture is %g x %g, too small for the plot", s->width, s->height);
    if (p->angstrom) {
        const double unit = (f->x.high - f->x.low) / (f->right - f->left);
        ticks_reciprocal(&f->lengths, f->x.low, f->x.high, unit * (frame_text_width(f, "0000") + f->sizes.gap));
    }
    if (info) *info = (plot_facts){ left_out, { f->x.low, f->x.high }, { f->y.low, f->y.high } };
    return TESS_OK;
}

/* ---- What is covered ---- */

/* Does a segment meet a rectangle? By cutting it at each side. */
static bool meets(point a, point b, double x0, double y0, double x1, double y1)
{
    double       from = 0, to = 1;
    const double delta[2] = { b.x - a.x, b.y - a.y }, start[2] = { a.x, a.y };
    const double low[2] = { x0, y0 }, high[2] = { x1, y1 };
    for (int k = 0; k < 2; k++) {
        if (delta[k] == 0) {
            if (start[k] < low[k] || start[k] > high[k]) return false;
            continue;
        }
        const double t0 = (low[k] - start[k]) / delta[k], t1 = (high[k] - start[k]) / delta[k];
        from = fmax(from, fmin(t0, t1));
        to = fmin(to, fmax(t0, t1));
    }
    return from <= to;
}

static bool bar_meets(const frame *f, const plot_curve *c, int64_t i, double x0, double y0, double x1, double y1)
{
    const double left = frame_position(&f->x, f->x.log ? fmax(c->x[i], f->x.low) : c->x[i]);
    const double right = frame_position(&f->x, f->x.log ? fmax(c->x[i + 1], f->x.low) : c->x[i + 1]);
    const double top = frame_position(&f->y, c->y[i]);
    return right > x0 && left < x1 && top < y1 && y0 < f->bottom;
}

bool frame_covered(const frame *f, double x0, double y0, double x1, double y1)
{
    for (int k = 0; k < f->plot->n_curves; k++) {
        const plot_curve *c = &f->plot->curves[k];
        point             last = { 0, 0 };
        bool              joined = false;
        for (int64_t i = 0; i < c->n; i++) {
            const bool good = frame_shows(&f->y, c->y[i]) && (c->kind == PLOT_BARS || frame_shows(&f->x, c->x[i]));
            if (!good) {
                joined = false;
                continue;
            }
            if (c->kind == PLOT_BARS) {
                if (bar_meets(f, c, i, x0, y0, x1, y1)) return true;
                continue;
            }
            const point here = { frame_position(&f->x, c->x[i]), frame_position(&f->y, c->y[i]) };
            if (meets(joined && c->kind != PLOT_POINTS ? last : here, here, x0, y0, x1, y1)) return true;
            last = here;
            joined = true;
        }
    }
    return false;
}

/* ---- Drawing ---- */

static void draw_label(const frame *f, double x, double y, const char *text, anchor where)
{
    f->surface->text(f->surface, (point){ x, y }, text, (text_style){ f->sizes.label, SOFT, where, false, false });
}

static void draw_grid(const frame *f)
{
    surface     *s = f->surface;
    const stroke grid = { f->sizes.line, GRID, 0, 0 };
    for (int i = 0; i < f->y.ticks.n; i++) {
        if (f->y.ticks.label[i][0] == 0) continue;
        const double y = frame_position(&f->y, f->y.ticks.at[i]);
        surface_segment(s, f->left, y, f->right, y, grid);
    }
    for (int i = 0; i < f->x.ticks.n; i++) {
        if (f->x.ticks.label[i][0] == 0) continue;
        const double x = frame_position(&f->x, f->x.ticks.at[i]);
        surface_segment(s, x, f->top, x, f->bottom, grid);
    }
}

/* Marks that would be closer to the last label than a space are left without one. */
static void draw_x_axis(const frame *f)
{
    surface          *s = f->surface;
    const plot_sizes *z = &f->sizes;
    const stroke      axis = { z->line, AXIS, 0, 0 };
    double            free_from = -INFINITY;
    for (int i = 0; i < f->x.ticks.n; i++) {
        const double x = frame_position(&f->x, f->x.ticks.at[i]);
        const char  *label = f->x.ticks.label[i];
        const double half = frame_text_width(f, label) / 2;
        surface_segment(s, x, f->bottom, x, f->bottom + (label[0] != 0 ? z->tick : z->tick * 0.6), axis);
        if (label[0] == 0 || x - half < free_from) continue;
        draw_label(f, x, f->bottom + z->tick + z->label, label, ANCHOR_MIDDLE);
        free_from = x + half + z->gap / 2;
    }
    surface_segment(s, f->left, f->bottom, f->right, f->bottom, axis);
}

static void draw_y_axis(const frame *f)
{
    surface          *s = f->surface;
    const plot_sizes *z = &f->sizes;
    const stroke      axis = { z->line, AXIS, 0, 0 };
    double            free_below = INFINITY;
    for (int i = 0; i < f->y.ticks.n; i++) {
        const double y = frame_position(&f->y, f->y.ticks.at[i]);
        const char  *label = f->y.ticks.label[i];
        surface_segment(s, f->left - (label[0] != 0 ? z->tick : z->tick * 0.6), y, f->left, y, axis);
        if (label[0] == 0 || y > free_below) continue;
        draw_label(f, f->left - z->tick - z->gap * 0.5, y + 0.36 * z->label, label, ANCHOR_END);
        free_below = y - z->label;
    }
    surface_segment(s, f->left, f->top, f->left, f->bottom, axis);
}

static void draw_lengths(const frame *f)
{
    const plot_sizes *z = &f->sizes;
    const bool        cells = f->surface->cell_height > 0;
    const stroke      axis = { z->line, AXIS, 0, 0 };
    const double      above = cells ? z->label * 0.5 : z->gap / 2;
    double            free_from = -INFINITY;
    for (int i = 0; i < f->lengths.n; i++) {
        const double x = frame_position(&f->x, f->lengths.at[i]);
        const double half = frame_text_width(f, f->lengths.label[i]) / 2;
        if (x - half < free_from || x + half > f->surface->width) continue;
        surface_segment(f->surface, x, f->top - z->tick, x, f->top, axis);
        draw_label(f, x, f->top - z->tick - above + (cells ? 0.36 * z->label : 0), f->lengths.label[i], ANCHOR_MIDDLE);
        free_from = x + half + z->gap / 2;
    }
    surface_segment(f->surface, f->left, f->top, f->right, f->top, axis);
}

/* Fonts of those who look at an SVG may be this much wider than the one that texts are measured by. */
static const double wider_font = 1.3;

/* Above the middle of the frame, or of the picture if there is not enough space to the sides. */
static void draw_heading(const frame *f)
{
    surface          *s = f->surface;
    const plot_sizes *z = &f->sizes;
    const bool        cells = s->cell_height > 0;
    char              text[FRAME_TEXT];
    (void)frame_fit(f, text, f->plot->title, z->heading, true, s->width / (cells ? 1 : wider_font));
    const double half = s->text_width(s, text, z->heading, true) / 2 * wider_font, middle = (f->left + f->right) / 2;
    const bool   fits = middle >= half && middle + half <= s->width;
    s->text(s, (point){ fits ? middle : s->width / 2, z->heading * (cells ? 0.6 : 1) + (cells ? 0 : z->gap) }, text,
            (text_style){ z->heading, INK, ANCHOR_MIDDLE, true, false });
}

/* How long a text around a point may be. */
static double space_around(const frame *f, double middle, double size)
{
    return 2 * (fmin(middle, size - middle) - f->sizes.gap) / (f->surface->cell_height > 0 ? 1 : wider_font);
}

static void draw_titles(const frame *f)
{
    surface          *s = f->surface;
    const plot       *p = f->plot;
    const plot_sizes *z = &f->sizes;
    const bool        cells = s->cell_height > 0;
    const double      middle = (f->left + f->right) / 2, base = f->bottom + z->tick + z->label + z->title * 1.4;
    const text_style  style = { z->title, INK, ANCHOR_MIDDLE, false, false };
    const double      centre = (f->top + f->bottom) / 2;
    char              text[FRAME_TEXT];
    if (p->title) draw_heading(f);
    if (p->x.title) {
        (void)frame_fit(f, text, p->x.title, z->title, false, space_around(f, middle, s->width));
        s->text(s, (point){ middle, cells ? s->height - 1 : base }, text, style);
    }
    if (p->y.title && !cells) {
        (void)frame_fit(f, text, p->y.title, z->title, false, space_around(f, centre, s->height));
        s->text(s, (point){ z->gap * 1.5 + z->title * 0.8, centre }, text,
                (text_style){ z->title, INK, ANCHOR_MIDDLE, false, true });
    }
    if (p->angstrom && !cells) {
        s->text(s, (point){ middle, f->top - z->tick - z->gap * 1.5 - z->label }, "Resolution (\xc3\x85)", style);
    }
}

/* The power of ten that numbers of an axis were divided by, at its end; in a terminal, the title of y is there too. */
static void draw_powers(const frame *f)
{
    char              power[TICK_TEXT], text[160];
    const plot_sizes *z = &f->sizes;
    const bool        cells = f->surface->cell_height > 0;
    const bool        titled = cells && f->plot->y.title;
    double            y = f->top - (cells ? z->label * 0.5 - 0.36 * z->label : z->gap * 0.75);
    if (f->plot->angstrom) y -= z->label + z->tick + (cells ? 0 : z->gap);
    if (f->y.ticks.exponent != 0 || titled) {
        (void)snprintf(text, sizeof text, "%.100s%s%s%s", titled ? f->plot->y.title : "",
                       titled && f->y.ticks.exponent != 0 ? "  " : "", f->y.ticks.exponent != 0 ? "\xc3\x97" : "",
                       f->y.ticks.exponent != 0 ? tick_power(power, f->y.ticks.exponent) : "");
        draw_label(f, cells ? 0 : f->left, y, text, ANCHOR_START);
    }
    if (f->x.ticks.exponent != 0) {
        (void)snprintf(text, sizeof text, "\xc3\x97%s", tick_power(power, f->x.ticks.exponent));
        draw_label(f, f->right, cells ? f->surface->height - 1 : f->bottom + z->tick + z->label + z->title * 1.4, text,
                   ANCHOR_END);
    }
}

void frame_draw(const frame *f)
{
    surface          *s = f->surface;
    const grey_image *behind = f->plot->backdrop;
    if (behind && s->image) s->image(s, f->left, f->top, f->right - f->left, f->bottom - f->top, behind);
    else if (s->cell_height == 0) draw_grid(f);
    draw_x_axis(f);
    draw_y_axis(f);
    if (f->plot->angstrom) draw_lengths(f);
    draw_titles(f);
    draw_powers(f);
}
