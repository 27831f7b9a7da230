/* tessera dose: exposure filters of aligned movies and tilt series. */
#include "files/input_meta.h"
#include "files/on_device.h"
#include "movies/exposure.h"
#include "measure/geometry.h"

static const option options[] = {
    EXPOSURE_OPTIONS,
    { .name = "sum", .type = OPTION_FLAG, .help = "write the sum of the weighted images, with white noise" },
    { 0 },
};
static const char *const examples[] = {
    "tessera dose --dose 1.2 --apix 1.1 stack.mrcs -o weighted.mrcs",
    "tessera dose --dose 1.2 --pre 3 --sum stack.mrcs -o sum.mrc",
    NULL,
};

typedef struct weighting {
    exposure   exposure;
    double     pixel_size;
    tess_shape image; /* b = 1 */
    tess_array sum;   /* --sum: the spectrum so far */
} weighting;

/* The exposures of n images from `first` on, where they are filtered. */
static tess_status doses_of(tess_array *doses, const weighting *w, int64_t first, int64_t n, tess_device device)
{
    tess_array some;
    TESS_TRY(tess_slice(&some, &w->exposure.doses, 0, first, first + n, 1));
    return tess_to_device(doses, &some, device);
}

static tess_status weight_images(void *context, tess_array *out, const tess_array *in, int64_t first)
{
    const weighting            *w = context;
    const tess_dose_weight_opts opts = exposure_options(&w->exposure);
    tess_array                  doses = { 0 };
    TESS_TRY(doses_of(&doses, w, first, in->shape.b, in->device));
    const tess_status status = tess_dose_weight_image(out, in, &doses, w->pixel_size, &opts);
    tess_release(&doses);
    return status;
}

/* One by one, so that the sum does not depend on how many images come at a time. */
static tess_status add_images(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    (void)out;
    weighting                  *w = context;
    const tess_dose_weight_opts opts = exposure_options(&w->exposure);
    tess_array                  spectrum = { 0 }, doses = { 0 };
    tess_status                 status = TESS_OK;
    for (int64_t i = 0; i < in->shape.b && status == TESS_OK; ++i) {
        tess_array one;
        TESS_GOTO(done, status, tess_slice(&one, in, 0, i, i + 1, 1));
        TESS_GOTO(done, status, doses_of(&doses, w, s->b + i, 1, in->device));
        TESS_GOTO(done, status, tess_fft_r2c(&spectrum, &one, NULL));
        TESS_GOTO(done, status, tess_dose_weight(&spectrum, &spectrum, w->image, &doses, w->pixel_size, &opts));
        if (w->sum.data) TESS_GOTO(done, status, tess_add(&w->sum, &w->sum, &spectrum));
        else TESS_GOTO(done, status, tess_copy(&w->sum, &spectrum));
        tess_release(&doses);
    }
done:
    tess_release(&spectrum);
    tess_release(&doses);
    return status;
}

/* Divided by the root of the sum of squares of the filters, and back in real space. */
static tess_status finish_sum(const weighting *w, tess_array *result)
{
    const tess_dose_weight_opts opts = exposure_options(&w->exposure);
    tess_array                  sum = w->sum, doses = { 0 };
    tess_status                 status = TESS_OK;
    TESS_GOTO(done, status, tess_to_device(&doses, &w->exposure.doses, sum.device));
    TESS_GOTO(done, status, tess_dose_normalize(&sum, &sum, w->image, &doses, w->pixel_size, &opts));
    TESS_GOTO(done, status, tess_fft_c2r(result, &sum, w->image, NULL));
    TESS_GOTO(done, status, move_array(result, tess_cpu()));
done:
    tess_release(&doses);
    return status;
}

static tess_status write_sum(job *j, input *in, weighting *w, const stream_plan *each)
{
    const tess_dtype dtype = each->in_dtype;
    slab_plan        plan = plan_of_sections(&in, in->info.shape);
    tess_meta        meta = each->meta;
    tess_array       result = { 0 };
    tess_status      status;
    bool             skip;
    meta_drop_records(&meta);
    plan.device = j->device;
    plan.in_dtypes = &dtype;
    plan.images = true;
    plan.taken = 4 * (int64_t)tess_dtype_size(dtype) * w->image.h * w->image.w;
    TESS_TRY(output_planned(j, NULL, w->image, dtype, &skip));
    if (skip) return TESS_OK;
    TESS_TRY(stream_slabs(j, &plan, NULL, add_images, w));
    TESS_GOTO(done, status, finish_sum(w, &result));
    TESS_GOTO(done, status, output_write(j, NULL, &result, &meta));
done:
    tess_release(&result);
    return status;
}

static tess_status weight_file(job *j, input *in, weighting *w)
{
    const tess_shape shape = in->info.shape;
    TESS_TRY(need_real(j, in));
    TESS_CHECK(shape.d == 1, TESS_ESHAPE, "dose: %s is a volume; a movie or a tilt series is needed (--as stack)",
               in->name);
    TESS_CHECK(shape.b * shape.h * shape.w > 0, TESS_ESHAPE, "dose: %s is empty", in->name);
    TESS_TRY(input_pixel_size(in, &w->pixel_size));
    TESS_TRY(exposure_read(&w->exposure, j, in));
    TESS_CHECK(w->exposure.doses.data, TESS_EARG,
               "dose: the exposure is not known; --dose, --doses or --mdoc is needed");
    w->image = TESS_SHAPE(1, 1, shape.h, shape.w);
    stream_plan plan = plan_to_compute(in);
    plan.extra = 4 * (int64_t)tess_dtype_size(plan.in_dtype) * shape.h * shape.w;
    if (job_has(j, "sum")) return write_sum(j, in, w, &plan);
    return stream_run(j, in, &plan, weight_images, w);
}

static tess_status run(job *j)
{
    input     in = { 0 };
    weighting w = { .pixel_size = 0 };
    TESS_TRY(output_check(j, NULL));
    TESS_TRY(input_open(&in, j, j->arguments[0], NEED_IMAGES));
    const tess_status status = weight_file(j, &in, &w);
    tess_release(&w.sum);
    exposure_free(&w.exposure);
    input_close(&in);
    return status;
}

const verb verb_dose = {
    .name = "dose",
    .subject = "movies and tilts",
    .summary = "weight aligned movies and tilt series by the exposure of each image",
    .arguments = "INPUT... -o OUT",
    .text =
        "The exposure filter of Grant and Grigorieff (2015): each image times exp(-N / (2 Nc)), with the exposure N at "
        "its end and the critical exposure Nc = 0.245 k^-1.665 + 2.81 electrons/A^2 at 300 kV, k in 1/A; 0.8 of that "
        "at 200 kV. With --sum, the sum of all divided by the root of the sum of squares of the filters, so that "
        "noise stays white. Frames that --slices leaves out at the beginning count as exposure.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
