/* Four-dimensional strided arrays: data model, creation, views, queries, copies, element access, printing, exchange.
 *
 * Every shape, stride and index is in the order batch, depth, height, width. Strides count elements. `{64,1,32,32}` is
 * 64 images, `{1,64,32,32}` is one volume; `{1,1,1,5}` is a row vector and `{1,1,5,1}` a column vector.
 */
#ifndef TESSERA_ARRAY_H
#define TESSERA_ARRAY_H

#include "tessera/base.h"
#include "tessera/device.h"
#include "tessera/dtype.h"
#include "tessera/error.h"

TESS_BEGIN_C

/* ---- The model -------------------------------------------------------------------------------------------------- */

typedef union tess_shape {
    TESS_EXTENSION struct {
        int64_t b, d, h, w;
    };
    int64_t dim[4];
} tess_shape;

typedef union tess_strides {
    TESS_EXTENSION struct {
        int64_t b, d, h, w;
    };
    int64_t dim[4];
} tess_strides;

/** Reference-counted storage. Arrays point to it; only the library looks inside. */
typedef struct tess_buffer tess_buffer;

/** Flags of an array. The last two mark the scalars of tessera/scalar.h. */
enum {
    TESS_READ_ONLY = 1, /* functions reject it as an output */
    TESS_SCALAR = 2,    /* a number passed by the caller, read during the call, whatever the device of the other
                           arrays */
    TESS_WEAK = 4       /* an f64 that takes on the dtype of the arrays it meets */
};

/**
 * An array is a value: a view onto storage. Copying the struct copies no data and owns nothing.
 *
 * An array that a function allocates holds one reference to its storage: release it with tess_release. Views hold no
 * reference; a view is valid as long as an owner of the storage exists.
 */
typedef struct tess_array {
    tess_shape   shape;   /* unused dimensions are 1; any 0 makes an empty array */
    tess_strides strides; /* may be 0 (broadcast) or negative (reversed)                    */
    void        *data;    /* address of element (0,0,0,0), on the array's device            */
    tess_buffer *buffer;  /* the storage behind data; NULL: borrowed memory */
    tess_dtype   dtype;
    tess_device  device;
    uint32_t     flags; /* TESS_READ_ONLY and others                                      */
} tess_array;

/** Returns the shape with these four sizes, in C and C++. */
static inline tess_shape tess_shape_of(int64_t b, int64_t d, int64_t h, int64_t w)
{
    tess_shape shape;
    shape.b = b, shape.d = d, shape.h = h, shape.w = w;
    return shape;
}

/** Returns strides, each given in elements. */
static inline tess_strides tess_strides_of(int64_t b, int64_t d, int64_t h, int64_t w)
{
    tess_strides strides;
    strides.b = b, strides.d = d, strides.h = h, strides.w = w;
    return strides;
}

#define TESS_SHAPE(b, d, h, w) tess_shape_of((b), (d), (h), (w))
#define TESS_STRIDES(b, d, h, w) tess_strides_of((b), (d), (h), (w))

/** Returns the contiguous strides of a shape: {d*h*w, h*w, w, 1} for order 'C', or {d*h*w, h*w, 1, h} for 'F', which
 *  swaps only H and W. */
TESS_API tess_strides tess_strides_contiguous(tess_shape shape, char order);

/** Sets of axes, combined with |. A parameter that takes a single axis takes its number instead: 0 to 3, or -1 to -4
 *  from the end. Sets and numbers have no value in common, so confusing them is an error. */
enum { TESS_B = 0x10, TESS_D = 0x20, TESS_H = 0x40, TESS_W = 0x80, TESS_ALL_AXES = 0xf0 };

