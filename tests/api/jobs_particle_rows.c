/* Particles of STAR and .cs files and lists of images in several files: what is read against numbers written by hand,
 * what is written back, jobs that are filled in from them, and what is rejected. */
#include <math.h>
#include <unistd.h>

#include "support/arrays.h"
#include "support/folder.h"
#include "support/hooks.h"
#include "tessera/cryosparc.h"
#include "tessera/ctf.h"
#include "tessera/random.h"

enum { SIDE = 16 };

/* ---- Files ---- */

static void put_text(const char *name, const char *text) { put_file(name, text, (long)strlen(text)); }

/* a.mrcs with images of 0, 1, 2 and 3, and b.mrcs with 10, 11 and 12, of another dtype. */
static void put_stacks(void)
{
    const int64_t    n[] = { 4, 3 };
    const tess_dtype dtypes[] = { TESS_I16, TESS_F32 };
    for (int k = 0; k < 2; k++) {
        tess_array images = constant(dtypes[k], n[k], 1, SIDE, SIDE, 0);
        for (int64_t i = 0; i < n[k]; i++) {
            tess_array one;
            CHECK_OK(tess_index(&one, &images, 0, i));
            CHECK_OK(tess_fill(&one, (double)(10 * k + i)));
        }
        CHECK_OK(tess_write(in_folder(k ? "b.mrcs" : "a.mrcs"), &images, &(tess_write_opts){ .overwrite = 1 }));
        tess_release(&images);
    }
}

/* RELION 3.1: an optics table, and origins in Å. */
static const char new_star[] = "data_optics\n\nloop_\n_rlnOpticsGroup #1\n_rlnImagePixelSize #2\n_rlnVoltage #3\n"
                               "_rlnSphericalAberration #4\n_rlnAmplitudeContrast #5\n_rlnBeamTiltX #6\n"
                               "1 1.5 300 2.7 0.1 0\n2 1.5 200 1.4 0.07 0.25\n\n"
                               "data_particles\n\nloop_\n_rlnImageName #1\n_rlnOpticsGroup #2\n_rlnAngleRot #3\n"
                               "_rlnAngleTilt #4\n_rlnAnglePsi #5\n_rlnOriginXAngst #6\n_rlnOriginYAngst #7\n"
                               "_rlnDefocusU #8\n_rlnDefocusV #9\n_rlnDefocusAngle #10\n_rlnRandomSubset #11\n"
                               "_rlnOurOwn #12\n"
                               "000003@a.mrcs 1 0 0 0 3 -1.5 12000 11000 30 1 first\n"
                               "000001@b.mrcs 2 90 0 0 0 0 15000 15000 0 2 second\n"
                               "000004@a.mrcs 1 0 180 0 0.75 6 9000 8000 -45 2 third\n";

/* RELION 3.0: no optics table, a magnification, and origins in pixels. */
static const char old_star[] = "data_\n\nloop_\n_rlnImageName #1\n_rlnMagnification #2\n_rlnDetectorPixelSize #3\n"
                               "_rlnAngleRot #4\n_rlnAngleTilt #5\n_rlnAnglePsi #6\n_rlnOriginX #7\n_rlnOriginY #8\n"
                               "2@a.mrcs 50000 10 0 0 90 2 -1\n3@b.mrcs 50000 10 0 0 0 0 0.5\n";

static void put_files(void)
{
    put_stacks();
    put_text("new.star", new_star);
    put_text("old.star", old_star);
}

/* ---- Lists of images ---- */

static void check_values(const tess_source *source, const double *values, int64_t n)
{
    tess_array images = { 0 };
    CHECK_I64(source->shape.b, n);
    if (!CHECK_OK(tess_source_read(source, &images, 0, n, TESS_F32))) return;
    for (int64_t i = 0; i < n; i++) {
        tess_array one;
        CHECK_OK(tess_index(&one, &images, 0, i));
        CHECK(all_are(&one, values[i]));
    }
    tess_release(&images);
}

TEST(names_of_several_files_are_one_stack)
{
    put_files();
    const char                 *names[] = { "3@a.mrcs", "000001@b.mrcs", "2@b.mrcs", "3@b.mrcs", "1@a.mrcs", "a.mrcs" };
    const tess_source_list_opts opts = { .root = folder() };
    tess_source                 s = { 0 };
    const char                 *path;
    int64_t                     number;
    CHECK_OK(tess_source_names(&s, names, 6, &opts));
    CHECK_DIMS(s.shape, 6, 1, SIDE, SIDE);
    CHECK(s.dtype == TESS_F32 && s.format == TESS_FORMAT_MRC);
    check_values(&s, (const double[]){ 2, 10, 11, 12, 0, 0 }, 6);
    CHECK_OK(tess_source_place(&s, 3, &path, &number));
    CHECK_TEXT(path, in_folder("b.mrcs"));
    CHECK_I64(number, 3);
    CHECK_OK(tess_source_choose(&s, (const int64_t[]){ 3, 0, 3 }, 3));
    check_values(&s, (const double[]){ 12, 2, 12 }, 3);
    CHECK_FAILS(tess_source_place(&s, 3, &path, &number), TESS_ERANGE, "i is 3", "3 images");
    CHECK_FAILS(tess_source_choose(&s, (const int64_t[]){ 3 }, 1), TESS_ERANGE, "images[0] is 3");
    tess_source_close(&s);
    CHECK(!s.read);
}

