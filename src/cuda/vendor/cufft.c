/* cuFFT: plan cache. A plan can be used by one thread at a time: it is taken out of the list while it is used. Its
 * workspace is allocated from our pool for each transform, in the order of its stream, so that plans hold little
 * memory. */
#include "cuda/vendor/cufft.h"

#include <stddef.h>
#include <string.h>

#include "core/device/memory.h"
#include "cuda/runtime/library.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/stream.h"

typedef int plan_handle;

static struct cufft_table {
    int (*property)(int which, int *value);
    int (*create)(plan_handle *plan);
    int (*destroy)(plan_handle plan);
    int (*no_workspace)(plan_handle plan, int automatic);
    int (*make)(plan_handle plan, int rank, long long *n, long long *in_embed, long long in_stride,
                long long in_distance, long long *out_embed, long long out_stride, long long out_distance, int type,
                long long batch, size_t *workspace);
    int (*set_stream)(plan_handle plan, tess__cu_stream stream);
    int (*set_workspace)(plan_handle plan, void *workspace);
    int (*c2c)(plan_handle plan, void *in, void *out, int sign);
    int (*r2c)(plan_handle plan, void *in, void *out);
    int (*c2r)(plan_handle plan, void *in, void *out);
    int (*z2z)(plan_handle plan, void *in, void *out, int sign);
    int (*d2z)(plan_handle plan, void *in, void *out);
    int (*z2d)(plan_handle plan, void *in, void *out);
} cufft;

static const tess__symbol symbols[] = {
    { "cufftGetProperty", offsetof(struct cufft_table, property) },
    { "cufftCreate", offsetof(struct cufft_table, create) },
    { "cufftDestroy", offsetof(struct cufft_table, destroy) },
    { "cufftSetAutoAllocation", offsetof(struct cufft_table, no_workspace) },
    { "cufftMakePlanMany64", offsetof(struct cufft_table, make) },
    { "cufftSetStream", offsetof(struct cufft_table, set_stream) },
    { "cufftSetWorkArea", offsetof(struct cufft_table, set_workspace) },
    { "cufftExecC2C", offsetof(struct cufft_table, c2c) },
    { "cufftExecR2C", offsetof(struct cufft_table, r2c) },
    { "cufftExecC2R", offsetof(struct cufft_table, c2r) },
    { "cufftExecZ2Z", offsetof(struct cufft_table, z2z) },
    { "cufftExecD2Z", offsetof(struct cufft_table, d2z) },
    { "cufftExecZ2D", offsetof(struct cufft_table, z2d) },
};
static tess__library library = {
    .what = "libcufft (Fourier transforms)",
    .files = { { "libcufft.so.12", 13 }, { "libcufft.so.11", 12 }, { "libcufft.so.10", 11 }, { "libcufft.so", 0 } },
    .without = "only Fourier transforms need it",
    .symbols = symbols,
    .n_symbols = sizeof symbols / sizeof symbols[0]
};

enum { MAX_PLANS = 64 };

typedef struct plan {
    struct plan       *next; /* the one used before */
    int                device;
    tess__cufft_layout layout;
    plan_handle        handle;
    size_t             workspace;
} plan;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static plan           *idle; /* the last one used first */

int tess__cufft_version(void) { return tess__library_version(&library, &cufft, &cufft.property); }

static tess_status status_of(const tess__cuda_call *call, const char *what, int code)
{
    static const char *const texts[] = { "success",       "invalid plan",   "no memory",        "invalid type",
                                         "invalid value", "internal error", "execution failed", "setup failed",
                                         "invalid size",  "unaligned data" };
    if (code == 0) return TESS_OK;
    const char *text = code > 0 && code < (int)(sizeof texts / sizeof texts[0]) ? texts[code] : "failure";
    TESS_CHECK(code != 2, TESS_ENOMEM, "%s: cuFFT found no memory on gpu:%d (%s)", call->name, call->device->index,
               what);
    TESS_FAIL(TESS_EDEVICE, "%s: cuFFT: %s (error %d of %s) on gpu:%d", call->name, text, code, what,
              call->device->index);
}

/* ---- Plans ---- */

static plan *take_idle(int device, const tess__cufft_layout *layout)
{
    (void)pthread_mutex_lock(&lock);
    plan **at = &idle;
    while (*at && ((*at)->device != device || memcmp(&(*at)->layout, layout, sizeof *layout) != 0)) at = &(*at)->next;
    plan *found = *at;
    if (found) *at = found->next;
    (void)pthread_mutex_unlock(&lock);
    return found;
}

