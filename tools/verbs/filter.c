/* tessera filter: Fourier filters with soft edges, and medians. */
#include "measure/geometry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/slab_pipeline.h"
#include "measure/unit_cell.h"
#include "measure/units.h"

static const option options[] = {
    { .name = "lowpass", .value = "A", .type = OPTION_CUTOFF, .many = true, .help = "keep what is coarser than this" },
    { .name = "highpass", .value = "A", .type = OPTION_CUTOFF, .many = true, .help = "keep what is finer than this" },
    { .name = "bandpass",
      .value = "A,A",
      .type = OPTION_TEXT,
      .many = true,
      .help = "keep what lies between these two, in either order" },
    { .name = "edge",
      .value = "N",
      .type = OPTION_EDGE,
      .help = "width of the soft edges, centred on the cut-offs, in shells [2]" },
    { .name = "gauss", .value = "S", .type = OPTION_LENGTH, .many = true, .help = "blur by a Gaussian of this sigma" },
    { .name = "bfactor",
      .value = "B",
      .type = OPTION_NUMBER,
      .many = true,
      .help = "multiply by exp(-B/4 s^2), B in A^2: positive damps, negative sharpens" },
    { .name = "median",
      .value = "N",
      .type = OPTION_INTEGER,
      .many = true,
      .help = "median of N x N pixels (volumes: N x N x N), N odd" },
    { 0 },
};
static const char *const examples[] = {
    "tessera filter --lowpass 8 x.mrc -o smooth.mrc",
    "tessera filter --highpass 100 --lowpass 10 --edge 3 stack.mrcs -o band.mrcs",
    "tessera filter --median 3 --gauss 1.5 volume.mrc -o quiet.mrc",
    "tessera filter --lowpass 8 x.mrc y.mrc -o '{name}_smooth.mrc'",
    NULL,
};

enum { MAX_STAGES = 64 };

/* Fourier filters that follow each other are one stage: the product of their weights. */
typedef struct stage {
    tess_array weights; /* {1,d,h,w/2+1}, of the dtype that is computed in, or nothing: then */
    int64_t    median;  /* the size of a window */
} stage;

typedef struct filtering {
    tess_shape  shape; /* of an image or a volume, b = 1 */
    tess_dtype  dtype;
    tess_device device;
    double      pixel_size; /* along w, Å; 0 if it is not known */
    double      scale[5];   /* of frequencies, to be in cycles per pixel of w: see GRID */
    double      edge;       /* cycles per pixel */
    int64_t     side;       /* smallest, in pixels */
    tess_array  product;    /* weights of the filters so far, {1,d,h,w/2+1}, or nothing */
    stage       stages[MAX_STAGES];
    int         n_stages;
    tess_op    *pass, *bell;
} filtering;

/* The frequency of a coefficient of half a spectrum, from its indices, in cycles per pixel of w; pixels of the other
 * axes may be larger or smaller, and axes not at right angles: along y it is hh*h + hw*w, along z dd*d + dh*h + dw*w. */
#define FREQUENCY                                                                                                      \
    "fn f64 axis(i64 i, i64 n) { return (f64)(2*i > n ? i - n : i)/(f64)n; }\n"                                        \
    "fn f64 length(f64 z, f64 y, f64 x) { return sqrt(z*z + y*y + x*x); }\n"
#define F                                                                                                              \
    "    f64 x = (f64)w/(f64)width;\n"                                                                                 \
    "    f64 y = axis(h, size(2));\n"                                                                                  \
    "    f64 f = length(dd*axis(d, size(1)) + dh*y + dw*x, hh*y + hw*x, x);\n"
#define GRID "val i64 width, val f64 dd, val f64 dh, val f64 dw, val f64 hh, val f64 hw"
#define GRID_OF(f) (f)->shape.w, (f)->scale[0], (f)->scale[1], (f)->scale[2], (f)->scale[3], (f)->scale[4]

/* From 1 to 0 about `cut` over `edge` as a raised cosine, which begins at frequency 0 or above: the mean stays;
 * `high`: from 0 to 1. */