/* A name without a number is a file, whose first image it is. */
TEST(a_file_without_a_number)
{
    put_files();
    tess_source s = { 0 };
    const char *path, *names[] = { "b.mrcs" };
    int64_t     number;
    CHECK_OK(tess_source_names(&s, names, 1, &(tess_source_list_opts){ .root = folder() }));
    CHECK_OK(tess_source_place(&s, 0, &path, &number));
    CHECK_I64(number, 0);
    check_values(&s, (const double[]){ 10 }, 1);
    tess_source_close(&s);
}

TEST(a_star_file_is_a_stack)
{
    put_files();
    tess_source s = { 0 };
    CHECK_OK(tess_source_open(&s, in_folder("new.star"), NULL));
    check_values(&s, (const double[]){ 2, 10, 3 }, 3);
    CHECK(s.meta->pixel_size[2] == 1.5 && s.meta->pixel_size[0] == 1.5);
    CHECK_TEXT(s.name, in_folder("new.star"));
    tess_source_close(&s);
    CHECK_OK(tess_source_star(&s, in_folder("old.star"), &(tess_source_list_opts){ .root = folder() }));
    check_values(&s, (const double[]){ 1, 12 }, 2);
    CHECK(fabs(s.meta->pixel_size[1] - 2) < 1e-12); /* 10 micrometres by a magnification of 50000 */
    tess_source_close(&s);
}

/* Rows and columns of images are those of the files. */
TEST(parts_of_listed_images)
{
    tess_array  a = numbers(TESS_F32, 3, 1, 5, 7), part = { 0 };
    tess_source s = { 0 };
    const char *names[] = { "3@n.mrcs", "1@n.mrcs" };
    CHECK_OK(tess_write(in_folder("n.mrcs"), &a, &(tess_write_opts){ .overwrite = 1 }));
    CHECK_OK(tess_source_names(&s, names, 2, &(tess_source_list_opts){ .root = folder() }));
    CHECK_OK(tess_empty(&part, TESS_SHAPE(2, 1, 2, 3), TESS_F64, tess_cpu()));
    CHECK_OK(tess_source_read_part(&s, &part, 0, tess_from_to(1, 3), tess_from_to(4, 7)));
    CHECK(value_at(&part, 0, 0, 0, 0) == 70 + 7 + 4 && value_at(&part, 1, 0, 1, 2) == 2 * 7 + 6);
    tess_release(&part);
    tess_source_close(&s);
    tess_release(&a);
}

static tess_status count_opened(void *user, const char *path, const tess_file *file)
{
    int *n = user;
    CHECK(strstr(path, ".mrcs") && tess_file_info(file)->shape.w == SIDE);
    return ++*n == 2 ? TESS_EARG : TESS_OK;
}

TEST(files_are_shown_once_and_may_be_refused)
{
    put_files();
    int                   n = 0;
    tess_source           s = { 0 };
    const char           *names[] = { "1@a.mrcs", "2@a.mrcs" };
    tess_source_list_opts opts = { .root = folder(), .opened = count_opened, .user = &n };
    CHECK_OK(tess_source_names(&s, names, 2, &opts));
    CHECK_I64(n, 1);
    tess_source_close(&s);
    names[1] = "2@b.mrcs", n = 0;
    CHECK(tess_source_names(&s, names, 2, &opts) == TESS_EARG);
    CHECK(!s.read);
}

