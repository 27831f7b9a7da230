/* tessera reduce: means, sums and other reductions over images, sections, rows or columns. */
#include <string.h>

#include "files/input_meta.h"
#include "files/one_input.h"
#include "measure/geometry.h"
#include "measure/unit_cell.h"
#include "movies/medians.h"

static const option options[] = {
    CHOICE("method", "M", "mean sum sd min max median", "what to compute [mean]"),
    VALUE("over", "AXES", OPTION_TEXT,
          "b images or volumes, d sections, h rows, w columns; several: hw [b if there are several, else d]"),
    VALUE("group", "N", OPTION_INTEGER, "over b: N images at a time, not all"),
    CORRECTION_OPTIONS,
    { 0 },
};
static const char *const examples[] = {
    "tessera reduce stack.mrcs -o mean.mrc",
    "tessera reduce --method sum --group 4 stack.mrcs -o groups.mrcs",
    "tessera reduce --method max --over d volume.mrc -o projection.mrc",
    NULL,
};

typedef enum method { MEAN, SUM, SD, MIN, MAX, MEDIAN } method;

/* Sections come one by one, in their order, so that results do not depend on the slabs. */
typedef struct reduction {
    method      method;
    int         axes, plane; /* all, and those of a section */
    int64_t     group;       /* volumes (or images) that become one */
    tess_shape  in, out;
    tess_dtype  dtype;    /* of the result */
    tess_array  total;    /* f64 {1,out.d,out.h,out.w}: sum, mean, least or largest so far */
    tess_array  variance; /* SD: sum of squared distances from the mean */
    tess_camera correction;
    double      count; /* elements in each of `total` so far */
    tess_op    *combine, *finish;
    output      file;
} reduction;

/* `m` is a mean, of `n` elements whose squared distances from it add up to `q`; `count` elements came before. */
static const char variance_text[] =
    "op spread(in T m, in f64 q, val f64 count, val f64 n, inout f64 mean, inout f64 spread) {\n"
    "    f64 step = (f64)m - mean;\n"
    "    mean = mean + step*n/(count + n);\n"
    "    spread = spread + (q + step*step*count*n/(count + n));\n"
    "}\n";

static const char *combine_text(method m)
{
    switch (m) {
    case SD: return variance_text;
    case MIN: return "op combine(in T x, val bool first, inout f64 s) { s = first ? (f64)x : minimum(s, (f64)x); }\n";
    case MAX: return "op combine(in T x, val bool first, inout f64 s) { s = first ? (f64)x : maximum(s, (f64)x); }\n";
    default: return "op combine(in T x, val bool first, inout f64 s) { s = first ? (f64)x : s + (f64)x; }\n";
    }
}

static const char *finish_text(method m)
{
    if (m == SD) return "op finish(in f64 s, val f64 n, out T z) { z = (T)sqrt(s/n); }\n";
    if (m == MEAN) return "op finish(in f64 s, val f64 n, out T z) { z = (T)(s/n); }\n";
    return "op finish(in f64 s, val f64 n, out T z) { z = (T)s; }\n";
}

/* ---- Section by section ---- */

static tess_status add_variance(reduction *r, const tess_array *section, tess_array *mean, tess_array *variance)
{
    tess_array  m = { 0 }, q = { 0 };
    tess_status status;
    if (r->plane == 0) return tess_call(r->combine, section, &tess_f64(0), r->count, 1.0, mean, variance);
    const double n = (double)(r->in.h / r->out.h * (r->in.w / r->out.w));
    TESS_GOTO(done, status, tess_empty(&m, mean->shape, TESS_F64, tess_cpu()));
    TESS_GOTO(done, status, tess_empty(&q, mean->shape, TESS_F64, tess_cpu()));
    TESS_GOTO(done, status, tess_mean_var(&m, &q, section, r->plane, NULL));
    TESS_GOTO(done, status, tess_mul(&q, &q, &tess_f64(n)));
    TESS_GOTO(done, status, tess_call(r->combine, &m, &q, r->count, n, mean, variance));
done:
    tess_release(&m);
    tess_release(&q);
    return status;
}

