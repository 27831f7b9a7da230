/* FFT kernels: several transforms interleaved in a block, one in each SIMD lane.
 *
 * Element j of a block is 2 * lanes reals: the real parts of element j of all transforms, then the imaginary parts.
 * Transforms are forward; a backward one takes its input in the order 0, n-1, n-2 … 1. Every lane is computed alike, so
 * its bits depend neither on its neighbours nor on how it came into the block. In tables a complex number is two reals.
 */
#ifndef TESS_CPU_FFT_KERNELS_H
#define TESS_CPU_FFT_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TESS__FFT_CONJUGATE_IN = 1,
    TESS__FFT_CONJUGATE_OUT = 2, /* after the factors */
    TESS__FFT_REAL_IN = 4,       /* imaginary parts are 0, and not there */
    TESS__FFT_REAL_OUT = 8       /* they are not stored */
};

enum { TESS__FFT_MAX_RADIX = 16, TESS__FFT_MAX_LANES = 16 };

/* `groups` times m butterflies in place; of each group, r runs of m elements are combined. There are r-1 twiddle
 * factors for each of the m. */
typedef void tess__fft_stage_fn(void *block, int64_t m, int64_t groups, const void *twiddles);

/* The first stage, with m = 1, of `lanes` neighbours: element j of the block comes from in + from[j] * step. */
typedef void tess__fft_first_fn(void *block, const char *in, int64_t step, const int32_t *from, int64_t groups);

/* The last stage, with one group: element j goes to out + j * step. Meanwhile the next block is prefetched, from
 * next + j * next_step; NULL: none is. */
typedef void tess__fft_last_fn(char *out, int64_t step, const void *block, int64_t m, const void *twiddles,
                               const char *next, int64_t next_step);

/* A stage of one vector by Stockham's algorithm: see stockham.c.inc. Between stages numbers are two planes; what goes
 * into the first one and comes out of the last are adjacent complex numbers. y and x are not the same. */
typedef struct tess__fft_stockham {
    int64_t     l, m;
    int64_t     plane; /* reals from one plane to the other */
    const void *twiddles;
    double      sign;  /* first, last: -1 if backward, else 1 */
    double      scale; /* last */
} tess__fft_stockham;

typedef void tess__fft_stockham_fn(void *y, const void *x, const tess__fft_stockham *stage);

/* Elements of a block: number i is at index at[i] * step, or i * step where `at` is NULL. */
typedef struct tess__fft_elements {
    void          *block;
    const int32_t *at;
    int64_t        step;
} tess__fft_elements;

/* Tables of a real-to-real transform: see r2r.c. */
typedef struct tess__fft_r2r {
    int32_t *p, *q, *s;
    void    *a, *b, *c;
    int64_t  terms;    /* of the input */
    bool     backward; /* so is the complex transform */
    bool     half;     /* it is that of half the length, of pairs: see real.c.inc */
} tess__fft_r2r;

/* Element-wise, out = in * scale * factors (NULL: 1), with flags as above. Strides are in bytes. */
typedef struct tess__fft_product {
    char       *out;
    const char *in;
    const void *factors;
    int64_t     so, si;
    double      scale;
    int         flags;
} tess__fft_product;

