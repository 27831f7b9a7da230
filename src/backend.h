/* What a backend offers: memory, streams, events, and a few kinds of work. An entry that is NULL is not supported.
 *
 * Operations describe their work as one of the structs below and hand it to the backend of the arrays' device. All
 * arguments have been checked before: apart from memory for a queue, only what depends on the data can go wrong.
 */
#ifndef TESS_BACKEND_H
#define TESS_BACKEND_H

#include <stdatomic.h>

#include "core/memory.h"
#include "core/plan.h"
#include "ops/whole.op.h"
#include "tessera/device.h"
#include "tessera/fft.h"

typedef struct tess__backend tess__backend;

/* What every stream has; a backend's own stream begins with it. */
struct tess_stream {
    const tess__backend *backend;
    tess_device          device;
    atomic_int           references; /* its maker's, one for each thread that has it as its current stream, storage's */
    bool                 async;      /* work is queued, not done in the call */
};

/* What every event has. */
struct tess_event {
    const tess__backend *backend;
    tess_device          device;
};

/* Kinds of element-wise work. */
enum {
    TESS__COPY,   /* out = in, elements of any size */
    TESS__FILL,   /* out = param.element */
    TESS__CAST,   /* out = in converted from `from` to `to` */
    TESS__SWAP,   /* bytes of out's elements, of 2, 4 or 8, turned round */
    TESS__OPERATE /* out = param.operate.op of the inputs */
};

/* The element-wise operators. */
enum {
#define EWISE1(name, ...) TESS__OP_##name,
#define EWISE1_CARE EWISE1
#define EWISE2_CARE EWISE1
#define EWISE2 EWISE1
#define EWISE3 EWISE1
#include "ops/ewise.def"
#undef EWISE1
#undef EWISE1_CARE
#undef EWISE2_CARE
#undef EWISE2
#undef EWISE3
    TESS__OP_where, /* of a bool and two elements of any one dtype */
    TESS__OPS
};

enum { TESS__MAX_INPUTS = 3 };

/* An operator at work. Where the stored dtype of an operand is not the one computed in, it is converted. */
typedef struct tess__operate {
    int32_t op;
    int32_t kernel;                       /* the dtype whose kernel it is */
    int32_t stored[1 + TESS__MAX_INPUTS]; /* dtypes of the operands where they are, the output first */
    int32_t wanted[1 + TESS__MAX_INPUTS]; /* those the kernel reads and writes */
    float   cost;                         /* estimated nanoseconds an element, beyond moving it */
    bool    scalar[1 + TESS__MAX_INPUTS]; /* operands whose one element is in `value`, as wanted */
    _Alignas(16) unsigned char value[1 + TESS__MAX_INPUTS][16];
} tess__operate;

/* One element of any dtype. */
typedef struct tess__element {
    _Alignas(16) unsigned char bytes[128];
    int64_t size; /* bytes in use */
} tess__element;

/* Element-wise work. Plain data: it can be copied into a queue. */
typedef struct tess__ewise {
    const char *name; /* of the operation, for messages */
    int32_t     kind;
    int32_t     from, to; /* TESS__CAST: dtypes */
    int32_t     mode;     /* TESS__CAST: a TESS_CAST_ */
    int32_t     part;     /* TESS__CAST: a TESS_PART_; ABS or POWER only, the others are views */
    tess__loop  loop;
    union {
        tess__element element; /* TESS__FILL */
        tess_array    source;  /* TESS__CAST, exact: the input as the caller gave it, to name the place */
        tess__operate operate;
    } param;
} tess__ewise;

/* Bytes moved between two devices: both arrays are one block each, which begins at their first element. Plain data. */
typedef struct tess__transfer {
    const char *name;
    tess_array  out, in; /* on different devices; one of them may be the CPU */
    int64_t     size;    /* bytes, not 0 */
} tess__transfer;

