/* CUDA devices: opened at first use, made current for each call, and marked as lost when the driver reports it. */
#include "cuda/runtime/device.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cuda/jit/nvrtc.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/stream.h"
#include "cuda/vendor/cublas.h"
#include "cuda/vendor/cufft.h"

static pthread_mutex_t   opening = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool       is_open[TESS__CUDA_DEVICES];
static tess__cuda_device devices[TESS__CUDA_DEVICES];

/* ---- Failures ---- */

/* After these the context is of no use any more: only a new process helps. The device is unavailable, memory or a link
 * has an error that cannot be corrected or was contained, a kernel touched what is not there or took too long, the
 * context is destroyed, a kernel's assertion, stack, instruction, alignment, address or program counter is bad, a
 * launch failed, tensor memory was leaked, unknown. */
static bool is_fatal(tess__cu_result code)
{
    static const int fatal[] = { 46,  214, 220, 226, TESS__CU_ILLEGAL_ADDRESS, 702, 709, 710, 714, 715, 716, 717,
                                 718, 719, 721, 999 };
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        if (code == fatal[i]) return true;
    return false;
}

/* A device that could not be opened may be there at the next try: one in exclusive mode, when another process ends. */
static bool is_in_use(const tess__cuda_device *device) { return device && atomic_load(&is_open[device->index]); }

static const char *text_of(tess__cu_result code)
{
    const char *text = NULL;
    return tess__driver.error_string(code, &text) == 0 && text ? text : "no reason given";
}

tess_status tess__cuda_status(const tess__cuda_call *call, const char *what, tess__cu_result code)
{
    if (code == 0) return TESS_OK;
    const int index = call->device ? call->device->index : 0;
    if (is_fatal(code) && is_in_use(call->device)) {
        char last[TESS__CUDA_NAME] = "none";
        atomic_store(&call->device->lost, code);
        if (call->stream) tess__cuda_last_work(call->stream, last);
        TESS_FAIL(TESS_EDEVICE,
                  "%s: device gpu:%d is lost: %s (error %d of %s; the last kernel on this stream was of %s); its "
                  "results are invalid, and only a new process can use it again",
                  call->name, index, text_of(code), code, what, last);
    }
    TESS_CHECK(code != TESS__CU_OUT_OF_MEMORY, TESS_ENOMEM, "%s: device gpu:%d is out of memory (%s)", call->name,
               index, what);
    TESS_FAIL(TESS_EDEVICE, "%s: device gpu:%d: %s (error %d of %s)", call->name, index, text_of(code), code, what);
}

/* ---- Opening ---- */

static tess_status ask(tess__cuda_device *d, const tess__cuda_call *call)
{
    int major = 0, minor = 0, pools = 0, reads_host = 0;
    TESS_CUDA(call, device_attribute, &major, TESS__CU_MAJOR, d->handle);
    TESS_CUDA(call, device_attribute, &minor, TESS__CU_MINOR, d->handle);
    TESS_CUDA(call, device_attribute, &d->multiprocessors, TESS__CU_MULTIPROCESSORS, d->handle);
    TESS_CUDA(call, device_attribute, &pools, TESS__CU_POOLS_SUPPORTED, d->handle);
    TESS_CUDA(call, device_attribute, &reads_host, TESS__CU_PAGEABLE_ACCESS, d->handle);
    TESS_CHECK(
        pools, TESS_EDEVICE,
        "%s: device gpu:%d has no memory pools; a driver of CUDA 11.2 or later and a GPU that supports them are needed",
        call->name, d->index);
    d->sm = 10 * major + minor;
    d->reads_host = reads_host != 0;
    TESS_CHECK(d->sm >= TESS__CUDA_OLDEST, TESS_EDEVICE,
               "%s: device gpu:%d has compute capability %d.%d; %d.%d or later is needed", call->name, d->index, major,
               minor, TESS__CUDA_OLDEST / 10, TESS__CUDA_OLDEST % 10);
    return TESS_OK;
}

static tess_status open_device(tess__cuda_device *d, const char *fn, int index)
{
    const tess__cuda_call call = { .name = fn, .device = d };
    d->index = index;
    TESS_CUDA(&call, device_get, &d->handle, index);
    TESS_TRY(ask(d, &call));
    if (!d->context) {
        TESS_CUDA(&call, primary_retain, &d->context, d->handle);
        (void)pthread_mutex_init(&d->ring.lock, NULL);
    }
    TESS_TRY(tess__cuda_pool_open(d, fn));
    TESS_TRY(tess__cuda_stream_first(d, fn));
    return TESS_OK;
}

