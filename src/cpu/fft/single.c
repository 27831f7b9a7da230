/* FFT of vectors that are transformed by themselves, one after the other, since they are long or few: the algorithm of
 * each length, and what real vectors need besides. */
#include "cpu/fft/single.h"

#include <string.h>

#include "cpu/isa.h"

/* In a block, most of whose lanes are empty, few elements still take less time than a convolution; and that has larger
 * errors than a transform of small primes. */
enum { SHORT = 64, SMALL_PRIME = 128 };

int tess__fft_single_kind(int64_t n)
{
    const int64_t columns = tess__fft_columns_of(n);
    if (n > TESS__FFT_FOUR_STEP) return columns > 1 ? TESS__FFT_SPLIT : TESS__FFT_CHIRP;
    if (n > TESS__FFT_MAX_RADIX && tess__fft_is_smooth(n)) return TESS__FFT_STOCKHAM;
    if (n < SHORT) return TESS__FFT_BLOCK;
    if (tess__fft_largest_prime(n) > SMALL_PRIME) return TESS__FFT_CHIRP;
    return columns < 4 ? TESS__FFT_BLOCK : TESS__FFT_SPLIT;
}

size_t tess__fft_single_workspace(const tess__fft_plan1d *plan)
{
    const int64_t element = 2 * plan->size;
    const size_t  below = plan->sub[0] ? tess__fft_single_workspace(plan->sub[0]) : 0;
    switch (plan->kind) {
    case TESS__FFT_STOCKHAM: return tess__aligned_size(plan->n, element) + tess__fft_stockham_workspace(plan);
    case TESS__FFT_SPLIT: return tess__fft_matrix_bytes(plan) + tess__fft_single_workspace(plan->sub[1]);
    case TESS__FFT_CHIRP: return 2 * tess__aligned_size(plan->sub[0]->n, element) + below;
    case TESS__FFT_SINGLE_REAL: return 2 * tess__aligned_size(plan->n / 2 + 1, element) + below;
    default: return tess__fft_r2r_alone(plan->kind) ? 2 * tess__aligned_size(plan->sub[0]->n + 1, element) + below : 0;
    }
}

/* ---- Complex vectors ---- */

/* A vector that fits in a block, alone in it. */
static void run_alone(const tess__fft_single *s)
{
    const tess__fft_kernel *k = s->kernels;
    char                   *block = tess__workspace_acquire(s->workspaces);
    const char             *in[TESS__FFT_MAX_LANES];
    char                   *out[TESS__FFT_MAX_LANES] = { s->out };
    for (int l = 0; l < k->lanes; l++) in[l] = s->in;
    (s->real ? k->load_reals : k->load_any)(block, in, s->si, s->plan->at[s->backward], s->plan->n);
    tess__fft_run_block(s->plan, k, block, block + s->plan->n * k->lanes * 2 * k->size, 0, s->plan->n_stages);
    k->store_any(out, s->so, block, s->plan->n, s->scale);
    tess__workspace_release(s->workspaces, block);
}

/* Numbers that are not adjacent are copied. */
static void run_stockham(const tess__fft_single *s)
{
    const tess__fft_kernel *k = s->kernels;
    const int64_t           n = s->plan->n, size = 2 * k->size;
    char                   *copy = s->workspace, *out = s->so == size ? s->out : copy;
    const char             *in = s->in;
    if (s->real || s->si != size) {
        const int flags = s->real ? TESS__FFT_REAL_IN : 0;
        k->single_multiply(&(tess__fft_product){ copy, in, NULL, size, s->si, 1, flags }, 0, n);
        in = copy;
    }
    tess__fft_run_stockham(s->plan, k, out, in, copy + tess__aligned_size(n, size), s->backward, s->scale);
    if (out == copy) k->single_multiply(&(tess__fft_product){ s->out, copy, NULL, s->so, size, 1, 0 }, 0, n);
}

void tess__fft_run_single(const tess__fft_single *s)
{
    if (s->plan->kind == TESS__FFT_STOCKHAM) run_stockham(s);
    else if (s->plan->kind == TESS__FFT_SPLIT) tess__fft_run_split(s);
    else if (s->plan->kind == TESS__FFT_CHIRP) tess__fft_run_chirp(s);
    else run_alone(s);
}

