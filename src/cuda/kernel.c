/* Kernels in memory: a table by device and key. Compiling happens outside its lock; two threads that need the same
 * kernel at once may both compile it, and the first one's is used. */
#include "cuda/kernel.h"

#include <string.h>

#include "core/memory.h"
#include "cuda/cubins.h"
#include "cuda/memory.h"
#include "cuda/nvrtc.h"
#include "cuda/stream.h"

enum { BUCKETS = 1024 };

typedef struct entry {
    struct entry     *next;
    int               device;
    tess__cuda_key    key;
    tess__cuda_kernel kernel;
    tess__cu_module   module;
} entry;

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static entry           *buckets[BUCKETS];

static unsigned bucket_of(int device, const tess__cuda_key *key)
{
    uint64_t hash = (uint64_t)(uintptr_t)key->family + (uint64_t)device;
    for (int i = 0; i < TESS__CUDA_WORDS; i++) {
        hash = (hash ^ key->word[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return (unsigned)(hash % BUCKETS);
}

static entry *find(unsigned bucket, int device, const tess__cuda_key *key)
{
    for (entry *e = buckets[bucket]; e; e = e->next)
        if (e->device == device && e->key.family == key->family &&
            memcmp(e->key.word, key->word, sizeof key->word) == 0)
            return e;
    return NULL;
}

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
    const tess__cu_result found = tess__driver.module_function(&e->kernel.function, e->module, "tess_kernel");
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

/* From the disk if it is there and the driver takes it, else compiled and put there. */
static tess_status make(entry *e, tess__cuda_call *call, const tess__cuda_key *key)
{
    char  *program = NULL;
    void  *code = NULL;
    size_t size = 0;
    TESS_TRY(print(&program, call->name, key));
    const tess__cubin_name name = tess__cubin_name_of(program, call->device->sm);
    const bool             kept = tess__cubin_read(&code, &size, &name) && load(e, call, code) == 0;
    tess__free(code);
    const tess_status status = kept ? TESS_OK : compile(e, call, program, &name);
    tess__free(program);
    TESS_TRY(status);
    return TESS_OK;
}

/* The entry becomes the table's, unless another thread was faster. */
static void put(tess__cuda_kernel *kernel, unsigned bucket, entry *made)
{
    (void)pthread_rwlock_wrlock(&lock);
    entry *e = find(bucket, made->device, &made->key);
    if (!e) {
        e = made;
        e->next = buckets[bucket];
        buckets[bucket] = e;
    }
    *kernel = e->kernel;
    (void)pthread_rwlock_unlock(&lock);
    if (e == made) return;
    (void)tess__driver.module_free(made->module);
    tess__free(made);
}

tess_status tess__cuda_kernel_need(tess__cuda_kernel *kernel, tess__cuda_call *call, const tess__cuda_key *key)
{
    const int      device = call->device->index;
    const unsigned bucket = bucket_of(device, key);
    (void)pthread_rwlock_rdlock(&lock);
    const entry *found = find(bucket, device, key);
    if (found) *kernel = found->kernel;
    (void)pthread_rwlock_unlock(&lock);
    if (found) return TESS_OK;
    entry *made = tess__alloc(sizeof *made);
    TESS_CHECK(made, TESS_ENOMEM, "%s: no memory for %zu bytes", call->name, sizeof *made);
    *made = (entry){ .device = device, .key = *key };
    made->key.source = NULL;
    const tess_status status = make(made, call, key);
    if (status != TESS_OK) tess__free(made);
    TESS_TRY(status);
    put(kernel, bucket, made);
    return TESS_OK;
}

tess_status tess__cuda_launch(tess__cuda_call *call, const tess__cuda_kernel *kernel, const unsigned blocks[3],
                              unsigned threads, const void *params)
{
    void *arguments[] = { (void *)(uintptr_t)params };
    TESS_CUDA(call, launch, kernel->function, blocks[0], blocks[1], blocks[2], threads, 1, 1, 0, call->stream->handle,
              arguments, NULL);
    tess__cuda_note_work(call->stream, call->name);
    return TESS_OK;
}

tess_status tess__cuda_run(tess__cuda_call *call, const tess__cuda_key *key, int64_t blocks, unsigned threads,
                           const void *params)
{
    tess__cuda_kernel kernel;
    TESS_TRY(tess__cuda_kernel_need(&kernel, call, key));
    const unsigned grid[3] = { (unsigned)blocks, 1, 1 };
    TESS_TRY(tess__cuda_launch(call, &kernel, grid, threads, params));
    return TESS_OK;
}