TEST(lists_that_are_rejected)
{
    put_files();
    tess_array                  other = constant(TESS_F32, 1, 1, 4, 6, 0);
    tess_source                 s = { 0 };
    const tess_source_list_opts in = { .root = folder() }, nowhere = { .list = "no/where.star" };
    const char                 *none = "gone.mrcs", *beyond = "5@a.mrcs", *zero = "0@a.mrcs";
    const char                 *sizes[] = { "1@a.mrcs", "1@other.mrc" }, *nothing[] = { NULL };
    CHECK_OK(tess_write(in_folder("other.mrc"), &other, &(tess_write_opts){ .overwrite = 1 }));
    CHECK_FAILS(tess_source_names(&s, &none, 1, &in), TESS_EIO, "the list: root is ", "no such file in it: gone.mrcs");
    CHECK_FAILS(tess_source_names(&s, &none, 1, &nowhere), TESS_EIO, "no/where.star: gone.mrcs is neither in");
    CHECK_FAILS(tess_source_names(&s, &beyond, 1, &in), TESS_EARG, "image 5 of", "which has 4");
    CHECK_FAILS(tess_source_names(&s, &zero, 1, &in), TESS_EARG, "numbered from 1");
    CHECK_FAILS(tess_source_names(&s, sizes, 2, &in), TESS_ESHAPE,
                "images of 6 x 4 pixels (x y) differ in size from the 16 x 16");
    CHECK_FAILS(tess_source_names(&s, nothing, 1, &in), TESS_EARG, "names[0] is NULL");
    CHECK_FAILS(tess_source_names(&s, NULL, 1, &in), TESS_EARG, "names is NULL");
    CHECK_FAILS(tess_source_names(&s, &none, 0, &in), TESS_ERANGE, "n is 0");
    CHECK_FAILS(tess_source_names(NULL, &none, 1, &in), TESS_EARG, "source is NULL");
    CHECK_FAILS(tess_source_star(&s, "x.star", &nowhere), TESS_EARG, "opts->list is no/where.star");
    CHECK_FAILS(tess_source_star(&s, NULL, NULL), TESS_EARG, "path is NULL");
    CHECK_FAILS(tess_source_names(&s, &none, 1, &(tess_source_list_opts){ .reserved = { 1 } }), TESS_EARG, "reserved");
    put_text("none.star", "data_\n\nloop_\n_rlnVoltage #1\n300\n");
    CHECK_FAILS(tess_source_open(&s, in_folder("none.star"), NULL), TESS_EFORMAT,
                "no table has a column _rlnImageName");
    put_text("beyond.star", "data_\n\nloop_\n_rlnImageName #1\n1@a.mrcs\n9@a.mrcs\n");
    CHECK_FAILS(tess_source_open(&s, in_folder("beyond.star"), NULL), TESS_EARG, "line 6 (row 1) refers to image 9");
    CHECK(!s.read);
    const tess_source array = { .name = "x" };
    const char       *path;
    int64_t           number;
    CHECK_FAILS(tess_source_place(&array, 0, &path, &number), TESS_EARG, "source is not a list");
    tess_release(&other);
}

/* ---- Particles ---- */

typedef struct heard {
    int  n;
    char last[200];
} heard;

static void hear(void *user, const char *text)
{
    heard *h = user;
    h->n++;
    (void)snprintf(h->last, sizeof h->last, "%s", text);
}

static double at(const tess_array *rows, int64_t i, int64_t k) { return value_at(rows, i, 0, 0, k); }

/* The quaternion that RELION's angles stand for, computed with those of the library's Euler angles. */
static void check_rotation(const tess_particles *p, int64_t i, double rot, double tilt, double psi)
{
    const double angles[] = { rot, tilt, psi };
    tess_array   euler, quat = { 0 };
    CHECK_OK(tess_wrap(&euler, (void *)(uintptr_t)angles, TESS_SHAPE(1, 1, 1, 3), TESS_F64, NULL));
    CHECK_OK(tess_euler_to_quat(&quat, &euler, &(tess_euler_opts){ .convention = "relion" }));
    for (int k = 0; k < 4; k++) CHECK(at(&p->rotations, i, k) == at(&quat, 0, k));
    tess_release(&quat);
}

TEST(particles_with_optics_groups)
{
    put_files();
    tess_particles p = { 0 };
    CHECK_OK(tess_particles_open(&p, in_folder("new.star"), NULL, NULL));
    CHECK_I64(p.n, 3);
    CHECK(p.pixel_size == 1.5);
    check_values(&p.images, (const double[]){ 2, 10, 3 }, 3);
    check_rotation(&p, 0, 0, 0, 0);
    check_rotation(&p, 1, 90, 0, 0);
    check_rotation(&p, 2, 0, 180, 0);
    CHECK_DIMS(p.shifts.shape, 3, 1, 1, 2);
    CHECK(at(&p.shifts, 0, 0) == -1 && at(&p.shifts, 0, 1) == 2 && at(&p.shifts, 2, 1) == 0.5);
    CHECK(at(&p.halves, 0, 0) == 1 && at(&p.halves, 1, 0) == 2 && at(&p.halves, 2, 0) == 2);
    CHECK_DIMS(p.ctfs.shape, 3, 1, 1, TESS_CTF_COLUMNS); /* beam tilt */
    const tess_ctf *ctfs = p.ctfs.data;
    CHECK(fabs(ctfs[0].defocus - 1.15) < 1e-12 && fabs(ctfs[0].astigmatism - 0.05) < 1e-12);
    CHECK(ctfs[0].voltage == 300 && ctfs[1].voltage == 200 && ctfs[1].cs == 1.4 && ctfs[1].amplitude == 0.07);
    CHECK(ctfs[0].tilt[1] == 0 && ctfs[1].tilt[1] == -0.25 && ctfs[1].tilt[0] == 0);
    CHECK(ctfs[2].pixel_size[0] == 1.5 && ctfs[2].scale == 1);
    tess_particles_release(&p);
    CHECK(!p.star && !p.n);
    tess_particles_release(&p);
    tess_particles_release(NULL);
}

