/* tessera eer: EER movies rendered as counts of electrons, in groups of frames, up-sampled, times a gain. */
#include "files/one_input.h"
#include "files/output_sink.h"
#include "movies/correction.h"
#include "operation/job_call.h"

static const option options[] = {
    CHOICE("upsampling", "N", "1 2 4", "pixels along each side of a camera's pixel [1]", .alias = "eer-upsampling"),
    VALUE("group", "N", OPTION_INTEGER, "camera frames that become one image [1]", .alias = "eer-group"),
    VALUE("dose", "E,TOTAL", OPTION_TEXT, "or as many as have E of the TOTAL electrons/A^2 of the movie: 0.5,40",
          .alias = "eer-dose"),
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
               "eer: %s is no EER movie; tessera convert and tessera reduce --gain are for other files", in->name);
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
    .summary = "render EER movies: groups of frames, up-sampled, times a gain",
    .arguments = "MOVIE... -o OUT",
    .text = "Images are counts of electrons, of bytes, or 16 bits for groups of more than 255 frames; with a gain or a "
            "dark image f32. Frames that fill no group are left out, and so are bad ones, with a warning. All verbs "
            "read EER movies in the same way, by --eer-upsampling, --eer-group and --eer-dose.\n\n"
            "Gains of EER movies divide: images are multiplied by their mean over their value, and pixels of value 0 "
            "are 0. TIFFs whose name ends with .gain multiply, and rows stay in the order of the file, as those of the "
            "movie do; --gain-sense says it outright. A gain of the size of the camera, or of another up-sampling, is "
            "brought to the size of the images.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
