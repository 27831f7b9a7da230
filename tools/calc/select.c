/* Medians by counting the leading bits, then those behind them, of numbers that begin like the median. */
#include "calc/select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND_BITS = 16, BINS = 1 << ROUND_BITS };

/* Of an even number of elements the two in the middle are searched for. */
struct selection {
    uint64_t prefix[2]; /* the leading bits that are known */
    int64_t  rank[2];   /* among the numbers that begin so */
    int      known;     /* bits */
    bool     nan;
    int64_t  count[2][BINS];
};

/* Bits whose order as integers is that of the reals. */
static uint64_t key_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double number_of(uint64_t key)
{
    const uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
    double         x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

tess_status selection_new(selection **s, int64_t n)
{
    *s = calloc(1, sizeof **s);
    TESS_CHECK(*s, TESS_ENOMEM, "calc: out of memory");
    (*s)->rank[0] = (n - 1) / 2;
    (*s)->rank[1] = n / 2;
    return TESS_OK;
}

void selection_free(selection *s) { free(s); }

tess_status selection_add(selection *s, const tess_array *values)
{
    tess_array numbers = { 0 };
    TESS_TRY(tess_cast(&numbers, values, TESS_F64, NULL));
    const int     shift = 64 - s->known - ROUND_BITS;
    const double *x = numbers.data;
    for (int64_t i = 0; i < tess_n_elements(&numbers); ++i) {
        const uint64_t key = key_of(x[i]), begin = s->known ? key >> (64 - s->known) : 0;
        s->nan = s->nan || isnan(x[i]);
        for (int k = 0; k < 2; ++k) {
            if (begin == s->prefix[k]) ++s->count[k][key >> shift & (BINS - 1)];
        }
    }
    tess_release(&numbers);
    return TESS_OK;
}

bool selection_next(selection *s)
{
    for (int k = 0; k < 2; ++k) {
        uint64_t bin = 0;
        while (bin < BINS - 1 && s->rank[k] >= s->count[k][bin]) s->rank[k] -= s->count[k][bin++];
        s->prefix[k] = s->prefix[k] << ROUND_BITS | bin;
    }
    memset(s->count, 0, sizeof s->count);
    s->known += ROUND_BITS;
    return s->known < 64 && !s->nan;
}

double selection_value(const selection *s)
{
    if (s->nan) return NAN;
    const double low = number_of(s->prefix[0]), high = number_of(s->prefix[1]);
    return low == high ? low : low / 2 + high / 2;
}
