/* Particles of RELION as those of cryoSPARC: fields of a .cs file, each row with what its optics group says. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/check/check.h"
#include "core/device/memory.h"
#include "io/text/cryosparc/columns.h"
#include "io/text/cryosparc/cs.h"
#include "io/text/cryosparc/pose.h"
#include "tessera/constants.h"

static const char fn[] = "star_to_cryosparc";

/* RELION's columns that are not one number in cryoSPARC; -1: there is none. */
typedef struct source {
    const tess_star_table *t, *optics; /* optics is NULL, or has rows */
    tess_star_table       *rows;
    int64_t               *optics_row; /* of each row, where there is an optics table */
    int64_t                image, micrograph, centre[2], size[2], angle[3], origin[2], uid, group;
    bool                   is_flat, is_angstrom;
} source;

/* The places of the fields. */
typedef struct target {
    int64_t uid, path, idx, micrograph, centre[2], pose[3], shift[2], psize, group;
} target;

static int64_t find(const source *s, const char *label) { return tess_star_column(s->t, label); }

static void find_columns(source *s)
{
    s->image = find(s, "rlnImageName");
    s->micrograph = find(s, "rlnMicrographName");
    s->centre[0] = find(s, "rlnCoordinateX");
    s->centre[1] = find(s, "rlnCoordinateY");
    s->size[0] = find(s, "location/micrograph_shape_0");
    s->size[1] = find(s, "location/micrograph_shape_1");
    s->angle[0] = find(s, "rlnAngleRot");
    s->angle[1] = find(s, "rlnAngleTilt");
    s->angle[2] = find(s, "rlnAnglePsi");
    s->origin[0] = find(s, "rlnOriginXAngst");
    s->origin[1] = find(s, "rlnOriginYAngst");
    s->is_angstrom = s->origin[0] >= 0 && s->origin[1] >= 0;
    if (!s->is_angstrom) s->origin[0] = find(s, "rlnOriginX"), s->origin[1] = find(s, "rlnOriginY");
    s->uid = find(s, "uid");
    s->group = find(s, "rlnOpticsGroup");
    s->is_flat = s->angle[0] < 0 || s->angle[1] < 0;
}

static const char *cell(const source *s, int64_t row, int64_t column)
{
    return s->t->cells[row * s->t->n_columns + column];
}

/* ---- Optics groups ---- */

/* The row of data_optics of each particle; a single row counts for all where the groups have no numbers. */
static tess_status find_groups(source *s)
{
    if (!s->optics) return TESS_OK;
    const int64_t column = tess_star_column(s->optics, "rlnOpticsGroup"), n = s->optics->n_rows;
    const bool    has_numbers = s->group >= 0 && column >= 0;
    TESS_CHECK(has_numbers || n == 1 || s->t->n_rows == 0, TESS_EFORMAT,
               "%s: data_optics has %" PRId64 " rows, but %s no column rlnOpticsGroup to assign them", fn, n,
               s->group >= 0 ? "it has" : "the particles have");
    for (int64_t r = 0; r < s->t->n_rows; r++) {
        int64_t k = 0;
        while (has_numbers && k < n &&
               strcmp(s->optics->cells[k * s->optics->n_columns + column], cell(s, r, s->group)) != 0)
            k++;
        TESS_CHECK(k < n, TESS_EFORMAT,
                   "%s: row %" PRId64 " has the optics group %.40s, which data_optics does not list", fn, r,
                   cell(s, r, s->group));
        s->optics_row[r] = k;
    }
    return TESS_OK;
}

/* A number of a row or of its optics group; `found` is false if neither has it. */
static tess_status number_of(double *value, bool *found, const source *s, int64_t row, const char *label)
{
    const int64_t own = find(s, label), common = s->optics ? tess_star_column(s->optics, label) : -1;
    *found = own >= 0 || common >= 0;
    if (own >= 0) return tess__cs_number(value, fn, s->t, row, own);
    return *found ? tess__cs_number(value, fn, s->optics, s->optics_row[row], common) : TESS_OK;
}

/* Is a link in the rows or the optics table, and of the kind of alignment that there is? */
static bool has_link(const source *s, const tess__cs_link *link)
{
    const bool is_2d = strncmp(link->cs, "alignments2D/", 13) == 0;
    if (strncmp(link->cs, "alignments", 10) == 0 && is_2d != s->is_flat && strcmp(link->relion, "rlnRandomSubset") != 0)
        return false;
    return find(s, link->relion) >= 0 || (s->optics && tess_star_column(s->optics, link->relion) >= 0);
}

