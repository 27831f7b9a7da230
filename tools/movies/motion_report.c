/* Shifts of frames as tables, and as trajectories on a picture. */
#include "movies/motion_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture/image.h"
#include "picture/longtext.h"
#include "picture/plot.h"

enum { COLUMNS = TESS_MOTION_COEFFICIENTS, MAGNIFIED = 10 };

static const double *shift_of(const motion *m, int64_t i) { return (const double *)m->whole.shifts.data + 2 * i; }

/* Electrons per square Å that the early motion ends at. */
static const double EARLY = 4;

void motion_length(double *early, double *late, const motion *m)
{
    const double  each = m->exposure->each > 0 ? m->exposure->each : 1;
    const double *doses = m->exposure->doses.data;
    *early = *late = 0;
    for (int64_t i = 1; i < m->whole.shifts.shape.b; ++i) {
        const double *a = shift_of(m, i - 1), *b = shift_of(m, i);
        const double  dose = doses ? doses[i] : each * (double)(i + 1);
        *(dose <= EARLY * (1 + 1e-9) ? early : late) += hypot(b[0] - a[0], b[1] - a[1]);
    }
}

/* ---- STAR ---- */

static tess_status add_general(const motion *m, tess_star *star)
{
    const tess_shape s = m->in->info.shape;
    tess_star_table *t;
    TESS_TRY(tess_star_add(&t, star, "general", true));
    TESS_TRY(tess_star_set_i64(t, 0, "rlnImageSizeX", s.w));
    TESS_TRY(tess_star_set_i64(t, 0, "rlnImageSizeY", s.h));
    TESS_TRY(tess_star_set_i64(t, 0, "rlnImageSizeZ", m->whole.shifts.shape.b));
    TESS_TRY(tess_star_set(t, 0, "rlnMicrographMovieName", m->in->name));
    if (m->gain) TESS_TRY(tess_star_set(t, 0, "rlnMicrographGainName", m->gain));
    if (m->defects) TESS_TRY(tess_star_set(t, 0, "rlnMicrographDefectFile", m->defects));
    TESS_TRY(tess_star_set_f64(t, 0, "rlnMicrographBinning", 1));
    TESS_TRY(tess_star_set_f64(t, 0, "rlnMicrographOriginalPixelSize", m->pixel_size));
    if (m->exposure->each > 0) {
        TESS_TRY(tess_star_set_f64(t, 0, "rlnMicrographDoseRate", m->exposure->each));
        TESS_TRY(tess_star_set_f64(t, 0, "rlnMicrographPreExposure", m->exposure->before));
    }
    TESS_TRY(tess_star_set_f64(t, 0, "rlnVoltage", m->exposure->voltage));
    TESS_TRY(tess_star_set_i64(t, 0, "rlnMicrographStartFrame", m->in->chosen ? m->in->chosen[0] + 1 : 1));
    if (m->eer_upsampling) TESS_TRY(tess_star_set_i64(t, 0, "rlnEERUpsampling", m->eer_upsampling));
    if (m->eer_group) TESS_TRY(tess_star_set_i64(t, 0, "rlnEERGrouping", m->eer_group));
    return tess_star_set_i64(t, 0, "rlnMotionModelVersion", m->local.model.data ? 1 : 0);
}

static tess_status add_shifts(const motion *m, tess_star *star)
{
    tess_star_table *t;
    TESS_TRY(tess_star_add(&t, star, "global_shift", false));
    TESS_TRY(tess_star_add_rows(t, m->whole.shifts.shape.b));
    for (int64_t i = 0; i < m->whole.shifts.shape.b; ++i) {
        TESS_TRY(tess_star_set_i64(t, i, "rlnMicrographFrameNumber", i + 1));
        TESS_TRY(tess_star_set_f64(t, i, "rlnMicrographShiftX", shift_of(m, i)[1]));
        TESS_TRY(tess_star_set_f64(t, i, "rlnMicrographShiftY", shift_of(m, i)[0]));
    }
    return TESS_OK;
}

static tess_status add_model(const motion *m, tess_star *star)
{
    const double    *c = m->local.model.data;
    tess_star_table *t;
    TESS_TRY(tess_star_add(&t, star, "local_motion_model", false));
    TESS_TRY(tess_star_add_rows(t, 2 * COLUMNS));
    for (int64_t i = 0; i < 2 * COLUMNS; ++i) {
        TESS_TRY(tess_star_set_i64(t, i, "rlnMotionModelCoeffsIdx", i));
        TESS_TRY(tess_star_set_f64(t, i, "rlnMotionModelCoeff", c[i < COLUMNS ? COLUMNS + i : i - COLUMNS]));
    }
    return TESS_OK;
}