/* Work that writes values made from the index of an element in b, d, h, w order. */
typedef struct tess__iwise {
    const char *name;
    tess_array  out;
    int64_t     n;                   /* elements of out */
    double      start, step, scale;  /* out = scale * (start + index * step) */
    int64_t     int_start, int_step; /* the same in integers, used if `integral` */
    double      last;                /* the last element itself, if `ends` */
    bool        integral, ends;
    bool        floors; /* round down before the conversion */
} tess__iwise;

/* Reductions. */
enum {
    TESS__R_SUM,
    TESS__R_PROD,
    TESS__R_MEAN,
    TESS__R_VAR, /* outputs: mean, variance */
    TESS__R_STD, /* outputs: mean, standard deviation */
    TESS__R_NORM_L2,
    TESS__R_NORM_L1,
    TESS__R_NORM_MAX,
    TESS__R_MINMAX, /* outputs: smallest, largest */
    TESS__R_ARGMIN,
    TESS__R_ARGMAX,
    TESS__R_ANY,
    TESS__R_ALL,
    TESS__R_COUNT,
    TESS__R_LOGSUMEXP,
    TESS__R_DOT,           /* of two inputs */
    TESS__R_WEIGHTED_MEAN, /* inputs: numbers, weights */
    TESS__R_RMSD           /* of two inputs */
};

enum { TESS__MAX_REDUCTIONS = 8 };

/* Several reductions in one pass over one or two inputs. Plain data; only the first n_items and n_inputs are set. */
typedef struct tess__reduce {
    const char *name;
    tess_shape  shape;    /* that the inputs are broadcast to */
    int32_t     axes;     /* the set that is reduced, not 0 */
    int32_t     dtype;    /* two inputs: their common one */
    int32_t     ddof;     /* of variances */
    bool        skip_nan; /* leave NaNs out */
    bool        compensated;
    int32_t     n_inputs, n_items;
    tess_array  in[2];
    struct {
        int32_t    op;     /* a TESS__R_ */
        tess_array out[2]; /* with size 1 in the reduced axes; data NULL: not wanted */
    } item[TESS__MAX_REDUCTIONS];
} tess__reduce;

/* Running operations. */
enum { TESS__SCAN_SUM, TESS__SCAN_PROD, TESS__SCAN_MIN, TESS__SCAN_MAX, TESS__SCANS };

/* A running operation along the lines of an array. Plain data; operand 0 is the output. Strides of a line that goes
 * from the end are turned round. */
typedef struct tess__scan {
    const char   *name;
    int32_t       op;        /* a TESS__SCAN_ */
    int32_t       kernel;    /* the dtype it is computed in */
    int32_t       stored[2]; /* dtypes in memory */
    bool          exclusive; /* each result is that of the element before; the first is `neutral` */
    bool          in_place;  /* both operands are the same */
    int64_t       n;         /* elements of a line, not 0 */
    int64_t       along[2];  /* strides of a line */
    tess__loop    lines;     /* over their first elements; not empty */
    tess__element neutral;   /* as stored in the output */
} tess__scan;

/* Random numbers. Those of the first group are floats. */
enum {
    TESS__RANDOM_UNIFORM,     /* of spec.low, range and most */
    TESS__RANDOM_NORMAL,      /* of spec.mean and std */
    TESS__RANDOM_LOGNORMAL,   /* likewise */
    TESS__RANDOM_EXPONENTIAL, /* of spec.mean */
    TESS__RANDOM_FLOATS,
    TESS__RANDOM_INTEGERS = TESS__RANDOM_FLOATS, /* from spec.first to that plus spec.span */
    TESS__RANDOM_POISSON,                        /* of `in`, broadcast to out */
    TESS__RANDOM_PERMUTATION                     /* of as many numbers as out has elements */
};

/* A sequence and a distribution; floats are as the dtype of the numbers holds them. */
typedef struct tess__random_spec {
    uint64_t seed;
    uint32_t stream;
    double   low, range, most, mean, std;
    int64_t  first;
    uint64_t span;
} tess__random_spec;

