/* tessera eer: EER movies rendered as counts of electrons, in groups of frames, up-sampled, times a gain. */
#include "files/on_device.h"
#include "measure/geometry.h"
#include "movies/correction.h"

static const option options[] = {
    { .name = "upsampling",
      .alias = "eer-upsampling",
      .value = "N",
      .choices = "1 2 4",
      .type = OPTION_CHOICE,
      .help = "pixels along each side of a camera's pixel [1]" },
    { .name = "group",
      .alias = "eer-group",
      .value = "N",
      .type = OPTION_INTEGER,
      .help = "camera frames that become one image [1]" },
    { .name = "dose",
      .alias = "eer-dose",
      .value = "E,TOTAL",
      .type = OPTION_TEXT,
      .help = "or as many as have E of the TOTAL electrons/A^2 of the movie: 0.5,40" },
    CORRECTION_OPTIONS,
    GAIN_OPTIONS,
    { 0 },
};
static const char *const examples[] = {
    "tessera eer --group 3 movie.eer -o movie.mrcs",
    "tessera eer --upsampling 2 --dose 4,12 --dtype u8 movie.eer -o large.tif",
    NULL,
};

static tess_status correct_images(void *context, tess_array *out, const tess_array *in, int64_t first)
{
    (void)first;
    const tess_array *part = in;
    return correction_apply(context, out, &part, 0, 0);
}

static tess_status render(job *j, input *in, tess_camera *c)
{
    TESS_CHECK(in->info.format == TESS_FORMAT_EER, TESS_EARG,
               "eer: %s is no EER movie; tessera convert and tessera reduce --gain are for other files", in->name);
    TESS_TRY(correction_open(c, j, in));
    stream_plan plan = c->op ? plan_to_compute(in) : plan_of_images(in);
    return stream_run(j, in, &plan, c->op ? correct_images : NULL, c);
}

static tess_status run(job *j)
{
    input       in = { 0 };
    tess_camera c = { 0 };
    TESS_TRY(output_check(j, NULL));
    TESS_TRY(input_open(&in, j, j->arguments[0], NEED_IMAGES));
    const tess_status status = render(j, &in, &c);
    tess_camera_release(&c);
    input_close(&in);
    return status;
}

const verb verb_eer = {
    .name = "eer",
    .subject = "movies and tilts",
    .summary = "render EER movies: groups of frames, up-sampled, times a gain",
    .arguments = "MOVIE... -o OUT",
    .text =
        "Images are counts of electrons, of bytes, or 16 bits for groups of more than 255 frames; with a gain or a "
        "dark "
        "image f32. Frames that fill no group are left out, and so are bad ones, with a warning. All verbs read EER "
        "movies in the same way, by --eer-upsampling, --eer-group and --eer-dose.\n\n"
        "Gains of EER movies divide: images are multiplied by their mean over their value, and pixels of value 0 are "
        "0. TIFFs whose name ends with .gain multiply, and rows stay in the order of the file, as those of the movie "
        "do; --gain-sense says it outright. A gain of the size of the camera, or of another up-sampling, is brought to "
        "the size of the images.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
