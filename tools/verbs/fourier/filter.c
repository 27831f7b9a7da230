/* tessera filter: Fourier filters with soft edges, and medians. */
#include <stdlib.h>

#include "files/one_input.h"
#include "files/slab_pipeline.h"
#include "filters/filter_chain.h"

static const option options[] = {
    VALUE("lowpass", "A", OPTION_CUTOFF, "low-pass filter: keep what is coarser than this", .many = true),
    VALUE("highpass", "A", OPTION_CUTOFF, "high-pass filter: keep what is finer than this", .many = true),
    VALUE("bandpass", "A,A", OPTION_TEXT, "band-pass filter: keep what lies between, in any order", .many = true),
    VALUE("edge", "N", OPTION_EDGE,
          "width of soft edges in shells: full width of a cosine about the cut-off, or sigma of a Gaussian [2]"),
    CHOICE("edge-type", "T", "cosine gaussian butterworth hard", "shape of the edges [cosine]"),
    VALUE("order", "N", OPTION_INTEGER, "order of a Butterworth edge, 1 to 64 [4]"),
    VALUE("gauss", "S", OPTION_LENGTH, "blur by a Gaussian of this sigma", .many = true),
    VALUE("dog", "S,S", OPTION_TEXT, "difference of Gaussian blurs, the smaller sigma first", .many = true),
    VALUE("bfactor", "B", OPTION_NUMBER, "multiply by exp(-B/4 s^2), B in A^2: positive damps, negative sharpens",
          .many = true),
    VALUE("dose", "D", OPTION_TEXT,
          "exposure filter: electrons/A^2 received by each image, a number or a file (NPY or text)", .many = true),
    VALUE("voltage", "KV", OPTION_NUMBER, "microscope voltage in kV for --dose: 300 or 200 [300]"),
    VALUE("curve", "FILE", OPTION_FILE,
          "multiply by a radial curve from frequency 0 to Nyquist: one row, or a row per image; NPY or text",
          .many = true),
    FLAG("whiten", "divide by the square root of the radial power", .many = true),
    VALUE("median", "N", OPTION_INTEGER, "median of N x N pixels (volumes: N x N x N), N odd", .many = true),
    { 0 },
};
static const char *const examples[] = {
    "tessera filter --lowpass 8 x.mrc -o smooth.mrc",
    "tessera filter --highpass 100 --lowpass 10 --edge 3 stack.mrcs -o band.mrcs",
    "tessera filter --lowpass 8 --edge-type butterworth --order 8 x.mrc -o steep.mrc",
    "tessera filter --whiten --lowpass 6 stack.mrcs -o white.mrcs",
    "tessera filter --median 3 --gauss 1.5 volume.mrc -o quiet.mrc",
    "tessera filter --lowpass 8 x.mrc y.mrc -o '{name}_smooth.mrc'",
    NULL,
};

static tess_status measure_file(const job *j, const input *in, filter_chain *f)
{
    const tess_shape shape = in->info.shape;
    const tess_meta *meta = &in->info.meta;
    const bool       volumes = shape.d > 1;
    f->shape = TESS_SHAPE(1, shape.d, shape.h, shape.w);
    f->images = shape.b;
    f->dtype = dtype_to_compute(in->info.dtype);
    f->device = j->device;
    TESS_TRY(need_real(j, in));
    f->pixel_size = meta->pixel_size[2];
    f->metric = tess_meta_metric(meta, volumes);
    f->highest = tess_meta_highest_frequency(meta, volumes);
    f->side = shape.h < shape.w ? shape.h : shape.w;
    if (volumes && shape.d < f->side) f->side = shape.d;
    return filter_chain_edges(j, f);
}

static tess_status filter_file(job *j, input *in, filter_chain *f)
{
    TESS_TRY(measure_file(j, in, f));
    const tess_shape shape = f->shape;
    const bool       volumes = shape.d > 1;
    stream_plan      plan = plan_to_compute(in);
    const int64_t    size = (int64_t)tess_dtype_size(f->dtype);
    const int64_t    spectrum = 2 * shape.d * shape.h * (shape.w / 2 + 1) * size;
    const int64_t    copy = job_has(j, "median") ? shape.d * shape.h * shape.w * size : 0; /* that a median makes */
    plan.in_place = volumes && j->device.kind == TESS_CPU;
    plan.row = 2 * (shape.w / 2 + 1);
    plan.extra = (plan.in_place || spectrum < copy ? copy : spectrum) + (job_has(j, "dog") ? spectrum : 0);
    plan.packs = plan.in_place;
    const int64_t packed = plan.packs ? bytes_to_pack(in->info.shape, f->dtype) : 0;
    const int64_t all = (plan.in_place ? 1 : 2) * spectrum + plan.extra + packed;
    TESS_TRY(volumes ? volume_fits(j, in->info.shape, all) : image_fits(j, in->info.shape, all));
    TESS_TRY(filter_chain_add(j, f));
    return stream_run(j, in, &plan, plan.in_place ? filter_chain_in_place : filter_chain_run, f);
}

static tess_status run(job *j)
{
    input         in = { 0 };
    filter_chain *f = calloc(1, sizeof *f);
    TESS_CHECK(f, TESS_ENOMEM, "filter: out of memory");
    tess_status status;
    TESS_GOTO(done, status, open_input(j, &in));
    TESS_GOTO(done, status, filter_file(j, &in, f));
done:
    for (int i = 0; i < f->n_stages; ++i) { tess_release(&f->stages[i].numbers); }
    free(f);
    input_close(&in);
    return status;
}

const verb verb_filter = {
    .name = "filter",
    .subject = "Fourier",
    .summary = "apply low-pass, high-pass, band-pass, dose and other filters",
    .arguments = "INPUT... -o OUT",
    .text = "Filters are applied in the order of the command line. Cut-offs are resolutions in A, or 0.8nm, 0.25/px, "
            "12sh (shells of the smallest side). At the cut-off the amplitude is half: the edge is a raised cosine "
            "about it. An edge that would begin below frequency 0 begins there, so that a low-pass filter keeps the "
            "mean. A Gaussian edge begins at the cut-off and has --edge as its sigma; a Butterworth filter is "
            "1/sqrt(2) at the cut-off, and --edge does not apply.\n\n--dose is the filter of Grant and Grigorieff "
            "(2015). After --whiten, `tessera power` shows about 1 everywhere.\n\nIf the pixel size differs between "
            "axes, or the cell has angles other than 90, frequencies are those in 1/A; px, /px, sh and the Nyquist "
            "frequency of --curve refer to pixels along x. --whiten does not support such files.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
