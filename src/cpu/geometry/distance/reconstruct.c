/* Morphological reconstruction on the CPU: Vincent's hybrid algorithm (1993), a scan in either direction and then a
 * queue of the elements that can still raise a neighbour. Each batch is a task.
 *
 * Elements are keys that compare as they do, complemented for a reconstruction by erosion. Batches are copied with a
 * margin of the lowest key along axes longer than 1, which raises nothing, so that no neighbour needs a check. */
#include <string.h>

#include "core/device/cancel.h"
#include "core/device/memory.h"
#include "core/dtype.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/workspace.h"
#include "cpu/template.h"

enum { MAX_NEIGHBOURS = 26, ELEMENTS_OF_CHECK = 1 << 14 };

/* Estimated nanoseconds of an element. */
#define COST 20.0

/* A batch with its margins. */
typedef struct padded {
    int64_t  size[3], margin[3], n;      /* of d, h, w; elements */
    int64_t  before[MAX_NEIGHBOURS / 2]; /* offsets of the neighbours before an element; those after it are opposite */
    int      count;                      /* of them */
    char    *marker, *mask;              /* keys */
    int64_t *queue;
    uint8_t *is_queued;
} padded;

#define K uint8_t
#define LOWEST 0
#define SUFFIX 8
#include "cpu/geometry/distance/reconstruct.c.inc"
#define K int16_t
#define LOWEST INT16_MIN
#define SUFFIX 16
#include "cpu/geometry/distance/reconstruct.c.inc"
#define K int32_t
#define LOWEST INT32_MIN
#define SUFFIX 32
#include "cpu/geometry/distance/reconstruct.c.inc"
#define K int64_t
#define LOWEST INT64_MIN
#define SUFFIX 64
#include "cpu/geometry/distance/reconstruct.c.inc"

static void (*const reconstruct[])(const padded *p) = { reconstruct_8, reconstruct_16, reconstruct_32, reconstruct_64 };

static void (*const set_lowest[])(char *keys, int64_t n) = { set_lowest_8, set_lowest_16, set_lowest_32,
                                                             set_lowest_64 };

typedef struct reconstruction {
    const tess__reconstruct *work;
    const tess__kernels     *kernels;
    padded                   layout; /* without memory */
    int64_t                  size;   /* bytes of a key */
    size_t                   offset[3];
    tess__workspaces         workspaces;
} reconstruction;

/* ---- Copies ---- */

static void complement(char *keys, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i++) keys[i] = (char)~keys[i];
}

/* Where a row begins, with its margin; -1 is a row of the margin. */
static char *key_row(const reconstruction *c, char *keys, int64_t d, int64_t h)
{
    const padded *p = &c->layout;
    return keys + ((d + p->margin[0]) * p->size[1] + h + p->margin[1]) * p->size[2] * c->size;
}

static char *key_at(const reconstruction *c, char *keys, int64_t d, int64_t h)
{
    return key_row(c, keys, d, h) + c->layout.margin[2] * c->size;
}

static char *row_at(const tess_array *a, int64_t b, int64_t d, int64_t h)
{
    return (char *)a->data + (b * a->strides.b + d * a->strides.d + h * a->strides.h) * tess__dtype_size(a->dtype);
}

static void load_row(const reconstruction *c, char *keys, const tess_array *a, int64_t b, int64_t d, int64_t h)
{
    char *row = key_at(c, keys, d, h);
    c->kernels->signal.to_keys[a->dtype]((char *[]){ row, row_at(a, b, d, h) }, (int64_t[]){ 1, a->strides.w },
                                         a->shape.w, NULL);
    if (c->work->by_erosion) complement(row, a->shape.w * c->size);
}

static void load(const reconstruction *c, char *keys, const tess_array *a, int64_t b)
{
    const padded *p = &c->layout;
    for (int64_t d = -p->margin[0]; d < a->shape.d + p->margin[0]; d++)
        for (int64_t h = -p->margin[1]; h < a->shape.h + p->margin[1] && !tess__cancelled(); h++) {
            set_lowest[tess__size_class(c->size)](key_row(c, keys, d, h), p->size[2]);
            if (d >= 0 && d < a->shape.d && h >= 0 && h < a->shape.h) load_row(c, keys, a, b, d, h);
        }
}

static void store(const reconstruction *c, char *keys, int64_t b)
{
    const tess_array *a = &c->work->out;
    tess__row_fn     *from_keys = c->kernels->signal.from_keys[a->dtype];
    for (int64_t d = 0; d < a->shape.d; d++)
        for (int64_t h = 0; h < a->shape.h && !tess__cancelled(); h++) {
            char *row = key_at(c, keys, d, h);
            if (c->work->by_erosion) complement(row, a->shape.w * c->size);
            from_keys((char *[]){ row_at(a, b, d, h), row }, (int64_t[]){ a->strides.w, 1 }, a->shape.w, NULL);
        }
}

/* ---- Batches ---- */

static void do_batches(void *context, int64_t first, int64_t last)
{
    reconstruction *c = context;
    char           *workspace = tess__workspace_acquire(&c->workspaces);
    padded          p = c->layout;
    p.marker = workspace;
    p.mask = workspace + c->offset[0];
    p.queue = (int64_t *)(void *)(workspace + c->offset[1]);
    p.is_queued = (uint8_t *)workspace + c->offset[2];
    for (int64_t b = first; b < last; b++) {
        load(c, p.marker, &c->work->marker, b);
        load(c, p.mask, &c->work->mask, b);
        reconstruct[tess__size_class(c->size)](&p);
        if (!tess__cancelled()) store(c, p.marker, b);
    }
    tess__workspace_release(&c->workspaces, workspace);
}

static void set_neighbours(padded *p, bool full)
{
    for (int d = -1; d <= 0; d++)
        for (int h = -1; h <= 1; h++)
            for (int w = -1; w <= 1; w++) {
                const bool is_before = d < 0 || (d == 0 && (h < 0 || (h == 0 && w < 0)));
                const bool exists = (!d || p->margin[0]) && (!h || p->margin[1]) && (!w || p->margin[2]);
                if (is_before && exists && (full || d * d + h * h + w * w == 1))
                    p->before[p->count++] = (d * p->size[1] + h) * p->size[2] + w;
            }
}

tess_status tess__cpu_reconstruct(const tess__reconstruct *work)
{
    reconstruction c = {
        .work = work, .kernels = tess__cpu_kernels(), .layout = { .n = 1 }, .size = tess__dtype_size(work->out.dtype)
    };
    padded *p = &c.layout;
    for (int k = 0; k < 3; k++) {
        p->margin[k] = work->out.shape.dim[k + 1] > 1;
        p->size[k] = work->out.shape.dim[k + 1] + 2 * p->margin[k];
        p->n *= p->size[k];
    }
    set_neighbours(p, work->full);
    const size_t keys = tess__aligned_size(p->n, c.size);
    c.offset[0] = keys;
    c.offset[1] = 2 * keys;
    c.offset[2] = 2 * keys + tess__aligned_size(p->n, (int64_t)sizeof *p->queue);
    const size_t bytes = c.offset[2] + tess__aligned_size(p->n, 1);
    TESS_CHECK(tess__workspaces_make(&c.workspaces, bytes, work->out.shape.b), TESS_ENOMEM,
               "%s: no memory for a workspace of %zu bytes for each thread", work->name, bytes);
    tess__parallel(work->out.shape.b, tess__grain(work->out.shape.b, COST * (double)p->n), do_batches, &c);
    tess__workspaces_free(&c.workspaces);
    return TESS_OK;
}
