/* Dispatch of reductions: the kernel, the merge function and the epilogue for each operation and dtype. */
#include <math.h>

#include "core/dtype.h"
#include "cpu/isa.h"
#include "cpu/memory/row_copy.h"
#include "cpu/reduce/reduce.h"
#include "cpu/reduce/variance.h"

static bool is_integer(tess_dtype d) { return tess__dtypes[d].kind < TESS_KIND_FLOAT; }

static bool is_complex(tess_dtype d) { return tess__dtypes[d].kind == TESS_KIND_COMPLEX; }

/* The dtype of integer accumulators. */
static tess_dtype wide_integer(tess_dtype d) { return tess__dtypes[d].kind == TESS_KIND_UINT ? TESS_U64 : TESS_I64; }

/* The dtype of accumulators: f64, or c64. */
static tess_dtype wide_float(tess_dtype d) { return is_complex(d) ? TESS_C64 : TESS_F64; }

/* The dtype in which elements are read for sums in f64: f16 as f32, integers as f64; complex accordingly. */
static tess_dtype summed_as(tess_dtype d)
{
    if (is_complex(d)) return d == TESS_C64 ? TESS_C64 : TESS_C32;
    return d == TESS_F16 || d == TESS_F32 ? TESS_F32 : TESS_F64;
}

static void use(tess__method *m, int kernel, tess_dtype dtype)
{
    m->mapped = dtype;
    m->kernel = tess__cpu_kernels()->reduce.of[kernel][dtype];
    m->shorts = tess__cpu_kernels()->reduce.shorts[kernel][dtype];
    if (m->map == TESS__MAP_NONE) return;
    m->kernel.columns = NULL;
    m->shorts = NULL;
}

/* Kernels that write new states of these slots, which begin with a and b. */
static void order(tess__method *m, int slots, double a, double b, tess__merge_fn *merge, int epilogue)
{
    m->ordered = true;
    m->slots = slots;
    for (int w = 2; w < slots; w++) m->neutral[w].f = 0;
    m->neutral[0].f = a;
    m->neutral[1].f = b;
    m->merge = merge;
    m->epilogue = tess__cpu_kernels()->reduce.epilogue[epilogue];
}

/* Kernels that add to states. */
static void fold(tess__method *m, int slots, int64_t a, int64_t b, tess__merge_fn *merge, int epilogue)
{
    m->ordered = false;
    m->slots = slots;
    m->neutral[0].i = a;
    m->neutral[1].i = b;
    m->merge = merge;
    m->epilogue = tess__cpu_kernels()->reduce.epilogue[epilogue];
}

static void order_sum(tess__method *m) { order(m, 1, -0.0, 0, tess__merge_sum, TESS__E_SUM); }

static void fold_count(tess__method *m, int epilogue) { fold(m, 1, 0, 0, tess__merge_count, epilogue); }

static void fold_minmax(tess__method *m, int epilogue)
{
    fold(m, 2, INT64_MAX, INT64_MIN, tess__merge_minmax, epilogue);
    if (is_integer(m->mapped)) return;
    m->neutral[0].f = (double)INFINITY;
    m->neutral[1].f = -(double)INFINITY;
    m->merge = tess__merge_extremes;
}

/* True if a sum of what is read as d goes to f32 or f16, so that short partial sums may be in f32. */
static bool is_narrow(const tess_array *out, tess_dtype d)
{
    return d == TESS_F32 && out->data && (out->dtype == TESS_F32 || out->dtype == TESS_F16);
}

/* Sums of mapped elements: m->read and m->map are set. `column` is the kernel for columns. */
static void choose_float_sum(tess__method *m, tess_dtype mapped, bool compensated, int column)
{
    const bool mean = m->op == TESS__R_MEAN;
    m->wide[0] = wide_float(mapped);
    use(m, compensated ? TESS__RK_COMPENSATED : is_complex(mapped) ? TESS__RK_SUM : column, mapped);
    if (compensated && is_complex(mapped))
        order(m, 4, -0.0, -0.0, tess__merge_compensated2,
              mean ? TESS__E_COMPLEX_COMPENSATED_MEAN : TESS__E_COMPLEX_COMPENSATED);
    else if (compensated)
        order(m, 2, -0.0, 0, tess__merge_compensated, mean ? TESS__E_COMPENSATED_MEAN : TESS__E_COMPENSATED);
    else if (is_complex(mapped))
        order(m, 2, -0.0, -0.0, tess__merge_sum2, mean ? TESS__E_COMPLEX_MEAN : TESS__E_COMPLEX_SUM);
    else order(m, 1, -0.0, -0.0, tess__merge_sum, mean ? TESS__E_MEAN : TESS__E_SUM);
}

