/* Products of matrices on the CPU: slices along the depth are packed into panels, tiles of the result are made from
 * them, and threads share the packing and the tiles, or whole matrices if there are many.
 *
 * An element of the result is the same whoever computes it: its sums are cut by the depth alone, at fixed places.
 */
#include <inttypes.h>
#include <stdatomic.h>

#include "core/dtype.h"
#include "core/layout.h"
#include "cpu/blas.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "cpu/pool.h"
#include "cpu/queue.h"
#include "cpu/schedule.h"
#include "tessera/device.h"

enum {
    DEPTH = TESS__MATMUL_DEPTH,
    SPAN = 4096,             /* most rows and columns whose panels are packed at a time */
    BLOCK_BYTES = 128 << 10, /* of panels of a that one piece of work goes through again and again */
    BLOCK_COLUMNS = 256,     /* columns of a piece of work, about */
    DIRECT_ROWS = 96,        /* most rows of a for which rows of b are used where they lie */
    DIRECT_BYTES = 512 << 10 /* and most bytes of b */
};

/* Estimated nanoseconds of one multiplication, and of one element packed. */
#define COST 0.03
#define PACK_COST 0.5

/* One product, of matrices that a batch holds. */
typedef struct product {
    const tess__matmul        *work;
    const tess__matmul_kernel *kernel;
    int64_t                    size; /* bytes of an element */
    char                      *out, *a, *b;
    char                      *panels_a, *panels_b; /* where panels are packed */
    bool                       direct;              /* rows of b are used as they are, but for the last columns */
    /* The part at work: */
    int64_t first_m, n_m, first_n, n_n, first_k, n_k;
    int64_t rows, columns; /* of a piece: multiples of a tile's */
    int64_t across;        /* pieces side by side */
} product;

static int64_t smaller(int64_t x, int64_t y) { return x < y ? x : y; }
static int64_t pieces(int64_t n, int64_t size) { return (n + size - 1) / size; }

/* ---- Panels ---- */

static char *panel_a(const product *p, int64_t index)
{
    return p->panels_a + index * p->kernel->rows * DEPTH * p->size;
}

static char *panel_b(const product *p, int64_t index)
{
    return p->panels_b + index * p->kernel->columns * DEPTH * p->size;
}

/* Whole panels of b that need no packing. */
static int64_t direct_panels(const product *p) { return p->direct ? p->n_n / p->kernel->columns : 0; }

/* Panels first to last-1, those of a before those of b. */
static void pack(void *context, int64_t first, int64_t last)
{
    const product             *p = context;
    const tess__matmul_kernel *kernel = p->kernel;
    const tess_strides        *sa = &p->work->a.strides, *sb = &p->work->b.strides;
    const int64_t              n_a = pieces(p->n_m, kernel->rows);
    for (int64_t i = first; i < last; i++)
        if (i < n_a) {
            const int64_t row = i * kernel->rows;
            kernel->pack_a(panel_a(p, i), p->a + ((p->first_m + row) * sa->h + p->first_k * sa->w) * p->size, sa->h,
                           sa->w, smaller(kernel->rows, p->n_m - row), p->n_k, p->work->conjugate[0]);
        } else {
            const int64_t index = i - n_a + direct_panels(p), column = index * kernel->columns;
            kernel->pack_b(panel_b(p, index), p->b + (p->first_k * sb->h + (p->first_n + column) * sb->w) * p->size,
                           sb->w, sb->h, smaller(kernel->columns, p->n_n - column), p->n_k, p->work->conjugate[1]);
        }
}

/* ---- Tiles ---- */

static void make_tile(const product *p, int64_t row, int64_t column)
{
    _Alignas(64) char          tile[TESS__MATMUL_TILE];
    const tess__matmul        *work = p->work;
    const tess__matmul_kernel *kernel = p->kernel;
    const int64_t              m = smaller(kernel->rows, p->n_m - row), n = smaller(kernel->columns, p->n_n - column);
    const int64_t              strides[2] = { work->out.strides.h, work->out.strides.w };
    const bool                 direct = column / kernel->columns < direct_panels(p);
    const char                *b = direct ? p->b + (p->first_k * work->b.strides.h + p->first_n + column) * p->size
                                          : panel_b(p, column / kernel->columns);
    kernel->multiply(tile, panel_a(p, row / kernel->rows), b, direct ? work->b.strides.h : kernel->columns, p->n_k, n);
    kernel->update(p->out + ((p->first_m + row) * strides[0] + (p->first_n + column) * strides[1]) * p->size, strides,
                   tile, m, n, work->alpha, p->first_k ? 1 : work->beta);
}

/* Pieces first to last-1 of the grid. */
static void make_tiles(void *context, int64_t first, int64_t last)
{
    const product *p = context;
    for (int64_t i = first; i < last; i++) {
        const int64_t m = i / p->across * p->rows, n = i % p->across * p->columns;
        const int64_t end_m = smaller(m + p->rows, p->n_m), end_n = smaller(n + p->columns, p->n_n);
        for (int64_t column = n; column < end_n; column += p->kernel->columns)
            for (int64_t row = m; row < end_m; row += p->kernel->rows) make_tile(p, row, column);
    }
}

/* ---- One product ---- */

