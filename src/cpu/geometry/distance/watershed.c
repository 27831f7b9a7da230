/* Watershed on the CPU: flooding from markers, level by level (Meyer 1991). Each batch is a task.
 *
 * An element joins the queue once, when the flood first reaches a neighbour of it, at its own level or that of the
 * flood, whichever is higher. Levels are ranks of the values, from a sort, and each has a list in the order of arrival.
 * Levels never fall, so that the next list is found by going on. */
#include "core/device/cancel.h"
#include "core/dtype.h"
#include "core/minmax.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/workspace.h"
#include "cpu/sort/sample_sort.h"
#include "tessera/device.h"

enum { MAX_NEIGHBOURS = 26, CHUNK = 1024, ELEMENTS_OF_CHECK = 1 << 14 };

/* Estimated nanoseconds of an element. */
#define COST 150.0

/* States of elements that are in no list. */
enum { FLOODED = -1, ON_LINE = -2, UNSEEN = -3, OUTSIDE = -4 };

/* No element; and the level of markers that are in the queue, which have their label already. */
enum { NONE = -1, OF_MARKER = -1 };

typedef struct element {
    int64_t next; /* in its list, after the last one the first; or its state */
    int64_t level, label;
} element;

/* A batch with margins along axes longer than 1, which are OUTSIDE. */
typedef struct basin {
    int64_t  size[3], margin[3], n;
    int64_t  neighbours[MAX_NEIGHBOURS]; /* offsets, the nearest first, otherwise in the order of indices */
    int      count;
    bool     line;
    element *elements;
    void    *items;  /* of a sort: words with a key above an index, or pairs if `wide` */
    int64_t *last;   /* the last element of the list of each level, or NONE; where the items were */
    int64_t  levels; /* how many there are */
    int64_t  n_items;
    bool     wide;
} basin;

typedef struct watershed {
    const tess__watershed *work;
    const tess__kernels   *kernels;
    basin                  layout; /* without memory */
    int64_t                items;  /* bytes of them */
    int64_t                tables; /* bytes of those of a sort */
    tess__workspaces       workspaces;
} watershed;

/* ---- Levels ---- */

static void add_item(basin *b, uint64_t key, int64_t i)
{
    if (b->wide) ((tess__pair *)b->items)[b->n_items++] = (tess__pair){ key, (uint64_t)i };
    else ((uint64_t *)b->items)[b->n_items++] = key << TESS__INDEX_BITS | (uint64_t)i;
}

/* Where the items are then; `workspace` holds as many, and the tables of a sort of many, which can be cancelled. */
static const void *sort_items(const watershed *c, const basin *b, char *workspace)
{
    const tess__item_kernel *kernel = c->kernels->sort.item[b->wide ? 4 : 3];
    const int64_t            size = b->wide ? (int64_t)sizeof(tess__pair) : (int64_t)sizeof(uint64_t);
    const int                low = b->wide ? 0 : TESS__INDEX_BITS;
    const int64_t            least = tess_threads_get() > 1 ? TESS__SAMPLE_SORT_MIN : TESS__SAMPLE_SORT_ALONE / size;
    if (b->n_items < least) return kernel->sort(b->items, workspace, b->n_items, low);
    tess__sample_sort(kernel, &(tess__long_vector){ .items = b->items,
                                                    .workspace = workspace,
                                                    .memory = workspace + c->items,
                                                    .n = b->n_items,
                                                    .size = size,
                                                    .low = low });
    return b->items;
}

/* Ranks of the keys of all items become levels; equal keys have one. */
static void rank_items(const watershed *c, basin *b, char *workspace)
{
    const void *sorted = sort_items(c, b, workspace);
    uint64_t    previous = 0;
    b->levels = 0;
    for (int64_t i = 0; i < b->n_items; i++) {
        if (i % ELEMENTS_OF_CHECK == 0 && tess__cancelled()) return;
        const uint64_t   word = b->wide ? 0 : ((const uint64_t *)sorted)[i];
        const tess__pair item =
            b->wide ? ((const tess__pair *)sorted)[i] : (tess__pair){ word >> TESS__INDEX_BITS, (uint32_t)word };
        if (i == 0 || item.key != previous) b->levels++;
        previous = item.key;
        b->elements[item.index].level = b->levels - 1;
    }
    b->last = b->items;
    for (int64_t i = 0; i < b->levels; i++) b->last[i] = NONE;
}

