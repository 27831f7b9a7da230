/* The description of every operation: what tools, bindings and documentation read.
 *
 * Each operation has one static tess_op_info beside its code. It also sets the operation's defaults and ranges, so
 * there is no second copy that could differ.
 */
#ifndef TESSERA_TABLE_H
#define TESSERA_TABLE_H

#include "tessera/base.h"

TESS_BEGIN_C

/** Where an argument stands in the call. */
typedef enum tess_arg_role {
    TESS_ROLE_OUT = 1,  /* an array that is written */
    TESS_ROLE_IN,       /* an array, or arrays, that are read */
    TESS_ROLE_REQUIRED, /* a value the caller must give */
    TESS_ROLE_OPTION    /* a field of the options struct */
} tess_arg_role;

/** What an argument is. */
typedef enum tess_arg_type {
    TESS_ARG_ARRAY = 1,
    TESS_ARG_ARRAYS, /* a pointer to arrays and their number */
    TESS_ARG_SHAPE,
    TESS_ARG_DTYPE,
    TESS_ARG_DEVICE,
    TESS_ARG_AXIS, /* 0 to 3, or -1 to -4 */
    TESS_ARG_AXES, /* four axis numbers: a permutation */
    TESS_ARG_F64,
    TESS_ARG_I64,
    TESS_ARG_I32,
    TESS_ARG_FLAG,     /* int32_t: 0 or 1 */
    TESS_ARG_CHOICE,   /* int32_t: one of `choices` */
    TESS_ARG_ELEMENT,  /* pointer to one element */
    TESS_ARG_RESULT,   /* pointer to a number or an array that receives it; may be NULL */
    TESS_ARG_AXIS_SET, /* TESS_B, TESS_D, TESS_H, TESS_W or-ed together; 0 is all */
    TESS_ARG_U64,
    TESS_ARG_U32,
    TESS_ARG_TEXT, /* const char *; may be NULL in an option */
    TESS_ARG_PATH, /* the name of a file */
    TESS_ARG_META  /* const tess_meta *: what is known of an array; may be NULL */
} tess_arg_type;

/** A named value of a choice. */
typedef struct tess_choice {
    const char *name;
    int32_t     value;
    const char *help;
} tess_choice;

typedef struct tess_arg_info {
    const char        *name;
    const char        *help;
    const char        *unit;     /* "" where there is none */
    const tess_choice *choices;  /* ended by a NULL name; NULL where there are none */
    double             least;    /* smallest value allowed */
    double             most;     /* largest value allowed */
    double             fallback; /* options: the value that a 0 stands for */
    size_t             offset;   /* options: of the field in the struct, in bytes */
    size_t             size;     /* options: of the field, in bytes */
    tess_arg_role      role;
    tess_arg_type      type;
} tess_arg_info;

typedef struct tess_op_info {
    const char          *name;   /* the function is tess_<name> */
    const char          *module; /* the header is tessera/<module>.h */
    const char          *help;   /* one sentence */
    const tess_arg_info *args;   /* in the order of the call; options last */
    size_t               n_args;
    size_t               opts_size;       /* bytes of the options struct; 0 if there is none */
    size_t               reserved_offset; /* of its `reserved` tail */
} tess_op_info;

/** Number of operations. */
TESS_API size_t tess_op_count(void);

/** Operation `i`, in the order of their names; NULL if there is none. */
TESS_API const tess_op_info *tess_op_at(size_t i);

/** The operation of a name, as "cast"; NULL if there is none. */
TESS_API const tess_op_info *tess_op_find(const char *name);

TESS_END_C

#endif
