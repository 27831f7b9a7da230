/* Gather across layouts: tiles in which the input is read along its memory, then transposed to the output.
 *
 * Where the neighbours of an element in the input are not those in the output, a walk along the one touches a cache
 * line of the other for each element. A tile in the first cache has both: it is filled along lines of the input, and
 * written along lines of the output.
 */
#include "cpu/index/take_tiles.h"

#include "core/array/layout.h"
#include "core/minmax.h"
#include "cpu/isa.h"
#include "cpu/memory/line_writer.h"
#include "cpu/memory/transpose.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"

enum {
    TILE_BYTES = 1 << 15,
    RUN_BYTES = 128,     /* of a tile, across the axis */
    MIN_BYTES = 1 << 15, /* of results: below, any walk is fast */
    MIN_SIDE = 8         /* elements of a dimension */
};

/* ---- Plan ---- */

/* The only dimension along which indices differ; -1 if there is none, or several. */
static int dimension_of_indices(const tess__loop *loop)
{
    int found = -1;
    for (int d = 0; d < loop->n_dims; d++) {
        if (loop->stride[2][d] == 0) continue;
        if (found >= 0) return -1;
        found = d;
    }
    return found;
}

/* The other one in which the input has its smallest stride; -1 if there is none. */
static int nearest_in_input(const tess__loop *loop, int axis)
{
    int     best = -1;
    int64_t least = INT64_MAX;
    for (int d = 0; d < loop->n_dims; d++) {
        const int64_t stride = tess__magnitude(loop->stride[1][d]);
        if (d == axis || stride == 0 || stride >= least) continue;
        best = d;
        least = stride;
    }
    return best;
}

/* Are all strides whole elements? Runs of elements that are moved as one may be apart by parts of them. */
static bool are_whole(const tess__loop *loop, int64_t size)
{
    for (int d = 0; d < loop->n_dims; d++)
        if (loop->stride[0][d] % size || loop->stride[1][d] % size) return false;
    return true;
}

bool tess__take_tiles_plan(tess__take_tiles *t, const tess__loop *loop, int64_t size, int64_t step)
{
    const int inner = loop->n_dims - 1, axis = dimension_of_indices(loop);
    if (axis < 0 || loop->stride[1][axis] != 0 || loop->n * size < MIN_BYTES || !are_whole(loop, size)) return false;
    const int across = inner == axis ? nearest_in_input(loop, axis) : inner;
    if (across < 0 || tess__size_class(size) == TESS__ANY_SIZE) return false;
    const int64_t along_axis = tess__magnitude(step), other = tess__magnitude(loop->stride[1][across]);
    const int64_t near = inner == axis ? other : along_axis, far = inner == axis ? along_axis : other;
    if (near >= TESS__CACHE_LINE || far < TESS__CACHE_LINE) return false;
    if (loop->shape[axis] < MIN_SIDE || loop->shape[across] < MIN_SIDE) return false;
    *t = (tess__take_tiles){ .loop = loop, .size = size, .axis = axis, .across = across };
    t->n[1] = tess__min(RUN_BYTES / size, loop->shape[across]);
    t->n[0] = tess__min(TILE_BYTES / size / t->n[1], loop->shape[axis]);
    t->tiles[0] = (loop->shape[axis] - 1) / t->n[0] + 1;
    t->tiles[1] = (loop->shape[across] - 1) / t->n[1] + 1;
    return true;
}

/* ---- Tiles ---- */

/* Fill a tile of n[0] indices and n[1] elements of each: along the dimension in which the input is near, the other is
 * the outer one. */
static void fill(char *tile, const tess__take_tiles *t, const char *in, const int64_t *offset, const int64_t n[2])
{
    const int class = tess__size_class(t->size);
    const int64_t apart = t->loop->stride[1][t->across];
    const int64_t strides[2] = { 1, apart / t->size };
    if (t->across == t->loop->n_dims - 1) {
        for (int64_t x = 0; x < n[1]; x++)
            tess__cpu_kernels()->index.gather[class](tile + x * n[0] * t->size, t->size, in + x * apart, offset, n[0],
                                                     t->size);
        return;
    }
    for (int64_t y = 0; y < n[0]; y++) {
        char *const p[2] = { tile + y * n[1] * t->size, (char *)(uintptr_t)(in + offset[y]) };
        tess__cpu_kernels()->memory.copy[class](p, strides, n[1], NULL);
    }
}

static void run_tile(const tess__take_tiles *t, char *out, const char *in, const int64_t *offset, const int64_t n[2])
{
    _Alignas(TESS__CACHE_LINE) char tile[TILE_BYTES];
    const bool                      is_across = t->across == t->loop->n_dims - 1; /* of the output's rows */
    const int                       outer = is_across ? 0 : 1, inner = !outer;
    const int64_t   so[2] = { t->loop->stride[0][t->axis] / t->size, t->loop->stride[0][t->across] / t->size };
    tess__transpose to = { .out = out,
                           .in = tile,
                           .n = 2,
                           .size = (int)t->size,
                           .shape = { n[outer], n[inner] },
                           .so = { so[outer], so[inner] },
                           .si = { 1, n[outer] } };
    fill(tile, t, in, offset, n);
    tess__transpose_block(&to);
}

static void run_tiles(void *context, int64_t first, int64_t last)
{
    const tess__take_tiles *t = context;
    const tess__loop       *loop = t->loop;
    for (int64_t number = first; number < last; number++) {
        const int64_t from[2] = { number % t->tiles[0] * t->n[0], number / t->tiles[0] % t->tiles[1] * t->n[1] };
        const int64_t n[2] = { tess__min(t->n[0], loop->shape[t->axis] - from[0]),
                               tess__min(t->n[1], loop->shape[t->across] - from[1]) };
        int64_t       outer = number / t->tiles[0] / t->tiles[1];
        char         *out = loop->data[0] + from[0] * loop->stride[0][t->axis] + from[1] * loop->stride[0][t->across];
        const char   *in = loop->data[1] + from[1] * loop->stride[1][t->across];
        for (int d = loop->n_dims - 1; d >= 0; d--) {
            if (d == t->axis || d == t->across) continue;
            out += outer % loop->shape[d] * loop->stride[0][d];
            in += outer % loop->shape[d] * loop->stride[1][d];
            outer /= loop->shape[d];
        }
        run_tile(t, out, in, t->offset + from[0], n);
    }
}

void tess__take_tiles_run(tess__take_tiles *t, double cost)
{
    const tess__loop *loop = t->loop;
    const int64_t     outer = loop->n / loop->shape[t->axis] / loop->shape[t->across];
    const int64_t     n = outer * t->tiles[0] * t->tiles[1];
    tess__parallel(n, tess__grain(n, cost * (double)(t->n[0] * t->n[1])), run_tiles, t);
}
