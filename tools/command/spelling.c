/* The speller of the command: in messages of the library, tess_cast is "tessera cast", opts->keep_rows is --no-flip,
 * and "symmetry_order: name is \"X9\"" is "reconstruct: --sym is \"X9\"". */
#include "command/spelling.h"

#include <stdlib.h>
#include <string.h>

#include "command/globals.h"
#include "command/options.h"
#include "command/rows.h"

/* A job whose messages are spelled, and the last spelling. */
typedef struct speller {
    const job *j;
    char       text[128];
} speller;

/* What options for files are called here, where it is not the same. */
static const char *const of_files[][2] = {
    { "raw_dtype", "dtype= of --raw" }, { "shape", "shape= of --raw" },
    { "offset", "offset= of --raw" },   { "big_endian", "--endian" },
    { "compression", "--compress" },    { "depth", "D of --as volumes=D" },
    { "keep_rows", "--no-flip" },       { "rgb", "colours" },
    { "format", "the format" },
};

static const char *const phrases[][2] = {
    { "required", "not given; it is required" },
    { "overwrite", "-f overwrites it" },
    { "volumes", "--as is volumes without a depth, as in volumes=60" },
    { "memory_limit", "; raise it with --mem, or work on fewer or smaller images" },
};

static bool is_of_files(const char *function)
{
    static const char *const functions[] = { "open",     "read",      "writer_open", "write",
                                             "mrc_edit", "npz_write", "file_read" };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i], function) == 0) return true;
    return false;
}

/* ---- Options ---- */

/* The option of this name or alias; NULL if the verb has none. */
static const option *option_named(const job *j, const char *name)
{
    const option *o;
    for (int i = 0; j->verb && (o = verb_option(j->verb, i)); i++)
        if (option_is_named(o, name)) return o;
    return NULL;
}

bool has_option(const job *j, const char *name) { return option_named(j, name) != NULL; }

static bool is_global(const option *o)
{
    for (const global *g = globals; g->option.name; g++)
        if (o == &g->option) return true;
    return false;
}

/* Is what stands here, behind "is ", this text, or the same number? */
static bool is_value(const char *at, const char *value)
{
    char        *end, *end_of_value;
    const size_t n = strlen(value);
    if (n == 0) return false;
    if (*at == '"' || *at == '\'') return strncmp(at + 1, value, n) == 0 && at[1 + n] == *at;
    if (strncmp(at, value, n) == 0 && (at[n] == ';' || at[n] == ' ' || at[n] == ',')) return true;
    const double said = strtod(at, &end), given = strtod(value, &end_of_value);
    return end != at && (*end == ';' || *end == ' ' || *end == ',') && !*end_of_value && said == given;
}

/* The one option of the verb's own that was given with the value at fault; NULL if there is none, or more than one. */
static const option *option_at_fault(const job *j, const char *value)
{
    const option *found = NULL;
    for (int i = 0; i < j->n_given; i++) {
        const option *o = j->given[i].option;
        if (o->type == OPTION_FLAG || is_global(o) || !is_value(value, j->given[i].value)) continue;
        if (found && found != o) return NULL;
        found = o;
    }
    return found;
}

/* "defocus" of --ctf is "--ctf defocus"; a name that is no option here stays as it is. */
static const char *spell_name(speller *s, const tess_mark *mark)
{
    const option *o = NULL, *own = option_named(s->j, mark->name);
    if (mark->kind == TESS_MARK_OPTION && is_of_files(mark->function))
        for (size_t i = 0; i < sizeof of_files / sizeof *of_files; i++)
            if (strcmp(of_files[i][0], mark->name) == 0) return of_files[i][1];
    if (strcmp(mark->text, "context->memory") == 0) return "--mem";
    if (strcmp(mark->text, "opts->pixel_size") == 0) return "--apix";
    if (!own && mark->is_first && strncmp(mark->rest, " is ", 4) == 0) o = option_at_fault(s->j, mark->rest + 4);
    if (o) return option_called(o, s->text);
    (void)snprintf(s->text, sizeof s->text, "%s%s", own ? "--" : "", own ? own->name : mark->name);
    const size_t n = strlen(s->text);
    if (mark->field[0]) (void)snprintf(s->text + n, sizeof s->text - n, " %s", mark->field);
    return s->text;
}

/* ---- Functions ---- */

