/* Tiles of a stencil: rows gathered with their halo and border, so that no kernel looks at borders. */
#include "cpu/signal/tiles.h"

#include <string.h>

#include "core/dtype.h"
#include "core/minmax.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "tessera/border.h"

enum {
    MAX_WIDTH = 2048,
    MIN_HEIGHT = 16,     /* rows that a tile keeps, if it is divided for more threads alone */
    TILES_OF_THREAD = 4, /* which are enough */
};

/* ---- Division ---- */

/* Elements of a gathered row. */
static int64_t row_length(const tess__tiles *t) { return t->tile[2] + 2 * t->radius[2]; }

static int64_t gathered_rows(const tess__tiles *t)
{
    return (t->tile[0] + 2 * t->radius[0]) * (t->tile[1] + 2 * t->radius[1]);
}

static void set_pitch(tess__tiles *t)
{
    t->pitch = (row_length(t) * t->size + 63) / 64 * 64 + 64; /* neighbouring rows in other sets of the cache */
}

/* Halves the axis that costs least: w stays long, d and h are halved in turn. */
static bool shrink(tess__tiles *t)
{
    const int axis = t->tile[0] > t->tile[1] || (t->tile[0] == t->tile[1] && t->tile[0] > 1) ? 0 : 1;
    if (t->tile[axis] > 1) t->tile[axis] = (t->tile[axis] + 1) / 2;
    else if (t->tile[2] > 256) t->tile[2] = (t->tile[2] + 1) / 2;
    else return false;
    set_pitch(t);
    return true;
}

static int64_t count_tiles(const tess__tiles *t)
{
    int64_t n = t->work.out.shape.b;
    for (int k = 0; k < 3; k++) n *= (t->end[k] - t->first[k] - 1) / t->tile[k] + 1;
    return n;
}

void tess__tiles_plan(tess__tiles *t, const tess__stencil *work, int64_t size, int64_t bytes)
{
    *t = (tess__tiles){ .work = *work, .kernels = tess__cpu_kernels(), .size = size };
    for (int k = 0; k < 3; k++) {
        const int64_t n = work->out.shape.dim[k + 1], r = (work->size[k] - 1) / 2;
        t->radius[k] = r;
        t->first[k] = work->border == TESS_BORDER_NOTHING ? r : 0;
        t->end[k] = work->border == TESS_BORDER_NOTHING ? n - r : n;
        t->tile[k] = t->end[k] - t->first[k];
        if (t->tile[k] <= 0) return;
    }
    t->tile[2] = tess__min(t->tile[2], MAX_WIDTH);
    set_pitch(t);
    while (gathered_rows(t) > bytes / t->pitch && shrink(t)) {}
    while (t->tile[1] >= 2 * MIN_HEIGHT && count_tiles(t) < TILES_OF_THREAD * tess_threads_get())
        t->tile[1] = (t->tile[1] + 1) / 2;
    t->n = work->out.shape.b;
    for (int k = 0; k < 3; k++) {
        t->count[k] = (t->end[k] - t->first[k] - 1) / t->tile[k] + 1;
        t->tile[k] = (t->end[k] - t->first[k] - 1) / t->count[k] + 1; /* of about the same size */
        t->n *= t->count[k];
    }
    set_pitch(t);
}

void tess__tiles_load_numbers(tess__tiles *t, tess__conversion *conversion)
{
    const tess__stencil *work = &t->work;
    if (work->in.dtype == work->computed) t->load = t->kernels->memory.copy[tess__size_class(t->size)];
    else {
        *conversion = tess__conversion_of(work->in.dtype, work->computed, TESS__CLAMP, TESS_PART_DEFAULT);
        t->load = conversion->row;
    }
    t->load_param = conversion;
    t->outside = work->outside;
}

tess__tile tess__tile_at(const tess__tiles *t, int64_t number)
{
    tess__tile tile;
    for (int k = 2; k >= 0; k--) {
        tile.first[k] = t->first[k] + number % t->count[k] * t->tile[k];
        tile.n[k] = tess__min(t->tile[k], t->end[k] - tile.first[k]);
        number /= t->count[k];
    }
    tile.batch = number;
    return tile;
}

