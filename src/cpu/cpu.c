/* The CPU backend: its table of functions, and the description of the machine. */
#include "cpu/cpu.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/stream.h"

static int count(void) { return 1; }

/* The value of a line "key : value" of a system file, or false. */
static bool read_line(const char *path, const char *key, char *value, size_t size)
{
    FILE *file = fopen(path, "re");
    if (!file) return false;
    char line[256];
    bool found = false;
    while (!found && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (!colon || strncmp(line, key, strlen(key)) != 0) continue;
        colon += 1 + strspn(colon + 1, " \t");
        (void)snprintf(value, size, "%.*s", (int)strcspn(colon, "\n"), colon);
        found = true;
    }
    (void)fclose(file);
    return found;
}

static tess_status device_info(tess_info_device *info, tess_device device)
{
    (void)device;
    if (!read_line("/proc/cpuinfo", "model name", info->name, sizeof info->name))
        (void)snprintf(info->name, sizeof info->name, "unknown");
    tess__isa_reason(info->isa, sizeof info->isa);
    const int64_t page = sysconf(_SC_PAGESIZE);
    info->memory_total = sysconf(_SC_PHYS_PAGES) * page;
    info->memory_free = sysconf(_SC_AVPHYS_PAGES) * page;
    char      text[64];
    long long kib;
    if (read_line("/proc/meminfo", "MemAvailable", text, sizeof text) && sscanf(text, "%lld", &kib) == 1)
        info->memory_free = kib * 1024;
    info->cores = tess__processors();
    info->threads = tess_threads_get();
    return TESS_OK;
}

static tess_status buffer_new(tess_buffer **out, const char *fn, tess_device device, int64_t size, bool zeroed)
{
    (void)device;
    return tess__buffer_host(out, fn, size, zeroed);
}

static int64_t memory_used(tess_device device)
{
    (void)device;
    return tess__host_memory_used();
}

static tess_status memory_limit(tess_device device, int64_t bytes)
{
    (void)device;
    return tess_memory_limit_set(bytes);
}

static tess_status memory_trim(tess_device device)
{
    (void)device;
    tess__host_memory_trim();
    return TESS_OK;
}

/* ---- Requests put on a stream, which holds references to their arrays until they are done ---- */

#define ARRAY(member)                                                                                                  \
    if (work->member.data) each(work->member.buffer);
#define BUFFER(member) each(work->member);
#define RUN_QUEUED(kind, arrays)                                                                                       \
    static void kind##_buffers(const void *payload, size_t size, void (*each)(tess_buffer *))                          \
    {                                                                                                                  \
        const tess__##kind *work = payload;                                                                            \
        (void)size;                                                                                                    \
        arrays;                                                                                                        \
    }                                                                                                                  \
    static tess_status kind##_run(const void *payload, size_t size)                                                    \
    {                                                                                                                  \
        (void)size;                                                                                                    \
        TESS_TRY(tess__cpu_##kind(payload));                                                                           \
        return TESS_OK;                                                                                                \
    }
#define SUBMIT(kind, check)                                                                                            \
    static tess_status kind##_submit(tess_stream *stream, const tess__##kind *work)                                    \
    {                                                                                                                  \
        check;                                                                                                         \
        return tess__submit(stream, work->name, kind##_run, work, sizeof *work, kind##_buffers);                       \
    }
#define REQUEST(kind, device, arrays) RUN_QUEUED(kind, arrays) SUBMIT(kind, )
#define REQUEST_CHECKED(kind, device, arrays)                                                                          \
    RUN_QUEUED(kind, arrays) SUBMIT(kind, TESS_TRY(tess__cpu_##kind##_check(work)))
#define REQUEST_HOST(kind, arrays) REQUEST(kind, , arrays)
#define REQUEST_OWN(kind, device)
#define REQUEST_ON(kind)
#define REQUEST_MANY(kind)
#include "requests/requests.def"

const tess__backend tess__cpu_backend = {
    .name = "cpu",
    .count = count,
    .info = device_info,
    .buffer_new = buffer_new,
    .memory_used = memory_used,
    .memory_limit = memory_limit,
    .memory_trim = memory_trim,
    .stream_default = tess__cpu_stream_default,
    .stream_new = tess__cpu_stream_new,
    .stream_free = tess__cpu_stream_free,
    .stream_sync = tess__cpu_stream_sync,
    .stream_busy = tess__cpu_stream_busy,
    .stream_own = tess__cpu_stream_own,
    .event_new = tess__cpu_event_new,
    .event_free = tess__cpu_event_free,
    .event_record = tess__cpu_event_record,
    .event_sync = tess__cpu_event_sync,
    .event_wait = tess__cpu_event_wait,
    .event_busy = tess__cpu_event_busy,
    .event_elapsed = tess__cpu_event_elapsed,
    .fft_prepare = tess__cpu_fft_prepare,
    .fft_release = tess__cpu_fft_release,
#define REQUEST(kind, device, arrays) .kind = kind##_submit,
#define REQUEST_HOST(kind, arrays) .kind = kind##_submit,
#define REQUEST_OWN(kind, device) .kind = tess__cpu_##kind,
#define REQUEST_ON(kind) .kind = tess__cpu_##kind,
#define REQUEST_MANY(kind) .kind = tess__cpu_##kind,
#include "requests/requests.def"
};
