/* The table of CPU kernels: one per instruction set, filled by the kernels_*.c files, which are built once for each.
 *
 * A row kernel walks one row of each operand. p[k] is the address of the row's first element of operand k (0 is the
 * output), s[k] its stride in elements. Kernels cannot fail, and operands are disjoint or exactly the same.
 */
#ifndef TESS_CPU_KERNELS_H
#define TESS_CPU_KERNELS_H

#include "backend.h"
#include "cpu/fft/kernels.h"
#include "cpu/memory/line_writer.h"
#include "cpu/memory/transpose.h"
#include "cpu/sort/keys.h"
#include "lang/ir/fused.h"
#include "tessera/dtype.h"

/* The families of kernels: kernels_NAME.c each. Some are products and sums of floats and nothing else: these
 * gain nothing from x86-64-v2, which takes the kernels of the base. */
#define TESS__FAMILIES_OF_PRODUCTS(X, isa)                                                                             \
    X(matmul, isa)                                                                                                     \
    X(fft_f32, isa)                                                                                                    \
    X(fft_f64, isa)

#define TESS__OTHER_FAMILIES(X, isa)                                                                                   \
    X(move, isa)                                                                                                       \
    X(cast, isa)                                                                                                       \
    X(swap, isa)                                                                                                       \
    X(f32, isa)                                                                                                        \
    X(f64, isa)                                                                                                        \
    X(complex, isa)                                                                                                    \
    X(integer, isa)                                                                                                    \
    X(reduce, isa)                                                                                                     \
    X(reduce_columns, isa)                                                                                             \
    X(reduce_exp, isa)                                                                                                 \
    X(random, isa)                                                                                                     \
    X(reduce_extremes, isa)                                                                                            \
    X(scan, isa)                                                                                                       \
    X(bin, isa)                                                                                                        \
    X(places, isa)                                                                                                     \
    X(search, isa)                                                                                                     \
    X(sort, isa)                                                                                                       \
    X(program, isa)                                                                                                    \
    X(interp, isa)

typedef void tess__row_fn(char *const *p, const int64_t *s, int64_t n, const void *param);

/* Index of the first element of `a` that is not the same number as in `b`, NaN being the same as NaN; n if none. */
typedef int64_t tess__differ_fn(const void *a, const void *b, int64_t n);

/* A word of the state of a reduction. */
typedef union tess__word {
    double   f;
    int64_t  i;
    uint64_t u;
} tess__word;

/* n contiguous elements, from number `first` on, as a new state, or, where order does not matter, added to the state.
 * Word w of it is s[w * step]. `y` is a second input, or NULL. */
typedef void tess__reduce_fn(const void *x, const void *y, int64_t n, int64_t first, tess__word *s, int64_t step);

/* The sums of so many whole chunks. */
typedef void tess__sums_fn(const void *x, const void *y, int64_t chunks, double *sums);

/* Elements as above, of columns that lie side by side, in n rows; word w of column c is s[w * step + c]. */
typedef void tess__columns_fn(const char *const *rows, int64_t n, int64_t columns, tess__word *s, int64_t step);

/* How the sum of a column, or of its squared distances from the mean, becomes its result: over the divisor, and then,
 * if `root`, the root of that. The means of variances go to `means`, unless that is NULL. `streams`: results are
 * written past the caches where they are whole lines, and tess__stores_done has to come. `doubtful`, unless that is
 * NULL, is set if squares may have left the range of f64. */
typedef struct tess__column_end {
    double divisor;
    bool   root, streams;
    void  *means;
    bool  *doubtful;
} tess__column_end;

/* The results of columns of at most TESS__CHUNK rows, in the dtype of the elements. */
typedef void tess__column_results_fn(const char *const *rows, int64_t n, int64_t columns, void *out,
                                     const tess__column_end *end);

/* e = exp(x - shift). */
typedef void tess__exponentials_fn(double *e, const double *x, int64_t n, double shift);

/* Most elements whose sum is one chunk: the order of additions is fixed within it, and chunks are added in a tree. */
enum { TESS__CHUNK = 1024 };

/* Copies whole lines of 64 bytes, to an address that is a multiple of it, past the caches where the processor can. */
typedef void tess__stream_fn(char *out, const char *in, int64_t bytes);

