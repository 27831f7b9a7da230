/* Parallel reductions on the CPU: tasks are blocks of results and, where these are few, subtrees of their chunks. */
#include "cpu/reduce/reduce.h"

#include <math.h>
#include <string.h>

#include "core/layout.h"
#include "core/minmax.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "cpu/memory/row_copy.h"
#include "cpu/reduce/merge.h"
#include "cpu/reduce/tile.h"
#include "cpu/reduce/small.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/stream.h"
#include "cpu/runtime/workspace.h"
#include "tessera/device.h"

enum {
    BLOCK = 512,              /* most results of a block */
    ROW_BLOCK = 64,           /* the same where results are computed one by one */
    LONG_ROW_BLOCK = 256,     /* and where there are many: prefetch ends with the block */
    STACK_SLOTS = 18432,      /* slots for the states of a block's chunks that are not merged yet */
    BLOCK_SLOTS = 4608,       /* slots for the states of a block's results */
    GATHERED_BYTES = 32768,   /* of a block that is gathered */
    PACKED_BYTES = 262144,    /* of a block that is packed */
    CONVERTED_BYTES = 196608, /* of a block whose rows are converted */
    WHOLE_BLOCK = 2048,       /* most results of a block that is written by the kernel */
    LONG_WHOLE_BLOCK = 4096,  /* and where there are many */
    PREFETCH_BYTES = 4096     /* bytes of a run that are prefetched */
};

/* How a block of results is computed: one by one; chunk by chunk; from rows that hold an element of each, in place or
 * gathered. */
enum { BY_ROWS, BY_CHUNKS, BY_COLUMNS, GATHERED };

/* Everything that is decided before the work begins. Trivially copyable: it can be copied into a queue. */
typedef struct reduction {
    tess__reduce             work;
    tess__reduce_plan        plan;
    tess__method             method[TESS__MAX_REDUCTIONS];
    int                      base[TESS__MAX_REDUCTIONS]; /* first slot of an item's state */
    int                      slots;                      /* slots of all items' states */
    tess_dtype               stored[2];
    bool                     direct[TESS__MAX_REDUCTIONS]; /* the kernel reads elements in place */
    bool                     all_direct;
    tess__columns_fn        *pairs;   /* kernel of rows of two inputs, in place; NULL: there is none */
    tess__column_results_fn *results; /* writes results of columns of one chunk, as `written`; NULL: there is none */
    tess_dtype               written;
    bool                     converts; /* rows of columns are converted to m->read, which all kernels want */
    int                      mode;
    bool                     whole;    /* the kernel of columns writes the results */
    bool                     nt;       /* non-temporal stores */
    int64_t                  run;      /* numbers of a chunk */
    int64_t                  n_chunks; /* of a result */
    int64_t                  block;    /* results of a block */
    int64_t                  n_along;  /* blocks along the inner kept axis */
    int64_t                  n_blocks;
    int64_t                  sub_chunks; /* chunks of a subtree, a power of 2 if there is more than one */
    int64_t                  n_subs;     /* subtrees of a result */
    int64_t                  tile[2];    /* numbers of a tile that an input is packed into; 0: it is not */
    double                   cost;       /* estimated nanoseconds of all */
    _Alignas(16) char number[2][16];     /* inputs that are scalars of the caller */
    tess__slot *partial;                 /* states of subtrees: [sub][slot][result]; NULL if there is only one */
} reduction;

/* ---- Addresses ---- */

static int64_t offset_in(const tess__nest *nest, int k, int64_t index)
{
    int64_t offset = 0;
    for (int d = nest->n_dims - 1; d > 0; d--) {
        offset += index % nest->size[d] * nest->in[k][d];
        index /= nest->size[d];
    }
    return offset + index * nest->in[k][0];
}

/* Numbers first to first + n - 1 of a result as one contiguous row: in place, or copied to `workspace`. */
static const void *raw_numbers(const reduction *r, int k, const char *base, int64_t first, int64_t n, char *workspace)
{
    const tess__nest *nest = &r->plan.reduced;
    const int         inner = nest->n_dims - 1;
    const int64_t     size = r->plan.size[k], run = nest->size[inner], step = nest->in[k][inner];
    int64_t           at = inner ? first % run : first;
    if (step == 1 && at + n <= run) return base + offset_in(nest, k, first) * size;
    tess__row_fn *copy = tess__cpu_kernels()->memory.copy[tess__size_class(size)];
    const int64_t strides[2] = { 1, step };
    const char   *from = base + offset_in(nest, k, first) * size;
    for (int64_t done = 0; done < n;) {
        const int64_t m = run - at < n - done ? run - at : n - done;
        char *const   p[2] = { workspace + done * size, (char *)(uintptr_t)from };
        done += m;
        /* The next run lies elsewhere: hardware prefetchers do not find it. */
        from = base + offset_in(nest, k, first + done) * size;
        for (int64_t line = 0; line < run * size && step == 1 && first + done < nest->n && line < PREFETCH_BYTES;
             line += 64)
            __builtin_prefetch(from + line);
        copy(p, strides, m, NULL);
        at = 0;
    }
    return workspace;
}