/* Plain data. */
typedef struct tess__random {
    const char       *name;
    int32_t           kind;  /* a TESS__RANDOM_ */
    uint64_t          place; /* of the first element, or of the first number to be put in order */
    tess__random_spec spec;
    tess_array        out; /* not empty */
    tess_array        in;
    tess_array        room; /* permutations: 4 n words for n numbers */
} tess__random;
/* Products of matrices: out = alpha a b + beta out. Plain data. */
typedef struct tess__matmul {
    const char *name;
    int32_t     dtype;        /* of all three: i64, u64, f32, f64, c32 or c64 */
    bool        conjugate[2]; /* a, b */
    double      alpha, beta;  /* beta 0: out is not read */
    int64_t     m, n, k;      /* of one product; m and n are not 0 */
    tess_array  out, a, b;    /* {B,D,m,n}, {B,D,m,k}, {B,D,k,n}: turned and broadcast as needed */
} tess__matmul;

/* Least squares. Plain data. */
typedef struct tess__lstsq {
    const char *name;
    int32_t     kernel; /* computed in: f64 or c64 */
    double      cond;
    int64_t     m, n, k;
    tess_shape  batches;      /* {B,D,1,1}, not empty */
    tess_array  x, a, b;      /* B and D of a and b may be 1 */
    tess_array  values, rank; /* data NULL: not wanted */
} tess__lstsq;

/* Polynomials fitted to images. Plain data. */
typedef struct tess__polyfit {
    const char *name;
    int32_t     order;
    bool        subtract;
    tess_array  in;              /* not empty */
    tess_array  out, parameters; /* data NULL: not wanted */
} tess__polyfit;
/* Windows onto an array: element i of a window is element i + origin of the input, and where that lies outside, the
 * border decides. Plain data. Where elements of the border come from the input, no axis of it is empty. */
typedef struct tess__window {
    const char   *name;
    tess_array    out;       /* window k is its batch k, or, if there is one origin, all of it; not empty */
    tess_array    in;        /* with k coordinates below 4: of one batch, or of one for each window */
    tess_array    origins;   /* integers {n,1,1,k}; data NULL: `origin` is the only one */
    int64_t       origin[4]; /* within 2^60 */
    int32_t       border;    /* a tess_border, not DEFAULT */
    tess__element outside;   /* ZERO, VALUE */
} tess__window;

/* Sub-regions put into an array, or added to it, one after the other. Plain data; arrays without data are
 * none. */
typedef struct tess__insert {
    const char   *name;
    tess_array    out, in, origins;
    tess_array    weights;     /* with the shape of `in` */
    tess_array    weight_sums; /* with the shape of `out` */
    bool          add;
    tess__operate sum;         /* out = in + out, or fma(in, weights, out), of real parts */
    tess__operate weights_sum; /* weight_sums = weights + weight_sums */
} tess__insert;

/* Sums or means of blocks; the last block along an axis may be incomplete. Plain data. */
typedef struct tess__bin {
    const char *name;
    tess_array  out, in; /* not empty */
    int64_t     factor[4];
    bool        mean;
} tess__bin;
/* Work with elements by their places along an axis. */
enum {
    TESS__TAKE,   /* out[.., i, ..] = in[.., places[.., i, ..], ..] */
    TESS__PUT,    /* out[.., places[.., i, ..], ..] = in[.., i, ..], in the order of i */
    TESS__PUT_ADD /* the same, added */
};

/* Plain data. `places` are integers, from -n to n-1 where n is the size of the axis that they count along; whether they
 * are is looked at before anything is written. They are broadcast to the shape of `out` (take) or `in` (put), but of
 * put differ along the axis alone; so are `in` (take) and `out` (put), but for the axis. Where they count through a
 * whole array, that is one line, of n elements, and of stride 1 if they become offsets by `whole`. */
