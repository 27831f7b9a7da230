/* CPU dispatch: the best instruction set that the processor and the system support, or the one that TESS_CPU names.
 *
 * Built without instruction set flags: this code runs before it is known which ones the processor has.
 */
#include "cpu/isa.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/kernel_files.h" /* made by CMakeLists.txt: TESS__KERNEL_FILES, of the names of all kernels_*.c */
#include "cpu/template.h"
#include "tessera/device.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

static bool always(void) { return true; }

/* Each file of kernels is built with that instruction set's flags; the build says which there are. */
#define DECLARE(family, file, isa) void tess__kernels_##family##_##file##_##isa(tess__##family##_kernels *kernels);
#define CALL(family, file, isa) tess__kernels_##family##_##file##_##isa(&kernels->family);
#define DEFINE_FILL(isa)                                                                                               \
    TESS__KERNEL_FILES(DECLARE, isa)                                                                                   \
    static void fill_##isa(tess__kernels *kernels) { TESS__KERNEL_FILES(CALL, isa) }

DEFINE_FILL(base)
#if defined(TESS_HAVE_V3)
DEFINE_FILL(v3)
#endif
#if defined(TESS_HAVE_V4)
DEFINE_FILL(v4)
#endif
#if defined(TESS_HAVE_SVE)
DEFINE_FILL(sve)
#endif

#if defined(__x86_64__)
/* F16C, LZCNT and MOVBE are part of x86-64-v3 too, but not every compiler's __builtin_cpu_supports knows their
 * names. */
static bool has_f16c_lzcnt_movbe(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 29 & 1) || !(c >> 22 & 1)) return false;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c >> 5 & 1);
}

/* __builtin_cpu_supports also checks that the system saves the wider registers. */
static TESS_UNUSED bool has_v3(void)
{
    return has_f16c_lzcnt_movbe() && __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt") &&
           __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2");
}

static TESS_UNUSED bool has_v4(void)
{
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

const tess__isa tess__isas[] = {
    { "base", always, fill_base },
#if defined(TESS_HAVE_V3)
    { "v3", has_v3, fill_v3 },
#endif
#if defined(TESS_HAVE_V4)
    { "v4", has_v4, fill_v4 },
#endif
    { NULL, NULL, NULL },
};
#elif defined(__aarch64__)
#if defined(TESS_HAVE_SVE)
/* Bit 22 of AT_HWCAP; the processor's name must not be trusted, since a hypervisor may hide SVE. */
static bool has_sve(void)
{
#if defined(__linux__)
    return (getauxval(AT_HWCAP) >> 22 & 1) != 0;
#else
    return false;
#endif
}
#endif

const tess__isa tess__isas[] = {
    { "neon", always, fill_base },
#if defined(TESS_HAVE_SVE)
    { "sve", has_sve, fill_sve },
#endif
    { NULL, NULL, NULL },
};
#else
const tess__isa tess__isas[] = {
    { "base", always, fill_base },
    { NULL, NULL, NULL },
};
#endif

enum { NONE = -1, REQUESTED = TESS__MAX_ISAS };

_Static_assert(sizeof tess__isas / sizeof *tess__isas <= TESS__MAX_ISAS, "a table for each");

tess__kernels tess__kernel_tables[TESS__MAX_ISAS];
atomic_int    tess__isa_in_use = NONE;

static int            best;           /* index of the last that this processor has */
static bool           limit_rejected; /* TESS_CPU names one that it lacks */
static pthread_once_t prepared = PTHREAD_ONCE_INIT;

/* The first, which every processor has, can always be called "base". */
static int find(const char *name)
{
    if (strcmp(name, "base") == 0) return 0;
    for (int i = 0; tess__isas[i].name; i++)
        if (strcmp(tess__isas[i].name, name) == 0 && tess__isas[i].supported()) return i;
    return NONE;
}

static void prepare(void)
{
    for (int i = 0; tess__isas[i].name; i++) {
        if (!tess__isas[i].supported()) continue;
        tess__isas[i].fill(&tess__kernel_tables[i]);
        best = i;
    }
    const char *name = getenv("TESS_CPU");
    const int   found = name && *name ? find(name) : NONE;
    limit_rejected = name && *name && found == NONE;
    atomic_store(&tess__isa_in_use, found == NONE ? best : found + REQUESTED);
}

int tess__isa_prepare(void)
{
    (void)pthread_once(&prepared, prepare);
    return atomic_load(&tess__isa_in_use);
}

void tess__isa_reason(char *text, size_t size)
{
    const int in_use = tess__isa_prepare();
    (void)snprintf(text, size, "%s: %s", tess__isas[in_use % TESS__MAX_ISAS].name,
                   in_use >= REQUESTED ? "requested by TESS_CPU or tess_cpu_limit_set"
                   : limit_rejected    ? "best of this processor (TESS_CPU not supported)"
                                       : "best of this processor");
}

/* Names as "base, v3": of all instruction sets, or of those that this processor has. */
static const char *names(char *text, size_t size, bool all)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; tess__isas[i].name; i++) {
        if (!all && !tess__isas[i].supported()) continue;
        (void)snprintf(text + used, size - used, "%s%s", used ? ", " : "", tess__isas[i].name);
        used = strlen(text);
    }
    return text;
}

tess_status tess_cpu_limit_set(const char *isa)
{
    (void)tess__isa_prepare();
    const int found = isa ? find(isa) : NONE;
    char      have[64], known[64];
    TESS_CHECK(!isa || found != NONE, TESS_EDEVICE,
               "cpu_limit_set: `isa` is \"%.20s\"; known are %s; this processor supports %s", isa ? isa : "",
               names(known, sizeof known, true), names(have, sizeof have, false));
    atomic_store(&tess__isa_in_use, found == NONE ? best : found + REQUESTED);
    return TESS_OK;
}
