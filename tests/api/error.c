/* Statuses, and the record of the last failure: message, trace, notes, threads. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>

#include "core/check/error.h"
#include "support/test.h"
#include "tessera/io.h"

/* ---- Statuses ---- */

TEST(every_status_has_a_name_and_a_text)
{
#define CHECK_STATUS(name, value, text)                                                                                \
    CHECK_I64(name, value);                                                                                            \
    CHECK_TEXT(tess_status_name(name), #name);                                                                         \
    CHECK_TEXT(tess_status_text(name), text);
    TESS_STATUSES(CHECK_STATUS)
#undef CHECK_STATUS
}

TEST(status_values_are_fixed)
{
    CHECK_I64(TESS_OK, 0);
    CHECK_I64(TESS_ESHAPE, -1);
    CHECK_I64(TESS_ENOMEM, -9);
    CHECK_I64(TESS_EIO, -11);
}

TEST(numbers_that_are_no_status_have_a_name_too)
{
    static const int bad[] = { 1, -99, -1000, INT32_MAX, INT32_MIN };
    for (int i = 0; i < 5; i++) {
        CHECK_TEXT(tess_status_name((tess_status)bad[i]), "TESS_E?");
        CHECK(tess_status_text((tess_status)bad[i])[0] != '\0');
    }
}

/* ---- The record ---- */

static tess_status fail_with(tess_status status, const char *text) { TESS_FAIL(status, "%s", text); }

/* Fail, and let the test look at the record instead of at the status. */
static void failed(tess_status status) { CHECK(status != TESS_OK); }

TEST(no_failure_is_an_empty_record)
{
    tess_error_clear();
    CHECK(tess_error_status() == TESS_OK);
    CHECK_TEXT(tess_error_message(), "");
    CHECK_TEXT(tess_error_trace(), "");
}

TEST(a_failure_is_recorded)
{
    failed(fail_with(TESS_EIO, "the tape is torn"));
    CHECK(tess_error_status() == TESS_EIO);
    CHECK_TEXT(tess_error_message(), "the tape is torn");
    CHECK(strncmp(tess_error_trace(), "error: the tape is torn\n  at fail_with (", 40) == 0);
    CHECK(strstr(tess_error_trace(), "tests/api/error.c:") != NULL);
}

TEST(clear_forgets)
{
    failed(fail_with(TESS_EIO, "x"));
    tess_error_clear();
    CHECK(tess_error_status() == TESS_OK);
    CHECK_TEXT(tess_error_message(), "");
    CHECK_TEXT(tess_error_trace(), "");
}

TEST(success_does_not_clear)
{
    tess_array a = { 0 };
    failed(fail_with(TESS_EIO, "kept"));
    const char *message = tess_error_message();
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 2, 2), TESS_F32, tess_cpu()));
    CHECK_OK(tess_fill(&a, 1));
    tess_release(&a);
    CHECK(tess_error_status() == TESS_EIO && tess_error_message() == message);
    CHECK_TEXT(message, "kept");
}

TEST(a_new_failure_replaces_the_old_one)
{
    failed(fail_with(TESS_EIO, "first"));
    failed(fail_with(TESS_EPARSE, "second"));
    CHECK(tess_error_status() == TESS_EPARSE);
    CHECK_TEXT(tess_error_message(), "second");
    CHECK(strstr(tess_error_trace(), "first") == NULL);
}

TEST(trace_may_be_asked_for_twice)
{
    failed(fail_with(TESS_EIO, "x"));
    char *once = strdup(tess_error_trace());
    CHECK_TEXT(tess_error_trace(), once);
    free(once);
}

TEST(the_library_fills_the_record)
{
    tess_array a = { 0 };
    failed(tess_transpose(&a, &a));
    CHECK_TEXT(tess_error_message(), "transpose: a is a released or zeroed array; an allocated array is needed");
    const char *trace = tess_error_trace();
    CHECK(strncmp(trace, "error: transpose: a is a released", 33) == 0);
    CHECK(strstr(trace, "\n  at ") && strstr(trace, "\n  in tess_transpose (src/"));
    CHECK(strstr(trace, "(/") == NULL);
    CHECK(trace[strlen(trace) - 1] == '\n');
}

