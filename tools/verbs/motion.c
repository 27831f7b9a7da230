/* tessera motion: movies become micrographs, aligned as a whole and in patches, weighted by exposure. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "files/input_meta.h"
#include "files/listing.h"
#include "files/on_device.h"
#include "files/target.h"
#include "measure/geometry.h"
#include "movies/corrected_star.h"
#include "movies/motion_report.h"
#include "movies/movie.h"

static const option options[] = {
    MOVIE_OPTIONS,
    EXPOSURE_OPTIONS,
    { .name = "group",
      .value = "N",
      .type = OPTION_INTEGER,
      .help = "frames that are aligned together [as many as have 1 electron/A^2, by --dose; else 1]" },
    { .name = "resolution",
      .value = "A",
      .type = OPTION_CUTOFF,
      .help = "resolution limit of the alignment, in A [4]" },
    { .name = "bfactor", .value = "B", .type = OPTION_NUMBER, .help = "B-factor of the correlation, in A^2 [150]" },
    { .name = "max-shift",
      .value = "L",
      .type = OPTION_LENGTH,
      .help = "maximum shift per frame and iteration [unlimited]" },
    { .name = "patches",
      .value = "X,Y",
      .type = OPTION_XYZ,
      .help =
          "patches along x and y for local motion; 1: whole frames alone [5,5 where patches then have 200 pixels or "
          "more of what is aligned, and there are 4 groups of frames; else 1]" },
    { .name = "max-local",
      .value = "L",
      .type = OPTION_LENGTH,
      .help = "maximum shift of a patch from that of whole frames [10 A]" },
    { .name = "always-local",
      .type = OPTION_FLAG,
      .help = "keep the model of local motion where cross-validation finds no improvement" },
    { .name = "interp",
      .value = "I",
      .choices = "linear cubic lanczos4 lanczos6 lanczos8",
      .type = OPTION_CHOICE,
      .help = "how frames with local motion are resampled [lanczos6]" },
    { .name = "weighted",
      .value = "OUT",
      .type = OPTION_FILE,
      .writes = true,
      .help = "write the sum weighted by exposure, too" },
    { .name = "odd",
      .value = "OUT",
      .type = OPTION_FILE,
      .writes = true,
      .help = "write the sum of frames 1, 3, 5 ..." },
    { .name = "even",
      .value = "OUT",
      .type = OPTION_FILE,
      .writes = true,
      .help = "write the sum of frames 0, 2, 4 ..." },
    { .name = "shifts",
      .value = "OUT",
      .type = OPTION_FILE,
      .writes = true,
      .help = "write the shifts: x.star with RELION's labels, or x.tsv" },
    { .name = "star",
      .value = "OUT",
      .type = OPTION_FILE,
      .writes = true,
      .once = true,
      .help = "write one STAR file of all micrographs, as RELION's corrected_micrographs.star" },
    { .name = "cs",
      .value = "MM",
      .type = OPTION_NUMBER,
      .help = "spherical aberration in mm, for the optics table of --star [2.7]" },
    { .name = "amplitude",
      .value = "A",
      .type = OPTION_NUMBER,
      .help = "amplitude contrast, for the optics table of --star [0.1]" },
    { .name = "plot",
      .value = "OUT",
      .type = OPTION_FILE,
      .writes = true,
      .help = "draw the trajectories, 10 times as large, on the picture of the mean: x.svg or x.png" },
    { 0 },
};
static const char *const examples[] = {
    "tessera motion --apix 1.2 movie.tif -o micrograph.mrc",
    "tessera motion --apix 1.2 --dose 1.5 --weighted dw.mrc movie.tif -o all.mrc",
    "tessera motion --apix 1.2 --dose 1.5 --shifts '{name}_shifts.star' --star corrected_micrographs.star movie.tif "
    "-o '{name}_sum.mrc'",
    "tessera motion --apix 1.2 --resolution 2.4 --patches 2,2 --plot motion.svg movie.tif -o local.mrc",
    NULL,
};

/* Patches along an axis without --patches, and pixels of what is aligned that each must have for that. */
enum { USUAL_PATCHES = 5, USUAL_PIXELS = 200 };

