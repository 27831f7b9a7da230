/* Numbers of labels on the CPU: sums over runs of equal labels in rows.
 *
 * Batches are divided into slabs of rows, as many as shape and number of labels say. Each slab has a table of sums, and
 * those of a batch are added in their order, so that results do not depend on the number of threads. */
#include <math.h>

#include "core/device/cancel.h"
#include "core/device/memory.h"
#include "core/dtype.h"
#include "core/minmax.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"

enum { CHUNK = 1024, MAX_SLABS = 16, ELEMENTS_OF_SLAB = 1 << 17, ELEMENTS_OF_LABEL = 64 };

/* Estimated nanoseconds of an element, and of a label. */
#define COST 2.0
#define COST_OF_LABEL 100.0

/* Sums are exact; those of products are modulo 2^64. */
typedef struct places {
    int64_t  count, first[3], last[3], sum[3];
    uint64_t products[6]; /* dd, dh, dw, hh, hw, ww */
} places;

typedef struct values {
    double sum, min, max, moments[3];
} values;

typedef struct properties {
    const tess__label_properties *work;
    const tess__kernels          *kernels;
    places                       *places; /* of each label, slab and batch */
    values                       *values; /* the same; NULL without an image */
    int64_t                       slabs;
} properties;

/* A row, or a part of one. */
typedef struct chunk {
    int64_t d, h, w, n;
    int64_t labels[CHUNK];
    double  values[CHUNK];
} chunk;

/* ---- Sums ---- */

/* The sum of squares below n, modulo 2^64: n (n - 1) / 2 (2 n - 1) / 3, divided before the product that may not fit. */
static uint64_t squares_below(int64_t n)
{
    const uint64_t k = (uint64_t)n, sum = n > 0 ? (k - 1) * k / 2 : 0, twice = 2 * k - 1;
    return sum % 3 == 0 ? sum / 3 * twice : sum * (twice / 3);
}

/* Elements `first` to before `last` of a chunk. */
static void add_places(places *p, const chunk *c, int64_t first, int64_t last)
{
    const int64_t  from = c->w + first, to = c->w + last, n = last - first, sum = n * (from + to - 1) / 2;
    const uint64_t d = (uint64_t)c->d, h = (uint64_t)c->h, count = (uint64_t)n;
    p->count += n;
    p->first[0] = tess__min(p->first[0], c->d);
    p->first[1] = tess__min(p->first[1], c->h);
    p->first[2] = tess__min(p->first[2], from);
    p->last[0] = tess__max(p->last[0], c->d);
    p->last[1] = tess__max(p->last[1], c->h);
    p->last[2] = tess__max(p->last[2], to - 1);
    p->sum[0] += n * c->d;
    p->sum[1] += n * c->h;
    p->sum[2] += sum;
    p->products[0] += count * d * d;
    p->products[1] += count * d * h;
    p->products[2] += d * (uint64_t)sum;
    p->products[3] += count * h * h;
    p->products[4] += h * (uint64_t)sum;
    p->products[5] += squares_below(to) - squares_below(from);
}

static void add_values(values *v, const chunk *c, int64_t first, int64_t last)
{
    double sum = 0, moment = 0, min = v->min, max = v->max;
    for (int64_t i = first; i < last; i++) {
        const double x = c->values[i];
        sum += x;
        moment += x * (double)(c->w + i);
        min = x < min || isnan(x) ? x : min;
        max = x > max || isnan(x) ? x : max;
    }
    v->sum += sum;
    v->min = min;
    v->max = max;
    v->moments[0] += sum * (double)c->d;
    v->moments[1] += sum * (double)c->h;
    v->moments[2] += moment;
}

static void add_chunk(const properties *c, const chunk *k, int64_t table)
{
    const int64_t n = c->work->n;
    for (int64_t i = 0; i < k->n;) {
        const int64_t label = k->labels[i], first = i;
        while (++i < k->n && k->labels[i] == label) continue;
        if (label < 1 || label > n) continue;
        add_places(&c->places[table * n + label - 1], k, first, i);
        if (c->values) add_values(&c->values[table * n + label - 1], k, first, i);
    }
}

/* ---- Rows ---- */

static void load(const properties *c, char *to, tess_dtype dtype, const tess_array *a, int64_t b, const chunk *k)
{
    const int64_t offset = b * a->strides.b + k->d * a->strides.d + k->h * a->strides.h + k->w * a->strides.w;
    char *const   p[2] = { to, (char *)a->data + offset * tess__dtype_size(a->dtype) };
    c->kernels->convert.cast[TESS__WRAP][a->dtype][dtype](p, (int64_t[]){ 1, a->strides.w }, k->n, NULL);
}

static void do_row(const properties *c, chunk *k, int64_t table, int64_t b)
{
    const int64_t w = c->work->labels.shape.w;
    for (k->w = 0; k->w < w && !tess__cancelled(); k->w += CHUNK) {
        k->n = tess__min(CHUNK, w - k->w);
        load(c, (char *)k->labels, TESS_I64, &c->work->labels, b, k);
        if (c->values) load(c, (char *)k->values, TESS_F64, &c->work->image, b, k);
        add_chunk(c, k, table);
    }
}

static void empty_table(const properties *c, int64_t table)
{
    const int64_t n = c->work->n;
    for (int64_t i = table * n; i < (table + 1) * n; i++) {
        c->places[i] = (places){ .first = { INT64_MAX, INT64_MAX, INT64_MAX }, .last = { -1, -1, -1 } };
        if (c->values) c->values[i] = (values){ .min = INFINITY, .max = -INFINITY };
    }
}

