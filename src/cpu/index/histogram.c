/* Histograms: bin lookup for each block of elements, then counts or weights added to a table.
 *
 * The elements of a result are divided into chunks, each with a table of its own, and the tables are added in the order
 * of the chunks. With weights the chunks depend on the number of bins alone, so that sums do not depend on threads.
 * Elements of neighbouring results that are neighbours in memory are packed first, each result's into a row; and so are
 * several rows of weighted elements whose neighbours in memory are those of other rows.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/dtype.h"
#include "core/array/layout.h"
#include "core/minmax.h"
#include "cpu/convert/convert.h"
#include "cpu/cpu.h"
#include "cpu/index/histogram.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/stream.h"
#include "cpu/runtime/workspace.h"
#include "tessera/device.h"

enum {
    BLOCK = 512,         /* elements of a block, converted */
    CHUNK = 65536,       /* elements of a chunk; NumPy adds weights in the same ones */
    FEW_BINS = 1024,     /* up to which several interleaved tables are kept, */
    INTERLEAVED = 4,     /* this many, since adding to a counter that was just stored stalls the processor */
    MAX_TASKS = 4,       /* for each thread */
    WAVES = 4,           /* chunks for each thread before their tables are added */
    STRETCH = 256,       /* bytes of neighbouring results that are packed together */
    MAX_PACKED = 1 << 22 /* bytes of all their elements */
};

/* Estimated nanoseconds an element. */
#define COST 2.0

typedef struct histogram {
    const tess__histogram *work;
    tess__binning          binning;
    tess__loop             kept;     /* over results: out, in, weights */
    tess__loop             elements; /* of one result: in, weights; packed, if they are */
    tess__loop             stored;   /* the same as they are stored */
    int64_t                group;    /* results that are packed together; 1: none are */
    bool                   by_rows;  /* rows of elements are packed */
    tess__workspaces       rows;     /* that they are packed into */
    tess__conversion       in, weights, out;
    int64_t                bins, chunk, n_chunks;
    int64_t                grain; /* results of a task, which share tables */
    int64_t                slots; /* tables of chunks */
    tess__slot            *tables;
} histogram;

/* ---- Elements to a table ---- */

static void count(tess__slot *table, const int32_t *bin, int64_t n)
{
    for (int64_t i = 0; i < n; i++) table[bin[i]].i++;
}

static void count_interleaved(tess__slot (*tables)[FEW_BINS + 1], const int32_t *bin, int64_t n)
{
    int64_t i = 0;
    for (; i + INTERLEAVED <= n; i += INTERLEAVED)
        for (int k = 0; k < INTERLEAVED; k++) tables[k][bin[i + k]].i++;
    count(tables[0], bin + i, n - i);
}

static void add_weights(tess__slot *table, const int32_t *bin, const double *weights, int64_t n)
{
    for (int64_t i = 0; i < n; i++) table[bin[i]].f += weights[i];
}

/* n elements, and their weights, at these addresses and strides; `interleaved` is NULL or the interleaved tables. */
static void bin_row(const histogram *h, char *const *p, const int64_t stride[2], int64_t n, tess__slot *table,
                    tess__slot (*interleaved)[FEW_BINS + 1])
{
    _Alignas(64) char    converted[BLOCK * 8];
    _Alignas(64) double  weights[BLOCK];
    _Alignas(64) int32_t bin[BLOCK];
    const tess__loop    *loop = &h->elements;
    const int64_t        into[2] = { 1, stride[0] }, strides[2] = { 1, stride[1] };
    for (int64_t i = 0; i < n; i += BLOCK) {
        const int64_t m = n - i < BLOCK ? n - i : BLOCK;
        char         *x = p[0] + i * stride[0] * loop->size[0];
        const bool    direct = h->binning.direct && stride[0] == 1;
        if (!direct) h->in.row((char *[]){ converted, x }, into, m, &h->in);
        tess__find_bins(&h->binning, bin, direct ? x : converted, m);
        if (loop->n_operands > 1) {
            char *w = p[1] + i * stride[1] * loop->size[1];
            h->weights.row((char *[]){ (char *)weights, w }, strides, m, &h->weights);
            add_weights(table, bin, weights, m);
        } else if (interleaved) {
            count_interleaved(interleaved, bin, m);
        } else {
            count(table, bin, m);
        }
    }
}

