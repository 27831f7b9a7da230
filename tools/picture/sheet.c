/* Images in rows and columns. */
#include "picture/sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const colour GAP = { 36, 40, 48, 255 }, CUT = { 230, 159, 0, 255 };

static int64_t total(const int64_t *sizes, int64_t n)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++) sum += sizes[i];
    return sum;
}

/* Pixels from the edge of the picture to column or row `i`. */
static int64_t offset(const sheet *s, const int64_t *sizes, int64_t i)
{
    return total(sizes, i) * s->zoom + i * s->opts.gap;
}

static void find_scale(sheet *s)
{
    const sheet_opts *o = &s->opts;
    const double      width = (double)total(s->widths, s->n_columns), height = (double)total(s->heights, s->n_rows);
    const double      gaps_x = (double)((s->n_columns - 1) * o->gap), gaps_y = (double)((s->n_rows - 1) * o->gap);
    s->factor = 1;
    s->zoom = 1;
    if (o->zoom > 0) {
        s->zoom = o->zoom;
        return;
    }
    if (o->max_width > 0) s->factor = fmin(s->factor, fmax((double)o->max_width - gaps_x, 1) / width);
    if (o->max_height > 0) s->factor = fmin(s->factor, fmax((double)o->max_height - gaps_y, 1) / height);
    if (s->factor < 1 || o->min <= 0) return;
    s->zoom = (int64_t)fmax(1, floor((double)o->min / fmax(width, height) + 0.5));
    if (o->max_width > 0) s->zoom = (int64_t)fmin((double)s->zoom, fmax(1, floor((double)o->max_width / width)));
    if (o->max_height > 0) s->zoom = (int64_t)fmin((double)s->zoom, fmax(1, floor((double)o->max_height / height)));
}

tess_status sheet_start(sheet *s, int64_t n_columns, const int64_t *widths, int64_t n_rows, const int64_t *heights,
                        bool all_equal, const sheet_opts *opts)
{
    *s = (sheet){ .opts = *opts, .n_columns = n_columns, .n_rows = n_rows };
    s->widths = malloc(sizeof(int64_t) * (size_t)n_columns);
    s->heights = malloc(sizeof(int64_t) * (size_t)n_rows);
    s->panels = calloc((size_t)(n_columns * n_rows), sizeof *s->panels);
    if (!s->widths || !s->heights || !s->panels) {
        sheet_free(s);
        TESS_FAIL(TESS_ENOMEM, "picture: no memory for %lld x %lld images", (long long)n_columns, (long long)n_rows);
    }
    for (int64_t i = 0; i < n_columns; i++) s->widths[i] = widths[all_equal ? 0 : i];
    for (int64_t i = 0; i < n_rows; i++) s->heights[i] = heights[all_equal ? 0 : i];
    find_scale(s);
    for (int64_t i = 0; i < n_columns; i++) {
        s->widths[i] = (int64_t)fmax(1, floor((double)s->widths[i] * s->factor + 1e-6));
    }
    for (int64_t i = 0; i < n_rows; i++) {
        s->heights[i] = (int64_t)fmax(1, floor((double)s->heights[i] * s->factor + 1e-6));
    }
    return TESS_OK;
}

tess_status sheet_add(sheet *s, int64_t column, int64_t row, const tess_array *image, const char *label)
{
    panel *p = &s->panels[row * s->n_columns + column];
    tess_release(&p->image);
    const int64_t height = s->heights[row] < image->shape.h ? s->heights[row] : image->shape.h;
    const int64_t width = s->widths[column] < image->shape.w ? s->widths[column] : image->shape.w;
    TESS_TRY(image_shrink(&p->image, image, height, width));
    (void)snprintf(p->label, sizeof p->label, "%s", label);
    return TESS_OK;
}

/* The images that are there, as a list without gaps; to be freed. */
static tess_status list_images(const sheet *s, tess_array **list, int64_t *n)
{
    *n = 0;
    *list = malloc(sizeof **list * (size_t)(s->n_columns * s->n_rows));
    TESS_CHECK(*list, TESS_ENOMEM, "picture: no memory for a list of images");
    for (int64_t i = 0; i < s->n_columns * s->n_rows; i++) {
        if (s->panels[i].image.data) (*list)[(*n)++] = s->panels[i].image;
    }
    return TESS_OK;
}

static tess_status shared_contrast(const sheet *s, double shown[2])
{
    tess_array *list = NULL;
    int64_t     n = 0;
    TESS_TRY(list_images(s, &list, &n));
    const tess_status status = image_contrast(shown, list, n, &s->opts.contrast);
    free(list);
    if (status != TESS_OK) TESS_TRY(status);
    return TESS_OK;
}

