/* TIFF format descriptor: recognition and opening of files; a stub without libtiff. */
#include "io/tiff/tiff.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/dtype.h"
#include "core/device/memory.h"
#include "io/mrc/mrc.h"

static bool recognises(const unsigned char *bytes, int64_t n)
{
    return n >= 8 && (memcmp(bytes, "II*\0", 4) == 0 || memcmp(bytes, "MM\0*", 4) == 0 ||
                      memcmp(bytes, "II+\0", 4) == 0 || memcmp(bytes, "MM\0+", 4) == 0);
}

#ifdef TESS__TIFF

/* ---- Opening ---- */

static bool looks_halved(const tess__tiff_kind *kind)
{
    return kind->dtype == TESS_U8 && kind->bits == 8 && kind->samples == 1 &&
           tess__is_packed_camera(kind->width, kind->height);
}

static tess_status read_page(tess_file *file, tess__tiff_handle *handle, int64_t index)
{
    tess__tiff_file *state = file->state;
    tess__tiff_kind  kind;
    tess__tiff_page *page = &state->pages[index];
    TESS_TRY(tess__tiff_go_to(handle, state->pages, index));
    TESS_TRY(tess__tiff_tags(&kind, page, handle));
    if (index == 0) state->kind = kind;
    else TESS_TRY(tess__tiff_alike(state, &kind, page, tess__source_name(file->source)));
    TESS_TRY(tess__tiff_check_blocks(file, handle, page));
    return TESS_OK;
}

static tess_status read_pages(tess_file *file, tess__tiff_handle *handle)
{
    tess__tiff_file *state = file->state;
    for (int64_t i = 0; i < state->n_pages; i++) {
        const tess_status status = read_page(file, handle, i);
        if (status == TESS_EFORMAT && i > 0 && file->opts.salvage) {
            tess__file_warn(file, TESS_ODD_FRAME, "pages", "", "", "the pages from %" PRId64 " on are skipped: %.100s",
                            state->pages[i].number, tess_error_message());
            state->n_pages = i;
            return TESS_OK;
        }
        if (status == TESS_EUNSUPPORTED && i > 0) TESS_TRY(tess__tiff_reject_mixture(file, handle));
        TESS_TRY(status);
    }
    return TESS_OK;
}

/* The first directory has the notes, whichever pages are wanted. */
static tess_status read_notes(const tess_file *file, tess__tiff_handle *handle, tess__tiff_notes *notes)
{
    const tess__tiff_file *state = file->state;
    const tess_status      status = tess__tiff_go_to(handle, state->pages, 0);
    if (status == TESS_EFORMAT && file->opts.page > 0) {
        *notes = (tess__tiff_notes){ .images = 0 };
        tess_error_clear();
        return TESS_OK;
    }
    TESS_TRY(status);
    tess__tiff_read_notes(notes, handle);
    handle->page = -1;
    return TESS_OK;
}

/* The pages that are wanted: directories, or planes of the only one. */
static tess_status find_pages(tess_file *file, tess__tiff_handle *handle, tess__tiff_notes *notes)
{
    const tess__tiff_file *state = file->state;
    const bool             single = state->n_pages == 1;
    TESS_TRY(read_notes(file, handle, notes));
    if (!single) {
        tess__tiff_compare_count(file, notes);
        TESS_TRY(tess__tiff_choose_pages(file));
    }
    TESS_TRY(read_pages(file, handle));
    if (!single) return TESS_OK;
    TESS_TRY(tess__tiff_find_planes(file, handle, notes));
    handle->page = -1;
    TESS_TRY(tess__tiff_choose_pages(file));
    return TESS_OK;
}

/* All pages together: the size in bytes must not overflow. That the file can hold them was checked strip by strip. */
static tess_status check_total(const tess_file *file)
{
    const tess__tiff_file *state = file->state;
    const int64_t          sizes[3] = { state->n_pages, state->kind.height, state->kind.width };
    int64_t                bytes;
    TESS_CHECK(tess__bytes_of(&bytes, sizes, 3, 32), TESS_EFORMAT,
               "open: %s: %" PRId64 " pages of %" PRIu32 " x %" PRIu32 " are too many", tess__source_name(file->source),
               state->n_pages, state->kind.width, state->kind.height);
    return TESS_OK;
}

static bool is_mixable(tess_dtype dtype)
{
    return dtype == TESS_U8 || dtype == TESS_U16 || dtype == TESS_U32 || dtype == TESS_F32;
}