/* Each slab of each batch is an item. */
static void do_slabs(void *context, int64_t first, int64_t last)
{
    const properties *c = context;
    const tess_shape *shape = &c->work->labels.shape;
    const int64_t     rows = shape->d * shape->h;
    for (int64_t table = first; table < last; table++) {
        const int64_t slab = table % c->slabs;
        chunk         k;
        empty_table(c, table);
        for (int64_t row = rows * slab / c->slabs; row < rows * (slab + 1) / c->slabs; row++) {
            k.d = row / shape->h;
            k.h = row % shape->h;
            do_row(c, &k, table, table / c->slabs);
        }
    }
}

/* ---- Results ---- */

static void merge_places(places *p, const places *other)
{
    p->count += other->count;
    for (int k = 0; k < 3; k++) {
        p->first[k] = tess__min(p->first[k], other->first[k]);
        p->last[k] = tess__max(p->last[k], other->last[k]);
        p->sum[k] += other->sum[k];
    }
    for (int k = 0; k < 6; k++) p->products[k] += other->products[k];
}

static void merge_values(values *v, const values *other)
{
    v->sum += other->sum;
    v->min = other->min < v->min || isnan(other->min) ? other->min : v->min;
    v->max = other->max > v->max || isnan(other->max) ? other->max : v->max;
    for (int k = 0; k < 3; k++) v->moments[k] += other->moments[k];
}

/* Products of distances from the element before the centre, which are sums that 64 bits hold, and from there. */
static void put_covariances(double *to, const places *p)
{
    static const int which[9] = { 0, 1, 2, 1, 3, 4, 2, 4, 5 };
    const double     n = (double)p->count;
    for (int k = 0; k < 9; k++) {
        const int      i = k / 3, j = k % 3;
        const int64_t  x = p->count ? p->sum[i] / p->count : 0, y = p->count ? p->sum[j] / p->count : 0;
        const int64_t  rest_x = p->sum[i] - x * p->count, rest_y = p->sum[j] - y * p->count;
        const uint64_t sum = p->products[which[k]] - (uint64_t)x * (uint64_t)p->sum[j] - (uint64_t)y * (uint64_t)rest_x;
        to[k] = (double)(int64_t)sum / n - (double)rest_x / n * ((double)rest_y / n);
    }
}

static void put_places(const tess__label_properties *work, const places *p, int64_t row)
{
    int64_t *areas = work->areas.data, *bounds = work->bounds.data;
    double  *centres = work->centres.data, *covariances = work->covariances.data;
    areas[row] = p->count;
    for (int k = 0; k < 3; k++) {
        if (bounds) bounds[row * 6 + k] = p->count ? p->first[k] : 0;
        if (bounds) bounds[row * 6 + 3 + k] = p->last[k] + 1;
        if (centres) centres[row * 3 + k] = (double)p->sum[k] / (double)p->count;
    }
    if (covariances) put_covariances(covariances + row * 9, p);
}

static void put_values(const tess__label_properties *work, const places *p, const values *v, int64_t row)
{
    double    *sums = work->sums.data, *means = work->means.data, *mins = work->mins.data, *maxs = work->maxs.data;
    double    *centres = work->mass_centres.data;
    const bool is_empty = p->count == 0;
    if (sums) sums[row] = v->sum;
    if (means) means[row] = v->sum / (double)p->count;
    if (mins) mins[row] = is_empty ? (double)NAN : v->min;
    if (maxs) maxs[row] = is_empty ? (double)NAN : v->max;
    for (int k = 0; k < 3 && centres; k++) centres[row * 3 + k] = v->moments[k] / v->sum;
}

/* Each label of each batch is an item. */
static void put_labels(void *context, int64_t first, int64_t last)
{
    const properties *c = context;
    const int64_t     n = c->work->n;
    for (int64_t row = first; row < last; row++) {
        const int64_t table = row / n * c->slabs, label = row % n;
        places        p = c->places[table * n + label];
        for (int64_t k = 1; k < c->slabs; k++) merge_places(&p, &c->places[(table + k) * n + label]);
        put_places(c->work, &p, row);
        if (!c->values) continue;
        values v = c->values[table * n + label];
        for (int64_t k = 1; k < c->slabs; k++) merge_values(&v, &c->values[(table + k) * n + label]);
        put_values(c->work, &p, &v, row);
    }
}

/* Tables take no more memory than a few bytes for each element. */
static int64_t count_slabs(const tess__label_properties *work)
{
    const tess_shape *shape = &work->labels.shape;
    const int64_t     rows = shape->d * shape->h, elements = rows * shape->w;
    const int64_t     most = tess__min(elements / ELEMENTS_OF_SLAB, elements / ELEMENTS_OF_LABEL / work->n);
    return tess__max(1, tess__min(tess__min(rows, MAX_SLABS), most));
}

tess_status tess__cpu_label_properties(const tess__label_properties *work)
{
    const tess_shape *shape = &work->labels.shape;
    properties        c = { .work = work, .kernels = tess__cpu_kernels(), .slabs = count_slabs(work) };
    const int64_t     tables = shape->b * c.slabs, n = tables * work->n;
    const double      elements = (double)(shape->d * shape->h * shape->w) / (double)c.slabs;
    const size_t      bytes = (size_t)n * (sizeof *c.places + (work->image.data ? sizeof *c.values : 0));
    c.places = tess__alloc(bytes);
    TESS_CHECK(c.places, TESS_ENOMEM, "%s: no memory for %zu bytes of sums", work->name, bytes);
    if (work->image.data) c.values = (values *)(void *)(c.places + n);
    tess__parallel(tables, tess__grain(tables, COST * elements + COST_OF_LABEL * (double)work->n), do_slabs, &c);
    if (!tess__cancelled())
        tess__parallel(shape->b * work->n, tess__grain(shape->b * work->n, COST_OF_LABEL), put_labels, &c);
    tess__free(c.places);
    return TESS_OK;
}