typedef struct correcting {
    job       *job;
    movie      movie;
    exposure   exposure;
    motion     motion;
    tess_shape frame;    /* {1,1,h,w} */
    tess_shape small;    /* {frames,1,h,w} of what is aligned */
    double     scale[2]; /* pixels of a frame in one of that, along h and w */
    tess_array spectra;  /* of what is aligned */
    int32_t    group;
    double     bfactor, max_shift, max_local;
    int32_t    interp;
    tess_array sums[2], weighted; /* spectra; of even and odd frames, or of all */
    bool       halves;
    tess_array zero; /* {1,1,1,2} */
    bool       writes_weighted;
} correcting;

/* ---- Options ---- */

static tess_status read_numbers(correcting *c, const input *in)
{
    job   *j = c->job;
    double cut = c->motion.pixel_size / 4;
    c->bfactor = job_number(j, "bfactor", 150);
    TESS_CHECK(c->bfactor >= 0 && isfinite(c->bfactor), TESS_EARG, "motion: --bfactor is %s; 0 or more is allowed",
               job_text(j, "bfactor", ""));
    TESS_TRY(job_length(j, "max-shift", c->motion.pixel_size, &c->max_shift));
    TESS_CHECK(!job_has(j, "max-shift") || c->max_shift > 0, TESS_EARG, "motion: --max-shift is %s; it must be above 0",
               job_text(j, "max-shift", ""));
    c->max_local = 10 / c->motion.pixel_size;
    TESS_TRY(job_length(j, "max-local", c->motion.pixel_size, &c->max_local));
    TESS_CHECK(c->max_local > 0, TESS_EARG, "motion: --max-local is %s; it must exceed 0",
               job_text(j, "max-local", ""));
    const int64_t side = in->info.shape.h < in->info.shape.w ? in->info.shape.h : in->info.shape.w;
    TESS_TRY(job_cutoff(j, "resolution", c->motion.pixel_size, side, &cut));
    for (int k = 0; k < 2; ++k) {
        const int64_t n = c->frame.dim[2 + k], wanted = tess_fft_fast_size((int64_t)ceil(2 * cut * (double)n));
        c->small.dim[2 + k] = wanted < n ? wanted : n;
        c->scale[k] = (double)n / (double)c->small.dim[2 + k];
    }
    return TESS_OK;
}

/* As many frames as have 1 electron/Å^2. */
static tess_status read_group(correcting *c)
{
    const double  each = c->exposure.each;
    const int64_t n = c->small.b, usual = each > 0 && each < 1 ? (int64_t)ceil(1 / each - 1e-9) : 1;
    const int64_t group = job_integer(c->job, "group", usual < n ? usual : n);
    TESS_CHECK(group >= 1 && group <= n, TESS_EARG, "motion: --group is %lld; 1 to %lld frames are allowed",
               (long long)group, (long long)n);
    c->group = (int32_t)group;
    return TESS_OK;
}

/* Enough for the usual model of local motion: patches whose peaks stand out of noise, and times for its third order. */
static bool has_usual_patches(const correcting *c)
{
    const int64_t side = c->small.h < c->small.w ? c->small.h : c->small.w;
    return side / USUAL_PATCHES >= USUAL_PIXELS && c->small.b / c->group >= 4;
}

static tess_status read_patches(correcting *c)
{
    static const char *const names[] = { "linear", "cubic", "lanczos4", "lanczos6", "lanczos8" };
    static const int32_t     interps[] = { TESS_INTERP_LINEAR, TESS_INTERP_CUBIC, TESS_INTERP_LANCZOS4,
                                           TESS_INTERP_LANCZOS6, TESS_INTERP_LANCZOS8 };
    double                   xyz[3] = { 1, 1, 1 };
    int                      n = 0;
    for (int k = 0; k < 5; ++k)
        if (strcmp(job_text(c->job, "interp", "lanczos6"), names[k]) == 0) c->interp = interps[k];
    c->motion.patches[0] = c->motion.patches[1] = has_usual_patches(c) ? USUAL_PATCHES : 1;
    if (!job_has(c->job, "patches")) return TESS_OK;
    TESS_TRY(job_xyz(c->job, "patches", xyz, &n));
    if (n == 1) xyz[1] = xyz[0];
    for (int k = 0; k < 2; ++k) {
        const int64_t side = c->small.dim[3 - k];
        TESS_CHECK(
            n < 3 && xyz[k] >= 1 && xyz[k] == floor(xyz[k]) && (double)side / xyz[k] >= 32, TESS_EARG,
            "motion: --patches is %s; x,y of 1 to %lld,%lld are allowed: a patch has 32 pixels or more of what is "
            "aligned",
            job_text(c->job, "patches", ""), (long long)(c->small.w / 32), (long long)(c->small.h / 32));
        c->motion.patches[1 - k] = (int64_t)xyz[k];
    }
    const bool local = c->motion.patches[0] * c->motion.patches[1] > 1;
    TESS_CHECK(local || !job_has(c->job, "max-local"), TESS_EARG, "motion: --max-local needs patches; --patches is %s",
               job_text(c->job, "patches", ""));
    TESS_CHECK(local || !job_has(c->job, "always-local"), TESS_EARG,
               "motion: --always-local needs patches; --patches is %s", job_text(c->job, "patches", ""));
    return TESS_OK;
}

