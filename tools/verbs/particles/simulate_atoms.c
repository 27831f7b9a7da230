/* tessera simulate atoms: the map of a synthetic structure. */
#include "command/context.h"
#include "files/outputs/output_sink.h"
#include "operation/job_options.h"
#include "particles/truth_star.h"

static const option options[] = {
    VALUE("star", "OUT", OPTION_FILE, "write atom positions in pixels from 0 to this STAR file", .writes = true),
    { 0 },
};
static const char *const examples[] = {
    "tessera simulate atoms --apix 1.5 -o structure.mrc",
    "tessera simulate atoms --box 48 --atoms 120 --radius 24A --apix 2 --seed 5 -o small.mrc --star atoms.star",
    NULL,
};

static tess_status fill_star(tess_star *star, const tess_array *positions)
{
    static const char *const labels[] = { "_rlnCoordinateX", "_rlnCoordinateY", "_rlnCoordinateZ" };
    tess_star_table         *rows;
    TESS_TRY(tess_star_add(&rows, star, "atoms", false));
    TESS_TRY(tess_star_add_rows(rows, positions->shape.h));
    for (int64_t i = 0; i < positions->shape.h; i++)
        for (int axis = 0; axis < 3; axis++)
            TESS_TRY(tess_star_set_f64(rows, i, labels[axis], ((const double *)positions->data)[3 * i + axis]));
    return TESS_OK;
}

static tess_status write_star(const job *j, const tess_array *positions)
{
    tess_star *star = NULL;
    TESS_TRY(tess_star_new(&star));
    tess_status status = fill_star(star, positions);
    if (status == TESS_OK) status = truth_star_write(j, star);
    tess_star_free(star);
    return status;
}

static tess_status run(job *j)
{
    const job_scale            scale = { job_number(j, "apix", 0), INT64_MAX };
    const tess_context         context = job_context(j);
    tess_simulate_atoms_opts   opts = { .pixel_size = scale.pixel_size };
    tess_simulate_atoms_result r = { .map = { .data = NULL } };
    output_sink                sink;
    TESS_TRY(output_check(j, NULL));
    if (job_has(j, "star")) TESS_TRY(truth_star_check(j));
    TESS_TRY(job_fill_options(j, tess_job_find(j->verb->job), scale, &opts));
    output_sink_make(&sink, j, TESS_DTYPE_NONE, NULL);
    opts.sink = &sink.sink;
    tess_status status = output_sink_end(&sink, job_context_end(j, tess_simulate_atoms(&r, &opts, &context)));
    if (status == TESS_OK && job_has(j, "star") && r.positions.data) status = write_star(j, &r.positions);
    tess_simulate_atoms_result_release(&r);
    return status;
}

const verb verb_simulate_atoms = {
    .name = "simulate atoms",
    .job = "simulate_atoms",
    .subject = "files",
    .summary = "simulate a map of a compact, asymmetric pseudo-atomic structure",
    .arguments = "-o MAP",
    .text = "Atoms are Gaussians of height 1 at random positions within four balls of different sizes; their mean "
            "position is pixel n/2 of the box. With --star, positions are written as rlnCoordinateX, Y and Z.",
    .globals = GLOBAL_OUT | GLOBAL_APIX | GLOBAL_SEED | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_OF_FILE(0, 0),
};
