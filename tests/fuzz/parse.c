/* Texts that went wrong in every way, made from those of tests/lang by changing them: parsed, checked, printed, the
 * canonical text parsed again, and run. See tests/fuzz/cases.h. */
#include <dirent.h>

#include "core/device/memory.h"
#include "fuzz/cases.h"
#include "lang/front/parse.h"
#include "support/print_c.h"

enum { LONGEST = 6000, MOST_SEEDS = 512, MOST_RUN = 8 /* parameters */ };

static void fail(const char *what, const char *text)
{
    (void)fprintf(stderr, "%s:\n%s\n%s\n", what, text, tess_error_trace());
    abort();
}

/* What is printed must be the same when it is read again. */
static void check_again(const tess__tree *plain)
{
    char       *once = NULL, *twice = NULL;
    tess__tree *again = NULL;
    if (tess__tree_text(&once, plain) != TESS_OK) fail("no canonical text", plain->text);
    if (tess__parse(&again, once, strlen(once), &tess__parse_defaults) != TESS_OK) fail("canonical text refused", once);
    if (tess__tree_text(&twice, again) != TESS_OK || strcmp(once, twice) != 0) fail("canonical text changes", once);
    /* at(v, ..) had a node for v, which v[..] has not. */
    if (again->n_nodes > plain->n_nodes) fail("another tree", once);
    tess__free(once);
    tess__free(twice);
    tess__tree_free(again);
}

static void check_types(const tess__tree *plain, const tess_dtype *letters)
{
    tess__tree *typed = NULL;
    char       *c = NULL;
    if (tess__tree_check(&typed, plain, letters, &tess__parse_defaults) != TESS_OK) return;
    if (print_c(&c, typed, "f") != TESS_OK) fail("no C", plain->text);
    tess__free(c);
    tess__tree_free(typed);
}

/* ---- Running ---- */

/* An argument of each parameter: arrays of a few elements, small numbers. */
static int bind_params(tess_bind *binds, tess_array *arrays, const tess__tree *plain, const tess_dtype *letters)
{
    int n = 0;
    for (int k = 0; k < plain->n_params; k++) {
        const tess__param *p = &plain->params[k];
        const tess_dtype   type = p->type < 0 ? letters[-1 - p->type] : p->type;
        const bool         full = p->role != TESS__PARAM_OUT || k % 2;
        if (p->role == TESS__PARAM_ACC) continue;
        if (p->role == TESS__PARAM_VAL) {
            binds[n++] = (tess_bind){ .kind = TESS_BIND_I64, .as.i = type == TESS_BOOL ? 1 : k + 1 };
            continue;
        }
        binds[n++] = (tess_bind){ .kind = TESS_BIND_ARRAY, .as.array = &arrays[k] };
        const tess_shape shape = p->role == TESS__PARAM_VIEW ? TESS_SHAPE(1, 2, 2, 3) : TESS_SHAPE(1, 1, 2, 3);
        if (full && tess_full(&arrays[k], shape, type, tess_cpu(), k % 2) != TESS_OK) return -1;
    }
    return n;
}

/* Whatever the call says: it must come back, and leave nothing behind. */
static void run(const tess_op *op, const tess__tree *plain, const tess_dtype *letters)
{
    const tess_run_opts opts = { .domain = TESS_SHAPE(1, 1, 2, 3) };
    tess_array          arrays[MOST_RUN] = { { .data = NULL } };
    tess_bind           binds[MOST_RUN];
    const int           n = bind_params(binds, arrays, plain, letters);
    if (n >= 0 && tess_run(op, binds, n, &opts) != TESS_OK && tess_error_message()[0] == '\0')
        fail("no message of the run", plain->text);
    for (int k = 0; k < MOST_RUN; k++) tess_release(&arrays[k]);
}

static void make_and_run(const char *text, size_t n, const tess__tree *plain, const tess_dtype *letters)
{
    const tess_op_parse_opts limits = { .max_trips = 256 }; /* so that runs are short */
    tess_op                 *op = NULL;
    if (plain->n_params > MOST_RUN) return;
    if (tess_op_parse(&op, text, n, &limits) == TESS_OK) run(op, plain, letters);
    tess_op_release(op);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const tess_dtype letters[3][TESS__LETTERS] = { { TESS_F32, TESS_F64, TESS_I32 },
                                                          { TESS_U8, TESS_F16, TESS_BOOL },
                                                          { TESS_C32, TESS_U64, TESS_C64 } };
    char                   *copy = malloc(n + 1); /* exactly as long, so that reading beyond it is seen */
    tess__tree             *plain = NULL;
    if (!copy) return 0;
    if (n) memcpy(copy, data, n);
    if (tess__parse(&plain, copy, n, &tess__parse_defaults) == TESS_OK) {
        check_again(plain);
        for (int i = 0; i < (plain->letters ? 3 : 1); i++) {
            check_types(plain, letters[i]);
            make_and_run(copy, n, plain, letters[i]);
        }
        tess__tree_free(plain);
    } else if (tess_error_message()[0] == '\0') fail("no message", "");
    free(copy);
    return 0;
}

#ifndef TESS_LIBFUZZER

static char  *seeds[MOST_SEEDS];
static size_t lengths[MOST_SEEDS];
static size_t n_seeds;

