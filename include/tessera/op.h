/* Operators of your own: written once, run on any arrays.
 *
 *     tess_op *fuse;
 *     TESS_TRY(tess_op_text(&fuse, "op fuse(in f32 x, in f32 y, val f32 a, out f32 z) { z = a*x + cos(y); }"));
 *     TESS_TRY(tess_call(fuse, &x, &y, 2.0f, &z));
 *     tess_op_release(fuse);
 *
 * or, compiled with the program (tessera/op_define.h, included below):
 *
 *     TESS_EWISE(my_hypot, (in(f32,x), in(f32,y), out(f32,z)), z = tessm_sqrt(x*x + y*y); )
 *     TESS_TRY(tess_call(&my_hypot, &x, &y, &z));
 *
 * docs/operators.md is the guide: the language, what is exact, what an operator may do. What an operator uses decides
 * how it runs. With in, out, inout and val alone it is element-wise; with the indices b d h w, views or scatters it is
 * index-wise; with acc it is a reduction, over the axes where its outputs have size 1.
 */
#ifndef TESSERA_OP_H
#define TESSERA_OP_H

#include "tessera/array.h"
#include "tessera/border.h"
#include "tessera/device.h"
#include "tessera/op_builtin.h"

TESS_BEGIN_C

/** An operator: immutable, with a count of its owners, for any number of threads at once. Those of
 *  tessera/op_builtin.h are there already. */
typedef struct tess_op tess_op;

/* ---- What a loop sees ---- */

/** Lanes of an accumulator in a tile: few, which fit into registers, where a row is reduced to one result and all
 *  accumulators have a monoid; otherwise TESS_LANES. */
enum { TESS_ROW_LANES = 16, TESS_LANES = 256 };

/**
 * A tile of the domain, for one call of a loop. Parameters are numbered as in the signature, from 0.
 *
 * The element of parameter k at position i of the domain is ptr[k] + sum of i[d] * stride[k][d], in elements; the tile
 * is the positions origin to origin + extent - 1. In element-wise work and in reductions without an index the library
 * may have reversed, sorted and joined the axes; then positions mean nothing else. A loop cannot fail.
 *
 * In a reduction the loop combines each element into lane (i[3] - origin[3]) % lanes of its accumulators: each row
 * starts at lane 0. The library sets all lanes before, and joins lanes and tiles after.
 */
typedef struct tess_tile {
    void *const *ptr;           /* in, out, inout, view, scatter: its first element; others: NULL */
    const int64_t (*stride)[4]; /* in elements; 0 and negative are legal */
    const int64_t (*shape)[4];  /* of views and scatters */
    int64_t      origin[4], extent[4];
    int64_t      size[4]; /* of the whole domain */
    const void  *val;     /* values: parameter k is at byte 16 k, as its type; of a struct there is its address */
    void *const *acc;     /* acc: lanes of its accumulator (see tess_lane_dtype); others: NULL */
    void *const *other;   /* join: the lanes to be joined into `acc` */
    void        *ctx;     /* of tess_op_loop_opts */
    tess_fault  *fault;
    int64_t      count;  /* post: elements that were reduced to one result */
    uint32_t     contig; /* bit k: the innermost stride of parameter k is 1 */
    int32_t      lanes;  /* reductions: TESS_ROW_LANES or TESS_LANES */
} tess_tile;

typedef void (*tess_tile_fn)(const tess_tile *tile);

/** The dtype of an accumulator's lanes: sums and products of f16 and f32 are kept in f64, of c16 and c32 in c64; all
 *  others in their own type. In `post`, and for results, accumulators are of their own type. */
TESS_API tess_dtype tess_lane_dtype(tess_dtype acc, int is_sum_or_product);

/* ---- Making operators ---- */

typedef struct tess_op_parse_opts {
    const char *name;          /* the text's name in messages [that of the operator] */
    int64_t     max_text;      /* bytes, at most 16777216 [65536] */
    int64_t     max_nodes;     /* of the syntax tree, at most 65536 [4096] */
    int64_t     max_nesting;   /* of blocks and parentheses, at most 256 [64] */
    int64_t     max_trips;     /* product of the trips of nested loops [65536] */
    int64_t     max_registers; /* values alive at once [256] */
    int32_t     reserved[4];
} tess_op_parse_opts;

/** An operator from text: parsed and checked now. Text that is not right is TESS_EPARSE; the message says where and
 *  what would be right, tess_error_trace shows the line with a caret, tess_error_position has the numbers. No file,
 *  process or device is touched: the text may come from anywhere. */
TESS_API TESS_MUST_CHECK tess_status tess_op_text(tess_op **out, const char *text);

/** The same for n bytes of text, with other limits. */
TESS_API TESS_MUST_CHECK tess_status tess_op_parse(tess_op **out, const char *text, size_t n,
                                                   const tess_op_parse_opts *opts);

