/* Loop-nest planning: broadcast, then drop, reverse, sort and merge dimensions. */
#include "core/array/plan.h"

#include <string.h>

#include "core/dtype.h"
#include "core/array/layout.h"

/* Sign of the walk along a dimension: that of the first operand which moves. */
static bool walks_backwards(const tess__loop *loop, int dim)
{
    for (int k = 0; k < loop->n_operands; k++)
        if (loop->stride[k][dim] != 0) return loop->stride[k][dim] < 0;
    return false;
}

static void flip(tess__loop *loop, int dim)
{
    for (int k = 0; k < loop->n_operands; k++) {
        int64_t *stride = &loop->stride[k][dim];
        if (*stride == 0) continue; /* an operand that is left out has no address */
        loop->data[k] += (loop->shape[dim] - 1) * *stride * loop->size[k];
        *stride = -*stride;
    }
}

/* Should dimension i lie outside dimension j? */
static bool is_outer(const tess__loop *loop, int i, int j)
{
    for (int k = 0; k < loop->n_operands; k++) {
        const int64_t a = tess__magnitude(loop->stride[k][i]), b = tess__magnitude(loop->stride[k][j]);
        if (a != b) return a > b;
    }
    return false;
}

static void swap_dims(tess__loop *loop, int i, int j)
{
    const int64_t size = loop->shape[i];
    loop->shape[i] = loop->shape[j], loop->shape[j] = size;
    for (int k = 0; k < loop->n_operands; k++) {
        const int64_t stride = loop->stride[k][i];
        loop->stride[k][i] = loop->stride[k][j], loop->stride[k][j] = stride;
    }
}

static bool mergeable(const tess__loop *loop, int outer, int inner)
{
    for (int k = 0; k < loop->n_operands; k++)
        if (loop->stride[k][outer] != loop->stride[k][inner] * loop->shape[inner]) return false;
    return true;
}

static void merge(tess__loop *loop)
{
    int last = 0; /* the dimension being built */
    for (int d = 1; d < loop->n_dims; d++) {
        const bool    joined = mergeable(loop, last, d);
        const int64_t outer = joined ? loop->shape[last] : 1;
        if (!joined) last++;
        loop->shape[last] = outer * loop->shape[d];
        for (int k = 0; k < loop->n_operands; k++) loop->stride[k][last] = loop->stride[k][d];
    }
    loop->n_dims = last + 1;
}

static inline void set_operand(tess__loop *loop, int k, const tess_array *a)
{
    loop->size[k] = tess__dtype_size(a->dtype);
    loop->data[k] = a->data;
    loop->buffer[k] = a->buffer;
}

static void lay_out(tess__loop *loop, tess_shape domain, const tess_array *const *operands, int n_operands,
                    bool any_order)
{
    loop->n_operands = n_operands;
    loop->n_dims = 0;
    loop->n = domain.b * domain.d * domain.h * domain.w;
    for (int k = 0; k < n_operands; k++) set_operand(loop, k, operands[k]);
    for (int d = 0; d < 4; d++) {
        if (domain.dim[d] == 1) continue;
        const int at = loop->n_dims++;
        loop->shape[at] = domain.dim[d];
        for (int k = 0; k < n_operands; k++)
            loop->stride[k][at] = operands[k]->shape.dim[d] == 1 ? 0 : operands[k]->strides.dim[d];
        if (any_order && loop->n != 0 && walks_backwards(loop, at)) flip(loop, at);
        for (int i = at; any_order && i > 0 && is_outer(loop, i, i - 1); i--) swap_dims(loop, i, i - 1);
    }
    if (loop->n_dims == 0) { /* one element */
        loop->n_dims = 1;
        loop->shape[0] = 1;
        for (int k = 0; k < n_operands; k++) loop->stride[k][0] = 1;
        return;
    }
    merge(loop);
}

void tess__plan_row(tess__loop *loop, int64_t n, const tess_array *out, const tess_array *const *inputs, int n_inputs)
{
    loop->n_operands = 1 + n_inputs;
    loop->n_dims = 1;
    loop->n = loop->shape[0] = n;
    set_operand(loop, 0, out);
    loop->stride[0][0] = 1;
    for (int k = 0; k < n_inputs; k++) {
        set_operand(loop, 1 + k, inputs[k]);
        loop->stride[1 + k][0] = n == 1 || !tess__all_ones(&inputs[k]->shape);
    }
}

void tess__plan(tess__loop *loop, tess_shape domain, const tess_array *const *operands, int n_operands)
{
    lay_out(loop, domain, operands, n_operands, true);
}

void tess__plan_in_order(tess__loop *loop, tess_shape domain, const tess_array *const *operands, int n_operands)
{
    lay_out(loop, domain, operands, n_operands, false);
}
