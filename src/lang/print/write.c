/* String buffer: text that grows by printf formats. */
#include "lang/print/write.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/device/memory.h"

static bool reserve(tess__writer *w, size_t more)
{
    if (w->failed) return false;
    if (w->used + more < w->capacity) return true;
    const size_t capacity = 2 * (w->used + more) + 1024;
    char        *text = tess__alloc(capacity);
    w->failed = text == NULL;
    if (w->failed) w->capacity = capacity; /* for the message */
    if (w->failed) return false;
    if (w->text) memcpy(text, w->text, w->used);
    tess__free(w->text);
    w->text = text;
    w->capacity = capacity;
    return true;
}

void tess__write_bytes(tess__writer *w, const char *bytes, size_t n)
{
    if (!reserve(w, n + 1)) return;
    memcpy(w->text + w->used, bytes, n);
    w->used += n;
    w->text[w->used] = '\0';
}

void tess__write(tess__writer *w, const char *format, ...)
{
    char    some[512];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(some, sizeof some, format, args);
    va_end(args);
    if (n < 0) {
        w->failed = true;
    } else if ((size_t)n < sizeof some) {
        tess__write_bytes(w, some, (size_t)n);
    } else if (reserve(w, (size_t)n + 1)) {
        va_start(args, format);
        (void)vsnprintf(w->text + w->used, (size_t)n + 1, format, args);
        va_end(args);
        w->used += (size_t)n;
    }
}

tess_status tess__write_finish(tess__writer *w, char **out)
{
    tess__write_bytes(w, "", 0);
    if (w->failed) tess__free(w->text);
    TESS_CHECK(!w->failed, TESS_ENOMEM, "no memory for %zu bytes of text", w->capacity);
    *out = w->text;
    return TESS_OK;
}
