/* Gather and scatter: elements taken from, or put at, indices along an axis or through a whole array. */
#ifndef TESS_REQUESTS_TAKE_PUT_H
#define TESS_REQUESTS_TAKE_PUT_H

#include "formulas/whole.op.h"
#include "tessera/array.h"

/* Work with elements by their indices along an axis. */
enum {
    TESS__TAKE,   /* out[.., i, ..] = in[.., indices[.., i, ..], ..] */
    TESS__PUT,    /* out[.., indices[.., i, ..], ..] = in[.., i, ..], in the order of i */
    TESS__PUT_ADD /* the same, added */
};

/* Plain data. `indices` are integers, from -n to n-1 where n is the size of the axis that they count along; which
 * is checked before anything is written. They are broadcast to the shape of `out` (take) or `in` (put), but
 * of put differ along the axis alone; so are `in` (take) and `out` (put), but for the axis. Where they count through a
 * whole array, that is one vector of n elements, of stride 1 if they become offsets by `whole`. */
typedef struct tess__take_put {
    const char *name;
    int32_t     kind; /* a TESS__TAKE or TESS__PUT */
    int32_t     axis;
    tess_array  out, in, indices;
    tess_shape  indices_shape; /* shape of the caller's indices, for messages */
    const char *name_whole;    /* the array that they count through; NULL: along the axis */
    tess__whole whole;
} tess__take_put;

/* What indices count along, or through. */
static inline const tess_array *tess__take_put_target(const tess__take_put *work)
{
    return work->kind == TESS__TAKE ? &work->in : &work->out;
}

#endif
