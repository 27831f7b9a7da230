/* Histograms on a GPU: counts by atomic additions, whose order does not matter; weights are added in the order in
 * which the CPU adds them. */
#include <math.h>

#include "core/check/check.h"
#include "core/device/memory.h"
#include "cuda/cuda.h"
#include "cuda/index/histogram_params.h"
#include "cuda/jit/kernel_source.h"
#include "cuda/jit/loop.h"
#include "cuda/memory/contiguous.h"
#include "cuda/runtime/stream.h"
#include "formulas/histogram.op.h"

enum {
    THREADS = 256,
    WARP = 32,
    SHARED_BINS = 8192,   /* at most, to be counted in shared memory */
    CHUNK_MIN = 1 << 12,  /* elements that a block counts */
    BLOCKS = 1 << 12,     /* of these about so many, if there are enough elements */
    CHUNK = 65536,        /* elements whose weights are added one after the other, as on the CPU */
    TABLE_BYTES = 1 << 28 /* of chunks, at a time */
};

static const tess__cuda_source count_source = TESS__CUDA_SOURCE("index/histogram", "DIMS", "WIDE", "IN", "SHARED");
static const tess__cuda_source weights_source =
    TESS__CUDA_SOURCE("index/histogram_weights", "DIMS", "WIDE", "IN", "WEIGHT");
static const tess__cuda_source edges_source = TESS__CUDA_SOURCE("index/histogram_edges", NULL);
static const tess__cuda_source add_source = TESS__CUDA_SOURCE("index/histogram_merge", NULL);
static const tess__cuda_source density_source = TESS__CUDA_SOURCE("index/histogram_density", NULL);
static const int64_t           no_numbers[TESS__CUDA_WORDS];

typedef struct histogram {
    const tess__histogram *work;
    tess__cuda_call       *call;
    tess__cuda_workspaces  workspaces;
    tess__gpu_histogram    p;
    tess__cuda_shape       shape; /* of the loop over elements */
    bool                   weighted, single;
} histogram;

/* ---- Edges ---- */

/* `ends` are the first and the last. */
static tess_status check_edges(const histogram *h, tess__cu_address edges, double ends[2])
{
    const tess__histogram *work = h->work;
    const size_t           bytes = (size_t)(work->bins + 1) * sizeof(double);
    tess_status            status = TESS_OK;
    double                *copy = tess__alloc(bytes);
    TESS_CHECK(copy, TESS_ENOMEM, "%s: no memory for %zu bytes of bins", work->name, bytes);
    TESS_CUDA_GOTO(done, status, h->call, copy_out, copy, edges, bytes, h->call->stream->handle);
    TESS_GOTO(done, status, tess__cuda_wait(h->call));
    TESS_GOTO(done, status, tess__check_rising(work->name, "opts->edges", copy, work->bins + 1));
    ends[0] = copy[0];
    ends[1] = copy[work->bins];
done:
    tess__free(copy);
    return status;
}

/* In bins, the error bound of the product that finds the bin of an element; above 0.5 if it is of no use. */
static double nearness(const tess__gpu_bins *b, tess_dtype dtype)
{
    const double unit = dtype == TESS_F16 ? 0x1p-9 : dtype == TESS_F32 ? 0x1p-22 : 0x1p-50;
    const double far = fmax(fabs(b->low), fabs(b->high)), near = unit * far * b->scale + 0x1p-49 * (double)b->n;
    return isfinite(b->scale) && near <= 0.5 ? near : 1;
}