/* Colours are rejected, or converted to grey. */
static tess_status settle_colours(tess_file *file)
{
    tess__tiff_file       *state = file->state;
    const tess__tiff_kind *kind = &state->kind;
    const char            *name = tess__source_name(file->source);
    state->inks = kind->photometric == PHOTOMETRIC_SEPARATED && !kind->rgba;
    state->colours = state->inks || (!kind->rgba && kind->samples - kind->alpha == 3);
    state->palette = kind->photometric == PHOTOMETRIC_PALETTE;
    const bool any = state->colours || state->palette || kind->rgba;
    TESS_CHECK(!any || file->opts.grey, TESS_EUNSUPPORTED,
               "open: %s: its pixels are %s; `opts->grey` reads them as grey", name,
               state->palette                               ? "indices into a colour palette"
               : kind->photometric == PHOTOMETRIC_SEPARATED ? "cyan, magenta, yellow and black"
               : kind->rgba                                 ? "luminance and two colour differences"
                                                            : "red, green and blue");
    TESS_CHECK(!state->palette || kind->dtype == TESS_U8, TESS_EUNSUPPORTED,
               "open: %s: a palette of %u bits; expected 1, 2, 4 or 8", name, (unsigned)kind->bits);
    TESS_CHECK(!state->colours || (!tess__tiff_is_packed(kind) && is_mixable(kind->dtype)), TESS_EUNSUPPORTED,
               "open: %s: colours of %u bits; only u8, u16, u32 and f32 can be converted to grey", name,
               (unsigned)kind->bits);
    TESS_CHECK(kind->samples == 1 || !tess__tiff_is_packed(kind), TESS_EUNSUPPORTED,
               "open: %s: %u samples per pixel of %u bits; expected one", name, (unsigned)kind->samples,
               (unsigned)kind->bits);
    if (any) tess__file_warn(file, TESS_ODD_COLOUR, "Photometric", "colour", "grey", "colours were converted to grey");
    if (kind->alpha) tess__file_warn(file, TESS_ODD_COLOUR, "ExtraSamples", "1", "0", "the transparency was dropped");
    if (kind->photometric == PHOTOMETRIC_MINISWHITE)
        tess__file_warn(file, TESS_ODD_COLOUR, "Photometric", "0", "1", "0 means white; values are read as stored");
    return TESS_OK;
}

static void settle_rows(tess_file *file)
{
    tess__tiff_file *state = file->state;
    const uint16_t   o = state->kind.orientation;
    state->flip = !file->opts.keep_rows && o != ORIENTATION_BOTLEFT;
    if (o == ORIENTATION_TOPLEFT || o == ORIENTATION_BOTLEFT) return;
    char found[8];
    (void)snprintf(found, sizeof found, "%u", (unsigned)o);
    tess__file_warn(file, TESS_ODD_OTHER, "Orientation", found, "1", "orientation %u is read as 1, top left first",
                    (unsigned)o);
}

static void settle_width(tess_file *file)
{
    tess__tiff_file *state = file->state;
    state->halved = file->opts.bytes != TESS_BYTES_UNSIGNED && looks_halved(&state->kind);
    if (state->halved)
        tess__file_warn(
            file, TESS_ODD_HALF_WIDTH, "ImageWidth", "", "",
            "%" PRIu32 " x %" PRIu32
            " is the size of packed frames, read as two 4-bit pixels per byte; `opts->bytes` = unsigned reads bytes",
            state->kind.width, state->kind.height);
}

static tess_compression compression_of(const tess__tiff_page *page)
{
    switch (page->compression) {
    case COMPRESSION_NONE: return TESS_COMPRESSION_NONE;
    case COMPRESSION_LZW: return TESS_COMPRESSION_LZW;
    case COMPRESSION_DEFLATE:
    case COMPRESSION_ADOBE_DEFLATE: return TESS_COMPRESSION_DEFLATE;
    case COMPRESSION_ZSTD: return TESS_COMPRESSION_ZSTD;
    default: return TESS_COMPRESSION_OTHER;
    }
}

/* Pages are images, unless the caller says that they are sections (rule 1), or a description does (rule 2). */
static tess_status settle_shape(tess_file *file)
{
    const tess__tiff_file *state = file->state;
    tess_info_file        *info = &file->info;
    const bool             described = file->opts.as == TESS_AS_DEFAULT && state->depth > 1;
    const int64_t          n = state->n_pages;
    const int64_t          depth = described ? state->depth : file->opts.as == TESS_AS_VOLUMES ? file->opts.depth : n;
    info->sections = described                          ? (depth < n ? TESS_AS_VOLUMES : TESS_AS_VOLUME)
                     : file->opts.as == TESS_AS_DEFAULT ? TESS_AS_STACK
                                                        : file->opts.as;
    info->sections_rule = described ? 2 : file->opts.as == TESS_AS_DEFAULT ? 0 : 1;
    info->shape = TESS_SHAPE(n, 1, state->kind.height, (int64_t)state->kind.width * (state->halved ? 2 : 1));
    if (info->sections == TESS_AS_STACK) return TESS_OK;
    TESS_CHECK(depth > 0 && n % depth == 0, TESS_EARG,
               "open: %s: `opts->depth` is %" PRId64 "; it must divide the %" PRId64 " pages",
               tess__source_name(file->source), depth, n);
    info->shape.b = n / depth;
    info->shape.d = depth;
    return TESS_OK;
}

