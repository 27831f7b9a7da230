/* Shapes on the CPU: a row is cut where a shape begins and ends, and only the elements of its edge are computed; what
 * lies outside or inside is filled, copied or left as it is.
 *
 * Where several shapes meet in a row, the largest coverage of each element is found first.
 */
#include <string.h>

#include "core/dtype.h"
#include "core/device/engine.h"
#include "core/check/error.h"
#include "core/minmax.h"
#include "cpu/convert/convert.h"
#include "cpu/cpu.h"
#include "cpu/geometry/draw/draw_ranges.h"
#include "cpu/isa.h"
#include "cpu/memory/row_copy.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/workspace.h"

#define COST 0.3        /* estimated nanoseconds of an element */
#define COST_SHAPE 60.0 /* and of finding the ranges of a shape in a row */

enum {
    SEGMENTS = 2,
    CHUNK = 1024, /* elements that are computed at a time */
    PATTERN = 4096
};

/* Neighbours of a row, whose coordinates are neighbours too. */
typedef struct segment {
    int64_t          out; /* index of the first */
    tess__draw_range range;
} segment;

/* What becomes of elements of one coverage, 0 or 1. */
typedef struct constant {
    double coverage;
    int    action;                      /* a TESS__DRAW_COMPUTE … */
    _Alignas(64) char pattern[PATTERN]; /* FILL: the result, repeated */
} constant;

typedef struct draw {
    const tess__draw             *work;
    const tess__geometry_kernels *kernels;
    tess__conversion              load, put; /* elements to f64 or c64, and results from it */
    bool                          is_complex;
    int64_t                       size_in, size_out;
    bool                          in_place, nt;
    bool                          exact; /* integers of 64 bits that stay so */
    segment                       segments[SEGMENTS];
    int                           n_segments;
    constant                      outside, inside;
    tess__workspaces              workspaces; /* coverage of a row, then CHUNK elements */
    size_t                        elements_at;
} draw;

/* A row: of the output, of the input, and its coordinates. */
typedef struct place {
    char                   *out;
    const char             *in;
    const tess__draw_shape *shapes;
    double                  z, y;
} place;

/* ---- Runs ---- */

static void fill_run(const draw *d, char *out, const constant *c, int64_t n)
{
    const int64_t bytes = n * d->size_out, stride = d->work->out.strides.w;
    if (stride != 1) {
        tess__element element = { .size = d->size_out };
        memcpy(element.bytes, c->pattern, (size_t)d->size_out);
        tess__cpu_kernels()->memory.fill[tess__size_class(d->size_out)]((char *[]){ out }, &stride, n, &element);
        return;
    }
    if (!d->nt) {
        tess__fill_row(out, c->pattern, bytes);
        return;
    }
    for (int64_t at = 0; at < bytes; at += PATTERN)
        tess__nt_copy_bytes(out + at, c->pattern, tess__min(PATTERN, bytes - at));
}

static void copy_run(const draw *d, char *out, const char *in, int64_t n)
{
    const int64_t strides[2] = { d->work->out.strides.w, d->work->in.strides.w };
    if (d->in_place) return;
    if (strides[0] == 1 && strides[1] == 1) {
        if (d->nt) tess__nt_copy_bytes(out, in, n * d->size_out);
        else tess__copy_row(out, in, n * d->size_out);
        return;
    }
    tess__cpu_kernels()->memory.copy[tess__size_class(d->size_out)]((char *[]){ out, (char *)(uintptr_t)in }, strides,
                                                                    n, NULL);
}

