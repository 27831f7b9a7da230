/* Exposures of a tilt series by its mdoc file: the dose before and during each section. */
#include "movies/mdoc_exposure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Sections that know what came before them ---- */

static tess_status number_of(double *number, const mdoc_source *from, int64_t section, int64_t z, const char *key)
{
    int found = 0;
    TESS_CHECK(tess_mdoc_get(from->mdoc, section, key), TESS_EFORMAT, "%s: %s has no %s in section [ZValue = %lld]",
               from->verb, from->path, key, (long long)z);
    TESS_TRY(tess_mdoc_numbers(number, 1, &found, from->mdoc, section, key));
    TESS_CHECK(found == 1, TESS_EFORMAT, "%s: %s: the value of %s in section [ZValue = %lld] is not a number",
               from->verb, from->path, key, (long long)z);
    return TESS_OK;
}

static tess_status find_section(int64_t *section, const mdoc_source *from, int64_t z)
{
    *section = tess_mdoc_find(from->mdoc, z);
    TESS_CHECK(*section >= 0, TESS_EFORMAT, "%s: %s has no section [ZValue = %lld]", from->verb, from->path,
               (long long)z);
    return TESS_OK;
}

static tess_status add_prior(double *dose, const mdoc_source *from, int64_t z)
{
    int64_t section = 0;
    double  prior = 0, own = 0;
    TESS_TRY(find_section(&section, from, z));
    TESS_TRY(number_of(&prior, from, section, z, "PriorRecordDose"));
    TESS_TRY(number_of(&own, from, section, z, "ExposureDose"));
    *dose = prior + own;
    return TESS_OK;
}

/* ---- Sections in the order of acquisition ---- */

typedef struct shot {
    int64_t   z;
    long long time; /* grows with time; 0: not known */
    double    dose; /* its own, then with all before it */
} shot;

/* "14-Oct-15  15:07:24", as SerialEM writes it, or with four digits of the year, or "2015-10-14 15:07:24". */
static long long time_of(const char *text)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    int               first = 0, month = 0, last = 0, clock[3] = { 0, 0, 0 };
    char              name[4] = "";
    if (!text) return 0;
    if (sscanf(text, "%d-%3[A-Za-z]-%d %d:%d:%d", &first, name, &last, &clock[0], &clock[1], &clock[2]) == 6) {
        const char *found = strstr(months, name);
        if (!found || strlen(name) != 3 || (found - months) % 3) return 0;
        month = (int)(found - months) / 3 + 1;
    } else if (sscanf(text, "%d-%d-%d %d:%d:%d", &last, &month, &first, &clock[0], &clock[1], &clock[2]) != 6) return 0;
    const bool right = first >= 1 && first <= 31 && month >= 1 && month <= 12 && last >= 0 && last <= 9999;
    if (!right) return 0;
    return ((((last * 12LL + month) * 31 + first) * 24 + clock[0]) * 60 + clock[1]) * 60 + clock[2];
}

static int by_time(const void *a, const void *b)
{
    const shot *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return (x->z > y->z) - (x->z < y->z);
}

static tess_status read_shots(shot *shots, int64_t *n, const mdoc_source *from)
{
    bool known = true;
    *n = 0;
    for (int64_t i = 0; i < tess_mdoc_sections(from->mdoc); i++) {
        char           *end = NULL;
        const char     *title = tess_mdoc_title(from->mdoc, i);
        const long long z = strtoll(title, &end, 10);
        if (strcmp(tess_mdoc_kind(from->mdoc, i), "ZValue") != 0 || end == title || *end) continue;
        shot s = { .z = z, .time = time_of(tess_mdoc_get(from->mdoc, i, "DateTime")) };
        TESS_TRY(number_of(&s.dose, from, i, z, "ExposureDose"));
        known &= s.time > 0;
        shots[(*n)++] = s;
    }
    for (int64_t i = 0; !known && i < *n; i++) shots[i].time = 0; /* then by their numbers */
    return TESS_OK;
}

static tess_status find_shot(double *dose, const mdoc_source *from, const shot *shots, int64_t n, int64_t z)
{
    int64_t section = 0;
    TESS_TRY(find_section(&section, from, z));
    for (int64_t i = 0; i < n; i++)
        if (shots[i].z == z) *dose = shots[i].dose;
    return TESS_OK;
}

static tess_status add_up(double *doses, const mdoc_source *from, const int64_t *z, int64_t n)
{
    int64_t     n_shots = 0;
    shot       *shots = malloc((size_t)(tess_mdoc_sections(from->mdoc) + 1) * sizeof *shots);
    tess_status status = TESS_OK;
    TESS_CHECK(shots, TESS_ENOMEM, "%s: %s: out of memory for its sections", from->verb, from->path);
    TESS_GOTO(done, status, read_shots(shots, &n_shots, from));
    qsort(shots, (size_t)n_shots, sizeof *shots, by_time);
    for (int64_t i = 1; i < n_shots; i++) shots[i].dose += shots[i - 1].dose;
    for (int64_t i = 0; i < n; i++) TESS_GOTO(done, status, find_shot(&doses[i], from, shots, n_shots, z[i]));
done:
    free(shots);
    return status;
}

/* ---- Both ---- */

static bool has_prior(const tess_mdoc *mdoc)
{
    for (int64_t i = 0; i < tess_mdoc_sections(mdoc); i++)
        if (tess_mdoc_get(mdoc, i, "PriorRecordDose")) return true;
    return false;
}

tess_status mdoc_exposures(double *doses, const mdoc_source *from, const int64_t *z, int64_t n)
{
    double most = 0;
    if (!has_prior(from->mdoc)) TESS_TRY(add_up(doses, from, z, n));
    else
        for (int64_t i = 0; i < n; i++) TESS_TRY(add_prior(&doses[i], from, z[i]));
    for (int64_t i = 0; i < n; i++)
        if (doses[i] != 0) most = doses[i];
    TESS_CHECK(most != 0 || n == 0, TESS_EFORMAT, "%s: %s: the doses of all sections are 0; give --dose or --doses",
               from->verb, from->path);
    return TESS_OK;
}