static void add_seed(const char *folder, const char *name)
{
    char path[1024], text[LONGEST];
    if (n_seeds == MOST_SEEDS || strstr(name, ".op") == NULL) return;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) return;
    lengths[n_seeds] = fread(text, 1, sizeof text, file);
    (void)fclose(file);
    seeds[n_seeds] = malloc(sizeof text);
    if (seeds[n_seeds]) memcpy(seeds[n_seeds], text, lengths[n_seeds]), n_seeds++;
}

static void add_folder(const char *folder)
{
    struct dirent **entries;
    const int       n = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        add_seed(folder, entries[i]->d_name);
        free(entries[i]);
    }
    if (n >= 0) free(entries);
}

static const char *const words[] = { "in ",
                                     "out ",
                                     "inout ",
                                     "val ",
                                     "view ",
                                     "scatter ",
                                     "acc ",
                                     "sum ",
                                     "max ",
                                     "f32 ",
                                     "f16 ",
                                     "c32 ",
                                     "u8 ",
                                     "i64 ",
                                     "T ",
                                     "U ",
                                     "bool ",
                                     "if (",
                                     "else ",
                                     "for (",
                                     "++",
                                     "+=",
                                     "= ",
                                     "{",
                                     "}",
                                     "(",
                                     ")",
                                     "[",
                                     "]",
                                     ",",
                                     ";",
                                     "?",
                                     ":",
                                     "&&",
                                     "<<",
                                     "==",
                                     "-",
                                     "!",
                                     "~",
                                     "(f32)",
                                     "(i32)",
                                     "1",
                                     "2.0f",
                                     "0x7f",
                                     "1e999",
                                     "99999999999999999999",
                                     "sqrt(",
                                     "at(v,",
                                     "cos(",
                                     "max(",
                                     "count",
                                     "w",
                                     "h",
                                     "shape(v,",
                                     "size(0)",
                                     "join {",
                                     "post {",
                                     "return ",
                                     "fn f32 g(f32 x) { return x; } ",
                                     "continue;",
                                     "/*",
                                     "*/",
                                     "//",
                                     "\n",
                                     "\xe4\xbd\xa0",
                                     "\xff",
                                     "pi",
                                     "nan",
                                     "tessm_" };

/* A digit or an operator becomes another, so that the text may well stay right. */
static void change_mark(char *text, size_t n)
{
    static const char *const kinds[] = { "0123456789", "+-*/%&|^<>", "xyzabdhw" };
    for (size_t i = 0, at = fuzz_below(n + 1); i < n; i++, at++) {
        char       *c = &text[at % n];
        const char *kind = kinds[fuzz_below(3)];
        if (*c == '\0' || !strchr(kind, *c)) continue;
        *c = kind[fuzz_below(strlen(kind))];
        return;
    }
}

/* One change of the text. */
static size_t change(char *text, size_t n)
{
    const size_t at = fuzz_below(n + 1);
    switch (fuzz_below(9)) {
    case 0: /* another byte */
        if (at < n) text[at] = (char)fuzz_random();
        return n;
    case 1: { /* a stretch less */
        const size_t length = fuzz_below(n - at + 1) % 40;
        memmove(text + at, text + at + length, n - at - length);
        return n - length;
    }
    case 2: { /* a stretch again elsewhere */
        const size_t from = fuzz_below(n + 1), length = fuzz_below(n - from + 1) % 60;
        char         copy[64];
        if (n + length > LONGEST) return n;
        memcpy(copy, text + from, length);
        memmove(text + at + length, text + at, n - at);
        memcpy(text + at, copy, length);
        return n + length;
    }
    case 3: { /* some bytes of another text */
        const size_t other = fuzz_below(n_seeds), from = fuzz_below(lengths[other] + 1);
        const size_t length = fuzz_below(lengths[other] - from + 1) % 80;
        if (n + length > LONGEST) return n;
        memmove(text + at + length, text + at, n - at);
        memcpy(text + at, seeds[other] + from, length);
        return n + length;
    }
    case 4:
    case 5:
    case 6: change_mark(text, n); return n;
    default: { /* a word more */
        const char  *word = words[fuzz_below(sizeof words / sizeof *words)];
        const size_t length = strlen(word);
        if (n + length > LONGEST) return n;
        memmove(text + at + length, text + at, n - at);
        memcpy(text + at, word, length);
        return n + length;
    }
    }
}

static size_t n_good; /* seeds that are right come first */

void fuzz_begin(void)
{
    add_folder("tests/lang/good");
    n_good = n_seeds;
    add_folder("tests/lang/errors");
    if (n_good == 0 || n_seeds == n_good) {
        printf("no texts in tests/lang\n");
        exit(1);
    }
}

void fuzz_end(void)
{
    for (size_t i = 0; i < n_seeds; i++) free(seeds[i]);
}

size_t fuzz_make(uint8_t bytes[FUZZ_LONGEST], uint64_t number)
{
    const bool   good = number % 2;
    const size_t seed = fuzz_below(good ? n_good : n_seeds);
    char        *text = (char *)bytes;
    size_t       n = lengths[seed];
    memcpy(text, seeds[seed], n);
    for (size_t k = good ? 3 : fuzz_below(4); k < 4; k++) n = change(text, n);
    return n;
}

#endif
