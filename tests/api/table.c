/* The descriptions of operations: complete, consistent, and in order. */
#include <math.h>
#include <stdlib.h>

#include "support/samples.h"

TEST(operations_are_found_by_name_and_in_order)
{
    CHECK(tess_function_count() > 10);
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        CHECK(tess_function_find(op->name) == op);
        CHECK(i == 0 || strcmp(tess_function_at(i - 1)->name, op->name) < 0);
        CHECK(op->help && op->help[0] && op->module && op->n_args > 0);
    }
    CHECK(tess_function_at(tess_function_count()) == NULL);
    CHECK(tess_function_find("no such") == NULL && tess_function_find(NULL) == NULL);
}

TEST(names_are_the_same_whatever_their_spelling)
{
    CHECK(tess_same_name("max_shift", "maximum-shift") && tess_same_name("Center", "centre"));
    CHECK(tess_same_name("pixel_size", "apix") && tess_same_name("template-apix", "template_voxel_size"));
    CHECK(tess_same_name("symmetry", "sym") && tess_same_name("", ""));
    CHECK(tess_same_name("MAX", "Maximum") && tess_same_name("no-normalise", "no_normalize"));
    CHECK(tess_same_name("angpix", "apix") && tess_same_name("angpix_out", "voxel-size-out"));
    CHECK(tess_same_name("gray", "grey") && tess_same_name("bg_color", "bg-colour"));
    CHECK(tess_same_name("rounds", "iterations") && tess_same_name("min_minimum", "minimum-min"));
    CHECK(tess_same_name("-x", "_X") && !tess_same_name("-x", "x") && !tess_same_name("x-", "x"));
    CHECK(!tess_same_name("max_shift", "maxshift") && !tess_same_name("a-_b", "a_b"));
    CHECK(!tess_same_name("max", "min") && !tess_same_name("centre", "centred") && !tess_same_name("maxi", "max"));
    CHECK(!tess_same_name(NULL, "max") && !tess_same_name("max", NULL) && !tess_same_name("a", ""));
    char longest[200];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    CHECK(!tess_same_name(longest, longest) && !tess_same_name("max", longest)); /* no name is as long */
}

/* Every byte of an options struct before `reserved` belongs to exactly one row. */
TEST(rows_cover_every_options_struct)
{
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        unsigned char             used[256] = { 0 };
        CHECK(op->opts_size <= sizeof used);
        for (size_t k = 0; k < op->n_args; k++) {
            const tess_arg_info *arg = &op->args[k];
            if (arg->role != TESS_ROLE_OPTION) continue;
            for (size_t at = arg->offset; at < arg->offset + arg->size; at++) used[at]++;
        }
        for (size_t at = 0; at < op->opts_size; at++)
            if (used[at] != (at < op->reserved_offset))
                (void)test_failed(__FILE__, __LINE__, "%s: byte %zu of the options is in %d rows", op->name, at,
                                  used[at]);
    }
}

TEST(defaults_are_allowed_values_and_names_are_unique)
{
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        for (size_t k = 0; k < op->n_args; k++) {
            const tess_arg_info *arg = &op->args[k];
            CHECK(arg->name && arg->help && arg->help[0] && arg->unit);
            for (size_t j = 0; j < k; j++) CHECK(!tess_same_name(op->args[j].name, arg->name));
            if (arg->role != TESS_ROLE_OPTION) continue;
            CHECK(isnan(arg->fallback) == (arg->computed != NULL));
            if (arg->fallback != 0 && !arg->computed) CHECK(arg->fallback >= arg->min && arg->fallback <= arg->max);
        }
    }
}

/* Fields that nothing uses yet are rejected unless they are 0. */
TEST(unused_fields_must_be_zero)
{
    int n = 0;
    for (size_t i = 0; i < tess_function_count(); i++)
        for (size_t k = 0; k < tess_function_at(i)->n_args; k++) {
            const tess_arg_info *arg = &tess_function_at(i)->args[k];
            if (strcmp(arg->name, "unused") != 0) continue;
            CHECK(arg->min == 0 && arg->max == 0 && arg->fallback == 0);
            n++;
        }
    CHECK(n > 0);
}

/* ---- An explicit 0 ---- */

static const tess_arg_info *row_of(const tess_function_info *op, const char *name)
{
    for (size_t k = 0; k < op->n_args; k++)
        if (strcmp(op->args[k].name, name) == 0) return &op->args[k];
    return NULL;
}

