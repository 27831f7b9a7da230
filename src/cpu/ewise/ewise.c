/* Element-wise work on the CPU: copies, fills, casts, byte swaps and operators, each as a row kernel over the loop. */
#include <string.h>

#include "cpu/convert/convert.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "cpu/memory/loops.h"
#include "cpu/memory/row_copy.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/stream.h"
#include "cpu/tuning.h"

/* ---- Copy ---- */

static void transpose_tiles(void *context, int64_t first, int64_t last)
{
    const tess__transpose *t = context;
    tess__cpu_kernels()->memory.transpose[tess__size_class(t->size)](t, first, last);
    if (t->nt) tess__stores_done();
}

/* Tiled transpose between layouts whose innermost dimensions differ; false if these do not. */
static bool copy_tiles(const tess__loop *loop)
{
    if (loop->n_dims < 2 || tess__size_class(loop->size[0]) == TESS__ANY_SIZE) return false;
    tess__transpose t = { .out = loop->data[0],
                          .in = loop->data[1],
                          .n = loop->n_dims,
                          .size = (int)loop->size[0],
                          .nt = TESS__HAVE_NT_STORES && loop->n * loop->size[0] >= TESS__NT_MIN_BYTES };
    for (int d = 0; d < loop->n_dims; d++) {
        t.shape[d] = loop->shape[d];
        t.so[d] = loop->stride[0][d];
        t.si[d] = loop->stride[1][d];
    }
    if (!tess__transpose_plan(&t)) return false;
    const double bytes = 2.0 * (double)loop->n * (double)loop->size[0];
    tess__parallel(t.n_tiles, tess__grain(t.n_tiles, bytes * 2 * TESS__BYTE_NS / (double)t.n_tiles), transpose_tiles,
                   &t);
    return true;
}

/* Loop interchange for copies of whole rows: reads must be sequential, since the hardware prefetcher follows a few
 * streams, not hundreds, while the order of writes matters less. So the dimension with the input's smallest stride
 * becomes the innermost of those around the row. (Inlined, gcc 13 takes the loop for uninitialised.) */
__attribute__((noinline)) static void follow_input(tess__loop *loop)
{
    enum { STREAMS = 16, MIN_ROW = 256 /* bytes */ };
    const int row = loop->n_dims - 1;
    int       next = 0;
    int64_t   streams = 1;
    for (int d = 1; d < row; d++)
        if (loop->stride[1][d] < loop->stride[1][next] && loop->stride[1][d] > 0) next = d;
    for (int d = next + 1; d < row; d++) streams *= loop->shape[d];
    if (loop->shape[row] * loop->size[0] < MIN_ROW || streams <= STREAMS) return;
    for (int d = next; d + 1 < row; d++) {
        const int64_t shape = loop->shape[d], so = loop->stride[0][d], si = loop->stride[1][d];
        loop->shape[d] = loop->shape[d + 1], loop->shape[d + 1] = shape;
        loop->stride[0][d] = loop->stride[0][d + 1], loop->stride[0][d + 1] = so;
        loop->stride[1][d] = loop->stride[1][d + 1], loop->stride[1][d + 1] = si;
    }
}

/* Rows that are contiguous in both. */
typedef struct whole_rows {
    const tess__loop *loop;
    int64_t           n, bytes; /* rows in all; bytes of one */
    int64_t           reach;    /* prefetch distance in rows; 0: none */
} whole_rows;

/* Where row number `row` begins in operand k. Of the `n` that are wanted, those remain that follow at equal steps. */
static char *find_rows(const tess__loop *loop, int k, int64_t row, int64_t *n)
{
    const int     around = loop->n_dims - 2;
    const int64_t n_around = loop->shape[around];
    int64_t       outer = row / n_around, at = row % n_around;
    if (*n > n_around - at) *n = n_around - at;
    at *= loop->stride[k][around];
    for (int d = around - 1; d >= 0; d--) {
        at += outer % loop->shape[d] * loop->stride[k][d];
        outer /= loop->shape[d];
    }
    return loop->data[k] + at * loop->size[k];
}

/* As few instructions as possible around the copy, since rows may have only a few hundred bytes. */
static void copy_whole_rows(void *context, int64_t first, int64_t last)
{
    const whole_rows *w = context;
    const tess__loop *loop = w->loop;
    const int         around = loop->n_dims - 2;
    const int64_t step_out = loop->stride[0][around] * loop->size[0], step_in = loop->stride[1][around] * loop->size[1];
    for (int64_t done = first; done < last;) {
        const bool  fetches = w->reach > 0 && done + w->reach < w->n;
        int64_t     n = last - done;
        char       *out = find_rows(loop, 0, done, &n);
        const char *in = find_rows(loop, 1, done, &n);
        const char *later = fetches ? find_rows(loop, 1, done + w->reach, &n) : NULL;
        for (int64_t i = 0; i < n; i++, out += step_out, in += step_in)
            tess__copy_prefetch(out, in, later ? later + i * step_in : NULL, w->bytes);
        done += n;
    }
}

