/* STAR tables: read, changed, written; every kind of bad line. */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/arrays.h"
#include "support/folder.h"
#include "support/hooks.h"

static const char relion[] = "\n"
                             "# version 30001\n"
                             "\n"
                             "data_optics\n"
                             "\n"
                             "loop_ \n"
                             "_rlnOpticsGroupName #1 \n"
                             "_rlnOpticsGroup #2 \n"
                             "_rlnImagePixelSize #3 \n"
                             "opticsGroup1            1     1.060000 \n"
                             "'the second'\t2 1.350000   # a remark\n"
                             " \n"
                             "\n"
                             "# version 30001\r\n"
                             "# and more\n"
                             "\n"
                             "data_particles\n"
                             "\n"
                             "loop_\n"
                             "_rlnImageName #7\n"
                             "_myOwnColumn\n"
                             "_rlnOpticsGroup # 9\n"
                             "000001@Extract/a.mrcs  x#y  1\n"
                             "000012@Extract/a.mrcs  \"it's\"  2\n"
                             "# between rows\n"
                             "000003@Extract/b.mrcs  ''  1\r\n"
                             "\n"
                             "data_general\n"
                             "_rlnA 5\n"
                             "_rlnB 'a b'  # why\n";

static tess_star *parse(const char *text)
{
    tess_star *star = NULL;
    (void)CHECK_OK(tess_star_parse(&star, text, (int64_t)strlen(text), "t.star"));
    return star;
}

static tess_status refuse(const char *text)
{
    tess_star *star = NULL;
    return tess_star_parse(&star, text, (int64_t)strlen(text), "t.star");
}

static const char *value(const tess_star_table *t, int64_t row, const char *label)
{
    const char *text = NULL;
    return CHECK_OK(tess_star_get(&text, t, row, label)) ? text : "failed";
}

TEST(blocks_columns_and_values)
{
    tess_star *star = parse(relion);
    CHECK_I64(tess_star_count(star), 3);
    const tess_star_table *optics = tess_star_find(star, "optics"), *particles = tess_star_find(star, "particles");
    const tess_star_table *general = tess_star_find(star, "general");
    CHECK(tess_star_at(star, 0) == optics && tess_star_at(star, 3) == NULL && tess_star_find(star, "none") == NULL);
    CHECK(tess_star_rows(optics) == 2 && tess_star_columns(optics) == 3 && !tess_star_is_pairs(optics));
    CHECK(tess_star_rows(particles) == 3 && tess_star_columns(particles) == 3);
    CHECK(tess_star_rows(general) == 1 && tess_star_columns(general) == 2 && tess_star_is_pairs(general));
    CHECK_TEXT(tess_star_label(particles, 1), "_myOwnColumn");
    CHECK_I64(tess_star_column(particles, "rlnOpticsGroup"), 2);
    CHECK_I64(tess_star_column(particles, "_rlnOpticsGroup"), 2);
    CHECK_I64(tess_star_column(particles, "rlnOptics"), -1);
    CHECK_TEXT(value(optics, 1, "_rlnOpticsGroupName"), "the second");
    CHECK_TEXT(value(optics, 0, "rlnImagePixelSize"), "1.060000");
    CHECK_TEXT(value(particles, 0, "myOwnColumn"), "x#y");
    CHECK_TEXT(value(particles, 1, "myOwnColumn"), "it's");
    CHECK_TEXT(value(particles, 2, "myOwnColumn"), "");
    CHECK_TEXT(value(particles, 2, "rlnOpticsGroup"), "1");
    CHECK_TEXT(value(general, 0, "rlnB"), "a b");
    CHECK_I64(tess_star_line(particles, 2), 26);
    CHECK(tess_star_value(particles, 3, 0) == NULL && tess_star_value(particles, 0, 3) == NULL);
    tess_star_free(star);
    tess_star_free(NULL);
}

TEST(numbers_and_images)
{
    tess_star             *star = parse(relion);
    const tess_star_table *optics = tess_star_find(star, "optics"), *particles = tess_star_find(star, "particles");
    double                 number = 0;
    int64_t                whole = 0;
    const char            *name = NULL;
    tess_array             numbers = { 0 };
    CHECK_OK(tess_star_get_f64(&number, optics, 1, "rlnImagePixelSize"));
    CHECK(number == 1.35);
    CHECK_OK(tess_star_get_i64(&whole, particles, 1, "rlnOpticsGroup"));
    CHECK_I64(whole, 2);
    CHECK_OK(tess_star_numbers(&numbers, optics, "rlnImagePixelSize"));
    CHECK_DIMS(numbers.shape, 2, 1, 1, 1);
    CHECK(TESS_AT(double, numbers, 0, 0, 0, 0) == 1.06 && TESS_AT(double, numbers, 1, 0, 0, 0) == 1.35);
    CHECK_OK(tess_star_get_image(&whole, &name, particles, 1, "rlnImageName", 12));
    CHECK_I64(whole, 12);
    CHECK_TEXT(name, "Extract/a.mrcs");
    CHECK_FAILS(tess_star_get_image(&whole, &name, particles, 1, "rlnImageName", 11), TESS_EARG, "t.star: line 24",
                "row 1", "000012@", "11 images");
    CHECK_FAILS(tess_star_get_f64(&number, optics, 0, "rlnOpticsGroupName"), TESS_EFORMAT, "t.star: line 10",
                "_rlnOpticsGroupName", "\"opticsGroup1\"", "expected a number");
    CHECK_FAILS(tess_star_get_i64(&whole, optics, 0, "rlnImagePixelSize"), TESS_EFORMAT, "expected an integer");
    CHECK_FAILS(tess_star_get_f64(&number, optics, 0, "rlnVoltage"), TESS_EFORMAT, "data_optics",
                "no column _rlnVoltage");
    CHECK_FAILS(tess_star_get_f64(&number, optics, 2, "rlnImagePixelSize"), TESS_ERANGE, "row is 2", "2 rows");
    CHECK_FAILS(tess_star_numbers(&numbers, particles, "rlnImageName"), TESS_EFORMAT, "line 23");
    CHECK_FAILS(tess_star_get_f64(&number, NULL, 2, "rlnImagePixelSize"), TESS_EARG, "table");
    tess_release(&numbers);
    tess_star_free(star);
}

