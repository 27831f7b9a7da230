/* tessera simulate movie: frames of a micrograph with particles at known positions, drift, dose damage and CTF. */
#include <stdlib.h>

#include "ctf/ctf_parameters.h"
#include "files/outputs/output_sink.h"
#include "operation/job_call.h"
#include "particles/truth_star.h"

static const option options[] = {
    VALUE("defocus", "U[,V]", OPTION_TEXT,
          "defocus, as 1.5um or 15000A, or two as 1.6um,1.5um; underfocus is positive; required"),
    VALUE("gain", "OUT", OPTION_FILE, "vary pixel sensitivities and write the gain reference", .writes = true),
    VALUE("star", "OUT", OPTION_FILE, "STAR file of positions, angles, drift and CTF; required", .writes = true),
    { 0 },
};
static const char *const examples[] = {
    "tessera simulate movie volume.mrc --size 256 --frames 6 --defocus 1.5um -o movie.mrcs --star movie.star",
    "tessera simulate movie volume.mrc --size 200,160 --frames 4 --defocus 1.6um,1.5um --angle 30 --drift 3A "
    "--gain gain.mrc --dtype u8 -o raw.mrcs --star raw.star",
    NULL,
};

/* ---- The truth ---- */

static tess_status fill_general(const tess_simulate_movie_result *r, tess_shape frames, const char *gain,
                                tess_star *star, const char *images)
{
    const tess_ctf  *ctf = r->ctf.data;
    tess_star_table *general;
    TESS_TRY(tess_star_add(&general, star, "general", true));
    TESS_TRY(tess_star_set(general, 0, "_rlnMicrographMovieName", images));
    if (gain) TESS_TRY(tess_star_set(general, 0, "_rlnMicrographGainName", gain));
    TESS_TRY(tess_star_set_i64(general, 0, "_rlnImageSizeX", frames.w));
    TESS_TRY(tess_star_set_i64(general, 0, "_rlnImageSizeY", frames.h));
    TESS_TRY(tess_star_set_i64(general, 0, "_rlnImageSizeZ", frames.b));
    TESS_TRY(tess_star_set_f64(general, 0, "_rlnMicrographOriginalPixelSize", r->pixel_size));
    TESS_TRY(tess_star_set_f64(general, 0, "_rlnMicrographDoseRate", r->dose));
    TESS_TRY(tess_star_set_f64(general, 0, "_rlnVoltage", ctf->voltage));
    return truth_star_ctf(general, 0, ctf);
}

/* As tessera motion writes them: the shift that aligns a frame with the first one. */
static tess_status fill_drift(const tess_simulate_movie_result *r, tess_star *star)
{
    tess_star_table *rows;
    TESS_TRY(tess_star_add(&rows, star, "global_shift", false));
    TESS_TRY(tess_star_add_rows(rows, r->shifts.shape.h));
    for (int64_t i = 0; i < r->shifts.shape.h; i++) {
        const double *row = (const double *)r->shifts.data + TESS_FRAME_SHIFT_COLUMNS * i;
        TESS_TRY(tess_star_set_i64(rows, i, "_rlnMicrographFrameNumber", (int64_t)row[TESS_FRAME_SHIFT_FRAME] + 1));
        TESS_TRY(tess_star_set_f64(rows, i, "_rlnMicrographShiftX", row[TESS_FRAME_SHIFT_X]));
        TESS_TRY(tess_star_set_f64(rows, i, "_rlnMicrographShiftY", row[TESS_FRAME_SHIFT_Y]));
    }
    return TESS_OK;
}

static tess_status fill_local(const tess_simulate_movie_result *r, tess_star *star)
{
    tess_star_table *rows;
    if (!r->local_shifts.data) return TESS_OK;
    TESS_TRY(tess_star_add(&rows, star, "local_shift", false));
    TESS_TRY(tess_star_add_rows(rows, r->local_shifts.shape.h));
    for (int64_t i = 0; i < r->local_shifts.shape.h; i++) {
        const double *row = (const double *)r->local_shifts.data + TESS_LOCAL_SHIFT_COLUMNS * i;
        TESS_TRY(tess_star_set_i64(rows, i, "_rlnMicrographFrameNumber", (int64_t)row[TESS_LOCAL_SHIFT_FRAME] + 1));
        TESS_TRY(tess_star_set_f64(rows, i, "_rlnCoordinateX", row[TESS_LOCAL_SHIFT_AT_X]));
        TESS_TRY(tess_star_set_f64(rows, i, "_rlnCoordinateY", row[TESS_LOCAL_SHIFT_AT_Y]));
        TESS_TRY(tess_star_set_f64(rows, i, "_rlnMicrographShiftX", row[TESS_LOCAL_SHIFT_X]));
        TESS_TRY(tess_star_set_f64(rows, i, "_rlnMicrographShiftY", row[TESS_LOCAL_SHIFT_Y]));
    }
    return TESS_OK;
}

