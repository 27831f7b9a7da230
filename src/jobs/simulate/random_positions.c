/* Random sequential placement in the plane. */
#include "jobs/simulate/random_positions.h"

#include <math.h>

#include "tessera/random.h"

enum { TRIED_AT_ONCE = 4096, REPORTED_AT_ONCE = 256, TIMES = 50 /* as many positions as are wanted are tried */ };

typedef struct field {
    double      low, high[2]; /* of y and x */
    double      distance;
    double     *positions;
    int64_t     placed, wanted;
    tess__stage stage;
} field;

static void try_position(field *f, const double random[2])
{
    double at[2];
    for (int i = 0; i < 2; i++) at[i] = round(1e3 * (f->low + random[i] * (f->high[i] - f->low))) / 1e3;
    for (int64_t k = 0; k < f->placed; k++)
        if (hypot(at[0] - f->positions[2 * k], at[1] - f->positions[2 * k + 1]) < f->distance) return;
    f->positions[2 * f->placed] = at[0];
    f->positions[2 * f->placed + 1] = at[1];
    f->placed++;
}

/* Some at a time, so that the caller may cancel. */
static tess_status try_positions(field *f, const double *random)
{
    for (int64_t i = 0; i < TRIED_AT_ONCE && f->placed < f->wanted;) {
        const int64_t before = f->placed, end = i + REPORTED_AT_ONCE;
        for (; i < end && f->placed < f->wanted; i++) try_position(f, random + 2 * i);
        TESS_TRY(tess__stage_add(&f->stage, f->placed - before));
    }
    return TESS_OK;
}

static tess_status fill(field *f, uint64_t seed, uint32_t stream)
{
    tess_array tried = { 0 };
    TESS_TRY(tess_empty(&tried, TESS_SHAPE(TRIED_AT_ONCE, 1, 1, 2), TESS_F64, tess_cpu()));
    tess_status status = TESS_OK;
    for (int64_t first = 0; f->placed < f->wanted && first < TRIED_AT_ONCE + TIMES * f->wanted && status == TESS_OK;
         first += TRIED_AT_ONCE) {
        status = tess_random_uniform(&tried, 0, 1, seed,
                                     &(tess_random_opts){ .stream = stream, .offset = 2 * (uint64_t)first });
        if (status == TESS_OK) status = try_positions(f, tried.data);
    }
    tess_release(&tried);
    return status;
}

tess_status tess__random_positions(tess_array *positions, const tess__positions_wanted *w)
{
    TESS_TRY(tess_empty(positions, TESS_SHAPE(w->n, 1, 1, 2), TESS_F64, tess_cpu()));
    field f = { .low = (double)w->margin,
                .high = { (double)(w->image.h - w->margin), (double)(w->image.w - w->margin) },
                .distance = w->distance,
                .positions = positions->data,
                .wanted = w->n };
    TESS_TRY(tess__stage_begin(&f.stage, w->fn, w->context, (tess_progress){ .stage = "positions", .total = w->n }));
    TESS_TRY(fill(&f, w->context->seed, w->stream));
    TESS_CHECK(f.placed == w->n, TESS_ERANGE,
               "%s: only %lld of %lld particles fit %g pixels apart in an image of %lld x %lld; reduce `opts->count` "
               "or `opts->distance`, or enlarge `opts->size`",
               w->fn, (long long)f.placed, (long long)w->n, w->distance, (long long)w->image.w, (long long)w->image.h);
    return TESS_OK;
}
