/* Reductions by rows: chunks of contiguous numbers, in place, gathered or from tiles, one result after the other. */
#include "core/minmax.h"
#include "cpu/isa.h"
#include "cpu/memory/row_copy.h"
#include "cpu/reduce/reduce.h"

enum { PREFETCH_BYTES = 4096 }; /* bytes of a run that are prefetched */

/* ---- Numbers ---- */

int64_t tess__nest_offset(const tess__nest *nest, int k, int64_t index)
{
    int64_t offset = 0;
    for (int d = nest->n_dims - 1; d > 0; d--) {
        offset += index % nest->size[d] * nest->in[k][d];
        index /= nest->size[d];
    }
    return offset + index * nest->in[k][0];
}

int64_t tess__chunks_of_run(const tess__reduction *r) { return (r->plan.inner_run + r->run - 1) / r->run; }

int64_t tess__chunk_begin(const tess__reduction *r, int64_t chunk)
{
    const int64_t each = tess__chunks_of_run(r);
    return each ? chunk / each * r->plan.inner_run + chunk % each * r->run : 0; /* none: no numbers */
}

/* Numbers first to first + n - 1 of a result as one contiguous row: in place, or copied to `workspace`. */
static const void *raw_numbers(const tess__reduction *r, int k, const char *base, int64_t first, int64_t n,
                               char *workspace)
{
    const tess__nest *nest = &r->plan.reduced;
    const int         inner = nest->n_dims - 1;
    const int64_t     size = r->plan.size[k], run = nest->size[inner], step = nest->in[k][inner];
    int64_t           at = inner ? first % run : first;
    const char       *from = base + tess__nest_offset(nest, k, first) * size;
    if (step == 1 && at + n <= run) return from;
    tess__row_fn *copy = tess__cpu_kernels()->memory.copy[tess__size_class(size)];
    const int64_t strides[2] = { 1, step };
    for (int64_t done = 0; done < n;) {
        const int64_t m = tess__min(run - at, n - done);
        char *const   p[2] = { workspace + done * size, (char *)(uintptr_t)from };
        done += m;
        /* The next run lies elsewhere: hardware prefetchers do not find it. */
        from = base + tess__nest_offset(nest, k, first + done) * size;
        for (int64_t line = 0; line < run * size && step == 1 && first + done < nest->n && line < PREFETCH_BYTES;
             line += 64)
            __builtin_prefetch(from + line);
        copy(p, strides, m, NULL);
        at = 0;
    }
    return workspace;
}

/* Packs numbers first to first + n - 1 of the tree's columns, and those after them, before number `end`, that the tile
 * holds, unless they are there already. */
static void fill_tile(const tess__reduction *r, int k, const char *base, int64_t first, int64_t n, int64_t end,
                      tess__reduce_memory *memory)
{
    tess__tile   *t = &memory->tile[k];
    const int64_t tile_end = r->mode == TESS__BY_ROWS ? tess__tile_end(&r->plan, k, first, r->tile[k]) : first + n;
    if (first >= t->first && first + n <= t->first + t->n) return;
    t->base = base;
    t->first = first;
    t->n = tess__max(tess__min(tile_end, end) - first, n);
    t->columns = memory->tree.columns;
    t->number_stride = 1;
    t->column_stride = t->n;
    tess__pack_tile(&r->plan, k, r->stored[k], t);
}

/* ---- One chunk of each column ---- */

/* True if n numbers are a whole run of a result, and the next result's run follows it in memory. */
static bool follow_each_other(const tess__reduction *r, int64_t n)
{
    const tess__nest *reduced = &r->plan.reduced, *kept = &r->plan.kept;
    const int         inner = reduced->n_dims - 1;
    bool              follow = reduced->size[inner] == n;
    for (int k = 0; k < r->work.n_inputs; k++)
        follow = follow && reduced->in[k][inner] == 1 && kept->in[k][kept->n_dims - 1] == n;
    return follow;
}

/* A chunk of one column, for one item, whose state is at s. */
static void add_chunk(const tess__reduction *r, int item, const tess__chunks *chunk, tess__slot *s,
                      const tess__reduce_memory *memory)
{
    const tess__method *m = &r->item[item].method;
    const int64_t       step = memory->tree.columns;
    tess__chunks        ready;
    if (!r->direct[item]) {
        const bool index = m->op == TESS__R_ARGMIN || m->op == TESS__R_ARGMAX;
        ready = *chunk;
        ready.prefetch = false;
        tess__prepare_chunk(m, &ready, r->stored, r->work.skip_nan && !index, memory->ready);
        chunk = &ready;
    }
    if (chunk->n > 0) m->kernel.chunks(chunk, s, step);
    else if (m->ordered)
        for (int w = 0; w < m->slots; w++) s[w * step] = m->neutral[w];
    if (!r->work.skip_nan) return;
    if (m->ordered) s[m->slots * step].i = 0;
    s[m->slots * step].i += chunk->n;
}