static tess_status fill_particles(const tess_simulate_movie_result *r, tess_star *star, const char *images)
{
    tess_star_table *rows;
    TESS_TRY(tess_star_add(&rows, star, "particles", false));
    TESS_TRY(tess_star_add_rows(rows, r->particles.shape.h));
    for (int64_t i = 0; i < r->particles.shape.h; i++) {
        const double *row = (const double *)r->particles.data + TESS_MOVIE_PARTICLE_COLUMNS * i;
        TESS_TRY(tess_star_set_f64(rows, i, "_rlnCoordinateX", row[TESS_MOVIE_PARTICLE_X]));
        TESS_TRY(tess_star_set_f64(rows, i, "_rlnCoordinateY", row[TESS_MOVIE_PARTICLE_Y]));
        TESS_TRY(tess_star_set(rows, i, "_rlnMicrographName", images));
        TESS_TRY(tess_star_set_i64(rows, i, "_rlnOpticsGroup", 1));
        TESS_TRY(truth_star_angles(rows, i, row + TESS_MOVIE_PARTICLE_ROT));
        TESS_TRY(truth_star_ctf(rows, i, r->ctf.data));
    }
    return TESS_OK;
}

static tess_status fill_star(const job_call *call, tess_shape frames, tess_star *star, const char *images)
{
    const tess_simulate_movie_result *r = call->result;
    TESS_CHECK(images, TESS_ENOMEM, "simulate movie: no memory for the name of the movie");
    TESS_TRY(fill_general(r, frames, job_text(call->job, "gain", NULL), star, images));
    TESS_TRY(truth_star_optics(star, r->ctf.data, 0));
    TESS_TRY(fill_drift(r, star));
    TESS_TRY(fill_local(r, star));
    return fill_particles(r, star, images);
}

static tess_status write_star(const job_call *call, tess_shape frames)
{
    tess_star *star = NULL;
    TESS_TRY(tess_star_new(&star));
    char       *images = truth_star_images(call->job);
    tess_status status = fill_star(call, frames, star, images);
    if (status == TESS_OK) status = truth_star_write(call->job, star);
    free(images);
    tess_star_free(star);
    return status;
}

static tess_status write_gain(const job_call *call)
{
    const tess_simulate_movie_result *r = call->result;
    const tess_meta                   meta = { .pixel_size = { r->pixel_size, r->pixel_size, r->pixel_size } };
    const tess_write_opts             opts = { .meta = &meta, .overwrite = job_has(call->job, "force") };
    return r->gain.data ? tess_write(job_text(call->job, "gain", ""), &r->gain, &opts) : TESS_OK;
}

/* ---- The verb ---- */

/* One defocus, or those in two directions, which are a mean and an astigmatism. */
static tess_status take_defocus(job_call *call)
{
    tess_simulate_movie_opts *o = call->opts;
    tess_ctf                  ctf = { .defocus = 0 };
    TESS_CHECK(job_has(call->job, "defocus"), TESS_EARG, "simulate movie: --defocus is required");
    TESS_TRY(ctf_of_options(call->job, &ctf));
    call->values[1].f64 = ctf.defocus;
    o->astigmatism = ctf.astigmatism;
    o->angle = ctf.angle;
    return TESS_OK;
}

static tess_status simulate(job_call *call)
{
    tess_simulate_movie_opts *o = call->opts;
    output_sink               sink;
    TESS_TRY(take_defocus(call));
    output_sink_make(&sink, call->job, TESS_DTYPE_NONE, NULL);
    o->sink = &sink.sink;
    o->gain = job_has(call->job, "gain");
    TESS_TRY(output_sink_end(&sink, job_call_run(call)));
    if (sink.is_planned) return TESS_OK;
    TESS_TRY(write_gain(call));
    return write_star(call, sink.shape);
}

static tess_status run(job *j)
{
    job_call call;
    TESS_TRY(output_check(j, NULL));
    TESS_TRY(truth_star_check(j));
    tess_status status = job_call_open(&call, j);
    if (status == TESS_OK) status = simulate(&call);
    job_call_close(&call);
    return status;
}

const verb verb_simulate_movie = {
    .name = "simulate movie",
    .job = "simulate_movie",
    .fills = "gain",
    .subject = "files",
    .summary = "simulate a movie of particles, with CTF, drift and radiation damage",
    .arguments = "MAP --defocus U[,V] -o MOVIE --star STAR",
    .text = "Projections of the map at random orientations lie at random positions in amorphous ice, and the CTF is "
            "applied to their sum. For each frame, the result is shifted by the drift, filtered for radiation damage "
            "(exp(-N / 2Nc) of Grant and Grigorieff 2015, with the dose N at the middle of the frame; the ice is "
            "damaged as well), and counted. Protein is dark. Drift within a frame is not simulated.\n\n"
            "With --local, parts of the specimen move relative to each other. The shift of a point is a random "
            "quadratic polynomial of its position, times 1 - exp(-N / 5), where N is the exposure before the frame "
            "in electrons/A^2; its mean over the frame is 0. The table local_shift has the shifts that undo it, in "
            "addition to global_shift, at the centres of 5 x 5 patches.\n\n"
            "The STAR file has the tables general (movie, gain reference, dose, defoci), optics, global_shift "
            "(rlnMicrographShiftX and Y in pixels: the shift that aligns a frame with the first one) and particles "
            "(rlnCoordinateX and Y in the first frame, pixels from 0, and Euler angles).\n\n"
            "With --gain, expected counts are divided by a gain reference of mean 1 that varies by 5 % between "
            "pixels; multiply frames by the written reference to correct them.",
    .globals = GLOBAL_OUT | GLOBAL_READ | GLOBAL_APIX | GLOBAL_SEED | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_OF_FILE(1, 1),
};