static bool is_number(const tess_arg_info *row)
{
    return row->type == TESS_ARG_F64 || row->type == TESS_ARG_I32 || row->type == TESS_ARG_I64 ||
           row->type == TESS_ARG_U32 || row->type == TESS_ARG_U64;
}

/* 0 as given is never the same options as 0 left out, unless 0 is the default: it is written down, or rejected. An
 * integer whose default an operation computes is -1 when it is left out: that must be out of range. */
TEST(a_zero_that_was_given_is_not_left_out)
{
    static unsigned char opts[256], none[256];
    int                  kept = 0, rejected = 0;
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        for (size_t k = 0; k < op->n_args; k++) {
            const tess_arg_info *row = &op->args[k];
            if (row->role != TESS_ROLE_OPTION || !is_number(row) || row->fallback == 0) continue;
            const bool allowed = row->min <= 0 && row->max >= 0;
            memset(opts, 0, sizeof opts);
            const bool is_signed = row->type == TESS_ARG_I32 || row->type == TESS_ARG_I64;
            CHECK(!(row->computed && row->type != TESS_ARG_F64) || !allowed || (is_signed && row->min == 0));
            if (allowed) {
                CHECK_OK(tess_option_given(op, row, opts));
                CHECK(memcmp(opts, none, sizeof opts) != 0);
                kept++;
            } else {
                CHECK_FAILS(tess_option_given(op, row, opts), TESS_ERANGE, row->name);
                CHECK(strstr(tess_error_message(), " is 0; ") != NULL);
                rejected++;
            }
        }
    }
    CHECK(kept > 30 && rejected > 30);
}

TEST(what_option_given_rejects)
{
    const tess_function_info *op = tess_function_find("matmul");
    tess_matmul_opts          o = { 0 };
    CHECK_FAILS(tess_option_given(NULL, row_of(op, "alpha"), &o), TESS_EARG, "option_given: op is NULL");
    CHECK_FAILS(tess_option_given(op, NULL, &o), TESS_EARG, "option_given: row is NULL");
    CHECK_FAILS(tess_option_given(op, row_of(op, "alpha"), NULL), TESS_EARG, "option_given: opts is NULL");
    CHECK_FAILS(tess_option_given(op, row_of(op, "a"), &o), TESS_EARG,
                "option_given: row is \"a\" of matmul; an option is expected");
    o.alpha = NAN;
    CHECK_FAILS(tess_option_given(op, row_of(op, "alpha"), &o), TESS_ERANGE, "matmul: opts->alpha is nan");
    const tess_function_info *t = tess_function_find("transform_2d");
    tess_transform_opts       shape = { .shape = { { 1, 1, 0, 4 } } };
    CHECK_FAILS(tess_option_given(t, row_of(t, "shape"), &shape), TESS_ERANGE,
                "transform_2d: opts->shape is {1,1,0,4}; sizes must not be 0");
}

/* Shapes that an operation computes stay zeros, whether options are NULL or zeroed. */
TEST(computed_shapes_are_left_out)
{
    tess_array a = constant(TESS_F32, 1, 1, 6, 6, 1), one = { 0 }, other = { 0 };
    CHECK_OK(tess_remove_outliers(&one, &a, 6, NULL));
    CHECK_OK(tess_remove_outliers(&other, &a, 6, &(tess_outliers_opts){ 0 }));
    CHECK(tess_same_shape(&one, &a) && tess_same_shape(&other, &a));
    tess_release(&a);
    tess_release(&one);
    tess_release(&other);
}