/* True if n numbers are a whole run of a result, and the next result's run follows it in memory. */
static bool follow_each_other(const reduction *r, int64_t n)
{
    const tess__nest *reduced = &r->plan.reduced, *kept = &r->plan.kept;
    const int         inner = reduced->n_dims - 1;
    bool              follow = reduced->size[inner] == n;
    for (int k = 0; k < r->work.n_inputs; k++)
        follow = follow && reduced->in[k][inner] == 1 && kept->in[k][kept->n_dims - 1] == n;
    return follow;
}

/* ---- One chunk ---- */

/* A chunk of one result, for one item; `behind`: bytes after it that are read next. */
static void add_chunk(const reduction *r, int item, tess__chunk c, int64_t first, int64_t behind, tess__states s,
                      tess__chunk_workspace *workspace)
{
    const tess__method *m = &r->method[item];
    const bool          skip = r->work.skip_nan && m->op != TESS__R_ARGMIN && m->op != TESS__R_ARGMAX;
    if (!r->direct[item]) tess__prepare_chunk(m, &c, r->stored, skip, workspace);
    if (c.n > 0) tess__kernel_for(m, r->direct[item] ? behind : 0)(c.x, c.y, c.n, first, s.slot, s.step);
    else if (m->ordered)
        for (int w = 0; w < m->slots; w++) s.slot[w * s.step] = m->neutral[w];
    if (!r->work.skip_nan) return;
    if (m->ordered) s.slot[m->slots * s.step].i = 0;
    s.slot[m->slots * s.step].i += c.n;
}

/* ---- A range of chunks of neighbouring results ---- */

/* Pairwise merging of chunk states by a binary counter. Level l of slot k of an item begins at
 * slot[(l * slots + base + k) * columns]. */
typedef struct counter {
    tess__slot slot[STACK_SLOTS];
    int64_t    columns;
    int        top;   /* levels in use */
    int64_t    count; /* chunks so far */
} counter;

static tess__slot *level_of(const reduction *r, counter *t, int level, int item)
{
    return t->slot + ((int64_t)level * r->slots + r->base[item]) * t->columns;
}

static void set_neutral(const reduction *r, int item, tess__slot *s, int64_t step, int64_t columns)
{
    const tess__method *m = &r->method[item];
    for (int w = 0; w < m->slots; w++)
        for (int64_t c = 0; c < columns; c++) s[w * step + c] = m->neutral[w];
    if (r->work.skip_nan)
        for (int64_t c = 0; c < columns; c++) s[m->slots * step + c].i = 0;
}

static void merge(const reduction *r, int item, tess__slot *a, const tess__slot *b, int64_t columns)
{
    const tess__method *m = &r->method[item];
    for (int64_t c = 0; c < columns; c++) m->merge(a + c, columns, b + c, columns);
    if (r->work.skip_nan)
        for (int64_t c = 0; c < columns; c++) a[m->slots * columns + c].i += b[m->slots * columns + c].i;
}

static void counter_begin(const reduction *r, counter *t, int64_t columns)
{
    t->columns = columns;
    t->top = 0;
    t->count = 0;
    for (int i = 0; i < r->work.n_items; i++)
        if (!r->method[i].ordered) set_neutral(r, i, level_of(r, t, 0, i), columns, columns);
}

/* Where the next chunk's state goes. */
static tess__slot *counter_slot(const reduction *r, counter *t, int item)
{
    return level_of(r, t, r->method[item].ordered ? t->top : 0, item);
}

static void merge_top(const reduction *r, counter *t)
{
    t->top--;
    for (int i = 0; i < r->work.n_items; i++)
        if (r->method[i].ordered) merge(r, i, level_of(r, t, t->top - 1, i), level_of(r, t, t->top, i), t->columns);
}

/* The slots have been filled: merges once for each trailing one bit of the chunk's number. */
static void counter_push(const reduction *r, counter *t)
{
    t->top++;
    for (int64_t k = t->count++; k & 1; k >>= 1) merge_top(r, t);
}

/* Merges the remaining levels from the last on; the states are then at level 0. */
static void counter_end(const reduction *r, counter *t)
{
    while (t->top > 1) merge_top(r, t);
    if (t->top == 0) /* no numbers at all */
        for (int i = 0; i < r->work.n_items; i++)
            if (r->method[i].ordered) set_neutral(r, i, level_of(r, t, 0, i), t->columns, t->columns);
}

/* Workspace of a thread for a block. */
typedef struct thread_workspace {
    counter    counter;
    tess__tile tile[2]; /* of each input that is packed; n is 0 until it is filled */
    union {
        struct {
            tess__chunk_workspace raw, prepared;
        };
        _Alignas(64) char converted[CONVERTED_BYTES]; /* converted rows need none of the above */
    };
    const char *rows[2 * TESS__CHUNK]; /* of one input and then of the other */
} thread_workspace;

