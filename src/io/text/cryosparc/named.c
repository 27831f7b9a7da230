/* Documents of RELION and cryoSPARC, converted into each other by the names of their files. */
#include <string.h>

#include "core/check/check.h"
#include "io/text/cryosparc/cs.h"

bool tess_star_is_named(const char *path)
{
    const size_t n = path ? strlen(path) : 0;
    return (n > 5 && strcmp(path + n - 5, ".star") == 0) || tess__cs_is_named(path);
}

tess_status tess_star_read_relion(tess_star **star, const char *path)
{
    tess_star *read = NULL;
    TESS_TRY(tess__check_pointer("star_read_relion", "star", star));
    TESS_TRY(tess_star_read(&read, path));
    if (!tess_star_is_cryosparc(read)) return *star = read, TESS_OK;
    const tess_status status = tess_star_to_relion(star, read);
    tess_star_free(read);
    TESS_TRY_NOTE(status, "reading %s", path);
    return TESS_OK;
}

tess_status tess_star_write_named(const char *path, const tess_star *star, const tess_star_opts *opts)
{
    TESS_TRY(tess__check_pointer("star_write_named", "path", path));
    TESS_TRY(tess__check_pointer("star_write_named", "star", star));
    const bool  to_cs = tess__cs_is_named(path), is_cs = tess_star_is_cryosparc(star);
    tess_star  *made = NULL;
    tess_status status = TESS_OK;
    if (to_cs && !is_cs) TESS_TRY(tess_star_to_cryosparc(&made, star));
    if (!to_cs && is_cs) TESS_TRY(tess_star_to_relion(&made, star));
    status = tess_star_write(path, made ? made : star, opts);
    tess_star_free(made);
    return status;
}