/* In C, by TESS_ZERO and TESS_ZERO_INT. */
TEST(zeros_are_written_in_c)
{
    double     two[] = { 1, 3 };
    bool       close = true;
    tess_array a, out = { 0 }, counts = { 0 };
    CHECK_OK(tess_wrap(&a, two, TESS_SHAPE(1, 1, 1, 2), TESS_F64, NULL));
    CHECK_OK(tess_allclose(&close, &a, &tess_f64(1 + 1e-9), &(tess_isclose_opts){ .rtol = TESS_ZERO, .atol = 3 }));
    CHECK(close);
    CHECK_OK(tess_allclose(&close, &a, &a, &(tess_isclose_opts){ .rtol = TESS_ZERO, .atol = TESS_ZERO }));
    CHECK(close);
    two[1] = 1 + 1e-9;
    CHECK_OK(tess_allclose(&close, &a, &tess_f64(1), &(tess_isclose_opts){ .rtol = TESS_ZERO, .atol = TESS_ZERO }));
    CHECK(!close);
    CHECK_OK(tess_histogram(&counts, &a, 4, TESS_W, &(tess_histogram_opts){ .low = -1, .high = TESS_ZERO }));
    CHECK(TESS_AT(int64_t, counts, 0, 0, 0, 3) == 0);
    tess_release(&counts);
    CHECK_OK(tess_histogram(&counts, &a, 4, TESS_W, &(tess_histogram_opts){ .low = 0, .high = 4 }));
    CHECK(TESS_AT(int64_t, counts, 0, 0, 0, 1) == 2);
    CHECK_OK(tess_allclose(&close, &tess_f64(1 + 1e-6), &tess_f64(1), &(tess_isclose_opts){ .atol = 1e-8 }));
    CHECK(!close);
    CHECK_OK(tess_full(&out, TESS_SHAPE(1, 1, 8, 8), TESS_F64, tess_cpu(), 5));
    CHECK_OK(
        tess_draw_sphere(&out, &out, &tess_f64(4), &(tess_draw_opts){ .value = TESS_ZERO, .op = TESS_DRAW_REPLACE }));
    CHECK(TESS_AT(double, out, 0, 0, 4, 4) == 0 && !signbit(TESS_AT(double, out, 0, 0, 4, 4)));
    tess_array peaks[2] = { { .data = NULL }, { .data = NULL } };
    CHECK_OK(tess_peaks(&peaks[0], &peaks[1], &out, 100, &(tess_peaks_opts){ .edge = TESS_ZERO_INT }));
    for (int i = 0; i < 2; i++) tess_release(&peaks[i]);
    CHECK(tess_given(0) == 0 && signbit(tess_given(0)) && tess_given(2) == 2 && tess_given_int(0) == TESS_ZERO_INT);
    tess_release(&out);
    tess_release(&counts);
}

/* ---- Samples and metadata ---- */

TEST(samples_are_four_sizes_and_a_word)
{
    static const struct {
        const char      *sample;
        int64_t          dim[4];
        tess_sample_kind kind;
    } cases[] = {
        { NULL, { 2, 3, 4, 6 }, TESS_SAMPLE_ANY },
        { "mask", { 2, 3, 4, 6 }, TESS_SAMPLE_MASK },
        { "b,1,1,12", { 2, 1, 1, 12 }, TESS_SAMPLE_ANY },
        { "1,d,h+2,w/2+1 complex", { 1, 3, 6, 4 }, TESS_SAMPLE_COMPLEX },
        { "0,0,3,3 identity", { 0, 0, 3, 3 }, TESS_SAMPLE_IDENTITY },
    };
    tess_arg_info    row = { .name = "x" };
    tess_shape       shape;
    tess_sample_kind kind;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        row.sample = cases[i].sample;
        CHECK_OK(tess_arg_sample(&shape, &kind, &row, TESS_SHAPE(2, 3, 4, 6)));
        CHECK(memcmp(shape.dim, cases[i].dim, sizeof shape.dim) == 0 && kind == cases[i].kind);
    }
    CHECK_FAILS(tess_arg_sample(&shape, &kind, NULL, TESS_SHAPE(2, 3, 4, 6)), TESS_EARG, "arg_sample: row is NULL");
}

TEST(samples_that_are_no_sizes)
{
    static const char *const wrong[] = { "b,1,1,4 reel",
                                         "b/0,1,1,4",
                                         "b/,1,1,4",
                                         "b+,1,1,4",
                                         "b,,1,1",
                                         ",1,1,1",
                                         "b,1,1,",
                                         "b,1,1",
                                         "b,1,1,4,1",
                                         "b,1,1,4mask",
                                         "b,1,1,4  mask",
                                         "b,1,1,4 mask,",
                                         "b,1,1,-4",
                                         "x,1,1,4",
                                         "b*2,1,1,4",
                                         "b, 1,1,4",
                                         "b/2",
                                         "b,1,1,h/w",
                                         "bb,1,1,4",
                                         "b/0,,,",
                                         ",",
                                         "b,1,1,99999999999999999999" };
    tess_arg_info            row = { .name = "x" };
    tess_shape               shape;
    tess_sample_kind         kind;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        row.sample = wrong[i];
        CHECK_FAILS(tess_arg_sample(&shape, &kind, &row, TESS_SHAPE(2, 3, 4, 6)), TESS_EARG,
                    "arg_sample: the sample of row \"x\" is \"", wrong[i], "\"; four sizes, a word, or both");
    }
}