/* Kernels that read ahead ask for the lines so many bytes behind their elements, which must be needed soon. On x86,
 * where they read at several places in turn, that is into the first level of the cache; elsewhere farther than
 * processors look by themselves, and near enough to stay in the second. */
#if defined(__x86_64__)
enum { TESS__AHEAD = 2048, TESS__AHEAD_NEAR = true };
#else
enum { TESS__AHEAD = 16384, TESS__AHEAD_NEAR = false };
#endif

/* Kernels of reductions, with the words of their states. */
enum {
    TESS__RK_SUM,         /* sum; of complex numbers, two */
    TESS__RK_SUM_ABS,     /* sum of magnitudes */
    TESS__RK_SUM_SQUARES, /* sum of squares */
    TESS__RK_DOT,         /* sum of products of x and y */
    TESS__RK_COMPENSATED, /* sums, then what rounding took from them */
    TESS__RK_PROD,        /* product; of complex numbers, two */
    TESS__RK_VAR,         /* sum, pivot, mean less the pivot, sum of squared distances from the mean, number */
    TESS__RK_COLUMN_SUM,  /* SUM and VAR in the order for columns */
    TESS__RK_COLUMN_VAR,
    TESS__RK_SINGLE_VAR, /* VAR of f32 for results that are not wider, in both orders */
    TESS__RK_SINGLE_COLUMN_VAR,
    TESS__RK_MIN, /* keys of the smallest and largest: see reduce/minmax.c.inc */
    TESS__RK_MAX,
    TESS__RK_MINMAX,
    TESS__RK_ARGMIN, /* rank, smaller is better; place, -1 for none */
    TESS__RK_ARGMAX,
    TESS__RK_ARGMIN_SKIP, /* without NaNs */
    TESS__RK_ARGMAX_SKIP,
    TESS__RK_NONZERO, /* number */
    TESS__RKS
};

typedef void tess__transpose_fn(const tess__transpose *t, int64_t first_tile, int64_t last_tile);

/* Element sizes with kernels of their own: 1, 2, 4, 8, 16 bytes; any other is the last, with the size in param. */
enum { TESS__SIZE_CLASSES = 6, TESS__ANY_SIZE = 5 };

/* 0 to 4 for 1 to 16 bytes, else TESS__ANY_SIZE. */
static inline int tess__size_class(int64_t size)
{
    return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : size == 16 ? 4 : TESS__ANY_SIZE;
}

/* Real types, the ones that cast kernels are for, come first among the dtypes. */
enum { TESS__REALS = TESS_F64 + 1 };

enum { TESS__CLAMP, TESS__WRAP, TESS__CAST_MODES };
enum { TESS__ABS, TESS__POWER, TESS__PARTS };

/* Lines are walked in chunks of this many elements, some of them at a time. */
enum { TESS__SCAN_CHUNK = 512, TESS__SCAN_LANES = 4 };

/* One running operation in one dtype. Strides are in elements; n elements of a line, or rows, lie within one chunk. The
 * state of `width` lines is arrays of that many, one behind the other. An input may be exactly the output. */
typedef struct tess__scan_kernel {
    int64_t state_size; /* bytes for each line, at most 32 */
    void (*start)(void *state, int64_t width);
    void (*line)(void *out, int64_t so, const void *in, int64_t si, int64_t n, void *state);
    void (*columns)(void *out, int64_t so, const void *in, int64_t si, int64_t n, int64_t width, void *state);
    /* The rest is NULL where chunks mean nothing. When a chunk ends: */
    void (*fold)(void *state, int64_t width);
    /* Contiguous lines, as many as there are lanes: */
    void (*lanes)(void *const *out, const void *const *in, int64_t n, void *state);
    /* That many whole chunks of one line, with its state, or with a new one for each and no results: */
    void (*chunks)(void *out, const void *in, void *state);
    void (*totals)(const void *in, void *states);
} tess__scan_kernel;

/* Most blocks of a group of random numbers, which are made together. */
enum { TESS__RANDOM_BLOCKS = 80 };

/* n random numbers from a place on, contiguous. */
typedef void tess__random_fn(void *out, uint64_t place, int64_t n, const tess__random_spec *spec);

/* The same for numbers that each have a mean. */
typedef void tess__poisson_fn(double *out, const double *means, uint64_t place, int64_t n,
                              const tess__random_spec *spec);

/* Rows that are added to sums, one after the other: of each row, `factor` neighbours go into a sum, from left to right.
 * Sums of floats are f64; of integers i64 or u64, or, in `narrow`, i32 or u32. `start`: there are no sums yet. */
