/* Scaled variances of f64: chunks whose squares overflow or underflow are computed again with an exponent. */
#include "cpu/reduce/variance_scaled.h"

#include <math.h>
#include <string.h>

#include "cpu/isa.h"
#include "cpu/memory/row_copy.h"
#include "cpu/template.h"

enum { SUM, PIVOT, OFFSET, SQUARES, NUMBER, SLOTS }; /* slots of a state */

/* ---- Roots and squares ---- */

double tess__root_mean(double squares, double n) { return squares < 0 ? -squares : sqrt(squares / n); }

double tess__squares_of_root(double root, double n)
{
    const double squares = n * (root * root);
    return tess__is_ordinary(squares) || root == 0 || isnan(root) ? squares : -root;
}

double tess__variance_of(double squares, double n, double divisor, bool root)
{
    if (!(squares < 0)) return root ? sqrt(squares / divisor) : squares / divisor;
    const double deviation = -squares * sqrt(n / divisor);
    return root ? deviation : deviation * deviation;
}

/* ---- Scales ---- */

int tess__exponent_of(const double *x, int64_t n)
{
    double max = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) return 0;
        if (fabs(x[i]) > max) max = fabs(x[i]);
    }
    return max == 0 ? 0 : max < 0x1p-1022 ? -1022 : ilogb(max);
}

void tess__scale_down(double *out, const double *x, int64_t n, int exponent)
{
    const double factor = ldexp(1, -exponent);
    TESS_IVDEP for (int64_t i = 0; i < n; i++) out[i] = x[i] * factor;
}

/* ---- One chunk ---- */

static bool are_equal(const double *x, int64_t n) { return memcmp(x, x + 1, (size_t)(n - 1) * sizeof *x) == 0; }

/* The mean is kept as its distance from the pivot, or, where that is too large, from 0. The sum remains the one without
 * a scale, as in tess_sum. */
static void put_scaled(tess__slot *s, int64_t step, const tess__slot scaled[SLOTS], int exponent)
{
    const double pivot = scaled[PIVOT].f, offset = scaled[OFFSET].f, n = scaled[NUMBER].f;
    s[PIVOT * step].f = ldexp(pivot, exponent);
    s[OFFSET * step].f = ldexp(offset, exponent);
    if (isinf(s[OFFSET * step].f)) {
        s[PIVOT * step].f = 0;
        s[OFFSET * step].f = ldexp(pivot + offset, exponent);
    }
    s[SQUARES * step].f = tess__squares_of_root(ldexp(sqrt(scaled[SQUARES].f / n), exponent), n);
    s[NUMBER * step].f = n;
}

/* A function of its own, so that ordinary chunks have a small stack frame. */
__attribute__((noinline)) static void do_again(tess__reduce_fn *kernel, const double *x, int64_t n, tess__slot *s,
                                               int64_t step)
{
    double     scaled[TESS__CHUNK];
    tess__slot state[SLOTS];
    if (are_equal(x, n)) return;
    const int exponent = tess__exponent_of(x, n);
    if (exponent == 0) return;
    tess__scale_down(scaled, x, n, exponent);
    kernel(scaled, NULL, n, 0, state, 1);
    put_scaled(s, step, state, exponent);
}

/* The kernel's state for x is final if its squares are well inside the range. */
static inline void mend(tess__reduce_fn *kernel, const double *x, int64_t n, tess__slot *s, int64_t step)
{
    if (!tess__is_ordinary(s[SQUARES * step].f)) do_again(kernel, x, n, s, step);
}

void tess__variance(const void *x, const void *y, int64_t n, int64_t first, tess__slot *s, int64_t step)
{
    tess__reduce_fn *kernel = tess__cpu_kernels()->reduce.fn[TESS__RK_VAR][TESS_F64];
    kernel(x, y, n, first, s, step);
    mend(kernel, x, n, s, step);
}

void tess__var_prefetch(const void *x, const void *y, int64_t n, int64_t first, tess__slot *s, int64_t step)
{
    const tess__kernels *k = tess__cpu_kernels();
    k->reduce.prefetch[TESS__RK_VAR][TESS_F64](x, y, n, first, s, step);
    mend(k->reduce.fn[TESS__RK_VAR][TESS_F64], x, n, s, step);
}

void tess__variance_column(const void *x, const void *y, int64_t n, int64_t first, tess__slot *s, int64_t step)
{
    tess__reduce_fn *kernel = tess__cpu_kernels()->reduce.fn[TESS__RK_COLUMN_VAR][TESS_F64];
    kernel(x, y, n, first, s, step);
    mend(kernel, x, n, s, step);
}