/* ---- Transforms for tables ---- */

bool tess__fft_transform_f64(const tess__fft_plan1d *plan, const double *x, double *y, char *workspace)
{
    const tess__fft_kernel *kernels = tess__cpu_kernels()->fft.precision[1];
    tess__workspaces        workspaces;
    if (!tess__workspaces_make(&workspaces, tess__fft_pass_workspace(plan, kernels), INT32_MAX)) return false;
    const tess__fft_single s = { .plan = plan,
                                 .kernels = kernels,
                                 .workspaces = &workspaces,
                                 .in = (const char *)x,
                                 .out = (char *)y,
                                 .workspace = workspace,
                                 .si = 16,
                                 .so = 16,
                                 .scale = 1 };
    tess__fft_run_single(&s);
    tess__workspaces_free(&workspaces);
    return true;
}

bool tess__fft_spectrum_of(double *x, int64_t n, const char *fn)
{
    tess__fft_plan1d *plan;
    if (tess__fft_plan1d_find(&plan, fn, TESS__FFT_ALONE, n, 8) != TESS_OK) return false;
    const size_t part = tess__aligned_size(n, 16);
    char        *workspace = tess__fft_workspace_acquire(part + tess__fft_single_workspace(plan));
    const bool   made = workspace && tess__fft_transform_f64(plan, x, (double *)workspace, workspace + part);
    if (made) memcpy(x, workspace, (size_t)n * 16);
    tess__fft_workspace_release(workspace);
    tess__fft_plan1d_release(plan);
    return made;
}

/* ---- Vectors of a pass ---- */

static void real_to_half(const tess__fft_pass *p, tess__fft_single *s)
{
    const tess__fft_kernel *k = s->kernels;
    const int64_t           n = p->n, size = 2 * k->size;
    char *const             workspace = s->workspace, *out = s->out;
    const int64_t           so = s->so;
    if (p->plan->kind != TESS__FFT_SINGLE_REAL) { /* odd */
        s->real = true, s->out = workspace, s->so = size, s->workspace = workspace + tess__aligned_size(n, size);
        tess__fft_run_single(s);
        k->single_multiply(&(tess__fft_product){ out, workspace, NULL, so, size, 1, 0 }, 0, n / 2 + 1);
        return;
    }
    char *const pairs = workspace + tess__aligned_size(n / 2 + 1, size);
    if (s->si != k->size) {
        k->single_multiply(&(tess__fft_product){ pairs, s->in, NULL, size, 2 * s->si, 1, TESS__FFT_REAL_IN }, 0, n / 2);
        k->single_multiply(&(tess__fft_product){ pairs + k->size, s->in + s->si, NULL, size, 2 * s->si, 1,
                                                 TESS__FFT_REAL_IN | TESS__FFT_REAL_OUT },
                           0, n / 2);
        s->in = pairs;
    }
    s->plan = p->plan->sub[0], s->si = size, s->scale = 1;
    s->out = workspace, s->so = size, s->workspace = pairs + tess__aligned_size(n / 2 + 1, size);
    tess__fft_run_single(s);
    char *const spectrum = so == size ? out : pairs;
    k->single_hermitian_unpack(spectrum, workspace, n / 2, p->plan->twiddles, p->scale);
    if (so != size) k->single_multiply(&(tess__fft_product){ out, spectrum, NULL, so, size, 1, 0 }, 0, n / 2 + 1);
}