static tess_dtype dtype_of(const histogram *h, int operand)
{
    return operand == 0 ? h->work->in.dtype : h->work->weights.dtype;
}

/* Whole rows of elements from number `at` on that are packed together; 0: none are. */
static int64_t rows_to_pack(const histogram *h, int64_t at, int64_t last)
{
    const tess__loop *loop = &h->elements;
    const int         row = loop->n_dims - 1;
    const int64_t     n = loop->shape[row];
    if (!h->by_rows || at % n) return 0;
    const int64_t left = loop->shape[row - 1] - at / n % loop->shape[row - 1];
    return tess__min(tess__min(left, (last - at) / n), CHUNK / n);
}

/* So many rows of each operand, one after the other; p: where they begin, then where they are packed. */
static void pack_rows(const histogram *h, char *p[2], int64_t rows, char *workspace)
{
    const tess__loop *e = &h->elements;
    const int         row = e->n_dims - 1;
    const int64_t     n = e->shape[row];
    for (int k = 0; k < e->n_operands; k++) {
        if (e->stride[k][row] == 1 && e->stride[k][row - 1] == n) continue; /* as it is */
        const tess_array in = { .data = p[k],
                                .shape = TESS_SHAPE(1, 1, rows, n),
                                .strides = { { 0, 0, e->stride[k][row - 1], e->stride[k][row] } },
                                .dtype = dtype_of(h, k) };
        tess_array       out = in;
        tess__loop       loop;
        out.data = p[k] = workspace;
        out.strides.h = n;
        out.strides.w = 1;
        tess__plan(&loop, in.shape, (const tess_array *[]){ &out, &in }, 2);
        tess__cpu_copy(&loop);
        workspace += tess__aligned_size(CHUNK, e->size[k]);
    }
}

/* Elements first to last-1 of a result, in the order of the loop. */
static void bin_elements(histogram *h, char *const *base, int64_t first, int64_t last, tess__slot *table)
{
    const tess__loop *loop = &h->elements;
    const int         row = loop->n_dims - 1;
    const bool        few = h->bins <= FEW_BINS && loop->n_operands == 1 && last - first >= 8 * h->bins;
    tess__slot        interleaved[INTERLEAVED][FEW_BINS + 1];
    const size_t      bytes = (size_t)(h->bins + 1) * sizeof(tess__slot);
    char             *workspace = h->by_rows ? tess__workspace_acquire(&h->rows) : NULL;
    memset(table, 0, bytes);
    for (int k = 0; few && k < INTERLEAVED; k++) memset(interleaved[k], 0, bytes);
    for (int64_t at = first, n; at < last; at += n) {
        const int64_t rows = rows_to_pack(h, at, last), left = loop->shape[row] - at % loop->shape[row];
        int64_t       remainder = at, stride[2] = { loop->stride[0][row], loop->stride[1][row] };
        char         *p[2] = { base[0], base[1] };
        for (int d = row; d >= 0; d--) {
            const int64_t index = remainder % loop->shape[d];
            remainder /= loop->shape[d];
            for (int k = 0; k < loop->n_operands; k++) p[k] += index * loop->stride[k][d] * loop->size[k];
        }
        n = rows > 1 ? rows * loop->shape[row] : tess__min(left, last - at);
        if (rows > 1) {
            pack_rows(h, p, rows, workspace);
            stride[0] = stride[1] = 1;
        }
        bin_row(h, p, stride, n, table, few ? interleaved : NULL);
    }
    if (workspace) tess__workspace_release(&h->rows, workspace);
    for (int k = 0; few && k < INTERLEAVED; k++)
        for (int64_t i = 0; i < h->bins; i++) table[i].i += interleaved[k][i].i;
}

