/* Four-dimensional strided arrays: the model, creation, views, queries, copies, element access, printing, exchange.
 *
 * Every shape, stride and index is in the order batch, depth, height, width. Strides count elements. `{64,1,32,32}`
 * is 64 images, `{1,64,32,32}` is one volume; `{1,1,1,5}` is a row vector and `{1,1,5,1}` a column vector.
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

/** Flags of an array. The last two are those of the scalars in tessera/scalar.h. */
enum {
    TESS_READ_ONLY = 1, /* functions reject it as an output */
    TESS_SCALAR = 2,    /* a number of the caller's, read during the call, whatever the device of the other arrays */
    TESS_WEAK = 4       /* an f64 that takes on the dtype of the arrays it meets */
};

/**
 * An array is a value: a view onto storage. Copying the struct copies no data and owns nothing.
 *
 * Where a function says that it makes an array, that array holds one reference to its storage: tess_release it.
 * Views hold none: a view is good while some owner lives.
 */
typedef struct tess_array {
    tess_shape   shape;   /* empty dimensions are 1; a 0 anywhere makes an empty array      */
    tess_strides strides; /* may be 0 (broadcast) or negative (reversed)                    */
    void        *data;    /* address of element (0,0,0,0), on the array's device            */
    tess_buffer *buffer;  /* the storage behind data, or NULL: borrowed memory              */
    tess_dtype   dtype;
    tess_device  device;
    uint32_t     flags; /* TESS_READ_ONLY and others                                      */
} tess_array;

/** A shape from its four sizes, in C and C++. */
static inline tess_shape tess_shape_of(int64_t b, int64_t d, int64_t h, int64_t w)
{
    tess_shape shape;
    shape.b = b, shape.d = d, shape.h = h, shape.w = w;
    return shape;
}

/** Strides from four counts of elements. */
static inline tess_strides tess_strides_of(int64_t b, int64_t d, int64_t h, int64_t w)
{
    tess_strides strides;
    strides.b = b, strides.d = d, strides.h = h, strides.w = w;
    return strides;
}

#define TESS_SHAPE(b, d, h, w) tess_shape_of((b), (d), (h), (w))
#define TESS_STRIDES(b, d, h, w) tess_strides_of((b), (d), (h), (w))

/** Contiguous strides of a shape: 'C' {d*h*w, h*w, w, 1}, or 'F' {d*h*w, h*w, 1, h}, which swaps only H and W. */
TESS_API tess_strides tess_strides_contiguous(tess_shape shape, char order);

/** Sets of axes, to be or-ed. Where one axis is meant, it is its number: 0 to 3, or -1 to -4 from the end. No number is
 *  a set and no set a number, so that taking one for the other is an error. */
enum { TESS_B = 0x10, TESS_D = 0x20, TESS_H = 0x40, TESS_W = 0x80, TESS_ALL_AXES = 0xf0 };

/* The output rule, the same in every function: `out` comes first. If it is a zeroed struct (data is NULL and the dtype
 * is 0) the function makes a C-contiguous array of the right shape, dtype and device, and the caller owns it.
 * Otherwise the function writes into `out`, whatever its strides, after checking its shape, dtype and device. Writing
 * through a dimension of stride 0 is TESS_EWRITE. `out` may be exactly an input in element-wise work; any other
 * overlap of an output with an input is TESS_EALIAS. If a function fails, `out` is as it was; but operators of users
 * that fail because of their elements (tessera/op.h) may have written a part of it. Functions that cannot know the
 * shape (random numbers), or change what is there (tess_insert, tess_put), need an `out` that was made before; those
 * whose result has as many elements as are found (tess_unique, tess_compress) need a zeroed one. They say so.
 *
 * An array has at most 2^60 bytes: a shape beyond that is TESS_ESHAPE. */

/* ---- Creation --------------------------------------------------------------------------------------------------- */