static void choose_sum(tess__method *m, tess_dtype d, bool compensated, bool columnar, const tess_array *out)
{
    const bool mean = m->op == TESS__R_MEAN, is_unsigned = wide_integer(d) == TESS_U64;
    /* Sums of up to 32 bits are exact; the mean of wider integers must not wrap. */
    if (is_integer(d) && (!mean || tess__dtypes[d].size < 8)) {
        m->read[0] = d;
        m->wide[0] = mean ? TESS_F64 : wide_integer(d);
        use(m, TESS__RK_SUM, d);
        fold_count(m, !mean ? TESS__E_INTEGER : is_unsigned ? TESS__E_UNSIGNED_MEAN : TESS__E_SIGNED_MEAN);
        return;
    }
    m->read[0] = compensated ? wide_float(d) : summed_as(d);
    choose_float_sum(m, m->read[0], compensated,
                     !columnar                    ? TESS__RK_SUM
                     : is_narrow(out, m->read[0]) ? TESS__RK_BATCHED_SUM
                                                  : TESS__RK_COLUMN_SUM);
}

static void choose_product(tess__method *m, tess_dtype d)
{
    m->read[0] = m->wide[0] = is_integer(d) ? wide_integer(d) : wide_float(d);
    use(m, TESS__RK_PROD, m->read[0]);
    m->empty = 1;
    if (is_integer(d)) fold(m, 1, 1, 0, tess__merge_int_product, TESS__E_INTEGER);
    else if (is_complex(d)) order(m, 2, 1, 0, tess__merge_complex_product, TESS__E_COMPLEX_SUM);
    else order(m, 1, 1, 0, tess__merge_product, TESS__E_SUM);
}

static void choose_var(tess__method *m, tess_dtype d, bool columnar)
{
    m->cost = 0.2;
    m->read[0] = is_complex(d) ? TESS_C64 : summed_as(d);
    m->wide[0] = wide_float(d);
    m->wide[1] = TESS_F64;
    use(m, columnar && !is_complex(d) ? TESS__RK_COLUMN_VAR : TESS__RK_VAR, m->read[0]);
    if (is_complex(d)) order(m, 2 * TESS__VAR_SLOTS, -0.0, 0, tess__merge_complex_var, TESS__E_COMPLEX_VAR);
    else order(m, TESS__VAR_SLOTS, -0.0, 0, tess__merge_var, TESS__E_VAR);
    m->neutral[TESS__VAR_SLOTS].f = -0.0;
}

static void choose_norm(tess__method *m, tess_dtype d)
{
    m->read[0] = summed_as(d);
    m->wide[0] = TESS_F64;
    if (m->op == TESS__R_NORM_L2) {
        use(m, TESS__RK_NORM, m->read[0]);
        order(m, 2, 0, 0, tess__merge_norm, TESS__E_NORM);
        return;
    }
    if (is_complex(d)) {
        m->read[0] = TESS_C64;
        m->map = TESS__OP_abs;
        m->cost = 2;
    }
    const tess_dtype mapped = is_complex(d) ? TESS_F64 : m->read[0];
    if (m->op == TESS__R_NORM_L1) {
        use(m, is_complex(d) ? TESS__RK_SUM : TESS__RK_SUM_ABS, mapped);
        order_sum(m);
    } else {
        m->map = TESS__OP_abs;
        use(m, TESS__RK_MAX, mapped);
        fold_minmax(m, TESS__E_MAGNITUDE);
    }
}

static void choose_minmax(tess__method *m, tess_dtype d, bool low, bool high)
{
    m->read[0] = d;
    m->wide[0] = m->wide[1] = is_integer(d) ? wide_integer(d) : TESS_F64;
    use(m, low && high ? TESS__RK_MINMAX : low ? TESS__RK_MIN : TESS__RK_MAX, d);
    fold_minmax(m, is_integer(d) ? TESS__E_MINMAX : TESS__E_EXTREME);
}

static void choose_index(tess__method *m, tess_dtype d, bool skip_nan)
{
    const bool skip = skip_nan && !is_integer(d);
    m->read[0] = d;
    m->wide[0] = TESS_I64;
    if (m->op == TESS__R_ARGMIN) use(m, skip ? TESS__RK_ARGMIN_SKIP : TESS__RK_ARGMIN, d);
    else use(m, skip ? TESS__RK_ARGMAX_SKIP : TESS__RK_ARGMAX, d);
    fold(m, 2, INT64_MAX, -1, tess__merge_index, TESS__E_INDEX);
}

static void choose_nonzero(tess__method *m, tess_dtype d)
{
    m->read[0] = d;
    m->wide[0] = TESS_I64;
    use(m, TESS__RK_NONZERO, d);
    fold_count(m, m->op == TESS__R_ANY ? TESS__E_ANY : m->op == TESS__R_ALL ? TESS__E_ALL : TESS__E_INTEGER);
}

