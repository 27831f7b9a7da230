/* tessera filter: Fourier filters with soft edges, and medians. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/units.h"
#include "files/on_device.h"
#include "files/one_input.h"
#include "files/slab_pipeline.h"
#include "measure/geometry.h"
#include "measure/number_table.h"
#include "measure/unit_cell.h"
#include "operation/values.h"

static const option options[] = {
    VALUE("lowpass", "A", OPTION_CUTOFF, "keep what is coarser than this", .many = true),
    VALUE("highpass", "A", OPTION_CUTOFF, "keep what is finer than this", .many = true),
    VALUE("bandpass", "A,A", OPTION_TEXT, "keep what lies between these two, in either order", .many = true),
    VALUE("edge", "N", OPTION_EDGE,
          "width of the soft edges in shells: of a cosine all of it, about the cut-off; of a Gaussian its sigma [2]"),
    CHOICE("edge-type", "T", "cosine gaussian butterworth hard", "how edges fall [cosine]"),
    VALUE("order", "N", OPTION_INTEGER, "of a Butterworth edge, 1 to 64 [4]"),
    VALUE("gauss", "S", OPTION_LENGTH, "blur by a Gaussian of this sigma", .many = true),
    VALUE("dog", "S,S", OPTION_TEXT,
          "difference of Gaussians: blurred by the first sigma, less blurred by the second, which is larger",
          .many = true),
    VALUE("bfactor", "B", OPTION_NUMBER, "multiply by exp(-B/4 s^2), B in A^2: positive damps, negative sharpens",
          .many = true),
    VALUE("dose", "D", OPTION_TEXT,
          "exposure filter: electrons/A^2 that each image has received, a number or a file of them, NPY or text",
          .many = true),
    VALUE("voltage", "KV", OPTION_NUMBER, "of the microscope, for --dose: 300 or 200 [300]"),
    VALUE("curve", "FILE", OPTION_FILE,
          "multiply by a radial curve: values from frequency 0 to Nyquist, a row, or a row for each image; NPY or text",
          .many = true),
    FLAG("whiten", "divide by the root of the radial power", .many = true),
    VALUE("median", "N", OPTION_INTEGER, "median of N x N pixels (volumes: N x N x N), N odd", .many = true),
    { 0 },
};
static const char *const examples[] = {
    "tessera filter --lowpass 8 x.mrc -o smooth.mrc",
    "tessera filter --highpass 100 --lowpass 10 --edge 3 stack.mrcs -o band.mrcs",
    "tessera filter --lowpass 8 --edge-type butterworth --order 8 x.mrc -o steep.mrc",
    "tessera filter --whiten --lowpass 6 stack.mrcs -o white.mrcs",
    "tessera filter --median 3 --gauss 1.5 volume.mrc -o quiet.mrc",
    "tessera filter --lowpass 8 x.mrc y.mrc -o '{name}_smooth.mrc'",
    NULL,
};

enum { MAX_STAGES = 64 };

typedef enum stage_kind {
    STAGE_PASS,
    STAGE_BELL,
    STAGE_BELLS,
    STAGE_DOSE,
    STAGE_CURVE,
    STAGE_WHITEN,
    STAGE_MEDIAN
} stage_kind;

/* One side of a pass band, in the numbers that tess_lowpass and tess_highpass take. */
typedef struct pass_side {
    double cutoff, width;
    bool   high; /* a high-pass */
} pass_side;

typedef struct stage {
    stage_kind kind;
    pass_side  low, high; /* PASS: a high-pass, a low-pass, or both: the sides of a band */
    bool       has_low, has_high;
    double     bfactor; /* BELL, BELLS: of pixels of size 1, as tess_bfactor takes it */
    double     other;   /* BELLS: of the one that is subtracted */
    tess_array numbers; /* DOSE, CURVE: {1 or b,1,1,m} */
    int64_t    median;  /* MEDIAN: the size of a window */
} stage;

typedef struct filtering {
    tess_shape       shape; /* of an image or a volume, b = 1 */
    int64_t          images;
    tess_dtype       dtype;
    tess_device      device;
    double           pixel_size; /* along w, Å; 0 if it is not known */
    double           highest;    /* frequency along an axis */
    double           edge;       /* cycles per pixel */
    tess_filter_edge edge_type;
    int32_t          order;
    double           voltage;
    int64_t          side; /* smallest, in pixels */
    tess_metric      metric;
    stage            stages[MAX_STAGES];
    int              n_stages;
} filtering;