/* One by one, where elements that stay as they are may not fit into an f64. */
static void put_or_copy(const draw *d, const place *p, int64_t first, const double *coverage, int64_t step, int64_t n,
                        double *elements)
{
    const tess__draw *work = d->work;
    for (int64_t i = 0; i < n; i++) {
        char        *out = p->out + (first + i) * work->out.strides.w * d->size_out;
        const char  *in = p->in + (first + i) * work->in.strides.w * d->size_in;
        const double c = tess__draw_counted(&work->spec, coverage[i * step]);
        if (tess__draw_action(&work->spec, c) == TESS__DRAW_COPY) memmove(out, in, (size_t)d->size_out);
        else d->put.row((char *[]){ out, (char *)&elements[i] }, (int64_t[]){ 1, 1 }, 1, &d->put);
    }
}

/* Elements `first` and on of a row, whose coverage is coverage[i step]. */
static void compute_run(const draw *d, const place *p, int64_t first, const double *coverage, int64_t step, int64_t n,
                        double *elements)
{
    const tess__draw *work = d->work;
    const int         parts = d->is_complex ? 2 : 1;
    while (n > 0) {
        const int64_t some = tess__min(n, CHUNK);
        char         *out = p->out + first * work->out.strides.w * d->size_out;
        if (p->in) {
            const char *in = p->in + first * work->in.strides.w * d->size_in;
            d->load.row((char *[]){ (char *)elements, (char *)(uintptr_t)in }, (int64_t[]){ 1, work->in.strides.w },
                        some, &d->load);
        } else {
            memset(elements, 0, (size_t)(some * parts) * sizeof *elements);
        }
        d->kernels->apply[d->is_complex](elements, coverage, step, &work->spec, some);
        if (d->exact) put_or_copy(d, p, first, coverage, step, some, elements);
        else d->put.row((char *[]){ out, (char *)elements }, (int64_t[]){ work->out.strides.w, 1 }, some, &d->put);
        first += some;
        coverage += some * step;
        n -= some;
    }
}

static void constant_run(const draw *d, const place *p, int64_t first, const constant *c, int64_t n, double *elements)
{
    char *out = p->out + first * d->work->out.strides.w * d->size_out;
    if (n <= 0) return;
    if (c->action == TESS__DRAW_FILL) fill_run(d, out, c, n);
    else if (c->action == TESS__DRAW_COPY) copy_run(d, out, p->in + first * d->work->in.strides.w * d->size_in, n);
    else compute_run(d, p, first, &c->coverage, 0, n, elements);
}

/* ---- Rows ---- */

static tess__shape_row row_of(const draw *d, const tess__draw_shape *shape, const place *p)
{
    tess__shape_row row = { .spec = &d->work->spec, .size = shape->size };
    for (int k = 0; k < 3; k++) {
        row.start[k] = tess__draw_start(shape, k, p->z, p->y);
        row.step[k] = shape->at[k][2];
    }
    return row;
}

/* The edge of a shape from one coordinate to before another, into the coverage of a row. */
static void cover(const draw *d, tess__shape_row *row, double *coverage, int64_t first, int64_t last)
{
    row->first = first;
    if (last > first) d->kernels->cover[d->work->spec.kind](coverage, row, last - first);
}

static void clear(double *coverage, int64_t n)
{
    for (int64_t i = 0; i < n; i++) coverage[i] = 0;
}

/* One side of the edge of the only shape of a row. */
static void edge_run(const draw *d, const place *p, const segment *s, tess__shape_row *row, tess__draw_range edge,
                     double *coverage)
{
    const int64_t n = edge.last - edge.first;
    if (n <= 0) return;
    clear(coverage, n);
    cover(d, row, coverage, edge.first, edge.last);
    compute_run(d, p, s->out + edge.first - s->range.first, coverage, 1, n,
                (double *)(void *)((char *)coverage + d->elements_at));
}

