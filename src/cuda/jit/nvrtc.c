/* Run-time compilation by NVRTC, which is opened at first use. The library prints the programs: one that does not
 * compile is a defect of the library, and TESS_DEBUG keeps the program and the log of the compiler. */
#include "cuda/jit/nvrtc.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/device/memory.h"
#include "cuda/jit/cubins.h"
#include "cuda/jit/embedded_sources.h"
#include "cuda/runtime/driver.h"
#include "cuda/runtime/library.h"

typedef struct program_ *program_handle;

static struct {
    int (*version)(int *major, int *minor);
    int (*create)(program_handle *program, const char *source, const char *name, int n_headers,
                  const char *const *headers, const char *const *names);
    int (*destroy)(program_handle *program);
    int (*compile)(program_handle program, int n_options, const char *const *options);
    int (*n_supported)(int *count);
    int (*supported)(int *archs);
    int (*code_size)(program_handle program, size_t *size);
    int (*code)(program_handle program, char *code);
    int (*ptx_size)(program_handle program, size_t *size);
    int (*ptx)(program_handle program, char *ptx);
    int (*log_size)(program_handle program, size_t *size);
    int (*log)(program_handle program, char *log);
    const char *(*error)(int code);
} nvrtc;

#define AT(member) ((size_t)((const char *)&nvrtc.member - (const char *)&nvrtc))

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool           found;
static char           why[480];
static int            version;
static int            n_archs, archs[256]; /* compute capabilities that it compiles for; 0: unknown */

static void ask_supported(void)
{
    int count = 0;
    if (nvrtc.n_supported(&count) != 0 || count < 1 || count > (int)(sizeof archs / sizeof archs[0])) return;
    if (nvrtc.supported(archs) == 0) n_archs = count;
}

/* The newest that a GPU can run, which is its own if NVRTC knows that; 0: there is none. */
static int best_for(int sm)
{
    int best = 0;
    for (int i = 0; i < n_archs; i++)
        if (archs[i] <= sm && archs[i] > best) best = archs[i];
    return n_archs ? best : sm;
}

static int oldest_arch(void)
{
    int oldest = archs[0];
    for (int i = 1; i < n_archs; i++)
        if (archs[i] < oldest) oldest = archs[i];
    return oldest;
}

static void open_once(void)
{
    const tess__symbol symbols[] = {
        { "nvrtcVersion", AT(version) },
        { "nvrtcCreateProgram", AT(create) },
        { "nvrtcDestroyProgram", AT(destroy) },
        { "nvrtcCompileProgram", AT(compile) },
        { "nvrtcGetNumSupportedArchs", AT(n_supported) },
        { "nvrtcGetSupportedArchs", AT(supported) },
        { "nvrtcGetCUBINSize", AT(code_size) },
        { "nvrtcGetCUBIN", AT(code) },
        { "nvrtcGetPTXSize", AT(ptx_size) },
        { "nvrtcGetPTX", AT(ptx) },
        { "nvrtcGetProgramLogSize", AT(log_size) },
        { "nvrtcGetProgramLog", AT(log) },
        { "nvrtcGetErrorString", AT(error) },
    };
    const tess__library library = { .what = "libnvrtc (the compiler of GPU code)",
                                    .files = { { "libnvrtc.so.14", 14 },
                                               { "libnvrtc.so.13", 13 },
                                               { "libnvrtc.so.12", 12 },
                                               { "libnvrtc.so.11.2", 11 },
                                               { "libnvrtc.so", 0 } },
                                    .without = "memory, copies and kernels compiled before work without it",
                                    .symbols = symbols,
                                    .n_symbols = sizeof symbols / sizeof symbols[0] };
    found = tess__library_find(&library, &nvrtc, why, sizeof why);
    int major = 0, minor = 0;
    if (found && nvrtc.version(&major, &minor) == 0) version = 1000 * major + 10 * minor;
    if (found) ask_supported();
}

int tess__nvrtc_version(void)
{
    (void)pthread_once(&once, open_once);
    return version;
}