/* ---- Stages, by the options in their order ---- */

static stage *add_stage(filtering *f, stage_kind kind)
{
    stage *s = &f->stages[f->n_stages++];
    s->kind = kind;
    return s;
}

/* In cycles per pixel of w, no more than the highest frequency along an axis. */
static tess_status find_cut(job *j, const filtering *f, const char *what, const char *text, double *cut)
{
    quantity q;
    TESS_TRY(parse_quantity(what, OPTION_CUTOFF, text, &q));
    TESS_TRY(to_cycles(what, OPTION_CUTOFF, q, f->pixel_size, f->side, cut));
    if (*cut <= f->highest) return TESS_OK;
    if (f->pixel_size > 0)
        job_note(j, "%s %s lies beyond Nyquist, %.4g A: taken as that", what, text, f->pixel_size / f->highest);
    else job_note(j, "%s %s lies beyond Nyquist, 0.5/px: taken as that", what, text);
    *cut = f->highest;
    return TESS_OK;
}

/* A cosine lies about the cut-off and begins at frequency 0 or above, so that the mean stays; others lie outside of the
 * band. */
static pass_side side_of(const filtering *f, double cut, bool high)
{
    pass_side    s = { cut, f->edge, high };
    const double begin = fmax(cut - f->edge / 2, 0), end = cut + f->edge / 2;
    if (f->edge_type != TESS_FILTER_COSINE || f->edge == 0) return s;
    s.cutoff = high ? end : begin;
    s.width = end - begin;
    return s;
}

/* A high-pass and a low-pass that follow each other are one filter. */
static void add_side(filtering *f, double cut, bool high)
{
    stage *s = f->n_stages > 0 ? &f->stages[f->n_stages - 1] : NULL;
    if (!s || s->kind != STAGE_PASS || (high ? s->has_low : s->has_high)) s = add_stage(f, STAGE_PASS);
    if (high) s->low = side_of(f, cut, high), s->has_low = true;
    else s->high = side_of(f, cut, high), s->has_high = true;
}

static tess_status add_pass(job *j, filtering *f, const char *what, const char *text, bool high)
{
    double cut;
    TESS_TRY(find_cut(j, f, what, text, &cut));
    add_side(f, cut, high);
    return TESS_OK;
}

static tess_status add_band(job *j, filtering *f, const char *text)
{
    char        first[64];
    double      cuts[2];
    const char *comma = strchr(text, ',');
    TESS_CHECK(comma && (size_t)(comma - text) < sizeof first, TESS_EARG,
               "filter: --bandpass is %s; two resolutions, coarse and fine, are needed: 100,8", text);
    (void)snprintf(first, sizeof first, "%.*s", (int)(comma - text), text);
    TESS_TRY(find_cut(j, f, "--bandpass", first, &cuts[0]));
    TESS_TRY(find_cut(j, f, "--bandpass", comma + 1, &cuts[1]));
    TESS_CHECK(cuts[0] != cuts[1], TESS_EARG, "filter: --bandpass is %s; nothing lies between the two", text);
    add_side(f, fmin(cuts[0], cuts[1]), true);
    add_side(f, fmax(cuts[0], cuts[1]), false);
    return TESS_OK;
}

/* The transform of a Gaussian of this sigma, exp(-2 pi^2 sigma^2 f^2), as a B-factor. */
static tess_status bell_of(const filtering *f, const char *what, const char *text, double *bfactor)
{
    const double pi = 3.14159265358979323846;
    quantity     q;
    double       sigma;
    TESS_TRY(parse_quantity(what, OPTION_LENGTH, text, &q));
    TESS_TRY(to_pixels(what, q, f->pixel_size, &sigma));
    TESS_CHECK(sigma >= 0, TESS_EARG, "filter: %s is %s; 0 or more is allowed", what, text);
    *bfactor = 8 * pi * pi * sigma * sigma;
    return TESS_OK;
}

static tess_status add_gauss(filtering *f, const char *text)
{
    return bell_of(f, "--gauss", text, &add_stage(f, STAGE_BELL)->bfactor);
}

