/* A map on another grid: the box is padded until the new pixel size fits, then the Fourier transform is cropped or
 * padded, then the box. */
#include "jobs/data/maps/map_grid.h"

#include <math.h>

#include "jobs/data/maps/fourier_box.h"
#include "tessera/resize.h"

enum { PADDED_BY = 128 }; /* pixels that a box may grow by */

/* Even sizes, before and after, whose ratio is the scale, or as near to it as may be: even ones, so that the middle
 * stays. */
static void choose_sizes(int64_t least, double scale, int64_t *from, int64_t *to)
{
    double best = INFINITY;
    for (int64_t n = least + least % 2; n <= least + PADDED_BY && best > 1e-6; n += 2) {
        const int64_t m = 2 * (int64_t)fmax(rint((double)n / scale / 2), 1);
        const double  off = fabs((double)n / (double)m / scale - 1);
        if (off >= best) continue;
        best = off;
        *from = n;
        *to = m;
        if (off < 2e-4) return;
    }
}

tess_status tess__map_to_grid(tess_array *map, double scale, int64_t side)
{
    const tess_shape s = map->shape;
    const int64_t    longest = s.d > s.h ? (s.d > s.w ? s.d : s.w) : (s.h > s.w ? s.h : s.w);
    int64_t          from = longest, to = side;
    tess_array       padded = { 0 }, scaled = { 0 }, boxed = { 0 };
    tess_status      status;
    choose_sizes(longest, scale, &from, &to);
    TESS_GOTO(done, status, tess_resize(&padded, map, TESS_SHAPE(1, from, from, from), NULL));
    TESS_GOTO(done, status, tess__fourier_box(&scaled, &padded, TESS_SHAPE(1, to, to, to)));
    TESS_GOTO(done, status, tess_resize(&boxed, &scaled, TESS_SHAPE(1, side, side, side), NULL));
    tess_release(map);
    *map = boxed;
    boxed = (tess_array){ 0 };
done:
    tess_release(&padded);
    tess_release(&scaled);
    tess_release(&boxed);
    return status;
}