typedef struct tess__places {
    const char *name;
    int32_t     kind; /* a TESS__TAKE or TESS__PUT */
    int32_t     axis;
    tess_array  out, in, places;
    tess_shape  given;      /* of places, as messages name them */
    const char *name_whole; /* the array that they count through; NULL: along the axis */
    tess__whole whole;
} tess__places;

/* What places count along, or through. */
static inline const tess_array *tess__places_of(const tess__places *work)
{
    return work->kind == TESS__TAKE ? &work->in : &work->out;
}

/* Work with elements chosen by a mask, in b, d, h, w order. */
enum {
    TESS__MASK_COUNT,    /* fill `counts`, and `*total` if it is not NULL */
    TESS__MASK_COMPRESS, /* chosen elements of `array` to `values`, their places to `places` */
    TESS__MASK_PLACE     /* `values` in turn to the chosen elements of `array`; there must be as many */
};

/* The elements of a block, whose chosen ones are counted first. */
enum { TESS__MASK_BLOCK = 8192 };

/* Plain data. */
typedef struct tess__mask {
    const char *name;
    int32_t     kind;   /* a TESS__MASK_ */
    tess_array  array;  /* whose elements are chosen */
    tess_array  mask;   /* of its shape */
    tess_array  counts; /* i64, contiguous: how many each block has */
    tess_array  values; /* contiguous, of array's dtype; data NULL: not wanted */
    bool        same;   /* TESS__MASK_PLACE: `values` are a block of copies of one number, for all; no counts */
    tess_array  places; /* contiguous, i64; data NULL: not wanted */
    int64_t    *total;
} tess__mask;

/* Search of values in sorted rows. Plain data. */
typedef struct tess__search {
    const char *name;
    int32_t     dtype; /* that both are compared in, and of `sorted` */
    bool        right;
    tess_array  out, values; /* of one shape */
    tess_array  sorted;      /* rows are contiguous; broadcast to the shape of values but for their length */
} tess__search;

/* The different elements of an array, in two steps. */
enum {
    TESS__UNIQUE_SORT, /* `keys` and `order` of all elements, sorted, and how many different ones there are */
    TESS__UNIQUE_WRITE /* the results, of these */
};

/* Plain data. Arrays whose data is NULL are not wanted. All but `in` and `inverse` are contiguous. */
typedef struct tess__unique {
    const char *name;
    int32_t     kind; /* a TESS__UNIQUE_ */
    tess_array  in;
    tess_array  keys;  /* unsigned integers of the size of elements, which have their order */
    tess_array  order; /* i64: their places */
    tess_array  values, counts, places;
    tess_array  inverse; /* of the shape of in */
    int64_t    *n_unique;
} tess__unique;

/* A histogram. Plain data. */
typedef struct tess__histogram {
    const char *name;
    int32_t     axes; /* the set that is reduced, not 0 */
    int64_t     bins;
    double      low, high;
    bool        density;
    tess_array  out; /* the innermost of the reduced axes has the bins */
    tess_array  in;
    tess_array  weights; /* of the shape of in; data NULL: none */
    tess_array  edges;   /* data NULL: bins of equal widths from low to high */
} tess__histogram;
/* Work on lines that need their elements in order. */
enum { TESS__SORT, TESS__ARGSORT, TESS__PARTITION, TESS__TOPK };

/* Lines of an array along an axis, sorted or in part. Plain data. Outputs have the input's lines, of n elements or of
 * k; those with data NULL are not wanted. */
typedef struct tess__sort {
    const char *name;
    int32_t     op; /* a TESS__SORT … */
    int32_t     axis;
    bool        descending;
    int64_t     k; /* TESS__PARTITION: the place; TESS__TOPK: how many */
    tess_array  in;
    tess_array  values; /* real, of any dtype; may be exactly the input unless there are places */
    tess_array  places; /* of integers that hold them */
} tess__sort;

