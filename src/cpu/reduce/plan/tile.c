/* Packing of reduced elements: a tile is a range of numbers, copied box by box as a transpose. */
#include "cpu/reduce/plan/tile.h"

#include "core/array/layout.h"
#include "core/minmax.h"
#include "cpu/cpu.h"

enum {
    LINE = 64,            /* bytes of a cache line */
    STRETCH = 256,        /* bytes that a tile takes in one place: fewer are slow for the hardware to find */
    TILE_BYTES = 1 << 18, /* of a tile: it stays in L2 */
    MAX_BYTES = 1 << 26,  /* of one whose turns are long: whole lines matter more than the cache */
    MIN_BYTES = 1 << 14   /* of a result that is packed: fewer are in L1, where a strided walk is as fast */
};

/* The reduced axis that is nearest in memory; broadcast axes are not. */
static int nearest_reduced(const tess__nest *nest, int k)
{
    int best = nest->n_dims - 1;
    for (int d = best - 1; d >= 0; d--)
        if (nest->in[k][d] != 0 && tess__magnitude(nest->in[k][d]) < tess__magnitude(nest->in[k][best])) best = d;
    return best;
}

/* Numbers from one index of axis d to the next. */
static int64_t turn_of(const tess__nest *nest, int d)
{
    int64_t turn = 1;
    for (int i = d + 1; i < nest->n_dims; i++) turn *= nest->size[i];
    return turn;
}

int tess__nearest_axis(const tess__reduce_plan *p, int k)
{
    const tess__nest *reduced = &p->reduced, *kept = &p->kept;
    const int         near = nearest_reduced(reduced, k);
    const int64_t     along = tess__magnitude(reduced->in[k][near]), across = kept->in[k][kept->n_dims - 1];
    if (reduced->n < 2) return TESS__NEAREST_ALONG;
    if (kept->size[kept->n_dims - 1] > 1 && across > 0 && across < along) return TESS__NEAREST_RESULTS;
    const bool pays = along * p->size[k] < LINE && reduced->n * p->size[k] >= MIN_BYTES &&
                      turn_of(reduced, near) * p->size[k] <= MAX_BYTES / 2;
    return near < reduced->n_dims - 1 && pays ? TESS__NEAREST_NUMBERS : TESS__NEAREST_ALONG;
}

int64_t tess__tile_numbers(const tess__reduce_plan *p, int k)
{
    const tess__nest *nest = &p->reduced;
    const int         near = nearest_reduced(nest, k);
    const int64_t     turn = turn_of(nest, near), size = p->size[k];
    const int64_t     stretch = STRETCH / (size * tess__magnitude(nest->in[k][near]));
    int64_t           turns = tess__max(TILE_BYTES / (turn * size), stretch);
    turns = tess__min(turns, tess__max(MAX_BYTES / (turn * size), 1));
    return tess__min(turns * turn, nest->n);
}

int64_t tess__tile_end(const tess__reduce_plan *p, int k, int64_t first, int64_t numbers)
{
    const int64_t turn = turn_of(&p->reduced, nearest_reduced(&p->reduced, k));
    return (first + numbers) / turn * turn;
}

/* Copies `count` turns of axis d, from number `first` on, of every column. Kept columns and reduced axes are at most
 * four together. */
static void pack_box(const tess__reduce_plan *p, int k, tess_dtype dtype, const tess__tile *t, int64_t first, int d,
                     int64_t count)
{
    const tess__nest *nest = &p->reduced;
    int64_t           offset = 0, stride = t->number_stride, index = first;
    tess_array        in = { .shape = TESS_SHAPE(1, 1, 1, 1), .dtype = dtype }, out = in;
    for (int i = nest->n_dims - 1, at = 3; i >= d; i--, at--) {
        in.shape.dim[at] = i == d ? count : nest->size[i];
        in.strides.dim[at] = nest->in[k][i];
        out.strides.dim[at] = stride;
        stride *= nest->size[i];
    }
    for (int i = nest->n_dims - 1; i >= 0; i--) {
        offset += (i ? index % nest->size[i] : index) * nest->in[k][i];
        index /= nest->size[i];
    }
    if (t->columns > 1) {
        in.shape.dim[0] = t->columns;
        in.strides.dim[0] = p->kept.in[k][p->kept.n_dims - 1];
        out.strides.dim[0] = t->column_stride;
    }
    out.shape = in.shape;
    in.data = (char *)(uintptr_t)(t->base + offset * p->size[k]);
    out.data = t->out + (first - t->first) * t->number_stride * p->size[k];
    tess__loop loop;
    tess__plan(&loop, in.shape, (const tess_array *[]){ &out, &in }, 2);
    tess__cpu_copy(&loop);
}

void tess__pack_tile(const tess__reduce_plan *p, int k, tess_dtype dtype, const tess__tile *t)
{
    const tess__nest *nest = &p->reduced;
    const int64_t     end = t->first + t->n;
    for (int64_t at = t->first; at < end;) {
        int     d = nest->n_dims - 1;
        int64_t turn = 1;
        while (d > 0 && at % (turn * nest->size[d]) == 0 && end - at >= turn * nest->size[d]) turn *= nest->size[d--];
        const int64_t left = nest->size[d] - at / turn % nest->size[d], count = tess__min(left, (end - at) / turn);
        pack_box(p, k, dtype, t, at, d, count);
        at += count * turn;
    }
}
