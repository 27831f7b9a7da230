/* Coordinates of particles in micrographs, read from STAR and .box files. */
#include "particles/coordinates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/columns.h"
#include "particles/micrograph_names.h"
#include "picture/longtext.h"
#include "tessera/cryosparc.h"

bool is_box_file(const char *path)
{
    const size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".box") == 0;
}

/* ---- Micrographs, each once ---- */

static tess_status add_micrograph(coordinates *c, const char *named, const char *found)
{
    const size_t n = (size_t)c->n_micrographs + 1;
    char       **names = realloc(c->micrographs, n * sizeof *names);
    if (names) c->micrographs = names;
    char **more = realloc(c->named, n * sizeof *more);
    if (more) c->named = more;
    TESS_CHECK(names && more, TESS_ENOMEM, "no memory for the names of %lld micrographs", (long long)n);
    c->micrographs[n - 1] = strdup(found);
    c->named[n - 1] = strdup(named);
    c->n_micrographs++;
    TESS_CHECK(c->micrographs[n - 1] && c->named[n - 1], TESS_ENOMEM, "no memory for the name %s", named);
    return TESS_OK;
}

/* Where micrographs are found. */
typedef struct sources {
    const job        *job;
    const char       *pattern; /* for lists that do not name them; or NULL */
    given_micrographs given;
} sources;

/* The index of the micrograph that a list names; the file is searched for when the name first occurs. Rows of one
 * micrograph are mostly consecutive, so the last micrograph is compared first. */
static tess_status find_micrograph(coordinates *c, const sources *from, const char *named, const char *list,
                                   int64_t *number)
{
    for (*number = c->n_micrographs - 1; *number >= 0; --*number)
        if (strcmp(c->named[*number], named) == 0) return TESS_OK;
    char        found[4200];
    const char *name = found;
    if (from->given.n > 0) TESS_TRY(micrograph_by_row(&name, named, list, &from->given));
    else TESS_TRY(tess_star_find_file(found, sizeof found, named, list, job_text(from->job, "root", NULL)));
    const tess_status status = add_micrograph(c, named, name);
    *number = c->n_micrographs - 1;
    return status;
}

/* The same for a list that does not name its micrograph. */
static tess_status find_unnamed(coordinates *c, const sources *from, const char *path, int64_t *number)
{
    char *name = NULL;
    TESS_TRY(micrograph_by_name(&name, path, from->pattern, &from->given));
    for (*number = c->n_micrographs - 1; *number >= 0; --*number)
        if (strcmp(c->micrographs[*number], name) == 0) break;
    const tess_status status = *number < 0 ? add_micrograph(c, name, name) : TESS_OK;
    if (*number < 0) *number = c->n_micrographs - 1;
    free(name);
    return status;
}

/* ---- Lists ---- */

static tess_status more_particles(coordinates *c, int64_t n)
{
    particle *more = realloc(c->particles, (size_t)(c->n + n + 1) * sizeof *more);
    TESS_CHECK(more, TESS_ENOMEM, "no memory for %lld particles", (long long)(c->n + n));
    c->particles = more;
    return TESS_OK;
}

tess_status coordinates_table(const tess_star *star, const char *path, tess_star_table **rows)
{
    for (int64_t i = 0; i < tess_star_count(star); i++) {
        *rows = tess_star_at(star, i);
        if (tess_star_column(*rows, "rlnCoordinateX") >= 0 && tess_star_column(*rows, "rlnCoordinateY") >= 0)
            return TESS_OK;
    }
    TESS_FAIL(TESS_EFORMAT, "%s: no table has the columns _rlnCoordinateX and _rlnCoordinateY", path);
}

static tess_status add_particle(coordinates *c, const particle *p, const char *path, int64_t line)
{
    TESS_CHECK(isfinite(p->x) && isfinite(p->y) && fabs(p->x) < 1e9 && fabs(p->y) < 1e9, TESS_EFORMAT,
               "%s: line %lld: the coordinates are %g, %g; expected pixels of a micrograph", path, (long long)line,
               p->x, p->y);
    c->particles[c->n++] = *p;
    return TESS_OK;
}

static tess_status read_star(coordinates *c, const sources *from, int64_t list, const char *path)
{
    tess_star_table *rows = NULL;
    int64_t          unnamed = -1;
    TESS_TRY(tess_star_read_relion(&c->lists[list], path));
    TESS_TRY(coordinates_table(c->lists[list], path, &rows));
    if (tess_star_column(rows, "rlnMicrographName") < 0) TESS_TRY(find_unnamed(c, from, path, &unnamed));
    TESS_TRY(more_particles(c, tess_star_rows(rows)));
    for (int64_t i = 0; i < tess_star_rows(rows); i++) {
        particle    p = { .micrograph = unnamed, .list = list, .row = i };
        const char *name;
        TESS_TRY_NOTE(tess_star_get_f64(&p.x, rows, i, "rlnCoordinateX"), "in %s", path);
        TESS_TRY_NOTE(tess_star_get_f64(&p.y, rows, i, "rlnCoordinateY"), "in %s", path);
        if (unnamed < 0) {
            TESS_TRY(tess_star_get(&name, rows, i, "rlnMicrographName"));
            TESS_TRY(find_micrograph(c, from, name, path, &p.micrograph));
        }
        TESS_TRY(add_particle(c, &p, path, tess_star_line(rows, i)));
    }
    return TESS_OK;
}

