/* Binning on the CPU: sums and means of blocks, a part of a row of results at a time.
 *
 * Each row of a block is added up from left to right, four neighbours by pairs, in runs of RUN elements where it is
 * longer; and these sums in the order of the rows: the same for every layout. Means of integers of 64 bits are computed
 * from two sums, of their lower and of their upper halves, since one would wrap. Sums of f32 are f64, but for those of
 * two rows of two.
 */
#include <math.h>

#include "core/dtype.h"
#include "core/minmax.h"
#include "cpu/convert/convert.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "cpu/memory/row_copy.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"

enum {
    RUN = 2048,          /* maximum of elements of a row at a time */
    SUMS = 1024,         /* maximum of results at a time */
    LONG = 1 << 14,      /* maximum of them where no sums are kept */
    MAX_NARROW = 32768,  /* elements of a block whose sum fits into 32 bits */
    MIN_NT_ROW = 512,    /* results of a row that are written by non-temporal stores */
    MIN_PREFETCH = 8192, /* bytes; the prefetch distance of such rows */
    MAX_PREFETCH = 24576
};

/* Estimated time of an element, in nanoseconds. */
#define COST 0.3

typedef struct bin {
    tess__bin            work;          /* with the last axis longer than 1, if any is */
    tess__bin_fn        *kernel[2];     /* of each part of an element; of quads, with sums of f64, and of f32 */
    tess__bin_direct_fn *fused;         /* NULL where results are converted, or rows are strided */
    tess_dtype           sums;          /* dtype of the kernel's sums */
    int64_t              size, step;    /* bytes of a real in memory; elements between neighbours, in reals */
    int                  parts;         /* reals, or halves, of an element */
    bool                 halves;        /* of integers, to be combined for a mean */
    bool                 quads;         /* two rows of two f32 numbers */
    bool                 one_by_one;    /* elements of a block are added singly, though several lie in one row here */
    bool                 direct;        /* the kernel reads the input where it is */
    tess__conversion     load;          /* to what the kernel reads */
    tess__conversion     widen[2], put; /* sums to f64, where means are wanted; to the output */
    bool                 nt;            /* fused results are written by non-temporal stores */
    int64_t              prefetch;      /* distance in bytes; 0: none */
    int64_t              workspace;     /* capacity in results */
    int64_t              width, blocks; /* results of a task; tasks of a row */
} bin;

/* A block of results: where its input begins, and how many rows and elements of a row each takes. */
typedef struct block {
    const char *in;
    char       *out;
    int64_t     n, rows[3], factor;
    int         part;
} block;

/* ---- Sums ---- */

/* Packed rows of a batch for the kernel. */
typedef struct feed {
    _Alignas(64) char workspace[TESS__BIN_ROWS][RUN * 8];
    const char *rows[TESS__BIN_ROWS];
    int         n;
    bool        start;
} feed;

static void flush(const bin *b, feed *f, const block *k, int64_t factor, void *sums)
{
    if (f->n) b->kernel[k->part](sums, f->rows, f->n, k->n, factor, f->start), f->start = false;
    f->n = 0;
}

/* Elements at steps of `step`, `factor` of them for each result. */
static void add_run(const bin *b, feed *f, const block *k, const char *in, int64_t step, int64_t factor, void *sums)
{
    if (!b->direct || step != 1) {
        const int64_t strides[2] = { 1, step };
        char *const   p[2] = { f->workspace[f->n], (char *)(uintptr_t)in };
        b->load.row(p, strides, k->n * factor, &b->load);
        in = p[0];
    }
    f->rows[f->n++] = in;
    if (f->n == TESS__BIN_ROWS) flush(b, f, k, factor, sums);
}

static void add_row(const bin *b, feed *f, const block *k, const char *in, void *sums)
{
    for (int64_t i = 0; b->one_by_one && i < k->factor; i++)
        add_run(b, f, k, in + i * b->step * b->size, b->step * k->factor, 1, sums);
    if (b->one_by_one) {
        flush(b, f, k, 1, sums);
        return;
    }
    if (k->factor <= RUN) {
        add_run(b, f, k, in, b->step, k->factor, sums);
        return;
    }
    for (int64_t i = 0; i < k->factor; i += RUN) { /* of one result */
        const int64_t n = k->factor - i < RUN ? k->factor - i : RUN;
        add_run(b, f, k, in + i * b->step * b->size, b->step, n, sums);
        flush(b, f, k, n, sums);
    }
}