/* What metadata follows from: the axes of a permutation, numbers for each axis. */
static bool can_be_followed(const tess_function_info *op)
{
    bool has_axes = false, has_numbers = false;
    for (size_t k = 0; k < op->n_args; k++) {
        has_axes = has_axes || op->args[k].type == TESS_ARG_AXES;
        has_numbers = has_numbers || (op->args[k].type == TESS_ARG_SHAPE && op->args[k].flags & TESS_ARG_PER_AXIS);
    }
    if (op->metadata == TESS_METADATA_PERMUTED) return has_axes;
    return has_numbers || op->metadata < TESS_METADATA_BINNED || op->metadata == TESS_METADATA_CENTRED;
}

TEST(samples_and_metadata_of_the_table_make_sense)
{
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        if (!can_be_followed(op)) (void)test_failed(__FILE__, __LINE__, "the metadata of %s", op->name);
        for (size_t k = 0; k < op->n_args; k++) {
            tess_shape       shape;
            tess_sample_kind kind;
            const bool       is_value = op->args[k].type == TESS_ARG_ARRAY || op->args[k].type == TESS_ARG_SHAPE;
            if (is_value) CHECK_OK(tess_arg_sample(&shape, &kind, &op->args[k], TESS_SHAPE(2, 1, 4, 6)));
        }
    }
}

/* ---- Axes ---- */

enum { NAME = 24 };

/* Read one alternative of a row's `axes`, four names; returns what follows it, or NULL if it is something else. */
static const char *read_names(char names[4][NAME], const char *text)
{
    for (int k = 0; k < 4; k++) {
        const size_t n = strcspn(text, ",|");
        if (n == 0 || n >= NAME) return NULL;
        memcpy(names[k], text, n);
        names[k][n] = '\0';
        text += n;
        if (k < 3 && *text++ != ',') return NULL;
    }
    return *text == '\0' ? text : *text == '|' && text[1] ? text + 1 : NULL;
}

static bool is_capital(const char *name) { return name[0] >= 'A' && name[0] <= 'Z' && !name[1]; }

/* Is it a size, a capital letter, or a word that may end in `?`. */
static bool is_axis(const char *name)
{
    const size_t letters = strspn(name, "abcdefghijklmnopqrstuvwxyz_/");
    if (letters) return !name[letters] || strcmp(name + letters, "?") == 0;
    return is_capital(name) || (name[0] != '0' && strspn(name, "0123456789") == strlen(name));
}

/* Is `name?` an argument, or an axis of another array too. */
static bool is_shown_by_something(const tess_function_info *op, const char *name)
{
    char option[NAME];
    int  arrays = 0;
    (void)snprintf(option, sizeof option, "%.*s", (int)strlen(name) - 1, name);
    for (size_t k = 0; k < op->n_args; k++) {
        if (strcmp(op->args[k].name, option) == 0) return true;
        arrays += op->args[k].axes && strstr(op->args[k].axes, name) != NULL;
    }
    return arrays > 1;
}

static bool has_good_axes(const tess_function_info *op, const tess_arg_info *row)
{
    const bool is_result = row->type == TESS_ARG_RESULT && row->flags & TESS_ARG_IS_ARRAY;
    if (row->type != TESS_ARG_ARRAY && row->type != TESS_ARG_SHAPE && !is_result) return false;
    const char *rest = row->axes;
    do {
        char names[4][NAME];
        bool own = false;
        rest = read_names(names, rest);
        for (int k = 0; rest && k < 4; k++) {
            const char *name = names[k];
            if (!is_axis(name)) return false;
            if (strchr(name, '?') && !is_shown_by_something(op, name)) return false;
            if (is_capital(name) && own) return false; /* leading axes are in front */
            own = own || !(is_capital(name) || strcmp(name, "1") == 0);
        }
    } while (rest && *rest);
    return rest != NULL;
}

TEST(axes_of_arrays_are_four)
{
    int n = 0;
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        for (size_t k = 0; k < op->n_args; k++) {
            const tess_arg_info *row = &op->args[k];
            if (!row->axes) continue;
            if (!has_good_axes(op, row))
                (void)test_failed(__FILE__, __LINE__, "the axes of %s of %s are \"%s\"", row->name, op->name,
                                  row->axes);
            n++;
        }
    }
    CHECK(n > 200);
}