/* ---- Chunks ---- */

typedef struct wave {
    histogram   *h;
    char *const *base;
    int64_t      first; /* chunk */
    tess__slot  *tables;
} wave;

static void bin_chunks(void *context, int64_t first, int64_t last)
{
    const wave *w = context;
    histogram  *h = w->h;
    for (int64_t i = first; i < last; i++) {
        const int64_t from = (w->first + i) * h->chunk, n = h->elements.n;
        bin_elements(h, w->base, from, from + h->chunk < n ? from + h->chunk : n, w->tables + i * (h->bins + 1));
    }
}

static void add_table(const histogram *h, tess__slot *total, const tess__slot *table)
{
    if (h->elements.n_operands > 1)
        for (int64_t i = 0; i < h->bins; i++) total[i].f += table[i].f;
    else
        for (int64_t i = 0; i < h->bins; i++) total[i].i += table[i].i;
}

/* ---- Results ---- */

static void make_density(const histogram *h, tess__slot *total)
{
    const bool weighted = h->elements.n_operands > 1;
    double     sum = 0;
    for (int64_t i = 0; i < h->bins; i++) {
        if (!weighted) total[i].f = (double)total[i].i;
        sum += total[i].f;
    }
    for (int64_t i = 0; i < h->bins; i++) {
        const double width = tess__bin_width(&h->binning, i); /* 0 where no number lies between two edges */
        total[i].f = width > 0 || total[i].f != 0 ? total[i].f / width / sum : 0 / sum;
    }
}

/* Where result number `result` begins in the output, and its elements in the inputs. */
static void find_result(const histogram *h, int64_t result, char *p[3])
{
    const tess__loop *loop = &h->kept;
    for (int k = 0; k < loop->n_operands; k++) p[k] = loop->data[k];
    for (int d = loop->n_dims - 1; d >= 0; d--) {
        const int64_t index = result % loop->shape[d];
        result /= loop->shape[d];
        for (int k = 0; k < loop->n_operands; k++) p[k] += index * loop->stride[k][d] * loop->size[k];
    }
}

/* Bytes of an operand's packed results. */
static size_t packed_size(const histogram *h, int operand)
{
    return tess__aligned_size(h->group * h->elements.n, h->elements.size[operand]);
}

static int innermost(int axes) { return axes & TESS_W ? 3 : axes & TESS_H ? 2 : axes & TESS_D ? 1 : 0; }

/* `tables`: of the result, then of chunks. `rows`: packed elements of the group of results it belongs to, or NULL. */
static void make_result(histogram *h, int64_t result, char *rows, int64_t in_group, tess__slot *tables)
{
    char         *p[3] = { NULL, NULL, NULL };
    const int64_t strides[2] = { h->work->out.strides.dim[innermost(h->work->axes)], 1 };
    wave          w = { .h = h, .base = p + 1, .tables = tables + h->bins + 1 };
    find_result(h, result, p);
    for (int k = 0; rows && k < h->elements.n_operands; k++) {
        p[1 + k] = rows + in_group * h->elements.n * h->elements.size[k];
        rows += packed_size(h, k);
    }
    memset(tables, 0, (size_t)(h->bins + 1) * sizeof *tables);
    for (w.first = 0; w.first < h->n_chunks && !tess__cancelled(); w.first += h->slots) {
        const int64_t n = h->n_chunks - w.first < h->slots ? h->n_chunks - w.first : h->slots;
        tess__parallel(n, tess__grain(n, COST * (double)h->chunk), bin_chunks, &w);
        for (int64_t i = 0; i < n; i++) add_table(h, tables, w.tables + i * (h->bins + 1));
    }
    if (h->work->density) make_density(h, tables);
    h->out.row((char *[]){ p[0], (char *)tables }, strides, h->bins, &h->out);
}

