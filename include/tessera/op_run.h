/* Operators at run time: creating, preparing, describing and running them. tessera/op.h is the introduction. */
#ifndef TESSERA_OP_RUN_H
#define TESSERA_OP_RUN_H

#include "tessera/array.h"
#include "tessera/border.h"
#include "tessera/device.h"
#include "tessera/op_builtin.h"

TESS_BEGIN_C

/** An operator: immutable and reference-counted; any number of threads may use it at the same time.
 *  tessera/op_builtin.h has built-in ones. */
typedef struct tess_op tess_op;

/* ---- Loops ---- */

/** Number of lanes of an accumulator in a tile: TESS_ROW_LANES, which fit into registers, if a row is reduced to one
 *  result and all accumulators have a monoid; otherwise TESS_LANES. */
enum { TESS_ROW_LANES = 16, TESS_LANES = 256 };

/**
 * A tile of the domain, processed by one call of a loop. Parameters are numbered as in the signature, from 0.
 *
 * The element of parameter k at position i of the domain is at ptr[k] + sum of i[d] * stride[k][d], in elements. The
 * tile contains the positions origin to origin + extent - 1. In element-wise operators, and in reductions without an
 * index, the library may have reversed, sorted and joined axes, so that positions have no other meaning. A loop cannot
 * fail.
 *
 * In a reduction the loop combines each element into lane (i[3] - origin[3]) % lanes of its accumulators: each row
 * starts at lane 0. The library initialises all lanes before, and joins lanes and tiles afterwards.
 */
typedef struct tess_tile {
    void *const *ptr;           /* in, out, inout, view, scatter: the first element; others: NULL */
    const int64_t (*stride)[4]; /* in elements; 0 and negative are legal */
    const int64_t (*shape)[4];  /* shapes of views and scatters */
    int64_t      origin[4], extent[4];
    int64_t      size[4]; /* size of the whole domain */
    const void  *val;     /* values: parameter k is at byte 16 k, in its type; for a struct, its address */
    void *const *acc;     /* acc: the lanes of the accumulator (see tess_lane_dtype); others: NULL */
    void *const *other;   /* join: lanes to join into `acc` */
    void        *ctx;     /* from tess_op_loop_opts */
    tess_fault  *fault;
    int64_t      count;  /* post: number of elements reduced to one result */
    uint32_t     contig; /* bit k is set if the innermost stride of parameter k is 1 */
    int32_t      lanes;  /* reductions: TESS_ROW_LANES or TESS_LANES */
} tess_tile;

typedef void (*tess_tile_fn)(const tess_tile *tile);

/** Returns the dtype of an accumulator's lanes: f64 for sums and products of f16 and f32, c64 for those of c16 and c32,
 *  and otherwise the accumulator's own type. In `post`, and for results, accumulators have their own type. */
TESS_API tess_dtype tess_lane_dtype(tess_dtype acc, int is_sum_or_product);

/* ---- Creating operators ---- */

typedef struct tess_op_parse_opts {
    const char *name;          /* name of the text in messages [that of the operator] */
    int64_t     max_text;      /* maximum size of the text, bytes, up to 16777216 [65536] */
    int64_t     max_nodes;     /* maximum number of nodes of the syntax tree, up to 65536 [4096] */
    int64_t     max_nesting;   /* maximum nesting of blocks and parentheses, up to 256 [64] */
    int64_t     max_trips;     /* maximum product of the trip counts of nested loops [65536] */
    int64_t     max_registers; /* maximum number of values alive at the same time [256] */
    int32_t     reserved[4];
} tess_op_parse_opts;

/** Creates an operator from text, which is parsed and checked in the call. Invalid text is TESS_EPARSE: the message
 *  states the position and what is expected, tess_error_trace shows the line with a caret, and tess_error_position
 *  returns the position. No file, process or device is accessed, so untrusted text is safe. */
TESS_API TESS_MUST_CHECK tess_status tess_op_text(tess_op **out, const char *text);

/** Creates an operator from n bytes of text, with other limits. */
TESS_API TESS_MUST_CHECK tess_status tess_op_parse(tess_op **out, const char *text, size_t n,
                                                   const tess_op_parse_opts *opts);

typedef struct tess_op_loop_opts {
    void *ctx;                /* pointer passed to the loop [NULL] */
    void (*drop)(void *ctx);  /* called when the operator is freed [none] */
    tess_tile_fn join;        /* joins extent[3] lanes; for reductions with accumulators without a monoid */
    tess_tile_fn post;        /* computes extent[3] results from the same number of lanes, in the accumulators' own
                                 types [accumulators are copied to the outputs in order] */
    double       cost;        /* cost estimate, nanoseconds per element [1]; TESS_ZERO: 0 */
    const char  *cuda_source; /* CUDA C++ for one element, for GPUs, see below [none: not on a GPU] */
    const char  *cuda_entry;  /* name of the function in it */
    int32_t      reserved[4];
} tess_op_loop_opts;

