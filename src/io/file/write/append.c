/* Tiled writing of images: each tile is converted, added to the statistics, and written while it is in the cache. */
#include <inttypes.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/device/memory.h"
#include "core/device/stream.h"
#include "core/check/text.h"
#include "io/file/byteswap.h"
#include "io/file/file.h"
#include "io/file/round.h"
#include "io/file/write/stats.h"
#include "tessera/ewise.h"

enum {
    TILE = 1 << 16,      /* elements that stay in a cache from one step to the next */
    BATCH = 16 * TILE,   /* elements of small images that are written in one batch */
    TILES_PER_THREAD = 4 /* fewer are not worth another thread */
};

/* Some images of an array, cut into tiles: some rows, or a part of one. */
typedef struct batch {
    tess_writer      *writer;
    const tess_array *part;
    int64_t           first, n;     /* images, of b * d */
    int64_t           rows, cuts;   /* rows of a tile; tiles that a row is cut into */
    int64_t           tiles;        /* of an image */
    bool              packed;       /* they are converted, or copied, before they are written */
    bool              measure_only; /* statistics are all that is wanted */
    int64_t           offset;       /* in the file, where tiles are written by their threads; -1: they are not */
    tess__stats      *tile_stats;   /* of each tile */
} batch;

/* ---- Tiles ---- */

/* Image i of a batch, as the caller has it. */
static tess_array given_image(const batch *g, int64_t i)
{
    const tess_array *part = g->part;
    const int64_t     at = g->first + i, b = at / part->shape.d, d = at % part->shape.d;
    tess_array        image = *part;
    image.data = (char *)part->data + (b * part->strides.b + d * part->strides.d) * tess__dtype_size(part->dtype);
    image.shape = TESS_SHAPE(1, 1, part->shape.h, part->shape.w);
    return image;
}

/* Must images be changed before they are written? */
static bool needs_packing(const batch *g)
{
    const tess_writer *w = g->writer;
    const tess_array   image = given_image(g, 0);
    return image.dtype != w->dtype || !tess_is_contiguous(&image, 'C') || (w->swapped && !w->format->append);
}

/* The same as it is stored in the file. */
static tess_array ready_image(const batch *g, int64_t i)
{
    if (!g->packed) return given_image(g, i);
    tess_array image = g->writer->packed;
    image.shape = TESS_SHAPE(1, 1, g->part->shape.h, g->part->shape.w);
    image.data = (char *)image.data + i * image.strides.b * tess__dtype_size(image.dtype);
    return image;
}

static tess_array tile_of(const batch *g, const tess_array *image, int64_t i)
{
    const int64_t row = i / g->cuts * g->rows, column = i % g->cuts * TILE;
    const int64_t rows = image->shape.h - row, columns = image->shape.w - column;
    tess_array    tile = *image;
    tile.shape = TESS_SHAPE(1, 1, rows < g->rows ? rows : g->rows, g->cuts > 1 && columns > TILE ? TILE : columns);
    tile.data =
        (char *)image->data + (row * image->strides.h + column * image->strides.w) * tess__dtype_size(image->dtype);
    return tile;
}

/* Contiguous elements of the file's dtype. */
static tess_status pack(const tess_array *given, tess_array *ready)
{
    if (given->dtype == ready->dtype) TESS_TRY(tess_copy(ready, given));
    else TESS_TRY(tess_cast(ready, given, TESS_DTYPE_NONE, NULL));
    TESS_TRY(tess__sync("write", tess_cpu()));
    return TESS_OK;
}

/* Without a conversion NaNs show in the statistics, and are counted only then. */
static tess_status add_stats(const batch *g, const tess_array *given, const tess_array *ready, tess__stats *stats)
{
    const tess_writer *w = g->writer;
    const bool         converted = given->dtype != w->dtype && !g->measure_only;
    bool               nan = w->stats->has_nan;
    if (!w->stats_known && converted) {
        TESS_TRY(tess__stats_add_converted(stats, given, ready));
        return TESS_OK;
    }
    if (!w->stats_known) TESS_TRY(tess__stats_add(stats, ready, &nan));
    if (!g->measure_only && (nan || converted)) TESS_TRY(tess__stats_add_losses(stats, given, w->dtype));
    return TESS_OK;
}

