/* Verbs by their names: whole, begun, or nearly right. */
#include "main/find.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "command/spelling.h"
#include "operation/operation.h"

static const verb *find_job(const char *name)
{
    for (int i = 0; verbs[i]; i++)
        if (names_equal(verbs[i]->name, name)) return verbs[i];
    return NULL;
}

static const tess_function_info *find_operation(const char *name)
{
    for (size_t i = 0; i < tess_function_count(); i++)
        if (is_operation_verb(tess_function_at(i)) && names_equal(tess_function_at(i)->name, name))
            return tess_function_at(i);
    return NULL;
}

/* Names that begin so, one after the other in `list`: jobs, or if there are none, operations. */
static int find_begun(const char *name, bool jobs, char list[400], const verb **v, const tess_function_info **op)
{
    int    n = 0;
    size_t used = 0;
    list[0] = '\0';
    *op = NULL;
    for (int i = 0; jobs && verbs[i]; i++) {
        if (!name_begins(verbs[i]->name, name)) continue;
        *v = verbs[i];
        if (used < 360) used += (size_t)snprintf(list + used, 400 - used, "%s%s", n ? ", " : "", verbs[i]->name);
        n++;
    }
    if (n) return n;
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *o = tess_function_at(i);
        if (!is_operation_verb(o) || !name_begins(o->name, name)) continue;
        *op = o;
        if (used < 360) used += (size_t)snprintf(list + used, 400 - used, "%s%s", n ? ", " : "", o->name);
        else if (used < 390) used += (size_t)snprintf(list + used, 400 - used, " \xe2\x80\xa6");
        n++;
    }
    return n;
}

/* Words that other programs have for it. */
static const char *other_word(const char *name)
{
    static const char *const words[][2] = {
        { "average", "mean" },     { "avg", "mean" },
        { "clip", "crop" },        { "concat", "stack" },
        { "display", "view" },     { "divide", "div" },
        { "header", "info" },      { "join", "stack" },
        { "merge", "stack" },      { "mirror", "flip" },
        { "multiply", "mul" },     { "normalise", "norm" },
        { "normalize", "norm" },   { "percentile", "quantile" },
        { "resample", "rescale" }, { "resize", "rescale" },
        { "scale", "rescale" },    { "show", "view" },
        { "subtract", "sub" },     { "trim", "crop" },
        { "rotate", "" },
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (names_equal(words[i][0], name)) return words[i][1];
    return NULL;
}

/* Of the library, and no verb. */
static tess_status reject_function(const char *name)
{
    char call[OPERATION_CALL];
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        TESS_CHECK(is_operation_verb(op) || !names_equal(op->name, name), TESS_EARG,
                   "%s is a function of the library, not a verb; use %s%s", op->name,
                   strncmp(operation_call(call, op), "in C", 4) == 0 ? "it " : "", call);
    }
    return TESS_OK;
}

static tess_status unknown_verb(const char *name, bool jobs)
{
    const char *kind = jobs ? "verb" : "operation", *other = jobs ? other_word(name) : NULL;
    nearest     near;
    TESS_TRY(reject_function(name));
    TESS_CHECK(!other || !other[0], TESS_EARG, "unknown %s \"%s\"; did you mean %s?", kind, name, other);
    nearest_start(&near, name);
    for (int i = 0; jobs && verbs[i]; i++) nearest_try(&near, verbs[i]->name);
    for (size_t i = 0; i < tess_function_count(); i++)
        if (is_operation_verb(tess_function_at(i))) nearest_try(&near, tess_function_at(i)->name);
    TESS_CHECK(!near.name || other, TESS_EARG, "unknown %s \"%s\"; did you mean %s?", kind, name, near.name);
    TESS_FAIL(TESS_EARG, "unknown %s \"%s\"; tessera %s lists them", kind, name, jobs ? "help" : "ops");
}

/* Among jobs and operations, or among operations alone. */
static tess_status find(const char *name, bool jobs, const verb **v, const tess_function_info **op)
{
    char list[400];
    *op = NULL;
    if (jobs && (*v = find_job(name))) return TESS_OK;
    if (!(*op = find_operation(name))) {
        const int n = name[0] ? find_begun(name, jobs, list, v, op) : 0;
        if (n == 0) return unknown_verb(name, jobs);
        TESS_CHECK(n == 1, TESS_EARG, "\"%s\" is ambiguous: %s", name, list);
    }
    if (*op) return operation_verb(*op, v);
    return TESS_OK;
}

tess_status find_verb(const char *name, const verb **v, const tess_function_info **op)
{
    return find(name, true, v, op);
}

const char *command_word(const verb *command) { return strchr(command->name, ' ') + 1; }

/* Of a verb with sub-commands: the one of this name, or the only one that begins so. */
static tess_status find_command(const char *name, const verb **v)
{
    const verb *const *commands = (*v)->commands;
    char               list[200] = "";
    int                n = 0;
    size_t             used = 0;
    for (int i = 0; commands[i]; i++) {
        const char *word = command_word(commands[i]);
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", word);
        if (names_equal(word, name)) return *v = commands[i], TESS_OK;
    }
    for (int i = 0; commands[i]; i++) n += name_begins(command_word(commands[i]), name);
    TESS_CHECK(n == 1, TESS_EARG, "%s: unknown sub-command \"%s\"; expected one of: %s", (*v)->name, name, list);
    while (!name_begins(command_word(*commands), name)) commands++;
    return *v = *commands, TESS_OK;
}

tess_status find_verb_words(const char *const *words, int n, const verb **v, const tess_function_info **op, int *used)
{
    *used = 1;
    TESS_CHECK(words[0][0] != '-', TESS_EARG, "%s precedes the verb; options must follow it", words[0]);
    TESS_TRY(find(words[0], true, v, op));
    const bool is_op = strcmp((*v)->name, "op") == 0;
    if (!(is_op || (*v)->commands) || n < 2 || words[1][0] == '-') return TESS_OK;
    *used = 2;
    return is_op ? find(words[1], false, v, op) : find_command(words[1], v);
}