/* The output rule: `out` comes first. If it is a zeroed struct (data is NULL and the dtype is 0), the function
 * allocates a C-contiguous array of the right shape, dtype and device, which the caller owns. Otherwise the function
 * checks the shape, dtype and device of `out` and writes into it, whatever its strides. Writing through a dimension of
 * stride 0 is TESS_EWRITE. In element-wise functions, and in others that say so, `out` may be exactly an input; any
 * other overlap of an output with an input is TESS_EALIAS.
 *
 * Two groups of functions need one kind of `out`, and say so. Those that cannot know the shape (random numbers, filters
 * without an input) or that keep a part of the elements (tess_insert, tess_put, the border NOTHING) need an allocated
 * one. Those whose result size depends on the data (tess_unique, tess_compress, tess_peaks) need a zeroed one.
 *
 * If a function fails, `out` is unchanged, with these exceptions. An allocated `out` may be partly written by a call
 * that was cancelled (tessera/cancel.h), by user-defined operators that fail because of element values (tessera/op.h),
 * by work on a GPU whose error is reported later (docs/errors.md), and by functions that work in several steps and run
 * out of memory between them, whose comments say so.
 *
 * An array has at most 2^60 bytes; a larger shape is TESS_ESHAPE. */

/* ---- Creation --------------------------------------------------------------------------------------------------- */

/**
 * Allocates an array with uninitialised elements.
 *
 * Storage is aligned to 64 bytes. From 4 MiB on it uses huge pages of 2 MiB, unless it comes from the functions of
 * tess_allocator_set. Here, and in all of this section except tess_wrap, an allocated `out` is checked and written into
 * instead, so start with `tess_array out = {0}` (in C++ `{}`).
 */
TESS_API TESS_MUST_CHECK tess_status tess_empty(tess_array *out, tess_shape shape, tess_dtype dtype,
                                                tess_device device);

/**
 * Allocates an array on the host with page-locked storage, so that copies to and from GPUs are fast and asynchronous
 * (tess_to_device).
 *
 * Such a copy is queued, and the call returns before it is done. It is done after tess_stream_sync of the GPU's stream,
 * or tess_event_sync of an event recorded behind the copy. Until then, tess_get_*, tess_as_*, tess_format, operations
 * on the CPU and tess_write see old data in the destination, and must not write to the source; no error is reported.
 *
 * In all other respects it is an array on the CPU, and it counts as memory of the CPU. Allocation is slow and locks
 * memory of the whole machine: allocate few and reuse them. Without a GPU the function fails with TESS_EDEVICE.
 */
TESS_API TESS_MUST_CHECK tess_status tess_empty_pinned(tess_array *out, tess_shape shape, tess_dtype dtype);

/** Allocates an array of zeros. Large ones cost no time until they are touched. */
TESS_API TESS_MUST_CHECK tess_status tess_zeros(tess_array *out, tess_shape shape, tess_dtype dtype,
                                                tess_device device);

/** Allocates an array of ones (complex: 1+0i). */
TESS_API TESS_MUST_CHECK tess_status tess_ones(tess_array *out, tess_shape shape, tess_dtype dtype, tess_device device);

/** Allocates an array filled with one value, converted as in tess_fill. */
TESS_API TESS_MUST_CHECK tess_status tess_full(tess_array *out, tess_shape shape, tess_dtype dtype, tess_device device,
                                               double value);

/** Allocates an array like `in`: same shape, dtype and device, C-contiguous, with uninitialised elements. */
TESS_API TESS_MUST_CHECK tess_status tess_like(tess_array *out, const tess_array *in);

/**
 * Fills an array with evenly spaced values: element i, counted in the order b, d, h, w, is start + i * step.
 *
 * Values are computed in integers if the dtype is an integer type and start and step are integers (within 2^62),
 * otherwise in f64. They are converted as in tess_cast: values out of the dtype's range are clamped.
 *
 * `out` is zeroed (then it is allocated with `shape` and `dtype` on `device`) or an array of that shape, dtype and
 * device.
 */
TESS_API TESS_MUST_CHECK tess_status tess_arange(tess_array *out, tess_shape shape, tess_dtype dtype,
                                                 tess_device device, double start, double step);

typedef struct tess_linspace_opts {
    double  *step;        /* receives the step [NULL: not wanted] */
    int32_t  no_endpoint; /* 1: exclude `stop` [0: the last element is exactly `stop`] */
    uint32_t reserved[5]; /* must be 0 */
} tess_linspace_opts;

