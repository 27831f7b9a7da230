/* Frames of an EER movie: a directory of its TIFF for each, whose sizes and strips are checked against the file. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/device/memory.h"
#include "io/eer/eer.h"
#include "io/eer/metadata.h"
#include "io/tiff/directories.h"

enum { WIDTH = 256, HEIGHT = 257, COMPRESSION = 259, STRIP_OFFSETS = 273, STRIP_BYTES = 279 };
enum { METADATA = 65001, RUN_BITS = 65007, X_BITS = 65008, Y_BITS = 65009 };
enum { UNCOMPRESSED = 1, RUNS_OF_8 = 65000, RUNS_OF_7 = 65001, RUNS_BY_TAGS = 65002 };
enum { MAX_SIDE = 1 << 16, MIN_RUN_BITS = 2, MAX_RUN_BITS = 12, MAX_POSITION_BITS = 4 };

/* The entries of a directory that matter. */
typedef struct page {
    tess__tiff_entry width, height, compression, offsets, bytes, metadata, run_bits, x_bits, y_bits;
} page;

static void visit(void *context, const tess__tiff_entry *entry)
{
    page *p = context;
    struct {
        unsigned          tag;
        tess__tiff_entry *entry;
    } kept[] = {
        { WIDTH, &p->width },           { HEIGHT, &p->height },     { COMPRESSION, &p->compression },
        { STRIP_OFFSETS, &p->offsets }, { STRIP_BYTES, &p->bytes }, { METADATA, &p->metadata },
        { RUN_BITS, &p->run_bits },     { X_BITS, &p->x_bits },     { Y_BITS, &p->y_bits },
    };
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (kept[i].tag == entry->tag) *kept[i].entry = *entry;
}

/* ---- Values ---- */

/* Value i of an entry of whole numbers without a sign; 0 where there is none. */
static tess_status read_value(uint64_t *value, tess__source *source, bool big_endian, const tess__tiff_entry *entry,
                              int64_t i)
{
    const int     size = tess__tiff_value_size(entry->type);
    const int64_t at = tess__tiff_values_at(entry);
    unsigned char bytes[8] = { 0 };
    *value = 0;
    if (i >= (int64_t)entry->count || size == 0) return TESS_OK;
    TESS_CHECK(at <= tess__source_size(source) - (i + 1) * size, TESS_EFORMAT,
               "open: %s: values of tag %u at byte %" PRId64 " are beyond the end of the file",
               tess__source_name(source), entry->tag, at);
    TESS_TRY(tess__source_read_all(source, at + i * size, bytes, size, "a tag"));
    for (int k = 0; k < size; k++) *value = *value << 8 | bytes[big_endian ? k : size - 1 - k];
    return TESS_OK;
}

static tess_status read_small(int64_t *value, const tess_file *file, const tess__tiff_entry *entry)
{
    uint64_t v = 0;
    TESS_TRY(read_value(&v, file->source, file->info.big_endian, entry, 0));
    *value = v < INT32_MAX ? (int64_t)v : INT32_MAX;
    return TESS_OK;
}

/* ---- Strips ---- */

static tess_status add_strip(const tess_file *file, tess__eer_strip strip)
{
    tess__eer_file *movie = file->state;
    if (movie->n_strips == movie->strip_capacity) {
        const int64_t    more = movie->strip_capacity ? 2 * movie->strip_capacity : 256;
        tess__eer_strip *strips = tess__alloc((size_t)more * sizeof *strips);
        TESS_CHECK(strips, TESS_ENOMEM, "open: %s: no memory for a table of %" PRId64 " strips", file->path, more);
        if (movie->n_strips) memcpy(strips, movie->strips, (size_t)movie->n_strips * sizeof *strips);
        tess__free(movie->strips);
        movie->strips = strips;
        movie->strip_capacity = more;
    }
    movie->strips[movie->n_strips++] = strip;
    return TESS_OK;
}

