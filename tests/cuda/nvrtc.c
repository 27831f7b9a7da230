/* A simulated NVRTC: programs become shared objects of the host, by the compiler that is there (nvrtc_compile.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/nvrtc.h"
#include "cuda/machine.h"
#include "cuda/driver.h"

#define CALL()                                                                                                         \
    do {                                                                                                               \
        const int code_ = sim_library_call(__func__);                                                                  \
        if (code_ != 0) return code_ == SIM_OUT_OF_MEMORY ? NVRTC_OUT_OF_MEMORY : NVRTC_INTERNAL;                      \
    } while (0)

/* ---- Options ----------------------------------------------------------------------------------------------------- */

static const char *after(const char *option, const char *start)
{
    const size_t length = strlen(start);
    return strncmp(option, start, length) == 0 ? option + length : NULL;
}

/* Options that change nothing here. */
static bool is_ignored(const char *option)
{
    static const char *const starts[] = { "--std=c++",
                                          "-std=c++",
                                          "--ftz=",
                                          "-ftz=",
                                          "--prec-div=",
                                          "-prec-div=",
                                          "--prec-sqrt=",
                                          "-prec-sqrt=",
                                          "--device-as-default-execution-space",
                                          "-default-device",
                                          "--generate-line-info",
                                          "-lineinfo",
                                          "-w",
                                          "--disable-warnings",
                                          "--restrict",
                                          "-restrict",
                                          "--extra-device-vectorization",
                                          "-extra-device-vectorization",
                                          "--maxrregcount=",
                                          "-maxrregcount=",
                                          "--ptxas-options=",
                                          "-Xptxas=",
                                          "--minimal",
                                          "-minimal",
                                          "--diag-suppress=",
                                          "-diag-suppress=",
                                          "--no-source-include",
                                          "-no-source-include",
                                          "--split-compile=",
                                          "-split-compile=",
                                          "--no-cache",
                                          "-no-cache",
                                          "--dopt=",
                                          "-dopt=",
                                          "--display-error-number",
                                          "--no-display-error-number" };
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++)
        if (after(option, starts[k]) != NULL) return true;
    return false;
}

static const int archs[] = { 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121 };
enum { ARCHS = sizeof archs / sizeof *archs };

static bool read_arch(request *r, const char *text)
{
    const char *sm = after(text, "sm_"), *compute = after(text, "compute_");
    r->ptx = compute != NULL;
    r->arch = sm != NULL ? atoi(sm) : compute != NULL ? atoi(compute) : 0;
    for (int k = 0; k < ARCHS; k++)
        if (archs[k] == r->arch) return true;
    return false;
}

static bool read_option(request *r, const char *option)
{
    const char *value = after(option, "--gpu-architecture=");
    if (value == NULL) value = after(option, "-arch=");
    if (value != NULL) return read_arch(r, value);
    value = after(option, "--fmad=");
    if (value == NULL) value = after(option, "-fmad=");
    if (value != NULL) {
        r->contract = strcmp(value, "true") == 0;
        return r->contract || strcmp(value, "false") == 0;
    }
    if (after(option, "-D") != NULL || after(option, "-U") != NULL || after(option, "-I") != NULL) {
        if (r->passed_count == MOST_OPTIONS - 1) return false;
        r->passed[r->passed_count++] = option;
        return true;
    }
    return is_ignored(option);
}

static void say(program *p, const char *text, const char *what)
{
    const size_t size = strlen(text) + strlen(what) + 2;
    free(p->log);
    p->log = malloc(size);
    if (p->log != NULL) (void)snprintf(p->log, size, "%s%s\n", text, what);
}

