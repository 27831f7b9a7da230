/* Discrete cosine and sine transforms (DCT, DST; types 1 to 4) on a GPU, one axis after the other, each by a complex
 * FFT. With a, b of 0, 1/2 or 1,
 *
 *     sum of x[j] exp(-i pi (j+a)(k+b) / L) = exp(-i pi a (k+b) / L) * DFT of 2 L numbers x[j] exp(-i pi j b / L)
 *
 * whose real part is the cosine transform and whose negated imaginary part is the sine transform. */
#include "cuda/fft/fft.h"
#include "cuda/fft/r2r_params.h"
#include "cuda/jit/kernel.h"
#include "cuda/memory/move.h"
#include "cuda/runtime/memory.h"

enum { THREADS = 256 };

static void print(tess__writer *w, const tess__cuda_key *key)
{
    tess__write(w, "#include \"cuda/jit/prelude.cu.h\"\n#include \"cuda/jit/elements.cu.h\"\n");
    tess__write(w, "#define REAL %s\n#define COMPLEX %s\n#define AFTER %d\n", key->word[1] ? "double" : "float",
                key->word[1] ? "tess_c64" : "tess_c32", (int)key->word[0]);
    tess__write(w, "#include \"cuda/fft/r2r.cu.h\"\n");
}

static const tess__cuda_family family = { .name = "r2r", .print = print };

/* Twice a and b, and L less n, for each kind from DCT1 on. */
static const struct {
    int a2, b2, more;
} kinds[] = { { 0, 0, -1 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 }, { 2, 2, 1 }, { 1, 2, 0 }, { 2, 1, 0 }, { 1, 1, 0 } };

static tess__gpu_r2r params_of(const tess__fft *work, int axis, int64_t n, double scale)
{
    const int     at = work->r2r - TESS_FFT_DCT1;
    tess__gpu_r2r p = { .axis = axis,
                        .length = n,
                        .period = n + kinds[at].more,
                        .a2 = kinds[at].a2,
                        .b2 = kinds[at].b2,
                        .kind = at + 1,
                        .ortho = work->ortho,
                        .scale = scale };
    return p;
}

/* One step over all elements of `domain`. */
static tess_status step(tess__cuda_call *call, tess__gpu_r2r p, int after, const tess_array *real,
                        const tess_array *complex, tess_shape domain)
{
    p.n = 1;
    p.real = (uintptr_t)real->data;
    p.complex = (uintptr_t)complex->data;
    for (int d = 0; d < 4; d++) {
        p.n *= domain.dim[d];
        p.shape[d] = domain.dim[d];
        p.real_stride[d] = real->strides.dim[d];
        p.complex_stride[d] = complex->strides.dim[d];
    }
    const tess__cuda_key key = { .family = &family, .word = { (uint64_t)after, real->dtype == TESS_F64 } };
    TESS_TRY(tess__cuda_run(call, &key, (p.n + THREADS - 1) / THREADS, THREADS, &p));
    return TESS_OK;
}

static tess_status run_axis(tess__cuda_call *call, const tess__fft *work, int axis, const tess_array *in, double scale)
{
    const tess_dtype    dtype = work->out.dtype == TESS_F64 ? TESS_C64 : TESS_C32;
    const tess__gpu_r2r p = params_of(work, axis, in->shape.dim[axis], scale);
    tess_shape          wide = in->shape;
    tess_array          workspace;
    tess_status         status;
    wide.dim[axis] = 2 * p.period;
    TESS_TRY(tess__cuda_workspace_array(&workspace, call, wide, dtype));
    TESS_GOTO(done, status, step(call, p, 0, in, &workspace, wide));
    TESS_GOTO(done, status, tess__cuda_c2c(call, -1, (uint32_t)TESS_B << axis, &workspace, &workspace, 1));
    TESS_GOTO(done, status, step(call, p, 1, &work->out, &workspace, in->shape));
done:
    tess__cuda_workspace_release(call, (uintptr_t)workspace.data);
    return status;
}

tess_status tess__cuda_r2r(tess__cuda_call *call, const tess__fft *work)
{
    int last = 0;
    for (int d = 0; d < 4; d++)
        if (work->axes & (uint32_t)(TESS_B << d)) last = d;
    const tess_array *in = &work->in;
    for (int d = 0; d <= last; d++) {
        if (!(work->axes & (uint32_t)(TESS_B << d))) continue;
        TESS_TRY(run_axis(call, work, d, in, d == last ? work->scale : 1));
        in = &work->out;
    }
    return TESS_OK;
}
