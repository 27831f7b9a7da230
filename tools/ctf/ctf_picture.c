/* The picture of a fit of a CTF: measured Thon rings on the left, those of the fit on the right, beside their
 * curves. */
#include "ctf/ctf_picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture/canvas.h"
#include "picture/plot.h"

/* In pixels of the picture. */
enum { SIDE = 640, MARGIN = 24, TITLE = 56, PLOT_WIDTH = 960, WIDTH = 3 * MARGIN + SIDE + PLOT_WIDTH };
enum { HEIGHT = TITLE + SIDE + MARGIN };

static const double plot_scale = 1.25; /* pixels a unit, for letters that can be read */
static const double degree = TESS_PI / 180;
static const colour paper = { 255, 255, 255, 255 }, ink = { 30, 30, 35, 255 }, limit = { 230, 90, 30, 255 };

/* The power over its background, on a logarithmic scale, for any frequency. */
typedef struct rings {
    tess_array power;      /* f64 {1,1,n,n/2+1} */
    double    *background; /* of each shell, log */
    double    *contrast;   /* of each shell: standard deviation of what is shown */
    int64_t    n;          /* of a side */
    double     reach;      /* the highest frequency that is shown, cycles per pixel */
} rings;

static int64_t clamp(int64_t x, int64_t low, int64_t high) { return x < low ? low : x > high ? high : x; }

/* Means over a twelfth of all shells: wider than rings are where there are many, so that rings stay. */
static void smooth(double *shells, const double *values, int64_t n)
{
    const int64_t wide = n / 12 + 2;
    for (int64_t i = 0; i < n; i++) {
        const int64_t from = clamp(i - wide, 1, n - 1), to = clamp(i + wide, 1, n - 1);
        double        sum = 0;
        for (int64_t k = from; k <= to; k++) sum += values[k];
        shells[i] = sum / (double)(to - from + 1);
    }
}

static tess_status find_background(rings *r)
{
    const int64_t n = r->n / 2 + 1;
    tess_array    means = { 0 };
    TESS_TRY(tess_rotational_average(&means, &r->power, TESS_SHAPE(1, 1, r->n, r->n),
                                     &(tess_rotational_average_opts){ .shells = n }));
    double *mean = means.data;
    for (int64_t i = 0; i < n; i++) mean[i] = log(fmax(mean[i], 1e-300));
    smooth(r->background, mean, n);
    tess_release(&means);
    return TESS_OK;
}

/* A coefficient of the half spectrum, or the one opposite to it. */
static double coefficient(const rings *r, int64_t h, int64_t w)
{
    if (w < 0) w = -w, h = -h;
    if (w > r->n / 2) return 1;
    return ((const double *)r->power.data)[(h + r->n) % r->n * (r->n / 2 + 1) + w];
}

/* At a frequency in pixels of the spectrum, linear between coefficients. */
static double power_at(const rings *r, double y, double x)
{
    const int64_t h = (int64_t)floor(y), w = (int64_t)floor(x);
    const double  dy = y - (double)h, dx = x - (double)w;
    return (1 - dy) * ((1 - dx) * coefficient(r, h, w) + dx * coefficient(r, h, w + 1)) +
           dy * ((1 - dx) * coefficient(r, h + 1, w) + dx * coefficient(r, h + 1, w + 1));
}

/* Over the background, the mean of a short arc about a frequency: rings are smooth along it, noise is not. */
static double measured_at(const rings *r, double fh, double fw)
{
    enum { ARC = 16 };
    const double y = fh * (double)r->n, x = fw * (double)r->n, radius = hypot(x, y);
    if (radius > (double)(r->n / 2) || radius < 1) return 0;
    const double step = fmin(0.5 * degree, 1 / radius), sine = sin(step), cosine = cos(step);
    const double s = sin(ARC / 2 * step), c = cos(ARC / 2 * step);
    double       sum = 0, h = c * y - s * x, w = c * x + s * y; /* where the arc begins */
    for (int i = 0; i <= ARC; i++) {
        const double next = cosine * h + sine * w;
        sum += power_at(r, h, w);
        w = cosine * w - sine * h;
        h = next;
    }
    return log(fmax(sum / (ARC + 1), 1e-300)) - r->background[(int64_t)radius];
}

/* The frequency at a pixel of the square, whose middle is 0; rows go down. */
static void frequency_at(const rings *r, int x, int y, double *fh, double *fw)
{
    const double pixel = 2 * r->reach / SIDE;
    *fw = (x + 0.5 - 0.5 * SIDE) * pixel;
    *fh = (0.5 * SIDE - y - 0.5) * pixel;
}

/* Standard deviations along half circles, smoothed as the background is: rings fade, and must stay
 * visible. */