TEST(a_message_is_one_line)
{
    failed(fail_with(TESS_EIO, "one\ntwo\r\nthree"));
    CHECK(strpbrk(tess_error_message(), "\r\n") == NULL);
    CHECK(strstr(tess_error_message(), "one") && strstr(tess_error_message(), "three"));
}

TEST(a_place_in_a_text_is_shown)
{
    int line = 7, column = 7, length = 7;
    failed(fail_with(TESS_EPARSE, "list.txt:3:5: what is this?"));
    CHECK(!tess_error_position(&line, &column, &length));
    CHECK(line == 7 && column == 7 && length == 7);
    tess__error_excerpt(3, 5, 2, "one two", "    ^~");
    CHECK(tess_error_position(&line, &column, &length));
    CHECK(line == 3 && column == 5 && length == 2);
    CHECK(strncmp(tess_error_trace(), "error: list.txt:3:5: what is this?\n    one two\n        ^~\n  at ", 63) == 0);
    failed(fail_with(TESS_EIO, "another"));
    CHECK(!tess_error_position(NULL, NULL, NULL));
    CHECK(strstr(tess_error_trace(), "one two") == NULL);
    tess_error_clear();
    CHECK(!tess_error_position(NULL, NULL, NULL));
}

/* ---- The macros in functions of the user's ---- */

static tess_status check_positive(int x)
{
    TESS_CHECK(x > 0, TESS_ERANGE, "check_positive: x is %d; more than 0 is needed", x);
    return TESS_OK;
}

static tess_status try_positive(int x)
{
    TESS_TRY(check_positive(x));
    return TESS_OK;
}

static tess_status note_positive(int x)
{
    TESS_TRY_NOTE(try_positive(x), "while looking at %s %d", "number", x);
    return TESS_OK;
}

static tess_status goto_positive(int x, int *released)
{
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, note_positive(x));
    ++*released;
done:
    ++*released;
    return status;
}

static tess_status branch(int x)
{
    if (x > 5) TESS_CHECK(x > 6, TESS_EARG, "six");
    else TESS_TRY(check_positive(x));
    if (x == 1) TESS_FAIL(TESS_EARG, "one");
    else TESS_TRY_NOTE(check_positive(x - 1), "less");
    return TESS_OK;
}

/* ---- Calls of the system ---- */

static tess_status open_missing(const char *path)
{
    TESS__CHECK_SYSTEM(open(path, O_RDONLY) >= 0, "open_missing: %s", path);
    return TESS_OK;
}

TEST(a_failure_of_the_system_has_its_errno)
{
    tess_error_clear();
    CHECK(tess_error_errno() == 0);
    CHECK_FAILS(open_missing("no/such"), TESS_EIO, "open_missing: no/such: No such file or directory");
    CHECK(tess_error_errno() == ENOENT);
    CHECK(tess__error_under(TESS_EIO, "other") == TESS_EIO && tess_error_errno() == ENOENT);
    CHECK(strstr(tess_error_trace(), "open_missing") != NULL);
    tess_array none;
    CHECK_FAILS(tess_read(&none, "no/such.mrc", NULL), TESS_EIO, "no/such.mrc");
    CHECK(tess_error_errno() == ENOENT);
    CHECK_FAILS(tess_read(&none, "/", NULL), TESS_EIO, "Is a directory");
    CHECK(tess_error_errno() == EISDIR);
    CHECK(tess__fail(TESS_EARG, "file", 1, "f", "f: x is 1") == TESS_EARG && tess_error_errno() == 0);
    CHECK(tess__fail_system(EACCES, "file", 1, "f", "f") == TESS_EIO && tess_error_errno() == EACCES);
    tess_error_clear();
    CHECK(tess_error_errno() == 0);
}

TEST(macros_let_success_through)
{
    int released = 0;
    tess_error_clear();
    CHECK_OK(check_positive(1));
    CHECK_OK(try_positive(1));
    CHECK_OK(note_positive(1));
    CHECK_OK(goto_positive(1, &released));
    CHECK_I64(released, 2);
    CHECK(tess_error_status() == TESS_OK);
}