typedef void tess__bin_fn(void *sums, const char *const *rows, int n_rows, int64_t n, int64_t factor, bool start);

/* The same for 1, 2 or 4 rows and neighbours, or 1 or 3 of both, that are whole blocks: results are sums divided by
 * `divisor`, in f64 or, of f32, rounded to that; or sums of integers, as i64 or u64. What lies `ahead` bytes on in each
 * row may be fetched; 0: none.
 * `streams`: results are written past the caches, and tess__stores_done has to come. */
typedef void tess__bin_direct_fn(void *out, const char *const *rows, int n_rows, int64_t n, int64_t factor,
                                 double divisor, int64_t ahead, bool streams);

/* Most rows at a time. */
enum { TESS__BIN_ROWS = 4 };

/* Products are summed over this many elements at a time, in order; then those sums are added in order. */
enum { TESS__MATMUL_DEPTH = 256 };

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

/* Products where they lie: out = alpha a b + beta out, of matrices with these strides, in elements. */
typedef struct tess__matmul_place {
    int64_t out[2], a[2], b[2];
    int64_t m, n, depth;
    double  alpha, beta;  /* of a few elements, made one by one, beta is not looked at */
    bool    conjugate[2]; /* a, and b */
    int64_t next[3];      /* bytes from out, a and b to those of the next product, which the cache may fetch */
    int64_t ahead[3];     /* 64-byte pieces of each that are to be fetched for every tile; 0: none */
    int64_t step[3];      /* the same in bytes for every step along the depth, */
    int64_t every;        /* and how many steps bring at most one such piece */
} tess__matmul_place;

/* Products of matrices in one dtype: tiles of `rows` by `columns` from panels, in which that many elements of each step
 * along the depth lie together. Strides are in elements. */
typedef struct tess__matmul_kernel {
    int32_t rows, columns;
    int32_t lanes; /* columns of a vector */
    bool    fused; /* a product and its addition are rounded once */
    bool    parts; /* of vectors can be used */
    /* Panels of `lines` rows or columns, the rest of them zeros: */
    void (*pack_a)(void *panel, const void *a, int64_t line, int64_t along, int64_t lines, int64_t depth);
    void (*pack_b)(void *panel, const void *b, int64_t line, int64_t along, int64_t lines, int64_t depth);
    void (*tile)(const tess__matmul_tile *tile);
    /* A few elements, with any strides; and rows of b and out that are contiguous, with `lanes` columns at least if
     * vectors cannot be used in part: */
    void (*tiny)(const tess__matmul_place *p, void *out, const void *a, const void *b);
    void (*whole)(const tess__matmul_place *p, void *out, const void *a, const void *b);
    /* A matrix times the contiguous vector v, NULL if there is none, and what becomes of the sums: */
    void (*lines)(void *sums, const void *matrix, int64_t line, int64_t along, const void *v, int64_t lines,
                  int64_t depth);
    void (*update)(void *out, int64_t stride, const void *sums, int64_t n, double alpha, double beta);
} tess__matmul_kernel;

/* Places along an axis of n, negative ones from the end, as offsets: o[i] = place * step + i * next. */
typedef void tess__offsets_fn(int64_t *o, const int64_t *places, int64_t count, int64_t n, int64_t step, int64_t next);

/* Places through a whole array of n, negative ones from the end, as offsets. */
typedef void tess__whole_offsets_fn(int64_t *o, const int64_t *places, int64_t count, int64_t n,
                                    const tess__whole *whole);

/* Number of the first place that is not one of an axis of n; count if there is none. */
typedef int64_t tess__bad_place_fn(const int64_t *places, int64_t count, int64_t n);

/* Elements of `size` bytes to and from offsets. Strides and offsets are in bytes. */
typedef void tess__gather_fn(char *out, int64_t so, const char *in, const int64_t *offset, int64_t n, int64_t size);
typedef void tess__scatter_fn(char *out, const int64_t *offset, const char *in, int64_t si, int64_t n, int64_t size);

/* Contiguous elements at places along a contiguous axis of n, negative ones from the end. */
typedef void tess__pick_fn(char *out, const char *in, const int64_t *places, int64_t count, int64_t n);

/* Elements added at offsets: of so many reals. */
typedef void tess__add_at_fn(char *out, const int64_t *offset, const char *in, int64_t si, int64_t n, int64_t reals);

