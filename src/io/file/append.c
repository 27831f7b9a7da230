/* Tiled writing of images: each tile is converted, added to the statistics, and written while it is in the cache. */
#include <inttypes.h>

#include "core/check.h"
#include "core/engine.h"
#include "core/error.h"
#include "core/memory.h"
#include "io/file/byteswap.h"
#include "io/file/stats.h"
#include "io/file/writer.h"

enum {
    PIECE = 1 << 16,       /* elements that stay in a cache from one step to the next */
    GROUP = 16 * PIECE,    /* elements of small images that are handled together */
    PIECES_OF_A_THREAD = 4 /* fewer are not worth another thread */
};

/* Images of a part, cut into pieces: some rows, or a part of one. */
typedef struct group {
    tess_writer      *writer;
    const tess_array *part;
    int64_t           first, n;   /* images, of b * d */
    int64_t           rows, cuts; /* rows of a piece; pieces that a row is cut into */
    int64_t           pieces;     /* of an image */
    bool              staged;     /* they are converted, or copied, before they are written */
    bool              ahead;      /* statistics are all that is wanted */
    int64_t           place;      /* in the file, of pieces that are written each by itself; -1: they are not */
    tess__tally      *tallies;    /* of each piece */
} group;

/* ---- Pieces ---- */

/* Image i of a group, as it was given. */
static tess_array given_image(const group *g, int64_t i)
{
    const tess_array *part = g->part;
    const int64_t     at = g->first + i, b = at / part->shape.d, d = at % part->shape.d;
    tess_array        image = *part;
    image.data = (char *)part->data + (b * part->strides.b + d * part->strides.d) * tess__dtype_size(part->dtype);
    image.shape = TESS_SHAPE(1, 1, part->shape.h, part->shape.w);
    return image;
}

/* Must images be changed before they are written? */
static bool needs_stage(const group *g)
{
    const tess_writer *w = g->writer;
    const tess_array   image = given_image(g, 0);
    return image.dtype != w->dtype || !tess_is_contiguous(&image, 'C') || (w->swapped && !w->format->append);
}

/* The same as it goes into the file. */
static tess_array ready_image(const group *g, int64_t i)
{
    if (!g->staged) return given_image(g, i);
    tess_array image = g->writer->staged;
    image.shape = TESS_SHAPE(1, 1, g->part->shape.h, g->part->shape.w);
    image.data = (char *)image.data + i * image.strides.b * tess__dtype_size(image.dtype);
    return image;
}

static tess_array piece_of(const group *g, const tess_array *image, int64_t i)
{
    const int64_t row = i / g->cuts * g->rows, column = i % g->cuts * PIECE;
    const int64_t rows = image->shape.h - row, columns = image->shape.w - column;
    tess_array    piece = *image;
    piece.shape = TESS_SHAPE(1, 1, rows < g->rows ? rows : g->rows, g->cuts > 1 && columns > PIECE ? PIECE : columns);
    piece.data =
        (char *)image->data + (row * image->strides.h + column * image->strides.w) * tess__dtype_size(image->dtype);
    return piece;
}

/* Elements one after the other, of the file's dtype. */
static tess_status stage(const tess_array *given, tess_array *ready)
{
    if (given->dtype == ready->dtype) TESS_TRY(tess_copy(ready, given));
    else TESS_TRY(tess_cast(ready, given, TESS_DTYPE_NONE, NULL));
    TESS_TRY(tess__sync("write", tess_cpu()));
    return TESS_OK;
}

/* NaNs of what is not converted are seen in the statistics, and counted only then. */
static tess_status count(const group *g, const tess_array *given, const tess_array *ready, tess__tally *tally)
{
    const tess_writer *w = g->writer;
    const bool         converted = given->dtype != w->dtype && !g->ahead;
    bool               nan = w->tally->has_nan;
    if (!w->tallied && converted) {
        TESS_TRY(tess__tally_converted(tally, given, ready));
        return TESS_OK;
    }
    if (!w->tallied) TESS_TRY(tess__tally_add(tally, ready, &nan));
    if (!g->ahead && (nan || converted)) TESS_TRY(tess__tally_losses(tally, given, w->dtype));
    return TESS_OK;
}

