/* Particles of cryoSPARC as those of RELION 3.1: an optics table, and labels rln*. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/check/check.h"
#include "core/device/memory.h"
#include "io/text/cryosparc/columns.h"
#include "io/text/cryosparc/cs.h"
#include "io/text/cryosparc/pose.h"
#include "tessera/constants.h"

enum { N_OPTICS = 6 /* fields that rows of one optics group have in common */ };

/* Fields that are not one number in RELION, by their columns; -1: there is none. */
typedef struct source {
    const tess_star_table *t;
    tess_star_table       *optics, *rows;
    int64_t                path, idx, micrograph, size[2], centre[2]; /* size: y, x; centre: x, y */
    int64_t                pose[3], shift[2], psize;
    int64_t                common[N_OPTICS];
    bool                   is_flat;   /* alignments2D: one angle */
    bool                   is_pixels; /* origins: the pixel size is not known */
} source;

static const char fn[] = "star_to_relion";

static int64_t find(const source *s, const char *group, const char *name)
{
    char label[80];
    (void)snprintf(label, sizeof label, "%s%s", group, name);
    return tess_star_column(s->t, label);
}

static void find_columns(source *s)
{
    static const char *const common[N_OPTICS] = { "ctf/exp_group_id", "ctf/accel_kv", "ctf/cs_mm",
                                                  "ctf/amp_contrast", "blob/psize_A", "blob/shape_0" };
    s->is_flat = find(s, "alignments3D/", "pose_0") < 0;
    const char *poses = s->is_flat ? "alignments2D/" : "alignments3D/";
    s->path = find(s, "blob/", "path");
    s->idx = find(s, "blob/", "idx");
    s->micrograph = find(s, "location/", "micrograph_path");
    s->size[0] = find(s, "location/", "micrograph_shape_0");
    s->size[1] = find(s, "location/", "micrograph_shape_1");
    s->centre[0] = find(s, "location/", "center_x_frac");
    s->centre[1] = find(s, "location/", "center_y_frac");
    s->pose[0] = find(s, poses, s->is_flat ? "pose" : "pose_0");
    s->pose[1] = s->is_flat ? -1 : find(s, poses, "pose_1");
    s->pose[2] = s->is_flat ? -1 : find(s, poses, "pose_2");
    s->shift[0] = find(s, poses, "shift_0");
    s->shift[1] = find(s, poses, "shift_1");
    s->psize = find(s, poses, "psize_A");
    if (s->psize < 0) s->psize = find(s, "blob/", "psize_A");
    s->is_pixels = s->psize < 0;
    for (int i = 0; i < N_OPTICS; i++) s->common[i] = tess_star_column(s->t, common[i]);
}

static const char *cell(const source *s, int64_t row, int64_t column)
{
    return s->t->cells[row * s->t->n_columns + column];
}

/* Classes of 2-D classification count where there are no poses in 3-D. */
static bool is_used(const source *s, const tess__cs_link *link)
{
    return s->is_flat == (strncmp(link->cs, "alignments2D/", 13) == 0) || strncmp(link->cs, "alignments", 10) != 0;
}

/* cryoSPARC marks files of imports by a '>' before their paths. */
static const char *plain_path(const char *path) { return path + (path[0] == '>'); }

/* ---- Single rows ---- */

static tess_status set_names(const source *s, int64_t row, int64_t image, int64_t micrograph)
{
    char   text[4200];
    double index = 0;
    if (s->path >= 0) {
        TESS_TRY(tess__cs_number(&index, fn, s->t, row, s->idx));
        (void)snprintf(text, sizeof text, "%06.0f@%s", index + 1, plain_path(cell(s, row, s->path)));
        TESS_TRY(tess__cs_set(s->rows, row, image, text));
    }
    if (s->micrograph >= 0) TESS_TRY(tess__cs_set(s->rows, row, micrograph, plain_path(cell(s, row, s->micrograph))));
    return TESS_OK;
}

