/* Marks in messages, and the spellings that a front end gives them. */
#define TESS_LIBRARY /* TESS_FAIL is that of the library, whose formats have marks */
#include <pthread.h>
#include <stdio.h>

#include "core/check/error.h"
#include "core/check/marks.h"
#include "support/folder.h"
#include "support/test.h"
#include "tessera.h"

static void failed(tess_status status) { CHECK(status != TESS_OK); }

/* Every mark as {kind name field text function is_first}. */
static const char *shown(const tess_mark *mark, void *user)
{
    (void)snprintf(user, 256, "{%d %s %s %s %s %d}", (int)mark->kind, mark->name, mark->field, mark->text,
                   mark->function, mark->is_first);
    return user;
}

static const char *spelled(tess_spell_fn spell)
{
    static char text[4096];
    char        buffer[256];
    CHECK(tess_spell(text, sizeof text, tess_error_marked(), spell, buffer) == strlen(text));
    return text;
}

static tess_status fail_in(const char *fn, const char *arg, const char *value)
{
    TESS_FAIL(TESS_EARG, "%s: `%s` is %s; `opts->low` or `tess_cast` is needed", fn, arg, value);
}

/* ---- What is marked ---- */

TEST(c_spells_marks_as_they_are_written)
{
    failed(fail_in("bin", "axis", "7"));
    CHECK_TEXT(tess_error_message(), "bin: axis is 7; opts->low or tess_cast is needed");
    CHECK_TEXT(spelled(NULL), tess_error_message());
    CHECK(strncmp(tess_error_trace(), "error: bin: axis is 7; opts->low or tess_cast is needed\n", 55) == 0);
}

TEST(a_speller_sees_kinds_and_names)
{
    failed(fail_in("bin", "axis", "7"));
    CHECK_TEXT(spelled(shown), "{0 bin  bin bin 0}: {2 axis  axis bin 1} is 7; {3 low  opts->low bin 0} or "
                               "{1 cast  tess_cast bin 0} is needed");
    failed(fail_in("bin", "opts->border", "7"));
    CHECK(strstr(spelled(shown), "{3 border  opts->border bin 1} is 7;"));
    failed(fail_in("bin", "ctf->pixel_size[0]", "7"));
    CHECK(strstr(spelled(shown), "{2 ctf pixel_size[0] ctf->pixel_size[0] bin 1} is 7;"));
    failed(fail_in("bin", "opts->meta->grid", "7"));
    CHECK(strstr(spelled(shown), "{3 meta grid opts->meta->grid bin 1} is 7;"));
    failed(fail_in("bin", "NULL", "7"));
    CHECK(strstr(spelled(shown), "{4 NULL  NULL bin 1} is 7;"));
}

static tess_status fail_with_amounts(void)
{
    TESS_FAIL(TESS_ENOMEM, "sum: `%d bytes` of `%d bytes``limit| (tess_limit)`", 4096, 12);
}

TEST(amounts_and_phrases)
{
    failed(fail_with_amounts());
    CHECK_TEXT(tess_error_message(), "sum: 4096 bytes of 12 bytes (tess_limit)");
    CHECK_TEXT(spelled(shown), "{0 sum  sum sum 0}: {5 4096  4096 bytes sum 1} of {5 12  12 bytes sum 0}"
                               "{6 limit   (tess_limit) sum 0}");
}

static const char *rest_of(const tess_mark *mark, void *user)
{
    (void)snprintf(user, 256, "<%s>", mark->rest);
    return user;
}

TEST(a_speller_sees_what_follows)
{
    failed(fail_in("bin", "axis", "\"X9\""));
    CHECK_TEXT(spelled(rest_of), "<: >: < is \"X9\"; > is \"X9\"; < or > or < is needed> is needed");
}

static const char *nothing(const tess_mark *mark, void *user)
{
    (void)user;
    return mark->kind == TESS_MARK_CALL ? "" : NULL;
}

TEST(a_function_that_is_left_out_takes_its_colon_along)
{
    failed(fail_in("bin", "axis", "7"));
    CHECK_TEXT(spelled(nothing), "axis is 7; opts->low or tess_cast is needed");
}

TEST(messages_of_the_library_are_marked)
{
    tess_array a = { 0 }, out = { 0 };
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 2, 2), TESS_F32, tess_cpu()));
    failed(tess_cast(&out, &a, TESS_I8, &(tess_cast_opts){ .mode = 77 }));
    CHECK(strncmp(tess_error_message(), "cast: opts->mode is 77; 0 (the default), ", 41) == 0);
    CHECK(strncmp(spelled(shown), "{0 cast  cast cast 0}: {3 mode  opts->mode cast 1} is 77; ", 58) == 0);
    failed(tess_cast(&out, NULL, TESS_I8, NULL));
    CHECK(strstr(spelled(shown), ": {2 in  in cast 1} is {4 NULL  NULL cast 0}; an array is needed"));
    tess_release(&a);
}

/* ---- What a caller wrote ---- */