typedef struct tess__fft_kernel {
    int32_t       lanes;
    const int8_t *order; /* in[l] and out[l] below are those of neighbour order[l] */
    int32_t       size;  /* bytes of a real */
    /* By radix; NULL where there is none. */
    tess__fft_stage_fn *stage[TESS__FFT_MAX_RADIX + 1];
    tess__fft_first_fn *first[TESS__FFT_MAX_RADIX + 1];
    tess__fft_last_fn  *last[TESS__FFT_MAX_RADIX + 1];

    /* A stage of any odd radix r; the factors are exp(-2 pi i k / r), k from 0 to r-1; the workspace has r elements. */
    void (*odd)(void *block, int64_t m, int64_t groups, const void *twiddles, int64_t r, const void *factors,
                void *workspace);

    /* Into a block: element j of lane l, at in[l] + j * step, goes to index at[j] (NULL: j). Neighbours: lanes are
     * adjacent complex numbers, the first of which is at `in`. Rows: the n elements are adjacent. */
    void (*load_neighbours)(void *block, const char *in, int64_t step, const int32_t *at, int64_t n);
    void (*load_rows)(void *block, const char *const *in, const int32_t *at, int64_t n);
    void (*load_any)(void *block, const char *const *in, int64_t step, const int32_t *at, int64_t n);
    void (*load_reals)(void *block, const char *const *in, int64_t step, const int32_t *at, int64_t n);
    /* 2 n reals, taken as n complex numbers. */
    void (*load_pairs)(void *block, const char *const *in, int64_t step, const int32_t *at, int64_t n);

    /* And out of it, multiplied with `scale`. Where out[l] is NULL, nothing is stored, but for neighbours and rows. */
    void (*store_neighbours)(char *out, int64_t step, const void *block, int64_t n, double scale);
    void (*store_rows)(char *const *out, const void *block, int64_t n, double scale);
    void (*store_any)(char *const *out, int64_t step, const void *block, int64_t n, double scale);
    void (*store_reals)(char *const *out, int64_t step, const void *block, int64_t n, double scale);
    void (*store_pairs)(char *const *out, int64_t step, const void *block, int64_t n);

    /* n/2+1 coefficients of odd n to all n of them; element k goes to index at[k]. */
    void (*complete)(void *block, const void *coefficients, int64_t n, const int32_t *at);

    /* The transform of m complex numbers, which are 2 m reals, becomes m+1 coefficients of these; the factors are
     * exp(-2 pi i k / 2 m), for k up to m/2. */
    void (*hermitian_unpack)(void *block, int64_t m, const void *twiddles, double scale);

    /* The inverse: m+1 coefficients to what a backward transform takes; element k goes to index at[k]. */
    void (*hermitian_pack)(void *block, const void *coefficients, int64_t m, const void *twiddles, const int32_t *at,
                           double scale);

    /* The same, straight into rows and out of them; the last coefficients may be elsewhere. */
    void (*hermitian_unpack_rows)(char *const *out, const void *block, int64_t m, const void *twiddles, double scale);
    void (*hermitian_pack_rows)(void *block, const char *const *in, const char *const *last, int64_t m,
                                const void *twiddles, const int32_t *at, double scale);

    /* Number i of out = number i of in * factors[i], where NULL stands for 1. */
    void (*multiply)(const tess__fft_elements *out, const tess__fft_elements *in, const void *factors, int64_t n);
    /* Element i times factors[i], and times a number for each lane: of lane l, lane_factors[i * TESS__FFT_MAX_LANES +
     * l]. With `conjugate`, times the conjugates of both. */
    void (*multiply_lanes)(void *block, const void *factors, const void *lane_factors, int64_t n, bool conjugate);
    /* The same on the way to neighbours. */
    void (*store_multiplied)(char *out, int64_t step, const void *block, const void *factors, const void *lane_factors,
                             int64_t n, bool conjugate);
    /* The sum of two elements, into the first. */
    void (*add)(void *to, const void *element);

    /* Real-to-real transforms, of lanes that are adjacent: number j of all of them is at in + j * step. */
    void (*load_r2r)(void *block, const char *in, int64_t step, const int32_t *at, int64_t n,
                     const tess__fft_r2r *tables);
    void (*store_r2r)(char *out, int64_t step, const void *block, int64_t n, const tess__fft_r2r *tables, double scale);
    /* Lanes from anywhere made adjacent, and back; out[l] may be NULL, but for rows. */
    void (*gather_reals)(void *numbers, const char *const *in, int64_t step, int64_t n);
    void (*gather_real_rows)(void *numbers, const char *const *in, int64_t n);
    void (*scatter_reals)(char *const *out, int64_t step, const void *numbers, int64_t n);
    void (*scatter_real_rows)(char *const *out, const void *numbers, int64_t n);

    /* ---- One vector, not interleaved ---- */

    /* By radix; NULL where there is none. */
    tess__fft_stockham_fn *stockham_first[TESS__FFT_MAX_RADIX + 1];
    tess__fft_stockham_fn *stockham_stage[TESS__FFT_MAX_RADIX + 1];
    tess__fft_stockham_fn *stockham_last[TESS__FFT_MAX_RADIX + 1];

    /* Elements first to last - 1 of a product. */
    void (*single_multiply)(const tess__fft_product *product, int64_t first, int64_t last);
    /* As hermitian_unpack and hermitian_pack, of adjacent numbers, elsewhere; m is above TESS__FFT_MAX_LANES, and so
     * many more factors follow. */
    void (*single_hermitian_unpack)(void *out, const void *spectrum, int64_t m, const void *twiddles, double scale);
    void (*single_hermitian_pack)(void *spectrum, const void *in, int64_t m, const void *twiddles, double scale);
    /* As load_r2r and store_r2r. */
    void (*single_load_r2r)(void *numbers, const char *in, int64_t si, int64_t n, const tess__fft_r2r *tables);
    void (*single_store_r2r)(char *out, int64_t so, const void *numbers, int64_t n, const tess__fft_r2r *tables,
                             double scale);
    /* As complete; the last coefficient is at `last`, unless that is NULL. */
    void (*single_complete)(void *spectrum, const char *in, int64_t si, const char *last, int64_t n);
} tess__fft_kernel;

/* Filled by kernels_f32.c and kernels_f64.c. */
typedef struct tess__fft_kernels {
    const tess__fft_kernel *precision[2]; /* of f32, f64 */
} tess__fft_kernels;

#endif