static bool is_decided(const reduction *r, counter *t, int64_t numbers)
{
    return r->work.n_items == 1 && !r->work.skip_nan && t->columns == 1 &&
           tess__is_settled(r->method[0].op, level_of(r, t, 0, 0)[0].i, numbers);
}

/* Packs numbers first to first + n - 1 of the counter's columns, and those after them that the tile holds, unless they
 * are there already. */
static void fill_tile(const reduction *r, int k, const char *base, int64_t first, int64_t n, int64_t end,
                      thread_workspace *workspace)
{
    tess__tile   *t = &workspace->tile[k];
    const int64_t tile_end = r->mode == BY_ROWS ? tess__tile_end(&r->plan, k, first, r->tile[k]) : first + n;
    if (first >= t->first && first + n <= t->first + t->n) return;
    t->base = base;
    t->first = first;
    t->n = tess__max(tess__min(tile_end, end) - first, n);
    t->columns = workspace->counter.columns;
    t->number_stride = 1;
    t->column_stride = t->n;
    tess__pack_tile(&r->plan, k, r->stored[k], t);
}

/* Numbers first to first + n - 1 of column c, whose numbers begin at `base`. */
static const void *numbers_of(const reduction *r, int k, int64_t c, const char *base, int64_t first, int64_t n,
                              thread_workspace *workspace)
{
    const tess__tile *t = &workspace->tile[k];
    if (r->tile[k]) return t->out + (c * t->column_stride + first - t->first) * r->plan.size[k];
    return raw_numbers(r, k, base, first, n, k ? workspace->raw.y : workspace->raw.x);
}

/* A chunk of each of the counter's columns; `end`: the number after those that are reduced now. */
static void add_row_chunks(const reduction *r, const char *const base[2], int64_t first, int64_t n, int64_t end,
                           thread_workspace *workspace)
{
    const int         inner = r->plan.kept.n_dims - 1;
    const int64_t     columns = workspace->counter.columns;
    const tess__nest *reduced = &r->plan.reduced;
    const bool        dense = follow_each_other(r, n);
    const bool        alone = columns == 1 && r->work.n_inputs == 1 && reduced->n_dims == 1 && reduced->in[0][0] == 1;
    for (int k = 0; k < r->work.n_inputs; k++)
        if (r->tile[k]) fill_tile(r, k, base[k], first, n, end, workspace);
    for (int64_t i = 0; i < columns; i++) {
        const int64_t c = dense ? tess__interleaved(i, columns) : i;
        const char   *at[2] = { base[0] + c * r->plan.kept.in[0][inner] * r->plan.size[0], NULL };
        tess__chunk   chunk = { numbers_of(r, 0, c, at[0], first, n, workspace), NULL, n };
        if (r->work.n_inputs == 2) {
            at[1] = base[1] + c * r->plan.kept.in[1][inner] * r->plan.size[1];
            chunk.y = numbers_of(r, 1, c, at[1], first, n, workspace);
        }
        const int64_t behind = (dense ? (columns - 1 - c) * n : alone ? reduced->n - first - n : 0) * r->plan.size[0];
        for (int k = 0; k < r->work.n_items; k++)
            add_chunk(r, k, chunk, first, behind,
                      (tess__states){ counter_slot(r, &workspace->counter, k) + c, columns }, &workspace->prepared);
    }
}

/* The rows of numbers first to first + n - 1 in input k. */
static void list_rows(const reduction *r, int k, const char *base, int64_t first, int64_t n, const char **rows)
{
    const tess__nest *nest = &r->plan.reduced;
    const int         inner = nest->n_dims - 1;
    const int64_t     step = nest->in[k][inner] * r->plan.size[k];
    for (int64_t i = 0; i < n;) {
        const int64_t at = (first + i) % nest->size[inner];
        const char   *row = base + offset_in(nest, k, first + i) * r->plan.size[k];
        for (int64_t j = at; j < nest->size[inner] && i < n; j++, i++, row += step) rows[i] = row;
    }
}

/* The rows of a block of columns: in place, gathered, or products of two inputs. */
static void find_rows(const reduction *r, const char *const base[2], int64_t first, int64_t n, int64_t columns,
                      thread_workspace *workspace)
{
    if (r->mode == GATHERED) {
        const tess__tile tile = { base[0], first, n, columns, workspace->tile[0].out, columns, 1 };
        tess__pack_tile(&r->plan, 0, r->stored[0], &tile);
        for (int64_t i = 0; i < n; i++) workspace->rows[i] = tile.out + i * columns * r->plan.size[0];
        return;
    }
    list_rows(r, 0, base[0], first, n, workspace->rows);
    if (r->work.n_inputs == 2) {
        list_rows(r, 1, base[1], first, n, workspace->rows + n);
        if (r->pairs) return;
        tess__multiply_rows(&r->method[0], workspace->rows, n, columns, r->stored,
                            r->plan.kept.in[1][r->plan.kept.n_dims - 1], workspace->converted);
    } else if (r->converts) {
        tess__convert_rows(workspace->rows, n, columns, r->stored[0], r->method[0].read[0], workspace->converted);
    }
}