typedef struct tess_op_loop_opts {
    void *ctx;                /* for the loop [NULL] */
    void (*drop)(void *ctx);  /* called when the operator is no more [none] */
    tess_tile_fn join;        /* reductions with accumulators that have no monoid: joins extent[3] lanes */
    tess_tile_fn post;        /* makes extent[3] results from as many lanes, which are of the accumulators' own types
                                 [accumulators are copied to the outputs in order] */
    double       cost;        /* nanoseconds per element [1]; TESS_ZERO: 0 */
    const char  *cuda_source; /* the same for GPUs, as CUDA C++ for one element: below [none: not on a GPU] */
    const char  *cuda_entry;  /* the name of the function in it */
    int32_t      reserved[4];
} tess_op_loop_opts;

/**
 * An operator whose loop is a function of yours: "op name(in f32 x, val f32 a, out f32 z)". Native code, native trust:
 * an index-wise one says so by a view or scatter, or by the word "index" before "op". Structs come first:
 * "struct lens { f64 cs; f32 m[6]; } op name(val lens p, ..)".
 *
 * On a GPU the function `cuda_entry` of `cuda_source` is called for each element, with the parameters in order:
 *
 *     "__device__ void scale(float x, float a, float &z) { z = a*x; }"
 *
 * in and val by value, out, inout and acc by reference; f16 and c16 are float and tess_c32, bool is uint8_t. Structs
 * are defined before the source, with the members of the signature. A view is a `const tess_view_f32 *` for tess_at and
 * tessm_interp_linear (tessera/op_view.h), a scatter has s.add(b, d, h, w, value). An index-wise operator is first
 * given int64_t b, d, h, w. In a reduction sums and products start from their neutral element for each element, all
 * others from what they are. Where opts->join is given, `cuda_entry` with _join behind its name is called with each
 * val, and each acc without a monoid by reference and then the one to be joined into it; where opts->post is given,
 * that with _post is called with int64_t count, then val and acc by value and out by reference. It is compiled with the
 * library's own headers alone, at the first call.
 */
TESS_API TESS_MUST_CHECK tess_status tess_op_loop(tess_op **out, const char *signature, tess_tile_fn loop,
                                                  const tess_op_loop_opts *opts);

/** Make ready what the first call on `device` would have to, for arrays of these dtypes in place of T, U and V. */
TESS_API TESS_MUST_CHECK tess_status tess_op_prepare(const tess_op *op, tess_device device, const tess_dtype *letters,
                                                     int n_letters);

/** The canonical text of an operator. It lives as long as the operator. */
TESS_API const char *tess_op_source(const tess_op *op);

/** One owner more, one less; the last one frees it. Work that is under way keeps what it needs. NULL is allowed. */
TESS_API void tess_op_retain(tess_op *op);
TESS_API void tess_op_release(tess_op *op);

/* ---- Operators compiled with the program ---- */

enum { TESS_MODE_EWISE = 1, TESS_MODE_IWISE, TESS_MODE_REDUCE };

/** What TESS_EWISE and the others define: a static object that is checked at the first call of it. */
typedef struct tess_op_def {
    const char        *name, *params, *body; /* as written */
    const char        *file;
    const char *const *uses;             /* the texts of its structs and functions, ended by NULL; NULL: none */
    tess_tile_fn       tile, join, post; /* NULL: none */
    int32_t            line, mode;
    void              *op; /* the library's; NULL before the first call */
    uint32_t           reserved[2];
} tess_op_def;

/** The operator of a definition. It is the library's: not to be released. */
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

/** A struct of parameters, as TESS_STRUCT defines it. */
typedef struct tess_struct_def {
    const char *name; /* as in the text of operators; NULL: any */
    int64_t     size; /* bytes */
} tess_struct_def;

/** A struct as an argument: it is copied in the call. */
typedef struct tess_struct_value {
    const void            *at;
    const tess_struct_def *def;
} tess_struct_value;

/** An argument. */
typedef struct tess_bind {
    int32_t    kind;  /* a TESS_BIND_ */
    tess_dtype dtype; /* TESS_BIND_HOST: of what `host` points at */
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
    tess_stream *stream;  /* [the current one of the arrays' device] */
    tess_shape   domain;  /* [all 0: from the arrays] */
    int32_t      threads; /* maximum number of threads [as set] */
    int32_t      reserved[5];
} tess_run_opts;

/**
 * Run an operator. Arguments come in the order of the signature; acc parameters are not arguments.
 *
 * in             an array, also one that is const, or a number of tessera/scalar.h; it is broadcast to the domain
 * view           an array, also one that is const
 * out, inout,    an array; a zeroed `out` is made, with the common shape of the inputs or the domain, in a reduction
 * scatter        {1,1,1,1}. Outputs of a reduction may be pointers to host memory: then the call waits for the result
 * val            a number; it must fit the type. Those with a default may be left out, the last ones first. Or, where
 *                it is a struct, tess_struct(type, address)
 *
 * Operators of tessera/op_builtin.h take numbers for inputs as well, and arrays of any dtypes that meet.
 *
 * An output may be exactly an input in element-wise work; any other overlap is TESS_EALIAS. All errors of arguments
 * come from this call, on asynchronous streams as well.
 */
TESS_API TESS_MUST_CHECK tess_status tess_run(const tess_op *op, const tess_bind *binds, int n,
                                              const tess_run_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_run_def(tess_op_def *def, const tess_bind *binds, int n,
                                                  const tess_run_opts *opts);

TESS_END_C

#include "tessera/op_define.h"

#endif