TEST(words_and_marks_in_a_mark_replace_it)
{
    failed(fail_in("bin", "row 3 of " TESS__MARK("opts->table"), "7"));
    CHECK_TEXT(tess_error_message(), "bin: row 3 of opts->table is 7; opts->low or tess_cast is needed");
    CHECK(strstr(spelled(shown), "}: row 3 of {3 table  opts->table bin 0} is 7; {3 low "));
    failed(fail_in("bin", "lhs and rhs", "7"));
    CHECK(strstr(spelled(shown), "}: lhs and rhs is 7; {3 low "));
    failed(fail_in("bin", TESS__MARK("opts->table"), "7"));
    CHECK(strstr(spelled(shown), "}: {3 table  opts->table bin 1} is 7; {3 low "));
}

TEST(values_stay_as_they_are)
{
    static const char *const values[] = { "`opts->high`", "opts->high", "tess_cast", "NULL", "a|b", "`", "%s%n" };
    char                     expected[128];
    for (int i = 0; i < 7; i++) {
        failed(fail_in("bin", "axis", values[i]));
        (void)snprintf(expected, sizeof expected, "bin: axis is %s; opts->low or tess_cast is needed", values[i]);
        CHECK_TEXT(tess_error_message(), expected);
        (void)snprintf(expected, sizeof expected, "} is %s; {3 low", values[i]);
        CHECK(strstr(spelled(shown), expected));
    }
}

TEST(control_characters_of_a_value_become_blanks)
{
    static const char *const values[] = { "a\001b", "\002", "\001", "\001\003x\002", "\003\001o", "\001two words\002" };
    for (int i = 0; i < 6; i++) {
        failed(fail_in("bin", "axis", values[i]));
        for (const char *c = tess_error_message(); *c; c++) CHECK((unsigned char)*c >= ' ');
        for (const char *c = spelled(shown); *c; c++) CHECK((unsigned char)*c >= ' ');
        CHECK(strstr(spelled(shown), "{1 cast  tess_cast bin 0} is needed"));
    }
}

/* A program's own messages begin with what it likes, and backquotes mean nothing in them. */
TEST(messages_of_others_have_no_marks)
{
    failed(tess__fail(TESS_EARG, "f.c", 1, "f", "gone: `opts->low` of %s", "opts->high"));
    CHECK_TEXT(tess_error_message(), "gone: `opts->low` of opts->high");
    CHECK_TEXT(tess_error_marked(), tess_error_message());
    CHECK_TEXT(spelled(shown), tess_error_message());
}

/* ---- Passing on ---- */

static void *fail_there(void *text)
{
    failed(fail_in("bin", "axis", "7"));
    (void)snprintf(text, 1024, "%s", tess_error_marked());
    return NULL;
}

TEST(a_failure_that_is_passed_on_keeps_its_marks)
{
    char      text[1024], before[1024];
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, fail_there, text) == 0 && pthread_join(thread, NULL) == 0);
    failed(tess__fail(TESS_EARG, "f.c", 1, "f", "%s", text));
    (void)snprintf(before, sizeof before, "%s", spelled(shown));
    CHECK(strncmp(before, "{0 bin  bin bin 0}: {2 axis  axis bin 1} is 7;", 46) == 0);
    failed(tess__fail_in_call(TESS_EARG, "f.c", 1, "f", "%s; and more", tess_error_marked()));
    CHECK(strncmp(spelled(shown), before, strlen(before)) == 0 && strstr(spelled(shown), "; and more"));
}

TEST(a_failure_under_another_name)
{
    static const char *const rows[][2] = { { "cast: no memory", "fft: no memory" },
                                           { "op_2: a: b", "fft: a: b" },
                                           { "no memory: none", "fft: no memory: none" },
                                           { "fft: x", "fft: x" },
                                           { "", "fft: " } };
    for (int i = 0; i < 5; i++) {
        const tess_status status = tess__fail_in_call(TESS_ENOMEM, "f.c", 1, "f", "%s", rows[i][0]);
        CHECK(tess__error_under(status, "fft") == TESS_ENOMEM);
        CHECK_TEXT(tess_error_message(), rows[i][1]);
        CHECK(strncmp(spelled(shown), "{0 fft  fft fft 0}: ", 20) == 0);
    }
    CHECK(tess__error_under(TESS_OK, "other") == TESS_OK && strcmp(tess_error_message(), "fft: ") == 0);
    CHECK(tess__error_under(TESS_EIO, "other") == TESS_EIO && strncmp(tess_error_message(), "other: ", 7) == 0);
    CHECK(tess__error_under(TESS_EIO, "no name") == TESS_EIO && strncmp(tess_error_message(), "no name: ", 9) != 0);
}

static tess_status inner(void) { return fail_in("bin", "axis", "7"); }

static tess_status outer(const char *text)
{
    TESS_TRY_NOTE(inner(), "with " TESS__MARK("opts->low") " of %s", text);
    return TESS_OK;
}

