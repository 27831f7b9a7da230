/* The table of operations. */
#include "ops/infos.h"

#include <string.h>

static const tess_op_info *const infos[] = {
#define ENTRY(name) &tess__info_##name,
    TESS__INFOS(ENTRY)
#undef ENTRY
};

size_t tess_op_count(void) { return sizeof infos / sizeof *infos; }

const tess_op_info *tess_op_at(size_t i) { return i < tess_op_count() ? infos[i] : NULL; }

const tess_op_info *tess_op_find(const char *name)
{
    for (size_t i = 0; name && i < tess_op_count(); i++)
        if (strcmp(infos[i]->name, name) == 0) return infos[i];
    return NULL;
}