/* ---- Rows ---- */

/* A number of 64 bits that differs from row to row: SplitMix64 of the row and the image's name. */
static uint64_t unique_of(const char *name, int64_t row)
{
    uint64_t x = UINT64_C(0xcbf29ce484222325);
    for (; *name; name++) x = (x ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    x += ((uint64_t)row + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static tess_status set_names(const source *s, const target *to, int64_t row)
{
    char        text[32];
    int64_t     index;
    const char *name;
    if (s->image >= 0) {
        TESS_TRY(tess_star_get_image(&index, &name, s->t, row, "rlnImageName", 0));
        (void)snprintf(text, sizeof text, "%" PRId64, index - 1);
        TESS_TRY(tess__cs_set(s->rows, row, to->path, name));
        TESS_TRY(tess__cs_set(s->rows, row, to->idx, text));
    }
    if (to->micrograph >= 0) TESS_TRY(tess__cs_set(s->rows, row, to->micrograph, cell(s, row, s->micrograph)));
    if (s->uid >= 0) return tess__cs_set(s->rows, row, to->uid, cell(s, row, s->uid));
    (void)snprintf(text, sizeof text, "%" PRIu64,
                   unique_of(cell(s, row, s->image >= 0 ? s->image : s->micrograph), row));
    return tess__cs_set(s->rows, row, to->uid, text);
}

static tess_status set_centre(const source *s, const target *to, int64_t row)
{
    for (int k = 0; k < 2 && to->centre[0] >= 0; k++) {
        double at = 0, size = 0;
        TESS_TRY(tess__cs_number(&at, fn, s->t, row, s->centre[k]));
        TESS_TRY(tess__cs_number(&size, fn, s->t, row, s->size[1 - k]));
        TESS_CHECK(size > 0, TESS_EFORMAT, "%s: row %" PRId64 ": the micrograph has %g pixels", fn, row, size);
        TESS_TRY(tess__cs_set_number(s->rows, row, to->centre[k], at / size));
    }
    return TESS_OK;
}

static tess_status set_pose(const source *s, const target *to, int64_t row)
{
    double angles[3] = { 0 }, pose[3] = { 0 };
    if (to->pose[0] < 0) return TESS_OK;
    for (int k = 0; k < 3; k++) TESS_TRY(tess__cs_number(&angles[k], fn, s->t, row, s->angle[k]));
    if (s->is_flat) pose[0] = angles[2] * (TESS_PI / 180);
    else tess__cs_euler_to_pose(pose, angles);
    for (int k = 0; k < (s->is_flat ? 1 : 3); k++) TESS_TRY(tess__cs_set_number(s->rows, row, to->pose[k], pose[k]));
    return TESS_OK;
}

/* Å become pixels of psize_A: that of the alignment where it was kept, else the image's. */
static tess_status set_shift(const source *s, const target *to, int64_t row)
{
    double size = 1;
    bool   found = false;
    if (to->shift[0] < 0) return TESS_OK;
    TESS_TRY(number_of(&size, &found, s, row, s->is_flat ? "alignments2D/psize_A" : "alignments3D/psize_A"));
    if (!found) TESS_TRY(number_of(&size, &found, s, row, "rlnImagePixelSize"));
    TESS_CHECK(!s->is_angstrom || (found && size > 0), TESS_EFORMAT,
               "%s: row %" PRId64 ": the origin is in Å, but the pixel size (rlnImagePixelSize) is unknown", fn, row);
    for (int k = 0; k < 2; k++) {
        double shift = 0;
        TESS_TRY(tess__cs_number(&shift, fn, s->t, row, s->origin[k]));
        TESS_TRY(tess__cs_set_number(s->rows, row, to->shift[k], s->is_angstrom ? shift / size : shift));
    }
    if (found) TESS_TRY(tess__cs_set_number(s->rows, row, to->psize, size));
    return TESS_OK;
}

static tess_status set_link(const source *s, const tess__cs_link *link)
{
    int64_t             column;
    const int64_t       own = find(s, link->relion);
    const int64_t       common = s->optics ? tess_star_column(s->optics, link->relion) : -1;
    const tess__cs_link back = { .scale = 1 / link->scale, .offset = -link->offset };
    TESS_TRY(tess__cs_column(&column, s->rows, link->cs));
    for (int64_t r = 0; r < s->t->n_rows; r++) {
        if (own >= 0) TESS_TRY(tess__cs_transfer(s->rows, column, s->t, r, r, &back, own));
        else TESS_TRY(tess__cs_transfer(s->rows, column, s->optics, s->optics_row[r], r, &back, common));
    }
    return TESS_OK;
}

/* ---- Columns ---- */

static tess_status add_if(int64_t *column, const source *s, bool wanted, const char *label)
{
    *column = -1;
    if (wanted) TESS_TRY(tess__cs_column(column, s->rows, label));
    return TESS_OK;
}

static tess_status add_parts(int64_t *columns, const source *s, bool wanted, const char *name, int n)
{
    char label[80];
    for (int k = 0; k < n; k++) {
        (void)snprintf(label, sizeof label, n > 1 ? "%s_%d" : "%s", name, k);
        TESS_TRY(add_if(&columns[k], s, wanted, label));
    }
    return TESS_OK;
}

static tess_status add_columns(target *to, const source *s)
{
    const bool is_2d = s->is_flat;
    const bool has_pose = s->angle[2] >= 0, has_shift = s->origin[0] >= 0 && s->origin[1] >= 0;
    const bool has_centre = s->centre[0] >= 0 && s->centre[1] >= 0 && s->size[0] >= 0 && s->size[1] >= 0;
    TESS_TRY(add_if(&to->uid, s, true, "uid"));
    TESS_TRY(add_if(&to->path, s, s->image >= 0, "blob/path"));
    TESS_TRY(add_if(&to->idx, s, s->image >= 0, "blob/idx"));
    TESS_TRY(add_if(&to->group, s, s->group >= 0 && find(s, "ctf/exp_group_id") < 0, "ctf/exp_group_id"));
    for (int i = 0; i < tess__cs_n_links; i++) {
        int64_t column;
        TESS_TRY(add_if(&column, s, has_link(s, &tess__cs_links[i]), tess__cs_links[i].cs));
    }
    TESS_TRY(add_parts(to->pose, s, has_pose, is_2d ? "alignments2D/pose" : "alignments3D/pose", is_2d ? 1 : 3));
    TESS_TRY(add_parts(to->shift, s, has_shift, is_2d ? "alignments2D/shift" : "alignments3D/shift", 2));
    TESS_TRY(add_if(&to->psize, s, has_shift, is_2d ? "alignments2D/psize_A" : "alignments3D/psize_A"));
    TESS_TRY(add_if(&to->micrograph, s, s->micrograph >= 0, "location/micrograph_path"));
    TESS_TRY(add_if(&to->centre[0], s, has_centre, "location/center_x_frac"));
    TESS_TRY(add_if(&to->centre[1], s, has_centre, "location/center_y_frac"));
    return TESS_OK;
}

/* Was a column of RELION's converted? Those of groups alone say nothing here. */
static bool is_converted(const source *s, const target *to, const char *label)
{
    static const char *const others[] = { "rlnOpticsGroup", "rlnOpticsGroupName", "rlnImageDimensionality", NULL };
    const struct {
        int64_t     column;
        const char *label;
    } parts[] = { { to->path, "rlnImageName" },
                  { to->micrograph, "rlnMicrographName" },
                  { to->centre[0], "rlnCoordinateX" },
                  { to->centre[1], "rlnCoordinateY" },
                  { to->pose[0], "rlnAnglePsi" },
                  { s->is_flat ? -1 : to->pose[0], "rlnAngleRot" },
                  { s->is_flat ? -1 : to->pose[0], "rlnAngleTilt" },
                  { s->is_angstrom ? to->shift[0] : -1, "rlnOriginXAngst" },
                  { s->is_angstrom ? to->shift[0] : -1, "rlnOriginYAngst" },
                  { s->is_angstrom ? -1 : to->shift[0], "rlnOriginX" },
                  { s->is_angstrom ? -1 : to->shift[0], "rlnOriginY" } };
    for (int i = 0; others[i]; i++)
        if (strcmp(label, others[i]) == 0) return true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].column >= 0 && strcmp(label, parts[i].label) == 0) return true;
    for (int i = 0; i < tess__cs_n_links; i++)
        if (strcmp(label, tess__cs_links[i].relion) == 0 && has_link(s, &tess__cs_links[i])) return true;
    return false;
}

/* Columns of a table that are kept: those of cryoSPARC's by their names, RELION's behind "relion/". With `fill`, their
 * cells; else they are added. */
static tess_status keep_columns(const source *s, const target *to, const tess_star_table *from, bool fill)
{
    char    label[300];
    int64_t column;
    for (int64_t k = 0; k < from->n_columns; k++) {
        const char *name = from->labels[k] + 1;
        if (is_converted(s, to, name) || (from == s->optics && find(s, name) >= 0)) continue;
        const bool is_relion = strncmp(name, "rln", 3) == 0;
        (void)snprintf(label, sizeof label, "%s%.280s", is_relion ? TESS__CS_KEPT : "", name);
        if (!is_relion && (find(s, name) < 0 || strcmp(name, "uid") == 0)) continue;
        if (!is_relion && strstr(name, "/psize_A") && to->psize >= 0 && tess_star_column(s->rows, name) == to->psize)
            continue;
        TESS_TRY(tess__cs_column(&column, s->rows, label));
        for (int64_t r = 0; r < s->t->n_rows && fill; r++) {
            const int64_t row = from == s->optics ? s->optics_row[r] : r;
            TESS_TRY(tess__cs_set(s->rows, r, column, from->cells[row * from->n_columns + k]));
        }
    }
    return TESS_OK;
}

static tess_status fill(const source *s)
{
    target to;
    TESS_TRY(add_columns(&to, s));
    TESS_TRY(keep_columns(s, &to, s->t, false));
    if (s->optics) TESS_TRY(keep_columns(s, &to, s->optics, false));
    TESS_TRY(tess_star_add_rows(s->rows, s->t->n_rows));
    for (int64_t r = 0; r < s->t->n_rows; r++) {
        TESS_TRY(set_names(s, &to, r));
        TESS_TRY(set_centre(s, &to, r));
        TESS_TRY(set_pose(s, &to, r));
        TESS_TRY(set_shift(s, &to, r));
        if (to.group >= 0) TESS_TRY(tess__cs_set(s->rows, r, to.group, cell(s, r, s->group)));
    }
    for (int i = 0; i < tess__cs_n_links; i++)
        if (has_link(s, &tess__cs_links[i])) TESS_TRY(set_link(s, &tess__cs_links[i]));
    TESS_TRY(keep_columns(s, &to, s->t, true));
    if (s->optics) TESS_TRY(keep_columns(s, &to, s->optics, true));
    return TESS_OK;
}

/* The table with images, else that with micrographs. */
static const tess_star_table *particles_of(const tess_star *star)
{
    static const char *const labels[] = { "rlnImageName", "rlnMicrographName" };
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < star->n_tables; i++)
            if (!star->tables[i]->pairs && tess_star_column(star->tables[i], labels[k]) >= 0) return star->tables[i];
    return NULL;
}