/* Pixels, to a ten-thousandth. */
static tess_status set_place(tess_star_table *t, int64_t row, double y, double x)
{
    TESS_TRY(tess_star_set_f64(t, row, "rlnCoordinateX", round(1e4 * x) / 1e4));
    return tess_star_set_f64(t, row, "rlnCoordinateY", round(1e4 * y) / 1e4);
}

/* Pixels that are hot, from 0. */
static tess_status add_hot(const motion *m, tess_star *star)
{
    tess_star_table *t = NULL;
    tess_span_u8     hot;
    if (!m->hot_pixels || !m->hot_pixels->data) return TESS_OK;
    TESS_TRY(tess_as_u8(&hot, m->hot_pixels));
    for (int64_t i = 0; i < hot.shape.h * hot.shape.w; ++i) {
        if (!TESS_AT(uint8_t, hot, 0, 0, i / hot.shape.w, i % hot.shape.w)) continue;
        if (!t) TESS_TRY(tess_star_add(&t, star, "hot_pixels", false));
        TESS_TRY(tess_star_add_rows(t, 1));
        TESS_TRY(set_place(t, tess_star_rows(t) - 1, (double)(i / hot.shape.w), (double)(i % hot.shape.w)));
    }
    return TESS_OK;
}

static tess_status add_local(const motion *m, tess_star *star)
{
    const tess_shape s = m->in->info.shape;
    const int64_t    n = m->local.shifts.shape.h, rows = m->local.shifts.shape.b * n;
    const double    *at = m->local.positions.data, *local = m->local.shifts.data;
    tess_star_table *t;
    TESS_TRY(tess_star_add(&t, star, "local_shift", false));
    TESS_TRY(tess_star_add_rows(t, rows));
    for (int64_t i = 0; i < rows; ++i) {
        TESS_TRY(tess_star_set_i64(t, i, "rlnMicrographFrameNumber", i % n + 1));
        TESS_TRY(set_place(t, i, (at[2 * (i / n)] + 0.5) * (double)s.h, (at[2 * (i / n) + 1] + 0.5) * (double)s.w));
        TESS_TRY(tess_star_set_f64(t, i, "rlnMicrographShiftX", local[2 * i + 1]));
        TESS_TRY(tess_star_set_f64(t, i, "rlnMicrographShiftY", local[2 * i]));
    }
    return TESS_OK;
}

static tess_status write_star(const motion *m, const char *path, bool overwrite)
{
    tess_star  *star = NULL;
    tess_status status;
    TESS_TRY(tess_star_new(&star));
    TESS_GOTO(done, status, add_general(m, star));
    TESS_GOTO(done, status, add_shifts(m, star));
    if (m->local.model.data) TESS_GOTO(done, status, add_model(m, star));
    TESS_GOTO(done, status, add_hot(m, star));
    if (m->local.shifts.data) TESS_GOTO(done, status, add_local(m, star));
    TESS_GOTO(done, status, tess_star_write(path, star, &(tess_star_opts){ .overwrite = overwrite }));
done:
    tess_star_free(star);
    return status;
}

/* ---- TSV ---- */

/* As an array of bytes, so that the file is put in its place whole. */
static tess_status write_text(const longtext *t, const char *path, bool overwrite)
{
    tess_array bytes;
    TESS_CHECK(!t->failed, TESS_ENOMEM, "motion: no memory for the text of %s", path);
    TESS_TRY(tess_wrap(&bytes, t->bytes, TESS_SHAPE(1, 1, 1, (int64_t)t->length), TESS_U8, NULL));
    return tess_write(path, &bytes,
                      &(tess_write_opts){ .format = TESS_FORMAT_RAW,
                                          .compression = TESS_COMPRESSION_NONE,
                                          .overwrite = overwrite ? 1 : 0 });
}

static tess_status write_tsv(const motion *m, const char *path, bool overwrite)
{
    longtext t = { 0 };
    longtext_add(&t, "frame\tx\ty\tx_A\ty_A\n");
    for (int64_t i = 0; i < m->whole.shifts.shape.b; ++i) {
        const double *s = shift_of(m, i);
        char          text[4][32];
        longtext_add(&t, "%lld\t%s\t%s\t%s\t%s\n", (long long)i, number_text(text[0], s[1]), number_text(text[1], s[0]),
                     number_text(text[2], s[1] * m->pixel_size), number_text(text[3], s[0] * m->pixel_size));
    }
    const tess_status status = write_text(&t, path, overwrite);
    longtext_free(&t);
    return status;
}

tess_status motion_write_shifts(const motion *m, const char *path, bool overwrite)
{
    const size_t n = strlen(path);
    return n > 5 && strcmp(path + n - 5, ".star") == 0 ? write_star(m, path, overwrite) : write_tsv(m, path, overwrite);
}

/* ---- The plot ---- */

