/* One verb for each of several inputs: names of outputs, what is looked at before, and what failed. */
#include "files/each_input.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/file_name.h"
#include "files/output.h"
#include "main/clock.h"
#include "main/options.h"

enum { MAX_NAME = 4096 };

static const char mark[] = "{name}";

/* ---- Names ---- */

/* Name of an input without folder and ending; "12@stack.mrcs" is stack_12. */
static void name_of_input(char name[MAX_NAME], const char *argument)
{
    const size_t digits = strspn(argument, "0123456789");
    const bool   numbered = digits > 0 && argument[digits] == '@';
    const char  *path = numbered ? argument + digits + 1 : argument;
    const char  *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const int    n = (int)(name_end(path) - (size_t)(base - path));
    if (strcmp(argument, "-") == 0) (void)snprintf(name, MAX_NAME, "stdin");
    else
        (void)snprintf(name, MAX_NAME, "%.*s%s%.*s", n, base, numbered ? "_" : "", numbered ? (int)digits : 0,
                       argument);
}

/* `text` with the name in the place of each mark; to be freed. */
static char *put_name(const char *text, const char *argument)
{
    char   name[MAX_NAME];
    char  *made = NULL;
    size_t size;
    FILE  *out = open_memstream(&made, &size);
    if (!out) return NULL;
    name_of_input(name, argument);
    for (const char *at = text, *next; *at; at = next) {
        const char *found = strstr(at, mark);
        const int   n = found ? (int)(found - at) : (int)strlen(at);
        (void)fprintf(out, "%.*s%s", n, at, found ? name : "");
        next = at + n + (found ? sizeof mark - 1 : 0);
    }
    return fclose(out) == 0 ? made : NULL;
}

/* ---- Before any work ---- */

typedef struct planned {
    char       *output;  /* NULL where nothing is written: view shows it */
    struct stat in, out; /* st_nlink is 0 of files that are not there */
} planned;

static void look_at(struct stat *info, const char *path)
{
    if (stat(path, info) != 0) memset(info, 0, sizeof *info);
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_nlink > 0 && b->st_nlink > 0 && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* No output is another's, or an input that is still to be read. */
static tess_status check_clashes(const job *j, const planned *plan, int n)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            if (i == k || !plan[i].output) continue;
            TESS_CHECK(k < i || strcmp(plan[i].output, plan[k].output) != 0, TESS_EARG,
                       "%s: %s and %s would both become %s; their names without folder and ending must differ",
                       j->verb->name, j->arguments[i], j->arguments[k], plan[i].output);
            TESS_CHECK(!is_same_file(&plan[i].out, &plan[k].in), TESS_EARG,
                       "%s: what is made of %s would replace the input %s; -o needs another folder or ending than "
                       "the inputs have",
                       j->verb->name, j->arguments[i], j->arguments[k]);
        }
    }
    return TESS_OK;
}

static tess_status plan_outputs(job *j, planned *plan, const char *pattern)
{
    for (int i = 0; i < j->n_arguments && pattern; i++) {
        plan[i].output = put_name(pattern, j->arguments[i]);
        TESS_CHECK(plan[i].output, TESS_ENOMEM, "%s: no memory for the names of %d files", j->verb->name,
                   j->n_arguments);
        look_at(&plan[i].in, j->arguments[i]);
        look_at(&plan[i].out, plan[i].output);
    }
    TESS_TRY(check_clashes(j, plan, j->n_arguments));
    for (int i = 0; i < j->n_arguments && pattern && j->verb->each == EACH_FILE; i++)
        TESS_TRY(output_check_name(j, plan[i].output));
    return TESS_OK;
}

static tess_status check_pattern(const job *j, const char *pattern)
{
    if (j->n_arguments == 1) return TESS_OK;
    const bool shows = strcmp(j->verb->subject, "pictures") == 0;
    TESS_CHECK(pattern || shows, TESS_EARG,
               "%s: %d inputs and no output; name their outputs with -o, as -o 'out/{name}.mrc'", j->verb->name,
               j->n_arguments);
    TESS_CHECK(!pattern || strstr(pattern, mark), TESS_EARG,
               "%s: %d inputs (%s, %s%s) and one output, %s; put {name} where the name of each input goes, as -o "
               "'out/{name}.mrc'",
               j->verb->name, j->n_arguments, j->arguments[0], j->arguments[1], j->n_arguments > 2 ? ", ..." : "",
               pattern);
    for (int i = 0; i < j->n_given; i++) {
        char          called[48];
        const option *o = j->given[i].option;
        TESS_CHECK(!o->writes || strstr(j->given[i].value, mark), TESS_EARG,
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
        if (!strstr(value, mark)) continue;
        char *made = put_name(value, argument);
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
    if (j->n_arguments == 0 || (j->n_arguments == 1 && !(pattern && strstr(pattern, mark)))) return j->verb->run(j);
    TESS_TRY(check_pattern(j, pattern));
    planned *plan = calloc((size_t)j->n_arguments, sizeof *plan);
    TESS_CHECK(plan, TESS_ENOMEM, "%s: no memory for %d inputs", j->verb->name, j->n_arguments);
    j->n_files = j->n_arguments;
    j->began = clock_seconds();
    tess_status status = plan_outputs(j, plan, pattern);
    if (status == TESS_OK) status = run_all(j);
    for (int i = 0; i < j->n_arguments; i++) free(plan[i].output);
    free(plan);
    return status;
}
