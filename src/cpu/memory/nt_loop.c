/* Loop with non-temporal stores, for results too large for the caches: computed by blocks in the first one.
 *
 * Two things are gained. A cache line that non-temporal stores write as a whole is not read first. And several
 * positions a page apart are interleaved: the hardware prefetcher reads on in each page, but only up to its end.
 */
#include "cpu/memory/loops.h"

#include "cpu/memory/row_copy.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"

enum {
    OPERANDS = 4,
    CURSORS = 4,
    PAGE = 4096,   /* bytes, */
    BLOCK = 512,   /* bytes, both of the operand with the largest elements */
    MIN_ROW = 1024 /* bytes of the output: in shorter ones too many lines are written in parts */
};

typedef struct nt_loop {
    const tess__loop *loop;
    tess__row_fn     *row;
    const void       *param;
    int64_t           block, part;                      /* elements: of a block, and of one cursor in a long row */
    int64_t           tasks;                            /* tasks that a long row is divided into; 1: rows are short */
    int64_t           rows;                             /* short ones of one cursor */
    int64_t           stride[OPERANDS], step[OPERANDS]; /* inside the row, in elements and in bytes */
} nt_loop;

/* A position in each operand, how many elements of this row are left to it, and how many rows with this one. */
typedef struct cursor {
    char   *p[OPERANDS];
    int64_t n, row, rows;
} cursor;

/* The beginning of a row. */
static void find_row(const nt_loop *s, cursor *at)
{
    const tess__loop *loop = s->loop;
    int64_t           row = at->row;
    at->n = loop->shape[loop->n_dims - 1];
    for (int k = 0; k < loop->n_operands; k++) at->p[k] = loop->data[k];
    for (int d = loop->n_dims - 2; d >= 0; d--) {
        const int64_t index = d ? row % loop->shape[d] : row;
        if (d) row /= loop->shape[d];
        for (int k = 0; k < loop->n_operands; k++) at->p[k] += index * loop->stride[k][d] * loop->size[k];
    }
}

static inline void advance(const nt_loop *s, cursor *at, int64_t n)
{
    for (int k = 0; k < s->loop->n_operands; k++) at->p[k] += n * s->step[k];
    at->n -= n;
}

/* A block, which ends with a cache line: the head before the first whole line, and a tail of less than half a block,
 * belong to it. */
static inline void write_block(const nt_loop *s, cursor *at)
{
    _Alignas(TESS__CACHE_LINE) char results[TESS__CACHE_LINE + 2 * BLOCK];
    const int64_t                   size = s->loop->size[0];
    const int64_t                   wanted = s->block + (int64_t)(-(uintptr_t)at->p[0] & (TESS__CACHE_LINE - 1)) / size;
    const int64_t                   n = at->n < wanted + s->block / 2 ? at->n : wanted;
    char *const                     out = at->p[0];
    at->p[0] = results;
    s->row(at->p, s->stride, n, s->param);
    at->p[0] = out;
    tess__nt_copy_bytes(out, results, n * size);
    advance(s, at, n);
    if (at->n == 0 && --at->rows > 0) at->row++, find_row(s, at);
}

static void write_interleaved(const nt_loop *s, cursor *at, int n)
{
    for (bool left = true; left;) {
        left = false;
        for (int i = 0; i < n; i++) {
            if (at[i].n > 0) write_block(s, &at[i]);
            left |= at[i].n > 0;
        }
    }
}

/* Rows first to last-1, some to each cursor. */
static void write_rows(void *context, int64_t first, int64_t last)
{
    const nt_loop *s = context;
    for (int64_t row = first; row < last;) {
        cursor at[CURSORS];
        int    n = 0;
        for (; n < CURSORS && row < last; n++) {
            at[n].row = row;
            at[n].rows = last - row < s->rows ? last - row : s->rows;
            row += at[n].rows;
            find_row(s, &at[n]);
        }
        write_interleaved(s, at, n);
    }
    tess__stores_done();
}

/* Tasks first to last-1 of long rows: each is CURSORS parts that follow each other. */
static void write_tasks(void *context, int64_t first, int64_t last)
{
    const nt_loop *s = context;
    for (int64_t task = first; task < last; task++) {
        cursor at[CURSORS], next = { .row = task / s->tasks, .rows = 1 };
        int    n = 0;
        find_row(s, &next);
        advance(s, &next, task % s->tasks * CURSORS * s->part);
        for (; n < CURSORS && next.n > 0; n++) {
            at[n] = next;
            if (at[n].n > s->part) at[n].n = s->part;
            advance(s, &next, at[n].n);
        }
        write_interleaved(s, at, n);
    }
    tess__stores_done();
}

static bool is_worthwhile(const tess__loop *loop)
{
    const int     inner = loop->n_dims - 1;
    const int64_t size = loop->size[0];
    const bool    rows = loop->stride[0][inner] == 1 && loop->shape[inner] * size >= MIN_ROW;
    const bool    aligned = TESS__CACHE_LINE % size == 0 && (uintptr_t)loop->data[0] % (uintptr_t)size == 0;
    if (!TESS__HAVE_NT_STORES || loop->n * size < TESS__NT_MIN_BYTES || loop->n_operands > OPERANDS || !rows ||
        !aligned)
        return false;
    for (int k = 1; k < loop->n_operands; k++)
        if (loop->data[k] == loop->data[0]) return false; /* its lines are read in any case */
    return true;
}

bool tess__run_nt(const tess__loop *loop, tess__row_fn *row, const void *param, double cost)
{
    if (!is_worthwhile(loop)) return false;
    const int     inner = loop->n_dims - 1;
    const int64_t length = loop->shape[inner], n_rows = loop->n / length;
    int64_t       largest = 1;
    nt_loop       s = { .loop = loop, .row = row, .param = param };
    for (int k = 0; k < loop->n_operands; k++) {
        s.stride[k] = loop->stride[k][inner];
        s.step[k] = s.stride[k] * loop->size[k];
        if (loop->size[k] > largest) largest = loop->size[k];
    }
    s.part = PAGE / largest;
    s.block = BLOCK / largest < TESS__CACHE_LINE / loop->size[0] ? TESS__CACHE_LINE / loop->size[0] : BLOCK / largest;
    s.tasks = (length - 1) / (CURSORS * s.part) + 1;
    s.rows = (s.part - 1) / length + 1;
    const int64_t n = n_rows * s.tasks, grain = tess__grain(n, cost * (double)length / (double)s.tasks);
    tess__parallel(n, grain, s.tasks > 1 ? write_tasks : write_rows, &s);
    return true;
}
