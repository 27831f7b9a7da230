/* Fourier transforms on a GPU: multi-dimensional plans of cuFFT, a column FFT of our own that also scales, and the
 * copies, conversions and scaling around them. */
#include "cuda/fft/fft.h"

#include <stdio.h>
#include <string.h>

#include "core/dtype.h"
#include "core/device/memory.h"
#include "cuda/cuda.h"
#include "cuda/fft/columns.h"
#include "cuda/memory/move.h"
#include "cuda/runtime/memory.h"
#include "cuda/vendor/cufft.h"

enum { W = 3, MAX_LOOPS = 16 };

/* One transform by cuFFT, of up to three axes, and loops around it for batches that are not one after the other. */
typedef struct pass {
    tess__cufft_layout layout;
    int64_t            loops[3], in_step[3], out_step[3]; /* in elements */
    tess_array         in, out;
    int                sign;
} pass;

/* ---- Layouts ---- */

/* Axes in the order of memory: each stride is a multiple of the next one, with space for the next axis. Sets the inner
 * stride and the sizes that the axes have in memory. */
static bool nests(const tess_array *a, const int *axis, int rank, int64_t embed[3], int64_t *stride)
{
    *stride = a->strides.dim[axis[rank - 1]];
    embed[0] = a->shape.dim[axis[0]];
    if (*stride <= 0) return false;
    for (int i = 0; i + 1 < rank; i++) {
        const int64_t outer = a->strides.dim[axis[i]], inner = a->strides.dim[axis[i + 1]];
        if (inner <= 0 || outer % inner || outer / inner < a->shape.dim[axis[i + 1]]) return false;
        embed[i + 1] = outer / inner;
    }
    return true;
}

/* Axes of a set of size above 1, those with larger strides of `a` first, W last if it must be. */
static int order_axes(int axis[4], const tess_array *a, uint32_t set, bool w_last)
{
    int n = 0;
    for (int d = 0; d < 4; d++) {
        if (!(set & (uint32_t)(TESS_B << d)) || (a->shape.dim[d] == 1 && !(w_last && d == W))) continue;
        int at = n++;
        for (; at > 0 && !(w_last && d == W) && a->strides.dim[axis[at - 1]] < a->strides.dim[d]; at--)
            axis[at] = axis[at - 1];
        axis[at] = d;
    }
    return n;
}

/* The axes that are not transformed: one becomes cuFFT's batch, those that go on from it are joined to it, the others
 * are loops. False if there are too many iterations. */
static bool lay_out_batches(pass *p, uint32_t set)
{
    int     batch_axes[4], n = 0, loops = 0;
    int64_t iterations = 1;
    for (int d = 0; d < 4; d++)
        if (!(set & (uint32_t)(TESS_B << d)) && p->out.shape.dim[d] > 1) batch_axes[n++] = d;
    tess__cufft_layout *l = &p->layout;
    l->batch = 1;
    for (int i = n - 1; i >= 0; i--) {
        const int     d = batch_axes[i];
        const int64_t size = p->out.shape.dim[d], in = p->in.strides.dim[d], out = p->out.strides.dim[d];
        if (i == n - 1) l->batch = size, l->in_distance = in, l->out_distance = out;
        else if (loops == 0 && in == l->in_distance * l->batch && out == l->out_distance * l->batch) l->batch *= size;
        else {
            p->loops[loops] = size, p->in_step[loops] = in, p->out_step[loops] = out, loops++;
            iterations *= size;
        }
    }
    if (n == 0) l->in_distance = l->out_distance = 1; /* not used, but 0 is rejected */
    return iterations <= MAX_LOOPS && l->in_distance > 0 && l->out_distance > 0;
}

/* cuFFT wants both arrays to begin where a complex number could. */
static bool is_aligned(const tess_array *a, const int64_t loops[3], const int64_t step[3])
{
    const int64_t size = tess__dtype_size(a->dtype), needed = 2 * tess__dtype_size(tess_dtype_real(a->dtype));
    bool          aligned = (uintptr_t)a->data % (uintptr_t)needed == 0;
    for (int i = 0; i < 3; i++) aligned = aligned && (loops[i] == 1 || step[i] * size % needed == 0);
    return aligned;
}

