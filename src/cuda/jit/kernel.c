/* In-memory cache of compiled kernels: a hash table by device and kernel key. Compiling happens outside its lock;
 * two threads that need the same kernel at the same time may both compile it, and that of the first is used. A
 * kernel is not unloaded while a thread is about to launch it, nor before the work of the device is done. */
#include "cuda/jit/kernel.h"

#include <inttypes.h>
#include <string.h>

#include "core/device/memory.h"
#include "cuda/jit/cubins.h"
#include "cuda/jit/nvrtc.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/stream.h"

enum { BUCKETS = 1024 };

typedef struct entry {
    struct entry     *next;
    int               device;
    tess__cuda_key    key;
    tess__cu_module   module;
    tess__cu_function function;
    atomic_int        users;    /* threads that are about to launch it; raised under the lock only */
    atomic_llong      asked_at; /* how many kernels had been compiled when it was last used */
} entry;

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static entry           *buckets[BUCKETS];
static int              n_kept[TESS__CUDA_DEVICES];
static atomic_llong     n_made;

static unsigned bucket_of(int device, const tess__cuda_key *key)
{
    uint64_t hash = (uint64_t)(uintptr_t)key->family + (uint64_t)device;
    for (int i = 0; i < TESS__CUDA_WORDS; i++) {
        hash = (hash ^ key->word[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return (unsigned)(hash % BUCKETS);
}

/* Under the lock: the one of a key, for its user; NULL if there is none. */
static entry *find(unsigned bucket, int device, const tess__cuda_key *key)
{
    for (entry *e = buckets[bucket]; e; e = e->next)
        if (e->device == device && e->key.family == key->family &&
            memcmp(e->key.word, key->word, sizeof key->word) == 0) {
            atomic_fetch_add(&e->users, 1);
            atomic_store_explicit(&e->asked_at, atomic_load_explicit(&n_made, memory_order_relaxed),
                                  memory_order_relaxed);
            return e;
        }
    return NULL;
}

static void leave(entry *e) { atomic_fetch_sub(&e->users, 1); }

/* ---- Making one ---- */

static tess_status print(char **program, const char *name, const tess__cuda_key *key)
{
    tess__writer w = { 0 };
    key->family->print(&w, key);
    TESS_TRY_NOTE(tess__write_finish(&w, program), "while printing a kernel for %s", name);
    return TESS_OK;
}

static tess__cu_result load(entry *e, const tess__cuda_call *call, const void *code)
{
    tess__cu_result loaded = tess__driver.module_load(&e->module, code);
    if (loaded == TESS__CU_OUT_OF_MEMORY) {
        tess__cuda_free_up(call);
        loaded = tess__driver.module_load(&e->module, code);
    }
    if (loaded) return loaded;
    const tess__cu_result found = tess__driver.module_function(&e->function, e->module, "tess_kernel");
    if (found) (void)tess__driver.module_free(e->module);
    return found;
}

static tess_status compile(entry *e, tess__cuda_call *call, const char *program, const tess__cubin_name *name)
{
    void  *code = NULL;
    size_t size = 0;
    TESS_TRY(tess__nvrtc_compile(&code, &size, call->name, program, call->device->sm));
    const tess__cu_result loaded = load(e, call, code);
    if (loaded == 0) tess__cubin_write(code, size, name);
    tess__free(code);
    TESS_TRY(tess__cuda_status(call, "module_load", loaded));
    return TESS_OK;
}

/* From the disk, if it is there and the driver takes it. */
static bool read_kept(entry *e, tess__cuda_call *call, const tess__cubin_name *name)
{
    void      *code = NULL;
    size_t     size = 0;
    const bool kept = tess__cubin_read(&code, &size, name) && load(e, call, code) == 0;
    tess__free(code);
    return kept;
}

/* From the disk, else compiled and put there; of processes that start together one compiles, and the others wait. */
static tess_status make(entry *e, tess__cuda_call *call, const tess__cuda_key *key)
{
    char *program = NULL;
    TESS_TRY(print(&program, call->name, key));
    const tess__cubin_name name = tess__cubin_name_of(program, call->device->sm);
    tess_status            status = TESS_OK;
    if (!read_kept(e, call, &name)) {
        const int held = tess__cubin_lock(&name);
        if (!read_kept(e, call, &name)) status = compile(e, call, program, &name);
        tess__cubin_unlock(held);
    }
    tess__free(program);
    TESS_TRY(status);
    return TESS_OK;
}

/* ---- Dropping some ---- */

/* Under the lock: takes those of a device out of the table that nobody uses and that were not used while half a
 * table of others was compiled. */
static entry *take_old(int device)
{
    entry          *old = NULL;
    const long long now = atomic_load(&n_made);
    for (int i = 0; i < BUCKETS; i++)
        for (entry **at = &buckets[i]; *at;) {
            entry *e = *at;
            if (e->device != device || atomic_load(&e->users) ||
                now - atomic_load(&e->asked_at) < TESS__CUDA_KERNELS / 2) {
                at = &e->next;
                continue;
            }
            *at = e->next;
            e->next = old;
            old = e;
            n_kept[device]--;
        }
    return old;
}

/* Their last launches may still be queued. If the device cannot be waited for, the code stays where it is. */
static void unload(entry *old)
{
    const bool done = old && tess__driver.context_sync() == 0;
    while (old) {
        entry *next = old->next;
        if (done) (void)tess__driver.module_free(old->module);
        tess__free(old);
        old = next;
    }
}

/* ---- Asking for one ---- */

/* The entry becomes the table's, unless another thread was faster. */
static entry *put(unsigned bucket, entry *made)
{
    (void)pthread_rwlock_wrlock(&lock);
    entry *e = find(bucket, made->device, &made->key), *old = NULL;
    if (!e) {
        if (n_kept[made->device] >= TESS__CUDA_KERNELS) old = take_old(made->device);
        e = made;
        atomic_init(&e->users, 1);
        atomic_init(&e->asked_at, atomic_fetch_add(&n_made, 1) + 1);
        e->next = buckets[bucket];
        buckets[bucket] = e;
        n_kept[made->device]++;
    }
    (void)pthread_rwlock_unlock(&lock);
    unload(old);
    if (e == made) return e;
    (void)tess__driver.module_free(made->module);
    tess__free(made);
    return e;
}

/* The caller is a user of it until it calls leave. */
static tess_status need(entry **out, tess__cuda_call *call, const tess__cuda_key *key)
{
    const int      device = call->device->index;
    const unsigned bucket = bucket_of(device, key);
    (void)pthread_rwlock_rdlock(&lock);
    *out = find(bucket, device, key);
    (void)pthread_rwlock_unlock(&lock);
    if (*out) return TESS_OK;
    entry *made = tess__alloc(sizeof *made);
    TESS_CHECK(made, TESS_ENOMEM, "%s: no memory for %zu bytes", call->name, sizeof *made);
    memset(made, 0, sizeof *made);
    made->device = device;
    made->key = *key;
    made->key.context = NULL;
    const tess_status status = make(made, call, key);
    if (status != TESS_OK) tess__free(made);
    TESS_TRY(status);
    *out = put(bucket, made);
    return TESS_OK;
}

tess_status tess__cuda_prepare(tess__cuda_call *call, const tess__cuda_key *key)
{
    entry *e = NULL;
    TESS_TRY(need(&e, call, key));
    leave(e);
    return TESS_OK;
}

static tess_status launch(tess__cuda_call *call, const entry *e, unsigned blocks, unsigned threads, const void *params)
{
    void *arguments[] = { (void *)(uintptr_t)params };
    TESS_CUDA(call, launch, e->function, blocks, 1, 1, threads, 1, 1, 0, call->stream->handle, arguments, NULL);
    tess__cuda_note_work(call->stream, call->name);
    return TESS_OK;
}

tess_status tess__cuda_run(tess__cuda_call *call, const tess__cuda_key *key, int64_t blocks, unsigned threads,
                           const void *params)
{
    entry *e = NULL;
    TESS_CHECK(blocks >= 1 && blocks <= INT32_MAX, TESS_EUNSUPPORTED,
               "%s: arrays of these sizes need %" PRId64 " blocks of threads; a GPU takes 1 to %d in a launch",
               call->name, blocks, INT32_MAX);
    TESS_TRY(need(&e, call, key));
    const tess_status status = launch(call, e, (unsigned)blocks, threads, params);
    leave(e);
    TESS_TRY(status);
    return TESS_OK;
}