TEST(image_names)
{
    int64_t     index = 0;
    const char *name = NULL;
    CHECK_OK(tess_star_image(&index, &name, "000012@stack.mrcs"));
    CHECK(index == 12 && strcmp(name, "stack.mrcs") == 0);
    CHECK_OK(tess_star_image(&index, &name, "micrograph.mrc"));
    CHECK(index == 1 && strcmp(name, "micrograph.mrc") == 0);
    CHECK_FAILS(tess_star_image(&index, &name, "000000@stack.mrcs"), TESS_EARG, "numbered from 1");
    CHECK_FAILS(tess_star_image(&index, &name, "-3@stack.mrcs"), TESS_EARG, "numbered from 1");
    CHECK_FAILS(tess_star_image(&index, &name, "x@stack.mrcs"), TESS_EFORMAT, "x@stack.mrcs");
    CHECK_FAILS(tess_star_image(&index, &name, "3@"), TESS_EFORMAT, "3@");
    CHECK_FAILS(tess_star_image(&index, &name, "99999999999999999999@s"), TESS_EFORMAT, "99999");
}

/* A pipe gives its bytes once. */
TEST(pipes_are_read)
{
    const char *path = in_folder("pipe");
    tess_star  *star = NULL;
    if (!CHECK(mkfifo(path, 0600) == 0)) return;
    const pid_t child = fork();
    if (child == 0) {
        FILE *to = fopen(path, "w");
        _exit(!to || fputs(relion, to) < 0 || fclose(to) != 0);
    }
    alarm(20);
    if (CHECK_OK(tess_star_read(&star, path))) CHECK(tess_star_rows(tess_star_find(star, "particles")) == 3);
    alarm(0);
    (void)waitpid(child, NULL, 0);
    tess_star_free(star);
}

TEST(bad_lines)
{
    CHECK_FAILS(refuse("data_x\nloop_\n_a #1\n_b #2\n1 2\n3\n"), TESS_EFORMAT, "star_parse: t.star: line 6",
                "1 values for 2 columns", "_b has none");
    CHECK_FAILS(refuse("data_x\nloop_\n_a\n_b\n1 2 3\n"), TESS_EFORMAT, "line 5", "more than 2 values", "\"3\"", "_b");
    CHECK_FAILS(refuse("data_x\nloop_\n_a\n'b c\n"), TESS_EFORMAT, "line 4", "unterminated quote", "'b c");
    CHECK_FAILS(refuse("data_x\n_a\n"), TESS_EFORMAT, "line 2", "_a has no value");
    CHECK_FAILS(refuse("data_x\n_a 1 2\n"), TESS_EFORMAT, "line 2", "\"2\" follows _a");
    CHECK_FAILS(refuse("data_x\nloop_\n_a 1\n"), TESS_EFORMAT, "line 3", "\"1\" follows _a");
    CHECK_FAILS(refuse("data_x\n5\n"), TESS_EFORMAT, "line 2", "neither a label nor in a loop");
    CHECK_FAILS(refuse("data_x\nloop_\n5\n"), TESS_EFORMAT, "line 3", "without labels");
    CHECK_FAILS(refuse("_a 5\n"), TESS_EFORMAT, "line 1", "before the first data_ block");
    CHECK_FAILS(refuse("loop_\n"), TESS_EFORMAT, "line 1", "before the first data_ block");
    CHECK_FAILS(refuse("data_x\nloop_\n_a\n_b\n_a\n1 2 3\n"), TESS_EFORMAT, "_a occurs twice in data_x");
    CHECK_FAILS(refuse("data_x\n_ 1\n"), TESS_EFORMAT, "line 2", "without a name");
    CHECK_FAILS(refuse("data_x\n;text\n;\n"), TESS_EUNSUPPORTED, "line 2", "multi-line text");
    tess_star *star = NULL;
    CHECK_FAILS(tess_star_parse(&star, "data_\0x", 7, "t.star"), TESS_EFORMAT, "byte 5 is 0");
    CHECK_FAILS(tess_star_read(&star, in_folder("none.star")), TESS_EIO, "star_read: ", "none.star");
    CHECK_FAILS(tess_star_read(&star, NULL), TESS_EARG, "path");
    put_file("gz.star", "\x1f\x8b\x08\0\0\0", 6);
    CHECK_FAILS(tess_star_read(&star, in_folder("gz.star")), TESS_EUNSUPPORTED, "star_read: ", "decompress");
}

TEST(odd_lines_that_are_right)
{
    tess_star *star = parse("DATA_x\nLOOP_\n_a\n_b\ndata_y.mrc 1\n");
    CHECK_TEXT(value(tess_star_at(star, 0), 0, "a"), "data_y.mrc");
    tess_star_free(star);
    star = parse("");
    CHECK_I64(tess_star_count(star), 0);
    tess_star_free(star);
    star = parse("\xef\xbb\xbf"
                 "data_x\n_a 5\n");
    CHECK_TEXT(value(tess_star_find(star, "x"), 0, "a"), "5");
    tess_star_free(star);
    star = NULL;
    put_file("mark.star",
             "\xef\xbb\xbf"
             "data_x\n_a 5\n",
             15);
    CHECK_OK(tess_star_read(&star, in_folder("mark.star")));
    CHECK_TEXT(value(tess_star_find(star, "x"), 0, "a"), "5");
    tess_star_free(star);
    star = parse("\xef\xbb\xbf\xef\xbb\xbf"
                 "data_x\n_a 5\n");
    CHECK_TEXT(value(tess_star_find(star, "x"), 0, "a"), "5");
    tess_star_free(star);
    star = parse("data_\n\ndata_two\nloop_\n_a");
    CHECK_I64(tess_star_count(star), 2);
    CHECK_TEXT(tess_star_name(tess_star_at(star, 0)), "");
    CHECK_I64(tess_star_columns(tess_star_at(star, 1)), 1);
    tess_star_free(star);
}