static tess_status read_boxes(coordinates *c, const sources *from, int64_t list, const char *path)
{
    columns     lines = { 0 };
    int64_t     micrograph;
    tess_status status;
    TESS_TRY(find_unnamed(c, from, path, &micrograph));
    TESS_GOTO(done, status, columns_read(&lines, path));
    if (lines.n < 4 || lines.n_words > 0 || lines.n_uneven > 0) {
        status = tess__fail(TESS_EFORMAT, __FILE__, __LINE__, __func__,
                            "%s: expected lines of x, y, width and height; found %d columns, %lld words and %lld "
                            "uneven lines",
                            path, lines.n, (long long)lines.n_words, (long long)lines.n_uneven);
        goto done;
    }
    TESS_GOTO(done, status, more_particles(c, lines.n_rows));
    for (int64_t i = 0; i < lines.n_rows; i++) {
        double *const *v = lines.values;
        const particle p = { .micrograph = micrograph,
                             .x = v[0][i] + floor(v[2][i] / 2),
                             .y = v[1][i] + floor(v[3][i] / 2),
                             .list = list,
                             .row = i };
        TESS_GOTO(done, status, add_particle(c, &p, path, i + 1));
    }
done:
    columns_free(&lines);
    return status;
}

/* ---- All of them ---- */

static int by_micrograph(const void *lhs, const void *rhs)
{
    const particle *a = lhs, *b = rhs;
    if (a->micrograph != b->micrograph) return a->micrograph < b->micrograph ? -1 : 1;
    if (a->list != b->list) return a->list < b->list ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static tess_status read_lists(coordinates *c, job *j, const sources *from)
{
    c->lists = calloc((size_t)j->n_arguments, sizeof *c->lists);
    TESS_CHECK(c->lists, TESS_ENOMEM, "no memory for %d lists", j->n_arguments);
    c->n_lists = j->n_arguments;
    for (int i = 0; i < j->n_arguments; i++) {
        const char *path = j->arguments[i];
        if (tess_star_is_named(path)) TESS_TRY(read_star(c, from, i, path));
        else if (is_box_file(path)) TESS_TRY(read_boxes(c, from, i, path));
    }
    warn_of_unused(j, &from->given);
    if (c->n > 0) qsort(c->particles, (size_t)c->n, sizeof *c->particles, by_micrograph);
    return TESS_OK;
}

tess_status coordinates_read(coordinates *c, job *j, const char *pattern)
{
    sources     from = { .job = j, .pattern = pattern };
    tess_status status = given_micrographs_of(&from.given, j);
    if (status == TESS_OK && pattern && from.given.n > 0)
        status = tess__fail(TESS_EARG, __FILE__, __LINE__, __func__,
                            "%s: micrographs are given as arguments (%s) and by --micrograph; give only one of them",
                            j->verb->name, from.given.names[0]);
    if (status == TESS_OK) status = read_lists(c, j, &from);
    given_micrographs_free(&from.given);
    return status;
}

void coordinates_free(coordinates *c)
{
    for (int64_t i = 0; i < c->n_micrographs; i++) {
        free(c->micrographs[i]);
        free(c->named[i]);
    }
    for (int64_t i = 0; i < c->n_lists; i++) tess_star_free(c->lists[i]);
    free(c->micrographs);
    free(c->named);
    free(c->lists);
    free(c->particles);
}

/* ---- Writing ---- */

tess_status boxes_write(const char *path, const double *xy, int64_t n, int64_t size, bool overwrite)
{
    longtext    text = { 0 };
    tess_array  bytes;
    tess_status status;
    for (int64_t i = 0; i < n; i++)
        longtext_add(&text, "%lld\t%lld\t%lld\t%lld\n", (long long)rint(xy[2 * i]) - (long long)(size / 2),
                     (long long)rint(xy[2 * i + 1]) - (long long)(size / 2), (long long)size, (long long)size);
    if (text.failed) {
        longtext_free(&text);
        TESS_FAIL(TESS_ENOMEM, "%s: no memory for %lld boxes", path, (long long)n);
    }
    /* As an array of bytes, so that the file is put in its place whole. */
    const tess_shape      shape = TESS_SHAPE(1, 1, 1, (int64_t)text.length);
    const tess_write_opts opts = { .format = TESS_FORMAT_RAW,
                                   .compression = TESS_COMPRESSION_NONE,
                                   .overwrite = overwrite ? 1 : 0 };
    TESS_GOTO(done, status, tess_wrap(&bytes, text.bytes ? text.bytes : "", shape, TESS_U8, NULL));
    TESS_GOTO(done, status, tess_write(path, &bytes, &opts));
done:
    longtext_free(&text);
    return status;
}