static void add_column_chunk(const reduction *r, const char *const base[2], int64_t first, int64_t n,
                             thread_workspace *workspace)
{
    const int64_t columns = workspace->counter.columns;
    find_rows(r, base, first, n, columns, workspace);
    if (r->pairs) r->pairs(workspace->rows, n, columns, counter_slot(r, &workspace->counter, 0), columns);
    for (int i = 0; i < r->work.n_items && !r->pairs; i++)
        r->method[i].columns(workspace->rows, n, columns, counter_slot(r, &workspace->counter, i), columns);
}

static int64_t chunks_of_run(const reduction *r) { return (r->plan.inner_run + r->run - 1) / r->run; }

/* The first number of a chunk. */
static int64_t chunk_begin(const reduction *r, int64_t chunk)
{
    const int64_t each = chunks_of_run(r);
    return each ? chunk / each * r->plan.inner_run + chunk % each * r->run : 0; /* none: no numbers */
}

/* True if the numbers of a result in input k are contiguous, in place or in a tile. */
static bool is_contiguous_input(const reduction *r, int k)
{
    const tess__nest *nest = &r->plan.reduced;
    int64_t           stride = 1;
    for (int d = nest->n_dims - 1; d >= 0 && !r->tile[k]; d--) {
        if (nest->in[k][d] != stride) return false;
        stride *= nest->size[d];
    }
    return true;
}

/* One reduction whose kernel reads chunks of one contiguous run: nothing to decide between chunks. */
static bool is_contiguous_run(const reduction *r)
{
    bool contiguous = r->mode == BY_ROWS && r->work.n_items == 1 && r->method[0].ordered && r->direct[0] &&
                      !r->work.skip_nan && r->plan.inner_run == r->plan.reduced.n;
    for (int k = 0; k < r->work.n_inputs; k++) contiguous = contiguous && is_contiguous_input(r, k);
    return contiguous;
}

/* Chunks first to last - 1 of such a run, as many at a time as the tiles hold. */
static void add_contiguous_run(const reduction *r, const char *const base[2], int64_t first, int64_t last, int64_t end,
                               thread_workspace *workspace)
{
    counter      *t = &workspace->counter;
    tess__waiting w = { t->slot, t->top, t->count };
    for (int64_t chunk = first, added; chunk < last; chunk += added) {
        const char   *in[2] = { NULL, NULL };
        const int64_t at = chunk * TESS__CHUNK;
        int64_t       stop = end;
        for (int k = 0; k < r->work.n_inputs; k++) {
            const tess__tile *tile = &workspace->tile[k];
            if (r->tile[k]) fill_tile(r, k, base[k], at, tess__min(TESS__CHUNK, end - at), end, workspace);
            if (r->tile[k]) stop = tess__min(stop, tile->first + tile->n);
            in[k] = r->tile[k] ? tile->out + (at - tile->first) * r->plan.size[k] : base[k] + at * r->plan.size[k];
        }
        added = stop == end ? last - chunk : (stop - at) / TESS__CHUNK;
        tess__add_contiguous_chunks(&r->method[0], in, stop - at, 0, added, &w);
    }
    t->top = w.top;
    t->count = w.count;
}

/* The states of the `columns` results from `base` on, of chunks first to last - 1. */
static void run_range(const reduction *r, const char *const base[2], int64_t columns, int64_t first, int64_t last,
                      tess__states out, thread_workspace *workspace)
{
    counter      *t = &workspace->counter;
    const int64_t end = tess__min(chunk_begin(r, last), r->plan.reduced.n);
    const bool    contiguous = columns == 1 && is_contiguous_run(r);
    int64_t       numbers = 0;
    counter_begin(r, t, columns);
    for (int k = 0; k < 2; k++) workspace->tile[k].first = workspace->tile[k].n = 0;
    if (contiguous) add_contiguous_run(r, base, first, last, end, workspace);
    for (int64_t chunk = first; chunk < last && !contiguous; chunk++) {
        const int64_t at = chunk_begin(r, chunk), n = tess__min(r->run, r->plan.inner_run - at % r->plan.inner_run);
        if (r->mode == BY_COLUMNS || r->mode == GATHERED) add_column_chunk(r, base, at, n, workspace);
        else add_row_chunks(r, base, at, n, end, workspace);
        counter_push(r, t);
        numbers += n;
        if (is_decided(r, t, numbers)) break;
    }
    counter_end(r, t);
    for (int w = 0; w < r->slots; w++)
        memcpy(out.slot + w * out.step, t->slot + w * columns, (size_t)columns * sizeof *out.slot);
}

/* ---- Results ---- */

static void write_result(const reduction *r, int item, int which, tess__states s, int64_t columns,
                         const int64_t kept_index[4])
{
    const tess__method *m = &r->method[item];
    const tess_dtype    dtype = r->work.item[item].out[which].dtype;
    const int           k = 2 * item + which, inner = r->plan.kept.n_dims - 1;
    const bool          counted = r->work.skip_nan;
    _Alignas(64) double values[2 * BLOCK];
    char               *to = r->plan.out[k];
    for (int d = 0; d <= inner; d++) to += kept_index[d] * r->plan.so[k][d] * tess__dtype_size(dtype);
    m->epilogue(m, which, s, columns, counted ? &s.slot[m->slots * s.step].i : &r->plan.reduced.n, counted, values);
    tess__convert_results(m, which, to, dtype, r->plan.so[k][inner], values, columns);
}

