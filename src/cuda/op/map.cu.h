/* Map kernel: a user-defined operator applied to each element. The program also defines THREADS, ROUNDS (packs of a
 * thread that are read before the first is computed), SHARED (bytes of a block for private copies of the scatter
 * targets; 0: it adds to these directly) and LOOPS (1: a grid-stride loop). */
#if !defined(SHARED)
#error "a program of this kernel says how much memory is shared"
#endif

/* Packs first, first + THREADS, … */
static __device__ void map(const tess__gpu_op &p, int64_t first, unsigned char *copies)
{
#define DECLARE(k, T) pack<T, PACK> x##k[ROUNDS];
    READS(DECLARE)
#undef DECLARE
    int64_t at[ROUNDS][4];
    state   none;
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        const int64_t i = first + r * THREADS;
        if (i >= p.n) break;
        at[r][0] = at[r][1] = at[r][2] = at[r][3] = 0;
        split<15>(at[r], p, (index_type)i);
        const int length = length_of(p, at[r]);
#define LOAD(k, T) load<T, k>(x##k[r], p, at[r], length);
        READS(LOAD)
#undef LOAD
    }
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        if (first + r * THREADS >= p.n) break;
        const int length = length_of(p, at[r]);
#define DECLARE(k, T) pack<T, PACK> y##k;
        WRITES(DECLARE)
#undef DECLARE
#pragma unroll
        for (int e = 0; e < PACK; e++) {
            if (e >= length) break;
            operands   x;
            tess_fault fault;
            fault.set = 0;
#define TAKE(k, T) x.p##k = x##k[r].at[e];
            READS(TAKE)
#undef TAKE
            const int64_t w = at[r][3] * PACK + e;
            body(&p, at[r][0], at[r][1], at[r][2], w, x, none, &fault, copies);
            report(p, number_of(p, at[r][0], at[r][1], at[r][2], w), fault);
#define PUT(k, T) y##k.at[e] = x.p##k;
            WRITES(PUT)
#undef PUT
        }
#define STORE(k, T) store<T, k>(p, at[r], length, y##k);
        WRITES(STORE)
#undef STORE
    }
}

#if SHARED
template <class T> static __device__ bool is_zero(const T &x)
{
    const unsigned char *const bytes = (const unsigned char *)&x;
    unsigned                   any = 0;
#pragma unroll
    for (int i = 0; i < (int)sizeof x; i++) any |= bytes[i];
    return any == 0;
}

/* Adds the private copy of a block to the array itself. */
template <int D> static __device__ void merge(const tess__gpu_operand &o, unsigned char *copies)
{
    const typename element<D>::stored *const from = (const typename element<D>::stored *)(copies + o.copy);
    const scattering<D>                      to(o, 0);
    const unsigned ws = (unsigned)o.shape[3], hs = (unsigned)o.shape[2], ds = (unsigned)o.shape[1];
    const unsigned n = (unsigned)o.shape[0] * ds * hs * ws;
    for (unsigned i = threadIdx.x; i < n; i += THREADS) {
        if (is_zero(from[i])) continue;
        const unsigned h = i / ws, d = h / hs, b = d / ds;
        to.add(b, d - b * ds, h - d * hs, i - h * ws, element<D>::load(from[i]));
    }
}
#endif

TESS_KERNEL(THREADS, tess__gpu_op, p)
{
    int64_t first = (int64_t)blockIdx.x * (THREADS * ROUNDS) + threadIdx.x;
#if SHARED
    __shared__ __align__(16) unsigned char copies[SHARED];
    for (int64_t i = 4 * threadIdx.x; i < p.copies; i += 4 * THREADS) *(uint32_t *)(copies + i) = 0;
    __syncthreads();
#else
    unsigned char *const copies = 0;
#endif
#if LOOPS
    for (; first < p.n; first += (int64_t)gridDim.x * (THREADS * ROUNDS)) map(p, first, copies);
#else
    map(p, first, copies);
#endif
#if SHARED
    __syncthreads();
#define MERGE(k, D, N) merge<D>(p.operand[k], copies);
    SCATTERS(MERGE)
#undef MERGE
#endif
}
