/* Stacks in a single TIFF directory: planes that follow each other in the file, whose number a description of ImageJ's
 * or tifffile's or a tag of MetaMorph's tells. */
#include "io/tiff/tiff.h"

#ifdef TESS__TIFF

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/device/memory.h"

/* Tags. UIC1 to UIC4 are MetaMorph's. The count of UIC2 is the number of planes; that of UIC1 is so in old files, where
 * its type is RATIONAL, while with type LONG it counts pairs of a number and a value that say other things. */
enum { SUB_IFD = 330, UIC1 = 33628, UIC2 = 33629, UIC4 = 33631, EXIF_IFD = 34665, GPS_IFD = 34853 };

/* What the entries of the directory say. */
typedef struct layout {
    int64_t first;          /* byte of the first strip */
    int64_t end;            /* of the planes: where the file ends, or a directory or values of tags lie behind them */
    int64_t n_uic1, n_uic2; /* planes by MetaMorph's tags; 0: not there */
} layout;

static void end_before(layout *l, uint64_t offset)
{
    if (offset > (uint64_t)l->first && offset < (uint64_t)l->end) l->end = (int64_t)offset;
}

static void visit_entry(void *context, const tess__tiff_entry *entry)
{
    enum { RATIONAL = 5 };
    layout        *l = context;
    const int64_t  count = entry->count < INT64_MAX ? (int64_t)entry->count : INT64_MAX;
    const uint64_t size = (uint64_t)tess__tiff_value_size(entry->type);
    const bool     metamorph = entry->tag >= UIC1 && entry->tag <= UIC4; /* never in the entry itself */
    const bool     directory = entry->tag == SUB_IFD || entry->tag == EXIF_IFD || entry->tag == GPS_IFD;
    if (entry->tag == UIC1 && entry->type == RATIONAL) l->n_uic1 = count;
    if (entry->tag == UIC2) l->n_uic2 = count;
    if (metamorph || directory || (size > 0 && entry->count > (uint64_t)entry->n_inline / size))
        end_before(l, entry->value);
}

static tess_status read_layout(layout *l, tess_file *file, tess__tiff_handle *handle)
{
    const int64_t directory = ((tess__tiff_file *)file->state)->pages[0].offset;
    *l = (layout){ .first = (int64_t)TIFFGetStrileOffset(handle->tiff, 0), .end = tess__source_size(file->source) };
    if (l->first < 0) l->first = l->end;
    end_before(l, (uint64_t)directory);
    TESS_TRY(tess__tiff_visit_entries(file->source, directory, visit_entry, l));
    return TESS_OK;
}

/* How many planes there should be, and who says so. */
typedef struct claim {
    int64_t     n; /* below 2: it is no stack */
    const char *who;
    bool        gaps; /* may lie between planes */
} claim;

static claim read_claim(const tess__tiff_kind *kind, const tess__tiff_notes *notes, const layout *l)
{
    const int64_t image = (int64_t)kind->width * kind->height; /* below 2^62 */
    const claim   tifffile = { .n = notes->elements / image / kind->samples, .who = "the tifffile description" };
    if (notes->images > 1) return (claim){ .n = notes->images, .who = "the ImageJ description" };
    if (tifffile.n > 1) return tifffile;
    return (claim){ .n = l->n_uic2 ? l->n_uic2 : l->n_uic1, .who = "the MetaMorph tag", .gaps = true };
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
static tess_status count_planes(int64_t *n, tess_file *file, const claim *c, const layout *l, int64_t distance)
{
    const tess__tiff_kind *kind = &((tess__tiff_file *)file->state)->kind;
    const int64_t          fit = l->first < l->end ? (l->end - l->first) / distance : 0;
    const bool             whole = l->end == tess__source_size(file->source);
    char                   has[96];
    *n = fit < 1 ? 1 : c->n < fit ? c->n : fit;
    (void)snprintf(has, sizeof has,
                   whole ? "the file has %" PRId64 " bytes" : "its directory or tags follow at byte %" PRId64, l->end);
    if (fit < c->n) {
        TESS_CHECK(file->opts.salvage || fit <= 1, TESS_EFORMAT,
                   "open: %s: %s says %" PRId64 " images of %" PRIu32 " x %" PRIu32 ", %" PRId64
                   " bytes each; %s, enough for %" PRId64 "%s (`opts->salvage` reads these)",
                   tess__source_name(file->source), c->who, c->n, kind->width, kind->height, distance, has, fit,
                   whole ? ": it is truncated" : "");
        tess__file_warn(file, TESS_ODD_LENGTH, "images", "", "",
                        "%s says %" PRId64 " images; %s, enough for %" PRId64 ", which %s read", c->who, c->n, has, *n,
                        *n == 1 ? "is" : "are");
    } else if (fit > c->n)
        tess__file_warn(file, TESS_ODD_LENGTH, "images", "", "",
                        "%s says %" PRId64 " images, which are read; the file has enough bytes for %" PRId64, c->who,
                        c->n, fit);
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
    layout                 l;
    TESS_TRY(read_layout(&l, file, handle));
    const claim c = read_claim(&state->kind, notes, &l);
    if (c.n < 2) return TESS_OK;
    const int64_t distance = plane_distance(state, handle, c.gaps);
    if (distance <= 0) {
        tess__file_warn(
            file, TESS_ODD_FRAME, "images", "", "",
            "%s says %" PRId64
            " images; the file has one directory, whose strips are compressed or out of order; one image is read",
            c.who, c.n);
        return TESS_OK;
    }
    int64_t n;
    TESS_TRY(count_planes(&n, file, &c, &l, distance));
    TESS_TRY(add_planes(file, n, distance));
    return TESS_OK;
}

void tess__tiff_compare_count(tess_file *file, const tess__tiff_notes *notes)
{
    const tess__tiff_file *state = file->state;
    if (notes->images > 1 && notes->images != state->n_pages)
        tess__file_warn(file, TESS_ODD_FRAME, "images", "", "",
                        "the ImageJ description says %" PRId64 " images; the file has %" PRId64 " pages", notes->images,
                        state->n_pages);
}

#endif
