/* Strided reads of flat data: any region of a file that holds one array, into an array of any strides and dtype. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/dtype.h"
#include "core/device/memory.h"
#include "core/array/region.h"
#include "core/device/stream.h"
#include "io/file/byteswap.h"
#include "io/file/file.h"

enum {
    DIRECT = 4 << 20,   /* bytes read at a time straight into the array */
    BUFFERED = 1 << 18, /* bytes read at a time to be changed: they stay in the cache */
    SPARSE = 4          /* of rows of which less than 1 / SPARSE is wanted, only that is read */
};

/* One of the three outer axes of the file: which rows are wanted, and where they go. */
typedef struct outer {
    int64_t from, step, n; /* indices along the axis */
    int64_t size;          /* of the axis */
    int64_t file_rows;     /* rows of the file from one index to the next */
    int64_t stride;        /* bytes of the array from one index to the next */
} outer;

/* Rows of the file, and the array that they are read into. */
typedef struct plan {
    tess_file *file;
    outer      outer[3];        /* slowest first */
    int64_t    column, columns; /* the first of a row, and how many from there to the last that is wanted */
    int64_t    column_step;     /* 1 or more */
    int64_t    wanted;          /* columns, every column_step-th */
    int64_t    stride;          /* bytes of the array from one wanted column to the next */
    int64_t    element;         /* bytes of an element in the file */
    tess_dtype to;
    char      *data;                 /* of the array, for the first wanted element */
    bool       direct;               /* rows can be read into the array without a buffer */
    int64_t    rows, cuts;           /* rows of the last outer axis at a time; cuts of a row */
    int64_t    row_blocks, cut_size; /* blocks of the last outer axis; columns of a cut */
} plan;

/* ---- Planning ---- */

static void take_outer(plan *p, const tess__file_region *region, const tess_array *out)
{
    const tess__flat *flat = &p->file->flat;
    int64_t           file_rows = 1;
    for (int i = 2; i >= 0; i--) {
        const int a = flat->axis[i];
        p->outer[i] = (outer){ region->from[a], region->step[a],
                               region->n[a],    p->file->info.shape.dim[a],
                               file_rows,       out->strides.dim[a] * tess__dtype_size(out->dtype) };
        file_rows *= p->outer[i].size;
    }
}

/* Can two outer axes be merged? The inner is wanted whole, and the array is contiguous across it. */
static bool is_one(const outer *slow, const outer *fast)
{
    return fast->from == 0 && fast->step == 1 && fast->n == fast->size && slow->step == 1 &&
           slow->stride == fast->stride * fast->n;
}

static void merge(plan *p)
{
    outer *fast = &p->outer[2];
    for (int i = 1; i >= 0; i--) {
        outer *slow = &p->outer[i];
        if (slow->size == 1) continue;
        if (!is_one(slow, fast) || (i == 0 && p->file->flat.gap)) break;
        *fast = (outer){ slow->from * fast->size, 1,           slow->n * fast->n, slow->size * fast->size,
                         fast->file_rows,         fast->stride };
        *slow = (outer){ 0, 1, 1, 1, 0, 0 };
    }
}

/* A row from its first wanted column to its last. */
static void take_columns(plan *p, const tess__file_region *region, const tess_array *out)
{
    const int a = p->file->flat.axis[3];
    p->wanted = region->n[a];
    p->stride = out->strides.dim[a] * tess__dtype_size(out->dtype);
    p->column = region->from[a];
    p->column_step = region->step[a];
    p->columns = (p->wanted - 1) * p->column_step + 1;
}

static bool is_whole_row(const plan *p)
{
    return p->column == 0 && p->columns == p->file->info.shape.dim[p->file->flat.axis[3]];
}

static void cut(plan *p)
{
    const tess__flat *flat = &p->file->flat;
    outer            *rows = &p->outer[2];
    p->direct = !flat->decode && flat->dtype == p->to && p->column_step == 1 && p->stride == p->element;
    /* What is byte-swapped in place should still be in the cache. */
    const int64_t max_bytes = p->direct && !flat->swapped ? DIRECT : BUFFERED;
    const int64_t row = flat->row_bytes > 0 ? flat->row_bytes : 1;
    const bool    joined = !p->direct || (is_whole_row(p) && rows->stride == p->stride * p->columns);
    const int64_t max_rows = max_bytes / row;
    p->rows = rows->step == 1 && joined && max_rows > 1 ? (max_rows < rows->n ? max_rows : rows->n) : 1;
    p->row_blocks = (rows->n + p->rows - 1) / p->rows;
    /* A row that is longer than what is read at a time is cut between wanted columns. */
    const int64_t steps = max_bytes / (p->element * p->column_step);
    p->cut_size = flat->decode || p->rows > 1 ? p->wanted : steps < 1 ? 1 : steps < p->wanted ? steps : p->wanted;
    p->cuts = (p->wanted + p->cut_size - 1) / p->cut_size;
}