static const char *text_of(const tess_star *star)
{
    static char text[20000];
    memset(text, 0, sizeof text);
    if (CHECK_OK(tess_star_write(in_folder("out.star"), star, &(tess_star_opts){ .overwrite = 1 })))
        (void)get_file("out.star", text, sizeof text - 1);
    return text;
}

TEST(writing_numbers_columns_again_and_keeps_the_rest)
{
    tess_star *star = parse(relion);
    CHECK_TEXT(text_of(star), "\n"
                              "# version 30001\n"
                              "\n"
                              "data_optics\n"
                              "\n"
                              "loop_\n"
                              "_rlnOpticsGroupName #1\n"
                              "_rlnOpticsGroup #2\n"
                              "_rlnImagePixelSize #3\n"
                              "opticsGroup1 1 1.060000\n"
                              "\"the second\" 2 1.350000  # a remark\n"
                              "\n"
                              "# version 30001\r\n"
                              "# and more\n"
                              "\n"
                              "data_particles\n"
                              "\n"
                              "loop_\n"
                              "_rlnImageName #1\n"
                              "_myOwnColumn #2\n"
                              "_rlnOpticsGroup #3\n"
                              "000001@Extract/a.mrcs  x#y 1\n"
                              "000012@Extract/a.mrcs it's 2\n"
                              "# between rows\n"
                              "000003@Extract/b.mrcs   \"\" 1\n"
                              "\n"
                              "data_general\n"
                              "\n"
                              "_rlnA                            5\n"
                              "_rlnB                            \"a b\"  # why\n");
    CHECK_FAILS(tess_star_write(in_folder("out.star"), star, NULL), TESS_EEXIST, "star_write: ", "out.star");
    CHECK_FAILS(tess_star_write(in_folder("no/such/out.star"), star, NULL), TESS_EIO, "star_write: ", "no/such");
    CHECK_FAILS(tess_star_write(in_folder("out.star"), star, &(tess_star_opts){ .reserved = { 1 } }), TESS_EARG,
                "reserved");
    tess_star_free(star);
}

/* Texts that a writer of these tables once spoilt, found by tests/fuzz/star.c and beside it. */
static tess_star *again_of(const tess_star *star) { return parse(text_of(star)); }

TEST(keywords_are_whole_words)
{
    tess_star *star = parse("data_x\nloop_\n_a\nloop\x7f\ndata\x7fy\n"), *again = again_of(star);
    CHECK_I64(tess_star_count(again), 1);
    CHECK_TEXT(value(tess_star_at(again, 0), 0, "a"), "loop\x7f");
    CHECK_TEXT(value(tess_star_at(again, 0), 1, "a"), "data\x7fy");
    tess_star_free(star);
    tess_star_free(again);
}

TEST(a_loop_without_rows_keeps_to_itself)
{
    static const int64_t none = 0;
    tess_star           *star = parse("data_x\nloop_\n_a\n1\n_p 2\nloop_\n_b\n3\n");
    CHECK_OK(tess_star_select(tess_star_at(star, 0), &none, 0));
    CHECK_OK(tess_star_remove_column(tess_star_at(star, 1), "p"));
    tess_star *again = again_of(star);
    CHECK_I64(tess_star_count(again), 3);
    CHECK_I64(tess_star_rows(tess_star_at(again, 0)), 0);
    CHECK_I64(tess_star_columns(tess_star_at(again, 1)), 0);
    CHECK_TEXT(value(tess_star_at(again, 2), 0, "b"), "3");
    for (int i = 0; i < 3; i++) CHECK_TEXT(tess_star_name(tess_star_at(again, i)), "x");
    tess_star_free(star);
    tess_star_free(again);
}

/* ---- Comments ---- */

static const char commented[] = "data_x\n"
                                "# head\n"
                                "loop_\n"
                                "_a\n"
                                "# among labels\n"
                                "_b\n"
                                "\n"
                                "# before 1\n"
                                "#   two lines\n"
                                "1 2\n"
                                "3 4 # behind 3\r\n"
                                "5 6\n"
                                "# after all\n"
                                "\n"
                                "data_y\n"
                                "# of p\n"
                                "_p 1\n"
                                "_q 2 # of q\n"
                                "# the end";

TEST(comments_stay_where_they_are)
{
    tess_star *star = parse(commented);
    CHECK_TEXT(text_of(star), "\ndata_x\n\n# head\n# among labels\nloop_\n_a #1\n_b #2\n"
                              "# before 1\n#   two lines\n1 2\n3 4  # behind 3\n5 6\n"
                              "\n# after all\n\ndata_y\n\n"
                              "# of p\n_p                               1\n_q                               2  # of q\n"
                              "# the end\n");
    const int64_t rows[] = { 1, 0, 1 };
    CHECK_OK(tess_star_select(tess_star_at(star, 0), rows, 3));
    CHECK_OK(tess_star_remove_column(tess_star_at(star, 1), "p"));
    CHECK_TEXT(text_of(star), "\ndata_x\n\n# head\n# among labels\nloop_\n_a #1\n_b #2\n"
                              "3 4  # behind 3\n# before 1\n#   two lines\n1 2\n3 4  # behind 3\n"
                              "\n# after all\n\ndata_y\n\n_q                               2  # of q\n# the end\n");
    tess_star_free(star);
}

TEST(comments_come_back)
{
    tess_star *star = parse(commented);
    char       first[4000];
    (void)strcpy(first, text_of(star));
    tess_star_free(star);
    star = parse(first);
    CHECK_TEXT(text_of(star), first);
    tess_star_free(star);
}

/* ---- Columns and rows ---- */

