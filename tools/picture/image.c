/* Filters, power spectra and contrast of images. */
#include "picture/image.h"

#include <math.h>
#include <stdlib.h>

/* ---- Values that count ---- */

typedef struct sums {
    int64_t n;
    double  mean, m2, min, max;
} sums;

static tess_status add_values(sums *s, const tess_array *image)
{
    tess_span_f32 v;
    TESS_TRY(tess_as_f32(&v, image));
    for (int64_t b = 0; b < v.shape.b * v.shape.d; b++) {
        for (int64_t h = 0; h < v.shape.h; h++) {
            for (int64_t w = 0; w < v.shape.w; w++) {
                const double x = (double)TESS_AT(float, v, b / v.shape.d, b % v.shape.d, h, w);
                if (!isfinite(x)) continue;
                s->n++;
                const double away = x - s->mean;
                s->mean += away / (double)s->n;
                s->m2 += away * (x - s->mean);
                s->min = fmin(s->min, x);
                s->max = fmax(s->max, x);
            }
        }
    }
    return TESS_OK;
}

/* All finite values of some images in one row, for quantiles. */
static tess_status gather(tess_array *out, const tess_array *images, int64_t n, int64_t n_finite)
{
    TESS_TRY(tess_empty(out, (tess_shape){ { 1, 1, 1, n_finite } }, TESS_F32, (tess_device){ 0 }));
    float  *to = out->data;
    int64_t k = 0;
    for (int64_t i = 0; i < n; i++) {
        tess_span_f32 v;
        TESS_TRY(tess_as_f32(&v, &images[i]));
        for (int64_t h = 0; h < v.shape.h; h++) {
            for (int64_t w = 0; w < v.shape.w; w++) {
                const float x = TESS_AT(float, v, 0, 0, h, w);
                if (isfinite(x)) to[k++] = x;
            }
        }
    }
    return TESS_OK;
}

static tess_status percentiles(double shown[2], const tess_array *images, int64_t n, int64_t n_finite,
                               const contrast *by)
{
    tess_array  values = { 0 };
    tess_status status;
    TESS_GOTO(done, status, gather(&values, images, n, n_finite));
    TESS_GOTO(done, status, tess_host_quantile(&shown[0], &values, by->low / 100, NULL));
    TESS_GOTO(done, status, tess_host_quantile(&shown[1], &values, by->high / 100, NULL));
done:
    tess_release(&values);
    return status;
}

tess_status image_contrast(double shown[2], const tess_array *images, int64_t n, const contrast *by)
{
    sums s = { .min = INFINITY, .max = -INFINITY };
    for (int64_t i = 0; i < n && by->kind != CONTRAST_RANGE; i++) TESS_TRY(add_values(&s, &images[i]));
    const double sd = s.n > 0 ? sqrt(s.m2 / (double)s.n) : 0;
    shown[0] = by->low;
    shown[1] = by->high;
    if (by->kind == CONTRAST_RANGE) return TESS_OK;
    if (s.n == 0) {
        shown[0] = 0;
        shown[1] = 1;
        return TESS_OK;
    }
    if (by->kind == CONTRAST_PERCENTILE) TESS_TRY(percentiles(shown, images, n, s.n, by));
    if (by->kind == CONTRAST_SIGMA) {
        shown[0] = s.mean - by->low * sd;
        shown[1] = s.mean + by->high * sd;
    }
    if (by->kind == CONTRAST_MINMAX) {
        shown[0] = s.min;
        shown[1] = s.max;
    }
    if (shown[1] - shown[0] > 1e-6 * fmax(fabs(s.mean), 1e-30)) return TESS_OK;
    shown[0] = s.mean - fmax(fabs(s.mean), 1) / 2;
    shown[1] = s.mean + fmax(fabs(s.mean), 1) / 2;
    return TESS_OK;
}

/* ---- Fourier space ---- */

/* A copy without gaps in which what is not finite is the mean of the others, less that mean, over sd if asked. */
static tess_status prepare(tess_array *out, const tess_array *in, bool standardise, double *mean)
{
    sums s = { .min = INFINITY, .max = -INFINITY };
    TESS_TRY(add_values(&s, in));
    TESS_TRY(tess_empty(out, in->shape, TESS_F32, (tess_device){ 0 }));
    TESS_TRY(tess_copy(out, in));
    const double sd = s.n > 0 ? sqrt(s.m2 / (double)s.n) : 0, factor = standardise && sd > 0 ? 1 / sd : 1;
    float       *x = out->data;
    for (int64_t i = 0; i < tess_n_elements(out); i++) {
        x[i] = isfinite(x[i]) ? (float)(((double)x[i] - s.mean) * factor) : 0;
    }
    *mean = s.mean;
    return TESS_OK;
}

tess_status image_lowpass(tess_array *images, double cutoff, double edge)
{
    const double begin = fmax(cutoff - edge / 2, 0), end = cutoff + edge / 2; /* half at the cut-off */
    tess_array   work = { 0 };
    double       mean = 0;
    tess_status  status;
    TESS_GOTO(done, status, prepare(&work, images, false, &mean));
    TESS_GOTO(done, status, tess_lowpass_image(&work, &work, begin, &(tess_lowpass_opts){ .width = end - begin }));
    tess_span_f32 v;
    TESS_GOTO(done, status, tess_as_f32(&v, images));
    const float *x = work.data;
    for (int64_t b = 0; b < v.shape.b * v.shape.d; b++) {
        for (int64_t h = 0; h < v.shape.h; h++) {
            for (int64_t w = 0; w < v.shape.w; w++, x++) {
                float *to = &TESS_AT(float, v, b / v.shape.d, b % v.shape.d, h, w);
                if (isfinite(*to)) *to = (float)((double)*x + mean);
            }
        }
    }
done:
    tess_release(&work);
    return status;
}

