/* Abstract syntax tree of an operator: built by the parser, typed by the checker, read by the bytecode compiler and the
 * code printers. */
#ifndef TESS_LANG_FRONT_TREE_H
#define TESS_LANG_FRONT_TREE_H

#include "tessera/border.h"
#include "tessera/dtype.h"
#include "tessera/interp.h"

/* A span of the text. */
typedef struct tess__bytes {
    int32_t at, length;
} tess__bytes;

/* Types are dtypes, or letters until arrays bind them, or structs, of values and of parameters of functions: the first
 * one of a text is TESS__STRUCT_TYPE, the next one more. */
enum { TESS__LETTER_T = -1, TESS__LETTER_U = -2, TESS__LETTER_V = -3, TESS__LETTERS = 3, TESS__STRUCT_TYPE = 64 };

/* The maximum number of structs in a text, and of their bytes in a call. */
enum { TESS__MAX_STRUCTS = 8, TESS__STRUCT_ROOM = 1024 };

static inline bool tess__is_struct(int32_t type) { return type >= TESS__STRUCT_TYPE; }

/* A struct of parameters, laid out as C does it. Members are among the variables of the untyped tree; an array is one
 * for each of its elements, of the same name. */
typedef struct tess__struct {
    tess__bytes name;
    int32_t     first, count; /* its members */
    int32_t     size, alignment;
} tess__struct;

enum {
    TESS__PARAM_IN,
    TESS__PARAM_OUT,
    TESS__PARAM_INOUT,
    TESS__PARAM_VAL,
    TESS__PARAM_VIEW,
    TESS__PARAM_SCATTER,
    TESS__PARAM_ACC
};

enum {
    TESS__MONOID_NONE,
    TESS__MONOID_SUM,
    TESS__MONOID_PROD,
    TESS__MONOID_MIN,
    TESS__MONOID_MAX,
    TESS__MONOID_ANY,
    TESS__MONOID_ALL
};

/* A constant of any type: integers of signed types in i, of unsigned types and bool in u, reals in f[0], complex ones
 * in f[0] and f[1]. */
typedef union tess__constant {
    int64_t  i;
    uint64_t u;
    double   f[2];
} tess__constant;

typedef struct tess__param {
    tess__bytes    name;
    int32_t        role;   /* a TESS__PARAM_ */
    int32_t        type;   /* a dtype, a struct, or a TESS__LETTER_ (in an untyped tree) */
    int32_t        at;     /* a struct: its first byte among those of the call */
    int32_t        border; /* views: a tess_border, or a TESS__BORDER_ */
    int32_t        monoid; /* acc: a TESS__MONOID_ */
    int32_t        fill;   /* views with the border VALUE: what lies outside is val number fill - 1; 0: `value` */
    int32_t        given;  /* val, acc, such views: has `value`; in an untyped tree the node of its expression, or 0 */
    tess__constant value;  /* as its type */
} tess__param;

/* A name that holds a value: locals, loop counters, parameters of functions, and the parameters of the operator other
 * than views and scatters. In a join block, s_other of an accumulator s is one as well. A struct is one for each
 * member, one after the other. */
typedef struct tess__variable {
    tess__bytes name;
    int32_t     type;
    int32_t     param;    /* of the operator, or -1 */
    int32_t     offset;   /* a member: its byte in the struct */
    int32_t     is_first; /* the first member of a struct: the type of that; 0: it is none */
    bool        other;    /* s_other: of `param` */
    bool        constant; /* loop counters, in, val: not assigned */
} tess__variable;

typedef struct tess__function {
    tess__bytes name;
    int32_t     type;         /* of the result */
    int32_t     first, count; /* its parameters among the variables */
    int32_t     body;         /* a list of statements, the last of them TESS__RETURN */
} tess__function;

/* Nodes. Children are a list: `first`, then each one's `next`; 0 ends it (node 0 is not used). In a typed tree all
 * conversions are explicit (TESS__CONVERT), so that operands have exactly the types stated here. */
