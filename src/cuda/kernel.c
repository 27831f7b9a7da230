/* Kernels in memory: a table by device and key. Compiling happens outside its lock; two threads that need the same
 * kernel at once may both compile it, and the first one's is used. */
#include "cuda/kernel.h"

#include <string.h>

#include "core/memory.h"
#include "cuda/cubins.h"
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

static tess_status load(entry *e, tess__cuda_call *call, const void *code)
{
    TESS_CUDA(call, module_load, &e->module, code);
    const tess__cu_result got = tess__driver.module_function(&e->kernel.function, e->module, "tess_kernel");
    if (got) (void)tess__driver.module_free(e->module);
    TESS_TRY(tess__cuda_status(call, "module_function", got));
    return TESS_OK;
}

/* From the disk if it is there and good, else compiled and put there. */
static tess_status make(entry *e, tess__cuda_call *call, const tess__cuda_key *key)
{
    tess_status status;
    char       *program = NULL;
    void       *code = NULL;
    size_t      size = 0;
    TESS_TRY(print(&program, call->name, key));
    const tess__cubin_name name = tess__cubin_name_of(program, call->device->sm);
    if (tess__cubin_read(&code, &size, &name)) {
        status = load(e, call, code);
        if (status == TESS_OK) goto done;
        tess_error_clear();
        tess__free(code);
        code = NULL;
    }
    TESS_GOTO(done, status, tess__nvrtc_compile(&code, &size, call->name, program, call->device->sm));
    TESS_GOTO(done, status, load(e, call, code));
    tess__cubin_write(code, size, &name);
done:
    tess__free(code);
    tess__free(program);
    return status;
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