TEST(columns_are_set_renamed_and_chosen)
{
    tess_star       *star = parse("data_x\nloop_\n_a\n_b\n_c\n1 2 3\n4 5 6\n7 8 9\n");
    tess_star_table *t = tess_star_at(star, 0);
    float            reals[] = { 0, 0.5f, 9, 0, -2, 9 };
    int16_t          whole[] = { -3, 7, 2, 7, 1, 7 };
    tess_array       f = { 0 }, i = { 0 }, every = { 0 }, complex = { 0 };
    CHECK_OK(tess_wrap(&f, reals, TESS_SHAPE(1, 1, 2, 3), TESS_F32, NULL));
    CHECK_OK(tess_wrap(&i, whole, TESS_SHAPE(1, 1, 3, 2), TESS_I16, NULL));
    CHECK_FAILS(tess_star_set_numbers(t, "a", &f), TESS_ESHAPE, "numbers has 6 elements", "data_x has 3 rows");
    CHECK_OK(tess_slice(&every, &i, 3, 0, 1, 1));
    CHECK_OK(tess_star_set_numbers(t, "new", &every));
    CHECK_OK(tess_star_add_rows(t, 3));
    CHECK_OK(tess_star_set_numbers(t, "_b", &f));
    CHECK_OK(tess_star_rename_column(t, "a", "first"));
    CHECK_OK(tess_star_select_columns(t, (const char *const[]){ "new", "_b", "first" }, 3));
    CHECK_TEXT(text_of(star), "\ndata_x\n\nloop_\n_new #1\n_b #2\n_first #3\n"
                              "-3   0 1\n 2 0.5 4\n 1   9 7\n 0   0 0\n 0  -2 0\n 0   9 0\n");
    CHECK_OK(tess_empty(&complex, TESS_SHAPE(6, 1, 1, 1), TESS_C32, tess_cpu()));
    CHECK_FAILS(tess_star_set_numbers(t, "b", &complex), TESS_EDTYPE, "c32", "real numbers");
    CHECK_FAILS(tess_star_set_numbers(t, "b c", &f), TESS_EARG, "label is \"b c\"");
    CHECK_FAILS(tess_star_set_numbers(NULL, "b", &f), TESS_EARG, "table");
    CHECK_FAILS(tess_star_rename_column(t, "b", "new"), TESS_EARG, "new already exists");
    CHECK_FAILS(tess_star_rename_column(t, "z", "y"), TESS_EFORMAT, "no column _z");
    CHECK_FAILS(tess_star_rename_column(t, "b", "y z"), TESS_EARG, "blanks");
    CHECK_FAILS(tess_star_select_columns(t, (const char *const[]){ "b", "_b" }, 2), TESS_EARG, "_b is given twice");
    CHECK_FAILS(tess_star_select_columns(t, (const char *const[]){ "q" }, 1), TESS_EFORMAT, "no column _q");
    CHECK_FAILS(tess_star_select_columns(t, NULL, 9), TESS_ERANGE, "n is 9", "3 columns");
    tess_release(&every);
    tess_release(&complex);
    tess_release(&i);
    tess_release(&f);
    tess_star_free(star);
}

TEST(rows_are_sorted)
{
    tess_star       *star = parse("data_x\nloop_\n_n\n_t\n10 b\nnan a\n9 B\n-1e1 b # last\n9 a\n");
    tess_star_table *t = tess_star_at(star, 0);
    CHECK_OK(tess_star_sort(t, "n", false));
    CHECK_TEXT(text_of(star), "\ndata_x\n\nloop_\n_n #1\n_t #2\n-1e1 b  # last\n   9 B\n   9 a\n  10 b\n nan a\n");
    CHECK_OK(tess_star_sort(t, "n", true));
    CHECK_TEXT(text_of(star), "\ndata_x\n\nloop_\n_n #1\n_t #2\n  10 b\n   9 B\n   9 a\n-1e1 b  # last\n nan a\n");
    CHECK_OK(tess_star_sort(t, "t", false));
    CHECK_TEXT(text_of(star), "\ndata_x\n\nloop_\n_n #1\n_t #2\n   9 B\n   9 a\n nan a\n  10 b\n-1e1 b  # last\n");
    CHECK_FAILS(tess_star_sort(t, "z", false), TESS_EFORMAT, "star_sort: t.star: table data_x has no column _z");
    CHECK_OK(tess_star_select(t, NULL, 0));
    CHECK_OK(tess_star_sort(t, "t", true));
    tess_star_free(star);
}

/* Against a sort by insertion. */
TEST(sorts_of_random_rows_are_stable)
{
    enum { N = 300 };
    tess_star       *star = NULL;
    tess_star_table *t = NULL;
    int64_t          key[N], row[N], a = 0, b = 0;
    CHECK_OK(tess_star_new(&star));
    CHECK_OK(tess_star_add(&t, star, "x", false));
    CHECK_OK(tess_star_add_rows(t, N));
    for (int i = 0; i < N; i++) {
        const int64_t k = test_random_in(0, 20);
        CHECK_OK(tess_star_set_i64(t, i, "key", k));
        CHECK_OK(tess_star_set_i64(t, i, "row", i));
        int at = i;
        for (; at > 0 && key[at - 1] > k; at--) key[at] = key[at - 1], row[at] = row[at - 1];
        key[at] = k, row[at] = i;
    }
    CHECK_OK(tess_star_sort(t, "key", false));
    for (int i = 0; i < N; i++) {
        CHECK_OK(tess_star_get_i64(&a, t, i, "key"));
        CHECK_OK(tess_star_get_i64(&b, t, i, "row"));
        CHECK(a == key[i] && b == row[i]);
    }
    tess_star_free(star);
}

/* ---- Several tables ---- */

