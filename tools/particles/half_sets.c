/* Maps of two half sets: names of their files. */
#include "particles/half_sets.h"

#include <stdio.h>
#include <string.h>

#include "files/outputs/output.h"

tess_status half_map_names(job *j, const char *name, char names[2][4096])
{
    const char *pattern = job_text(j, name, NULL), *mark = "{half}";
    char        called[48];
    names[0][0] = names[1][0] = 0;
    if (!pattern) return TESS_OK;
    const char *at = strstr(pattern, mark);
    TESS_CHECK(at, TESS_EARG, "--%s: '%s' must contain {half}, which becomes 1 and 2", name, pattern);
    for (int k = 0; k < 2; k++) {
        const int n =
            snprintf(names[k], sizeof names[k], "%.*s%d%s", (int)(at - pattern), pattern, k + 1, at + strlen(mark));
        TESS_CHECK(n > 0 && (size_t)n < sizeof names[k], TESS_EARG, "--%s: the name is too long", name);
        (void)snprintf(called, sizeof called, "--%s", name);
        TESS_TRY(output_check_name(j, called, names[k]));
    }
    return TESS_OK;
}
