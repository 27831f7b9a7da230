/* What lies outside an array: one set of rules for all functions that look there. */
#ifndef TESSERA_BORDER_H
#define TESSERA_BORDER_H

#include "tessera/math/fn.h"

typedef enum tess_border {
    TESS_BORDER_DEFAULT,  /* ZERO */
    TESS_BORDER_ZERO,     /* 0 0 0 | a b c d | 0 0 0 */
    TESS_BORDER_VALUE,    /* k k k | a b c d | k k k, k being the option `value` */
    TESS_BORDER_CLAMP,    /* a a a | a b c d | d d d */
    TESS_BORDER_PERIODIC, /* b c d | a b c d | a b c */
    TESS_BORDER_MIRROR,   /* c b a | a b c d | d c b: the edge is repeated */
    TESS_BORDER_REFLECT,  /* d c b | a b c d | c b a: it is not */
    TESS_BORDER_NOTHING   /* the output stays as it is */
} tess_border;

/** Where an operator read a view with the border `error` outside; the library looks at it when a tile is done. */
typedef struct tess_fault {
    int32_t set;      /* not 0: the rest is the first such read of this tile */
    int32_t view;     /* number of the parameter */
    int64_t index[4]; /* b, d, h, w that was asked for */
} tess_fault;

/* Beside those of tess_border, in operators: as TESS_BORDER_ZERO, and the first read outside is noted. */
enum { TESS__BORDER_FAULT = 100 };

/* In operators too, the layouts of spectra, full (F) and half (H), centred (C): indices along d, h and w are signed
 * frequencies, and beyond those that exist is 0. See math/interp.op.h. */
enum {
    TESS__BORDER_SPECTRUM_F = TESS__BORDER_FAULT + 1,
    TESS__BORDER_SPECTRUM_FC,
    TESS__BORDER_SPECTRUM_H,
    TESS__BORDER_SPECTRUM_HC
};

TESS__FAST_FN int tess__is_spectrum(int32_t border) { return border >= TESS__BORDER_SPECTRUM_F; }
TESS__FAST_FN int tess__is_half_spectrum(int32_t border) { return border >= TESS__BORDER_SPECTRUM_H; }

/* What tess_fault.set says of loops that were stopped, with -1 for the view: index[0] is the limit of trips, or
 * index[0] and index[1] are the bounds of a loop that its counter cannot hold. */
enum { TESS__FAULT_TRIPS = 2, TESS__FAULT_COUNTER = 3 };

/** The index inside 0 to n - 1 that stands for `index`, n > 0; -1 where none does (ZERO, VALUE, NOTHING). */
TESS_FN int64_t tess_border_index(tess_border border, int64_t index, int64_t n)
{
    if (index >= 0 && index < n) return index;
    if (border == TESS_BORDER_CLAMP) return index < 0 ? 0 : n - 1;
    if (border == TESS_BORDER_REFLECT && n == 1) return 0;
    const int64_t period = border == TESS_BORDER_PERIODIC  ? n
                           : border == TESS_BORDER_MIRROR  ? 2 * n
                           : border == TESS_BORDER_REFLECT ? 2 * n - 2
                                                           : 0;
    if (period == 0) return -1;
    int64_t at = index < 0 ? index + period : index < period ? index : index - period;
    if (at < 0 || at >= period) { /* far away: divisions are slow */
        at = index % period;
        if (at < 0) at += period;
    }
    return at < n ? at : border == TESS_BORDER_MIRROR ? 2 * n - 1 - at : 2 * n - 2 - at;
}

#endif
