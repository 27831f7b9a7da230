/* Keys of rank filters: integers that compare as elements of DTYPE do. */
#ifndef TESS_CUDA_SIGNAL_KEYS_CU_H
#define TESS_CUDA_SIGNAL_KEYS_CU_H

#include "cuda/jit/elements.cu.h"
#include "formulas/rank_keys.op.h"

typedef element<DTYPE>::stored stored;

template <int S> struct key_of;
template <> struct key_of<1> {
    typedef uint8_t type;
    typedef uint8_t unsigned_type;
};
template <> struct key_of<2> {
    typedef int16_t  type;
    typedef uint16_t unsigned_type;
};
template <> struct key_of<4> {
    typedef int32_t  type;
    typedef uint32_t unsigned_type;
};
template <> struct key_of<8> {
    typedef int64_t  type;
    typedef uint64_t unsigned_type;
};
typedef key_of<(int)sizeof(stored)>::type          key;
typedef key_of<(int)sizeof(stored)>::unsigned_type bits;

/* The same bytes as another type. */
template <class A, class B> static __device__ A same_bytes(B x)
{
    union {
        B from;
        A to;
    } both;
    both.from = x;
    return both.to;
}

/* A template, so that what other dtypes do is not compiled. */
template <class S> static __device__ key to_key(S x)
{
    if constexpr (element<DTYPE>::kind == KIND_TRUTH) return x != 0;
    else if constexpr (DTYPE == TESS_F16) return tess__rank_key_16(same_bytes<int16_t>(x));
    else if constexpr (DTYPE == TESS_F32) return tess__rank_key_32(same_bytes<int32_t>(x));
    else if constexpr (DTYPE == TESS_F64) return tess__rank_key_64(same_bytes<int64_t>(x));
    else if constexpr (DTYPE == TESS_I8 || (element<DTYPE>::kind == KIND_UNSIGNED && sizeof(stored) > 1))
        return (key)((bits)x ^ (bits)((bits)1 << (8 * sizeof(stored) - 1)));
    else return (key)x;
}

template <class S> static __device__ S from_key(key k)
{
    if constexpr (DTYPE == TESS_F16) return same_bytes<S>(tess__rank_bits_16(k));
    else if constexpr (DTYPE == TESS_F32) return same_bytes<S>(tess__rank_bits_32(k));
    else if constexpr (DTYPE == TESS_F64) return same_bytes<S>(tess__rank_bits_64(k));
    else if constexpr (DTYPE == TESS_I8 || (element<DTYPE>::kind == KIND_UNSIGNED && sizeof(stored) > 1))
        return (S)((bits)k ^ (bits)((bits)1 << (8 * sizeof(stored) - 1)));
    else return (S)k;
}

#endif
