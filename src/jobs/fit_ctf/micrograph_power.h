/* Averaged power spectra (Welch's method) of micrographs and movies, frame by frame. */
#ifndef TESS_JOBS_FIT_CTF_MICROGRAPH_POWER_H
#define TESS_JOBS_FIT_CTF_MICROGRAPH_POWER_H

#include "jobs/run/context.h"

/* The mean power spectrum of all images of a source, {1,1,tile,tile/2+1} of f64 on the host: over tiles that overlap by
 * half, with a Hann window, of sums of `group` frames one after the other. `fn` is the job, for messages. */
tess_status tess__micrograph_power(tess_array *power, const char *fn, const tess_source *source, int64_t tile,
                                   int64_t group, const tess_context *context);

#endif
