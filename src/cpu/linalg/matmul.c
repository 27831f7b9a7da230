/* Blocked GEMM on the CPU (as in BLIS): slices along the depth are packed into panels, tiles of the result are computed
 * from them; the threads' tasks are panels and blocks of tiles, or whole matrices if there are many. Small matrices and
 * those of few columns or steps are used without packing; those that meet a vector are multiplied in gemv.c.
 *
 * An element of the result is the same whoever computes it: its sums are divided by the depth alone, at fixed indices.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/dtype.h"
#include "core/array/layout.h"
#include "core/minmax.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "cpu/linalg/blas.h"
#include "cpu/linalg/gemv.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/stream.h"
#include "tessera/device.h"

enum {
    DEPTH = TESS__MATMUL_DEPTH,
    SPAN = 4096,              /* maximum rows and columns whose panels are packed at a time */
    BLOCK_BYTES = 128 << 10,  /* of panels of a that one task goes through again and again */
    BLOCK_COLUMNS = 256,      /* columns of a task, about */
    STEPS = 16,               /* along the depth that are packed of one panel after the other */
    DIRECT_ROWS = 96,         /* maximum rows of a for which rows of b are not packed */
    DIRECT_BYTES = 512 << 10, /* and maximum bytes of b */
    WHOLE_BYTES = 64 << 10,   /* maximum bytes of an a and of a b that are both not packed */
    FEW_STEPS = 32,           /* maximum steps for which rows of b are not packed, whatever the rows of a, */
    FEW_BYTES = 256 << 10,    /* and maximum bytes of b */
    THIN_ROWS = 240,          /* rows of a that one task takes if b has few columns, about */
    TINY = 256                /* maximum multiplications that are computed one by one */
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
    /* The part being computed: */
    int64_t first_m, n_m, first_n, n_n, first_k, n_k;
    int64_t rows, columns; /* of a task: multiples of a tile's */
    int64_t down;          /* tasks below one another */
} product;

static int64_t ceil_div(int64_t n, int64_t size) { return (n + size - 1) / size; }

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

/* Panels first to last-1 of a, or of b. Where elements of a step are nearer to each other than steps, a few steps of
 * all panels come before the next ones: so they are read in the order of memory. */
static void pack_some(const product *p, bool of_b, int64_t first, int64_t last)
{
    const tess__matmul_kernel *kernel = p->kernel;
    const tess_strides        *s = of_b ? &p->work->b.strides : &p->work->a.strides;
    const int64_t              across = of_b ? s->w : s->h, along = of_b ? s->h : s->w;
    const int64_t              width = of_b ? kernel->columns : kernel->rows, n = of_b ? p->n_n : p->n_m;
    const int64_t              begin = of_b ? p->first_n : p->first_m;
    const int64_t              steps = tess__magnitude(across) < tess__magnitude(along) ? STEPS : DEPTH;
    const char                *from = (of_b ? p->b : p->a) + (begin * across + p->first_k * along) * p->size;
    for (int64_t k = 0; k < p->n_k; k += steps)
        for (int64_t i = first; i < last; i++) {
            char *panel = (of_b ? panel_b(p, i) : panel_a(p, i)) + k * width * p->size;
            (of_b ? kernel->pack_b : kernel->pack_a)(panel, from + (i * width * across + k * along) * p->size, across,
                                                     along, tess__min(width, n - i * width),
                                                     tess__min(steps, p->n_k - k));
        }
}

/* Those of a come before those of b. */
static void pack(void *context, int64_t first, int64_t last)
{
    const product *p = context;
    const int64_t  n_a = ceil_div(p->n_m, p->kernel->rows), behind = direct_panels(p) - n_a;
    if (first < n_a) pack_some(p, false, first, tess__min(last, n_a));
    if (last > n_a) pack_some(p, true, (first > n_a ? first : n_a) + behind, last + behind);
}

/* ---- Tiles ---- */

static void make_tile(const product *p, int64_t row, int64_t column)
{
    const tess__matmul        *work = p->work;
    const tess__matmul_kernel *kernel = p->kernel;
    const tess_strides        *so = &work->out.strides;
    const bool                 direct = column / kernel->columns < direct_panels(p);
    const char                *rows = p->b + (p->first_k * work->b.strides.h + p->first_n + column) * p->size;
    const tess__matmul_tile    tile = {
           .out = p->out + ((p->first_m + row) * so->h + (p->first_n + column) * so->w) * p->size,
           .strides = { so->h, so->w },
           .a = panel_a(p, row / kernel->rows),
           .b = direct ? rows : panel_b(p, column / kernel->columns),
           .next = direct ? work->b.strides.h : kernel->columns,
           .m = tess__min(kernel->rows, p->n_m - row),
           .n = tess__min(kernel->columns, p->n_n - column),
           .depth = p->n_k,
           .alpha = work->alpha,
           .beta = p->first_k ? 1 : work->beta,
           .conjugate = { work->conjugate[0], work->conjugate[1] },
    };
    kernel->tile(&tile);
}

