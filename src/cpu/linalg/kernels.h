/* GEMM and GEMV microkernels, and steps of factorisations. */
#ifndef TESS_CPU_LINALG_KERNELS_H
#define TESS_CPU_LINALG_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "tessera/dtype.h"

/* Products are summed over this many elements at a time, in order; then those sums are added in order. */
enum { TESS__MATMUL_DEPTH = 256 };

/* GEMV: rows that are read interleaved; bytes of the chains whose sum is an element; steps below which there is one. */
enum { TESS__GEMV_BATCH = 8, TESS__GEMV_BYTES = 16, TESS__GEMV_SHORT = 32 };

/* A tile of m by n elements of a result: out = alpha a b + beta out, with sums of this depth; beta 0: out is not read.
 * Strides are in elements. a is a panel; b one, or rows of contiguous elements, `next` apart. */
typedef struct tess__matmul_tile {
    void       *out;
    int64_t     strides[2];
    const void *a, *b;
    int64_t     next;
    int64_t     m, n, depth;
    double      alpha, beta;
    bool        conjugate[2]; /* a, and b */
} tess__matmul_tile;

/* Products without packing: out = alpha a b + beta out, of matrices with these strides, in elements. */
typedef struct tess__matmul_unpacked {
    int64_t out[2], a[2], b[2];
    int64_t m, n, depth;
    double  alpha, beta;  /* of a few elements, computed one by one, beta is not read */
    bool    conjugate[2]; /* a, and b */
    int64_t next[3];      /* bytes from out, a and b to those of the next product, which may be prefetched */
    int64_t prefetch[3];  /* cache lines of each that are to be prefetched for every tile; 0: none */
    int64_t step[3];      /* the same in bytes for every step along the depth, */
    int64_t every;        /* and how many steps bring at most one cache line */
} tess__matmul_unpacked;

/* GEMV of a part of a matrix: `count` vectors of this depth times the contiguous vector v. */
typedef struct tess__gemv {
    const void *matrix, *v;
    int64_t     across, along; /* elements from one vector to the next, and along one */
    int64_t     count, depth;
    bool        sequential; /* if across is 1: rows are read one after the other */
} tess__gemv;

/* Microkernels of one dtype: tiles of `rows` by `columns` from panels, in which that many elements of each step
 * along the depth lie together. Strides are in elements. */
typedef struct tess__matmul_kernel {
    int32_t rows, columns;
    int32_t lanes; /* columns of a vector */
    bool    fused; /* a product and its addition are rounded once */
    bool    parts; /* of vectors can be used */
    /* Panels of n rows or columns, padded with zeros: */
    void (*pack_a)(void *panel, const void *a, int64_t across, int64_t along, int64_t count, int64_t depth);
    void (*pack_b)(void *panel, const void *b, int64_t across, int64_t along, int64_t count, int64_t depth);
    void (*tile)(const tess__matmul_tile *tile);
    /* A few elements, with any strides; and rows of b and out that are contiguous, with `lanes` columns at least if
     * vectors cannot be used in part: */
    void (*tiny)(const tess__matmul_unpacked *p, void *out, const void *a, const void *b);
    void (*whole)(const tess__matmul_unpacked *p, void *out, const void *a, const void *b);
    /* Sums of a matrix times a vector, NULL if there is none, with a capacity of TESS__GEMV_BYTES each if across is 1;
     * and what becomes of them: */
    void (*gemv)(void *sums, const tess__gemv *in);
    void (*update)(void *out, int64_t stride, const void *sums, int64_t n, double alpha, double beta);
} tess__matmul_kernel;

/* The largest number of rows or columns of matrices that are factored without products of blocks. */
enum { TESS__FACTOR_BLOCK = 32 };

/* A rotation of the vectors `at` and `at` + 1: x' = c x - s y, y' = s x + c y. */
typedef struct tess__rotation {
    int64_t at;
    double  c, s;
} tess__rotation;

/* Steps of factorisations in T. Vectors are contiguous; rows of matrices too, `a`, `b`, `c` elements apart.
 *   dot           sum of conj(x) y                     squares      sum of |x|^2
 *   add           y += s x                             add_both     z += s x + t y
 *   lu            of m by n, m >= n, with pivoting: the row exchanged with each; returns the first column without
 *                 a pivot, or n
 *   cholesky      the lower factor of n by n; returns the first row that has none, or n
 *   solve_lower   L X = B in place, of n by k; the diagonal of L is 1
 *   solve_upper   U X = B
 *   solve_right   X L^H = B in place, of m by n */
#define TESS__FACTOR_KERNEL(T, suffix)                                                                                 \
    typedef struct tess__factor_##suffix {                                                                             \
        T (*dot)(const T *x, const T *y, int64_t n);                                                                   \
        double (*squares)(const T *x, int64_t n);                                                                      \
        void (*add)(T * y, T s, const T *x, int64_t n);                                                                \
        void (*add_both)(T * z, T s, const T *x, T t, const T *y, int64_t n);                                          \
        int64_t (*lu)(T * x, int64_t a, int64_t m, int64_t n, int64_t *pivots);                                        \
        int64_t (*cholesky)(T * x, int64_t a, int64_t n);                                                              \
        void (*solve_lower)(const T *l, int64_t a, T *x, int64_t b, int64_t n, int64_t k);                             \
        void (*solve_upper)(const T *u, int64_t a, T *x, int64_t b, int64_t n, int64_t k);                             \
        void (*solve_right)(const T *l, int64_t a, T *x, int64_t b, int64_t m, int64_t n);                             \
    } tess__factor_##suffix;
TESS__FACTOR_KERNEL(double, f64)
TESS__FACTOR_KERNEL(double _Complex, c64)
#undef TESS__FACTOR_KERNEL

/* Filled by kernels_matmul.c and kernels_factor.c. */
typedef struct tess__linalg_kernels {
    const tess__matmul_kernel *matmul[TESS_SCALAR_DTYPE_COUNT]; /* NULL: not computed in that dtype */
    tess__factor_f64           f64;
    tess__factor_c64           c64;
    /* These rotations one after the other, of vectors of n elements that are `stride` elements apart. */
    void (*rotate_all)(double *x, int64_t stride, int64_t n, const tess__rotation *rotations, int64_t count);
} tess__linalg_kernels;

#endif