static tess_status handle_piece(void *context, int64_t i)
{
    const group       *g = context;
    const tess_writer *w = g->writer;
    const tess_array   from = given_image(g, i / g->pieces), to = ready_image(g, i / g->pieces);
    const tess_array   given = piece_of(g, &from, i % g->pieces);
    tess_array         ready = piece_of(g, &to, i % g->pieces);
    const int64_t      n = tess_n_elements(&ready), size = tess__dtype_size(w->dtype);
    if (g->staged) TESS_TRY(stage(&given, &ready));
    TESS_TRY(count(g, &given, &ready, &g->tallies[i]));
    if (g->ahead || w->format->append) return TESS_OK;
    if (w->swapped) TESS_TRY(tess__swap(ready.data, n, w->dtype));
    if (g->place < 0) return TESS_OK;
    const int64_t image = i / g->pieces * to.shape.h * to.shape.w * size;
    const int64_t place = g->place + image + ((char *)ready.data - (char *)to.data);
    TESS_TRY(tess__sink_write_at(w->sink, place, ready.data, n * size));
    return TESS_OK;
}

/* ---- Groups ---- */

/* Pieces that were not written: by the format, or one image after the other. */
static tess_status put(const group *g)
{
    tess_writer  *w = g->writer;
    tess_array    images = ready_image(g, 0);
    const int64_t bytes = tess_n_elements(&images) * tess__dtype_size(w->dtype);
    if (w->format->append) {
        images.shape.b = g->n;
        images.strides.b = g->staged ? w->staged.strides.b : g->part->strides.d;
        TESS_TRY(w->format->append(w, &images));
        return TESS_OK;
    }
    for (int64_t i = 0; i < g->n; i++) {
        images = ready_image(g, i);
        TESS_TRY(tess__sink_write(w->sink, images.data, bytes));
    }
    return TESS_OK;
}

/* The same cuts for all arrays of a shape, so that statistics do not depend on threads. */
static void cut(group *g)
{
    const int64_t h = g->part->shape.h, w = g->part->shape.w;
    g->cuts = w > PIECE ? (w + PIECE - 1) / PIECE : 1;
    g->rows = w > 0 && w < PIECE ? PIECE / w : 1;
    g->pieces = w == 0 ? 0 : (h + g->rows - 1) / g->rows * g->cuts;
}

/* Room for n images, used again and again. */
static tess_status make_stage(tess_writer *w, int64_t n)
{
    if (w->staged.data && w->staged.shape.b >= n) return TESS_OK;
    tess_release(&w->staged);
    TESS_TRY(tess_empty(&w->staged, TESS_SHAPE(n, 1, w->shape.h, w->shape.w), w->dtype, tess_cpu()));
    return TESS_OK;
}

static tess_status handle_group(group *g)
{
    tess_writer  *w = g->writer;
    const int64_t n = g->n * g->pieces, threads = tess_threads_get(), most = n / PIECES_OF_A_THREAD;
    tess_status   status = TESS_OK;
    if (g->staged) TESS_TRY(make_stage(w, g->n));
    g->tallies = tess__alloc((size_t)(n > 0 ? n : 1) * sizeof *g->tallies);
    TESS_CHECK(g->tallies, TESS_ENOMEM, "write: %s: no memory for %" PRId64 " statistics", w->path, n);
    for (int64_t i = 0; i < n; i++) g->tallies[i] = (tess__tally){ .n = 0 };
    const int64_t bytes = g->n * g->part->shape.h * g->part->shape.w * tess__dtype_size(w->dtype);
    g->place = g->ahead || w->format->append ? -1 : tess__sink_claim(w->sink, bytes);
    TESS_GOTO(done, status, tess__shares(n, (int)(threads < most ? threads : most), handle_piece, g));
    for (int64_t i = 0; i < n; i++) tess__tally_join(w->tally, &g->tallies[i]);
    if (!g->ahead && g->place < 0) TESS_GOTO(done, status, put(g));
done:
    tess__free(g->tallies);
    return status;
}