/* Tasks first to last-1 of the grid, those with the same panels of b one after the other: these are more, and stay in
 * the cache. */
static void make_tiles(void *context, int64_t first, int64_t last)
{
    const product *p = context;
    for (int64_t i = first; i < last; i++) {
        const int64_t m = i % p->down * p->rows, n = i / p->down * p->columns;
        const int64_t end_m = tess__min(m + p->rows, p->n_m), end_n = tess__min(n + p->columns, p->n_n);
        for (int64_t column = n; column < end_n; column += p->kernel->columns)
            for (int64_t row = m; row < end_m; row += p->kernel->rows) make_tile(p, row, column);
    }
}

/* ---- One product ---- */

/* Tasks that are large enough for the cache, and enough of them for the threads. */
static void choose_pieces(product *p)
{
    const tess__matmul_kernel *kernel = p->kernel;
    const int64_t              fit = BLOCK_BYTES / (DEPTH * p->size * kernel->rows), threads = tess_threads_get();
    p->rows = (fit < 1 ? 1 : fit) * kernel->rows;
    p->columns = ceil_div(BLOCK_COLUMNS, kernel->columns) * kernel->columns;
    while (ceil_div(p->n_m, p->rows) * ceil_div(p->n_n, p->columns) < 4 * threads) {
        if (p->rows >= p->columns && p->rows >= 2 * kernel->rows) p->rows = p->rows / kernel->rows / 2 * kernel->rows;
        else if (p->columns >= 2 * kernel->columns) p->columns = p->columns / kernel->columns / 2 * kernel->columns;
        else break;
    }
    p->down = ceil_div(p->n_m, p->rows);
}

static void multiply_part(product *p)
{
    const int64_t n_pack = ceil_div(p->n_m, p->kernel->rows) + ceil_div(p->n_n, p->kernel->columns) - direct_panels(p);
    choose_pieces(p);
    const int64_t n_tasks = ceil_div(p->n_n, p->columns) * p->down;
    const double  work = (double)p->n_m * (double)p->n_n * (double)p->n_k * COST * (double)p->size / 4;
    const int64_t pack_grain = tess__grain(n_pack, PACK_COST * (double)(p->kernel->rows * p->n_k));
    if (pack_grain < n_pack) tess__parallel(n_pack, pack_grain, pack, p);
    else pack(p, 0, n_pack);
    if (work >= 40000 && n_tasks > 1) tess__parallel(n_tasks, 1, make_tiles, p);
    else make_tiles(p, 0, n_tasks);
}

static void multiply(product *p)
{
    const tess__matmul *w = p->work;
    for (p->first_n = 0; p->first_n < w->n; p->first_n += SPAN) {
        p->n_n = tess__min(SPAN, w->n - p->first_n);
        for (p->first_m = 0; p->first_m < w->m; p->first_m += SPAN) {
            p->n_m = tess__min(SPAN, w->m - p->first_m);
            p->first_k = 0;
            do { /* a depth of 0 leaves nothing to add, but the result is still to be written */
                p->n_k = tess__min(DEPTH, w->k - p->first_k);
                multiply_part(p);
                p->first_k += DEPTH;
            } while (p->first_k < w->k && !tess__cancelled());
        }
    }
}

/* ---- Rows that are not packed ---- */

/* Of a whose elements meet few columns of b, or few of which meet b: packing them would take as long as the product. */
typedef struct row_product {
    const product         *p;
    tess__matmul_unpacked *unpacked;
    int64_t                rows; /* of a task */
} row_product;

static void make_rows(void *context, int64_t first, int64_t last)
{
    const row_product    *x = context;
    const product        *p = x->p;
    const tess__matmul   *w = p->work;
    tess__matmul_unpacked unpacked = *x->unpacked;
    for (int64_t i = first * x->rows; i < tess__min(last * x->rows, w->m); i += x->rows)
        for (int64_t k = 0; k < w->k; k += DEPTH) {
            unpacked.m = tess__min(x->rows, w->m - i);
            unpacked.depth = tess__min(DEPTH, w->k - k);
            unpacked.beta = k ? 1 : w->beta;
            p->kernel->whole(&unpacked, p->out + i * unpacked.out[0] * p->size,
                             p->a + (i * unpacked.a[0] + k * unpacked.a[1]) * p->size,
                             p->b + k * unpacked.b[0] * p->size);
        }
}

