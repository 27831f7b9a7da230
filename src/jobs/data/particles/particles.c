/* Particles of STAR and .cs files: images with poses, CTFs and half sets, row by row, and their document. */
#include "jobs/data/particles/particles.h"

#include <math.h>
#include <string.h>

#include "core/device/memory.h"
#include "core/check/text.h"
#include "jobs/data/source_list.h"
#include "jobs/run/context.h"
#include "tessera/cryosparc.h"
#include "tessera/ctf.h"
#include "tessera/ewise.h"
#include "tessera/jobs/star_rows.h"
#include "tessera/order.h"

static const char half_label[] = "_rlnRandomSubset";

/* ---- Half sets ---- */

static tess_status make_halves(tess_particles *p)
{
    return tess_empty(&p->halves, TESS_SHAPE(p->n, 1, 1, 1), TESS_F64, tess_cpu());
}

tess_status tess__particles_read_halves(tess_particles *p)
{
    TESS_TRY(make_halves(p));
    for (int64_t i = 0; i < p->n; i++) {
        int64_t half;
        TESS_TRY_NOTE(tess_star_get_i64(&half, p->rows, i, half_label), "of %s", p->name);
        TESS_CHECK(half == 1 || half == 2, TESS_EFORMAT, "%s: line %lld has %s %lld; it must be 1 or 2", p->name,
                   (long long)tess_star_line(p->rows, i), half_label, (long long)half);
        ((double *)p->halves.data)[i] = (double)half;
    }
    return TESS_OK;
}

/* ---- Opening ---- */

static tess_status check_opts(const char *fn, const tess_particles_opts *o)
{
    const int32_t all = TESS_PARTICLES_IMAGES | TESS_PARTICLES_POSES | TESS_PARTICLES_CTFS | TESS_PARTICLES_HALVES;
    for (size_t i = 0; i < sizeof o->reserved / sizeof *o->reserved; i++)
        TESS_CHECK(o->reserved[i] == 0, TESS_EARG,
                   "%s: `opts->reserved` is not 0; zero the options before setting fields", fn);
    TESS_CHECK(!(o->what & ~all), TESS_ERANGE, "%s: `opts->what` is %d; an OR of TESS_PARTICLES_... is expected", fn,
               (int)o->what);
    TESS_CHECK(!(o->needed & ~all), TESS_ERANGE, "%s: `opts->needed` is %d; an OR of TESS_PARTICLES_... is expected",
               fn, (int)o->needed);
    TESS_CHECK(o->pixel_size >= 0, TESS_ERANGE, "%s: `opts->pixel_size` is %g A; it must not be negative", fn,
               o->pixel_size);
    TESS_CHECK(!o->rows || o->n_rows > 0, TESS_ERANGE, "%s: `opts->n_rows` is %lld; 1 or more rows are expected", fn,
               (long long)o->n_rows);
    return TESS_OK;
}

/* The table that has a column, or by default that of images or micrographs. */
static tess_status find_table(tess_particles *p, const char *path, const char **label)
{
    if (!*label) return tess_star_find_images(&p->rows, label, p->star, path);
    for (int64_t i = 0; i < tess_star_count(p->star) && !p->rows; i++) {
        tess_star_table *rows = tess_star_at(p->star, i);
        if (tess_star_column(rows, *label) >= 0) p->rows = rows;
    }
    TESS_CHECK(p->rows, TESS_EFORMAT, "%s: no table has a column %s", path, *label);
    return TESS_OK;
}

static tess_status open_table(tess_particles *p, const char *path, const tess_particles_opts *o)
{
    const char  *label = o->label;
    const size_t size = strlen(path) + 1;
    p->name = tess__alloc(size);
    TESS_CHECK(p->name, TESS_ENOMEM, "particles_open: out of memory");
    memcpy(p->name, path, size);
    TESS_TRY(tess_star_read_relion(&p->star, path));
    TESS_TRY(find_table(p, path, &label));
    if (o->rows) TESS_TRY(tess_star_select(p->rows, o->rows, o->n_rows));
    p->n = tess_star_rows(p->rows);
    TESS_CHECK(p->n > 0, TESS_EFORMAT, "%s: the table with the column %s has no rows", path, label);
    return TESS_OK;
}

static bool size_is_given(const tess_particles_opts *o)
{
    return o->pixel_size > 0 || signbit(o->pixel_size); /* TESS_ZERO */
}

static tess_status find_pixel_size(tess_particles *p, const tess_particles_opts *o)
{
    p->pixel_size = o->pixel_size > 0 ? o->pixel_size : 0;
    if (size_is_given(o)) return TESS_OK;
    TESS_TRY_NOTE(tess_star_row_pixel_size(&p->pixel_size, p->star, p->rows, 0), "of %s", p->name);
    if (p->pixel_size <= 0 && p->images.meta) p->pixel_size = p->images.meta->pixel_size[2];
    return TESS_OK;
}

