/* Handles of libtiff on a byte source: I/O callbacks, error handler, memory limit, workspace. */
#include "io/tiff/tiff.h"

#ifdef TESS__TIFF

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/device/memory.h"

/* ---- Messages ---- */

int tess__tiff_on_error(TIFF *tiff, void *message, const char *module, const char *format, va_list values)
{
    tess__tiff_message *w = message;
    char                text[160];
    if (w->text[0]) return 1;
    if (!module || (tiff && strcmp(module, TIFFFileName(tiff)) == 0)) module = "libtiff"; /* the file is known */
    (void)vsnprintf(text, sizeof text, format, values);
    (void)snprintf(w->text, sizeof w->text, ": %.30s: %s", module, text);
    for (char *c = w->text; *c; c++)
        if (*c < ' ' || *c > '~') *c = '?';
    return 1;
}

int tess__tiff_on_warning(TIFF *tiff, void *message, const char *module, const char *format, va_list values)
{
    if (!module || (strncmp(module, "Fax", 3) != 0 && strcmp(module, "JPEGLib") != 0)) return 1;
    return tess__tiff_on_error(tiff, message, module, format, values);
}

int tess__tiff_ignore(TIFF *tiff, void *message, const char *module, const char *format, va_list values)
{
    (void)tiff, (void)message, (void)module, (void)format, (void)values;
    return 1;
}

const char *tess__tiff_said(const tess__tiff_message *message) { return message->text; }

/* ---- Calls ---- */

/* A failure is 0 bytes, not -1: libtiff 4.5 adds what this returns to an address before it looks at it. */
static tmsize_t read_some(thandle_t context, void *bytes, tmsize_t n)
{
    tess__tiff_handle *h = context;
    int64_t            got = 0;
    if (n < 0) return 0;
    const tess_status status = tess__source_read(h->source, h->at, bytes, n, &got);
    if (status != TESS_OK) {
        h->failed = status;
        return 0;
    }
    h->at += got;
    return (tmsize_t)got;
}

static tmsize_t write_none(thandle_t context, void *bytes, tmsize_t n)
{
    (void)context, (void)bytes, (void)n;
    return -1;
}

static toff_t size_of(thandle_t context)
{
    const tess__tiff_handle *h = context;
    return (toff_t)tess__source_size(h->source);
}

static toff_t seek(thandle_t context, toff_t to, int from)
{
    tess__tiff_handle *h = context;
    const int64_t      base = from == SEEK_CUR ? h->at : from == SEEK_END ? tess__source_size(h->source) : 0;
    int64_t            at;
    if (__builtin_add_overflow(base, (int64_t)to, &at) || at < 0) return (toff_t)-1;
    h->at = at;
    return (toff_t)at;
}

static int close_none(thandle_t context)
{
    (void)context;
    return 0;
}

/* ---- Handles ---- */

/* What libtiff may allocate in one call: the bytes of a strip or tile as they are stored, their tables (four times the
 * bytes that they take in the file), and what decoders need. */
static tmsize_t max_memory(const tess__source *source)
{
    return (tmsize_t)(4 * tess__source_size(source) + (INT64_C(64) << 20));
}

static TIFF *open_tiff(tess__tiff_handle *h)
{
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options) return NULL;
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, max_memory(h->source));
    TIFFOpenOptionsSetErrorHandlerExtR(options, tess__tiff_on_error, &h->message);
    TIFFOpenOptionsSetWarningHandlerExtR(options, tess__tiff_on_warning, &h->message);
    /* h: the header alone; m: no mapping */
    TIFF *tiff = TIFFClientOpenExt(tess__source_name(h->source), "rhm", h, read_some, write_none, seek, close_none,
                                   size_of, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    return tiff;
}

tess_status tess__tiff_handle_open(tess__tiff_handle **handle, tess__source *source)
{
    tess__tiff_handle *h = tess__alloc(sizeof *h);
    TESS_CHECK(h, TESS_ENOMEM, "open: %s: no memory to read a tiff", tess__source_name(source));
    *h = (tess__tiff_handle){ .source = source, .page = -1 };
    h->tiff = open_tiff(h);
    if (!h->tiff) {
        const tess__tiff_message message = h->message;
        const tess_status        failed = h->failed;
        tess__tiff_handle_close(h);
        if (failed != TESS_OK) TESS_TRY(failed);
        TESS_FAIL(TESS_EFORMAT, "open: %s: libtiff cannot open it%s", tess__source_name(source),
                  tess__tiff_said(&message));
    }
    *handle = h;
    return TESS_OK;
}

void tess__tiff_handle_close(tess__tiff_handle *handle)
{
    if (!handle) return;
    if (handle->tiff) TIFFClose(handle->tiff);
    for (int i = 0; i < 3; i++) tess__free(handle->workspace[i]);
    tess__free(handle);
}

tess_status tess__tiff_workspace(tess__tiff_handle *handle, int which, int64_t n)
{
    if (handle->workspace_size[which] >= n) return TESS_OK;
    tess__free(handle->workspace[which]);
    handle->workspace_size[which] = 0;
    handle->workspace[which] = tess__alloc((size_t)n);
    TESS_CHECK(handle->workspace[which], TESS_ENOMEM,
               "file_read: %s: no memory for %" PRId64 " bytes of a strip or tile", tess__source_name(handle->source),
               n);
    handle->workspace_size[which] = n;
    return TESS_OK;
}

tess_status tess__tiff_go_to(tess__tiff_handle *handle, const tess__tiff_page *pages, int64_t page)
{
    if (handle->page >= 0 && pages[handle->page].offset == pages[page].offset) { /* perhaps another plane of it */
        handle->page = page;
        return TESS_OK;
    }
    handle->page = -1;
    handle->message.text[0] = '\0';
    handle->failed = TESS_OK;
    const int read = TIFFSetSubDirectory(handle->tiff, (uint64_t)pages[page].offset);
    if (handle->failed != TESS_OK) TESS_TRY(handle->failed);
    TESS_CHECK(
        read == 1, TESS_EFORMAT, "open: %s: the directory of page %" PRId64 " at byte %" PRId64 " cannot be read%s",
        tess__source_name(handle->source), pages[page].number, pages[page].offset, tess__tiff_said(&handle->message));
    handle->page = page;
    return TESS_OK;
}

#endif
