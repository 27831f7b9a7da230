/* NPZ files: the list of the arrays in an archive. */
#include <string.h>

#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/memory.h"
#include "io/zip/zip.h"

struct tess_npz_list {
    tess__source *source;
    tess__zip    *zip;
};

/* ".npy" is removed, as in NumPy. */
static void cut_endings(tess__zip *zip)
{
    int64_t n = 0;
    for (int64_t i = 0; i < zip->n_members; i++) {
        const char  *name = zip->members[i].name;
        const size_t length = strlen(name);
        if (length <= 4 || strcmp(name + length - 4, ".npy") != 0) continue;
        zip->names[name - zip->names + (ptrdiff_t)length - 4] = '\0';
        zip->members[n++] = zip->members[i];
    }
    zip->n_members = n;
}

tess_status tess_npz_members(tess_npz_list **list, const char *path)
{
    TESS_TRY(tess__check_pointer("npz_members", "list", list));
    TESS_TRY(tess__check_pointer("npz_members", "path", path));
    tess_npz_list *l = tess__alloc(sizeof *l);
    TESS_CHECK(l, TESS_ENOMEM, "npz_members: %s: no memory for a list", path);
    *l = (tess_npz_list){ NULL, NULL };
    tess_status status = tess__source_open(&l->source, path);
    if (status == TESS_OK) status = tess__zip_open(&l->zip, l->source);
    if (status != TESS_OK) {
        tess_npz_list_free(l);
        return tess__error_under(status, "npz_members");
    }
    cut_endings(l->zip);
    *list = l;
    return TESS_OK;
}

int64_t tess_npz_list_count(const tess_npz_list *list) { return list ? list->zip->n_members : 0; }

const char *tess_npz_list_name(const tess_npz_list *list, int64_t i)
{
    return list && i >= 0 && i < list->zip->n_members ? list->zip->members[i].name : NULL;
}

void tess_npz_list_free(tess_npz_list *list)
{
    if (!list) return;
    tess__zip_close(list->zip);
    tess__source_close(list->source);
    tess__free(list);
}
