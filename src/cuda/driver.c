/* The driver: found and started once. */
#include "cuda/driver.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "core/error.h"
#include "cuda/library.h"

tess__driver_table tess__driver;

static const tess__symbol symbols[] = {
#define SYMBOL(name, symbol, arguments) { symbol, offsetof(tess__driver_table, name) },
    TESS__DRIVER_FUNCTIONS(SYMBOL)
#undef SYMBOL
};

static const char *const names[] = { "libcuda.so.1", "libcuda.so", NULL };

static const tess__library library = { .what = "libcuda (the NVIDIA driver)",
                                       .names = names,
                                       .without = "the CPU works without it",
                                       .symbols = symbols,
                                       .n_symbols = sizeof symbols / sizeof symbols[0] };

enum { MESSAGE_SIZE = 600 };

/* What became of the start; a failure is told to everybody who asks. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static tess_status    outcome;
static char           message[MESSAGE_SIZE];
static int            n_devices, version;
static atomic_bool    forked;

static tess_status start(void)
{
    TESS_TRY(tess__library_open(&library, "gpu", &tess__driver));
    const char *text = NULL;
    const int   code = tess__driver.init(0);
    if (code) (void)tess__driver.error_string(code, &text);
    TESS_CHECK(code == 0, TESS_EDEVICE, "gpu: the NVIDIA driver did not start: %s (error %d of cuInit)%s",
               text ? text : "no reason given", code,
               code == TESS__CU_NO_DEVICE ? "; this machine has a driver but no GPU" : "");
    (void)tess__driver.version(&version);
    const int counted = tess__driver.device_count(&n_devices);
    TESS_CHECK(counted == 0 && n_devices > 0, TESS_EDEVICE,
               "gpu: the NVIDIA driver found %d devices (error %d of cuDeviceGetCount); at least 1 is needed",
               n_devices, counted);
    return TESS_OK;
}

static void note_fork(void) { atomic_store(&forked, true); }

static void start_once(void)
{
    (void)pthread_atfork(NULL, NULL, note_fork);
    outcome = start();
    if (outcome == TESS_OK) return;
    n_devices = 0;
    (void)strncpy(message, tess_error_message(), sizeof message - 1);
}

tess_status tess__driver_need(const char *fn)
{
    (void)pthread_once(&once, start_once);
    if (outcome != TESS_OK) TESS_FAIL(outcome, "%s: %s", fn, strncmp(message, "gpu: ", 5) == 0 ? message + 5 : message);
    TESS_CHECK(!atomic_load_explicit(&forked, memory_order_relaxed), TESS_EDEVICE,
               "%s: this process was forked after CUDA was initialised, and CUDA does not work in such a child; fork "
               "before the first use of a GPU, or use the CPU here",
               fn);
    return TESS_OK;
}

int tess__driver_devices(void)
{
    (void)pthread_once(&once, start_once);
    return outcome == TESS_OK ? n_devices : 0;
}

int tess__driver_version(void) { return tess__driver_devices() ? version : 0; }
