/* Least-squares polynomial surfaces by Gram (discrete orthogonal) polynomials, in f64.
 *
 * On a grid of points the polynomials that are orthogonal along each axis (Gram's) make products that are orthogonal on
 * the whole image, so each coefficient of the fit is one sum. Along an axis of n points there are n of them: with fewer
 * points than the order asks for, the surface is still the best one, made of the lowest powers.
 */
#include <math.h>
#include <string.h>

#include "core/dtype.h"
#include "core/array/layout.h"
#include "cpu/convert/convert.h"
#include "cpu/cpu.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"

enum { DEGREES = 4, LANES = 8, CHUNK = 512 };

/* Estimated nanoseconds an element, of each of two passes. */
#define COST 1.0

/* Orthonormal polynomials on 0 to n-1. */
typedef struct basis {
    int64_t n;
    double *values[DEGREES];          /* at each point; 0 where there is no such polynomial */
    double  powers[DEGREES][DEGREES]; /* [degree][power] of u = (i - centre) / scale */
    double  centre, scale;
} basis;

typedef struct fit {
    const tess__polyfit *work;
    int                  degrees; /* order + 1 */
    basis                x, y;
    double              *moments;             /* of each row of each image: its sums with the polynomials of x */
    double (*coefficients)[DEGREES][DEGREES]; /* of each image, [degree of x][degree of y] */
    tess__conversion load, store;
    int64_t          size_in, size_out;
} fit;

/* ---- Polynomials ---- */

static void divide(basis *b, int degree, double by)
{
    for (int64_t i = 0; i < b->n; i++) b->values[degree][i] /= by;
    for (int k = 0; k < DEGREES; k++) b->powers[degree][k] /= by;
}

static double product_of(const basis *b, int f, int g, bool times_u)
{
    double sum = 0;
    for (int64_t i = 0; i < b->n; i++) {
        const double u = times_u ? ((double)i - b->centre) / b->scale : 1;
        sum += b->values[f][i] * b->values[g][i] * u;
    }
    return sum;
}

/* The next is u times the last, less its part along the one before; the points lie evenly about 0. */
static void make_next(basis *b, int degree)
{
    const double before = degree > 1 ? product_of(b, degree - 1, degree - 2, true) : 0;
    for (int64_t i = 0; i < b->n; i++) {
        const double u = ((double)i - b->centre) / b->scale;
        b->values[degree][i] = u * b->values[degree - 1][i];
        if (degree > 1) b->values[degree][i] -= before * b->values[degree - 2][i];
    }
    for (int k = 0; k < DEGREES; k++) {
        b->powers[degree][k] = k ? b->powers[degree - 1][k - 1] : 0;
        if (degree > 1) b->powers[degree][k] -= before * b->powers[degree - 2][k];
    }
    divide(b, degree, sqrt(product_of(b, degree, degree, false)));
}

static void make_basis(basis *b, double *workspace, int64_t n, int degrees)
{
    b->n = n;
    b->centre = (double)(n - 1) / 2;
    b->scale = n > 1 ? b->centre : 1;
    memset(b->powers, 0, sizeof b->powers);
    for (int d = 0; d < degrees; d++, workspace += n) {
        b->values[d] = workspace;
        if (d >= n) {
            memset(workspace, 0, (size_t)n * sizeof *workspace);
            continue;
        }
        for (int64_t i = 0; i < n && d == 0; i++) workspace[i] = 1;
        if (d > 0) make_next(b, d);
        else b->powers[0][0] = 1, divide(b, 0, sqrt((double)n));
    }
}

/* ---- Rows ---- */

static char *row_of(const tess_array *a, int64_t row, int64_t size)
{
    return (char *)a->data + (row / a->shape.h * a->strides.b + row % a->shape.h * a->strides.h) * size;
}

static void load_row(const fit *f, double *to, const char *row, int64_t first, int64_t n)
{
    const int64_t stride = f->work->in.strides.w, strides[2] = { 1, stride };
    char *const   p[2] = { (char *)to, (char *)(uintptr_t)row + first * stride * f->size_in };
    f->load.row(p, strides, n, &f->load);
}

/* sums += x times the polynomials, from element `first` on; n is a multiple of the lanes but for the last. */
static void add_products(const fit *f, double (*sums)[LANES], const double *x, int64_t first, int64_t n)
{
    for (int d = 0; d < f->degrees; d++) {
        const double *t = f->x.values[d] + first;
        int64_t       i = 0;
        for (; i + LANES <= n; i += LANES)
            for (int l = 0; l < LANES; l++) sums[d][l] += x[i + l] * t[i + l];
        for (int l = 0; i + l < n; l++) sums[d][l] += x[i + l] * t[i + l];
    }
}

static void sum_rows(void *context, int64_t first, int64_t last)
{
    const fit    *f = context;
    const int64_t w = f->work->in.shape.w;
    double        x[CHUNK];
    for (int64_t row = first; row < last; row++) {
        double      sums[DEGREES][LANES] = { { 0 } };
        const char *from = row_of(&f->work->in, row, f->size_in);
        for (int64_t i = 0; i < w; i += CHUNK) {
            const int64_t n = w - i < CHUNK ? w - i : CHUNK;
            load_row(f, x, from, i, n);
            add_products(f, sums, x, i, n);
        }
        for (int d = 0; d < f->degrees; d++) {
            const double *s = sums[d];
            f->moments[row * DEGREES + d] = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
        }
    }
}

