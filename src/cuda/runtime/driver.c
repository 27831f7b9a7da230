/* CUDA driver: found and initialised once. */
#include "cuda/runtime/driver.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

#include "cuda/runtime/library.h"

tess__driver_table tess__driver;

static const tess__symbol symbols[] = {
#define SYMBOL(name, symbol, arguments) { symbol, offsetof(tess__driver_table, name) },
    TESS__DRIVER_FUNCTIONS(SYMBOL)
#undef SYMBOL
};

static const tess__library library = {
    .what = "libcuda (the NVIDIA driver)",
    .files = { { "libcuda.so.1", 0 }, { "libcuda.so", 0 } },
    .without = "install the NVIDIA driver; in a container, give it the GPU (docker run --gpus all)",
    .symbols = symbols,
    .n_symbols = sizeof symbols / sizeof symbols[0]
};

enum { WHY_SIZE = 480 };

/* The result of initialisation; every caller gets its failure. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool           started;
static char           why[WHY_SIZE];
static int            n_devices, version;
static atomic_bool    forked, open;

static bool start(void)
{
    if (!tess__library_find(&library, &tess__driver, why, sizeof why)) return false;
    const char *text = NULL;
    const int   code = tess__driver.init(0);
    if (code) {
        (void)tess__driver.error_string(code, &text);
        (void)snprintf(why, sizeof why, "the NVIDIA driver did not start: %s (error %d of cuInit)%s",
                       text ? text : "no reason given", code,
                       code == TESS__CU_NO_DEVICE ? "; there is a driver, but it finds no GPU" : "");
        return false;
    }
    (void)tess__driver.version(&version);
    const int counted = tess__driver.device_count(&n_devices);
    if (counted || n_devices < 1)
        (void)snprintf(why, sizeof why, "the NVIDIA driver found %d devices (error %d of cuDeviceGetCount)", n_devices,
                       counted);
    return counted == 0 && n_devices > 0;
}

static void note_fork(void) { atomic_store(&forked, true); }

static void start_once(void)
{
    (void)pthread_atfork(NULL, NULL, note_fork);
    started = start();
    if (!started) n_devices = version = 0;
    atomic_store(&open, started);
}

bool tess__driver_works(void)
{
    (void)pthread_once(&once, start_once);
    return started && !atomic_load_explicit(&forked, memory_order_relaxed);
}

bool tess__driver_is_open(void) { return atomic_load(&open) && !atomic_load_explicit(&forked, memory_order_relaxed); }

tess_status tess__driver_need(const char *fn, int index)
{
    if (tess__driver_works()) return TESS_OK;
    TESS_CHECK(started, TESS_EDEVICE, "%s: device gpu:%d is not available: %s", fn, index, why);
    TESS_FAIL(TESS_EDEVICE,
              "%s: device gpu:%d cannot be used here: this process was forked after CUDA was initialised, and CUDA "
              "does not work in such a child process; fork before the first use of a GPU, or use the CPU",
              fn, index);
}

int tess__driver_devices(void) { return tess__driver_works() ? n_devices : 0; }

int tess__driver_version(void) { return tess__driver_works() ? version : 0; }