enum {
    TESS__NONE,
    /* ---- expressions ---- */
    TESS__NUMBER,   /* value */
    TESS__NAME,     /* op: a variable */
    TESS__INDEX,    /* op: axis 0 to 3; i64 */
    TESS__SHAPE,    /* op: a view or scatter; value.i: axis; i64 */
    TESS__SIZE,     /* value.i: axis of the domain; i64 */
    TESS__COUNT,    /* post: elements reduced; i64 */
    TESS__OPERATOR, /* op: a TESS__OP_ of ops/ewise/ewise.def; children of `computed`, 1 to 3 */
    TESS__CONVERT,  /* one child. Integers to integers wrap, reals to integers are clamped (NaN: 0), to bool: != 0 */
    TESS__SELECT,   /* bool, and two of `type` */
    TESS__AT,       /* op: a view; four indices of i64 */
    TESS__INTERP,   /* op: a view; value.i: a tess_interp, with TESS__INTERP_VOLUME and TESS__INTERP_ALONG perhaps; b
                       and d of i64 and y, x of f32 or f64 (`computed`), or b of i64 and z, y, x of it. Reals and
                       complex ones of f32 or f64 */
    TESS__RANDOM,   /* seed and counter of u64: f32 in [0, 1), as tessera/math/random.op.h makes it */
    TESS__USER,     /* op: a function; its arguments */
    /* ---- statements ---- */
    TESS__ASSIGN,     /* op: a variable, of the type of the child; the declaration of a local is one as well */
    TESS__ACCUMULATE, /* op: a parameter with a monoid; child: what is combined in, of its type */
    TESS__SCATTER,    /* op: a parameter; four indices of i64, then what is added, of its type */
    TESS__IF,         /* a bool, a TESS__BLOCK, and another if there is an else */
    TESS__FOR,        /* op: a variable of i32; from and to of i64, uniform; a TESS__BLOCK. value.i: the step, not
                         below 1; up to and with `to` if `computed` is not 0 */
    TESS__CONTINUE,
    TESS__RETURN, /* an expression */
    TESS__BLOCK,  /* statements */
    /* ---- only in an untyped tree, where names are not resolved ---- */
    TESS__IDENTIFIER, /* a name */
    TESS__UNARY,      /* op: its token (lang/front/lex.h) */
    TESS__BINARY,     /* likewise */
    TESS__CALL,       /* of a function; its arguments */
    TESS__ELEMENT,    /* of a view; four indices */
    TESS__DECLARE,    /* of a local; its value */
    TESS__ADD_LINEAR, /* to a scatter: b, d, h, a position, what is added */
    TESS__MEMBER /* of a struct, whose TESS__IDENTIFIER is the child; value.i: index into an array, -1: it is none */
};

/* Added to a tess_interp: of volumes (b, z, y, x) rather than images (b, d, y, x); once, twice and three times, the
 * derivative along x, y and z. All together are below TESS__INTERP_KINDS. */
enum { TESS__INTERP_VOLUME = 16, TESS__INTERP_ALONG = 32, TESS__INTERP_KINDS = 128 };

static inline int32_t tess__interp_method(int64_t which) { return (int32_t)(which % TESS__INTERP_VOLUME); }
static inline bool    tess__interp_is_volume(int64_t which) { return which / TESS__INTERP_VOLUME % 2; }
static inline int32_t tess__interp_along(int64_t which) { return (int32_t)(which / TESS__INTERP_ALONG % 4); }

typedef struct tess__node {
    int32_t        kind;
    int32_t        op;
    int32_t        type;     /* of the value; 0 for statements, and in an untyped tree */
    int32_t        computed; /* TESS__OPERATOR, TESS__INTERP: the type of the operands */
    int32_t        first, next;
    tess__bytes    span;
    tess__constant value;
} tess__node;

enum { TESS__MAX_PARAMS = 24 };

/* What an operator uses, which decides how it runs. */
enum { TESS__USES_INDEX = 1, TESS__USES_SIZE = 2, TESS__HAS_SLOW_PATH = 4 /* sin, cos, tan: see tessera/math.h */ };

/* A tree is one allocation with all that it points to, and immutable. */
typedef struct tess__tree {
    const char           *text; /* a copy of it, ended by 0 */
    int32_t               length;
    bool                  macro; /* the text is that of a macro, in fragments of one line each */
    const char           *label; /* its name in messages */
    tess__bytes           name;
    int32_t               uses;           /* of TESS__USES_; in a typed tree */
    float                 cost;           /* estimated nanoseconds an element; in a typed tree */
    bool                  indexed;        /* uses an index, a size, a view or a scatter */
    bool                  letters;        /* has type letters that are still to be bound */
    bool                  joined, posted; /* functions of the user combine accumulators, compute results from them */
    int32_t               n_params, n_nodes, n_variables, n_functions;
    int32_t               body, join, post;        /* TESS__BLOCK; 0 if there is none */
    int32_t               n_structs, struct_bytes; /* bytes of the structs of all parameters, with padding */
    tess__struct          structs[TESS__MAX_STRUCTS];
    tess__param           params[TESS__MAX_PARAMS];
    const tess__node     *nodes;
    const tess__variable *variables;
    const tess__function *functions;
} tess__tree;

/* The variable of a parameter of the operator that is not a view or scatter. */
static inline int32_t tess__variable_of(const tess__tree *tree, int32_t param)
{
    int32_t k = 0;
    while (k < tree->n_variables - 1 && (tree->variables[k].param != param || tree->variables[k].other)) k++;
    return k;
}

#endif