/* Is this kind read: because it must be there, or is wanted and its column is there? */
static bool is_read(const tess_particles *p, const tess_particles_opts *o, int32_t kind, const char *label)
{
    const bool wanted = o->what == 0 || (o->what & kind);
    return (o->needed & kind) || (wanted && tess_star_column(p->rows, label) >= 0);
}

static tess_status read_all(tess_particles *p, const tess_particles_opts *o, const tess_context *context)
{
    const bool        has_images = tess_star_column(p->rows, "_rlnImageName") >= 0;
    const char *const image_label = has_images || o->label ? "_rlnImageName" : "_rlnMicrographName";
    if (is_read(p, o, TESS_PARTICLES_IMAGES, image_label))
        TESS_TRY(tess__source_of_rows(&p->images, p->star, p->rows, image_label, p->name, o->files));
    TESS_TRY(find_pixel_size(p, o));
    if (is_read(p, o, TESS_PARTICLES_HALVES, half_label)) TESS_TRY(tess__particles_read_halves(p));
    if (is_read(p, o, TESS_PARTICLES_POSES, "_rlnAngleRot")) TESS_TRY(tess__particles_read_poses(p));
    if (is_read(p, o, TESS_PARTICLES_CTFS, "_rlnDefocusU"))
        TESS_TRY(tess__particles_read_ctfs(p, size_is_given(o), context));
    return TESS_OK;
}

tess_status tess__check_particles_zeroed(const char *fn, const tess_particles *p)
{
    const unsigned char *bytes = (const unsigned char *)p;
    bool                 is_zero = p != NULL;
    for (size_t i = 0; i < sizeof *p && is_zero; i++) is_zero = bytes[i] == 0;
    TESS_CHECK(is_zero, TESS_EARG, "%s: `particles` is %s; zeroed or released particles are expected", fn,
               p ? "not zeroed" : "NULL");
    return TESS_OK;
}

tess_status tess_particles_open(tess_particles *particles, const char *path, const tess_particles_opts *opts,
                                const tess_context *context)
{
    static const char         fn[] = "particles_open";
    const tess_particles_opts none = { .what = 0 }, *o = opts ? opts : &none;
    tess_context              c;
    TESS_TRY(tess__check_particles_zeroed(fn, particles));
    TESS_CHECK(path, TESS_EARG, "%s: `path` is `NULL`", fn);
    TESS_TRY(check_opts(fn, o));
    TESS_TRY(tess__context(&c, fn, context));
    tess_status status = open_table(particles, path, o);
    if (status == TESS_OK) status = read_all(particles, o, &c);
    if (status != TESS_OK) tess_particles_release(particles);
    return status;
}

void tess_particles_release(tess_particles *p)
{
    if (!p) return;
    tess_source_close(&p->images);
    tess_release(&p->rotations);
    tess_release(&p->shifts);
    tess_release(&p->ctfs);
    tess_release(&p->halves);
    tess_star_free(p->star);
    tess__free(p->name);
    memset(p, 0, sizeof *p);
}

/* ---- Changing ---- */

/* A table may have been replaced by the caller. */
static tess_status check_table(const char *fn, const char *name, const tess_array *table, int64_t n, int64_t least,
                               int64_t most)
{
    const tess_shape s = table->shape;
    char             text[TESS__SHAPE_TEXT];
    if (!table->data && !table->buffer) return TESS_OK;
    TESS_CHECK(s.b == n && s.d == 1 && s.h == 1 && s.w >= least && s.w <= most, TESS_ESHAPE,
               "%s: `particles->%s` has the shape %s; {n,1,1,k} with n = %lld and k from %lld to %lld is expected", fn,
               name, tess__shape_text(text, s.dim), (long long)n, (long long)least, (long long)most);
    TESS_CHECK(table->dtype == TESS_F64 && table->device.kind == TESS_CPU && tess_is_contiguous(table, 'C'), TESS_EARG,
               "%s: `particles->%s` is %s; a contiguous array of f64 on the CPU is expected", fn, name,
               table->dtype != TESS_F64         ? tess_dtype_name(table->dtype)
               : table->device.kind != TESS_CPU ? "on another device"
                                                : "not contiguous");
    return TESS_OK;
}

static tess_status check_particles(const char *fn, const tess_particles *p)
{
    TESS_CHECK(p && p->rows, TESS_EARG, "%s: `particles` is %s; particles that were opened or made are expected", fn,
               p ? "zeroed" : "NULL");
    TESS_TRY(check_table(fn, "rotations", &p->rotations, p->n, 4, 4));
    TESS_TRY(check_table(fn, "shifts", &p->shifts, p->n, 2, 2));
    TESS_TRY(check_table(fn, "ctfs", &p->ctfs, p->n, TESS_CTF_MIN_COLUMNS, TESS_CTF_COLUMNS));
    return check_table(fn, "halves", &p->halves, p->n, 1, 1);
}

