/* Tiled transpose: an element-wise kernel for operands with different dimension orders. Tiles of transposed inputs
 * go through shared memory, so that inputs are read and the output is written along their contiguous dimensions.
 *
 * The program defines THREADS, TILE (elements of a side), OUT_DIMS, IN_DIMS and STACK_DIMS (of the sides), INPUTS,
 * OUT_TYPE, IN1_TYPE, …, COMPUTE and SCALARS as for cuda/ewise/ewise.cu.h, TRANSPOSED (bits: inputs that are
 * transposed), STILL (bits: others that are the same all along the output's side), and VECTOR0 to VECTOR3: how many
 * elements are moved at once, along the output's side but of transposed inputs. */
#define DIMS 1
#define WIDE 0
#include "cuda/ewise/inputs.cu.h"
#include "cuda/jit/loop.cu.h"

enum {
    WARPS = THREADS / 32,
    PITCH = TILE + 1 /* columns of a tile begin in different banks */
};

/* Where element i of a side is, for operand k. */
template <int N> static __device__ int64_t offset(const tess__gpu_side &side, int k, int64_t i)
{
    if constexpr (N == 0) return 0;
    else if constexpr (N == 1) return i * side.stride[k][0];
    else {
        int64_t  at = 0;
        uint32_t left = (uint32_t)i;
#pragma unroll
        for (int d = 0; d < N - 1; d++) {
            const uint32_t next = quotient_of(left, side.dim[d]);
            at += (int64_t)(left - next * side.dim[d].size) * side.stride[k][d];
            left = next;
        }
        return at + (int64_t)left * side.stride[k][N - 1];
    }
}

/* How a warp's lanes are laid out on a tile that is moved in packs of V: a few rows of neighbours. They touch whole
 * cache lines, and no bank of shared memory twice. */
template <int V> struct lanes {
    enum {
        packs = TILE / V,
        wide = V == 1 ? 32 : 8,
        x = wide < packs ? wide : packs,
        y = 32 / x,
        across = packs / x,                   /* warps side by side */
        rounds = across * (TILE / y) / WARPS, /* tiles are large enough for this to be whole */
    };
    static __device__ int column(int round)
    {
        return ((round * WARPS + (int)threadIdx.x / 32) % across * x + (int)threadIdx.x % 32 % x) * V;
    }
    static __device__ int row(int round)
    {
        return (round * WARPS + (int)threadIdx.x / 32) / across * y + (int)threadIdx.x % 32 / x;
    }
};

template <class T, int V> struct vector_of {
    typedef pack<T, V, V == 1 ? alignof(T) : sizeof(T) * V> type;
};

/* Where a tile begins along both sides, and its index in the stack. */
struct origin {
    int64_t out, in, stack;
};

static __device__ origin origin_of(const tess__gpu_tiles &p)
{
    const uint32_t row = quotient_of(blockIdx.x, p.n_in), stack = quotient_of(row, p.n_out);
    const int64_t  in = (int64_t)(blockIdx.x - row * p.n_in.size) * TILE;
    const int64_t  out = (int64_t)(row - stack * p.n_out.size) * TILE;
    const origin   o = { out, in, stack };
    return o;
}

/* A tile of input K into shared memory, its rows along the input's side. */
template <class T, int K, int V> static __device__ void load_tile(T *tile, const tess__gpu_tiles &p, const origin &o)
{
    typedef lanes<V>                       lane;
    typedef typename vector_of<T, V>::type vector;
    const T *const                         data = (const T *)p.data[K] + offset<STACK_DIMS>(p.stack, K, o.stack);
    vector                                 all[lane::rounds];
#pragma unroll
    for (int r = 0; r < lane::rounds; r++) {
        const int64_t in = o.in + lane::column(r), out = o.out + lane::row(r);
        if (in < p.in.length && out < p.out.length)
            all[r] = *(const vector *)(data + offset<IN_DIMS>(p.in, K, in) + offset<OUT_DIMS>(p.out, K, out));
    }
#pragma unroll
    for (int r = 0; r < lane::rounds; r++) {
#pragma unroll
        for (int e = 0; e < V; e++) tile[lane::row(r) * PITCH + lane::column(r) + e] = all[r].at[e];
    }
}

