/* Masks in Fourier space: multiply spectra by a shape around zero frequency.
 *
 * A mask is 1 inside its shape and at its surface, and falls to 0 outside as a raised cosine over `width` cycles per
 * pixel. With `keep` it is the maximum of this and a low-pass filter with the same edge, which preserves low
 * frequencies. For spheres and shells use tess_lowpass, tess_highpass and tess_bandpass. Everything in tessera/filter.h
 * about filters applies to masks: signals, images and volumes, any number of batches, every pair of layouts, ranges,
 * dtypes, work in place, in == NULL for the mask itself, and bit-identical results on a GPU.
 *
 * A frequency is (fd, fh, fw) in cycles per pixel, 0 along an axis of size 1; masks are the same at opposite
 * frequencies. Angles are in radians. Distances of up to 1e-12 from a surface count as 0.
 */
#ifndef TESSERA_FOURIER_MASK_H
#define TESSERA_FOURIER_MASK_H

#include "tessera/filter.h"

TESS_BEGIN_C

/* ---- Wedges ------------------------------------------------------------------------------------------------------ */

typedef struct tess_fourier_wedge_opts {
    double            width;       /* width of the soft edge, cycles per pixel; up to 1e-6: hard edge [0] */
    double            keep;        /* radius, cycles per pixel, of the low frequencies to keep: the mask is 1 inside,
                                      falls to 0 over `width` outside, and the maximum with the shape is used [0:
                                      none] */
    double            start, stop; /* range of frequencies, as in tess_lowpass [0, all] */
    const tess_array *parameters;  /* {b,1,1,m}: first, last and, for m = 3, width of each batch; replaces those
                                      [NULL] */
    int32_t           axis;        /* axis through which both planes pass: TESS_D, TESS_H or TESS_W [volumes: H, others:
                                      D] */
    int32_t           invert;      /* 1: use 1 - mask, before `keep` [0] */
    int32_t           from, to;    /* layouts, tess_fft_layout [H, that of `from`] */
    int32_t           no_endpoint; /* 1: the range ends before `stop` [0] */
    uint32_t          reserved[5]; /* must be 0 */
} tess_fourier_wedge_opts;

/**
 * Keeps frequencies between two planes through an axis, such as those measured by a tilt series.
 *
 * The planes are at the angles `first` and `last`, with first <= last <= first + pi. The angle of a frequency is
 * atan2(fd, fw) about H, the tilt axis of most series, atan2(fd, fh) about W, and atan2(fh, fw) about D, each modulo
 * pi. Tilts from -60 to 60 degrees, -pi/3 to pi/3, remove the missing wedge about the d axis; `invert` keeps only that.
 * The edge is measured from the nearer plane.
 */
TESS_API TESS_MUST_CHECK tess_status tess_fourier_wedge(tess_array *out, const tess_array *in, tess_shape shape,
                                                        double first, double last, const tess_fourier_wedge_opts *opts);

/* ---- Cones ------------------------------------------------------------------------------------------------------- */

typedef struct tess_fourier_cone_opts {
    double            width, keep;                           /* as in tess_fourier_wedge_opts */
    double            direction_d, direction_h, direction_w; /* direction of the cone's axis, of any length [the d axis
                                                                for volumes, h for images, w for signals; 0 if another
                                                                component is given] */
    double            start, stop;
    const tess_array *parameters; /* {b,1,1,m}: aperture and, for m = 4, direction d, h, w of each batch [NULL] */
    int32_t           invert;
    int32_t           from, to;
    int32_t           no_endpoint;
    uint32_t          reserved[4]; /* must be 0 */
} tess_fourier_cone_opts;

/** Keeps frequencies in a double cone about a direction, up to the angle `aperture` from it, 0 to pi/2, like the cones
 *  of tess_fsc. The edge is measured from the surface. */
TESS_API TESS_MUST_CHECK tess_status tess_fourier_cone(tess_array *out, const tess_array *in, tess_shape shape,
                                                       double aperture, const tess_fourier_cone_opts *opts);

/* ---- Ellipsoids -------------------------------------------------------------------------------------------------- */

typedef struct tess_fourier_ellipsoid_opts {
    double            width, keep; /* as in tess_fourier_wedge_opts */
    double            start, stop;
    const tess_array *parameters; /* {b,1,1,3}: the radii of each batch [NULL] */
    int32_t           invert;
    int32_t           from, to;
    int32_t           no_endpoint;
    uint32_t          reserved[4]; /* must be 0 */
} tess_fourier_ellipsoid_opts;

/** Keeps frequencies in an ellipsoid with these radii along d, h and w, in cycles per pixel and above 0: a low-pass
 *  filter whose cutoff depends on the direction. The edge is measured along the ray from zero frequency, so that it is
 *  thinner where a ray meets the surface obliquely. */
TESS_API TESS_MUST_CHECK tess_status tess_fourier_ellipsoid(tess_array *out, const tess_array *in, tess_shape shape,
                                                            double radius_d, double radius_h, double radius_w,
                                                            const tess_fourier_ellipsoid_opts *opts);

/* ---- Crosses ----------------------------------------------------------------------------------------------------- */

typedef struct tess_fourier_cross_opts {
    double            width, keep; /* as in tess_fourier_wedge_opts */
    double            start, stop;
    const tess_array *parameters; /* {b,1,1,m}: half_width and, for m = 2, width of each batch [NULL] */
    int32_t           axes;       /* a set of TESS_D, TESS_H and TESS_W [all] */
    int32_t           invert;
    int32_t           from, to;
    int32_t           no_endpoint;
    uint32_t          reserved[5]; /* must be 0 */
} tess_fourier_cross_opts;

/** Keeps frequencies within `half_width` cycles per pixel of any of the axes; 0 keeps only those on an axis. With
 *  `invert` it removes the streaks caused by a detector, or by the edges of an image, while `keep` preserves low
 *  frequencies. */
TESS_API TESS_MUST_CHECK tess_status tess_fourier_cross(tess_array *out, const tess_array *in, tess_shape shape,
                                                        double half_width, const tess_fourier_cross_opts *opts);

/* ---- Real arrays ------------------------------------------------------------------------------------------------- */

/** Mask the spectra of real arrays, as tess_lowpass_image filters them. */
TESS_API TESS_MUST_CHECK tess_status tess_fourier_wedge_image(tess_array *out, const tess_array *in, double first,
                                                              double last, const tess_fourier_wedge_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_fourier_cone_image(tess_array *out, const tess_array *in, double aperture,
                                                             const tess_fourier_cone_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_fourier_ellipsoid_image(tess_array *out, const tess_array *in,
                                                                  double radius_d, double radius_h, double radius_w,
                                                                  const tess_fourier_ellipsoid_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_fourier_cross_image(tess_array *out, const tess_array *in, double half_width,
                                                              const tess_fourier_cross_opts *opts);

TESS_END_C

#endif