/* The elements whose mask, a byte, is not 0, one behind the other; returns how many. No more than `room` are written,
 * and there are no more. Strides are in bytes. */
typedef int64_t tess__compress_fn(char *out, int64_t room, const char *in, int64_t si, const uint8_t *mask, int64_t n,
                                  int64_t size);

/* The other way round: elements to where the mask is set. */
typedef int64_t tess__expand_fn(char *out, int64_t so, const char *in, const uint8_t *mask, int64_t n, int64_t size);

/* The indices `first` + i of set bytes of a mask. */
typedef int64_t tess__indices_fn(int64_t *out, int64_t first, const uint8_t *mask, int64_t n);

/* Where each of m values would go into a sorted row of n. */
typedef void tess__search_fn(int64_t *out, const void *sorted, int64_t n, const void *values, int64_t m, bool right);

/* Bins of equal widths, for elements of one float type. */
typedef struct tess__bins {
    double      low, high;
    double      scale; /* (x - low) * scale, cut off, is the bin or, unless `exact`, the one before */
    const void *next;  /* where the next bin begins; NaN for the last, and for no bin at all */
    int32_t     n;
    bool        exact;
} tess__bins;

/* The bin of each element; n for none. */
typedef void tess__bins_fn(int32_t *bin, const void *x, int64_t n, const tess__bins *bins);

/* ---- Programs: see cpu/op/vm.c ---- */

/* A view or scatter: of no elements, it is one of zeros. */
typedef struct tess__frame {
    char              *data;
    int64_t            stride[4], shape[4]; /* in elements */
    int32_t            border, number;      /* a tess_border or TESS__BORDER_FAULT; the parameter, for faults */
    struct tess_fault *fault;               /* may be NULL */
} tess__frame;

/* Operands p[0], p[1] … have the strides s[0], s[1] …, 0 or 1. A last one, the mask, may be NULL: all. */
typedef void tess__read_fn(void *out, const tess__frame *view, const void *const *p, const int64_t *s, int64_t n);

/* Four indices, what is added there, and a mask. */
typedef void tess__add_to_fn(const tess__frame *to, const void *const *p, const int64_t *s, int64_t n);

/* first, first + 1, … */
typedef void tess__iota_fn(void *out, int64_t first, int64_t n);

/* Element i is combined into lane i % TESS__ROW_LANES, which is TESS_ROW_LANES. Strides are 0 or 1. */
typedef void tess__lanes_fn(void *lanes, const void *x, int64_t sx, int64_t n);
enum { TESS__ROW_LANES = 16 };
enum {
    TESS__STEP_add, /* of f32 into lanes of f64; so is the product */
    TESS__STEP_mul,
    TESS__STEP_fmin,
    TESS__STEP_fmax,
    TESS__STEP_logical_or,
    TESS__STEP_logical_and,
    TESS__STEPS
};

/* The same, into lane i % TESS_LANES. */
typedef void tess__widen_fn(double *lanes, const float *x, int64_t sx, int64_t n);

/* Products, or squares of differences, of two, into lane i % n_lanes: TESS_ROW_LANES or TESS_LANES. */
typedef void tess__pairs_fn(double *lanes, int32_t n_lanes, const float *x, const float *y, int64_t sx, int64_t sy,
                            int64_t n);

enum { TESS__INTERPS = 6, TESS__WIDEN_ADD = 0, TESS__WIDEN_MUL = 1 };