TEST(tables_are_joined)
{
    tess_star       *star = parse("data_p\nloop_\n_mic\n_x\n_z\nb 1 0\na 2 0\nc 3 0\nb 4 0\n");
    tess_star       *other = parse("data_m\nloop_\n_z\n_d\n_mic\n7 10 a\n8 'two words' b\n9 30 d\n");
    tess_star_table *t = tess_star_at(star, 0), *with = tess_star_at(other, 0);
    int64_t          dropped = -1;
    CHECK_FAILS(tess_star_join(&dropped, t, with, "x"), TESS_EFORMAT, "data_m has no column _x");
    CHECK_FAILS(tess_star_join(&dropped, t, with, "d"), TESS_EFORMAT, "data_p has no column _d");
    CHECK_FAILS(tess_star_join(&dropped, t, t, "mic"), TESS_EARG, "are the same table");
    CHECK_FAILS(tess_star_join(&dropped, t, NULL, "mic"), TESS_EARG, "with");
    CHECK_OK(tess_star_join(&dropped, t, with, "_mic"));
    CHECK_I64(dropped, 1);
    tess_star_free(other);
    CHECK_TEXT(text_of(star), "\ndata_p\n\nloop_\n_mic #1\n_x #2\n_z #3\n_d #4\n"
                              "b 1 0 \"two words\"\na 2 0          10\nb 4 0 \"two words\"\n");
    other = parse("data_m\nloop_\n_mic\n_d\na 1\na 2\n");
    CHECK_FAILS(tess_star_join(NULL, t, tess_star_at(other, 0), "mic"), TESS_EFORMAT, "t.star: line 6", "_mic is \"a\"",
                "keys must be unique");
    tess_star_free(other);
    tess_star_free(star);
}

TEST(tables_are_copied_and_appended)
{
    tess_star       *star = parse(commented), *to = NULL;
    tess_star_table *x = NULL, *y = NULL, *all = NULL;
    const int64_t    rows[] = { 2, 0 }, wrong[] = { 3 };
    CHECK_OK(tess_star_new(&to));
    CHECK_OK(tess_star_copy(&x, to, tess_star_at(star, 0), rows, 2));
    CHECK_OK(tess_star_copy(&y, to, tess_star_at(star, 1), NULL, 0));
    CHECK_FAILS(tess_star_copy(&all, to, tess_star_at(star, 0), wrong, 1), TESS_ERANGE, "row is 3", "3 rows");
    CHECK_FAILS(tess_star_copy(&all, to, tess_star_at(star, 1), rows, 1), TESS_EARG, "data_y holds pairs");
    CHECK_OK(tess_star_append(x, tess_star_at(star, 0)));
    CHECK_FAILS(tess_star_append(x, x), TESS_EARG, "are the same table");
    CHECK_FAILS(tess_star_append(x, y), TESS_EARG, "data_y holds pairs");
    CHECK_OK(tess_star_add_column(tess_star_at(star, 0), "c", "1"));
    CHECK_FAILS(tess_star_append(x, tess_star_at(star, 0)), TESS_EFORMAT, "data_x has no column _c");
    CHECK_OK(tess_star_remove_column(tess_star_at(star, 0), "a"));
    CHECK_OK(tess_star_remove_column(tess_star_at(star, 0), "c"));
    CHECK_FAILS(tess_star_append(x, tess_star_at(star, 0)), TESS_EFORMAT, "t.star: table data_x has no column _a");
    tess_star_free(star);
    CHECK_TEXT(text_of(to), "\ndata_x\n\n# head\n# among labels\nloop_\n_a #1\n_b #2\n"
                            "5 6\n# before 1\n#   two lines\n1 2\n"
                            "# before 1\n#   two lines\n1 2\n3 4  # behind 3\n5 6\n"
                            "\n# after all\n\ndata_y\n\n"
                            "# of p\n_p                               1\n_q                               2  # of q\n"
                            "# the end\n");
    tess_star_free(to);
}

TEST(optics_groups_get_new_numbers)
{
    static const char head[] = "data_optics\nloop_\n_rlnOpticsGroup\n_rlnOpticsGroupName\n_rlnVoltage\n";
    char              one[400], two[400], three[400];
    (void)snprintf(one, sizeof one, "%s1 a 300\n2 b 200\ndata_particles\nloop_\n_x\n_rlnOpticsGroup\n10 1\n11 2\n",
                   head);
    (void)snprintf(two, sizeof two,
                   "%s1 b 200\n2 c 300\ndata_particles\nloop_\n_rlnOpticsGroup\n_x\n1 20\n2 21\n1 22\n"
                   "data_more\n_k 5\n",
                   head);
    (void)snprintf(three, sizeof three, "%s1 a 300\ndata_particles\nloop_\n_x\n_rlnOpticsGroup\n30 4\n", head);
    tess_star *star = parse(one), *from = parse(two), *wrong = parse(three);
    CHECK_OK(tess_star_merge(star, from));
    tess_star_free(from);
    CHECK_TEXT(text_of(star), "\ndata_optics\n\nloop_\n_rlnOpticsGroup #1\n_rlnOpticsGroupName #2\n_rlnVoltage #3\n"
                              "1 a 300\n2 b 200\n3 c 300\n"
                              "\ndata_particles\n\nloop_\n_x #1\n_rlnOpticsGroup #2\n10 1\n11 2\n20 2\n21 3\n22 2\n"
                              "\ndata_more\n\n_k                               5\n");
    CHECK_FAILS(tess_star_merge(star, wrong), TESS_EFORMAT, "t.star: line 11", "optics group 4");
    CHECK_FAILS(tess_star_merge(star, star), TESS_EARG, "same document");
    CHECK_FAILS(tess_star_merge(star, NULL), TESS_EARG, "from");
    tess_star_free(wrong);
    tess_star_free(star);
}

/* ---- Tables of other kinds ---- */

static tess_star *parse_table(const char *text)
{
    tess_star *star = NULL;
    (void)CHECK_OK(tess_star_parse_table(&star, text, (int64_t)strlen(text), "t.csv", "x"));
    return star;
}

static tess_status refuse_table(const char *text)
{
    tess_star *star = NULL;
    return tess_star_parse_table(&star, text, (int64_t)strlen(text), "t.csv", "x");
}