static tess_status add_plain(reduction *r, const tess_array *section, tess_array *total)
{
    tess_array  part = { 0 };
    tess_status status = TESS_OK;
    if (r->plane != 0) {
        TESS_GOTO(done, status, tess_empty(&part, total->shape, TESS_F64, tess_cpu()));
        TESS_GOTO(done, status,
                  r->method == MIN   ? tess_min(&part, section, r->plane, NULL)
                  : r->method == MAX ? tess_max(&part, section, r->plane, NULL)
                                     : tess_sum(&part, section, r->plane, NULL));
        section = &part;
    }
    TESS_GOTO(done, status, tess_call(r->combine, section, r->count == 0, total));
done:
    tess_release(&part);
    return status;
}

static tess_status add_section(reduction *r, const tess_array *section, int64_t z)
{
    tess_array  corrected = { 0 }, total, variance;
    tess_status status;
    TESS_GOTO(done, status, correction_apply(&r->correction, &corrected, &section, 0, 0));
    TESS_GOTO(done, status, tess_index(&total, &r->total, 1, r->axes & TESS_D ? 0 : z));
    if (r->method == SD) {
        TESS_GOTO(done, status, tess_index(&variance, &r->variance, 1, r->axes & TESS_D ? 0 : z));
        TESS_GOTO(done, status, add_variance(r, section, &total, &variance));
    } else TESS_GOTO(done, status, add_plain(r, section, &total));
done:
    tess_release(&corrected);
    return status;
}

static tess_status end_group(reduction *r)
{
    tess_array        result = { 0 };
    tess_status       status;
    const tess_array *from = r->method == SD ? &r->variance : &r->total;
    TESS_GOTO(done, status, tess_empty(&result, r->total.shape, r->dtype, tess_cpu()));
    TESS_GOTO(done, status, tess_call(r->finish, from, r->count, &result));
    TESS_GOTO(done, status, output_append(&r->file, &result));
    TESS_GOTO(done, status, tess_fill(&r->total, 0));
    if (r->method == SD) TESS_GOTO(done, status, tess_fill(&r->variance, 0));
    r->count = 0;
done:
    tess_release(&result);
    return status;
}

static tess_status add_slab(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    (void)out;
    reduction   *r = context;
    const double plane = (double)(r->in.h / r->out.h * (r->in.w / r->out.w));
    for (int64_t i = 0; i < s->nb * s->nz; ++i) {
        const int64_t     b = s->b + i / s->nz, z = s->z + i % s->nz;
        const tess_region one = { .b = tess_only(i / s->nz), .d = tess_only(i % s->nz) };
        tess_array        section;
        TESS_TRY(tess_subregion(&section, in, one));
        TESS_TRY(add_section(r, &section, z));
        const bool last = z == r->in.d - 1;
        if (r->axes & TESS_D || last) r->count += plane;
        if (last && ((b + 1) % r->group == 0 || b == r->in.b - 1)) TESS_TRY(end_group(r));
    }
    return TESS_OK;
}

/* ---- Medians of images and whole volumes, each by itself ---- */

static tess_status median_of_slab(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    (void)out, (void)s;
    reduction        *r = context;
    const tess_array *from = in;
    tess_array        corrected = { 0 }, result = { 0 };
    tess_status       status;
    TESS_GOTO(done, status, correction_apply(&r->correction, &corrected, &from, 0, 0));
    TESS_GOTO(done, status, tess_median(&result, from, r->axes, NULL));
    TESS_GOTO(done, status, output_append(&r->file, &result));
done:
    tess_release(&corrected);
    tess_release(&result);
    return status;
}

/* ---- Options ---- */

