/* GEMM of a system BLAS, loaded at run time, and where its LAPACK is. TESS_BLAS says which: "native" is none, "auto"
 * the first of those below that exists, if any, and anything else is the name of a shared library, which has to exist.
 */
#include "cpu/linalg/blas.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/check/check.h"
#include "core/dtype.h"
#include "tessera/linalg.h"

/* The declarations of CBLAS. */
enum { ROW_MAJOR = 101, COLUMN_MAJOR = 102, AS_IS = 111, TRANSPOSE = 112, CONJUGATE = 113 };

typedef void gemm_f32(int, int, int, int, int, int, float, const void *, int, const void *, int, float, void *, int);
typedef void gemm_f64(int, int, int, int, int, int, double, const void *, int, const void *, int, double, void *, int);
typedef void gemm_complex(int, int, int, int, int, int, const void *, const void *, int, const void *, int,
                          const void *, void *, int);

static const char *const known[] = { "libopenblas.so.0", "libcblas.so.3", "libblas.so.3", NULL };

/* Products of fewer multiplications than this do not pay for the call. */
#define MIN_WORK (128.0 * 128.0 * 128.0)

static struct {
    gemm_f32     *f32;
    gemm_f64     *f64;
    gemm_complex *c32, *c64;
    void         *library;
    char          name[128];
    char          fault[400]; /* why the BLAS that TESS_BLAS names cannot be used; empty: it can */
} blas = { .name = "native" };

static pthread_once_t  searched = PTHREAD_ONCE_INIT;
static pthread_mutex_t in_use = PTHREAD_MUTEX_INITIALIZER;

/* The library's functions, or which of them it lacks. */
static const char *find_functions(void *library)
{
    if (!(*(void **)&blas.f64 = dlsym(library, "cblas_dgemm"))) return "cblas_dgemm";
    if (!(*(void **)&blas.c32 = dlsym(library, "cblas_cgemm"))) return "cblas_cgemm";
    if (!(*(void **)&blas.c64 = dlsym(library, "cblas_zgemm"))) return "cblas_zgemm";
    if (!(*(void **)&blas.f32 = dlsym(library, "cblas_sgemm"))) return "cblas_sgemm"; /* the last: set if all are */
    return NULL;
}

/* False if it is none, with the reason in `why`. */
static bool load(const char *name, char *why, size_t size)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        (void)snprintf(why, size, "it could not be opened (%.150s)", reason ? reason : "no reason given");
        return false;
    }
    const char *missing = find_functions(library);
    if (missing) {
        (void)snprintf(why, size, "it has no function %s", missing);
        (void)dlclose(library);
        return false;
    }
    (void)snprintf(blas.name, sizeof blas.name, "%s", name);
    blas.library = library;
    return true;
}

static void search(void)
{
    const char *wish = getenv("TESS_BLAS");
    char        why[180];
    if (!wish || !*wish || strcmp(wish, "native") == 0) return;
    if (strcmp(wish, "auto") == 0) {
        for (int i = 0; known[i] && !load(known[i], why, sizeof why); i++) {}
        return;
    }
    if (load(wish, why, sizeof why)) return;
    (void)snprintf(
        blas.fault, sizeof blas.fault,
        "TESS_BLAS is \"%.100s\": %s; native, auto or the name of a shared library with the CBLAS functions is needed",
        wish, why);
    (void)snprintf(blas.name, sizeof blas.name, "none");
}

const char *tess_linalg_provider(void)
{
    (void)pthread_once(&searched, search);
    return blas.name;
}

void *tess__lapack_function(const char *name)
{
    (void)pthread_once(&searched, search);
    void *function = blas.library ? dlsym(blas.library, name) : NULL;
    void *beside = blas.library && !function ? dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL) : NULL;
    return beside ? dlsym(beside, name) : function;
}

/* One call at a time: not every BLAS can be called from several threads, and those that use threads want them all. */
void tess__blas_lock(bool lock)
{
    if (lock) (void)pthread_mutex_lock(&in_use);
    else (void)pthread_mutex_unlock(&in_use);
}

/* ---- Layouts ---- */

/* A matrix as a BLAS takes it. */
typedef struct operand {
    int form, leading;
} operand;