/** Fills an array with elements evenly spaced from `start` to `stop`, in the order b, d, h, w. A single element is
 *  `start`. Integers are rounded down, as in NumPy. `out` is as in tess_arange. */
TESS_API TESS_MUST_CHECK tess_status tess_linspace(tess_array *out, tess_shape shape, tess_dtype dtype,
                                                   tess_device device, double start, double stop,
                                                   const tess_linspace_opts *opts);

/** Fills every image with ones where h == w and zeros elsewhere; images need not be square. `out` is as in
 *  tess_arange. */
TESS_API TESS_MUST_CHECK tess_status tess_eye(tess_array *out, tess_shape shape, tess_dtype dtype, tess_device device);

typedef struct tess_wrap_opts {
    const tess_strides *strides; /* in elements [NULL: C-contiguous] */
    int64_t             offset;  /* elements from `data` to element (0,0,0,0) [0] */
    int64_t             length;  /* number of elements in `data`; the view must lie inside [0: not checked] */
    tess_device         device;  /* device that holds `data` [the CPU] */
    void (*drop)(void *);        /* called with `context` when the last reference is released [NULL: memory is
                                    borrowed] */
    void    *context;            /* argument of drop */
    int32_t  read_only;          /* 1: functions reject it as an output [0] */
    uint32_t reserved[5];        /* must be 0 */
} tess_wrap_opts;

/**
 * Creates an array over the caller's memory, without a copy. `out` is overwritten without being read, like a view.
 *
 * `data` must be aligned for the dtype's reals and, on a GPU, be memory allocated by CUDA. GPU memory without
 * `opts->device` is rejected if this process has used a GPU before. Without `drop` the memory is borrowed and
 * tess_release frees nothing; if `length` is given, the view is checked against it. With `drop` the array owns one
 * reference; if the function fails, `drop` is not called.
 */
TESS_API TESS_MUST_CHECK tess_status tess_wrap(tess_array *out, void *data, tess_shape shape, tess_dtype dtype,
                                               const tess_wrap_opts *opts);

/** Adds a reference to the storage behind an array or view. Each reference needs its own tess_release. */
TESS_API TESS_MUST_CHECK tess_status tess_retain(const tess_array *a);

/**
 * Releases one reference and zeroes the struct. Storage without references is freed. NULL and zeroed arrays are
 * allowed.
 *
 * Using or releasing a view, or a copy of the struct, after the last reference was released is an error that cannot be
 * detected.
 */
TESS_API void tess_release(tess_array *a);

/* ---- Views: no allocation, no copy; `view` may be `a` itself ----------------------------------------------------- */

/** Permutes the axes: the arguments name the axis of `a` that becomes b, d, h and w of the view. tess_permute(&v, &a,
 *  0, 1, 3, 2) swaps height and width. */
TESS_API TESS_MUST_CHECK tess_status tess_permute(tess_array *view, const tess_array *a, int b, int d, int h, int w);

/** Swaps height and width. */
TESS_API TESS_MUST_CHECK tess_status tess_transpose(tess_array *view, const tess_array *a);

/**
 * Views the same elements in the same order (b, d, h, w) with another shape. One size may be -1 and is then inferred.
 *
 * Works for every view whose strides allow it, as in NumPy. Otherwise it fails with TESS_ELAYOUT: use tess_copy first.
 */
TESS_API TESS_MUST_CHECK tess_status tess_reshape(tess_array *view, const tess_array *a, tess_shape shape);

/** Views all elements as one row {1,1,1,n}. Fails with TESS_ELAYOUT if they are not equidistant. */
TESS_API TESS_MUST_CHECK tess_status tess_flatten(tess_array *view, const tess_array *a);

/** Repeats dimensions of size 1 to the sizes of `shape`, with a stride of 0. */
TESS_API TESS_MUST_CHECK tess_status tess_broadcast(tess_array *view, const tess_array *a, tess_shape shape);

