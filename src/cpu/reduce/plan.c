/* Loop nests of reductions: drops, reverses, sorts and merges the kept axes; drops and merges the reduced ones. */
#include "cpu/reduce/plan.h"

#include "core/dtype.h"
#include "core/layout.h"

static int64_t stride_of(const tess_array *a, int d) { return a->shape.dim[d] == 1 ? 0 : a->strides.dim[d]; }

/* Shorter runs do not start chunks of their own. */
enum { MIN_RUN = 256 };

static bool is_reduced(const tess__reduce *work, int d) { return (work->axes & TESS_B << d) != 0; }

bool tess__has_columns(const tess__reduce *work)
{
    int inner = 3;
    while (inner > 0 && work->shape.dim[inner] == 1) inner--;
    return !is_reduced(work, inner) && work->shape.dim[inner] >= TESS__MIN_COLUMNS;
}

bool tess__is_columnar(const tess__reduce *work)
{
    int64_t n = 1;
    for (int d = 0; d < 4; d++)
        if (is_reduced(work, d)) n *= work->shape.dim[d];
    return n <= TESS__SHORT || tess__has_columns(work);
}

/* The innermost axes, as far as all are reduced, are one run, if axes further out are reduced too. */
static int64_t inner_run_of(const tess__reduce *work, int64_t all)
{
    int64_t inner_run = 1;
    for (int d = 3; d >= 0 && (is_reduced(work, d) || work->shape.dim[d] == 1); d--) inner_run *= work->shape.dim[d];
    return inner_run < MIN_RUN ? all : inner_run;
}

/* The order of the numbers is fixed: only neighbouring axes are merged. */
static void add_reduced(tess__nest *r, const tess__reduce *work, int d)
{
    const int64_t size = work->shape.dim[d];
    bool          merges = r->n_dims > 0;
    for (int k = 0; k < work->n_inputs && merges; k++)
        merges = r->in[k][r->n_dims - 1] == stride_of(&work->in[k], d) * size;
    const int at = merges ? r->n_dims - 1 : r->n_dims++;
    r->size[at] = merges ? r->size[at] * size : size;
    for (int k = 0; k < work->n_inputs; k++) r->in[k][at] = stride_of(&work->in[k], d);
}

static void swap(int64_t *x, int i, int j)
{
    const int64_t t = x[i];
    x[i] = x[j], x[j] = t;
}

static void swap_kept(tess__reduce_plan *p, const tess__reduce *work, int i, int j)
{
    swap(p->kept.size, i, j);
    for (int k = 0; k < work->n_inputs; k++) swap(p->kept.in[k], i, j);
    for (int k = 0; k < 2 * work->n_items; k++) swap(p->so[k], i, j);
}

/* Inserts an axis by the magnitude of the first input's stride, reversed if that is negative. */
static void add_kept(tess__reduce_plan *p, const tess__reduce *work, int d)
{
    const int at = p->kept.n_dims++;
    p->kept.size[at] = work->shape.dim[d];
    const int64_t last = p->kept.size[at] - 1;
    const bool    reverse = stride_of(&work->in[0], d) < 0;
    for (int k = 0; k < work->n_inputs; k++) {
        const int64_t s = stride_of(&work->in[k], d);
        if (reverse) p->data[k] += last * s * p->size[k];
        p->kept.in[k][at] = reverse ? -s : s;
    }
    for (int k = 0; k < 2 * work->n_items; k++) {
        const tess_array *out = &work->item[k / 2].out[k % 2];
        if (!p->out[k]) continue;
        const int64_t s = out->strides.dim[d];
        if (reverse) p->out[k] += last * s * tess__dtype_size(out->dtype);
        p->so[k][at] = reverse ? -s : s;
    }
    for (int i = at; i > 0 && p->kept.in[0][i] > p->kept.in[0][i - 1]; i--) swap_kept(p, work, i, i - 1);
}

static bool kept_merges(const tess__reduce_plan *p, const tess__reduce *work, int outer, int inner)
{
    const int64_t n = p->kept.size[inner];
    for (int k = 0; k < work->n_inputs; k++)
        if (p->kept.in[k][outer] != p->kept.in[k][inner] * n) return false;
    for (int k = 0; k < 2 * work->n_items; k++)
        if (p->out[k] && p->so[k][outer] != p->so[k][inner] * n) return false;
    return true;
}

static void merge_kept(tess__reduce_plan *p, const tess__reduce *work)
{
    int last = 0;
    for (int d = 1; d < p->kept.n_dims; d++) {
        const bool    joined = kept_merges(p, work, last, d);
        const int64_t outer = joined ? p->kept.size[last] : 1;
        if (!joined) last++;
        p->kept.size[last] = outer * p->kept.size[d];
        for (int k = 0; k < work->n_inputs; k++) p->kept.in[k][last] = p->kept.in[k][d];
        for (int k = 0; k < 2 * work->n_items; k++) p->so[k][last] = p->so[k][d];
    }
    p->kept.n_dims = last + 1;
}

/* Makes the nest at least one axis, and counts its elements. */
static void close_nest(tess__nest *nest)
{
    if (nest->n_dims == 0) {
        nest->n_dims = 1;
        nest->size[0] = 1;
        nest->in[0][0] = nest->in[1][0] = 1;
    }
    nest->n = 1;
    for (int d = 0; d < nest->n_dims; d++) nest->n *= nest->size[d];
}

void tess__plan_reduction(tess__reduce_plan *p, const tess__reduce *work)
{
    p->kept.n_dims = p->reduced.n_dims = 0;
    for (int k = 0; k < work->n_inputs; k++) {
        p->data[k] = work->in[k].data;
        p->size[k] = tess__dtype_size(work->in[k].dtype);
    }
    for (int k = 0; k < 2 * work->n_items; k++) {
        p->out[k] = work->item[k / 2].out[k % 2].data;
        p->so[k][0] = 1;
    }
    for (int d = 0; d < 4; d++) {
        if (work->shape.dim[d] == 1) continue;
        if (is_reduced(work, d)) add_reduced(&p->reduced, work, d);
        else add_kept(p, work, d);
    }
    if (p->kept.n_dims > 1) merge_kept(p, work);
    close_nest(&p->kept);
    close_nest(&p->reduced);
    p->inner_run = inner_run_of(work, p->reduced.n);
}