TEST(separated_values_are_read)
{
    tess_star *star = parse_table("# a remark\r\n"
                                  "a, \"b \"\"c\"\"\",,_d\r\n"
                                  "1,\"x, y\" ,,\"\"\r\n\n"
                                  " two words ,'q',3,4");
    CHECK_TEXT(text_of(star), "\ndata_x\n\nloop_\n_a #1\n_b_\"c\" #2\n_column3 #3\n_d #4\n"
                              "          1 \"x, y\" \"\" \"\"\n\"two words\"  \"'q'\"  3  4\n");
    CHECK_I64(tess_star_line(tess_star_at(star, 0), 1), 5);
    tess_star_free(star);
    star = parse_table("_\tb\t\" \"\n1\t_\t3\n"); /* labels without a name */
    CHECK_TEXT(text_of(star), "\ndata_x\n\nloop_\n_column1 #1\n_b #2\n__ #3\n1 _ 3\n");
    tess_star_free(star);
    star = parse_table("1\t2\n3\t\n");
    CHECK_TEXT(text_of(star), "\ndata_x\n\nloop_\n_column1 #1\n_column2 #2\n1  2\n3 \"\"\n");
    tess_star_free(star);
    star = parse_table("  x   y\n  1   \"2 3\"  \n");
    CHECK_TEXT(text_of(star), "\ndata_x\n\nloop_\n_x #1\n_y #2\n1 \"2 3\"\n");
    tess_star_free(star);
}

TEST(bad_separated_values)
{
    CHECK_FAILS(refuse_table("a,b\n1\n"), TESS_EFORMAT, "star_parse_table: t.csv: line 2", "1 fields for 2", "_b");
    CHECK_FAILS(refuse_table("a,b\n1,2,3\n"), TESS_EFORMAT, "line 2", "more than 2 fields", "\"3\"");
    CHECK_FAILS(refuse_table("a,b\n\"1,2\n"), TESS_EFORMAT, "line 2", "unterminated quote");
    CHECK_FAILS(refuse_table("a,b\n\"1\"x,2\n"), TESS_EFORMAT, "line 2", "follows a closing quote");
    CHECK_FAILS(refuse_table("a,a\n1,2\n"), TESS_EFORMAT, "_a occurs twice");
    CHECK_FAILS(refuse_table("a,b\nboth ' and \" here,1\n"), TESS_EFORMAT, "line 2", "both kinds of quotes");
    CHECK_FAILS(refuse_table("# nothing\n"), TESS_EFORMAT, "column labels is missing");
    tess_star *star = NULL;
    CHECK_FAILS(tess_star_read_table(&star, in_folder("none.csv"), "x"), TESS_EIO, "star_read_table: ", "none.csv");
    CHECK_FAILS(tess_star_read_table(&star, NULL, "x"), TESS_EARG, "path");
    put_file("t.csv", "a,b\n1,2\n", 8);
    CHECK_FAILS(tess_star_read_table(&star, in_folder("t.csv"), "x y"), TESS_EARG, "name is \"x y\"");
    CHECK_OK(tess_star_read_table(&star, in_folder("t.csv"), "x"));
    CHECK_TEXT(value(tess_star_at(star, 0), 0, "b"), "2");
    tess_star_free(star);
}

static const char *table_text(const tess_star_table *t, tess_star_form form)
{
    static char                text[20000];
    const tess_star_table_opts opts = { .overwrite = 1, .form = (int32_t)form };
    memset(text, 0, sizeof text);
    if (CHECK_OK(tess_star_write_table(in_folder("out.txt"), t, &opts)))
        (void)get_file("out.txt", text, sizeof text - 1);
    return text;
}

TEST(tables_are_written_in_other_forms)
{
    tess_star *star = parse("data_x\nloop_\n_n\n_t\n1.50 'a \"b\", c'\nnan \xc3\xa4\\\n+.5 0012\n1e3 \"tab\there\"\n");
    const tess_star_table *t = tess_star_at(star, 0);
    CHECK_TEXT(table_text(t, TESS_STAR_TSV), "n\tt\n1.50\t\"a \"\"b\"\", c\"\nnan\t\xc3\xa4\\\n+.5\t0012\n"
                                             "1e3\t\"tab\there\"\n");
    CHECK_TEXT(table_text(t, TESS_STAR_CSV), "n,t\n1.50,\"a \"\"b\"\", c\"\nnan,\xc3\xa4\\\n+.5,0012\n1e3,tab\there\n");
    CHECK_TEXT(table_text(t, TESS_STAR_JSON), "[{\"n\": 1.50, \"t\": \"a \\\"b\\\", c\"},\n"
                                              " {\"n\": null, \"t\": \"\xc3\xa4\\\\\"},\n"
                                              " {\"n\": 0.5, \"t\": \"0012\"},\n"
                                              " {\"n\": 1e3, \"t\": \"tab\\u0009here\"}]\n");
    CHECK_TEXT(table_text(t, TESS_STAR_ALIGNED), "   n         t\n1.50  a \"b\", c\n nan        \xc3\xa4\\\n"
                                                 " +.5      0012\n 1e3  tab\there\n");
    CHECK_FAILS(tess_star_write_table(in_folder("out.txt"), t, NULL), TESS_EEXIST, "star_write_table: ", "out.txt");
    CHECK_FAILS(tess_star_write_table(in_folder("out.txt"), t, &(tess_star_table_opts){ .form = 9 }), TESS_EARG,
                "form");
    CHECK_FAILS(tess_star_write_table(in_folder("out.txt"), NULL, NULL), TESS_EARG, "table");
    tess_star_free(star);
}

/* A table of random texts that can be set, of columns a and b. */
typedef struct random_table {
    tess_star       *star;
    tess_star_table *table;
    char             texts[3][2][12];
} random_table;

/* A text of `least` to 10 of these marks. */
static void set_random(random_table *r, int row, int column, const char *marks, int64_t least)
{
    char *text = r->texts[row][column];
    do {
        const int64_t n = test_random_in(least, 10);
        for (int64_t i = 0; i < n; i++) text[i] = marks[test_random_in(0, (int64_t)strlen(marks) - 1)];
        text[n] = '\0';
    } while (tess_star_set(r->table, row, column ? "b" : "a", text) != TESS_OK);
}

static random_table random_table_of(const char *marks, int64_t least)
{
    random_table r = { .star = NULL };
    CHECK_OK(tess_star_new(&r.star));
    CHECK_OK(tess_star_add(&r.table, r.star, "x", false));
    CHECK_OK(tess_star_add_column(r.table, "a", "0"));
    CHECK_OK(tess_star_add_column(r.table, "b", "0"));
    CHECK_OK(tess_star_add_rows(r.table, 3));
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 2; column++) set_random(&r, row, column, marks, least);
    return r;
}