static const char pass_text[] = FREQUENCY "op pass(" GRID ", val f64 cut, val f64 edge, val bool high, inout T g) {\n" F
                                          "    f64 from = max(cut - edge/2, (f64)0);\n"
                                          "    f64 t = clamp((f - from)/(cut + edge/2 - from), (f64)0, (f64)1);\n"
                                          "    f64 k = edge > 0 ? (1 + cos(pi*t))/2 : (f64)(f <= cut);\n"
                                          "    g = (T)((f64)g*(high ? 1 - k : k));\n"
                                          "}\n";
static const char bell_text[] =
    FREQUENCY "op bell(" GRID ", val f64 a, inout T g) {\n" F "    g = (T)((f64)g*exp(-a*f*f));\n"
              "}\n";

/* ---- Stages, by the options in their order ---- */

static tess_status begin_product(filtering *f)
{
    if (f->product.data) return TESS_OK;
    return tess_full(&f->product, tess_rfft_shape(f->shape), f->dtype, f->device, 1);
}

static void end_product(filtering *f)
{
    if (!f->product.data) return;
    f->stages[f->n_stages++].weights = f->product;
    f->product = (tess_array){ 0 };
}

/* In cycles per pixel of w, no more than the highest frequency along an axis. */
static tess_status find_cut(job *j, const filtering *f, const char *what, const char *text, double *cut)
{
    quantity q;
    TESS_TRY(parse_quantity(what, OPTION_CUTOFF, text, &q));
    TESS_TRY(to_cycles(what, OPTION_CUTOFF, q, f->pixel_size, f->side, cut));
    const double highest = 0.5 * fmax(1, fmax(f->shape.d > 1 ? f->scale[0] : 1, f->scale[3]));
    if (*cut <= highest) return TESS_OK;
    if (f->pixel_size > 0)
        job_note(j, "%s %s lies beyond Nyquist, %.4g A: taken as that", what, text, f->pixel_size / highest);
    else job_note(j, "%s %s lies beyond Nyquist, 0.5/px: taken as that", what, text);
    *cut = highest;
    return TESS_OK;
}

static tess_status multiply_pass(filtering *f, double cut, bool high)
{
    TESS_TRY(begin_product(f));
    return tess_call(f->pass, GRID_OF(f), cut, f->edge, high, &f->product);
}

static tess_status add_pass(job *j, filtering *f, const char *what, const char *text, bool high)
{
    double cut;
    TESS_TRY(find_cut(j, f, what, text, &cut));
    return multiply_pass(f, cut, high);
}

static tess_status add_band(job *j, filtering *f, const char *text)
{
    char        first[64];
    double      cuts[2];
    const char *comma = strchr(text, ',');
    TESS_CHECK(comma && (size_t)(comma - text) < sizeof first, TESS_EARG,
               "filter: --bandpass is %s; two resolutions, coarse and fine, are needed: 100,8", text);
    snprintf(first, sizeof first, "%.*s", (int)(comma - text), text);
    TESS_TRY(find_cut(j, f, "--bandpass", first, &cuts[0]));
    TESS_TRY(find_cut(j, f, "--bandpass", comma + 1, &cuts[1]));
    TESS_CHECK(cuts[0] != cuts[1], TESS_EARG, "filter: --bandpass is %s; nothing lies between the two", text);
    TESS_TRY(multiply_pass(f, fmin(cuts[0], cuts[1]), true));
    return multiply_pass(f, fmax(cuts[0], cuts[1]), false);
}

static tess_status add_bell(filtering *f, double a)
{
    TESS_TRY(begin_product(f));
    return tess_call(f->bell, GRID_OF(f), a, &f->product);
}