/* A curve from a position in Å, of shifts in pixels, magnified. */
static void set_curve(plot_curve *curve, double *x, double *y, const motion *m, const double *shifts,
                      const double at[2])
{
    const int64_t n = m->whole.shifts.shape.b;
    for (int64_t i = 0; i < n; ++i) {
        x[i] = at[1] + MAGNIFIED * shifts[2 * i + 1] * m->pixel_size;
        y[i] = at[0] + MAGNIFIED * shifts[2 * i] * m->pixel_size;
    }
    *curve = (plot_curve){ .x = x, .y = y, .n = n, .kind = PLOT_LINE_POINTS };
}

/* From the mean less 3 standard deviations to 3 above it, light, so that colours stand out; rows from the top. */
static tess_status grey_of_mean(const motion *m, uint8_t *pixels)
{
    tess_span_f32 v;
    double        shown[2];
    TESS_TRY(image_contrast(shown, &m->mean, 1, &(contrast){ CONTRAST_SIGMA, 3, 3, false }));
    TESS_TRY(tess_as_f32(&v, &m->mean));
    for (int64_t h = 0; h < v.shape.h; ++h)
        for (int64_t w = 0; w < v.shape.w; ++w) {
            const double value = (double)TESS_AT(float, v, 0, 0, v.shape.h - 1 - h, w);
            const double level = fmin(fmax((value - shown[0]) / (shown[1] - shown[0]), 0), 1);
            pixels[h * v.shape.w + w] = (uint8_t)(120.5 + 135 * level);
        }
    return TESS_OK;
}

/* Patches whose curves are drawn: those that the model was fitted to. */
static int64_t drawn_patches(const motion *m) { return m->local.model.data ? m->local.used : 0; }

/* All curves; those of patches are what is left beside the motion of whole frames, and have one name. */
static void set_curves(const motion *m, plot_curve *curves, double *numbers, double height, double width)
{
    const int64_t n = m->whole.shifts.shape.b, patches = drawn_patches(m) ? m->local.positions.shape.b : 0;
    const double *at = m->local.positions.data, *local = m->local.shifts.data, *weights = m->local.weights.data;
    int64_t       k = 1;
    set_curve(&curves[0], numbers, numbers + n, m, m->whole.shifts.data, (double[2]){ height / 2, width / 2 });
    curves[0].colour = (colour){ 200, 30, 30, 255 };
    curves[0].name = "whole frames";
    for (int64_t p = 0; p < patches; ++p) {
        const double from[2] = { (at[2 * p] + 0.5) * height, (at[2 * p + 1] + 0.5) * width };
        double      *x = numbers + 2 * n * k;
        if (weights[p * n] == 0) continue;
        set_curve(&curves[k], x, x + n, m, local + 2 * n * p, from);
        curves[k].kind = PLOT_LINE;
        curves[k].colour = plot_colour(0);
        curves[k].name = k == 1 ? "patches, on top of that" : NULL;
        k++;
    }
}

static tess_status draw(const motion *m, const char *path, bool overwrite, plot_curve *curves, double *numbers,
                        uint8_t *pixels)
{
    const tess_shape s = m->in->info.shape;
    const double     height = (double)s.h * m->pixel_size, width = (double)s.w * m->pixel_size;
    const grey_image mean = { pixels, m->mean.shape.w, m->mean.shape.h };
    TESS_TRY(grey_of_mean(m, pixels));
    set_curves(m, curves, numbers, height, width);
    const plot p = { .title = "Motion, 10 times as large",
                     .x = { .title = "x (\xc3\x85)", .low = 0, .high = width },
                     .y = { .title = "y (\xc3\x85)", .low = 0, .high = height },
                     .curves = curves,
                     .n_curves = (int)drawn_patches(m) + 1,
                     .backdrop = &mean,
                     .width = 640,
                     .height = fmin(fmax(100 + 530 * height / width, 300), 1000) };
    return plot_write(&p, path, 1.25, overwrite, NULL);
}

tess_status motion_plot(const motion *m, const char *path, bool overwrite)
{
    const size_t n = (size_t)m->whole.shifts.shape.b, curves = 1 + (size_t)drawn_patches(m);
    plot_curve  *drawn = calloc(curves, sizeof *drawn);
    double      *numbers = calloc(2 * n * curves, sizeof *numbers);
    uint8_t     *pixels = malloc((size_t)(m->mean.shape.h * m->mean.shape.w));
    const bool   made = drawn && numbers && pixels;
    tess_status  status = made ? draw(m, path, overwrite, drawn, numbers, pixels) : TESS_OK;
    free(drawn);
    free(numbers);
    free(pixels);
    TESS_CHECK(made, TESS_ENOMEM, "motion: no memory for %s", path);
    return status;
}
