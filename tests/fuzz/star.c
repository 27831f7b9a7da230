/* STAR tables and mdoc files that went wrong; see tests/fuzz/mutate.h. What was read is written, and read again it must
 * be the same. */
#include <fcntl.h>

#include "fuzz/mutate.h"
#include "fuzz/one_file.h"
#include "io/file/system.h"

/* ---- A file in memory that is written ---- */

static char   written[8 * FUZZ_LONGEST];
static size_t n_written;

static int w_open(const char *path, int flags, unsigned mode)
{
    (void)path, (void)mode;
    if (flags & O_CREAT) n_written = 0; /* the folder is opened too */
    return 1 << 20;
}

static ssize_t w_write(int fd, const void *bytes, size_t n)
{
    (void)fd;
    if (n_written + n > sizeof written) fuzz_fail("much more is written than was read");
    memcpy(written + n_written, bytes, n);
    n_written += n;
    return (ssize_t)n;
}

static ssize_t w_write_at(int fd, const void *bytes, size_t n, int64_t offset)
{
    (void)fd;
    if ((size_t)offset + n > sizeof written) fuzz_fail("much more is written than was read");
    memcpy(written + offset, bytes, n);
    if ((size_t)offset + n > n_written) n_written = (size_t)offset + n;
    return (ssize_t)n;
}

static int w_int(int fd)
{
    (void)fd;
    return 0;
}

static int w_names(const char *from, const char *to)
{
    (void)from, (void)to;
    return 0;
}

static int w_unlink(const char *path)
{
    (void)path;
    return 0;
}

static void use_memory(void)
{
    tess__sys.open = w_open;
    tess__sys.write = w_write;
    tess__sys.write_at = w_write_at;
    tess__sys.close = w_int;
    tess__sys.sync = w_int;
    tess__sys.rename = w_names;
    tess__sys.link = w_names;
    tess__sys.unlink = w_unlink;
}

/* ---- STAR ---- */

static bool same_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static void compare_tables(const tess_star_table *a, const tess_star_table *b)
{
    if (!same_text(tess_star_name(a), tess_star_name(b)) || tess_star_rows(a) != tess_star_rows(b) ||
        tess_star_columns(a) != tess_star_columns(b))
        fuzz_fail("another table when it is read again");
    for (int64_t k = 0; k < tess_star_columns(a); k++) {
        if (!same_text(tess_star_label(a, k), tess_star_label(b, k))) fuzz_fail("another label");
        for (int64_t r = 0; r < tess_star_rows(a); r++)
            if (!same_text(tess_star_value(a, r, k), tess_star_value(b, r, k))) fuzz_fail("another value");
    }
}

static void use_table(tess_star_table *t)
{
    double      number;
    int64_t     whole;
    const char *name;
    for (int64_t k = 0; k < tess_star_columns(t) && tess_star_rows(t); k++) {
        (void)fuzz_ok(tess_star_get_f64(&number, t, 0, tess_star_label(t, k)));
        (void)fuzz_ok(tess_star_get_i64(&whole, t, 0, tess_star_label(t, k)));
        (void)fuzz_ok(tess_star_get_image(&whole, &name, t, 0, tess_star_label(t, k), 100));
    }
}

/* The same bytes as separated values: what is written as a STAR file is read again. */
static void run_table(const uint8_t *data, size_t n)
{
    tess_star *star = NULL, *again = NULL;
    if (!fuzz_ok(tess_star_parse_table(&star, (const char *)data, (int64_t)n, "x.csv", "x"))) return;
    if (!fuzz_ok(tess_star_write("y.star", star, &(tess_star_opts){ .overwrite = 1 }))) fuzz_fail("not written");
    if (!fuzz_ok(tess_star_parse(&again, written, (int64_t)n_written, "y.star"))) fuzz_fail("not read again");
    compare_tables(tess_star_at(star, 0), tess_star_at(again, 0));
    tess_star_free(star);
    tess_star_free(again);
}

static void run_star(const uint8_t *data, size_t n)
{
    tess_star *star = NULL, *again = NULL;
    run_table(data, n);
    if (!fuzz_ok(tess_star_parse(&star, (const char *)data, (int64_t)n, "x.star"))) return;
    if (!fuzz_ok(tess_star_write("y.star", star, &(tess_star_opts){ .overwrite = 1 }))) fuzz_fail("not written");
    if (!fuzz_ok(tess_star_parse(&again, written, (int64_t)n_written, "y.star"))) fuzz_fail("not read again");
    if (tess_star_count(star) != tess_star_count(again)) fuzz_fail("another number of tables");
    for (int64_t i = 0; i < tess_star_count(star); i++) {
        compare_tables(tess_star_at(star, i), tess_star_at(again, i));
        use_table(tess_star_at(star, i));
    }
    tess_star_free(star);
    tess_star_free(again);
}

/* ---- mdoc ---- */

