/* Options as they come on a command line. */
#include "command/options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "command/globals.h"
#include "command/job_rows.h"
#include "command/slices.h"
#include "command/units.h"

bool lists_name(const char *names, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = names; at && *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (length == n && name_begins(at, name)) return true;
        at += length;
    }
    return false;
}

const option *verb_own_option(const verb *v, int i)
{
    const tess_job_info *info = v->job ? tess_job_find(v->job) : NULL;
    for (const option *o = info ? job_row_options(info, v->fills) : NULL; o && o->name; o++)
        if (i-- == 0) return o;
    for (const option *o = v->options; o && o->name; o++)
        if (i-- == 0) return o;
    return NULL;
}

const option *verb_option(const verb *v, int i)
{
    int n = 0;
    for (const option *o; (o = verb_own_option(v, n)); n++)
        if (n == i) return o;
    i -= n;
    for (const global *g = globals; g->option.name; g++)
        if (verb_takes(v, g) && i-- == 0) return &g->option;
    return NULL;
}

const char *option_called(const option *o, char text[48])
{
    if (o->letter) (void)snprintf(text, 48, "-%c", o->letter);
    else (void)snprintf(text, 48, "--%s", o->name);
    return text;
}

bool option_is_named(const option *o, const char *name)
{
    return tess_same_name(o->name, name) || tess_same_name(o->alias, name);
}

/* Names that options have in other programs, and which are accepted, too. */
static void try_other_names(nearest *near, const option *o)
{
    static const char *const others[] = { "pixel-size", "angpix", "voxel-size", "symmetry", "rounds" };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (option_is_named(o, others[i])) nearest_try(near, others[i]);
}

/* Whether the verb has it or another verb would: what to say of it differs. */
static tess_status unknown_option(const job *j, const char *name)
{
    nearest       near;
    const option *o;
    nearest_start(&near, name);
    for (int i = 0; (o = verb_option(j->verb, i)); i++) {
        nearest_try(&near, o->name);
        if (o->alias) nearest_try(&near, o->alias);
        try_other_names(&near, o);
    }
    TESS_CHECK(!near.name, TESS_EARG, "%s: unknown option --%s; did you mean --%s?", j->verb->name, name, near.name);
    for (const global *g = globals; g->option.name; g++)
        TESS_CHECK(!option_is_named(&g->option, name), TESS_EARG, "%s: --%s does not apply to this verb", j->verb->name,
                   name);
    TESS_FAIL(TESS_EARG, "%s: unknown option --%s; see tessera %s --help", j->verb->name, name, j->verb->name);
}

static tess_status find_long(const job *j, const char *name, const option **found)
{
    for (int i = 0; (*found = verb_option(j->verb, i)); i++)
        if (option_is_named(*found, name)) return TESS_OK;
    for (const global *g = globals; g->option.name; g++) /* what to say of a device that is not for it: globals.c */
        if (g->groups == GLOBAL_DEVICE && option_is_named(&g->option, name)) return *found = &g->option, TESS_OK;
    return unknown_option(j, name);
}

static tess_status find_letter(const job *j, char letter, const option **found)
{
    for (int i = 0; (*found = verb_option(j->verb, i)); i++)
        if ((*found)->letter == letter) return TESS_OK;
    TESS_FAIL(TESS_EARG, "%s: unknown option -%c; see tessera %s --help", j->verb->name, letter, j->verb->name);
}

static tess_status take(job *j, const option *o, const char *value)
{
    char called[48];
    TESS_TRY(option_check(o, value));
    for (int i = 0; i < j->n_given && !o->many; i++)
        TESS_CHECK(j->given[i].option != o || strcmp(j->given[i].value, value) == 0, TESS_EARG,
                   "%s: %s is given twice, as %s and as %s; once is allowed", j->verb->name, option_called(o, called),
                   j->given[i].value, value);
    j->given[j->n_given++] = (struct given){ o, value };
    return TESS_OK;
}

/* Another option where a value should be? Numbers and "-" are values; others can be written --name=value. */
static bool is_option(const char *word)
{
    return word[0] == '-' && (isalpha((unsigned char)word[1]) || (word[1] == '-' && word[2]));
}