/* ---- Reading ---- */

/* Bytes of the file; with opts.salvage, bytes beyond its end are 0. */
static tess_status read_bytes(const tess_file *file, int64_t offset, void *bytes, int64_t n)
{
    int64_t got;
    TESS_TRY(tess__source_read(file->source, file->flat.offset + offset, bytes, n, &got));
    if (got == n) return TESS_OK;
    TESS_CHECK(file->opts.salvage, TESS_EFORMAT,
               "read: %s: the data are truncated at byte %" PRId64 " (`opts->salvage` reads what there is)",
               tess__source_name(file->source), file->flat.offset + offset + got);
    memset((char *)bytes + got, 0, (size_t)(n - got));
    return TESS_OK;
}

/* Some rows and columns of the last outer axis. */
typedef struct block {
    int64_t start; /* offset of the first row from that of the data */
    int64_t rows;
    int64_t column, columns; /* the first column, and how many there are to the last wanted one */
    int64_t wanted;
    char   *data; /* of the array */
} block;

static tess_status read_direct(const plan *p, const block *b)
{
    const int64_t offset = b->start + b->column * p->element;
    const int64_t n = b->rows * b->columns;
    TESS_TRY(read_bytes(p->file, offset, b->data, n * p->element));
    if (p->file->flat.swapped) TESS_TRY(tess__byteswap(b->data, n, p->to));
    return TESS_OK;
}

/* Elements in a buffer, `pitch` bytes from row to row, converted to where they go. */
static tess_status convert(const plan *p, const block *b, void *elements, int64_t pitch)
{
    const int64_t size = tess__dtype_size(p->to);
    tess_array    in = { .shape = TESS_SHAPE(1, 1, b->rows, b->wanted), .data = elements, .device = tess_cpu() };
    tess_array    out = in;
    in.dtype = p->file->flat.dtype;
    in.strides = (tess_strides){ { 0, 0, pitch / p->element, p->column_step } };
    out.dtype = p->to;
    out.data = b->data;
    out.strides = (tess_strides){ { 0, 0, p->outer[2].stride / size, p->stride / size } };
    if (in.dtype == out.dtype) TESS_TRY(tess_copy(&out, &in));
    else TESS_TRY(tess_cast(&out, &in, TESS_DTYPE_NONE, NULL));
    TESS_TRY(tess__sync("read", tess_cpu())); /* the buffer is used again */
    return TESS_OK;
}

/* Rows of elements as they are in memory, but for their byte order. */
static tess_status read_elements(const plan *p, const block *b, char *buffer)
{
    const int64_t row = p->file->flat.row_bytes, bytes = b->columns * p->element;
    const bool    together = b->rows == 1 || bytes * SPARSE >= row;
    const int64_t pitch = together ? row : bytes, start = b->start + b->column * p->element;
    if (together) TESS_TRY(read_bytes(p->file, start, buffer, (b->rows - 1) * row + bytes));
    for (int64_t r = 0; !together && r < b->rows; r++)
        TESS_TRY(read_bytes(p->file, start + r * row, buffer + r * bytes, bytes));
    if (p->file->flat.swapped)
        TESS_TRY(tess__byteswap_rows(buffer, b->rows, b->columns, pitch / p->element, p->file->flat.dtype));
    TESS_TRY(convert(p, b, buffer, pitch));
    return TESS_OK;
}

/* Rows that are decoded, into elements behind them in the buffer. */
static tess_status read_decoded(const plan *p, const block *b, char *buffer)
{
    const tess__flat *flat = &p->file->flat;
    const int64_t     raw_bytes = (b->rows * flat->row_bytes + 63) / 64 * 64, pitch = b->columns * p->element;
    TESS_TRY(read_bytes(p->file, b->start, buffer, b->rows * flat->row_bytes));
    for (int64_t r = 0; r < b->rows; r++)
        flat->decode((const unsigned char *)buffer + r * flat->row_bytes, b->column, b->columns,
                     buffer + raw_bytes + r * pitch, p->file);
    TESS_TRY(convert(p, b, buffer + raw_bytes, pitch));
    return TESS_OK;
}