/**
 * Make an array whose elements are not set.
 *
 * Storage is aligned to 64 bytes; from 4 MiB on it lies on huge pages of 2 MiB, unless it comes from the functions of
 * tess_allocator_set. Here, and in all of this section but for tess_wrap, an `out` that was made is checked and written
 * into instead, so start with `tess_array out = {0}` (in C++ `{}`).
 */
TESS_API TESS_MUST_CHECK tess_status tess_empty(tess_array *out, tess_shape shape, tess_dtype dtype,
                                                tess_device device);

/**
 * An array on the host whose storage is page-locked: copies to and from GPUs are fast and queued (tess_to_device).
 *
 * Such a copy is not waited for. Until tess_stream_sync of the GPU's stream, or an event behind the copy, says that it
 * is done, tess_get_*, tess_as_*, tess_format, operations on the CPU and tess_write see old data in an array that is
 * copied to, and must not write one that is copied from; no error tells.
 *
 * Otherwise it is an array on the CPU. Making it is slow and takes memory from the whole machine: make few, and use
 * them again. Without a GPU it is TESS_EDEVICE. Counts as memory of the CPU.
 */
TESS_API TESS_MUST_CHECK tess_status tess_empty_pinned(tess_array *out, tess_shape shape, tess_dtype dtype);

/** Make an array of zeros. Large ones cost no time until they are touched. */
TESS_API TESS_MUST_CHECK tess_status tess_zeros(tess_array *out, tess_shape shape, tess_dtype dtype,
                                                tess_device device);

/** Make an array of ones (complex: 1+0i). */
TESS_API TESS_MUST_CHECK tess_status tess_ones(tess_array *out, tess_shape shape, tess_dtype dtype, tess_device device);

/** Make an array of one value, converted as in tess_fill. */
TESS_API TESS_MUST_CHECK tess_status tess_full(tess_array *out, tess_shape shape, tess_dtype dtype, tess_device device,
                                               double value);

/** Make an array like `in`: same shape, dtype and device, C-contiguous, elements not set. */
TESS_API TESS_MUST_CHECK tess_status tess_like(tess_array *out, const tess_array *in);

/**
 * Element i, counted in the order b, d, h, w, is start + i * step, computed in integers where dtype, start and step are
 * whole (and within 2^62), else in f64, and converted as in tess_cast: what the dtype cannot hold is clamped.
 *
 * `out` is zeroed (it is made with `shape`, `dtype`, on `device`) or an array of that shape, dtype and device.
 */
TESS_API TESS_MUST_CHECK tess_status tess_arange(tess_array *out, tess_shape shape, tess_dtype dtype,
                                                 tess_device device, double start, double step);

typedef struct tess_linspace_opts {
    double  *step;        /* receives the step [NULL: not wanted] */
    int32_t  no_endpoint; /* 1: `stop` itself is left out [0: the last element is exactly `stop`] */
    uint32_t reserved[5]; /* must be 0 */
} tess_linspace_opts;

/** Elements evenly spaced from `start` to `stop`, in the order b, d, h, w. One element: `start`.
 *  Integers are rounded down, as in NumPy. `out` as in arange. */
TESS_API TESS_MUST_CHECK tess_status tess_linspace(tess_array *out, tess_shape shape, tess_dtype dtype,
                                                   tess_device device, double start, double stop,
                                                   const tess_linspace_opts *opts);

/** Ones where h == w in every image, zeros elsewhere; h and w may differ. `out` as in arange. */
TESS_API TESS_MUST_CHECK tess_status tess_eye(tess_array *out, tess_shape shape, tess_dtype dtype, tess_device device);

typedef struct tess_wrap_opts {
    const tess_strides *strides; /* in elements [NULL: C-contiguous] */
    int64_t             offset;  /* elements from `data` to element (0,0,0,0) [0] */
    int64_t             length;  /* elements that `data` has; the view must lie inside [0: not checked] */
    tess_device         device;  /* where `data` is [the CPU] */
    void (*drop)(void *);        /* called with `context` when the last reference goes [NULL: memory is borrowed] */
    void    *context;            /* for drop */
    int32_t  read_only;          /* 1: functions reject it as an output [0] */
    uint32_t reserved[5];        /* must be 0 */
} tess_wrap_opts;