static bool has_centre(const source *s)
{
    return s->centre[0] >= 0 && s->centre[1] >= 0 && s->size[0] >= 0 && s->size[1] >= 0;
}

/* Fractions of the micrograph's sides. */
static tess_status set_centre(const source *s, int64_t row, const int64_t to[2])
{
    for (int k = 0; k < 2; k++) {
        double part = 0, size = 0;
        TESS_TRY(tess__cs_number(&part, fn, s->t, row, s->centre[k]));
        TESS_TRY(tess__cs_number(&size, fn, s->t, row, s->size[1 - k]));
        TESS_TRY(tess__cs_set_number(s->rows, row, to[k], part * size));
    }
    return TESS_OK;
}

static bool has_pose(const source *s)
{
    return s->pose[0] >= 0 && (s->is_flat || (s->pose[1] >= 0 && s->pose[2] >= 0));
}

static tess_status set_pose(const source *s, int64_t row, const int64_t to[3])
{
    double pose[3] = { 0 }, angles[3] = { 0 };
    for (int k = 0; k < 3; k++) TESS_TRY(tess__cs_number(&pose[k], fn, s->t, row, s->pose[k]));
    if (s->is_flat) angles[2] = pose[0] * (180 / TESS_PI);
    else tess__cs_pose_to_euler(angles, pose);
    for (int k = s->is_flat ? 2 : 0; k < 3; k++) TESS_TRY(tess__cs_set_number(s->rows, row, to[k], angles[k]));
    return TESS_OK;
}

static bool has_shift(const source *s) { return s->shift[0] >= 0 && s->shift[1] >= 0; }

/* Pixels of psize_A become Å. */
static tess_status set_shift(const source *s, int64_t row, const int64_t to[2])
{
    double size = 1;
    TESS_TRY(tess__cs_number(&size, fn, s->t, row, s->psize));
    for (int k = 0; k < 2; k++) {
        double shift = 0;
        TESS_TRY(tess__cs_number(&shift, fn, s->t, row, s->shift[k]));
        TESS_TRY(tess__cs_set_number(s->rows, row, to[k], shift * size));
    }
    return TESS_OK;
}

/* ---- Optics groups ---- */

static bool is_same_group(const source *s, int64_t a, int64_t b)
{
    for (int i = 0; i < N_OPTICS; i++)
        if (s->common[i] >= 0 && strcmp(cell(s, a, s->common[i]), cell(s, b, s->common[i])) != 0) return false;
    return true;
}

static tess_status add_group(const source *s, int64_t row, int64_t number)
{
    char name[40];
    TESS_TRY(tess_star_add_rows(s->optics, 1));
    const int64_t at = number - 1;
    (void)snprintf(name, sizeof name, "opticsGroup%" PRId64, number);
    TESS_TRY(tess_star_set_i64(s->optics, at, "rlnOpticsGroup", number));
    TESS_TRY(tess_star_set(s->optics, at, "rlnOpticsGroupName", name));
    for (int i = 0; i < tess__cs_n_links; i++) {
        const tess__cs_link *link = &tess__cs_links[i];
        const int64_t        column = tess_star_column(s->t, link->cs);
        if (link->is_optics && column >= 0) TESS_TRY(tess_star_set(s->optics, at, link->relion, cell(s, row, column)));
    }
    if (s->common[5] >= 0) TESS_TRY(tess_star_set(s->optics, at, "rlnImageSize", cell(s, row, s->common[5])));
    if (s->path >= 0) TESS_TRY(tess_star_set_i64(s->optics, at, "rlnImageDimensionality", 2));
    return TESS_OK;
}

