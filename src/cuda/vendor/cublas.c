/* cuBLAS: handles. A handle belongs to one stream, since only then are results the same in each run, and is used by
 * one thread at a time: it is taken out of the list while it is used. */
#include "cuda/vendor/cublas.h"

#include <stddef.h>

#include "core/device/memory.h"
#include "cuda/runtime/library.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/stream.h"

typedef struct cublas_handle_ *cublas_handle;

#define GEMM_ARGUMENTS                                                                                                 \
    cublas_handle handle, int op_a, int op_b, int m, int n, int k, const void *alpha, const void *a, int lda,          \
        long long step_a, const void *b, int ldb, long long step_b, const void *beta, void *c, int ldc,                \
        long long step_c, int batch

static struct cublas_table {
    int (*property)(int which, int *value);
    int (*create)(cublas_handle *handle);
    int (*destroy)(cublas_handle handle);
    int (*set_stream)(cublas_handle handle, tess__cu_stream stream);
    int (*sgemm)(GEMM_ARGUMENTS);
    int (*dgemm)(GEMM_ARGUMENTS);
    int (*cgemm)(GEMM_ARGUMENTS);
    int (*zgemm)(GEMM_ARGUMENTS);
} cublas;

static const tess__symbol symbols[] = {
    { "cublasGetProperty", offsetof(struct cublas_table, property) },
    { "cublasCreate_v2", offsetof(struct cublas_table, create) },
    { "cublasDestroy_v2", offsetof(struct cublas_table, destroy) },
    { "cublasSetStream_v2", offsetof(struct cublas_table, set_stream) },
    { "cublasSgemmStridedBatched", offsetof(struct cublas_table, sgemm) },
    { "cublasDgemmStridedBatched", offsetof(struct cublas_table, dgemm) },
    { "cublasCgemmStridedBatched", offsetof(struct cublas_table, cgemm) },
    { "cublasZgemmStridedBatched", offsetof(struct cublas_table, zgemm) },
};
static tess__library library = {
    .what = "libcublas (linear algebra)",
    .files = { { "libcublas.so.13", 13 }, { "libcublas.so.12", 12 }, { "libcublas.so.11", 11 }, { "libcublas.so", 0 } },
    .without = "only matrix products of floats need it",
    .symbols = symbols,
    .n_symbols = sizeof symbols / sizeof symbols[0]
};

typedef struct idle_handle {
    struct idle_handle *next;
    int                 device;
    tess__cu_stream     stream;
    cublas_handle       handle;
} idle_handle;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static idle_handle    *idle;

int tess__cublas_version(void) { return tess__library_version(&library, &cublas, &cublas.property); }

static tess_status status_of(const tess__cuda_call *call, const char *what, int code)
{
    TESS_CHECK(code != 3, TESS_ENOMEM, "%s: cuBLAS found no memory on gpu:%d (%s)", call->name, call->device->index,
               what);
    TESS_CHECK(code == 0, TESS_EDEVICE, "%s: cuBLAS failed with error %d of %s on gpu:%d", call->name, code, what,
               call->device->index);
    return TESS_OK;
}

/* A handle that found no memory for itself may also say that it is not initialised. */
static bool is_memory(int code) { return code == 3 || code == 1; }

static tess_status make(idle_handle **out, tess__cuda_call *call)
{
    idle_handle *h = tess__alloc(sizeof *h);
    TESS_CHECK(h, TESS_ENOMEM, "%s: no memory for %zu bytes", call->name, sizeof *h);
    h->device = call->device->index;
    h->stream = call->stream->handle;
    int created = cublas.create(&h->handle);
    if (is_memory(created)) {
        tess__cuda_free_up(call);
        created = cublas.create(&h->handle);
    }
    const int code = created ? created : cublas.set_stream(h->handle, h->stream);
    if (code && !created) (void)cublas.destroy(h->handle);
    if (code) tess__free(h);
    TESS_TRY(status_of(call, created ? "cublasCreate" : "cublasSetStream", code));
    *out = h;
    return TESS_OK;
}

/* Under the lock: out of the list, or NULL. */
static idle_handle *take_idle(int device, tess__cu_stream stream)
{
    idle_handle **at = &idle;
    while (*at && ((*at)->device != device || (*at)->stream != stream)) at = &(*at)->next;
    idle_handle *found = *at;
    if (found) *at = found->next;
    return found;
}

static tess_status take(idle_handle **out, tess__cuda_call *call)
{
    TESS_TRY(tess__library_open(&library, call->name, &cublas));
    (void)pthread_mutex_lock(&lock);
    *out = take_idle(call->device->index, call->stream->handle);
    (void)pthread_mutex_unlock(&lock);
    if (!*out) TESS_TRY(make(out, call));
    return TESS_OK;
}

static void give(idle_handle *h)
{
    (void)pthread_mutex_lock(&lock);
    h->next = idle;
    idle = h;
    (void)pthread_mutex_unlock(&lock);
}

void tess__cublas_forget(const tess__cuda_call *call)
{
    for (;;) {
        (void)pthread_mutex_lock(&lock);
        idle_handle *h = take_idle(call->device->index, call->stream->handle);
        (void)pthread_mutex_unlock(&lock);
        if (!h) return;
        (void)cublas.destroy(h->handle);
        tess__free(h);
    }
}

tess_status tess__cublas_gemm(tess__cuda_call *call, const tess__gemm *g)
{
    const float               alpha_f[2] = { (float)g->alpha, 0 }, beta_f[2] = { (float)g->beta, 0 };
    const _Alignas(16) double alpha_d[2] = { g->alpha, 0 }, beta_d[2] = { g->beta, 0 };
    const bool                wide = g->dtype == TESS_F64 || g->dtype == TESS_C64;
    idle_handle              *h = NULL;
    TESS_TRY(take(&h, call)); /* opens the library */
    int (*const gemm)(GEMM_ARGUMENTS) = g->dtype == TESS_F32   ? cublas.sgemm
                                        : g->dtype == TESS_F64 ? cublas.dgemm
                                        : g->dtype == TESS_C32 ? cublas.cgemm
                                                               : cublas.zgemm;
    const int code = gemm(h->handle, g->op_a, g->op_b, g->m, g->n, g->k, wide ? (const void *)alpha_d : alpha_f,
                          (const void *)(uintptr_t)g->a, (int)g->lda, g->step_a, (const void *)(uintptr_t)g->b,
                          (int)g->ldb, g->step_b, wide ? (const void *)beta_d : beta_f, (void *)(uintptr_t)g->c,
                          (int)g->ldc, g->step_c, g->batch);
    give(h);
    TESS_TRY(status_of(call, "gemmStridedBatched", code));
    return TESS_OK;
}