/**
 * An array over memory of the caller's: no copy. `out` is overwritten, as a view is, and not looked at.
 *
 * `data` must be aligned for the dtype's reals and, on a GPU, be memory of CUDA's. Memory of a GPU without
 * `opts->device` is rejected if this process has used a GPU before. Without `drop` it is borrowed, tess_release frees
 * nothing, and `length` (when given) is what keeps the view inside it. With `drop` the array owns one reference; if the
 * function fails, `drop` is not called.
 */
TESS_API TESS_MUST_CHECK tess_status tess_wrap(tess_array *out, void *data, tess_shape shape, tess_dtype dtype,
                                               const tess_wrap_opts *opts);

/** Add a reference to the storage behind an array or view: each needs its own tess_release. */
TESS_API TESS_MUST_CHECK tess_status tess_retain(const tess_array *a);

/**
 * Drop one reference and zero the struct. Storage without references is freed. NULL and zeroed arrays are allowed.
 *
 * What cannot be checked: using or releasing a view, or a copy of the struct, after the last reference is gone.
 */
TESS_API void tess_release(tess_array *a);

/* ---- Views: no allocation, no copy; `view` may be `a` itself ----------------------------------------------------- */

/** Axis k of the view is axis `axes[k]` of `a`: tess_permute(&v, &a, 0, 1, 3, 2) swaps height and width. */
TESS_API TESS_MUST_CHECK tess_status tess_permute(tess_array *view, const tess_array *a, int b, int d, int h, int w);

/** Swap height and width. */
TESS_API TESS_MUST_CHECK tess_status tess_transpose(tess_array *view, const tess_array *a);

/**
 * The same elements in the same order (b, d, h, w) under another shape; one size may be -1, it is inferred.
 *
 * Works on every view whose strides allow it, as in NumPy; otherwise TESS_ELAYOUT: tess_copy it first.
 */
TESS_API TESS_MUST_CHECK tess_status tess_reshape(tess_array *view, const tess_array *a, tess_shape shape);

/** One row {1,1,1,n} of all elements, where they are equidistant; otherwise TESS_ELAYOUT. */
TESS_API TESS_MUST_CHECK tess_status tess_flatten(tess_array *view, const tess_array *a);

/** Repeat dimensions of size 1 to the sizes of `shape`, by a stride of 0. */
TESS_API TESS_MUST_CHECK tess_status tess_broadcast(tess_array *view, const tess_array *a, tess_shape shape);

/** Stands for an end of a range that is left out, as in NumPy's a[::-1]. */
#define TESS_NONE INT64_MIN

/**
 * Every `step`-th element of one axis from `from` (included) to `to` (left out), as NumPy's a[from:to:step].
 *
 * Negative indices count from the end and indices outside are clamped; TESS_NONE leaves an end out; `step` may be
 * negative, not 0. A range that holds nothing gives an empty view, not an error.
 */
TESS_API TESS_MUST_CHECK tess_status tess_slice(tess_array *view, const tess_array *a, int axis, int64_t from,
                                                int64_t to, int64_t step);

enum { TESS_RANGE_ALL = 0, TESS_RANGE_SLICE = 1, TESS_RANGE_INDEX = 2 };

/** A part of one axis. Zeroed, it is all of it. */
typedef struct tess_range {
    int64_t  from, to, step;
    int32_t  kind;     /* a TESS_RANGE_ */
    uint32_t reserved; /* must be 0 */
} tess_range;

/** A part of an array. Zeroed, it is all of it: (tess_region){ .h = tess_from_to(16, 48) }. */
typedef struct tess_region {
    tess_range b, d, h, w;
} tess_region;

