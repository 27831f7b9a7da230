/* Contiguous lines put in order: those of up to 32 elements by a part of a warp, those of some thousand by a block, and
 * longer ones digit by digit from the last, each digit in one walk over all lines. */
#include "cuda/lines.h"

#include "core/dtype.h"
#include "cuda/rows.h"
#include "cuda/stream.h"
#include "cuda/text.h"

enum {
    WARP_MOST = 32,
    BLOCK_MOST = 4096,
    DIGITS = 256,
    WARP_THREADS = 256,
    COUNT_THREADS = 512,
    RANK_THREADS = 128,
    ITEMS = 16,             /* of a thread, in long lines */
    COUNT_PARTS = 1024,     /* of all lines, at least, if they are long enough: */
    COUNT_LEAST = 1 << 13,  /* elements of a part */
    COUNT_MOST = 1 << 18,
    MOST_BLOCKS = INT32_MAX
};

/* Lines of so many elements need counts of 64 bits, since two bits of a word say what it is. */
#define WIDE_FROM (INT64_C(1) << 30)

static const tess__cuda_text warp_text = TESS__CUDA_TEXT("sort_warp", "KEY_SIZE", "KEY_KIND", "MODE");
static const tess__cuda_text block_text =
    TESS__CUDA_TEXT("sort_block", "KEY_SIZE", "KEY_KIND", "MODE", "THREADS", "ITEMS");
static const tess__cuda_text counts_text = TESS__CUDA_TEXT("sort_counts", "KEY_SIZE", "KEY_KIND", "WIDE");
static const tess__cuda_text starts_text = TESS__CUDA_TEXT("sort_starts", "WIDE");
static const tess__cuda_text pass_text =
    TESS__CUDA_TEXT("sort_pass", "KEY_SIZE", "KEY_KIND", "MODE", "THREADS", "WIDE");
static const tess__cuda_text ranks_text = TESS__CUDA_TEXT("sort_ranks", "KEY_SIZE", "KEY_KIND", "MODE", "WIDE");

/* ---- Keys ---- */

int tess__cuda_key_kind(tess_dtype dtype)
{
    const tess_kind kind = tess_dtype_kind(dtype);
    return kind == TESS_KIND_FLOAT ? TESS__GPU_KEY_FLOAT
           : kind == TESS_KIND_BOOL ? TESS__GPU_KEY_BOOL
                                    : TESS__GPU_KEY_INTEGER;
}

static tess__gpu_order order_of(const tess__cuda_lines *s)
{
    const int      bits = 8 * (int)tess__dtype_size(s->dtype);
    const uint64_t top = UINT64_C(1) << (bits - 1), all = UINT64_MAX >> (64 - bits);
    const bool     is_signed = tess_dtype_kind(s->dtype) == TESS_KIND_INT;
    return (tess__gpu_order){ .flip = (is_signed ? top : 0) ^ (s->descending ? all : 0),
                              .turn = s->descending ? top : 0,
                              .alike = s->alike,
                              .plain = s->plain };
}

/* ---- Short lines ---- */

static tess_status sort_short(tess__cuda_call *call, const tess__cuda_lines *s)
{
    const int64_t   size = tess__dtype_size(s->dtype), kind = tess__cuda_key_kind(s->dtype);
    tess__gpu_lines p = { .order = order_of(s),
                          .lines = s->lines,
                          .n = s->n,
                          .results = s->results,
                          .kth = s->kth,
                          .width = 1,
                          .in = s->in,
                          .values = s->values,
                          .places = s->places,
                          .quantiles = s->quantiles };
    while (p.width < s->n) p.width *= 2;
    if (s->n <= WARP_MOST) {
        const int64_t numbers[TESS__CUDA_WORDS] = { size, kind, s->mode };
        const int64_t each = WARP_THREADS / p.width;
        TESS_TRY(tess__cuda_run_text(call, &warp_text, numbers, (s->lines + each - 1) / each, WARP_THREADS, &p));
        return TESS_OK;
    }
    const int64_t threads = s->n <= 256 ? 64 : s->n <= 1024 ? 128 : 256, items = threads / 16;
    const int64_t numbers[TESS__CUDA_WORDS] = { size, kind, s->mode, threads, items };
    const int64_t blocks = s->lines < MOST_BLOCKS ? s->lines : MOST_BLOCKS;
    TESS_TRY(tess__cuda_run_text(call, &block_text, numbers, blocks, (unsigned)threads, &p));
    return TESS_OK;
}

/* ---- Long lines ---- */

