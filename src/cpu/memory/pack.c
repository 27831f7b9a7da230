/* Packing: inputs that lie across the output's rows, transposed by blocks into rows of a workspace.
 *
 * Walking such an input along the output's rows would touch a new cache line with every element and use a few bytes of
 * it. A block takes whole lines, and the kernel then sees contiguous rows. Rows are as long as the cache allows, since
 * hardware prefetchers follow the other operands along them.
 */
#include "cpu/memory/loops.h"

#include "core/array/layout.h"
#include "core/minmax.h"
#include "cpu/isa.h"
#include "cpu/memory/row_copy.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/workspace.h"
#include "tessera/device.h"

enum {
    STRETCH = 256,          /* bytes that a block takes in one place of a packed input */
    BLOCK_BYTES = 1 << 19,  /* of all packed operands: they stay in L2 */
    MAX_BYTES = 1 << 21,    /* of one of them, where rows are long */
    RESULT_BYTES = 1 << 15, /* of results that are computed on the stack */
    MAX_PACKED = 4,
    MIN_ELEMENTS = 1024 /* below, a strided walk is as fast */
};

typedef struct packing {
    const tess__loop *loop;
    tess__row_fn     *row;
    const void       *param;
    int               across;                      /* the dimension in which packed inputs are contiguous, or almost */
    int64_t           n_rows, length;              /* of a block, and elements of its rows */
    int64_t           blocks_along, blocks_across; /* in the inner dimension and in `across` */
    int               n_packed;
    int               packed[MAX_PACKED]; /* operands */
    bool              gathers, nt;        /* results are computed on the stack; and written by nt stores */
    tess__workspaces  workspaces;
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

/* How rows of the output are written. */
static void plan_output(packing *s)
{
    const tess__loop *loop = s->loop;
    const int64_t     bytes = loop->n * loop->size[0];
    s->gathers = TESS__HAVE_NT_STORES && bytes >= TESS__PREFETCH_MIN_BYTES && loop->stride[0][loop->n_dims - 1] == 1 &&
                 loop->size[0] <= RESULT_BYTES;
    s->nt = s->gathers && bytes >= TESS__NT_MIN_BYTES;
    for (int k = 1; k < loop->n_operands; k++)
        if (loop->data[k] == loop->data[0]) s->nt = false; /* its lines are read in any case */
}

/* Blocks of whole rows, if these are not too long, and of as many as the cache holds; of fewer if threads would be
 * idle. `size`: bytes of the smallest packed element. */
static void plan_blocks(packing *s, int64_t size)
{
    const tess__loop *loop = s->loop;
    const int64_t     along = loop->shape[loop->n_dims - 1], across = loop->shape[s->across];
    const int64_t     wanted = 4 * (int64_t)tess_threads_get(), outside = loop->n / along / across;
    const int64_t     parts = (along * STRETCH - 1) / MAX_BYTES + 1;
    s->length = tess__min(along, ((along - 1) / parts / TESS__CACHE_LINE + 1) * TESS__CACHE_LINE);
    s->blocks_along = (along - 1) / s->length + 1;
    s->n_rows = tess__min(tess__max(BLOCK_BYTES / s->n_packed / (s->length * size), STRETCH / size), across);
    while (s->n_rows * size > TESS__CACHE_LINE && outside * s->blocks_along * ((across - 1) / s->n_rows + 1) < wanted)
        s->n_rows = (s->n_rows + 1) / 2;
    s->blocks_across = (across - 1) / s->n_rows + 1;
}

static bool plan_packing(packing *s, const tess__loop *loop)
{
    int64_t smallest = INT64_MAX;
    s->across = -1;
    s->n_packed = 0;
    for (int k = 1; k < loop->n_operands && s->n_packed < MAX_PACKED; k++) {
        const int d = dimension_across(loop, k);
        if (d < 0 || (s->across >= 0 && d != s->across) || tess__size_class(loop->size[k]) == TESS__ANY_SIZE) continue;
        s->across = d;
        s->packed[s->n_packed++] = k;
        smallest = tess__min(smallest, loop->size[k]);
    }
    if (s->across < 0) return false;
    s->loop = loop;
    plan_output(s);
    plan_blocks(s, smallest);
    return true;
}

/* Packs a block of one input into `buffer`, row after row. */
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
                          .so = { length, 1 },
                          .si = { loop->stride[k][across], loop->stride[k][inner] } };
    tess__transpose_block(&t);
}