static int type_of(int kind, bool wide)
{
    if (kind == TESS_FFT_R2C) return wide ? TESS__CUFFT_D2Z : TESS__CUFFT_R2C;
    if (kind == TESS_FFT_C2R) return wide ? TESS__CUFFT_Z2D : TESS__CUFFT_C2R;
    return wide ? TESS__CUFFT_Z2Z : TESS__CUFFT_C2C;
}

/* Can cuFFT take the arrays in their layout? `set` has one to three axes of size above 1. */
static bool make_pass(pass *p, int kind, int sign, uint32_t set, const tess_array *out, const tess_array *in)
{
    int axis[4];
    memset(p, 0, sizeof *p);
    p->in = *in, p->out = *out, p->sign = sign;
    for (int i = 0; i < 3; i++) p->loops[i] = 1;
    const tess_array   *real = kind == TESS_FFT_C2R ? out : in;
    const int           rank = order_axes(axis, real, set, kind != TESS_FFT_C2C);
    tess__cufft_layout *l = &p->layout;
    l->rank = rank;
    l->type = type_of(kind, tess_dtype_real(out->dtype) == TESS_F64);
    for (int i = 0; i < rank; i++) l->n[i] = real->shape.dim[axis[i]];
    return nests(in, axis, rank, l->in_embed, &l->in_stride) && nests(out, axis, rank, l->out_embed, &l->out_stride) &&
           lay_out_batches(p, set) && is_aligned(in, p->loops, p->in_step) && is_aligned(out, p->loops, p->out_step);
}

/* ---- Running ---- */

static tess_status run_pass(tess__cuda_call *call, const pass *p)
{
    const int64_t in_size = tess__dtype_size(p->in.dtype), out_size = tess__dtype_size(p->out.dtype);
    tess__cuda_use(call, p->in.buffer);
    tess__cuda_use(call, p->out.buffer);
    for (int64_t a = 0; a < p->loops[0]; a++)
        for (int64_t b = 0; b < p->loops[1]; b++)
            for (int64_t c = 0; c < p->loops[2]; c++) {
                const int64_t in = a * p->in_step[0] + b * p->in_step[1] + c * p->in_step[2];
                const int64_t out = a * p->out_step[0] + b * p->out_step[1] + c * p->out_step[2];
                TESS_TRY(tess__cufft_run(call, &p->layout, p->sign, (uintptr_t)((char *)p->out.data + out * out_size),
                                         (uintptr_t)((char *)p->in.data + in * in_size)));
            }
    return TESS_OK;
}

/* Workspace for an array in which the axes of a set are the innermost, so that all the others are one batch; rows of
 * W are `pitch` elements apart where W is the innermost. */
static tess_status make_workspace(tess_array *out, tess__cuda_call *call, const tess_array *like, uint32_t set,
                                  int64_t pitch)
{
    tess_shape with_gaps = like->shape;
    int64_t    stride = 1;
    with_gaps.w = pitch;
    TESS_TRY(tess__cuda_workspace_array(out, call, with_gaps, like->dtype));
    out->shape = like->shape;
    for (int inner = 1; inner >= 0; inner--)
        for (int d = W; d >= 0; d--) {
            if (!!(set & (uint32_t)(TESS_B << d)) != inner) continue;
            out->strides.dim[d] = stride;
            stride *= with_gaps.dim[d];
        }
    return TESS_OK;
}