tess_status tess_star_to_cryosparc(tess_star **cryosparc, const tess_star *relion)
{
    source      s = { .t = NULL };
    tess_star  *made = NULL;
    tess_status status;
    TESS_TRY(tess__check_pointer(fn, "cryosparc", cryosparc));
    TESS_TRY(tess__check_pointer(fn, "relion", relion));
    s.t = particles_of(relion);
    TESS_CHECK(s.t, TESS_EFORMAT, "%s: %s: no table with a column rlnImageName or rlnMicrographName", fn,
               relion->path ? relion->path : "star");
    s.optics = tess_star_find(relion, "optics");
    if (s.optics == s.t || (s.optics && s.optics->n_rows == 0)) s.optics = NULL;
    find_columns(&s);
    s.optics_row = tess__alloc((size_t)(s.t->n_rows + 1) * sizeof *s.optics_row);
    TESS_CHECK(s.optics_row, TESS_ENOMEM, "%s: no memory for %" PRId64 " rows", fn, s.t->n_rows);
    TESS_GOTO(done, status, find_groups(&s));
    TESS_GOTO(done, status, tess_star_new(&made));
    TESS_GOTO(done, status, tess_star_add(&s.rows, made, TESS__CS_TABLE, false));
    TESS_GOTO(done, status, fill(&s));
    *cryosparc = made;
    made = NULL;
done:
    tess__free(s.optics_row);
    tess_star_free(made);
    return status;
}