static bool is_standard_output(const char *name)
{
    return name[0] == '-' && (!name[1] || name[1] == ':' || name[1] == '[');
}

static tess_status take_outputs(correcting *c)
{
    const job *j = c->job;
    TESS_CHECK(!job_has(j, "star") || !is_standard_output(job_text(j, "output", "")), TESS_EARG,
               "motion: -o is %s, standard output, and --star needs the name of a micrograph",
               job_text(j, "output", ""));
    c->writes_weighted = job_has(j, "weighted");
    c->halves = job_has(j, "odd") || job_has(j, "even");
    TESS_CHECK(!c->writes_weighted || c->exposure.doses.data, TESS_EARG,
               "motion: --weighted needs the exposure; give --dose, --doses or --mdoc");
    return TESS_OK;
}

/* What the file of shifts tells of how frames were read. */
static void note_inputs(correcting *c, const input *in)
{
    const job *j = c->job;
    c->motion.in = in;
    c->motion.exposure = &c->exposure;
    c->motion.gain = job_text(j, "gain", NULL);
    c->motion.defects = job_text(j, "defects", NULL);
    c->motion.hot_pixels = &c->movie.hot_pixels;
    if (in->info.format != TESS_FORMAT_EER) return;
    c->motion.eer_upsampling = job_text(j, "eer-upsampling", "1")[0] - '0';
    c->motion.eer_group = job_has(j, "eer-dose") ? 0 : job_integer(j, "eer-group", 1);
}

static tess_status check_optics(const job *j)
{
    const double cs = job_number(j, "cs", 2.7), amplitude = job_number(j, "amplitude", 0.1);
    TESS_CHECK(cs >= 0 && isfinite(cs), TESS_EARG, "motion: --cs is %s; 0 or more is allowed", job_text(j, "cs", ""));
    TESS_CHECK(amplitude >= 0 && amplitude < 1, TESS_EARG, "motion: --amplitude is %s; 0 to below 1 is allowed",
               job_text(j, "amplitude", ""));
    TESS_CHECK(job_has(j, "star") || !(job_has(j, "cs") || job_has(j, "amplitude")), TESS_EARG,
               "motion: --cs and --amplitude are for the optics table of --star, which is missing");
    return TESS_OK;
}

static tess_status read_options(correcting *c, const input *in)
{
    const tess_shape s = in->info.shape;
    TESS_TRY(need_real(c->job, in));
    TESS_CHECK(s.d == 1, TESS_ESHAPE, "motion: %s is a volume; a movie is needed (--as stack)", in->name);
    TESS_CHECK(s.b * s.h * s.w > 0, TESS_ESHAPE, "motion: %s is empty", in->name);
    TESS_TRY(input_pixel_size(in, &c->motion.pixel_size));
    c->frame = TESS_SHAPE(1, 1, s.h, s.w);
    c->small = s;
    note_inputs(c, in);
    TESS_TRY(check_optics(c->job));
    TESS_TRY(exposure_read(&c->exposure, c->job, in));
    TESS_TRY(read_numbers(c, in));
    TESS_TRY(read_group(c));
    TESS_TRY(read_patches(c));
    return take_outputs(c);
}

/* ---- Alignment ---- */

static tess_status crop_spectra(void *context, const tess_array *spectra, int64_t first)
{
    correcting   *c = context;
    const int64_t n = spectra->shape.b;
    tess_shape    full = c->frame, small = c->small;
    tess_array    to;
    full.b = small.b = n;
    TESS_TRY(tess_slice(&to, &c->spectra, 0, first, first + n, 1));
    return tess_fft_resize(&to, spectra, full, small, NULL);
}

