/* The command `tessera`: finds the verb, reads its options, runs it, and says what went wrong. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/globals.h"
#include "command/messages.h"
#include "command/options.h"
#include "files/each_input.h"
#include "files/input_lists.h"
#include "files/outputs/output.h"
#include "files/outputs/output_names.h"
#include "main/find.h"
#include "main/help.h"

/* Nothing half-written stays behind, and whoever called us sees that a signal was the end; a closed pipe is one. */
static void on_signal(int number)
{
    tess_discard_unfinished();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void catch_signals(void)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
    struct sigaction action = { .sa_handler = on_signal };
    (void)sigfillset(&action.sa_mask);
    action.sa_flags = (int)SA_RESETHAND;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction old;
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN) continue; /* as under nohup */
        (void)sigaction(numbers[i], &action, NULL);
    }
    action.sa_handler = SIG_IGN; /* writing to a file that may not grow fails instead */
    action.sa_flags = 0;
    (void)sigaction(SIGXFSZ, &action, NULL);
}

/* Everything as it was typed, for the labels of files. */
static char *join_words(int n, char **words)
{
    size_t size = 1;
    for (int i = 0; i < n; i++) size += strlen(words[i]) + 1;
    char *text = malloc(size), *at = text;
    for (int i = 0; text && i < n; i++) at += sprintf(at, "%s%s", i ? " " : "", i ? words[i] : "tessera");
    return text;
}

static tess_status check_arguments(const job *j)
{
    const verb *v = j->verb;
    TESS_CHECK(v->max < 0 || j->n_arguments <= v->max, TESS_EARG,
               "%s: unexpected argument \"%s\"; usage: tessera %s %s", v->name, j->arguments[v->max], v->name,
               v->arguments);
    TESS_CHECK(j->n_arguments >= v->min, TESS_EARG, "%s: %d argument%s given, %d needed; usage: tessera %s %s", v->name,
               j->n_arguments, j->n_arguments == 1 ? " is" : "s are", v->min, v->name, v->arguments);
    return TESS_OK;
}

/* Look for -h and --help before options are checked, so that it is there when they are wrong. */
static bool asks_for_help(int n, char **words)
{
    for (int i = 0; i < n && strcmp(words[i], "--") != 0; i++)
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0) return true;
    return false;
}

static tess_status run_verb(job *j, int n, char **words)
{
    TESS_TRY(options_parse(j, words, n));
    TESS_TRY(input_lists_read(j));
    TESS_TRY(globals_apply(j));
    TESS_TRY(check_arguments(j));
    TESS_TRY(output_names_start(j));
    if (j->verb->each) return run_for_each(j);
    TESS_TRY(outputs_check(j));
    return j->verb->run(j);
}

/* Nobody reads standard output any more: no one is to be told. */
static bool pipe_is_closed(void)
{
    struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };
    return poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0;
}

/* Data that did not reach its reader is a failure; a reader who had enough is none. */
static int finish_output(job *j)
{
    const bool failed = fflush(stdout) != 0 || ferror(stdout);
    if (!failed || errno == EPIPE || pipe_is_closed()) return j->exit_code;
    (void)fprintf(stderr, "tessera: error: standard output: %s\n", strerror(errno));
    return j->exit_code > EXIT_IO ? j->exit_code : EXIT_IO;
}

static int run_job(job *j, int n, char **words)
{
    const tess_status status = run_verb(j, n, words);
    if (status != TESS_OK && !(status == TESS_EIO && pipe_is_closed())) job_failed(j, status, NULL);
    messages_end(j);
    free((void *)j->arguments);
    free(j->given);
    output_names_free(j);
    input_lists_free(j);
    return finish_output(j);
}

int main(int argc, char **argv)
{
    job j = { .device = tess_cpu() };
    catch_signals();
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        help_overview(stdout);
        return finish_output(&j);
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        (void)printf("tessera %s\n", tess_version());
        return finish_output(&j);
    }
    int               used;
    const tess_status status = find_verb_words((const char *const *)argv + 1, argc - 1, &j.verb, &j.op, &used);
    if (status != TESS_OK) {
        job_failed(&j, status, NULL);
        return j.exit_code;
    }
    const int n_words = argc - 1 - used;
    char    **words = argv + 1 + used;
    if (asks_for_help(n_words, words)) {
        help_verb(stdout, j.verb);
        return finish_output(&j);
    }
    if (n_words == 0 && (j.verb->min > 0 || (j.op && j.verb->arguments[0]))) {
        help_verb(stderr, j.verb);
        return EXIT_USAGE;
    }
    char *command = join_words(argc, argv);
    j.command = command ? command : "tessera";
    const int code = run_job(&j, n_words, words);
    free(command);
    return code;
}
