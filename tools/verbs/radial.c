/* tessera radial: rotational averages of images and volumes, or of their power. */
#include "geometry.h"

#include <math.h>
#include <stdlib.h>

#include "picture/plot.h"

static const option options[] = {
    { .name = "power", .type = OPTION_FLAG, .help = "average |F|^2 over shells of frequencies" },
    { .name = "each", .type = OPTION_FLAG, .help = "a curve for each image, not their mean" },
    { .name = "plot",
      .value = "FILE",
      .type = OPTION_FILE,
      .help = "draw it too: x.svg or x.png; power on a log scale" },
    { .name = "force", .letter = 'f', .type = OPTION_FLAG, .help = "replace a plot that is there" },
    { 0 },
};
static const char *const examples[] = {
    "tessera radial x.mrc",
    "tessera radial --power --tsv stack.mrcs",
    "tessera radial --power --plot power.svg volume.mrc",
    NULL,
};

typedef struct radial {
    tess_shape shape; /* of what is averaged: images, or half spectra; b = 1 */
    tess_shape image; /* logical */
    bool       power, each;
    int64_t    n_shells, n_curves;
    int32_t   *shell;        /* of each pixel, n_shells where it is beyond the last */
    double    *sums, *count; /* of one curve */
    double    *mean;         /* over the images so far */
    double    *curves;       /* --plot: those that are printed, one after the other */
    int64_t    n_drawn;
    double     pixel_size; /* along w, Å, or 0 */
    int64_t    side;
    table     *table;
} radial;

/* Shell = round of the distance from the middle in pixels, or of |f| * n, n the smallest side. */
static tess_status number_pixels(radial *r)
{
    const tess_shape s = r->shape;
    for (int64_t i = 0; i < s.d * s.h * s.w; ++i) {
        const int64_t place[3] = { i / (s.h * s.w), i / s.w % s.h, i % s.w };
        double        square = 0;
        for (int k = 0; k < 3; ++k) {
            double x = (double)(place[k] - r->image.dim[k + 1] / 2);
            if (r->power) {
                TESS_TRY(tess_fft_frequency(&x, TESS_FFT_H, k + 1, r->image.dim[k + 1], place[k]));
                x *= (double)r->side;
            }
            square += x * x;
        }
        const double shell = floor(sqrt(square) + 0.5);
        r->shell[i] = (int32_t)(shell < (double)r->n_shells ? shell : (double)r->n_shells);
        /* Columns of half a spectrum stand for two, but for the first and, of an even width, the last. */
        const bool twice = r->power && place[2] > 0 && 2 * place[2] != r->image.w;
        r->count[r->shell[i]] += twice ? 2 : 1;
    }
    return TESS_OK;
}

static void add_shells(radial *r, const double *values)
{
    const int64_t width = r->shape.w, rows = r->shape.d * r->shape.h;
    for (int64_t i = 0; i <= r->n_shells; ++i) r->sums[i] = 0;
    for (int64_t row = 0; row < rows; ++row) {
        const double  *v = values + row * width;
        const int32_t *k = r->shell + row * width;
        for (int64_t x = 0; x < width; ++x) {
            const bool twice = r->power && x > 0 && 2 * x != r->image.w;
            r->sums[k[x]] += twice ? 2 * v[x] : v[x];
        }
    }
}

/* Where shell i is on the x axis of a plot. */
static double place_of(const radial *r, int64_t i)
{
    const double size = r->pixel_size > 0 ? r->pixel_size : 1;
    return r->power ? (double)i / ((double)r->side * size) : (double)i * size;
}

static tess_status draw(const radial *r, const char *path, bool overwrite)
{
    plot_curve *curves = calloc((size_t)r->n_drawn, sizeof *curves);
    double     *x = calloc((size_t)r->n_shells, sizeof *x);
    const bool  known = r->pixel_size > 0;
    tess_status status = TESS_OK;
    for (int64_t i = 0; x && i < r->n_shells; ++i) x[i] = place_of(r, i);
    for (int64_t k = 0; curves && k < r->n_drawn; ++k) {
        curves[k] = (plot_curve){ .x = x, .y = r->curves + k * r->n_shells, .n = r->n_shells };
    }
    const plot p = { .x.title = r->power ? (known ? "Spatial frequency (1/\xc3\x85)" : "Spatial frequency (1/pixel)")
                                         : (known ? "Radius (\xc3\x85)" : "Radius (pixels)"),
                     .y.title = r->power ? "Power" : "Mean",
                     .y.log = r->power,
                     .angstrom = r->power && known,
                     .curves = curves,
                     .n_curves = (int)r->n_drawn };
    if (curves && x) status = plot_write(&p, path, 2, overwrite, NULL);
    const bool failed = !curves || !x;
    free(curves);
    free(x);
    TESS_CHECK(!failed, TESS_ENOMEM, "radial: out of memory");
    return status;
}

static tess_status keep_curve(radial *r, const double *values)
{
    const size_t n = (size_t)r->n_shells;
    double      *more = realloc(r->curves, ((size_t)r->n_drawn + 1) * n * sizeof(double));
    TESS_CHECK(more, TESS_ENOMEM, "radial: out of memory");
    r->curves = more;
    for (size_t i = 0; i < n; ++i) more[(size_t)r->n_drawn * n + i] = values[i];
    ++r->n_drawn;
    return TESS_OK;
}

