/* NPZ writer: one array appended image by image, or several arrays in one call. */
#include "io/npy/npz.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/device/memory.h"
#include "core/table/registry.h"
#include "core/device/stream.h"
#include "core/table/table.h"
#include "io/codec/crc32.h"
#include "io/zip/zip.h"
#include "io/file/byteswap.h"
#include "io/file/tiles.h"
#include "io/file/round.h"
#include "io/npy/header.h"

enum { TILE_BYTES = 1 << 20 /* bytes converted at a time */ };

/* "name.npy", to be freed. */
static tess_status member_name(char **name, const char *given, const char *file)
{
    const size_t n = strlen(given);
    *name = tess__alloc(n + 5);
    TESS_CHECK(*name, TESS_ENOMEM, "writer_open: %s: no memory for a name", file);
    memcpy(*name, given, n);
    memcpy(*name + n, ".npy", 5);
    return TESS_OK;
}

/* Convert images {n,1,h,w} tile by tile, and pass the bytes of the file on. */
static tess_status encode(const tess_array *images, tess_dtype dtype, bool swapped, const char *file,
                          tess_status (*hand_on)(void *context, const void *bytes, int64_t n), void *context)
{
    const int64_t size = tess__dtype_size(dtype);
    tess_status   status = TESS_OK;
    if (images->dtype == dtype && !swapped && tess_is_contiguous(images, 'C')) {
        TESS_TRY(hand_on(context, images->data, tess_n_bytes(images)));
        return TESS_OK;
    }
    void *buffer = tess__alloc(TILE_BYTES);
    TESS_CHECK(buffer, TESS_ENOMEM, "write: %s: no memory for a buffer", file);
    for (int64_t i = 0; i < images->shape.b; i++) {
        tess__image_tile p = { .h = images->shape.h, .w = images->shape.w, .max = TILE_BYTES / size };
        while (tess__image_tile_next(&p)) {
            const tess_array from = tess__image_tile_of(&p, images, i);
            tess_array       to = tess__image_tile_buffer(&p, buffer, dtype);
            TESS_GOTO(done, status, tess__cast_rounded(&to, &from));
            TESS_GOTO(done, status, tess__sync("write", tess_cpu()));
            if (swapped) TESS_GOTO(done, status, tess__byteswap(buffer, p.rows * p.columns, dtype));
            TESS_GOTO(done, status, hand_on(context, buffer, p.rows * p.columns * size));
        }
    }
done:
    tess__free(buffer);
    return status;
}

static tess_status put_bytes(void *zip, const void *bytes, int64_t n)
{
    TESS_TRY(tess__zip_put(zip, bytes, n));
    return TESS_OK;
}

/* ---- One array, appended image by image ---- */

static bool is_deflated(const tess_write_opts *o) { return o->compression == TESS_COMPRESSION_DEFLATE; }

static int64_t member_size(const tess_writer *w, int64_t header)
{
    const tess_shape *s = &w->shape;
    return header + s->b * s->d * s->h * s->w * tess__dtype_size(w->dtype);
}

static const char *member_of(const tess_writer *w) { return w->opts.member ? w->opts.member : "arr_0"; }

int64_t tess__npz_head(const tess_writer *w) { return tess__zip_header_max(member_of(w)) + (int64_t)strlen(".npy"); }

tess_status tess__npz_start(tess_writer *w)
{
    const char       *file = tess__sink_name(w->sink);
    unsigned char     header[TESS__NPY_MAX_HEADER];
    int64_t           n;
    char             *name = NULL;
    tess__zip_writer *zip = NULL;
    TESS_TRY(tess__npy_make(header, &n, file, w->shape, w->opts.rank, w->dtype, w->opts.big_endian != 0));
    TESS_TRY(member_name(&name, member_of(w), file));
    tess_status status = tess__zip_writer_new(&zip, w->sink, w->opts.level);
    w->state = zip;
    if (status == TESS_OK) status = tess__zip_begin(zip, name, member_size(w, n), is_deflated(&w->opts), NULL);
    if (status == TESS_OK) status = tess__zip_put(zip, header, n);
    tess__free(name);
    TESS_TRY(status);
    return TESS_OK;
}

tess_status tess__npz_append(tess_writer *w, const tess_array *images)
{
    TESS_TRY(encode(images, w->dtype, w->swapped, tess__sink_name(w->sink), put_bytes, w->state));
    return TESS_OK;
}

tess_status tess__npz_end(tess_writer *w)
{
    TESS_TRY(tess__zip_end_member(w->state, tess__sink_can_patch(w->sink)));
    TESS_TRY(tess__zip_end(w->state));
    return TESS_OK;
}

void tess__npz_drop(tess_writer *w)
{
    tess__zip_writer_free(w->state);
    w->state = NULL;
}

/* ---- Several arrays in one call ---- */

/* An array that is written to a member. */
typedef struct item {
    const tess_npz_entry *entry;
    tess_dtype            dtype;
    bool                  swapped;
    unsigned char         header[TESS__NPY_MAX_HEADER];
    int64_t               n_header;
} item;

static tess_status add_to_crc(void *crc, const void *bytes, int64_t n)
{
    *(uint32_t *)crc = tess__crc32(*(uint32_t *)crc, bytes, n);
    return TESS_OK;
}

