/* 2-D resampling at computed coordinates: one thread for each result.
 *
 * The program defines WIDE: reals are f64, PARTS: 2 of complex elements, METHOD: a tess_interp, and KIND: a
 * TESS__RESAMPLE_. */
#include "cuda/geometry/sampling/resample_2d_params.h"
#include "cuda/geometry/reals.cu.h"

enum { THREADS = 256 };

/* The position of result (h, w) of batch b. */
static __device__ void position_of(double *y, double *x, const tess__gpu_resample_2d &p, int64_t b, int64_t h,
                                   int64_t w)
{
#if KIND == TESS__RESAMPLE_WARP
    tess__resample_of_warp(&p.grid, (double)h, (double)w, y, x);
#elif KIND == TESS__RESAMPLE_PIXELS
    tess__resample_of_pixel(&p.grid, p.grid.log, (double)h, (double)w, y, x);
#elif KIND == TESS__RESAMPLE_RAYS
    const double rho = tess__resample_radius(&p.grid, p.grid.log, (double)w);
    double       dy, dx;
    tess__resample_direction(&p.grid, (double)h, &dy, &dx);
    *y = __builtin_fma(rho, dy, p.grid.centre[0]);
    *x = __builtin_fma(rho, dx, p.grid.centre[1]);
#else
    const double        *ctf = (const double *)p.ctfs.data + b * p.ctfs.stride[0] + h * p.ctfs.stride[2];
    const double        *target = (const double *)p.target.data + b * p.target.stride[0];
    const tess__ctf_line in = tess__ctf_line_of(ctf), out = tess__ctf_line_of(target);
    *y = 0;
    *x = tess__resample_of_phase(&p.grid, &in, &out, (double)w);
#endif
}

TESS_KERNEL(THREADS, tess__gpu_resample_2d, p)
{
    const int64_t item = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (item >= p.n) return;
    const int64_t row = item / p.width, w = item - row * p.width, b = row / p.height, h = row - b * p.height;
    const int     taps = tess__interp_taps(METHOD);
    double        y, x, ty, tx;
    real          wy[TESS__RESAMPLE_TAPS], wx[TESS__RESAMPLE_TAPS];
    int64_t       first[2];
    position_of(&y, &x, p, b, h, w);
    first[0] = tess__resample_window(METHOD, y, &ty);
    first[1] = tess__resample_window(METHOD, x, &tx);
    TYPED(tess__interp_weights)(METHOD, (real)ty, wy);
    TYPED(tess__interp_weights)(METHOD, (real)tx, wx);
    const real   *data = (const real *)p.in.data + b * p.in.stride[0] * PARTS;
    real         *out = (real *)p.out.data + (b * p.out.stride[0] + h * p.out.stride[2] + w * p.out.stride[3]) * PARTS;
    const int64_t sy = p.in.stride[2], sx = p.in.stride[3];
    if (KIND == TESS__RESAMPLE_PHASES) data += h * sy * PARTS;
    if (tess__resample_is_inside(&p.source.axis[0], first[0], taps) &&
        tess__resample_is_inside(&p.source.axis[1], first[1], taps)) {
        data += (tess__resample_index(&p.source.axis[0], first[0]) * sy +
                 tess__resample_index(&p.source.axis[1], first[1]) * sx) *
                PARTS;
        for (int part = 0; part < PARTS; part++)
            out[part] = TYPED(tess__resample_sum)(data + part, sy * PARTS, sx * PARTS, taps, wy, wx, 1);
    } else if (!tess__resample_is_beyond(&p.source, y, x)) {
        const TYPED(tess__resample_window) at = { data, { sy, sx }, { first[0], first[1] }, wy, wx, 1 };
        for (int part = 0; part < PARTS; part++)
            out[part] = TYPED(tess__resample_edge)(&p.source, &at, PARTS, part, taps);
    }
}
