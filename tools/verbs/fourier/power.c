/* tessera power: power spectra, of each image or averaged. */
#include <string.h>

#include "files/on_device.h"
#include "files/one_input.h"

static const option options[] = {
    CHOICE("scale", "S", "log power amplitude", "values: log(1 + amplitude), power or amplitude [log]"),
    FLAG("average", "average the power of all images"),
    CHOICE("layout", "L", "h hc f fc", "half or full spectrum, zero frequency first or in the middle [fc]"),
    { 0 },
};
static const char *const examples[] = {
    "tessera power x.mrc -o power.mrc",
    "tessera power --average --scale power stack.mrcs -o mean_power.mrc",
    NULL,
};

typedef struct powering {
    tess_shape             shape; /* of an image or a volume, b = 1 */
    tess_fft_layout        layout;
    tess_fft_spectrum_kind scale;
    tess_array             sum; /* f64, of the power of all so far; in the order of the images, whatever the slabs */
    int64_t                n;
} powering;

/* The spectrum of each image: with this norm, the power of white noise is its variance. */
static tess_status spectrum_of(const powering *p, tess_array *out, const tess_array *in, tess_fft_spectrum_kind kind)
{
    const tess_fft_spectrum_opts opts = { .kind = (int32_t)kind, .to = (int32_t)p->layout };
    tess_shape                   shape = p->shape;
    tess_array                   spectrum = { 0 };
    tess_status                  status;
    shape.b = in->shape.b;
    TESS_GOTO(done, status, tess_fft_r2c(&spectrum, in, &(tess_fft_opts){ .norm = TESS_FFT_NORM_ORTHO }));
    TESS_GOTO(done, status, tess_fft_spectrum(out, &spectrum, shape, &opts));
done:
    tess_release(&spectrum);
    return status;
}

static tess_status spectrum_of_each(void *context, tess_array *out, const tess_array *in, int64_t first)
{
    (void)first;
    const powering *p = context;
    return spectrum_of(p, out, in, p->scale);
}

static tess_status add_power(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    (void)out, (void)s;
    powering   *p = context;
    tess_array  power = { 0 };
    tess_status status;
    TESS_GOTO(done, status, spectrum_of(p, &power, in, TESS_FFT_SPECTRUM_POWER));
    for (int64_t i = 0; i < power.shape.b; ++i) {
        tess_array one;
        TESS_GOTO(done, status, tess_index(&one, &power, 0, i));
        TESS_GOTO(done, status, tess_add(&p->sum, &p->sum, &one));
        ++p->n;
    }
done:
    tess_release(&power);
    return status;
}

/* The mean of the power, on the scale asked for. */
static tess_status finish_average(const powering *p, tess_array *result, tess_dtype dtype)
{
    tess_array mean = p->sum;
    TESS_TRY(tess_mul(&mean, &mean, &tess_f64(1.0 / (double)p->n)));
    if (p->scale != TESS_FFT_SPECTRUM_POWER) TESS_TRY(tess_sqrt(&mean, &mean));
    if (p->scale == TESS_FFT_SPECTRUM_LOG) TESS_TRY(tess_log1p(&mean, &mean));
    TESS_TRY(tess_cast(result, &mean, dtype, NULL));
    return move_array(result, tess_cpu());
}

static tess_status average(job *j, input *in, powering *p, const stream_plan *each)
{
    const tess_shape out = TESS_SHAPE(1, each->out_shape.d, each->out_shape.h, each->out_shape.w);
    const tess_dtype dtype = each->in_dtype;
    slab_plan        plan = plan_of_sections(&in, in->info.shape);
    tess_array       result = { 0 };
    tess_status      status;
    bool             skip;
    plan.device = j->device;
    plan.in_dtypes = &dtype;
    plan.whole = each->volumes;
    plan.extra = 4 * (int64_t)tess_dtype_size(dtype) * out.h * out.w;
    if (each->volumes) plan.unit = "sections";
    TESS_TRY(output_planned(j, NULL, out, dtype, &skip));
    if (skip) return TESS_OK;
    TESS_TRY(tess_zeros(&p->sum, out, TESS_F64, j->device));
    TESS_TRY(stream_slabs(j, &plan, NULL, add_power, p));
    TESS_GOTO(done, status, finish_average(p, &result, dtype));
    TESS_GOTO(done, status, output_write(j, NULL, &result, &each->meta));
done:
    tess_release(&result);
    return status;
}

static tess_status power_file(job *j, input *in, powering *p)
{
    const char      *layout = job_text(j, "layout", "fc"), *scale = job_text(j, "scale", "log");
    const tess_dtype dtype = dtype_to_compute(in->info.dtype);
    tess_shape       out = in->info.shape;
    TESS_CHECK(tess_dtype_kind(dtype) == TESS_KIND_FLOAT, TESS_EDTYPE,
               "power: %s has complex numbers; an image or a volume is needed, not its transform", in->name);
    p->shape = TESS_SHAPE(1, out.d, out.h, out.w);
    p->layout = strcmp(layout, "h") == 0    ? TESS_FFT_H
                : strcmp(layout, "hc") == 0 ? TESS_FFT_HC
                : strcmp(layout, "f") == 0  ? TESS_FFT_F
                                            : TESS_FFT_FC;
    if (layout[0] == 'h') out.w = tess_rfft_shape(out).w;
    p->scale = strcmp(scale, "power") == 0       ? TESS_FFT_SPECTRUM_POWER
               : strcmp(scale, "amplitude") == 0 ? TESS_FFT_SPECTRUM_AMPLITUDE
                                                 : TESS_FFT_SPECTRUM_LOG;
    stream_plan plan = plan_to_compute(in);
    tess_meta  *meta = &plan.meta;
    plan.out_shape = out;
    for (int i = 0; i < 3; ++i)
        meta->pixel_size[i] = meta->origin[i] = 0, meta->start[i] = 0, meta->angles[i] = 0, meta->grid[i] = 0;
    if (job_has(j, "average")) return average(j, in, p, &plan);
    plan.extra = 4 * (int64_t)tess_dtype_size(dtype) * out.d * out.h * out.w;
    return stream_run(j, in, &plan, spectrum_of_each, p);
}

static tess_status run(job *j)
{
    input    in = { 0 };
    powering p = { 0 };
    TESS_TRY(open_input(j, &in));
    const tess_status status = power_file(j, &in, &p);
    tess_release(&p.sum);
    input_close(&in);
    return status;
}

const verb verb_power = {
    .name = "power",
    .subject = "Fourier",
    .summary = "compute power spectra of images and volumes",
    .arguments = "INPUT... -o OUT",
    .text = "Power is |F|^2 divided by the number of pixels, so that of white noise is its variance. Pixels of the "
            "result are frequencies, which the header cannot record: its pixel size is left unknown.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