/* Each row belongs to the group of the first row that is like it; `first` has those rows. */
static tess_status set_groups(const source *s, int64_t column)
{
    enum { MAX_GROUPS = 4096 };
    int64_t first[MAX_GROUPS], n = 0, last = 0;
    for (int64_t r = 0; r < s->t->n_rows; r++) {
        int64_t g = last;
        if (g >= n || !is_same_group(s, r, first[g]))
            for (g = 0; g < n && !is_same_group(s, r, first[g]);) g++;
        if (g == n) {
            TESS_CHECK(
                n < MAX_GROUPS, TESS_EUNSUPPORTED,
                "%s: more than %d groups of rows differ in voltage, aberration, amplitude contrast, pixel size or "
                "exposure group",
                fn, MAX_GROUPS);
            first[n++] = r;
            TESS_TRY(add_group(s, r, g + 1));
        }
        last = g;
        TESS_TRY(tess__cs_set_number(s->rows, r, column, (double)(g + 1)));
    }
    return TESS_OK;
}

/* ---- Columns ---- */

/* The columns of the table of particles; -1 where there is nothing for them. */
typedef struct target {
    int64_t image, micrograph, centre[2], angle[3], origin[2], group, links[32];
} target;

static tess_status add_if(int64_t *column, const source *s, bool wanted, const char *label)
{
    *column = -1;
    if (wanted) TESS_TRY(tess__cs_column(column, s->rows, label));
    return TESS_OK;
}

static tess_status add_columns(target *to, const source *s)
{
    static const char *const centres[] = { "rlnCoordinateX", "rlnCoordinateY" };
    static const char *const angles[] = { "rlnAngleRot", "rlnAngleTilt", "rlnAnglePsi" };
    static const char *const origins[] = { "rlnOriginXAngst", "rlnOriginYAngst", "rlnOriginX", "rlnOriginY" };
    TESS_TRY(add_if(&to->image, s, s->path >= 0, "rlnImageName"));
    TESS_TRY(add_if(&to->micrograph, s, s->micrograph >= 0, "rlnMicrographName"));
    for (int k = 0; k < 2; k++) TESS_TRY(add_if(&to->centre[k], s, has_centre(s), centres[k]));
    for (int k = 0; k < 3; k++) TESS_TRY(add_if(&to->angle[k], s, has_pose(s) && (k == 2 || !s->is_flat), angles[k]));
    for (int k = 0; k < 2; k++) TESS_TRY(add_if(&to->origin[k], s, has_shift(s), origins[k + 2 * s->is_pixels]));
    for (int i = 0; i < tess__cs_n_links; i++) {
        const tess__cs_link *link = &tess__cs_links[i];
        const bool           wanted = !link->is_optics && is_used(s, link) && tess_star_column(s->t, link->cs) >= 0;
        to->links[i] = -1;
        if (wanted) TESS_TRY(tess__cs_column(&to->links[i], s->rows, link->relion));
    }
    TESS_TRY(add_if(&to->group, s, true, "rlnOpticsGroup"));
    return TESS_OK;
}

/* A field that was converted is not kept beside what it became. */
static bool is_converted(const source *s, int64_t column)
{
    const char *label = s->t->labels[column] + 1;
    for (int i = 0; i < tess__cs_n_links; i++)
        if (strcmp(label, tess__cs_links[i].cs) == 0) return is_used(s, &tess__cs_links[i]);
    if (column == s->path || column == s->micrograph || (column == s->idx && s->path >= 0)) return true;
    for (int k = 0; k < 2; k++) {
        if (has_centre(s) && column == s->centre[k]) return true;
        if (has_shift(s) && column == s->shift[k]) return true;
    }
    for (int k = 0; k < 3; k++)
        if (has_pose(s) && column == s->pose[k]) return true;
    return false;
}

/* The label under which a field is kept: its own; what came from RELION gets that of RELION back. */
static const char *kept_label(const source *s, int64_t column)
{
    const char  *label = s->t->labels[column] + 1;
    const size_t n = strlen(TESS__CS_KEPT);
    return strncmp(label, TESS__CS_KEPT, n) == 0 ? label + n : label;
}