static tess_status find_contrast(rings *r)
{
    const int64_t n = r->n / 2 + 1;
    double       *deviations = calloc((size_t)n, sizeof *deviations);
    TESS_CHECK(deviations, TESS_ENOMEM, "no memory for %lld shells", (long long)n);
    for (int64_t i = 1; i < n; i++) {
        const double f = (double)i / (double)r->n;
        double       sum = 0;
        for (int angle = 0; angle < 180; angle += 4) {
            const double value = measured_at(r, f * sin(angle * degree), f * cos(angle * degree));
            sum += value * value;
        }
        deviations[i] = sqrt(sum / 45);
    }
    smooth(r->contrast, deviations, n);
    free(deviations);
    return TESS_OK;
}

/* One of 32: files of noise are smaller than with 256. */
static uint8_t grey_of(double value) { return (uint8_t)(rint(31 * fmin(fmax(value, 0), 1)) * (255.0 / 31) + 0.5); }

/* From black to white are four standard deviations. */
static double grey_at(const rings *r, double fh, double fw)
{
    const int64_t shell = clamp((int64_t)(hypot(fh, fw) * (double)r->n), 0, r->n / 2);
    return r->contrast[shell] > 0 ? 0.5 + measured_at(r, fh, fw) / (4 * r->contrast[shell]) : 0.5;
}

static void fill_square(const ctf_picture *p, const rings *r, uint8_t *rgb)
{
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            double fh, fw, value;
            frequency_at(r, x, y, &fh, &fw);
            if (x < SIDE / 2) value = grey_at(r, fh, fw);
            else value = pow(tess_ctf_value_at(p->ctf, fh, fw) / tess_ctf_envelope_at(p->ctf, fh, fw), 2);
            memset(rgb + 3 * (y * SIDE + x), grey_of(value), 3);
        }
    }
}

/* A circle at the resolution of the fit. */
static void draw_limit(const ctf_picture *p, const rings *r, canvas *c)
{
    enum { POINTS = 361 };
    const double radius = p->resolution / r->reach * SIDE / 2, x = MARGIN + SIDE / 2, y = TITLE + SIDE / 2;
    point        circle[POINTS];
    if (!(p->resolution > 0)) return;
    for (int i = 0; i < POINTS; i++) {
        circle[i] = (point){ x + radius * cos(i * degree), y - radius * sin(i * degree) };
    }
    c->surface.clip(&c->surface, MARGIN, TITLE, SIDE, SIDE);
    c->surface.line(&c->surface, circle, POINTS, (stroke){ .width = 2, .colour = limit, .dash = 8, .gap = 6 });
    c->surface.clip(&c->surface, 0, 0, -1, -1);
}

/* A word on a dark ground in an upper corner of the square. */
static void draw_word(canvas *c, const char *word, bool right)
{
    const double     width = c->surface.text_width(&c->surface, word, 16, true) + 16;
    const double     x = right ? MARGIN + SIDE - width - 6 : MARGIN + 6;
    const text_style style = { .size = 16, .colour = paper, .anchor = ANCHOR_START, .bold = true };
    surface_rectangle(&c->surface, x, TITLE + 6, width, 26, (colour){ 0, 0, 0, 170 });
    c->surface.text(&c->surface, (point){ x + 8, TITLE + 24 }, word, style);
}

static tess_status draw_rings(const ctf_picture *p, const rings *r, canvas *c)
{
    uint8_t *rgb = malloc(3 * SIDE * SIDE);
    TESS_CHECK(rgb, TESS_ENOMEM, "no memory for a picture of %d x %d", SIDE, SIDE);
    fill_square(p, r, rgb);
    canvas_blit(c, MARGIN, TITLE, rgb, SIDE, SIDE, 1);
    free(rgb);
    surface_segment(&c->surface, MARGIN + SIDE / 2, TITLE, MARGIN + SIDE / 2, TITLE + SIDE,
                    (stroke){ .width = 1, .colour = paper });
    draw_limit(p, r, c);
    draw_word(c, "measured", false);
    draw_word(c, "fit", true);
    return TESS_OK;
}

/* ---- The curves ---- */

typedef struct fit_curves {
    int64_t n;
    double *x, *measured, *fit, *agreement;
} fit_curves;

/* How much higher rings of the fit are than those that were measured, by least squares over the range. */
static double ring_scale(const ctf_picture *p, const double *measured, const double *fit, int64_t n)
{
    const double last = p->resolution > p->low ? fmin(p->resolution, p->high) : p->high;
    double       both = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        const double f = 0.5 * (double)i / (double)(n - 1);
        if (f < p->low || f > last) continue;
        both += measured[i] * (fit[i] - 0.5);
        squares += (fit[i] - 0.5) * (fit[i] - 0.5);
    }
    return both > 0 ? squares / both : 1;
}

