/* Expressions over columns: texts that are compared become columns of 0 and 1, reductions become numbers, and what is
 * left is one operator over all rows. */
#include "tables/column_formula.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "calc/language_message.h"
#include "command/job.h"
#include "files/on_device.h"

enum { MAX_COLUMNS = 64, MAX_TEXTS = 64 };

/* A comparison of a column with a text. */
typedef struct text_test {
    int64_t column;
    char   *pattern;
    bool    equal;
} text_test;

typedef struct formula {
    const tess_star_table *table;
    tess_device            device;
    fault                 *wrong;
    char                  *text; /* of the user's length, with names such as t0_ for comparisons with texts */
    text_test              tests[MAX_TEXTS];
    int                    n_tests;
} formula;

/* ---- Comparisons with texts ---- */

/* Does a text match a pattern where * stands for any letters and ? for one? */
static bool matches(const char *text, const char *pattern)
{
    const char *star = NULL, *again = text;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            again = text;
        } else if (*pattern == *text || *pattern == '?') {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++again;
        } else return false;
    }
    while (*pattern == '*') pattern++;
    return !*pattern;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

static tess_status reject(const formula *f, int64_t at, int64_t length, const char *what, const char *word)
{
    *f->wrong = (fault){ (int)at, (int)length };
    TESS_FAIL(TESS_EPARSE, VERB ": %s%.*s", what, (int)length, word);
}

/* No column: the nearest that there is. */
static tess_status reject_name(const formula *f, const char *name, int64_t at)
{
    nearest n;
    nearest_start(&n, name);
    for (int64_t k = 0; k < tess_star_columns(f->table); k++) nearest_try(&n, tess_star_label(f->table, k) + 1);
    *f->wrong = (fault){ (int)at, (int)strlen(name) };
    TESS_FAIL(TESS_EPARSE, VERB ": '%s' is not a column of data_%s%s%s%s", name, tess_star_name(f->table),
              n.name ? "; did you mean " : "", n.name ? n.name : "", n.name ? "?" : "");
}

/* ---- Names with slashes ---- */

/* The column of a name; '_' stands for the '/' of cryoSPARC's fields, too. -1: there is none. */
static int64_t column_of(const tess_star_table *t, const char *name)
{
    const int64_t exact = tess_star_column(t, name);
    for (int64_t k = 0; exact < 0 && k < tess_star_columns(t); k++) {
        const char *label = tess_star_label(t, k) + 1, *c = name;
        while (*c && *label && (*c == *label || (*c == '_' && *label == '/'))) c++, label++;
        if (!*c && !*label) return k;
    }
    return exact;
}

/* A slash inside the name of a column, as of ctf/df1_A, becomes an underscore; others divide. */
static void join_names(const formula *f)
{
    for (char *c = f->text; (c = strchr(c, '/')); c++) {
        char *first = c, *last = c + 1, label[100];
        while (first > f->text && is_letter(first[-1])) first--;
        while (is_letter(*last)) last++;
        (void)snprintf(label, sizeof label, "%.*s", (int)(last - first < 99 ? last - first : 99), first);
        if (tess_star_column(f->table, label) >= 0) *c = '_';
    }
}

/* ---- Texts ---- */

/* The comparison that ends with the text in quotes from `open` to `close`: its column takes one name in the text. */
static tess_status take_text(formula *f, char *open, char *close)
{
    char *end = open;
    while (end > f->text && end[-1] == ' ') end--;
    const bool good = end - f->text > 2 && end[-1] == '=' && (end[-2] == '=' || end[-2] == '!');
    if (!good)
        return reject(f, open - f->text, close - open + 1,
                      "a text can only be compared with a column, as COLUMN == \"TEXT\": ", open);
    const bool equal = end[-2] == '=';
    end -= 2;
    while (end > f->text && end[-1] == ' ') end--;
    char *name = end;
    while (name > f->text && is_letter(name[-1])) name--;
    char label[100], test[8];
    (void)snprintf(label, sizeof label, "%.*s", (int)(end - name < 99 ? end - name : 99), name);
    const int64_t column = column_of(f->table, label);
    if (column < 0) return reject_name(f, label, name - f->text);
    TESS_CHECK(f->n_tests < MAX_TEXTS, TESS_EARG, VERB ": more than %d texts in an expression", MAX_TEXTS);
    *close = '\0';
    char *pattern = strdup(open + 1);
    TESS_CHECK(pattern, TESS_ENOMEM, VERB ": no memory for an expression");
    const int n = snprintf(test, sizeof test, "t%d_", f->n_tests);
    f->tests[f->n_tests++] = (text_test){ column, pattern, equal };
    memset(name, ' ', (size_t)(close - name) + 1);
    memcpy(name, test, (size_t)n);
    return TESS_OK;
}

