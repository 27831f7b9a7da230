/* Cache of the programs of a body by the inputs that are the same along a row. */
#include "lang/still.h"

#include <pthread.h>
#include <stdatomic.h>

#include "core/check/error.h"
#include "core/device/memory.h"

enum { MAX_PROGRAMS = 8 };

struct tess__still {
    const tess__tree  *tree;
    tess_op_parse_opts limits;
    pthread_mutex_t    lock;
    atomic_int         n; /* entries below it do not change any more */
    uint32_t           inputs[MAX_PROGRAMS];
    tess__program     *program[MAX_PROGRAMS]; /* NULL: it could not be compiled */
};

tess_status tess__still_make(tess__still **out, const tess__tree *tree, const tess_op_parse_opts *limits)
{
    tess__still *s = tess__alloc(sizeof *s);
    TESS_CHECK(s, TESS_ENOMEM, "operator: no memory for %zu bytes", sizeof *s);
    s->tree = tree;
    s->limits = *limits;
    atomic_init(&s->n, 0);
    (void)pthread_mutex_init(&s->lock, NULL);
    *out = s;
    return TESS_OK;
}

void tess__still_free(tess__still *s)
{
    if (!s) return;
    const int n = atomic_load(&s->n);
    for (int i = 0; i < n; i++) tess__program_free(s->program[i]);
    (void)pthread_mutex_destroy(&s->lock);
    tess__free(s);
}

static int find(tess__still *s, uint32_t inputs)
{
    const int n = atomic_load_explicit(&s->n, memory_order_acquire);
    for (int i = 0; i < n; i++)
        if (s->inputs[i] == inputs) return i;
    return -1;
}

/* With the lock held; -1 if there are too many. */
static int add(tess__still *s, uint32_t inputs)
{
    const int n = atomic_load(&s->n);
    if (n == MAX_PROGRAMS) return -1;
    s->inputs[n] = inputs;
    s->program[n] = NULL;
    if (tess__program_make_still(&s->program[n], s->tree, inputs, &s->limits) != TESS_OK) s->program[n] = NULL;
    atomic_store_explicit(&s->n, n + 1, memory_order_release);
    return n;
}

const tess__program *tess__still_program(tess__still *s, uint32_t inputs)
{
    int i = find(s, inputs);
    if (i < 0) {
        (void)pthread_mutex_lock(&s->lock);
        i = find(s, inputs); /* another thread may just have compiled it */
        if (i < 0) i = add(s, inputs);
        (void)pthread_mutex_unlock(&s->lock);
    }
    return i < 0 ? NULL : s->program[i];
}
