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
#include "tessera/device.h"

typedef struct tess__backend tess__backend;

/* What every stream has; a backend's own stream begins with it. */
struct tess_stream {
    const tess__backend *backend;
    tess_device          device;
    atomic_int           references; /* its maker's, and one for each thread that has it as its current stream */
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
    int32_t stored[1 + TESS__MAX_INPUTS]; /* dtypes of the operands in memory, the output first */
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

struct tess__backend {
    const char *name; /* as in a device's text: "cpu" */

    int (*count)(void);
    tess_status (*info)(tess_device_facts *facts, tess_device device);

    /* Storage with one reference. `fn` begins the message if there is no memory. */
    tess_status (*buffer_new)(tess_buffer **out, const char *fn, tess_device device, int64_t size, bool zeroed);

    tess_stream *(*stream_default)(tess_device device);
    tess_status (*stream_new)(tess_stream **out, tess_device device, const tess_stream_opts *opts);
    void (*stream_free)(tess_stream *stream); /* when no reference is left: finish, then free */
    tess_status (*stream_sync)(tess_stream *stream);
    bool (*stream_busy)(tess_stream *stream);

    tess_status (*event_new)(tess_event **out, tess_device device);
    void (*event_free)(tess_event *event);
    tess_status (*event_record)(tess_event *event, tess_stream *stream);
    tess_status (*event_sync)(tess_event *event);
    tess_status (*event_wait)(tess_event *event, tess_stream *stream);
    bool (*event_busy)(const tess_event *event);
    tess_status (*event_elapsed)(double *ms, const tess_event *start, const tess_event *end);

    /* n pieces of work, in this order. Queued all or, if there is no memory, not at all. */
    tess_status (*ewise)(tess_stream *stream, const tess__ewise *work, int n);
    tess_status (*iwise)(tess_stream *stream, const tess__iwise *work);
    tess_status (*reduce)(tess_stream *stream, const tess__reduce *work);
    tess_status (*scan)(tess_stream *stream, const tess__scan *work);
    tess_status (*sort)(tess_stream *stream, const tess__sort *work);
    tess_status (*quantile)(tess_stream *stream, const tess__quantile *work);
};

/* The backend of a kind of device, or NULL if this build has none. */
const tess__backend *tess__backend_of(int32_t kind);

/* The same for a device that must be there; otherwise a status with a message that begins with `fn`. */
tess_status tess__backend_need(const tess__backend **backend, const char *fn, tess_device device);

#endif
