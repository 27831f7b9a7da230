/* Micrographs to be fitted: each image of files and stacks, each movie, each row of a STAR file. */
#include "ctf/micrographs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/file_name.h"
#include "files/one_input.h"
#include "files/outputs/output.h"
#include "tessera/cryosparc.h"

static tess_status add(micrographs *m, const char *name, const char *called, int64_t row)
{
    if ((m->n & (m->n - 1)) == 0) { /* the capacity is a power of two */
        micrograph *more = realloc(m->all, (size_t)(m->n > 0 ? 2 * m->n : 1) * sizeof *more);
        TESS_CHECK(more, TESS_ENOMEM, "no memory for %lld micrographs", (long long)m->n + 1);
        m->all = more;
    }
    micrograph *one = &m->all[m->n++];
    *one = (micrograph){ .name = strdup(name), .called = strdup(called), .row = row };
    TESS_CHECK(one->name && one->called, TESS_ENOMEM, "no memory for the name %s", name);
    return TESS_OK;
}

void micrographs_free(micrographs *m)
{
    for (int64_t i = 0; i < m->n; i++) {
        free(m->all[i].name);
        free(m->all[i].called);
        free(m->all[i].plot);
    }
    free(m->all);
    ctf_star_close(&m->star);
    *m = (micrographs){ 0 };
}

/* ---- Files ---- */

static tess_status check_input(const job *j, const input *in, int64_t tile)
{
    const tess_shape s = in->info.shape;
    TESS_TRY(need_real(j, in));
    TESS_TRY(need_right_angles(j, in, false, "a fit"));
    TESS_CHECK(s.h >= tile && s.w >= tile, TESS_EARG,
               "%s: %s has %lld x %lld pixels (x y); tiles of %lld do not fit; give a smaller --tile", j->verb->name,
               in->name, (long long)s.w, (long long)s.h, (long long)tile);
    return TESS_OK;
}

static tess_status know_pixel_size(micrograph *one, const input *in)
{
    double angstrom;
    TESS_TRY(input_pixel_size(in, &angstrom));
    one->known.pixel_size[0] = in->info.meta.pixel_size[1];
    one->known.pixel_size[1] = angstrom;
    return TESS_OK;
}

static tess_status add_images(micrographs *m, job *j, const input *in, const char *argument)
{
    const int64_t first = m->n;
    char          name[4200];
    const bool    is_one = m->movies || (in->info.shape.b == 1 && !in->chosen) || behind_number(argument) > argument;
    if (is_one) TESS_TRY(add(m, argument, argument, -1));
    for (int64_t i = 0; !is_one && i < in->info.shape.b; i++) {
        const int64_t number = (in->chosen ? in->chosen[i] : i) + 1;
        (void)snprintf(name, sizeof name, "%06lld@%s", (long long)number, argument);
        TESS_TRY(add(m, name, name, -1));
    }
    for (int64_t i = first; i < m->n; i++) {
        TESS_TRY(know_pixel_size(&m->all[i], in));
        TESS_TRY(ctf_of_options(j, &m->all[i].known));
    }
    return TESS_OK;
}

static tess_status add_file(micrographs *m, job *j, const char *argument, int64_t tile)
{
    input in;
    TESS_CHECK(strcmp(argument, "-") != 0, TESS_EARG, "%s: standard input cannot be read here; expected a file",
               j->verb->name);
    TESS_TRY(input_open(&in, j, argument, NEED_IMAGES));
    tess_status status = check_input(j, &in, tile);
    if (status == TESS_OK) status = add_images(m, j, &in, argument);
    input_close(&in);
    return status;
}

/* ---- STAR files ---- */

/* The table of micrographs, and the column of their names. */
static tess_status find_table(ctf_star *s, bool movies, const char **label)
{
    static const char *const labels[] = { "_rlnMicrographMovieName", "_rlnMicrographName", "_rlnImageName" };
    for (size_t k = movies ? 0 : 1; k < sizeof labels / sizeof *labels; k++) {
        for (int64_t i = 0; i < tess_star_count(s->star); i++) {
            s->rows = tess_star_at(s->star, i);
            *label = labels[k];
            if (tess_star_column(s->rows, *label) >= 0) return TESS_OK;
        }
    }
    TESS_FAIL(TESS_EFORMAT, "%s: no table has a column %s_rlnMicrographName or _rlnImageName", s->path,
              movies ? "_rlnMicrographMovieName, " : "");
}