tess_status sheet_shown(const sheet *s, int64_t column, int64_t row, double shown[2])
{
    if (s->opts.together) TESS_TRY(shared_contrast(s, shown));
    else TESS_TRY(image_contrast(shown, &s->panels[row * s->n_columns + column].image, 1, &s->opts.contrast));
    return TESS_OK;
}

/* Labels are as large as the narrowest image allows. */
static double label_width(const sheet *s)
{
    int64_t min = s->widths[0];
    for (int64_t i = 1; i < s->n_columns; i++) min = s->widths[i] < min ? s->widths[i] : min;
    return (double)(min * s->zoom);
}

static tess_status draw_panels(const sheet *s, canvas *c)
{
    double shown[2];
    if (s->opts.together) TESS_TRY(shared_contrast(s, shown));
    for (int64_t row = 0; row < s->n_rows; row++) {
        for (int64_t column = 0; column < s->n_columns; column++) {
            const panel *p = &s->panels[row * s->n_columns + column];
            if (!p->image.data) continue;
            const int64_t x = offset(s, s->widths, column), y = offset(s, s->heights, row);
            if (!s->opts.together) TESS_TRY(image_contrast(shown, &p->image, 1, &s->opts.contrast));
            TESS_TRY(image_put(c, x, y, &p->image, shown, s->opts.contrast.invert, s->zoom));
            if (p->label[0] == 0) continue;
            image_label(c, (double)x, (double)y, label_width(s), p->label);
        }
    }
    return TESS_OK;
}

/* A small triangle that points at a position from the gap or the edge beside it. */
static void point_at(canvas *c, double x, double y, double dx, double dy, double size)
{
    const point corners[3] = { { x, y },
                               { x + dx * size - dy * size * 0.6, y + dy * size + dx * size * 0.6 },
                               { x + dx * size + dy * size * 0.6, y + dy * size - dx * size * 0.6 } };
    c->surface.fill(&c->surface, corners, 3, CUT);
}

static void draw_cut(const sheet *s, canvas *c, const double cut[3])
{
    const double scale = s->factor * (double)s->zoom, size = fmin(fmax((double)c->width / 90, 4), 12);
    const double left = (double)offset(s, s->widths, 1), low = (double)offset(s, s->heights, 1);
    const double high = (double)(s->heights[0] * s->zoom), bottom = low + (double)(s->heights[1] * s->zoom);
    const double x = (cut[0] + 0.5) * scale;
    const double y = bottom - (cut[1] + 0.5) * scale, z_up = high - (cut[2] + 0.5) * scale;
    const double z_right = left + (cut[2] + 0.5) * scale;
    point_at(c, x, bottom - size, 0, 1, size);       /* xy: its x, from below */
    point_at(c, size, y, -1, 0, size);               /* xy: its y, from the left */
    point_at(c, size, z_up, -1, 0, size);            /* xz: its z */
    point_at(c, x, high - size, 0, 1, size);         /* xz: its x */
    point_at(c, z_right, bottom - size, 0, 1, size); /* zy: its z */
    point_at(c, left + size, y, -1, 0, size);        /* zy: its y */
}

tess_status sheet_draw(const sheet *s, canvas **made, const double cut[3])
{
    const int64_t width = offset(s, s->widths, s->n_columns) - s->opts.gap;
    const int64_t height = offset(s, s->heights, s->n_rows) - s->opts.gap;
    canvas       *c = NULL;
    tess_status   status;
    TESS_TRY(canvas_new(&c, (double)width, (double)height, 1, GAP));
    TESS_GOTO(failed, status, draw_panels(s, c));
    if (cut) draw_cut(s, c, cut);
    if (s->opts.pixel_size > 0) {
        const double y = (double)offset(s, s->heights, s->n_rows - 1);
        (void)image_scale_bar(c, 0, y, (double)(s->widths[0] * s->zoom), (double)(s->heights[s->n_rows - 1] * s->zoom),
                              s->opts.pixel_size / (s->factor * (double)s->zoom));
    }
    *made = c;
    return TESS_OK;
failed:
    canvas_free(c);
    return status;
}

void sheet_free(sheet *s)
{
    for (int64_t i = 0; s->panels && i < s->n_columns * s->n_rows; i++) tess_release(&s->panels[i].image);
    free(s->panels);
    free(s->widths);
    free(s->heights);
    *s = (sheet){ .zoom = 0 };
}
