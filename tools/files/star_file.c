/* Documents of RELION and cryoSPARC, written by the names of their files. */
#include "files/star_file.h"

#include <string.h>
#include <strings.h>

bool is_cs_name(const char *path)
{
    const size_t n = strlen(path);
    return n > 3 && strcasecmp(path + n - 3, ".cs") == 0;
}

tess_status star_file_write(const char *path, const tess_star *star, const job *j)
{
    return tess_star_write_named(path, star, &(tess_star_opts){ .overwrite = job_has(j, "force") });
}