TEST(particles_without_optics_groups)
{
    put_files();
    tess_particles p = { 0 };
    CHECK_OK(tess_particles_open(&p, in_folder("old.star"), NULL, NULL));
    CHECK(fabs(p.pixel_size - 2) < 1e-12 && !p.ctfs.data && !p.halves.data);
    check_rotation(&p, 0, 0, 0, 90);
    CHECK(at(&p.shifts, 0, 0) == -1 && at(&p.shifts, 0, 1) == 2 && at(&p.shifts, 1, 0) == 0.5);
    tess_particles_release(&p);
}

TEST(what_is_read_can_be_chosen)
{
    put_files();
    const int64_t       rows[] = { 2, 0 };
    const char         *path = in_folder("new.star");
    tess_particles      p = { 0 };
    tess_particles_opts o = { .what = TESS_PARTICLES_POSES, .rows = rows, .n_rows = 2, .pixel_size = 3 };
    CHECK_OK(tess_particles_open(&p, path, &o, NULL));
    CHECK(p.n == 2 && !p.images.read && !p.ctfs.data && !p.halves.data && p.pixel_size == 3);
    CHECK(at(&p.shifts, 0, 1) == 0.25 && at(&p.shifts, 1, 1) == 1);
    tess_particles_release(&p);
    o = (tess_particles_opts){ .what = TESS_PARTICLES_HALVES, .label = "rlnVoltage" };
    CHECK_OK(tess_particles_open(&p, path, &o, NULL));
    CHECK(p.n == 2 && !p.halves.data); /* rows of the optics table */
    tess_particles_release(&p);
}

TEST(particles_are_chosen_split_and_reset)
{
    put_files();
    tess_particles p = { 0 };
    CHECK_OK(tess_particles_open(&p, in_folder("new.star"), NULL, NULL));
    CHECK_OK(tess_particles_choose(&p, (const int64_t[]){ 2, 1 }, 2));
    check_values(&p.images, (const double[]){ 3, 10 }, 2);
    CHECK(p.n == 2 && tess_star_rows(p.rows) == 2 && at(&p.shifts, 0, 1) == 0.5 && at(&p.ctfs, 1, 5) == 200);
    check_rotation(&p, 0, 0, 180, 0);
    CHECK_OK(tess_particles_split(&p));
    CHECK(at(&p.halves, 0, 0) == 1 && at(&p.halves, 1, 0) == 2);
    CHECK_OK(tess_particles_reset_poses(&p));
    check_rotation(&p, 0, 0, 0, 0);
    CHECK(all_are(&p.shifts, 0));
    CHECK_FAILS(tess_particles_choose(&p, (const int64_t[]){ 2 }, 1), TESS_ERANGE, "chosen[0] is 2", "2 particles");
    CHECK_FAILS(tess_particles_choose(&p, NULL, 1), TESS_EARG, "chosen is NULL");
    tess_particles_release(&p);
}

/* ---- Writing ---- */

static void check_text(const tess_particles *p, int64_t row, const char *label, const char *wanted)
{
    const char *text = "";
    CHECK_OK(tess_star_get(&text, p->rows, row, label));
    CHECK_TEXT(text, wanted);
}

TEST(what_changes_is_written_and_the_rest_is_kept)
{
    put_files();
    const char    *back = in_folder("back.star");
    tess_particles p = { 0 }, q = { 0 };
    CHECK_OK(tess_particles_open(&p, in_folder("new.star"), NULL, NULL));
    ((double *)p.shifts.data)[1] = -2;
    ((double *)p.halves.data)[0] = 2;
    CHECK_OK(tess_particles_put_poses(&p));
    CHECK_OK(tess_particles_put_halves(&p));
    CHECK_OK(tess_particles_put_images(&p, "made.mrcs"));
    CHECK_OK(tess_particles_write(back, &p, &(tess_star_opts){ .overwrite = 1 }));
    const tess_particles_opts tables = { .what = TESS_PARTICLES_POSES | TESS_PARTICLES_HALVES };
    CHECK_OK(tess_particles_open(&q, back, &tables, NULL));
    check_text(&q, 0, "rlnImageName", "000001@made.mrcs");
    check_text(&q, 2, "rlnOurOwn", "third");
    check_text(&q, 0, "rlnOriginXAngst", "-3");
    check_text(&q, 0, "rlnDefocusU", "12000");
    CHECK(same_values(&p.shifts, &q.shifts) && same_values(&p.halves, &q.halves));
    CHECK_FAILS(tess_particles_write(back, &p, NULL), TESS_EEXIST, "back.star");
    tess_particles_release(&q);
    tess_particles_release(&p);
}

/* Origins stay in pixels where a file has them so. */
TEST(origins_in_pixels_stay)
{
    put_files();
    tess_particles p = { 0 };
    CHECK_OK(tess_particles_open(&p, in_folder("old.star"), NULL, NULL));
    ((double *)p.shifts.data)[0] = 4.5;
    CHECK_OK(tess_particles_put_poses(&p));
    check_text(&p, 0, "rlnOriginY", "4.5");
    CHECK(tess_star_column(p.rows, "rlnOriginYAngst") < 0);
    tess_particles_release(&p);
}