/* Pieces that are large enough for the cache, and enough of them for the threads. */
static void choose_pieces(product *p)
{
    const tess__matmul_kernel *kernel = p->kernel;
    const int64_t              fit = BLOCK_BYTES / (DEPTH * p->size * kernel->rows), threads = tess_threads_get();
    p->rows = (fit < 1 ? 1 : fit) * kernel->rows;
    p->columns = pieces(BLOCK_COLUMNS, kernel->columns) * kernel->columns;
    while (pieces(p->n_m, p->rows) * pieces(p->n_n, p->columns) < 4 * threads) {
        if (p->rows >= p->columns && p->rows >= 2 * kernel->rows) p->rows = p->rows / kernel->rows / 2 * kernel->rows;
        else if (p->columns >= 2 * kernel->columns) p->columns = p->columns / kernel->columns / 2 * kernel->columns;
        else break;
    }
    p->across = pieces(p->n_n, p->columns);
}

static void multiply_part(product *p)
{
    const int64_t n_pack = pieces(p->n_m, p->kernel->rows) + pieces(p->n_n, p->kernel->columns) - direct_panels(p);
    choose_pieces(p);
    const int64_t n_pieces = pieces(p->n_m, p->rows) * p->across;
    const double  work = (double)p->n_m * (double)p->n_n * (double)p->n_k * COST * (double)p->size / 4;
    const int64_t pack_grain = tess__grain(n_pack, PACK_COST * (double)(p->kernel->rows * p->n_k));
    if (pack_grain < n_pack) tess__parallel(n_pack, pack_grain, pack, p);
    else pack(p, 0, n_pack);
    if (work >= 40000 && n_pieces > 1) tess__parallel(n_pieces, 1, make_tiles, p);
    else make_tiles(p, 0, n_pieces);
}

static void multiply(product *p)
{
    const tess__matmul *w = p->work;
    for (p->first_n = 0; p->first_n < w->n; p->first_n += SPAN) {
        p->n_n = smaller(SPAN, w->n - p->first_n);
        for (p->first_m = 0; p->first_m < w->m; p->first_m += SPAN) {
            p->n_m = smaller(SPAN, w->m - p->first_m);
            p->first_k = 0;
            do { /* a depth of 0 leaves nothing to add, but the result is still to be written */
                p->n_k = smaller(DEPTH, w->k - p->first_k);
                multiply_part(p);
                p->first_k += DEPTH;
            } while (p->first_k < w->k);
        }
    }
}

/* ---- All of them ---- */

typedef struct batch {
    const tess__matmul        *work;
    const tess__matmul_kernel *kernel;
    int64_t                    size;     /* bytes of an element */
    int64_t                    bytes[2]; /* of the panels of a and b */
    atomic_bool                no_memory;
} batch;

static int64_t panel_bytes(const batch *all, int64_t lines, int64_t width)
{
    return pieces(smaller(lines, SPAN), width) * width * DEPTH * all->size;
}

static bool use_direct(const tess__matmul *w, const tess__matmul_kernel *kernel, int64_t size)
{
    const int64_t reach = tess__magnitude(w->b.strides.h) * smaller(w->k, DEPTH) * size;
    return kernel->direct_b && w->b.strides.w == 1 && w->m <= DIRECT_ROWS && reach <= DIRECT_BYTES;
}

/* Products first to last-1, in panels of their own. */
static void run_batches(void *context, int64_t first, int64_t last)
{
    batch              *all = context;
    const tess__matmul *w = all->work;
    char               *room = tess__alloc((size_t)(all->bytes[0] + all->bytes[1]));
    if (!room) {
        atomic_store(&all->no_memory, true);
        return;
    }
    product p = { .work = w, .kernel = all->kernel, .size = all->size, .panels_a = room };
    p.panels_b = room + all->bytes[0];
    p.direct = use_direct(w, p.kernel, p.size);
    for (int64_t i = first; i < last; i++) {
        const int64_t b = i / w->out.shape.d, d = i % w->out.shape.d;
        p.out = (char *)w->out.data + (b * w->out.strides.b + d * w->out.strides.d) * p.size;
        p.a = (char *)w->a.data + (b * w->a.strides.b + d * w->a.strides.d) * p.size;
        p.b = (char *)w->b.data + (b * w->b.strides.b + d * w->b.strides.d) * p.size;
        if (!tess__blas_multiply(w, p.out, p.a, p.b)) multiply(&p);
    }
    tess__free(room);
}

static tess_status run(const void *payload, size_t size)
{
    (void)size;
    const tess__matmul *w = payload;
    batch all = { .work = w, .kernel = tess__cpu_kernels()->matmul[w->dtype], .size = tess__dtype_size(w->dtype) };
    all.bytes[0] = panel_bytes(&all, w->m, all.kernel->rows);
    all.bytes[1] = panel_bytes(&all, w->n, all.kernel->columns);
    const int64_t n = w->out.shape.b * w->out.shape.d;
    const double  cost = (double)w->m * (double)w->n * ((double)w->k + 8) * COST * (double)all.size / 4;
    const int64_t grain = tess__grain(n, cost);
    if (n >= 2 * tess_threads_get() && grain < n && !tess__blas_wants(w)) tess__parallel(n, grain, run_batches, &all);
    else run_batches(&all, 0, n);
    TESS_CHECK(!atomic_load(&all.no_memory), TESS_ENOMEM, "%s: no memory for %" PRId64 " bytes to work in", w->name,
               all.bytes[0] + all.bytes[1]);
    return TESS_OK;
}

static void buffers(const void *payload, size_t size, void (*each)(tess_buffer *))
{
    (void)size;
    const tess__matmul *w = payload;
    each(w->out.buffer);
    each(w->a.buffer);
    each(w->b.buffer);
}

tess_status tess__cpu_matmul(tess_stream *stream, const tess__matmul *work)
{
    return tess__submit(stream, run, work, sizeof *work, buffers);
}
