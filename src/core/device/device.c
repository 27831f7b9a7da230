/* Device enumeration and properties, and limits on memory and threads. */
#include "core/device/device.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/check/check.h"
#include "core/check/error.h"

int tess_device_count(int32_t kind)
{
    const tess__backend *backend = tess__backend_of(kind);
    return backend ? backend->count() : 0;
}

tess_status tess__backend_need(const tess__backend **backend, const char *fn, tess_device device)
{
    char name[24];
    TESS_CHECK(device.kind == TESS_CPU || device.kind == TESS_GPU, TESS_EDEVICE,
               "%s: `device` has kind %" PRId32 "; TESS_CPU (0) or TESS_GPU (1) is needed", fn, device.kind);
    *backend = tess__backend_of(device.kind);
    const int count = (*backend)->count();
    if (count == 0) TESS_TRY((*backend)->why_none(fn, device));
    if (device.index >= 0 && device.index < count) return TESS_OK;
    TESS_CHECK(device.kind != TESS_CPU, TESS_EDEVICE, "%s: `device` is cpu with index %" PRId32 "; 0 is needed", fn,
               device.index);
    (void)tess_device_name(name, sizeof name, device);
    TESS_CHECK(count > 1, TESS_EDEVICE, "%s: there is no %s; only gpu:0 is available", fn, name);
    TESS_FAIL(TESS_EDEVICE, "%s: there is no %s; gpu:0 %s gpu:%d are available", fn, name, count == 2 ? "and" : "to",
              count - 1);
}

/* The number after "gpu:" or "cuda:": digits only, small enough for a device. */
static bool parse_index(const char *text, int32_t *index)
{
    const size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 9 || text[digits] != '\0') return false;
    *index = (int32_t)strtol(text, NULL, 10);
    return true;
}

/* The GPU with the most free memory, the first of equals. One that cannot be opened is passed over; if none can, the
 * reason is that of the first. */
static tess_status find_free_gpu(tess_device *device)
{
    const tess__backend *backend = NULL;
    TESS_TRY(tess__backend_need(&backend, "device_parse", tess_gpu(0)));
    int64_t most = -1;
    for (int i = 0, n = backend->count(); i < n; i++) {
        tess_info_device info;
        memset(&info, 0, sizeof info);
        if (backend->info(&info, tess_gpu(i)) != TESS_OK || info.memory_free <= most) continue;
        most = info.memory_free;
        *device = tess_gpu(i);
    }
    if (most < 0) {
        tess_info_device info;
        memset(&info, 0, sizeof info);
        TESS_TRY(tess__error_under(backend->info(&info, tess_gpu(0)), "device_parse"));
        *device = tess_gpu(0); /* it works by now */
    }
    return TESS_OK;
}

tess_status tess_device_parse(tess_device *device, const char *text)
{
    TESS_TRY(tess__check_pointer("device_parse", "device", device));
    TESS_TRY(tess__check_pointer("device_parse", "text", text));
    tess_device found = { TESS_GPU, 0 };
    const char *suffix = NULL;
    if (strncmp(text, "gpu", 3) == 0) suffix = text + 3;
    else if (strncmp(text, "cuda", 4) == 0) suffix = text + 4;
    if (suffix && strcmp(suffix, ":free") == 0) {
        TESS_TRY(find_free_gpu(device));
        return TESS_OK;
    }
    if (strcmp(text, "cpu") == 0 || strcmp(text, "cpu:0") == 0) found.kind = TESS_CPU;
    else
        TESS_CHECK(suffix && (*suffix == '\0' || (*suffix == ':' && parse_index(suffix + 1, &found.index))),
                   TESS_EPARSE,
                   "device_parse: `text` is \"%.40s\"; expected \"cpu\", \"gpu\", \"gpu:N\", \"gpu:free\", \"cuda\", "
                   "\"cuda:N\" or \"cuda:free\"",
                   text);
    const tess__backend *backend = NULL;
    TESS_TRY(tess__backend_need(&backend, "device_parse", found));
    *device = found;
    return TESS_OK;
}

tess_status tess_device_info(tess_info_device *info, tess_device device)
{
    TESS_TRY(tess__check_pointer("device_info", "info", info));
    const tess__backend *backend = NULL;
    TESS_TRY(tess__backend_need(&backend, "device_info", device));
    memset(info, 0, sizeof *info);
    TESS_TRY(backend->info(info, device));
    return TESS_OK;
}

tess_status tess_kernel_cache(char *path, size_t size)
{
    TESS_TRY(tess__check_pointer("kernel_cache", "path", path));
    TESS_CHECK(size > 0, TESS_EARG, "kernel_cache: `size` is 0; the buffer must hold a path");
    TESS_TRY(tess__backend_of(TESS_GPU)->kernel_cache("kernel_cache", path, size));
    return TESS_OK;
}

/* ---- Memory ---- */

int64_t tess_memory_used(tess_device device)
{
    const tess__backend *backend = tess__backend_of(device.kind);
    return backend ? backend->memory_used(device) : 0;
}

tess_status tess_device_memory_limit_set(tess_device device, int64_t bytes)
{
    const tess__backend *backend = NULL;
    TESS_CHECK(bytes >= 0, TESS_EARG,
               "device_memory_limit_set: `bytes` is %" PRId64 "; 0 (the default) or more is needed", bytes);
    TESS_TRY(tess__backend_need(&backend, "device_memory_limit_set", device));
    TESS_TRY(backend->memory_limit(device, bytes));
    return TESS_OK;
}

tess_status tess_memory_trim(tess_device device)
{
    const tess__backend *backend = NULL;
    TESS_TRY(tess__backend_need(&backend, "memory_trim", device));
    TESS_TRY(backend->memory_trim(device));
    return TESS_OK;
}

/* ---- Threads ---- */

static _Thread_local int threads_cap;

int tess__threads_capped(void) { return threads_cap; }

int tess__threads_cap(int n)
{
    const int before = threads_cap;
    threads_cap = n;
    return before;
}
