/* tessera simulate: sub-commands for synthetic data with known ground truth. */
#include "command/job.h"

extern const verb verb_simulate_atoms, verb_simulate_particles, verb_simulate_movie;

static const verb *const commands[] = { &verb_simulate_atoms, &verb_simulate_particles, &verb_simulate_movie, NULL };

static tess_status run(job *j)
{
    TESS_FAIL(TESS_EARG, "simulate: missing sub-command in `%s`; expected atoms, particles or movie", j->command);
}

static const char *const examples[] = {
    "tessera simulate atoms --box 32 --apix 2 -o truth.mrc",
    "tessera simulate particles truth.mrc --count 20 -o views.mrcs --star views.star",
    NULL,
};

const verb verb_simulate = {
    .name = "simulate",
    .subject = "files",
    .summary = "simulate structures, particles and movies with known truth",
    .arguments = "atoms|particles|movie ...",
    .text = "Synthetic data for trying programs and settings where the answer is known. The same --seed gives the "
            "same data with any number of threads and any memory limit.",
    .examples = examples,
    .min = 1,
    .max = -1,
    .run = run,
    .commands = commands,
};
