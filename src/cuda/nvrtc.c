/* NVRTC, opened at first use. Programs are printed by the library: one that does not compile is a defect of ours, and
 * TESS_DEBUG adds the compiler's log and the program to the message. */
#include "cuda/nvrtc.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "cuda/driver.h"
#include "cuda/library.h"
#include "cuda/texts.h"

typedef struct program_ *program_handle;

static struct {
    int (*version)(int *major, int *minor);
    int (*create)(program_handle *program, const char *text, const char *name, int n_headers,
                  const char *const *headers, const char *const *names);
    int (*destroy)(program_handle *program);
    int (*compile)(program_handle program, int n_options, const char *const *options);
    int (*code_size)(program_handle program, size_t *size);
    int (*code)(program_handle program, char *code);
    int (*log_size)(program_handle program, size_t *size);
    int (*log)(program_handle program, char *log);
    const char *(*error)(int code);
} nvrtc;

#define AT(member) ((size_t)((const char *)&nvrtc.member - (const char *)&nvrtc))

/* The driver loads best what a compiler of its own generation made. */
static const char *const names[] = { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                     "libnvrtc.so.14", "libnvrtc.so",    NULL };
static const char *const older_names[] = { "libnvrtc.so.12", "libnvrtc.so.13", "libnvrtc.so.11.2",
                                           "libnvrtc.so.14", "libnvrtc.so",    NULL };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool           found;
static char           why[400];
static int            version;

static void open_once(void)
{
    const tess__symbol symbols[] = {
        { "nvrtcVersion", AT(version) },
        { "nvrtcCreateProgram", AT(create) },
        { "nvrtcDestroyProgram", AT(destroy) },
        { "nvrtcCompileProgram", AT(compile) },
        { "nvrtcGetCUBINSize", AT(code_size) },
        { "nvrtcGetCUBIN", AT(code) },
        { "nvrtcGetProgramLogSize", AT(log_size) },
        { "nvrtcGetProgramLog", AT(log) },
        { "nvrtcGetErrorString", AT(error) },
    };
    const tess__library library = { .what = "libnvrtc (the compiler of GPU code)",
                                    .names = tess__driver_version() / 1000 == 12 ? older_names : names,
                                    .without = "memory, copies and kernels that were compiled before work without it",
                                    .symbols = symbols,
                                    .n_symbols = sizeof symbols / sizeof symbols[0] };
    found = tess__library_find(&library, &nvrtc, why, sizeof why);
    int major = 0, minor = 0;
    if (found && nvrtc.version(&major, &minor) == 0) version = 1000 * major + 10 * minor;
}

int tess__nvrtc_version(void)
{
    (void)pthread_once(&once, open_once);
    return version;
}

/* The start of the compiler's log, and with TESS_DEBUG all that a message can hold. */
static tess_status refuse(const char *name, program_handle program, int code)
{
    size_t size = 0;
    char  *log = nvrtc.log_size(program, &size) == 0 && size ? tess__alloc(size) : NULL;
    if (log && nvrtc.log(program, log) != 0) log[0] = '\0';
    tess_status status =
        tess__fail(TESS_EDEVICE, __FILE__, __LINE__, __func__, "%s: NVRTC did not compile a kernel: %s: %.*s%s", name,
                   nvrtc.error(code), getenv("TESS_DEBUG") ? 4000 : 160, log ? log : "",
                   getenv("TESS_DEBUG") ? "" : " (TESS_DEBUG=1 shows all)");
    tess__free(log);
    return status;
}

static tess_status fetch(void **code, size_t *size, const char *name, program_handle program)
{
    TESS_CHECK(nvrtc.code_size(program, size) == 0 && *size > 0, TESS_EDEVICE, "%s: NVRTC gave no code", name);
    *code = tess__alloc(*size);
    TESS_CHECK(*code, TESS_ENOMEM, "%s: no memory for %zu bytes of code", name, *size);
    const int got = nvrtc.code(program, *code);
    if (got) tess__free(*code);
    TESS_CHECK(got == 0, TESS_EDEVICE, "%s: NVRTC gave no code: %s", name, nvrtc.error(got));
    return TESS_OK;
}

tess_status tess__nvrtc_compile(void **code, size_t *size, const char *name, const char *program, int sm)
{
    (void)pthread_once(&once, open_once);
    TESS_CHECK(found, TESS_EDEVICE, "%s: %s", name, why);
    char        arch[32];
    const char *options[] = { arch,         "-fmad=false",     "-prec-div=true", "-prec-sqrt=true",
                              "-ftz=false", "-default-device", "-std=c++17",     "-w" };
    (void)snprintf(arch, sizeof arch, "-arch=sm_%d", sm);
    program_handle handle = NULL;
    const int      made = nvrtc.create(&handle, program, "tessera.cu", tess__n_texts, tess__texts, tess__text_names);
    TESS_CHECK(made == 0, TESS_ENOMEM, "%s: NVRTC made no program: %s", name, nvrtc.error(made));
    const int   done = nvrtc.compile(handle, sizeof options / sizeof options[0], options);
    tess_status status = done ? refuse(name, handle, done) : fetch(code, size, name, handle);
    (void)nvrtc.destroy(&handle);
    TESS_TRY(status);
    return TESS_OK;
}