/* Block number `block`: its first result's index along each kept axis, and how many it has. */
static int64_t locate_block(const reduction *r, int64_t block, int64_t index[4])
{
    const tess__nest *kept = &r->plan.kept;
    const int         inner = kept->n_dims - 1;
    index[inner] = block % r->n_along * r->block;
    block /= r->n_along;
    for (int d = inner - 1; d >= 0; d--) {
        index[d] = block % kept->size[d];
        block /= kept->size[d];
    }
    const int64_t left = kept->size[inner] - index[inner];
    return left < r->block ? left : r->block;
}

/* The index of a result in the order of the kept axes. */
static int64_t flat_index(const reduction *r, const int64_t index[4])
{
    int64_t flat = 0;
    for (int d = 0; d < r->plan.kept.n_dims; d++) flat = flat * r->plan.kept.size[d] + index[d];
    return flat;
}

static void finish_block(const reduction *r, tess__states s, int64_t columns, const int64_t index[4])
{
    for (int i = 0; i < r->work.n_items; i++)
        for (int which = 0; which < 2; which++)
            if (r->plan.out[2 * i + which])
                write_result(r, i, which, (tess__states){ s.slot + r->base[i] * s.step, s.step }, columns, index);
}

static tess__column_epilogue epilogue_of(const reduction *r)
{
    const tess__method   *m = &r->method[0];
    const double          n = (double)r->plan.reduced.n;
    tess__column_epilogue end = { .divisor = 1, .root = m->op == TESS__R_STD, .nt = r->nt };
    if (m->op == TESS__R_MEAN) end.divisor = n;
    if (m->op == TESS__R_VAR || m->op == TESS__R_STD) end.divisor = n - m->ddof;
    return end;
}

/* The results of a block, written by the kernel. */
static void run_whole(const reduction *r, const char *const base[2], int64_t columns, const int64_t index[4],
                      thread_workspace *workspace)
{
    const int64_t         size = tess__dtype_size(r->written);
    tess__column_epilogue end = epilogue_of(r);
    char                 *to[2];
    for (int k = 0; k < 2; k++) {
        to[k] = r->plan.out[k];
        for (int d = 0; to[k] && d < r->plan.kept.n_dims; d++) to[k] += index[d] * r->plan.so[k][d] * size;
    }
    end.means = to[0] && to[1] ? to[0] : NULL;
    find_rows(r, base, 0, r->plan.reduced.n, columns, workspace);
    r->results(workspace->rows, r->plan.reduced.n, columns, to[1] ? to[1] : to[0], &end);
}

/* Task block * n_subs + sub is subtree `sub` of block `block`. */
static void run_task(const reduction *r, int64_t task, thread_workspace *workspace)
{
    tess__slot        state[BLOCK_SLOTS];
    const tess__nest *kept = &r->plan.kept;
    const int         inner = kept->n_dims - 1;
    const int64_t     sub = task % r->n_subs, first = sub * r->sub_chunks;
    const int64_t     last = first + r->sub_chunks < r->n_chunks ? first + r->sub_chunks : r->n_chunks;
    int64_t           index[4];
    const int64_t     columns = locate_block(r, task / r->n_subs, index);
    tess__states      s = { state, columns };
    const char       *base[2] = { NULL, NULL };
    for (int k = 0; k < r->work.n_inputs; k++) {
        base[k] = r->work.in[k].flags & TESS_SCALAR ? r->number[k] : r->plan.data[k];
        for (int d = 0; d <= inner; d++) base[k] += index[d] * kept->in[k][d] * r->plan.size[k];
    }
    if (r->whole) {
        run_whole(r, base, columns, index, workspace);
        return;
    }
    if (r->partial) s = (tess__states){ r->partial + sub * r->slots * kept->n + flat_index(r, index), kept->n };
    if (r->mode != BY_ROWS) run_range(r, base, columns, first, last, s, workspace);
    for (int64_t c = 0; c < columns && r->mode == BY_ROWS; c++) {
        run_range(r, base, 1, first, last, (tess__states){ s.slot + c, s.step }, workspace);
        for (int k = 0; k < r->work.n_inputs; k++) base[k] += kept->in[k][inner] * r->plan.size[k];
    }
    if (!r->partial) finish_block(r, s, columns, index);
}

/* A reduction that runs, with the memory of its tiles. */
typedef struct execution {
    const reduction *r;
    tess__workspaces tiles;
} execution;

static size_t tile_bytes(const reduction *r, int k)
{
    const int64_t columns = r->mode == BY_ROWS ? 1 : r->block;
    return r->tile[k] ? tess__aligned_size(r->tile[k] * columns, r->plan.size[k]) : 0;
}

