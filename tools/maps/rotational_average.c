/* Rotational averages of images and volumes, in shells of pixels, or of their power, in shells of frequencies. */
#include "maps/rotational_average.h"

#include <math.h>
#include <stdlib.h>

#include "files/one_input.h"

typedef struct averaging {
    shells     *to;
    tess_shape  shape;        /* of an image or a volume; b = 1 */
    double      unit[3][3];   /* z, y, x in shells of a pixel along d, h, w */
    int32_t    *shell;        /* of each pixel, n where it is beyond the last */
    double     *sums, *count; /* of one image, n + 1 of them */
    tess_metric metric;       /* of power */
    double      step;         /* the same: from shell to shell, in cycles per pixel of w */
    int64_t     n_images;
} averaging;

static tess_status add_curve(averaging *a, const double *means, int64_t image)
{
    for (int64_t i = 0; i < a->to->n; ++i) a->to->mean[i] += means[i];
    ++a->n_images;
    return a->to->each ? a->to->each(a->to->context, means, image) : TESS_OK;
}

/* ---- Shells of pixels ---- */

static void number_pixels(averaging *a)
{
    const tess_shape s = a->shape;
    for (int64_t i = 0; i < s.d * s.h * s.w; ++i) {
        const int64_t position[3] = { i / (s.h * s.w), i / s.w % s.h, i % s.w };
        double        point[3] = { 0 };
        for (int k = 0; k < 3; ++k)
            for (int j = 0; j < 3; ++j) point[j] += (double)(position[k] - s.dim[k + 1] / 2) * a->unit[k][j];
        const double square = point[0] * point[0] + point[1] * point[1] + point[2] * point[2];
        const double shell = floor(sqrt(square) + 0.5 + 1e-9); /* half way is up, however the root was rounded */
        a->shell[i] = (int32_t)(shell < (double)a->to->n ? shell : (double)a->to->n);
        a->count[a->shell[i]] += 1;
    }
}

static tess_status average_pixels(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    (void)out;
    averaging    *a = context;
    const int64_t pixels = a->shape.d * a->shape.h * a->shape.w;
    for (int64_t b = 0; b < in->shape.b; ++b) {
        tess_array image, values = { 0 };
        TESS_TRY(tess_index(&image, in, 0, b));
        TESS_TRY(tess_cast(&values, &image, TESS_F64, NULL));
        for (int64_t i = 0; i <= a->to->n; ++i) a->sums[i] = 0;
        for (int64_t i = 0; i < pixels; ++i) a->sums[a->shell[i]] += ((const double *)values.data)[i];
        tess_release(&values);
        for (int64_t i = 0; i < a->to->n; ++i) a->sums[i] /= a->count[i];
        TESS_TRY(add_curve(a, a->sums, s->b + b));
    }
    return TESS_OK;
}

/* ---- Shells of frequencies ---- */

static tess_status average_power(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    (void)out;
    averaging                         *a = context;
    const int64_t                      n = a->to->n;
    const tess_rotational_average_opts opts = {
        .out_stop = a->step * (double)n, .out_no_endpoint = 1, .metric = a->metric, .nearest = 1
    };
    const tess_cast_opts absolute = { .part = TESS_PART_ABS };
    tess_array           spectra = { 0 }, amplitudes = { 0 }, curves = { 0 };
    tess_status          status;
    TESS_GOTO(done, status, tess_fft_r2c(&spectra, in, &(tess_fft_opts){ .norm = TESS_FFT_NORM_ORTHO }));
    TESS_GOTO(done, status, tess_empty(&curves, TESS_SHAPE(in->shape.b, 1, 1, n), TESS_F64, tess_cpu()));
    if (a->to->amplitude) TESS_GOTO(done, status, tess_cast(&amplitudes, &spectra, TESS_F64, &absolute));
    TESS_GOTO(done, status,
              tess_rotational_average(&curves, a->to->amplitude ? &amplitudes : &spectra, in->shape, &opts));
    for (int64_t b = 0; b < in->shape.b; ++b)
        TESS_GOTO(done, status, add_curve(a, (const double *)curves.data + b * n, s->b + b));
done:
    tess_release(&spectra);
    tess_release(&amplitudes);
    tess_release(&curves);
    return status;
}

