/* Devices of the simulated driver, their primary contexts, names of errors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/driver.h"

enum { CONTEXT_MAGIC = 0x637478, DEEPEST = 64 };

static sim_context contexts[SIM_MOST_DEVICES];
static int64_t     pushed; /* in all threads */

static _Thread_local sim_context *stack[DEEPEST];
static _Thread_local int          depth;

static int from_environment(const char *name, int otherwise, int most)
{
    const char *text = getenv(name);
    const int   value = text != NULL ? atoi(text) : otherwise;
    return value < 0 ? 0 : value > most ? most : value;
}

int sim_device_count(void) { return from_environment("TESS_SIM_DEVICES", 2, SIM_MOST_DEVICES); }
int sim_capability(void) { return from_environment("TESS_SIM_CC", 90, 999); }

sim_context *sim_context_of(int device) { return &contexts[device]; }

static bool is_context(const sim_context *context)
{
    return context >= contexts && context < contexts + SIM_MOST_DEVICES && context->magic == CONTEXT_MAGIC;
}

sim_context *sim_current(void)
{
    sim_context *top = depth > 0 ? stack[depth - 1] : NULL;
    return top != NULL && top->retained > 0 ? top : NULL;
}

int64_t sim_live_contexts(const char *what)
{
    if (strcmp(what, "contexts") == 0) return pushed;
    if (strcmp(what, "primary") != 0) return -1;
    int64_t retained = 0;
    for (int d = 0; d < SIM_MOST_DEVICES; d++) retained += contexts[d].retained;
    return retained;
}

static bool is_device(int device) { return device >= 0 && device < sim_device_count(); }

SIM_API int cuDeviceGetCount(int *count)
{
    SIM_CALL(SIM_AFTER_INIT);
    SIM_REQUIRE(count != NULL, SIM_INVALID_VALUE);
    *count = sim_device_count();
    return SIM_OK;
}

SIM_API int cuDeviceGet(int *device, int ordinal)
{
    SIM_CALL(SIM_AFTER_INIT);
    SIM_REQUIRE(device != NULL, SIM_INVALID_VALUE);
    SIM_REQUIRE(is_device(ordinal), SIM_INVALID_DEVICE);
    *device = ordinal;
    return SIM_OK;
}

SIM_API int cuDeviceGetName(char *name, int size, int device)
{
    SIM_CALL(SIM_AFTER_INIT);
    SIM_REQUIRE(name != NULL && size > 0, SIM_INVALID_VALUE);
    SIM_REQUIRE(is_device(device), SIM_INVALID_DEVICE);
    (void)snprintf(name, (size_t)size, "Simulated GPU %d", device);
    return SIM_OK;
}

SIM_API int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    SIM_CALL(SIM_AFTER_INIT);
    SIM_REQUIRE(value != NULL && attribute > 0, SIM_INVALID_VALUE);
    SIM_REQUIRE(is_device(device), SIM_INVALID_DEVICE);
    /* By the numbers of CUdevice_attribute; few multiprocessors, so that loops over the grid go round. */
    static const struct {
        int attribute, value;
    } known[] = {
        { 1, 1024 },     { 2, 1024 },     { 3, 1024 },    { 4, 64 },     { 5, 2147483647 },  { 6, 65535 },
        { 7, 65535 },    { 8, 49152 },    { 9, 65536 },   { 10, 32 },    { 11, 2147483647 }, { 12, 65536 },
        { 13, 1000000 }, { 14, 512 },     { 16, 4 },      { 19, 1 },     { 31, 1 },          { 36, 1000000 },
        { 37, 256 },     { 38, 1 << 20 }, { 39, 2048 },   { 40, 2 },     { 41, 1 },          { 78, 1 },
        { 79, 1 },       { 80, 1 },       { 81, 233472 }, { 82, 65536 }, { 90, 1 },          { 95, 1 },
        { 97, 232448 },  { 106, 32 },     { 111, 1024 },  { 115, 1 },
    };
    *value = 0;
    if (attribute == 33) *value = device + 1; /* the PCI bus */
    if (attribute == 75) *value = sim_capability() / 10;
    if (attribute == 76) *value = sim_capability() % 10;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (known[k].attribute == attribute) *value = known[k].value;
    return SIM_OK;
}

