/* tessera reduce: means, sums and other reductions over images, sections, rows or columns. */
#include <string.h>

#include "files/input_meta.h"
#include "files/one_input.h"
#include "movies/medians.h"
#include "movies/reduction.h"

static const option options[] = {
    CHOICE("method", "M", "mean sum sd min max median", "statistic to compute [mean]"),
    VALUE("over", "AXES", OPTION_TEXT,
          "axes to reduce: b images or volumes, d sections, h rows, w columns; several as hw [b, or d of a single "
          "volume]"),
    VALUE("group", "N", OPTION_INTEGER, "with --over b: reduce groups of N images [all at once]"),
    CORRECTION_OPTIONS,
    { 0 },
};
static const char *const examples[] = {
    "tessera reduce stack.mrcs -o mean.mrc",
    "tessera reduce --method sum --group 4 stack.mrcs -o groups.mrcs",
    "tessera reduce --method max --over d volume.mrc -o projection.mrc",
    NULL,
};

static tess_status read_axes(const job *j, reduction *r)
{
    const char *text = job_text(j, "over", r->in.b > 1 ? "b" : "d");
    for (const char *c = text; *c; ++c) {
        const char *at = strchr("bdhw", *c);
        TESS_CHECK(at, TESS_EARG, "reduce: --over is %s; expected letters from b, d, h and w", text);
        r->axes |= TESS_B << (at - "bdhw");
    }
    TESS_CHECK(r->axes, TESS_EARG, "reduce: --over is empty; expected letters from b, d, h and w");
    r->plane = r->axes & (TESS_H | TESS_W);
    r->group = r->axes & TESS_B ? job_integer(j, "group", r->in.b) : 1;
    TESS_CHECK(!job_has(j, "group") || r->axes & TESS_B, TESS_EARG, "reduce: --group requires --over b, not %s", text);
    TESS_CHECK(r->group >= 1, TESS_EARG, "reduce: --group is %lld; it must be 1 or more", (long long)r->group);
    r->out = r->in;
    for (int i = 0; i < 4; ++i) {
        if (r->axes & (TESS_B << i)) r->out.dim[i] = 1;
    }
    r->out.b = (r->in.b + r->group - 1) / r->group;
    return TESS_OK;
}

static tess_status read_options(job *j, input *in, reduction *r)
{
    static const char *const methods[] = { "mean", "sum", "sd", "min", "max", "median" };
    const char              *name = job_text(j, "method", "mean");
    for (int i = 0; i < 6; ++i) {
        if (strcmp(name, methods[i]) == 0) r->method = (reduce_method)i;
    }
    r->in = in->info.shape;
    TESS_CHECK(r->in.b * r->in.d * r->in.h * r->in.w > 0, TESS_ESHAPE, "reduce: %s is empty", in->name);
    TESS_TRY(need_real(j, in));
    TESS_TRY(read_axes(j, r));
    TESS_TRY(correction_open(&r->correction, j, in));
    TESS_TRY(tess_op_text(&r->combine, reduction_combine(r->method)));
    TESS_TRY(tess_op_text(&r->finish, reduction_finish(r->method)));
    const bool same = (r->method == REDUCE_MIN || r->method == REDUCE_MAX) && !r->correction.op;
    r->dtype = same ? in->info.dtype : r->correction.op ? TESS_F32 : dtype_to_compute(in->info.dtype);
    return TESS_OK;
}

static tess_status run_slabs(job *j, input *in, reduction *r)
{
    if (r->method == REDUCE_MEDIAN && r->axes & TESS_B)
        return medians_of_groups(j, in, r->axes, r->group, &r->correction, &r->file);
    const int64_t    section = 8 * r->out.h * r->out.w * (r->method == REDUCE_SD ? 2 : 1);
    const tess_dtype dtype = r->correction.op ? TESS_F32 : TESS_DTYPE_NONE;
    slab_plan        plan = plan_of_sections(&in, r->in);
    plan.in_dtypes = &dtype;
    plan.whole = r->method == REDUCE_MEDIAN && r->axes & TESS_D;
    plan.extra = r->method == REDUCE_MEDIAN ? 4 * r->in.h * r->in.w : 0;
    plan.taken = section * r->out.d;
    if (r->method == REDUCE_MEDIAN) return stream_slabs(j, &plan, NULL, reduction_median, r);
    TESS_CHECK(plan.taken < j->memory, TESS_ENOMEM,
               "reduce: sums of %lld sections take %lld MiB; --mem allows %lld MiB", (long long)r->out.d,
               (long long)(plan.taken >> 20), (long long)(j->memory >> 20));
    const tess_shape totals = TESS_SHAPE(1, r->out.d, r->out.h, r->out.w);
    TESS_TRY(tess_zeros(&r->total, totals, TESS_F64, tess_cpu()));
    if (r->method == REDUCE_SD) TESS_TRY(tess_zeros(&r->variance, totals, TESS_F64, tess_cpu()));
    return stream_slabs(j, &plan, NULL, reduction_add, r);
}

static tess_status reduce_file(job *j, input *in, reduction *r)
{
    TESS_TRY(read_options(j, in, r));
    tess_meta meta = meta_of(in);
    if (r->out.b * r->out.d != r->in.b * r->in.d) tess_meta_forget_extended(&meta);
    if (r->out.b * r->out.d == 1 && r->in.d > 1) meta.space_group = 0;
    if (r->out.h != r->in.h || r->out.w != r->in.w) { /* along z, what is left is of the cell's x and y */
        tess_meta_forget_cell(&meta);
        tell_lost_cell(j, in, &meta);
    }
    const bool       keep = (r->method == REDUCE_MEAN || r->method == REDUCE_MEDIAN) && !r->correction.op;
    const tess_dtype dtype = keep ? dtype_to_keep(in->info.dtype) : r->dtype;
    bool             skip;
    TESS_TRY(output_planned(j, NULL, r->out, dtype, &skip));
    if (skip) return TESS_OK;
    TESS_TRY(output_start(&r->file, j, NULL, r->out, dtype, &meta));
    TESS_TRY(output_end(&r->file, j, run_slabs(j, in, r)));
    return TESS_OK;
}

static tess_status run(job *j)
{
    input     in = { 0 };
    reduction r = { 0 };
    TESS_TRY(open_input(j, &in));
    const tess_status status = reduce_file(j, &in, &r);
    tess_release(&r.total);
    tess_release(&r.variance);
    tess_camera_release(&r.correction);
    tess_op_release(r.combine);
    tess_op_release(r.finish);
    input_close(&in);
    return status;
}

const verb verb_reduce = {
    .name = "reduce",
    .subject = "arithmetic",
    .summary = "average, sum or reduce over images, sections, rows or columns",
    .arguments = "INPUT... -o OUT",
    .text = "Reduced axes have size 1 in the result: a stack reduced over b is one image, a volume reduced over d its "
            "projection. For movies use --as stack, --dark and --gain, and --group for frames that belong together; "
            "the last group may be smaller. Sums are accumulated in f64.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