/* TESS_SIM_NVRTC_FAIL=N or N+: the N-th compilation fails, or all from then on. */
static bool must_fail(void)
{
    static int64_t compilations;
    const char    *text = getenv("TESS_SIM_NVRTC_FAIL");
    const int64_t  number = __atomic_add_fetch(&compilations, 1, __ATOMIC_SEQ_CST);
    if (text == NULL) return false;
    char         *end = NULL;
    const int64_t wanted = strtoll(text, &end, 10);
    return number == wanted || (*end == '+' && number > wanted);
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

/* Not a version of the real one: who keeps what was compiled must not take one's for the other's. */
SIM_API int nvrtcVersion(int *major, int *minor)
{
    *major = 13;
    *minor = 99;
    return NVRTC_OK;
}

SIM_API int nvrtcGetNumSupportedArchs(int *count)
{
    *count = ARCHS;
    return NVRTC_OK;
}

SIM_API int nvrtcGetSupportedArchs(int *into)
{
    memcpy(into, archs, sizeof archs);
    return NVRTC_OK;
}

SIM_API const char *nvrtcGetErrorString(int code)
{
    static const char *const names[] = { "NVRTC_SUCCESS",
                                         "NVRTC_ERROR_OUT_OF_MEMORY",
                                         "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                         "NVRTC_ERROR_INVALID_INPUT",
                                         "NVRTC_ERROR_INVALID_PROGRAM",
                                         "NVRTC_ERROR_INVALID_OPTION",
                                         "NVRTC_ERROR_COMPILATION" };
    const int                known = sizeof names / sizeof *names;
    return code >= 0 && code < known ? names[code] : "NVRTC_ERROR_INTERNAL_ERROR";
}

static void free_program(program *p)
{
    for (int k = 0; k < p->header_count; k++) {
        free(p->headers[k]);
        free(p->header_names[k]);
    }
    free(p->headers);
    free(p->header_names);
    free(p->source);
    free(p->name);
    free(p->log);
    free(p->image);
    free(p);
}

SIM_API int nvrtcCreateProgram(program **out, const char *source, const char *name, int count,
                               const char *const *headers, const char *const *names)
{
    CALL();
    if (out == NULL || source == NULL || count < 0 || (count > 0 && (headers == NULL || names == NULL)))
        return NVRTC_INVALID_INPUT;
    program *p = calloc(1, sizeof *p);
    if (p == NULL) return NVRTC_OUT_OF_MEMORY;
    p->name = strdup(name != NULL ? name : "default_program");
    /* Messages name the program, as NVRTC's do. */
    const size_t size = strlen(source) + strlen(p->name) + 32;
    p->source = malloc(size);
    (void)snprintf(p->source, size, "#line 1 \"%s\"\n%s", p->name, source);
    p->headers = calloc((size_t)count + 1, sizeof *p->headers);
    p->header_names = calloc((size_t)count + 1, sizeof *p->header_names);
    for (int k = 0; k < count; k++) {
        p->headers[k] = strdup(headers[k]);
        p->header_names[k] = strdup(names[k]);
    }
    p->header_count = count;
    sim_track("programs", 1);
    *out = p;
    return NVRTC_OK;
}

SIM_API int nvrtcDestroyProgram(program **p)
{
    sim_library_release(__func__);
    if (p == NULL || *p == NULL) return NVRTC_INVALID_PROGRAM;
    free_program(*p);
    *p = NULL;
    sim_track("programs", -1);
    return NVRTC_OK;
}

SIM_API int nvrtcCompileProgram(program *p, int count, const char *const *options)
{
    CALL();
    if (p == NULL) return NVRTC_INVALID_PROGRAM;
    request r = { .arch = 75, .contract = true };
    for (int k = 0; k < count; k++) {
        if (read_option(&r, options[k])) continue;
        say(p, "nvrtc: error: invalid value or unknown option: ", options[k]);
        return NVRTC_INVALID_OPTION;
    }
    (void)snprintf(r.defined_arch, sizeof r.defined_arch, "-D__CUDA_ARCH__=%d0", r.arch);
    r.passed[r.passed_count++] = r.defined_arch;
    if (must_fail()) {
        say(p, p->name, "(1): error: this compilation was told to fail");
        return NVRTC_COMPILATION;
    }
    return sim_make_image(p, &r);
}

static int size_of(const program *p, size_t *size, bool ptx)
{
    if (p == NULL) return NVRTC_INVALID_PROGRAM;
    if (size == NULL) return NVRTC_INVALID_INPUT;
    if (p->image == NULL) return NVRTC_INVALID_PROGRAM;
    sim_image head;
    memcpy(&head, p->image, sizeof head);
    *size = ptx || head.ptx == 0 ? p->image_size : 0; /* no cubin is made for compute_90 */
    return NVRTC_OK;
}

static int take(const program *p, char *bytes, bool ptx)
{
    size_t    size = 0;
    const int status = size_of(p, &size, ptx);
    if (status == NVRTC_OK && bytes != NULL) memcpy(bytes, p->image, size);
    return status == NVRTC_OK && (bytes == NULL || size == 0) ? NVRTC_INVALID_PROGRAM : status;
}

SIM_API int nvrtcGetCUBINSize(program *p, size_t *size)
{
    CALL();
    return size_of(p, size, false);
}

SIM_API int nvrtcGetCUBIN(program *p, char *bytes)
{
    CALL();
    return take(p, bytes, false);
}

SIM_API int nvrtcGetPTXSize(program *p, size_t *size)
{
    CALL();
    return size_of(p, size, true);
}

SIM_API int nvrtcGetPTX(program *p, char *bytes)
{
    CALL();
    return take(p, bytes, true);
}

SIM_API int nvrtcGetProgramLogSize(program *p, size_t *size)
{
    CALL();
    if (p == NULL || size == NULL) return NVRTC_INVALID_INPUT;
    *size = (p->log != NULL ? strlen(p->log) : 0) + 1;
    return NVRTC_OK;
}

SIM_API int nvrtcGetProgramLog(program *p, char *text)
{
    CALL();
    if (p == NULL || text == NULL) return NVRTC_INVALID_INPUT;
    strcpy(text, p->log != NULL ? p->log : "");
    return NVRTC_OK;
}
