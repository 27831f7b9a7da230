/* Circles on a picture of an image. */
#include "picture/circles.h"

#include <math.h>

#include "picture/image.h"

/* Row 0 of an image is at the bottom of its picture. */
static void draw_circle(canvas *c, double x, double y, double radius, double scale)
{
    enum { SIDES = 48 };
    const stroke style = { .width = 2, .colour = { 60, 220, 90, 255 } };
    point        points[SIDES + 1];
    for (int k = 0; k <= SIDES; k++) {
        const double angle = (2 * TESS_PI) * k / SIDES;
        points[k].x = (x + 0.5 + radius * cos(angle)) * scale;
        points[k].y = (double)c->height - (y + 0.5 + radius * sin(angle)) * scale;
    }
    c->surface.line(&c->surface, points, SIDES + 1, style);
}

tess_status circles_write(const char *path, const tess_array *image, const double *xy, int64_t n, double radius,
                          bool overwrite)
{
    enum { MAX_SIDE = 1024 };
    const tess_shape s = image->shape;
    const double     side = (double)(s.h > s.w ? s.h : s.w), scale = side > MAX_SIDE ? MAX_SIDE / side : 1;
    const int64_t    h = (int64_t)fmax(rint((double)s.h * scale), 1), w = (int64_t)fmax(rint((double)s.w * scale), 1);
    tess_array       shown = { 0 };
    canvas          *c = NULL;
    double           range[2];
    tess_status      status;
    TESS_GOTO(done, status, image_shrink(&shown, image, h, w));
    TESS_GOTO(done, status, image_contrast(range, &shown, 1, &(contrast){ CONTRAST_SIGMA, 3, 3, false }));
    TESS_GOTO(done, status, canvas_new(&c, (double)w, (double)h, 1, (colour){ 0, 0, 0, 255 }));
    TESS_GOTO(done, status, image_put(c, 0, 0, &shown, range, false, 1));
    for (int64_t i = 0; i < n; i++) draw_circle(c, xy[2 * i], xy[2 * i + 1], radius, scale);
    TESS_GOTO(done, status, canvas_write(c, path, overwrite));
done:
    tess_release(&shown);
    canvas_free(c);
    return status;
}