TEST(cryosparc_and_back)
{
    put_files();
    const char    *cs = in_folder("made.cs");
    tess_particles p = { 0 }, q = { 0 };
    CHECK_OK(tess_particles_open(&p, in_folder("new.star"), NULL, NULL));
    CHECK_OK(tess_particles_write(cs, &p, &(tess_star_opts){ .overwrite = 1 }));
    CHECK_OK(tess_particles_open(&q, cs, NULL, NULL));
    check_values(&q.images, (const double[]){ 2, 10, 3 }, 3);
    CHECK(fabs(q.pixel_size - 1.5) < 1e-6 && same_values(&p.halves, &q.halves));
    for (int64_t i = 0; i < 3; i++) {
        double dot = 0;
        for (int k = 0; k < 4; k++) dot += at(&p.rotations, i, k) * at(&q.rotations, i, k);
        CHECK(fabs(fabs(dot) - 1) < 1e-6);
        for (int k = 0; k < 2; k++) CHECK(fabs(at(&p.shifts, i, k) - at(&q.shifts, i, k)) < 1e-5);
        CHECK(fabs(at(&p.ctfs, i, 2) - at(&q.ctfs, i, 2)) < 1e-6 && at(&p.ctfs, i, 5) == at(&q.ctfs, i, 5));
    }
    tess_particles_release(&q);
    tess_particles_release(&p);
}

TEST(particles_from_arrays)
{
    put_files();
    const char    *made = in_folder("made.star");
    tess_particles p = { 0 }, n = { 0 }, q = { 0 };
    CHECK_OK(tess_particles_open(&p, in_folder("new.star"), NULL, NULL));
    CHECK_OK(tess_particles_new(&n, &p, SIDE));
    CHECK(same_values(&n.rotations, &p.rotations) && same_values(&n.ctfs, &p.ctfs) && n.pixel_size == 1.5);
    CHECK_I64(tess_star_rows(tess_star_find(n.star, "optics")), 2); /* two microscopes */
    CHECK_OK(tess_particles_put_images(&n, "b.mrcs"));
    CHECK_OK(tess_particles_write(made, &n, &(tess_star_opts){ .overwrite = 1 }));
    CHECK_OK(tess_particles_open(&q, made, NULL, NULL));
    check_values(&q.images, (const double[]){ 10, 11, 12 }, 3);
    CHECK(same_values(&q.shifts, &p.shifts) && same_values(&q.halves, &p.halves));
    for (int64_t i = 0; i < 3; i++)
        for (int k = 0; k < TESS_CTF_COLUMNS; k++) CHECK(fabs(at(&q.ctfs, i, k) - at(&p.ctfs, i, k)) < 1e-9);
    tess_particles_release(&q);
    tess_particles_release(&n);
    const tess_particles bare = { .rotations = p.rotations };
    CHECK_OK(tess_particles_new(&n, &bare, SIDE));
    CHECK(all_are(&n.shifts, 0) && !n.ctfs.data && tess_star_column(n.rows, "rlnOriginX") < 0);
    tess_particles_release(&n);
    tess_particles_release(&p);
}

/* ---- Jobs ---- */

/* Random images that views.star lists in another order. */
static void put_views(void)
{
    tess_array images = { 0 };
    CHECK_OK(tess_empty(&images, TESS_SHAPE(4, 1, SIDE, SIDE), TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&images, 0, 1, 5, NULL));
    CHECK_OK(tess_write(in_folder("views.mrcs"), &images, &(tess_write_opts){ .overwrite = 1 }));
    tess_release(&images);
    put_text("views.star", "data_\n\nloop_\n_rlnImageName #1\n_rlnAngleRot #2\n_rlnAngleTilt #3\n_rlnAnglePsi #4\n"
                           "_rlnOriginX #5\n_rlnOriginY #6\n_rlnRandomSubset #7\n"
                           "3@views.mrcs 10 20 30 1 0 1\n1@views.mrcs 0 90 0 0 0 2\n"
                           "4@views.mrcs 50 130 -20 0 -2 1\n2@views.mrcs 200 70 0 0.5 0.5 2\n");
    put_text("flat.star", "data_\n\nloop_\n_rlnImageName #1\n3@views.mrcs\n1@views.mrcs\n");
}

/* Runs the job on a file by its description alone. */
static tess_status run_filled(tess_reconstruct_result *r, const char *path, tess_reconstruct_opts *opts)
{
    const tess_job_info *job = tess_job_find("reconstruct");
    tess_value           values[2] = { { .source = NULL }, { .in = NULL } };
    tess_particles       p = { 0 };
    TESS_TRY(tess_particles_open(&p, path, &(tess_particles_opts){ .what = tess_particles_wanted(job, values, opts) },
                                 NULL));
    tess_status status = tess_particles_fill(&p, job, values, opts);
    if (status == TESS_OK) status = tess_job_run(job, r, values, opts, NULL);
    tess_particles_release(&p);
    return status;
}