static void add_up(const bin *b, const block *k, void *sums)
{
    const tess_array *in = &b->work.in;
    const int64_t     bytes = b->size * b->parts;
    feed              f;
    f.n = 0;
    f.start = true;
    for (int64_t i = 0; i < k->rows[0]; i++)
        for (int64_t j = 0; j < k->rows[1]; j++) {
            const char *row = k->in + (i * in->strides.b + j * in->strides.d) * bytes;
            for (int64_t h = 0; h < k->rows[2]; h++, row += in->strides.h * bytes) add_row(b, &f, k, row, sums);
        }
    flush(b, &f, k, k->factor, sums);
}

/* ---- Results ---- */

/* By a power of two, a product is the same as a quotient. */
static void divide(double *x, int64_t n, int64_t divisor)
{
    const double by = (double)divisor, factor = 1 / by;
    if ((divisor & (divisor - 1)) == 0)
        for (int64_t i = 0; i < n; i++) x[i] *= factor;
    else
        for (int64_t i = 0; i < n; i++) x[i] /= by;
}

static void finish(const bin *b, const block *k, char *sums)
{
    const bool    is_complex = b->parts == 2 && !b->halves;
    const int64_t strides[2] = { b->work.out.strides.w * (is_complex ? 2 : 1), 1 };
    if (b->work.mean) divide((double *)(void *)sums, k->n, k->rows[0] * k->rows[1] * k->rows[2] * k->factor);
    b->put.row((char *[]){ k->out, sums }, strides, k->n, &b->put);
}

/* Sums in f32, or in f64 where those are not finite. */
static char *add_up_quads(const bin *b, const block *k, double *sums, float *narrow)
{
    block in_f32 = *k;
    bool  finite = true;
    in_f32.part = 1;
    add_up(b, &in_f32, narrow);
    for (int64_t i = 0; i < k->n; i++) finite = finite && isfinite(narrow[i]);
    if (!finite) add_up(b, k, sums);
    for (int64_t i = 0; i < k->n; i++)
        if (finite || isfinite(narrow[i])) sums[i] = (double)narrow[i];
    return (char *)sums;
}

/* The sums of one part of the elements, as f64 where a mean is wanted. */
static char *add_up_part(const bin *b, const block *k, int part, double *sums, double *wide)
{
    block real = *k;
    if (b->quads) return add_up_quads(b, k, sums, (float *)(void *)wide);
    real.in += part * b->size;
    real.part = part;
    add_up(b, &real, sums);
    if (!b->work.mean || b->sums == TESS_F64) return (char *)sums;
    b->widen[part].row((char *[]){ (char *)wide, (char *)sums }, (int64_t[]){ 1, 1 }, k->n, &b->widen[part]);
    return (char *)wide;
}

/* The fused kernel takes blocks of a few rows and neighbours, where nothing is converted. */
static bool is_fused(const bin *b, const block *k)
{
    const int64_t rows = k->rows[0] * k->rows[1] * k->rows[2];
    if (!b->fused || rows > 4 || k->factor > 4) return false;
    if (rows == 3 || k->factor == 3) return rows != 2 && rows != 4 && k->factor != 2 && k->factor != 4;
    return true;
}

static void do_fused(const bin *b, const block *k)
{
    const tess_strides *s = &b->work.in.strides;
    const char         *rows[TESS__BIN_ROWS];
    int                 n = 0;
    for (int64_t i = 0; i < k->rows[0]; i++)
        for (int64_t j = 0; j < k->rows[1]; j++)
            for (int64_t h = 0; h < k->rows[2]; h++) rows[n++] = k->in + (i * s->b + j * s->d + h * s->h) * b->size;
    const double          divisor = b->work.mean ? (double)(n * k->factor) : 1.0;
    const tess__bin_block in = { rows, n, k->factor };
    b->fused(k->out, &in, k->n, divisor, b->prefetch, b->nt);
}

static void do_parts(const bin *b, const block *k)
{
    _Alignas(64) double sums[SUMS];
    _Alignas(64) double wide[2][SUMS];
    const int64_t       size_out = tess__dtype_size(tess_dtype_real(b->work.out.dtype));
    block               real = *k;
    for (int part = 0; part < b->parts; part++) {
        char *part_sums = add_up_part(b, k, part, sums, wide[part]);
        if (!b->halves) finish(b, &real, part_sums);
        real.out += size_out;
    }
    if (!b->halves) return;
    for (int64_t i = 0; i < k->n; i++) wide[0][i] = __builtin_fma(wide[1][i], 0x1p32, wide[0][i]);
    finish(b, k, (char *)wide[0]);
}