TEST(axes_that_are_not_four)
{
    static const char *const  wrong[] = { "",           "B",        "B,1,1",    "B,1,1,",        "B,1,1,4,1",
                                          "B,,1,4",     "B,1,1,4|", "|B,1,1,4", "B,1,1,4|B,1,4", "B,1,1,04",
                                          "B, 1,1,4",   "BB,1,1,4", "n,B,1,4",  "B,1,none?,4",   "B,1,n?n,4",
                                          "B,1,counts", "B,1,1,-4", "B,1,1,?",  "B,1,1,4|b",     "B,1,4*,4",
                                          "B,1,1,n 4",  "0,1,1,4",  "B,1,1,4k", "B,1,counts??,4" };
    const tess_function_info *op = tess_function_find("fsc");
    tess_arg_info             row = *row_of(op, "out");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        row.axes = wrong[i];
        if (has_good_axes(op, &row)) (void)test_failed(__FILE__, __LINE__, "\"%s\" passes", wrong[i]);
    }
    row.axes = "B,D,counts?,shells/n|2,1,1,4";
    CHECK(has_good_axes(op, &row));
    CHECK(!has_good_axes(op, row_of(op, "aperture")));
}

/* Do the sizes among the names of an alternative fit? Batches of a result are those of the inputs. */
static bool fits(char names[4][NAME], tess_shape shape, int64_t batches)
{
    for (int k = 0; k < 4; k++) {
        const bool is_number = strspn(names[k], "0123456789") > 0;
        if (is_number && strtoll(names[k], NULL, 10) != shape.dim[k]) return false;
    }
    return batches == 0 || names[0][0] != 'B' || shape.b == batches;
}

static void compare_axes(const sample *s, size_t i, int64_t batches)
{
    char        names[4][NAME], text[2][80];
    const char *rest = s->op->args[i].axes;
    while (rest && *rest) {
        rest = read_names(names, rest);
        if (rest && fits(names, s->arrays[i].shape, batches)) return;
    }
    const tess_shape shape = s->arrays[i].shape;
    sample_name(text[0], &s->op->args[i]);
    (void)snprintf(text[1], sizeof text[1], "{%d,%d,%d,%d}", (int)shape.b, (int)shape.d, (int)shape.h, (int)shape.w);
    (void)test_failed(__FILE__, __LINE__, "%s: %s is %s, its axes are \"%s\"", s->op->name, text[0], text[1],
                      s->op->args[i].axes);
}

TEST(arrays_have_the_axes_of_their_rows)
{
    int n = 0;
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        sample                    s;
        int64_t                   batches = 0;
        if (sample_is_of_files(op)) continue;
        sample_make(&s, op);
        sample_ask_results(&s);
        if (!CHECK_OK(sample_call(&s))) printf("  of %s\n", op->name);
        for (size_t k = 0; k < op->n_args; k++)
            if (op->args[k].role == TESS_ROLE_IN && s.arrays[k].shape.b > batches) batches = s.arrays[k].shape.b;
        for (size_t k = 0; k < op->n_args; k++) {
            if (!op->args[k].axes || !s.arrays[k].data) continue;
            compare_axes(&s, k, sample_is_output(&op->args[k]) ? batches : 0);
            n++;
        }
        sample_free(&s);
    }
    CHECK(n > 150);
}

/* Axes of size 1 have no other size: images are not volumes, rows are not columns. */
static void widen(const tess_function_info *op, size_t i, int axis)
{
    sample s;
    char   name[80];
    sample_make(&s, op);
    tess_shape shape = s.arrays[i].shape;
    tess_array wide = { 0 };
    shape.dim[axis] = 2;
    CHECK_OK(tess_zeros(&wide, shape, s.arrays[i].dtype, tess_cpu()));
    tess_release(&s.arrays[i]);
    s.arrays[i] = wide;
    sample_name(name, &op->args[i]);
    if (sample_call(&s) == TESS_OK)
        (void)test_failed(__FILE__, __LINE__, "%s takes %s with axis %d of size 2", op->name, name, axis);
    sample_free(&s);
}

TEST(axes_of_size_1_have_no_other)
{
    int n = 0;
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        if (sample_is_of_files(op)) continue;
        for (size_t k = 0; k < op->n_args; k++) {
            char names[4][NAME];
            if (op->args[k].role != TESS_ROLE_IN || !op->args[k].axes || strchr(op->args[k].axes, '|')) continue;
            if (!CHECK(read_names(names, op->args[k].axes) != NULL)) continue;
            for (int axis = 0; axis < 4; axis++) {
                if (strcmp(names[axis], "1") != 0) continue;
                widen(op, k, axis);
                n++;
            }
        }
    }
    CHECK(n > 50);
}
