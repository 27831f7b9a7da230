/* Matrix products on a GPU: floats by cuBLAS, which is column-major and therefore computes the transposed product of
 * the transposed matrices; integers by a tiled kernel of our own. */
#include <inttypes.h>
#include <string.h>

#include "core/dtype.h"
#include "cuda/cuda.h"
#include "cuda/jit/kernel.h"
#include "cuda/linalg/matmul_params.h"
#include "cuda/memory/move.h"
#include "cuda/runtime/memory.h"
#include "cuda/vendor/cublas.h"

enum { B, D, ROW, COLUMN, TILE = 16 };

/* ---- Integers ---- */

static void print(tess__writer *w, const tess__cuda_key *key)
{
    (void)key; /* signed and unsigned products have the same bits */
    tess__write(w, "#include \"cuda/jit/prelude.cu.h\"\n#include \"cuda/linalg/matmul.cu.h\"\n");
}

static const tess__cuda_family family = { .name = "matmul", .print = print };

static void set_matrix(tess__gpu_matrix *m, const tess_array *a)
{
    m->data = (uintptr_t)a->data;
    memcpy(m->stride, a->strides.dim, sizeof m->stride);
}

static tess_status run_integers(tess__cuda_call *call, const tess__matmul *work)
{
    tess__gpu_matmul p = { .m = work->m, .n = work->n, .k = work->k, .d = work->out.shape.d };
    p.alpha = (int64_t)work->alpha;
    p.beta = (int64_t)work->beta;
    set_matrix(&p.out, &work->out);
    set_matrix(&p.a, &work->a);
    set_matrix(&p.b, &work->b);
    const tess__cuda_key key = { .family = &family };
    p.across = (work->n + TILE - 1) / TILE;
    p.tiles = (work->m + TILE - 1) / TILE * p.across;
    p.all = p.tiles * work->out.shape.b * work->out.shape.d;
    TESS_TRY(tess__cuda_run(call, &key, tess__cuda_stride_blocks(p.all), TILE * TILE, &p));
    return TESS_OK;
}

/* ---- Floats ---- */

/* How cuBLAS sees a matrix of r rows and c columns in memory: row-major, which is transposed for cuBLAS, or
 * column-major. Complex numbers that are aligned as their parts are not usable. */
typedef struct seen {
    bool    by_rows, usable;
    int64_t ld;
} seen;

static seen look_at(const tess_array *a)
{
    const int64_t rows = a->shape.dim[ROW], columns = a->shape.dim[COLUMN], max = INT32_MAX;
    int64_t       row = a->strides.dim[ROW], column = a->strides.dim[COLUMN];
    if (rows == 1) row = column == 1 || columns == 1 ? columns : row;
    if (columns == 1 && rows > 1) column = row == 1 ? rows : 1;
    seen s = { .usable = false };
    if ((column == 1 || columns == 1) && row >= columns && row <= max) s = (seen){ true, true, row };
    else if ((row == 1 || rows == 1) && column >= rows && column <= max) s = (seen){ false, true, column };
    if (s.ld < 1) s.ld = 1;
    s.usable = s.usable && (uintptr_t)a->data % (uintptr_t)tess__dtype_size(a->dtype) == 0;
    return s;
}

/* An operand in a layout that cuBLAS takes, and whether it is still to be conjugated: cuBLAS conjugates only together
 * with transposing. */
typedef struct operand {
    tess_array       array;
    tess__cu_address workspace; /* of a copy; 0: none */
    bool             conjugate;
} operand;

/* The array itself, or a copy, in which batches that are repeated are there once. */
static tess_status prepare(operand *o, tess__cuda_call *call, const tess_array *in, bool conjugate, bool out_by_rows)
{
    const seen s = look_at(in);
    tess_array copy, once = *in;
    *o = (operand){ .array = *in, .conjugate = conjugate };
    if (s.usable && !(conjugate && s.by_rows == out_by_rows)) return TESS_OK;
    for (int d = B; d <= D; d++)
        if (in->strides.dim[d] == 0) once.shape.dim[d] = 1;
    TESS_TRY(tess__cuda_workspace_array(&copy, call, once.shape, in->dtype));
    o->workspace = (uintptr_t)copy.data;
    o->conjugate = false;
    if (conjugate) TESS_TRY(tess__cuda_conjugate(call, &copy, &once));
    else TESS_TRY(tess__cuda_copy(call, &copy, &once));
    for (int d = B; d <= D; d++)
        if (in->strides.dim[d] == 0) copy.strides.dim[d] = 0;
    copy.shape = in->shape;
    o->array = copy;
    return TESS_OK;
}

/* Batches with a constant stride in all three arrays are one call. */
static bool joins(const tess_array *a) { return a->strides.dim[B] == a->strides.dim[D] * a->shape.dim[D]; }

