/* Warp shuffles of values of any size. */
#ifndef TESS_CUDA_JIT_LANES_CU_H
#define TESS_CUDA_JIT_LANES_CU_H

/* The value of another lane, of 8-byte words: shuffle(word) is that lane's word. */
template <class T, class SHUFFLE> static __device__ T from_other_lane(const T &mine, SHUFFLE shuffle)
{
    constexpr int words = sizeof(T) / 8;
    uint64_t      word[words];
    T             other;
    memcpy(word, &mine, sizeof word);
#pragma unroll
    for (int w = 0; w < words; w++) word[w] = shuffle(word[w]);
    memcpy(&other, word, sizeof other);
    return other;
}

#endif