static void run_tasks(void *context, int64_t first, int64_t last)
{
    execution       *running = context;
    const reduction *r = running->r;
    thread_workspace workspace;
    char            *tiles = r->tile[0] || r->tile[1] ? tess__workspace_acquire(&running->tiles) : NULL;
    workspace.tile[0].out = tiles;
    workspace.tile[1].out = r->tile[1] ? tiles + tile_bytes(r, 0) : NULL;
    for (int64_t task = first; task < last; task++) run_task(r, task, &workspace);
    if (tiles) tess__workspace_release(&running->tiles, tiles);
    if (r->nt) tess__stores_done();
}

/* Merges the subtrees of each result, in the order of a single tree. */
static void merge_subtrees(const reduction *r)
{
    counter t;
    for (int64_t block = 0; block < r->n_blocks; block++) {
        int64_t       index[4];
        const int64_t columns = locate_block(r, block, index), at = flat_index(r, index);
        t.columns = columns, t.top = 0, t.count = 0;
        for (int64_t sub = 0; sub < r->n_subs; sub++) {
            const tess__slot *from = r->partial + sub * r->slots * r->plan.kept.n + at;
            for (int w = 0; w < r->slots; w++)
                memcpy(t.slot + ((int64_t)t.top * r->slots + w) * columns, from + w * r->plan.kept.n,
                       (size_t)columns * sizeof *from);
            t.top++;
            for (int64_t k = t.count++; k & 1; k >>= 1) {
                t.top--;
                for (int i = 0; i < r->work.n_items; i++)
                    merge(r, i, level_of(r, &t, t.top - 1, i), level_of(r, &t, t.top, i), columns);
            }
        }
        while (t.top > 1) {
            t.top--;
            for (int i = 0; i < r->work.n_items; i++)
                merge(r, i, level_of(r, &t, t.top - 1, i), level_of(r, &t, t.top, i), columns);
        }
        finish_block(r, (tess__states){ t.slot, columns }, columns, index);
    }
}

/* ---- Planning ---- */

static void choose_methods(reduction *r)
{
    const tess__reduce *work = &r->work;
    r->slots = 0;
    r->all_direct = true;
    r->stored[0] = work->in[0].dtype;
    r->stored[1] = work->n_inputs == 2 ? work->in[1].dtype : TESS_DTYPE_NONE;
    r->cost = TESS__BYTE_NS * (double)tess__dtype_size(r->stored[0]);
    for (int i = 0; i < work->n_items; i++) {
        tess__method *m = &r->method[i];
        tess__method_of(m, work, i);
        const bool indices = m->op == TESS__R_ARGMIN || m->op == TESS__R_ARGMAX;
        r->direct[i] = tess__reads_directly(m, r->stored, work->skip_nan && !indices);
        r->all_direct = r->all_direct && r->direct[i];
        r->base[i] = r->slots;
        r->slots += m->slots + work->skip_nan;
        r->cost += tess__cost_of(m, r->direct[i]);
    }
}

/* True if the order of the numbers does not matter to any reduction. */
static bool is_any_order(const reduction *r)
{
    bool any = true;
    for (int i = 0; i < r->work.n_items; i++)
        any = any && !r->method[i].ordered && r->method[i].op != TESS__R_ARGMIN && r->method[i].op != TESS__R_ARGMAX;
    return any;
}

/* True if all kernels read the elements as one dtype, without a map. */
static bool read_alike(const reduction *r)
{
    for (int i = 0; i < r->work.n_items; i++)
        if (r->method[i].read[0] != r->method[0].read[0] || r->method[i].map != TESS__MAP_NONE) return false;
    return true;
}

/* Products of two inputs whose rows of columns are contiguous, or in the second one number. */
static bool are_products(const reduction *r)
{
    const tess__nest *kept = &r->plan.kept;
    const int         inner = kept->n_dims - 1;
    return r->method[0].columns && r->method[0].map == TESS__OP_mul && !r->work.skip_nan &&
           kept->size[inner] >= TESS__MIN_COLUMNS && kept->in[0][inner] == 1 &&
           (kept->in[1][inner] == 0 || kept->in[1][inner] == 1);
}

/* The kernel for rows of both inputs as they are stored, if there is one. */
static tess__columns_fn *kernel_of_pairs(const reduction *r)
{
    const bool alike = r->stored[0] == r->stored[1] && r->plan.kept.in[1][r->plan.kept.n_dims - 1] == 1;
    return alike ? tess__cpu_kernels()->reduce.columns[TESS__RK_DOT][r->stored[0]] : NULL;
}