/* ---- Columns ---- */

enum { COLUMNS = 512 }; /* of a block */

static const double *row_of(const char *const *rows, int64_t k) { return (const void *)rows[k]; }

/* Which columns have finite elements that differ: only these can be rescaled. */
static void find_variances(bool *variance, const char *const *rows, int64_t n, int64_t from, int64_t m)
{
    const double *first = row_of(rows, 0) + from;
    double        nothing[COLUMNS] = { 0 }, different[COLUMNS] = { 0 };
    for (int64_t k = 0; k < n; k++) {
        const double *row = row_of(rows, k) + from;
        TESS_IVDEP for (int64_t c = 0; c < m; c++)
        {
            nothing[c] += row[c] - row[c]; /* NaN unless it is finite */
            different[c] = row[c] == first[c] ? different[c] : 1;
        }
    }
    for (int64_t c = 0; c < m; c++) variance[c] = nothing[c] == 0 && different[c] != 0;
}

/* The state of one column, computed again. */
static void again(const char *const *rows, int64_t n, int64_t column, tess__slot *s, int64_t step)
{
    double x[TESS__CHUNK];
    for (int64_t k = 0; k < n; k++) x[k] = row_of(rows, k)[column];
    tess__variance_column(x, NULL, n, 0, s, step);
}

/* True if all of these m numbers are at least `min`, and finite. */
static bool all_ordinary(const double *x, int64_t m, double min)
{
    enum { LANES = 8 };
    double  low[LANES], nothing[LANES] = { 0 };
    int64_t c = 0;
    bool    good = true;
    for (int j = 0; j < LANES; j++) low[j] = min;
    for (; c + LANES <= m; c += LANES)
        for (int j = 0; j < LANES; j++) {
            low[j] = x[c + j] < low[j] ? x[c + j] : low[j];
            nothing[j] += x[c + j] - x[c + j]; /* NaN unless it is finite */
        }
    for (; c < m; c++) good = good && x[c] >= min && x[c] < (double)INFINITY;
    for (int j = 0; j < LANES; j++) good = good && low[j] >= min && nothing[j] == 0;
    return good;
}

void tess__variance_columns(const char *const *rows, int64_t n, int64_t columns, tess__slot *s, int64_t step)
{
    tess__cpu_kernels()->reduce.columns[TESS__RK_COLUMN_VAR][TESS_F64](rows, n, columns, s, step);
    for (int64_t from = 0; from < columns; from += COLUMNS) {
        const int64_t m = columns - from < COLUMNS ? columns - from : COLUMNS;
        bool          variance[COLUMNS];
        if (all_ordinary(&s[SQUARES * step + from].f, m, TESS__MIN_SQUARES)) continue;
        find_variances(variance, rows, n, from, m);
        for (int64_t c = 0; c < m; c++)
            if (variance[c] && !tess__is_ordinary(s[SQUARES * step + from + c].f))
                again(rows, n, from + c, s + from + c, step);
    }
}

/* Results do not show what their squares were: where the kernel reports doubt, those that may have left the range are
 * computed again, from the state. */
void tess__variance_results(const char *const *rows, int64_t n, int64_t columns, void *out,
                            const tess__column_epilogue *end)
{
    const double          min = end->root ? 0x1p-440 : 0x1p-880;
    bool                  doubtful = false;
    tess__column_epilogue with_doubts = *end;
    with_doubts.doubtful = &doubtful;
    tess__cpu_kernels()->reduce.column_results[TESS__RK_COLUMN_VAR][TESS_F64](rows, n, columns, out, &with_doubts);
    if (!doubtful) return;
    if (end->nt) tess__stores_done(); /* they are read again */
    for (int64_t from = 0; from < columns; from += COLUMNS) {
        const int64_t m = columns - from < COLUMNS ? columns - from : COLUMNS;
        double       *to = (double *)out + from;
        bool          variance[COLUMNS];
        if (all_ordinary(to, m, min)) continue;
        find_variances(variance, rows, n, from, m);
        for (int64_t c = 0; c < m; c++) {
            tess__slot s[SLOTS];
            if (!variance[c] || (to[c] >= min && to[c] < (double)INFINITY)) continue;
            again(rows, n, from + c, s, 1);
            to[c] = tess__variance_of(s[SQUARES].f, (double)n, end->divisor, end->root);
        }
    }
}
