/* Table of the kernels of geometry: rows of transforms, samples at given points and their adjoint, B-spline
 * coefficients, coverage by shapes along a row, distances, samples of images at computed coordinates, sums at positions
 * of affine maps, footprints of voxels, rows of turned spectra, slices spread into volumes and gathered, functions of
 * small vectors and matrices. */
#ifndef TESS_CPU_GEOMETRY_KERNELS_H
#define TESS_CPU_GEOMETRY_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "formulas/geometry/draw.op.h"
#include "tessera/interp.h"

/* n results of a row. Which of them go by the border does not change one that does not need it. */
struct tess__transform_line;
typedef void tess__transform_fn(const struct tess__transform_line *line, int64_t n);

/* The windows along w of a row of n results, of which `columns` has room for n. */
struct tess__transform_columns;
typedef void tess__set_columns_fn(struct tess__transform_columns *columns, const struct tess__transform_line *line,
                                  int64_t n);

/* n results of a row of points. */
struct tess__sample_points_run;
typedef void tess__sample_points_fn(const struct tess__sample_points_run *run, int64_t n);

/* The values of a row of n points, added to the elements of a slab. */
struct tess__spread_points_run;
typedef void tess__spread_points_fn(const struct tess__spread_points_run *run, int64_t n);

/* The coefficients of some vectors. */
struct tess__prefilter_lines;
typedef void tess__prefilter_fn(const struct tess__prefilter_lines *lines);

/* Neighbours of a row in the frame of a shape: element i lies at start + i step, where i counts from `first`. */
typedef struct tess__shape_row {
    const tess__draw_spec *spec;
    const double          *size;
    double                 start[3], step[3];
    int64_t                first;
} tess__shape_row;

/* coverage[i] becomes the larger of what it is and what the shape covers of element i, of n. */
typedef void tess__draw_cover_fn(double *coverage, const tess__shape_row *row, int64_t n);

/* n results in the place of elements, whose coverage is coverage[i * step]: f64, or pairs of them. */
typedef void tess__draw_apply_fn(double *elements, const double *coverage, int64_t step, const tess__draw_spec *spec,
                                 int64_t n);

/* The least of squares[j stride + c] + step2 (i - j)^2 over j, of n, into out[i TESS__NEAR_COLUMNS + c]. False if for
 * some i it may lie more than TESS__NEAR_STEPS away: then `out` is not complete. */
typedef bool tess__near_fn(double *out, const double *squares, int64_t stride, int64_t n, double step2);

enum { TESS__NEAR_COLUMNS = 16, TESS__NEAR_STEPS = 32 };

/* n samples of a row of the output, at most TESS__RESAMPLE_BLOCK. */
struct tess__resample_run;
typedef void tess__resample_fn(const struct tess__resample_run *run, int64_t n);

/* The positions (y, x) in the input of n columns of a row of the output. */
struct tess__resample_columns;
typedef void tess__resample_positions_fn(double *y, double *x, const struct tess__resample_columns *columns, int64_t n);

enum { TESS__RESAMPLE_METHODS = TESS_INTERP_LANCZOS8 + 1 };

/* The results of a tile. */
struct tess__sum_tile;
typedef void tess__sum_fn(const struct tess__sum_tile *tile);

/* The pixels of a tile. */
struct tess__footprint_tile;
typedef void tess__footprint_fn(const struct tess__footprint_tile *tile);

/* n coefficients of a row. */
struct tess__sample_row;
typedef void tess__sample_fn(const struct tess__sample_row *row, int64_t n);

/* Columns first to last - 1 of a row of a slice, into the planes of a task, by way of a queue; and what the queue has
 * at the end. */
struct tess__spread_task;
struct tess__spread_row;
struct tess__spread_queue;
typedef void tess__spread_fn(const struct tess__spread_task *task, const struct tess__spread_row *row, int64_t first,
                             int64_t last, struct tess__spread_queue *queue);
typedef void tess__spread_queued_fn(const struct tess__spread_task *task, struct tess__spread_queue *queue);

/* Columns first to first + n - 1 of a row, at most TESS__GATHER_COLUMNS, from all slices. */
struct tess__gather_row;
typedef void tess__slice_gather_fn(const struct tess__gather_row *row, int64_t first, int64_t n);

/* A function of items: packed, TESS__ITEM_BLOCK across, or with the numbers of each beside each other, 1 across. */
struct tess__item_run;
typedef void tess__items_fn(const struct tess__item_run *run);

typedef struct tess__item_kernels {
#define ITEM(name, a, b, n_out) tess__items_fn *name;
#include "ops/geometry/items/items.def"
} tess__item_kernels;

/* Filled by kernels_affine_sum.c, kernels_distances.c, kernels_draw.c, kernels_footprint.c, kernels_items.c,
 * kernels_resample_2d.c, kernels_prefilter.c, kernels_sample_points.c, kernels_slices.c, kernels_spread_points.c and
 * kernels_transform.c. */
typedef struct tess__geometry_kernels {
    tess__transform_fn          *transform[2];     /* of reals f32, f64 */
    tess__set_columns_fn        *set_columns[2];   /* the same */
    tess__sample_points_fn      *sample_points[2]; /* the same */
    tess__spread_points_fn      *spread_points[2]; /* the same */
    tess__prefilter_fn          *prefilter[2];     /* the same */
    tess__near_fn               *near;
    tess__draw_cover_fn         *cover[TESS__DRAW_KINDS];
    tess__draw_apply_fn         *apply[2];                            /* real, complex */
    tess__resample_fn           *resample[4][TESS__RESAMPLE_METHODS]; /* of f32, f64, c32, c64; NULL for DEFAULT */
    tess__resample_positions_fn *resample_positions;
    tess__sum_fn                *affine_sum[2]; /* of f32, f64 */
    tess__footprint_fn          *footprint[2];
    tess__sample_fn             *sample[4];        /* of f32, f64, c32, c64: any method */
    tess__sample_fn             *sample_linear[4]; /* linear, of volumes */
    tess__spread_fn             *spread[2];        /* of c32, c64 */
    tess__spread_queued_fn      *spread_queued[2]; /* the same */
    tess__slice_gather_fn       *gather[2];        /* the same */
    tess__item_kernels           items;
} tess__geometry_kernels;

#endif