/* A value that is no number makes all coefficients of its frame so. */
static tess_status check_finite(const correcting *c)
{
    tess_array means;
    double     sum[2];
    TESS_TRY(tess_subregion(&means, &c->spectra, (tess_region){ .h = tess_only(0), .w = tess_only(0) }));
    TESS_TRY(tess_host_sum_complex(sum, &means));
    TESS_CHECK(isfinite(sum[0]), TESS_ERANGE,
               "motion: %s has values that are NaN or infinite; --defects can name them, and --hot 0 is needed then",
               c->motion.in->name);
    return TESS_OK;
}

static tess_status align_frames(correcting *c)
{
    TESS_TRY(tess_empty(&c->spectra, tess_rfft_shape(c->small), TESS_C32, c->job->device));
    TESS_TRY(movie_each(&c->movie, crop_spectra, c));
    TESS_TRY(check_finite(c));
    const whole_motion_opts opts = { .pixel_size = c->motion.pixel_size * c->scale[1],
                                     .bfactor = c->bfactor,
                                     .max_shift = c->max_shift / c->scale[1],
                                     .scale = { c->scale[0], c->scale[1] },
                                     .group = c->group };
    TESS_TRY(whole_motion_find(&c->motion.whole, &c->spectra, c->small, &opts));
    if (c->motion.whole.is_no_better)
        job_warn(
            c->job,
            "motion: %s: frames correlate no better than noise (score %.1f; %.1f is needed); they are added without "
            "alignment",
            c->motion.in->name, c->motion.whole.score, c->motion.whole.noise);
    return TESS_OK;
}

/* ---- Patches ---- */

/* The cropped frames, moved by the shifts of whole ones. */
static tess_status make_aligned(const correcting *c, tess_array *images)
{
    tess_array  by = { 0 }, moved = { 0 };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_copy(&by, &c->motion.whole.shifts));
    for (int64_t i = 0; i < 2 * c->small.b; ++i) ((double *)by.data)[i] /= c->scale[i % 2];
    TESS_GOTO(done, status, move_array(&by, c->job->device));
    TESS_GOTO(done, status, tess_fft_phase_shift(&moved, &c->spectra, c->small, &by, NULL));
    TESS_GOTO(done, status, tess_fft_c2r(images, &moved, c->small, &(tess_fft_opts){ .overwrite = 1 }));
done:
    tess_release(&by);
    tess_release(&moved);
    return status;
}

/* Why whole frames alone are moved, where patches were wanted, or what is known against a model that is used. */
static void warn_of_verdict(const correcting *c)
{
    const local_motion *m = &c->motion.local;
    const long long     used = (long long)m->used, patches = (long long)m->shifts.shape.b;
    const long long     groups = (long long)(m->shifts.shape.h / c->group);
    if (m->verdict == LOCAL_MOTION_FEW)
        job_warn(c->job,
                 "motion: %s: %lld of %lld patches can be aligned, too few for a model of local motion from %lld "
                 "groups of frames; whole frames are moved, as with --patches 1",
                 c->motion.in->name, used, patches, groups);
    if (m->verdict == LOCAL_MOTION_NO_BETTER || m->verdict == LOCAL_MOTION_KEPT)
        job_warn(
            c->job,
            "motion: %s: a model of local motion changes the cross-validated correlation by %.2g +- %.2g %%, which "
            "is no sure improvement; %s",
            c->motion.in->name, 100 * m->gain, 100 * m->error,
            m->verdict == LOCAL_MOTION_KEPT ? "it is used by --always-local"
                                            : "whole frames are moved, as with --patches 1");
}

static tess_status align_patches(correcting *c)
{
    const local_motion_opts opts = { .patches = { c->motion.patches[0], c->motion.patches[1] },
                                     .pixel_size = c->motion.pixel_size * c->scale[1],
                                     .bfactor = c->bfactor,
                                     .limit = c->max_local / c->scale[1],
                                     .scale = { c->scale[0], c->scale[1] },
                                     .group = c->group,
                                     .always = job_has(c->job, "always-local") };
    tess_array              images = { 0 };
    if (opts.patches[0] * opts.patches[1] == 1 || c->small.b == 1 || c->motion.whole.is_no_better) return TESS_OK;
    tess_status status = make_aligned(c, &images);
    if (status == TESS_OK) status = local_motion_find(&c->motion.local, &images, &opts);
    tess_release(&images);
    TESS_TRY(status);
    warn_of_verdict(c);
    return TESS_OK;
}

/* ---- Sums ---- */