static void half_to_real(const tess__fft_pass *p, tess__fft_single *s, const char *last)
{
    const tess__fft_kernel *k = s->kernels;
    const int64_t           n = p->n, size = 2 * k->size;
    char *const             workspace = s->workspace, *out = s->out;
    const int64_t           so = s->so;
    if (p->plan->kind != TESS__FFT_SINGLE_REAL) { /* odd */
        char *const result = workspace + tess__aligned_size(n, size);
        k->single_complete(workspace, s->in, s->si, last, n);
        s->in = workspace, s->si = size, s->out = result, s->so = size,
        s->workspace = result + tess__aligned_size(n, size);
        tess__fft_run_single(s);
        k->single_multiply(&(tess__fft_product){ out, result, NULL, so, size, 1, TESS__FFT_REAL_OUT }, 0, n);
        return;
    }
    char *const result = workspace + tess__aligned_size(n / 2 + 1, size);
    const char *spectrum = s->in;
    if (s->si != size || last) {
        k->single_multiply(&(tess__fft_product){ result, s->in, NULL, size, s->si, 1, 0 }, 0, n / 2 + !last);
        if (last) memcpy(result + n / 2 * size, last, (size_t)size);
        spectrum = result;
    }
    k->single_hermitian_pack(workspace, spectrum, n / 2, p->plan->twiddles, p->scale);
    s->plan = p->plan->sub[0], s->in = workspace, s->si = size, s->scale = 1;
    s->out = so == k->size ? out : result, s->so = size, s->workspace = result + tess__aligned_size(n / 2 + 1, size);
    tess__fft_run_single(s);
    if (so == k->size) return;
    k->single_multiply(&(tess__fft_product){ out, result, NULL, 2 * so, size, 1, TESS__FFT_REAL_OUT }, 0, n / 2);
    k->single_multiply(&(tess__fft_product){ out + so, result + k->size, NULL, 2 * so, size, 1,
                                             TESS__FFT_REAL_IN | TESS__FFT_REAL_OUT },
                       0, n / 2);
}

static void real_to_real(const tess__fft_pass *p, tess__fft_single *s)
{
    const tess__fft_kernel *k = s->kernels;
    const tess__fft_r2r    *r = &p->plan->r2r;
    const tess__fft_plan1d *real = p->plan->sub[0], *sub = r->half ? real->sub[0] : real;
    const int64_t           size = 2 * k->size, so = s->so;
    const size_t            part = tess__aligned_size(sub->n + 1, size);
    char *const             out = s->out;
    char                   *x = s->workspace, *y = x + part;
    k->single_load_r2r(x, s->in, s->si, r->terms, r);
    if (r->half && r->backward) {
        k->single_hermitian_pack(y, x, sub->n, real->twiddles, 1);
        char *const packed = y;
        y = x, x = packed;
    }
    s->plan = sub, s->in = s->out = x, s->si = s->so = size, s->backward = r->backward, s->scale = 1;
    s->workspace += 2 * part;
    tess__fft_run_single(s);
    if (r->half && !r->backward) {
        k->single_hermitian_unpack(y, x, sub->n, real->twiddles, 1);
        x = y;
    }
    k->single_store_r2r(out, so, x, p->n, r, p->scale);
}

void tess__fft_run_vector(const tess__fft_pass *p, tess__fft_single *s, const char *last)
{
    if (p->what == TESS__FFT_REAL_TO_HALF) real_to_half(p, s);
    else if (p->what == TESS__FFT_HALF_TO_REAL) half_to_real(p, s, last);
    else if (p->what == TESS__FFT_REAL_TO_REAL) real_to_real(p, s);
    else tess__fft_run_single(s);
}

void tess__fft_run_singles(const tess__fft_pass *p, const tess__fft_kernel *kernels, tess__workspaces *workspaces,
                           char *workspace)
{
    const int64_t *count = p->count, n = count[0] * count[1] * count[2];
    int64_t        at[3] = { 0, 0, 0 };
    for (int64_t i = 0; i < n; i++) {
        tess__fft_single s = { .plan = p->plan,
                               .kernels = kernels,
                               .workspaces = workspaces,
                               .in = p->data[0],
                               .out = p->data[1],
                               .workspace = workspace,
                               .si = p->step[0],
                               .so = p->step[1],
                               .real = p->what == TESS__FFT_FROM_REAL,
                               .backward = p->backward,
                               .scale = p->scale };
        const char      *last = p->last;
        for (int k = 0; k < 3; k++) {
            s.in += at[k] * p->stride[k][0], s.out += at[k] * p->stride[k][1];
            if (last) last += at[k] * p->last_stride[k];
        }
        tess__fft_run_vector(p, &s, last);
        for (int k = 0; k < 3 && ++at[k] == count[k]; k++) at[k] = 0;
    }
}