/* Strides of a matrix of m by n in the order of the result: the leading dimension, or 0 if there is none. */
static int leading(int64_t outer, int64_t inner, int64_t n_outer, int64_t n_inner)
{
    const int64_t min = n_inner > 1 ? n_inner : 1;
    if (inner != 1 && n_inner > 1) return 0;
    if (n_outer <= 1) return (int)min;
    return outer >= min && outer <= INT_MAX ? (int)outer : 0;
}

static bool describe(operand *o, const tess_array *x, bool conjugate, bool by_columns)
{
    const int64_t m = x->shape.h, n = x->shape.w, sm = x->strides.h, sn = x->strides.w;
    const int     rows = leading(sm, sn, m, n), columns = leading(sn, sm, n, m);
    const int     direct = by_columns ? columns : rows, transposed = by_columns ? rows : columns;
    if (direct && !conjugate) *o = (operand){ AS_IS, direct };
    else if (transposed) *o = (operand){ conjugate ? CONJUGATE : TRANSPOSE, transposed };
    else return false;
    return true;
}

typedef struct call {
    int     order, ldc;
    operand a, b;
} call;

/* Floats and complex numbers, not integers. */
static bool knows(tess_dtype dtype) { return dtype >= TESS_F32; }

/* All products of a dtype fail, not the large ones alone, so that small ones already show it. */
tess_status tess__blas_check(const tess__matmul *work)
{
    (void)pthread_once(&searched, search);
    TESS_CHECK(!blas.fault[0] || !knows(work->dtype), TESS_EARG, "%s: %s", work->name, blas.fault);
    return TESS_OK;
}

static bool plan(call *c, const tess__matmul *w)
{
    (void)pthread_once(&searched, search);
    if (!blas.f32 || !knows(w->dtype)) return false;
    if (w->m == 1 || w->n == 1) return false; /* all of the time is that of reading the matrix */
    if (w->alpha == 0) return false;          /* rounded to it: a BLAS would not look at NaN */
    if ((double)w->m * (double)w->n * (double)w->k < MIN_WORK) return false;
    if (w->m > INT_MAX || w->n > INT_MAX || w->k > INT_MAX) return false;
    operand out;
    if (!describe(&out, &w->out, false, false)) return false;
    const bool by_columns = out.form != AS_IS;
    c->order = by_columns ? COLUMN_MAJOR : ROW_MAJOR;
    c->ldc = out.leading;
    const bool complex = tess_dtype_real(w->dtype) != w->dtype; /* others are their own conjugates */
    return describe(&c->a, &w->a, complex && w->conjugate[0], by_columns) &&
           describe(&c->b, &w->b, complex && w->conjugate[1], by_columns);
}

bool tess__blas_wants(const tess__matmul *work)
{
    call c;
    return plan(&c, work);
}

void tess__blas_multiply(const tess__matmul *w, char *out, const char *a, const char *b)
{
    call c;
    if (!plan(&c, w)) return;
    const int    m = (int)w->m, n = (int)w->n, k = (int)w->k;
    const float  alpha32[2] = { (float)w->alpha, 0 }, beta32[2] = { (float)w->beta, 0 };
    const double alpha64[2] = { w->alpha, 0 }, beta64[2] = { w->beta, 0 };
    tess__blas_lock(true);
    if (w->dtype == TESS_F32)
        blas.f32(c.order, c.a.form, c.b.form, m, n, k, alpha32[0], a, c.a.leading, b, c.b.leading, beta32[0], out,
                 c.ldc);
    else if (w->dtype == TESS_F64)
        blas.f64(c.order, c.a.form, c.b.form, m, n, k, alpha64[0], a, c.a.leading, b, c.b.leading, beta64[0], out,
                 c.ldc);
    else if (w->dtype == TESS_C32)
        blas.c32(c.order, c.a.form, c.b.form, m, n, k, alpha32, a, c.a.leading, b, c.b.leading, beta32, out, c.ldc);
    else blas.c64(c.order, c.a.form, c.b.form, m, n, k, alpha64, a, c.a.leading, b, c.b.leading, beta64, out, c.ldc);
    tess__blas_lock(false);
}
