/* tessera simulate particles: noisy projections of a map with CTFs, and a STAR file of their parameters. */
#include <stdio.h>
#include <stdlib.h>

#include "ctf/ctf_parameters.h"
#include "files/outputs/output_sink.h"
#include "operation/job_call.h"
#include "particles/truth_star.h"

static const option options[] = {
    VALUE("star", "OUT", OPTION_FILE, "STAR file of the particles; required", .writes = true, .is_particles = true),
    { 0 },
};
static const char *const examples[] = {
    "tessera simulate particles volume.mrc --count 100 --snr 0.2 -o simulated.mrcs --star simulated.star",
    "tessera simulate particles volume.mrc --count 8 --no-noise --shift 3A --min-defocus 1.5um --max-defocus 1.5um "
    "-o clean.mrcs --star clean.star",
    NULL,
};

static tess_status fill_row(const tess_simulate_particles_result *r, tess_star_table *rows, int64_t i,
                            const char *images)
{
    const double *row = (const double *)r->particles.data + TESS_SIMULATED_COLUMNS * i;
    char          micrograph[40];
    (void)snprintf(micrograph, sizeof micrograph, "micrograph%06.0f.mrc", row[TESS_SIMULATED_MICROGRAPH] + 1);
    TESS_TRY(tess_star_set_image(rows, i, "_rlnImageName", i + 1, images));
    TESS_TRY(tess_star_set(rows, i, "_rlnMicrographName", micrograph));
    TESS_TRY(tess_star_set_i64(rows, i, "_rlnOpticsGroup", 1));
    TESS_TRY(truth_star_angles(rows, i, row + TESS_SIMULATED_ROT));
    TESS_TRY(tess_star_set_f64(rows, i, "_rlnOriginXAngst", row[TESS_SIMULATED_ORIGIN_X]));
    TESS_TRY(tess_star_set_f64(rows, i, "_rlnOriginYAngst", row[TESS_SIMULATED_ORIGIN_Y]));
    if (r->ctfs.data) {
        const tess_ctf *ctf = (const tess_ctf *)r->ctfs.data + i;
        TESS_TRY(truth_star_ctf(rows, i, ctf));
        if (ctf->bfactor != 0) TESS_TRY(tess_star_set_f64(rows, i, "_rlnCtfBfactor", ctf->bfactor));
    }
    return tess_star_set_i64(rows, i, "_rlnRandomSubset", (int64_t)row[TESS_SIMULATED_HALF]);
}

static tess_status fill_star(const job_call *call, tess_star *star, const char *images)
{
    const tess_simulate_particles_result *r = call->result;
    tess_ctf                              microscope = { .pixel_size = { r->pixel_size, r->pixel_size } };
    tess_star_table                      *rows;
    TESS_CHECK(images, TESS_ENOMEM, "simulate particles: no memory for the name of the images");
    TESS_TRY(ctf_of_microscope(call->job, &microscope));
    TESS_TRY(truth_star_optics(star, &microscope, call->in[0].info.shape.w));
    TESS_TRY(tess_star_add(&rows, star, "particles", false));
    TESS_TRY(tess_star_add_rows(rows, r->particles.shape.h));
    for (int64_t i = 0; i < r->particles.shape.h; i++) TESS_TRY(fill_row(r, rows, i, images));
    return TESS_OK;
}

static tess_status write_star(const job_call *call)
{
    tess_star *star = NULL;
    TESS_TRY(tess_star_new(&star));
    char       *images = truth_star_images(call->job);
    tess_status status = fill_star(call, star, images);
    if (status == TESS_OK) status = truth_star_write(call->job, star);
    free(images);
    tess_star_free(star);
    return status;
}

static tess_status simulate(job_call *call)
{
    tess_simulate_particles_opts *o = call->opts;
    output_sink                   sink;
    output_sink_make(&sink, call->job, TESS_DTYPE_NONE, NULL);
    o->sink = &sink.sink;
    TESS_TRY(output_sink_end(&sink, job_call_run(call)));
    return sink.is_planned ? TESS_OK : write_star(call);
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

const verb verb_simulate_particles = {
    .name = "simulate particles",
    .job = "simulate_particles",
    .fills = "rotations shifts ctfs",
    .subject = "files",
    .summary = "simulate noisy particle images with CTFs, and their STAR file",
    .arguments = "MAP -o STACK --star STAR",
    .text = "Projections at uniformly distributed random orientations are moved by normally distributed shifts, "
            "multiplied by their CTF, and given white noise. They are central slices of the spectrum of the map, "
            "padded to twice its size; density outside the largest ball in the box wraps around to the other side. "
            "Protein is white, as in images with inverted contrast.\n\n"
            "The STAR file has what RELION 3.1 and later expect: an optics group, rlnImageName, rlnAngleRot, Tilt "
            "and Psi, rlnOriginXAngst and YAngst (the shift that moves the particle back to the centre), "
            "rlnDefocusU, V and Angle, and rlnRandomSubset, alternately 1 and 2.\n\n"
            "The noise variance is the variance of the images, averaged over the first 64, divided by --snr.",
    .globals = GLOBAL_OUT | GLOBAL_READ | GLOBAL_APIX | GLOBAL_SEED | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_OF_FILE(1, 1),
};
