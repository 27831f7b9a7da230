/* tessera backproject: reconstructs a tilt series by weighted back-projection. */
#include <math.h>

#include "files/one_input.h"
#include "movies/tilts.h"
#include "operation/job_call.h"

static const option options[] = {
    VALUE("angles", "FILE", OPTION_FILE, "tilt angles about y, in degrees: x.tlt, x.rawtlt, x.mdoc or x.star"),
    { 0 },
};
static const char *const examples[] = {
    "tessera backproject --angles tilts.tlt tilts.mrcs -o tomogram.mrc",
    "tessera backproject --angles tilts.tlt --depth 16 --weighting none tilts.mrcs -o sum.mrc",
    NULL,
};

/* What is known without reading the images, for --dry-run. */
static tess_status planned(job_call *call, bool *skip)
{
    const input                             *in = &call->in[0];
    const tess_reconstruct_tilt_series_opts *o = call->opts;
    const tess_shape                         s = in->info.shape;
    const int64_t                            depth = o->depth > 0 ? (int64_t)rint(o->depth) : s.w;
    TESS_TRY(need_real(call->job, in));
    TESS_CHECK(s.d == 1, TESS_ESHAPE, "backproject: %s has volumes; a stack of images is needed", in->name);
    return output_planned(call->job, NULL, TESS_SHAPE(1, depth, s.h, s.w), TESS_F32, skip);
}

static tess_status backproject(job *j, job_call *call, tess_array *tilts)
{
    const input                               *in = &call->in[0];
    const tess_reconstruct_tilt_series_result *r = call->result;
    const double                               apix = in->info.meta.pixel_size[2];
    bool                                       skip;
    TESS_CHECK(job_has(j, "angles"), TESS_EARG, "backproject: the tilt angles are missing; give --angles FILE.tlt");
    TESS_TRY(tilts_of_images(tilts, job_text(j, "angles", ""), in));
    TESS_TRY(planned(call, &skip));
    if (skip) return TESS_OK;
    call->values[1].in = tilts;
    TESS_TRY(job_call_run(call));
    return output_write(j, NULL, &r->volume, &(tess_meta){ .pixel_size = { apix, apix, apix } });
}

static tess_status run(job *j)
{
    job_call   call;
    tess_array tilts = { 0 };
    TESS_TRY(output_check(j, NULL));
    tess_status status = job_call_open(&call, j);
    if (status == TESS_OK) status = backproject(j, &call, &tilts);
    job_call_close(&call);
    tess_release(&tilts);
    return status;
}

const verb verb_backproject = {
    .name = "backproject",
    .job = "reconstruct_tilt_series",
    .subject = "particles",
    .summary = "reconstruct a tilt series by weighted back-projection",
    .arguments = "STACK... -o OUT",
    .text = "The images must be aligned, with the tilt axis along y through the centre; --angles lists the tilt of "
            "each. A point (x, z) of the volume is projected to x cos t + z sin t. The rows are ramp-filtered, and "
            "each image is spread along its rays, in real space. Grey values match the object if the tilts cover 180 "
            "degrees evenly; --weighting none adds the images without a filter. For particles in arbitrary "
            "orientations, use tessera reconstruct.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