/* A segment that one shape reaches: outside, edge, inside, edge, outside. */
static void draw_one(const draw *d, const place *p, const segment *s, const tess__draw_shape *shape, double *coverage)
{
    double          *elements = (double *)(void *)((char *)coverage + d->elements_at);
    tess__shape_row  row = row_of(d, shape, p);
    const int64_t    to_index = s->out - s->range.first;
    tess__draw_range support, inside;
    tess__draw_ranges(&support, &inside, &row, s->range);
    if (inside.first >= inside.last) inside = (tess__draw_range){ support.last, support.last };
    constant_run(d, p, s->out, &d->outside, support.first - s->range.first, elements);
    edge_run(d, p, s, &row, (tess__draw_range){ support.first, inside.first }, coverage);
    constant_run(d, p, inside.first + to_index, &d->inside, inside.last - inside.first, elements);
    edge_run(d, p, s, &row, (tess__draw_range){ inside.last, support.last }, coverage);
    constant_run(d, p, support.last + to_index, &d->outside, s->range.last - support.last, elements);
}

/* The coverage of one of several shapes, into that of all; `reached` grows by what it covers. */
static void merge(const draw *d, const place *p, const segment *s, const tess__draw_shape *shape, double *coverage,
                  tess__draw_range *reached)
{
    tess__shape_row  row = row_of(d, shape, p);
    tess__draw_range support, inside;
    tess__draw_ranges(&support, &inside, &row, s->range);
    if (support.first >= support.last) return;
    if (inside.first >= inside.last) inside = (tess__draw_range){ support.last, support.last };
    double *from = coverage - s->range.first;
    cover(d, &row, from + support.first, support.first, inside.first);
    for (int64_t i = inside.first; i < inside.last; i++) from[i] = 1;
    cover(d, &row, from + inside.last, inside.last, support.last);
    reached->first = tess__min(reached->first, support.first);
    reached->last = tess__max(reached->last, support.last);
}

static void draw_several(const draw *d, const place *p, const segment *s, double *coverage)
{
    double          *elements = (double *)(void *)((char *)coverage + d->elements_at);
    const int64_t    n = s->range.last - s->range.first, to_index = s->out - s->range.first;
    tess__draw_range reached = { s->range.last, s->range.first };
    clear(coverage, n);
    for (int64_t i = 0; i < d->work->shapes.shape.d; i++) merge(d, p, s, &p->shapes[i], coverage, &reached);
    if (reached.first >= reached.last) reached.first = reached.last = s->range.last;
    constant_run(d, p, s->out, &d->outside, reached.first - s->range.first, elements);
    if (reached.last > reached.first)
        compute_run(d, p, reached.first + to_index, coverage + reached.first - s->range.first, 1,
                    reached.last - reached.first, elements);
    constant_run(d, p, reached.last + to_index, &d->outside, s->range.last - reached.last, elements);
}

static void draw_row(const draw *d, int64_t number, double *coverage)
{
    const tess__draw *work = d->work;
    const tess_shape *shape = &work->out.shape;
    const int64_t     h = number % shape->h, depth = number / shape->h % shape->d, b = number / shape->h / shape->d;
    const tess_array *out = &work->out, *in = &work->in;
    place             p = { .out = out->data, .in = in->data, .shapes = work->shapes.data };
    p.out += (b * out->strides.b + depth * out->strides.d + h * out->strides.h) * d->size_out;
    if (p.in) p.in += (b * in->strides.b + depth * in->strides.d + h * in->strides.h) * d->size_in;
    if (work->shapes.shape.b > 1) p.shapes += b * work->shapes.shape.d;
    p.z = (double)tess__draw_coordinate(work->order[1], work->logical[1], depth);
    p.y = (double)tess__draw_coordinate(work->order[2], work->logical[2], h);
    for (int k = 0; k < d->n_segments; k++) {
        if (work->shapes.shape.d == 1) draw_one(d, &p, &d->segments[k], p.shapes, coverage);
        else draw_several(d, &p, &d->segments[k], coverage);
    }
}

static void draw_rows(void *context, int64_t first, int64_t last)
{
    draw *d = context;
    char *workspace = tess__workspace_acquire(&d->workspaces);
    for (int64_t i = first; i < last; i++) draw_row(d, i, (double *)(void *)workspace);
    tess__workspace_release(&d->workspaces, workspace);
    if (d->nt) tess__stores_done();
}

