/* Packing: inputs that lie across the output's rows, transposed by blocks into rows on the stack.
 *
 * Walking such an input along the output's rows would touch a new cache line with every element and use a few bytes of
 * it. A block takes whole lines, and the kernel then sees contiguous rows.
 */
#include "cpu/memory/loops.h"

#include "core/layout.h"
#include "cpu/isa.h"
#include "cpu/memory/row_copy.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"

enum {
    ROW = 256,           /* elements of a block's row */
    BLOCK_BYTES = 32768, /* of one operand */
    MAX_PACKED = 4,
    MIN_ELEMENTS = 1024 /* below, a strided walk is as fast */
};

typedef struct packing {
    const tess__loop *loop;
    tess__row_fn     *row;
    const void       *param;
    int               across;                      /* the dimension in which packed inputs are contiguous, or almost */
    int64_t           n_rows;                      /* of a block */
    int64_t           blocks_along, blocks_across; /* in the inner dimension and in `across` */
    int               n_packed;
    int               packed[MAX_PACKED]; /* operands */
    bool              gathers, nt;        /* blocks of the output are computed on the stack; and written by nt stores */
} packing;

typedef struct block {
    char   *at[TESS__MAX_OPERANDS];
    int64_t n_rows, length;
} block;

/* The dimension in which operand k has its smallest stride, if that is not the inner one; else -1. */
static int dimension_across(const tess__loop *loop, int k)
{
    const int inner = loop->n_dims - 1;
    int       best = inner;
    if (loop->stride[k][inner] == 0) return -1;
    for (int d = 0; d < inner; d++)
        if (loop->stride[k][d] != 0 && tess__magnitude(loop->stride[k][d]) < tess__magnitude(loop->stride[k][best]))
            best = d;
    return best == inner ? -1 : best;
}

/* How blocks of the output are written. */
static void plan_output(packing *s)
{
    const tess__loop *loop = s->loop;
    const int64_t     fit = BLOCK_BYTES / ROW / loop->size[0], bytes = loop->n * loop->size[0];
    s->gathers = bytes >= TESS__PREFETCH_MIN_BYTES && loop->stride[0][loop->n_dims - 1] == 1 && fit > 0;
    s->nt = s->gathers && TESS__HAVE_NT_STORES && bytes >= TESS__NT_MIN_BYTES;
    if (s->gathers && fit < s->n_rows) s->n_rows = fit;
    for (int k = 1; k < loop->n_operands; k++)
        if (loop->data[k] == loop->data[0]) s->nt = false; /* its lines are read in any case */
}

static bool plan_packing(packing *s, const tess__loop *loop)
{
    s->across = -1;
    s->n_packed = 0;
    s->n_rows = ROW;
    for (int k = 1; k < loop->n_operands && s->n_packed < MAX_PACKED; k++) {
        const int d = dimension_across(loop, k);
        if (d < 0 || (s->across >= 0 && d != s->across) || tess__size_class(loop->size[k]) == TESS__ANY_SIZE) continue;
        const int64_t fit = BLOCK_BYTES / ROW / loop->size[k];
        s->across = d;
        s->packed[s->n_packed++] = k;
        if (fit < s->n_rows) s->n_rows = fit;
    }
    if (s->across < 0) return false;
    s->loop = loop;
    plan_output(s);
    s->blocks_along = (loop->shape[loop->n_dims - 1] - 1) / ROW + 1;
    s->blocks_across = (loop->shape[s->across] - 1) / s->n_rows + 1;
    return true;
}

/* Packs a block of one input into `buffer`, with rows of ROW elements. */
static void pack_input(const tess__loop *loop, int k, int across, const char *from, int64_t n_rows, int64_t length,
                       char *buffer)
{
    const int       inner = loop->n_dims - 1;
    const int       size = (int)loop->size[k];
    tess__transpose t = { .out = buffer,
                          .in = from,
                          .n = 2,
                          .size = size,
                          .shape = { n_rows, length },
                          .so = { ROW, 1 },
                          .si = { loop->stride[k][across], loop->stride[k][inner] } };
    if (n_rows > 1 && length > 1 && tess__transpose_plan(&t)) {
        tess__cpu_kernels()->memory.transpose[tess__size_class(size)](&t, 0, t.n_tiles);
        return;
    }
    const int64_t strides[2] = { 1, loop->stride[k][inner] };
    for (int64_t r = 0; r < n_rows; r++) {
        char *const p[2] = { buffer + r * ROW * size, (char *)(uintptr_t)(from + r * loop->stride[k][across] * size) };
        tess__cpu_kernels()->memory.copy[tess__size_class(size)](p, strides, length, NULL);
    }
}

/* Prefetches n rows. */
static void prefetch_rows(const char *from, int64_t step, int64_t n, int64_t bytes)
{
    for (int64_t r = 0; r < n; r++, from += step) {
        for (int64_t line = 0; line < bytes; line += TESS__CACHE_LINE) __builtin_prefetch(from + line, 0, 2);
        __builtin_prefetch(from + bytes - 1, 0, 2);
    }
}

