/* Modules of the simulated driver: shared objects that the simulated NVRTC made. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cuda/machine.h"
#include "cuda/driver.h"

enum { MODULE_MAGIC = 0x6d6f64, FUNCTION_MAGIC = 0x66756e };

static int64_t     modules;
static sim_module *all; /* those that were unloaded, too */

/* As a device takes a cubin of its own generation, and PTX of its own and older ones. */
static bool runs_here(const sim_image *image)
{
    const int here = sim_capability();
    return image->arch <= here && (image->ptx != 0 || image->arch / 10 == here / 10);
}

/* The file must stay open: the loader knows libraries by their names, and a number would come again. */
static int open_library(sim_module *module, const sim_image *image)
{
    module->file = memfd_create("simulated_module", MFD_CLOEXEC);
    SIM_REQUIRE(module->file >= 0, SIM_OUT_OF_MEMORY);
    const char *bytes = (const char *)(image + 1);
    for (unsigned long long at = 0; at < image->size;) {
        const ssize_t written = write(module->file, bytes + at, (size_t)(image->size - at));
        SIM_REQUIRE(written > 0, SIM_OUT_OF_MEMORY);
        at += (unsigned long long)written;
    }
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", module->file);
    module->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (module->library == NULL) fprintf(stderr, "simulated device: %s\n", dlerror());
    SIM_REQUIRE(module->library != NULL, SIM_INVALID_IMAGE);
    sim_attach_function *attach = NULL;
    *(void **)&attach = dlsym(module->library, "sim_attach");
    SIM_REQUIRE(attach != NULL, SIM_INVALID_IMAGE);
    attach(&sim_now, &module->shared, &module->shared_size);
    return SIM_OK;
}

static void close_library(sim_module *module)
{
    if (module->library != NULL) dlclose(module->library);
    if (module->file >= 0) close(module->file);
}

SIM_API int cuModuleLoadData(sim_module **out, const void *data)
{
    SIM_CALL(SIM_IN_CONTEXT);
    SIM_REQUIRE(out != NULL && data != NULL, SIM_INVALID_VALUE);
    sim_image image;
    memcpy(&image, data, sizeof image);
    SIM_REQUIRE(memcmp(image.magic, SIM_IMAGE, sizeof image.magic) == 0, SIM_INVALID_IMAGE);
    SIM_REQUIRE(runs_here(&image), SIM_NO_BINARY);
    sim_module *module = calloc(1, sizeof *module);
    SIM_REQUIRE(module != NULL, SIM_OUT_OF_MEMORY);
    const int status = open_library(module, data);
    if (status != SIM_OK) {
        close_library(module);
        free(module);
        return status;
    }
    module->magic = MODULE_MAGIC;
    module->device = sim_current()->device;
    module->next = all;
    all = module;
    modules++;
    *out = module;
    return SIM_OK;
}

SIM_API int cuModuleUnload(sim_module *module)
{
    SIM_RELEASE();
    SIM_REQUIRE(module != NULL && module->magic == MODULE_MAGIC, SIM_INVALID_HANDLE);
    /* Functions stay, as marked: their names are in the log, and handles of them are known to be bad. */
    for (sim_function *f = module->functions; f != NULL; f = f->next) f->magic = 0;
    close_library(module);
    module->magic = 0;
    modules--;
    return sim_sticky();
}

static sim_function *known_function(const sim_module *module, const char *name)
{
    sim_function *function = module->functions;
    while (function != NULL && strcmp(function->name, name) != 0) function = function->next;
    return function;
}

SIM_API int cuModuleGetFunction(sim_function **out, sim_module *module, const char *name)
{
    SIM_CALL(SIM_IN_CONTEXT);
    SIM_REQUIRE(out != NULL && name != NULL, SIM_INVALID_VALUE);
    SIM_REQUIRE(module != NULL && module->magic == MODULE_MAGIC, SIM_INVALID_HANDLE);
    sim_function *function = known_function(module, name);
    if (function == NULL) {
        char symbol[512];
        (void)snprintf(symbol, sizeof symbol, "%s_simulated", name);
        const struct sim_kernel *kernel = dlsym(module->library, symbol);
        SIM_REQUIRE(kernel != NULL, SIM_NOT_FOUND);
        function = malloc(sizeof *function + strlen(name) + 1);
        SIM_REQUIRE(function != NULL, SIM_OUT_OF_MEMORY);
        *function = (sim_function){ FUNCTION_MAGIC, module, kernel, module->functions };
        strcpy(function->name, name);
        module->functions = function;
    }
    *out = function;
    return SIM_OK;
}

bool sim_is_function(const sim_function *function) { return function != NULL && function->magic == FUNCTION_MAGIC; }

int64_t sim_live_modules(const char *what) { return strcmp(what, "modules") == 0 ? modules : -1; }

enum { ASK_MOST_THREADS = 0, ASK_SHARED = 1, ASK_REGISTERS = 4, ASK_PTX = 5, ASK_BINARY = 6 };

SIM_API int cuFuncGetAttribute(int *value, int attribute, sim_function *function)
{
    SIM_CALL(SIM_AFTER_INIT);
    SIM_REQUIRE(sim_is_function(function), SIM_INVALID_HANDLE);
    SIM_REQUIRE(value != NULL && attribute >= 0, SIM_INVALID_VALUE);
    *value = 0;
    if (attribute == ASK_MOST_THREADS) *value = function->kernel->most_threads;
    if (attribute == ASK_SHARED) *value = (int)function->module->shared_size;
    if (attribute == ASK_REGISTERS) *value = 32;
    if (attribute == ASK_PTX || attribute == ASK_BINARY) *value = sim_capability();
    return SIM_OK;
}

SIM_API int cuFuncSetAttribute(sim_function *function, int attribute, int value)
{
    SIM_CALL(SIM_AFTER_INIT);
    SIM_REQUIRE(sim_is_function(function), SIM_INVALID_HANDLE);
    SIM_REQUIRE(attribute >= 8 && value >= -1, SIM_INVALID_VALUE);
    return SIM_OK;
}

SIM_API int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, sim_function *function, int threads, size_t shared)
{
    SIM_CALL(SIM_AFTER_INIT);
    SIM_REQUIRE(sim_is_function(function), SIM_INVALID_HANDLE);
    SIM_REQUIRE(blocks != NULL && threads > 0 && shared == 0, SIM_INVALID_VALUE);
    *blocks = threads > function->kernel->most_threads ? 0 : 2048 / threads > 32 ? 32 : 2048 / threads;
    return SIM_OK;
}