static tess_status make_edges(histogram *h)
{
    const tess__histogram *work = h->work;
    const tess_dtype       dtype = tess__edge_dtype(work->low, work->high, work->in.dtype);
    tess__gpu_bins        *b = &h->p.bins;
    tess__gpu_edges        p = { .n = work->bins, .low = work->low, .high = work->high, .dtype = dtype };
    TESS_TRY(tess__cuda_workspaces_acquire(&p.edges, &h->workspaces, h->call, work->bins + 1, sizeof(double)));
    TESS_TRY(tess__cuda_run_source(h->call, &edges_source, no_numbers, work->bins / THREADS + 1, THREADS, &p));
    h->single = dtype == TESS_F32;
    b->edges = p.edges;
    b->low = tess__edge(0, work->bins, work->low, work->high, dtype);
    b->high = tess__edge(work->bins, work->bins, work->low, work->high, dtype);
    b->scale = (double)work->bins / (b->high - b->low);
    b->near = nearness(b, dtype);
    return TESS_OK;
}

static tess_status take_edges(histogram *h)
{
    const tess__histogram *work = h->work;
    tess__gpu_bins        *b = &h->p.bins;
    double                 ends[2] = { 0, 0 };
    TESS_TRY(tess__cuda_rows_in(&b->edges, &h->workspaces, h->call, &work->edges, 8));
    TESS_TRY(check_edges(h, b->edges, ends));
    b->low = ends[0];
    b->high = ends[1];
    b->near = 1;
    return TESS_OK;
}

/* ---- Tables ---- */

/* The loops over results, and over the elements of each. */
static void plan(histogram *h)
{
    const tess__histogram *work = h->work;
    const int              n = h->weighted ? 2 : 1;
    tess_array             kept[2] = { work->in, work->weights }, of_one[2] = { work->in, work->weights };
    const tess_array      *kept_operands[2] = { &kept[0], &kept[1] }, *operands[2] = { &of_one[0], &of_one[1] };
    tess__loop             loop;
    for (int d = 0; d < 4; d++)
        for (int k = 0; k < 2; k++) (work->axes & TESS_B << d ? kept : of_one)[k].shape.dim[d] = 1;
    tess__plan_in_order(&loop, kept[0].shape, kept_operands, n);
    if (loop.n == 0) return;
    tess__cuda_loop_in_order(&h->p.results, &h->shape, &loop);
    h->p.result_dims = loop.n_dims;
    if (h->weighted) tess__plan_in_order(&loop, of_one[0].shape, operands, n);
    else tess__plan(&loop, of_one[0].shape, operands, n);
    if (loop.n > 0) tess__cuda_loop_in_order(&h->p.elements, &h->shape, &loop);
}

static tess_status count(histogram *h, tess__cu_address tables)
{
    const tess__histogram *work = h->work;
    tess__gpu_histogram   *p = &h->p;
    const bool             shared = work->bins <= SHARED_BINS;
    p->chunk = CHUNK_MIN;
    while (p->results.n * (p->elements.n / p->chunk + 1) > BLOCKS && p->chunk < INT64_C(1) << 30) p->chunk *= 2;
    p->chunks = (p->elements.n + p->chunk - 1) / p->chunk;
    p->tables = tables;
    TESS_CUDA(h->call, set_bytes, tables, 0, (size_t)(p->results.n * work->bins) * sizeof(int64_t),
              h->call->stream->handle);
    if (p->elements.n == 0) return TESS_OK;
    const int64_t numbers[TESS__CUDA_WORDS] = { h->shape.dims, h->shape.wide, work->in.dtype, shared };
    TESS_TRY(tess__cuda_run_source(h->call, &count_source, numbers, tess__cuda_stride_blocks(p->results.n * p->chunks),
                                   THREADS, p));
    return TESS_OK;
}

