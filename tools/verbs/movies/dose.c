/* tessera dose: exposure filters of aligned movies and tilt series. */
#include "files/input_meta.h"
#include "files/one_input.h"
#include "files/outputs/output_sink.h"
#include "movies/exposure.h"
#include "operation/job_call.h"

static const option options[] = {
    EXPOSURE_LIST_OPTIONS,
    { 0 },
};
static const char *const examples[] = {
    "tessera dose --dose 1.2 --apix 1.1 stack.mrcs -o weighted.mrcs",
    "tessera dose --dose 1.2 --pre 3 --sum stack.mrcs -o sum.mrc",
    NULL,
};

static tess_status write_sum(job_call *call)
{
    const input                         *in = &call->in[0];
    const tess_dose_weight_stack_result *r = call->result;
    const tess_shape                     image = TESS_SHAPE(1, 1, in->info.shape.h, in->info.shape.w);
    tess_meta                            meta = meta_of(in);
    bool                                 skip;
    tess_meta_forget_extended(&meta);
    TESS_TRY(output_planned(call->job, NULL, image, dtype_to_compute(in->info.dtype), &skip));
    if (skip) return TESS_OK;
    TESS_TRY(job_call_run(call));
    return output_write(call->job, NULL, &r->sum, &meta);
}

static tess_status write_images(job_call *call)
{
    const input                 *in = &call->in[0];
    const tess_meta              meta = meta_of(in);
    const tess_dtype             dtype = dtype_to_keep(in->info.dtype);
    tess_dose_weight_stack_opts *o = call->opts;
    output_sink                  sink;
    bool                         skip;
    TESS_TRY(output_planned(call->job, NULL, in->info.shape, dtype, &skip));
    if (skip) return TESS_OK;
    output_sink_make(&sink, call->job, dtype, &meta);
    o->sink = &sink.sink;
    return output_sink_end(&sink, job_call_run(call));
}

static tess_status weight_file(job_call *call, tess_array *doses)
{
    const job                   *j = call->job;
    const input                 *in = &call->in[0];
    tess_dose_weight_stack_opts *o = call->opts;
    const bool                   has_doses = job_has(j, "dose") || job_has(j, "doses") || job_has(j, "mdoc");
    TESS_CHECK(in->info.shape.d == 1, TESS_ESHAPE,
               "dose: %s is a volume; a movie or a tilt series is needed (--as stack)", in->name);
    TESS_TRY(exposure_list(doses, j, in));
    TESS_CHECK(has_doses, TESS_EARG, "dose: the exposure is unknown; give --dose, --doses or --mdoc");
    if (doses->data) o->doses = doses;
    return o->sum ? write_sum(call) : write_images(call);
}

static tess_status run(job *j)
{
    job_call   call;
    tess_array doses = { 0 };
    TESS_TRY(output_check(j, NULL));
    tess_status status = job_call_open(&call, j);
    if (status == TESS_OK) status = weight_file(&call, &doses);
    job_call_close(&call);
    tess_release(&doses);
    return status;
}

const verb verb_dose = {
    .name = "dose",
    .job = "dose_weight_stack",
    .fills = "doses",
    .subject = "movies and tilts",
    .summary = "dose-weight aligned movies and tilt series",
    .arguments = "INPUT... -o OUT",
    .text = "Applies the exposure filter of Grant and Grigorieff (2015): the spectrum of each image is multiplied by "
            "exp(-N / (2 Nc)), where N is the exposure at its end and Nc = 0.245 k^-1.665 + 2.81 electrons/A^2 is the "
            "critical exposure at 300 kV, with k in 1/A; at 200 kV it is 0.8 times as large. --sum divides the sum of "
            "the images by the root of the sum of the squared filters, so that noise stays white. Frames that --slices "
            "leaves out at the beginning count as exposure.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