/** from:to:step of an axis; TESS_NONE leaves an end out. */
static inline tess_range tess_from_to_step(int64_t from, int64_t to, int64_t step)
{
    tess_range range = { from, to, step, TESS_RANGE_SLICE, 0 };
    return range;
}

/** from:to of an axis. */
static inline tess_range tess_from_to(int64_t from, int64_t to) { return tess_from_to_step(from, to, 1); }

/** One index of an axis, which is kept with size 1. Unlike those of a range it must exist. */
static inline tess_range tess_only(int64_t index)
{
    tess_range range = { index, 0, 0, TESS_RANGE_INDEX, 0 };
    return range;
}

/** A range of each axis at once. */
TESS_API TESS_MUST_CHECK tess_status tess_subregion(tess_array *view, const tess_array *a, tess_region region);

/**
 * The same from a text, as between NumPy's brackets: "..., 16:48, ::-1", "0", "3, :, ::2".
 *
 * Up to four parts from the left; "..." stands once for all axes not named; an axis with an index is kept with size 1.
 */
TESS_API TESS_MUST_CHECK tess_status tess_subregion_text(tess_array *view, const tess_array *a, const char *text);

/** The slice at `index` of one axis; the axis is kept with size 1. Negative counts from the end. */
TESS_API TESS_MUST_CHECK tess_status tess_index(tess_array *view, const tess_array *a, int axis, int64_t index);

/** The slice at `index` of one axis; the axis is dropped and those left of it move right: {1,2,3,2} at axis 1 is
 *  {1,1,3,2}. */
TESS_API TESS_MUST_CHECK tess_status tess_view_at(tess_array *view, const tess_array *a, int axis, int64_t index);

/** Turn the order of a set of axes round: tess_reverse(&v, &a, TESS_H | TESS_W). */
TESS_API TESS_MUST_CHECK tess_status tess_reverse(tess_array *view, const tess_array *a, int axes);

/** Move dimensions of size 1 to the left and keep the order of the others: {1,5,1,7} becomes {1,1,5,7}. */
TESS_API TESS_MUST_CHECK tess_status tess_squeeze_left(tess_array *view, const tess_array *a);

/**
 * The same bytes as another element type. Types of one size: any strides. Otherwise one size is a multiple of the
 * other, the width changes by that ratio (c32 to f32: twice) and must be contiguous.
 */
TESS_API TESS_MUST_CHECK tess_status tess_reinterpret(tess_array *view, const tess_array *a, tess_dtype dtype);

/** The real parts of a complex array, any strides; writing there changes the array. */
TESS_API TESS_MUST_CHECK tess_status tess_real_view(tess_array *view, const tess_array *a);

/** The imaginary parts of a complex array. */
TESS_API TESS_MUST_CHECK tess_status tess_imag_view(tess_array *view, const tess_array *a);

/** A walk along an axis: tess_along walk = {0}; while (tess_along_next(&walk, &view, &a, axis)) … */
typedef struct tess_along {
    int64_t  index;    /* of the view just given */
    int64_t  next;     /* 0 to start */
    int32_t  status;   /* a tess_status: why the walk ended */
    uint32_t reserved; /* 0 */
} tess_along;

/** The next view of the walk, as tess_view_at gives it. False at the end, with walk->status TESS_OK, or on an error. */
TESS_API bool tess_along_next(tess_along *walk, tess_array *view, const tess_array *a, int axis);

/* ---- Queries: they cannot fail; NULL and zeroed arrays are empty ------------------------------------------------- */

/** True if elements lie without gaps in the order 'C', or 'F' (H and W swapped). Size-1 dimensions never matter. */
TESS_API bool tess_is_contiguous(const tess_array *a, char order);

/** Per dimension: is its stride the product of the inner sizes? Size-1 dimensions are, broadcast ones are not. */
TESS_API void tess_contiguity(bool contiguous[4], const tess_array *a);