/* Numbers first to first + n - 1 of each column; `end`: the number after those that are reduced now. */
static void add_chunks(const tess__reduction *r, const char *const base[2], int64_t first, int64_t n, int64_t end,
                       tess__reduce_memory *memory)
{
    const int         inner = r->plan.kept.n_dims - 1;
    const int64_t     columns = memory->tree.columns;
    const tess__nest *reduced = &r->plan.reduced;
    const bool        dense = follow_each_other(r, n);
    const bool        alone = columns == 1 && r->work.n_inputs == 1 && reduced->n_dims == 1 && reduced->in[0][0] == 1;
    tess__chunks      chunk = { NULL, NULL, n, first, r->run, false };
    tess__slot       *state[TESS__MAX_REDUCTIONS];
    for (int k = 0; k < r->work.n_inputs; k++)
        if (r->tile[k]) fill_tile(r, k, base[k], first, n, end, memory);
    for (int item = 0; item < r->work.n_items; item++) state[item] = tess__tree_slot(&memory->tree, item);
    for (int64_t i = 0; i < columns; i++) {
        const int64_t c = dense ? tess__interleaved(i, columns) : i;
        const int64_t behind = (dense ? (columns - 1 - c) * n : alone ? reduced->n - first - n : 0) * r->plan.size[0];
        for (int k = 0; k < r->work.n_inputs; k++) {
            const tess__tile *t = &memory->tile[k];
            const int64_t     size = r->plan.size[k];
            const char       *at = base[k] + c * r->plan.kept.in[k][inner] * size;
            const void       *in = r->tile[k] ? t->out + (c * t->column_stride + first - t->first) * size
                                              : raw_numbers(r, k, at, first, n, memory->raw[k]);
            if (k == 0) chunk.x = in;
            else chunk.y = in;
        }
        chunk.prefetch = r->far && behind >= TESS__PREFETCH_DISTANCE;
        for (int item = 0; item < r->work.n_items; item++) add_chunk(r, item, &chunk, state[item] + c, memory);
    }
}

/* ---- Contiguous runs ---- */

/* Up to TESS__BATCH chunks are one call of the kernel; the last ones are one without prefetch. */
void tess__add_contiguous(tess__tree *tree, const tess__chunks *in, const int64_t size[2])
{
    const tess__method *m = &tree->item[0].method;
    const int64_t       last = (TESS__PREFETCH_DISTANCE / size[0] / TESS__CHUNK + 1) * TESS__CHUNK;
    tess__slot          state[TESS__BATCH * TESS__STATE_SLOTS];
    for (int64_t at = 0, n; at < in->n; at += n) {
        const int64_t before = (in->n - last - at) / TESS__CHUNK * TESS__CHUNK;
        const bool    prefetch = in->prefetch && before > 0;
        n = tess__min(prefetch ? before : in->n - at, (int64_t)TESS__BATCH * TESS__CHUNK);
        const tess__chunks batch = { (const char *)in->x + at * size[0],
                                     in->y ? (const char *)in->y + at * size[1] : NULL,
                                     n,
                                     in->first + at,
                                     TESS__CHUNK,
                                     prefetch };
        const int64_t      chunks = (n + TESS__CHUNK - 1) / TESS__CHUNK;
        m->kernel.chunks(&batch, state, chunks);
        tess__tree_add(tree, state, chunks);
    }
}

/* True if the numbers of a result in input k are contiguous, in place or in a tile. */
static bool is_contiguous_input(const tess__reduction *r, int k)
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
static bool is_contiguous_run(const tess__reduction *r)
{
    bool contiguous = r->mode == TESS__BY_ROWS && r->work.n_items == 1 && r->item[0].method.ordered && r->direct[0] &&
                      !r->work.skip_nan && r->plan.inner_run == r->plan.reduced.n;
    for (int k = 0; k < r->work.n_inputs; k++) contiguous = contiguous && is_contiguous_input(r, k);
    return contiguous;
}

/* Chunks first to last - 1 of such a run, as many at a time as the tiles hold. */
static void add_run(const tess__reduction *r, const char *const base[2], int64_t first, int64_t end,
                    tess__reduce_memory *memory)
{
    for (int64_t at = first * TESS__CHUNK, stop; at < end; at = stop) {
        const char *in[2] = { NULL, NULL };
        stop = end;
        for (int k = 0; k < r->work.n_inputs; k++) {
            const tess__tile *tile = &memory->tile[k];
            if (r->tile[k]) fill_tile(r, k, base[k], at, tess__min(TESS__CHUNK, end - at), end, memory);
            if (r->tile[k]) stop = tess__min(stop, tile->first + tile->n);
            in[k] = r->tile[k] ? tile->out + (at - tile->first) * r->plan.size[k] : base[k] + at * r->plan.size[k];
        }
        if (stop < end) stop = at + (stop - at) / TESS__CHUNK * TESS__CHUNK;
        tess__add_contiguous(&memory->tree, &(tess__chunks){ in[0], in[1], stop - at, at, TESS__CHUNK, r->far },
                             r->plan.size);
    }
}

static bool is_decided(const tess__reduction *r, const tess__tree *t, int64_t numbers)
{
    return r->work.n_items == 1 && !r->work.skip_nan && t->columns == 1 &&
           tess__is_settled(r->item[0].method.op, t->slot[0].i, numbers);
}

void tess__add_rows(const tess__reduction *r, const char *const base[2], int64_t first, int64_t last,
                    tess__reduce_memory *memory)
{
    const int64_t end = tess__min(tess__chunk_begin(r, last), r->plan.reduced.n);
    int64_t       numbers = 0;
    for (int k = 0; k < 2; k++) memory->tile[k].first = memory->tile[k].n = 0;
    if (memory->tree.columns == 1 && is_contiguous_run(r)) {
        add_run(r, base, first, end, memory);
        return;
    }
    for (int64_t chunk = first; chunk < last && !is_decided(r, &memory->tree, numbers); chunk++) {
        const int64_t at = tess__chunk_begin(r, chunk);
        const int64_t n = tess__min(r->run, r->plan.inner_run - at % r->plan.inner_run);
        add_chunks(r, base, at, n, end, memory);
        tess__tree_push(&memory->tree);
        numbers += n;
    }
}
