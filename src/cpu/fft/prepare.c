/* Plan creation: the 1-D plans that the axes of a transform need, from the cache, or held by a public plan. */
#include <stdio.h>
#include <string.h>

#include "core/dtype.h"
#include "core/device/float_env.h"
#include "core/device/memory.h"
#include "cpu/cpu.h"
#include "cpu/fft/factors.h"
#include "cpu/fft/transform.h"
#include "cpu/isa.h"

/* Few vectors leave most lanes of a block empty, and a block of long rows is too large for the nearest cache: then each
 * is transformed by itself. The numbers are independent of lanes, so that all instruction sets do the same. */
enum { FEW = 4, LONG = 4096 };

static int64_t vectors_along(const tess__fft_transform *t, int axis)
{
    int64_t vectors = 1;
    for (int k = 0; k < 4; k++)
        if (k != axis) vectors *= t->shape[k];
    return vectors;
}

static bool is_few(const tess__fft_transform *t, int axis, int64_t n)
{
    return n > TESS__FFT_FOUR_STEP || vectors_along(t, axis) < FEW;
}

/* The kind that the plan of an axis is asked for by. */
static int kind_along(const tess__fft_transform *t, int axis)
{
    const tess__fft *w = t->work;
    const int64_t    n = t->shape[axis];
    if (w->kind == TESS__FFT_R2R) /* of one element, DCT3 changes nothing */
        return TESS__FFT_R2R_PLAN + (n == 1 ? TESS_FFT_DCT3 : w->r2r + (w->ortho ? TESS__FFT_R2R_ORTHO : 0)) +
               (is_few(t, axis, n) ? TESS__FFT_R2R_ALONE : 0);
    const bool    halves = axis == W && w->kind != TESS_FFT_C2C && n % 2 == 0;
    const int64_t complex = halves ? n / 2 : n;
    if (is_few(t, axis, complex) || (axis == W && complex >= LONG && tess__fft_is_smooth(complex)))
        return halves ? TESS__FFT_ALONE_REAL : TESS__FFT_ALONE;
    return halves ? TESS__FFT_REAL : TESS__FFT_BLOCK;
}

/* What a public plan holds. */
typedef struct held_plans {
    tess__fft_plan1d *plan[4];
} held_plans;

static tess_status find_plan(tess__fft_transform *t, int axis)
{
    const held_plans *held = t->work->held;
    if (held) t->plan[axis] = held->plan[axis];
    else
        TESS_TRY(tess__fft_plan1d_find(&t->plan[axis], t->work->name, kind_along(t, axis), t->shape[axis],
                                       t->kernels->size));
    t->alone[axis] = tess__fft_is_single(t->plan[axis]);
    t->tasks[axis] = tess__fft_is_stockham(t->plan[axis]) && vectors_along(t, axis) >= FEW;
    return TESS_OK;
}

static bool in_set(const tess__fft *work, int axis) { return (work->axes & (uint32_t)TESS_B << axis) != 0; }

tess_status tess__fft_begin(tess__fft_transform *t, const tess__fft *work)
{
    static const int forward[] = { W, H, D, B }, backward[] = { B, D, H, W };
    const bool       back = work->kind == TESS_FFT_C2R;
    const int       *order = back ? backward : forward;
    const tess_shape shape = work->kind == TESS_FFT_R2C ? work->in.shape : work->out.shape;
    *t = (tess__fft_transform){ .work = work, .first = -1 };
    t->kernels = tess__cpu_kernels()->fft.precision[tess_dtype_real(work->out.dtype) == TESS_F64];
    memcpy(t->shape, shape.dim, sizeof t->shape);
    for (int i = 0; i < 4; i++) {
        const int  k = order[i];
        const bool whole = work->kind == TESS__FFT_R2R ? in_set(work, k) : k == W && work->kind != TESS_FFT_C2C;
        if (!whole && (!in_set(work, k) || t->shape[k] == 1)) continue;
        if (t->first < 0) t->first = k;
        TESS_TRY(find_plan(t, k));
    }
    /* Where all axes have one element there is nothing to do, but the numbers must get into the output. */
    for (int k = W; t->first < 0 && k >= B; k--) {
        if (t->shape[k] != 1) continue;
        t->first = k;
        TESS_TRY(find_plan(t, k));
    }
    t->scaled = t->plan[W] ? W : t->first;
    return TESS_OK;
}