static int op_of(const operand *o, bool out_by_rows)
{
    if (look_at(&o->array).by_rows == out_by_rows) return TESS__BLAS_AS_IT_IS;
    return o->conjugate ? TESS__BLAS_CONJUGATED : TESS__BLAS_TRANSPOSED;
}

/* If the result is row-major, out = a b is, in column-major order, out' = b' a', and a row-major operand is its
 * transpose already. */
static tess_status multiply(tess__cuda_call *call, const tess__matmul *work, const tess_array *out, const operand *a,
                            const operand *b)
{
    const seen     so = look_at(out);
    const operand *first = so.by_rows ? b : a, *second = so.by_rows ? a : b;
    const bool     joined = out->shape.b == 1 || (joins(out) && joins(&a->array) && joins(&b->array));
    const int64_t  size = tess__dtype_size(work->dtype), products = joined ? 1 : out->shape.b;
    tess__gemm     g = { .dtype = work->dtype,
                         .op_a = op_of(first, so.by_rows),
                         .op_b = op_of(second, so.by_rows),
                         .m = (int)(so.by_rows ? work->n : work->m),
                         .n = (int)(so.by_rows ? work->m : work->n),
                         .k = (int)work->k,
                         .lda = look_at(&first->array).ld,
                         .ldb = look_at(&second->array).ld,
                         .ldc = so.ld,
                         .step_a = first->array.strides.dim[D],
                         .step_b = second->array.strides.dim[D],
                         .step_c = out->strides.dim[D],
                         .batch = (int)(joined ? out->shape.b * out->shape.d : out->shape.d),
                         .alpha = work->alpha,
                         .beta = work->beta };
    for (int64_t i = 0; i < products; i++) {
        g.a = (uintptr_t)((char *)first->array.data + i * first->array.strides.dim[B] * size);
        g.b = (uintptr_t)((char *)second->array.data + i * second->array.strides.dim[B] * size);
        g.c = (uintptr_t)((char *)out->data + i * out->strides.dim[B] * size);
        TESS_TRY(tess__cublas_gemm(call, &g));
    }
    return TESS_OK;
}

static tess_status check_sizes(const tess__matmul *work)
{
    const int64_t max = INT32_MAX, batches = work->out.shape.b * work->out.shape.d;
    TESS_CHECK(work->m <= max && work->n <= max && work->k <= max && batches <= max, TESS_EUNSUPPORTED,
               "%s: a product of %" PRId64 " by %" PRId64 " by %" PRId64 " in %" PRId64
               " batches; on a GPU each number must be at most %" PRId64,
               work->name, work->m, work->k, work->n, batches, max);
    return TESS_OK;
}

/* A result whose layout cuBLAS cannot write is computed in workspace and copied. */
static tess_status run_floats(tess__cuda_call *call, const tess__matmul *work)
{
    const bool  complex = work->dtype == TESS_C32 || work->dtype == TESS_C64;
    operand     a = { .workspace = 0 }, b = { .workspace = 0 };
    tess_array  out = work->out, copy = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_TRY(check_sizes(work));
    if (!look_at(&out).usable) {
        TESS_GOTO(done, status, tess__cuda_workspace_array(&copy, call, out.shape, out.dtype));
        if (work->beta != 0) TESS_GOTO(done, status, tess__cuda_copy(call, &copy, &out));
        out = copy;
    }
    const bool by_rows = look_at(&out).by_rows;
    TESS_GOTO(done, status, prepare(&a, call, &work->a, work->conjugate[0] && complex, by_rows));
    TESS_GOTO(done, status, prepare(&b, call, &work->b, work->conjugate[1] && complex, by_rows));
    TESS_GOTO(done, status, multiply(call, work, &out, &a, &b));
    if (copy.data) TESS_GOTO(done, status, tess__cuda_copy(call, &work->out, &copy));
done:
    tess__cuda_workspace_release(call, a.workspace);
    tess__cuda_workspace_release(call, b.workspace);
    tess__cuda_workspace_release(call, (uintptr_t)copy.data);
    return status;
}

/* Sums of no products: what was there remains, times beta. */
static tess_status run_nothing(tess__cuda_call *call, const tess__matmul *work)
{
    if (work->beta != 0) TESS_TRY(tess__cuda_scale(call, &work->out, &work->out, work->beta));
    else TESS_TRY(tess__cuda_clear(call, &work->out));
    return TESS_OK;
}

tess_status tess__cuda_matmul(tess__cuda_call *call, const tess__matmul *work)
{
    const bool integers = work->dtype == TESS_I64 || work->dtype == TESS_U64;
    if (integers) TESS_TRY(run_integers(call, work));
    else if (work->k == 0) TESS_TRY(run_nothing(call, work));
    else TESS_TRY(run_floats(call, work));
    return TESS_OK;
}