/* What was read back has the same texts; both are freed. */
static void check_came_back(random_table *r, tess_star *again)
{
    for (int row = 0; row < 3 && again; row++)
        for (int column = 0; column < 2; column++)
            CHECK_TEXT(tess_star_value(tess_star_at(again, 0), row, column), r->texts[row][column]);
    tess_star_free(r->star);
    tess_star_free(again);
}

/* What is written is read back, whatever it is. */
TEST(random_separated_values_come_back)
{
    for (int round = 0; round < 300; round++) {
        random_table r = random_table_of("ab1_#, \t'\";\\=", 1);
        tess_star   *again = NULL;
        const char  *text = table_text(r.table, round % 2 ? TESS_STAR_CSV : TESS_STAR_TSV);
        CHECK_OK(tess_star_parse_table(&again, text, (int64_t)strlen(text), "again", "x"));
        check_came_back(&r, again);
    }
}

TEST(tables_are_made_and_changed)
{
    tess_star       *star = NULL;
    tess_star_table *t = NULL, *pairs = NULL;
    CHECK_OK(tess_star_new(&star));
    CHECK_OK(tess_star_add(&pairs, star, "general", true));
    CHECK_OK(tess_star_set_i64(pairs, 0, "rlnCount", -7));
    CHECK_OK(tess_star_set(pairs, 0, "rlnName", "two words"));
    CHECK_OK(tess_star_add(&t, star, "particles", false));
    CHECK_OK(tess_star_add_rows(t, 2));
    CHECK_OK(tess_star_set_image(t, 0, "rlnImageName", 12, "s.mrcs"));
    CHECK_OK(tess_star_set_image(t, 1, "rlnImageName", 1234567, "s.mrcs"));
    CHECK_OK(tess_star_set_f64(t, 1, "_rlnDefocusU", 0.1));
    CHECK_OK(tess_star_add_column(t, "rlnGroup", "1"));
    CHECK_OK(tess_star_add_rows(t, 1));
    CHECK_TEXT(text_of(star), "\ndata_general\n\n"
                              "_rlnCount                        -7\n"
                              "_rlnName                         \"two words\"\n"
                              "\ndata_particles\n\nloop_\n_rlnImageName #1\n_rlnDefocusU #2\n_rlnGroup #3\n"
                              " 000012@s.mrcs   0 1\n"
                              "1234567@s.mrcs 0.1 1\n"
                              "             0   0 0\n");
    CHECK_OK(tess_star_remove_column(t, "rlnDefocusU"));
    const int64_t rows[] = { 1, 0, 1 };
    CHECK_OK(tess_star_select(t, rows, 3));
    CHECK_OK(tess_star_remove(star, 0));
    CHECK_TEXT(text_of(star), "\ndata_particles\n\nloop_\n_rlnImageName #1\n_rlnGroup #2\n"
                              "1234567@s.mrcs 1\n"
                              " 000012@s.mrcs 1\n"
                              "1234567@s.mrcs 1\n");
    CHECK_OK(tess_star_select(t, NULL, 0));
    CHECK_I64(tess_star_rows(t), 0);
    CHECK_OK(tess_star_add_rows(t, 1));
    CHECK_TEXT(value(t, 0, "rlnGroup"), "0");
    tess_star_free(star);
}

TEST(wrong_changes)
{
    tess_star       *star = NULL;
    tess_star_table *t = NULL, *pairs = NULL;
    CHECK_OK(tess_star_new(&star));
    CHECK_FAILS(tess_star_add(&t, star, "a b", false), TESS_EARG, "name is \"a b\"");
    CHECK_OK(tess_star_add(&t, star, "x", false));
    CHECK_OK(tess_star_add(&pairs, star, "y", true));
    CHECK_OK(tess_star_add_column(t, "a", "1"));
    CHECK_FAILS(tess_star_add_column(t, "_a", "1"), TESS_EARG, "_a already exists");
    CHECK_FAILS(tess_star_add_column(t, "a b", "1"), TESS_EARG, "label is \"a b\"");
    CHECK_FAILS(tess_star_add_column(t, "_", "1"), TESS_EARG, "expected a name");
    CHECK_FAILS(tess_star_set(t, 0, "a", "x"), TESS_ERANGE, "row is 0", "0 rows");
    CHECK_FAILS(tess_star_set_f64(t, 3, "a", 1.5), TESS_ERANGE, "star_set_f64: ", "row is 3", "0 rows");
    CHECK_FAILS(tess_star_set_f64(pairs, 0, "a b", 1.5), TESS_EARG, "star_set_f64: label is \"a b\"");
    CHECK_FAILS(tess_star_set_i64(pairs, 1, "a", 2), TESS_ERANGE, "star_set_i64: ", "row is 1", "1 row");
    CHECK_FAILS(tess_star_set_i64(NULL, 0, "a", 2), TESS_EARG, "star_set_i64: table is NULL");
    CHECK_FAILS(tess_star_new(NULL), TESS_EARG, "star_new: star is NULL");
    const char *text = NULL;
    CHECK_FAILS(tess_star_get(NULL, pairs, 0, "a"), TESS_EARG, "star_get: value is NULL");
    CHECK_FAILS(tess_star_get(&text, t, 0, "a"), TESS_ERANGE, "star_get: ", "row is 0", "0 rows");
    CHECK_FAILS(tess_star_get(&text, t, 0, "z"), TESS_EFORMAT, "star_get: ", "no column _z");
    CHECK_FAILS(tess_star_add_rows(pairs, 1), TESS_EARG, "data_y holds pairs");
    CHECK_FAILS(tess_star_add_rows(t, -1), TESS_ERANGE, "n is -1");
    CHECK_FAILS(tess_star_add_rows(t, INT64_MAX), TESS_ENOMEM, "memory");
    CHECK_FAILS(tess_star_set(pairs, 0, "a", "two\nlines"), TESS_EARG, "line break");
    CHECK_FAILS(tess_star_set(pairs, 0, "a", "both ' and \" here"), TESS_EARG, "both kinds of quotes");
    CHECK_OK(tess_star_set(pairs, 0, "a", "both'and \" here"));
    CHECK_FAILS(tess_star_remove_column(t, "b"), TESS_EFORMAT, "no column _b");
    CHECK_FAILS(tess_star_remove(star, 2), TESS_ERANGE, "i is 2", "2 tables");
    const int64_t rows[] = { 0 };
    CHECK_FAILS(tess_star_select(t, rows, 1), TESS_ERANGE, "row is 0");
    CHECK_FAILS(tess_star_set_image(t, 0, "a", 0, "s"), TESS_EARG, "index is 0");
    tess_star_free(star);
}