/* The strips of a frame; those of all frames together cannot be more than the file has room for. */
static tess_status read_strips(tess_file *file, const page *p, tess__eer_frame *frame)
{
    tess__eer_file *movie = file->state;
    const int64_t   size = tess__source_size(file->source), n = frame->n_strips;
    const char     *name = tess__source_name(file->source);
    TESS_CHECK(p->offsets.count == p->bytes.count && p->offsets.count >= 1 && p->offsets.count <= MAX_SIDE &&
                   n <= size / 4 - movie->n_strips,
               TESS_EFORMAT,
               "open: %s: frame %" PRId64 " has %" PRIu64 " strips with %" PRIu64
               " sizes; expected equal numbers of 1 to %d",
               name, frame->number, p->offsets.count, p->bytes.count, (int)MAX_SIDE);
    frame->strip = movie->n_strips;
    for (int64_t i = 0; i < n; i++) {
        uint64_t offset = 0, bytes = 0;
        TESS_TRY(read_value(&offset, file->source, file->info.big_endian, &p->offsets, i));
        TESS_TRY(read_value(&bytes, file->source, file->info.big_endian, &p->bytes, i));
        TESS_CHECK(offset <= (uint64_t)size && bytes <= (uint64_t)size - offset, TESS_EFORMAT,
                   "open: %s: strip %" PRId64 " of frame %" PRId64 " has %" PRIu64 " bytes from byte %" PRIu64
                   " on; the file has %" PRId64,
                   name, i, frame->number, bytes, offset, size);
        TESS_CHECK((int64_t)bytes <= size - movie->bytes, TESS_EFORMAT,
                   "open: %s: the frames up to %" PRId64 " have more bytes than the file: some overlap", name,
                   frame->number);
        movie->bytes += (int64_t)bytes;
        frame->bytes += (int64_t)bytes;
        TESS_TRY(add_strip(file, (tess__eer_strip){ (int64_t)offset, (int64_t)bytes }));
    }
    return TESS_OK;
}

/* ---- Frames ---- */

static tess_status read_code(tess__eer_code *code, const tess_file *file, const page *p, int64_t compression)
{
    int64_t run = 0, x = 0, y = 0;
    *code = (tess__eer_code){ compression == RUNS_OF_8 ? 8 : 7, 2, 2 };
    if (compression != RUNS_BY_TAGS) return TESS_OK;
    TESS_TRY(read_small(&run, file, &p->run_bits));
    TESS_TRY(read_small(&x, file, &p->x_bits));
    TESS_TRY(read_small(&y, file, p->y_bits.count ? &p->y_bits : &p->x_bits));
    TESS_CHECK(run >= MIN_RUN_BITS && run <= MAX_RUN_BITS && x <= MAX_POSITION_BITS && y <= MAX_POSITION_BITS,
               TESS_EUNSUPPORTED,
               "open: %s: an EER movie with runs of %" PRId64 " bits (tag 65007) and positions of %" PRId64
               " and %" PRId64 " (65008, 65009); expected %d to %d and up to %d",
               tess__source_name(file->source), run, x, y, (int)MIN_RUN_BITS, (int)MAX_RUN_BITS,
               (int)MAX_POSITION_BITS);
    *code = (tess__eer_code){ (int)run, (int)x, (int)y };
    return TESS_OK;
}

/* What all frames have in common is taken from the first, and must be that of the others. */
static tess_status take_kind(tess_file *file, const page *p, int64_t number, int64_t compression, bool is_first)
{
    tess__eer_file *movie = file->state;
    const char     *name = tess__source_name(file->source);
    int64_t         w = 0, h = 0;
    tess__eer_code  code;
    TESS_TRY(read_small(&w, file, &p->width));
    TESS_TRY(read_small(&h, file, &p->height));
    TESS_TRY(read_code(&code, file, p, compression));
    TESS_CHECK(w >= 1 && h >= 1 && w <= MAX_SIDE && h <= MAX_SIDE, TESS_EFORMAT,
               "open: %s: frame %" PRId64 " has %" PRId64 " x %" PRId64 " pixels; expected 1 to %d", name, number, w, h,
               (int)MAX_SIDE);
    if (is_first) {
        movie->width = w;
        movie->height = h;
        movie->code = code;
    }
    TESS_CHECK(w == movie->width && h == movie->height && code.run_bits == movie->code.run_bits &&
                   code.x_bits == movie->code.x_bits && code.y_bits == movie->code.y_bits,
               TESS_EUNSUPPORTED,
               "open: %s: frame %" PRId64 " has %" PRId64 " x %" PRId64
               " pixels and runs of %d bits; earlier frames have %" PRId64 " x %" PRId64 " and %d",
               name, number, w, h, code.run_bits, movie->width, movie->height, movie->code.run_bits);
    return TESS_OK;
}