/* Prefetches the inputs of a block: its rows are too short for the hardware prefetcher. */
static void prefetch_block(const packing *s, const block *b)
{
    const tess__loop *loop = s->loop;
    const int         inner = loop->n_dims - 1;
    for (int k = 1; k < loop->n_operands; k++) {
        const int64_t along = loop->stride[k][inner], across = loop->stride[k][s->across], size = loop->size[k];
        if (along == 1 && across != 0) prefetch_rows(b->at[k], across * size, b->n_rows, b->length * size);
        else if (across == 1 && along != 0) prefetch_rows(b->at[k], along * size, b->length, b->n_rows * size);
    }
}

/* The rows of a block computed on the stack, then written, against 4 KiB aliasing: between loads and stores that lie a
 * multiple of 4 KiB apart, as rows of images often do, processors see a false dependence. */
static void gather_block(const packing *s, char *const *p, const int64_t *stride, const int64_t *step, int64_t n_rows,
                         int64_t length)
{
    _Alignas(TESS__CACHE_LINE) char results[BLOCK_BYTES];
    const int                       n = s->loop->n_operands;
    const int64_t                   size = s->loop->size[0], step_results = ROW * size;
    char                           *at[TESS__MAX_OPERANDS], *out = p[0];
    for (int k = 0; k < n; k++) at[k] = k ? p[k] : results;
    for (int64_t r = 0; r < n_rows; r++) {
        s->row(at, stride, length, s->param);
        for (int k = 0; k < n; k++) at[k] += k ? step[k] : step_results;
    }
    for (int64_t r = 0; r < n_rows; r++, out += step[0])
        if (s->nt) tess__nt_copy_bytes(out, results + r * step_results, length * size);
        else tess__copy_row(out, results + r * step_results, length * size);
}

static void run_block(const packing *s, const block *b)
{
    _Alignas(TESS__CACHE_LINE) char buffers[MAX_PACKED][BLOCK_BYTES];
    const tess__loop               *loop = s->loop;
    int64_t                         stride[TESS__MAX_OPERANDS], step[TESS__MAX_OPERANDS];
    char                           *p[TESS__MAX_OPERANDS];
    for (int k = 0; k < loop->n_operands; k++) {
        p[k] = b->at[k];
        stride[k] = loop->stride[k][loop->n_dims - 1];
        step[k] = loop->stride[k][s->across] * loop->size[k];
    }
    for (int i = 0; i < s->n_packed; i++) {
        const int k = s->packed[i];
        pack_input(loop, k, s->across, b->at[k], b->n_rows, b->length, buffers[i]);
        p[k] = buffers[i];
        stride[k] = 1;
        step[k] = ROW * loop->size[k];
    }
    if (s->gathers) {
        gather_block(s, p, stride, step, b->n_rows, b->length);
        return;
    }
    for (int64_t r = 0; r < b->n_rows; r++) {
        s->row(p, stride, b->length, s->param);
        for (int k = 0; k < loop->n_operands; k++) p[k] += step[k];
    }
}

static block find_block(const packing *s, int64_t number)
{
    const tess__loop *loop = s->loop;
    const int         inner = loop->n_dims - 1;
    int64_t           index[4] = { 0 }, outer = number / s->blocks_along;
    const int64_t     column = number % s->blocks_along * ROW, row = outer % s->blocks_across * s->n_rows;
    const int64_t     n_rows = loop->shape[s->across] - row, length = loop->shape[inner] - column;
    block             b = { .n_rows = n_rows < s->n_rows ? n_rows : s->n_rows, .length = length < ROW ? length : ROW };
    outer /= s->blocks_across;
    for (int d = inner - 1; d >= 0; d--) {
        if (d == s->across) continue;
        index[d] = outer % loop->shape[d];
        outer /= loop->shape[d];
    }
    index[inner] = column;
    index[s->across] = row;
    for (int k = 0; k < loop->n_operands; k++) {
        int64_t offset = 0;
        for (int d = 0; d <= inner; d++) offset += index[d] * loop->stride[k][d];
        b.at[k] = loop->data[k] + offset * loop->size[k];
    }
    return b;
}

static void run_blocks(void *context, int64_t first, int64_t last)
{
    const packing *s = context;
    block          b = find_block(s, first);
    for (int64_t number = first; number < last; number++) {
        const bool  more = number + 1 < last;
        const block next = more ? find_block(s, number + 1) : b;
        if (more && s->gathers) prefetch_block(s, &next);
        run_block(s, &b);
        b = next;
    }
    if (s->nt) tess__stores_done();
}

bool tess__run_packed(const tess__loop *loop, tess__row_fn *row, const void *param, double cost)
{
    packing s = { .row = row, .param = param };
    if (loop->n_dims < 2 || loop->n < MIN_ELEMENTS || !plan_packing(&s, loop)) return false;
    const int64_t outside = loop->n / loop->shape[loop->n_dims - 1] / loop->shape[s.across];
    const int64_t n_blocks = outside * s.blocks_across * s.blocks_along;
    tess__parallel(n_blocks, tess__grain(n_blocks, cost * (double)loop->n / (double)n_blocks), run_blocks, &s);
    return true;
}