static int mode_of(const reduction *r)
{
    const tess__nest *kept = &r->plan.kept, *reduced = &r->plan.reduced;
    const int         inner = kept->n_dims - 1;
    bool              results = false, numbers = false; /* an input's tiles hold several results, or one's numbers */
    if (kept->size[inner] < 2 || reduced->n < 2) return BY_ROWS;
    if (r->work.n_inputs == 2 && are_products(r)) return BY_COLUMNS;
    bool columns = kept->size[inner] >= TESS__MIN_COLUMNS && !r->work.skip_nan && r->work.n_inputs == 1;
    for (int i = 0; i < r->work.n_items && columns; i++) columns = r->method[i].columns != NULL;
    if (columns && kept->in[0][inner] == 1 && (r->all_direct || read_alike(r))) return BY_COLUMNS;
    if (columns && r->all_direct && reduced->n <= TESS__SHORT) return GATHERED;
    for (int k = 0; k < r->work.n_inputs; k++) {
        results = results || tess__nearest_axis(&r->plan, k) == TESS__NEAREST_RESULTS;
        numbers = numbers || tess__nearest_axis(&r->plan, k) == TESS__NEAREST_NUMBERS;
    }
    if (results) return BY_CHUNKS;
    return !numbers && (r->plan.inner_run < reduced->n || reduced->n <= TESS__CHUNK) ? BY_CHUNKS : BY_ROWS;
}

/* Numbers of the tiles that input k is packed into, or 0. */
static int64_t choose_tile(const reduction *r, int k)
{
    const int nearest = tess__nearest_axis(&r->plan, k);
    if (r->mode == GATHERED) return k == 0 ? r->plan.reduced.n : 0;
    if (r->mode == BY_COLUMNS || nearest == TESS__NEAREST_ALONG) return 0;
    if (r->mode == BY_CHUNKS) return tess__min(r->run, r->plan.reduced.n);
    return nearest == TESS__NEAREST_NUMBERS ? tess__tile_numbers(&r->plan, k) : 0;
}

/* One chunk, and outputs contiguous in the dtype that the kernel writes: no state is needed. */
static bool is_whole(const reduction *r)
{
    const tess__method *m = &r->method[0];
    const bool          variance = m->op == TESS__R_VAR || m->op == TESS__R_STD;
    const bool          both = r->plan.out[0] && r->plan.out[1];
    if ((r->mode != BY_COLUMNS && r->mode != GATHERED) || r->work.n_items > 1 || !r->results || r->n_chunks != 1)
        return false;
    if (variance ? !r->plan.out[1] || r->plan.reduced.n <= m->ddof : both) return false;
    for (int k = 0; k < 2; k++)
        if (r->plan.out[k] &&
            (r->work.item[0].out[k].dtype != r->written || r->plan.so[k][r->plan.kept.n_dims - 1] != 1))
            return false;
    return true;
}

/* Levels of the counter. Where order does not matter one is enough, except to merge subtrees. */
static int levels_for(const reduction *r)
{
    int  levels = 1;
    bool ordered = false;
    for (int i = 0; i < r->work.n_items; i++) ordered = ordered || r->method[i].ordered;
    for (int64_t n = ordered ? r->n_chunks : 4 * (int64_t)tess_threads_get(); n > 0; n >>= 1) levels++;
    return levels;
}

/* Results of a block: as many as the workspace holds, fewer if threads would be idle. */
static int64_t choose_block(const reduction *r)
{
    const int64_t inner = r->plan.kept.size[r->plan.kept.n_dims - 1], numbers = r->plan.reduced.n;
    const bool    row_by_row = r->mode == BY_ROWS || (r->mode == BY_CHUNKS && !r->tile[0] && !r->tile[1]);
    const int64_t per_task = r->plan.kept.n / (4 * (int64_t)tess_threads_get());
    int64_t       max = BLOCK;
    if (r->mode == BY_COLUMNS && r->work.n_inputs == 2) max = 2 * BLOCK; /* longer rows; numbers have one part */
    if (row_by_row) max = per_task < LONG_ROW_BLOCK ? ROW_BLOCK : LONG_ROW_BLOCK;
    if (r->whole) max = per_task < LONG_WHOLE_BLOCK ? WHOLE_BLOCK : LONG_WHOLE_BLOCK;
    if (!r->whole) max = tess__min(max, STACK_SLOTS / (r->slots * levels_for(r)));
    if (!r->whole) max = tess__min(max, BLOCK_SLOTS / r->slots);
    for (int k = 0; k < r->work.n_inputs && r->mode != BY_ROWS; k++) {
        const int64_t most = r->mode == GATHERED ? GATHERED_BYTES : PACKED_BYTES;
        if (r->tile[k]) max = tess__min(max, most / (r->tile[k] * r->plan.size[k]));
    }
    if (r->converts) {
        const int64_t column = tess__min(numbers, r->run) * tess__dtype_size(r->method[0].read[0]);
        max = tess__min(max, CONVERTED_BYTES / column);
    }
    if (max > 16 && !row_by_row) max &= ~(int64_t)15; /* whole cache lines */
    return tess__min(max, inner);
}

/* Few results with many numbers: their subtrees of chunks become tasks. */
static void choose_subtrees(reduction *r)
{
    const int64_t wanted = 4 * (int64_t)tess_threads_get();
    r->sub_chunks = r->n_chunks ? r->n_chunks : 1;
    if (r->n_blocks >= wanted || wanted <= 4 || r->cost < TESS__PARALLEL_MIN_NS || r->n_chunks < 2) return;
    int64_t size = 1;
    while (size * wanted < r->n_chunks * r->n_blocks) size *= 2;
    if (size >= r->n_chunks) return;
    r->sub_chunks = size;
    r->n_subs = (r->n_chunks - 1) / size + 1;
}

