/* Argument checks. Messages begin with `fn`, the public function's name without tess_, and name `arg`. */
#ifndef TESS_CORE_CHECK_CHECK_H
#define TESS_CORE_CHECK_CHECK_H

#include "core/dtype.h"
#include "core/array/layout.h"
#include "tessera/array.h"

/* Sizes are not negative and their product, in elements and in bytes, is below the limits. Every operation checks this,
 * and tess__check_array, so the fast paths are inline. */
tess_status tess__check_large_shape(const char *fn, const char *arg, tess_shape shape, tess_dtype dtype);

static inline tess_status tess__check_shape(const char *fn, const char *arg, tess_shape shape, tess_dtype dtype)
{
    return tess__small_sizes(shape.dim) ? TESS_OK : tess__check_large_shape(fn, arg, shape, dtype);
}

/* A number that is a dtype. */
tess_status tess__check_dtype(const char *fn, const char *arg, tess_dtype dtype);

/* A pointer that must not be NULL. */
tess_status tess__fail_null(const char *fn, const char *arg);

static inline tess_status tess__check_pointer(const char *fn, const char *arg, const void *pointer)
{
    return pointer ? TESS_OK : tess__fail_null(fn, arg);
}

/* An allocated array: not NULL, not zeroed or released, with a valid dtype and shape. */
tess_status tess__check_unusual_array(const char *fn, const char *arg, const tess_array *a);

static inline tess_status tess__check_array(const char *fn, const char *arg, const tess_array *a)
{
    if (a && a->data && tess__dtype_valid(a->dtype) && tess__small_sizes(a->shape.dim)) return TESS_OK;
    return tess__check_unusual_array(fn, arg, a);
}

/* An array of numbers: not of vectors or matrices. */
tess_status tess__check_unusual_numbers(const char *fn, const char *arg, const tess_array *a);

static inline tess_status tess__check_numbers(const char *fn, const char *arg, const tess_array *a)
{
    if (a && a->data && tess__small_sizes(a->shape.dim) && a->dtype > 0 && a->dtype < TESS_SCALAR_DTYPE_COUNT)
        return TESS_OK;
    return tess__check_unusual_numbers(fn, arg, a);
}

/* Numbers that have an order: real ones. */
tess_status tess__check_ordered(const char *fn, const char *arg, tess_dtype dtype);

/* A set of axes; 0 is all. */
tess_status tess__check_axis_set(const char *fn, int axes);

/* An output of this dtype, or of one that a result of it converts to. */
tess_status tess__check_other_dtype(const char *fn, const char *arg, const tess_array *out, tess_dtype result);

static inline tess_status tess__check_converts(const char *fn, const char *arg, const tess_array *out,
                                               tess_dtype result)
{
    return out->dtype == result ? TESS_OK : tess__check_other_dtype(fn, arg, out, result);
}

/* An axis from -4 to 3; `*axis` becomes 0 to 3. */
tess_status tess__check_axis(const char *fn, const char *arg, int *axis);

/* An index of an axis of size n, negative from the end; `*index` becomes 0 to n-1. */
tess_status tess__check_index(const char *fn, const char *arg, int axis, int64_t n, int64_t *index);

/* Non-decreasing numbers, infinities among them, but no NaN. */
tess_status tess__check_rising(const char *fn, const char *arg, const double *numbers, int64_t n);

/* An output that has storage: allocated, not read-only, no element at two indices. */
tess_status tess__check_unusual_output(const char *fn, const char *arg, const tess_array *a);

static inline tess_status tess__check_writable(const char *fn, const char *arg, const tess_array *a)
{
    if (a && a->data && tess__dtype_valid(a->dtype) && tess__small_sizes(a->shape.dim) &&
        !(a->flags & TESS_READ_ONLY) && tess__is_contiguous(a))
        return TESS_OK;
    return tess__check_unusual_output(fn, arg, a);
}

/* Output and input do not overlap, unless they are the same view and `exact_alias` allows it. Most are disjoint, which
 * is the fast path. `other` is the name of the output, which is "out" for tess__check_overlap. */
tess_status tess__overlap_error(const char *fn, const char *other, const tess_array *out, const char *arg,
                                const tess_array *in, bool exact_alias);

static inline tess_status tess__check_overlap(const char *fn, const tess_array *out, const char *arg,
                                              const tess_array *in, bool exact_alias)
{
    return tess__disjoint(out, in) ? TESS_OK : tess__overlap_error(fn, "out", out, arg, in, exact_alias);
}

static inline tess_status tess__check_disjoint(const char *fn, const char *other, const tess_array *out,
                                               const char *arg, const tess_array *in)
{
    return tess__disjoint(out, in) ? TESS_OK : tess__overlap_error(fn, other, out, arg, in, false);
}

/* Both on one device; `other` is the name of the first. */
tess_status tess__fail_device(const char *fn, const char *other, const tess_array *out, const char *arg,
                              const tess_array *in);

static inline bool tess__same_device(tess_device a, tess_device b) { return a.kind == b.kind && a.index == b.index; }

static inline tess_status tess__check_device_of(const char *fn, const char *other, const tess_array *out,
                                                const char *arg, const tess_array *in)
{
    return tess__same_device(out->device, in->device) ? TESS_OK : tess__fail_device(fn, other, out, arg, in);
}

/* The same for an output that is "out". */
static inline tess_status tess__check_same_device(const char *fn, const tess_array *out, const char *arg,
                                                  const tess_array *in)
{
    return tess__check_device_of(fn, "out", out, arg, in);
}

/* An array whose memory this process can read. */
tess_status tess__check_on_host(const char *fn, const char *arg, const tess_array *a);

#endif