/* The start of the compiler's log is in the message; TESS_DEBUG keeps all of it, and the program. */
static tess_status fail_compile(const char *name, program_handle handle, const char *program, int code)
{
    size_t size = 0;
    char  *log = nvrtc.log_size(handle, &size) == 0 && size ? tess__alloc(size) : NULL;
    if (log && nvrtc.log(handle, log) != 0) log[0] = '\0';
    const bool kept =
        getenv("TESS_DEBUG") && tess__cubin_leave(program, "failed.cu") && log && tess__cubin_leave(log, "failed.log");
    const tess_status status =
        tess__fail(TESS_EDEVICE, __FILE__, __LINE__, __func__, "%s: NVRTC did not compile a kernel: %s: %.160s%s", name,
                   nvrtc.error(code), log ? log : "",
                   kept ? " (complete in failed.cu and failed.log in the folder of compiled kernels)"
                        : " (TESS_DEBUG=1 keeps the complete log)");
    tess__free(log);
    return status;
}

/* Code, or PTX for a GPU that the compiler does not know: the driver compiles that. */
static tess_status fetch(void **code, size_t *size, const char *name, program_handle program, bool as_ptx)
{
    const int asked = as_ptx ? nvrtc.ptx_size(program, size) : nvrtc.code_size(program, size);
    TESS_CHECK(asked == 0 && *size > 0, TESS_EDEVICE, "%s: NVRTC returned no code", name);
    *code = tess__alloc(*size);
    TESS_CHECK(*code, TESS_ENOMEM, "%s: no memory for %zu bytes of code", name, *size);
    const int got = as_ptx ? nvrtc.ptx(program, *code) : nvrtc.code(program, *code);
    if (got) tess__free(*code);
    TESS_CHECK(got == 0, TESS_EDEVICE, "%s: NVRTC returned no code: %s", name, nvrtc.error(got));
    return TESS_OK;
}

static tess_status check_can(const char *name, int sm)
{
    (void)pthread_once(&once, open_once);
    TESS_CHECK(found, TESS_EDEVICE, "%s: %s", name, why);
    TESS_CHECK(version >= TESS__NVRTC_OLDEST, TESS_EDEVICE,
               "%s: NVRTC belongs to CUDA %d.%d; %d.%d or later is needed (TESS_CUDA_PATH)", name, version / 1000,
               version % 1000 / 10, TESS__NVRTC_OLDEST / 1000, TESS__NVRTC_OLDEST % 1000 / 10);
    TESS_CHECK(
        best_for(sm), TESS_EDEVICE,
        "%s: the GPU has compute capability %d.%d, and NVRTC %d.%d compiles for %d.%d and later; an older NVRTC is "
        "needed (TESS_CUDA_PATH)",
        name, sm / 10, sm % 10, version / 1000, version % 1000 / 10, oldest_arch() / 10, oldest_arch() % 10);
    return TESS_OK;
}

const char *const tess__nvrtc_options[TESS__NVRTC_OPTIONS] = { "-fmad=false", "-prec-div=true",  "-prec-sqrt=true",
                                                               "-ftz=false",  "-default-device", "-std=c++17",
                                                               "-w" };

tess_status tess__nvrtc_compile(void **code, size_t *size, const char *name, const char *program, int sm)
{
    TESS_TRY(check_can(name, sm));
    char        arch[32];
    const char *options[1 + TESS__NVRTC_OPTIONS] = { arch };
    const int   best = best_for(sm);
    memcpy(options + 1, tess__nvrtc_options, sizeof tess__nvrtc_options);
    (void)snprintf(arch, sizeof arch, best == sm ? "-arch=sm_%d" : "-arch=compute_%d", best);
    program_handle handle = NULL;
    const int made = nvrtc.create(&handle, program, "tessera.cu", tess__n_sources, tess__sources, tess__source_names);
    TESS_CHECK(made == 0, TESS_ENOMEM, "%s: NVRTC created no program: %s", name, nvrtc.error(made));
    const int   done = nvrtc.compile(handle, 1 + TESS__NVRTC_OPTIONS, options);
    tess_status status = done ? fail_compile(name, handle, program, done) : fetch(code, size, name, handle, best != sm);
    (void)nvrtc.destroy(&handle);
    TESS_TRY(status);
    return TESS_OK;
}