static tess_status add_gauss(filtering *f, const char *text)
{
    const double pi = 3.14159265358979323846;
    quantity     q;
    double       sigma;
    TESS_TRY(parse_quantity("--gauss", OPTION_LENGTH, text, &q));
    TESS_TRY(to_pixels("--gauss", q, f->pixel_size, &sigma));
    TESS_CHECK(sigma >= 0, TESS_EARG, "filter: --gauss is %s; 0 or more is allowed", text);
    return add_bell(f, 2 * pi * pi * sigma * sigma);
}

static tess_status add_bfactor(filtering *f, const char *text)
{
    quantity q;
    TESS_TRY(parse_quantity("--bfactor", OPTION_NUMBER, text, &q));
    TESS_CHECK(f->pixel_size > 0, TESS_EARG, "filter: --bfactor needs the pixel size, which is not known; give --apix");
    return add_bell(f, q.value / (4 * f->pixel_size * f->pixel_size));
}

static tess_status add_median(filtering *f, const char *text)
{
    int64_t n;
    TESS_TRY(parse_integer("--median", text, &n));
    TESS_CHECK(n >= 1 && n % 2 == 1 && n < 100, TESS_EARG, "filter: --median is %s; an odd number of 1 to 99 is needed",
               text);
    end_product(f);
    f->stages[f->n_stages++].median = n;
    return TESS_OK;
}

static tess_status add_stages(job *j, filtering *f)
{
    const char *name, *value;
    int         n = 0;
    for (int i = 0; job_option(j, i, &name, &value); ++i) {
        TESS_CHECK(f->n_stages < MAX_STAGES - 1, TESS_EARG, "filter: more than %d filters", MAX_STAGES - 1);
        ++n;
        if (strcmp(name, "lowpass") == 0) TESS_TRY(add_pass(j, f, "--lowpass", value, false));
        else if (strcmp(name, "highpass") == 0) TESS_TRY(add_pass(j, f, "--highpass", value, true));
        else if (strcmp(name, "bandpass") == 0) TESS_TRY(add_band(j, f, value));
        else if (strcmp(name, "gauss") == 0) TESS_TRY(add_gauss(f, value));
        else if (strcmp(name, "bfactor") == 0) TESS_TRY(add_bfactor(f, value));
        else if (strcmp(name, "median") == 0) TESS_TRY(add_median(f, value));
        else --n;
    }
    TESS_CHECK(n > 0, TESS_EARG,
               "filter: nothing to do; give --lowpass, --highpass, --bandpass, --gauss, --bfactor or --median");
    end_product(f);
    return TESS_OK;
}

/* ---- The work ---- */

/* The windows of a row or an image are a view with more axes, whose elements lie on each other. */
static tess_status median_of_windows(tess_array *out, const tess_array *padded, int64_t n)
{
    const tess_strides s = padded->strides;
    const tess_shape   shape = out->shape;
    for (int64_t i = 0; i < shape.b * shape.d; ++i) {
        const int64_t b = i / shape.d, z = i % shape.d;
        char         *data = (char *)padded->data + (b * s.b + z * s.d) * (int64_t)tess_dtype_size(padded->dtype);
        tess_array    to, windows = *padded;
        if (shape.d == 1) {
            windows.data = data;
            windows.shape = TESS_SHAPE(shape.h, shape.w, n, n);
            windows.strides = TESS_STRIDES(s.h, s.w, s.h, s.w);
            TESS_TRY(tess_index(&to, out, 0, b));
            TESS_TRY(tess_reshape(&to, &to, TESS_SHAPE(shape.h, shape.w, 1, 1)));
            TESS_TRY(tess_median(&to, &windows, TESS_H | TESS_W, NULL));
            continue;
        }
        for (int64_t h = 0; h < shape.h; ++h) {
            windows.data = data + h * s.h * (int64_t)tess_dtype_size(padded->dtype);
            windows.shape = TESS_SHAPE(shape.w, n, n, n);
            windows.strides = TESS_STRIDES(s.w, s.d, s.h, s.w);
            TESS_TRY(
                tess_subregion(&to, out, (tess_region){ .b = tess_only(b), .d = tess_only(z), .h = tess_only(h) }));
            TESS_TRY(tess_reshape(&to, &to, TESS_SHAPE(shape.w, 1, 1, 1)));
            TESS_TRY(tess_median(&to, &windows, TESS_D | TESS_H | TESS_W, NULL));
        }
    }
    return TESS_OK;
}

