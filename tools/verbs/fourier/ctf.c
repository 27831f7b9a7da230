/* tessera ctf: sub-commands for the contrast transfer function. */
#include "command/job.h"

extern const verb verb_ctf_sim, verb_ctf_apply, verb_ctf_flip, verb_ctf_wiener, verb_ctf_fit;

static const verb *const commands[] = { &verb_ctf_sim,    &verb_ctf_apply, &verb_ctf_flip,
                                        &verb_ctf_wiener, &verb_ctf_fit,   NULL };

static tess_status run(job *j)
{
    TESS_FAIL(TESS_EARG, "ctf: %s has no sub-command; expected sim, apply, flip, wiener or fit first", j->command);
}

static const char *const examples[] = {
    "tessera ctf sim --apix 1.4 --defocus 1.5um -o ctf.mrc",
    "tessera ctf flip --defocus 1.5um x.mrc -o flipped.mrc",
    "tessera ctf fit --tile 64 --max-defocus 2um x.mrc -o fit.star",
    NULL,
};

const verb verb_ctf = {
    .name = "ctf",
    .subject = "Fourier",
    .summary = "simulate, apply, correct or fit the contrast transfer function",
    .arguments = "sim|apply|flip|wiener|fit ...",
    .text = "Units are kV, mm, A and degrees; amplitude contrast is a fraction. A defocus always has its unit, 1.5um "
            "or 15000A, and underfocus is positive. Astigmatism is given as U, V and the angle of U, as in RELION, or "
            "as the mean, half the difference and the angle of the larger defocus; angles go from x towards y.",
    .examples = examples,
    .min = 1,
    .max = -1,
    .run = run,
    .commands = commands,
};