/* Spectra of frames from `first` on, moved by `shifts`, of all frames, or one for all, and added to a sum. */
static tess_status add_to(correcting *c, tess_array *sum, const tess_array *spectra, const tess_array *shifts,
                          int64_t first)
{
    const int64_t        n = spectra->shape.b;
    tess_add_frames_opts opts = { .pixel_size = c->motion.pixel_size,
                                  .voltage = c->exposure.voltage,
                                  .critical_factor = c->exposure.critical_factor };
    tess_array           by = *shifts, doses;
    if (shifts->shape.b > 1) TESS_TRY(tess_slice(&by, shifts, 0, first, first + n, 1));
    if (c->writes_weighted) {
        TESS_TRY(tess_slice(&doses, &c->exposure.doses, 0, first, first + n, 1));
        opts.doses = &doses;
    }
    return tess_add_frames(sum, c->writes_weighted ? &c->weighted : NULL, spectra,
                           TESS_SHAPE(n, 1, c->frame.h, c->frame.w), &by, &opts);
}

/* To the sum of all, or one by one to those of even and odd frames. */
static tess_status add(correcting *c, const tess_array *spectra, const tess_array *shifts, int64_t first)
{
    if (!c->halves) return add_to(c, &c->sums[0], spectra, shifts, first);
    for (int64_t i = 0; i < spectra->shape.b; ++i) {
        tess_array one;
        TESS_TRY(tess_slice(&one, spectra, 0, i, i + 1, 1));
        TESS_TRY(add_to(c, &c->sums[(first + i) % 2], &one, shifts, first + i));
    }
    return TESS_OK;
}

/* Moved as a whole by its phases, then resampled by the model of local motion. */
static tess_status warp(const correcting *c, tess_array *out, const tess_array *spectrum, const tess_array *shift,
                        int64_t i)
{
    const double time = (double)i;
    tess_array   moved = { 0 }, image = { 0 }, warped = { 0 }, when = { 0 }, there = { 0 };
    tess_status  status = TESS_OK;
    TESS_GOTO(done, status, tess_to_device(&there, shift, c->job->device));
    TESS_GOTO(done, status, tess_fft_phase_shift(&moved, spectrum, c->frame, &there, NULL));
    TESS_GOTO(done, status, tess_fft_c2r(&image, &moved, c->frame, &(tess_fft_opts){ .overwrite = 1 }));
    TESS_GOTO(done, status, tess_full(&when, TESS_SHAPE(1, 1, 1, 1), TESS_F64, tess_cpu(), time));
    TESS_GOTO(done, status,
              tess_motion_warp(&warped, &image, &c->motion.local.model, &when,
                               &(tess_motion_warp_opts){ .interp = c->interp }));
    TESS_GOTO(done, status, tess_fft_r2c(out, &warped, NULL));
done:
    tess_release(&moved);
    tess_release(&image);
    tess_release(&warped);
    tess_release(&when);
    tess_release(&there);
    return status;
}

static tess_status add_frames(void *context, const tess_array *spectra, int64_t first)
{
    correcting *c = context;
    if (!c->motion.local.model.data) return add(c, spectra, &c->motion.whole.shifts, first);
    for (int64_t i = 0; i < spectra->shape.b; ++i) {
        tess_array one, shift, local = { 0 };
        TESS_TRY(tess_slice(&one, spectra, 0, i, i + 1, 1));
        TESS_TRY(tess_slice(&shift, &c->motion.whole.shifts, 0, first + i, first + i + 1, 1));
        tess_status status = warp(c, &local, &one, &shift, first + i);
        if (status == TESS_OK) status = add(c, &local, &c->zero, first + i);
        tess_release(&local);
        TESS_TRY(status);
    }
    return TESS_OK;
}

/* ---- Outputs ---- */

static tess_status write_spectrum(const correcting *c, const char *name, const tess_array *spectrum)
{
    tess_meta   meta = meta_of(c->motion.in);
    tess_array  image = { 0 };
    tess_status status = TESS_OK;
    meta_drop_records(&meta);
    TESS_GOTO(done, status, tess_fft_c2r(&image, spectrum, c->frame, NULL));
    TESS_GOTO(done, status, move_array(&image, tess_cpu()));
    TESS_GOTO(done, status, output_write(c->job, name, &image, &meta));
done:
    tess_release(&image);
    return status;
}

