/* tessera corr: correlation maps of files with another one, and their peaks. */
#include <math.h>
#include <string.h>

#include "files/on_device.h"
#include "files/one_input.h"
#include "files/headers/pixel_sizes.h"

static const option options[] = {
    CHOICE("method", "M", "cc phase mutual double-phase",
           "function of the product P of the spectra: P, P/|P|, P/sqrt|P|, P^2/|P| [cc]"),
    FLAG("pad", "pad images with zeros to avoid wrap-around"),
    VALUE("max-shift", "L", OPTION_LENGTH, "maximum distance of the peak from lag 0 [unlimited]"),
    CHOICE("fit", "F", "parabola quadratic mass none", "sub-pixel interpolation of the peak [parabola]"),
    FLAG("keep-mean", "do not subtract the means first"),
    { 0 },
};
static const char *const examples[] = {
    "tessera corr x.mrc y.mrc",
    "tessera corr --method phase --max-shift 20 x.mrc y.mrc -o map.mrc",
    "tessera corr --pad --tsv stack.mrcs x.mrc",
    "tessera corr --fit none x.mrc y.mrc stack.mrcs x.mrc -o '{name}_cc.mrc'",
    NULL,
};

typedef struct correlation {
    job                     *job;
    tess_correlate_opts      how;
    tess_correlate_peak_opts peak;
    tess_array               lag, radius; /* of the peak's options */
    bool                     keep_mean;
    double                   lag_factor; /* 0.5 where lags are doubled */
    table                   *table;
    const char              *names[2];
} correlation;

static tess_status print_peaks(const correlation *c, const tess_array *shifts, const tess_array *values, int64_t first)
{
    static const char *const axes[] = { "x", "y", "z" };
    const int64_t            rank = shifts->shape.w;
    for (int64_t b = 0; b < shifts->shape.b; ++b) {
        double value;
        TESS_TRY(tess_get_f64(&value, values, b, 0, 0, 0));
        TESS_CHECK(isfinite(value), TESS_ERANGE,
                   "corr: image %lld of %s and %s has no peak: some of its values are NaN or infinite",
                   (long long)(first + b), c->names[0], c->names[1]);
        table_integer(c->table, "image", first + b);
        for (int64_t k = 0; k < rank; ++k) {
            double lag;
            TESS_TRY(tess_get_f64(&lag, shifts, b, 0, 0, rank - 1 - k));
            table_number(c->table, axes[k], lag * c->lag_factor);
        }
        table_number(c->table, "value", value);
        table_row(c->table);
    }
    return TESS_OK;
}

/* Less its mean, batch by batch. */
static tess_status centre(tess_array *centred, const tess_array *in)
{
    tess_array        mean = { 0 };
    const tess_status status = tess_mean(&mean, in, TESS_D | TESS_H | TESS_W, NULL);
    TESS_TRY(status);
    const tess_status done = tess_sub(centred, in, &mean);
    tess_release(&mean);
    return done;
}

static tess_status correlate_slab(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    const correlation *c = context;
    tess_array         map = { 0 }, centred[2] = { { .data = NULL }, { .data = NULL } }, shifts = { 0 }, values = { 0 };
    tess_status        status = TESS_OK;
    if (!c->keep_mean) {
        for (int k = 0; k < 2; ++k) TESS_GOTO(done, status, centre(&centred[k], &in[k]));
        in = centred;
    }
    TESS_GOTO(done, status, tess_correlate(out ? out : &map, &in[0], &in[1], &c->how));
    TESS_GOTO(done, status, tess_correlate_peak(&shifts, &values, out ? out : &map, &c->peak));
    TESS_GOTO(done, status, print_peaks(c, &shifts, &values, s->b));
done:
    tess_release(&map);
    tess_release(&shifts);
    tess_release(&values);
    for (int k = 0; k < 2; ++k) tess_release(&centred[k]);
    return status;
}

static tess_status read_peak_options(job *j, correlation *c, const input *in, int rank)
{
    const char *fit = job_text(j, "fit", "parabola");
    double      limit = 0;
    c->peak.fit = strcmp(fit, "quadratic") == 0 ? TESS_CORRELATE_FIT_QUADRATIC
                  : strcmp(fit, "mass") == 0    ? TESS_CORRELATE_FIT_MASS
                                                : TESS_CORRELATE_FIT_PARABOLA;
    c->peak.centred = 1;
    if (strcmp(fit, "none") == 0) {
        TESS_TRY(tess_zeros(&c->radius, TESS_SHAPE(1, 1, 1, rank), TESS_F64, tess_cpu()));
        c->peak.radius = &c->radius;
    }
    if (!job_has(j, "max-shift")) return TESS_OK;
    TESS_TRY(job_length(j, "max-shift", in->info.meta.pixel_size[2], &limit));
    TESS_CHECK(limit >= 0, TESS_EARG, "corr: --max-shift is %s; 0 or more is allowed", job_text(j, "max-shift", ""));
    TESS_TRY(tess_full(&c->lag, TESS_SHAPE(1, 1, 1, rank), TESS_F64, tess_cpu(), limit / c->lag_factor));
    c->peak.max_lag = &c->lag;
    return TESS_OK;
}