static void fill_info(tess_file *file, const tess__tiff_handle *handle, const tess__tiff_notes *notes)
{
    const tess__tiff_file *state = file->state;
    tess_info_file        *info = &file->info;
    info->dtype = state->kind.dtype;
    info->compression = (int32_t)compression_of(&state->pages[0]);
    info->mode = state->kind.bits;
    info->stored[0] = state->kind.width;
    info->stored[1] = state->kind.height;
    info->stored[2] = state->n_pages;
    info->data_offset = -1;
    tess__tiff_pixel_size(info->meta.pixel_size, handle, notes);
    memcpy(info->meta.origin, notes->origin, sizeof info->meta.origin);
    memcpy(info->meta.start, notes->start, sizeof info->meta.start);
}

static tess_status open_pages(tess_file *file, tess__tiff_handle *handle)
{
    tess__tiff_file *state = file->state;
    tess__tiff_notes notes;
    TESS_TRY(find_pages(file, handle, &notes));
    TESS_TRY(check_total(file));
    TESS_TRY(settle_colours(file));
    settle_rows(file);
    settle_width(file);
    TESS_TRY(tess__tiff_take_axes(file, &notes));
    TESS_TRY(settle_shape(file));
    TESS_TRY(tess__tiff_go_to(handle, state->pages, 0));
    fill_info(file, handle, &notes);
    handle->page = -1; /* read.c has to set up the page */
    return TESS_OK;
}

/* The directories are pages, as long as it is not known that they are thumbnails or that one has many planes. */
static tess_status list_pages(tess_file *file)
{
    tess__tiff_file       *state = file->state;
    tess__tiff_directories found = { .n = 0 };
    tess_status            status = tess__tiff_chain(&found, file);
    if (status == TESS_OK) {
        state->pages = tess__alloc((size_t)found.n * sizeof *state->pages);
        state->n_pages = state->pages ? found.n : 0;
        for (int64_t i = 0; i < state->n_pages; i++)
            state->pages[i] = (tess__tiff_page){ .offset = found.offsets[i], .number = i };
    }
    tess__free(found.offsets);
    TESS_TRY(status);
    TESS_CHECK(state->pages, TESS_ENOMEM, "open: %s: no memory for a table of %" PRId64 " pages",
               tess__source_name(file->source), found.n);
    return TESS_OK;
}

static tess_status open_file(tess_file *file)
{
    tess__tiff_file *state = tess__alloc(sizeof *state);
    const char      *name = tess__source_name(file->source);
    TESS_CHECK(state, TESS_ENOMEM, "open: %s: no memory to read a tiff", name);
    memset(state, 0, sizeof *state);
    (void)pthread_mutex_init(&state->lock, NULL);
    file->state = state;
    TESS_CHECK(tess__source_size(file->source) >= 0, TESS_EUNSUPPORTED,
               "open: %s: the file is compressed, which is not supported for TIFF files; decompress it first", name);
    TESS_TRY(list_pages(file));
    TESS_TRY(tess__tiff_handle_open(&state->idle, file->source));
    TESS_TRY(open_pages(file, state->idle));
    return TESS_OK;
}

static void close_file(tess_file *file)
{
    tess__tiff_file *state = file->state;
    if (!state) return;
    while (state->idle) {
        tess__tiff_handle *next = state->idle->next;
        tess__tiff_handle_close(state->idle);
        state->idle = next;
    }
    (void)pthread_mutex_destroy(&state->lock);
    tess__free(state->pages);
    tess__free(state);
    file->state = NULL;
}

const tess__format tess__format_tiff = {
    .name = "tiff",
    .extensions = "tif tiff",
    .id = TESS_FORMAT_TIFF,
    .has_pages = true,
    .recognises = recognises,
    .open = open_file,
    .read_region = tess__tiff_read_region,
    .close = close_file,
    .nearest = tess__tiff_nearest,
    .start = tess__tiff_start,
    .append = tess__tiff_append,
    .end = tess__tiff_end,
    .drop = tess__tiff_drop,
    .supports = tess__tiff_supports,
};

#else

static tess_status open_file(tess_file *file)
{
    TESS_FAIL(TESS_EUNSUPPORTED,
              "open: %s: TIFF is not supported: this library was built without libtiff (4.5 or newer)",
              tess__source_name(file->source));
}

static tess_status start(tess_writer *writer)
{
    TESS_FAIL(TESS_EUNSUPPORTED,
              "writer_open: %s: TIFF is not supported: this library was built without libtiff (4.5 or newer)",
              writer->path);
}

static bool supports(tess_compression compression)
{
    (void)compression;
    return false;
}

const tess__format tess__format_tiff = {
    .name = "tiff",
    .extensions = "tif tiff",
    .id = TESS_FORMAT_TIFF,
    .has_pages = true,
    .recognises = recognises,
    .open = open_file,
    .start = start,
    .supports = supports,
};

#endif