static tess_status take_texts(formula *f)
{
    join_names(f);
    for (char *c = f->text; *c; c++) {
        if (*c != '"' && *c != '\'') continue;
        char *close = strchr(c + 1, *c);
        if (!close) return reject(f, c - f->text, (int64_t)strlen(c), "unclosed quote: ", c);
        TESS_TRY(take_text(f, c, close));
    }
    return TESS_OK;
}

/* 1 where the text of a row matches, else 0. */
static tess_status run_test(tess_array *out, const formula *f, const text_test *test)
{
    const int64_t n = tess_star_rows(f->table);
    TESS_TRY(tess_empty(out, TESS_SHAPE(n, 1, 1, 1), TESS_F64, tess_cpu()));
    double *values = out->data;
    for (int64_t r = 0; r < n; r++)
        values[r] = matches(tess_star_value(f->table, r, test->column), test->pattern) == test->equal;
    return TESS_OK;
}

/* ---- Operators ---- */

/* The columns that an expression uses, as parameters c0_, c1_, … */
typedef struct parameters {
    tess_array arrays[MAX_COLUMNS];
    char       names[MAX_COLUMNS][100];
    int        n;
} parameters;

/* The number of the parameter for a name, which is read now if it is new. */
static tess_status find_parameter(parameters *p, const formula *f, const token *t, int *which)
{
    char name[100];
    int  test = -1, used = 0;
    (void)snprintf(name, sizeof name, "%.*s", t->length < 99 ? t->length : 99, t->text);
    for (*which = 0; *which < p->n; ++*which)
        if (strcmp(p->names[*which], name) == 0) return TESS_OK;
    TESS_CHECK(p->n < MAX_COLUMNS, TESS_EARG, VERB ": more than %d columns in an expression", MAX_COLUMNS);
    const bool is_test = sscanf(name, "t%d_%n", &test, &used) == 1 && used && !name[used] && test < f->n_tests;
    if (is_test) TESS_TRY(run_test(&p->arrays[p->n], f, &f->tests[test]));
    else if (column_of(f->table, name) < 0) return reject_name(f, name, t->at);
    else TESS_TRY(tess_star_numbers(&p->arrays[p->n], f->table, tess_star_label(f->table, column_of(f->table, name))));
    (void)strcpy(p->names[p->n++], name);
    TESS_TRY(move_array(&p->arrays[*which], f->device));
    return TESS_OK;
}