/* ---- Gathering ---- */

void tess__fill_outside(const tess__tiles *t, char *to, int64_t n)
{
    const int64_t one = 1;
    t->kernels->memory.fill[tess__size_class(t->size)](&to, &one, n, &t->outside);
}

static void load(const tess__tiles *t, char *to, const char *in, int64_t stride, int64_t n)
{
    char *const   p[2] = { to, (char *)(uintptr_t)in };
    const int64_t strides[2] = { 1, stride };
    t->load(p, strides, n, t->load_param);
}

/* Elements `from` to `to` - 1, which lie outside, of the row of the input at `in`; that of index `begin` goes to `row`.
 * Runs of them are evenly spaced. */
static void gather_halo(const tess__tiles *t, char *row, int64_t begin, int64_t from, int64_t to, const char *in)
{
    const tess_array *a = &t->work.in;
    const tess_border border = (tess_border)t->work.border;
    for (int64_t i = from, n; i < to; i += n) {
        const int64_t other = tess_border_index(border, i, a->shape.w);
        const int64_t step = i + 1 < to ? tess_border_index(border, i + 1, a->shape.w) - other : 0;
        char         *at = row + (i - begin) * t->size;
        for (n = 1; i + n < to && tess_border_index(border, i + n, a->shape.w) == other + n * step;) n++;
        if (other < 0) tess__fill_outside(t, at, n);
        else load(t, at, in + other * a->strides.w * tess__dtype_size(a->dtype), step * a->strides.w, n);
    }
}

bool tess__gather_row(const tess__tiles *t, const tess__tile *tile, int64_t d, int64_t h, char *to)
{
    const tess_array *in = &t->work.in;
    const tess_border border = (tess_border)t->work.border;
    const int64_t     size = tess__dtype_size(in->dtype), begin = tile->first[2] - t->radius[2];
    const int64_t     end = tile->first[2] + tile->n[2] + t->radius[2];
    const int64_t at_d = tess_border_index(border, d, in->shape.d), at_h = tess_border_index(border, h, in->shape.h);
    const int64_t low = tess__clamp(begin, 0, in->shape.w), high = tess__clamp(end, low, in->shape.w);
    if (at_d < 0 || at_h < 0) return false;
    const char *row =
        (const char *)in->data + (tile->batch * in->strides.b + at_d * in->strides.d + at_h * in->strides.h) * size;
    if (high > low) load(t, to + (low - begin) * t->size, row + low * in->strides.w * size, in->strides.w, high - low);
    if (begin < low) gather_halo(t, to, begin, begin, low, row);
    if (end > high) gather_halo(t, to, begin, high, end, row);
    return true;
}

void tess__gather_any_row(const tess__tiles *t, const tess__tile *tile, int64_t d, int64_t h, char *to)
{
    if (!tess__gather_row(t, tile, d, h, to)) tess__fill_outside(t, to, tile->n[2] + 2 * t->radius[2]);
}

char *tess__result_at(const tess__tiles *t, const tess__tile *tile, int64_t d, int64_t h)
{
    const tess_array *out = &t->work.out;
    const int64_t     at =
        tile->batch * out->strides.b + d * out->strides.d + h * out->strides.h + tile->first[2] * out->strides.w;
    return (char *)out->data + at * tess__dtype_size(out->dtype);
}

/* ---- The request ---- */

tess_status tess__cpu_stencil(const tess__stencil *work)
{
    const bool of_rank = work->kind == TESS__STENCIL_RANK;
    const bool extreme = work->rank == 0 || work->rank == work->size[0] * work->size[1] * work->size[2] - 1;
    if (work->kind == TESS__STENCIL_BILATERAL) TESS_TRY(tess__cpu_bilateral(work));
    else if (work->kind == TESS__STENCIL_NL_MEANS) TESS_TRY(tess__cpu_nl_means(work));
    else if (work->kind == TESS__STENCIL_MEAN || (of_rank && extreme && !work->filter[0].data))
        TESS_TRY(tess__cpu_running(work));
    else TESS_TRY(of_rank ? tess__cpu_rank(work) : tess__cpu_convolve(work));
    return TESS_OK;
}