tess_status tess__cuda_device_need(tess__cuda_device **device, const char *fn, int index)
{
    TESS_TRY(tess__driver_need(fn, index));
    const int count = tess__driver_devices() < TESS__CUDA_DEVICES ? tess__driver_devices() : TESS__CUDA_DEVICES;
    TESS_CHECK(index >= 0 && index < count, TESS_EDEVICE,
               "%s: there is no device gpu:%d; gpu:0 to gpu:%d are available", fn, index, count - 1);
    tess__cuda_device *d = &devices[index];
    if (!atomic_load_explicit(&is_open[index], memory_order_acquire)) {
        tess_status status = TESS_OK;
        (void)pthread_mutex_lock(&opening);
        if (!atomic_load(&is_open[index])) status = open_device(d, fn, index);
        atomic_store_explicit(&is_open[index], status == TESS_OK, memory_order_release);
        (void)pthread_mutex_unlock(&opening);
        TESS_TRY(status);
    }
    const int lost = atomic_load_explicit(&d->lost, memory_order_relaxed);
    TESS_CHECK(!lost, TESS_EDEVICE, "%s: device gpu:%d was lost before (error %d); only a new process can use it again",
               fn, index, lost);
    *device = d;
    return TESS_OK;
}

tess__cuda_device *tess__cuda_device_known(int index)
{
    const bool known = index >= 0 && index < TESS__CUDA_DEVICES && atomic_load(&is_open[index]);
    return known ? &devices[index] : NULL;
}

/* ---- Calls ---- */

/* A thread that has no context gets ours and keeps it, as with CUDA's own runtime; one of another device, or of the
 * caller's making, comes back when the call is done. */
static tess__cu_result enter(tess__cuda_call *call)
{
    tess__cu_context      now = NULL;
    const tess__cu_result code = tess__driver.context_get(&now);
    if (code || now == call->device->context) return code;
    if (!now) return tess__driver.context_set(call->device->context);
    const tess__cu_result pushed = tess__driver.context_push(call->device->context);
    call->pushed = pushed == 0;
    return pushed;
}

tess_status tess__cuda_enter(tess__cuda_call *call)
{
    TESS_TRY(tess__cuda_status(call, "context_push", enter(call)));
    return TESS_OK;
}

bool tess__cuda_begin_quietly(tess__cuda_call *call, tess__cuda_device *device)
{
    call->name = "";
    call->device = device;
    call->stream = device->first;
    call->pushed = false;
    call->n_kept = 0;
    if (!tess__driver_works() || atomic_load_explicit(&device->lost, memory_order_relaxed)) return false;
    (void)enter(call); /* a release is tried in any case */
    return true;
}

tess_status tess__cuda_begin_on(tess__cuda_call *call, const char *fn, int index)
{
    call->name = fn;
    call->device = NULL;
    call->stream = NULL;
    call->pushed = false;
    call->n_kept = 0;
    TESS_TRY(tess__cuda_device_need(&call->device, fn, index));
    call->stream = call->device->first;
    TESS_TRY(tess__cuda_enter(call));
    return TESS_OK;
}

tess_status tess__cuda_begin(tess__cuda_call *call, const char *fn, tess_stream *stream)
{
    TESS_TRY(tess__cuda_begin_on(call, fn, stream->device.index));
    call->stream = (tess__cuda_stream *)stream;
    tess__cuda_let_go(call->stream);
    return TESS_OK;
}

void tess__cuda_end(tess__cuda_call *call)
{
    tess__cu_context ours = NULL;
    if (call->n_kept) tess__cuda_keep_all(call);
    if (call->pushed) (void)tess__driver.context_pop(&ours);
    call->pushed = false;
}

/* ---- Facts ---- */

tess_status tess__cuda_info(tess_info_device *info, tess_device device)
{
    tess__cuda_call call;
    TESS_TRY(tess__cuda_begin_on(&call, "device_info", device.index));
    size_t             unused = 0, total = 0;
    const int          memory = tess__driver.memory_info(&unused, &total);
    tess__cuda_device *d = call.device;
    const int          named = tess__driver.device_name(info->name, (int)sizeof info->name, d->handle);
    tess__cuda_end(&call);
    TESS_TRY(tess__cuda_status(&call, "memory_info", memory));
    TESS_TRY(tess__cuda_status(&call, "device_name", named));
    const int driver = tess__driver_version(), compiler = tess__nvrtc_version();
    int n = snprintf(info->isa, sizeof info->isa, "sm_%d, driver %d.%d, ", d->sm, driver / 1000, driver % 1000 / 10);
    if (n < 0 || n >= (int)sizeof info->isa) n = 0;
    if (compiler)
        (void)snprintf(info->isa + n, sizeof info->isa - (size_t)n, "nvrtc %d.%d", compiler / 1000,
                       compiler % 1000 / 10);
    else (void)snprintf(info->isa + n, sizeof info->isa - (size_t)n, "no nvrtc");
    info->memory_total = (int64_t)total;
    info->memory_free = (int64_t)unused;
    info->cores = d->multiprocessors;
    info->compute_capability = d->sm;
    info->driver_version = driver;
    info->compiler_version = compiler;
    info->fft_version = tess__cufft_version();
    info->blas_version = tess__cublas_version();
    return TESS_OK;
}