/* One that cannot stand for as many pixels is left out here; others are found when they are decoded. */
static void keep_frame(tess_file *file, const tess__eer_frame *frame)
{
    tess__eer_file *movie = file->state;
    if (tess__eer_max_pixels(&movie->code, frame->bytes) >= movie->width * movie->height) {
        movie->frames[movie->n_frames++] = *frame;
        return;
    }
    tess__file_warn(file, TESS_ODD_FRAME, "frame", "", "",
                    "frame %" PRId64 " has %" PRId64 " bytes, too few for %" PRId64 " x %" PRId64 ", and is skipped",
                    frame->number, frame->bytes, movie->width, movie->height);
}

static tess_status read_frame(tess_file *file, int64_t directory, int64_t number)
{
    tess__eer_file *movie = file->state;
    page            p = { .width = { .count = 0 } };
    int64_t         compression = 0;
    TESS_TRY(tess__tiff_visit_entries(file->source, directory, visit, &p));
    TESS_TRY(read_small(&compression, file, &p.compression));
    if (compression == UNCOMPRESSED) {
        tess__file_warn(file, TESS_ODD_FRAME, "Compression", "1", "",
                        "page %" PRId64 " is an image, not an electron frame, and is skipped", number);
        return TESS_OK;
    }
    TESS_CHECK(compression >= RUNS_OF_8 && compression <= RUNS_BY_TAGS, TESS_EUNSUPPORTED,
               "open: %s: page %" PRId64 " has compression %" PRId64 "; EER frames have 65000 to 65002",
               tess__source_name(file->source), number, compression);
    const bool is_first = movie->width == 0;
    TESS_TRY(take_kind(file, &p, number, compression, is_first));
    if (is_first)
        tess__eer_read_metadata(file, tess__tiff_values_at(&p.metadata),
                                p.metadata.count < INT64_MAX ? (int64_t)p.metadata.count : 0);
    tess__eer_frame frame = { .number = number, .n_strips = (int64_t)(p.offsets.count & INT32_MAX) };
    TESS_TRY(read_strips(file, &p, &frame));
    keep_frame(file, &frame);
    return TESS_OK;
}

static tess_status read_frames(tess_file *file, const tess__tiff_directories *found)
{
    tess__eer_file *movie = file->state;
    movie->frames = tess__alloc((size_t)found->n * sizeof *movie->frames);
    TESS_CHECK(movie->frames, TESS_ENOMEM, "open: %s: no memory for a table of %" PRId64 " frames", file->path,
               found->n);
    for (int64_t i = 0; i < found->n; i++) {
        const tess_status status = read_frame(file, found->offsets[i], i);
        if (status == TESS_EFORMAT && file->opts.salvage && movie->n_frames > 0) {
            tess__file_warn(file, TESS_ODD_FRAME, "frames", "", "", "the frames from %" PRId64 " on are skipped: %.90s",
                            i, tess_error_message());
            break;
        }
        TESS_TRY(status);
    }
    TESS_CHECK(movie->n_frames > 0, TESS_EFORMAT, "open: %s: none of its %" PRId64 " pages is an electron frame",
               tess__source_name(file->source), found->n);
    return TESS_OK;
}

tess_status tess__eer_find_frames(tess_file *file)
{
    tess__tiff_directories found = { .n = 0 };
    tess_status            status = TESS_OK;
    TESS_GOTO(done, status, tess__tiff_chain(&found, file));
    TESS_GOTO(done, status, read_frames(file, &found));
done:
    tess__free(found.offsets);
    return status;
}

/* ---- Recognition ---- */

static tess_status find_events(bool *is_found, tess__source *source, tess__tiff_directories *found)
{
    TESS_TRY(tess__tiff_first_directories(found, source, 2));
    for (int64_t i = 0; i < found->n && !*is_found; i++) {
        page     p = { .width = { .count = 0 } };
        uint64_t compression = 0;
        TESS_TRY(tess__tiff_visit_entries(source, found->offsets[i], visit, &p));
        TESS_TRY(read_value(&compression, source, found->big_endian, &p.compression, 0));
        *is_found = compression >= RUNS_OF_8 && compression <= RUNS_BY_TAGS;
    }
    return TESS_OK;
}

tess_status tess__eer_has_frames(bool *is_found, tess__source *source)
{
    tess__tiff_directories found = { .n = 0 };
    *is_found = false;
    if (tess__source_size(source) < 0) return TESS_OK;
    const tess_status status = find_events(is_found, source, &found);
    tess__free(found.offsets);
    if (status == TESS_EFORMAT) {
        tess_error_clear();
        return TESS_OK;
    }
    TESS_TRY(status);
    return TESS_OK;
}
