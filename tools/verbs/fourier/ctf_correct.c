/* tessera ctf apply, flip and wiener: images times their CTF, times its sign, or times its Wiener filter. */
#include <string.h>

#include "files/on_device.h"
#include "files/one_input.h"
#include "files/star_rows.h"
#include "ctf/ctf_parameters.h"
#include "measure/unit_cell.h"

#define STAR_OPTIONS                                                                                                   \
    { .name = "ctf",                                                                                                   \
      .value = "STAR",                                                                                                 \
      .type = OPTION_FILE,                                                                                             \
      .help = "the CTF of each image: the row with the name of its file, or the only row" },                           \
        { .name = "star",                                                                                              \
          .writes = true,                                                                                              \
          .is_particles = true,                                                                                        \
          .value = "OUT",                                                                                              \
          .type = OPTION_FILE,                                                                                         \
          .help = "of a STAR file: write its rows for the new stack here" },                                           \
    {                                                                                                                  \
        0                                                                                                              \
    }

static const option apply_options[] = {
    { .name = "form",
      .value = "F",
      .choices = "ctf abs squared",
      .type = OPTION_CHOICE,
      .help = "CTF, |CTF| or CTF^2 [ctf]" },
    CTF_OPTIONS,
    STAR_OPTIONS,
};
static const option flip_options[] = { CTF_OPTIONS, STAR_OPTIONS };
static const option wiener_options[] = {
    { .name = "snr", .value = "R", .type = OPTION_NUMBER, .help = "signal-to-noise ratio, of power [10]" },
    CTF_OPTIONS,
    STAR_OPTIONS,
};

typedef struct ctf_work {
    tess_array    rows; /* {n,1,1,17}, or one row for all images */
    tess_ctf_opts opts;
    double        snr;
    char          what; /* a: apply, f: flip, w: wiener */
} ctf_work;

static tess_status correct_images(void *context, tess_array *out, const tess_array *in, int64_t first)
{
    const ctf_work *w = context;
    tess_ctf_opts   opts = w->opts;
    tess_array      rows = w->rows;
    if (rows.shape.b > 1) TESS_TRY(tess_slice(&rows, &w->rows, 0, first, first + in->shape.b, 1));
    opts.parameters = &rows;
    if (w->what == 'a') return tess_ctf_apply_image(out, in, NULL, &opts);
    if (w->what == 'f') return tess_ctf_flip_image(out, in, NULL, &opts);
    return tess_ctf_wiener_image(out, in, NULL, w->snr, &opts);
}

static tess_status prepare(job *j, const input *in, ctf_work *w)
{
    const char *form = job_text(j, "form", "ctf");
    w->what = strchr(j->verb->name, ' ')[1];
    w->opts.abs = strcmp(form, "abs") == 0;
    w->opts.squared = strcmp(form, "squared") == 0;
    w->snr = job_number(j, "snr", 10);
    TESS_CHECK(w->snr > 0 && w->snr < 1e300, TESS_ERANGE, "ctf wiener: --snr is %g; a number above 0 is needed",
               w->snr);
    TESS_TRY(need_real(j, in));
    TESS_TRY(need_right_angles(j, in, false, "the CTF"));
    TESS_TRY(ctf_of_images(&w->rows, j, in));
    return move_array(&w->rows, j->device);
}

static tess_status correct_file(job *j, input *in, ctf_work *w)
{
    const tess_shape shape = in->info.shape;
    const char      *star = job_text(j, "star", NULL);
    TESS_CHECK(!star || in->listed, TESS_EARG, "--star: %s is no STAR file; its list cannot be written", in->name);
    TESS_TRY(prepare(j, in, w));
    stream_plan plan = plan_to_compute(in);
    plan.extra = 2 * shape.h * (shape.w / 2 + 1) * (int64_t)tess_dtype_size(plan.in_dtype);
    TESS_TRY(image_fits(j, shape, 2 * plan.extra));
    TESS_TRY(stream_run(j, in, &plan, correct_images, w));
    return star && !job_has(j, "dry-run") ? restar(j, in, job_text(j, "output", ""), star) : TESS_OK;
}

static tess_status run(job *j)
{
    input    in = { 0 };
    ctf_work w = { .snr = 0 };
    TESS_TRY(output_check(j, NULL));
    TESS_TRY(input_open(&in, j, j->arguments[0], NEED_IMAGES));
    const tess_status status = correct_file(j, &in, &w);
    tess_release(&w.rows);
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
    "\n\nA STAR file as input has the CTFs of its images, in its rows and its optics table: rlnDefocusU, "             \
    "rlnDefocusV, "                                                                                                    \
    "rlnDefocusAngle, rlnPhaseShift, rlnCtfBfactor, rlnCtfScalefactor, rlnVoltage, rlnSphericalAberration, "           \
    "rlnAmplitudeContrast, rlnBeamTiltX, rlnBeamTiltY and pixel sizes. For other files --ctf names a STAR file, as "   \
    "ctf fit writes it, or options "                                                                                   \
    "say all. Options go before what a file says. Higher aberrations of a STAR file are not used, which a warning "    \
    "tells."

#define CORRECTION(called, about, says)                                                                                \
    {                                                                                                                  \
        .name = "ctf " #called, .subject = "Fourier", .summary = (about), .arguments = "INPUT... -o OUT",              \
        .text = says WHENCE, .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_PROGRESS,                   \
        .options = called##_options, .examples = called##_examples, .min = 1, .max = -1, .each = EACH_FILE, .run = run \
    }

const verb verb_ctf_apply =
    CORRECTION(apply, "images times their CTF", "Multiplies the transform of each image with its CTF.");
const verb verb_ctf_flip =
    CORRECTION(flip, "phase flipping: images times the sign of their CTF",
               "Multiplies the transform of each image with the sign of its CTF, so that all phases are right; "
               "amplitudes stay.");
const verb verb_ctf_wiener =
    CORRECTION(wiener, "images times the Wiener filter of their CTF",
               "Multiplies the transform of each image with CTF / (CTF^2 + 1 / snr), snr the same at all frequencies.");
