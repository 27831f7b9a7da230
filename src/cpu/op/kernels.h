/* Kernels of the virtual machine that no other family has: see cpu/op/vm.c. */
#ifndef TESS_CPU_OP_KERNELS_H
#define TESS_CPU_OP_KERNELS_H

#include "cpu/row_kernel.h"
#include "lang/ir/fused.h"

/* A view or scatter; a view of no elements points to one. */
typedef struct tess__frame {
    char              *data;
    int64_t            stride[4], shape[4]; /* in elements */
    int32_t            border, number;      /* a tess_border or TESS__BORDER_; the parameter, for faults */
    struct tess_fault *fault;               /* may be NULL */
    _Alignas(16) unsigned char value[16];   /* views: an element that stands for those outside; 0 unless VALUE */
} tess__frame;

/* Operands p[0], p[1] … have the strides s[0], s[1] …, 0 or 1. A last one, the mask, may be NULL: all. */
typedef void tess__read_fn(void *out, const tess__frame *view, const void *const *p, const int64_t *s, int64_t n);

/* The same between elements; `which`: as TESS__INTERP has it. */
typedef void tess__interp_fn(void *out, const tess__frame *view, int32_t which, const void *const *p, const int64_t *s,
                             int64_t n);

/* A statement that adds: to what, four indices, what is added there, and a mask. */
typedef struct tess__addition {
    const tess__frame *to;
    const void        *p[6];
    int64_t            s[6];
} tess__addition;

/* At most TESS__MAX_ADDITIONS statements of n elements each, element by element. */
typedef void tess__add_to_fn(const tess__addition *additions, int count, int64_t n);

/* A row of a contiguous copy added to a row. */
typedef void tess__add_row_fn(void *to, int64_t stride, const void *copy, int64_t n);

/* first, first + 1, … */
typedef void tess__iota_fn(void *out, int64_t first, int64_t n);

/* As tess__lanes_fn, into lane i % TESS_LANES. */
typedef void tess__widen_fn(double *lanes, const float *x, int64_t sx, int64_t n);

/* Products, or squares of differences, of two, into lane i % n_lanes: TESS_ROW_LANES or TESS_LANES. */
typedef void tess__pairs_fn(double *lanes, int32_t n_lanes, const float *x, const float *y, int64_t sx, int64_t sy,
                            int64_t n);

enum { TESS__WIDEN_ADD = 0, TESS__WIDEN_MUL = 1 };

/* Functions of one of the library's own operators, each a tess_tile_fn; only what it was written with is called. */
struct tess_tile;
typedef struct tess__library_functions {
    void (*tile)(const struct tess_tile *tile);
    void (*join)(const struct tess_tile *tile);
    void (*post)(const struct tess_tile *tile);
} tess__library_functions;

/* All of them, by name: see ops/ewise/operators.def. */
typedef struct tess__library_operators {
#define OPERATOR(name) tess__library_functions name;
#include "ops/ewise/each_operator.def"
} tess__library_operators;

/* Filled by kernels_program.c, kernels_interp.c and kernels_library_*.c. */
typedef struct tess__op_kernels {
    tess__read_fn          *at[TESS__ANY_SIZE];                   /* by size class; four indices of i64, and a mask */
    tess__read_fn          *spectrum_at[TESS_SCALAR_DTYPE_COUNT]; /* of spectra, by dtype; there is no mask */
    tess__interp_fn        *interp[2][TESS_SCALAR_DTYPE_COUNT];   /* [coordinates f64?][dtype] */
    tess__add_to_fn        *add_to[TESS_SCALAR_DTYPE_COUNT];
    tess__add_row_fn       *add_row[TESS_SCALAR_DTYPE_COUNT];
    tess__row_fn           *fused[2][TESS__FUSED]; /* of f32, f64: see lang/ir/fused.h */
    tess__iota_fn          *iota[TESS__REALS];     /* i32, i64, f32, f64 */
    tess__widen_fn         *widen[2];
    tess__pairs_fn         *add_pairs[2]; /* products, squares of differences */
    tess__library_operators library;
} tess__op_kernels;

#endif
