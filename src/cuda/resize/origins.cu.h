/* Origins of windows and sub-regions. The program defines ORIGIN, their dtype. */
static __device__ int64_t origin_within(int64_t x)
{
    const int64_t limit = (int64_t)1 << 60;
    return x > limit ? limit : x < -limit ? -limit : x;
}

/* Origin `number`, as b, d, h, w. */
static __device__ void origin_at(int64_t position[4], const tess__gpu_origins &o, int64_t number)
{
    const element<ORIGIN>::stored *from = (const element<ORIGIN>::stored *)o.data + number * o.stride[0];
    position[0] = o.batches ? number : 0;
    position[1] = 0;
#pragma unroll
    for (int d = 0; d < 4; d++) {
        const int k = d - (4 - o.count);
        if (k >= 0)
            position[d] = origin_within(convert<TESS_I64, ORIGIN>(element<ORIGIN>::load(from[k * o.stride[1]])));
    }
}

/* Coordinate `axis` of it, without a dynamic index that would move all four from registers to memory. */
static __device__ int64_t origin_along(const int64_t position[4], int axis)
{
    return axis == 0 ? position[0] : axis == 1 ? position[1] : axis == 2 ? position[2] : position[3];
}
