/* Registry of operations: those with a file of their own and the element-wise ones, in the order of their names. */
#include "core/table/registry.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/marks.h"
#include "requests/ewise.h"
#include "tessera/error.h"

static const tess_function_info *const singles[] = {
#define ENTRY(name) &tess__info_##name,
    TESS__INFOS(ENTRY)
#undef ENTRY
};

enum { SINGLES = sizeof singles / sizeof *singles, ALL = SINGLES + TESS__OPS };

static const tess_function_info *infos[ALL];
static pthread_once_t            sorted = PTHREAD_ONCE_INIT;

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const tess_function_info *const *)a)->name, (*(const tess_function_info *const *)b)->name);
}

static void sort(void)
{
    memcpy(infos, singles, sizeof singles);
    for (int i = 0; i < TESS__OPS; i++) infos[SINGLES + i] = &tess__ewise_infos[i];
    qsort(infos, ALL, sizeof *infos, by_name);
}

size_t tess_function_count(void) { return ALL; }

const tess_function_info *tess_function_at(size_t i)
{
    (void)pthread_once(&sorted, sort);
    return i < ALL ? infos[i] : NULL;
}

tess_status tess_function_call(const tess_function_info *op, const tess_value *values, const void *opts)
{
    TESS__CALL_SCOPE_OF(op ? op->name : NULL);
    TESS_CHECK(op && op->call, TESS_EARG, "function_call: `op` is %s; a function description of the library is needed",
               op ? "a description that cannot be called" : TESS__MARK("NULL"));
    TESS_CHECK(values, TESS_EARG, "function_call: `values` is `NULL`; the arguments of %s are needed", op->name);
    for (size_t i = 0; i < op->n_args; i++)
        if (op->args[i].role == TESS_ROLE_OUT && op->args[i].type != TESS_ARG_ARRAY &&
            op->args[i].type != TESS_ARG_REDUCTIONS && !(op->args[i].flags & TESS_ARG_OPTIONAL))
            TESS_TRY(tess__check_pointer(op->name, op->args[i].name, values[i].result));
    TESS_TRY(op->call(values, opts));
    return TESS_OK;
}

const tess_function_info *tess_function_find(const char *name)
{
    (void)pthread_once(&sorted, sort);
    for (size_t i = 0; name && i < ALL; i++)
        if (strcmp(infos[i]->name, name) == 0) return infos[i];
    return NULL;
}
