/* Loop nests of reductions: drops and merges axes; reverses and sorts the kept ones, and the reduced ones where their
 * order does not matter. */
#include "cpu/reduce/plan/plan.h"

#include "core/dtype.h"
#include "core/array/layout.h"

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

/* The array of an operand, or NULL. */
static const tess_array *operand_of(const tess__reduce *work, int k)
{
    if (k < TESS__OUT) return k < work->n_inputs ? &work->in[k] : NULL;
    const tess_array *out = &work->item[(k - TESS__OUT) / 2].out[k % 2];
    return out->data ? out : NULL;
}

/* Adds an axis to a nest, reversed if that makes the first input's stride positive and `reverses`. */
static void append(tess__nest *nest, tess__reduce_plan *p, const tess__reduce *work, int d, bool reverses)
{
    const int  at = nest->n_dims++;
    const bool reverse = reverses && work->in[0].shape.dim[d] != 1 && work->in[0].strides.dim[d] < 0;
    nest->size[at] = work->shape.dim[d];
    for (int k = 0; k < TESS__OUT + 2 * work->n_items; k++) {
        const tess_array *a = operand_of(work, k);
        const int64_t     s = a && a->shape.dim[d] != 1 ? a->strides.dim[d] : 0;
        if (reverse && s != 0) p->data[k] += (nest->size[at] - 1) * s * p->size[k];
        nest->in[k][at] = reverse ? -s : s;
    }
}

static void swap(int64_t *x, int i, int j)
{
    const int64_t t = x[i];
    x[i] = x[j], x[j] = t;
}

/* Moves the last axis outwards, past those of smaller strides of the first input. Broadcast axes are the innermost of
 * the kept ones, and the outermost of the reduced ones. */
static void sort_in(tess__nest *nest, int operands, bool broadcasts_outermost)
{
    for (int i = nest->n_dims - 1; i > 0; i--) {
        const int64_t inner = nest->in[0][i], outer = nest->in[0][i - 1];
        if (broadcasts_outermost ? outer == 0 || (inner != 0 && inner <= outer) : inner <= outer) return;
        swap(nest->size, i, i - 1);
        for (int k = 0; k < operands; k++) swap(nest->in[k], i, i - 1);
    }
}

static bool merges(const tess__nest *nest, int operands, int outer, int inner)
{
    for (int k = 0; k < operands; k++)
        if (nest->in[k][outer] != nest->in[k][inner] * nest->size[inner]) return false;
    return true;
}

/* Merges neighbouring axes that are contiguous in each operand; makes the nest at least one axis, and counts its
 * elements. */
static void close_nest(tess__nest *nest, int operands)
{
    int last = 0;
    for (int d = 1; d < nest->n_dims; d++) {
        const bool    joined = merges(nest, operands, last, d);
        const int64_t outer = joined ? nest->size[last] : 1;
        if (!joined) last++;
        nest->size[last] = outer * nest->size[d];
        for (int k = 0; k < operands; k++) nest->in[k][last] = nest->in[k][d];
    }
    if (nest->n_dims == 0) nest->size[0] = 1;
    for (int k = 0; k < operands && nest->n_dims == 0; k++) nest->in[k][0] = 1;
    nest->n_dims = last + 1;
    nest->n = 1;
    for (int d = 0; d < nest->n_dims; d++) nest->n *= nest->size[d];
}

void tess__plan_reduction(tess__reduce_plan *p, const tess__reduce *work, bool any_order)
{
    const int operands = TESS__OUT + 2 * work->n_items;
    any_order = any_order && tess__sizes_have_elements(&work->shape);
    p->kept.n_dims = p->reduced.n_dims = 0;
    for (int k = 0; k < operands; k++) {
        const tess_array *a = operand_of(work, k);
        p->data[k] = a ? a->data : NULL;
        p->size[k] = a ? tess__dtype_size(a->dtype) : 1;
    }
    for (int d = 0; d < 4; d++) {
        if (work->shape.dim[d] == 1) continue;
        tess__nest *nest = is_reduced(work, d) ? &p->reduced : &p->kept;
        append(nest, p, work, d, nest == &p->kept || any_order);
        if (nest == &p->kept || any_order) sort_in(nest, operands, nest == &p->reduced);
    }
    close_nest(&p->reduced, TESS__OUT);
    close_nest(&p->kept, operands);
    p->inner_run = any_order ? p->reduced.n : inner_run_of(work, p->reduced.n);
}