/* Arrays whose layout cuFFT cannot take are copied to and from workspace. */
static tess_status transform(tess__cuda_call *call, int kind, int sign, uint32_t set, const tess_array *out,
                             const tess_array *in, double scale)
{
    pass        p;
    tess_array  made_in = { .data = NULL }, made_out = { .data = NULL };
    tess_status status = TESS_OK;
    if (!make_pass(&p, kind, sign, set, out, in)) {
        TESS_GOTO(done, status, make_workspace(&made_in, call, in, set, in->shape.w));
        TESS_GOTO(done, status, tess__cuda_copy(call, &made_in, in));
        TESS_GOTO(done, status, make_workspace(&made_out, call, out, set, out->shape.w));
        (void)make_pass(&p, kind, sign, set, &made_out, &made_in);
    }
    TESS_GOTO(done, status, run_pass(call, &p));
    if (made_out.data) TESS_GOTO(done, status, tess__cuda_scale(call, out, &made_out, scale));
    else if (scale != 1) TESS_GOTO(done, status, tess__cuda_scale(call, out, out, scale));
done:
    tess__cuda_workspace_release(call, (uintptr_t)made_in.data);
    tess__cuda_workspace_release(call, (uintptr_t)made_out.data);
    return status;
}

/* ---- Kinds ---- */

/* Those of the set of size above 1. */
static uint32_t long_axes(uint32_t set, tess_shape shape)
{
    uint32_t longer = 0;
    for (int d = 0; d < 4; d++)
        if (shape.dim[d] > 1) longer |= set & (uint32_t)(TESS_B << d);
    return longer;
}

/* The axis of a set that our own kernel takes, or none. */
static uint32_t own_axis(uint32_t set, const tess_array *out, const tess_array *in)
{
    for (int d = 0; d < W; d++)
        if (set & (uint32_t)(TESS_B << d) && tess__cuda_fft_columns_fit(out, in, d)) return (uint32_t)(TESS_B << d);
    return 0;
}

static int number_of(uint32_t axis) { return axis == TESS_B ? 0 : axis == TESS_D ? 1 : axis == TESS_H ? 2 : W; }

/* Without scaling, cuFFT is as fast, unless there is a single axis that is not the innermost. */
static uint32_t own_axis_of_c2c(uint32_t set, const tess_array *out, const tess_array *in, double scale)
{
    return scale != 1 || (set & (set - 1)) == 0 ? own_axis(set, out, in) : 0;
}

/* Complex to complex over any set, the output from the input or in place. cuFFT takes three axes at once. */
tess_status tess__cuda_c2c(tess__cuda_call *call, int sign, uint32_t set, const tess_array *out, const tess_array *in,
                           double scale)
{
    const uint32_t all = TESS_B | TESS_D | TESS_H | TESS_W;
    const uint32_t own = own_axis_of_c2c(set, out, in, scale);
    if (own) {
        TESS_TRY(tess__cuda_fft_columns(call, sign, out, in, number_of(own), (tess__cuda_fft_factors){ scale, NULL }));
        if (set != own) TESS_TRY(tess__cuda_c2c(call, sign, set & ~own, out, out, 1));
        return TESS_OK;
    }
    const uint32_t last = set == all ? TESS_B : 0, first = set & ~last;
    if (!first) {
        TESS_TRY(tess__cuda_scale(call, out, in, scale));
        return TESS_OK;
    }
    TESS_TRY(transform(call, TESS_FFT_C2C, sign, first, out, in, last ? 1 : scale));
    if (last) TESS_TRY(transform(call, TESS_FFT_C2C, sign, last, out, out, scale));
    return TESS_OK;
}

static tess_status run_complex(tess__cuda_call *call, const tess__fft *work)
{
    const uint32_t    set = long_axes(work->axes, work->in.shape);
    const tess_array *in = &work->in;
    if (in->dtype != work->out.dtype) { /* real */
        TESS_TRY(tess__cuda_convert(call, &work->out, in));
        in = &work->out;
    }
    TESS_TRY(tess__cuda_c2c(call, work->sign, set, &work->out, in, work->scale));
    return TESS_OK;
}

/* Those that cuFFT takes at once of a set with W in it; the others are to be taken after it, or before it. */
static uint32_t real_axes(uint32_t set)
{
    return set & TESS_B && set & TESS_D && set & TESS_H ? set & ~(uint32_t)TESS_B : set;
}

