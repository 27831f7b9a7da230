/* Rotations of vectors are gathered and applied to a few components at a time, which stay in the cache. */
#include "cpu/linalg/rotations.h"

#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/minmax.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"

enum {
    COMPONENTS = 64,
    STEPS = 60,   /* for a value: it takes two or three */
    PATIENCE = 10 /* steps for a value after which what is left by rounding counts as 0 */
};

static void rotate_some(void *context, int64_t first, int64_t last)
{
    const tess__rotations *r = context;
    for (int64_t i = first; i < last; i++)
        tess__cpu_kernels()->linalg.rotate_all(r->vectors + i * COMPONENTS, r->stride,
                                               tess__min(COMPONENTS, r->n - i * COMPONENTS), r->list, r->count);
}

static void apply(tess__rotations *r)
{
    const int64_t parts = (r->n - 1) / COMPONENTS + 1;
    if (r->count) tess__parallel(parts, tess__grain(parts, (double)(r->count * COMPONENTS) * 0.5), rotate_some, r);
    r->count = 0;
}

static void begin(tess__rotations *r)
{
    if (!r->vectors) return;
    memset(r->vectors, 0, (size_t)(r->n * r->stride) * sizeof *r->vectors);
    for (int64_t i = 0; i < r->n; i++) r->vectors[i * r->stride + i] = 1;
}

static void add(tess__rotations *r, int64_t at, double c, double s)
{
    if (r->vectors) r->list[r->count++] = (tess__rotation){ at, c, s };
}

/* A step adds at most n - 1. */
static void make_room(tess__rotations *r)
{
    if (r->count > (TESS__ROTATION_SWEEPS - 1) * r->n) apply(r);
}

/* The rotation that makes (f, g) a multiple of (1, 0): its length. */
static double rotation_of(double f, double g, double *c, double *s)
{
    const bool tiny = f * f + g * g < 1e-280; /* squares, or what is left of them, are not exact */
    if (tiny) f *= 0x1p600, g *= 0x1p600;
    const double length = sqrt(f * f + g * g);
    *c = length == 0 ? 1 : f / length;
    *s = length == 0 ? 0 : g / length;
    return tiny ? length * 0x1p-600 : length;
}

/* ---- Tridiagonal matrices: QL or QR with implicit shifts ---- */

/* Blocks between elements that are as good as 0 are treated by themselves, as in LAPACK's dsteqr: scaled to about 1,
 * and from the end that is smaller, since rounding of the large elements would drown the small ones on the way to it.
 * `by` is 1 (QL: from the last row towards the first) or -1 (QR). */

/* The element beside the diagonal between rows i and i + by. */
static int64_t beside(int64_t i, int64_t by) { return by > 0 ? i : i - 1; }

/* The first row from i on, up to `end`, that is followed by nothing, which becomes 0. After a few steps for a value,
 * `least`, nothing is what lies below the rounding of the largest elements, which steps do not remove. */
static int64_t end_of_block(const double *d, double *e, int64_t i, int64_t end, int64_t by, double least)
{
    for (; i != end; i += by) {
        const double size = fabs(e[beside(i, by)]);
        if (size > least && size > 0x1p-53 * (fabs(d[i]) + fabs(d[i + by]))) continue;
        e[beside(i, by)] = 0;
        break;
    }
    return i;
}

/* A step of the rows from m to l. */
static void step_ql(double *d, double *e, int64_t l, int64_t m, int64_t by, tess__rotations *z)
{
    const double last = e[beside(l, by)], part = (d[l + by] - d[l]) / (2 * last);
    double       s = 1, c = 1, p = 0, g = d[m] - d[l] + last / (part + copysign(sqrt(part * part + 1), part));
    for (int64_t i = m - by; i != l - by; i -= by) {
        const double f = s * e[beside(i, by)], b = c * e[beside(i, by)], length = rotation_of(g, f, &c, &s);
        if (i + by != m) e[beside(i + by, by)] = length;
        if (length == 0) { /* the block falls apart */
            d[i + by] -= p;
            return;
        }
        g = d[i + by] - p;
        const double q = (d[i] - g) * s + 2 * c * b;
        p = s * q;
        d[i + by] = g + p;
        g = c * q - b;
        add(z, beside(i, by), c, by > 0 ? s : -s);
    }
    d[l] -= p;
    e[beside(l, by)] = g;
}

/* 2^-exponent makes the largest element of rows from l to m about 1. */
static int scale_of(const double *d, const double *e, int64_t l, int64_t m)
{
    double max = fabs(d[m]);
    int    exponent = 0;
    for (int64_t i = l; i < m; i++) max = fmax(max, fmax(fabs(d[i]), fabs(e[i])));
    (void)frexp(max, &exponent);
    return exponent;
}

static void scale_rows(double *d, double *e, int64_t l, int64_t m, int exponent)
{
    for (int64_t i = l; i <= m; i++) d[i] = ldexp(d[i], exponent);
    for (int64_t i = l; i < m; i++) e[i] = ldexp(e[i], exponent);
}