static void write_rows(void *context, int64_t first, int64_t last)
{
    const fit           *f = context;
    const tess__polyfit *work = f->work;
    const int64_t        w = work->in.shape.w, stride = work->out.strides.w, strides[2] = { stride, 1 };
    double               x[CHUNK];
    for (int64_t row = first; row < last; row++) {
        double(*c)[DEGREES] = f->coefficients[row / work->in.shape.h];
        const int64_t y = row % work->in.shape.h;
        char         *to = row_of(&work->out, row, f->size_out);
        double        along[DEGREES] = { 0 };
        for (int i = 0; i < f->degrees; i++)
            for (int j = 0; i + j < f->degrees; j++) along[i] += c[i][j] * f->y.values[j][y];
        for (int64_t i = 0; i < w; i += CHUNK) {
            const int64_t n = w - i < CHUNK ? w - i : CHUNK;
            if (work->subtract) load_row(f, x, row_of(&work->in, row, f->size_in), i, n);
            for (int64_t j = 0; j < n; j++) {
                double s = along[0] * f->x.values[0][i + j];
                for (int d = 1; d < f->degrees; d++) s += along[d] * f->x.values[d][i + j];
                x[j] = work->subtract ? x[j] - s : s;
            }
            char *const p[2] = { to + i * stride * f->size_out, (char *)x };
            f->store.row(p, strides, n, &f->store);
        }
    }
}

/* ---- Parameters ---- */

static void sum_image(const fit *f, int64_t image)
{
    double(*c)[DEGREES] = f->coefficients[image];
    const double *moments = f->moments + image * f->y.n * DEGREES;
    memset(c, 0, sizeof *f->coefficients);
    for (int i = 0; i < f->degrees; i++)
        for (int j = 0; i + j < f->degrees; j++)
            for (int64_t y = 0; y < f->y.n; y++) c[i][j] += moments[y * DEGREES + i] * f->y.values[j][y];
}

/* What a polynomial of this degree holds of i^power, i in pixels. */
static double in_pixels(const basis *b, int degree, int power)
{
    static const double binomial[DEGREES][DEGREES] = { { 1 }, { 1, 1 }, { 1, 2, 1 }, { 1, 3, 3, 1 } };
    double              sum = 0;
    for (int k = degree; k >= power; k--) {
        double term = b->powers[degree][k] * binomial[k][power];
        for (int i = 0; i < k; i++) term *= (i < k - power ? -b->centre : 1) / b->scale;
        sum += term;
    }
    return sum;
}

static void write_parameters(const fit *f, int64_t image)
{
    static const int  powers[10][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 1 }, { 2, 0 },
                                        { 0, 2 }, { 2, 1 }, { 1, 2 }, { 3, 0 }, { 0, 3 } };
    const tess_array *out = &f->work->parameters;
    double           *to = (double *)out->data + image * out->strides.b;
    for (int k = 0; k < f->degrees * (f->degrees + 1) / 2; k++) {
        double sum = 0;
        for (int i = powers[k][0]; i < f->degrees; i++)
            for (int j = powers[k][1]; i + j < f->degrees; j++)
                sum += f->coefficients[image][i][j] * in_pixels(&f->x, i, powers[k][0]) *
                       in_pixels(&f->y, j, powers[k][1]);
        to[k * out->strides.w] = sum;
    }
}

/* ---- The work ---- */

static void run_fit(fit *f)
{
    const tess__polyfit *work = f->work;
    const int64_t n = work->in.shape.b * work->in.shape.h, grain = tess__grain(n, COST * (double)work->in.shape.w);
    tess__parallel(n, grain, sum_rows, f);
    for (int64_t image = 0; image < work->in.shape.b; image++) {
        sum_image(f, image);
        if (work->parameters.data) write_parameters(f, image);
    }
    if (work->out.data) tess__parallel(n, grain, write_rows, f);
}

tess_status tess__cpu_polyfit(const tess__polyfit *work)
{
    const tess_shape shape = work->in.shape;
    fit              f = { .work = work, .degrees = work->order + 1, .size_in = tess__dtype_size(work->in.dtype) };
    const double     vectors = (double)shape.w + (double)shape.h + (double)shape.b * (double)shape.h;
    const double     bytes = (vectors + (double)DEGREES * (double)shape.b) * (double)(DEGREES * sizeof(double));
    double          *workspace = bytes < (double)TESS__MAX_BYTES ? tess__alloc((size_t)bytes) : NULL;
    TESS_CHECK(workspace, TESS_ENOMEM, "%s: no memory for %.0f bytes of workspace", work->name, bytes);
    f.moments = workspace + DEGREES * (shape.w + shape.h);
    f.coefficients = (double(*)[DEGREES][DEGREES])(void *)(f.moments + DEGREES * shape.b * shape.h);
    make_basis(&f.x, workspace, shape.w, f.degrees);
    make_basis(&f.y, workspace + DEGREES * shape.w, shape.h, f.degrees);
    f.load = tess__conversion_of(work->in.dtype, TESS_F64, TESS__CLAMP, TESS_PART_DEFAULT);
    if (work->out.data) {
        f.store = tess__conversion_of(TESS_F64, work->out.dtype, TESS__CLAMP, TESS_PART_DEFAULT);
        f.size_out = tess__dtype_size(work->out.dtype);
    }
    run_fit(&f);
    tess__free(workspace);
    return TESS_OK;
}