/* All images of an array, batch by batch. */
static tess_status encode_array(const item *m, const char                                                 *file,
                                tess_status (*hand_on)(void *context, const void *bytes, int64_t n), void *context)
{
    const tess_array *a = m->entry->array;
    for (int64_t b = 0; b < a->shape.b; b++) {
        tess_array images = *a;
        images.data = (char *)a->data + b * a->strides.b * tess__dtype_size(a->dtype);
        images.shape = TESS_SHAPE(a->shape.d, 1, a->shape.h, a->shape.w);
        images.strides = TESS_STRIDES(a->strides.d, 0, a->strides.h, a->strides.w);
        TESS_TRY(encode(&images, m->dtype, m->swapped, file, hand_on, context));
    }
    return TESS_OK;
}

/* The checksum of a stored member precedes its bytes: they are converted twice. */
static tess_status write_item(tess__zip_writer *zip, const item *m, const char *name, const char *file, bool deflated)
{
    const int64_t size = m->n_header + tess_n_elements(m->entry->array) * tess__dtype_size(m->dtype);
    uint32_t      crc = tess__crc32(0, m->header, m->n_header);
    if (!deflated) TESS_TRY(encode_array(m, file, add_to_crc, &crc));
    TESS_TRY(tess__zip_begin(zip, name, size, deflated, deflated ? NULL : &crc));
    TESS_TRY(tess__zip_put(zip, m->header, m->n_header));
    TESS_TRY(encode_array(m, file, put_bytes, zip));
    TESS_TRY(tess__zip_end_member(zip, false));
    return TESS_OK;
}

static tess_status write_entry(tess__zip_writer *zip, const tess_npz_entry *entry, const char *file,
                               const tess_write_opts *o)
{
    item  m = { .entry = entry, .dtype = o->dtype ? (tess_dtype)o->dtype : entry->array->dtype };
    char *name = NULL;
    m.swapped = (o->big_endian != 0) == tess__is_little_endian();
    TESS_TRY(tess__npy_make(m.header, &m.n_header, file, entry->array->shape, 4, m.dtype, o->big_endian != 0));
    TESS_TRY(member_name(&name, entry->name, file));
    const tess_status status = write_item(zip, &m, name, file, is_deflated(o));
    tess__free(name);
    TESS_TRY(status);
    return TESS_OK;
}

static tess_status check_entries(const tess_npz_entry *entries, int64_t n)
{
    TESS_CHECK(n >= 0, TESS_EARG, "npz_write: `n` is %" PRId64 "; expected 0 or more", n);
    if (n > 0) TESS_TRY(tess__check_pointer("npz_write", "entries", entries));
    for (int64_t i = 0; i < n; i++) {
        TESS_TRY(tess__check_pointer("npz_write", "name of an entry", entries[i].name));
        TESS_TRY(tess__check_numbers("npz_write", entries[i].name, entries[i].array));
        TESS_TRY(tess__check_on_host("npz_write", entries[i].name, entries[i].array));
        for (int64_t k = 0; k < i; k++)
            TESS_CHECK(strcmp(entries[i].name, entries[k].name) != 0, TESS_EARG, "npz_write: duplicate name '%.60s'",
                       entries[i].name);
    }
    return TESS_OK;
}

static tess_status take_options(tess_write_opts *o, const tess_write_opts *opts)
{
    TESS_TRY(tess__error_under(tess__resolve(&tess__info_write, opts, o), "npz_write"));
    TESS_CHECK(!o->format || o->format == TESS_FORMAT_NPZ, TESS_EARG,
               "npz_write: `opts->format` is %" PRId32 "; only NPZ files hold several arrays", o->format);
    TESS_CHECK(!o->member, TESS_EARG, "npz_write: `opts->member` is '%.60s', but names come from the entries",
               o->member);
    if (o->dtype) TESS_TRY(tess__check_dtype("npz_write", "opts->dtype", (tess_dtype)o->dtype));
    TESS_CHECK(o->compression <= TESS_COMPRESSION_NONE || is_deflated(o), TESS_EARG,
               "npz_write: `opts->compression` is %" PRId32 "; members of NPZ files are stored or deflated",
               o->compression);
    return TESS_OK;
}

static tess_status write_entries(tess__sink *sink, const tess_npz_entry *entries, int64_t n, const tess_write_opts *o)
{
    tess__zip_writer *zip = NULL;
    tess_status       status = tess__zip_writer_new(&zip, sink, o->level);
    for (int64_t i = 0; i < n && status == TESS_OK; i++)
        status = write_entry(zip, &entries[i], tess__sink_name(sink), o);
    if (status == TESS_OK) status = tess__zip_end(zip);
    tess__zip_writer_free(zip);
    TESS_TRY(status);
    return TESS_OK;
}

static tess_status write_all(const char *path, const tess_npz_entry *entries, int64_t n, const tess_write_opts *o)
{
    tess__sink *sink = NULL;
    TESS_TRY(tess__sync("npz_write", tess_cpu())); /* what makes the arrays may still be at work */
    TESS_TRY(tess__sink_open(&sink, path, o->overwrite != 0, TESS_COMPRESSION_NONE, o->level, 0));
    if (o->no_sync) tess__sink_skip_sync(sink);
    const tess_status status = write_entries(sink, entries, n, o);
    if (status != TESS_OK) tess__sink_discard(sink);
    TESS_TRY(status);
    TESS_TRY(tess__sink_finish(sink));
    return TESS_OK;
}

tess_status tess_npz_write(const char *path, const tess_npz_entry *entries, int64_t n, const tess_write_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_write_opts o;
    TESS_TRY(take_options(&o, opts));
    TESS_TRY(tess__check_pointer("npz_write", "path", path));
    TESS_TRY(check_entries(entries, n));
    TESS_TRY(tess__error_under(write_all(path, entries, n, &o), "npz_write"));
    return TESS_OK;
}