/* ---- Preparation ---- */

static void find_segments(draw *d)
{
    const tess__draw *work = d->work;
    const int64_t     n = work->out.shape.w, logical = work->logical[3];
    const int64_t     whole = work->order[3] == TESS__DRAW_SHIFTED ? tess__min(n, logical - logical / 2) : n;
    const int64_t     start = tess__draw_coordinate(work->order[3], logical, 0);
    d->segments[d->n_segments++] = (segment){ 0, { start, start + whole } };
    if (whole < n) d->segments[d->n_segments++] = (segment){ whole, { 0, n - whole } };
}

/* The result, where it does not depend on the input. */
static tess_status find_constant(constant *c, const draw *d, double coverage)
{
    const tess__draw *work = d->work;
    const double      counted = tess__draw_counted(&work->spec, coverage);
    const tess_c64    result = { tess__draw_result(&work->spec, 0, counted),
                                 tess__draw_imaginary(&work->spec, 0, counted) };
    const tess_dtype  held = d->is_complex ? TESS_C64 : TESS_F64;
    c->coverage = coverage;
    c->action = tess__draw_action(&work->spec, counted);
    if (c->action == TESS__DRAW_COPY && work->in.dtype != work->out.dtype) c->action = TESS__DRAW_COMPUTE;
    TESS_TRY(tess__convert(c->pattern, work->out.dtype, &result, held));
    for (int64_t at = d->size_out; at < PATTERN; at += d->size_out)
        memcpy(c->pattern + at, c->pattern, (size_t)d->size_out);
    return TESS_OK;
}

static tess_status prepare(draw *d)
{
    const tess__draw *work = d->work;
    const tess_dtype  out = work->out.dtype, in = work->in.data ? work->in.dtype : out;
    d->kernels = &tess__cpu_kernels()->geometry;
    d->is_complex = tess_dtype_kind(out) == TESS_KIND_COMPLEX;
    const tess_dtype held = d->is_complex ? TESS_C64 : TESS_F64;
    d->load = tess__conversion_of(in, held, TESS__CLAMP, TESS_PART_DEFAULT);
    d->put = tess__conversion_of(held, out, TESS__CLAMP, TESS_PART_DEFAULT);
    d->size_in = tess__dtype_size(in);
    d->size_out = tess__dtype_size(out);
    d->exact = work->in.data && in == out && (in == TESS_I64 || in == TESS_U64);
    d->in_place = work->in.data == work->out.data;
    d->nt = TESS__HAVE_NT_STORES && !d->in_place && tess_n_bytes(&work->out) >= TESS__NT_MIN_BYTES;
    find_segments(d);
    TESS_TRY(find_constant(&d->outside, d, 0));
    TESS_TRY(find_constant(&d->inside, d, 1));
    return TESS_OK;
}

tess_status tess__cpu_draw(const tess__draw *work)
{
    draw d = { .work = work };
    TESS_TRY(prepare(&d));
    const tess_shape *shape = &d.work->out.shape;
    const int64_t     rows = shape->b * shape->d * shape->h;
    const double      cost = COST * (double)shape->w + COST_SHAPE * (double)d.work->shapes.shape.d;
    const int64_t     grain = tess__grain(rows, cost);
    d.elements_at = tess__aligned_size(shape->w, sizeof(double));
    const size_t bytes = d.elements_at + tess__aligned_size(CHUNK, 2 * sizeof(double));
    TESS_CHECK(tess__workspaces_make(&d.workspaces, bytes, (rows - 1) / grain + 1), TESS_ENOMEM,
               "%s: no memory for workspaces of %zu bytes", d.work->name, bytes);
    tess__parallel(rows, grain, draw_rows, &d);
    tess__workspaces_free(&d.workspaces);
    return TESS_OK;
}