static tess_status read_axes(const job *j, reduction *r)
{
    const char *text = job_text(j, "over", r->in.b > 1 ? "b" : "d");
    for (const char *c = text; *c; ++c) {
        const char *at = strchr("bdhw", *c);
        TESS_CHECK(at, TESS_EARG, "reduce: --over is %s; letters of b, d, h and w are allowed", text);
        r->axes |= TESS_B << (at - "bdhw");
    }
    TESS_CHECK(r->axes, TESS_EARG, "reduce: --over is empty; letters of b, d, h and w are needed");
    r->plane = r->axes & (TESS_H | TESS_W);
    r->group = r->axes & TESS_B ? job_integer(j, "group", r->in.b) : 1;
    TESS_CHECK(!job_has(j, "group") || r->axes & TESS_B, TESS_EARG, "reduce: --group requires --over b, not %s", text);
    TESS_CHECK(r->group >= 1, TESS_EARG, "reduce: --group is %lld; 1 or more is allowed", (long long)r->group);
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
        if (strcmp(name, methods[i]) == 0) r->method = (enum method)i;
    }
    r->in = in->info.shape;
    TESS_CHECK(r->in.b * r->in.d * r->in.h * r->in.w > 0, TESS_ESHAPE, "reduce: %s is empty", in->name);
    TESS_TRY(need_real(j, in));
    TESS_TRY(read_axes(j, r));
    TESS_TRY(correction_open(&r->correction, j, in));
    TESS_TRY(tess_op_text(&r->combine, combine_text(r->method)));
    TESS_TRY(tess_op_text(&r->finish, finish_text(r->method)));
    const bool same = (r->method == MIN || r->method == MAX) && !r->correction.op;
    r->dtype = same ? in->info.dtype : r->correction.op ? TESS_F32 : dtype_to_compute(in->info.dtype);
    return TESS_OK;
}

static tess_status run_slabs(job *j, input *in, reduction *r)
{
    if (r->method == MEDIAN && r->axes & TESS_B)
        return medians_of_groups(j, in, r->axes, r->group, &r->correction, &r->file);
    const int64_t    section = 8 * r->out.h * r->out.w * (r->method == SD ? 2 : 1);
    const tess_dtype dtype = r->correction.op ? TESS_F32 : TESS_DTYPE_NONE;
    slab_plan        plan = plan_of_sections(&in, r->in);
    plan.in_dtypes = &dtype;
    plan.whole = r->method == MEDIAN && r->axes & TESS_D;
    plan.extra = r->method == MEDIAN ? 4 * r->in.h * r->in.w : 0;
    plan.taken = section * r->out.d;
    if (r->method == MEDIAN) return stream_slabs(j, &plan, NULL, median_of_slab, r);
    TESS_CHECK(plan.taken < j->memory, TESS_ENOMEM,
               "reduce: sums of %lld sections take %lld MiB; --mem allows %lld MiB", (long long)r->out.d,
               (long long)(plan.taken >> 20), (long long)(j->memory >> 20));
    const tess_shape totals = TESS_SHAPE(1, r->out.d, r->out.h, r->out.w);
    TESS_TRY(tess_zeros(&r->total, totals, TESS_F64, tess_cpu()));
    if (r->method == SD) TESS_TRY(tess_zeros(&r->variance, totals, TESS_F64, tess_cpu()));
    return stream_slabs(j, &plan, NULL, add_slab, r);
}

static tess_status reduce_file(job *j, input *in, reduction *r)
{
    TESS_TRY(read_options(j, in, r));
    tess_meta meta = meta_of(in);
    if (r->out.b * r->out.d != r->in.b * r->in.d) meta_drop_records(&meta);
    if (r->out.b * r->out.d == 1 && r->in.d > 1) meta.space_group = 0;
    if (r->out.h != r->in.h || r->out.w != r->in.w) { /* along z, what is left is of the cell's x and y */
        unit_cell_forget(&meta);
        tell_lost_cell(j, in, &meta);
    }
    const bool       keep = (r->method == MEAN || r->method == MEDIAN) && !r->correction.op;
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
    .summary = "mean, sum, sd, min, max or median over images, sections, rows or columns",
    .arguments = "INPUT... -o OUT",
    .text = "Axes that are reduced have size 1 in the result: a stack over b is one image, a volume over d its "
            "projection. Movies: --as stack --dark and --gain, and --group for frames that belong together; the last "
            "group may be smaller. Sums are made in f64.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