TEST(jobs_take_what_particles_have)
{
    put_views();
    const tess_job_info    *job = tess_job_find("reconstruct");
    tess_particles          p = { 0 };
    tess_reconstruct_result whole = { 0 }, filled = { 0 };
    tess_reconstruct_opts   opts = { .pad = 1 };
    tess_value              values[2] = { { .source = NULL }, { .in = NULL } };
    CHECK_OK(tess_particles_open(&p, in_folder("views.star"), NULL, NULL));
    CHECK_I64(tess_particles_wanted(job, values, &opts),
              TESS_PARTICLES_IMAGES | TESS_PARTICLES_POSES | TESS_PARTICLES_CTFS | TESS_PARTICLES_HALVES);
    CHECK_I64(tess_particles_wanted(tess_job_find("sharpen"), values, NULL), 0);
    values[0].source = &p.images, values[1].in = &p.rotations;
    CHECK_I64(tess_particles_wanted(job, values, &(tess_reconstruct_opts){ .shifts = &p.shifts, .halves = &p.halves }),
              TESS_PARTICLES_CTFS);
    CHECK_OK(run_filled(&filled, in_folder("views.star"), &opts));
    CHECK_OK(tess_reconstruct(&whole, &p.images, &p.rotations,
                              &(tess_reconstruct_opts){ .shifts = &p.shifts, .halves = &p.halves, .pad = 1 }, NULL));
    CHECK(same_values(&whole.map, &filled.map) && same_values(&whole.half2, &filled.half2));
    tess_reconstruct_result_release(&filled);
    tess_reconstruct_result_release(&whole);
    tess_particles_release(&p);
    CHECK_FAILS(run_filled(&filled, in_folder("flat.star"), &opts), TESS_EARG, "reconstruct: rotations is not given",
                "flat.star has no column _rlnAngleRot");
}

/* ---- What is rejected ---- */

TEST(particles_that_are_rejected)
{
    put_files();
    const char    *path = in_folder("new.star");
    tess_particles p = { 0 }, dirty = { .n = 1 };
    CHECK_FAILS(tess_particles_open(NULL, path, NULL, NULL), TESS_EARG, "particles is NULL");
    CHECK_FAILS(tess_particles_open(&dirty, path, NULL, NULL), TESS_EARG, "particles is not zeroed");
    CHECK_FAILS(tess_particles_open(&p, NULL, NULL, NULL), TESS_EARG, "path is NULL");
    CHECK_FAILS(tess_particles_open(&p, in_folder("no.star"), NULL, NULL), TESS_EIO, "no.star");
    CHECK_FAILS(tess_particles_open(&p, path, &(tess_particles_opts){ .what = 64 }, NULL), TESS_ERANGE,
                "opts->what is 64");
    CHECK_FAILS(tess_particles_open(&p, path, &(tess_particles_opts){ .needed = -1 }, NULL), TESS_ERANGE,
                "opts->needed is -1");
    CHECK_FAILS(tess_particles_open(&p, path, &(tess_particles_opts){ .pixel_size = -1 }, NULL), TESS_ERANGE,
                "opts->pixel_size is -1 A");
    CHECK_FAILS(tess_particles_open(&p, path, &(tess_particles_opts){ .reserved = { 1 } }, NULL), TESS_EARG,
                "opts->reserved is not 0");
    CHECK_FAILS(
        tess_particles_open(&p, path, &(tess_particles_opts){ .rows = (const int64_t[]){ 3 }, .n_rows = 1 }, NULL),
        TESS_ERANGE, "row");
    CHECK_FAILS(tess_particles_open(&p, path, &(tess_particles_opts){ .label = "rlnNot" }, NULL), TESS_EFORMAT,
                "no table has a column rlnNot");
    CHECK_FAILS(tess_particles_open(&p, path, &(tess_particles_opts){ .pixel_size = TESS_ZERO }, NULL), TESS_EARG,
                "origins are in A, but the pixel size is not known; give opts->pixel_size");
    CHECK_FAILS(
        tess_particles_open(&p, in_folder("old.star"), &(tess_particles_opts){ .needed = TESS_PARTICLES_HALVES }, NULL),
        TESS_EFORMAT, "_rlnRandomSubset");
    CHECK_FAILS(tess_particles_split(&p), TESS_EARG, "particles is zeroed");
    CHECK_FAILS(tess_particles_put_poses(&p), TESS_EARG, "particles is zeroed");
    CHECK_FAILS(tess_particles_write(in_folder("x.star"), &p, NULL), TESS_EARG, "particles is zeroed");
    CHECK_FAILS(tess_particles_new(&p, &(tess_particles){ .n = 0 }, SIDE), TESS_EARG, "arrays->rotations is zeroed");
    CHECK_FAILS(tess_particles_fill(&p, NULL, NULL, NULL), TESS_EARG, "job is NULL");
    CHECK(!p.star && !p.n);
}

/* Replaces a table, which is released. */
static void replace(tess_array *table, tess_array by)
{
    tess_release(table);
    *table = by;
}