/* What the passes over long lines have in common. */
typedef struct passes {
    const tess__cuda_lines *s;
    int64_t                 size, kind, wide, word; /* bytes of a key and of a count */
    int64_t                 threads, tiles;         /* tiles of a line */
    int                     n;                      /* passes */
    tess__cuda_rooms        rooms;
    tess__cu_address        next, counts, state; /* one room */
    tess__gpu_pass          p;
} passes;

/* Counters, counts and what tiles tell: all of them 0 at first. */
static tess_status make_counts(passes *c, tess__cuda_call *call)
{
    const int64_t    counters = 8 * (int64_t)sizeof(uint64_t), counts = c->s->lines * c->n * DIGITS * c->word;
    const int64_t    state = c->s->lines * c->tiles * c->n * DIGITS * c->word, all = counters + counts + state;
    tess__cu_address room;
    TESS_TRY(tess__cuda_rooms_take(&room, &c->rooms, call, all, 1));
    TESS_CUDA(call, set_bytes, room, 0, (size_t)all, call->stream->handle);
    c->next = room;
    c->counts = room + (uint64_t)counters;
    c->state = c->counts + (uint64_t)counts;
    return TESS_OK;
}

/* A line of `lines` behind the other is cut into parts, so that there are enough blocks, but not too many. */
static tess_status count_digits(passes *c, tess__cuda_call *call)
{
    const tess__cuda_lines *s = c->s;
    tess__gpu_counts        p = {
               .order = c->p.order, .lines = s->lines, .n = s->n, .in = s->in, .counts = c->counts, .part = COUNT_LEAST
    };
    while (p.part < COUNT_MOST && p.part * COUNT_PARTS < s->lines * s->n) p.part *= 2;
    p.parts = (s->n + p.part - 1) / p.part;
    const int64_t numbers[TESS__CUDA_WORDS] = { c->size, c->kind, c->wide }, only[TESS__CUDA_WORDS] = { c->wide };
    TESS_TRY(tess__cuda_run_text(call, &counts_text, numbers, s->lines * p.parts, COUNT_THREADS, &p));
    TESS_TRY(tess__cuda_run_text(call, &starts_text, only, s->lines * c->n, DIGITS, &p));
    return TESS_OK;
}

static tess_status run_pass(passes *c, tess__cuda_call *call, int mode, int pass)
{
    const int64_t numbers[TESS__CUDA_WORDS] = { c->size, c->kind, mode, c->threads, c->wide };
    const int64_t tiles = c->s->lines * c->tiles;
    c->p.pass = pass;
    c->p.next = c->next + (uint64_t)pass * sizeof(uint64_t);
    c->p.state = c->state + (uint64_t)(pass * tiles * DIGITS * c->word);
    TESS_TRY(tess__cuda_run_text(call, &pass_text, numbers, tiles, (unsigned)c->threads, &c->p));
    return TESS_OK;
}

/* Where keys and places go between the passes: two rooms each, or, of keys, one and the output. */
typedef struct turns {
    tess__cu_address keys[2], places[2];
} turns;

static tess_status make_turns(turns *t, passes *c, tess__cuda_call *call, bool places)
{
    const tess__cuda_lines *s = c->s;
    const int64_t           all = s->lines * s->n;
    *t = (turns){ { 0, s->values }, { 0, 0 } };
    if (c->n == 1) return TESS_OK;
    TESS_TRY(tess__cuda_rooms_take(&t->keys[0], &c->rooms, call, all, c->size));
    if (places) TESS_TRY(tess__cuda_rooms_take(&t->keys[1], &c->rooms, call, all, c->size));
    for (int k = 0; k < 2 && places; k++)
        TESS_TRY(tess__cuda_rooms_take(&t->places[k], &c->rooms, call, all, c->word));
    return TESS_OK;
}

static tess_status run_passes(passes *c, tess__cuda_call *call)
{
    const tess__cuda_lines *s = c->s;
    const bool              places = s->mode == TESS__GPU_PLACES;
    turns                   t;
    TESS_TRY(make_turns(&t, c, call, places));
    for (int pass = 0; pass < c->n; pass++) {
        const int to = pass & 1, from = !to;
        c->p.first = pass == 0;
        c->p.last = pass == c->n - 1;
        c->p.in = c->p.first ? s->in : t.keys[from];
        c->p.places_in = t.places[from];
        c->p.out = c->p.last ? s->values : t.keys[to];
        c->p.places_out = c->p.last ? s->places : t.places[to];
        TESS_TRY(run_pass(c, call, s->mode, pass));
    }
    return TESS_OK;
}