static void multiply_rows(const product *p, tess__matmul_unpacked unpacked)
{
    const tess__matmul *w = p->work;
    const int64_t       width = p->kernel->rows;
    row_product         x = { p, &unpacked, w->n <= p->kernel->columns ? ceil_div(THIN_ROWS, width) * width : width };
    const int64_t       n = ceil_div(w->m, x.rows);
    const double        cost = COST * (double)p->size / 4 * (double)(x.rows * w->n) * (double)(w->k + 8);
    memset(unpacked.prefetch, 0, sizeof unpacked.prefetch);
    tess__parallel(n, tess__grain(n, cost), make_rows, &x);
}

/* ---- All of them ---- */

typedef enum way { BY_BLAS, BY_TILES, BY_ELEMENTS, IN_PLACE, BY_ROWS, BY_VECTORS } way;

typedef struct batch {
    const tess__matmul        *work;
    const tess__matmul_kernel *kernel;
    int64_t                    size; /* bytes of an element */
    way                        way;
    int64_t                    bytes[2]; /* of the panels of a and b */
    tess__gemv_plan            gemv;
    atomic_bool                no_memory;
} batch;

/* Are the elements of a used so few times that packing does not pay? Where parts of vectors cannot be
 * used, some columns are computed twice, and nothing can be added to them. */
static bool uses_rows(const batch *all, bool rows)
{
    const tess__matmul        *w = all->work;
    const tess__matmul_kernel *kernel = all->kernel;
    const bool few = w->n <= kernel->columns || (w->k <= FEW_STEPS && w->k * w->n * all->size <= FEW_BYTES);
    return rows && few && (kernel->parts || w->n % kernel->lanes == 0 || (w->beta == 0 && w->k <= DEPTH));
}

/* How all of these products are computed. */
static way choose_way(const batch *all)
{
    const tess__matmul        *w = all->work;
    const tess__matmul_kernel *kernel = all->kernel;
    if (tess__blas_wants(w)) return BY_BLAS;
    if (w->k == 0) return BY_TILES;
    const bool one_pass = w->beta == 0 && w->k <= DEPTH, small = w->m <= TINY && w->n <= TINY && w->k <= TINY;
    const bool rows = w->out.strides.w == 1 && w->b.strides.w == 1 && (w->n >= kernel->lanes || kernel->parts);
    const bool few = !rows || (w->m < 4 && w->n < 4 && w->k < 4);
    const bool vector = kernel->gemv && (w->m == 1 || w->n == 1), chains = vector && w->k >= TESS__GEMV_SHORT;
    if (one_pass && few && small && !chains && w->m * w->n * w->k <= TINY) return BY_ELEMENTS;
    if (vector) return BY_VECTORS;
    if (one_pass && small && rows && w->m * w->k * all->size <= WHOLE_BYTES && w->k * w->n * all->size <= WHOLE_BYTES)
        return IN_PLACE;
    return uses_rows(all, rows) ? BY_ROWS : BY_TILES;
}

static int64_t panel_bytes(const batch *all, int64_t count, int64_t width)
{
    return ceil_div(tess__min(count, SPAN), width) * width * DEPTH * all->size;
}

static bool use_direct(const tess__matmul *w, int64_t size)
{
    const int64_t reach = tess__magnitude(w->b.strides.h) * tess__min(w->k, DEPTH) * size;
    return w->b.strides.w == 1 && w->m <= DIRECT_ROWS && reach <= DIRECT_BYTES;
}

static void run_one(const batch *all, product *p, const tess__matmul_unpacked *unpacked, tess__workspaces *sums)
{
    switch (all->way) {
    case BY_BLAS: tess__blas_multiply(p->work, p->out, p->a, p->b); break;
    case BY_TILES: multiply(p); break;
    case BY_ELEMENTS: p->kernel->tiny(unpacked, p->out, p->a, p->b); break;
    case IN_PLACE: p->kernel->whole(unpacked, p->out, p->a, p->b); break;
    case BY_ROWS: multiply_rows(p, *unpacked); break;
    case BY_VECTORS: tess__gemv_run(&all->gemv, sums, p->out, p->a, p->b); break;
    }
}

/* If matrices are contiguous, the next one is prefetched while the tiles of one are computed. */
static void plan_fetching(tess__matmul_unpacked *p, const batch *all)
{
    const tess__matmul *w = all->work;
    const tess_strides *s[3] = { &w->out.strides, &w->a.strides, &w->b.strides };
    const int64_t       rows[3] = { w->m, w->m, w->k }, columns[3] = { w->n, w->k, w->n };
    const int64_t       tiles = w->m / all->kernel->rows * (w->n / (2 * all->kernel->lanes));
    p->every = 64;
    for (int x = 0; x < 3 && tiles > 0 && w->k > 0; x++) {
        p->next[x] = (w->out.shape.d > 1 ? s[x]->d : s[x]->b) * all->size;
        if (p->next[x] == 0 || s[x]->w != 1 || s[x]->h != columns[x]) continue;
        p->prefetch[x] = ceil_div(rows[x] * columns[x] * all->size, 64 * tiles);
        p->step[x] = tess__min(64, ceil_div(p->prefetch[x] * 64, w->k));
        p->every = tess__min(p->every, 64 / p->step[x]);
    }
}