TEST(tables_of_another_form_are_rejected)
{
    put_files();
    tess_particles p = { 0 };
    CHECK_OK(tess_particles_open(&p, in_folder("new.star"), NULL, NULL));
    replace(&p.shifts, constant(TESS_F64, 2, 1, 1, 2, 0));
    CHECK_FAILS(tess_particles_put_poses(&p), TESS_ESHAPE, "put_poses: particles->shifts has the shape {2,1,1,2}",
                "n = 3");
    CHECK_FAILS(tess_particles_reset_poses(&p), TESS_ESHAPE, "particles->shifts");
    CHECK_FAILS(tess_particles_choose(&p, (const int64_t[]){ 2 }, 1), TESS_ESHAPE, "particles->shifts");
    replace(&p.shifts, constant(TESS_F32, 3, 1, 1, 2, 0));
    CHECK_FAILS(tess_particles_put_poses(&p), TESS_EARG, "particles->shifts is f32; a contiguous array of f64");
    replace(&p.shifts, constant(TESS_F64, 3, 1, 1, 2, 0));
    p.shifts.strides.b = 0;
    CHECK_FAILS(tess_particles_put_poses(&p), TESS_EARG, "particles->shifts is not contiguous");
    p.shifts.strides.b = 2;
    CHECK_OK(tess_particles_put_poses(&p));
    ((double *)p.halves.data)[1] = (double)NAN;
    CHECK_FAILS(tess_particles_put_halves(&p), TESS_ERANGE, "row 1 of particles->halves is nan; 1 or 2 is expected");
    replace(&p.halves, constant(TESS_F64, 1, 1, 1, 1, 1));
    CHECK_FAILS(tess_particles_put_halves(&p), TESS_ESHAPE, "particles->halves has the shape {1,1,1,1}");
    CHECK_FAILS(tess_particles_split(&p), TESS_ESHAPE, "particles->halves");
    tess_particles_release(&p);
}

TEST(arrays_that_make_no_particles)
{
    tess_particles p = { 0 }, arrays = { .rotations = constant(TESS_F32, 2, 1, 1, 4, 0.5) };
    CHECK_FAILS(tess_particles_new(&arrays, &arrays, SIDE), TESS_EARG, "particles is not zeroed");
    arrays.pixel_size = -1;
    CHECK_FAILS(tess_particles_new(&p, &arrays, SIDE), TESS_ERANGE, "arrays->pixel_size is -1 A");
    arrays.pixel_size = (double)NAN;
    CHECK_FAILS(tess_particles_new(&p, &arrays, SIDE), TESS_ERANGE, "arrays->pixel_size is nan A");
    arrays.pixel_size = 0;
    CHECK_OK(tess_fill(&arrays.rotations, 0.7));
    CHECK_FAILS(tess_particles_new(&p, &arrays, SIDE), TESS_ERANGE, "row 0 of arrays->rotations", "of length 1.4");
    CHECK(!p.rotations.data && !p.n && arrays.rotations.data);
    tess_release(&arrays.rotations);
}

/* Rows of new.star with one text replaced by another. */
static tess_status open_with(const char *from, const char *to)
{
    char           text[2000];
    const char    *found = strstr(new_star, from);
    tess_particles p = { 0 };
    if (!CHECK(found)) return TESS_OK;
    (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(found - new_star), new_star, to, found + strlen(from));
    put_text("changed.star", text);
    const tess_status status = tess_particles_open(&p, in_folder("changed.star"), NULL, NULL);
    tess_particles_release(&p);
    return status;
}

TEST(rows_that_are_rejected)
{
    put_files();
    CHECK_FAILS(open_with("2 1.5 200", "2 1.6 200"), TESS_EARG,
                "line 29 has pixels of 1.6 A, but the first row of 1.5 A");
    CHECK_FAILS(open_with("b.mrcs 2 90", "b.mrcs 7 90"), TESS_EFORMAT, "its optics group 7 is not");
    CHECK_FAILS(open_with("b.mrcs 2 90", "b.mrcs 2 nan"), TESS_EFORMAT, "_rlnAngleRot nan", "finite");
    CHECK_FAILS(open_with("0 2 second", "0 3 second"), TESS_EFORMAT,
                "line 29 has _rlnRandomSubset 3; it must be 1 or 2");
    CHECK_FAILS(open_with("_rlnVoltage", "_rlnNothing"), TESS_EFORMAT, "has no _rlnVoltage", "optics group");
    CHECK_FAILS(open_with("2 1.5 200", "2 1.5 0"), TESS_EFORMAT, "line 29 has _rlnVoltage 0; it must be above 0");
    CHECK_FAILS(open_with("_rlnAngleTilt", "_rlnNothing"), TESS_EFORMAT, "_rlnAngleTilt");
    CHECK_FAILS(open_with("0.07 0.25", "0.07 inf"), TESS_EFORMAT, "_rlnBeamTiltX", "finite number of mrad");
}

