/* File writers: options, creation, statistics and completion of a file that is written array by array. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/float_env.h"
#include "core/device/memory.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "io/file/byteswap.h"
#include "io/file/file.h"
#include "io/file/names.h"
#include "io/file/write/stats.h"

static const tess_choice formats[] = {
#define READ(ID, name, reading)
#define READ_WRITE(ID, name, reading, writing) { #name, TESS_FORMAT_##ID, writing },
#include "io/file/formats.def"
    { NULL, 0, NULL },
};
static const tess_choice compressions[] = {
    { "none", TESS_COMPRESSION_NONE, "uncompressed" },
    { "gzip", TESS_COMPRESSION_GZIP, "the whole file" },
    { "bzip2", TESS_COMPRESSION_BZIP2, "the whole file" },
    { "deflate", TESS_COMPRESSION_DEFLATE, "inside: TIFF, NPZ, PNG" },
    { "lzw", TESS_COMPRESSION_LZW, "inside: TIFF" },
    { "zstd", TESS_COMPRESSION_ZSTD, "inside: TIFF" },
    { NULL, 0, NULL },
};
static const tess_choice bytes[] = {
    { "signed", TESS_BYTES_SIGNED, "i8 in mode 0, u8 in mode 6" },
    { "unsigned", TESS_BYTES_UNSIGNED, "u8 in mode 0, with IMOD's stamp" },
    { NULL, 0, NULL },
};

static const tess_arg_info args[] = {
    TESS__NEED(TESS_ARG_PATH, "path", "name of the file"),
    TESS__IN("in", "array to write; any strides"),
    TESS__OPT_CHOICE(tess_write_opts, format, 0, formats, "file format [from the extension]"),
    TESS__OPT_DTYPE(tess_write_opts, dtype,
                    "dtype in the file [that of the array, or the nearest that the format supports]"),
    TESS__OPT_CHOICE(tess_write_opts, compression, 0, compressions, "compression [from the file name]"),
    TESS__OPT_I32(tess_write_opts, level, "", 6, 1, 9, "compression level"),
    TESS__FLAG(tess_write_opts, overwrite, "overwrite an existing file"),
    TESS__FLAG(tess_write_opts, big_endian, "MRC, NPY, SPIDER, HDF5, raw: big-endian byte order"),
    TESS__OPT_CHOICE(tess_write_opts, bytes, TESS_BYTES_SIGNED, bytes, "MRC: how u8 elements are stored"),
    TESS__FLAG(tess_write_opts, compat_imod, "MRC: set MZ = NZ for stacks too"),
    TESS__FLAG(tess_write_opts, keep_rows, "TIFF, PNG: write row 0 as the top row"),
    TESS__FLAG(tess_write_opts, rgb, "PNG, TIFF: write {n,3,h,w} of u8 as red, green and blue planes"),
    TESS__OPT_TEXT(tess_write_opts, member, "NPZ: name of the array [arr_0]"),
    TESS__OPT_TEXT(tess_write_opts, label, "MRC: label to add; SPIDER: title [none]"),
    TESS__FIELD(tess_write_opts, meta, const tess_meta *, TESS_ARG_META, 0, 0, 0, NULL, "",
                "metadata of the array, such as the pixel size [none]"),
    TESS__OPT_I32(tess_write_opts, rank, "axes", 4, 1, 4,
                  "NPY, NPZ: number of axes in the file, the last ones of the array"),
    TESS__FLAG(tess_write_opts, no_sync, "do not wait until the file is on disk"),
};
TESS__CALL(write, v[0].text, v[1].in, opts)
const tess_function_info tess__info_write =
    TESS__OP_OPTS(TESS_CUT_NONE, write, "io", "Write an array to a file.", args, tess_write_opts);

/* ---- Beginning ---- */

static tess_status check_meta(const tess_meta *meta)
{
    static const tess_meta zero;
    TESS_CHECK(meta->n_labels >= 0 && meta->n_labels <= 10, TESS_ERANGE,
               "writer_open: `opts->meta->n_labels` is %" PRId32 "; 0 to 10 are allowed", meta->n_labels);
    TESS_CHECK(meta->extended_size >= 0 && meta->extended_size <= INT32_MAX, TESS_ERANGE,
               "writer_open: `opts->meta->extended_size` is %" PRId64 "; 0 to 2147483647 bytes are allowed",
               meta->extended_size);
    TESS_CHECK(memcmp(meta->unused, zero.unused, sizeof meta->unused) == 0, TESS_EARG,
               "writer_open: `opts->meta->unused` is not 0; zero the struct before setting fields");
    TESS_CHECK(memcmp(meta->reserved, zero.reserved, sizeof meta->reserved) == 0, TESS_EARG,
               "writer_open: `opts->meta->reserved` is not 0; zero the struct before setting fields");
    return TESS_OK;
}

