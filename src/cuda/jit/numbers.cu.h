/* Arithmetic of f64 and c64 under the same names, for kernel source that is written once for both. */
#ifndef TESS_CUDA_JIT_NUMBERS_CU_H
#define TESS_CUDA_JIT_NUMBERS_CU_H

static __device__ double conjugate(double x) { return x; }
static __device__ double plus(double x, double y) { return x + y; }
static __device__ double minus(double x, double y) { return x - y; }
static __device__ double times(double x, double y) { return x * y; }
static __device__ double over(double x, double y) { return x / y; }
static __device__ double scaled(double x, double by) { return x * by; }
static __device__ double divided(double x, double by) { return x / by; }
static __device__ double shifted(double x, int exponent) { return ldexp(x, exponent); }
static __device__ double size_of(double x) { return fabs(x); }
static __device__ double largest_part(double x) { return fabs(x); }
static __device__ double square_of(double x) { return x * x; }
static __device__ double phase_of(double x) { return x < 0 ? -1.0 : 1.0; }

static __device__ tess_c64 complex_of(double re, double im)
{
    tess_c64 z;
    z.re = re, z.im = im;
    return z;
}
static __device__ tess_c64 conjugate(tess_c64 x) { return complex_of(x.re, -x.im); }
static __device__ tess_c64 plus(tess_c64 x, tess_c64 y) { return complex_of(x.re + y.re, x.im + y.im); }
static __device__ tess_c64 minus(tess_c64 x, tess_c64 y) { return complex_of(x.re - y.re, x.im - y.im); }
static __device__ tess_c64 times(tess_c64 x, tess_c64 y)
{
    return complex_of(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re);
}
static __device__ tess_c64 scaled(tess_c64 x, double by) { return complex_of(x.re * by, x.im * by); }
static __device__ tess_c64 divided(tess_c64 x, double by) { return complex_of(x.re / by, x.im / by); }
static __device__ tess_c64 shifted(tess_c64 x, int exponent)
{
    return complex_of(ldexp(x.re, exponent), ldexp(x.im, exponent));
}
static __device__ double square_of(tess_c64 x) { return x.re * x.re + x.im * x.im; }
static __device__ double size_of(tess_c64 x) { return sqrt(square_of(x)); }
static __device__ double largest_part(tess_c64 x) { return fmax(fabs(x.re), fabs(x.im)); }

/* The larger part is made 1 first, so that nothing is lost below the range. */
static __noinline__ __device__ tess_c64 over(tess_c64 x, tess_c64 y)
{
    const double   part = largest_part(y);
    const tess_c64 by = complex_of(y.re / part, y.im / part), z = times(x, conjugate(by));
    const double   square = square_of(by);
    return complex_of(z.re / part / square, z.im / part / square);
}

static __noinline__ __device__ tess_c64 phase_of(tess_c64 x)
{
    const double part = largest_part(x);
    if (part == 0) return complex_of(1, 0);
    const tess_c64 y = complex_of(x.re / part, x.im / part);
    const double   size = size_of(y);
    return complex_of(y.re / size, y.im / size);
}

static __device__ void set_real(double *x, double to) { *x = to; }
static __device__ void set_real(tess_c64 *x, double to) { *x = complex_of(to, 0); }

/* The sum of the lanes of a warp, in each of them. */
static __device__ double warp_sum(double x)
{
    for (int by = 16; by > 0; by /= 2) x += __shfl_xor_sync(0xffffffffu, x, by);
    return x;
}
static __device__ tess_c64 warp_sum(tess_c64 x) { return complex_of(warp_sum(x.re), warp_sum(x.im)); }

#endif