TEST(a_document_without_images)
{
    tess_star       *star = NULL;
    tess_star_table *rows = NULL, *found = NULL;
    const char      *label = NULL;
    double           value = 7;
    bool             is_there = true;
    CHECK_OK(tess_star_new(&star));
    CHECK_OK(tess_star_add(&rows, star, "others", false));
    CHECK_OK(tess_star_add_rows(rows, 1));
    CHECK_FAILS(tess_star_find_images(&found, &label, star, "no.star"), TESS_EFORMAT, "no table has a column");
    CHECK(!found && !label);
    CHECK_FAILS(tess_star_row_number(&value, &is_there, star, rows, 0, NULL), TESS_EARG, "label is NULL");
    CHECK_OK(tess_star_row_number(&value, &is_there, star, rows, 0, "_rlnVoltage"));
    CHECK(!is_there && value == 7);
    tess_star_free(star);
}

/* Two rows, whose pixels have different sizes, and a CTF that is 0. */
static const char mixed_star[] = "data_\n\nloop_\n_rlnImageName #1\n_rlnMagnification #2\n_rlnDetectorPixelSize #3\n"
                                 "_rlnDefocusU #4\n_rlnVoltage #5\n_rlnSphericalAberration #6\n"
                                 "_rlnAmplitudeContrast #7\n_rlnCtfScalefactor #8\n_rlnAngleRot #9\n"
                                 "_rlnAngleTilt #10\n_rlnAnglePsi #11\n1@a.mrcs 50000 10 10000 300 2.7 0.1 0 0 0 0\n"
                                 "2@a.mrcs 25000 10 10000 300 2.7 0.1 0.5 0 0 0\n";

TEST(ctfs_of_several_pixel_sizes)
{
    put_files();
    put_text("mixed.star", mixed_star);
    const char         *path = in_folder("mixed.star");
    tess_particles_opts opts = { .what = TESS_PARTICLES_CTFS };
    tess_particles      p = { 0 };
    for (int given = 0; given < 2; given++) {
        opts.pixel_size = given ? 3 : 0;
        CHECK_OK(tess_particles_open(&p, path, &opts, NULL));
        const int64_t columns = p.ctfs.shape.w;
        tess_ctf      ctfs[2] = { { .voltage = 0 } };
        for (int i = 0; i < 2; i++)
            memcpy(&ctfs[i], (double *)p.ctfs.data + i * columns, (size_t)columns * sizeof(double));
        CHECK(ctfs[0].pixel_size[0] == (given ? 3 : 2) && ctfs[1].pixel_size[1] == (given ? 3 : 4));
        CHECK(ctfs[0].scale == 0 && signbit(ctfs[0].scale) && ctfs[1].scale == 0.5);
        CHECK(tess_ctf_value_at(&ctfs[0], 0, 0.2) == 0 && tess_ctf_value_at(&ctfs[1], 0, 0.2) != 0);
        tess_particles_release(&p);
    }
    CHECK_FAILS(tess_particles_open(&p, path, NULL, NULL), TESS_EARG, "line 16 has pixels of 4 A",
                "the first row of 2 A");
}

TEST(aberrations_that_are_not_used)
{
    put_files();
    char               text[2000];
    heard              h = { 0 };
    const tess_context context = { .warning = hear, .user = &h };
    const char        *tilt = strstr(new_star, "_rlnBeamTiltX");
    tess_particles     p = { 0 };
    (void)snprintf(text, sizeof text, "%.*s_rlnMagMat00%s", (int)(tilt - new_star), new_star, tilt + 13);
    put_text("zernike.star", text);
    CHECK_OK(tess_particles_open(&p, in_folder("zernike.star"), NULL, &context));
    CHECK_I64(h.n, 1);
    CHECK(strstr(h.last, "zernike.star: _rlnMagMat00 is not used"));
    tess_particles_release(&p);
}

/* ---- Memory ---- */

static tess_status open_and_change(void)
{
    tess_particles p = { 0 }, n = { 0 };
    tess_status    status;
    TESS_GOTO(done, status, tess_particles_open(&p, in_folder("new.star"), NULL, NULL));
    TESS_GOTO(done, status, tess_particles_new(&n, &p, SIDE));
    TESS_GOTO(done, status, tess_particles_choose(&p, (const int64_t[]){ 1, 2 }, 2));
    TESS_GOTO(done, status, tess_particles_put_poses(&p));
done:
    tess_particles_release(&n);
    tess_particles_release(&p);
    return status;
}

static tess_status run_on_file(void)
{
    tess_reconstruct_result r = { 0 };
    tess_reconstruct_opts   opts = { .pad = 1 };
    const tess_status       status = run_filled(&r, in_folder("views.star"), &opts);
    tess_reconstruct_result_release(&r);
    return status;
}

TEST(every_allocation_fails_in_turn)
{
    static hooks h;
    put_files();
    put_views();
    hooks_each_fails(&h, open_and_change, 20);
    hooks_each_fails(&h, run_on_file, 20);
}