TEST(traces_and_notes_are_spelled_as_in_c)
{
    failed(outer("opts->x\001y"));
    const char *trace = tess_error_trace();
    CHECK(strncmp(trace, "error: bin: axis is 7; opts->low or tess_cast is needed\n  at fail_in (", 70) == 0);
    CHECK(strstr(trace, "\n  note: with opts->low of opts->x"));
    for (const char *c = trace; *c; c++) CHECK((unsigned char)*c >= ' ' || *c == '\n');
}

/* ---- Sizes ---- */

TEST(a_text_that_is_too_long_is_cut)
{
    const char   whole[] = "bin: axis is 7; opts->low or tess_cast is needed";
    const size_t length = sizeof whole - 1;
    failed(fail_in("bin", "axis", "7"));
    CHECK(tess_spell(NULL, 0, tess_error_marked(), NULL, NULL) == length);
    CHECK(tess_spell(NULL, 0, NULL, NULL, NULL) == 0);
    for (size_t n = 1; n < length + 3; n++) {
        char text[80];
        memset(text, '#', sizeof text);
        CHECK(tess_spell(text, n, tess_error_marked(), NULL, NULL) == length);
        const size_t kept = n - 1 < length ? n - 1 : length;
        CHECK(strlen(text) == kept && strncmp(text, whole, kept) == 0 && text[kept + 1] == '#');
    }
}

TEST(long_messages_end_in_whole_marks)
{
    const size_t others = strlen("bin: axis is ; opts->low or tess_cast is needed");
    for (size_t n = 380; n < 1100; n++) {
        char value[1200];
        memset(value, 'x', n);
        value[n] = '\0';
        failed(fail_in("bin", "axis", value));
        CHECK(strlen(tess_error_message()) == (n + others < 511 ? n + others : 511));
        for (const char *c = tess_error_message(); *c; c++) CHECK((unsigned char)*c >= ' ');
        for (const char *c = spelled(shown); *c; c++) CHECK((unsigned char)*c >= ' ');
    }
}

TEST(long_names_and_formats)
{
    char name[200], format[3000];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    failed(fail_in("bin", name, "7"));
    CHECK(strncmp(tess_error_message(), "bin: nnnn", 9) == 0 && strstr(tess_error_message(), "nn is 7; opts->low"));
    failed(fail_in(name, "axis", "7"));
    CHECK(strncmp(tess_error_message(), "nnnn", 4) == 0 && strstr(tess_error_message(), "nn: axis is 7;"));
    memset(format, 'x', sizeof format - 1);
    format[sizeof format - 1] = '\0';
    memcpy(format + 1020, "%%%%", 4);
    char cut[1024];
    tess__marks_format(cut, sizeof cut, format);
    CHECK(strlen(cut) == 1022 || strlen(cut) == 1020);
    CHECK(strcspn(cut, "%") == strlen(cut) || strstr(cut, "%%"));
}

/* ---- Without memory ---- */

static void *no_alloc(void *context, size_t size, size_t alignment)
{
    return (void)context, (void)size, (void)alignment, NULL;
}

static void no_free(void *context, void *memory, size_t size) { (void)context, (void)memory, (void)size; }

TEST(failures_for_want_of_memory_have_marks)
{
    const tess_allocator none = { no_alloc, no_free, NULL };
    tess_array           a = { 0 };
    CHECK_OK(tess_memory_limit_set(1));
    CHECK(tess_zeros(&a, TESS_SHAPE(1, 1, 100, 100), TESS_F32, tess_cpu()) == TESS_ENOMEM);
    CHECK(strstr(tess_error_message(), "zeros: 40000 bytes of memory are needed in addition to ") &&
          strstr(tess_error_message(),
                 " bytes in use, and the limit is 1 bytes (tess_memory_limit_set or, of the CPU, "));
    CHECK(strstr(spelled(shown), "{0 zeros  zeros zeros 0}: {5 40000  40000 bytes zeros 1} of memory ") &&
          strstr(spelled(shown), "{6 memory_limit   (tess_memory_limit_set or"));
    CHECK_OK(tess_memory_limit_set(0));
    CHECK_OK(tess_allocator_set(&none));
    CHECK(tess_zeros(&a, TESS_SHAPE(1, 1, 1000, 1000), TESS_F32, tess_cpu()) == TESS_ENOMEM);
    CHECK(strncmp(spelled(shown), "{0 zeros  zeros zeros 0}: no memory for ", 40) == 0);
    failed(fail_in("bin", "axis", "7"));
    CHECK(strstr(spelled(shown), "{2 axis  axis bin 1} is 7;"));
    CHECK_OK(tess_allocator_set(NULL));
}

TEST(a_file_without_warnings)
{
    tess_array a = { 0 };
    tess_file *file = NULL;
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 2, 2), TESS_F32, tess_cpu()));
    CHECK_OK(tess_write(in_folder("a.npy"), &a, NULL));
    CHECK_OK(tess_open(&file, in_folder("a.npy"), NULL));
    for (int i = -1; i < 2; i++) CHECK_TEXT(tess_file_warning_marked(file, i), "");
    CHECK_TEXT(tess_file_warning_marked(NULL, 0), "");
    tess_file_close(file);
    tess_release(&a);
}