/* Quantiles over a set of axes. Plain data. */
typedef struct tess__quantile {
    const char *name;
    int32_t     axes;     /* the set that is reduced, not 0 */
    int32_t     method;   /* a tess_quantile_method; 0 is the median */
    bool        skip_nan; /* leave NaNs out */
    tess_array  in;
    tess_array  q;   /* {1,1,1,n} f64, contiguous */
    tess_array  out; /* the innermost reduced axis has n elements, the others 1 */
} tess__quantile;

/* A Fourier transform along a set of axes; r2c and c2r are along W last or first, where the complex array has w/2+1
 * elements of the real one's w. Real and complex dtypes go together, f32 with c32 or f64 with c64; of C2C the input may
 * be real. */
typedef struct tess__fft {
    const char *name;
    int32_t     kind;      /* a tess_fft_kind, or TESS__FFT_R2R */
    int32_t     r2r;       /* R2R: a tess_fft_r2r_kind, as it is computed: an inverse is another kind with a scale */
    int32_t     sign;      /* -1 or 1 */
    uint32_t    axes;      /* TESS_B to TESS_W or-ed together, those of size 1 among them or not */
    int32_t     overwrite; /* c2r: the input may be destroyed */
    int32_t     ortho;     /* R2R: terms are scaled so that the transform keeps lengths, beside `scale` */
    double      scale;     /* of the result */
    tess_array  out, in;   /* apart, or in place: the same view, or r2c and c2r on rows with room for both */
} tess__fft;

enum { TESS__FFT_R2R = 16 };

struct tess__operator;

/* An operator of a user's at work. Plain data; only the first n_params are set, as many as the operator has. */
typedef struct tess__op_call {
    const char                  *name;
    const struct tess__operator *op;
    tess_buffer                 *keep; /* the operator's own: held until the work is done */
    int32_t                      n_params;
    uint32_t                     numbers; /* inputs, as bits, whose one element is in `value` */
    uint32_t                     same;    /* inputs that are exactly an output */
    int64_t                      row;     /* element-wise: all arrays lie as one row of so many elements; 0: not */
    tess_shape                   domain;
    uint32_t                     axes; /* of a reduction, as bits from 1 for b to 8 for w: those that are reduced */
    struct {
        _Alignas(16) unsigned char value[16]; /* val */
        tess_array array;                     /* in, out, inout, view, scatter. Outputs in host memory too */
    } param[24];
} tess__op_call;

struct tess__backend {
    const char *name; /* as in a device's text: "cpu" */

    int (*count)(void);
    tess_status (*why_none)(const char *fn, tess_device device); /* why count is 0, failing; NULL: it never is */
    tess_status (*info)(tess_device_facts *facts, tess_device device);

    /* Storage with one reference. `fn` begins the message if there is no memory. */
    tess_status (*buffer_new)(tess_buffer **out, const char *fn, tess_device device, int64_t size, bool zeroed);
    /* Storage on the host that this kind of device reaches without a detour. */
    tess_status (*buffer_pinned)(tess_buffer **out, const char *fn, int64_t size);
    /* Can memory of somebody else's be used on the device? NULL: any can. */
    tess_status (*check_memory)(const char *fn, const void *data, tess_device device);
    /* Is memory that is said to be the CPU's not of such a device? NULL: there is none apart. */
    tess_status (*check_host)(const char *fn, const void *data);
    int64_t (*memory_used)(tess_device device);
    tess_status (*memory_limit)(tess_device device, int64_t bytes); /* of arrays' storage; 0: none */
    tess_status (*memory_trim)(tess_device device);                 /* what is kept for later use goes back */
    /* Wait for the work of other libraries too, which have used storage of ours. NULL: they have none that is queued */
    void (*finish_others)(tess_device device);

    /* Where compiled kernels are kept, or why they are not. NULL: nothing is compiled. */
    tess_status (*kernel_cache)(const char *fn, char *path, size_t size);