/* Its last transform may still be queued. If its device cannot be waited for, it stays. */
static void destroy(plan *p)
{
    tess__cuda_call    call;
    tess__cuda_device *device = tess__cuda_device_known(p->device);
    if (device && tess__cuda_begin_quietly(&call, device)) {
        if (tess__driver.context_sync() == 0) (void)cufft.destroy(p->handle);
        tess__cuda_end(&call);
    }
    tess__free(p);
}

/* Back to the front of the list; the least recently used is freed if there are too many. */
static void give_idle(plan *p)
{
    (void)pthread_mutex_lock(&lock);
    p->next = idle;
    idle = p;
    plan **at = &idle;
    for (int n = 0; *at && n < MAX_PLANS; n++) at = &(*at)->next;
    plan *oldest = *at;
    if (oldest) *at = NULL;
    (void)pthread_mutex_unlock(&lock);
    if (oldest) destroy(oldest);
}

/* cuFFT's code; `*what` was called. */
static int try_make(plan *p, const tess__cufft_layout *l, const char **what)
{
    long long n[3], in_embed[3], out_embed[3];
    for (int i = 0; i < 3; i++) n[i] = l->n[i], in_embed[i] = l->in_embed[i], out_embed[i] = l->out_embed[i];
    *what = "cufftCreate";
    int code = cufft.create(&p->handle);
    if (code) return code;
    *what = "cufftMakePlanMany64";
    code = cufft.no_workspace(p->handle, 0);
    if (code == 0)
        code = cufft.make(p->handle, (int)l->rank, n, in_embed, l->in_stride, l->in_distance, out_embed, l->out_stride,
                          l->out_distance, (int)l->type, l->batch, &p->workspace);
    if (code) (void)cufft.destroy(p->handle);
    return code;
}

/* Plans hold tables on the device; without memory for them cuFFT also speaks of an internal error. */
static tess_status make(plan *p, const tess__cuda_call *call, const tess__cufft_layout *l)
{
    const char *what = NULL;
    int         code = try_make(p, l, &what);
    if (code == 2 || code == 5) {
        tess__cuda_free_up(call);
        code = try_make(p, l, &what);
    }
    TESS_TRY(status_of(call, what, code));
    return TESS_OK;
}

static tess_status find(plan **out, tess__cuda_call *call, const tess__cufft_layout *layout)
{
    TESS_TRY(tess__library_open(&library, call->name, &cufft));
    *out = take_idle(call->device->index, layout);
    if (*out) return TESS_OK;
    plan *p = tess__alloc(sizeof *p);
    TESS_CHECK(p, TESS_ENOMEM, "%s: no memory for %zu bytes", call->name, sizeof *p);
    p->device = call->device->index;
    p->layout = *layout;
    const tess_status status = make(p, call, layout);
    if (status != TESS_OK) tess__free(p);
    TESS_TRY(status);
    *out = p;
    return TESS_OK;
}

/* ---- Running ---- */

static int execute(const plan *p, int sign, void *out, void *in)
{
    switch (p->layout.type) {
    case TESS__CUFFT_C2C: return cufft.c2c(p->handle, in, out, sign);
    case TESS__CUFFT_R2C: return cufft.r2c(p->handle, in, out);
    case TESS__CUFFT_C2R: return cufft.c2r(p->handle, in, out);
    case TESS__CUFFT_Z2Z: return cufft.z2z(p->handle, in, out, sign);
    case TESS__CUFFT_D2Z: return cufft.d2z(p->handle, in, out);
    default: return cufft.z2d(p->handle, in, out);
    }
}

tess_status tess__cufft_run(tess__cuda_call *call, const tess__cufft_layout *layout, int sign, tess__cu_address out,
                            tess__cu_address in)
{
    plan            *p = NULL;
    tess__cu_address workspace = 0;
    tess_status      status = TESS_OK;
    TESS_TRY(find(&p, call, layout));
    if (p->workspace) TESS_GOTO(done, status, tess__cuda_workspace_acquire(&workspace, call, p->workspace));
    TESS_GOTO(done, status, status_of(call, "cufftSetStream", cufft.set_stream(p->handle, call->stream->handle)));
    if (workspace)
        TESS_GOTO(done, status,
                  status_of(call, "cufftSetWorkArea", cufft.set_workspace(p->handle, (void *)(uintptr_t)workspace)));
    TESS_GOTO(done, status,
              status_of(call, "cufftExec", execute(p, sign, (void *)(uintptr_t)out, (void *)(uintptr_t)in)));
done:
    tess__cuda_workspace_release(call, workspace);
    give_idle(p);
    return status;
}

tess_status tess__cufft_prepare(tess__cuda_call *call, const tess__cufft_layout *layout, size_t *workspace)
{
    plan *p = NULL;
    TESS_TRY(find(&p, call, layout));
    *workspace = p->workspace;
    give_idle(p);
    return TESS_OK;
}