static tess_status print_curve(radial *r, const double *values, int64_t image)
{
    for (int64_t i = 0; i < r->n_shells; ++i) {
        if (r->each) table_integer(r->table, "image", image);
        table_integer(r->table, "shell", i);
        if (r->power && r->pixel_size > 0) {
            const double frequency = (double)i / ((double)r->side * r->pixel_size);
            table_number(r->table, "1/A", frequency);
            table_number(r->table, "A", i > 0 ? 1 / frequency : INFINITY);
        } else if (r->power) table_number(r->table, "1/px", (double)i / (double)r->side);
        else if (r->pixel_size > 0) table_number(r->table, "A", (double)i * r->pixel_size);
        table_number(r->table, "value", values[i]);
        table_row(r->table);
    }
    return keep_curve(r, values);
}

static tess_status values_of(const radial *r, tess_array *values, const tess_array *image)
{
    tess_array  spectrum = { 0 };
    tess_status status;
    if (!r->power) return tess_cast(values, image, TESS_F64, NULL);
    TESS_GOTO(done, status, tess_fft_r2c(&spectrum, image, &(tess_fft_opts){ .norm = TESS_FFT_NORM_ORTHO }));
    TESS_GOTO(done, status, tess_cast(values, &spectrum, TESS_F64, &(tess_cast_opts){ .part = TESS_PART_POWER }));
done:
    tess_release(&spectrum);
    return status;
}

static tess_status average_slab(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    (void)out;
    radial *r = context;
    for (int64_t b = 0; b < in->shape.b; ++b) {
        tess_array image, values = { 0 };
        TESS_TRY(tess_index(&image, in, 0, b));
        TESS_TRY(values_of(r, &values, &image));
        add_shells(r, values.data);
        tess_release(&values);
        for (int64_t i = 0; i < r->n_shells; ++i) {
            r->sums[i] /= r->count[i];
            r->mean[i] += r->sums[i];
        }
        ++r->n_curves;
        if (r->each) TESS_TRY(print_curve(r, r->sums, s->b + b));
    }
    return TESS_OK;
}

static tess_status measure(job *j, input *in, radial *r)
{
    const tess_shape shape = in->info.shape;
    const tess_dtype dtype = dtype_to_compute(in->info.dtype);
    TESS_CHECK(tess_dtype_kind(dtype) == TESS_KIND_FLOAT, TESS_EDTYPE,
               "radial: %s has complex numbers; real ones are needed", in->name);
    r->power = job_has(j, "power");
    r->each = job_has(j, "each");
    r->image = r->shape = TESS_SHAPE(1, shape.d, shape.h, shape.w);
    if (r->power) r->shape = tess_rfft_shape(r->image);
    r->side = shape.h < shape.w ? shape.h : shape.w;
    if (shape.d > 1 && shape.d < r->side) r->side = shape.d;
    r->n_shells = r->side / 2 + (r->power ? 1 : r->side % 2);
    r->pixel_size = in->info.meta.pixel_size[2];
    const size_t pixels = (size_t)(r->shape.d * r->shape.h * r->shape.w), shells = (size_t)r->n_shells + 1;
    r->shell = malloc(pixels * sizeof(int32_t));
    r->sums = calloc(3 * shells, sizeof(double));
    TESS_CHECK(r->shell && r->sums, TESS_ENOMEM, "radial: out of memory");
    r->count = r->sums + shells;
    r->mean = r->count + shells;
    TESS_TRY(number_pixels(r));
    r->table = table_new(j, stdout);
    const slab_plan plan = { .domain = shape,
                             .inputs = (input *const[]){ in },
                             .in_dtypes = &dtype,
                             .n_inputs = 1,
                             .whole = shape.d > 1,
                             .taken = (int64_t)(pixels * sizeof(int32_t)),
                             .extra = 24 * shape.h * shape.w,
                             .unit = shape.d > 1 ? "sections" : "images" };
    tess_status     status = stream_slabs(j, &plan, NULL, average_slab, r);
    if (status == TESS_OK && !r->each) {
        for (int64_t i = 0; i < r->n_shells; ++i) r->mean[i] /= (double)r->n_curves;
        status = print_curve(r, r->mean, 0);
    }
    table_end(r->table);
    TESS_TRY(status);
    return job_has(j, "plot") ? draw(r, job_text(j, "plot", ""), job_has(j, "force")) : TESS_OK;
}

static tess_status run(job *j)
{
    input  in = { 0 };
    radial r = { 0 };
    TESS_TRY(input_open(&in, j, j->arguments[0], NEED_ANY));
    const tess_status status = measure(j, &in, &r);
    free(r.shell);
    free(r.sums);
    free(r.curves);
    input_close(&in);
    return status;
}

const verb verb_radial = {
    .name = "radial",
    .subject = "Fourier",
    .summary = "rotational averages of images and volumes, or of their power",
    .arguments = "INPUT",
    .text = "Prints a row for each shell: pixels at that distance from the middle n/2, rounded, as far as the smallest "
            "side goes. With --power, shells of frequencies: shell, 1/A, A, value, to Nyquist; power is |F|^2 over the "
            "number of pixels. Of a stack, the mean of the curves.",
    .options = options,
    .examples = examples,
    .globals = GLOBAL_READ | GLOBAL_APIX | GLOBAL_SLICES | GLOBAL_TABLE | GLOBAL_PROGRESS,
    .least = 1,
    .most = 1,
    .run = run
};
