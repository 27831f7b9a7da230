/* The context of a job: defaults, warnings, stages of progress, and the memory budget. */
#include "jobs/run/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/check/marks.h"

enum { SLAB_BYTES = 16 << 20 /* what stays in a cache from one thread to the next, and still is a long read */ };

static tess_status check_reserved(const char *fn, const tess_context *given)
{
    for (size_t i = 0; i < sizeof given->reserved / sizeof *given->reserved; i++)
        TESS_CHECK(given->reserved[i] == 0, TESS_EARG,
                   "%s: `context->reserved` is not 0; zero the context before setting fields", fn);
    return TESS_OK;
}

tess_status tess__context(tess_context *resolved, const char *fn, const tess_context *given)
{
    *resolved = (tess_context){ .memory = 0 };
    if (given) {
        TESS_TRY(check_reserved(fn, given));
        *resolved = *given;
    }
    TESS_CHECK(resolved->memory >= 0, TESS_ERANGE, "%s: `context->memory` is %lld bytes; it must not be negative", fn,
               (long long)resolved->memory);
    TESS_CHECK(resolved->slab >= 0, TESS_ERANGE, "%s: `context->slab` is %lld bytes; it must not be negative", fn,
               (long long)resolved->slab);
    if (resolved->slab == 0) resolved->slab = SLAB_BYTES;
    if (resolved->memory > 0) return TESS_OK;
    tess_info_device info;
    TESS_TRY(tess_device_info(&info, tess_cpu()));
    resolved->memory = info.memory_total > 0 ? info.memory_total / 2 : INT64_C(1) << 30;
    return TESS_OK;
}

tess_status tess__check_result(const char *fn, const void *result, size_t n)
{
    const unsigned char *bytes = result;
    TESS_CHECK(result, TESS_EARG, "%s: `result` is `NULL`", fn);
    for (size_t i = 0; i < n; i++)
        TESS_CHECK(bytes[i] == 0, TESS_EARG, "%s: `result` is not zeroed; a zeroed or released one is expected", fn);
    return TESS_OK;
}

/* The warning whose receiver is being called. */
static _Thread_local const char *marked_warning = "";

void tess__warn(const tess_context *context, const char *format, ...)
{
    char        with_marks[1024], marked[1024], text[1024];
    const char *before = marked_warning;
    va_list     arguments;
    if (!context->warning) return;
    tess__marks_format(with_marks, sizeof with_marks, format);
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, with_marks, arguments);
    va_end(arguments);
    tess__marks_keep(marked, sizeof marked, NULL, false, text);
    (void)tess_spell(text, 512, marked, NULL, NULL);
    marked_warning = marked;
    context->warning(context->user, text);
    marked_warning = before;
}

const char *tess_warning_marked(void) { return marked_warning; }

/* ---- Progress ---- */

static tess_status report(const tess__stage *stage)
{
    const tess_context *c = stage->context;
    const bool is_cancelled = (c->progress && c->progress(c->user, &stage->progress) != 0) || tess__cancelled();
    TESS_CHECK(!is_cancelled, TESS_ECANCELLED, "%s: cancelled after %lld of %lld %s", stage->fn,
               (long long)stage->progress.done, (long long)stage->progress.total, stage->progress.stage);
    return TESS_OK;
}

tess_status tess__stage_begin(tess__stage *stage, const char *fn, const tess_context *context, tess_progress of)
{
    *stage = (tess__stage){ .context = context, .fn = fn, .progress = of };
    if (!of.stage) stage->progress.total = 0;
    return stage->progress.total > 0 ? report(stage) : TESS_OK;
}

tess_status tess__stage_add(tess__stage *stage, int64_t n)
{
    tess_progress *p = &stage->progress;
    if (p->total <= 0) return TESS_OK;
    p->done = p->done + n < p->total ? p->done + n : p->total;
    return report(stage);
}

/* ---- Memory ---- */

tess_status tess__image_fits(const tess_context *context, const char *fn, tess_shape shape, int64_t bytes)
{
    TESS_CHECK(
        bytes <= context->memory, TESS_ENOMEM,
        "%s: an image of %lld x %lld pixels, with its workspace, takes %lld MiB; `context->memory` allows %lld MiB", fn,
        (long long)shape.w, (long long)shape.h, (long long)(bytes >> 20) + 1, (long long)(context->memory >> 20));
    return TESS_OK;
}

tess_status tess__volume_fits(const tess_context *context, const char *fn, tess_shape shape, int64_t bytes)
{
    TESS_CHECK(bytes <= context->memory, TESS_ENOMEM,
               "%s: a volume of %lld x %lld x %lld voxels must be in memory as a whole, which takes %lld MiB; "
               "`context->memory` allows %lld MiB",
               fn, (long long)shape.w, (long long)shape.h, (long long)shape.d, (long long)(bytes >> 20) + 1,
               (long long)(context->memory >> 20));
    return TESS_OK;
}

int64_t tess__images_at_a_time(const tess_context *context, int64_t n, int64_t per_image)
{
    const int64_t fit = per_image > 0 ? context->memory / per_image : n;
    return fit < 1 ? 1 : fit > n ? n : fit;
}

tess_status tess__move(tess_array *array, tess_device device)
{
    const bool is_there = array->device.kind == device.kind && array->device.index == device.index;
    tess_array there = { 0 };
    if (!array->data || is_there || (array->flags & TESS_SCALAR)) return TESS_OK;
    TESS_TRY(tess_to_device(&there, array, device));
    tess_release(array);
    *array = there;
    return TESS_OK;
}