/* The same of work as it is planned: c2r keeps its input unless it need not. */
static uint32_t own_axis_of(const tess__fft *work, uint32_t set)
{
    if (work->kind == TESS__FFT_R2R) return 0;
    if (work->kind == TESS_FFT_C2C) return own_axis_of_c2c(set, &work->out, &work->out, work->scale);
    if (work->kind == TESS_FFT_R2C) return work->scale != 1 ? own_axis(set, &work->out, &work->out) : 0;
    return !work->overwrite || work->scale != 1 ? own_axis(set, &work->in, &work->in) : 0;
}

static tess_status run_r2c(tess__cuda_call *call, const tess__fft *work)
{
    const uint32_t set = long_axes(work->axes, work->in.shape);
    const uint32_t own = own_axis_of(work, set);
    const uint32_t first = own ? set & ~own : real_axes(set);
    if (work->in.shape.w == 1) {
        TESS_TRY(tess__cuda_convert(call, &work->out, &work->in));
        TESS_TRY(tess__cuda_c2c(call, work->sign, set, &work->out, &work->out, work->scale));
        return TESS_OK;
    }
    TESS_TRY(transform(call, TESS_FFT_R2C, -1, first, &work->out, &work->in, first == set ? work->scale : 1));
    if (first != set) TESS_TRY(tess__cuda_c2c(call, -1, set & ~first, &work->out, &work->out, work->scale));
    return TESS_OK;
}

/* From a spectrum that may be destroyed. */
static tess_status run_c2r_on(tess__cuda_call *call, const tess__fft *work, uint32_t set, const tess_array *spectrum,
                              double scale)
{
    const uint32_t at_once = real_axes(set);
    if (work->out.shape.w == 1) {
        if (set) TESS_TRY(tess__cuda_c2c(call, 1, set, spectrum, spectrum, 1));
        TESS_TRY(tess__cuda_convert(call, &work->out, spectrum));
        if (scale != 1) TESS_TRY(tess__cuda_scale(call, &work->out, &work->out, scale));
        return TESS_OK;
    }
    if (at_once != set) TESS_TRY(tess__cuda_c2c(call, 1, set & ~at_once, spectrum, spectrum, 1));
    TESS_TRY(transform(call, TESS_FFT_C2R, 1, at_once, &work->out, spectrum, scale));
    return TESS_OK;
}

/* Rows of images begin at cache lines, for threads that write parts of rows: 1.81 ms, not 2.19, for 64
 * images of 2048 x 2048 on an H200. (Where cuFFT does it all, it is the other way round.) In volumes rows follow each
 * other, so that the elements of a plane are columns side by side. */
static int64_t pitch_of(const tess_array *spectrum, uint32_t set)
{
    const int64_t line = 128 / tess__dtype_size(spectrum->dtype), width = spectrum->shape.w;
    const bool    image = set == (TESS_H | TESS_W) && own_axis(set, spectrum, spectrum);
    return image ? (width + line - 1) / line * line : width;
}

/* cuFFT destroys the input, so it works on a copy, which is scaled, and transformed along one axis, on the way. */
static tess_status run_c2r(tess__cuda_call *call, const tess__fft *work)
{
    const bool     keep = !work->overwrite && work->in.data != work->out.data;
    const uint32_t set = long_axes(work->axes, work->out.shape);
    tess_array     spectrum = work->in, copy = { .data = NULL };
    tess_status    status = TESS_OK;
    if (keep) TESS_TRY(make_workspace(&copy, call, &work->in, work->axes | TESS_W, pitch_of(&work->in, set)));
    if (keep) spectrum = copy;
    const tess__cuda_fft_factors factors = { work->scale, work->multipliers.data ? &work->multipliers : NULL };
    const uint32_t own = keep || work->scale != 1 || factors.multipliers ? own_axis(set, &spectrum, &work->in) : 0;
    if (own) TESS_GOTO(done, status, tess__cuda_fft_columns(call, 1, &spectrum, &work->in, number_of(own), factors));
    else if (keep) TESS_GOTO(done, status, tess__cuda_scale(call, &spectrum, &work->in, work->scale));
    TESS_GOTO(done, status, run_c2r_on(call, work, set & ~own, &spectrum, own || keep ? 1 : work->scale));
done:
    tess__cuda_workspace_release(call, (uintptr_t)copy.data);
    return status;
}