static void run_mdoc(const uint8_t *data, size_t n)
{
    tess_mdoc *mdoc = NULL, *again = NULL;
    if (!fuzz_ok(tess_mdoc_parse(&mdoc, (const char *)data, (int64_t)n, "x.mdoc"))) return;
    if (!fuzz_ok(tess_mdoc_write("y.mdoc", mdoc, &(tess_sidecar_opts){ .overwrite = 1 }))) fuzz_fail("not written");
    if (!fuzz_ok(tess_mdoc_parse(&again, written, (int64_t)n_written, "y.mdoc"))) fuzz_fail("not read again");
    if (tess_mdoc_sections(mdoc) != tess_mdoc_sections(again)) fuzz_fail("another number of sections");
    for (int64_t i = TESS_MDOC_GLOBAL; i < tess_mdoc_sections(mdoc); i++) {
        double numbers[3];
        int    found;
        if (!same_text(tess_mdoc_kind(mdoc, i), tess_mdoc_kind(again, i)) ||
            !same_text(tess_mdoc_title(mdoc, i), tess_mdoc_title(again, i)))
            fuzz_fail("another section");
        for (int64_t k = 0; tess_mdoc_key(mdoc, i, k) || tess_mdoc_key(again, i, k); k++) {
            if (!same_text(tess_mdoc_key(mdoc, i, k), tess_mdoc_key(again, i, k)) ||
                !same_text(tess_mdoc_value(mdoc, i, k), tess_mdoc_value(again, i, k)))
                fuzz_fail("another value");
            (void)fuzz_ok(tess_mdoc_numbers(numbers, 3, &found, mdoc, i, tess_mdoc_key(mdoc, i, k)));
        }
    }
    tess_mdoc_free(mdoc);
    tess_mdoc_free(again);
}

/* ---- Angles and transforms ---- */

static bool same_numbers(const tess_array *a, const tess_array *b, int64_t per_line)
{
    const double *x = a->data, *y = b->data;
    if (a->shape.b != b->shape.b) return false;
    for (int64_t i = 0; i < a->shape.b * per_line; i++)
        if (x[i] != y[i] && !(x[i] != x[i] && y[i] != y[i])) return false;
    return true;
}

/* Read, written, and read again. */
static void run_lines(const uint8_t *data, size_t n, int64_t per_line)
{
    tess_status (*const read)(tess_array *, const char *, int64_t) = per_line == 1 ? tess_tilts_read : tess_xf_read;
    tess_status (*const write)(const char *, const tess_array *, const tess_sidecar_opts *) =
        per_line == 1 ? tess_tilts_write : tess_xf_write;
    tess_array numbers = { 0 }, again = { 0 };
    one_file(data, n);
    use_memory();
    if (!fuzz_ok(read(&numbers, "x.txt", 0))) return;
    if (!fuzz_ok(write("y.txt", &numbers, &(tess_sidecar_opts){ .overwrite = 1 }))) fuzz_fail("not written");
    one_file(written, n_written);
    if (!fuzz_ok(read(&again, "y.txt", 0))) fuzz_fail("not read again");
    if (!same_numbers(&numbers, &again, per_line)) fuzz_fail("other numbers");
    tess_release(&numbers);
    tess_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    run_lines(data, n, 1);
    run_lines(data, n, 6);
    use_memory();
    run_star(data, n);
    run_mdoc(data, n);
    return 0;
}

void fuzz_seeds(void)
{
    static const char *const words[] = {
        "data_",          "loop_", "\n",   "_a",  "#",    "'",     "\"",        " ", "\t",
        "'x y'",          "\"q\"", "\r\n", "1e5", "nan",  "_rlnB", "\n\n# c\n", ";", "000003@s.mrcs",
        "[ZValue = 3]\n", "=",     "[",    "]",   "\x01", "\xff",  NULL
    };
    static const char *const texts[] = {
        "\n# version 30001\n\ndata_optics\n\nloop_\n_rlnOpticsGroup #1\n_rlnImagePixelSize #2\n1 1.06\n2 1.35 # x\n\n\n"
        "data_particles\n\nloop_ \n_rlnImageName #1 \n_rlnOpticsGroup #2 \n000001@a.mrcs 1\n000002@a.mrcs 2\n",
        "data_general\n\n_rlnA  5\n_rlnB 'a b'\n_rlnC \"it's\"\n\ndata_\nloop_\n_x #1\n1\n2\n3\n",
        "data_mixed\n_a 1\nloop_\n_b\n_c\n'' \"\"\n2 3\n_d 4\n",
        "PixelSpacing = 1.7\nImageFile = x.st\n\n[T = SerialEM: made by]\n\n[ZValue = 0]\nTiltAngle = -60.1\n"
        "StagePosition = 1 -2.5\n\n[ZValue = 1]\nTiltAngle = -58\nSubFramePath = D:\\x = y\n",
        "   0.9998  -0.0175   0.0175   0.9998   12.500   -3.25\n1 0 0 1 0 0\n-1e3 2.5e-7 nan inf 0.1 1e308\n",
        "  -60.00\n -58\n0\n1.5e1\n",
        /* Failed once. */
        "_\tb\n1\t_\n",
        "data_x\nloop_\n_a\nloop\x7f\ndata\x7fy\n",
        "\xef\xbb\xbf\xef\xbb\xbfKey = 1\n",
        "\n\xef\xbb\xbfKey = 1\n",
    };
    fuzz_words = words;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) fuzz_add(texts[i], strlen(texts[i]));
}