/* ---- Queue ---- */

/* Joins the list of its level. */
static void push(const basin *b, int64_t i)
{
    element *e = &b->elements[i];
    int64_t *last = &b->last[e->level];
    if (*last == NONE) e->next = i;
    else {
        e->next = b->elements[*last].next;
        b->elements[*last].next = i;
    }
    *last = i;
}

/* The element whose turn it is, which leaves the queue, at a level from `*level` on; NONE if there is none. */
static int64_t pop(const basin *b, int64_t *level)
{
    while (*level < b->levels && b->last[*level] == NONE) ++*level;
    if (*level == b->levels) return NONE;
    const int64_t last = b->last[*level], i = b->elements[last].next;
    if (i == last) b->last[*level] = NONE;
    else b->elements[last].next = b->elements[i].next;
    return i;
}

/* ---- Flood ---- */

/* The neighbours of an element that is flooded, or on a line, join the queue. */
static void reach(const basin *b, int64_t from, int64_t level)
{
    element      *elements = b->elements;
    const int64_t label = elements[from].label;
    for (int k = 0; k < b->count; k++) {
        const int64_t i = from + b->neighbours[k];
        if (elements[i].next != UNSEEN) continue;
        elements[i].label = label;
        elements[i].level = tess__max(elements[i].level, level);
        push(b, i);
    }
}

static bool has_label(const element *e) { return e->next == FLOODED || (e->next >= 0 && e->level == OF_MARKER); }

static bool meets_another(const basin *b, int64_t i)
{
    for (int k = 0; k < b->count; k++) {
        const element *e = &b->elements[i + b->neighbours[k]];
        if (has_label(e) && e->label != b->elements[i].label) return true;
    }
    return false;
}

/* Those that are FLOODED join the queue, in the order of indices. */
static void queue_markers(const basin *b)
{
    for (int64_t i = 0; i < b->n; i++) {
        if (i % ELEMENTS_OF_CHECK == 0 && tess__cancelled()) return;
        if (b->elements[i].next != FLOODED) continue;
        push(b, i);
        b->elements[i].level = OF_MARKER;
    }
}

static void flood(const basin *b)
{
    int64_t level = 0;
    for (int64_t done = 0, i; (i = pop(b, &level)) != NONE; done++) {
        if (done % ELEMENTS_OF_CHECK == 0 && tess__cancelled()) return;
        const bool may_be_line = b->line && b->elements[i].level != OF_MARKER;
        b->elements[i].next = may_be_line && meets_another(b, i) ? ON_LINE : FLOODED;
        reach(b, i, level);
    }
}

/* ---- Regional minima ---- */

/* The elements that are connected with `first` and equal to it become a list; returns true if no neighbour of theirs is
 * lower. */
static bool list_plateau(const basin *b, int64_t first)
{
    element      *elements = b->elements;
    const int64_t level = elements[first].level;
    bool          is_lowest = true;
    elements[first].next = first;
    for (int64_t i = first, last = first, done = 0;; i = elements[i].next, done++) {
        if (done % ELEMENTS_OF_CHECK == ELEMENTS_OF_CHECK - 1 && tess__cancelled()) return false;
        for (int k = 0; k < b->count; k++) {
            const int64_t other = i + b->neighbours[k];
            if (elements[other].next == OUTSIDE) continue;
            is_lowest &= elements[other].level >= level;
            if (elements[other].next != UNSEEN || elements[other].level != level) continue;
            elements[other].next = first;
            elements[last].next = other;
            last = other;
        }
        if (i == last) return is_lowest;
    }
}

