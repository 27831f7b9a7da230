/* Results too large for the caches, made piece by piece in the first one and written past them.
 *
 * Two things are gained. A line that is written as a whole past the caches is not read first. And several places a page
 * apart are worked on in turn: the processor reads ahead in each page by itself, but only as far as the page goes.
 */
#include "cpu/memory/loops.h"

#include "cpu/memory/row_copy.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"

enum {
    OPERANDS = 4,
    STREAMS = 4,
    PAGE = 4096,   /* bytes, */
    PIECE = 512,   /* bytes, both of the operand with the largest elements */
    MIN_ROW = 1024 /* bytes of the output: in shorter ones too many lines are written in parts */
};

typedef struct streaming {
    const tess__loop *loop;
    tess__row_fn     *row;
    const void       *param;
    int64_t           piece, part;                      /* elements: made at a time, and of one stream in a long row */
    int64_t           units;                            /* that a long row is cut into; 1: rows are short */
    int64_t           rows;                             /* short ones of one stream */
    int64_t           stride[OPERANDS], step[OPERANDS]; /* inside the row, in elements and in bytes */
} streaming;

/* Where a stream is in each operand, how many elements of this row are left to it, and how many rows with this one. */
typedef struct place {
    char   *p[OPERANDS];
    int64_t n, row, rows;
} place;

/* The beginning of a row. */
static void find_row(const streaming *s, place *at)
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

static inline void advance(const streaming *s, place *at, int64_t n)
{
    for (int k = 0; k < s->loop->n_operands; k++) at->p[k] += n * s->step[k];
    at->n -= n;
}

/* A piece, which ends with a line: what comes before the first whole line, and what would be left of a last piece, is
 * taken along. */
static inline void write_piece(const streaming *s, place *at)
{
    _Alignas(TESS__CACHE_LINE) char made[TESS__CACHE_LINE + 2 * PIECE];
    const int64_t                   size = s->loop->size[0];
    const int64_t                   wanted = s->piece + (int64_t)(-(uintptr_t)at->p[0] & (TESS__CACHE_LINE - 1)) / size;
    const int64_t                   n = at->n < wanted + s->piece / 2 ? at->n : wanted;
    char *const                     out = at->p[0];
    at->p[0] = made;
    s->row(at->p, s->stride, n, s->param);
    at->p[0] = out;
    tess__copy_streaming(out, made, n * size);
    advance(s, at, n);
    if (at->n == 0 && --at->rows > 0) at->row++, find_row(s, at);
}

static void write_streams(const streaming *s, place *at, int n)
{
    for (bool left = true; left;) {
        left = false;
        for (int i = 0; i < n; i++) {
            if (at[i].n > 0) write_piece(s, &at[i]);
            left |= at[i].n > 0;
        }
    }
}

/* Rows first to last-1, some to each stream. */
static void write_rows(void *context, int64_t first, int64_t last)
{
    const streaming *s = context;
    for (int64_t row = first; row < last;) {
        place at[STREAMS];
        int   n = 0;
        for (; n < STREAMS && row < last; n++) {
            at[n].row = row;
            at[n].rows = last - row < s->rows ? last - row : s->rows;
            row += at[n].rows;
            find_row(s, &at[n]);
        }
        write_streams(s, at, n);
    }
    tess__stores_done();
}

/* Units first to last-1 of long rows: each is STREAMS parts that follow each other. */
static void write_units(void *context, int64_t first, int64_t last)
{
    const streaming *s = context;
    for (int64_t unit = first; unit < last; unit++) {
        place at[STREAMS], rest = { .row = unit / s->units, .rows = 1 };
        int   n = 0;
        find_row(s, &rest);
        advance(s, &rest, unit % s->units * STREAMS * s->part);
        for (; n < STREAMS && rest.n > 0; n++) {
            at[n] = rest;
            if (at[n].n > s->part) at[n].n = s->part;
            advance(s, &rest, at[n].n);
        }
        write_streams(s, at, n);
    }
    tess__stores_done();
}

static bool is_worthwhile(const tess__loop *loop)
{
    const int     inner = loop->n_dims - 1;
    const int64_t size = loop->size[0];
    const bool    rows = loop->stride[0][inner] == 1 && loop->shape[inner] * size >= MIN_ROW;
    const bool    aligned = TESS__CACHE_LINE % size == 0 && (uintptr_t)loop->data[0] % (uintptr_t)size == 0;
    if (!TESS__CAN_STREAM || loop->n * size < TESS__NT_MIN_BYTES || loop->n_operands > OPERANDS || !rows || !aligned)
        return false;
    for (int k = 1; k < loop->n_operands; k++)
        if (loop->data[k] == loop->data[0]) return false; /* its lines are read in any case */
    return true;
}

bool tess__run_streamed(const tess__loop *loop, tess__row_fn *row, const void *param, double cost)
{
    if (!is_worthwhile(loop)) return false;
    const int     inner = loop->n_dims - 1;
    const int64_t length = loop->shape[inner], n_rows = loop->n / length;
    int64_t       largest = 1;
    streaming     s = { .loop = loop, .row = row, .param = param };
    for (int k = 0; k < loop->n_operands; k++) {
        s.stride[k] = loop->stride[k][inner];
        s.step[k] = s.stride[k] * loop->size[k];
        if (loop->size[k] > largest) largest = loop->size[k];
    }
    s.part = PAGE / largest;
    s.piece = PIECE / largest < TESS__CACHE_LINE / loop->size[0] ? TESS__CACHE_LINE / loop->size[0] : PIECE / largest;
    s.units = (length - 1) / (STREAMS * s.part) + 1;
    s.rows = (s.part - 1) / length + 1;
    const int64_t n = n_rows * s.units, grain = tess__grain(n, cost * (double)length / (double)s.units);
    tess__parallel(n, grain, s.units > 1 ? write_units : write_rows, &s);
    return true;
}