/* Chunks of all results, as many as the workspace holds, added to the tables before the next ones. */
static tess_status add_chunks(histogram *h, tess__cu_address tables, tess__gpu_tables *sums)
{
    const tess__histogram *work = h->work;
    tess__gpu_histogram   *p = &h->p;
    const int64_t numbers[TESS__CUDA_WORDS] = { h->shape.dims, h->shape.wide, work->in.dtype, work->weights.dtype };
    const int64_t all = sums->results * work->bins;
    if (p->chunks) {
        TESS_CUDA(h->call, set_bytes, p->tables, 0, (size_t)(all * p->chunks) * sizeof(double),
                  h->call->stream->handle);
        TESS_TRY(tess__cuda_run_source(h->call, &weights_source, numbers,
                                       tess__cuda_stride_blocks(sums->results * p->chunks), WARP, p));
    }
    sums->chunks = p->chunks;
    sums->out = tables;
    TESS_TRY(tess__cuda_run_source(h->call, &add_source, no_numbers, (all + THREADS - 1) / THREADS, THREADS, sums));
    sums->more = true;
    return TESS_OK;
}

static tess_status add_weights(histogram *h, tess__cu_address tables)
{
    const int64_t        bins = h->work->bins;
    tess__gpu_histogram *p = &h->p;
    p->chunk = (bins + CHUNK - 1) / CHUNK * CHUNK;
    const int64_t    chunks = (p->elements.n + p->chunk - 1) / p->chunk, each = p->results.n * bins;
    const int64_t    fit = TABLE_BYTES / (int64_t)sizeof(double) / each, slots = fit < 1 ? 1 : fit;
    tess__gpu_tables sums = { .results = p->results.n, .bins = bins };
    TESS_TRY(tess__cuda_workspaces_acquire(&p->tables, &h->workspaces, h->call,
                                           each * (slots < chunks ? slots : chunks), sizeof(double)));
    sums.tables = p->tables;
    p->first = 0;
    do {
        p->chunks = chunks - p->first < slots ? chunks - p->first : slots;
        TESS_TRY(add_chunks(h, tables, &sums));
        p->first += slots;
    } while (p->first < chunks);
    return TESS_OK;
}

/* ---- Results ---- */

static tess_status fill(histogram *h, tess__cu_address tables)
{
    if (h->weighted) TESS_TRY(add_weights(h, tables));
    else TESS_TRY(count(h, tables));
    return TESS_OK;
}

static tess_status make_density(histogram *h, tess__cu_address out)
{
    const int64_t    results = h->p.results.n, bins = h->work->bins;
    tess__gpu_tables p = { .results = results,
                           .bins = bins,
                           .edges = h->p.bins.edges,
                           .out = out,
                           .counts = !h->weighted,
                           .single = h->single };
    TESS_TRY(tess__cuda_workspaces_acquire(&p.tables, &h->workspaces, h->call, results * bins, sizeof(double)));
    TESS_TRY(fill(h, p.tables));
    TESS_TRY(
        tess__cuda_run_source(h->call, &density_source, no_numbers, tess__cuda_stride_blocks(results), THREADS, &p));
    return TESS_OK;
}

static tess_status run(histogram *h)
{
    const tess__histogram *work = h->work;
    const int              axes = work->axes / TESS_B;
    const tess_dtype       dtype = h->weighted || work->density ? TESS_F64 : TESS_I64;
    tess__cu_address       out;
    h->p.bins.n = work->bins;
    plan(h);
    if (h->p.results.n == 0) return TESS_OK;
    if (work->edges.data) TESS_TRY(take_edges(h));
    else TESS_TRY(make_edges(h));
    TESS_TRY(tess__cuda_rows_for(&out, &h->workspaces, h->call, &work->out, axes, dtype));
    if (work->density) TESS_TRY(make_density(h, out));
    else TESS_TRY(fill(h, out));
    TESS_TRY(tess__cuda_rows_out(out, h->call, &work->out, axes, dtype));
    return TESS_OK;
}

tess_status tess__cuda_histogram(tess__cuda_call *call, const tess__histogram *work)
{
    histogram         h = { .work = work, .call = call, .weighted = work->weights.data != NULL };
    const tess_status status = run(&h);
    tess__cuda_workspaces_release(&h.workspaces, call);
    TESS_TRY(status);
    return TESS_OK;
}