/* Reads the CTF parameters and the pixel size of a row. */
static tess_status know_row(micrograph *one, job *j, const ctf_star *s, int64_t tile)
{
    double angstrom = 0;
    input  in;
    TESS_TRY(ctf_of_options(j, &one->known));
    TESS_TRY(ctf_star_microscope(&one->known, j, s, one->row));
    TESS_TRY_NOTE(tess_star_row_pixel_size(&angstrom, s->star, s->rows, one->row), "of %s", s->path);
    TESS_TRY(input_open(&in, j, one->name, NEED_IMAGES));
    tess_status status = check_input(j, &in, tile);
    if (status == TESS_OK && angstrom > 0 && !job_has(j, "apix"))
        one->known.pixel_size[0] = one->known.pixel_size[1] = angstrom;
    else if (status == TESS_OK) status = know_pixel_size(one, &in);
    input_close(&in);
    return status;
}

/* Adds a row as "000003@stack.mrcs" with the path of the file; a single micrograph becomes "1@". */
static tess_status add_row(micrographs *m, job *j, int64_t row, const char *label)
{
    const char *text;
    char        path[4100], name[4200];
    TESS_TRY(tess_star_get(&text, m->star.rows, row, label));
    TESS_TRY(tess_star_find_file(path, sizeof path, text, m->star.path, job_text(j, "root", NULL)));
    const bool is_named = m->movies || behind_number(text) > text;
    (void)snprintf(name, sizeof name, "%s%s", is_named ? "" : "1@", path);
    return add(m, name, text, row);
}

/* All rows, or those of --slices, which of movies chooses frames. */
static tess_status add_star(micrographs *m, job *j, const char *path, int64_t tile)
{
    const char *label = NULL;
    m->star.path = path;
    TESS_TRY(tess_star_read_relion(&m->star.star, path));
    TESS_TRY(find_table(&m->star, m->movies, &label));
    int64_t  n = tess_star_rows(m->star.rows);
    int64_t *chosen = NULL;
    TESS_CHECK(n > 0, TESS_EFORMAT, "%s: the table of micrographs has no rows", path);
    if (!m->movies) TESS_TRY_NOTE(job_slices(j, "slices", n, &chosen, &n), "of %s", path);
    tess_status status = TESS_OK;
    for (int64_t i = 0; i < n && status == TESS_OK; i++) {
        status = add_row(m, j, chosen ? chosen[i] : i, label);
        if (status == TESS_OK) status = know_row(&m->all[m->n - 1], j, &m->star, tile);
    }
    free(chosen);
    return status;
}

tess_status micrographs_find(micrographs *m, job *j, int64_t tile, bool movies)
{
    *m = (micrographs){ .movies = movies };
    for (int i = 0; i < j->n_arguments; i++) {
        const char *argument = j->arguments[i];
        const bool  is_star = tess_star_is_named(argument);
        TESS_CHECK(!is_star || j->n_arguments == 1, TESS_EARG,
                   "%s: %s is a STAR file among %d inputs; it must be the only one", j->verb->name, argument,
                   j->n_arguments);
        TESS_TRY(is_star ? add_star(m, j, argument, tile) : add_file(m, j, argument, tile));
    }
    return TESS_OK;
}

/* ---- Pictures ---- */

tess_status micrographs_name_plots(micrographs *m, job *j, const char *pattern)
{
    TESS_CHECK(m->n == 1 || strstr(pattern, name_mark), TESS_EARG,
               "%s: %lld micrographs would share one --plot %s; include {name}, the name of each, in it", j->verb->name,
               (long long)m->n, pattern);
    for (int64_t i = 0; i < m->n; i++) {
        micrograph *one = &m->all[i];
        one->plot = put_name(pattern, one->called, false);
        TESS_CHECK(one->plot, TESS_ENOMEM, "%s: no memory for the names of %lld pictures", j->verb->name,
                   (long long)m->n);
        TESS_TRY(output_check_name(j, "--plot", one->plot));
        for (int64_t k = 0; k < i; k++)
            TESS_CHECK(strcmp(one->plot, m->all[k].plot) != 0, TESS_EARG,
                       "%s: the pictures of %s and %s would both be %s; names without folder and extension must differ",
                       j->verb->name, m->all[k].called, one->called, one->plot);
    }
    return TESS_OK;
}