TEST(macros_add_places_in_order)
{
    int released = 0;
    CHECK_FAILS(goto_positive(-4, &released), TESS_ERANGE, "x is -4");
    CHECK_I64(released, 1);
    char        trace[2048];
    const char *at = trace;
    (void)snprintf(trace, sizeof trace, "%s", tess_error_trace());
    static const char *const parts[] = { "error: check_positive: x is -4; more than 0 is needed\n",
                                         "  at check_positive (",
                                         "  in try_positive (",
                                         ")  check_positive(x)\n",
                                         "  in note_positive (",
                                         ")  try_positive(x)\n",
                                         "  note: while looking at number -4\n",
                                         "  in goto_positive (",
                                         ")  note_positive(x)\n" };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *found = strstr(at, parts[i]);
        if (!CHECK(found != NULL)) return;
        at = found + strlen(parts[i]);
    }
    CHECK(*at == '\0');
}

TEST(macros_are_single_statements)
{
    CHECK_FAILS(branch(6), TESS_EARG, "six");
    CHECK_FAILS(branch(-1), TESS_ERANGE, "x is -1");
    CHECK_FAILS(branch(1), TESS_EARG, "one");
    CHECK_OK(branch(7));
}

static int calls;

static tess_status counted(void)
{
    calls++;
    return TESS_EIO;
}

static tess_status try_counted(void)
{
    TESS_TRY(counted());
    return TESS_OK;
}

static tess_status note_counted(void)
{
    TESS_TRY_NOTE(counted(), "noted");
    return TESS_OK;
}

TEST(a_call_is_made_once)
{
    calls = 0;
    failed(try_counted());
    failed(note_counted());
    CHECK_I64(calls, 2);
}

TEST(a_plain_return_gets_the_general_message)
{
    tess_error_clear();
    failed(try_counted());
    CHECK(tess_error_status() == TESS_EIO);
    CHECK_TEXT(tess_error_message(), tess_status_text(TESS_EIO));
    CHECK(strstr(tess_error_trace(), "  in try_counted (") != NULL);
}

TEST(a_plain_return_does_not_take_another_failures_message)
{
    failed(fail_with(TESS_EPARSE, "an old one"));
    failed(note_counted());
    CHECK(tess_error_status() == TESS_EIO);
    CHECK_TEXT(tess_error_message(), tess_status_text(TESS_EIO));
    CHECK(strstr(tess_error_trace(), "an old one") == NULL);
    CHECK(strstr(tess_error_trace(), "  note: noted\n") != NULL);
}

static tess_status wrap_message(void) { TESS_FAIL(TESS_EARG, "outer (%s)", tess_error_message()); }

static tess_status note_trace(void)
{
    TESS_TRY_NOTE(fail_with(TESS_EIO, "inner"), "was: %s", tess_error_message());
    return TESS_OK;
}

TEST(a_message_may_be_passed_into_the_next)
{
    failed(fail_with(TESS_EIO, "inner"));
    failed(wrap_message());
    CHECK_TEXT(tess_error_message(), "outer (inner)");
    for (int i = 0; i < 200; i++) failed(wrap_message());
    CHECK(strncmp(tess_error_message(), "outer (outer (outer (", 21) == 0);
    CHECK(tess_error_status() == TESS_EARG);
}

TEST(a_message_may_be_passed_into_its_own_note)
{
    failed(note_trace());
    CHECK_TEXT(tess_error_message(), "inner");
    CHECK(strstr(tess_error_trace(), "  note: was: inner\n") != NULL);
}

TEST(percent_signs_are_text)
{
    failed(fail_with(TESS_EIO, "100%s %n %d"));
    CHECK_TEXT(tess_error_message(), "100%s %n %d");
    CHECK(strstr(tess_error_trace(), "100%s %n %d") != NULL);
}

/* ---- Limits ---- */

static tess_status nest(int depth)
{
    if (depth == 0) TESS_FAIL(TESS_EIO, "at the bottom");
    TESS_TRY(nest(depth - 1));
    return TESS_OK;
}

static tess_status nest_notes(int depth, const char *text)
{
    if (depth == 0) TESS_FAIL(TESS_EIO, "at the bottom");
    TESS_TRY_NOTE(nest_notes(depth - 1, text), "%d %s", depth, text);
    return TESS_OK;
}

static int lines_with(const char *text, const char *start)
{
    int n = 0;
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL)
        n += strncmp(line, start, strlen(start)) == 0;
    return n;
}