/* Any text that can be set is read back. */
TEST(random_values_come_back)
{
    for (int round = 0; round < 300; round++) {
        random_table r = random_table_of("ab1_# \t'\";\\datloop_=[]\xc3\xa4", 0);
        tess_star   *again = NULL;
        const char  *text = text_of(r.star);
        CHECK_OK(tess_star_parse(&again, text, (int64_t)strlen(text), "again"));
        check_came_back(&r, again);
    }
}

TEST(numbers_come_back_whatever_the_locale)
{
    static const char *const texts[] = { "0",
                                         "-0",
                                         "1e400",
                                         "-1e400",
                                         "1e-400",
                                         "4.9406564584124654e-324",
                                         ".5",
                                         "5.",
                                         "+3",
                                         "123456789012345678901234567890",
                                         "0.1234567890123456789",
                                         "1E5",
                                         "2.2250738585072011e-308",
                                         "1.7976931348623157e308",
                                         "nan",
                                         "-inf",
                                         "Infinity" };
    static const char *const wrong[] = { "",    ".",   "-",   "e5",    "1e",    "1e+", "0x10",
                                         "1,5", "1 2", "--1", "1.2.3", "infin", "1f" };
    tess_star               *star = NULL;
    tess_star_table         *t = NULL;
    double                   number = 0;
    CHECK_OK(tess_star_new(&star));
    CHECK_OK(tess_star_add(&t, star, "x", true));
    double want[sizeof texts / sizeof *texts];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) want[i] = strtod(texts[i], NULL);
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) test_skip_part("no locale with a decimal comma");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        CHECK_OK(tess_star_set(t, 0, "a", texts[i]));
        CHECK_OK(tess_star_get_f64(&number, t, 0, "a"));
        if (memcmp(&number, &want[i], sizeof number) != 0 && !(isnan(number) && isnan(want[i])))
            (void)test_failed(__FILE__, __LINE__, "%s is read as %g", texts[i], number);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_OK(tess_star_set(t, 0, "a", wrong[i]));
        CHECK_FAILS(tess_star_get_f64(&number, t, 0, "a"), TESS_EFORMAT, "data_x", "_a", "expected a number");
    }
    for (int round = 0; round < 3000; round++) {
        const uint64_t bits = test_random();
        double         x;
        memcpy(&x, &bits, sizeof x);
        if (round % 3 == 0) x = round / 1000.0;
        CHECK_OK(tess_star_set_f64(t, 0, "a", x));
        CHECK_OK(tess_star_get_f64(&number, t, 0, "a"));
        CHECK(number == x || isnan(x));
    }
    setlocale(LC_NUMERIC, "C");
    tess_star_free(star);
}

/* Files made to be slow: each takes no more than a moment. */
TEST(no_file_is_slow)
{
    enum { N = 100000 };
    char                    *text = malloc(16 * N);
    const clock_t            start = clock();
    static const char *const kinds[] = { "\n", "_a%d 1\n", "data_%d\n", "loop_\n_a%d\n", "# %d\n", "_a%d\n" };
    for (size_t kind = 0; text && kind < sizeof kinds / sizeof *kinds; kind++) {
        tess_star *star = NULL;
        size_t     n = (size_t)sprintf(text, "data_x\n%s", kind == 5 ? "loop_\n" : "");
        for (int i = 0; i < N; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            n += (size_t)sprintf(text + n, kinds[kind], i);
#pragma GCC diagnostic pop
        }
        CHECK_OK(tess_star_parse(&star, text, (int64_t)n, "slow"));
        if (kind == 1 || kind == 5) CHECK_I64(tess_star_columns(tess_star_at(star, 0)), N);
        tess_star_free(star);
    }
    CHECK((double)(clock() - start) / CLOCKS_PER_SEC < 20);
    free(text);
}

/* ---- Memory that runs out ---- */

static hooks h;

static tess_status scenario(void)
{
    tess_star       *star = NULL;
    tess_star_table *t = NULL;
    tess_array       numbers = { 0 };
    tess_status      status = TESS_OK;
    const int64_t    rows[] = { 1 };
    TESS_GOTO(done, status, tess_star_parse(&star, relion, (int64_t)strlen(relion), "t.star"));
    TESS_GOTO(done, status, tess_star_add(&t, star, "more", true));
    TESS_GOTO(done, status, tess_star_set_f64(t, 0, "a", 5));
    t = tess_star_find(star, "optics");
    TESS_GOTO(done, status, tess_star_set(t, 0, "rlnNew", "x"));
    TESS_GOTO(done, status, tess_star_add_rows(t, 20));
    TESS_GOTO(done, status, tess_star_numbers(&numbers, t, "rlnImagePixelSize"));
    TESS_GOTO(done, status, tess_star_select(t, rows, 1));
    TESS_GOTO(done, status, tess_star_write(in_folder("f.star"), star, &(tess_star_opts){ .overwrite = 1 }));
    tess_star_free(star);
    star = NULL;
    TESS_GOTO(done, status, tess_star_read(&star, in_folder("f.star")));
done:
    tess_star_free(star);
    tess_release(&numbers);
    return status;
}

TEST(every_allocation_fails) { hooks_each_fails(&h, scenario, 20); }