static void decide(reduction *r)
{
    const tess__nest *kept = &r->plan.kept, *reduced = &r->plan.reduced;
    r->cost *= (double)kept->n * (double)reduced->n;
    r->partial = NULL;
    r->n_subs = 1;
    r->whole = false;
    r->mode = mode_of(r);
    r->pairs = r->mode == BY_COLUMNS && r->work.n_inputs == 2 ? kernel_of_pairs(r) : NULL;
    r->results =
        r->pairs ? tess__cpu_kernels()->reduce.column_results[TESS__RK_DOT][r->stored[0]] : r->method[0].results;
    r->written = r->pairs ? r->stored[0] : r->method[0].mapped;
    r->converts = r->mode == BY_COLUMNS && !r->all_direct && !r->pairs;
    bool ordered = !r->all_direct || r->mode != BY_ROWS || reduced->in[0][reduced->n_dims - 1] != 1;
    for (int i = 0; i < r->work.n_items; i++) ordered = ordered || r->method[i].ordered;
    if (reduced->n_dims > 1 || r->work.n_inputs == 2) ordered = true;
    r->run = ordered ? TESS__CHUNK : TESS__LONG_RUN;
    for (int k = 0; k < 2; k++) r->tile[k] = k < r->work.n_inputs ? choose_tile(r, k) : 0;
    r->n_chunks = reduced->n ? reduced->n / r->plan.inner_run * chunks_of_run(r) : 0;
    r->whole = is_whole(r);
    r->nt = TESS__HAVE_NT_STORES && kept->n * tess__dtype_size(r->written) >= TESS__NT_MIN_BYTES;
    r->block = choose_block(r);
    r->n_along = kept->n ? (kept->size[kept->n_dims - 1] - 1) / r->block + 1 : 0;
    r->n_blocks = kept->n ? kept->n / kept->size[kept->n_dims - 1] * r->n_along : 0;
    choose_subtrees(r);
    for (int k = 0; k < 2; k++) r->tile[k] = tess__min(r->tile[k], r->sub_chunks * r->run); /* no task has more */
}

/* ---- Entry ---- */

static tess_status run(const void *payload, size_t size)
{
    const reduction *r = payload;
    execution        running = { .r = r };
    (void)size;
    const int64_t n_tasks = r->n_blocks * r->n_subs;
    const size_t  tiles = tile_bytes(r, 0) + tile_bytes(r, 1);
    if (tiles && !tess__workspaces_make(&running.tiles, tiles, n_tasks)) {
        tess__free(r->partial);
        TESS_FAIL(TESS_ENOMEM, "%s: no memory for the %zu bytes that each thread works in", r->work.name, tiles);
    }
    if (n_tasks == 1) run_tasks(&running, 0, 1);
    else tess__parallel(n_tasks, tess__grain(n_tasks, r->cost / (double)n_tasks), run_tasks, &running);
    if (r->partial) merge_subtrees(r);
    if (tiles) tess__workspaces_free(&running.tiles);
    tess__free(r->partial);
    return TESS_OK;
}

static void buffers(const void *payload, size_t size, void (*each)(tess_buffer *))
{
    const reduction *r = payload;
    (void)size;
    for (int k = 0; k < r->work.n_inputs; k++) each(r->work.in[k].buffer);
    for (int k = 0; k < 2 * r->work.n_items; k++)
        if (r->plan.out[k]) each(r->work.item[k / 2].out[k % 2].buffer);
}

static tess_status reduce_large(tess_stream *stream, const tess__reduce *work)
{
    reduction r;
    memcpy(&r.work, work, offsetof(tess__reduce, item) + (size_t)work->n_items * sizeof work->item[0]);
    choose_methods(&r);
    tess__plan_reduction(&r.plan, &r.work, is_any_order(&r));
    for (int k = 0; k < work->n_inputs; k++)
        if (work->in[k].flags & TESS_SCALAR) memcpy(r.number[k], work->in[k].data, (size_t)r.plan.size[k]);
    if (r.plan.kept.n == 0) return TESS_OK;
    decide(&r);
    if (r.n_subs > 1) {
        const size_t bytes = (size_t)(r.n_subs * r.slots * r.plan.kept.n) * sizeof(tess__slot);
        r.partial = tess__alloc(bytes);
        TESS_CHECK(r.partial, TESS_ENOMEM, "%s: no memory for %zu bytes of partial results", work->name, bytes);
    }
    const tess_status status = tess__submit(stream, run, &r, sizeof r, buffers);
    if (status != TESS_OK) tess__free(r.partial);
    return status;
}

tess_status tess__cpu_reduce(tess_stream *stream, const tess__reduce *work)
{
    tess_status status;
    return tess__reduce_small(stream, work, &status) ? status : reduce_large(stream, work);
}
