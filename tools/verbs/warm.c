/* tessera warm: does once what is slow the first time. */
#include <inttypes.h>
#include <string.h>

#include "clock.h"
#include "globals.h"
#include "job.h"

static tess_status make_plan(job *j, tess_fft_kind kind, const char *name, tess_shape shape, tess_dtype dtype)
{
    tess_fft_plan      *plan = NULL;
    tess_fft_plan_facts facts;
    const double        began = clock_seconds();
    TESS_TRY(tess_fft_plan_new(&plan, kind, shape, dtype, j->device, NULL));
    const double      spent = clock_seconds() - began;
    const tess_status status = tess_fft_plan_info(&facts, plan);
    tess_fft_plan_release(plan);
    TESS_TRY(status);
    (void)printf("%s %s by %s in %.1f ms: %s\n", name, tess_dtype_name(dtype), facts.provider, spent * 1e3,
                 facts.method);
    return TESS_OK;
}

/* Threads are started, and kernels and their tables come into memory. */
static tess_status wake_threads(void)
{
    tess_array  a = { 0 }, out = { 0 };
    tess_status status;
    TESS_GOTO(done, status, tess_ones(&a, TESS_SHAPE(16, 1, 256, 256), TESS_F32, tess_cpu()));
    TESS_GOTO(done, status, tess_exp(&out, &a));
done:
    tess_release(&a);
    tess_release(&out);
    return status;
}

static tess_status run(job *j)
{
    TESS_TRY(wake_threads());
    (void)printf("%d threads\n", tess_threads_get());
    for (int i = 0; i < j->n_arguments; i++) {
        tess_shape shape;
        TESS_TRY(parse_shape(&shape, "SIZE", j->arguments[i]));
        const tess_dtype dtype = job_has(j, "double") ? TESS_F64 : TESS_F32;
        TESS_TRY(make_plan(j, TESS_FFT_R2C, "r2c", shape, dtype));
        TESS_TRY(make_plan(j, TESS_FFT_C2R, "c2r", shape, dtype));
    }
    return TESS_OK;
}

static const option options[] = {
    { .name = "double", .help = "plans of f64, not of f32" },
    { .name = NULL },
};
static const char *const examples[] = { "tessera warm", "tessera warm 256,256 64,64,64", NULL };

const verb verb_warm = {
    .name = "warm",
    .subject = "about the command",
    .summary = "do once what is slow the first time, and say how transforms are done",
    .arguments = "[SIZE...]",
    .text = "Starts the threads, and makes the plans of Fourier transforms of each SIZE, as 256,256 or 64,64,64. Plans "
            "of FFTW are kept for later runs where the provider keeps them; Tessera's own take no time worth saving. "
            "On a GPU, compiled kernels are kept.",
    .options = options,
    .examples = examples,
    .globals = GLOBAL_DEVICE,
    .most = -1,
    .run = run,
};
