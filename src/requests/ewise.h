/* Element-wise work: a copy, a fill, a cast, a byte swap or an operator over one planned loop. */
#ifndef TESS_REQUESTS_EWISE_H
#define TESS_REQUESTS_EWISE_H

#include "core/array/plan.h"

/* Kinds of element-wise work. */
enum {
    TESS__COPY, /* out = in, elements of any size */
    TESS__FILL, /* out = param.element */
    TESS__CAST, /* out = in converted from `from` to `to` */
    TESS__SWAP, /* out's elements, of 2, 4 or 8 bytes, byte-swapped in place */
    TESS__APPLY /* out = param.operate.op of the inputs */
};

/* The element-wise operators. */
enum {
#define EWISE1(name, ...) TESS__OP_##name,
#define EWISE1_SLOW EWISE1
#define EWISE2_SLOW EWISE1
#define EWISE2 EWISE1
#define EWISE3 EWISE1
#include "ops/ewise/ewise.def"
#undef EWISE1
#undef EWISE1_SLOW
#undef EWISE2_SLOW
#undef EWISE2
#undef EWISE3
    TESS__OP_where, /* of a bool and two elements of any one dtype */
    TESS__OPS,      /* those above have a public function each */

    TESS__OP_mul_real = TESS__OPS, /* of a complex number and a real one: what mul, div and true_div become then */
    TESS__OP_div_real,
    TESS__ALL_OPS
};

enum { TESS__MAX_INPUTS = 3 };

/* An operator to apply. Where the stored dtype of an operand is not the one computed in, it is converted. */
typedef struct tess__apply {
    int32_t op;
    int32_t kernel;                       /* the dtype whose kernel it is */
    int32_t stored[1 + TESS__MAX_INPUTS]; /* dtypes of the operands where they are, the output first */
    int32_t wanted[1 + TESS__MAX_INPUTS]; /* those the kernel reads and writes */
    float   cost;                         /* estimated nanoseconds an element, beyond moving it */
    bool    scalar[1 + TESS__MAX_INPUTS]; /* operands that are single numbers: in `value`, in the wanted dtype */
    _Alignas(16) unsigned char value[1 + TESS__MAX_INPUTS][16];
} tess__apply;

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
        tess_array    source;  /* TESS__CAST, exact: the caller's input, to name the position in the error */
        tess__apply   operate;
    } param;
} tess__ewise;

#endif
