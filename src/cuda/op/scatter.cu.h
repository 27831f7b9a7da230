/* Ordered scatter-add: each block is one warp, which adds a chunk of the domain to tables in shared memory, element by
 * element in the order of their indices. See formulas/scatter_chunks.op.h.
 *
 * The program also defines SHARED (bytes of the tables, or more) and ORDERED. */
#if THREADS != 32 || PACK != 1
#error "a chunk belongs to a warp, which takes 32 elements at a time"
#endif

static const unsigned ALL = 0xffffffffu;

/* A box of the domain. */
struct box {
    int64_t  origin[4];
    unsigned extent[4], n;

    __device__ box(const tess__gpu_op &p, int64_t chunk)
    {
        n = 1;
#pragma unroll
        for (int d = 3; d >= 0; d--) {
            const int64_t left = chunk / p.scatter.count[d];
            origin[d] = (chunk - left * p.scatter.count[d]) * p.scatter.extent[d];
            const int64_t rest = p.size[d] - origin[d];
            extent[d] = (unsigned)(rest < p.scatter.extent[d] ? rest : p.scatter.extent[d]);
            n *= extent[d];
            chunk = left;
        }
    }

    __device__ void locate(int64_t at[4], unsigned i) const
    {
        const unsigned h = i / extent[3], d = h / extent[2], b = d / extent[1];
        at[0] = origin[0] + b;
        at[1] = origin[1] + (d - b * extent[1]);
        at[2] = origin[2] + (h - d * extent[2]);
        at[3] = origin[3] + (i - h * extent[3]);
    }
};

/* ---- Tables ---- */

/* Elements of an array in a table. */
static __device__ unsigned table_size(const tess__gpu_operand &o)
{
    return (unsigned)((o.copy_batch ? o.shape[0] : 1) * o.shape[1] * o.shape[2] * o.shape[3]);
}

/* Where element i of a table is in the array. */
template <class T> static __device__ T *address(const tess__gpu_operand &o, unsigned i, int64_t batch)
{
    const unsigned ws = (unsigned)o.shape[3], hs = (unsigned)o.shape[2], ds = (unsigned)o.shape[1];
    const unsigned h = i / ws, d = h / hs, b = d / ds;
    return (T *)o.data + ((batch + b) * o.stride[0] + (d - b * ds) * o.stride[1] + (h - d * hs) * o.stride[2] +
                          (i - h * ws) * o.stride[3]);
}

/* The first chunk of a sum begins with what is there. */
template <int D>
static __device__ void begin(const tess__gpu_operand &o, unsigned char *tables, bool first, int64_t batch)
{
    typedef typename element<D>::stored stored;
    stored *const                       table = (stored *)(tables + o.copy);
    for (unsigned i = threadIdx.x; i < table_size(o) && first; i += 32) table[i] = *address<stored>(o, i, batch);
}

template <int D>
static __device__ void end(const tess__gpu_operand &o, const unsigned char *tables, unsigned char *to, int64_t batch)
{
    typedef typename element<D>::stored stored;
    const stored *const                 table = (const stored *)(tables + o.copy);
    for (unsigned i = threadIdx.x; i < table_size(o); i += 32)
        *(to ? (stored *)(to + o.copy) + i : address<stored>(o, i, batch)) = table[i];
}

/* ---- Additions ---- */

#if ORDERED == TESS__GPU_LOGGED
template <int D, int N> static __device__ void forget(logged<D, N> &log)
{
#pragma unroll
    for (int k = 0; k < N; k++) log.bin[k] = -1;
}

template <int D, int N>
static __device__ void add(const tess__gpu_operand &o, unsigned char *tables, const logged<D, N> &log)
{
    typename element<D>::stored *const table = (typename element<D>::stored *)(tables + o.copy);
#pragma unroll
    for (int k = 0; k < N; k++)
        if (log.bin[k] >= 0) table[log.bin[k]] = sum_of<D>(table[log.bin[k]], log.value[k]);
}

/* The turn of a thread among those that add to the same bin, by one statement; -1: it adds nothing. */
template <int D, int N> static __device__ int turn_of(const logged<D, N> &log)
{
    if constexpr (N > 1) return -1;
    const unsigned same = __match_any_sync(ALL, log.bin[0]);
    return log.bin[0] < 0 ? -1 : __popc(same & ((1u << threadIdx.x) - 1));
}

template <int D, int N> static __device__ bool has_several(const logged<D, N> &log)
{
    bool any = false;
#pragma unroll
    for (int k = 0; k < N; k++) any = any || log.bin[k] >= 0;
    return N > 1 && any;
}

