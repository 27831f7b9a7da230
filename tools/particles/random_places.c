/* Random sequential placement in the plane. */
#include "particles/random_places.h"

#include <math.h>

enum { TRIED_AT_ONCE = 4096, TIMES = 50 }; /* of as many as are wanted, places are tried */

typedef struct field {
    double  low, high[2]; /* of y and x */
    double  distance;
    double *places;
    int64_t placed, wanted;
} field;

static void try_place(field *f, const double random[2])
{
    double at[2];
    for (int i = 0; i < 2; i++) at[i] = round(1e3 * (f->low + random[i] * (f->high[i] - f->low))) / 1e3;
    for (int64_t k = 0; k < f->placed; k++)
        if (hypot(at[0] - f->places[2 * k], at[1] - f->places[2 * k + 1]) < f->distance) return;
    f->places[2 * f->placed] = at[0];
    f->places[2 * f->placed + 1] = at[1];
    f->placed++;
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
        for (int64_t i = 0; i < TRIED_AT_ONCE && f->placed < f->wanted && status == TESS_OK; i++)
            try_place(f, (const double *)tried.data + 2 * i);
    }
    tess_release(&tried);
    return status;
}

tess_status random_places(tess_array *places, int64_t n, tess_shape image, int64_t margin, double distance,
                          uint64_t seed, uint32_t stream)
{
    TESS_TRY(tess_empty(places, TESS_SHAPE(n, 1, 1, 2), TESS_F64, tess_cpu()));
    field f = { .low = (double)margin,
                .high = { (double)(image.h - margin), (double)(image.w - margin) },
                .distance = distance,
                .places = places->data,
                .wanted = n };
    TESS_TRY(fill(&f, seed, stream));
    TESS_CHECK(f.placed == n, TESS_ERANGE,
               "%lld of %lld particles find a place %g pixels from each other in an image of %lld x %lld; fewer "
               "(--count), nearer (--distance) or a larger image (--size) is needed",
               (long long)f.placed, (long long)n, distance, (long long)image.w, (long long)image.h);
    return TESS_OK;
}
