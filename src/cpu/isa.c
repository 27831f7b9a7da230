/* Choice of the instruction set: what the processor and the system support, lowered by TESS_CPU.
 *
 * Built without instruction set flags: nothing here may need what it asks about.
 */
#include "cpu/isa.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

static bool always(void) { return true; }

void tess__kernels_base(tess__kernels *kernels);

#if defined(__x86_64__)
void tess__kernels_v2(tess__kernels *kernels);
void tess__kernels_v3(tess__kernels *kernels);
void tess__kernels_v4(tess__kernels *kernels);

/* The compiler's run-time support also asks whether the system saves the wider registers. */
static bool has_v2(void) { return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt"); }

static bool has_v3(void)
{
    return has_v2() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

static bool has_v4(void)
{
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

const tess__isa tess__isas[] = {
    { "base", "any x86-64", always, tess__kernels_base },
    { "v2", "SSE4.2", has_v2, tess__kernels_v2 },
    { "v3", "AVX2 and FMA", has_v3, tess__kernels_v3 },
    { "v4", "AVX-512 F, BW, CD, DQ and VL", has_v4, tess__kernels_v4 },
    { NULL, NULL, NULL, NULL },
};
#elif defined(__aarch64__)
void tess__kernels_sve(tess__kernels *kernels);

/* Bit 22 of AT_HWCAP; the processor's name must not be trusted, since a hypervisor may hide SVE. */
static bool has_sve(void)
{
#if defined(__linux__)
    return (getauxval(AT_HWCAP) >> 22 & 1) != 0;
#else
    return false;
#endif
}

const tess__isa tess__isas[] = {
    { "neon", "any AArch64", always, tess__kernels_base },
    { "sve", "SVE", has_sve, tess__kernels_sve },
    { NULL, NULL, NULL, NULL },
};
#else
const tess__isa tess__isas[] = {
    { "base", "anything", always, tess__kernels_base },
    { NULL, NULL, NULL, NULL },
};
#endif

static tess__kernels  kernels_in_use;
static char           reason[64];
static pthread_once_t chosen = PTHREAD_ONCE_INIT;

static void choose(void)
{
    const char      *wanted = getenv("TESS_CPU");
    const tess__isa *best = &tess__isas[0], *named = NULL;
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        if (!isa->supported()) continue;
        best = isa;
        if (wanted && strcmp(wanted, isa->name) == 0) named = isa;
    }
    const tess__isa *isa = named ? named : best;
    isa->fill(&kernels_in_use);
    if (named) (void)snprintf(reason, sizeof reason, "%s: TESS_CPU asks for it", isa->name);
    else if (wanted && *wanted)
        (void)snprintf(reason, sizeof reason, "%s: TESS_CPU=%.12s is not of this processor", isa->name, wanted);
    else (void)snprintf(reason, sizeof reason, "%s: best of this processor", isa->name);
}

const tess__kernels *tess__cpu_kernels(void)
{
    (void)pthread_once(&chosen, choose);
    return &kernels_in_use;
}

const char *tess__isa_reason(void)
{
    (void)pthread_once(&chosen, choose);
    return reason;
}
