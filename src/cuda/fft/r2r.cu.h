/* Pre- and post-processing of discrete cosine and sine transforms around a complex FFT; see cuda/fft/r2r.c.
 *
 * The program defines REAL, COMPLEX, and AFTER: 0 fills the complex vectors, 1 takes the results out of them. */
#include "cuda/fft/r2r_params.h"
#include "tessera/constants.h"

enum { THREADS = 256, DCT1 = 1, DCT2, DCT3, DCT4, DST1, DST2, DST3, DST4 };

/* exp(-2 pi i m / n). */
static __device__ tess_c64 twiddle_of(int64_t m, int64_t n)
{
    return tess__cis_c64(-(2 * TESS_PI) * ((double)(m % n) / (double)n));
}

/* The factor of an element before the transform: 2, but for the ends. */
static __device__ double weight(const tess__gpu_r2r &p, int64_t j)
{
    const bool first = (p.kind == DCT1 || p.kind == DCT3) && j == 0;
    const bool last = (p.kind == DCT1 || p.kind == DST3) && j == p.length - 1;
    return first || last ? (p.ortho ? 1.4142135623730951 : 1.0) : 2.0;
}

static __device__ double ortho_after(const tess__gpu_r2r &p, int64_t k)
{
    const bool first = (p.kind == DCT1 || p.kind == DCT2) && k == 0;
    const bool last = (p.kind == DCT1 || p.kind == DST2) && k == p.length - 1;
    return p.ortho && (first || last) ? 0.7071067811865476 : 1.0;
}

TESS_KERNEL(THREADS, tess__gpu_r2r, p)
{
    int64_t left = (int64_t)blockIdx.x * THREADS + threadIdx.x, real = 0, complex = 0, at = 0;
    if (left >= p.n) return;
    for (int d = 3; d >= 0; d--) {
        const int64_t index = left % p.shape[d];
        left /= p.shape[d];
        if (d == p.axis) at = index;
        real += index * p.real_stride[d];
        complex += index * p.complex_stride[d];
    }
#if AFTER
    const tess_c64 twiddle = twiddle_of((int64_t)p.a2 * (2 * at + p.b2), 8 * p.period);
    const COMPLEX  z = ((const COMPLEX *)p.complex)[complex];
    const double   re = z.re * twiddle.re - z.im * twiddle.im, im = z.re * twiddle.im + z.im * twiddle.re;
    ((REAL *)p.real)[real] = (REAL)((p.kind >= DST1 ? -im : re) * p.scale * ortho_after(p, at));
#else
    COMPLEX z = { 0, 0 };
    if (at < p.length) {
        const tess_c64 twiddle = twiddle_of((int64_t)p.b2 * at, 4 * p.period);
        const double   x = (double)((const REAL *)p.real)[real] * weight(p, at);
        z.re = (REAL)(x * twiddle.re), z.im = (REAL)(x * twiddle.im);
    }
    ((COMPLEX *)p.complex)[complex] = z;
#endif
}