/* The elements of n neighbouring results, a row for each, and then their weights. */
static void pack_results(const histogram *h, int64_t result, int64_t n, char *rows)
{
    const tess__loop *e = &h->stored;
    char             *p[3];
    find_result(h, result, p);
    for (int k = 0; k < e->n_operands; k++) {
        int64_t    inner = 1;
        tess_array in = { .data = p[1 + k], .shape = TESS_SHAPE(n, 1, 1, 1), .dtype = dtype_of(h, k) }, out = in;
        tess__loop loop;
        in.strides.b = h->kept.stride[1 + k][h->kept.n_dims - 1];
        for (int d = e->n_dims - 1, at = 3; d >= 0; inner *= e->shape[d], d--, at--) {
            in.shape.dim[at] = e->shape[d];
            in.strides.dim[at] = e->stride[k][d];
            out.strides.dim[at] = inner;
        }
        out.data = rows;
        out.shape = in.shape;
        out.strides.b = inner;
        tess__plan(&loop, in.shape, (const tess_array *[]){ &out, &in }, 2);
        tess__cpu_copy(&loop);
        rows += packed_size(h, k);
    }
}

static void make_results(void *context, int64_t first, int64_t last)
{
    histogram    *h = context;
    tess__slot   *tables = h->tables + first / h->grain * (1 + h->slots) * (h->bins + 1);
    char         *rows = h->group > 1 ? tess__workspace_acquire(&h->rows) : NULL;
    const int64_t along = h->kept.shape[h->kept.n_dims - 1];
    for (int64_t result = first, n; result < last && !tess__cancelled(); result += n) {
        n = tess__min(tess__min(h->group, along - result % along), last - result);
        if (rows) pack_results(h, result, n, rows);
        for (int64_t i = 0; i < n; i++) make_result(h, result + i, rows, i, tables);
    }
    if (rows) tess__workspace_release(&h->rows, rows);
}

/* ---- Entry ---- */

static tess__conversion row_of(tess_dtype from, tess_dtype to)
{
    tess__conversion c = { .row = tess__cpu_kernels()->memory.copy[tess__size_class(tess__dtype_size(to))] };
    return from == to ? c : tess__conversion_of(from, to, TESS__CLAMP, TESS_PART_DEFAULT);
}

/* The loops over results, and over the elements of each: in b, d, h, w order where weights are added, in which rounding
 * depends on it, and else as they are stored. */
static void plan(histogram *h)
{
    const tess__histogram *work = h->work;
    const bool             weighted = work->weights.data != NULL;
    tess_array             kept[3] = { work->out, work->in, work->weights }, of_one[2] = { work->in, work->weights };
    const tess_array      *kept_operands[3] = { &kept[0], &kept[1], &kept[2] };
    const tess_array      *operands[2] = { &of_one[0], &of_one[1] };
    for (int d = 0; d < 4; d++) {
        const bool reduced = work->axes & TESS_B << d;
        for (int k = 0; k < 3 && reduced; k++) kept[k].shape.dim[d] = 1;
        for (int k = 0; k < 2 && !reduced; k++) of_one[k].shape.dim[d] = 1;
    }
    tess__plan_in_order(&h->kept, kept[0].shape, kept_operands, weighted ? 3 : 2);
    if (weighted) tess__plan_in_order(&h->elements, of_one[0].shape, operands, 2);
    else tess__plan(&h->elements, of_one[0].shape, operands, 1);
    h->kept.data[1] = h->elements.data[0]; /* of a result's first element in its loop */
}

/* Are neighbours in memory those of other rows of elements? */
static bool is_transposed(const tess__loop *e)
{
    const int row = e->n_dims - 1;
    for (int k = 0; row > 0 && k < e->n_operands; k++) {
        const int64_t down = tess__magnitude(e->stride[k][row - 1]);
        if (down && down < tess__magnitude(e->stride[k][row])) return e->shape[row] <= CHUNK / 2;
    }
    return false;
}

/* Where neighbours along the inner kept axis are nearer in memory than those of a result, several are packed; else,
 * with weights, several rows of a result. */