/* Tile i of a batch, whose elements are `given` by the caller or have been rounded. */
static tess_status write_given(const batch *g, int64_t i, const tess_array *given)
{
    const tess_writer *w = g->writer;
    const tess_array   to = ready_image(g, i / g->tiles);
    tess_array         ready = tile_of(g, &to, i % g->tiles);
    const int64_t      n = tess_n_elements(&ready), size = tess__dtype_size(w->dtype);
    if (g->packed) TESS_TRY(pack(given, &ready));
    TESS_TRY(add_stats(g, given, &ready, &g->tile_stats[i]));
    if (g->measure_only || w->format->append) return TESS_OK;
    if (w->swapped) TESS_TRY(tess__byteswap(ready.data, n, w->dtype));
    if (g->offset < 0) return TESS_OK;
    const int64_t image = i / g->tiles * to.shape.h * to.shape.w * size;
    const int64_t offset = g->offset + image + ((char *)ready.data - (char *)to.data);
    TESS_TRY(tess__sink_write_at(w->sink, offset, ready.data, n * size));
    return TESS_OK;
}

/* Fractions are rounded before all else, so that what is counted as clamped is what the file shows as such. */
static tess_status write_tile(void *context, int64_t i)
{
    const batch     *g = context;
    const tess_array from = given_image(g, i / g->tiles), given = tile_of(g, &from, i % g->tiles);
    tess_array       rounded = { .data = NULL };
    tess_status      status = TESS_OK;
    if (!tess__needs_rounding(given.dtype, g->writer->dtype)) return write_given(g, i, &given);
    TESS_GOTO(done, status, tess_rint(&rounded, &given));
    TESS_GOTO(done, status, tess__sync("write", tess_cpu()));
    TESS_GOTO(done, status, write_given(g, i, &rounded));
done:
    tess_release(&rounded);
    return status;
}

/* ---- Batches ---- */

/* Write the tiles that their threads did not: by the format, or one image after the other. */
static tess_status put(const batch *g)
{
    tess_writer  *w = g->writer;
    tess_array    images = ready_image(g, 0);
    const int64_t bytes = tess_n_elements(&images) * tess__dtype_size(w->dtype);
    if (w->format->append) {
        images.shape.b = g->n;
        images.strides.b = g->packed ? w->packed.strides.b : g->part->strides.d;
        TESS_TRY(w->format->append(w, &images));
        return TESS_OK;
    }
    for (int64_t i = 0; i < g->n; i++) {
        images = ready_image(g, i);
        TESS_TRY(tess__sink_write(w->sink, images.data, bytes));
    }
    return TESS_OK;
}

/* The same tiles for all arrays of a shape, so that statistics do not depend on threads. */
static void cut_into_tiles(batch *g)
{
    const int64_t h = g->part->shape.h, w = g->part->shape.w;
    g->cuts = w > TILE ? (w + TILE - 1) / TILE : 1;
    g->rows = w > 0 && w < TILE ? TILE / w : 1;
    g->tiles = w == 0 ? 0 : (h + g->rows - 1) / g->rows * g->cuts;
}

/* Workspace for n packed images, kept from batch to batch. */
static tess_status reserve_packed(tess_writer *w, int64_t n)
{
    if (w->packed.data && w->packed.shape.b >= n) return TESS_OK;
    tess_release(&w->packed);
    TESS_TRY(tess_empty(&w->packed, TESS_SHAPE(n, 1, w->shape.h, w->shape.w), w->dtype, tess_cpu()));
    return TESS_OK;
}