SIM_API int cuDevicePrimaryCtxRetain(sim_context **context, int device)
{
    SIM_CALL(SIM_AFTER_INIT);
    SIM_REQUIRE(context != NULL, SIM_INVALID_VALUE);
    SIM_REQUIRE(is_device(device), SIM_INVALID_DEVICE);
    contexts[device].magic = CONTEXT_MAGIC;
    contexts[device].device = device;
    contexts[device].retained++;
    *context = &contexts[device];
    return SIM_OK;
}

SIM_API int cuDevicePrimaryCtxRelease_v2(int device)
{
    SIM_RELEASE();
    SIM_REQUIRE(is_device(device), SIM_INVALID_DEVICE);
    SIM_REQUIRE(contexts[device].retained > 0, SIM_INVALID_CONTEXT);
    if (contexts[device].retained == 1) sim_drain_device(device);
    contexts[device].retained--;
    return sim_sticky();
}

SIM_API int cuDevicePrimaryCtxGetState(int device, unsigned int *flags, int *active)
{
    SIM_CALL(SIM_AFTER_INIT);
    SIM_REQUIRE(flags != NULL && active != NULL, SIM_INVALID_VALUE);
    SIM_REQUIRE(is_device(device), SIM_INVALID_DEVICE);
    *flags = 0;
    *active = contexts[device].retained > 0;
    return SIM_OK;
}

static int push(sim_context *context)
{
    SIM_REQUIRE(depth < DEEPEST, SIM_OUT_OF_MEMORY);
    stack[depth++] = context;
    pushed++;
    return SIM_OK;
}

SIM_API int cuCtxPushCurrent_v2(sim_context *context)
{
    SIM_CALL(SIM_AFTER_INIT);
    SIM_REQUIRE(is_context(context) && context->retained > 0, SIM_INVALID_CONTEXT);
    return push(context);
}

SIM_API int cuCtxPopCurrent_v2(sim_context **context)
{
    SIM_RELEASE();
    SIM_REQUIRE(depth > 0, SIM_INVALID_CONTEXT);
    depth--;
    pushed--;
    if (context != NULL) *context = stack[depth];
    return sim_sticky();
}

SIM_API int cuCtxSetCurrent(sim_context *context)
{
    SIM_CALL(SIM_AFTER_INIT);
    SIM_REQUIRE(context == NULL || (is_context(context) && context->retained > 0), SIM_INVALID_CONTEXT);
    if (depth > 0) {
        depth--;
        pushed--;
    }
    return context != NULL ? push(context) : SIM_OK;
}

SIM_API int cuCtxGetCurrent(sim_context **context)
{
    SIM_CALL(SIM_AFTER_INIT);
    SIM_REQUIRE(context != NULL, SIM_INVALID_VALUE);
    *context = depth > 0 ? stack[depth - 1] : NULL;
    return SIM_OK;
}

SIM_API int cuCtxSynchronize(void)
{
    SIM_CALL(SIM_IN_CONTEXT);
    sim_drain_device(sim_current()->device);
    sim_pools_synchronized(sim_current()->device);
    return sim_sticky();
}

static const struct {
    int         code;
    const char *name, *text;
} errors[] = {
    { SIM_OK, "CUDA_SUCCESS", "no error" },
    { SIM_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument" },
    { SIM_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory" },
    { SIM_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error" },
    { SIM_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no device" },
    { SIM_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal" },
    { SIM_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid" },
    { SIM_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context" },
    { SIM_NO_BINARY, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image for the device" },
    { SIM_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle" },
    { SIM_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found" },
    { SIM_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready" },
    { SIM_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "illegal memory access" },
    { SIM_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch" },
    { SIM_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure" },
    { SIM_NOT_PERMITTED, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted" },
    { SIM_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported" },
};

static int find_error(int code, const char **text, bool name)
{
    SIM_REQUIRE(text != NULL, SIM_INVALID_VALUE);
    *text = NULL;
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
        if (errors[k].code == code) *text = name ? errors[k].name : errors[k].text;
    return *text != NULL ? SIM_OK : SIM_INVALID_VALUE;
}

SIM_API int cuGetErrorName(int code, const char **name) { return find_error(code, name, true); }
SIM_API int cuGetErrorString(int code, const char **text) { return find_error(code, text, false); }
