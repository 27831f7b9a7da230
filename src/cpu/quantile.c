/* Quantiles on the CPU: the elements of each line by their ranks, and what the method makes of two neighbours. */
#include <math.h>
#include <string.h>

#include "core/dtype.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "cpu/pool.h"
#include "cpu/queue.h"
#include "cpu/rooms.h"
#include "cpu/schedule.h"
#include "cpu/select.h"
#include "cpu/sort_lines.h"
#include "tessera/device.h"
#include "tessera/order.h"

/* Estimated nanoseconds an element. */
#define COST 4.0

/* So many quantiles of one line, and it is sorted. */
enum { SORT_FROM = 4, SORT_LONG_FROM = 16 };

typedef struct quantiles {
    const tess__quantile    *work;
    tess__lines              lines;
    tess__order              order;
    const tess__key_kernel  *key;
    const tess__item_kernel *item;
    const double            *q;
    int64_t                  n_q, n, size; /* quantiles, elements of a line, bytes of one */
    bool                     direct, sorts, is_long;
    tess__rooms              rooms;
} quantiles;

typedef struct room {
    char   *in;      /* the block's elements */
    double *results; /* of the block */
    char   *work[2]; /* keys, or whatever a long line needs */
} room;

/* ---- Methods ---- */

/* Between which elements, counted from 0, a quantile lies, and how far from the first of them. */
typedef struct between {
    int64_t low, high;
    double  part;
} between;

/* Elements and part at a place that may lie outside. */
static between at_place(double place, int64_t n)
{
    const double whole = floor(place);
    if (place >= (double)(n - 1)) return (between){ n - 1, n - 1, 0 };
    if (place < 0) return (between){ 0, 0, 0 };
    return (between){ (int64_t)whole, (int64_t)whole + 1, place - whole };
}

static between at_element(double place, int64_t n)
{
    const int64_t i = place > 0 ? (int64_t)place : 0;
    return (between){ i < n ? i : n - 1, i < n ? i : n - 1, 0 };
}

/* The place of Hyndman and Fan's methods 4 to 9. */
static double plotting_place(double n, double q, double alpha, double beta)
{
    return n * q + (alpha + q * (1 - alpha - beta)) - 1;
}

static between find(int method, double q, int64_t count)
{
    const double n = (double)count, place = (n - 1) * q, step = n * q - 1;
    between      b;
    switch (method) {
    case TESS_QUANTILE_DEFAULT: return (between){ (count - 1) / 2, count / 2, 0.5 };
    case TESS_QUANTILE_LOWER: return at_element(floor(place), count);
    case TESS_QUANTILE_HIGHER: return at_element(ceil(place), count);
    case TESS_QUANTILE_NEAREST: return at_element(nearbyint(place), count);
    case TESS_QUANTILE_MIDPOINT: b = at_place(place, count); return (between){ b.low, b.high, b.part > 0 ? 0.5 : 0 };
    case TESS_QUANTILE_INVERTED_CDF: return at_element(ceil(step), count);
    case TESS_QUANTILE_AVERAGED_INVERTED_CDF:
        b = at_place(step, count);
        return (between){ b.low, b.high, b.part > 0 ? 1 : 0.5 };
    case TESS_QUANTILE_CLOSEST_OBSERVATION: {
        const double near = step - 0.5, below = floor(near);
        return at_element(near == below && fmod(below, 2) != 0 ? below : below + 1,
                          count); /* counted from 1, the even */
    }
    case TESS_QUANTILE_INTERPOLATED_INVERTED_CDF: return at_place(plotting_place(n, q, 0, 1), count);
    case TESS_QUANTILE_HAZEN: return at_place(plotting_place(n, q, 0.5, 0.5), count);
    case TESS_QUANTILE_WEIBULL: return at_place(plotting_place(n, q, 0, 0), count);
    case TESS_QUANTILE_MEDIAN_UNBIASED: return at_place(plotting_place(n, q, 1.0 / 3, 1.0 / 3), count);
    case TESS_QUANTILE_NORMAL_UNBIASED: return at_place(plotting_place(n, q, 3.0 / 8, 3.0 / 8), count);
    default: return at_place(place, count);
    }
}