    tess_stream *(*stream_default)(tess_device device);
    tess_status (*stream_new)(tess_stream **out, tess_device device, const tess_stream_opts *opts);
    tess_status (*stream_adopt)(tess_stream **out, tess_device device, void *handle); /* a stream of the caller's */
    void *(*stream_handle)(const tess_stream *stream);
    void (*stream_free)(tess_stream *stream); /* when no reference is left: finish, then free */
    /* Its maker gives it up, and others may not have: finish the work that is on it. NULL: stream_free does. */
    void (*stream_finish)(tess_stream *stream);
    tess_status (*stream_sync)(tess_stream *stream);
    bool (*stream_busy)(tess_stream *stream);
    bool (*stream_own)(tess_stream *stream); /* the calling thread is the stream's own, which cannot wait for it */

    tess_status (*event_new)(tess_event **out, tess_device device);
    void (*event_free)(tess_event *event);
    tess_status (*event_record)(tess_event *event, tess_stream *stream);
    tess_status (*event_sync)(tess_event *event);
    tess_status (*event_wait)(tess_event *event, tess_stream *stream);
    bool (*event_busy)(const tess_event *event);
    tess_status (*event_elapsed)(double *ms, const tess_event *start, const tess_event *end);

    /* To or from the host it is done when the call returns, but storage of buffer_pinned is written and read when the
     * current stream of the GPU comes to it. The host's own queued work on the arrays is done before. */
    tess_status (*transfer)(const tess__transfer *work);

    /* n pieces of work, in this order. Queued all or, if there is no memory, not at all. */
    tess_status (*ewise)(tess_stream *stream, const tess__ewise *work, int n);
    tess_status (*iwise)(tess_stream *stream, const tess__iwise *work);
    tess_status (*reduce)(tess_stream *stream, const tess__reduce *work);
    tess_status (*scan)(tess_stream *stream, const tess__scan *work);
    tess_status (*random)(tess_stream *stream, const tess__random *work);
    tess_status (*matmul)(tess_stream *stream, const tess__matmul *work);
    tess_status (*lstsq)(tess_stream *stream, const tess__lstsq *work);
    tess_status (*polyfit)(tess_stream *stream, const tess__polyfit *work);
    tess_status (*window)(tess_stream *stream, const tess__window *work);
    tess_status (*insert)(tess_stream *stream, const tess__insert *work);
    tess_status (*bin)(tess_stream *stream, const tess__bin *work);
    tess_status (*places)(tess_stream *stream, const tess__places *work);
    tess_status (*mask)(tess_stream *stream, const tess__mask *work);
    tess_status (*search)(tess_stream *stream, const tess__search *work);
    tess_status (*unique)(tess_stream *stream, const tess__unique *work);
    tess_status (*histogram)(tess_stream *stream, const tess__histogram *work);
    tess_status (*sort)(tess_stream *stream, const tess__sort *work);
    tess_status (*quantile)(tess_stream *stream, const tess__quantile *work);
    tess_status (*op_call)(tess_stream *stream, const tess__op_call *work);
    /* Make what the first call of an operator would have to; NULL: there is nothing to make. */
    tess_status (*op_prepare)(tess_device device, const struct tess__operator *op);
    tess_status (*fft)(tess_stream *stream, const tess__fft *work);

    /* Make what transforms like `work`, whose arrays have shapes, dtypes and strides but need no data, will use, say
     * what that is, and hold it until it is released; `facts` may be NULL. */
    tess_status (*fft_prepare)(void **held, const tess__fft *work, tess_fft_plan_facts *facts);
    void (*fft_release)(void *held);
};

/* The backend of a kind of device, or NULL if this build has none. */
const tess__backend *tess__backend_of(int32_t kind);

/* The same for a device that must be there; otherwise a status with a message that begins with `fn`. */
tess_status tess__backend_need(const tess__backend **backend, const char *fn, tess_device device);

/* The current stream of a device that must be there. */
tess_status tess__stream_need(tess_stream **stream, const char *fn, tess_device device);

#endif