static tess_status read_options(job *j, correlation *c, const input *in)
{
    const char      *mode = job_text(j, "method", "cc");
    const tess_shape shape = in->info.shape;
    c->how.mode = strcmp(mode, "phase") == 0          ? TESS_CORRELATE_PHASE
                  : strcmp(mode, "mutual") == 0       ? TESS_CORRELATE_MUTUAL
                  : strcmp(mode, "double-phase") == 0 ? TESS_CORRELATE_DOUBLE_PHASE
                                                      : TESS_CORRELATE_CONVENTIONAL;
    c->lag_factor = c->how.mode == TESS_CORRELATE_DOUBLE_PHASE ? 0.5 : 1;
    c->how.centred = 1;
    c->how.pad = job_has(j, "pad");
    c->keep_mean = job_has(j, "keep-mean");
    return read_peak_options(j, c, in, shape.d > 1 ? 3 : shape.h > 1 ? 2 : 1);
}

static tess_status check_pair(const job *j, const input *in)
{
    const tess_shape a = in[0].info.shape, b = in[1].info.shape;
    for (int k = 0; k < 2; ++k) TESS_TRY(need_real(j, &in[k]));
    TESS_CHECK(a.d == b.d && a.h == b.h && a.w == b.w, TESS_ESHAPE,
               "corr: %s is %lld x %lld x %lld and %s is %lld x %lld x %lld; equal sizes are needed", in[0].name,
               (long long)a.w, (long long)a.h, (long long)a.d, in[1].name, (long long)b.w, (long long)b.h,
               (long long)b.d);
    TESS_CHECK(a.d * a.h * a.w > 0, TESS_ESHAPE, "corr: %s is empty", in[0].name);
    TESS_CHECK(a.b == b.b || b.b == 1, TESS_ESHAPE,
               "corr: %s has %lld images and %s %lld; equal numbers are needed, or one image in the second file",
               in[0].name, (long long)a.b, in[1].name, (long long)b.b);
    return TESS_OK;
}

static tess_status correlate_files(job *j, input *in, correlation *c)
{
    input *const inputs[] = { &in[0], &in[1] };
    TESS_TRY(check_pair(j, in));
    TESS_TRY(read_options(j, c, &in[0]));
    const tess_dtype dtype =
        in[0].info.dtype == TESS_F64 || in[1].info.dtype == TESS_F64 ? TESS_F64 : dtype_to_compute(in[0].info.dtype);
    const tess_dtype dtypes[] = { dtype, dtype };
    tess_meta        meta = meta_of(&in[0]);
    slab_plan        plan = plan_of_sections(inputs, in[0].info.shape);
    plan.n_inputs = 2;
    plan.in_dtypes = dtypes;
    plan.device = j->device;
    plan.whole = true;
    plan.out_dtype = dtype;
    plan.extra = (c->how.pad ? 28 : 6) * (int64_t)tess_dtype_size(dtype) * plan.out_shape.h * plan.out_shape.w;
    c->job = j;
    for (int k = 0; k < 2; ++k) c->names[k] = in[k].name;
    c->table = table_new(j, stdout);
    const tess_status status = job_has(j, "output") ? stream_slabs_to_file(j, &plan, &meta, correlate_slab, c)
                                                    : stream_slabs(j, &plan, NULL, correlate_slab, c);
    if (status == TESS_OK) table_end(c->table);
    else table_free(c->table);
    return status;
}

static tess_status run(job *j)
{
    input       in[2] = { { .file = NULL }, { .file = NULL } };
    correlation c = { 0 };
    tess_status status = TESS_OK;
    if (job_has(j, "output")) TESS_TRY(output_check(j, NULL));
    for (int k = 0; k < 2; ++k) TESS_GOTO(done, status, input_open(&in[k], j, j->arguments[k], NEED_ANY));
    warn_of_pixel_sizes(j, &in[0], &in[1]);
    status = correlate_files(j, in, &c);
done:
    tess_release(&c.lag);
    tess_release(&c.radius);
    for (int k = 0; k < 2; ++k) input_close(&in[k]);
    return status;
}

const verb verb_corr = {
    .name = "corr",
    .subject = "movies and tilts",
    .summary = "cross-correlate images with a reference and find sub-pixel shifts",
    .arguments = "INPUT... OTHER [-o MAP]",
    .text = "Prints for each image the shift x, y (and z for volumes) in pixels that moves OTHER onto INPUT, and the "
            "height of the peak. The correlation map, if written, has lag 0 in the middle, n/2. OTHER, the last file, "
            "is correlated with each of the others; it may be one image for a whole stack. Means are subtracted first. "
            "With --method double-phase, lags are doubled in the map, but not in the printed shifts.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_NUMBER_TABLE | GLOBAL_PROGRESS,
    VERB_OF_FILE(2, -1),
    .each = EACH_TABLE,
    .with_last = true,
};
