/* One verb for each of several inputs: names of outputs, what is looked at before, and what failed. */
#include "files/each_input.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "command/options.h"
#include "files/file_name.h"
#include "files/outputs/output.h"

static bool is_output(const option *o) { return strcmp(o->name, "output") == 0; }

/* How many of its arguments a verb is run for. */
static int inputs_of(const job *j) { return j->n_arguments - (j->verb->with_last ? 1 : 0); }

/* ---- Before any work ---- */

/* Options of the job with the name of its input in them; free_options frees them. */
static bool put_options(job *j, const struct given *typed, const char *argument)
{
    bool enough = true;
    for (int i = 0; i < j->n_given; i++) {
        const char *value = typed[i].value;
        j->given[i] = typed[i];
        if (!strstr(value, name_mark)) continue;
        const bool is_pattern = j->verb->each == EACH_NAMES && is_output(typed[i].option);
        char      *made = put_name(value, argument, is_pattern);
        enough = enough && made;
        j->given[i].value = made ? made : value;
    }
    return enough;
}

static void free_options(job *j, const struct given *typed)
{
    for (int i = 0; i < j->n_given; i++)
        if (j->given[i].value && j->given[i].value != typed[i].value) free((void *)j->given[i].value);
}

static tess_status no_memory_for_names(const job *j)
{
    TESS_FAIL(TESS_ENOMEM, "%s: no memory for the names of %d files", j->verb->name, j->n_files);
}

/* All files that options name, those of all inputs together. Names of EACH_NAMES are checked by the verb, which knows
 * how many there are. */
static tess_status check_outputs(job *j)
{
    const struct given *typed = j->given;
    tess_status         status = TESS_OK;
    struct given       *given = calloc((size_t)j->n_given + 1, sizeof *given);
    TESS_CHECK(given, TESS_ENOMEM, "%s: no memory for its options", j->verb->name);
    for (int i = 0; i < j->n_files && status == TESS_OK; i++) {
        job one = *j;
        one.given = given;
        one.file = i + 1;
        if (put_options(&one, typed, j->inputs[i])) status = outputs_check(&one);
        else status = no_memory_for_names(j);
        free_options(&one, typed);
    }
    free(given);
    return status;
}

/* A number among several inputs is one that an option is for. */
static tess_status check_numbers(const job *j)
{
    for (int i = 0; i < j->n_arguments; i++) {
        char *end;
        (void)strtod(j->arguments[i], &end);
        const bool number = end != j->arguments[i] && !*end && access(j->arguments[i], F_OK) != 0;
        TESS_CHECK(!number, TESS_EARG, "%s: %s: no such file; give numbers as option values: tessera %s %s",
                   j->verb->name, j->arguments[i], j->verb->name, j->verb->arguments);
    }
    return TESS_OK;
}

static tess_status check_pattern(const job *j, const char *pattern)
{
    const int n = j->n_files;
    if (n == 1) return TESS_OK;
    if (!pattern || !strstr(pattern, name_mark)) TESS_TRY(check_numbers(j));
    const bool  shows = strcmp(j->verb->subject, "pictures") == 0 || j->verb->each == EACH_TABLE;
    const char *ending = pattern ? pattern + name_end(pattern) : "";
    TESS_CHECK(pattern || shows, TESS_EARG,
               "%s: %d inputs but no output; name their outputs with -o, as -o 'out/{name}.mrc'", j->verb->name, n);
    TESS_CHECK(
        !pattern || strstr(pattern, name_mark), TESS_EARG,
        "%s: %d inputs (%s, %s%s) but one output, %s; use {name} for the name of each input, as -o 'out/{name}%s'",
        j->verb->name, n, j->inputs[0], j->inputs[1], n > 2 ? ", ..." : "", pattern, ending[0] ? ending : ".mrc");
    for (int i = 0; i < j->n_given; i++) {
        char          called[48];
        const option *o = j->given[i].option;
        TESS_CHECK(!o->writes || o->once || is_output(o) || strstr(j->given[i].value, name_mark), TESS_EARG,
                   "%s: %d inputs, but %s is %s for all of them; use {name} for the name of each", j->verb->name, n,
                   option_called(o, called), j->given[i].value);
    }
    return TESS_OK;
}

static tess_status check_once(const job *j)
{
    for (int i = 0; i < j->n_given; i++) {
        char called[48];
        TESS_CHECK(!j->given[i].option->once || !strstr(j->given[i].value, name_mark), TESS_EARG,
                   "%s: %s is %s; it is one file for all inputs and cannot contain {name}", j->verb->name,
                   option_called(j->given[i].option, called), j->given[i].value);
    }
    return TESS_OK;
}