static tess_status add_dog(filtering *f, const char *text)
{
    char        first[64];
    const char *comma = strchr(text, ',');
    stage      *s = add_stage(f, STAGE_BELLS);
    TESS_CHECK(comma && (size_t)(comma - text) < sizeof first, TESS_EARG,
               "filter: --dog is %s; two sigmas, the smaller one first, are needed: 2,3.2", text);
    (void)snprintf(first, sizeof first, "%.*s", (int)(comma - text), text);
    TESS_TRY(bell_of(f, "--dog", first, &s->bfactor));
    TESS_TRY(bell_of(f, "--dog", comma + 1, &s->other));
    TESS_CHECK(s->other > s->bfactor, TESS_EARG, "filter: --dog is %s; the second sigma must be the larger one", text);
    return TESS_OK;
}

static tess_status need_pixel_size(const filtering *f, const char *what)
{
    TESS_CHECK(f->pixel_size > 0, TESS_EARG, "filter: %s needs the pixel size, which is not known; give --apix", what);
    return TESS_OK;
}

static tess_status add_bfactor(filtering *f, const char *text)
{
    quantity q;
    TESS_TRY(parse_quantity("--bfactor", OPTION_NUMBER, text, &q));
    TESS_TRY(need_pixel_size(f, "--bfactor"));
    add_stage(f, STAGE_BELL)->bfactor = q.value / (f->pixel_size * f->pixel_size);
    return TESS_OK;
}