void tess__fft_end(tess__fft_transform *t)
{
    for (int k = 0; k < 4 && !t->work->held; k++) tess__fft_plan1d_release(t->plan[k]);
}

/* ---- Plans ---- */

/* "512: 8 8 8", or "1000003: chirp of 2016000: 1400 1440", behind what is in `text`. */
static size_t describe(char *text, size_t size, size_t used, const tess__fft_plan1d *plan)
{
    const int64_t n = plan->kind == TESS__FFT_REAL || plan->kind == TESS__FFT_SINGLE_REAL ? plan->n / 2 : plan->n;
    if (n != plan->n || plan->kind > TESS__FFT_R2R_PLAN) plan = plan->sub[0];
    if (used < size) used += (size_t)snprintf(text + used, size - used, " %lld:", (long long)n);
    if (plan->kind == TESS__FFT_CHIRP) {
        if (used < size) used += (size_t)snprintf(text + used, size - used, " convolution of");
        return describe(text, size, used, plan->sub[0]);
    }
    if (plan->kind == TESS__FFT_SPLIT) {
        used = describe(text, size, used, plan->sub[0]);
        if (used < size) used += (size_t)snprintf(text + used, size - used, ", then");
        return describe(text, size, used, plan->sub[1]);
    }
    for (int s = 0; s < plan->n_stages && used < size; s++)
        used += (size_t)snprintf(text + used, size - used, " %d%s", (int)plan->stage[s].radix,
                                 !plan->stage[s].prime.sub    ? ""
                                 : plan->stage[s].prime.chirp ? " (Bluestein)"
                                                              : " (Rader)");
    return used;
}

/* Bytes of a 1-D plan and of those that it needs. */
static int64_t all_bytes(const tess__fft_plan1d *plan)
{
    int64_t bytes = plan->bytes;
    for (int i = 0; i < 2; i++)
        if (plan->sub[i] && (i == 0 || plan->sub[1] != plan->sub[0])) bytes += all_bytes(plan->sub[i]);
    for (int i = 0; i < plan->n_stages; i++)
        if (plan->stage[i].prime.sub) bytes += all_bytes(plan->stage[i].prime.sub);
    return bytes;
}

static bool seen_before(const tess__fft_transform *t, int axis)
{
    for (int k = axis + 1; k <= W; k++)
        if (t->plan[k] == t->plan[axis]) return true;
    return false;
}

static void fill_info(tess_info_fft_plan *info, const tess__fft_transform *t)
{
    static const char axes[] = "bdhw";
    size_t            used = 0;
    memset(info, 0, sizeof *info);
    (void)snprintf(info->provider, sizeof info->provider, "native");
    for (int k = W; k >= B; k--) {
        if (!t->plan[k]) continue;
        if (used < sizeof info->method)
            used +=
                (size_t)snprintf(info->method + used, sizeof info->method - used, "%s%c", used ? "; " : "", axes[k]);
        used = describe(info->method, sizeof info->method, used, t->plan[k]);
        if (!seen_before(t, k)) info->memory += all_bytes(t->plan[k]);
    }
    info->workspace = (int64_t)tess__fft_workspace(t);
}

tess_status tess__cpu_fft_prepare(void **held, const tess__fft *work, tess_info_fft_plan *info)
{
    TESS__FLOAT_SCOPE();
    *held = NULL;
    tess__fft_transform t;
    held_plans         *plans = tess__alloc(sizeof *plans);
    tess_status         status = plans ? tess__fft_begin(&t, work) : TESS_OK;
    TESS_CHECK(plans, TESS_ENOMEM, "%s: no memory for a plan", work->name);
    if (status != TESS_OK) {
        tess__fft_end(&t);
        tess__free(plans);
        return status;
    }
    if (info) fill_info(info, &t);
    memcpy(plans->plan, t.plan, sizeof plans->plan);
    for (int k = 0; k < 4; k++)
        if (t.plan[k]) tess__fft_plan1d_hold(t.plan[k]);
    *held = plans;
    return TESS_OK;
}

void tess__cpu_fft_release(void *held)
{
    held_plans *plans = held;
    if (!plans) return;
    for (int k = 0; k < 4; k++) {
        if (plans->plan[k]) tess__fft_plan1d_let_go(plans->plan[k]);
        tess__fft_plan1d_release(plans->plan[k]);
    }
    tess__free(plans);
}