/* All images of an array in the order of the file; the planes of a coloured one together. */
static tess_status each_group(tess_writer *w, const tess_array *part, bool ahead)
{
    const int64_t n_images = part->shape.b * part->shape.d, image = part->shape.h * part->shape.w;
    const int64_t small = image > 0 && image < GROUP ? GROUP / image : 1;
    const int64_t most = w->opts.rgb ? part->shape.d : w->format->append ? 1 : small;
    group         g = { .writer = w, .part = part, .ahead = ahead };
    if (n_images == 0) return TESS_OK;
    g.staged = needs_stage(&g);
    cut(&g);
    for (; g.first < n_images; g.first += g.n) {
        g.n = most < n_images - g.first ? most : n_images - g.first;
        TESS_TRY(handle_group(&g));
    }
    return TESS_OK;
}

/* ---- Parts ---- */

static tess_status check_part(const tess_writer *w, const tess_array *part)
{
    char          have[TESS__SHAPE_TEXT], all[TESS__SHAPE_TEXT];
    const int64_t inside = w->shape.d ? w->done % w->shape.d : 0, n = part->shape.b * part->shape.d;
    const bool    whole = part->shape.d == w->shape.d && inside == 0;
    const bool    slab = part->shape.b == 1 && inside + part->shape.d <= w->shape.d && !w->opts.rgb;
    TESS_CHECK(part->shape.h == w->shape.h && part->shape.w == w->shape.w && (whole || slab), TESS_ESHAPE,
               "writer_append: %s: part has shape %s after %" PRId64
               " images; whole volumes, or sections of one, of %s are needed",
               w->path, tess__shape_text(have, part->shape.dim), w->done, tess__shape_text(all, w->shape.dim));
    TESS_CHECK(w->done + n <= w->n_images, TESS_ESHAPE,
               "writer_append: %s: part has %" PRId64 " images, but only %" PRId64 " of %" PRId64 " are left", w->path,
               n, w->n_images - w->done, w->n_images);
    TESS_TRY_NOTE(tess__check_on_host("writer_append", "part", part), "while writing %s", w->path);
    return TESS_OK;
}

tess_status tess_writer_append(tess_writer *writer, const tess_array *part)
{
    TESS_CHECK(writer, TESS_EARG, "writer_append: writer is NULL; a writer is needed");
    TESS_CHECK(!writer->failed, TESS_EARG, "writer_append: %s: writing failed before; the writer can only be discarded",
               writer->path);
    TESS_TRY(tess__check_array("writer_append", "part", part));
    TESS_TRY(check_part(writer, part));
    if (part->dtype != writer->dtype) {
        const tess_array file = { .dtype = writer->dtype };
        TESS_TRY(tess__check_converts("writer_append", "the file", &file, part->dtype));
    }
    TESS_TRY(tess__sync("writer_append", tess_cpu())); /* of what may still be computed */
    const tess_status status = each_group(writer, part, false);
    writer->failed = status != TESS_OK;
    TESS_TRY_NOTE(status, "writing %s", writer->path);
    writer->done += part->shape.b * part->shape.d;
    return TESS_OK;
}

tess_status tess__writer_tally_ahead(tess_writer *writer, const tess_array *in)
{
    TESS_TRY(each_group(writer, in, true));
    tess__tally_take(writer->tally, &writer->meta);
    writer->tallied = true;
    return TESS_OK;
}

/* ---- All at once ---- */

tess_status tess_write(const char *path, const tess_array *in, const tess_write_opts *opts)
{
    tess_writer *writer;
    TESS_TRY(tess__check_array("write", "in", in));
    TESS_TRY(tess__check_on_host("write", "in", in));
    TESS_TRY(tess__error_under(tess__writer_new(&writer, path, in->shape, in->dtype, opts, in), "write"));
    tess_status status = TESS_OK;
    TESS_GOTO(failed, status, tess__error_under(tess_writer_append(writer, in), "write"));
    TESS_TRY(tess__error_under(tess_writer_finish(writer), "write"));
    return TESS_OK;
failed:
    tess_writer_discard(writer);
    return status;
}
