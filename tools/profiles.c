/* Histograms and radial means. */
#include "profiles.h"

#include <math.h>
#include <stdlib.h>

static int64_t n_images(const input *in) { return in->info.shape.b * in->info.shape.d; }

static tess_status check_real(const input *in)
{
    TESS_CHECK(tess_dtype_kind(in->info.dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
               "plot: %s has complex numbers; real ones are needed", in->name);
    TESS_CHECK(n_images(in) > 0 && in->info.shape.h > 0 && in->info.shape.w > 0, TESS_ESHAPE, "plot: %s is empty",
               in->name);
    return TESS_OK;
}

static tess_status make(profile *p, int64_t n_x, int64_t n)
{
    *p = (profile){ calloc((size_t)n_x, sizeof(double)), calloc((size_t)n, sizeof(double)), n };
    if (p->x && p->y) return TESS_OK;
    profile_free(p);
    TESS_FAIL(TESS_ENOMEM, "plot: no memory for %lld numbers", (long long)n);
}

void profile_free(profile *p)
{
    free(p->x);
    free(p->y);
    *p = (profile){ .n = 0 };
}

/* ---- Histograms ---- */

tess_status profile_range(input *in, double *low, double *high)
{
    tess_array  image = { 0 };
    tess_status status = TESS_OK;
    TESS_TRY(check_real(in));
    for (int64_t i = 0; i < n_images(in); i++) {
        TESS_GOTO(done, status, input_read(in, &image, i, 1, TESS_F32));
        const float *x = image.data;
        for (int64_t k = 0; k < tess_n_elements(&image); k++) {
            if (!isfinite(x[k])) continue;
            *low = fmin(*low, (double)x[k]);
            *high = fmax(*high, (double)x[k]);
        }
    }
done:
    tess_release(&image);
    return status;
}

tess_status profile_histogram(profile *p, input *in, double low, double high, int64_t bins)
{
    tess_array  image = { 0 }, counts = { 0 };
    tess_status status;
    TESS_TRY(check_real(in));
    TESS_TRY(make(p, bins + 1, bins));
    for (int64_t k = 0; k <= bins; k++) p->x[k] = low + (high - low) * (double)k / (double)bins;
    for (int64_t i = 0; i < n_images(in); i++) {
        TESS_GOTO(done, status, input_read(in, &image, i, 1, TESS_F32));
        TESS_GOTO(done, status,
                  tess_histogram(&counts, &image, bins, 0, &(tess_histogram_opts){ .low = low, .high = high }));
        for (int64_t k = 0; k < bins; k++) p->y[k] += (double)((const int64_t *)counts.data)[k];
    }
    status = TESS_OK;
done:
    tess_release(&image);
    tess_release(&counts);
    if (status != TESS_OK) profile_free(p);
    return status;
}

/* ---- Radial means ---- */

/* Sums over elements by their distance from a centre. */
typedef struct shells {
    double *sum, *weight;
    int64_t n;
} shells;

static void shells_add(shells *s, double radius, double value, double weight)
{
    const int64_t k = (int64_t)floor(radius + 0.5 + 1e-9); /* half way, up: whatever way the radius was rounded */
    if (k >= s->n || !isfinite(value)) return;
    s->sum[k] += weight * value;
    s->weight[k] += weight;
}

static tess_status shells_make(shells *s, int64_t n)
{
    *s = (shells){ calloc((size_t)n, sizeof(double)), calloc((size_t)n, sizeof(double)), n };
    if (s->sum && s->weight) return TESS_OK;
    free(s->sum);
    free(s->weight);
    TESS_FAIL(TESS_ENOMEM, "plot: no memory for %lld shells", (long long)n);
}

/* The smallest side that is not 1. */
static int64_t smallest_side(tess_shape s)
{
    int64_t n = s.w > 1 ? s.w : s.h;
    if (s.h > 1 && s.h < n) n = s.h;
    if (s.d > 1 && s.d < n) n = s.d;
    return n;
}

static tess_status add_pixels(shells *s, const tess_array *a)
{
    tess_span_f32 v;
    TESS_TRY(tess_as_f32(&v, a));
    for (int64_t d = 0; d < v.shape.d; d++) {
        for (int64_t h = 0; h < v.shape.h; h++) {
            for (int64_t w = 0; w < v.shape.w; w++) {
                const double z = (double)(d - v.shape.d / 2), y = (double)(h - v.shape.h / 2);
                const double x = (double)(w - v.shape.w / 2);
                shells_add(s, sqrt(z * z + y * y + x * x), (double)TESS_AT(float, v, 0, d, h, w), 1);
            }
        }
    }
    return TESS_OK;
}

/* Of a half spectrum: columns that stand for their mirror images too count twice. */
static tess_status add_power(shells *s, const tess_array *a)
{
    tess_array    spectrum = { 0 }, power = { 0 }, radius = { 0 };
    const int64_t n = smallest_side(a->shape), w = a->shape.w, half = w / 2 + 1;
    tess_status   status;
    TESS_GOTO(done, status, tess_fft_r2c(&spectrum, a, NULL));
    TESS_GOTO(done, status,
              tess_fft_spectrum(&power, &spectrum, a->shape, &(tess_fft_spectrum_opts){ .to = TESS_FFT_H }));
    TESS_GOTO(done, status, tess_fft_frequencies(&radius, a->shape, NULL));
    const float  *p = power.data;
    const double *r = radius.data;
    for (int64_t i = 0; i < tess_n_elements(&power); i++) {
        const int64_t column = i % half;
        shells_add(s, r[i] * (double)n, (double)p[i], column == 0 || 2 * column == w ? 1 : 2);
    }
done:
    tess_release(&spectrum);
    tess_release(&power);
    tess_release(&radius);
    return status;
}

/* Go over all images, or the one volume, of an input. */
static tess_status add_all(shells *s, input *in, job *j, tess_status (*add)(shells *, const tess_array *))
{
    tess_array  a = { 0 };
    tess_status status = TESS_OK;
    if (in->info.shape.b == 1 && in->info.shape.d > 1) {
        TESS_GOTO(done, status, input_read_all(in, j, &a, TESS_F32));
        TESS_GOTO(done, status, add(s, &a));
        goto done;
    }
    for (int64_t i = 0; i < n_images(in); i++) {
        TESS_GOTO(done, status, input_read(in, &a, i, 1, TESS_F32));
        TESS_GOTO(done, status, add(s, &a));
    }
done:
    tess_release(&a);
    return status;
}

/* Means of the shells; `unit` is the x of one shell. */
static tess_status profile_shells(profile *p, input *in, job *j, int64_t n, double unit,
                                  tess_status (*add)(shells *, const tess_array *))
{
    shells s;
    TESS_TRY(shells_make(&s, n));
    tess_status status;
    TESS_GOTO(done, status, add_all(&s, in, j, add));
    TESS_GOTO(done, status, make(p, n, n));
    for (int64_t k = 0; k < n; k++) {
        p->x[k] = (double)k * unit;
        p->y[k] = s.weight[k] > 0 ? s.sum[k] / s.weight[k] : NAN;
    }
done:
    free(s.sum);
    free(s.weight);
    return status;
}

static tess_shape shape_of_one(const input *in)
{
    tess_shape s = in->info.shape;
    if (s.b > 1) s.d = 1;
    return s;
}

tess_status profile_radial(profile *p, input *in, job *j)
{
    TESS_TRY(check_real(in));
    TESS_TRY(profile_shells(p, in, j, smallest_side(shape_of_one(in)) / 2 + 1, 1, add_pixels));
    return TESS_OK;
}

tess_status profile_spectrum(profile *p, input *in, job *j)
{
    TESS_TRY(check_real(in));
    const int64_t n = smallest_side(shape_of_one(in));
    TESS_TRY(profile_shells(p, in, j, n / 2 + 1, 1 / (double)n, add_power));
    return TESS_OK;
}
