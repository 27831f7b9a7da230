/* Table of the kernels of signal processing: sums over shells, convolution, rank filters, filters of spectra. */
#ifndef TESS_CPU_SIGNAL_KERNELS_H
#define TESS_CPU_SIGNAL_KERNELS_H

#include <stdbool.h>

#include "cpu/row_kernel.h"
#include "cpu/signal/ctf_fit.h"
#include "formulas/filter_spec.op.h"
#include "formulas/radial_bins_spec.op.h"

struct tess__radial_places; /* cpu/signal/radial_bins.h */
struct tess__radial_columns;
struct tess__radial_run;

/* Finds the places of n columns of a row, at most TESS__RADIAL_BLOCK. */
typedef void tess__radial_places_fn(const struct tess__radial_places *at, const struct tess__radial_columns *columns,
                                    int64_t n);

/* Adds n columns to TESS__RADIAL_LANES tables of {cones, window, sums}. */
typedef void tess__radial_bins_fn(double *tables, const struct tess__radial_run *run, int64_t n);

/* Weights and the elements that they meet: result i is the sum over r and k of weight [r][k] times in[at[r] + i + k
 * step], a chain of fused multiplications and additions in this order. Offsets count reals; of complex numbers with
 * real weights, both parts are results. */
typedef struct tess__taps {
    const void    *in, *filter;
    const int64_t *at;
    int64_t        rows, taps, step;
} tess__taps;

/* n results; `out` and `in` are disjoint. Complex weights: pairs of reals, and n counts pairs. */
typedef void tess__convolve_fn(void *out, const tess__taps *t, int64_t n);

enum {
    TESS__RANK_SIZES = 4,                                   /* classes of size, as tess__size_class */
    TESS__RANK_ROWS = 5,                                    /* of sorted columns */
    TESS__HISTOGRAM_FINE = 1 << 16,                         /* counts, of 32 bits, of values of 16 bits, */
    TESS__HISTOGRAM_SIZE = TESS__HISTOGRAM_FINE + (1 << 8), /* and of their upper halves */
    TESS__RANK_LISTS = 24,                                  /* enough for windows of 4095 columns */
    TESS__LIST_STEP = 64,                                   /* bytes of a row that are compared at a time */
    TESS__COLUMN_SIZE = 256 + 16, /* counts, of 16 bits, of values of 8 bits and of their upper halves */
};

/* Merge of two sorted lists of `left` and `right` rows, the rows `pitch` keys apart; `half`, a power of 2, is not less
 * than either. */
typedef struct tess__merge {
    int64_t left, right, half, pitch;
} tess__merge;

/* What is looked for in two lists of n_x and n_y rows. */
typedef struct tess__selection {
    int64_t rank, n_x, n_y, pitch;
} tess__selection;

/* The keys of `width` neighbouring columns of windows in their order: `rows` of them from row `first` of the workspace
 * on, merged from lists a and b, `block` columns at a time. */
typedef struct tess__rank_list {
    int64_t width, first, rows, half, block;
    int     a, b;
} tess__rank_list;

/* The lists of a window, the narrowest, of width 1, first, and each behind those that it is made of; a and b are the
 * two halves of the window. `strip` results are found at a time; rows have `pitch` keys. */
typedef struct tess__rank_lists {
    int64_t         strip, pitch, rows;
    int             n, a, b;
    tess__rank_list list[TESS__RANK_LISTS];
} tess__rank_lists;

/* Keys are numbers of 8 (unsigned), 16, 32 or 64 bits (signed) that compare as the elements do: result i is the key of
 * `rank` among in[at[e] + i] over the n_at elements e of a window. The first `width` of them are contiguous, and so are
 * those that follow. */
typedef struct tess__ranked {
    const void    *in;
    const int64_t *at;
    int64_t        n_at, width, rank;
    /* TESS__RANK_ROWS rows of n + width keys at a distance of `pitch` keys, as those of the input; or what counts need:
     * TESS__HISTOGRAM_SIZE of them, which are 0 before and after, or TESS__COLUMN_SIZE for each of n + width columns;
     * or `rows` of `lists`. */
    void   *workspace;
    int64_t pitch;
    int64_t height, row; /* rows of the window in each plane; the rows that were done before, directly above this one */
    const tess__rank_lists *lists;
} tess__ranked;

typedef void tess__rank_fn(void *out, const tess__ranked *w, int64_t n);

/* Result i is the smaller or larger of a[i] and b[i], or their sum; `out` may be `a` or `b`, and is disjoint from them
 * otherwise. */
typedef void tess__pair_fn(void *out, const void *a, const void *b, int64_t n);

/* Divides n numbers. */
typedef void tess__quotient_fn(double *numbers, double divisor, int64_t n);

/* The window of a bilateral filter: result i is the mean of in[at[e] + i] over its n_at elements e, with weights of
 * their differences from in[centre + i], multiplied by `scale`, and space[e]. */
typedef struct tess__bilateral {
    const void    *in, *space;
    const int64_t *at;
    int64_t        n_at, centre;
    double         scale;
} tess__bilateral;

typedef void tess__bilateral_fn(void *out, const tess__bilateral *t, int64_t n);

/* Sums of weighted differences from the centre and of weights, of a row of results. */
typedef struct tess__similar_sums {
    void       *sums, *weights;
    const void *centre;
} tess__similar_sums;

/* Non-local means: squares of n differences times `scale`; n sums of them become weights; n elements x are added; n
 * means, the centre's own weight being 1. */
