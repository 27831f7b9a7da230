/* Shifts of frames as tables, and as trajectories on a picture. */
#include "movies/motion_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture/image.h"
#include "picture/longtext.h"
#include "picture/plot.h"

enum { COLUMNS = TESS_MOTION_COEFFICIENTS, MAGNIFIED = 10 };

/* Frame, x and y. */
static const double *shift_of(const motion *m, int64_t i) { return (const double *)m->result->shifts.data + 3 * i; }

static int64_t frames_of(const motion *m) { return m->result->n_frames; }

motion motion_of(const job *j, const input *in, const tess_motion_correct_result *result)
{
    const bool is_eer = in->info.format == TESS_FORMAT_EER;
    return (motion){ .in = in,
                     .result = result,
                     .dose = job_number(j, "dose", 0),
                     .pre = job_number(j, "pre", 0),
                     .voltage = job_number(j, "voltage", 300),
                     .gain = job_text(j, "gain", NULL),
                     .defects = job_text(j, "defects", NULL),
                     .eer_upsampling = is_eer ? job_text(j, "eer-upsampling", "1")[0] - '0' : 0,
                     .eer_group = is_eer && !job_has(j, "eer-dose") ? job_integer(j, "eer-group", 1) : 0 };
}

/* ---- The table ---- */

void motion_print(const motion *m, job *j)
{
    const tess_motion_correct_result *r = m->result;
    table                            *t = table_new(j, stdout);
    table_text(t, "file", m->in->name);
    table_integer(t, "frames", r->n_frames);
    table_integer(t, "group", r->group);
    table_integer(t, "bad_pixels", r->n_bad_pixels);
    table_number(t, "motion_A", r->motion);
    if (r->n_frames > 1) table_number(t, "score", r->score);
    else table_null(t, "score");
    table_integer(t, "patches", r->n_patches);
    table_text(t, "local_model", r->model.data ? "yes" : "no");
    if (r->model.data) table_number(t, "residual_px", r->residual);
    else table_null(t, "residual_px");
    table_row(t);
    table_end(t);
}

/* ---- STAR ---- */

static tess_status add_general(const motion *m, tess_star *star)
{
    const tess_shape s = m->in->info.shape;
    tess_star_table *t;
    TESS_TRY(tess_star_add(&t, star, "general", true));
    TESS_TRY(tess_star_set_i64(t, 0, "rlnImageSizeX", s.w));
    TESS_TRY(tess_star_set_i64(t, 0, "rlnImageSizeY", s.h));
    TESS_TRY(tess_star_set_i64(t, 0, "rlnImageSizeZ", frames_of(m)));
    TESS_TRY(tess_star_set(t, 0, "rlnMicrographMovieName", m->in->name));
    if (m->gain) TESS_TRY(tess_star_set(t, 0, "rlnMicrographGainName", m->gain));
    if (m->defects) TESS_TRY(tess_star_set(t, 0, "rlnMicrographDefectFile", m->defects));
    TESS_TRY(tess_star_set_f64(t, 0, "rlnMicrographBinning", 1));
    TESS_TRY(tess_star_set_f64(t, 0, "rlnMicrographOriginalPixelSize", m->result->pixel_size));
    if (m->dose > 0) {
        TESS_TRY(tess_star_set_f64(t, 0, "rlnMicrographDoseRate", m->dose));
        TESS_TRY(tess_star_set_f64(t, 0, "rlnMicrographPreExposure", m->pre));
    }
    TESS_TRY(tess_star_set_f64(t, 0, "rlnVoltage", m->voltage));
    TESS_TRY(tess_star_set_i64(t, 0, "rlnMicrographStartFrame", m->in->chosen ? m->in->chosen[0] + 1 : 1));
    if (m->eer_upsampling) TESS_TRY(tess_star_set_i64(t, 0, "rlnEERUpsampling", m->eer_upsampling));
    if (m->eer_group) TESS_TRY(tess_star_set_i64(t, 0, "rlnEERGrouping", m->eer_group));
    return tess_star_set_i64(t, 0, "rlnMotionModelVersion", m->result->model.data ? 1 : 0);
}

static tess_status add_shifts(const motion *m, tess_star *star)
{
    tess_star_table *t;
    TESS_TRY(tess_star_add(&t, star, "global_shift", false));
    TESS_TRY(tess_star_add_rows(t, frames_of(m)));
    for (int64_t i = 0; i < frames_of(m); ++i) {
        TESS_TRY(tess_star_set_i64(t, i, "rlnMicrographFrameNumber", i + 1));
        TESS_TRY(tess_star_set_f64(t, i, "rlnMicrographShiftX", shift_of(m, i)[1]));
        TESS_TRY(tess_star_set_f64(t, i, "rlnMicrographShiftY", shift_of(m, i)[2]));
    }
    return TESS_OK;
}

