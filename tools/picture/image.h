/* From arrays to pictures: filters, power spectra, contrast, and the scale bar.
 *
 * Images are f32 arrays {1,1,h,w} on the CPU whose row 0 is the bottom of the picture. Values that are NaN or infinite
 * have no say in contrast or filters; NaN is shown in a colour of its own.
 */
#ifndef TESSERA_PICTURE_IMAGE_H
#define TESSERA_PICTURE_IMAGE_H

#include "picture/canvas.h"

typedef enum contrast_kind {
    CONTRAST_SIGMA,      /* from mean - low * sd to mean + high * sd */
    CONTRAST_PERCENTILE, /* from that of `low` percent of the values below it to that of `high` percent */
    CONTRAST_MINMAX,
    CONTRAST_RANGE /* from low to high */
} contrast_kind;

typedef struct contrast {
    contrast_kind kind;
    double        low, high;
    bool          invert; /* high values are dark */
} contrast;

/* The values that are black and white, of `n` images together. Where all values are equal, they are in the middle. */
tess_status image_contrast(double shown[2], const tess_array *images, int64_t n, const contrast *by);

/* Keep what is below `cutoff` of images or volumes, in place, with an edge of a raised cosine `edge` wide around it;
 * both in cycles per pixel. */
tess_status image_lowpass(tess_array *images, double cutoff, double edge);

/* The power spectrum: zero frequency at (h / 2, w / 2), not larger than most x most by averaging, as log(1 + |x|^2) of
 * the image with mean 0 and sd 1, so that all images are shown alike. */
tess_status image_power(tess_array *out, const tess_array *image, int64_t max);

/* A smaller image, each pixel the mean of the area it covers; NaNs do not count. A size of the input or less. */
tess_status image_shrink(tess_array *out, const tess_array *image, int64_t height, int64_t width);

/* Put an image on a canvas with its upper left corner at pixel (x, y), each pixel zoom x zoom. */
tess_status image_put(canvas *c, int64_t x, int64_t y, const tess_array *image, const double shown[2], bool invert,
                      int64_t zoom);

/* A text in the upper left corner of a part of a canvas that begins at (x, y) and is `width` wide; readable on
 * anything. Left out where it does not fit. */
void image_label(canvas *c, double x, double y, double width, const char *text);

/* A scale bar in the lower left corner of a part of a canvas, of a round length that is at most a third of the width;
 * `pixel_size` is Å per pixel of the canvas. False where it does not fit. */
bool image_scale_bar(canvas *c, double x, double y, double width, double height, double pixel_size);

/* "50 Å", "20 nm", "1 µm" of a length in Å. */
char *length_text(char text[40], double length);

#endif