static tess_status write_weighted(correcting *c)
{
    const tess_dose_weight_opts opts = exposure_options(&c->exposure);
    tess_array                  doses = { 0 };
    tess_status                 status = TESS_OK;
    if (!c->writes_weighted) return TESS_OK;
    TESS_GOTO(done, status, tess_to_device(&doses, &c->exposure.doses, c->job->device));
    TESS_GOTO(done, status,
              tess_dose_normalize(&c->weighted, &c->weighted, c->frame, &doses, c->motion.pixel_size, &opts));
    TESS_GOTO(done, status, write_spectrum(c, job_text(c->job, "weighted", ""), &c->weighted));
done:
    tess_release(&doses);
    return status;
}

/* Even frames, odd ones, then all; the file of -o is the last. */
static tess_status write_sums(correcting *c)
{
    job *j = c->job;
    if (job_has(j, "even")) TESS_TRY(write_spectrum(c, job_text(j, "even", ""), &c->sums[0]));
    if (job_has(j, "odd") && c->sums[1].data) TESS_TRY(write_spectrum(c, job_text(j, "odd", ""), &c->sums[1]));
    if (c->sums[1].data) TESS_TRY(tess_add(&c->sums[0], &c->sums[0], &c->sums[1]));
    TESS_TRY(write_weighted(c));
    return write_spectrum(c, NULL, &c->sums[0]);
}

/* What the plot is drawn on: the sum, its spectrum cropped. */
static tess_status make_mean(correcting *c)
{
    const int64_t side = c->frame.h > c->frame.w ? c->frame.h : c->frame.w;
    tess_shape    small = c->frame;
    tess_array    cropped = { 0 };
    tess_status   status = TESS_OK;
    for (int k = 2; k < 4 && side > MOTION_SHOWN; ++k) {
        small.dim[k] = c->frame.dim[k] * MOTION_SHOWN / side;
        if (small.dim[k] < 1) small.dim[k] = 1;
    }
    TESS_GOTO(done, status, tess_fft_resize(&cropped, &c->sums[0], c->frame, small, NULL));
    TESS_GOTO(done, status, tess_fft_c2r(&c->motion.mean, &cropped, small, NULL));
    TESS_GOTO(done, status, move_array(&c->motion.mean, tess_cpu()));
done:
    tess_release(&cropped);
    return status;
}

/* The path of -o or of another output, without brackets; to be freed by target_free. */
static tess_status find_path(target **t, const correcting *c, const char *name)
{
    *t = NULL;
    return job_has(c->job, name) ? target_parse(t, c->job, job_text(c->job, name, "")) : TESS_OK;
}

static tess_status add_micrograph(correcting *c, const target *sum, const target *weighted)
{
    job                 *j = c->job;
    const motion        *m = &c->motion;
    const char          *shifts = job_text(j, "shifts", "");
    double               early, late;
    corrected_micrograph one = { .name = weighted ? weighted->path : sum->path,
                                 .unweighted = weighted ? sum->path : NULL,
                                 .metadata = is_listing(shifts) ? shifts : NULL,
                                 .pixel_size = m->pixel_size,
                                 .voltage = c->exposure.voltage,
                                 .cs = job_number(j, "cs", 2.7),
                                 .amplitude = job_number(j, "amplitude", 0.1),
                                 .patches = m->local.used,
                                 .has_model = m->local.model.data };
    motion_length(&early, &late, m);
    one.early = early * m->pixel_size;
    one.late = late * m->pixel_size;
    return corrected_star_add(&j->star, &one);
}

/* Written again after each movie, so that an interrupted run has the rows of those that are done. */
static tess_status write_micrographs(correcting *c)
{
    job        *j = c->job;
    target     *sum = NULL, *weighted = NULL;
    const bool  is_first = !j->star;
    tess_status status = TESS_OK;
    if (!job_has(j, "star")) return TESS_OK;
    TESS_GOTO(done, status, find_path(&sum, c, "output"));
    TESS_GOTO(done, status, find_path(&weighted, c, "weighted"));
    TESS_GOTO(done, status, add_micrograph(c, sum, weighted));
    TESS_GOTO(done, status,
              tess_star_write(job_text(j, "star", ""), j->star,
                              &(tess_star_opts){ .overwrite = !is_first || job_has(j, "force") }));
done:
    target_free(sum);
    target_free(weighted);
    return status;
}