static void plan_packing(histogram *h)
{
    tess__loop   *e = &h->elements;
    const int     inner = h->kept.n_dims - 1;
    const int64_t size = e->size[0], across = tess__magnitude(h->kept.stride[1][inner]);
    const int64_t all = size + (e->n_operands > 1 ? e->size[1] : 0);
    const int64_t most = tess__min(STRETCH / size, MAX_PACKED / tess__max(e->n * all, 1));
    h->group = 1;
    h->by_rows = e->n_operands > 1 && is_transposed(e);
    if (e->n < 2 || across == 0 || across >= tess__magnitude(e->stride[0][e->n_dims - 1])) return;
    h->group = tess__max(tess__min(most, h->kept.shape[inner]), 1);
    if (h->group == 1) return;
    h->by_rows = false;
    h->stored = *e;
    e->n_dims = 1;
    e->shape[0] = e->n;
    e->stride[0][0] = e->stride[1][0] = 1;
}

/* The sizes of chunks, and of tasks of results. */
static void cut(histogram *h)
{
    const int threads = tess_threads_get();
    h->chunk = CHUNK;
    if (h->bins > CHUNK) h->chunk = (h->bins + CHUNK - 1) / CHUNK * CHUNK;
    if (h->elements.n_operands == 1 && h->elements.n / (WAVES * threads) > h->chunk)
        h->chunk = h->elements.n / (WAVES * threads) + 1;
    h->n_chunks = (h->elements.n + h->chunk - 1) / h->chunk;
    const bool parallel = h->kept.n >= threads || h->n_chunks < 2;
    h->grain = parallel ? tess__grain(h->kept.n, COST * (double)h->elements.n + (double)h->bins) : h->kept.n;
    h->grain = tess__max(h->grain, h->kept.n / (MAX_TASKS * (int64_t)threads)); /* each has tables */
    h->grain = (h->grain + h->group - 1) / h->group * h->group;
    h->slots = parallel ? 1 : h->n_chunks < WAVES * threads ? h->n_chunks : WAVES * threads;
}

static tess_status run_binned(histogram *h)
{
    const int64_t tasks = (h->kept.n - 1) / h->grain + 1;
    const size_t  bytes = (size_t)(tasks * (1 + h->slots) * (h->bins + 1)) * sizeof(tess__slot);
    const bool    packs = h->group > 1 || h->by_rows;
    size_t        rows = 0;
    for (int k = 0; k < h->elements.n_operands; k++)
        rows += h->by_rows ? tess__aligned_size(CHUNK, h->elements.size[k]) : packed_size(h, k);
    h->tables = tess__alloc(bytes);
    TESS_CHECK(h->tables, TESS_ENOMEM, "%s: no memory for %zu bytes of tables", h->work->name, bytes);
    if (packs && !tess__workspaces_make(&h->rows, rows, h->by_rows ? tess_threads_get() : tasks)) {
        tess__free(h->tables);
        TESS_FAIL(TESS_ENOMEM, "%s: no memory for a workspace of %zu bytes for each thread", h->work->name, rows);
    }
    tess__parallel(h->kept.n, h->grain, make_results, h);
    if (packs) tess__workspaces_free(&h->rows);
    tess__free(h->tables);
    return TESS_OK;
}

tess_status tess__cpu_histogram(const tess__histogram *work)
{
    histogram h = { .work = work, .bins = work->bins };
    plan(&h);
    if (h.kept.n == 0) return TESS_OK;
    TESS_TRY(tess__make_binning(&h.binning, work));
    h.in = row_of(work->in.dtype, h.binning.dtype);
    if (work->weights.data) h.weights = row_of(work->weights.dtype, TESS_F64);
    h.out = row_of(work->density || work->weights.data ? TESS_F64 : TESS_I64, work->out.dtype);
    plan_packing(&h);
    cut(&h);
    const tess_status status = run_binned(&h);
    tess__free(h.binning.memory);
    return status;
}
