/* tessera ctf apply, flip and wiener: images times their CTF, times its sign, or times its Wiener filter. */
#include <string.h>

#include "command/context.h"
#include "ctf/ctf_parameters.h"
#include "files/one_input.h"
#include "files/outputs/output_sink.h"
#include "files/star_rows.h"
#include "operation/job_options.h"

#define STAR_OPTIONS                                                                                                   \
    { .name = "ctf",                                                                                                   \
      .value = "STAR",                                                                                                 \
      .type = OPTION_FILE,                                                                                             \
      .help = "STAR file with the CTF of each image, in the row with its file name or the only row" },                 \
        { .name = "star",                                                                                              \
          .writes = true,                                                                                              \
          .is_particles = true,                                                                                        \
          .value = "OUT",                                                                                              \
          .type = OPTION_FILE,                                                                                         \
          .help = "write the rows of the input STAR file, for the new stack, to this file" },                          \
    {                                                                                                                  \
        0                                                                                                              \
    }

static const option apply_options[] = {
    CHOICE("form", "F", "ctf abs squared", "form of the CTF: CTF, |CTF| or CTF^2 [ctf]"),
    CTF_OPTIONS,
    STAR_OPTIONS,
};
static const option flip_options[] = { CTF_OPTIONS, STAR_OPTIONS };
static const option wiener_options[] = { CTF_OPTIONS, STAR_OPTIONS };

/* The factor that the verb, and --form of apply, name. */
static int32_t method_of(const job *j)
{
    const char *form = job_text(j, "form", "ctf");
    if (strcmp(j->verb->name, "ctf flip") == 0) return TESS_CTF_FLIP;
    if (strcmp(j->verb->name, "ctf wiener") == 0) return TESS_CTF_WIENER;
    return strcmp(form, "abs") == 0 ? TESS_CTF_ABS : strcmp(form, "squared") == 0 ? TESS_CTF_SQUARED : TESS_CTF_APPLY;
}

static tess_status correct(job *j, input *in, const tess_array *ctfs)
{
    const job_scale         scale = { in->info.meta.pixel_size[2], in->info.shape.w };
    const tess_context      context = job_context(j);
    const tess_meta         meta = meta_of(in);
    const tess_dtype        dtype = dtype_to_keep(in->info.dtype);
    tess_correct_ctf_opts   o = { .method = method_of(j) };
    tess_correct_ctf_result r = { 0 };
    output_sink             sink;
    bool                    skip;
    TESS_TRY(job_fill_options(j, tess_job_find(j->verb->job), scale, &o));
    TESS_TRY(output_planned(j, NULL, in->info.shape, dtype, &skip));
    if (skip) return TESS_OK;
    output_sink_make(&sink, j, dtype, &meta);
    o.sink = &sink.sink;
    return output_sink_end(&sink, job_context_end(j, tess_correct_ctf(&r, input_source(in), ctfs, &o, &context)));
}

static tess_status correct_file(job *j, input *in)
{
    const char *star = job_text(j, "star", NULL);
    tess_array  ctfs = { 0 };
    TESS_CHECK(!star || in->listed, TESS_EARG, "--star: %s is not a STAR file; there is no list to write", in->name);
    TESS_TRY(need_real(j, in));
    TESS_TRY(need_right_angles(j, in, false, "the CTF"));
    TESS_TRY(ctf_of_images(&ctfs, j, in));
    const tess_status status = correct(j, in, &ctfs);
    tess_release(&ctfs);
    TESS_TRY(status);
    return star && !job_has(j, "dry-run") ? restar(j, in, job_text(j, "output", ""), star) : TESS_OK;
}

static tess_status run(job *j)
{
    input in = { 0 };
    TESS_TRY(output_check(j, NULL));
    TESS_TRY(input_open(&in, j, j->arguments[0], NEED_IMAGES));
    const tess_status status = correct_file(j, &in);
    input_close(&in);
    return status;
}

static const char *const apply_examples[] = {
    "tessera ctf apply --defocus 1.5um stack.mrcs -o blurred.mrcs",
    "tessera ctf apply --form abs --defocus 1.6um,1.5um --angle 30 x.mrc -o attenuated.mrc",
    "tessera ctf apply particles.star --voltage 300 --cs 2.7 --amplitude 0.1 -o multiplied.mrcs --star multiplied.star",
    NULL,
};
static const char *const flip_examples[] = {
    "tessera ctf flip --defocus 1.5um --voltage 200 --amplitude 0.07 stack.mrcs -o flipped.mrcs",
    "tessera ctf flip x.mrc y.mrc --ctf micrographs.star -o '{name}_flipped.mrc'",
    "tessera ctf flip particles.star --voltage 300 --cs 2.7 --amplitude 0.1 -o flipped.mrcs --star flipped.star -f",
    NULL,
};
static const char *const wiener_examples[] = {
    "tessera ctf wiener --defocus 1.5um --snr 3 stack.mrcs -o corrected.mrcs",
    "tessera ctf wiener x.mrc --ctf micrographs.star -o corrected.mrc",
    NULL,
};

#define WHENCE                                                                                                         \
    "\n\nA STAR file as input gives the CTFs of its images in its rows and its optics table: rlnDefocusU, "            \
    "rlnDefocusV, rlnDefocusAngle, rlnPhaseShift, rlnCtfBfactor, rlnCtfScalefactor, rlnVoltage, "                      \
    "rlnSphericalAberration, rlnAmplitudeContrast, rlnBeamTiltX, rlnBeamTiltY and pixel sizes. For other files, "      \
    "--ctf names a STAR file as written by ctf fit, or options give everything. Options take precedence over "         \
    "files. Higher aberrations of a STAR file are not used; a warning says so."

#define CORRECTION(called, fills_, about, says)                                                                        \
    {                                                                                                                  \
        .name = "ctf " #called, .job = "correct_ctf", .fills = (fills_), .subject = "Fourier", .summary = (about),     \
        .arguments = "INPUT... -o OUT", .text = says WHENCE,                                                           \
        .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_PROGRESS, .options = called##_options,           \
        .examples = called##_examples, .min = 1, .max = -1, .each = EACH_FILE, .run = run                              \
    }

const verb verb_ctf_apply = CORRECTION(apply, "ctfs method snr", "multiply images by their CTF",
                                       "Multiplies the transform of each image by its CTF.");
const verb verb_ctf_flip = CORRECTION(
    flip, "ctfs method snr", "flip phases: multiply images by the sign of their CTF",
    "Multiplies the transform of each image by the sign of its CTF, which corrects all phases; amplitudes stay.");
const verb verb_ctf_wiener = CORRECTION(
    wiener, "ctfs method", "multiply images by the Wiener filter of their CTF",
    "Multiplies the transform of each image by CTF / (CTF^2 + 1 / snr), with the same snr at all frequencies.");