/* By the fused kernel, or as many results at a time as the workspace has sums for. */
static void do_block(const bin *b, const block *k)
{
    if (is_fused(b, k)) {
        do_fused(b, k);
        return;
    }
    const int64_t step_in = k->factor * b->step * b->size,
                  step_out = b->work.out.strides.w * tess__dtype_size(b->work.out.dtype);
    for (int64_t i = 0; i < k->n; i += b->workspace) {
        block part = *k;
        part.in += i * step_in;
        part.out += i * step_out;
        if (part.n - i > b->workspace) part.n = b->workspace;
        else part.n -= i;
        do_parts(b, &part);
    }
}

/* ---- All blocks ---- */

/* Results `column` to column + n - 1 of the row of results at `at`. */
static void do_columns(const bin *b, const int64_t at[3], int64_t column, int64_t n)
{
    const tess__bin *work = &b->work;
    const int64_t    width = work->in.shape.w, factor = work->factor[3], bytes = b->size * b->parts;
    block            k = { .in = work->in.data, .out = work->out.data, .n = n, .factor = factor };
    for (int d = 0; d < 3; d++) {
        const int64_t first = at[d] * work->factor[d];
        k.rows[d] = tess__min(work->factor[d], work->in.shape.dim[d] - first);
        k.in += first * work->in.strides.dim[d] * bytes;
        k.out += at[d] * work->out.strides.dim[d] * tess__dtype_size(work->out.dtype);
    }
    k.in += column * factor * work->in.strides.w * bytes;
    k.out += column * work->out.strides.w * tess__dtype_size(work->out.dtype);
    const int64_t left = width - column * factor;
    if (n * factor <= left) {
        do_block(b, &k);
        return;
    }
    k.n = n - 1; /* the last is incomplete */
    if (k.n) do_block(b, &k);
    k.in += k.n * factor * work->in.strides.w * bytes;
    k.out += k.n * work->out.strides.w * tess__dtype_size(work->out.dtype);
    k.factor = left - k.n * factor;
    k.n = 1;
    do_block(b, &k);
}

/* Parts of a row follow each other where rows are contiguous; elsewhere rows do, for locality. */
static void do_items(void *context, int64_t first, int64_t last)
{
    const bin        *b = context;
    const tess_shape *out = &b->work.out.shape;
    for (int64_t item = first; item < last; item++) {
        const int64_t plane = item / (b->blocks * out->h), in_plane = item % (b->blocks * out->h);
        const int64_t h = b->direct ? in_plane / b->blocks : in_plane % out->h;
        const int64_t column = (b->direct ? in_plane % b->blocks : in_plane / out->h) * b->width;
        do_columns(b, (int64_t[3]){ plane / out->d, plane % out->d, h }, column, tess__min(b->width, out->w - column));
    }
    if (b->nt) tess__stores_done();
}

/* Axes of size 1 come first, so that rows are as long as they can be. Their elements are then rows of a block, which
 * are added one by one: true if that makes a difference. */
static bool drop_last_axes(tess__bin *work)
{
    const bool dropped = work->in.shape.w == 1;
    for (int times = 0; times < 3 && work->in.shape.w == 1; times++) {
        int64_t *const lists[] = { work->in.shape.dim, work->in.strides.dim, work->out.shape.dim, work->out.strides.dim,
                                   work->factor };
        for (int i = 0; i < 5; i++) {
            const int64_t last = lists[i][3];
            for (int d = 3; d > 0; d--) lists[i][d] = lists[i][d - 1];
            lists[i][0] = last;
        }
    }
    const bool several_rows = work->factor[0] > 1 || work->factor[1] > 1 || work->factor[2] > 1;
    return dropped && work->factor[3] > (several_rows ? 1 : 3);
}

/* The fused kernel for results of this dtype, if there is one: means, sums of floats, and sums of small integers. */
static tess__bin_direct_fn *fused_kernel(const tess__bin *work, tess_dtype real, tess_kind kind)
{
    const tess_dtype out = work->out.dtype;
    if (work->mean || kind == TESS_KIND_FLOAT)
        return out == (real == TESS_F32 ? TESS_F32 : TESS_F64) ? tess__cpu_kernels()->resize.bin_direct[real] : NULL;
    return out == (kind == TESS_KIND_INT ? TESS_I64 : TESS_U64) ? tess__cpu_kernels()->resize.bin_direct_sum[real]
                                                                : NULL;
}