static void choose_logsumexp(tess__method *m)
{
    m->read[0] = m->wide[0] = TESS_F64;
    m->cost = 2.5;
    use(m, TESS__RK_LOGSUMEXP, TESS_F64);
    order(m, 2, -(double)INFINITY, 0, tess__merge_logsumexp, TESS__E_LOGSUMEXP);
}

/* Rows of products are computed first, and summed as columns. */
static void choose_dot_of_columns(tess__method *m, tess_dtype d)
{
    const int kernel = is_integer(d) ? TESS__RK_SUM : TESS__RK_COLUMN_SUM;
    m->read[0] = m->read[1] = m->wide[0] = is_integer(d) ? wide_integer(d) : TESS_F64;
    use(m, kernel, m->wide[0]);
    m->map = TESS__OP_mul;
    if (is_integer(d)) fold_count(m, TESS__E_INTEGER);
    else order_sum(m);
}

/* Dot products of two inputs whose common dtype is d. */
static void choose_dot(tess__method *m, tess_dtype d, bool compensated, bool skip_nan, bool columns)
{
    if (columns && !is_complex(d) && !compensated && !skip_nan) {
        choose_dot_of_columns(m, d);
    } else if (is_integer(d)) {
        m->read[0] = m->read[1] = m->wide[0] = wide_integer(d);
        use(m, TESS__RK_DOT, m->read[0]);
        fold_count(m, TESS__E_INTEGER);
    } else if (is_complex(d) || compensated || skip_nan) {
        m->read[0] = m->read[1] = wide_float(d);
        m->map = TESS__OP_mul;
        choose_float_sum(m, m->read[0], compensated, TESS__RK_SUM);
    } else {
        m->read[0] = m->read[1] = summed_as(d);
        m->wide[0] = TESS_F64;
        use(m, TESS__RK_DOT, m->read[0]);
        order_sum(m);
    }
}

static void choose_rmsd(tess__method *m, tess_dtype d)
{
    m->read[0] = m->read[1] = wide_float(d);
    m->wide[0] = TESS_F64;
    m->map = TESS__OP_sub;
    use(m, TESS__RK_NORM, m->read[0]);
    order(m, 2, 0, 0, tess__merge_norm, TESS__E_RMSD);
}

static void choose_weighted_mean(tess__method *m, tess_dtype d)
{
    m->read[0] = m->wide[0] = wide_float(d);
    m->read[1] = TESS_F64;
    use(m, TESS__RK_WEIGHTED, m->read[0]);
    if (is_complex(d)) order(m, 3, -0.0, -0.0, tess__merge_sum3, TESS__E_COMPLEX_WEIGHTED);
    else order(m, 2, -0.0, -0.0, tess__merge_sum2, TESS__E_WEIGHTED);
}

void tess__method_of(tess__method *m, const tess__reduce *work, int item)
{
    const tess_dtype  d = work->n_inputs == 2 ? work->dtype : work->in[0].dtype;
    const bool        columnar = tess__is_columnar(work);
    const tess_array *out = work->item[item].out;
    m->op = work->item[item].op;
    m->read[0] = m->read[1] = TESS_DTYPE_NONE;
    m->map = TESS__MAP_NONE;
    m->empty = 0;
    m->ddof = work->ddof;
    m->cost = 0;
    switch (m->op) {
    case TESS__R_SUM:
    case TESS__R_MEAN: choose_sum(m, d, work->compensated, columnar, &out[0]); break;
    case TESS__R_PROD: choose_product(m, d); break;
    case TESS__R_VAR:
    case TESS__R_STD: choose_var(m, d, columnar); break;
    case TESS__R_NORM_L2:
    case TESS__R_NORM_L1:
    case TESS__R_NORM_MAX: choose_norm(m, d); break;
    case TESS__R_MINMAX: choose_minmax(m, d, out[0].data != NULL, out[1].data != NULL); break;
    case TESS__R_ARGMIN:
    case TESS__R_ARGMAX: choose_index(m, d, work->skip_nan); break;
    case TESS__R_ANY:
    case TESS__R_ALL:
    case TESS__R_COUNT: choose_nonzero(m, d); break;
    case TESS__R_LOGSUMEXP: choose_logsumexp(m); break;
    case TESS__R_DOT: choose_dot(m, d, work->compensated, work->skip_nan, tess__has_columns(work)); break;
    case TESS__R_RMSD: choose_rmsd(m, d); break;
    default: choose_weighted_mean(m, d); break;
    }
}

bool tess__is_far(const tess__reduce *work)
{
    return tess_n_elements(&work->in[0]) * tess__dtype_size(work->in[0].dtype) >= TESS__PREFETCH_MIN_BYTES;
}
