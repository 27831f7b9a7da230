/* tessera locres: the local resolution of two half maps. */
#include "files/one_input.h"
#include "operation/job_call.h"

static const char *const examples[] = {
    "tessera locres half1.mrc half2.mrc --radius 6 --soft 3 -o local.mrc",
    "tessera gen sphere --size 32,32,32 --radius 9 --apix 1.5 -o ball.mrc",
    "tessera locres half1.mrc half2.mrc --mask ball.mrc --radius 6 --threshold 0.5 --step 8 -o local_half.mrc",
    NULL,
};

static void tell(job *j, const tess_local_resolution_result *r, bool is_masked)
{
    if (r->randomized_from > 0) job_note(j, "phases are randomised from %.2f A on", r->randomized_from);
    job_note(j,
             "local resolution at %g %s: median %.2f A, 5 %% below %.2f A, 95 %% below %.2f A (%lld voxels, measured "
             "at %lld positions in boxes of %lld pixels)",
             r->threshold, is_masked ? "inside the mask" : "of the whole map", r->median, r->quantile_5, r->quantile_95,
             (long long)r->n_voxels, (long long)r->n_positions, (long long)r->box);
}

static tess_status work(job *j, job_call *call)
{
    const tess_meta                     meta = meta_of(&call->in[0]);
    const tess_local_resolution_result *r = call->result;
    bool                                skip;
    TESS_TRY(output_planned(j, NULL, call->in[0].info.shape, TESS_F32, &skip));
    if (skip) return TESS_OK;
    TESS_TRY(job_call_run(call));
    tell(j, r, job_has(j, "mask"));
    return output_write(j, NULL, &r->map, &meta);
}

static tess_status run(job *j)
{
    job_call call;
    TESS_TRY(output_check(j, NULL));
    tess_status status = job_call_open(&call, j);
    if (status == TESS_OK) status = work(j, &call);
    job_call_close(&call);
    return status;
}

const verb verb_locres = {
    .name = "locres",
    .job = "local_resolution",
    .subject = "maps",
    .summary = "estimate the local resolution from two half maps",
    .arguments = "HALF1 HALF2 -o OUT",
    .text = "Writes a map of resolutions in A. At positions --step pixels apart, both half maps are multiplied by a "
            "sphere of --radius with a raised-cosine edge of --soft. The resolution there is where the FSC of the "
            "products falls below --threshold, interpolated between shells; between positions it is interpolated "
            "linearly. The smaller the box of the sphere, the wider the shells and the coarser the resolutions. They "
            "range from 2 pixels to the side of the box, which is 2 (radius + soft) or slightly more.\n\n"
            "The sphere introduces correlation of its own. It is measured with phases randomised from the first "
            "shell where the FSC of the whole maps is below --randomize-at-fsc (or from --randomize-at on), and "
            "corrected as by `tessera fsc`, unless --no-correct is given. With --mask, only voxels inside the mask "
            "are measured, and the map is 0 where the mask is 0. The median and the quantiles are those of the "
            "voxels inside the mask, or of the whole map if there is no mask.",
    .globals = GLOBAL_OUT | GLOBAL_READ | GLOBAL_APIX | GLOBAL_PROGRESS | GLOBAL_DEVICE | GLOBAL_SEED,
    .examples = examples,
    .min = 2,
    .max = 2,
    .run = run,
};
