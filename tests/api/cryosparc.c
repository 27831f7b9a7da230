/* tessera/cryosparc.h: conversions between documents of RELION and cryoSPARC, and what they reject. */
#include "tessera/cryosparc.h"

#include <math.h>

#include "support/arrays.h"
#include "support/folder.h"

static const char relion[] = "data_optics\n\nloop_\n_rlnOpticsGroup\n_rlnVoltage\n_rlnImagePixelSize\n1 300 2\n\n"
                             "data_particles\n\nloop_\n_rlnImageName\n_rlnAngleRot\n_rlnAngleTilt\n_rlnAnglePsi\n"
                             "_rlnOriginXAngst\n_rlnOriginYAngst\n_rlnDefocusAngle\n_rlnOpticsGroup\n"
                             "000007@s.mrcs 0 90 0 3 -4 180 1\n";

static tess_star *parsed(const char *text)
{
    tess_star *star = NULL;
    CHECK_OK(tess_star_parse(&star, text, (int64_t)strlen(text), "x.star"));
    return star;
}

static void check_number(const tess_star_table *t, const char *label, double wanted)
{
    double value = NAN;
    CHECK_OK(tess_star_get_f64(&value, t, 0, label));
    CHECK(fabs(value - wanted) < 1e-6);
}

TEST(particles_of_relion_and_back)
{
    tess_star *star = parsed(relion), *cs = NULL, *back = NULL;
    CHECK(!tess_star_is_cryosparc(star) && !tess_star_is_cryosparc(NULL));
    if (CHECK_OK(tess_star_to_cryosparc(&cs, star))) {
        const tess_star_table *t = tess_star_at(cs, 0);
        CHECK(tess_star_is_cryosparc(cs) && tess_star_column(t, "uid") >= 0);
        check_number(t, "blob/idx", 6);
        check_number(t, "blob/psize_A", 2);
        check_number(t, "ctf/accel_kv", 300);
        check_number(t, "ctf/df_angle_rad", 3.14159265358979);
        check_number(t, "alignments3D/pose_0", 0);
        check_number(t, "alignments3D/pose_1", 3.14159265358979 / 2); /* a tilt is a rotation about y */
        check_number(t, "alignments3D/pose_2", 0);
        check_number(t, "alignments3D/shift_0", 1.5);
        check_number(t, "alignments3D/shift_1", -2);
        if (CHECK_OK(tess_star_to_relion(&back, cs))) {
            const tess_star_table *rows = tess_star_find(back, "particles");
            check_number(rows, "rlnAngleTilt", 90);
            check_number(rows, "rlnOriginYAngst", -4);
            check_number(tess_star_find(back, "optics"), "rlnVoltage", 300);
        }
    }
    tess_star_free(star);
    tess_star_free(cs);
    tess_star_free(back);
}

TEST(bad_documents)
{
    tess_star *star = parsed(relion), *other = parsed("data_\n\nloop_\n_rlnVoltage\n300\n"), *out = NULL;
    CHECK_FAILS(tess_star_to_relion(&out, star), TESS_EARG, "star_to_relion: ", "2 tables");
    CHECK_FAILS(tess_star_to_relion(NULL, star), TESS_EARG, "relion");
    CHECK_FAILS(tess_star_to_cryosparc(&out, other), TESS_EFORMAT, "star_to_cryosparc: ", "rlnImageName");
    CHECK_FAILS(tess_star_to_cryosparc(&out, NULL), TESS_EARG, "relion");
    CHECK_FAILS(tess_star_to_cryosparc(NULL, star), TESS_EARG, "cryosparc");
    CHECK_FAILS(tess_star_write("x.cs", star, NULL), TESS_EARG, "star_write: ", "one table");
    CHECK(out == NULL);
    CHECK_OK(tess_star_remove(star, 0));
    CHECK_FAILS(tess_star_to_cryosparc(&out, star), TESS_EFORMAT, "origin is in Å", "rlnImagePixelSize");
    tess_star_free(star);
    tess_star_free(other);
}

/* A document of three particles with an optics table and, if `numbered`, the number of its group in each row. */
static tess_status convert(tess_star **cs, const char *optics, bool numbered)
{
    char text[600];
    (void)snprintf(text, sizeof text,
                   "data_optics\n\nloop_\n%s\ndata_particles\n\nloop_\n_rlnImageName\n%s1@s.mrcs%s\n2@s.mrcs%s\n"
                   "3@s.mrcs%s\n",
                   optics, numbered ? "_rlnOpticsGroup\n" : "", numbered ? " 2" : "", numbered ? " 1" : "",
                   numbered ? " 2" : "");
    tess_star        *star = parsed(text);
    const tess_status status = tess_star_to_cryosparc(cs, star);
    tess_star_free(star);
    return status;
}

TEST(optics_groups_belong_to_rows)
{
    static const char two[] = "_rlnOpticsGroup\n_rlnVoltage\n_rlnExtra\n1 300 a\n2 200 b\n";
    tess_star        *cs = NULL;
    if (CHECK_OK(convert(&cs, two, true))) {
        check_number(tess_star_at(cs, 0), "ctf/accel_kv", 200);
        tess_star_free(cs), cs = NULL;
    }
    CHECK_FAILS(convert(&cs, two, false), TESS_EFORMAT, "data_optics has 2 rows", "the particles have no column",
                "rlnOpticsGroup");
    CHECK_FAILS(convert(&cs, "_rlnVoltage\n300\n200\n", true), TESS_EFORMAT, "data_optics has 2 rows",
                "it has no column");
    CHECK_FAILS(convert(&cs, "_rlnOpticsGroup\n1\n", true), TESS_EFORMAT, "row 0 has the optics group 2");
    if (CHECK_OK(convert(&cs, "_rlnVoltage\n_rlnExtra\n120 c\n", false))) {
        check_number(tess_star_at(cs, 0), "ctf/accel_kv", 120);
        tess_star_free(cs), cs = NULL;
    }
    for (int numbered = 0; numbered < 2; numbered++)
        if (CHECK_OK(convert(&cs, "_rlnOpticsGroup\n_rlnVoltage\n_rlnExtra\n", numbered))) {
            CHECK(tess_star_column(tess_star_at(cs, 0), "ctf/accel_kv") < 0);
            tess_star_free(cs), cs = NULL;
        }
}

/* What can be written can be read: names of 200 letters, and whole numbers to the last digit. */
TEST(limits_of_files)
{
    char        text[700], name[300];
    tess_star  *back = NULL;
    const char *path = in_folder("limits.cs"), *value = NULL;
    for (int n = 200; n <= 201; n++) {
        memset(name, 'n', sizeof name);
        name[n] = '\0';
        (void)snprintf(text, sizeof text, "data_x\n\nloop_\n_%s\n_own/number\n1.5 9007199254740993\n2 3\n", name);
        tess_star *star = parsed(text);
        if (n == 201) CHECK_FAILS(tess_star_write(path, star, NULL), TESS_EUNSUPPORTED, "201 characters; at most 200");
        else CHECK_OK(tess_star_write(path, star, NULL));
        tess_star_free(star);
    }
    if (!CHECK_OK(tess_star_read(&back, path))) return;
    CHECK_OK(tess_star_get(&value, tess_star_at(back, 0), 0, "own/number"));
    CHECK(value && strcmp(value, "9007199254740993") == 0);
    name[200] = '\0';
    CHECK(tess_star_column(tess_star_at(back, 0), name) == 0);
    tess_star_free(back);
}