/* Between two numbers; from the nearer one, so that both ends are met. */
static double mix(int method, double a, double b, double part)
{
    if (a == b || part == 0) return a;
    if (part == 1) return b;
    if (method == TESS_QUANTILE_DEFAULT) {
        const double sum = a + b;
        return isinf(sum) && isfinite(a) && isfinite(b) ? a / 2 + b / 2 : sum / 2;
    }
    const double step = b - a;
    if (isfinite(a) != isfinite(b)) return isfinite(a) ? b : a; /* any part of an infinity is one */
    if (isinf(step) && isfinite(a)) return a * (1 - part) + b * part;
    return part >= 0.5 ? b - step * (1 - part) : a + step * part;
}

/* ---- One line ---- */

/* Elements of a line by their rank, however that is done. */
typedef struct ranked {
    const quantiles *c;
    tess__ranks     *ranks; /* of a long line; or NULL */
    const char      *keys;  /* sorted, or as they were */
    char            *room;
    int64_t          nans;
} ranked;

static uint64_t key_at(const quantiles *c, const char *keys, int64_t i)
{
    switch (c->size) {
    case 1: return ((const uint8_t *)keys)[i];
    case 2: return ((const uint16_t *)(const void *)keys)[i];
    case 4: return ((const uint32_t *)(const void *)keys)[i];
    default: return ((const uint64_t *)(const void *)keys)[i];
    }
}

static void both_keys(const ranked *l, between b, uint64_t keys[2])
{
    const quantiles *c = l->c;
    if (c->sorts) {
        keys[0] = key_at(c, l->keys, b.low);
        keys[1] = key_at(c, l->keys, b.high);
        return;
    }
    const bool two = b.high != b.low && b.part != 0;
    if (l->ranks) {
        keys[0] = keys[1] = tess__ranks_at(l->ranks, b.low);
        if (two) keys[1] = tess__ranks_at(l->ranks, b.high);
        return;
    }
    uint64_t next;
    keys[0] = keys[1] = c->key->select(l->keys, c->n, b.low, l->room);
    if (two && c->key->count_to(l->keys, c->n, keys[0], &next) <= b.high) keys[1] = next;
}

static void take_line(const ranked *l, double *results)
{
    const quantiles *c = l->c;
    const int64_t    count = c->n - l->nans;
    for (int64_t i = 0; i < c->n_q; i++) {
        if (count == 0 || (l->nans && !c->work->skip_nan)) {
            results[i] = (double)NAN;
            continue;
        }
        const between b = find(c->work->method, c->q[i], count);
        uint64_t      keys[2];
        both_keys(l, b, keys);
        results[i] = mix(c->work->method, tess__order_number(&c->order, keys[0]),
                         tess__order_number(&c->order, keys[1]), b.part);
    }
}

static void do_line(const quantiles *c, double *results, const char *in, const room *r)
{
    const uint64_t nan = tess__order_nan(&c->order);
    ranked         l = { .c = c, .keys = r->work[0], .room = r->work[1] };
    tess__ranks    ranks;
    if (c->is_long) {
        tess__ranks_start(&ranks, &c->order, in, c->n, r->work[0]);
        const int64_t count = c->n - ranks.nans; /* if there were as many NaNs as it seems */
        tess__ranks_look(&ranks, count > 0 ? find(c->work->method, c->q[0], count).low : 0);
        l.ranks = &ranks;
        l.nans = ranks.nans;
    } else {
        c->key->keys(r->work[0], in, c->n, &c->order);
        if (nan) l.nans = c->key->count_from(r->work[0], c->n, nan);
        if (c->sorts) l.keys = c->item->sort(r->work[0], r->work[1], c->n, 0);
    }
    take_line(&l, results);
}

/* ---- All lines ---- */

