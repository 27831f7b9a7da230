/* Masks in Fourier space: spectra times a shape around zero frequency.
 *
 * A mask is 1 inside its shape and at its surface, and falls to 0 outside as a raised cosine over `width` cycles per
 * pixel. With `keep` it is the larger of this and of a low-pass with the same edge, which leaves low frequencies in.
 * Spheres and shells are tess_lowpass, tess_highpass and tess_bandpass. All of what tessera/filter.h says of filters is
 * true of masks: signals, images and volumes, any number of batches, every pair of layouts, ranges, dtypes, in place,
 * in == NULL for the mask itself, and the same bits on a GPU.
 *
 * A frequency is (fd, fh, fw) in cycles per pixel, 0 along an axis of size 1; masks are the same at opposite
 * frequencies. Angles are radians. A distance from a surface of 1e-12 and less is taken for rounding.
 */
#ifndef TESSERA_FOURIER_MASK_H
#define TESSERA_FOURIER_MASK_H

#include "tessera/filter.h"

TESS_BEGIN_C

/* ---- Wedges ------------------------------------------------------------------------------------------------------ */

typedef struct tess_fourier_wedge_opts {
    double            width;       /* of the edge, cycles per pixel; up to 1e-6: hard [0] */
    double            keep;        /* radius, cycles per pixel, up to which the mask is 1 in any case; beyond it falls
                                      from 1 to 0 over `width` too, and the larger of both counts [0: none] */
    double            start, stop; /* range of frequencies, as of tess_lowpass [0, all] */
    const tess_array *parameters; /* {b,1,1,m}: first, last and, m = 3, width of each batch, in place of those [NULL] */
    int32_t           axis;       /* that of both planes: TESS_D, TESS_H or TESS_W [volumes: H, the others: D] */
    int32_t           invert;     /* 1: 1 - mask, before `keep` [0] */
    int32_t           from, to;   /* layouts, tess_fft_layout [H, that of `from`] */
    int32_t           no_endpoint; /* 1: the range ends before `stop` [0] */
    uint32_t          reserved[5]; /* must be 0 */
} tess_fourier_wedge_opts;

/**
 * Keep what lies between two planes through an axis: what a tilt series has measured.
 *
 * The planes stand at the angles `first` and `last`, which is not below `first` nor pi above it; the angle of a
 * frequency is atan2(fd, fw) about H, the tilt axis of most series, atan2(fd, fh) about W, and atan2(fh, fw) about D,
 * each modulo pi. Tilts from -60 to 60 degrees, -pi/3 to pi/3, leave the missing wedge about the d axis out; `invert`
 * keeps that alone. The edge is measured from the nearer plane.
 */
TESS_API TESS_MUST_CHECK tess_status tess_fourier_wedge(tess_array *out, const tess_array *in, tess_shape shape,
                                                        double first, double last, const tess_fourier_wedge_opts *opts);

/* ---- Cones ------------------------------------------------------------------------------------------------------- */

typedef struct tess_fourier_cone_opts {
    double            width, keep;                           /* as tess_fourier_wedge_opts has them */
    double            direction_d, direction_h, direction_w; /* of its axis, of any length [the d axis of
                                                                volumes, h of images, w of signals; 0 if another is
                                                                given] */
    double            start, stop;
    const tess_array *parameters; /* {b,1,1,m}: aperture and, m = 4, direction d, h, w of each batch [NULL] */
    int32_t           invert;
    int32_t           from, to;
    int32_t           no_endpoint;
    uint32_t          reserved[4]; /* must be 0 */
} tess_fourier_cone_opts;

/** Keep what lies in a double cone about a direction, up to the angle `aperture` from it, 0 to pi/2: as the cones of
 *  tess_fsc. The edge is measured from the surface. */
TESS_API TESS_MUST_CHECK tess_status tess_fourier_cone(tess_array *out, const tess_array *in, tess_shape shape,
                                                       double aperture, const tess_fourier_cone_opts *opts);

/* ---- Ellipsoids -------------------------------------------------------------------------------------------------- */

typedef struct tess_fourier_ellipsoid_opts {
    double            width, keep; /* as tess_fourier_wedge_opts has them */
    double            start, stop;
    const tess_array *parameters; /* {b,1,1,3}: the radii of each batch [NULL] */
    int32_t           invert;
    int32_t           from, to;
    int32_t           no_endpoint;
    uint32_t          reserved[4]; /* must be 0 */
} tess_fourier_ellipsoid_opts;

/** Keep what lies in an ellipsoid with these radii along d, h and w, in cycles per pixel and above 0: a low-pass whose
 *  cutoff depends on the direction. The edge is measured along the ray from zero frequency, so that it is thinner where
 *  a ray meets the surface obliquely. */
TESS_API TESS_MUST_CHECK tess_status tess_fourier_ellipsoid(tess_array *out, const tess_array *in, tess_shape shape,
                                                            double radius_d, double radius_h, double radius_w,
                                                            const tess_fourier_ellipsoid_opts *opts);

/* ---- Crosses ----------------------------------------------------------------------------------------------------- */

typedef struct tess_fourier_cross_opts {
    double            width, keep; /* as tess_fourier_wedge_opts has them */
    double            start, stop;
    const tess_array *parameters; /* {b,1,1,m}: half_width and, m = 2, width of each batch [NULL] */
    int32_t           axes;       /* a set of TESS_D, TESS_H and TESS_W [all of them] */
    int32_t           invert;
    int32_t           from, to;
    int32_t           no_endpoint;
    uint32_t          reserved[5]; /* must be 0 */
} tess_fourier_cross_opts;

/** Keep what lies up to `half_width` cycles per pixel, 0 or more, from any of the axes; 0: on an axis. With `invert` it
 *  takes the stripes of a detector, or of the edges of an image, out, and `keep` leaves low frequencies as they are. */
TESS_API TESS_MUST_CHECK tess_status tess_fourier_cross(tess_array *out, const tess_array *in, tess_shape shape,
                                                        double half_width, const tess_fourier_cross_opts *opts);

/* ---- Real arrays ------------------------------------------------------------------------------------------------- */

/** The same for real arrays, by way of their spectra: as tess_lowpass_image is to tess_lowpass. */
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