/* A row computed on the stack by parts, then written, against 4 KiB aliasing: between loads and stores that lie a
 * multiple of 4 KiB apart, as rows of images often do, processors see a false dependence. */
static void gather_row(const packing *s, char *const *p, const int64_t *stride, int64_t length)
{
    _Alignas(TESS__CACHE_LINE) char results[RESULT_BYTES];
    const tess__loop               *loop = s->loop;
    const int64_t                   size = loop->size[0], fit = RESULT_BYTES / size;
    for (int64_t from = 0; from < length; from += fit) {
        const int64_t n = tess__min(fit, length - from);
        char         *at[TESS__MAX_OPERANDS] = { results };
        for (int k = 1; k < loop->n_operands; k++) at[k] = p[k] + from * stride[k] * loop->size[k];
        s->row(at, stride, n, s->param);
        if (s->nt) tess__nt_copy_bytes(p[0] + from * size, results, n * size);
        else tess__copy_row(p[0] + from * size, results, n * size);
    }
}

static void run_block(const packing *s, const block *b, char *workspace)
{
    const tess__loop *loop = s->loop;
    int64_t           stride[TESS__MAX_OPERANDS], step[TESS__MAX_OPERANDS];
    char             *p[TESS__MAX_OPERANDS];
    for (int k = 0; k < loop->n_operands; k++) {
        p[k] = b->at[k];
        stride[k] = loop->stride[k][loop->n_dims - 1];
        step[k] = loop->stride[k][s->across] * loop->size[k];
    }
    for (int i = 0; i < s->n_packed; i++) {
        const int k = s->packed[i];
        pack_input(loop, k, s->across, b->at[k], b->n_rows, b->length, workspace);
        p[k] = workspace;
        stride[k] = 1;
        step[k] = b->length * loop->size[k];
        workspace += tess__aligned_size(s->n_rows * s->length, loop->size[k]);
    }
    for (int64_t r = 0; r < b->n_rows; r++) {
        if (s->gathers) gather_row(s, p, stride, b->length);
        else s->row(p, stride, b->length, s->param);
        for (int k = 0; k < loop->n_operands; k++) p[k] += step[k];
    }
}

static block find_block(const packing *s, int64_t number)
{
    const tess__loop *loop = s->loop;
    const int         inner = loop->n_dims - 1;
    int64_t           index[4] = { 0 }, outer = number / s->blocks_along;
    const int64_t     column = number % s->blocks_along * s->length, row = outer % s->blocks_across * s->n_rows;
    const int64_t     n_rows = loop->shape[s->across] - row, length = loop->shape[inner] - column;
    block             b = { .n_rows = tess__min(n_rows, s->n_rows), .length = tess__min(length, s->length) };
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
    packing *s = context;
    char    *workspace = tess__workspace_acquire(&s->workspaces);
    for (int64_t number = first; number < last; number++) {
        const block b = find_block(s, number);
        run_block(s, &b, workspace);
    }
    tess__workspace_release(&s->workspaces, workspace);
    if (s->nt) tess__stores_done();
}

bool tess__run_packed(const tess__loop *loop, tess__row_fn *row, const void *param, double cost)
{
    packing s = { .row = row, .param = param };
    if (loop->n_dims < 2 || loop->n < MIN_ELEMENTS || !plan_packing(&s, loop)) return false;
    const int64_t outside = loop->n / loop->shape[loop->n_dims - 1] / loop->shape[s.across];
    const int64_t n_blocks = outside * s.blocks_across * s.blocks_along;
    size_t        bytes = 0;
    for (int i = 0; i < s.n_packed; i++) bytes += tess__aligned_size(s.n_rows * s.length, loop->size[s.packed[i]]);
    if (!tess__workspaces_make(&s.workspaces, bytes, n_blocks)) return false;
    tess__parallel(n_blocks, tess__grain(n_blocks, cost * (double)loop->n / (double)n_blocks), run_blocks, &s);
    tess__workspaces_free(&s.workspaces);
    return true;
}