static tess_status report(correcting *c)
{
    job          *j = c->job;
    const motion *m = &c->motion;
    const bool    overwrite = job_has(j, "force");
    double        early, late;
    motion_length(&early, &late, m);
    if (job_has(j, "shifts")) TESS_TRY(motion_write_shifts(m, job_text(j, "shifts", ""), overwrite));
    if (job_has(j, "plot")) TESS_TRY(make_mean(c));
    if (job_has(j, "plot")) TESS_TRY(motion_plot(m, job_text(j, "plot", ""), overwrite));
    TESS_TRY(write_micrographs(c));
    table *t = table_new(j, stdout);
    table_text(t, "file", m->in->name);
    table_integer(t, "frames", c->small.b);
    table_integer(t, "group", c->group);
    table_integer(t, "bad_pixels", c->movie.n_bad);
    table_number(t, "motion_A", (early + late) * m->pixel_size);
    if (c->small.b > 1) table_number(t, "score", m->whole.score);
    else table_null(t, "score");
    table_integer(t, "patches", m->local.used);
    table_text(t, "local_model", m->local.model.data ? "yes" : "no");
    if (m->local.model.data) table_number(t, "residual_px", m->local.residual);
    else table_null(t, "residual_px");
    table_row(t);
    table_end(t);
    return TESS_OK;
}

/* Bytes of what is aligned: its spectra, and two copies of them. */
static double bytes_to_align(const correcting *c)
{
    const tess_shape half = tess_rfft_shape(c->small);
    return 3 * 8.0 * (double)half.b * (double)half.h * (double)half.w;
}

static tess_status correct_movie(correcting *c, input *in)
{
    bool skip;
    TESS_TRY(read_options(c, in));
    TESS_TRY(output_planned(c->job, NULL, c->frame, TESS_F32, &skip));
    if (skip) return TESS_OK;
    TESS_TRY(tess_zeros(&c->zero, TESS_SHAPE(1, 1, 1, 2), TESS_F64, tess_cpu()));
    TESS_TRY(movie_open(&c->movie, c->job, in, bytes_to_align(c)));
    TESS_TRY(align_frames(c));
    TESS_TRY(align_patches(c));
    tess_release(&c->spectra);
    TESS_TRY(movie_each(&c->movie, add_frames, c));
    TESS_TRY(write_sums(c));
    return report(c);
}

static void release(correcting *c)
{
    tess_array *all[] = { &c->motion.mean, &c->spectra, &c->sums[0], &c->sums[1], &c->weighted, &c->zero };
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) tess_release(all[k]);
    whole_motion_free(&c->motion.whole);
    local_motion_free(&c->motion.local);
    movie_free(&c->movie);
    exposure_free(&c->exposure);
}

static tess_status run(job *j)
{
    input      in = { 0 };
    correcting c = { .job = j };
    TESS_TRY(output_check(j, NULL));
    TESS_TRY(input_open(&in, j, j->arguments[0], NEED_IMAGES));
    const tess_status status = correct_movie(&c, &in);
    release(&c);
    input_close(&in);
    return status;
}

const verb verb_motion = {
    .name = "motion",
    .subject = "movies and tilts",
    .summary = "align and add the frames of a movie, weighted by exposure",
    .arguments = "INPUT... -o SUM",
    .text = "Frames are multiplied with the gain image, and bad pixels become the median of good ones around. Each "
            "frame is correlated with the sum of the others and moved to the peak, until shifts change by less than "
            "0.05 pixels of what is aligned. Shifts move a frame onto the first one, as RELION's do. Where frames "
            "correlate no better than noise, they are added without alignment, and a warning says so.\n"
            "\n"
            "Then patches of the aligned frames are aligned, unless --patches is 1 or frames are small. A polynomial "
            "of third order in time and second order in x and y is fitted to the shifts of those patches that "
            "correlate better than noise, without outliers, and frames are resampled by it. The polynomial is used "
            "only if it passes a cross-validation: for each patch, the fit to all other patches must make the sum of "
            "its frames stronger, by a standard error over all patches. Otherwise whole frames are moved, as with "
            "--patches 1, and a warning says so.\n"
            "\n"
            "Weighted sums are as those of tessera dose --sum. The table has the length of the specimen's way "
            "(motion_A), the mean correlation of frames with the others in standard deviations of random phases "
            "(score), the number of patches that were used, whether the model of local motion was (local_model), and "
            "how far patches are off it (residual_px). Results of a GPU may differ in last digits.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_NUMBER_TABLE | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