/** True if all elements, in the order b, d, h, w, are equidistant. */
TESS_API bool tess_is_flattenable(const tess_array *a);

/** True if the elements fill one block of memory without gaps or repeats, in any order and direction. */
TESS_API bool tess_is_dense(const tess_array *a);

/** True if some dimension is 0, or the array is zeroed. */
TESS_API bool tess_is_empty(const tess_array *a);

/** How many elements: the product of the sizes. */
TESS_API int64_t tess_n_elements(const tess_array *a);

/** Bytes of that many elements: what a contiguous copy takes. */
TESS_API int64_t tess_n_bytes(const tess_array *a);

TESS_API bool tess_same_shape(const tess_array *a, const tess_array *b);

/**
 * True if some byte belongs to an element of both: interleaved views that share no element do not overlap.
 *
 * Only for strides contrived to be hard is the search given up, and then the answer is true.
 */
TESS_API bool tess_overlap(const tess_array *a, const tess_array *b);

/* ---- Copies ----------------------------------------------------------------------------------------------------- */

/** Copy `in`, any strides, broadcast to `out`. Same dtype and device; see tess_cast and tess_to_device. */
TESS_API TESS_MUST_CHECK tess_status tess_copy(tess_array *out, const tess_array *in);

/** tess_permute and tess_copy in one: a C-contiguous array (or `out`) with the axes in another order. */
TESS_API TESS_MUST_CHECK tess_status tess_permute_copy(tess_array *out, const tess_array *in, int b, int d, int h,
                                                       int w);

/** How values that do not fit the new type are converted. */
enum {
    TESS_CAST_DEFAULT = 0, /* clamp */
    TESS_CAST_CLAMP = 1,   /* to the nearest value there is; NaN to 0; fractions truncated toward 0 */
    TESS_CAST_WRAP = 2,    /* integers modulo 2^bits; NaN and infinities to 0 */
    TESS_CAST_EXACT = 3    /* a value that would change is TESS_ERANGE, and nothing is written; a GPU is waited for */
};

/** Which real a complex number becomes. */
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
 * Convert every element to `dtype`, any strides, broadcast to `out`.
 *
 * Integers clamp, wrap or must fit, as `mode` says. A conversion to a floating type rounds to nearest even, and what
 * is too large becomes infinity. To bool: whether it is not 0. Real to complex: the imaginary part is 0. `dtype` may
 * be TESS_DTYPE_NONE when `out` has one. Compound types only to themselves. In an exact cast a NaN stays a NaN between
 * floating types and is an error toward integers.
 */
TESS_API TESS_MUST_CHECK tess_status tess_cast(tess_array *out, const tess_array *in, tess_dtype dtype,
                                               const tess_cast_opts *opts);

/** Set every element to `value`, converted as tess_cast does; compound elements: each of their reals. */
TESS_API TESS_MUST_CHECK tess_status tess_fill(tess_array *out, double value);

/** Set every element to the one at `element`, which is of the array's dtype: for i64, u64, complex and compounds. */
TESS_API TESS_MUST_CHECK tess_status tess_fill_element(tess_array *out, const void *element);

/** Join `n` arrays along an axis; their other sizes, dtypes and devices are equal. */
TESS_API TESS_MUST_CHECK tess_status tess_concatenate(tess_array *out, const tess_array *parts, int n, int axis);

/* ---- Elements --------------------------------------------------------------------------------------------------- */

/* Checked access to one element, by value. Negative indices count from the end. Reading and writing wait for the
 * calling thread's current stream. The value is converted as in tess_cast (clamping); complex elements need the c64
 * forms. */
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

/** Checked address of one element, on the array's device; NULL, with an error, if an index is out of range. Does not
 *  wait for queued work. */
TESS_API void *tess_address(const tess_array *a, int64_t b, int64_t d, int64_t h, int64_t w);

