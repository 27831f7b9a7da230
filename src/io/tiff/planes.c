/* Stacks in a single TIFF directory: planes that follow each other in the file, whose number a description of ImageJ's
 * or tifffile's or a tag of MetaMorph's tells. */
#include "io/tiff/tiff.h"

#ifdef TESS__TIFF

#include <inttypes.h>
#include <string.h>

#include "core/memory.h"

enum { UIC1 = 33628, UIC2 = 33629 /* MetaMorph's tags; as many values as there are planes */ };

/* How many planes there should be, and who says so. */
typedef struct claim {
    int64_t     n; /* below 2: it is no stack */
    const char *who;
    bool        gaps; /* may lie between planes */
} claim;

static tess_status read_claim(claim *c, tess_file *file, const tess__tiff_notes *notes)
{
    const tess__tiff_file *state = file->state;
    const int64_t          image = (int64_t)state->kind.width * state->kind.height; /* below 2^62 */
    *c = (claim){ .n = notes->images, .who = "the description by ImageJ" };
    if (c->n > 1) return TESS_OK;
    *c = (claim){ .n = notes->elements / image / state->kind.samples, .who = "the description by tifffile" };
    if (c->n > 1) return TESS_OK;
    *c = (claim){ .who = "the tag of MetaMorph", .gaps = true };
    TESS_TRY(tess__tiff_count_values(&c->n, file, state->pages[0].offset, UIC2));
    if (c->n == 0) TESS_TRY(tess__tiff_count_values(&c->n, file, state->pages[0].offset, UIC1));
    return TESS_OK;
}

/* Bytes from a plane to the next: those of the strips of the first, from the start of the first strip to the end of the
 * last. 0: strips are compressed, or not in order, and other planes cannot be found. */
static int64_t plane_distance(const tess__tiff_file *state, const tess__tiff_handle *handle, bool gaps)
{
    const tess__tiff_page *page = &state->pages[0];
    const int64_t          row = tess__tiff_row_bytes(&state->kind, page), height = state->kind.height;
    const int64_t          first = (int64_t)TIFFGetStrileOffset(handle->tiff, 0);
    int64_t                end = first;
    if (!page->raw || page->tiled || first < 0) return 0;
    for (int64_t top = 0, i = 0; top < height; top += page->block_h, i++) {
        const int64_t at = (int64_t)TIFFGetStrileOffset(handle->tiff, (uint32_t)i);
        const int64_t rows = height - top < page->block_h ? height - top : page->block_h;
        if (at < end || (at > end && !gaps) || __builtin_add_overflow(at, rows * row, &end)) return 0;
    }
    return end - first;
}

/* The planes that the file has bytes for; what is missing or left over is an error or a warning. */
static tess_status count_planes(int64_t *n, tess_file *file, const claim *c, int64_t first, int64_t distance)
{
    const tess__tiff_kind *kind = &((tess__tiff_file *)file->state)->kind;
    const int64_t          size = tess__source_size(file->source), fit = first < size ? (size - first) / distance : 0;
    const int64_t          directory = ((tess__tiff_file *)file->state)->pages[0].offset;
    *n = fit < 1 ? 1 : c->n < fit ? c->n : fit;
    if (fit < c->n) {
        TESS_CHECK(file->opts.salvage || fit <= 1, TESS_EFORMAT,
                   "open: %s: %s says %" PRId64 " images of %" PRIu32 " x %" PRIu32 ", %" PRId64
                   " bytes each; the file has %" PRId64 " bytes, enough for %" PRId64
                   ": it is cut short (opts->salvage reads those)",
                   tess__source_name(file->source), c->who, c->n, kind->width, kind->height, distance, size, fit);
        tess__file_warn(file, TESS_ODD_LENGTH, "images", "", "",
                        "%s says %" PRId64 " images; the file has %" PRId64 " bytes, enough for %" PRId64
                        ", which %s read",
                        c->who, c->n, size, *n, *n == 1 ? "is" : "are");
    } else if (fit > c->n && directory < first)
        tess__file_warn(file, TESS_ODD_LENGTH, "images", "", "",
                        "%s says %" PRId64 " images, which are read; the file has bytes for %" PRId64, c->who, c->n,
                        fit);
    return TESS_OK;
}

static tess_status add_planes(tess_file *file, int64_t n, int64_t distance)
{
    tess__tiff_file *state = file->state;
    tess__tiff_page *pages = tess__alloc((size_t)n * sizeof *pages);
    TESS_CHECK(pages, TESS_ENOMEM, "open: %s: no memory for a table of %" PRId64 " pages",
               tess__source_name(file->source), n);
    for (int64_t i = 0; i < n; i++) {
        pages[i] = state->pages[0];
        pages[i].number = i;
        pages[i].shift = i * distance;
    }
    tess__free(state->pages);
    state->pages = pages;
    state->n_pages = n;
    return TESS_OK;
}

tess_status tess__tiff_find_planes(tess_file *file, tess__tiff_handle *handle, const tess__tiff_notes *notes)
{
    const tess__tiff_file *state = file->state;
    claim                  c;
    TESS_TRY(read_claim(&c, file, notes));
    if (c.n < 2) return TESS_OK;
    const int64_t distance = plane_distance(state, handle, c.gaps);
    if (distance <= 0) {
        tess__file_warn(file, TESS_ODD_FRAME, "images", "", "",
                        "%s says %" PRId64 " images; the file has one directory, whose strips are compressed or not in "
                        "order: one is read",
                        c.who, c.n);
        return TESS_OK;
    }
    const int64_t first = (int64_t)TIFFGetStrileOffset(handle->tiff, 0);
    int64_t       n;
    TESS_TRY(count_planes(&n, file, &c, first, distance));
    TESS_TRY(add_planes(file, n, distance));
    return TESS_OK;
}

void tess__tiff_compare_count(tess_file *file, const tess__tiff_notes *notes)
{
    const tess__tiff_file *state = file->state;
    if (notes->images > 1 && notes->images != state->n_pages)
        tess__file_warn(file, TESS_ODD_FRAME, "images", "", "",
                        "the description by ImageJ says %" PRId64 " images; the file has %" PRId64 " pages",
                        notes->images, state->n_pages);
}

#endif
