/* What the axes of a transform need: lines, kept in the cache, or held for a plan. */
#include <stdio.h>
#include <string.h>

#include "core/dtype.h"
#include "core/memory.h"
#include "cpu/cpu.h"
#include "cpu/fft/transform.h"
#include "cpu/isa.h"

/* Few lines leave most lanes of a block empty: then each of them is cut up. The number does not depend on the lanes, so
 * that all instruction sets do the same. */
enum { FEW = 4 };

static bool is_long(const tess__fft_transform *t, int axis, int64_t n)
{
    int64_t lines = 1;
    for (int k = 0; k < 4; k++)
        if (k != axis) lines *= t->shape[k];
    return n > TESS__FFT_FOUR_STEP || (lines < FEW && tess__fft_splits(n));
}

static tess_status find_line(tess__fft_transform *t, int axis)
{
    const tess__fft *w = t->work;
    const int64_t    n = t->shape[axis];
    if (w->kind == TESS__FFT_R2R) {
        /* Of one element, DCT3 changes nothing. */
        const int kind_of_line = n == 1 ? TESS_FFT_DCT3 : w->r2r + (w->ortho ? TESS__FFT_R2R_ORTHO : 0);
        return tess__fft_plan1d_find(&t->line[axis], w->name, TESS__FFT_R2R_LINE + kind_of_line, n, t->kernels->size);
    }
    const bool    real = axis == W && w->kind != TESS_FFT_C2C;
    const int64_t complex_n = real && n % 2 == 0 ? n / 2 : n;
    t->is_long[axis] = is_long(t, axis, complex_n);
    int kind = real && n % 2 == 0 ? TESS__FFT_REAL : TESS__FFT_BLOCK;
    if (t->is_long[axis]) kind = real && n % 2 == 0 ? TESS__FFT_FOUR_STEP_REAL : tess__fft_single_kind(n);
    return tess__fft_plan1d_find(&t->line[axis], w->name, kind, n, t->kernels->size);
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
        TESS_TRY(find_line(t, k));
    }
    /* Where all axes have one element there is nothing to do, but the numbers must get into the output. */
    for (int k = W; t->first < 0 && k >= B; k--) {
        if (t->shape[k] != 1) continue;
        t->first = k;
        TESS_TRY(find_line(t, k));
    }
    t->scaled = t->line[W] ? W : t->first;
    return TESS_OK;
}

void tess__fft_end(tess__fft_transform *t)
{
    for (int k = 0; k < 4; k++) tess__fft_plan1d_release(t->line[k]);
}

/* ---- Plans ---- */

typedef struct held_lines {
    tess__fft_plan1d *line[4];
} held_lines;

/* "512: 8 8 8", or "1000003: chirp of 2016000: 1400 1440", behind what is in `text`. */
static size_t describe(char *text, size_t size, size_t used, const tess__fft_plan1d *line)
{
    const int64_t n = line->kind == TESS__FFT_REAL || line->kind == TESS__FFT_FOUR_STEP_REAL ? line->n / 2 : line->n;
    if (n != line->n || line->kind > TESS__FFT_R2R_LINE) line = line->sub[0];
    if (used < size) used += (size_t)snprintf(text + used, size - used, " %lld:", (long long)n);
    if (line->kind == TESS__FFT_CHIRP) {
        if (used < size) used += (size_t)snprintf(text + used, size - used, " convolution of");
        return describe(text, size, used, line->sub[0]);
    }
    if (line->kind == TESS__FFT_SPLIT) {
        used = describe(text, size, used, line->sub[0]);
        if (used < size) used += (size_t)snprintf(text + used, size - used, ", then");
        return describe(text, size, used, line->sub[1]);
    }
    for (int s = 0; s < line->n_stages && used < size; s++)
        used += (size_t)snprintf(text + used, size - used, " %d%s", (int)line->stage[s].radix,
                                 !line->stage[s].prime.sub    ? ""
                                 : line->stage[s].prime.chirp ? " (Bluestein)"
                                                              : " (Rader)");
    return used;
}

/* Bytes of a line and of those that it needs. */
static int64_t all_bytes(const tess__fft_plan1d *line)
{
    int64_t bytes = line->bytes;
    for (int i = 0; i < 2; i++)
        if (line->sub[i] && (i == 0 || line->sub[1] != line->sub[0])) bytes += all_bytes(line->sub[i]);
    for (int i = 0; i < line->n_stages; i++)
        if (line->stage[i].prime.sub) bytes += all_bytes(line->stage[i].prime.sub);
    return bytes;
}

static bool seen_before(const tess__fft_transform *t, int axis)
{
    for (int k = axis + 1; k <= W; k++)
        if (t->line[k] == t->line[axis]) return true;
    return false;
}

static void fill_info(tess_info_fft_plan *info, const tess__fft_transform *t)
{
    static const char axes[] = "bdhw";
    size_t            used = 0;
    memset(info, 0, sizeof *info);
    (void)snprintf(info->provider, sizeof info->provider, "native");
    for (int k = W; k >= B; k--) {
        if (!t->line[k]) continue;
        if (used < sizeof info->method)
            used +=
                (size_t)snprintf(info->method + used, sizeof info->method - used, "%s%c", used ? "; " : "", axes[k]);
        used = describe(info->method, sizeof info->method, used, t->line[k]);
        if (!seen_before(t, k)) info->memory += all_bytes(t->line[k]);
    }
    info->workspace = (int64_t)tess__fft_workspace(t);
}

tess_status tess__cpu_fft_prepare(void **held, const tess__fft *work, tess_info_fft_plan *info)
{
    *held = NULL;
    tess__fft_transform t;
    held_lines         *lines = tess__alloc(sizeof *lines);
    tess_status         status = lines ? tess__fft_begin(&t, work) : TESS_OK;
    TESS_CHECK(lines, TESS_ENOMEM, "%s: no memory for a plan", work->name);
    if (status != TESS_OK) {
        tess__fft_end(&t);
        tess__free(lines);
        return status;
    }
    if (info) fill_info(info, &t);
    memcpy(lines->line, t.line, sizeof lines->line);
    for (int k = 0; k < 4; k++)
        if (t.line[k]) tess__fft_plan1d_hold(t.line[k]);
    *held = lines;
    return TESS_OK;
}

void tess__cpu_fft_release(void *held)
{
    held_lines *lines = held;
    if (!lines) return;
    for (int k = 0; k < 4; k++) {
        if (lines->line[k]) tess__fft_plan1d_let_go(lines->line[k]);
        tess__fft_plan1d_release(lines->line[k]);
    }
    tess__free(lines);
}