static size_t lay_out(const quantiles *c, room *r, char *memory)
{
    const size_t in = c->direct ? 0 : tess__room_for(c->lines.width * c->n, c->size);
    const size_t results = tess__room_for(c->lines.width * c->n_q, sizeof(double));
    const size_t keys = tess__room_for(c->n + 1, c->size);
    if (memory) {
        r->in = c->direct ? NULL : memory;
        r->results = (double *)(void *)(memory + in);
        r->work[0] = memory + in + results;
        r->work[1] = r->work[0] + keys;
    }
    return in + results + (c->is_long ? tess__ranks_size(c->n, c->size) : 2 * keys);
}

static void do_block(const quantiles *c, int64_t block, const room *r)
{
    tess_array       in = tess__lines_block(&c->lines, &c->work->in, block);
    const tess_array out = tess__lines_block(&c->lines, &c->work->out, block);
    const tess_array results = tess__lines_room(&c->lines, &out, r->results, TESS_F64);
    const int64_t    width = tess__lines_in(&c->lines, &in);
    if (r->in) {
        const tess_array there = in;
        in = tess__lines_room(&c->lines, &there, r->in, there.dtype);
        tess__lines_move(&in, &there);
    }
    const int64_t step = in.strides.dim[c->lines.next] * c->size;
    for (int64_t l = 0; l < width; l++) do_line(c, r->results + l * c->n_q, (char *)in.data + l * step, r);
    tess__lines_move(&out, &results);
}

static void run_blocks(void *context, int64_t first, int64_t last)
{
    quantiles *c = context;
    char      *memory = tess__rooms_enter(&c->rooms);
    room       r;
    (void)lay_out(c, &r, memory);
    for (int64_t block = first; block < last; block++) do_block(c, block, &r);
    tess__rooms_leave(&c->rooms, memory);
}

static void prepare(quantiles *c, const tess__quantile *work)
{
    const int64_t size = tess__dtype_size(work->in.dtype);
    const int class = __builtin_ctzll((uint64_t)size), axes = work->axes / TESS_B;
    memset(c, 0, sizeof *c);
    c->work = work;
    c->order = tess__order_of(work->in.dtype, false, false);
    c->key = tess__cpu_kernels()->key[class];
    c->item = tess__cpu_kernels()->item[class];
    c->size = size;
    c->q = work->q.data;
    c->n_q = work->q.shape.w;
    tess__lines_of(&c->lines, &work->in, axes, false);
    c->n = c->lines.n;
    c->direct = tess__lines_contiguous(&c->lines, &work->in);
    c->sorts = c->n_q >= (c->n > TESS__LONG_LINE ? SORT_LONG_FROM : SORT_FROM);
    c->is_long = c->n > TESS__LONG_LINE && !c->sorts;
    if (c->n > TESS__LONG_LINE && (c->direct || c->lines.blocks < tess_threads_get()))
        tess__lines_of(&c->lines, &work->in, axes, true);
}

static tess_status run(const void *payload, size_t size)
{
    (void)size;
    const tess__quantile *work = payload;
    quantiles             c;
    room                  r;
    prepare(&c, work);
    const int64_t blocks = c.lines.blocks;
    const bool    alone = c.is_long && blocks < tess_threads_get(); /* threads share each line */
    const size_t  bytes = lay_out(&c, &r, NULL);
    TESS_CHECK(tess__rooms_make(&c.rooms, bytes, alone ? 1 : blocks), TESS_ENOMEM,
               "%s: no memory for the %zu bytes that each thread works in", work->name, bytes);
    const double cost = COST * (double)c.n * (double)c.lines.width;
    if (alone) run_blocks(&c, 0, blocks);
    else tess__parallel(blocks, tess__grain(blocks, cost), run_blocks, &c);
    tess__rooms_free(&c.rooms);
    return TESS_OK;
}

static void buffers(const void *payload, size_t size, void (*each)(tess_buffer *))
{
    (void)size;
    const tess__quantile *work = payload;
    each(work->in.buffer);
    each(work->q.buffer);
    each(work->out.buffer);
}

tess_status tess__cpu_quantile(tess_stream *stream, const tess__quantile *work)
{
    return tess__submit(stream, run, work, sizeof *work, buffers);
}
