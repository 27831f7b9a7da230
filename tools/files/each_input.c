/* One verb for each of several inputs: names of outputs, what is looked at before, and what failed. */
#include "files/each_input.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/file_name.h"
#include "files/output.h"
#include "main/clock.h"
#include "main/options.h"

static bool is_output(const option *o) { return strcmp(o->name, "output") == 0; }

/* How many of its arguments a verb is run for. */
static int inputs_of(const job *j) { return j->n_arguments - (j->verb->with_last ? 1 : 0); }

/* ---- Before any work ---- */

/* A file that will be written, and the input that it is made of. */
typedef struct planned {
    char *name;
    int   input;
} planned;

static int by_name(const void *a, const void *b)
{
    const planned *x = a, *y = b;
    const int      order = strcmp(x->name, y->name);
    return order ? order : x->input - y->input;
}

/* No output is another's. */
static tess_status check_clashes(const job *j, planned *outputs)
{
    qsort(outputs, (size_t)j->n_files, sizeof *outputs, by_name);
    for (int i = 1; i < j->n_files; i++)
        TESS_CHECK(strcmp(outputs[i - 1].name, outputs[i].name) != 0, TESS_EARG,
                   "%s: %s and %s would both become %s; their names without folder and ending must differ",
                   j->verb->name, j->inputs[outputs[i - 1].input], j->inputs[outputs[i].input], outputs[i].name);
    return TESS_OK;
}

/* The files that one option names. Those of EACH_NAMES are looked at by the verb, which knows how many there are. */
static tess_status plan_outputs(job *j, planned *outputs, const struct given *by)
{
    const bool is_pattern = j->verb->each == EACH_NAMES && is_output(by->option);
    for (int i = 0; i < j->n_files; i++) {
        outputs[i] = (planned){ put_name(by->value, j->inputs[i], is_pattern), i };
        TESS_CHECK(outputs[i].name, TESS_ENOMEM, "%s: no memory for the names of %d files", j->verb->name, j->n_files);
    }
    TESS_TRY(check_clashes(j, outputs));
    for (int i = 0; i < j->n_files && !is_pattern; i++) {
        j->file = outputs[i].input + 1;
        TESS_TRY(output_check_name(j, outputs[i].name));
    }
    return TESS_OK;
}

static tess_status plan_all_outputs(job *j)
{
    planned    *outputs = calloc((size_t)j->n_files, sizeof *outputs);
    tess_status status = TESS_OK;
    TESS_CHECK(outputs, TESS_ENOMEM, "%s: no memory for %d inputs", j->verb->name, j->n_files);
    for (int k = 0; k < j->n_given && status == TESS_OK; k++) {
        if (!is_output(j->given[k].option) && !j->given[k].option->writes) continue;
        status = plan_outputs(j, outputs, &j->given[k]);
        for (int i = 0; i < j->n_files; i++) free(outputs[i].name);
        memset(outputs, 0, (size_t)j->n_files * sizeof *outputs);
    }
    free(outputs);
    return status;
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
    const int n = j->n_files;
    if (n == 1) return TESS_OK;
    if (!pattern || !strstr(pattern, name_mark)) TESS_TRY(check_numbers(j));
    const bool  shows = strcmp(j->verb->subject, "pictures") == 0 || j->verb->each == EACH_TABLE;
    const char *ending = pattern ? pattern + name_end(pattern) : "";
    TESS_CHECK(pattern || shows, TESS_EARG,
               "%s: %d inputs and no output; name their outputs with -o, as -o 'out/{name}.mrc'", j->verb->name, n);
    TESS_CHECK(!pattern || strstr(pattern, name_mark), TESS_EARG,
               "%s: %d inputs (%s, %s%s) and one output, %s; put {name} where the name of each input goes, as -o "
               "'out/{name}%s'",
               j->verb->name, n, j->inputs[0], j->inputs[1], n > 2 ? ", ..." : "", pattern,
               ending[0] ? ending : ".mrc");
    for (int i = 0; i < j->n_given; i++) {
        char          called[48];
        const option *o = j->given[i].option;
        TESS_CHECK(!o->writes || strstr(j->given[i].value, name_mark), TESS_EARG,
                   "%s: %d inputs, and %s is %s for all of them; put {name} where the name of each goes", j->verb->name,
                   n, option_called(o, called), j->given[i].value);
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

/* Options of the job with the name of its input in them; those that were made are to be freed. */
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
        job_warn(j,
                 "%s: stopped at %s; %d of %d files are done, %d were not begun; --keep-going goes on after a failure",
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

tess_status run_for_each(job *j)
{
    const int n = inputs_of(j);
    if (n <= 0 || (n == 1 && !has_name_mark(j))) return j->verb->run(j);
    j->n_files = n;
    j->inputs = j->arguments;
    j->began = clock_seconds();
    TESS_TRY(check_pattern(j, job_text(j, "output", NULL)));
    TESS_TRY(plan_all_outputs(j));
    if (n > 1) table_share(j);
    const tess_status status = run_all(j);
    table_print_shared(j);
    return status;
}