/** Marks an omitted end of a range, as in NumPy's a[::-1]. */
#define TESS_NONE INT64_MIN

/**
 * Takes every `step`-th element of one axis from `from` (included) to `to` (excluded), like NumPy's a[from:to:step].
 *
 * Negative indices count from the end, and indices outside are clamped. TESS_NONE omits an end. `step` may be negative,
 * but not 0. An empty range gives an empty view, not an error.
 */
TESS_API TESS_MUST_CHECK tess_status tess_slice(tess_array *view, const tess_array *a, int axis, int64_t from,
                                                int64_t to, int64_t step);

enum { TESS_RANGE_ALL = 0, TESS_RANGE_SLICE = 1, TESS_RANGE_INDEX = 2 };

/** A part of one axis; zeroed, the whole axis. */
typedef struct tess_range {
    int64_t  from, to, step;
    int32_t  kind;     /* a TESS_RANGE_ */
    uint32_t reserved; /* must be 0 */
} tess_range;

/** A part of an array; zeroed, the whole array: (tess_region){ .h = tess_from_to(16, 48) }. */
typedef struct tess_region {
    tess_range b, d, h, w;
} tess_region;

/** Returns the range from:to:step of an axis; TESS_NONE omits an end. */
static inline tess_range tess_from_to_step(int64_t from, int64_t to, int64_t step)
{
    tess_range range = { from, to, step, TESS_RANGE_SLICE, 0 };
    return range;
}

/** Returns the range from:to of an axis. */
static inline tess_range tess_from_to(int64_t from, int64_t to) { return tess_from_to_step(from, to, 1); }

/** Returns the range of a single index; the axis is kept with size 1. Unlike the ends of a range, the index must
 *  exist. */
static inline tess_range tess_only(int64_t index)
{
    tess_range range = { index, 0, 0, TESS_RANGE_INDEX, 0 };
    return range;
}

/** Takes a range of each axis. */
TESS_API TESS_MUST_CHECK tess_status tess_subregion(tess_array *view, const tess_array *a, tess_region region);

/**
 * Takes a region given as text, written as between NumPy's brackets: "..., 16:48, ::-1", "0", "3, :, ::2".
 *
 * The text has up to four parts, from the left. "..." may occur once and represents all axes not named. An axis with an
 * index is kept with size 1.
 */
TESS_API TESS_MUST_CHECK tess_status tess_subregion_text(tess_array *view, const tess_array *a, const char *text);

/** Takes the slice at `index` of one axis; the axis is kept with size 1. Negative indices count from the end. */
TESS_API TESS_MUST_CHECK tess_status tess_index(tess_array *view, const tess_array *a, int axis, int64_t index);

/** Takes the slice at `index` of one axis; the axis is dropped and the axes left of it move right: {1,2,3,2} at axis 1
 *  becomes {1,1,3,2}. */
TESS_API TESS_MUST_CHECK tess_status tess_view_at(tess_array *view, const tess_array *a, int axis, int64_t index);

/** Reverses a set of axes: tess_reverse(&v, &a, TESS_H | TESS_W). */
TESS_API TESS_MUST_CHECK tess_status tess_reverse(tess_array *view, const tess_array *a, int axes);

/** Moves dimensions of size 1 to the left and keeps the order of the others: {1,5,1,7} becomes {1,1,5,7}. */
TESS_API TESS_MUST_CHECK tess_status tess_squeeze_left(tess_array *view, const tess_array *a);

/**
 * Views the same bytes as another element type. Between types of equal size, strides may be any. Otherwise one size
 * must be a multiple of the other, the width must be contiguous, and it changes by that ratio (c32 to f32: twice).
 */
TESS_API TESS_MUST_CHECK tess_status tess_reinterpret(tess_array *view, const tess_array *a, tess_dtype dtype);

/** Views the real parts of a complex array with any strides; writing to the view changes the array. */
TESS_API TESS_MUST_CHECK tess_status tess_real_view(tess_array *view, const tess_array *a);

