/* CUDA C++ for a compiler of the host: what kernels may use, and no more. The simulated NVRTC includes it first.
 *
 * Threads of a block are fibers and switch only inside __syncthreads and the warp functions, so plain reads and
 * writes are atomic. A function with __shared__ variables must be static, as kernels by SIM_KERNEL are: shared
 * memory is one section, which the driver spoils before each block. */
#include "machine.h"

#define TESS_SIMULATED 1
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1

typedef decltype(sizeof 0) size_t;

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

typedef sim_index uint3;
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

static const sim_machine *sim_now;
#define threadIdx (sim_now->thread)
#define blockIdx (sim_now->block)
#define blockDim (sim_now->block_size)
#define gridDim (sim_now->grid_size)
enum { warpSize = 32 };

#define __global__
#define __device__
#define __host__
#define __constant__
#define __grid_constant__
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ static __attribute__((section("sim_shared")))

#define SIM_KERNEL(name, threads, type, p)                                                                             \
    static void name##_body(const type &p);                                                                            \
    static void name(const void *argument) { name##_body(*(const type *)argument); }                                   \
    extern "C" __attribute__((visibility("default"))) const sim_kernel name##_simulated;                               \
    const sim_kernel name##_simulated = { name, sizeof(type), (threads) };                                             \
    static void      name##_body(const type &p)

extern "C" {
extern char __attribute__((weak, visibility("hidden"))) __start_sim_shared[], __stop_sim_shared[];

__attribute__((visibility("default"))) inline __attribute__((used)) void
sim_attach(const sim_machine *machine, char **shared, unsigned long long *shared_size)
{
    sim_now = machine;
    *shared = __start_sim_shared;
    *shared_size = (unsigned long long)(__stop_sim_shared - __start_sim_shared);
}
}

/* ---- Waiting for others ------------------------------------------------------------------------------------------ */

#define __syncthreads() (sim_now->barrier(__LINE__))
static inline void __threadfence() {}
static inline void __threadfence_block() {}
static inline void __threadfence_system() {}

static inline unsigned long long sim_warp(int line, int kind, unsigned mask, unsigned long long value,
                                          unsigned argument = 0, unsigned width = 32)
{
    const sim_warp_call call = { kind, line, mask, argument, width, value };
    return sim_now->warp(&call);
}

template <typename T> static inline unsigned long long sim_to_bits(T value)
{
    static_assert((sizeof(T) == 4 || sizeof(T) == 8) && !__is_class(T), "CUDA shuffles numbers of 4 or 8 bytes");
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
}
template <typename T> static inline T sim_from_bits(unsigned long long bits)
{
    T value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
template <typename T>
static inline T sim_shuffle(int line, int kind, unsigned mask, T value, unsigned argument, unsigned width = 32)
{
    return sim_from_bits<T>(sim_warp(line, kind, mask, sim_to_bits(value), argument, width));
}
template <typename T> static inline unsigned sim_match(int line, unsigned mask, T value)
{
    return (unsigned)sim_warp(line, SIM_MATCH, mask, sim_to_bits(value));
}
static inline bool sim_all(int line, unsigned mask, bool yes) { return sim_warp(line, SIM_BALLOT, mask, !yes) == 0; }
struct sim_syncwarp {
    int  line;
    void operator()(unsigned mask = 0xffffffffu) const { (void)sim_warp(line, SIM_SYNCWARP, mask, 0); }
};

#define __syncwarp (sim_syncwarp{ __LINE__ })
#define __shfl_sync(...) sim_shuffle(__LINE__, SIM_SHFL, __VA_ARGS__)
#define __shfl_up_sync(...) sim_shuffle(__LINE__, SIM_SHFL_UP, __VA_ARGS__)
#define __shfl_down_sync(...) sim_shuffle(__LINE__, SIM_SHFL_DOWN, __VA_ARGS__)
#define __shfl_xor_sync(...) sim_shuffle(__LINE__, SIM_SHFL_XOR, __VA_ARGS__)
#define __ballot_sync(mask, yes) ((unsigned)sim_warp(__LINE__, SIM_BALLOT, (mask), (yes) != 0))
#define __any_sync(mask, yes) (sim_warp(__LINE__, SIM_BALLOT, (mask), (yes) != 0) != 0)
#define __all_sync(mask, yes) sim_all(__LINE__, (mask), (yes) != 0)
#define __match_any_sync(mask, value) sim_match(__LINE__, (mask), (value))

/* The least that is true: nobody else is known to be here. */
static inline unsigned __activemask()
{
    return 1u << ((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31);
}

/* ---- Bits -------------------------------------------------------------------------------------------------------- */

static inline int      __popc(unsigned x) { return __builtin_popcount(x); }
static inline int      __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int      __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
static inline int      __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
static inline int      __ffs(int x) { return __builtin_ffs(x); }
static inline int      __ffsll(long long x) { return __builtin_ffsll(x); }
static inline unsigned __brev(unsigned x)
{
    unsigned turned = 0;
    for (int k = 0; k < 32; k++) turned |= (x >> k & 1) << (31 - k);
    return turned;
}
static inline unsigned long long __brevll(unsigned long long x)
{
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
static inline int      __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
static inline unsigned  __byte_perm(unsigned x, unsigned y, unsigned which)
{
    const unsigned long long both = (unsigned long long)y << 32 | x;
    unsigned                 out = 0;
    for (int k = 0; k < 4; k++) out |= (unsigned)(both >> 8 * (which >> 4 * k & 7) & 255) << 8 * k;
    return out;
}

#define SIM_BITS(name, to, from)                                                                                       \
    static inline to name(from x) { return __builtin_bit_cast(to, x); }
SIM_BITS(__float_as_uint, unsigned, float)
SIM_BITS(__float_as_int, int, float)
SIM_BITS(__uint_as_float, float, unsigned)
SIM_BITS(__int_as_float, float, int)
SIM_BITS(__double_as_longlong, long long, double)
SIM_BITS(__longlong_as_double, double, long long)
#undef SIM_BITS

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

template <typename T> static inline T    __ldg(const T *p) { return *p; }
template <typename T> static inline T    __ldcs(const T *p) { return *p; }
template <typename T> static inline T    __ldcg(const T *p) { return *p; }
template <typename T> static inline void __stcs(T *p, T value) { *p = value; }
template <typename T> static inline void __stcg(T *p, T value) { *p = value; }

#define SIM_ATOMIC(name, T, expression)                                                                                \
    static inline T name(T *p, T x)                                                                                    \
    {                                                                                                                  \
        const T old = *p;                                                                                              \
        *p = (expression);                                                                                             \
        return old;                                                                                                    \
    }
#define SIM_ATOMICS(T)                                                                                                 \
    SIM_ATOMIC(atomicMin, T, x < old ? x : old)                                                                        \
    SIM_ATOMIC(atomicMax, T, x > old ? x : old)                                                                        \
    SIM_ATOMIC(atomicAnd, T, old &x)                                                                                   \
    SIM_ATOMIC(atomicOr, T, old | x)                                                                                   \
    SIM_ATOMIC(atomicXor, T, old ^ x)                                                                                  \
    SIM_ATOMIC(atomicExch, T, x)                                                                                       \
    static inline T atomicCAS(T *p, T wanted, T x)                                                                     \
    {                                                                                                                  \
        const T old = *p;                                                                                              \
        if (old == wanted) *p = x;                                                                                     \
        return old;                                                                                                    \
    }
SIM_ATOMICS(int)
SIM_ATOMICS(unsigned)
SIM_ATOMICS(unsigned long long)
SIM_ATOMIC(atomicMin, long long, x < old ? x : old)
SIM_ATOMIC(atomicMax, long long, x > old ? x : old)
SIM_ATOMIC(atomicExch, float, x)
SIM_ATOMIC(atomicAdd, int, old + x)
SIM_ATOMIC(atomicAdd, unsigned, old + x)
SIM_ATOMIC(atomicAdd, unsigned long long, old + x)
SIM_ATOMIC(atomicAdd, float, old + x)
SIM_ATOMIC(atomicAdd, double, old + x)
SIM_ATOMIC(atomicSub, int, old - x)
SIM_ATOMIC(atomicSub, unsigned, old - x)
#undef SIM_ATOMICS
#undef SIM_ATOMIC

#define SIM_VECTOR2(T, name, alignment)                                                                                \
    struct __align__(alignment) name { T x, y; };                                                                      \
    static inline name make_##name(T x, T y) { return name{ x, y }; }
#define SIM_VECTOR4(T, name, alignment)                                                                                \
    struct __align__(alignment) name { T x, y, z, w; };                                                                \
    static inline name make_##name(T x, T y, T z, T w) { return name{ x, y, z, w }; }
SIM_VECTOR2(char, char2, 2)
SIM_VECTOR2(unsigned char, uchar2, 2)
SIM_VECTOR2(short, short2, 4)
SIM_VECTOR2(unsigned short, ushort2, 4)
SIM_VECTOR2(int, int2, 8)
SIM_VECTOR2(unsigned, uint2, 8)
SIM_VECTOR2(float, float2, 8)
SIM_VECTOR2(double, double2, 16)
SIM_VECTOR2(long long, longlong2, 16)
SIM_VECTOR2(unsigned long long, ulonglong2, 16)
SIM_VECTOR4(unsigned char, uchar4, 4)
SIM_VECTOR4(short, short4, 8)
SIM_VECTOR4(unsigned short, ushort4, 8)
SIM_VECTOR4(int, int4, 16)
SIM_VECTOR4(unsigned, uint4, 16)
SIM_VECTOR4(float, float4, 16)
SIM_VECTOR4(double, double4, 16)
#undef SIM_VECTOR2
#undef SIM_VECTOR4
static inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return uint3{ x, y, z }; }

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

extern "C" {
void *memcpy(void *to, const void *from, size_t size) noexcept;
void *memset(void *to, int value, size_t size) noexcept;
#define SIM_FUNCTION1(name)                                                                                            \
    double name(double) noexcept;                                                                                      \
    float  name##f(float) noexcept
#define SIM_FUNCTION2(name)                                                                                            \
    double name(double, double) noexcept;                                                                              \
    float  name##f(float, float) noexcept
SIM_FUNCTION1(sqrt);
SIM_FUNCTION1(fabs);
SIM_FUNCTION1(floor);
SIM_FUNCTION1(ceil);
SIM_FUNCTION1(trunc);
SIM_FUNCTION1(rint);
SIM_FUNCTION1(nearbyint);
SIM_FUNCTION1(round);
SIM_FUNCTION1(exp);
SIM_FUNCTION1(log);
SIM_FUNCTION1(sin);
SIM_FUNCTION1(cos);
SIM_FUNCTION2(fmin);
SIM_FUNCTION2(fmax);
SIM_FUNCTION2(copysign);
SIM_FUNCTION2(fmod);
SIM_FUNCTION2(pow);
SIM_FUNCTION2(atan2);
SIM_FUNCTION2(hypot);
double fma(double, double, double) noexcept;
float  fmaf(float, float, float) noexcept;
double ldexp(double, int) noexcept;
float  ldexpf(float, int) noexcept;
int    abs(int) noexcept;
#undef SIM_FUNCTION1
#undef SIM_FUNCTION2
}

/* Rounded on its own: never a part of a fused multiply-add. */
#define SIM_ROUNDED(name, T, expression)                                                                               \
    static inline T name(T a, T b)                                                                                     \
    {                                                                                                                  \
        volatile T result = (expression);                                                                              \
        return result;                                                                                                 \
    }
SIM_ROUNDED(__fadd_rn, float, a + b)
SIM_ROUNDED(__fsub_rn, float, a - b)
SIM_ROUNDED(__fmul_rn, float, a *b)
SIM_ROUNDED(__fdiv_rn, float, a / b)
SIM_ROUNDED(__dadd_rn, double, a + b)
SIM_ROUNDED(__dsub_rn, double, a - b)
SIM_ROUNDED(__dmul_rn, double, a *b)
SIM_ROUNDED(__ddiv_rn, double, a / b)
#undef SIM_ROUNDED
static inline float  __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
static inline float  __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
static inline double __dsqrt_rn(double x) { return __builtin_sqrt(x); }

#define SIM_CLASSES(T)                                                                                                 \
    static inline bool isnan(T x) { return __builtin_isnan(x); }                                                       \
    static inline bool isinf(T x) { return __builtin_isinf(x); }                                                       \
    static inline bool isfinite(T x) { return __builtin_isfinite(x); }                                                 \
    static inline bool signbit(T x) { return __builtin_signbit(x); }
SIM_CLASSES(float)
SIM_CLASSES(double)
#undef SIM_CLASSES

#define SIM_MIN_MAX(T)                                                                                                 \
    static inline T min(T a, T b) { return a < b ? a : b; }                                                            \
    static inline T max(T a, T b) { return a > b ? a : b; }
SIM_MIN_MAX(int)
SIM_MIN_MAX(unsigned)
SIM_MIN_MAX(long)
SIM_MIN_MAX(unsigned long)
SIM_MIN_MAX(long long)
SIM_MIN_MAX(unsigned long long)
#undef SIM_MIN_MAX
static inline float  min(float a, float b) { return __builtin_fminf(a, b); }
static inline float  max(float a, float b) { return __builtin_fmaxf(a, b); }
static inline double min(double a, double b) { return __builtin_fmin(a, b); }
static inline double max(double a, double b) { return __builtin_fmax(a, b); }

static inline long long clock64()
{
    static long long ticks;
    return ++ticks;
}