typedef struct tess__kernels {
    tess__row_fn              *copy[TESS__SIZE_CLASSES]; /* param: tess__element, its size alone, for TESS__ANY_SIZE */
    tess__row_fn              *fill[TESS__SIZE_CLASSES]; /* param: tess__element; operand 0 only */
    tess__stream_fn           *stream;
    tess__lay_fn              *lay;
    tess__row_fn              *swap[TESS__SIZE_CLASSES]; /* operand 0 only; NULL but for 2, 4 and 8 bytes */
    tess__row_fn              *cast[TESS__CAST_MODES][TESS__REALS][TESS__REALS]; /* [mode][from][to] */
    tess__row_fn              *part[TESS__PARTS][3];                             /* of c16, c32, c64, to f64 */
    tess__row_fn              *ewise[TESS__OPS][TESS_SCALAR_DTYPE_COUNT];        /* NULL: not computed in that dtype */
    tess__row_fn              *where[TESS__SIZE_CLASSES]; /* operand 1 is bool; param as for copy */
    const tess__fft_kernels   *fft[2];                    /* of f32, f64 */
    tess__differ_fn           *differ[TESS__REALS];
    tess__transpose_fn        *transpose[TESS__ANY_SIZE];                  /* by size class */
    tess__reduce_fn           *reduce[TESS__RKS][TESS_SCALAR_DTYPE_COUNT]; /* NULL: the elements are converted first */
    tess__reduce_fn           *reduce_ahead[TESS__RKS][TESS_SCALAR_DTYPE_COUNT]; /* NULL: there is none */
    tess__sums_fn             *reduce_sums[TESS__RKS][TESS_SCALAR_DTYPE_COUNT];  /* the same */
    tess__sums_fn             *far_sums[TESS__RKS][TESS_SCALAR_DTYPE_COUNT];     /* from memory; the same */
    tess__columns_fn          *columns[TESS__RKS][TESS_SCALAR_DTYPE_COUNT];
    tess__column_results_fn   *column_results[TESS__RKS][TESS_SCALAR_DTYPE_COUNT];
    tess__exponentials_fn     *exponentials;
    const tess__scan_kernel   *scan[TESS__SCANS][TESS_SCALAR_DTYPE_COUNT]; /* NULL: not computed in that dtype */
    const tess__matmul_kernel *matmul[TESS_SCALAR_DTYPE_COUNT];            /* the same */
    tess__bin_fn              *bin[TESS__REALS];                           /* NULL: the elements are converted first */
    tess__bin_fn              *bin_narrow[TESS__REALS];                    /* of integers of up to 16 bits */
    tess__bin_direct_fn       *bin_direct[TESS__REALS];                    /* NULL: not made in one go */
    tess__bin_direct_fn       *bin_direct_sum[TESS__REALS];                /* of integers: i64 or u64; the same */
    tess__random_fn           *random[TESS__RANDOM_FLOATS][TESS__REALS];   /* f16 comes as f32 */
    int64_t                    random_blocks;                              /* of a group */
    tess__random_fn           *random_integers;                            /* i64 */
    tess__random_fn           *random_keys;                                /* u64, all bits */
    tess__poisson_fn          *random_poisson;
    tess__offsets_fn          *offsets;
    tess__whole_offsets_fn    *whole_offsets;
    tess__bad_place_fn        *bad_place;
    tess__gather_fn           *gather[TESS__SIZE_CLASSES];
    tess__scatter_fn          *scatter[TESS__SIZE_CLASSES];
    tess__pick_fn             *pick[TESS__ANY_SIZE];
    tess__add_at_fn           *add_at[TESS__REALS];
    tess__compress_fn         *compress[TESS__SIZE_CLASSES];
    tess__expand_fn           *expand[TESS__SIZE_CLASSES];
    tess__indices_fn          *indices;
    int64_t (*count_set)(const uint8_t *mask, int64_t n); /* bytes that are not 0 */
    tess__search_fn         *search[TESS__REALS];         /* i32 to u64, f32, f64 */
    tess__bins_fn           *bins[TESS__REALS];           /* f32, f64 */
    const tess__key_kernel  *key[TESS__KEY_SIZES];
    const tess__item_kernel *item[TESS__ITEM_SIZES];
    tess__read_fn           *at[TESS__ANY_SIZE]; /* by size class; four indices of i64, and a mask */
    tess__read_fn           *interp[TESS__INTERPS][2][TESS_SCALAR_DTYPE_COUNT]; /* [method][coordinates f64?][dtype] */
    tess__add_to_fn         *add_to[TESS_SCALAR_DTYPE_COUNT];
    tess__row_fn            *fused[2][TESS__FUSED];                       /* of f32, f64: see lang/ir/fused.h */
    tess__iota_fn           *iota[TESS__REALS];                           /* i32, i64, f32, f64 */
    tess__lanes_fn          *lanes[TESS__STEPS][TESS_SCALAR_DTYPE_COUNT]; /* by the dtype of the elements */
    tess__widen_fn          *widen[2];
    tess__pairs_fn          *add_pairs[2]; /* products, squares of differences */
    void (*uniform)(float *out, const void *const *p, const int64_t *s, int64_t n); /* seed and counter of u64 */
} tess__kernels;

#endif