static tess_status write_batch(batch *g)
{
    tess_writer  *w = g->writer;
    const int64_t n = g->n * g->tiles, threads = tess_threads_get(), max = n / TILES_PER_THREAD;
    tess_status   status = TESS_OK;
    if (g->packed) TESS_TRY(reserve_packed(w, g->n));
    g->tile_stats = tess__alloc((size_t)(n > 0 ? n : 1) * sizeof *g->tile_stats);
    TESS_CHECK(g->tile_stats, TESS_ENOMEM, "write: %s: no memory for %" PRId64 " statistics", w->path, n);
    for (int64_t i = 0; i < n; i++) g->tile_stats[i] = (tess__stats){ .n = 0 };
    const int64_t bytes = g->n * g->part->shape.h * g->part->shape.w * tess__dtype_size(w->dtype);
    g->offset = g->measure_only || w->format->append ? -1 : tess__sink_claim(w->sink, bytes);
    TESS_GOTO(done, status, tess__parallel_tasks(n, (int)(threads < max ? threads : max), write_tile, g));
    for (int64_t i = 0; i < n; i++) tess__stats_merge(w->stats, &g->tile_stats[i]);
    if (!g->measure_only && g->offset < 0) TESS_GOTO(done, status, put(g));
done:
    tess__free(g->tile_stats);
    return status;
}

/* All images of an array in the order of the file; the planes of a coloured one together. */
static tess_status write_batches(tess_writer *w, const tess_array *part, bool measure_only)
{
    const int64_t n_images = part->shape.b * part->shape.d, image = part->shape.h * part->shape.w;
    const int64_t small = image > 0 && image < BATCH ? BATCH / image : 1;
    const int64_t max = w->opts.rgb ? part->shape.d : w->format->append ? 1 : small;
    batch         g = { .writer = w, .part = part, .measure_only = measure_only };
    if (n_images == 0) return TESS_OK;
    g.packed = needs_packing(&g);
    cut_into_tiles(&g);
    for (; g.first < n_images; g.first += g.n) {
        g.n = max < n_images - g.first ? max : n_images - g.first;
        TESS_TRY(write_batch(&g));
    }
    return TESS_OK;
}

/* ---- Appending ---- */

static tess_status check_part(const tess_writer *w, const tess_array *part)
{
    char          have[TESS__SHAPE_TEXT], all[TESS__SHAPE_TEXT];
    const int64_t inside = w->shape.d ? w->done % w->shape.d : 0, n = part->shape.b * part->shape.d;
    const bool    whole = part->shape.d == w->shape.d && inside == 0;
    const bool    slab = part->shape.b == 1 && inside + part->shape.d <= w->shape.d && !w->opts.rgb;
    TESS_CHECK(part->shape.h == w->shape.h && part->shape.w == w->shape.w && (whole || slab), TESS_ESHAPE,
               "writer_append: %s: part has shape %s after %" PRId64
               " images; expected whole volumes of %s, or sections of one",
               w->path, tess__shape_text(have, part->shape.dim), w->done, tess__shape_text(all, w->shape.dim));
    TESS_CHECK(w->done + n <= w->n_images, TESS_ESHAPE,
               "writer_append: %s: part has %" PRId64 " images, but only %" PRId64 " of %" PRId64 " are left", w->path,
               n, w->n_images - w->done, w->n_images);
    TESS_TRY_NOTE(tess__check_on_host("writer_append", "part", part), "while writing %s", w->path);
    return TESS_OK;
}

tess_status tess_writer_append(tess_writer *writer, const tess_array *part)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    TESS_CHECK(writer, TESS_EARG, "writer_append: `writer` is `NULL`; a writer is required");
    TESS_CHECK(!writer->failed, TESS_EARG,
               "writer_append: %s: an earlier write failed; the writer can only be discarded", writer->path);
    TESS_TRY(tess__check_array("writer_append", "part", part));
    TESS_TRY(check_part(writer, part));
    if (part->dtype != writer->dtype) {
        const tess_array file = { .dtype = writer->dtype };
        TESS_TRY(tess__check_converts("writer_append", "the file", &file, part->dtype));
    }
    TESS_TRY(tess__sync("writer_append", tess_cpu())); /* of what may still be computed */
    const tess_status status = write_batches(writer, part, false);
    writer->failed = status != TESS_OK;
    TESS_TRY_NOTE(status, "writing %s", writer->path);
    writer->done += part->shape.b * part->shape.d;
    return TESS_OK;
}

tess_status tess__writer_measure(tess_writer *writer, const tess_array *in)
{
    TESS_TRY(write_batches(writer, in, true));
    tess__stats_take(writer->stats, &writer->meta);
    writer->stats_known = true;
    return TESS_OK;
}