static void begin_passes(passes *c, const tess__cuda_lines *s)
{
    *c = (passes){ .s = s, .size = tess__dtype_size(s->dtype), .kind = tess__cuda_key_kind(s->dtype), .wide = s->n >= WIDE_FROM };
    c->word = c->wide ? 8 : 4;
    c->threads = c->size == 8 || c->wide ? 256 : 512;
    c->tiles = (s->n + c->threads * ITEMS - 1) / (c->threads * ITEMS);
    c->n = s->mode == TESS__GPU_PARTITION ? 1 : (int)c->size;
    c->p = (tess__gpu_pass){ .order = order_of(s),
                             .lines = s->lines,
                             .n = s->n,
                             .tiles = c->tiles,
                             .results = s->results,
                             .numbers = s->in,
                             .passes = c->n };
}

static tess_status copy_input(tess__cuda_lines *s, passes *c, tess__cuda_call *call)
{
    const int64_t    all = s->lines * s->n;
    tess__cu_address copy;
    TESS_TRY(tess__cuda_rooms_take(&copy, &c->rooms, call, all, c->size));
    TESS_CUDA(call, copy_within, copy, s->in, (size_t)(all * c->size), call->stream->handle);
    s->in = copy;
    return TESS_OK;
}

/* Digits counted, then a pass for each. */
static tess_status sort_long(passes *c, tess__cuda_call *call)
{
    TESS_TRY(make_counts(c, call));
    c->p.starts = c->counts;
    TESS_TRY(count_digits(c, call));
    TESS_TRY(run_passes(c, call));
    return TESS_OK;
}

/* ---- What needs sorted lines on its way ---- */

/* Sorted keys in a room of their own. */
static tess_status sort_keys(tess__cu_address *sorted, tess__cuda_rooms *rooms, tess__cuda_call *call,
                             const tess__cuda_lines *s)
{
    tess__cuda_lines keys = *s;
    keys.mode = TESS__GPU_SORT;
    keys.plain = true;
    TESS_TRY(tess__cuda_rooms_take(sorted, rooms, call, s->lines * s->n, tess__dtype_size(s->dtype)));
    keys.values = *sorted;
    TESS_TRY(tess__cuda_sort_lines(call, &keys));
    return TESS_OK;
}

static tess_status run_ranks(tess__cuda_call *call, const passes *c, const tess__gpu_ranks *p, int64_t n)
{
    const int64_t numbers[TESS__CUDA_WORDS] = { c->size, c->kind, c->s->mode, c->wide };
    TESS_TRY(tess__cuda_run_text(call, &ranks_text, numbers, (n + RANK_THREADS - 1) / RANK_THREADS, RANK_THREADS, p));
    return TESS_OK;
}

static tess_status take_quantiles(passes *c, tess__cuda_call *call)
{
    const tess__cuda_lines *s = c->s;
    tess__gpu_ranks p = { .order = c->p.order, .lines = s->lines, .n = s->n, .quantiles = s->quantiles };
    TESS_TRY(sort_keys(&p.sorted, &c->rooms, call, s));
    TESS_TRY(run_ranks(call, c, &p, s->lines * s->quantiles.n));
    return TESS_OK;
}

/* One pass, whose digit is 0, 1 or 2. */
static tess_status part_lines(passes *c, tess__cuda_call *call)
{
    const tess__cuda_lines *s = c->s;
    tess__gpu_ranks         p = { .order = c->p.order, .lines = s->lines, .n = s->n, .kth = s->kth };
    TESS_TRY(make_counts(c, call));
    TESS_TRY(tess__cuda_rooms_take(&p.pivots, &c->rooms, call, s->lines, c->size));
    TESS_TRY(sort_keys(&p.sorted, &c->rooms, call, s));
    p.starts = c->p.starts = c->counts;
    c->p.pivots = p.pivots;
    TESS_TRY(run_ranks(call, c, &p, s->lines));
    TESS_TRY(run_passes(c, call));
    return TESS_OK;
}

/* ---- Way in ---- */

tess_status tess__cuda_sort_lines(tess__cuda_call *call, const tess__cuda_lines *given)
{
    tess__cuda_lines s = *given;
    passes           c;
    tess_status      status = TESS_OK;
    if (s.n <= BLOCK_MOST) return sort_short(call, &s);
    begin_passes(&c, &s);
    if (c.n == 1 && s.in == s.values) TESS_GOTO(done, status, copy_input(&s, &c, call));
    if (s.mode == TESS__GPU_QUANTILES) TESS_GOTO(done, status, take_quantiles(&c, call));
    else if (s.mode == TESS__GPU_PARTITION) TESS_GOTO(done, status, part_lines(&c, call));
    else TESS_GOTO(done, status, sort_long(&c, call));
done:
    tess__cuda_rooms_give(&c.rooms, call);
    return status;
}