/* Copies of what the caller's options point to. */
static tess_status keep_meta(tess_writer *w)
{
    const tess_meta *meta = w->opts.meta;
    if (!meta) return TESS_OK;
    TESS_TRY(check_meta(meta));
    w->meta = *meta;
    w->meta.extended = NULL;
    w->meta.stats = 0;
    if (!meta->extended || meta->extended_size == 0) {
        w->meta.extended_size = 0;
        return TESS_OK;
    }
    void *copy = tess__alloc((size_t)meta->extended_size);
    TESS_CHECK(copy, TESS_ENOMEM, "writer_open: %s: no memory for %" PRId64 " bytes of extended header", w->path,
               meta->extended_size);
    memcpy(copy, meta->extended, (size_t)meta->extended_size);
    w->meta.extended = copy;
    return TESS_OK;
}

static tess_status keep_texts(tess_writer *w, const char *word)
{
    const char  *label = w->opts.label, *member = w->opts.member ? w->opts.member : word;
    const size_t n_label = label ? strlen(label) + 1 : 0, n_member = member ? strlen(member) + 1 : 0;
    w->opts.meta = &w->meta;
    if (n_label + n_member == 0) return TESS_OK;
    w->texts = tess__alloc(n_label + n_member);
    TESS_CHECK(w->texts, TESS_ENOMEM, "writer_open: %s: no memory for its names", w->path);
    if (label) w->opts.label = memcpy(w->texts, label, n_label);
    if (member) w->opts.member = memcpy(w->texts + n_label, member, n_member);
    return TESS_OK;
}

static tess_status choose_format(tess_writer *w, const tess__name *name)
{
    char names[TESS__FORMAT_NAMES];
    w->format = w->opts.format ? tess__format_of_id((tess_file_format)w->opts.format) : name->format;
    TESS_CHECK(w->format, TESS_EARG, "writer_open: %s: unknown extension \"%s\"; writable formats: %s", w->path,
               name->extension, tess__format_names(names, true));
    TESS_CHECK(w->format->start, TESS_EUNSUPPORTED, "writer_open: %s: %s files cannot be written; writable formats: %s",
               w->path, w->format->name, tess__format_names(names, true));
    if (!w->opts.compression && name->compression != TESS_COMPRESSION_NONE)
        w->opts.compression = (int32_t)name->compression; /* else DEFAULT: as the format likes it */
    const tess_compression c = (tess_compression)w->opts.compression;
    const bool             inside = c > TESS_COMPRESSION_BZIP2;
    TESS_CHECK(!inside || (w->format->supports && w->format->supports(c)), TESS_EUNSUPPORTED,
               "writer_open: %s: `opts->compression` is %s, which is not supported for %s files", w->path,
               compressions[c - 1].name, w->format->name);
    const bool whole = w->opts.compression == TESS_COMPRESSION_GZIP || w->opts.compression == TESS_COMPRESSION_BZIP2;
    TESS_CHECK(!whole || w->format->whole_compression, TESS_EARG,
               "writer_open: %s: %s files cannot be compressed by %s", w->path, w->format->name,
               compressions[c - 1].name);
    return TESS_OK;
}

static tess_status check_kind(const tess_writer *w)
{
    char text[TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_shape("writer_open", "shape", w->shape, w->given));
    TESS_TRY(tess__check_dtype("writer_open", "dtype", w->given));
    if (w->opts.dtype) TESS_TRY(tess__check_dtype("writer_open", "opts->dtype", (tess_dtype)w->opts.dtype));
    TESS_CHECK(!w->opts.rgb || (w->shape.d == 3 && w->dtype == TESS_U8), TESS_ESHAPE,
               "writer_open: %s: `opts->rgb` needs {n,3,h,w} of u8, not %s of %s", w->path,
               tess__shape_text(text, w->shape.dim), tess_dtype_name(w->dtype));
    return TESS_OK;
}

void tess__writer_add_note(tess_writer *writer, const char *text)
{
    const size_t n = strlen(writer->note);
    (void)snprintf(writer->note + n, sizeof writer->note - n, "%s%s", n ? "; " : "", text);
}