/* Arrays that one statement adds to: threads whose bins differ add at once. */
static __device__ void add_in_turns(const tess__gpu_op &p, unsigned char *tables, const scatter_to &log)
{
    int last = -1;
#define TURN(k, D, N)                                                                                                  \
    const int turn##k = turn_of<D, N>(log.w##k);                                                                       \
    last = turn##k > last ? turn##k : last;
    SCATTERS(TURN)
#undef TURN
    for (int turn = 0; __any_sync(ALL, turn <= last); turn++) {
#define ADD(k, D, N)                                                                                                   \
    if (turn##k == turn) add<D, N>(p.operand[k], tables, log.w##k);
        SCATTERS(ADD)
#undef ADD
        __syncwarp();
    }
}

/* Arrays that several statements add to: all of them for one thread after the other. */
static __device__ void add_by_threads(const tess__gpu_op &p, unsigned char *tables, const scatter_to &log)
{
    bool several = false;
#define ANY(k, D, N) several = several || has_several<D, N>(log.w##k);
    SCATTERS(ANY)
#undef ANY
    for (unsigned left = __ballot_sync(ALL, several); left; left &= left - 1) {
        if ((int)threadIdx.x == __ffs((int)left) - 1) {
#define ADD(k, D, N)                                                                                                   \
    if (N > 1) add<D, N>(p.operand[k], tables, log.w##k);
            SCATTERS(ADD)
#undef ADD
        }
        __syncwarp();
    }
}
#endif

/* ---- Elements ---- */

static __device__ void apply(const tess__gpu_op &p, const int64_t at[4], operands &x, scatter_to *to)
{
    tess_fault fault;
    state      none;
    fault.set = 0;
    body(&p, at[0], at[1], at[2], at[3], x, none, &fault, to);
    report(p, number_of(p, at[0], at[1], at[2], at[3]), fault);
#define STORE(k, T)                                                                                                    \
    {                                                                                                                  \
        pack<T, 1> y;                                                                                                  \
        y.at[0] = x.p##k;                                                                                              \
        store<T, k>(p, at, 1, y);                                                                                      \
    }
    WRITES(STORE)
#undef STORE
}

/* One element of each thread; `there`: it has one. */
static __device__ void take(const tess__gpu_op &p, const int64_t at[4], bool there, unsigned char *tables)
{
    operands x;
    if (there) {
#define LOAD(k, T)                                                                                                     \
    {                                                                                                                  \
        pack<T, 1> y;                                                                                                  \
        load<T, k>(y, p, at, 1);                                                                                       \
        x.p##k = y.at[0];                                                                                              \
    }
        READS(LOAD)
#undef LOAD
    }
#if ORDERED == TESS__GPU_LOGGED
    scatter_to log;
#define FORGET(k, D, N) forget<D, N>(log.w##k);
    SCATTERS(FORGET)
#undef FORGET
    if (there) apply(p, at, x, &log);
    __syncwarp();
    add_in_turns(p, tables, log);
    add_by_threads(p, tables, log);
#else
    for (unsigned left = __ballot_sync(ALL, there); left; left &= left - 1) {
        if ((int)threadIdx.x == __ffs((int)left) - 1) apply(p, at, x, tables);
        __syncwarp();
    }
#endif
}

TESS_KERNEL(THREADS, tess__gpu_op, p)
{
    __shared__ __align__(16) unsigned char tables[SHARED];
    for (int64_t number = blockIdx.x; number < p.scatter.n; number += gridDim.x) {
        const int64_t        chunk = p.scatter.first + number, batch = chunk / p.scatter.of_sum;
        const bool           first = chunk == batch * p.scatter.of_sum;
        const box            all(p, chunk);
        unsigned char *const to = p.scatter.tables ? (unsigned char *)p.scatter.tables + number * p.copies : 0;
        for (int64_t i = 4 * threadIdx.x; i < p.copies; i += 4 * 32) *(uint32_t *)(tables + i) = 0;
        __syncwarp();
#define BEGIN(k, D, N) begin<D>(p.operand[k], tables, first, batch);
        SCATTERS(BEGIN)
#undef BEGIN
        __syncwarp();
        for (unsigned i = 0; i < all.n; i += 32) {
            int64_t    at[4];
            const bool there = i + threadIdx.x < all.n;
            all.locate(at, there ? i + threadIdx.x : 0);
            take(p, at, there, tables);
        }
#define END(k, D, N) end<D>(p.operand[k], tables, to, batch);
        SCATTERS(END)
#undef END
        __syncwarp();
    }
}