/* All columns are added before there are rows. What was converted is not replaced. */
static tess_status add_kept(const source *s, bool *is_kept)
{
    int64_t to;
    for (int64_t k = 0; k < s->t->n_columns; k++) {
        is_kept[k] = !is_converted(s, k) && tess_star_column(s->rows, kept_label(s, k)) < 0;
        if (is_kept[k]) TESS_TRY(tess__cs_column(&to, s->rows, kept_label(s, k)));
    }
    return TESS_OK;
}

static tess_status keep_columns(const source *s, const bool *is_kept)
{
    for (int64_t k = 0; k < s->t->n_columns; k++) {
        if (!is_kept[k]) continue;
        const int64_t to = tess_star_column(s->rows, kept_label(s, k));
        for (int64_t r = 0; r < s->t->n_rows; r++) TESS_TRY(tess__cs_set(s->rows, r, to, cell(s, r, k)));
    }
    return TESS_OK;
}

static tess_status fill(const source *s, bool *is_kept)
{
    target to;
    TESS_TRY(add_columns(&to, s));
    TESS_TRY(add_kept(s, is_kept));
    TESS_TRY(tess_star_add_rows(s->rows, s->t->n_rows));
    for (int64_t r = 0; r < s->t->n_rows; r++) {
        TESS_TRY(set_names(s, r, to.image, to.micrograph));
        if (has_centre(s)) TESS_TRY(set_centre(s, r, to.centre));
        if (has_pose(s)) TESS_TRY(set_pose(s, r, to.angle));
        if (has_shift(s)) TESS_TRY(set_shift(s, r, to.origin));
    }
    for (int i = 0; i < tess__cs_n_links; i++) {
        const tess__cs_link *link = &tess__cs_links[i];
        const int64_t        from = tess_star_column(s->t, link->cs);
        for (int64_t r = 0; r < s->t->n_rows && to.links[i] >= 0; r++)
            TESS_TRY(tess__cs_transfer(s->rows, to.links[i], s->t, r, r, link, from));
    }
    TESS_TRY(set_groups(s, to.group));
    return keep_columns(s, is_kept);
}

bool tess_star_is_cryosparc(const tess_star *star)
{
    return star && star->n_tables == 1 && strcmp(star->tables[0]->name, TESS__CS_TABLE) == 0;
}

tess_status tess_star_to_relion(tess_star **relion, const tess_star *cryosparc)
{
    source      s = { .t = NULL };
    tess_star  *made = NULL;
    bool       *is_kept = NULL;
    tess_status status;
    TESS_TRY(tess__check_pointer(fn, "relion", relion));
    TESS_CHECK(tess_star_is_cryosparc(cryosparc), TESS_EARG,
               "%s: the document has %" PRId64 " tables; expected the single table of a .cs file, \"" TESS__CS_TABLE
               "\"",
               fn, tess_star_count(cryosparc));
    s.t = cryosparc->tables[0];
    find_columns(&s);
    TESS_CHECK(s.path >= 0 || s.micrograph >= 0, TESS_EFORMAT,
               "%s: %s has neither blob/path nor location/micrograph_path: it holds no particles", fn,
               cryosparc->path ? cryosparc->path : "the table");
    TESS_TRY(tess_star_new(&made));
    TESS_GOTO(done, status, tess_star_add(&s.optics, made, "optics", false));
    TESS_GOTO(done, status, tess_star_add(&s.rows, made, "particles", false));
    TESS_GOTO(done, status, tess_star_add_column(s.optics, "rlnOpticsGroup", "0"));
    is_kept = tess__alloc((size_t)s.t->n_columns * sizeof *is_kept + 1);
    if (is_kept) TESS_GOTO(done, status, fill(&s, is_kept));
    else status = tess__fail(TESS_ENOMEM, __FILE__, __LINE__, __func__, "%s: no memory for its columns", fn);
done:
    tess__free(is_kept);
    if (status == TESS_OK) *relion = made;
    else tess_star_free(made);
    return status;
}