/* Elements of regional minima become markers, FLOODED; until then, all that were seen are ON_LINE. */
static void mark_minima(const basin *b)
{
    element *elements = b->elements;
    int64_t  count = 0;
    for (int64_t i = 0; i < b->n; i++) {
        if (i % ELEMENTS_OF_CHECK == 0 && tess__cancelled()) return;
        if (elements[i].next != UNSEEN) continue;
        const int64_t label = list_plateau(b, i) ? ++count : 0;
        for (int64_t k = i, done = 0; elements[k].next >= 0; done++) {
            const int64_t next = elements[k].next;
            if (done % ELEMENTS_OF_CHECK == ELEMENTS_OF_CHECK - 1 && tess__cancelled()) return;
            elements[k].next = ON_LINE;
            elements[k].label = label;
            k = next;
        }
    }
    for (int64_t i = 0; i < b->n; i++) {
        if (i % ELEMENTS_OF_CHECK == 0 && tess__cancelled()) return;
        if (elements[i].next != ON_LINE) continue;
        elements[i].next = elements[i].label ? FLOODED : UNSEEN;
    }
}

/* ---- Rows ---- */

static const char *row_at(const tess_array *a, const int64_t at[4])
{
    int64_t offset = 0;
    for (int k = 0; k < 4; k++) offset += at[k] * a->strides.dim[k];
    return (const char *)a->data + offset * tess__dtype_size(a->dtype);
}

/* Keys that compare as elements of the image do: -0 equals +0, and NaNs are the highest. */
static void load_image(const watershed *c, basin *b, int64_t to, const char *from, int64_t n)
{
    static const tess_dtype keys_of_size[4] = { TESS_U8, TESS_I16, TESS_I32, TESS_I64 };
    const tess_array       *image = &c->work->image;
    const int64_t           size = tess__dtype_size(image->dtype);
    const tess_dtype        dtype = keys_of_size[tess__size_class(size)];
    const bool              is_float = tess_dtype_kind(image->dtype) == TESS_KIND_FLOAT;
    const uint64_t          flip = size == 8 ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
    int64_t                 keys[CHUNK], wide[CHUNK];
    char *const p[2] = { (char *)keys, (char *)(uintptr_t)from }, *const q[2] = { (char *)wide, p[0] };
    c->kernels->signal.to_keys[image->dtype](p, (int64_t[]){ 1, image->strides.w }, n, NULL);
    c->kernels->convert.cast[TESS__WRAP][dtype][TESS_I64](q, (int64_t[]){ 1, 1 }, n, NULL);
    for (int64_t i = 0; i < n; i++) {
        if (b->elements[to + i].next == OUTSIDE) continue;
        const uint64_t key = (uint64_t)(is_float && wide[i] == -1 ? 0 : wide[i]) ^ flip;
        add_item(b, size == 8 ? key : (uint32_t)key, to + i);
    }
}

static void load_markers(const watershed *c, element *to, const char *from, int64_t n)
{
    const tess_array *markers = &c->work->markers;
    int64_t           wide[CHUNK];
    char *const       p[2] = { (char *)wide, (char *)(uintptr_t)from };
    c->kernels->convert.cast[TESS__WRAP][markers->dtype][TESS_I64](p, (int64_t[]){ 1, markers->strides.w }, n, NULL);
    for (int64_t i = 0; i < n; i++) {
        to[i].label = wide[i];
        to[i].next = wide[i] ? FLOODED : UNSEEN;
    }
}

static void load_mask(const watershed *c, element *to, const char *from, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!from[i * c->work->mask.strides.w]) to[i].next = OUTSIDE;
}

static void store_labels(const watershed *c, const element *from, const char *to, int64_t n)
{
    const tess_array *out = &c->work->out;
    int64_t           labels[CHUNK];
    char *const       p[2] = { (char *)(uintptr_t)to, (char *)labels };
    for (int64_t i = 0; i < n; i++) labels[i] = from[i].next == FLOODED ? from[i].label : 0;
    c->kernels->convert.cast[TESS__WRAP][TESS_I64][out->dtype](p, (int64_t[]){ out->strides.w, 1 }, n, NULL);
}

static void load_chunk(const watershed *c, basin *p, int64_t to, const int64_t at[4], int64_t n)
{
    const tess__watershed *work = c->work;
    element               *elements = p->elements + to;
    if (work->markers.data) load_markers(c, elements, row_at(&work->markers, at), n);
    else
        for (int64_t i = 0; i < n; i++) elements[i].next = UNSEEN;
    if (work->mask.data) load_mask(c, elements, row_at(&work->mask, at), n);
    load_image(c, p, to, row_at(&work->image, at), n);
}