/* The kernel's arguments for a product without packing. */
static tess__matmul_unpacked unpacked_of(const batch *all)
{
    const tess__matmul   *w = all->work;
    tess__matmul_unpacked p = { .out = { w->out.strides.h, w->out.strides.w },
                                .a = { w->a.strides.h, w->a.strides.w },
                                .b = { w->b.strides.h, w->b.strides.w },
                                .m = w->m,
                                .n = w->n,
                                .depth = w->k,
                                .alpha = w->alpha,
                                .conjugate = { w->conjugate[0], w->conjugate[1] } };
    plan_fetching(&p, all);
    return p;
}

/* Products first to last-1, in panels of their own. */
static void run_batches(void *context, int64_t first, int64_t last)
{
    batch              *all = context;
    const tess__matmul *w = all->work;
    const tess_strides *so = &w->out.strides, *sa = &w->a.strides, *sb = &w->b.strides;
    char               *workspace = NULL;
    tess__workspaces    sums = { .memory = NULL };
    const bool          packs = all->way == BY_TILES, adds = all->way == BY_VECTORS && all->gemv.bytes > 0;
    if ((packs && !(workspace = tess__alloc((size_t)(all->bytes[0] + all->bytes[1])))) ||
        (adds && !tess__workspaces_make(&sums, (size_t)all->gemv.bytes, all->gemv.workspaces))) {
        atomic_store(&all->no_memory, true);
        return;
    }
    product                     p = { .work = w,
                                      .kernel = all->kernel,
                                      .size = all->size,
                                      .panels_a = workspace,
                                      .panels_b = workspace ? workspace + all->bytes[0] : NULL,
                                      .direct = use_direct(w, all->size) };
    const tess__matmul_unpacked unpacked = unpacked_of(all);
    int64_t                     b = first / w->out.shape.d, d = first % w->out.shape.d;
    for (int64_t i = first; i < last; i++) {
        p.out = (char *)w->out.data + (b * so->b + d * so->d) * p.size;
        p.a = (char *)w->a.data + (b * sa->b + d * sa->d) * p.size;
        p.b = (char *)w->b.data + (b * sb->b + d * sb->d) * p.size;
        run_one(all, &p, &unpacked, &sums);
        if (all->way == BY_BLAS && tess__cancelled()) break;
        if (++d == w->out.shape.d) d = 0, b++;
    }
    tess__free(workspace);
    if (adds) tess__workspaces_free(&sums);
}

/* Products narrower than the processor's vectors are computed with those of the instruction set before, if they
 * fill these, or if parts of vectors cannot be used. The bits are the same. */
static const tess__matmul_kernel *kernel_for(const tess__matmul *w)
{
    const tess__kernels       *kernels = tess__cpu_kernels();
    const tess__matmul_kernel *widest = kernels->linalg.matmul[w->dtype];
    if (w->n >= widest->lanes || kernels == tess__kernel_tables) return widest;
    const tess__matmul_kernel *narrower = (kernels - 1)->linalg.matmul[w->dtype];
    if (narrower->fused != widest->fused || narrower->lanes > w->n) return widest;
    return widest->parts && w->n % narrower->lanes ? widest : narrower;
}

tess_status tess__cpu_matmul_check(const tess__matmul *w) { return tess__blas_check(w); }

tess_status tess__cpu_matmul(const tess__matmul *w)
{
    batch all = { .work = w, .kernel = kernel_for(w), .size = tess__dtype_size(w->dtype) };
    all.way = choose_way(&all);
    const int64_t n = w->out.shape.b * w->out.shape.d, threads = tess_threads_get();
    const double  cost = (double)w->m * (double)w->n * ((double)w->k + 8) * COST * (double)all.size / 4;
    const int64_t grain = tess__grain(n, cost);
    const bool    divided = n >= 2 * threads && grain < n && all.way != BY_BLAS; /* products are the tasks */
    if (all.way == BY_VECTORS) {
        all.gemv = tess__gemv_plan_of(w, all.kernel, divided ? 1 : threads);
    } else {
        all.bytes[0] = panel_bytes(&all, w->m, all.kernel->rows);
        all.bytes[1] = panel_bytes(&all, w->n, all.kernel->columns);
    }
    if (divided) tess__parallel(n, grain, run_batches, &all);
    else run_batches(&all, 0, n);
    TESS_CHECK(!atomic_load(&all.no_memory), TESS_ENOMEM, "%s: no memory for %" PRId64 " bytes of workspace", w->name,
               all.bytes[0] + all.bytes[1] + all.gemv.bytes);
    return TESS_OK;
}