/* The value of an option: what is left of its own word, or the next word, which is then used up. */
static tess_status find_value(const job *j, const option *o, const char *rest, char **words, int n, int *used,
                              const char **value)
{
    char called[48];
    *value = rest;
    if (rest) return TESS_OK;
    TESS_CHECK(*used < n && !is_option(words[*used]), TESS_EARG, "%s: %s needs a value: %s %s", j->verb->name,
               option_called(o, called), called, o->value ? o->value : "VALUE");
    *value = words[(*used)++];
    return TESS_OK;
}

static tess_status parse_long(job *j, char *word, char **words, int n, int *used)
{
    const option *o;
    const char   *value;
    char         *equals = strchr(word, '=');
    if (equals) *equals = '\0';
    tess_status status = find_long(j, word, &o);
    if (equals) *equals = '=';
    TESS_TRY(status);
    if (o->type == OPTION_FLAG) {
        TESS_CHECK(!equals, TESS_EARG, "%s: --%s is a flag; it takes no value", j->verb->name, o->name);
        return take(j, o, "");
    }
    TESS_TRY(find_value(j, o, equals ? equals + 1 : NULL, words, n, used, &value));
    return take(j, o, value);
}

/* "-qf", "-j4", "-o x": flags may stand together, and a value ends the word. */
static tess_status parse_letters(job *j, const char *letters, char **words, int n, int *used)
{
    const option *o;
    const char   *value;
    for (; *letters; letters++) {
        TESS_TRY(find_letter(j, *letters, &o));
        if (o->type == OPTION_FLAG) {
            TESS_TRY(take(j, o, ""));
            continue;
        }
        const char *rest = letters[1] == '=' ? letters + 2 : letters[1] ? letters + 1 : NULL;
        TESS_TRY(find_value(j, o, rest, words, n, used, &value));
        return take(j, o, value);
    }
    return TESS_OK;
}

static bool is_argument(const char *word)
{
    return word[0] != '-' || !word[1] || isdigit((unsigned char)word[1]) ||
           (word[1] == '.' && isdigit((unsigned char)word[2]));
}

tess_status options_parse(job *j, char **words, int n)
{
    const char **arguments = calloc((size_t)n + 1, sizeof *arguments);
    j->arguments = arguments;
    j->given = calloc((size_t)n * 2 + 64, sizeof *j->given); /* a word holds several letters */
    TESS_CHECK(arguments && j->given, TESS_ENOMEM, "%s: no memory for its options", j->verb->name);
    bool ended = false;
    for (int used = 0; used < n;) {
        char *word = words[used++];
        TESS_CHECK(ended || is_argument(word) || strlen(word) < 64 || word[1] == '-' || strchr(word, '='), TESS_EARG,
                   "%s: too many letters in %s", j->verb->name, word);
        if (ended || is_argument(word)) arguments[j->n_arguments++] = word;
        else if (strcmp(word, "--") == 0) ended = true;
        else if (word[1] == '-') TESS_TRY(parse_long(j, word + 2, words, n, &used));
        else TESS_TRY(parse_letters(j, word + 1, words, n, &used));
    }
    return TESS_OK;
}

static bool is_choice(const char *choices, const char *text)
{
    const size_t n = strlen(text);
    for (const char *c = choices; n > 0 && *c; c += strcspn(c, " "), c += *c == ' ')
        if (strcspn(c, " ") == n && strncmp(c, text, n) == 0) return true;
    return false;
}

tess_status option_check(const option *o, const char *text)
{
    quantity q;
    char     called[48];
    (void)option_called(o, called);
    switch (o->type) {
    case OPTION_FLAG:
    case OPTION_TEXT: return TESS_OK;
    case OPTION_FILE: TESS_CHECK(text[0], TESS_EARG, "%s is empty; a file name is needed", called); return TESS_OK;
    case OPTION_CHOICE:
        TESS_CHECK(is_choice(o->choices, text), TESS_EARG, "%s is \"%s\"; expected one of: %s", called, text,
                   o->choices);
        return TESS_OK;
    case OPTION_SLICES: return slices_check(called, text);
    case OPTION_XYZ: return parse_xyz(called, text, (double[3]){ 0 }, &(int){ 0 });
    case OPTION_LENGTHS: return parse_lengths(called, text, (quantity[3]){ { 0 } }, &(int){ 0 });
    case OPTION_INTEGER: return parse_integer(called, text, &(int64_t){ 0 });
    default: return parse_quantity(called, o->type, text, &q);
    }
}
