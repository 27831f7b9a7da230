/* Launches of the simulated driver: blocks one after the other. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/machine.h"
#include "cuda/driver.h"

typedef struct launch {
    const sim_function *function;
    sim_index           grid, block;
    _Alignas(16) char argument[];
} launch;

static const int caught[] = { SIGSEGV, SIGBUS, SIGILL, SIGTRAP };
enum { CAUGHT = sizeof caught / sizeof *caught };

static const char      *running; /* the kernel's name */
static struct sigaction before[CAUGHT];

static void catch_signals(const struct sigaction *action)
{
    for (int k = 0; k < CAUGHT; k++) (void)sigaction(caught[k], action, &before[k]);
}

static void release_signals(void)
{
    for (int k = 0; k < CAUGHT; k++) (void)sigaction(caught[k], &before[k], NULL);
}

/* Say where a kernel went wrong, then let it go the usual way. */
static void on_signal(int signal, siginfo_t *information, void *context)
{
    (void)context;
    char        text[512], thread[128];
    const bool  trap = signal == SIGILL || signal == SIGTRAP;
    const char *what = trap ? "misaligned address, or index beyond an array, at" : "illegal address";
    sim_describe_thread(thread, sizeof thread);
    const int length = snprintf(text, sizeof text, "simulated device: %s %p in kernel %s, %s\n", what,
                                information->si_addr, running, thread);
    if (length > 0 && write(STDERR_FILENO, text, (size_t)length) < 0) return;
    release_signals();
}

static void run_blocks(const launch *l)
{
    const sim_module *module = l->function->module;
    const uint64_t    count = (uint64_t)l->grid.x * l->grid.y * l->grid.z;
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t at = sim_is_reverse() ? count - 1 - k : k;
        sim_now.block.x = (unsigned int)(at % l->grid.x);
        sim_now.block.y = (unsigned int)(at / l->grid.x % l->grid.y);
        sim_now.block.z = (unsigned int)(at / l->grid.x / l->grid.y);
        memset(module->shared, SIM_FILL, (size_t)module->shared_size);
        sim_run_block(l->function->kernel->run, l->argument, running);
    }
}

static void run_launch(void *argument)
{
    const launch    *l = argument;
    struct sigaction action = { .sa_flags = SA_SIGINFO };
    if (!sim_is_function(l->function)) sim_die("a kernel runs after its module was unloaded");
    running = l->function->name;
    sim_now.grid_size = l->grid;
    sim_now.block_size = l->block;
    action.sa_sigaction = on_signal;
    catch_signals(&action);
    run_blocks(l);
    release_signals();
}

/* The argument's bytes: the only one of `parameters`, or the buffer that `extra` names. */
static const void *find_argument(void **parameters, void **extra, size_t size)
{
    enum { END = 0, POINTER = 1, SIZE = 2 };
    if (parameters != NULL) return extra == NULL ? parameters[0] : NULL;
    const void *bytes = NULL;
    size_t      given = 0;
    for (; extra != NULL && (uintptr_t)extra[0] != END; extra += 2) {
        if ((uintptr_t)extra[0] == POINTER) bytes = extra[1];
        if ((uintptr_t)extra[0] == SIZE) given = *(const size_t *)extra[1];
    }
    return given == size ? bytes : NULL;
}

static int check_sizes(const sim_kernel *kernel, sim_index grid, sim_index block)
{
    SIM_REQUIRE(grid.x > 0 && grid.y > 0 && grid.z > 0, SIM_INVALID_VALUE);
    SIM_REQUIRE(grid.x <= 2147483647u && grid.y <= 65535 && grid.z <= 65535, SIM_INVALID_VALUE);
    SIM_REQUIRE(block.x > 0 && block.y > 0 && block.z > 0, SIM_INVALID_VALUE);
    SIM_REQUIRE(block.x <= 1024 && block.y <= 1024 && block.z <= 64, SIM_INVALID_VALUE);
    const unsigned int threads = block.x * block.y * block.z;
    SIM_REQUIRE(threads <= 1024, SIM_INVALID_VALUE);
    return threads <= (unsigned int)kernel->most_threads ? SIM_OK : SIM_OUT_OF_RESOURCES;
}

SIM_API int cuLaunchKernel(sim_function *function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                           unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared,
                           void *handle, void **parameters, void **extra)
{
    SIM_CALL(SIM_IN_CONTEXT);
    SIM_REQUIRE(sim_is_function(function), SIM_INVALID_HANDLE);
    sim_note(function->name);
    sim_stream *stream = sim_stream_of(handle);
    SIM_REQUIRE(stream != NULL && sim_stream_device(stream) == function->module->device, SIM_INVALID_HANDLE);
    SIM_REQUIRE(shared == 0, SIM_NOT_SUPPORTED);
    const sim_index grid = { grid_x, grid_y, grid_z }, block = { block_x, block_y, block_z };
    SIM_RETURN_IF(check_sizes(function->kernel, grid, block));
    const size_t size = (size_t)function->kernel->argument_size;
    const void  *argument = find_argument(parameters, extra, size);
    SIM_REQUIRE(argument != NULL, SIM_INVALID_VALUE);
    launch *l = malloc(sizeof *l + size);
    SIM_REQUIRE(l != NULL, SIM_OUT_OF_MEMORY);
    *l = (launch){ .function = function, .grid = grid, .block = block };
    memcpy(l->argument, argument, size);
    const int status = sim_enqueue(stream, function->name, SIM_ON_DEVICE, run_launch, l, sizeof *l + size);
    free(l);
    return status;
}
