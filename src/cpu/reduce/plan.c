/* Loop nests of reductions: drops and merges axes; reverses and sorts the kept ones, and the reduced ones where their
 * order does not matter. */
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

/* Adds an axis to a nest, reversed if `reverse`. */
static int append(tess__nest *nest, tess__reduce_plan *p, const tess__reduce *work, int d, bool reverse)
{
    const int at = nest->n_dims++;
    nest->size[at] = work->shape.dim[d];
    for (int k = 0; k < work->n_inputs; k++) {
        const int64_t s = stride_of(&work->in[k], d);
        if (reverse) p->data[k] += (nest->size[at] - 1) * s * p->size[k];
        nest->in[k][at] = reverse ? -s : s;
    }
    return at;
}

static void swap(int64_t *x, int i, int j)
{
    const int64_t t = x[i];
    x[i] = x[j], x[j] = t;
}

static void swap_axes(tess__nest *nest, const tess__reduce *work, int i, int j)
{
    swap(nest->size, i, j);
    for (int k = 0; k < work->n_inputs; k++) swap(nest->in[k], i, j);
}

/* Inserts an axis by the magnitude of the first input's stride, where the order of the numbers does not matter.
 * Broadcast axes are the outermost. */
static void insert_reduced(tess__reduce_plan *p, const tess__reduce *work, int d)
{
    tess__nest *nest = &p->reduced;
    const int   at = append(nest, p, work, d, stride_of(&work->in[0], d) < 0);
    for (int i = at; i > 0; i--) {
        const int64_t inner = nest->in[0][i], outer = nest->in[0][i - 1];
        if (outer == 0 || (inner != 0 && inner <= outer)) return;
        swap_axes(nest, work, i, i - 1);
    }
}

static bool reduced_merges(const tess__nest *nest, const tess__reduce *work, int outer, int inner)
{
    for (int k = 0; k < work->n_inputs; k++)
        if (nest->in[k][outer] != nest->in[k][inner] * nest->size[inner]) return false;
    return true;
}

/* Merges neighbouring axes that are contiguous in each input. */
static void merge_reduced(tess__nest *nest, const tess__reduce *work)
{
    int last = 0;
    for (int d = 1; d < nest->n_dims; d++) {
        const bool    joined = reduced_merges(nest, work, last, d);
        const int64_t outer = joined ? nest->size[last] : 1;
        if (!joined) last++;
        nest->size[last] = outer * nest->size[d];
        for (int k = 0; k < work->n_inputs; k++) nest->in[k][last] = nest->in[k][d];
    }
    nest->n_dims = last + 1;
}

/* Inserts an axis by the magnitude of the first input's stride, reversed if that is negative. */
static void add_kept(tess__reduce_plan *p, const tess__reduce *work, int d)
{
    const bool    reverse = stride_of(&work->in[0], d) < 0;
    const int     at = append(&p->kept, p, work, d, reverse);
    const int64_t last = p->kept.size[at] - 1;
    for (int k = 0; k < 2 * work->n_items; k++) {
        const tess_array *out = &work->item[k / 2].out[k % 2];
        if (!p->out[k]) continue;
        const int64_t s = out->strides.dim[d];
        if (reverse) p->out[k] += last * s * tess__dtype_size(out->dtype);
        p->so[k][at] = reverse ? -s : s;
    }
    for (int i = at; i > 0 && p->kept.in[0][i] > p->kept.in[0][i - 1]; i--) {
        swap_axes(&p->kept, work, i, i - 1);
        for (int k = 0; k < 2 * work->n_items; k++) swap(p->so[k], i, i - 1);
    }
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

void tess__plan_reduction(tess__reduce_plan *p, const tess__reduce *work, bool any_order)
{
    any_order = any_order && tess__sizes_have_elements(&work->shape);
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
        if (!is_reduced(work, d)) add_kept(p, work, d);
        else if (any_order) insert_reduced(p, work, d);
        else (void)append(&p->reduced, p, work, d, false);
    }
    if (p->reduced.n_dims > 1) merge_reduced(&p->reduced, work);
    if (p->kept.n_dims > 1) merge_kept(p, work);
    close_nest(&p->kept);
    close_nest(&p->reduced);
    p->inner_run = any_order ? p->reduced.n : inner_run_of(work, p->reduced.n);
}