static tess_status run(tess__cuda_call *call, const tess__fft *work)
{
    if (work->kind == TESS_FFT_R2C) return run_r2c(call, work);
    if (work->kind == TESS_FFT_C2R) return run_c2r(call, work);
    if (work->kind == TESS_FFT_C2C) return run_complex(call, work);
    return tess__cuda_r2r(call, work);
}

/* Can the pass of our own multiply, too? Its batches have to be those of the multipliers. */
static bool can_multiply(const tess__fft *work)
{
    const tess_array *in = &work->in;
    const uint32_t    own = own_axis(long_axes(work->axes, work->out.shape), in, in);
    return own == TESS_D || (own == TESS_H && in->shape.d == 1);
}

/* A pass for it. */
static tess_status multiply(tess__cuda_call *call, const tess__fft *work)
{
    tess__spectrum_filter filter = { .name = work->name,
                                     .out = work->in,
                                     .in = work->in,
                                     .spec = { .kind = TESS__FILTER_IMAGE },
                                     .batches = work->in.shape.b,
                                     .table = work->multipliers };
    for (int k = 1; k < 4; k++) {
        const int64_t n = work->out.shape.dim[k];
        const int32_t order = k == W ? TESS__ORDER_HALF : TESS__ORDER_FIRST;
        filter.axis[k] = (tess__filter_axis){ .n = n, .out = order, .in = order, .span = 1, .count = (double)n };
    }
    TESS_TRY(tess__cuda_spectrum_filter(call, &filter));
    return TESS_OK;
}

tess_status tess__cuda_fft(tess__cuda_call *call, const tess__fft *work)
{
    tess__fft plain = *work;
    if (work->multipliers.data && !can_multiply(work)) {
        TESS_TRY(multiply(call, work));
        plain.multipliers.data = NULL;
    }
    TESS_TRY(run(call, &plain));
    return TESS_OK;
}

/* ---- Plans ---- */

/* cuFFT's own plan is created now and cached with the others; nothing else is held. */
tess_status tess__cuda_fft_prepare(void **held, const tess__fft *work, tess_info_fft_plan *info)
{
    pass             p;
    size_t           workspace = 0;
    tess__cuda_call  call;
    tess_status      status = TESS_OK;
    const tess_shape shape = work->kind == TESS_FFT_C2R ? work->out.shape : work->in.shape;
    const uint32_t   all = TESS_B | TESS_D | TESS_H | TESS_W, longer = long_axes(work->axes, shape);
    const uint32_t   own = own_axis_of(work, longer), others = longer & ~own;
    const uint32_t   set = others == all ? all & ~(uint32_t)TESS_B : others;
    const tess_array complex = work->kind == TESS_FFT_C2R ? work->in : work->out;
    *held = NULL;
    TESS_TRY(tess__cuda_begin_on(&call, work->name, work->out.device.index));
    if (own) status = tess__cuda_fft_columns_prepare(&call, work->sign, &complex, number_of(own));
    const bool direct = set && (work->kind == TESS_FFT_C2C || shape.w > 1);
    if (status == TESS_OK && direct && make_pass(&p, work->kind, work->sign, set, &work->out, &work->in))
        status = tess__cufft_prepare(&call, &p.layout, &workspace);
    tess__cuda_end(&call);
    TESS_TRY(status);
    if (!info) return TESS_OK;
    memset(info, 0, sizeof *info);
    (void)snprintf(info->provider, sizeof info->provider, "cufft");
    (void)snprintf(info->method, sizeof info->method, "%scuFFT, %d axes at once",
                   own ? "one axis by a kernel that scales too; " : "",
                   !!(set & TESS_B) + !!(set & TESS_D) + !!(set & TESS_H) + !!(set & TESS_W));
    info->workspace = (int64_t)workspace;
    return TESS_OK;
}