/* Loads a batch, or stores it. */
static void each_chunk(const watershed *c, basin *p, int64_t b, bool loads)
{
    const tess_shape *shape = &c->work->out.shape;
    for (int64_t d = 0; d < shape->d; d++)
        for (int64_t h = 0; h < shape->h; h++)
            for (int64_t w = 0; w < shape->w && !tess__cancelled(); w += CHUNK) {
                const int64_t row = (d + p->margin[0]) * p->size[1] + h + p->margin[1], at[4] = { b, d, h, w };
                const int64_t n = tess__min(CHUNK, shape->w - w), to = row * p->size[2] + p->margin[2] + w;
                if (loads) load_chunk(c, p, to, at, n);
                else store_labels(c, p->elements + to, row_at(&c->work->out, at), n);
            }
}

/* ---- Batches ---- */

static void empty(const basin *b)
{
    for (int64_t i = 0; i < b->n; i++) {
        if (i % ELEMENTS_OF_CHECK == 0 && tess__cancelled()) return;
        b->elements[i] = (element){ OUTSIDE, 0, 0 };
    }
}

static void do_batches(void *context, int64_t first, int64_t last)
{
    watershed *c = context;
    char      *workspace = tess__workspace_acquire(&c->workspaces);
    basin      b = c->layout;
    b.elements = (element *)(void *)(workspace + 2 * c->items + c->tables);
    for (int64_t batch = first; batch < last && !tess__cancelled(); batch++) {
        b.items = workspace;
        b.n_items = 0;
        empty(&b);
        if (!tess__cancelled()) each_chunk(c, &b, batch, true);
        if (!tess__cancelled()) rank_items(c, &b, workspace + c->items);
        if (!c->work->markers.data && !tess__cancelled()) mark_minima(&b);
        if (!tess__cancelled()) queue_markers(&b);
        if (!tess__cancelled()) flood(&b);
        if (!tess__cancelled()) each_chunk(c, &b, batch, false);
    }
    tess__workspace_release(&c->workspaces, workspace);
}

static void add_neighbours(basin *b, int distance)
{
    for (int d = -1; d <= 1; d++)
        for (int h = -1; h <= 1; h++)
            for (int w = -1; w <= 1; w++) {
                const bool exists = (!d || b->margin[0]) && (!h || b->margin[1]) && (!w || b->margin[2]);
                if (exists && d * d + h * h + w * w == distance)
                    b->neighbours[b->count++] = (d * b->size[1] + h) * b->size[2] + w;
            }
}

tess_status tess__cpu_watershed(const tess__watershed *work)
{
    watershed c = { .work = work, .kernels = tess__cpu_kernels(), .layout = { .n = 1, .line = work->line } };
    basin    *b = &c.layout;
    for (int k = 0; k < 3; k++) {
        b->margin[k] = work->out.shape.dim[k + 1] > 1;
        b->size[k] = work->out.shape.dim[k + 1] + 2 * b->margin[k];
        b->n *= b->size[k];
    }
    for (int distance = 1; distance <= (work->full ? 3 : 1); distance++) add_neighbours(b, distance);
    b->wide = tess__dtype_size(work->image.dtype) == 8 || b->n >> TESS__INDEX_BITS != 0;
    const int64_t item = b->wide ? (int64_t)sizeof(tess__pair) : (int64_t)sizeof(uint64_t);
    const size_t  items = tess__aligned_size(b->n, item);
    const size_t  tables = tess__aligned_size((int64_t)tess__sample_sort_size(), 1);
    const size_t  bytes = 2 * items + tables + tess__aligned_size(b->n, (int64_t)sizeof(element));
    TESS_CHECK(tess__workspaces_make(&c.workspaces, bytes, work->out.shape.b), TESS_ENOMEM,
               "%s: no memory for a workspace of %zu bytes for each thread", work->name, bytes);
    c.items = (int64_t)items;
    c.tables = (int64_t)tables;
    tess__parallel(work->out.shape.b, tess__grain(work->out.shape.b, COST * (double)b->n), do_batches, &c);
    tess__workspaces_free(&c.workspaces);
    return TESS_OK;
}