TEST(places_beyond_the_room_are_counted)
{
    failed(nest(99));
    const char *trace = tess_error_trace();
    CHECK_TEXT(tess_error_message(), "at the bottom");
    const int   kept = lines_with(trace, "  at ") + lines_with(trace, "  in ");
    int         more = 0;
    const char *left = strstr(trace, "and ");
    CHECK(kept >= 10 && kept < 100);
    CHECK(left && sscanf(left, "and %d more places\n", &more) == 1);
    CHECK_I64(kept + more, 100);
}

TEST(a_million_places_are_no_harm)
{
    failed(fail_with(TESS_EIO, "x"));
    for (int i = 0; i < 1000000; i++) failed(tess__trace(TESS_EIO, "file.c", i, "function", "call()"));
    CHECK(strstr(tess_error_trace(), "more places") != NULL);
}

TEST(long_messages_are_cut)
{
    static char text[100000];
    memset(text, 'm', sizeof text - 1);
    failed(fail_with(TESS_EIO, text));
    const size_t length = strlen(tess_error_message());
    CHECK(length >= 200 && length < 10000);
    CHECK(strspn(tess_error_message(), "m") == length);
    CHECK(strstr(tess_error_trace(), "\n  at fail_with (") != NULL);
}

TEST(long_notes_are_cut)
{
    static char text[100000];
    memset(text, 'n', sizeof text - 1);
    failed(nest_notes(3, text));
    const char *trace = tess_error_trace();
    CHECK(strlen(trace) < 20000);
    CHECK(strstr(trace, "  note: 1 nnnn") != NULL);
    CHECK_I64(lines_with(trace, "  in nest_notes ("), 3);
}

TEST(many_notes_are_no_harm)
{
    failed(nest_notes(1000, "some words to fill the room that there is for notes, and a few more to be sure of it"));
    const char *trace = tess_error_trace();
    CHECK(strstr(trace, "  note: 1 some words") != NULL);
    CHECK(strstr(trace, "more places") != NULL);
    CHECK(strlen(trace) < 20000);
}

TEST(long_calls_do_not_overrun_the_trace)
{
    static char call[5000];
    memset(call, 'c', sizeof call - 1);
    failed(fail_with(TESS_EIO, "x"));
    for (int i = 0; i < 30; i++) failed(tess__trace(TESS_EIO, "file.c", i, "function", call));
    CHECK(strlen(tess_error_trace()) < 20000);
    CHECK(strncmp(tess_error_trace(), "error: x\n  at fail_with", 23) == 0);
}

/* ---- Threads ---- */

typedef struct thread_view {
    tess_status before, own;
    char        message[64];
} thread_view;

static void *fail_elsewhere(void *context)
{
    thread_view *v = context;
    v->before = tess_error_status();
    v->own = fail_with(TESS_EPARSE, "of the thread");
    (void)snprintf(v->message, sizeof v->message, "%s", tess_error_message());
    return NULL;
}

TEST(another_threads_error_is_never_seen)
{
    thread_view v = { 0 };
    pthread_t   thread;
    failed(fail_with(TESS_EIO, "of the main thread"));
    CHECK(pthread_create(&thread, NULL, fail_elsewhere, &v) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(v.before == TESS_OK && v.own == TESS_EPARSE);
    CHECK_TEXT(v.message, "of the thread");
    CHECK(tess_error_status() == TESS_EIO);
    CHECK_TEXT(tess_error_message(), "of the main thread");
}

static void *fail_often(void *context)
{
    char mine[32];
    int *wrong = context;
    for (int i = 0; i < 2000; i++) {
        (void)snprintf(mine, sizeof mine, "%p %d", context, i);
        if (fail_with(TESS_EIO, mine) != TESS_EIO || strcmp(tess_error_message(), mine) != 0) ++*wrong;
        if (!strstr(tess_error_trace(), mine)) ++*wrong;
    }
    return NULL;
}

TEST(threads_fail_at_the_same_time)
{
    pthread_t threads[8];
    int       wrong[8] = { 0 };
    for (int i = 0; i < 8; i++) CHECK(pthread_create(&threads[i], NULL, fail_often, &wrong[i]) == 0);
    for (int i = 0; i < 8; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    for (int i = 0; i < 8; i++) CHECK_I64(wrong[i], 0);
}