/** Views the imaginary parts of a complex array. */
TESS_API TESS_MUST_CHECK tess_status tess_imag_view(tess_array *view, const tess_array *a);

/** An iterator along an axis: tess_along walk = {0}; while (tess_along_next(&walk, &view, &a, axis)) … */
typedef struct tess_along {
    int64_t  index;    /* index of the current view */
    int64_t  next;     /* 0 to start */
    int32_t  status;   /* a tess_status: why the iteration ended */
    uint32_t reserved; /* 0 */
} tess_along;

/** Advances to the next view, which is that of tess_view_at. Returns false at the end, with walk->status TESS_OK, or on
 *  an error. */
TESS_API bool tess_along_next(tess_along *walk, tess_array *view, const tess_array *a, int axis);

/* ---- Queries: they cannot fail; NULL and zeroed arrays are empty ------------------------------------------------- */

/** Returns true if the elements lie without gaps in order 'C', or 'F' (H and W swapped). Dimensions of size 1 do not
 *  matter. */
TESS_API bool tess_is_contiguous(const tess_array *a, char order);

/** Reports for each dimension whether its stride is the product of the inner sizes: true for dimensions of size 1,
 *  false for broadcast ones. */
TESS_API void tess_contiguity(bool contiguous[4], const tess_array *a);

/** Returns true if all elements, in the order b, d, h, w, are equidistant. */
TESS_API bool tess_is_flattenable(const tess_array *a);

/** Returns true if the elements fill one block of memory without gaps or repeats, in any order and direction. */
TESS_API bool tess_is_dense(const tess_array *a);

/** Returns true if a dimension is 0 or the array is zeroed. */
TESS_API bool tess_is_empty(const tess_array *a);

/** Returns the number of elements: the product of the sizes. */
TESS_API int64_t tess_n_elements(const tess_array *a);

/** Returns the size of the elements in bytes: the memory of a contiguous copy. */
TESS_API int64_t tess_n_bytes(const tess_array *a);

TESS_API bool tess_same_shape(const tess_array *a, const tess_array *b);

/**
 * Returns true if a byte belongs to elements of both arrays: interleaved views that share no element do not overlap.
 *
 * For strides contrived to be hard the search is given up and the result is true.
 */
TESS_API bool tess_overlap(const tess_array *a, const tess_array *b);

/* ---- Copies ----------------------------------------------------------------------------------------------------- */

/** Copies `in`, with any strides, broadcast to `out`. Dtype and device must be the same; see tess_cast and
 *  tess_to_device. */
TESS_API TESS_MUST_CHECK tess_status tess_copy(tess_array *out, const tess_array *in);

/** Permutes the axes and copies the result, like tess_permute followed by tess_copy. */
TESS_API TESS_MUST_CHECK tess_status tess_permute_copy(tess_array *out, const tess_array *in, int b, int d, int h,
                                                       int w);

/** How values that do not fit the new type are converted. */
enum {
    TESS_CAST_DEFAULT = 0, /* clamp */
    TESS_CAST_CLAMP = 1,   /* to the nearest value of the type; NaN to 0; fractions truncated toward 0 */
    TESS_CAST_WRAP = 2,    /* integers modulo 2^bits; NaN and infinities to 0 */
    TESS_CAST_EXACT = 3    /* a value that would change is TESS_ERANGE, and nothing is written; synchronises with a
                              GPU */
};

/** How a complex number is converted to a real one. */
enum {
    TESS_PART_DEFAULT = 0, /* none: complex to real is TESS_EDTYPE */
    TESS_PART_REAL = 1,
    TESS_PART_IMAG = 2,
    TESS_PART_ABS = 3,  /* sqrt(re^2 + im^2), without overflow */
    TESS_PART_POWER = 4 /* re^2 + im^2 */
};

typedef struct tess_cast_opts {
    int32_t  mode;        /* a TESS_CAST_ [clamp] */
    int32_t  part;        /* a TESS_PART_, for complex to real [none: an error] */
    uint32_t reserved[6]; /* must be 0 */
} tess_cast_opts;