static void copy_rows(const tess__loop *loop)
{
    const int     row = loop->n_dims - 1;
    const int64_t n = loop->n / loop->shape[row], bytes = loop->shape[row] * loop->size[0];
    whole_rows    w = { .loop = loop, .n = n, .bytes = bytes };
    if (n * bytes >= TESS__PREFETCH_MIN_BYTES && bytes <= TESS__PREFETCH_MAX_BYTES)
        w.reach = TESS__PREFETCH_BYTES / bytes + 1;
    tess__parallel(n, tess__grain(n, 2 * TESS__BYTE_NS * (double)bytes), copy_whole_rows, &w);
}

void tess__cpu_copy(const tess__loop *given)
{
    if (given->data[0] == given->data[1]) return; /* the only overlap that is allowed: the same view */
    if (copy_tiles(given)) return;
    tess__loop        reordered;
    const tess__loop *loop = given;
    if (given->n_dims > 2) {
        reordered = *given;
        follow_input(&reordered);
        loop = &reordered;
    }
    const int           row = loop->n_dims - 1;
    const tess__element element = { .size = loop->size[0] };
    const bool          contiguous = loop->stride[0][row] == 1 && loop->stride[1][row] == 1;
    const double        cost = 2 * TESS__BYTE_NS * (double)element.size;
    if (row > 0 && contiguous && loop->n / loop->shape[row] > 64) {
        if (!tess__copy_nt(loop, cost)) copy_rows(loop);
    } else {
        tess__run_rows(loop, tess__cpu_kernels()->memory.copy[tess__size_class(element.size)], &element, cost);
    }
}

/* ---- Cast ---- */

static void cast(const tess__ewise *work)
{
    const int              mode = work->mode == TESS_CAST_WRAP ? TESS__WRAP : TESS__CLAMP;
    const tess__conversion c = tess__conversion_of(work->from, work->to, mode, work->part);
    const double           cost = 0.3 + TESS__BYTE_NS * (double)(work->loop.size[0] + work->loop.size[1]);
    if (!tess__run_packed(&work->loop, c.row, &c, cost) && !tess__run_nt(&work->loop, c.row, &c, cost))
        tess__run_rows(&work->loop, c.row, &c, cost);
}

/* ---- Entry ---- */

static tess_status run_one(const tess__ewise *work)
{
    if (work->loop.n == 0) return TESS_OK;
    if (work->kind == TESS__COPY) {
        tess__cpu_copy(&work->loop);
    } else if (work->kind == TESS__FILL) {
        const int64_t       size = work->param.element.size;
        tess__row_fn *const row = tess__cpu_kernels()->memory.fill[tess__size_class(size)];
        if (!tess__run_nt(&work->loop, row, &work->param.element, TESS__BYTE_NS * (double)size))
            tess__run_rows(&work->loop, row, &work->param.element, TESS__BYTE_NS * (double)size);
    } else if (work->kind == TESS__SWAP) {
        const int64_t size = work->loop.size[0];
        tess__run_rows(&work->loop, tess__cpu_kernels()->convert.swap[tess__size_class(size)], NULL,
                       2 * TESS__BYTE_NS * (double)size);
    } else if (work->kind == TESS__CAST) {
        if (work->mode == TESS_CAST_EXACT) TESS_TRY(tess__check_lossless(work));
        cast(work);
    } else {
        tess__cpu_apply(work);
    }
    return TESS_OK;
}

static inline tess_status run(const void *payload, size_t size)
{
    const tess__ewise *work = payload;
    for (size_t i = 0; i < size / sizeof *work; i++) TESS_TRY(run_one(&work[i]));
    return TESS_OK;
}

static void buffers(const void *payload, size_t size, void (*each)(tess_buffer *))
{
    const tess__ewise *work = payload;
    for (size_t i = 0; i < size / sizeof *work; i++)
        for (int k = 0; k < work[i].loop.n_operands; k++) each(work[i].loop.buffer[k]);
}

tess_status tess__cpu_ewise(tess_stream *stream, const tess__ewise *work, int n)
{
    return tess__submit(stream, work->name, run, work, (size_t)n * sizeof *work, buffers);
}