/* From the beginning of the range on; measured ones on the scale of CTF^2. */
static void fill_curves(const ctf_picture *p, double reach, fit_curves *c)
{
    const int64_t n = p->curves->shape.w;
    const double *measured = p->curves->data, *fit = measured + n, *agreement = fit + n;
    const double  scale = ring_scale(p, measured, fit, n);
    const double  angstrom = 0.5 * (p->ctf->pixel_size[0] + p->ctf->pixel_size[1]);
    c->n = 0;
    for (int64_t i = 0; i < n; i++) {
        const double f = 0.5 * (double)i / (double)(n - 1);
        if (f < p->low || f > reach) continue;
        c->x[c->n] = f / angstrom;
        c->measured[c->n] = fmin(fmax(0.5 + scale * measured[i], -0.5), 1.5);
        c->fit[c->n] = fit[i];
        c->agreement[c->n++] = agreement[i];
    }
}

/* Calls `draw` with the plot of the curves. */
static tess_status with_plot(const ctf_picture *p, double reach, tess_status (*draw)(const plot *drawn, void *context),
                             void *context)
{
    const int64_t n = p->curves->shape.w;
    double       *numbers = malloc(4 * (size_t)n * sizeof *numbers);
    char          label[64];
    TESS_CHECK(numbers, TESS_ENOMEM, "no memory for curves of %lld points", (long long)n);
    fit_curves c = { 0, numbers, numbers + n, numbers + 2 * n, numbers + 3 * n };
    fill_curves(p, reach, &c);
    const double     angstrom = 0.5 * (p->ctf->pixel_size[0] + p->ctf->pixel_size[1]);
    const plot_curve curves[] = {
        { .name = "measured, background subtracted", .x = c.x, .y = c.measured, .n = c.n },
        { .name = "CTF\xc2\xb2 of the fit", .x = c.x, .y = c.fit, .n = c.n },
        { .name = p->resolution > 0 ? label : "their correlation", .x = c.x, .y = c.agreement, .n = c.n }
    };
    const plot_line lines[] = { { .value = 0.5 }, { .value = p->resolution / angstrom, .upright = true } };
    (void)snprintf(label, sizeof label, "their correlation, above 0.5 up to %.1f \xc3\x85", angstrom / p->resolution);
    const plot        drawn = { .x.title = "Spatial frequency (1/\xc3\x85)",
                                .y = { .low = -0.5, .high = 1.5 },
                                .angstrom = true,
                                .curves = curves,
                                .n_curves = 3,
                                .lines = lines,
                                .n_lines = p->resolution > 0 ? 2 : 1,
                                .width = PLOT_WIDTH / plot_scale,
                                .height = SIDE / plot_scale };
    const tess_status status = draw(&drawn, context);
    free(numbers);
    return status;
}

static tess_status put_plot(const plot *drawn, void *context)
{
    canvas     *whole = context, *c = NULL;
    tess_status status;
    TESS_TRY(canvas_new(&c, drawn->width, drawn->height, plot_scale, paper));
    TESS_GOTO(done, status, plot_draw(&c->surface, drawn, NULL));
    canvas_blit(whole, 2 * MARGIN + SIDE, TITLE, c->rgb, c->width, c->height, 1);
done:
    canvas_free(c);
    return status;
}

typedef struct svg_target {
    const char *path;
    bool        overwrite;
} svg_target;

static tess_status write_svg(const plot *drawn, void *context)
{
    const svg_target *to = context;
    return plot_write(drawn, to->path, 1, to->overwrite, NULL);
}

/* ---- The whole ---- */

static tess_status draw_all(const ctf_picture *p, rings *r, canvas *c)
{
    const text_style style = { .size = 20, .colour = ink, .anchor = ANCHOR_START, .bold = true };
    TESS_TRY(tess_cast(&r->power, p->power, TESS_F64, NULL));
    TESS_TRY(find_background(r));
    TESS_TRY(find_contrast(r));
    c->surface.text(&c->surface, (point){ MARGIN, 36 }, p->title, style);
    TESS_TRY(draw_rings(p, r, c));
    return with_plot(p, r->reach, put_plot, c);
}

/* Somewhat beyond the range and the rings. */
static double reach_of(const ctf_picture *p) { return fmin(0.5, 1.2 * fmax(p->high, p->resolution)); }

tess_status ctf_picture_write(const ctf_picture *p, const char *path, bool overwrite)
{
    const size_t length = strlen(path);
    if (length > 4 && strcmp(path + length - 4, ".svg") == 0)
        return with_plot(p, reach_of(p), write_svg, &(svg_target){ path, overwrite });
    canvas     *c = NULL;
    tess_status status;
    rings       r = { .n = p->power->shape.h, .reach = reach_of(p) };
    r.background = calloc((size_t)(r.n + 2), sizeof *r.background);
    TESS_CHECK(r.background, TESS_ENOMEM, "no memory for a background of %lld shells", (long long)(r.n / 2 + 1));
    r.contrast = r.background + r.n / 2 + 1;
    TESS_GOTO(done, status, canvas_new(&c, WIDTH, HEIGHT, 1, paper));
    TESS_GOTO(done, status, draw_all(p, &r, c));
    TESS_GOTO(done, status, canvas_write(c, path, overwrite));
done:
    canvas_free(c);
    tess_release(&r.power);
    free(r.background);
    return status;
}
