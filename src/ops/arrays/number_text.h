/* Formatting of real numbers in columns, as NumPy writes them.
 *
 * All reals of an array share one style. It is found in steps: see every number, choose the notation, measure every
 * number, settle the widths; then numbers can be written.
 */
#ifndef TESS_OPS_ARRAYS_NUMBER_TEXT_H
#define TESS_OPS_ARRAYS_NUMBER_TEXT_H

#include "tessera/dtype.h"

/* The text of one element, spaces of its column included. */
typedef struct tess__slot {
    int  n;
    char text[160];
} tess__slot;

/* Add a text; what does not fit is left out. */
void tess__slot_add(tess__slot *w, const char *text);

/* How reals are written. Begins with `real`, `imaginary` and `precision` set and all else 0. */
typedef struct tess__style {
    tess_dtype real;        /* f16, f32 or f64: numbers get the digits that tell them apart in this type */
    bool       imaginary;   /* always a sign, and a j behind the digits */
    int        precision;   /* digits after the point: at most; once settled, scientific notation has them all */
    bool       any_special; /* NaN or infinity */
    bool       any_negative_inf;
    double     largest, smallest; /* magnitudes of the finite numbers that are not 0; both 0 if there are none */
    bool       scientific;
    int        fraction;    /* digits after the point that the numbers need */
    int        exponent;    /* digits of the exponent */
    int        left, right; /* characters before and behind the point */
} tess__style;

void        tess__style_see(tess__style *s, double x);
tess_status tess__style_choose(tess__style *s);
void        tess__style_measure(tess__style *s, double x);
void        tess__style_settle(tess__style *s);
void        tess__style_write(tess__slot *w, const tess__style *s, double x);

#endif