/* False if the rows from `first` to `last` do not become diagonal. */
static bool solve_block(double *d, double *e, int64_t first, int64_t last, tess__rotations *z)
{
    const int     exponent = scale_of(d, e, first, last);
    const int64_t by = fabs(d[last]) < fabs(d[first]) ? -1 : 1;
    const int64_t start = by > 0 ? first : last, end = by > 0 ? last : first;
    bool          done = true;
    scale_rows(d, e, first, last, -exponent);
    for (int64_t l = start; l != end && done && !tess__cancelled(); l += by) {
        done = false;
        for (int k = 0; k < STEPS && !done; k++) {
            const int64_t m = end_of_block(d, e, l, end, by, k < PATIENCE ? 0 : 0x1p-53);
            done = m == l;
            if (done) break;
            step_ql(d, e, l, m, by, z);
            make_room(z);
        }
    }
    scale_rows(d, e, first, last, exponent);
    return done;
}

bool tess__solve_tridiagonal(double *d, double *e, tess__rotations *z)
{
    bool done = true;
    begin(z);
    for (int64_t first = 0; first < z->n && done && !tess__cancelled();) {
        const int64_t last = end_of_block(d, e, first, z->n - 1, 1, 0);
        if (last > first) done = solve_block(d, e, first, last, z);
        first = last + 1;
    }
    apply(z);
    return done;
}

/* ---- Bidiagonal matrices: QR with implicit shifts, or without one, which keeps small values accurate ---- */

/* The smaller singular value of the matrix f g, 0 h. */
static double smaller_value(double f, double g, double h)
{
    const double min = fmin(fabs(f), fabs(h)), max = fmax(fabs(f), fabs(h)), beside = fabs(g);
    if (min == 0) return 0;
    const double sum = 1 + min / max, difference = (max - min) / max;
    if (beside < max) {
        const double x = beside / max * (beside / max);
        return min * 2 / (sqrt(sum * sum + x) + sqrt(difference * difference + x));
    }
    const double x = max / beside;
    if (x == 0) return min * max / beside;
    return 2 * min * x / (sqrt(1 + sum * x * (sum * x)) + sqrt(1 + difference * x * (difference * x)));
}

/* The shift of a step, 0 if it would harm the smallest values of the block from l to m. */
static double shift_of(const double *d, const double *e, int64_t l, int64_t m)
{
    double least = fabs(d[l]), rest = least, most = least;
    for (int64_t i = l; i < m && least > 0; i++) {
        rest = fabs(d[i + 1]) * (rest / (rest + fabs(e[i])));
        least = fmin(least, rest);
        most = fmax(most, fmax(fabs(d[i + 1]), fabs(e[i])));
    }
    if (least == 0 || (double)(m - l + 1) * (least / most) <= 0x1p-7) return 0;
    const double shift = smaller_value(d[m - 1], e[m - 1], d[m]), part = shift / fabs(d[l]);
    return part * part < 0x1p-53 ? 0 : shift;
}

static void step_without_shift(double *d, double *e, int64_t l, int64_t m, tess__rotations *left,
                               tess__rotations *right)
{
    double c = 1, s = 0, old_c = 1, old_s = 0;
    for (int64_t i = l; i < m; i++) {
        const double length = rotation_of(d[i] * c, e[i], &c, &s);
        if (i > l) e[i - 1] = old_s * length;
        d[i] = rotation_of(old_c * length, d[i + 1] * s, &old_c, &old_s);
        add(right, i, c, -s);
        add(left, i, old_c, -old_s);
    }
    const double h = d[m] * c;
    d[m] = h * old_c;
    e[m - 1] = h * old_s;
}

static void step_qr(double *d, double *e, int64_t l, int64_t m, double shift, tess__rotations *left,
                    tess__rotations *right)
{
    double f = (fabs(d[l]) - shift) * (copysign(1, d[l]) + shift / d[l]), g = e[l];
    for (int64_t i = l; i < m; i++) {
        double       c, s;
        const double length = rotation_of(f, g, &c, &s);
        if (i > l) e[i - 1] = length;
        f = c * d[i] + s * e[i];
        e[i] = c * e[i] - s * d[i];
        g = s * d[i + 1];
        d[i + 1] *= c;
        add(right, i, c, -s);
        d[i] = rotation_of(f, g, &c, &s);
        f = c * e[i] + s * d[i + 1];
        d[i + 1] = c * d[i + 1] - s * e[i];
        if (i + 1 < m) {
            g = s * e[i + 1];
            e[i + 1] *= c;
        }
        add(left, i, c, -s);
    }
    e[m - 1] = f;
}

/* The first element of the block that ends at m: before it there is nothing. */
static int64_t begin_of_block(const double *d, double *e, int64_t m)
{
    int64_t l = m;
    while (l > 0 && fabs(e[l - 1]) > 0x1p-53 * (fabs(d[l - 1]) + fabs(d[l])) && fabs(e[l - 1]) > 1e-290) l--;
    if (l > 0) e[l - 1] = 0;
    return l;
}

bool tess__solve_bidiagonal(double *d, double *e, tess__rotations *left, tess__rotations *right)
{
    int64_t steps = STEPS * left->n;
    begin(left);
    begin(right);
    for (int64_t m = left->n - 1; m > 0 && steps > 0 && !tess__cancelled();) {
        const int64_t l = begin_of_block(d, e, m);
        if (l == m) {
            m--;
            continue;
        }
        const double shift = shift_of(d, e, l, m);
        if (shift > 0) step_qr(d, e, l, m, shift, left, right);
        else step_without_shift(d, e, l, m, left, right);
        make_room(left);
        make_room(right);
        steps--;
    }
    apply(left);
    apply(right);
    return steps > 0 || left->n < 2;
}
