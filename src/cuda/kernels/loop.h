/* The way from the number of a pack to the places of its elements, and packs of elements.
 *
 * The program defines DIMS (of the loop over packs, 1 to 5), WIDE (1: more than 2^31 packs), PACK (elements), ALIGNED
 * (1: packs, or single elements, begin at multiples of their size) and CACHE (bits: 1, what is read, 2, what is written
 * is not used again). */
#include "cuda/kernels/params.h"

#if WIDE
typedef int64_t place;
#else
typedef uint32_t place;
#endif

/* Where pack i of operands 0 to N-1 begins, in elements. */
template <int N> static __device__ void locate(int64_t at[N], const tess__gpu_loop &p, place i)
{
#pragma unroll
    for (int k = 0; k < N; k++) at[k] = 0;
#pragma unroll
    for (int d = DIMS - 1; d > 0; d--) {
#if WIDE
        const place rest = i / p.shape[d];
#else
        const place rest = (__umulhi(i, p.multiply[d]) + i) >> p.shift[d];
#endif
        const int64_t index = (int64_t)(i - rest * (place)p.shape[d]);
        i = rest;
#pragma unroll
        for (int k = 0; k < N; k++) at[k] += index * p.stride[k][d];
    }
#pragma unroll
    for (int k = 0; k < N; k++) at[k] += (int64_t)i * p.stride[k][0];
}

/* N elements that lie together, moved at once where they are ALIGN bytes at multiples of that. */
template <class T, int N, int ALIGN> struct alignas(ALIGN) pack {
    T at[N];
};

template <int SIZE> struct word;
template <> struct word<1> {
    typedef unsigned char type;
};
template <> struct word<2> {
    typedef unsigned short type;
};
template <> struct word<4> {
    typedef unsigned int type;
};
template <> struct word<8> {
    typedef uint2 type;
};
template <> struct word<16> {
    typedef uint4 type;
};

template <class P> static __device__ P fetch(const P *from)
{
    if constexpr ((CACHE & 1) && sizeof(P) == alignof(P)) {
        const typename word<sizeof(P)>::type bits = __ldcs((const typename word<sizeof(P)>::type *)from);
        P                                    all;
        memcpy(&all, &bits, sizeof all);
        return all;
    } else {
        return *from;
    }
}

template <class P> static __device__ void put(P *to, const P &all)
{
    if constexpr ((CACHE & 2) && sizeof(P) == alignof(P)) {
        typename word<sizeof(P)>::type bits;
        memcpy(&bits, &all, sizeof all);
        __stcs((typename word<sizeof(P)>::type *)to, bits);
    } else {
        *to = all;
    }
}