tess_status image_power(tess_array *out, const tess_array *image, int64_t max)
{
    tess_array    work = { 0 }, spectrum = { 0 }, power = { 0 };
    double        mean = 0;
    const int64_t h = image->shape.h, w = image->shape.w, longer = h > w ? h : w;
    const double  factor = longer > max ? (double)max / (double)longer : 1;
    tess_status   status;
    TESS_GOTO(done, status, prepare(&work, image, true, &mean));
    TESS_GOTO(done, status, tess_fft_r2c(&spectrum, &work, NULL));
    tess_release(&work);
    TESS_GOTO(done, status, tess_fft_spectrum(&power, &spectrum, image->shape, NULL));
    tess_release(&spectrum);
    const int64_t rows = (int64_t)fmax(1, round((double)h * factor));
    const int64_t columns = (int64_t)fmax(1, round((double)w * factor));
    TESS_GOTO(done, status, image_shrink(out, &power, rows, columns));
    float *p = out->data;
    for (int64_t i = 0; i < rows * columns; i++) p[i] = (float)log1p((double)p[i]);
done:
    tess_release(&work);
    tess_release(&spectrum);
    tess_release(&power);
    return status;
}

/* ---- Sizes ---- */

/* The rows of the input that go to row `row` of `to`, weighted by how much of them it covers, added up by column. */
static void add_rows(const tess_span_f32 *in, double from, double to, double *sum, double *weight)
{
    for (int64_t w = 0; w < in->shape.w; w++) sum[w] = weight[w] = 0;
    const int64_t last = (int64_t)fmin(ceil(to - 1e-9), (double)in->shape.h);
    for (int64_t h = (int64_t)floor(from + 1e-9); h < last; h++) {
        const double part = fmin((double)h + 1, to) - fmax((double)h, from);
        for (int64_t w = 0; w < in->shape.w; w++) {
            const float x = TESS_AT(float, *in, 0, 0, h, w);
            if (isnan(x)) continue;
            sum[w] += part * (double)x;
            weight[w] += part;
        }
    }
}

static void add_columns(float *out, int64_t width, int64_t in_width, const double *sum, const double *weight)
{
    const double factor = (double)in_width / (double)width;
    for (int64_t x = 0; x < width; x++) {
        const double  from = (double)x * factor, to = (double)(x + 1) * factor;
        const int64_t last = (int64_t)fmin(ceil(to - 1e-9), (double)in_width);
        double        total = 0, parts = 0;
        for (int64_t w = (int64_t)floor(from + 1e-9); w < last; w++) {
            const double part = fmin((double)w + 1, to) - fmax((double)w, from);
            total += part * sum[w];
            parts += part * weight[w];
        }
        out[x] = parts > 0 ? (float)(total / parts) : NAN;
    }
}

tess_status image_shrink(tess_array *out, const tess_array *image, int64_t height, int64_t width)
{
    tess_span_f32 in;
    TESS_TRY(tess_as_f32(&in, image));
    TESS_TRY(tess_empty(out, (tess_shape){ { 1, 1, height, width } }, TESS_F32, (tess_device){ 0 }));
    if (height == in.shape.h && width == in.shape.w) {
        TESS_TRY(tess_copy(out, image));
        return TESS_OK;
    }
    double *rows = malloc(sizeof(double) * 2 * (size_t)in.shape.w);
    TESS_CHECK(rows, TESS_ENOMEM, "picture: no memory for a row of %lld pixels", (long long)in.shape.w);
    const double factor = (double)in.shape.h / (double)height;
    for (int64_t y = 0; y < height; y++) {
        add_rows(&in, (double)y * factor, (double)(y + 1) * factor, rows, rows + in.shape.w);
        add_columns((float *)out->data + y * width, width, in.shape.w, rows, rows + in.shape.w);
    }
    free(rows);
    return TESS_OK;
}

/* ---- Pixels ---- */

tess_status image_put(canvas *c, int64_t x, int64_t y, const tess_array *image, const double shown[2], bool invert,
                      int64_t zoom)
{
    static const uint8_t not_a_number[3] = { 178, 60, 110 };
    tess_span_f32        v;
    TESS_TRY(tess_as_f32(&v, image));
    uint8_t *row = malloc((size_t)v.shape.w * 3);
    TESS_CHECK(row, TESS_ENOMEM, "picture: no memory for a row of %lld pixels", (long long)v.shape.w);
    const double factor = 255 / (shown[1] - shown[0]);
    for (int64_t h = 0; h < v.shape.h; h++) {
        for (int64_t w = 0; w < v.shape.w; w++) {
            const double value = (double)TESS_AT(float, v, 0, 0, v.shape.h - 1 - h, w);
            const double level = fmin(fmax((value - shown[0]) * factor, 0), 255);
            for (int i = 0; i < 3; i++) {
                row[w * 3 + i] = isnan(value) ? not_a_number[i] : (uint8_t)((invert ? 255 - level : level) + 0.5);
            }
        }
        canvas_blit(c, x, y + h * zoom, row, v.shape.w, 1, zoom);
    }
    free(row);
    return TESS_OK;
}