static bool is_word_of_language(const token *t)
{
    static const char *const words[] = { "pi", "inf", "nan", "true", "false", "i32", "i64", "f32", "f64", "bool" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (token_is(t, words[i])) return true;
    return false;
}

/* The words of an expression, with parameters for columns; where each begins is left in `starts`. */
static tess_status write_words(FILE *to, const formula *f, parameters *p, const tokens *list, long *starts)
{
    for (int i = 0; i < list->n; i++) {
        const token *t = &list->token[i];
        const bool   calls = i + 1 < list->n && token_is(&list->token[i + 1], "(");
        int          which;
        starts[i] = ftell(to);
        if (t->kind == TOKEN_NAME && !calls && token_is(t, "row") && tess_star_column(f->table, "row") < 0) {
            (void)fputs("(f64)b ", to);
        } else if (t->kind == TOKEN_NAME && !calls && !is_word_of_language(t)) {
            TESS_TRY(find_parameter(p, f, t, &which));
            (void)fprintf(to, "c%d_ ", which);
        } else (void)fprintf(to, "%.*s ", t->length, t->text);
    }
    return TESS_OK;
}

/* Where the language found something wrong, in the user's text; true behind its end. */
static bool find_fault(const formula *f, const tokens *list, const long *starts, size_t head)
{
    int column = 0, length = 0, i = 0;
    *f->wrong = (fault){ (int)strlen(f->text), 1 };
    if (!tess_error_position(NULL, &column, &length) || list->n == 0) return true;
    const long at = column - 1 - (long)head;
    if (at > starts[list->n - 1] + list->token[list->n - 1].length) return true;
    while (i + 1 < list->n && starts[i + 1] <= at) i++;
    *f->wrong = (fault){ list->token[i].at, list->token[i].length };
    return false;
}

/* The message with names of columns in the place of parameters, c0_. */
static tess_status retell(const parameters *p, bool ended)
{
    char   message[1024], text[2048];
    size_t n = 0;
    language_message(message, sizeof message, ended);
    for (const char *at = message; *at && n < sizeof text - 128;) {
        char      *end = NULL;
        const bool starts = at == message || !is_letter(at[-1]);
        const long which = starts && at[0] == 'c' && at[1] >= '0' && at[1] <= '9' ? strtol(at + 1, &end, 10) : -1;
        const bool named = which >= 0 && which < p->n && *end == '_' && !is_letter(end[1]);
        if (named) n += (size_t)snprintf(text + n, 100, "%s", p->names[which]);
        else text[n++] = *at;
        at = named ? end + 1 : at + 1;
    }
    text[n] = 0;
    TESS_FAIL(TESS_EPARSE, VERB ": %s", text);
}

/* Make the operator of the words and run it. */
static tess_status run_words(tess_array *out, const formula *f, const parameters *p, const tokens *list,
                             const char *words, const long *starts)
{
    char         *text = NULL;
    size_t        size = 0;
    tess_op      *op = NULL;
    tess_bind     binds[MAX_COLUMNS + 1];
    const int64_t n = tess_star_rows(f->table);
    FILE         *to = open_memstream(&text, &size);
    TESS_CHECK(to, TESS_ENOMEM, VERB ": no memory for an expression");
    (void)fputs("op star(", to);
    for (int i = 0; i < p->n; i++) {
        (void)fprintf(to, "in f64 c%d_, ", i);
        binds[i] = (tess_bind){ .kind = TESS_BIND_INPUT, .as.input = &p->arrays[i] };
    }
    (void)fputs("out f64 result_) { result_ = (f64)(", to);
    const size_t head = (size_t)ftell(to);
    (void)fprintf(to, "%s); }", words);
    const bool  good = fclose(to) == 0;
    tess_status status = good ? tess_op_text(&op, text) : TESS_ENOMEM;
    free(text);
    if (status == TESS_EPARSE) return retell(p, find_fault(f, list, starts, head));
    TESS_CHECK(good, TESS_ENOMEM, VERB ": no memory for an expression");
    if (status == TESS_OK) status = tess_empty(out, TESS_SHAPE(n, 1, 1, 1), TESS_F64, f->device);
    binds[p->n] = (tess_bind){ .kind = TESS_BIND_ARRAY, .as.array = out };
    const tess_run_opts opts = { .domain = TESS_SHAPE(n, 1, 1, 1) };
    if (status == TESS_OK && n > 0) status = tess_run(op, binds, p->n + 1, &opts);
    tess_op_release(op);
    return status;
}

static tess_status run_plain(tess_array *out, const formula *f, const tokens *list)
{
    char       *words = NULL;
    size_t      size = 0;
    parameters *p = calloc(1, sizeof *p);
    long       *starts = calloc((size_t)list->n + 1, sizeof *starts);
    FILE       *to = p && starts ? open_memstream(&words, &size) : NULL;
    tess_status status = to ? write_words(to, f, p, list, starts) : TESS_OK;
    const bool  good = to && fclose(to) == 0;
    if (good && status == TESS_OK) status = run_words(out, f, p, list, words, starts);
    for (int i = 0; p && i < MAX_COLUMNS; i++) tess_release(&p->arrays[i]);
    free(p);
    free(starts);
    free(words);
    TESS_CHECK(good, TESS_ENOMEM, VERB ": no memory for an expression");
    return status;
}

/* ---- Reductions ---- */

static tess_status reduce_std(double *out, const tess_array *in) { return tess_host_std(out, in, NULL); }
static tess_status reduce_var(double *out, const tess_array *in) { return tess_host_var(out, in, NULL); }
static tess_status reduce_norm(double *out, const tess_array *in) { return tess_host_norm(out, in, NULL); }

static const struct {
    const char *name;
    tess_status (*run)(double *out, const tess_array *in);
} reducers[] = { { "mean", tess_host_mean }, { "sum", tess_host_sum },      { "min", tess_host_min },
                 { "max", tess_host_max },   { "std", reduce_std },         { "var", reduce_var },
                 { "norm", reduce_norm },    { "median", tess_host_median } };

/* Has the call that opens at `open` one argument? */
static bool has_one_argument(const tokens *list, int open, int close)
{
    int depth = 0;
    for (int i = open; i < close; i++) {
        depth += token_is(&list->token[i], "(") - token_is(&list->token[i], ")");
        if (depth == 1 && token_is(&list->token[i], ",")) return false;
    }
    return close > open + 1;
}

static tess_status run_tokens(tess_array *out, const formula *f, const tokens *list, int first, int end);

/* The value of reducer `which` over the tokens from `first` to `end`, as a token whose text is in `text`. */
static tess_status run_reduction(token *made, char text[40], const formula *f, size_t which, const tokens *list,
                                 int first, int end)
{
    tess_array  values = { 0 };
    double      value;
    char        number[32];
    tess_status status;
    TESS_GOTO(done, status, run_tokens(&values, f, list, first, end));
    TESS_GOTO(done, status, reducers[which].run(&value, &values));
    (void)snprintf(text, 40, "(f64)(%s)", number_text(number, value));
    *made = (token){ .text = text, .length = (int)strlen(text), .kind = TOKEN_NUMBER, .at = list->token[first].at };
done:
    tess_release(&values);
    return status;
}

/* The reducer that token i calls with one argument, which ends at *close; -1 if it calls none. */
static int find_reducer(const tokens *list, int i, int *close)
{
    if (list->token[i].kind != TOKEN_NAME || i + 1 >= list->n || !token_is(&list->token[i + 1], "(")) return -1;
    *close = tokens_close(list, i + 1);
    if (*close == list->n || !has_one_argument(list, i + 1, *close)) return -1;
    for (int k = 0; k < (int)(sizeof reducers / sizeof *reducers); k++)
        if (token_is(&list->token[i], reducers[k].name)) return k;
    return -1;
}

/* Reductions first, each by itself, then what is left. */
static tess_status run_tokens(tess_array *out, const formula *f, const tokens *list, int first, int end)
{
    tokens left = { 0 };
    char(*texts)[40] = calloc((size_t)(end - first) + 1, sizeof *texts);
    tess_status status = TESS_OK;
    TESS_CHECK(texts, TESS_ENOMEM, VERB ": no memory for an expression");
    for (int i = first; i < end && status == TESS_OK; i++) {
        int       close = i;
        const int which = find_reducer(list, i, &close);
        token     t = list->token[i];
        if (which >= 0) status = run_reduction(&t, texts[i - first], f, (size_t)which, list, i + 2, close);
        if (which >= 0) i = close;
        if (status == TESS_OK) status = tokens_add(&left, t);
    }
    if (status == TESS_OK) status = run_plain(out, f, &left);
    tokens_free(&left);
    free(texts);
    return status;
}

tess_status column_formula(tess_array *out, const tess_star_table *rows, const char *text, tess_device device,
                           fault *wrong)
{
    formula     f = { .table = rows, .device = device, .wrong = wrong, .text = strdup(text) };
    tokens      list = { 0 };
    tess_status status;
    *wrong = (fault){ 0, 1 };
    TESS_CHECK(f.text, TESS_ENOMEM, VERB ": no memory for an expression");
    TESS_GOTO(done, status, take_texts(&f));
    TESS_GOTO(done, status, tokens_read(&list, f.text, wrong));
    TESS_GOTO(done, status, run_tokens(out, &f, &list, 0, list.n));
    TESS_GOTO(done, status, move_array(out, tess_cpu()));
done:
    if (status != TESS_OK) tess_release(out);
    for (int i = 0; i < f.n_tests; i++) free(f.tests[i].pattern);
    tokens_free(&list);
    free(f.text);
    return status;
}