static tess_status read_buffered(const plan *p, const block *b)
{
    const tess__flat *flat = &p->file->flat;
    const int64_t     raw_bytes = (b->rows * flat->row_bytes + 63) / 64 * 64;
    const int64_t     n = flat->decode ? raw_bytes + b->rows * b->columns * p->element
                                       : (b->rows > 1 ? raw_bytes : b->columns * p->element);
    char             *buffer = tess__alloc((size_t)n);
    TESS_CHECK(buffer, TESS_ENOMEM, "read: %s: no memory for %" PRId64 " bytes of a buffer",
               tess__source_name(p->file->source), n);
    const tess_status status = (flat->decode ? read_decoded : read_elements)(p, b, buffer);
    tess__free(buffer);
    TESS_TRY(status);
    return TESS_OK;
}

/* Task i: one cut of some rows at one index of the two slower axes; cuts are the fastest, so that bytes are read in
 * their order. */
static tess_status read_task(void *context, int64_t i)
{
    const plan   *p = context;
    const outer  *o = p->outer;
    const int64_t c = i % p->cuts, r = i / p->cuts % p->row_blocks, at = i / p->cuts / p->row_blocks;
    const int64_t index[3] = { at / o[1].n, at % o[1].n, r * p->rows };
    block         b = { .start = (o[0].from + index[0] * o[0].step) * p->file->flat.gap, .data = p->data };
    for (int k = 0; k < 3; k++) {
        b.start += (o[k].from + index[k] * o[k].step) * o[k].file_rows * p->file->flat.row_bytes;
        b.data += index[k] * o[k].stride;
    }
    const int64_t first = c * p->cut_size;
    b.rows = index[2] + p->rows <= o[2].n ? p->rows : o[2].n - index[2];
    b.wanted = first + p->cut_size <= p->wanted ? p->cut_size : p->wanted - first;
    b.column = p->column + first * p->column_step;
    b.columns = (b.wanted - 1) * p->column_step + 1;
    b.data += first * p->stride;
    TESS_TRY((p->direct ? read_direct : read_buffered)(p, &b));
    return TESS_OK;
}

/* The checksum of compressed data lies behind them: reading up to it checks it. A little more data than expected is
 * skipped on the way, but not an endless stream. */
static tess_status check_end(tess_file *file, const tess__file_region *region)
{
    int64_t end = file->flat.row_bytes, got;
    char    tail[1 << 14];
    for (int i = 0; i < 4; i++) {
        const int a = file->flat.axis[i];
        if (region->n[a] != file->info.shape.dim[a]) return TESS_OK;
        if (i < 3) end *= region->n[a];
    }
    end += file->flat.offset + (file->info.shape.dim[file->flat.axis[0]] - 1) * file->flat.gap;
    for (int i = 0; i < 64; i++, end += got) {
        TESS_TRY(tess__source_read(file->source, end, tail, sizeof tail, &got));
        if (got < (int64_t)sizeof tail) break;
    }
    return TESS_OK;
}

/* The same region of rows that lie in the file the other way round: both are reversed. */
static void reverse_rows(tess__file_region *region, tess_array *out, int64_t height)
{
    const int64_t last = region->n[2] - 1;
    region->from[2] = height - 1 - (region->from[2] + last * region->step[2]);
    out->data = (char *)out->data + last * out->strides.h * tess__dtype_size(out->dtype);
    out->strides.h = -out->strides.h;
}

static tess_status read_forward(tess_file *file, const tess__file_region *region, const tess_array *out)
{
    plan p = { .file = file, .element = tess__dtype_size(file->flat.dtype), .to = out->dtype, .data = out->data };
    take_outer(&p, region, out);
    take_columns(&p, region, out);
    if (is_whole_row(&p)) merge(&p);
    cut(&p);
    const bool shared = tess__source_is_shared(file->source);
    TESS_TRY(tess__parallel_tasks(p.outer[0].n * p.outer[1].n * p.row_blocks * p.cuts, shared ? tess_threads_get() : 1,
                                  read_task, &p));
    if (!shared) TESS_TRY(check_end(file, region));
    return TESS_OK;
}

tess_status tess__flat_read(tess_file *file, const tess__file_region *region, const tess_array *out)
{
    tess__file_region forward = *region;
    tess_array        array = *out;
    for (int k = 0; k < 4; k++)
        if (region->n[k] == 0) return TESS_OK;
    if (file->flat.reversed) reverse_rows(&forward, &array, file->info.shape.h);
    TESS_TRY(read_forward(file, &forward, &array));
    return TESS_OK;
}