static tess_status choose_rows(tess_array *rows, const tess_array *numbers)
{
    tess_array taken = { 0 };
    if (!rows->data) return TESS_OK;
    TESS_TRY(tess_take(&taken, rows, numbers, 0));
    tess_release(rows);
    *rows = taken;
    return TESS_OK;
}

tess_status tess_particles_choose(tess_particles *particles, const int64_t *chosen, int64_t n)
{
    static const char fn[] = "particles_choose";
    tess_array        numbers;
    TESS_TRY(check_particles(fn, particles));
    TESS_CHECK(chosen, TESS_EARG, "%s: `chosen` is `NULL`", fn);
    TESS_CHECK(n > 0, TESS_ERANGE, "%s: `n` is %lld; 1 or more is expected", fn, (long long)n);
    for (int64_t i = 0; i < n; i++)
        TESS_CHECK(chosen[i] >= 0 && chosen[i] < particles->n, TESS_ERANGE,
                   "%s: `chosen[%lld]` is %lld; there are %lld particles", fn, (long long)i, (long long)chosen[i],
                   (long long)particles->n);
    TESS_TRY(tess_wrap(&numbers, (void *)(uintptr_t)chosen, TESS_SHAPE(1, 1, 1, n), TESS_I64, NULL));
    if (particles->images.read) TESS_TRY(tess_source_choose(&particles->images, chosen, n));
    TESS_TRY(tess_star_select(particles->rows, chosen, n));
    particles->n = n;
    tess_array *const tables[] = { &particles->rotations, &particles->shifts, &particles->ctfs, &particles->halves };
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) TESS_TRY(choose_rows(tables[k], &numbers));
    return TESS_OK;
}

tess_status tess_particles_split(tess_particles *particles)
{
    TESS_TRY(check_particles("particles_split", particles));
    if (!particles->halves.data) TESS_TRY(make_halves(particles));
    for (int64_t i = 0; i < particles->n; i++) ((double *)particles->halves.data)[i] = (double)(i % 2 + 1);
    return TESS_OK;
}

tess_status tess_particles_reset_poses(tess_particles *particles)
{
    TESS_TRY(check_particles("particles_reset_poses", particles));
    const int64_t n = particles->n;
    tess_array    w;
    if (!particles->rotations.data)
        TESS_TRY(tess_empty(&particles->rotations, TESS_SHAPE(n, 1, 1, 4), TESS_F64, tess_cpu()));
    if (!particles->shifts.data) TESS_TRY(tess_empty(&particles->shifts, TESS_SHAPE(n, 1, 1, 2), TESS_F64, tess_cpu()));
    TESS_TRY(tess_fill(&particles->rotations, 0));
    TESS_TRY(tess_index(&w, &particles->rotations, 3, 3));
    TESS_TRY(tess_fill(&w, 1));
    return tess_fill(&particles->shifts, 0);
}

/* ---- Writing ---- */

tess_status tess_particles_put_poses(tess_particles *particles)
{
    static const char fn[] = "particles_put_poses";
    TESS_TRY(check_particles(fn, particles));
    TESS_CHECK(particles->rotations.data && particles->shifts.data, TESS_EARG,
               "%s: `particles->%s` is zeroed; tables of poses are expected", fn,
               particles->rotations.data ? "shifts" : "rotations");
    TESS_TRY(tess__particles_put_angles(particles));
    return tess__particles_put_origins(particles);
}

tess_status tess_particles_put_halves(tess_particles *particles)
{
    static const char fn[] = "particles_put_halves";
    TESS_TRY(check_particles(fn, particles));
    TESS_CHECK(particles->halves.data, TESS_EARG, "%s: `particles->halves` is zeroed; a table of half sets is expected",
               fn);
    const double *halves = particles->halves.data;
    for (int64_t i = 0; i < particles->n; i++)
        TESS_CHECK(halves[i] == 1 || halves[i] == 2, TESS_ERANGE,
                   "%s: row %lld of `particles->halves` is %g; 1 or 2 is expected", fn, (long long)i, halves[i]);
    for (int64_t i = 0; i < particles->n; i++)
        TESS_TRY(tess_star_set_i64(particles->rows, i, half_label, (int64_t)halves[i]));
    return TESS_OK;
}

tess_status tess_particles_put_images(tess_particles *particles, const char *path)
{
    TESS_TRY(check_particles("particles_put_images", particles));
    TESS_CHECK(path, TESS_EARG, "particles_put_images: `path` is `NULL`");
    for (int64_t i = 0; i < particles->n; i++)
        TESS_TRY(tess_star_set_image(particles->rows, i, "_rlnImageName", i + 1, path));
    return TESS_OK;
}

tess_status tess_particles_write(const char *path, const tess_particles *particles, const tess_star_opts *opts)
{
    TESS_TRY(check_particles("particles_write", particles));
    return tess_star_write_named(path, particles->star, opts);
}
