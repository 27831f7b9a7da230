/* Description of a filter of spectra: its kind, the columns of its parameters, axes and their frequencies. Plain data,
 * which requests and kernels share. */
#ifndef TESS_FORMULAS_FILTER_SPEC_OP_H
#define TESS_FORMULAS_FILTER_SPEC_OP_H

#include "formulas/metric.op.h"
#include "tessera/math/fn.h"
#include "tessera/math/frequency.op.h"

/* Kinds of filters that have kernels of their own; macros, as the preprocessor of kernels compares them too. */
#define TESS__FILTER_CURVE 0  /* a radial curve, interpolated */
#define TESS__FILTER_WHITEN 1 /* 1 / sqrt of a radial curve, interpolated */
#define TESS__FILTER_DOSE 2   /* exposure filter */
#define TESS__FILTER_CTF 3
#define TESS__FILTER_IMAGE 4 /* multipliers in an array */
#define TESS__FILTER_AXES 5  /* complex factors along each axis, multiplied */

/* Kinds of filters that are a formula: PASS, high-pass times low-pass; BFACTOR, exp(-B r^2 / 4); SCALE, a number, but 0
 * at zero frequency; MASK, a shape around zero frequency. */
enum {
    TESS__FILTERS_OWN = 5,
#define FILTER(KIND, name, cost, cuts, constants, multiplier) TESS__FILTER_##KIND,
#include "formulas/filters.def"
    TESS__FILTER_KINDS
};

/* Edges of pass filters: values of tess_filter_edge. */
#define TESS__EDGE_COSINE 1
#define TESS__EDGE_GAUSSIAN 2
#define TESS__EDGE_BUTTERWORTH 3

/* What the multipliers of a pass filter are at a frequency. */
#define TESS__FILTER_STOPS 0 /* exactly 0: results are 0, whatever the input is */
#define TESS__FILTER_EDGE 1
#define TESS__FILTER_PASSES 2 /* exactly 1 */

/* What exposure filters are divided by: nothing; the root of the sum of their squares over all batches; and, to make a
 * table of these for calls on some batches at a time, that root alone, and from the table. */
#define TESS__DOSE_PLAIN 0
#define TESS__DOSE_NORMALIZE 1
#define TESS__DOSE_NORMS 2
#define TESS__DOSE_NORM_TABLE 3

/* Shapes of masks. */
#define TESS__MASK_WEDGE 0     /* between two planes through an axis */
#define TESS__MASK_CONE 1      /* about a direction */
#define TESS__MASK_ELLIPSOID 2 /* of radii along the axes */
#define TESS__MASK_CROSS 3     /* near the axes */

/* Columns of the parameters of the other kinds. */
enum { TESS__PASS_LOW, TESS__PASS_LOW_WIDTH, TESS__PASS_HIGH, TESS__PASS_HIGH_WIDTH, TESS__PASS_COLUMNS };
enum { TESS__BFACTOR_B, TESS__BFACTOR_PIXEL, TESS__BFACTOR_COLUMNS };
enum { TESS__DOSE_DOSE, TESS__DOSE_PIXEL, TESS__DOSE_FACTOR, TESS__DOSE_COLUMNS };
enum { TESS__SCALE_FACTOR, TESS__SCALE_COLUMNS };

/* Of masks: two angles of a wedge, the aperture of a cone, three radii, or the half width of a cross; then the edge,
 * the radius that is kept, and the direction of a cone along d, h and w. */
enum {
    TESS__MASK_SIZE,
    TESS__MASK_WIDTH = TESS__MASK_SIZE + 3,
    TESS__MASK_KEEP,
    TESS__MASK_DIRECTION,
    TESS__MASK_COLUMNS = TESS__MASK_DIRECTION + 3
};

/* Columns of the parameters of a CTF: the fields of tess_ctf in their order. */
enum {
    TESS__CTF_PIXEL_H,
    TESS__CTF_PIXEL_W,
    TESS__CTF_DEFOCUS,
    TESS__CTF_ASTIGMATISM,
    TESS__CTF_ANGLE,
    TESS__CTF_VOLTAGE,
    TESS__CTF_AMPLITUDE,
    TESS__CTF_CS,
    TESS__CTF_PHASE_SHIFT,
    TESS__CTF_BFACTOR,
    TESS__CTF_SCALE,
    TESS__CTF_TETRAFOIL,
    TESS__CTF_TETRAFOIL_ANGLE,
    TESS__CTF_TILT_H,
    TESS__CTF_TILT_W,
    TESS__CTF_TREFOIL,
    TESS__CTF_TREFOIL_ANGLE,
    TESS__CTF_COLUMNS
};

/* What is made of the value; macros, as the preprocessor of kernels compares them too. */
#define TESS__CTF_VALUE 0
#define TESS__CTF_ABS 1
#define TESS__CTF_SQUARED 2
#define TESS__CTF_FLIP 3   /* its sign */
#define TESS__CTF_WIENER 4 /* value / (value^2 + noise) */

enum { TESS__FILTER_MAX_COLUMNS = TESS__CTF_COLUMNS };

/* What is the same for all batches. */
typedef struct tess__filter_spec {
    int32_t      kind;              /* a TESS__FILTER_ */
    int32_t      has_low, has_high; /* PASS: the sides that it has */
    int32_t      edge, order;       /* PASS: a TESS__EDGE_; of the Butterworth */
    int32_t      centred;           /* PASS: edges are centred on the cutoffs */
    int32_t      mode;              /* CTF: a TESS__CTF_; MASK: a TESS__MASK_ */
    int32_t      enveloped;         /* CTF: it decays */
    int32_t      is_odd;            /* multipliers are complex */
    int32_t      normalize;         /* DOSE: a TESS__DOSE_ */
    int32_t      axes;              /* MASK: bit k - 1 of axis k; the one of a wedge, those of a cross */
    int32_t      invert;            /* MASK: what is inside stops */
    double       noise;             /* CTF: of the Wiener filter */
    double       cutoff;            /* AXES: at higher frequencies multipliers are 1 */
    double       curve_stop;        /* CURVE, WHITEN: frequency of its last value */
    int64_t      curve_n;           /* CURVE, WHITEN: values */
    tess__metric metric;
} tess__filter_spec;

/* An axis of the output, of the input, and its range: f = start + k span / count. Orders are TESS__ORDER_, as
 * TESS__FFT_ of ops/fft/layout.h. */
typedef struct tess__filter_axis {
    int64_t n;       /* logical size */
    int32_t out, in; /* orders */
    double  start, span, count;
} tess__filter_axis;

#endif
