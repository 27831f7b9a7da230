/* Border modes: the values outside an array, the same for all functions that read there. */
#ifndef TESSERA_BORDER_H
#define TESSERA_BORDER_H

#include "tessera/math/fn.h"

typedef enum tess_border {
    TESS_BORDER_DEFAULT,  /* ZERO */
    TESS_BORDER_ZERO,     /* 0 0 0 | a b c d | 0 0 0 */
    TESS_BORDER_VALUE,    /* k k k | a b c d | k k k, k being the option `value` */
    TESS_BORDER_CLAMP,    /* a a a | a b c d | d d d */
    TESS_BORDER_PERIODIC, /* b c d | a b c d | a b c */
    TESS_BORDER_MIRROR,   /* c b a | a b c d | d c b: the edge element is repeated */
    TESS_BORDER_REFLECT,  /* d c b | a b c d | c b a: the edge element is not repeated */
    TESS_BORDER_NOTHING   /* the output stays as it is */
} tess_border;

/** Records where an operator read outside a view with the border `error`; checked by the library after each tile. */
typedef struct tess_fault {
    int32_t set;      /* not 0: the other fields describe the first such read of this tile */
    int32_t view;     /* index of the parameter */
    int64_t index[4]; /* the requested b, d, h, w */
} tess_fault;

/* In addition to tess_border, in operators: like TESS_BORDER_ZERO, and the first read outside is recorded. */
enum { TESS__BORDER_FAULT = 100 };

/* Also in operators, the layouts of spectra: full (F), half (H), centred (C). Indices along d, h and w are signed
 * frequencies, and coefficients outside the spectrum are 0. See math/interp.op.h. */
enum {
    TESS__BORDER_SPECTRUM_F = TESS__BORDER_FAULT + 1,
    TESS__BORDER_SPECTRUM_FC,
    TESS__BORDER_SPECTRUM_H,
    TESS__BORDER_SPECTRUM_HC
};

TESS__FAST_FN int tess__is_spectrum(int32_t border) { return border >= TESS__BORDER_SPECTRUM_F; }
TESS__FAST_FN int tess__is_half_spectrum(int32_t border) { return border >= TESS__BORDER_SPECTRUM_H; }

/* Values of tess_fault.set for loops that were stopped, with -1 for the view: index[0] is the limit of iterations, or
 * index[0] and index[1] are the bounds of a loop that its counter cannot hold. */
enum { TESS__FAULT_TRIPS = 2, TESS__FAULT_COUNTER = 3 };

/* Whether what lies outside continues the array beyond both ends, by its repetition or its mirror images. */
TESS__FAST_FN int tess__border_repeats(int32_t border)
{
    return (border >= TESS_BORDER_PERIODIC) & (border <= TESS_BORDER_REFLECT);
}

/* The period of such a continuation of n > 0 elements, and the element at position 0 <= at < period. */
TESS__FAST_FN int64_t tess__border_period(int32_t border, int64_t n)
{
    return border == TESS_BORDER_PERIODIC ? n : border == TESS_BORDER_MIRROR ? 2 * n : n > 1 ? 2 * n - 2 : 1;
}
TESS__FAST_FN int64_t tess__border_fold(int32_t border, int64_t at, int64_t n)
{
    return at < n ? at : border == TESS_BORDER_MIRROR ? 2 * n - 1 - at : 2 * n - 2 - at;
}

/** Maps `index` into 0 to n - 1 (n > 0) as the border requires; -1 if there is no such element (ZERO, VALUE,
 *  NOTHING). */
TESS_FN int64_t tess_border_index(tess_border border, int64_t index, int64_t n)
{
    if (index >= 0 && index < n) return index;
    if (border == TESS_BORDER_CLAMP) return index < 0 ? 0 : n - 1;
    if (!tess__border_repeats((int32_t)border)) return -1;
    const int64_t period = tess__border_period((int32_t)border, n);
    int64_t       at = index < 0 ? index + period : index < period ? index : index - period;
    if (at < 0 || at >= period) { /* far away: divisions are slow */
        at = index % period;
        if (at < 0) at += period;
    }
    return tess__border_fold((int32_t)border, at, n);
}

#endif