/**
 * Creates an operator from a loop function: "op name(in f32 x, val f32 a, out f32 z)". The loop is native code and is
 * not checked. An index-wise operator must have a view or scatter, or the word "index" before "op". Structs come first:
 * "struct lens { f64 cs; f32 m[6]; } op name(val lens p, ..)".
 *
 * On a GPU the function `cuda_entry` of `cuda_source` is called for each element, with the parameters in order:
 *
 *     "__device__ void scale(float x, float a, float &z) { z = a*x; }"
 *
 * in and val are passed by value; out, inout and acc by reference. f16 and c16 are float and tess_c32, bool is uint8_t.
 * Structs are defined before the source, with the members of the signature. A view is a `const tess_view_f32 *` for
 * tess_at and tessm_interp_linear (tessera/op_view.h); a scatter has s.add(b, d, h, w, value). An index-wise operator
 * first receives int64_t b, d, h, w. In a reduction, sums and products start from their neutral element for each
 * element, all others from their current value.
 *
 * If opts->join is given, the function named `cuda_entry` with the suffix _join is called with each val, and for each
 * acc without a monoid with a reference to it and the one to join into it. If opts->post is given, that with the suffix
 * _post is called with int64_t count, then val and acc by value and out by reference. The source is compiled with only
 * the library's own headers, at the first call.
 */
TESS_API TESS_MUST_CHECK tess_status tess_op_loop(tess_op **out, const char *signature, tess_tile_fn loop,
                                                  const tess_op_loop_opts *opts);

/** Prepares an operator for `device`, with these dtypes for T, U and V, so that the first call does not have to compile
 *  it. */
TESS_API TESS_MUST_CHECK tess_status tess_op_prepare(const tess_op *op, tess_device device, const tess_dtype *letters,
                                                     int n_letters);

/** Returns the canonical text of an operator, which is valid as long as the operator. */
TESS_API const char *tess_op_source(const tess_op *op);

/** Add or release a reference; the last release frees the operator. Running work keeps what it needs. NULL is
 *  allowed. */
TESS_API void tess_op_retain(tess_op *op);
TESS_API void tess_op_release(tess_op *op);

/* ---- Operators compiled with the program ---- */

enum { TESS_MODE_EWISE = 1, TESS_MODE_IWISE, TESS_MODE_REDUCE };

/** An operator definition: a static object defined by TESS_EWISE and the other macros, and checked at its first
 *  call. */
typedef struct tess_op_def {
    const char        *name, *params, *body; /* as written */
    const char        *file;
    const char *const *uses;             /* texts of its structs and functions, ended by NULL; NULL: none */
    tess_tile_fn       tile, join, post; /* NULL: none */
    int32_t            line, mode;
    void              *op; /* owned by the library; NULL before the first call */
    uint32_t           reserved[2];
} tess_op_def;

/** Returns the operator of a definition. It belongs to the library and must not be released. */
TESS_API TESS_MUST_CHECK tess_status tess_op_of(const tess_op **op, tess_op_def *def);

/* ---- Running ---- */

enum {
    TESS_BIND_ARRAY = 1,
    TESS_BIND_INPUT,
    TESS_BIND_I64,
    TESS_BIND_U64,
    TESS_BIND_F64,
    TESS_BIND_C64,
    TESS_BIND_HOST,
    TESS_BIND_STRUCT
};

/** A struct of parameters, as defined by TESS_STRUCT. */
typedef struct tess_struct_def {
    const char *name; /* name in the text of operators; NULL: any */
    int64_t     size; /* bytes */
} tess_struct_def;

/** A struct as an argument, copied during the call. */
typedef struct tess_struct_value {
    const void            *at;
    const tess_struct_def *def;
} tess_struct_value;

/** An argument of tess_run. */
typedef struct tess_bind {
    int32_t    kind;  /* a TESS_BIND_ */
    tess_dtype dtype; /* TESS_BIND_HOST: dtype of the value at `host` */
    union {
        tess_array       *array;
        const tess_array *input;
        int64_t           i;
        uint64_t          u;
        double            f;
        tess_c64          c;
        void             *host;
        tess_struct_value structure;
    } as;
} tess_bind;

typedef struct tess_run_opts {
    tess_stream *stream;  /* stream to run on [the current one of the arrays' device] */
    tess_shape   domain;  /* shape of the domain [all 0: from the arrays] */
    int32_t      threads; /* maximum number of threads [that of tess_threads_set] */
    int32_t      reserved[5];
} tess_run_opts;

/**
 * Runs an operator. Arguments are in the order of the signature; acc parameters are not arguments.
 *
 * in             an array, also a const one, or a number of tessera/scalar.h; it is broadcast to the domain
 * view           an array, also a const one
 * out, inout,    an array; a zeroed `out` is allocated with the common shape of the inputs or the domain, in a
 * scatter        reduction {1,1,1,1}. Outputs of a reduction may be pointers to host memory: then the call
 *                synchronises with the device
 * val            a number that fits the type, or, for a struct, tess_struct(type, address). Values with a default may
 *                be omitted, the last ones first
 *
 * Operators of tessera/op_builtin.h also accept numbers as inputs, and arrays of any dtypes with a common dtype.
 *
 * In element-wise operators an output may be exactly an input; any other overlap is TESS_EALIAS. All errors of
 * arguments are reported by this call, also on asynchronous streams.
 */
TESS_API TESS_MUST_CHECK tess_status tess_run(const tess_op *op, const tess_bind *binds, int n,
                                              const tess_run_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_run_def(tess_op_def *def, const tess_bind *binds, int n,
                                                  const tess_run_opts *opts);

TESS_END_C

#endif
