/* tessera align: aligns stacks and tilt series by correlation; writes shifts, transforms and the aligned stack. */
#include "files/one_input.h"
#include "files/outputs/output_sink.h"
#include "movies/tilts.h"
#include "operation/job_call.h"

static const option options[] = {
    VALUE("tilts", "FILE", OPTION_FILE, "tilt angles of a tilt series, in degrees: x.tlt, x.rawtlt, x.mdoc or x.star"),
    VALUE("axis", "DEG", OPTION_ANGLE, "angle of the tilt axis from y, counter-clockwise with y up, in degrees [0]"),
    VALUE("resolution", "A", OPTION_CUTOFF, "resolution limit of the alignment [0.25/px]"),
    VALUE("xf", "OUT", OPTION_FILE, "write the transforms for IMOD's newstack -xform", .writes = true),
    { 0 },
};
static const char *const examples[] = {
    "tessera align stack.mrcs",
    "tessera align --max-shift 20 --xf stack.xf stack.mrcs -o aligned.mrcs",
    "tessera align --tsv --xf '{name}_all.xf' stack.mrcs movie.tif -o '{name}_aligned.mrcs'",
    NULL,
};

/* Options that both jobs have. */
typedef struct alignment {
    double           *cutoff;
    const tess_sink **sink;
    const tess_array *shifts; /* of the result */
} alignment;

static tess_status read_options(job_call *call, alignment *a, tess_array *tilts)
{
    const job   *j = call->job;
    const input *in = &call->in[0];
    if (job_has(j, "tilts")) {
        tess_align_tilt_series_opts *o = call->opts;
        *a = (alignment){ &o->cutoff, &o->sink, &((tess_align_tilt_series_result *)call->result)->shifts };
        TESS_TRY(tilts_of_images(tilts, job_text(j, "tilts", ""), in));
        call->values[1].in = tilts;
    } else {
        tess_align_stack_opts *o = call->opts;
        *a = (alignment){ &o->cutoff, &o->sink, &((tess_align_stack_result *)call->result)->shifts };
    }
    const tess_shape s = in->info.shape;
    TESS_CHECK(s.d == 1, TESS_ESHAPE, "align: %s is a volume; a stack of images is needed (--as stack)", in->name);
    TESS_TRY(job_cutoff(j, "resolution", in->info.meta.pixel_size[2], s.h < s.w ? s.h : s.w, a->cutoff));
    TESS_CHECK(!job_has(j, "resolution") || *a->cutoff > 0, TESS_EARG, "align: --resolution must be above 0");
    return TESS_OK;
}

static tess_status write_transforms(const job *j, const tess_array *shifts)
{
    const int64_t n = shifts->shape.h;
    const double *shift = shifts->data;
    tess_array    matrices = { 0 };
    TESS_TRY(tess_zeros(&matrices, TESS_SHAPE(n, 1, 1, 1), TESS_MAT23_F64, tess_cpu()));
    for (int64_t i = 0; i < n; ++i, shift += TESS_SHIFT_COLUMNS) {
        double *m = (double *)matrices.data + 6 * i;
        m[0] = m[4] = 1;
        m[2] = shift[TESS_SHIFT_Y], m[5] = shift[TESS_SHIFT_X];
    }
    const tess_status status =
        tess_xf_write(job_text(j, "xf", ""), &matrices, &(tess_sidecar_opts){ .overwrite = job_has(j, "force") });
    tess_release(&matrices);
    return status;
}

static void print_shifts(job *j, const tess_array *shifts)
{
    const double *shift = shifts->data;
    table        *t = table_new(j, stdout);
    for (int64_t i = 0; i < shifts->shape.h; ++i, shift += TESS_SHIFT_COLUMNS) {
        table_integer(t, "image", i);
        table_number(t, "x", shift[TESS_SHIFT_X]);
        table_number(t, "y", shift[TESS_SHIFT_Y]);
        table_row(t);
    }
    table_end(t);
}

/* Shifts are found also with --dry-run. */
static tess_status run_job(job_call *call, const alignment *a)
{
    const input     *in = &call->in[0];
    const tess_dtype dtype = dtype_to_keep(in->info.dtype);
    const tess_meta  meta = meta_of(in);
    const bool       is_planned = job_has(call->job, "dry-run");
    output_sink      sink;
    bool             skip;
    if (is_planned || !job_has(call->job, "output")) TESS_TRY(job_call_run(call));
    if (!job_has(call->job, "output")) return TESS_OK;
    if (is_planned) return output_planned(call->job, NULL, in->info.shape, dtype, &skip);
    output_sink_make(&sink, call->job, dtype, &meta);
    *a->sink = &sink.sink;
    return output_sink_end(&sink, job_call_run(call));
}

static tess_status align(job_call *call, tess_array *tilts)
{
    job      *j = call->job;
    alignment a;
    TESS_TRY(read_options(call, &a, tilts));
    TESS_TRY(run_job(call, &a));
    if (job_has(j, "xf") && !job_has(j, "dry-run")) TESS_TRY(write_transforms(j, a.shifts));
    print_shifts(j, a.shifts);
    return TESS_OK;
}

static tess_status run(job *j)
{
    const bool is_series = job_has(j, "tilts");
    job_call   call;
    tess_array tilts = { 0 };
    TESS_CHECK(is_series || !job_has(j, "axis"), TESS_EARG, "align: --axis requires --tilts");
    TESS_CHECK(!is_series || !job_has(j, "bfactor"), TESS_EARG, "align: --bfactor cannot be combined with --tilts");
    if (job_has(j, "output")) TESS_TRY(output_check(j, NULL));
    tess_status status = job_call_open_other(&call, j, is_series ? "align_tilt_series" : "align_stack");
    if (status == TESS_OK) status = align(&call, &tilts);
    job_call_close(&call);
    tess_release(&tilts);
    return status;
}

const verb verb_align = {
    .name = "align",
    .job = "align_stack",
    .fills = "cutoff",
    .subject = "movies and tilts",
    .summary = "align stacks and tilt series by correlation",
    .arguments = "INPUT... [-o ALIGNED]",
    .text = "Prints the shift x, y in pixels that moves each image onto the first one or, in a tilt series (--tilts), "
            "onto the image with the smallest tilt. Each image of a stack is correlated with the sum of the others, "
            "iteratively. Each image of a tilt series is correlated with its neighbour, stretched across the axis by "
            "the ratio of the cosines. --xf writes the shifts for IMOD's newstack -xform; -o writes the shifted stack, "
            "with periodic edges. Several inputs are aligned separately; {name} in an option, as in --tilts "
            "'{name}.rawtlt', stands for the name of the input. Results on a GPU may differ in the last digits.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_NUMBER_TABLE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_TABLE),
};