static tess_status median_stage(tess_array *out, const tess_array *in, int64_t n)
{
    const tess_shape border = TESS_SHAPE(0, in->shape.d > 1 ? n / 2 : 0, n / 2, n / 2);
    tess_array       padded = { 0 };
    TESS_TRY(tess_pad(&padded, in, border, border, &(tess_resize_opts){ .border = TESS_BORDER_MIRROR }));
    const tess_status status = median_of_windows(out, &padded, n);
    tess_release(&padded);
    return status;
}

static tess_status fourier_stage(tess_array *out, const tess_array *in, const tess_array *weights)
{
    tess_array  spectrum = { 0 };
    tess_status status;
    TESS_GOTO(done, status, tess_fft_r2c(&spectrum, in, NULL));
    TESS_GOTO(done, status, tess_mul(&spectrum, &spectrum, weights));
    TESS_GOTO(done, status, tess_fft_c2r(out, &spectrum, in->shape, &(tess_fft_opts){ .overwrite = 1 }));
done:
    tess_release(&spectrum);
    return status;
}

/* The same in the memory of a volume, whose rows have the capacity for its spectrum. */
static tess_status fourier_in_place(const tess_array *in, const tess_array *weights)
{
    tess_array spectrum = half_spectrum_of(in), real = *in;
    TESS_TRY(tess_fft_r2c(&spectrum, in, NULL));
    TESS_TRY(tess_mul(&spectrum, &spectrum, weights));
    return tess_fft_c2r(&real, &spectrum, in->shape, &(tess_fft_opts){ .overwrite = 1 });
}

static tess_status filter_in_place(void *context, tess_array *out, const tess_array *in, int64_t first)
{
    (void)first;
    const filtering *f = context;
    *out = *in;
    for (int i = 0; i < f->n_stages; ++i) {
        const stage *s = &f->stages[i];
        TESS_TRY(s->median ? median_stage(out, in, s->median) : fourier_in_place(in, &s->weights));
    }
    return TESS_OK;
}

static tess_status filter_images(void *context, tess_array *out, const tess_array *in, int64_t first)
{
    (void)first;
    const filtering *f = context;
    for (int i = 0; i < f->n_stages; ++i) {
        const stage      *s = &f->stages[i];
        const tess_array *from = i == 0 ? in : out;
        TESS_TRY(s->median ? median_stage(out, from, s->median) : fourier_stage(out, from, &s->weights));
    }
    return TESS_OK;
}

/* How much finer pixels along w are than those along another axis; sizes of headers are exact to seven digits. */
static double finer(const tess_meta *meta, int axis)
{
    const double scale = meta->pixel_size[2] / meta->pixel_size[axis];
    const bool   is_known = meta->pixel_size[2] > 0 && meta->pixel_size[axis] > 0;
    return is_known && fabs(scale - 1) > 1e-6 ? scale : 1;
}

static void find_scales(filtering *f, const tess_meta *meta)
{
    double r[3][3];
    unit_cell_reciprocals(r, meta, f->shape.d > 1);
    const double d = finer(meta, 0), h = finer(meta, 1);
    const double all[5] = { d * r[0][0], h * r[1][0], r[2][0], h * r[1][1], r[2][1] };
    memcpy(f->scale, all, sizeof all);
}

/* Bytes of the weights that the options ask for (those of Fourier filters that follow each other are one array), and
 * of the widest border that a median adds to an image or a volume. */