/* Chooses the kernel that adds up the numbers, and the conversions before and after it. */
static void choose(bin *b)
{
    const tess__kernels *kernels = tess__cpu_kernels();
    const tess__bin     *work = &b->work;
    tess_dtype           real = tess_dtype_real(work->in.dtype);
    const tess_kind      kind = tess_dtype_kind(real);
    int64_t              count = 1;
    b->halves = work->mean && kind != TESS_KIND_FLOAT && tess__dtype_size(real) == 8;
    if (b->halves) real = TESS_U32;
    const tess_dtype reads = real == TESS_F16 ? TESS_F32 : real;
    for (int d = 0; d < 4; d++) count *= work->factor[d];
    const bool narrow = kernels->resize.bin_narrow[reads] && count <= MAX_NARROW, is_signed = kind == TESS_KIND_INT;
    const bool is_complex = tess_dtype_kind(work->in.dtype) == TESS_KIND_COMPLEX;
    b->parts = b->halves || is_complex ? 2 : 1;
    b->one_by_one = b->one_by_one && kind == TESS_KIND_FLOAT; /* sums of integers are exact */
    b->size = tess__dtype_size(real);
    b->step = work->in.strides.w * b->parts;
    b->kernel[0] = b->kernel[1] = narrow ? kernels->resize.bin_narrow[reads] : kernels->resize.bin[reads];
    b->sums = kind == TESS_KIND_FLOAT ? TESS_F64
              : narrow                ? (is_signed ? TESS_I32 : TESS_U32)
                                      : (is_signed ? TESS_I64 : TESS_U64);
    b->direct = reads == real && b->step == 1;
    if (reads == real) b->load.row = kernels->memory.copy[tess__size_class(b->size)];
    else b->load = tess__conversion_of(real, reads, TESS__CLAMP, TESS_PART_DEFAULT);
    if (b->halves && is_signed) b->kernel[1] = kernels->resize.bin[TESS_I32];
    if (b->quads) b->kernel[1] = kernels->resize.bin_quads;
    for (int part = 0; part < 2 && work->mean && b->sums != TESS_F64; part++)
        b->widen[part] =
            tess__conversion_of(b->halves && part == 0 ? TESS_U64 : b->sums, TESS_F64, TESS__CLAMP, TESS_PART_DEFAULT);
    if (b->direct && b->parts == 1 && !b->one_by_one && work->out.strides.w == 1)
        b->fused = b->quads ? kernels->resize.bin_direct_quads : fused_kernel(work, real, kind);
    const tess_dtype to = is_complex ? tess_dtype_real(work->out.dtype) : work->out.dtype;
    b->put = tess__conversion_of(work->mean ? TESS_F64 : b->sums, to, TESS__CLAMP, TESS_PART_DEFAULT);
}

static bool can_use_nt(const bin *b)
{
    const tess_array *out = &b->work.out;
    return TESS__HAVE_NT_STORES && b->fused && tess_n_bytes(out) >= TESS__NT_MIN_BYTES && out->shape.w >= MIN_NT_ROW;
}

/* The prefetch distance: to a later block at the same column, if rows follow each other, in a large array. Where
 * results are written by non-temporal stores, the first cache holds what is prefetched, if it is not too far. */
static int64_t find_prefetch(const bin *b)
{
    const tess_array *in = &b->work.in;
    const int64_t     step = b->work.factor[2] * in->strides.h * b->size;
    const int64_t     min_prefetch = b->nt ? MIN_PREFETCH : TESS__PREFETCH_BYTES;
    const bool        large = tess_n_elements(in) * b->size >= TESS__PREFETCH_MIN_BYTES;
    if (!large || in->strides.h != in->shape.w || step > (b->nt ? MAX_PREFETCH : TESS__PREFETCH_MAX_BYTES)) return 0;
    return (min_prefetch + step - 1) / step * step;
}

tess_status tess__cpu_bin(const tess__bin *work)
{
    bin b = { .work = *work };
    b.quads = tess__bin_is_quad(&b.work);
    b.one_by_one = drop_last_axes(&b.work);
    choose(&b);
    b.nt = can_use_nt(&b);
    b.prefetch = find_prefetch(&b);
    const tess_array *out = &b.work.out;
    b.workspace = b.work.factor[3] < RUN ? RUN / b.work.factor[3] : 1;
    if (b.workspace > SUMS || b.one_by_one) b.workspace = SUMS;
    b.width = b.fused ? LONG : b.workspace;
    b.blocks = (out->shape.w - 1) / b.width + 1;
    const int64_t items = b.blocks * out->shape.h * out->shape.d * out->shape.b;
    double        cost = COST * (double)b.parts * (double)tess__min(b.width, out->shape.w);
    for (int d = 0; d < 4; d++) cost *= (double)b.work.factor[d];
    tess__parallel(items, tess__grain(items, cost), do_items, &b);
    return TESS_OK;
}
