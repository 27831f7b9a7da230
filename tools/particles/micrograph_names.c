/* Micrographs of coordinate files, matched by the names of the files, as RELION names them: x_autopick.star has the
 * coordinates of x.mrc. */
#include "particles/micrograph_names.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/file_name.h"
#include "particles/coordinates.h"
#include "tessera/cryosparc.h"

tess_status given_micrographs_of(given_micrographs *given, const job *j)
{
    const size_t n = (size_t)j->n_arguments + 1;
    *given = (given_micrographs){ .names = malloc(n * sizeof *given->names), .used = calloc(n, sizeof *given->used) };
    TESS_CHECK(given->names && given->used, TESS_ENOMEM, "no memory for the names of %d files", j->n_arguments);
    for (int i = 0; i < j->n_arguments; i++)
        if (!tess_star_is_named(j->arguments[i]) && !is_box_file(j->arguments[i]))
            given->names[given->n++] = j->arguments[i];
    TESS_CHECK(given->n < j->n_arguments, TESS_EARG,
               "%s: %s is not a coordinate file; expected names that end with .star or .box", j->verb->name,
               j->arguments[0]);
    return TESS_OK;
}

void given_micrographs_free(given_micrographs *given)
{
    free(given->names);
    free(given->used);
    *given = (given_micrographs){ 0 };
}

void warn_of_unused(job *j, const given_micrographs *given)
{
    for (int i = 0; i < given->n; i++)
        if (!given->used[i]) job_warn(j, "%s: no coordinate file for this micrograph", given->names[i]);
}

/* ---- By the name of the coordinate file ---- */

/* The length of the name of a micrograph if it is the name of a coordinate file, or all of that before a "_"; otherwise
 * 0. */
static size_t length_in_common(const char *list, const char *micrograph)
{
    const size_t n = strlen(micrograph);
    return n > 0 && strncmp(list, micrograph, n) == 0 && (list[n] == 0 || list[n] == '_') ? n : 0;
}

/* The given micrograph whose name fits best; -1: none does, -2: no memory. */
static int best_given(const char *path, const given_micrographs *given)
{
    char  *list = put_name(name_mark, path, false);
    int    best = list ? -1 : -2;
    size_t most = 0;
    for (int i = 0; i < given->n && best > -2; i++) {
        char        *stem = put_name(name_mark, given->names[i], false);
        const size_t n = stem ? length_in_common(list, stem) : 0;
        if (!stem) best = -2;
        else if (n > most) most = n, best = i;
        free(stem);
    }
    free(list);
    return best;
}

static tess_status name_given(char **name, const char *path, const given_micrographs *given)
{
    const int which = best_given(path, given);
    TESS_CHECK(which != -2, TESS_ENOMEM, "%s: no memory", path);
    TESS_CHECK(which >= 0, TESS_EARG,
               "%s: none of the %d given micrographs matches; x.star and x_autopick.star belong to x.mrc. For other "
               "names give --micrograph, with {name} for the name of the coordinate file",
               path, given->n);
    given->used[which] = true;
    *name = strdup(given->names[which]);
    TESS_CHECK(*name, TESS_ENOMEM, "%s: no memory", path);
    return TESS_OK;
}

/* x.mrc beside x.box or x.star, or beside x_autopick.star. */
static tess_status name_beside(char **name, const char *path)
{
    const char  *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    const size_t n = (size_t)(dot - path);
    char        *whole = malloc(n + 5), *part = malloc(n + 5);
    if (whole && part) {
        (void)snprintf(whole, n + 5, "%.*s.mrc", (int)n, path);
        memcpy(part, whole, n + 5);
        char *cut = strrchr(part + (slash ? slash - path + 1 : 0), '_');
        if (cut && cut > part) strcpy(cut, ".mrc");
        if (access(whole, F_OK) != 0 && access(part, F_OK) == 0) *name = part, part = NULL;
        else *name = whole, whole = NULL;
    }
    free(whole);
    free(part);
    TESS_CHECK(*name, TESS_ENOMEM, "%s: no memory", path);
    TESS_CHECK(access(*name, F_OK) == 0, TESS_EIO,
               "%s: it names no micrograph (_rlnMicrographName), and %s does not exist; give the micrographs as "
               "arguments, or --micrograph with {name} for the name of the coordinate file",
               path, *name);
    return TESS_OK;
}

tess_status micrograph_by_name(char **name, const char *path, const char *pattern, const given_micrographs *given)
{
    *name = NULL;
    if (!pattern) return given->n > 0 ? name_given(name, path, given) : name_beside(name, path);
    *name = put_name(pattern, path, false);
    TESS_CHECK(*name, TESS_ENOMEM, "%s: no memory", path);
    return TESS_OK;
}

/* ---- By the name that a row has ---- */

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

tess_status micrograph_by_row(const char **name, const char *named, const char *path, const given_micrographs *given)
{
    for (int i = 0; i < given->n; i++)
        if (strcmp(base_of(given->names[i]), base_of(named)) == 0) {
            given->used[i] = true;
            *name = given->names[i];
            return TESS_OK;
        }
    TESS_FAIL(TESS_EARG, "%s: it has coordinates of %s, which is not among the %d given micrograph%s", path, named,
              given->n, given->n == 1 ? "" : "s");
}