/* ---- One after the other ---- */

/* The command as if it had been typed for this input alone: for its label. */
static char *command_of(const job *j)
{
    char  *text = NULL;
    size_t size;
    FILE  *out = open_memstream(&text, &size);
    if (!out) return NULL;
    (void)fprintf(out, "tessera %s", j->verb->name);
    for (int i = 0; i < j->n_given; i++) {
        char        called[48];
        const char *value = j->given[i].value;
        (void)fprintf(out, " %s%s%s", option_called(j->given[i].option, called), value[0] ? " " : "", value);
    }
    for (int i = 0; i < j->n_arguments; i++) (void)fprintf(out, " %s", j->arguments[i]);
    return fclose(out) == 0 ? text : NULL;
}

static tess_status run_one(job *j, const struct given *typed, const char *argument)
{
    const char *const arguments[] = { argument, j->arguments[j->n_arguments - 1] };
    job               one = *j;
    one.arguments = arguments;
    one.n_arguments = j->verb->with_last ? 2 : 1;
    one.input_format = TESS_FORMAT_DEFAULT;
    one.given = calloc((size_t)j->n_given + 1, sizeof *one.given);
    TESS_CHECK(one.given, TESS_ENOMEM, "%s: no memory for its options", j->verb->name);
    const bool enough = put_options(&one, typed, argument);
    char      *command = j->n_files > 1 ? command_of(&one) : NULL;
    if (command) one.command = command;
    const tess_status status = enough ? one.verb->run(&one) : TESS_OK;
    free_options(&one, typed);
    free(one.given);
    free(command);
    j->told = one.told;
    j->n_told = one.n_told;
    j->star = one.star;
    if (one.exit_code > j->exit_code) j->exit_code = one.exit_code;
    return enough ? status : no_memory_for_names(j);
}

/* In a log, one line for each file; on a terminal the bar of each file says which it is. */
static void log_progress(const job *j)
{
    if (strcmp(job_text(j, "progress", "auto"), "always") != 0 || isatty(STDERR_FILENO)) return;
    (void)fprintf(stderr, "tessera: %s: %d of %d files\n", j->verb->name, j->file, j->n_files);
}

static void add_failed(char *list, size_t size, const char *name)
{
    const size_t used = strlen(list);
    if (used + strlen(name) + 8 < size) (void)snprintf(list + used, size - used, "%s%s", used ? ", " : "", name);
    else if (used + 6 < size && strcmp(list + used - 3, "...") != 0) (void)snprintf(list + used, size - used, ", ...");
}

static tess_status run_all(job *j)
{
    char list[600] = "";
    int  failed = 0, i = 0;
    while (i < j->n_files) {
        const char *const argument = j->inputs[i++];
        j->file = i;
        const tess_status status = run_one(j, j->given, argument);
        if (status == TESS_OK) log_progress(j);
        if (status == TESS_OK) continue;
        if (j->n_files == 1) return status;
        job_failed(j, status, argument);
        failed++;
        add_failed(list, sizeof list, argument);
        if (!job_has(j, "keep-going")) break;
    }
    if (failed && i < j->n_files)
        job_warn(
            j,
            "%s: stopped at %s; %d of %d files are done, %d were not started; --keep-going continues after a failure",
            j->verb->name, list, i - 1, j->n_files, j->n_files - i);
    else if (failed) job_warn(j, "%s: %d of %d files failed: %s", j->verb->name, failed, j->n_files, list);
    return TESS_OK;
}

/* Of one input, {name} may still stand in options. */
static bool has_name_mark(const job *j)
{
    for (int i = 0; i < j->n_given; i++)
        if (strstr(j->given[i].value, name_mark)) return true;
    return false;
}

static tess_status run_inputs(job *j)
{
    const int n = inputs_of(j);
    if (n <= 0 || (n == 1 && !has_name_mark(j))) {
        TESS_TRY(outputs_check(j));
        return j->verb->run(j);
    }
    j->n_files = n;
    j->inputs = j->arguments;
    j->began = clock_seconds();
    TESS_TRY(check_once(j));
    TESS_TRY(check_pattern(j, job_text(j, "output", NULL)));
    TESS_TRY(check_outputs(j));
    if (n > 1) table_share(j);
    const tess_status status = run_all(j);
    table_print_shared(j);
    return status;
}

tess_status run_for_each(job *j)
{
    const tess_status status = run_inputs(j);
    tess_star_free(j->star);
    j->star = NULL;
    return status;
}
