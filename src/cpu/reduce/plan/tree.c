/* Binary tree of partial states, and the merging of states of neighbouring ranges. */
#include "cpu/reduce/plan/tree.h"

#include <math.h>

#include "cpu/reduce/complex_product.h"
#include "cpu/reduce/variance.h"
#include "tessera/math/f64.op.h"

/* ---- The tree ---- */

static bool is_ordered(const tess__tree *t, int item) { return t->adds_states || t->item[item].method.ordered; }

static tess__slot *level_of(const tess__tree *t, int level, int item)
{
    return t->slot + ((int64_t)level * t->slots + t->item[item].base) * t->columns;
}

static void set_neutral(const tess__tree *t, int item)
{
    const tess__method *m = &t->item[item].method;
    tess__slot         *s = level_of(t, 0, item);
    for (int w = 0; w < m->slots; w++)
        for (int64_t c = 0; c < t->columns; c++) s[w * t->columns + c] = m->neutral[w];
    for (int64_t c = 0; c < t->columns && t->item[item].counts; c++) s[m->slots * t->columns + c].i = 0;
}

void tess__tree_begin(tess__tree *t, int64_t columns)
{
    t->columns = columns;
    t->counter = (tess__binary_counter){ 0 };
    for (int i = 0; i < t->n_items; i++)
        if (!is_ordered(t, i)) set_neutral(t, i);
}

tess__slot *tess__tree_slot(const tess__tree *t, int item)
{
    return level_of(t, is_ordered(t, item) ? t->counter.levels : 0, item);
}

static void merge_level(void *context, int level)
{
    const tess__tree *t = context;
    for (int i = 0; i < t->n_items; i++) {
        const tess__tree_item *item = &t->item[i];
        const int64_t          counts = item->method.slots * t->columns;
        tess__slot            *a = level_of(t, level, i), *b = level_of(t, level + 1, i);
        if (!is_ordered(t, i)) continue;
        item->method.merge(a, b, t->columns, t->columns);
        for (int64_t c = 0; c < t->columns && item->counts; c++) a[counts + c].i += b[counts + c].i;
    }
}

void tess__tree_push(tess__tree *t) { tess__counter_push(&t->counter, merge_level, t); }

void tess__tree_add(tess__tree *t, const tess__slot *s, int64_t n)
{
    for (int64_t c = 0; c < n; c++) {
        for (int w = 0; w < t->slots; w++) t->slot[t->counter.levels * t->slots + w] = s[w * n + c];
        tess__tree_push(t);
    }
}

void tess__tree_end(tess__tree *t)
{
    tess__counter_end(&t->counter, merge_level, t);
    for (int i = 0; i < t->n_items && t->counter.levels == 0; i++) /* no numbers at all */
        if (is_ordered(t, i)) set_neutral(t, i);
}

/* ---- Merging ---- */

static void add_compensated(tess__slot *sum, tess__slot *error, double b, double b_error)
{
    const double a = sum->f, t = a + b, back = t - a;
    error->f += ((a - (t - back)) + (b - back)) + b_error;
    sum->f = t;
}

/* The initial 1 is replaced, not multiplied: a product with it would make NaN of infinities. */
static void multiply(double *re, double *im, double x, double y)
{
    if (x == 1 && y == 0) return;
    if (*re == 1 && *im == 0) *re = x, *im = y;
    else tess__multiply_c64(re, im, x, y);
}

/* Sums of squares are rescaled to the larger exponent, and one more if the sum would overflow. */
static void add_scaled(tess__slot *sum, tess__slot *exponent, double b, double b_exponent)
{
    const double ea = sum->f == 0 ? b_exponent : exponent->f, eb = b == 0 ? ea : b_exponent, e = ea > eb ? ea : eb;
    const double x = ldexp(sum->f, (int)(2 * (ea - e))), y = ldexp(b, (int)(2 * (eb - e)));
    exponent->f = e;
    sum->f = x + y;
    if (isinf(sum->f) && !isinf(x) && !isinf(y)) {
        sum->f = 0x1p-1000 * x + 0x1p-1000 * y;
        exponent->f = e + 500;
    }
}

static void add_exponentials(tess__slot *max, tess__slot *sum, double b, double b_sum)
{
    const double m = b > max->f ? b : max->f;
    if (isinf(m)) sum->f += b_sum;
    else sum->f = sum->f * tess__exp_f64(max->f - m) + b_sum * tess__exp_f64(b - m);
    max->f = m;
}

static void choose_better(tess__slot *rank, tess__slot *index, tess__slot b_rank, tess__slot b_index)
{
    if (b_index.i >= 0 && (index->i < 0 || rank->i > b_rank.i)) *rank = b_rank, *index = b_index;
}

/* Loops over results: A(k) and B(k) are slot k of the states of result i. */
#define MERGE(name, ...)                                                                                               \
    void name(tess__slot *a, const tess__slot *b, int64_t step, int64_t n)                                             \
    {                                                                                                                  \
        (void)step;                                                                                                    \
        for (int64_t i = 0; i < n; i++) __VA_ARGS__;                                                                   \
    }
#define A(k) a[(k)*step + i]
#define B(k) b[(k)*step + i]

MERGE(tess__merge_sum, A(0).f += B(0).f)
MERGE(tess__merge_sum2, A(0).f += B(0).f, A(1).f += B(1).f)
MERGE(tess__merge_sum3, A(0).f += B(0).f, A(1).f += B(1).f, A(2).f += B(2).f)
MERGE(tess__merge_compensated, add_compensated(&A(0), &A(1), B(0).f, B(1).f))
MERGE(tess__merge_compensated2, add_compensated(&A(0), &A(2), B(0).f, B(2).f),
      add_compensated(&A(1), &A(3), B(1).f, B(3).f))
MERGE(tess__merge_product, A(0).f *= B(0).f)
MERGE(tess__merge_complex_product, multiply(&A(0).f, &A(1).f, B(0).f, B(1).f))
MERGE(tess__merge_norm, add_scaled(&A(0), &A(1), B(0).f, B(1).f))
MERGE(tess__merge_logsumexp, add_exponentials(&A(0), &A(1), B(0).f, B(1).f))
MERGE(tess__merge_count, A(0).u += B(0).u)
MERGE(tess__merge_int_product, A(0).u *= B(0).u)
MERGE(tess__merge_minmax, A(0) = B(0).i < A(0).i ? B(0) : A(0), A(1) = B(1).i > A(1).i ? B(1) : A(1))
MERGE(tess__merge_extremes, A(0).f = tess__lowest(A(0).f, B(0).f), A(1).f = tess__highest(A(1).f, B(1).f))
MERGE(tess__merge_index, choose_better(&A(0), &A(1), B(0), B(1))) /* of equal ranks, that of a comes first */
MERGE(tess__merge_var, tess__merge_variance(a + i, b + i, step))
MERGE(tess__merge_complex_var, tess__merge_variance(a + i, b + i, step),
      tess__merge_variance(a + i + TESS__VAR_SLOTS * step, b + i + TESS__VAR_SLOTS * step, step))