/* Is it the verb's name, or the last word of it: "fit" of "ctf fit"? */
static bool is_verb(const job *j, const char *word)
{
    const char *blank = j->verb ? strrchr(j->verb->name, ' ') : NULL;
    if (!j->verb || (j->op && strcmp(j->op->name, word) == 0)) return true;
    return strcmp(j->verb->name, word) == 0 || (blank && strcmp(blank + 1, word) == 0);
}

/* The verb; nothing before a file, or another part with a name of its own. */
static const char *spell_call(const job *j, const tess_mark *mark)
{
    const char  *behind = mark->rest + strspn(mark->rest, ": ");
    const size_t first = strcspn(behind, " ");
    if (is_verb(j, mark->name)) return mark->text;
    if (strcmp(mark->name, "verb") == 0) return j->verb->name; /* VERB */
    return first > 0 && behind[first - 1] == ':' ? "" : j->verb->name;
}

/* Functions of the library that are no verbs, and the verb that does their work; "": there is none. */
static const char *const no_verbs[][2] = {
    { "mrc_check", "check" }, { "mrc_edit", "edit" }, { "read", "convert" }, { "write", "convert" },
    { "fft_empty", "" },      { "mdoc_write", "" },   { "star_write", "" },  { "star_write_table", "" },
    { "tilts_write", "" },    { "xf_write", "" },
};

const char *operation_call(char text[OPERATION_CALL], const tess_function_info *op)
{
    const char *instead = "";
    bool        hidden = false;
    for (int i = 0; verbs[i]; i++) hidden = hidden || strcmp(verbs[i]->name, op->name) == 0;
    for (size_t i = 0; i < sizeof no_verbs / sizeof *no_verbs; i++)
        if (strcmp(no_verbs[i][0], op->name) == 0) instead = no_verbs[i][1];
    if (is_operation_verb(op)) (void)snprintf(text, OPERATION_CALL, "tessera %s%s", hidden ? "op " : "", op->name);
    else if (instead[0]) (void)snprintf(text, OPERATION_CALL, "tessera %s", instead);
    else (void)snprintf(text, OPERATION_CALL, "in C: tess_%s", op->name);
    return text;
}

static bool runs_job(const verb *v, const char *name) { return v->job && strcmp(v->job, name) == 0; }

/* The verb that runs a job; NULL if there is none. */
static const char *verb_of_job(const char *name)
{
    for (const verb *const *v = verbs; *v; v++) {
        if (runs_job(*v, name)) return (*v)->name;
        for (const verb *const *c = (*v)->commands; c && *c; c++)
            if (runs_job(*c, name)) return (*c)->name;
    }
    return NULL;
}

/* The verb that a function is; otherwise as in C. */
static const char *spell_function(speller *s, const char *name)
{
    const char *found = verb_of_job(name);
    if (found) return (void)snprintf(s->text, sizeof s->text, "tessera %s", found), s->text;
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        if (strcmp(op->name, name) != 0) continue;
        const char *call = operation_call(s->text, op);
        return strncmp(call, "in C", 4) == 0 ? NULL : call;
    }
    return NULL;
}

/* ---- Others ---- */

static const char *spell_bytes(speller *s, const char *number)
{
    const double bytes = strtod(number, NULL), mib = bytes / (1 << 20);
    if (mib < 1) (void)snprintf(s->text, sizeof s->text, "%.1f KiB", bytes / 1024);
    else if (mib < 10240) (void)snprintf(s->text, sizeof s->text, "%.1f MiB", mib);
    else (void)snprintf(s->text, sizeof s->text, "%.1f GiB", mib / 1024);
    return s->text;
}

static const char *spell_phrase(const job *j, const char *name)
{
    if (strcmp(name, "member") == 0) return has_option(j, name) ? "--member or " : ""; /* FILE:NAME does without */
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (strcmp(phrases[i][0], name) == 0) return phrases[i][1];
    return NULL;
}

static const char *spell(const tess_mark *mark, void *user)
{
    speller *s = user;
    switch (mark->kind) {
    case TESS_MARK_CALL: return spell_call(s->j, mark);
    case TESS_MARK_FUNCTION: return spell_function(s, mark->name);
    case TESS_MARK_ARGUMENT:
    case TESS_MARK_OPTION: return spell_name(s, mark);
    case TESS_MARK_NULL: return "not given";
    case TESS_MARK_BYTES: return spell_bytes(s, mark->name);
    case TESS_MARK_PHRASE: return spell_phrase(s->j, mark->name);
    }
    return NULL;
}

void spell_message(char *to, size_t n, const job *j, const char *marked)
{
    speller s = { .j = j };
    (void)tess_spell(to, n, marked, spell, &s);
}