static void measure_stages(const job *j, const filtering *f, int64_t *weights, int64_t *padded)
{
    const tess_shape half = tess_rfft_shape(f->shape), shape = f->shape;
    const int64_t    size = (int64_t)tess_dtype_size(f->dtype);
    const char      *name, *value;
    bool             open = false;
    *weights = *padded = 0;
    for (int i = 0; job_option(j, i, &name, &value); ++i) {
        const bool median = strcmp(name, "median") == 0;
        const bool fourier = !median && strstr(" lowpass highpass bandpass gauss bfactor ", name) != NULL;
        if (fourier && !open) *weights += half.d * half.h * half.w * size;
        open = fourier || (open && !median);
        const int64_t n = median ? atoll(value) - 1 : 0;
        const int64_t wide = (shape.d > 1 ? shape.d + n : 1) * (shape.h + n) * (shape.w + n) * size;
        if (median && n < 99 && wide > *padded) *padded = wide;
    }
}

static tess_status filter_file(job *j, input *in, filtering *f)
{
    const tess_shape shape = in->info.shape;
    const bool       volumes = shape.d > 1;
    f->shape = TESS_SHAPE(1, shape.d, shape.h, shape.w);
    f->dtype = dtype_to_compute(in->info.dtype);
    f->device = j->device;
    TESS_TRY(need_real(j, in));
    f->pixel_size = in->info.meta.pixel_size[2];
    find_scales(f, &in->info.meta);
    f->side = shape.h < shape.w ? shape.h : shape.w;
    if (volumes && shape.d < f->side) f->side = shape.d;
    f->edge = 2.0 / (double)f->side;
    TESS_TRY(job_edge(j, "edge", f->side, &f->edge));
    TESS_CHECK(f->edge >= 0, TESS_EARG, "filter: --edge is %s; 0 or more is allowed", job_text(j, "edge", ""));
    TESS_TRY(tess_op_text(&f->pass, pass_text));
    TESS_TRY(tess_op_text(&f->bell, bell_text));
    stream_plan plan = plan_to_compute(in);
    int64_t     weights, padded;
    measure_stages(j, f, &weights, &padded);
    const int64_t spectrum = 2 * shape.d * shape.h * (shape.w / 2 + 1) * (int64_t)tess_dtype_size(f->dtype);
    plan.in_place = volumes && j->device.kind == TESS_CPU;
    plan.row = 2 * (shape.w / 2 + 1);
    plan.extra = plan.in_place || spectrum < padded ? padded : spectrum;
    plan.packs = plan.in_place;
    plan.taken = weights;
    const int64_t packed = plan.packs ? bytes_to_pack(shape, f->dtype) : 0;
    const int64_t all = (plan.in_place ? 1 : 2) * spectrum + plan.extra + weights + packed;
    TESS_TRY(volumes ? volume_fits(j, shape, all) : image_fits(j, shape, all));
    TESS_TRY(add_stages(j, f));
    return stream_run(j, in, &plan, plan.in_place ? filter_in_place : filter_images, f);
}

static tess_status run(job *j)
{
    input      in = { 0 };
    filtering *f = calloc(1, sizeof *f);
    TESS_CHECK(f, TESS_ENOMEM, "filter: out of memory");
    tess_status status;
    TESS_GOTO(done, status, open_input(j, &in));
    TESS_GOTO(done, status, filter_file(j, &in, f));
done:
    for (int i = 0; i < f->n_stages; ++i) tess_release(&f->stages[i].weights);
    tess_release(&f->product);
    tess_op_release(f->pass);
    tess_op_release(f->bell);
    free(f);
    input_close(&in);
    return status;
}

const verb verb_filter = {
    .name = "filter",
    .subject = "Fourier",
    .summary = "low-pass, high-pass, band-pass, Gaussian, B-factor and median filters",
    .arguments = "INPUT... -o OUT",
    .text =
        "Filters are applied in the order of the command line. Cut-offs are resolutions in A, or "
        "0.8nm, 0.25/px, 12sh (shells of the smallest side). At the cut-off the amplitude is "
        "half: the edge is a raised cosine about it. One that would begin below frequency 0 begins there, so that a "
        "low-pass keeps the mean. Where pixels are not as large along all axes, or the cell has angles other than 90, "
        "frequencies are those in 1/A; px, /px and sh are of pixels along x.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
