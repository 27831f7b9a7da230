/* Connected components on the CPU: a forest of disjoint sets over the elements, in which the root of a tree is its
 * first element, and then the root of each. */
#include "core/dtype.h"
#include "core/error.h"
#include "cpu/cpu.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/stream.h"

enum { NEIGHBOURS = 13 };

/* Neighbours that come before an element: of every two that touch, one. */
typedef struct neighbour {
    int     d, h, w;
    int64_t step; /* as a difference of numbers */
} neighbour;

typedef struct components {
    const tess__components *work;
    neighbour               before[NEIGHBOURS];
    int                     n;
} components;

static void find_neighbours(components *c)
{
    const tess_shape *shape = &c->work->out.shape;
    for (int d = -1; d <= 0; d++)
        for (int h = -1; h <= 1; h++)
            for (int w = -1; w <= 1; w++) {
                const int64_t step = (d * shape->h + h) * shape->w + w;
                const bool    is_before = d < 0 || (d == 0 && (h < 0 || (h == 0 && w < 0)));
                if (is_before && (c->work->full || d * d + h * h + w * w == 1))
                    c->before[c->n++] = (neighbour){ d, h, w, step };
            }
}

/* The root, with the path to it halved. */
static int64_t root_of(int64_t *parent, int64_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static void join(int64_t *parent, int64_t a, int64_t b)
{
    const int64_t x = root_of(parent, a), y = root_of(parent, b);
    if (x < y) parent[y] = x;
    else parent[x] = y;
}

static void take_element(const components *c, int64_t *parent, const int64_t at[3], int64_t number)
{
    const tess_shape *shape = &c->work->out.shape;
    parent[number] = number;
    for (int k = 0; k < c->n; k++) {
        const neighbour *v = &c->before[k];
        const int64_t    d = at[0] + v->d, h = at[1] + v->h, w = at[2] + v->w;
        if (d < 0 || h < 0 || w < 0 || h >= shape->h || w >= shape->w) continue;
        if (parent[number + v->step] >= 0) join(parent, number, number + v->step);
    }
}

static void do_batch(const components *c, int64_t b)
{
    const tess_array *in = &c->work->in;
    const tess_shape *shape = &c->work->out.shape;
    const int64_t     n = shape->d * shape->h * shape->w;
    int64_t          *parent = (int64_t *)c->work->out.data + b * n, number = 0;
    for (int64_t d = 0; d < shape->d; d++)
        for (int64_t h = 0; h < shape->h; h++) {
            const uint8_t *row = (const uint8_t *)in->data + b * in->strides.b + d * in->strides.d + h * in->strides.h;
            for (int64_t w = 0; w < shape->w; w++, number++) {
                parent[number] = -1;
                if (row[w * in->strides.w]) take_element(c, parent, (const int64_t[]){ d, h, w }, number);
            }
        }
    /* A parent comes before its child: it is a root by now. */
    for (int64_t i = 0; i < n; i++)
        if (parent[i] >= 0) parent[i] = parent[parent[i]];
}

static void do_batches(void *context, int64_t first, int64_t last)
{
    for (int64_t b = first; b < last; b++) do_batch(context, b);
}

static tess_status run_components(const void *payload, size_t size)
{
    (void)size;
    components c = { .work = payload };
    find_neighbours(&c);
    tess__parallel(c.work->out.shape.b, 1, do_batches, &c);
    return TESS_OK;
}

static void buffers(const void *payload, size_t size, void (*each)(tess_buffer *))
{
    (void)size;
    const tess__components *work = payload;
    each(work->out.buffer);
    each(work->in.buffer);
}

tess_status tess__cpu_components(tess_stream *stream, const tess__components *work)
{
    return tess__submit(stream, run_components, work, sizeof *work, buffers);
}
