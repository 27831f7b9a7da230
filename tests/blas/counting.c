/* A BLAS for tests: it counts its calls, rejects what a CBLAS rejects, and multiplies by naive loops in double, or has the
 * library multiply that COUNTING_BLAS_TO names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_MAJOR = 101, COLUMN_MAJOR = 102, AS_IS = 111, TRANSPOSE = 112, CONJUGATE = 113 };

/* In the order of TESS_F32, TESS_F64, TESS_C32, TESS_C64. */
typedef enum kind { REAL_32, REAL_64, COMPLEX_32, COMPLEX_64, N_KINDS } kind;

typedef struct number {
    double re, im;
} number;

typedef struct matrix {
    void *data;
    int   form, leading, rows, columns; /* as the product sees it */
} matrix;

typedef struct call {
    kind   kind;
    int    order;
    matrix a, b, c;
    number alpha, beta;
} call;

static int64_t calls[N_KINDS];

int64_t counting_blas_calls(int which);

int64_t counting_blas_calls(int which) { return calls[which]; }

static void refuse(const call *c, const char *what, int value)
{
    static const char *const names[] = { "sgemm", "dgemm", "cgemm", "zgemm" };
    fprintf(stderr, "counting BLAS: %s is called with %s %d\n", names[c->kind], what, value);
    abort();
}

static void check_matrix(const call *c, const matrix *x, const char *name)
{
    const bool by_rows = (c->order == ROW_MAJOR) == (x->form == AS_IS);
    const int  least = by_rows ? x->columns : x->rows;
    if (x->form < AS_IS || x->form > CONJUGATE) refuse(c, name, x->form);
    if (x->rows < 0 || x->columns < 0 || x->leading < (least > 1 ? least : 1)) refuse(c, name, x->leading);
}

static void check(const call *c)
{
    if (c->order != ROW_MAJOR && c->order != COLUMN_MAJOR) refuse(c, "order", c->order);
    check_matrix(c, &c->a, "a form or leading dimension of a");
    check_matrix(c, &c->b, "a form or leading dimension of b");
    check_matrix(c, &c->c, "a leading dimension of c");
}

/* ---- By naive loops ---- */

static size_t index_of(const call *c, const matrix *x, int row, int column)
{
    const bool by_rows = (c->order == ROW_MAJOR) == (x->form == AS_IS);
    return by_rows ? (size_t)row * (size_t)x->leading + (size_t)column
                   : (size_t)column * (size_t)x->leading + (size_t)row;
}

static number get(const call *c, const matrix *x, int row, int column)
{
    const size_t  at = index_of(c, x, row, column);
    const float  *narrow = x->data;
    const double *wide = x->data;
    number        z = { 0, 0 };
    switch (c->kind) {
    case REAL_32: z.re = (double)narrow[at]; break;
    case REAL_64: z.re = wide[at]; break;
    case COMPLEX_32: z.re = (double)narrow[2 * at], z.im = (double)narrow[2 * at + 1]; break;
    default: z.re = wide[2 * at], z.im = wide[2 * at + 1];
    }
    if (x->form == CONJUGATE) z.im = -z.im;
    return z;
}

static void put(const call *c, int row, int column, number z)
{
    const size_t at = index_of(c, &c->c, row, column);
    float       *narrow = c->c.data;
    double      *wide = c->c.data;
    switch (c->kind) {
    case REAL_32: narrow[at] = (float)z.re; break;
    case REAL_64: wide[at] = z.re; break;
    case COMPLEX_32: narrow[2 * at] = (float)z.re, narrow[2 * at + 1] = (float)z.im; break;
    default: wide[2 * at] = z.re, wide[2 * at + 1] = z.im;
    }
}

static number times(number x, number y) { return (number){ x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re }; }

static number plus(number x, number y) { return (number){ x.re + y.re, x.im + y.im }; }

static void *room_for(int numbers)
{
    void *memory = calloc((size_t)numbers + 1, sizeof(number));
    if (!memory) abort();
    return memory;
}

/* A row of c: what is there is not read if beta is 0. */
static void finish_row(const call *c, int row, const number *sums)
{
    const bool adds = c->beta.re != 0 || c->beta.im != 0;
    for (int j = 0; j < c->c.columns; j++) {
        const number z = times(c->alpha, sums[j]);
        put(c, row, j, adds ? plus(z, times(c->beta, get(c, &c->c, row, j))) : z);
    }
}

static void multiply(const call *c)
{
    const int n = c->c.columns, depth = c->a.columns;
    number   *b = room_for(depth * n), *sums = room_for(n);
    for (int k = 0; k < depth; k++)
        for (int j = 0; j < n; j++) b[k * n + j] = get(c, &c->b, k, j);
    for (int i = 0; i < c->c.rows; i++) {
        memset(sums, 0, (size_t)n * sizeof *sums);
        for (int k = 0; k < depth; k++) {
            const number x = get(c, &c->a, i, k);
            for (int j = 0; j < n; j++) sums[j] = plus(sums[j], times(x, b[k * n + j]));
        }
        finish_row(c, i, sums);
    }
    free(b);
    free(sums);
}

/* ---- By another ---- */

/* Its function of this name, or NULL if none is named. */
static void *function_of_another(const char *name)
{
    const char *wish = getenv("COUNTING_BLAS_TO");
    if (!wish || !*wish) return NULL;
    void *library = dlopen(wish, RTLD_NOW | RTLD_LOCAL), *function = library ? dlsym(library, name) : NULL;
    if (function) return function;
    fprintf(stderr, "counting BLAS: COUNTING_BLAS_TO is %s, which has no %s\n", wish, name);
    abort();
}

#define GEMM cblas_sgemm
#define KIND REAL_32
#define T float
#define NUMBER(x)                                                                                                      \
    {                                                                                                                  \
        (double)(x), 0                                                                                                 \
    }
#include "gemm.c.inc"

#define GEMM cblas_dgemm
#define KIND REAL_64
#define T double
#define NUMBER(x)                                                                                                      \
    {                                                                                                                  \
        (double)(x), 0                                                                                                 \
    }
#include "gemm.c.inc"

#define GEMM cblas_cgemm
#define KIND COMPLEX_32
#define T const float *
#define NUMBER(x)                                                                                                      \
    {                                                                                                                  \
        (double)(x)[0], (double)(x)[1]                                                                                 \
    }
#include "gemm.c.inc"

#define GEMM cblas_zgemm
#define KIND COMPLEX_64
#define T const double *
#define NUMBER(x)                                                                                                      \
    {                                                                                                                  \
        (double)(x)[0], (double)(x)[1]                                                                                 \
    }
#include "gemm.c.inc"
