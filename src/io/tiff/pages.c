/* Choice of pages of a TIFF, and the list of them for messages where they differ. */
#include "io/tiff/tiff.h"

#ifdef TESS__TIFF

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_LIST = 240 /* bytes of the list of pages in a message */ };

tess_status tess__tiff_choose_pages(tess_file *file)
{
    tess__tiff_file *state = file->state;
    const int64_t    first = file->opts.page < 0 ? 0 : file->opts.page;
    const int64_t    n = file->opts.n_pages, have = state->n_pages;
    const char      *name = tess__source_name(file->source);
    const char      *pages = have == 1 ? "page " : "pages 0 to ";
    TESS_CHECK(have > first, TESS_ERANGE, "open: %s: `opts->page` is %" PRId64 "; the file has %s%" PRId64, name, first,
               pages, have - 1);
    TESS_CHECK(n <= have - first, TESS_ERANGE,
               "open: %s: `opts->n_pages` is %" PRId64 " from `opts->page` %" PRId64 " on; the file has %" PRId64
               " pages",
               name, n, first, have);
    state->n_pages = n ? n : have - first;
    if (first) memmove(state->pages, state->pages + first, (size_t)state->n_pages * sizeof *state->pages);
    return TESS_OK;
}

/* Size and type of the page that a handle is at, "64 x 48 of u8". */
static void describe(char *text, size_t size, TIFF *tiff)
{
    tess__tiff_kind kind = { .width = 0 };
    (void)TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &kind.width);
    (void)TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &kind.height);
    tess__tiff_sample_type(&kind, tiff);
    if (kind.samples != 1)
        (void)snprintf(text, size, "%" PRIu32 " x %" PRIu32 " of %u samples of %u bits", kind.width, kind.height,
                       (unsigned)kind.samples, (unsigned)kind.bits);
    else if (kind.dtype && !tess__tiff_is_packed(&kind))
        (void)snprintf(text, size, "%" PRIu32 " x %" PRIu32 " of %s", kind.width, kind.height,
                       tess_dtype_name(kind.dtype));
    else
        (void)snprintf(text, size, "%" PRIu32 " x %" PRIu32 " of %u-bit numbers", kind.width, kind.height,
                       (unsigned)kind.bits);
}

/* The pages first to last - 1, which are alike, at the end of a list; false: it does not fit. */
static bool add_run(char *list, const tess__tiff_page *pages, int64_t first, int64_t last, const char *what)
{
    const size_t used = strlen(list);
    char         text[160];
    if (last - first == 1)
        (void)snprintf(text, sizeof text, "%s%" PRId64 ": %s", used ? ", " : "", pages[first].number, what);
    else
        (void)snprintf(text, sizeof text, "%s%" PRId64 " to %" PRId64 ": %s", used ? ", " : "", pages[first].number,
                       pages[last - 1].number, what);
    const bool fits = used + strlen(text) + 8 < MAX_LIST;
    (void)snprintf(list + used, MAX_LIST - used, "%s", fits ? text : ", ...");
    return fits;
}

static void list_pages(char *list, const tess__tiff_file *state, tess__tiff_handle *handle)
{
    char    before[96] = "", what[96];
    int64_t first = 0, i = 0;
    list[0] = '\0';
    for (; i < state->n_pages; i++) {
        if (tess__tiff_go_to(handle, state->pages, i) != TESS_OK) break;
        describe(what, sizeof what, handle->tiff);
        if (i > 0 && strcmp(before, what) != 0) {
            if (!add_run(list, state->pages, first, i, before)) return;
            first = i;
        }
        memcpy(before, what, sizeof before);
    }
    if (first < i) (void)add_run(list, state->pages, first, i, before);
}

tess_status tess__tiff_reject_mixture(tess_file *file, tess__tiff_handle *handle)
{
    char list[MAX_LIST], why[1024];
    (void)snprintf(why, sizeof why, "%s", tess_error_marked());
    list_pages(list, file->state, handle);
    TESS_FAIL(TESS_EUNSUPPORTED, "%s; `opts->page` selects one of these: %s", why, list);
}

#endif
