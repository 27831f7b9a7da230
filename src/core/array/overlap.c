/* Overlap of strided views: a bounded linear Diophantine equation, solved by search with pruning.
 *
 * An address of a view is base + sum stride_k * i_k with 0 <= i_k < n_k. Two views overlap if an address of one equals
 * an address of the other, which is sum a_i * x_i = target with 0 <= x_i <= max_i and positive a_i after reversing
 * negative strides. Nearly all cases end after merging terms, before any search.
 */
#include "core/array/overlap.h"

#include <stdint.h>

#include "core/dtype.h"
#include "core/array/layout.h"

enum { MAX_TERMS = 10, MAX_STEPS = 100000 };

typedef struct equation {
    int     n;
    int     steps; /* of the search so far */
    int64_t factor[MAX_TERMS];
    int64_t max[MAX_TERMS];
} equation;

static void add_term(equation *e, int64_t factor, int64_t max)
{
    if (factor == 0 || max == 0) return;
    int at = e->n++;
    for (; at > 0 && e->factor[at - 1] < factor; at--) { /* largest first */
        e->factor[at] = e->factor[at - 1];
        e->max[at] = e->max[at - 1];
    }
    e->factor[at] = factor;
    e->max[at] = max;
}

/* Two terms whose sums form one gapless progression become one. */
static void merge_terms(equation *e)
{
    for (int small = e->n - 1; small > 0; small--) {
        const int big = small - 1;
        if (e->factor[big] % e->factor[small] != 0) continue;
        const int64_t ratio = e->factor[big] / e->factor[small];
        if (ratio - 1 > e->max[small]) continue;
        e->factor[big] = e->factor[small];
        e->max[big] = e->max[small] + ratio * e->max[big];
        for (int k = small; k + 1 < e->n; k++) e->factor[k] = e->factor[k + 1], e->max[k] = e->max[k + 1];
        e->n--;
        small = e->n; /* a merge may make another possible */
    }
}

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    while (b) {
        const int64_t remainder = a % b;
        a = b;
        b = remainder;
    }
    return a;
}

/* Is there a solution with the terms from `at` on? `reach` is the largest value they give together. */
static bool solve(equation *e, int at, int64_t target, int64_t reach)
{
    if (target < 0 || target > reach) return false;
    if (target == 0) return true;
    if (at == e->n) return false;
    int64_t divisor = 0;
    for (int k = at; k < e->n; k++) divisor = greatest_divisor(e->factor[k], divisor);
    if (target % divisor != 0) return false;
    const int64_t below = reach - e->factor[at] * e->max[at];
    int64_t       x = target / e->factor[at];
    if (x > e->max[at]) x = e->max[at];
    for (; x >= 0 && target - x * e->factor[at] <= below; x--) {
        if (++e->steps > MAX_STEPS) return true; /* unknown: call it an overlap, which is safe */
        if (solve(e, at + 1, target - x * e->factor[at], below)) return true;
    }
    return false;
}

static bool solvable(equation *e, int64_t target)
{
    merge_terms(e);
    int64_t reach = 0;
    for (int k = 0; k < e->n; k++) reach += e->factor[k] * e->max[k];
    return solve(e, 0, target, reach);
}

static void add_array(equation *e, const tess_array *a, int64_t size)
{
    for (int k = 0; k < 4; k++) add_term(e, tess__magnitude(a->strides.dim[k]) * size, a->shape.dim[k] - 1);
    add_term(e, 1, size - 1);
}

bool tess_overlap(const tess_array *a, const tess_array *b)
{
    if (tess_is_empty(a) || tess_is_empty(b) || !a->data || !b->data) return false;
    if (a->device.kind != b->device.kind || a->device.index != b->device.index) return false;
    const int64_t size_a = tess__dtype_size(a->dtype), size_b = tess__dtype_size(b->dtype);
    int64_t       low_a, high_a, low_b, high_b;
    tess__extent(a, &low_a, &high_a);
    tess__extent(b, &low_b, &high_b);
    /* Addresses as numbers: first and last byte of each. */
    const uintptr_t first_a = (uintptr_t)a->data + (uintptr_t)(low_a * size_a);
    const uintptr_t last_a = (uintptr_t)a->data + (uintptr_t)(high_a * size_a + size_a - 1);
    const uintptr_t first_b = (uintptr_t)b->data + (uintptr_t)(low_b * size_b);
    const uintptr_t last_b = (uintptr_t)b->data + (uintptr_t)(high_b * size_b + size_b - 1);
    if (last_a < first_b || last_b < first_a) return false;
    if (tess__is_contiguous(a) && tess__is_contiguous(b)) return true;
    /* first_a + A = last_b - B, where A and B run over the offsets of both, B counted from its last byte down. */
    equation e = { 0 };
    add_array(&e, a, size_a);
    add_array(&e, b, size_b);
    return solvable(&e, (int64_t)(last_b - first_a));
}

/* Does each dimension, in this order from the innermost out, step over all that the ones before it reach? Then no two
 * indices can meet. */
static bool nested(const tess_array *a, const int order[4])
{
    int64_t reach = 0;
    for (int i = 0; i < 4; i++) {
        const int64_t n = a->shape.dim[order[i]], stride = tess__magnitude(a->strides.dim[order[i]]);
        if (n == 1) continue;
        if (stride <= reach) return false;
        reach += stride * (n - 1);
    }
    return true;
}

static bool nested_by_stride(const tess_array *a)
{
    int order[4] = { 3, 2, 1, 0 };
    for (int i = 1; i < 4; i++)
        for (int k = i;
             k > 0 && tess__magnitude(a->strides.dim[order[k]]) < tess__magnitude(a->strides.dim[order[k - 1]]); k--) {
            const int axis = order[k];
            order[k] = order[k - 1];
            order[k - 1] = axis;
        }
    return nested(a, order);
}

bool tess__elements_unique(const tess_array *a)
{
    static const int rightmost[4] = { 3, 2, 1, 0 };
    if (tess_is_empty(a) || nested(a, rightmost) || nested_by_stride(a)) return true;
    /* Two different indices with one address: let k be the first axis where they differ, the difference there
     * positive; in later axes it may be anything. */
    for (int k = 0; k < 4; k++) {
        if (a->shape.dim[k] == 1) continue;
        if (a->strides.dim[k] == 0) return false;
        equation e = { 0 };
        int64_t  target = -tess__magnitude(a->strides.dim[k]);
        add_term(&e, tess__magnitude(a->strides.dim[k]), a->shape.dim[k] - 2);
        for (int j = k + 1; j < 4; j++) {
            add_term(&e, tess__magnitude(a->strides.dim[j]), 2 * (a->shape.dim[j] - 1));
            target += tess__magnitude(a->strides.dim[j]) * (a->shape.dim[j] - 1);
        }
        if (solvable(&e, target)) return false;
    }
    return true;
}