static tess_status add_model(const motion *m, tess_star *star)
{
    const double    *c = m->result->model.data;
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
    if (!m->result->hot_pixels.data) return TESS_OK;
    TESS_TRY(tess_as_u8(&hot, &m->result->hot_pixels));
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
    const int64_t    n = m->result->patch_shifts.shape.h, rows = m->result->patch_shifts.shape.b * n;
    const double    *at = m->result->patch_positions.data, *local = m->result->patch_shifts.data;
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
    if (m->result->model.data) TESS_GOTO(done, status, add_model(m, star));
    TESS_GOTO(done, status, add_hot(m, star));
    if (m->result->patch_shifts.data) TESS_GOTO(done, status, add_local(m, star));
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
    TESS_CHECK(!t->failed, TESS_ENOMEM, "motion: out of memory for the text of %s", path);
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
    for (int64_t i = 0; i < frames_of(m); ++i) {
        const double *s = shift_of(m, i);
        char          text[4][32];
        longtext_add(&t, "%lld\t%s\t%s\t%s\t%s\n", (long long)i, number_text(text[0], s[1]), number_text(text[1], s[2]),
                     number_text(text[2], s[1] * m->result->pixel_size),
                     number_text(text[3], s[2] * m->result->pixel_size));
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

/* Shifts of frames in pixels, those of the next one `step` numbers on. */
typedef struct way {
    const double *x, *y;
    int64_t       step;
} way;

/* A curve from a position in Å, of shifts in pixels, magnified. */
static void set_curve(plot_curve *curve, double *x, double *y, const motion *m, way shifts, const double at[2])
{
    const int64_t n = frames_of(m);
    for (int64_t i = 0; i < n; ++i) {
        x[i] = at[1] + MAGNIFIED * shifts.x[shifts.step * i] * m->result->pixel_size;
        y[i] = at[0] + MAGNIFIED * shifts.y[shifts.step * i] * m->result->pixel_size;
    }
    *curve = (plot_curve){ .x = x, .y = y, .n = n, .kind = PLOT_LINE_POINTS };
}

/* From the mean less 3 standard deviations to 3 above it, light, so that colours stand out; rows from the top. */
static tess_status grey_of_mean(const motion *m, uint8_t *pixels)
{
    tess_span_f32 v;
    double        shown[2];
    TESS_TRY(image_contrast(shown, &m->result->thumbnail, 1, &(contrast){ CONTRAST_SIGMA, 3, 3, false }));
    TESS_TRY(tess_as_f32(&v, &m->result->thumbnail));
    for (int64_t h = 0; h < v.shape.h; ++h)
        for (int64_t w = 0; w < v.shape.w; ++w) {
            const double value = (double)TESS_AT(float, v, 0, 0, v.shape.h - 1 - h, w);
            const double level = fmin(fmax((value - shown[0]) / (shown[1] - shown[0]), 0), 1);
            pixels[h * v.shape.w + w] = (uint8_t)(120.5 + 135 * level);
        }
    return TESS_OK;
}

/* Patches whose curves are drawn: those that the model was fitted to. */
static int64_t drawn_patches(const motion *m) { return m->result->model.data ? m->result->n_patches : 0; }

/* All curves; those of patches are what is left beside the motion of whole frames, and have one name. */
static void set_curves(const motion *m, plot_curve *curves, double *numbers, double height, double width)
{
    const int64_t n = frames_of(m), patches = drawn_patches(m) ? m->result->patch_positions.shape.b : 0;
    const double *at = m->result->patch_positions.data, *local = m->result->patch_shifts.data,
                 *weights = m->result->patch_weights.data;
    int64_t   k = 1;
    const way whole = { shift_of(m, 0) + 1, shift_of(m, 0) + 2, 3 };
    set_curve(&curves[0], numbers, numbers + n, m, whole, (double[2]){ height / 2, width / 2 });
    curves[0].colour = (colour){ 200, 30, 30, 255 };
    curves[0].name = "whole frames";
    for (int64_t p = 0; p < patches; ++p) {
        const double from[2] = { (at[2 * p] + 0.5) * height, (at[2 * p + 1] + 0.5) * width };
        double      *x = numbers + 2 * n * k;
        if (weights[p * n] == 0) continue;
        set_curve(&curves[k], x, x + n, m, (way){ local + 2 * n * p + 1, local + 2 * n * p, 2 }, from);
        curves[k].kind = PLOT_LINE;
        curves[k].colour = plot_colour(0);
        curves[k].name = k == 1 ? "patches, relative to whole frames" : NULL;
        k++;
    }
}

static tess_status draw(const motion *m, const char *path, bool overwrite, plot_curve *curves, double *numbers,
                        uint8_t *pixels)
{
    const tess_shape s = m->in->info.shape;
    const double     height = (double)s.h * m->result->pixel_size, width = (double)s.w * m->result->pixel_size;
    const grey_image mean = { pixels, m->result->thumbnail.shape.w, m->result->thumbnail.shape.h };
    TESS_TRY(grey_of_mean(m, pixels));
    set_curves(m, curves, numbers, height, width);
    const plot p = { .title = "Motion, magnified 10 times",
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
    const size_t n = (size_t)frames_of(m), curves = 1 + (size_t)drawn_patches(m);
    plot_curve  *drawn = calloc(curves, sizeof *drawn);
    double      *numbers = calloc(2 * n * curves, sizeof *numbers);
    uint8_t     *pixels = malloc((size_t)(m->result->thumbnail.shape.h * m->result->thumbnail.shape.w));
    const bool   made = drawn && numbers && pixels;
    tess_status  status = made ? draw(m, path, overwrite, drawn, numbers, pixels) : TESS_OK;
    free(drawn);
    free(numbers);
    free(pixels);
    TESS_CHECK(made, TESS_ENOMEM, "motion: out of memory for %s", path);
    return status;
}