/* Numbers as {n,1,1,m}: n rows of m, or n single ones in any order, where n is the number of images, or 1. */
static tess_status take_rows(const filtering *f, const char *what, const tess_array *all, bool single, tess_array *rows)
{
    const tess_shape s = all->shape;
    const int64_t    n = s.b * s.d * s.h * (single ? s.w : 1);
    tess_array       shaped;
    TESS_CHECK(tess_dtype_kind(all->dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE, "filter: %s has complex numbers", what);
    TESS_CHECK(n == 1 || n == f->images, TESS_ESHAPE,
               "filter: %s has %lld %s; 1 is needed, or one for each of %lld images", what, (long long)n,
               single ? "numbers" : "rows", (long long)f->images);
    TESS_TRY(tess_reshape(&shaped, all, TESS_SHAPE(n, 1, 1, single ? 1 : s.w)));
    TESS_TRY(tess_cast(rows, &shaped, TESS_F64, NULL));
    return move_array(rows, f->device);
}

/* A number that is smaller than 0, or none, would make noise of images. */
static tess_status check_doses(const tess_array *doses)
{
    double least, most;
    char   text[32];
    TESS_TRY(tess_host_minmax(&least, &most, doses));
    TESS_CHECK(least >= 0 && most <= DBL_MAX, TESS_ERANGE, "filter: --dose is %s; 0 or more electrons/A^2 are needed",
               number_text(text, least >= 0 ? most : least));
    return TESS_OK;
}

/* An array, or a text with lines of numbers; a curve may stand in one column. */
static tess_status read_numbers(tess_array *all, stage_kind kind, const char *what, const char *path)
{
    if (!is_number_table(path)) return tess_read(all, path, NULL);
    TESS_TRY(number_table_read(all, what, path));
    const tess_array column = *all;
    if (kind != STAGE_CURVE || column.shape.w > 1) return TESS_OK;
    return tess_reshape(all, &column, TESS_SHAPE(1, 1, 1, column.shape.h));
}

static tess_status add_numbers(filtering *f, stage_kind kind, const char *what, const char *text)
{
    tess_array all = { 0 };
    double     number;
    stage     *s = add_stage(f, kind);
    if (kind == STAGE_DOSE) TESS_TRY(need_pixel_size(f, what));
    if (kind == STAGE_DOSE && number_argument(text, &number, &all)) {
        TESS_TRY(check_doses(&all));
        return tess_full(&s->numbers, TESS_SHAPE(1, 1, 1, 1), TESS_F64, f->device, number);
    }
    TESS_TRY(read_numbers(&all, kind, what, text));
    tess_status status = take_rows(f, what, &all, kind == STAGE_DOSE, &s->numbers);
    if (status == TESS_OK && kind == STAGE_DOSE) status = check_doses(&all);
    tess_release(&all);
    return status;
}

/* Shells of tess_whiten have no metric. */
static tess_status add_whiten(filtering *f)
{
    const tess_metric *g = &f->metric;
    const bool         cubic = g->dd == 1 && g->hh == 1 && g->ww == 1 && g->dh == 0 && g->dw == 0 && g->hw == 0;
    TESS_CHECK(cubic, TESS_EUNSUPPORTED,
               "filter: --whiten needs pixels that are as large along all axes, which are at right angles");
    (void)add_stage(f, STAGE_WHITEN);
    return TESS_OK;
}

static tess_status add_median(filtering *f, const char *text)
{
    int64_t n;
    TESS_TRY(parse_integer("--median", text, &n));
    TESS_CHECK(n >= 1 && n % 2 == 1 && n < 100, TESS_EARG, "filter: --median is %s; an odd number of 1 to 99 is needed",
               text);
    add_stage(f, STAGE_MEDIAN)->median = n;
    return TESS_OK;
}

static tess_status add_option(job *j, filtering *f, const char *name, const char *value, bool *is_filter)
{
    *is_filter = true;
    if (strcmp(name, "lowpass") == 0) return add_pass(j, f, "--lowpass", value, false);
    if (strcmp(name, "highpass") == 0) return add_pass(j, f, "--highpass", value, true);
    if (strcmp(name, "bandpass") == 0) return add_band(j, f, value);
    if (strcmp(name, "gauss") == 0) return add_gauss(f, value);
    if (strcmp(name, "dog") == 0) return add_dog(f, value);
    if (strcmp(name, "bfactor") == 0) return add_bfactor(f, value);
    if (strcmp(name, "dose") == 0) return add_numbers(f, STAGE_DOSE, "--dose", value);
    if (strcmp(name, "curve") == 0) return add_numbers(f, STAGE_CURVE, "--curve", value);
    if (strcmp(name, "whiten") == 0) return add_whiten(f);
    if (strcmp(name, "median") == 0) return add_median(f, value);
    *is_filter = false;
    return TESS_OK;
}

static tess_status add_stages(job *j, filtering *f)
{
    const char *name, *value;
    bool        is_filter;
    int         n = 0;
    for (int i = 0; job_option(j, i, &name, &value); ++i) {
        TESS_CHECK(f->n_stages < MAX_STAGES - 1, TESS_EARG, "filter: more than %d filters", MAX_STAGES - 1);
        TESS_TRY(add_option(j, f, name, value, &is_filter));
        n += is_filter;
    }
    TESS_CHECK(n > 0, TESS_EARG,
               "filter: nothing to do; give --lowpass, --highpass, --bandpass, --gauss, --dog, --bfactor, --dose, "
               "--curve, --whiten or --median");
    return TESS_OK;
}

/* ---- The work ---- */

/* Those of the images from `first` on. */
static tess_status rows_of(tess_array *some, const tess_array *rows, int64_t first, int64_t n)
{
    *some = *rows;
    return rows->shape.b > 1 ? tess_slice(some, rows, 0, first, first + n, 1) : TESS_OK;
}

static tess_status pass_stage(const filtering *f, const stage *s, tess_array *x, tess_shape shape)
{
    const pass_side         *one = s->has_low ? &s->low : &s->high;
    const int32_t            edge = (int32_t)f->edge_type;
    const tess_lowpass_opts  o = { .width = one->width, .metric = f->metric, .edge = edge, .order = f->order };
    const tess_bandpass_opts both = {
        .low_width = s->low.width, .high_width = s->high.width, .metric = f->metric, .edge = edge, .order = f->order
    };
    if (!s->has_low) return tess_lowpass(x, x, shape, one->cutoff, &o);
    if (!s->has_high) return tess_highpass(x, x, shape, one->cutoff, &o);
    return tess_bandpass(x, x, shape, s->low.cutoff, s->high.cutoff, &both);
}

/* One Gaussian less another. */
static tess_status subtract_bells(const filtering *f, const stage *s, tess_array *x, tess_shape shape)
{
    const tess_bfactor_opts opts = { .metric = f->metric };
    tess_array              wide = { 0 };
    tess_status             status = TESS_OK;
    TESS_GOTO(done, status, tess_bfactor(&wide, x, shape, s->other, 1, &opts));
    TESS_GOTO(done, status, tess_bfactor(x, x, shape, s->bfactor, 1, &opts));
    TESS_GOTO(done, status, tess_sub(x, x, &wide));
done:
    tess_release(&wide);
    return status;
}

/* One filter on the spectra of images of this shape, which are those from `first` on. */
static tess_status filter_spectra(const filtering *f, const stage *s, tess_array *x, tess_shape shape, int64_t first)
{
    tess_array some;
    switch (s->kind) {
    case STAGE_PASS: return pass_stage(f, s, x, shape);
    case STAGE_BELL: return tess_bfactor(x, x, shape, s->bfactor, 1, &(tess_bfactor_opts){ .metric = f->metric });
    case STAGE_BELLS: return subtract_bells(f, s, x, shape);
    case STAGE_WHITEN: return tess_whiten(x, x, shape, NULL);
    case STAGE_CURVE:
        TESS_TRY(rows_of(&some, &s->numbers, first, shape.b));
        return tess_filter_curve(x, x, shape, &some, &(tess_filter_curve_opts){ .metric = f->metric });
    default:
        TESS_TRY(rows_of(&some, &s->numbers, first, shape.b));
        return tess_dose_weight(x, x, shape, &some, f->pixel_size,
                                &(tess_dose_weight_opts){ .voltage = f->voltage, .metric = f->metric });
    }
}

/* The stages from i on until a median, between one transform and its inverse. With this norm, what is white has the
 * power 1 that `tessera power` shows. How many stages that were is added to *i. */
static tess_status fourier_stages(const filtering *f, tess_array *out, const tess_array *in, tess_array *spectrum,
                                  int64_t first, int *i)
{
    bool whitens = false;
    for (int k = *i; k < f->n_stages && f->stages[k].kind != STAGE_MEDIAN; ++k)
        whitens = whitens || f->stages[k].kind == STAGE_WHITEN;
    const int32_t norm = whitens ? TESS_FFT_NORM_ORTHO : TESS_FFT_NORM_BACKWARD;
    TESS_TRY(tess_fft_r2c(spectrum, in, &(tess_fft_opts){ .norm = norm }));
    for (; *i < f->n_stages && f->stages[*i].kind != STAGE_MEDIAN; ++*i)
        TESS_TRY(filter_spectra(f, &f->stages[*i], spectrum, in->shape, first));
    return tess_fft_c2r(out, spectrum, in->shape, &(tess_fft_opts){ .norm = norm, .overwrite = 1 });
}

/* `out` may be `in`. */
static tess_status median_stage(tess_array *out, const tess_array *in, int64_t n)
{
    const tess_shape     window = TESS_SHAPE(1, in->shape.d > 1 ? n : 1, n, n);
    const tess_rank_opts opts = { .border = TESS_BORDER_MIRROR };
    tess_array           copy = { 0 };
    if (out->data != in->data) return tess_median_filter(out, in, window, &opts);
    tess_status status = tess_copy(&copy, in);
    if (status == TESS_OK) status = tess_median_filter(out, &copy, window, &opts);
    tess_release(&copy);
    return status;
}

/* In the memory of a volume, whose rows have the capacity for its spectrum. */
static tess_status filter_in_place(void *context, tess_array *out, const tess_array *in, int64_t first)
{
    const filtering *f = context;
    *out = *in;
    for (int i = 0; i < f->n_stages;) {
        tess_array spectrum = half_spectrum_of(in), real = *in;
        if (f->stages[i].kind == STAGE_MEDIAN) TESS_TRY(median_stage(out, in, f->stages[i++].median));
        else TESS_TRY(fourier_stages(f, &real, in, &spectrum, first, &i));
    }
    return TESS_OK;
}

static tess_status filter_images(void *context, tess_array *out, const tess_array *in, int64_t first)
{
    const filtering *f = context;
    for (int i = 0; i < f->n_stages;) {
        const tess_array *from = i == 0 ? in : out;
        tess_array        spectrum = { 0 };
        tess_status       status;
        if (f->stages[i].kind == STAGE_MEDIAN) status = median_stage(out, from, f->stages[i++].median);
        else status = fourier_stages(f, out, from, &spectrum, first, &i);
        tess_release(&spectrum);
        TESS_TRY(status);
    }
    return TESS_OK;
}

/* What edges are like. */
static tess_status take_edges(const job *j, filtering *f)
{
    const char   *type = job_text(j, "edge-type", "cosine");
    const int64_t order = job_integer(j, "order", 4);
    f->edge = 2.0 / (double)f->side;
    TESS_TRY(job_edge(j, "edge", f->side, &f->edge));
    TESS_CHECK(f->edge >= 0, TESS_EARG, "filter: --edge is %s; 0 or more is allowed", job_text(j, "edge", ""));
    TESS_CHECK(order >= 1 && order <= 64, TESS_EARG, "filter: --order is %lld; 1 to 64 is allowed", (long long)order);
    TESS_CHECK(!job_has(j, "order") || strcmp(type, "butterworth") == 0, TESS_EARG,
               "filter: --order is for --edge-type butterworth, not %s", type);
    TESS_CHECK(!job_has(j, "voltage") || job_has(j, "dose"), TESS_EARG,
               "filter: --voltage is for --dose, which was not given");
    f->edge_type = strcmp(type, "gaussian") == 0      ? TESS_FILTER_GAUSSIAN
                   : strcmp(type, "butterworth") == 0 ? TESS_FILTER_BUTTERWORTH
                                                      : TESS_FILTER_COSINE;
    if (strcmp(type, "hard") == 0) f->edge = 0;
    f->order = (int32_t)order;
    f->voltage = job_number(j, "voltage", 300);
    TESS_CHECK(f->voltage == 300 || f->voltage == 200, TESS_EARG, "filter: --voltage is %s; 300 or 200 is allowed",
               job_text(j, "voltage", ""));
    return TESS_OK;
}

static tess_status measure_file(const job *j, const input *in, filtering *f)
{
    const tess_shape shape = in->info.shape;
    const tess_meta *meta = &in->info.meta;
    const bool       volumes = shape.d > 1;
    f->shape = TESS_SHAPE(1, shape.d, shape.h, shape.w);
    f->images = shape.b;
    f->dtype = dtype_to_compute(in->info.dtype);
    f->device = j->device;
    TESS_TRY(need_real(j, in));
    f->pixel_size = meta->pixel_size[2];
    f->metric = tess_meta_metric(meta, volumes);
    f->highest = tess_meta_highest_frequency(meta, volumes);
    f->side = shape.h < shape.w ? shape.h : shape.w;
    if (volumes && shape.d < f->side) f->side = shape.d;
    return take_edges(j, f);
}

static tess_status filter_file(job *j, input *in, filtering *f)
{
    TESS_TRY(measure_file(j, in, f));
    const tess_shape shape = f->shape;
    const bool       volumes = shape.d > 1;
    stream_plan      plan = plan_to_compute(in);
    const int64_t    size = (int64_t)tess_dtype_size(f->dtype);
    const int64_t    spectrum = 2 * shape.d * shape.h * (shape.w / 2 + 1) * size;
    const int64_t    copy = job_has(j, "median") ? shape.d * shape.h * shape.w * size : 0; /* that a median makes */
    plan.in_place = volumes && j->device.kind == TESS_CPU;
    plan.row = 2 * (shape.w / 2 + 1);
    plan.extra = (plan.in_place || spectrum < copy ? copy : spectrum) + (job_has(j, "dog") ? spectrum : 0);
    plan.packs = plan.in_place;
    const int64_t packed = plan.packs ? bytes_to_pack(in->info.shape, f->dtype) : 0;
    const int64_t all = (plan.in_place ? 1 : 2) * spectrum + plan.extra + packed;
    TESS_TRY(volumes ? volume_fits(j, in->info.shape, all) : image_fits(j, in->info.shape, all));
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
    for (int i = 0; i < f->n_stages; ++i) { tess_release(&f->stages[i].numbers); }
    free(f);
    input_close(&in);
    return status;
}

const verb verb_filter = {
    .name = "filter",
    .subject = "Fourier",
    .summary = "low-pass, high-pass, band-pass, Gaussian, B-factor, exposure, whitening and median filters",
    .arguments = "INPUT... -o OUT",
    .text =
        "Filters are applied in the order of the command line. Cut-offs are resolutions in A, or 0.8nm, 0.25/px, 12sh "
        "(shells of the smallest side). At the cut-off the amplitude is half: the edge is a raised cosine about it. "
        "One that would begin below frequency 0 begins there, so that a low-pass keeps the mean. A Gaussian edge "
        "begins at the cut-off and has --edge for its sigma; a Butterworth filter is 1/sqrt(2) at the cut-off, and "
        "--edge does not count.\n"
        "\n"
        "--dose is the filter of Grant and Grigorieff (2015). After --whiten, `tessera power` shows about 1 "
        "everywhere.\n"
        "\n"
        "Where pixels are not as large along all axes, or the cell has angles other than 90, frequencies are those in "
        "1/A; px, /px, sh and the Nyquist frequency of --curve are of pixels along x. --whiten is not for such files.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
