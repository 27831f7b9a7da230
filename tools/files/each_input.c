/* One verb for each of several inputs: names of outputs, what is looked at before, and what failed. */
#include "files/each_input.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/file_name.h"
#include "files/output.h"
#include "main/clock.h"
#include "main/options.h"

/* ---- Before any work ---- */

/* No output is another's. */
static tess_status check_clashes(const job *j, char *const *outputs)
{
    for (int i = 0; i < j->n_arguments; i++) {
        for (int k = i + 1; k < j->n_arguments; k++)
            TESS_CHECK(strcmp(outputs[i], outputs[k]) != 0, TESS_EARG,
                       "%s: %s and %s would both become %s; their names without folder and ending must differ",
                       j->verb->name, j->arguments[i], j->arguments[k], outputs[i]);
    }
    return TESS_OK;
}

/* The names of EACH_NAMES are looked at by the verb, which knows how many there are. */
static tess_status plan_outputs(job *j, char **outputs, const char *pattern)
{
    const bool is_pattern = j->verb->each == EACH_NAMES;
    if (!pattern) return TESS_OK;
    for (int i = 0; i < j->n_arguments; i++) {
        outputs[i] = put_name(pattern, j->arguments[i], is_pattern);
        TESS_CHECK(outputs[i], TESS_ENOMEM, "%s: no memory for the names of %d files", j->verb->name, j->n_arguments);
    }
    TESS_TRY(check_clashes(j, outputs));
    for (int i = 0; i < j->n_arguments && !is_pattern; i++) {
        j->file = i + 1;
        TESS_TRY(output_check_name(j, outputs[i]));
    }
    return TESS_OK;
}

/* A number among several inputs is one that an option is for. */
static tess_status check_numbers(const job *j)
{
    for (int i = 0; i < j->n_arguments; i++) {
        char *end;
        (void)strtod(j->arguments[i], &end);
        const bool number = end != j->arguments[i] && !*end && access(j->arguments[i], F_OK) != 0;
        TESS_CHECK(!number, TESS_EARG, "%s: %s is no file; numbers go with options: tessera %s %s", j->verb->name,
                   j->arguments[i], j->verb->name, j->verb->arguments);
    }
    return TESS_OK;
}

static tess_status check_pattern(const job *j, const char *pattern)
{
    if (j->n_arguments == 1) return TESS_OK;
    if (!pattern || !strstr(pattern, name_mark)) TESS_TRY(check_numbers(j));
    const bool  shows = strcmp(j->verb->subject, "pictures") == 0;
    const char *ending = pattern ? pattern + name_end(pattern) : "";
    TESS_CHECK(pattern || shows, TESS_EARG,
               "%s: %d inputs and no output; name their outputs with -o, as -o 'out/{name}.mrc'", j->verb->name,
               j->n_arguments);
    TESS_CHECK(!pattern || strstr(pattern, name_mark), TESS_EARG,
               "%s: %d inputs (%s, %s%s) and one output, %s; put {name} where the name of each input goes, as -o "
               "'out/{name}%s'",
               j->verb->name, j->n_arguments, j->arguments[0], j->arguments[1], j->n_arguments > 2 ? ", ..." : "",
               pattern, ending[0] ? ending : ".mrc");
    for (int i = 0; i < j->n_given; i++) {
        char          called[48];
        const option *o = j->given[i].option;
        TESS_CHECK(!o->writes || strstr(j->given[i].value, name_mark), TESS_EARG,
                   "%s: %d inputs, and %s is %s for all of them; put {name} where the name of each goes", j->verb->name,
                   j->n_arguments, option_called(o, called), j->given[i].value);
    }
    return TESS_OK;
}

/* ---- One after the other ---- */

/* The command as if it had been typed for this input alone: for its label. */
static char *command_of(const job *j, const char *argument)
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
    (void)fprintf(out, " %s", argument);
    return fclose(out) == 0 ? text : NULL;
}

/* Options of the job with the name of its input in them; those that were made are to be freed. */
static bool put_options(job *j, const struct given *typed, const char *argument)
{
    bool enough = true;
    for (int i = 0; i < j->n_given; i++) {
        const char *value = typed[i].value;
        j->given[i] = typed[i];
        if (!strstr(value, name_mark)) continue;
        const bool is_pattern = j->verb->each == EACH_NAMES && strcmp(typed[i].option->name, "output") == 0;
        char      *made = put_name(value, argument, is_pattern);
        enough = enough && made;
        j->given[i].value = made ? made : value;
    }
    return enough;
}

static tess_status run_one(job *j, const struct given *typed, const char *argument)
{
    job one = *j;
    one.arguments = &argument;
    one.n_arguments = 1;
    one.input_format = TESS_FORMAT_DEFAULT;
    one.given = calloc((size_t)j->n_given + 1, sizeof *one.given);
    TESS_CHECK(one.given, TESS_ENOMEM, "%s: no memory for its options", j->verb->name);
    const bool enough = put_options(&one, typed, argument);
    char      *command = j->n_files > 1 ? command_of(&one, argument) : NULL;
    if (command) one.command = command;
    const tess_status status = enough ? one.verb->run(&one) : TESS_OK;
    for (int i = 0; i < j->n_given; i++)
        if (one.given[i].value != typed[i].value) free((void *)one.given[i].value);
    free(one.given);
    free(command);
    j->told = one.told;
    j->n_told = one.n_told;
    if (one.exit_code > j->exit_code) j->exit_code = one.exit_code;
    TESS_CHECK(enough, TESS_ENOMEM, "%s: no memory for the names of files", j->verb->name);
    return status;
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
    while (i < j->n_arguments) {
        const char *const argument = j->arguments[i++];
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
    if (failed && i < j->n_arguments)
        job_warn(j,
                 "%s: stopped at %s; %d of %d files are done, %d were not begun; --keep-going goes on after a failure",
                 j->verb->name, list, i - 1, j->n_arguments, j->n_arguments - i);
    else if (failed) job_warn(j, "%s: %d of %d files failed: %s", j->verb->name, failed, j->n_arguments, list);
    return TESS_OK;
}

tess_status run_for_each(job *j)
{
    const char *const pattern = job_text(j, "output", NULL);
    if (j->n_arguments == 0 || (j->n_arguments == 1 && !(pattern && strstr(pattern, name_mark))))
        return j->verb->run(j);
    TESS_TRY(check_pattern(j, pattern));
    char **outputs = calloc((size_t)j->n_arguments, sizeof *outputs);
    TESS_CHECK(outputs, TESS_ENOMEM, "%s: no memory for %d inputs", j->verb->name, j->n_arguments);
    j->n_files = j->n_arguments;
    j->inputs = j->arguments;
    j->began = clock_seconds();
    tess_status status = plan_outputs(j, outputs, pattern);
    if (status == TESS_OK) status = run_all(j);
    for (int i = 0; i < j->n_arguments; i++) free(outputs[i]);
    free(outputs);
    return status;
}
