/* tessera mask: masks with soft edges, from maps, shapes and other masks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/one_input.h"
#include "files/outputs/output_sink.h"
#include "maps/mask_options.h"
#include "operation/job_call.h"

static const option options[] = {
    VALUE("threshold", "V", OPTION_TEXT, "minimum value inside the mask, or otsu [otsu]"),
    VALUE("lowpass", "A", OPTION_TEXT, "low-pass filter before the threshold, or none [15 A]"),
    SHAPE_OPTIONS,
    VALUE("use", "MASK", OPTION_FILE, "use this mask instead of making one"),
    VALUE("and", "MASK", OPTION_FILE, "intersect with this mask: the smaller of both values", .many = true),
    VALUE("or", "MASK", OPTION_FILE, "unite with this mask: the larger of both values", .many = true),
    FLAG("not", "invert the mask: one minus its values", .many = true),
    { 0 },
};
static const char *const examples[] = {
    "tessera mask half1.mrc --threshold 0.3 --lowpass 10 --largest --extend 3 --soft 6 -o around.mrc",
    "tessera mask half1.mrc --soft 5 -o otsu.mrc",
    "tessera mask --sphere 18A --soft 4 volume.mrc -o ball.mrc",
    "tessera mask --shell 6,12 --cylinder 3,30 volume.mrc -o both.mrc",
    "tessera mask --sphere 20 --soft 6 --apply stack.mrcs -o round.mrcs",
    "tessera mask mask.mrc --not -o hole.mrc",
    NULL,
};

typedef struct masking {
    job_call     call;
    mask_options options;
} masking;

static void tell(job *j, const masking *m)
{
    const tess_make_mask_result *r = m->call.result;
    const char                  *name = m->call.in[0].name;
    const int64_t                n = r->statistics.shape.h, columns = r->statistics.shape.w;
    const double                *row = r->statistics.data;
    char                         text[32];
    if (r->cutoff > 0 && m->options.cutoff > r->cutoff)
        job_note(j, "--lowpass %s is beyond Nyquist; Nyquist is used", job_text(j, "lowpass", "15"));
    for (int64_t i = 0; i < n && strcmp(job_text(j, "threshold", "otsu"), "otsu") == 0; ++i, row += columns) {
        if (isnan(row[0])) continue;
        (void)number_text_as(text, row[0], TESS_F32);
        if (n == 1) job_note(j, "%s: Otsu's threshold is %s", name, text);
        else job_detail(j, "%s: Otsu's threshold is %s", name, text);
    }
}

static bool uneven(const input *in)
{
    const double *size = in->info.meta.pixel_size;
    return fabs(size[1] - size[2]) > 1e-3 * size[2] ||
           (in->info.shape.d > 1 && fabs(size[0] - size[2]) > 1e-3 * size[2]);
}

static tess_status mask_file(job *j, masking *m)
{
    const input         *in = &m->call.in[0];
    const tess_meta      meta = meta_of(in);
    tess_make_mask_opts *o = m->call.opts;
    const tess_dtype     dtype = o->apply ? dtype_to_keep(in->info.dtype) : TESS_F32;
    output_sink          sink;
    bool                 skip;
    TESS_TRY(need_real(j, in));
    if (uneven(in)) job_note(j, "%s: pixel sizes differ between axes; distances are in pixels of x", in->name);
    TESS_TRY(mask_options_read(&m->options, o, j, in));
    TESS_TRY(output_planned(j, NULL, in->info.shape, dtype, &skip));
    if (skip) return TESS_OK;
    output_sink_make(&sink, j, dtype, &meta);
    o->sink = &sink.sink;
    const tess_status status = job_call_run(&m->call);
    if (status == TESS_OK) tell(j, m);
    return output_sink_end(&sink, status);
}

static tess_status run(job *j)
{
    masking *m = calloc(1, sizeof *m);
    TESS_CHECK(m, TESS_ENOMEM, "mask: out of memory");
    tess_status status = output_check(j, NULL);
    if (status == TESS_OK) status = job_call_open(&m->call, j);
    if (status == TESS_OK) status = mask_file(j, m);
    job_call_close(&m->call);
    mask_options_free(&m->options);
    free(m);
    return status;
}

const verb verb_mask = {
    .name = "mask",
    .job = "make_mask",
    .fills = "threshold lowpass cutoff sphere box cylinder shell ellipsoid centre use masks join is_mask",
    .subject = "arithmetic",
    .summary = "make or apply soft-edged masks from maps, shapes and other masks",
    .arguments = "INPUT... -o OUT",
    .text = "A mask of a map contains all voxels of at least --threshold after --lowpass; with --largest, only the "
            "largest connected part (by faces). It is extended by --extend, the Euclidean distance in pixels or as "
            "6A, and falls to 0 over --soft as a raised cosine of the distance from there. Otsu's threshold "
            "divides the values into two classes with the largest variance between them.\n\n"
            "relion_mask_create takes the same steps, and without --extend its masks are the same. With it, a voxel "
            "at exactly the distance of --extend is inside our mask and outside RELION's, whose extend_inimask "
            "includes only nearer voxels. Our soft edge begins at this distance, RELION's at the outermost voxels of "
            "the mask. RELION's extend_inimask of 3 without an edge is --extend 2.999.\n\n"
            "Shapes are centred on --center, on the grid of the input; a pixel is covered if its centre is. Several "
            "shapes are united.\n\n"
            "--and, --or and --not are then applied in the order of the command line, also to soft-edged masks. If "
            "they are given without --apply and without options that make a mask, the input itself is the first mask. "
            "Masks have the size of the input, one for all of its images or one per image, and values from 0 to 1.\n\n"
            "With --apply, the result is the input times the mask, plus --outside times one minus the mask; NaN is "
            "ignored where the mask is 0. Each image of a stack, and each volume, is processed separately.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