/* Elements of input K for a pack of the output: out of its tile, or from where they are. */
template <class T, int K, int V>
static __device__ pack<T, VECTOR0, alignof(T)> gather(const T *tile, const tess__gpu_tiles &p, const origin &o,
                                                      int column, int row)
{
    pack<T, VECTOR0, alignof(T)> all;
    if constexpr ((SCALARS >> K) & 1) {
        T value;
        memcpy(&value, p.value[K], sizeof value);
#pragma unroll
        for (int e = 0; e < VECTOR0; e++) all.at[e] = value;
    } else if constexpr ((TRANSPOSED >> K) & 1) {
#pragma unroll
        for (int e = 0; e < VECTOR0; e++) all.at[e] = tile[(column + e) * PITCH + row];
    } else {
        const T *const data =
            (const T *)p.data[K] + offset<STACK_DIMS>(p.stack, K, o.stack) + offset<IN_DIMS>(p.in, K, o.in + row);
        if constexpr ((STILL >> K) & 1) {
            const T value = *data;
#pragma unroll
            for (int e = 0; e < VECTOR0; e++) all.at[e] = value;
        } else {
#pragma unroll
            for (int e = 0; e < VECTOR0; e += V) {
                typedef typename vector_of<T, V>::type vector;
                const vector some = *(const vector *)(data + offset<OUT_DIMS>(p.out, K, o.out + column + e));
#pragma unroll
                for (int i = 0; i < V; i++) all.at[e + i] = some.at[i];
            }
        }
    }
    return all;
}

TESS_KERNEL(THREADS, tess__gpu_tiles, p)
{
    __shared__ IN1_TYPE    tile1[(TRANSPOSED & 2) ? TILE * PITCH : 1];
    __shared__ IN2_TYPE    tile2[(TRANSPOSED & 4) ? TILE * PITCH : 1];
    __shared__ IN3_TYPE    tile3[(TRANSPOSED & 8) ? TILE * PITCH : 1];
    typedef lanes<VECTOR0> lane;
    const origin           o = origin_of(p);
    if constexpr ((TRANSPOSED >> 1) & 1) load_tile<IN1_TYPE, 1, VECTOR1>(tile1, p, o);
    if constexpr ((TRANSPOSED >> 2) & 1) load_tile<IN2_TYPE, 2, VECTOR2>(tile2, p, o);
    if constexpr ((TRANSPOSED >> 3) & 1) load_tile<IN3_TYPE, 3, VECTOR3>(tile3, p, o);
    __syncthreads();
    OUT_TYPE *const data = (OUT_TYPE *)p.data[0] + offset<STACK_DIMS>(p.stack, 0, o.stack);
#pragma unroll
    for (int r = 0; r < lane::rounds; r++) {
        const int     column = lane::column(r), row = lane::row(r);
        const int64_t out = o.out + column, in = o.in + row;
        if (out >= p.out.length || in >= p.in.length) continue;
        pack<IN1_TYPE, VECTOR0, alignof(IN1_TYPE)> x;
        pack<IN2_TYPE, VECTOR0, alignof(IN2_TYPE)> y;
        pack<IN3_TYPE, VECTOR0, alignof(IN3_TYPE)> z;
        vector_of<OUT_TYPE, VECTOR0>::type         all;
        if constexpr (INPUTS >= 1) x = gather<IN1_TYPE, 1, VECTOR1>(tile1, p, o, column, row);
        if constexpr (INPUTS >= 2) y = gather<IN2_TYPE, 2, VECTOR2>(tile2, p, o, column, row);
        if constexpr (INPUTS >= 3) z = gather<IN3_TYPE, 3, VECTOR3>(tile3, p, o, column, row);
#pragma unroll
        for (int e = 0; e < VECTOR0; e++) COMPUTE(all.at[e], x.at[e], y.at[e], z.at[e]);
        *(vector_of<OUT_TYPE, VECTOR0>::type *)(data + offset<OUT_DIMS>(p.out, 0, out) + offset<IN_DIMS>(p.in, 0, in)) =
            all;
    }
}