typedef void tess__similar_squares_fn(void *out, const void *a, const void *b, double scale, int64_t n);
typedef void tess__patch_weights_fn(void *squares, double base, int64_t n);
typedef void tess__add_similar_fn(const tess__similar_sums *s, const void *x, const void *weights, int64_t n);
typedef void tess__similar_means_fn(void *out, const tess__similar_sums *s, int64_t n);

/* A row of a spectrum whose multipliers are wanted. */
typedef struct tess__filter_row {
    const tess__filter_spec          *spec;
    const struct tess__filter_values *values;
    double                            fd, fh;            /* frequencies of D and H, cycles per pixel */
    tess__metric_row                  line;              /* their squares with those of W */
    const double                     *fw;                /* those of W */
    const double                     *doses;             /* DOSE: reciprocals of the critical dose of each element, */
    const double                     *norms;             /* and of what results are divided by; NULL: by nothing */
    int64_t                           n_values, batches; /* DOSE: all of `values`, and of the output */
    const double                     *curve;             /* CURVE, WHITEN */
    int64_t                           curve_stride;
    tess_c64                          factor;  /* AXES: of D and H, */
    const tess_c64                   *factors; /* and of W */
    int64_t                           factor_stride;
} tess__filter_row;

/* Multipliers, or reciprocals of doses as f64, of n elements from `first` on of a row; m[0] is that of `first`. */
typedef void tess__multipliers_fn(void *m, const tess__filter_row *row, int64_t first, int64_t n);

/* cos(2 pi t) and sin(2 pi t) of n numbers. */
typedef void tess__fit_waves_fn(double *cosine, double *sine, const double *t, int64_t n);

/* Sums, over the samples `first` to `last` - 1, of the products of two quantities, a tess__fit_sums, at `parameter`. */
typedef void tess__fit_shell_fn(tess__fit_sums sums, const tess__fit_points *points, int64_t first, int64_t last,
                                const double *parameter);

/* The TESS__FIT_PRODUCTS of the rows of a sector, n long, with two waves; n is a multiple of TESS__FIT_LANES. */
typedef void tess__fit_products_fn(double *products, const double *rows, const double *c, const double *s, int64_t n);

/* Sums over sectors of a run of the table: rows are `stride` apart, and the run of each sector begins at its offset. */
typedef void tess__fit_totals_fn(double (*sums)[TESS__FIT_RUN], const double *table, int64_t stride,
                                 const int64_t *offset);

/* Correlations of a run with c and s times the two waves. */
typedef void tess__fit_scores_fn(double *scores, double (*sums)[TESS__FIT_RUN], double c, double s);

/* By precision, f32 and f64. The kernels that multiply have operands out, in, contiguous multipliers; their param is a
 * bool, whether the conjugate of `in` is multiplied. */
typedef struct tess__filter_kernels {
    tess__multipliers_fn *multipliers[2][TESS__FILTER_KINDS]; /* NULL for IMAGE and AXES */
    tess__multipliers_fn *odd_multipliers[2];                 /* CTF: complex ones */
    tess__multipliers_fn *axes[2];                            /* AXES: complex ones */
    tess__multipliers_fn *inverse_doses, *dose_norms;
    tess__row_fn         *real_real[2], *complex_real[2], *complex_complex[2];
    tess__row_fn         *power_real[2], *power_complex[2]; /* |in m|^2, of complex in */
} tess__filter_kernels;

/* Filled by kernels_convolve.c, kernels_ctf_fit.c, kernels_filter.c, kernels_radial_bins.c, kernels_rank.c,
 * kernels_running.c and kernels_similar.c. */
typedef struct tess__signal_kernels {
    tess__convolve_fn  *convolve[2];         /* real weights: f32, f64 */
    tess__convolve_fn  *convolve_complex[2]; /* complex ones */
    tess__row_fn       *to_keys[TESS__REALS], *from_keys[TESS__REALS];
    tess__pair_fn      *lower[TESS__RANK_SIZES], *higher[TESS__RANK_SIZES]; /* of keys */
    tess__pair_fn      *total;                                              /* of f64 */
    tess__quotient_fn  *quotient;
    tess__rank_fn      *minimum[TESS__RANK_SIZES], *maximum[TESS__RANK_SIZES]; /* of any elements of a window */
    tess__rank_fn      *median_of_3[TESS__RANK_SIZES], *median_of_5[TESS__RANK_SIZES], *median_of_7[TESS__RANK_SIZES];
    tess__rank_fn      *median_3x3[TESS__RANK_SIZES], *median_5x5[TESS__RANK_SIZES];
    tess__rank_fn      *bits[TESS__RANK_SIZES];      /* any rank, by its bits */
    tess__rank_fn      *merge[TESS__RANK_SIZES];     /* the same, of 16 to 64 bits, by merging sorted columns */
    tess__rank_fn      *histogram[TESS__RANK_SIZES]; /* the same, of 8 and 16 bits, by moving histograms */
    tess__rank_fn      *columns;      /* the same, of 8 bits and up to 65535 elements, by histograms of columns */
    tess__bilateral_fn *bilateral[2]; /* f32, f64, as the next four */
    tess__similar_squares_fn *similar_squares[2];
    tess__patch_weights_fn   *patch_weights[2];
    tess__add_similar_fn     *add_similar[2];
    tess__similar_means_fn   *similar_means[2];
    tess__radial_places_fn   *radial_places;
    tess__radial_bins_fn     *radial_bins[2][TESS__RADIAL_TERMS]; /* of reals f32, f64 */
    tess__filter_kernels    filter;
    tess__fit_waves_fn     *fit_waves;
    tess__fit_shell_fn     *fit_shell;
    tess__fit_products_fn  *fit_products;
    tess__fit_totals_fn    *fit_totals;
    tess__fit_scores_fn    *fit_scores;
} tess__signal_kernels;

#endif
