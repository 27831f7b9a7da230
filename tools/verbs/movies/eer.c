/* tessera eer: renders EER movies as electron counts, in groups of frames, up-sampled, gain-corrected. */
#include "files/one_input.h"
#include "files/outputs/output_sink.h"
#include "movies/correction.h"
#include "operation/job_call.h"

static const option options[] = {
    CHOICE("upsampling", "N", "1 2 4", "output pixels per camera pixel along each axis [1]", .alias = "eer-upsampling"),
    VALUE("group", "N", OPTION_INTEGER, "camera frames per image [1]", .alias = "eer-group"),
    VALUE("dose", "E,TOTAL", OPTION_TEXT,
          "group by dose instead: E electrons/A^2 per image, TOTAL in the movie: 0.5,40", .alias = "eer-dose"),
    { 0 },
};
static const char *const examples[] = {
    "tessera eer --group 3 movie.eer -o movie.mrcs",
    "tessera eer --upsampling 2 --dose 4,12 --dtype u8 movie.eer -o large.tif",
    NULL,
};

static tess_status render(job_call *call)
{
    const input          *in = &call->in[0];
    const bool            is_corrected = job_has(call->job, "gain") || job_has(call->job, "dark");
    const tess_meta       meta = is_corrected ? meta_of(in) : in->info.meta;
    const tess_dtype      dtype = is_corrected ? dtype_to_keep(in->info.dtype) : in->info.dtype;
    tess_render_eer_opts *o = call->opts;
    output_sink           sink;
    bool                  skip;
    TESS_CHECK(in->info.format == TESS_FORMAT_EER, TESS_EARG,
               "eer: %s is not an EER movie; for other files use tessera convert or tessera reduce --gain", in->name);
    TESS_TRY(output_planned(call->job, NULL, in->info.shape, dtype, &skip));
    if (skip) return TESS_OK;
    note_gain_sense(call->job, in);
    output_sink_make(&sink, call->job, dtype, &meta);
    o->sink = &sink.sink;
    return output_sink_end(&sink, job_call_run(call));
}

static tess_status run(job *j)
{
    job_call call;
    TESS_TRY(output_check(j, NULL));
    tess_status status = job_call_open(&call, j);
    if (status == TESS_OK) status = render(&call);
    job_call_close(&call);
    return status;
}

const verb verb_eer = {
    .name = "eer",
    .job = "render_eer",
    .beside = "dark gain",
    .subject = "movies and tilts",
    .summary = "render EER movies: group frames, up-sample, apply a gain",
    .arguments = "MOVIE... -o OUT",
    .text = "Images are electron counts: bytes, or 16-bit integers for groups of more than 255 frames; with a gain or "
            "dark image, f32. Frames that do not fill a group are left out, and so are damaged ones, with a warning. "
            "All verbs read EER movies in the same way, with --eer-upsampling, --eer-group and --eer-dose.\n"
            "\n"
            "Gain references of EER movies divide: images are multiplied by the mean of the gain over its value, and "
            "pixels of value 0 become 0. TIFF files whose names end in .gain multiply, and their rows stay in file "
            "order, as those of the movie do; --gain-sense overrides this. A gain of the size of the camera, or of "
            "another up-sampling, is resized to the size of the images.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
