/* Documents of RELION and cryoSPARC, converted by the names of their files. */
#include "files/star_file.h"

#include <string.h>
#include <strings.h>

bool is_cs_name(const char *path)
{
    const size_t n = strlen(path);
    return n > 3 && strcasecmp(path + n - 3, ".cs") == 0;
}

tess_status star_file_read(tess_star **star, const char *path)
{
    tess_star *read = NULL;
    TESS_TRY(tess_star_read(&read, path));
    if (!tess_star_is_cryosparc(read)) return *star = read, TESS_OK;
    const tess_status status = tess_star_to_relion(star, read);
    tess_star_free(read);
    TESS_TRY_NOTE(status, "reading %s", path);
    return TESS_OK;
}

tess_status star_file_write(const char *path, const tess_star *star, const job *j)
{
    const bool  to_cs = is_cs_name(path), is_cs = tess_star_is_cryosparc(star);
    tess_star  *made = NULL;
    tess_status status = TESS_OK;
    if (to_cs && !is_cs) TESS_TRY(tess_star_to_cryosparc(&made, star));
    if (!to_cs && is_cs) TESS_TRY(tess_star_to_relion(&made, star));
    status = tess_star_write(path, made ? made : star, &(tess_star_opts){ .overwrite = job_has(j, "force") });
    tess_star_free(made);
    return status;
}