/**
 * Unchecked access to one element, an lvalue: TESS_AT(float, a, b, d, h, w) += 1.
 *
 * `a` is a tess_array or a span (not a pointer to one). Compiles to plain indexing, checks nothing and does not wait
 * for queued work; in a hot loop use a span, so that the compiler sees that the strides do not change.
 */
#define TESS_AT(type, a, ib, id, ih, iw)                                                                               \
    (((type *)(a).data)[(int64_t)(ib) * (a).strides.b + (int64_t)(id) * (a).strides.d +                                \
                        (int64_t)(ih) * (a).strides.h + (int64_t)(iw) * (a).strides.w])

/* A span: the typed pointer, strides and shape of an array in host memory, for loops. tess_span_f32 has float *data;
 * tess_as_f32(&span, &a) fills it after waiting for the current stream, and rejects an array of another type, a
 * read-only one, or one on a GPU. Work queued later is not waited for. */
#define TESS_SPAN_TYPE_(NAME, name, type, REAL)                                                                        \
    typedef struct tess_span_##name {                                                                                  \
        type        *data;                                                                                             \
        tess_strides strides;                                                                                          \
        tess_shape   shape;                                                                                            \
    } tess_span_##name;
TESS_SCALAR_DTYPES(TESS_SPAN_TYPE_)
#undef TESS_SPAN_TYPE_

/* Behind tess_as_…: checks the array, waits, and returns its data pointer in `*data`. */
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
    int64_t  threshold;   /* more elements than this are summarised [1000] */
    int32_t  edge;        /* elements shown at each end of a summarised axis [3] */
    int32_t  precision;   /* digits after the point, at most [8] */
    int32_t  width;       /* characters a line may have [75] */
    int32_t  no_header;   /* 1: leave out the line with dtype, shape, strides and device [0] */
    int32_t  all_axes;    /* 1: four pairs of brackets [0: leading axes of size 1 get none] */
    int32_t  commas;      /* 1: between elements, as NumPy's repr has them [0: spaces alone] */
    uint32_t reserved[4]; /* must be 0 */
} tess_format_opts;

/**
 * Write an array as text, as NumPy would: `size` bytes at `text`, cut if it does not fit, always ended by a zero byte.
 *
 * `*length` (may be NULL) receives the bytes the whole text needs, without the zero byte; with `size` 0 `text` may be
 * NULL. Vectors are one more pair of brackets and matrices two; a compound element is never cut. Waits for queued work.
 */
TESS_API TESS_MUST_CHECK tess_status tess_format(char *text, size_t size, size_t *length, const tess_array *a,
                                                 const tess_format_opts *opts);

/* ---- Exchange: DLPack ------------------------------------------------------------------------------------------- */

struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* Both kinds of struct; tessera/dlpack.h declares them. The exported tensor holds a reference to the storage until its
 * deleter is called. Importing takes the tensor over: its deleter runs when the last reference goes, or when the
 * import fails it is left to the caller. Up to four dimensions, right-aligned; strides may be NULL in what is imported
 * and never are in what is exported. Import rejects byte offsets that misalign, and types that have no dtype here;
 * bool, complex and read-only flags are kept where the struct has them. Arrays on a GPU keep their device; what
 * tessera/dlpack.h says of streams holds for them. */
TESS_API TESS_MUST_CHECK tess_status tess_dlpack_export(struct DLManagedTensorVersioned **tensor, const tess_array *a);
TESS_API TESS_MUST_CHECK tess_status tess_dlpack_import(tess_array *out, struct DLManagedTensorVersioned *tensor);
TESS_API TESS_MUST_CHECK tess_status tess_dlpack_export_unversioned(struct DLManagedTensor **tensor,
                                                                    const tess_array        *a);
TESS_API TESS_MUST_CHECK tess_status tess_dlpack_import_unversioned(tess_array *out, struct DLManagedTensor *tensor);

TESS_END_C

#endif