/**
 * Converts every element to `dtype`, broadcast to `out`. Strides may be any.
 *
 * Integers are clamped, wrapped or must fit, depending on `mode`. Conversion to a floating-point type rounds to nearest
 * even; values that are too large become infinity. Conversion to bool tests for nonzero. Conversion from real to
 * complex sets the imaginary part to 0. `dtype` may be TESS_DTYPE_NONE if `out` is allocated. Compound types convert
 * only to themselves. In an exact cast a NaN stays a NaN between floating-point types and is an error for integers.
 */
TESS_API TESS_MUST_CHECK tess_status tess_cast(tess_array *out, const tess_array *in, tess_dtype dtype,
                                               const tess_cast_opts *opts);

/** Sets every element to `value`, converted as in tess_cast; in compound elements, each of their reals. */
TESS_API TESS_MUST_CHECK tess_status tess_fill(tess_array *out, double value);

/** Sets every element to the one at `element`, which has the array's dtype: for i64, u64, complex and compound
 *  types. */
TESS_API TESS_MUST_CHECK tess_status tess_fill_element(tess_array *out, const void *element);

/** Joins `n` arrays along an axis. Their other sizes, dtypes and devices must be equal. */
TESS_API TESS_MUST_CHECK tess_status tess_concatenate(tess_array *out, const tess_array *parts, int n, int axis);

/* ---- Elements --------------------------------------------------------------------------------------------------- */

/* Checked access to one element, by value. Negative indices count from the end. Reading and writing synchronise with
 * the calling thread's current stream. The value is converted as in tess_cast (clamping); complex elements need the c64
 * functions. */
TESS_API TESS_MUST_CHECK tess_status tess_get_f64(double *value, const tess_array *a, int64_t b, int64_t d, int64_t h,
                                                  int64_t w);
TESS_API TESS_MUST_CHECK tess_status tess_set_f64(tess_array *a, int64_t b, int64_t d, int64_t h, int64_t w,
                                                  double value);
TESS_API TESS_MUST_CHECK tess_status tess_get_i64(int64_t *value, const tess_array *a, int64_t b, int64_t d, int64_t h,
                                                  int64_t w);
TESS_API TESS_MUST_CHECK tess_status tess_set_i64(tess_array *a, int64_t b, int64_t d, int64_t h, int64_t w,
                                                  int64_t value);
TESS_API TESS_MUST_CHECK tess_status tess_get_c64(tess_c64 *value, const tess_array *a, int64_t b, int64_t d, int64_t h,
                                                  int64_t w);
TESS_API TESS_MUST_CHECK tess_status tess_set_c64(tess_array *a, int64_t b, int64_t d, int64_t h, int64_t w,
                                                  tess_c64 value);

/** Returns the checked address of one element, on the array's device; NULL, with an error, if an index is out of range.
 *  Does not synchronise. */
TESS_API void *tess_address(const tess_array *a, int64_t b, int64_t d, int64_t h, int64_t w);

/**
 * Accesses one element without checks, as an lvalue: TESS_AT(float, a, b, d, h, w) += 1.
 *
 * `a` is a tess_array or a span (not a pointer to one). Compiles to plain indexing, checks nothing and does not
 * synchronise. In a hot loop use a span, so that the compiler sees that the strides do not change.
 */
#define TESS_AT(type, a, ib, id, ih, iw)                                                                               \
    (((type *)(a).data)[(int64_t)(ib) * (a).strides.b + (int64_t)(id) * (a).strides.d +                                \
                        (int64_t)(ih) * (a).strides.h + (int64_t)(iw) * (a).strides.w])

/* A span: the typed pointer, strides and shape of an array in host memory, for loops. tess_span_f32 has float *data;
 * tess_as_f32(&span, &a) synchronises with the current stream and fills the span. It rejects an array of another type,
 * a read-only one, or one on a GPU. It does not wait for work that is queued later. */