/* ---- All images ---- */

/* The pixel size of each axis; that of x where another is not known, and 1, a pixel, where that is not. */
static void find_sizes(shells *s, const double given[3], double size[3])
{
    s->angstrom = given[2] > 0;
    for (int k = 0; k < 3; ++k) size[k] = !s->angstrom ? 1 : given[k] > 0 ? given[k] : given[2];
}

/* Lay the shells out: none is empty, and the last is whole. Half way is up, however a quotient was rounded. Planes of
 * pixels are as far apart as pixels are large, or nearer where axes are not at right angles. */
static void lay_out(averaging *a, const tess_meta *meta)
{
    const double rounding = 1e-9;
    const bool   volume = a->shape.d > 1;
    shells      *s = a->to;
    double       size[3], shortest = INFINITY, finest = INFINITY, coarsest = 0, reach = INFINITY;
    double       axis[3][3], reciprocal[3][3];
    find_sizes(s, meta->pixel_size, size);
    tess_meta_axes(axis, meta, volume);
    tess_meta_reciprocal_axes(reciprocal, meta, volume);
    for (int k = 0; k < 3; ++k) {
        const int64_t n = a->shape.dim[k + 1];
        const double *r = reciprocal[k], apart = size[k] / sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
        if (n == 1 && (k < 2 || isfinite(shortest))) continue;
        shortest = fmin(shortest, (double)n * apart);
        finest = fmin(finest, size[k]);
        coarsest = fmax(coarsest, size[k]);
        reach = fmin(reach, (double)((n - 1) / 2) * apart);
    }
    s->length = s->power ? shortest : finest;
    s->n = (int64_t)((s->power ? shortest / coarsest / 2 : reach / finest) + rounding) + 1;
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i) a->unit[k][i] = size[k] / finest * axis[k][i];
    a->metric = tess_meta_metric(meta, volume);
    a->step = size[2] / shortest;
}

double shells_radius(const shells *s, int64_t i) { return s->power ? (double)i / s->length : (double)i * s->length; }

static tess_status average(averaging *a, job *j, input *in, tess_dtype dtype)
{
    const tess_shape shape = in->info.shape;
    const bool       power = a->to->power;
    const int64_t    pixels = power ? 0 : a->shape.d * a->shape.h * a->shape.w;
    const size_t     n = (size_t)a->to->n + 1;
    a->shell = malloc((size_t)pixels * sizeof(int32_t) + 1);
    a->sums = calloc(2 * n, sizeof(double));
    a->to->mean = calloc(n, sizeof(double));
    TESS_CHECK(a->shell && a->sums && a->to->mean, TESS_ENOMEM, "%s: out of memory", j->verb->name);
    a->count = a->sums + n;
    if (!power) number_pixels(a);
    slab_plan plan = plan_of_sections(&in, shape);
    plan.in_dtypes = &dtype;
    plan.whole = shape.d > 1;
    plan.taken = pixels * (int64_t)sizeof(int32_t);
    plan.extra = 24 * shape.h * shape.w;
    if (plan.whole) plan.unit = "sections";
    TESS_TRY(stream_slabs(j, &plan, NULL, power ? average_power : average_pixels, a));
    for (int64_t i = 0; i < a->to->n; ++i) a->to->mean[i] /= (double)a->n_images;
    return TESS_OK;
}

tess_status shells_of_input(shells *s, job *j, input *in)
{
    const tess_shape shape = in->info.shape;
    const tess_dtype dtype = dtype_to_compute(in->info.dtype);
    averaging        a = { .to = s, .shape = TESS_SHAPE(1, shape.d, shape.h, shape.w) };
    TESS_TRY(need_real(j, in));
    TESS_CHECK(shape.b > 0 && shape.d > 0 && shape.h > 0 && shape.w > 0, TESS_ESHAPE, "%s: %s is empty", j->verb->name,
               in->name);
    lay_out(&a, &in->info.meta);
    const tess_status status = average(&a, j, in, dtype);
    free(a.shell);
    free(a.sums);
    if (status != TESS_OK) shells_free(s);
    return status;
}

void shells_free(shells *s)
{
    free(s->mean);
    s->mean = NULL;
}
