/* Prelude of every kernel: the C types and functions that NVRTC does not have without headers, and the macros that
 * declare a kernel.
 *
 *     TESS_KERNEL(threads, params_type, p) { … p.member … }
 *
 * is the program's entry, with blocks of that many threads; TESS_KERNEL_TIGHT(threads, blocks, …) is one of which
 * that many blocks share a multiprocessor's registers. Kernels use static shared memory only. In place of NVRTC a
 * C++ compiler of the host can stand, for tests: TESS_SIMULATED and SIM_KERNEL are defined then. */
#ifndef TESS_CUDA_JIT_PRELUDE_CU_H
#define TESS_CUDA_JIT_PRELUDE_CU_H

typedef signed char    int8_t;
typedef unsigned char  uint8_t;
typedef short          int16_t;
typedef unsigned short uint16_t;
typedef int            int32_t;
typedef unsigned int   uint32_t;
typedef long           int64_t;
typedef unsigned long  uint64_t;
typedef unsigned long  uintptr_t;
#define TESS_DEVICE 1 /* for sources that are compiled for the host too */
#define INT8_MAX 127
#define INT8_MIN (-128)
#define INT16_MAX 32767
#define INT16_MIN (-32768)
#define INT32_MAX 2147483647
#define INT32_MIN (-2147483647 - 1)
#define INT64_MAX 9223372036854775807l
#define INT64_MIN (-9223372036854775807l - 1)
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295u
#define UINT64_MAX 18446744073709551615ul
#define UINT64_C(x) x##ul
#define INT64_C(x) x##l
#define UINT32_C(x) x##u

#ifndef TESS_SIMULATED
/* Function-like, so that a name that is still pasted together is not replaced. */
#define __builtin_fmaf(x, y, z) __fmaf_rn(x, y, z)
#define __builtin_fma(x, y, z) __fma_rn(x, y, z)
#define __builtin_sqrtf(x) __fsqrt_rn(x)
#define __builtin_sqrt(x) __dsqrt_rn(x)
#define __builtin_fabsf(x) fabsf(x)
#define __builtin_fabs(x) fabs(x)
#define __builtin_copysignf(x, y) copysignf(x, y)
#define __builtin_copysign(x, y) copysign(x, y)
#define __builtin_rintf(x) rintf(x)
#define __builtin_rint(x) rint(x)
#define __builtin_floorf(x) floorf(x)
#define __builtin_floor(x) floor(x)
#define __builtin_ceilf(x) ceilf(x)
#define __builtin_ceil(x) ceil(x)
#define __builtin_truncf(x) truncf(x)
#define __builtin_trunc(x) trunc(x)
#define __builtin_fmin(x, y) fmin(x, y)
#define __builtin_fmax(x, y) fmax(x, y)
#define __builtin_inff() __int_as_float(0x7f800000)
#define __builtin_inf() __longlong_as_double(0x7ff0000000000000ll)
#define __builtin_nanf(text) __int_as_float(0x7fc00000)
#define __builtin_nan(text) __longlong_as_double(0x7ff8000000000000ll)
#define __builtin_clzll(x) __clzll((long long)(x))
#define __builtin_expect(x, y) (x)

#define TESS_KERNEL(threads, params_type, p)                                                                           \
    extern "C" __global__ void __launch_bounds__(threads) tess_kernel(const __grid_constant__ params_type p)
#define TESS_KERNEL_TIGHT(threads, blocks, params_type, p)                                                             \
    extern "C" __global__ void __launch_bounds__(threads, blocks) tess_kernel(const __grid_constant__ params_type p)
#else
#define TESS_KERNEL_TIGHT(threads, blocks, params_type, p) SIM_KERNEL(tess_kernel, threads, params_type, p)
#define TESS_KERNEL(threads, params_type, p) SIM_KERNEL(tess_kernel, threads, params_type, p)
#endif

typedef int tess_status;

#define TESS_FN static inline __device__

#endif