#define TESS_SPAN_TYPE_(NAME, name, type, REAL)                                                                        \
    typedef struct tess_span_##name {                                                                                  \
        type        *data;                                                                                             \
        tess_strides strides;                                                                                          \
        tess_shape   shape;                                                                                            \
    } tess_span_##name;
TESS_SCALAR_DTYPES(TESS_SPAN_TYPE_)
#undef TESS_SPAN_TYPE_

/* Implements tess_as_…: checks the array, synchronises, and returns its data pointer in `*data`. */
TESS_API TESS_MUST_CHECK tess_status tess__span(void **data, const tess_array *a, tess_dtype dtype);

#define TESS_SPAN_FUNCTION_(NAME, name, type, REAL)                                                                    \
    static inline TESS_MUST_CHECK tess_status tess_as_##name(tess_span_##name *span, const tess_array *a)              \
    {                                                                                                                  \
        void       *data = NULL;                                                                                       \
        tess_status status = tess__span(span ? &data : NULL, a, TESS_##NAME);                                          \
        if (status != TESS_OK) return status;                                                                          \
        span->data = (type *)data;                                                                                     \
        span->strides = a->strides;                                                                                    \
        span->shape = a->shape;                                                                                        \
        return TESS_OK;                                                                                                \
    }
TESS_SCALAR_DTYPES(TESS_SPAN_FUNCTION_)
#undef TESS_SPAN_FUNCTION_

/* ---- Printing --------------------------------------------------------------------------------------------------- */

typedef struct tess_format_opts {
    int64_t  threshold;   /* arrays with more elements than this are summarised [1000] */
    int32_t  edge;        /* elements shown at each end of a summarised axis [3] */
    int32_t  precision;   /* maximum number of digits after the decimal point [8] */
    int32_t  width;       /* maximum line length, in characters [75] */
    int32_t  no_header;   /* 1: omit the line with dtype, shape, strides and device [0] */
    int32_t  all_axes;    /* 1: always four pairs of brackets [0: none for leading axes of size 1] */
    int32_t  commas;      /* 1: separate elements with commas, as NumPy's repr does [0: only spaces] */
    uint32_t reserved[4]; /* must be 0 */
} tess_format_opts;

/**
 * Formats an array as text, as NumPy would, into the `size` bytes at `text`: truncated if it does not fit, always ended
 * by a zero byte.
 *
 * `*length` (may be NULL) receives the length of the whole text in bytes, without the zero byte; with `size` 0 `text`
 * may be NULL. Vector elements add one pair of brackets and matrices two; a compound element is never broken.
 * Synchronises with the device.
 */
TESS_API TESS_MUST_CHECK tess_status tess_format(char *text, size_t size, size_t *length, const tess_array *a,
                                                 const tess_format_opts *opts);

/* ---- Exchange: DLPack ------------------------------------------------------------------------------------------- */

struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* Exchange with other libraries by both kinds of DLPack struct, which tessera/dlpack.h declares. An exported tensor
 * holds a reference to the storage until its deleter is called. Import takes over the tensor: its deleter runs when the
 * last reference is released; if the import fails, the tensor stays with the caller. Tensors have up to four
 * dimensions, right-aligned. Strides may be NULL in an imported tensor and never are in an exported one. Import rejects
 * byte offsets that misalign the data, and types without a corresponding dtype. Bool, complex and read-only flags are
 * kept where the struct has them. Arrays on a GPU keep their device; the rules for streams in tessera/dlpack.h apply to
 * them. */
TESS_API TESS_MUST_CHECK tess_status tess_dlpack_export(struct DLManagedTensorVersioned **tensor, const tess_array *a);
TESS_API TESS_MUST_CHECK tess_status tess_dlpack_import(tess_array *out, struct DLManagedTensorVersioned *tensor);
TESS_API TESS_MUST_CHECK tess_status tess_dlpack_export_unversioned(struct DLManagedTensor **tensor,
                                                                    const tess_array        *a);
TESS_API TESS_MUST_CHECK tess_status tess_dlpack_import_unversioned(tess_array *out, struct DLManagedTensor *tensor);

TESS_END_C

#endif