static tess_status begin(tess_writer *w, const tess__name *name, const tess_array *in)
{
    TESS_TRY(keep_meta(w));
    TESS_TRY(keep_texts(w, name->member ? name->word : NULL));
    TESS_TRY(choose_format(w, name));
    TESS_TRY(check_kind(w));
    if (!w->opts.dtype && w->format->nearest) w->dtype = w->format->nearest(w, w->given);
    w->stats = tess__alloc(sizeof *w->stats);
    TESS_CHECK(w->stats, TESS_ENOMEM, "writer_open: %s: no memory to write a file", w->path);
    *w->stats = (tess__stats){ .n = 0 };
    const int64_t head = w->format->head ? w->format->head(w) : 0;
    TESS_TRY(tess__sink_open(&w->sink, w->path, w->opts.overwrite, (tess_compression)w->opts.compression, w->opts.level,
                             head));
    if (w->opts.no_sync) tess__sink_skip_sync(w->sink);
    if (in && head > 0 && !tess__sink_can_patch(w->sink)) TESS_TRY(tess__writer_measure(w, in));
    TESS_TRY(w->format->start(w));
    if (w->meta.extended && w->meta.extended_size && w->format->id != TESS_FORMAT_MRC) {
        char text[100];
        (void)snprintf(text, sizeof text, "a %s file cannot hold the extended header, which was dropped",
                       w->format->name);
        tess__writer_add_note(w, text);
    }
    return TESS_OK;
}

tess_status tess__writer_new(tess_writer **writer, const char *path, tess_shape shape, tess_dtype dtype,
                             const tess_write_opts *opts, const tess_array *in)
{
    tess_write_opts o;
    tess__name      name;
    TESS_TRY(tess__resolve(&tess__info_write, opts, &o));
    TESS_TRY(tess__name_take(&name, "writer_open", path));
    tess_writer *w = tess__alloc(sizeof *w);
    if (!w) {
        tess__free(name.path);
        TESS_FAIL(TESS_ENOMEM, "writer_open: %s: no memory to write a file", path);
    }
    *w = (tess_writer){ .opts = o, .path = name.path, .shape = shape, .given = dtype };
    w->dtype = o.dtype ? (tess_dtype)o.dtype : dtype;
    w->swapped = (bool)o.big_endian == tess__is_little_endian();
    w->n_images = shape.b * shape.d;
    const tess_status status = begin(w, &name, in);
    if (status != TESS_OK) tess_writer_discard(w);
    else *writer = w;
    TESS_TRY(status);
    return TESS_OK;
}

tess_status tess_writer_open(tess_writer **writer, const char *path, tess_shape shape, tess_dtype dtype,
                             const tess_write_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS_CHECK(writer, TESS_EARG, "writer_open: `writer` is `NULL`; a pointer that receives the writer is required");
    TESS_TRY(tess__writer_new(writer, path, shape, dtype, opts, NULL));
    return TESS_OK;
}

/* ---- The end ---- */

void tess_writer_stats(tess_meta *stats, int64_t *n_clamped, int64_t *n_nan, const tess_writer *writer)
{
    TESS__FLOAT_SCOPE();
    if (!writer) return;
    if (stats) tess__stats_take(writer->stats, stats);
    if (n_clamped) *n_clamped = writer->stats->n_clamped + writer->stats->n_infinite;
    if (n_nan) *n_nan = writer->stats->n_nan;
}

int64_t tess_writer_rounded(const tess_writer *writer) { return writer ? writer->stats->n_rounded : 0; }

const char *tess_writer_note(const tess_writer *writer) { return writer ? writer->note : ""; }

static tess_status complete(tess_writer *w)
{
    TESS_CHECK(w->done == w->n_images, TESS_ESHAPE,
               "writer_finish: %s: %" PRId64 " of %" PRId64 " images were written; the file is incomplete", w->path,
               w->done, w->n_images);
    tess__stats_take(w->stats, &w->meta);
    if (w->format->end) TESS_TRY(w->format->end(w));
    tess__sink *sink = w->sink;
    w->sink = NULL;
    TESS_TRY(tess__sink_finish(sink));
    return TESS_OK;
}

tess_status tess_writer_finish(tess_writer *writer)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    TESS_CHECK(writer, TESS_EARG, "writer_finish: `writer` is `NULL`; a writer is required");
    const tess_status status = complete(writer);
    tess_writer_discard(writer);
    TESS_TRY(status);
    return TESS_OK;
}

void tess_writer_discard(tess_writer *writer)
{
    if (!writer) return;
    if (writer->format && writer->format->drop) writer->format->drop(writer);
    tess__sink_discard(writer->sink);
    tess_release(&writer->packed);
    tess__free((void *)(uintptr_t)writer->meta.extended);
    tess__free(writer->stats);
    tess__free(writer->texts);
    tess__free(writer->path);
    tess__free(writer);
}
