/* Stream compaction by a mask, in b, d, h, w order: counts by block, their prefix sum, then compress or expand. */
#include <inttypes.h>

#include "core/device/cancel.h"
#include "core/dtype.h"
#include "cpu/convert/convert.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/stream.h"

enum { BLOCK = TESS__MASK_BLOCK };

/* Estimated nanoseconds an element. */
#define COST 1.0

typedef struct masked {
    const tess__mask *work;
    tess__loop        loop;   /* operands: array, mask */
    int64_t          *starts; /* of each block among the chosen elements, and their total */
    tess__conversion  conversion;
    bool              direct; /* mask elements are bytes */
    int64_t           size;   /* bytes of an element of the array */
} masked;

/* Elements of a row, and the bytes of their mask, contiguous. */
typedef struct mask_run {
    char          *at;
    int64_t        stride; /* bytes */
    const uint8_t *mask;
    int64_t        n;
} mask_run;

/* The run that begins with element number `first` and ends with its row, or before `last`. */
static mask_run run_at(const masked *m, int64_t first, int64_t last, uint8_t *buffer)
{
    const tess__loop *loop = &m->loop;
    const int         row = loop->n_dims - 1;
    int64_t           remainder = first;
    char             *p[2] = { loop->data[0], loop->data[1] };
    const int64_t     left = loop->shape[row] - first % loop->shape[row];
    mask_run e = { .stride = loop->stride[0][row] * loop->size[0], .n = left < last - first ? left : last - first };
    for (int d = row; d >= 0; d--) {
        const int64_t index = remainder % loop->shape[d];
        remainder /= loop->shape[d];
        for (int k = 0; k < 2; k++) p[k] += index * loop->stride[k][d] * loop->size[k];
    }
    e.at = p[0];
    if (m->direct && loop->stride[1][row] == 1) {
        e.mask = (const uint8_t *)p[1];
        return e;
    }
    const int64_t strides[2] = { 1, loop->stride[1][row] };
    char *const   q[2] = { (char *)buffer, p[1] };
    m->conversion.row(q, strides, e.n, &m->conversion);
    e.mask = buffer;
    return e;
}

static int64_t end_of(const masked *m, int64_t block)
{
    return (block + 1) * BLOCK < m->loop.n ? (block + 1) * BLOCK : m->loop.n;
}

/* ---- Counting ---- */

static void count_blocks(void *context, int64_t first, int64_t last)
{
    const masked *m = context;
    uint8_t       buffer[BLOCK];
    for (int64_t block = first; block < last; block++) {
        int64_t count = 0;
        for (int64_t at = block * BLOCK; at < end_of(m, block);) {
            const mask_run e = run_at(m, at, end_of(m, block), buffer);
            count += tess__cpu_kernels()->index.count_set(e.mask, e.n);
            at += e.n;
        }
        m->starts[block] = count;
    }
}

static void add_up(int64_t *starts, int64_t blocks)
{
    int64_t total = 0;
    for (int64_t block = 0; block <= blocks; block++) {
        const int64_t count = block < blocks ? starts[block] : 0;
        starts[block] = total;
        total += count;
    }
}

/* ---- Compress and expand ---- */

static void compress_blocks(void *context, int64_t first, int64_t last)
{
    const masked      *m = context;
    const tess__mask  *work = m->work;
    tess__compress_fn *compress = tess__cpu_kernels()->index.compress[tess__size_class(m->size)];
    uint8_t            buffer[BLOCK];
    for (int64_t block = first; block < last; block++) {
        int64_t start = m->starts[block];
        for (int64_t at = block * BLOCK; start < m->starts[block + 1];) {
            const mask_run e = run_at(m, at, end_of(m, block), buffer);
            const int64_t  capacity = m->starts[block + 1] - start;
            int64_t        n = 0;
            if (work->values.data)
                n = compress((char *)work->values.data + start * m->size, capacity, e.at, e.stride, e.mask, e.n,
                             m->size);
            if (work->indices.data)
                n = tess__cpu_kernels()->index.indices((int64_t *)work->indices.data + start, at, e.mask, e.n);
            start += n;
            at += e.n;
        }
    }
}

static void expand_blocks(void *context, int64_t first, int64_t last)
{
    const masked    *m = context;
    tess__expand_fn *expand = tess__cpu_kernels()->index.expand[tess__size_class(m->size)];
    uint8_t          buffer[BLOCK];
    for (int64_t block = first; block < last && m->work->same; block++) {
        for (int64_t at = block * BLOCK; at < end_of(m, block);) {
            const mask_run e = run_at(m, at, end_of(m, block), buffer);
            (void)expand(e.at, e.stride, m->work->values.data, e.mask, e.n, m->size);
            at += e.n;
        }
    }
    for (int64_t block = first; block < last && !m->work->same; block++) {
        const char *from = (const char *)m->work->values.data + m->starts[block] * m->size;
        const char *end = (const char *)m->work->values.data + m->starts[block + 1] * m->size;
        for (int64_t at = block * BLOCK; from < end;) {
            const mask_run e = run_at(m, at, end_of(m, block), buffer);
            from += expand(e.at, e.stride, from, e.mask, e.n, m->size) * m->size;
            at += e.n;
        }
    }
}

/* ---- Entry ---- */

static tess_status check_number(const masked *m, int64_t chosen)
{
    const int64_t n = m->work->values.shape.w;
    TESS_CHECK(chosen == n, TESS_ESHAPE,
               "%s: `values` has %" PRId64 " elements and the mask selects %" PRId64 "; the numbers must be equal",
               m->work->name, n, chosen);
    return TESS_OK;
}

tess_status tess__cpu_mask(const tess__mask *work)
{
    const tess_array *operands[2] = { &work->array, &work->mask };
    masked            m = { .work = work, .starts = work->counts.data, .size = tess__dtype_size(work->array.dtype) };
    tess__plan_in_order(&m.loop, work->array.shape, operands, 2);
    m.direct = work->mask.dtype == TESS_BOOL;
    if (m.direct) m.conversion.row = tess__cpu_kernels()->memory.copy[0];
    else m.conversion = tess__conversion_of(work->mask.dtype, TESS_BOOL, TESS__CLAMP, TESS_PART_ABS);
    const int64_t blocks = (m.loop.n + BLOCK - 1) / BLOCK, grain = tess__grain(blocks, COST * BLOCK);
    if (work->kind == TESS__MASK_COUNT) {
        tess__parallel(blocks, grain, count_blocks, &m);
        if (tess__cancelled()) return TESS_OK;
        add_up(m.starts, blocks);
        if (work->total) *work->total = m.starts[blocks];
    } else if (work->kind == TESS__MASK_COMPRESS) {
        tess__parallel(blocks, grain, compress_blocks, &m);
    } else {
        if (!work->same) TESS_TRY(check_number(&m, m.starts[blocks]));
        tess__parallel(blocks, grain, expand_blocks, &m);
    }
    return TESS_OK;
}
