/* The centre of an image: n / 2 of each axis, as that of a centred spectrum. */
#ifndef TESS_OPS_ARRAYS_CENTRE_H
#define TESS_OPS_ARRAYS_CENTRE_H

#include <stdint.h>

/* In pixels along one axis; an axis of size 1 is no distance from it. */
static inline double tess__centre(int64_t n, double shift) { return n == 1 ? 0 : (double)(n / 2) + shift; }

#endif
