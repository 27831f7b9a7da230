/* tessera demo: a tour of the command on data that it makes itself, and a page that shows it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "command/job.h"
#include "demo/steps.h"
#include "picture/page.h"

/* Options of the demo that are those of every step: "-j 2". */
enum { COMMON_WORDS = 4 };

typedef struct tour {
    page        page;
    longtext    figures; /* the summary, line by line */
    char        program[1024];
    const char *common[COMMON_WORDS + 1];
} tour;

/* ---- A step ---- */

/* All words of a step, ended by NULL. */
static void gather_words(const char *words[STEP_WORDS + COMMON_WORDS + 2], const tour *t, const demo_step *s)
{
    int n = 0;
    words[n++] = "tessera";
    for (int i = 0; s->words[i]; i++) words[n++] = s->words[i];
    for (int i = 0; t->common[i]; i++) words[n++] = t->common[i];
    words[n] = NULL;
}

/* The command line as a shell would need it. */
static void add_words(longtext *line, const char *const *word)
{
    for (const char *between = ""; *word; word++, between = " ") {
        const bool plain =
            strspn(*word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,@:") == strlen(*word);
        longtext_add(line, plain ? "%s%s" : "%s'%s'", between, *word);
    }
}

static void collect(int from, longtext *printed)
{
    char    part[4096];
    ssize_t n;
    while ((n = read(from, part, sizeof part)) != 0) {
        if (n < 0 && errno != EINTR) return;
        if (n > 0) longtext_bytes(printed, part, (size_t)n);
    }
}

/* Notes are part of what a step has to say. */
static void become(const char *program, const char *const *words, const int ends[2])
{
    if (dup2(ends[1], STDOUT_FILENO) >= 0 && dup2(ends[1], STDERR_FILENO) >= 0) {
        (void)close(ends[0]);
        (void)close(ends[1]);
        (void)execv(program, (char *const *)(uintptr_t)words);
    }
    _exit(127);
}

/* This very program, with the words of a step: what is shown is what is done. */
static tess_status run_words(const tour *t, const demo_step *s, const char *const *words, longtext *printed)
{
    int state, ends[2];
    TESS_CHECK(pipe(ends) == 0, TESS_EIO, "demo: cannot create a pipe: %s", strerror(errno));
    const pid_t child = fork();
    if (child == 0) become(t->program, words, ends);
    (void)close(ends[1]);
    if (child > 0) collect(ends[0], printed);
    (void)close(ends[0]);
    TESS_CHECK(child >= 0, TESS_EIO, "demo: cannot start a process: %s", strerror(errno));
    while (waitpid(child, &state, 0) < 0)
        TESS_CHECK(errno == EINTR, TESS_EIO, "demo: waiting for a step: %s", strerror(errno));
    const bool good = WIFEXITED(state) && WEXITSTATUS(state) == 0;
    (void)fwrite(printed->bytes, 1, printed->length, good ? stdout : stderr);
    TESS_CHECK(good, TESS_EIO, "demo: the step \"%s\" failed", s->title);
    return TESS_OK;
}

/* ---- What is reported of it ---- */

/* The number in what was printed that is the figure of a step, to three digits; false if there is none. */
static bool find_figure(char value[32], const demo_step *s, const char *printed)
{
    static const char blanks[] = " \t\n";
    const char       *from = s->before ? strstr(printed, s->before) : printed + strlen(printed);
    if (!from) return false;
    if (s->before) from += strlen(s->before);
    else {
        while (from > printed && strchr(blanks, from[-1])) from--;
        while (from > printed && !strchr(blanks, from[-1])) from--;
    }
    char        *end;
    const double number = strtod(from, &end);
    (void)snprintf(value, 32, "%.3g", number);
    return end != from;
}

static tess_status report_figure(tour *t, const demo_step *s, const char *printed)
{
    char value[32];
    if (!s->figure) return TESS_OK;
    TESS_CHECK(find_figure(value, s, printed), TESS_EFORMAT, "demo: the step \"%s\" printed no figure", s->title);
    page_figure(&t->page, s->figure, value, s->unit);
    longtext_add(&t->figures, "  %-42s %s %s\n", s->figure, value, s->unit);
    return TESS_OK;
}

/* A step in the page: its command line, what it printed, and the pictures that it made. */
static tess_status report(tour *t, const demo_step *s, const char *line, const char *printed, double seconds)
{
    const char *made;
    page_step(&t->page, s->title, line, seconds);
    page_output(&t->page, printed);
    for (int i = 0; (made = step_output(s, i)) != NULL; i++) {
        if (ends_with(made, ".svg")) TESS_TRY(page_drawing(&t->page, made, s->title));
        if (ends_with(made, ".png")) TESS_TRY(page_picture(&t->page, made, s->title));
    }
    return report_figure(t, s, printed);
}

/* The same, once it is known that nothing is missing in both texts. */
static tess_status report_texts(tour *t, const demo_step *s, const longtext *line, const longtext *printed,
                                double seconds)
{
    TESS_CHECK(!line->failed && !printed->failed, TESS_ENOMEM, "demo: no memory for the output of the step \"%s\"",
               s->title);
    return report(t, s, line->bytes, printed->bytes, seconds);
}

static tess_status do_step(tour *t, const demo_step *s)
{
    const char  *words[STEP_WORDS + COMMON_WORDS + 2], *made;
    longtext     line = { 0 }, printed = { 0 };
    const double began = clock_seconds();
    gather_words(words, t, s);
    add_words(&line, words);
    longtext_bytes(&printed, "", 0);
    if (s->part) {
        page_part(&t->page, s->part);
        (void)printf("\n---- %s ----\n", s->part);
    }
    (void)printf("\n%s\n  $ %s\n", s->title, line.bytes ? line.bytes : "");
    (void)fflush(stdout);
    for (int i = 0; (made = step_output(s, i)) != NULL; i++)
        (void)unlink(made); /* a file that is left of an earlier demo is in the way */
    tess_status status = run_words(t, s, words, &printed);
    if (status == TESS_OK) status = report_texts(t, s, &line, &printed, clock_seconds() - began);
    longtext_free(&line);
    longtext_free(&printed);
    return status;
}

/* ---- The whole ---- */

static tess_status make_folder(const char *path)
{
    char part[1024];
    for (const char *at = path; *at;) {
        at += strcspn(at + 1, "/") + 1;
        (void)snprintf(part, sizeof part, "%.*s", (int)(at - path), path);
        TESS_CHECK(mkdir(part, 0777) == 0 || errno == EEXIST, TESS_EIO, "demo: cannot create the folder %s: %s", part,
                   strerror(errno));
    }
    return TESS_OK;
}

static void list_results(const tour *t, const char *folder)
{
    struct stat info;
    (void)printf("\nFiles in %s:\n", folder);
    for (int i = 0; i < n_demo_steps; i++) {
        const char *made;
        for (int k = 0; (made = step_output(&demo_steps[i], k)) != NULL; k++)
            if (stat(made, &info) == 0) (void)printf("  %-20s %9lld bytes\n", made, (long long)info.st_size);
    }
    (void)printf("\nResults:\n%s", t->figures.bytes);
    (void)printf("\nOpen index.html to see all of it on one page. docs/tutorial.md explains it step by step;\n"
                 "tessera help lists all verbs.\n");
}

static tess_status run_steps(tour *t)
{
    page_start(
        &t->page, "From movies to a map",
        "Synthetic data are generated, viewed, filtered, aligned, fitted, picked, refined and measured, and finally "
        "compared with the ground truth. Each step is a command line that you can copy and run on your own files.");
    for (int i = 0; i < n_demo_steps; i++) TESS_TRY(do_step(t, &demo_steps[i]));
    TESS_CHECK(!t->figures.failed, TESS_ENOMEM, "demo: no memory for the summary");
    return page_write(&t->page, "index.html", true);
}

static void take_common(tour *t, const job *j)
{
    static const char *const options[][2] = { { "threads", "-j" }, { "mem", "--mem" } };
    int                      n = 0;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (!job_has(j, options[i][0])) continue;
        t->common[n++] = options[i][1];
        t->common[n++] = job_text(j, options[i][0], "");
    }
}

static tess_status run(job *j)
{
    const char   *folder = job_text(j, "output", "tessera-demo");
    char          directory[1024];
    tour          t = { .program = "" };
    const ssize_t n = readlink("/proc/self/exe", t.program, sizeof t.program - 1);
    TESS_CHECK(n > 0, TESS_EIO, "demo: the path of this program is not known: %s", strerror(errno));
    t.program[n] = '\0';
    take_common(&t, j);
    TESS_TRY(make_folder(folder));
    TESS_CHECK(chdir(folder) == 0, TESS_EIO, "demo: %s: %s", folder, strerror(errno));
    const tess_status status = run_steps(&t);
    if (status == TESS_OK) list_results(&t, getcwd(directory, sizeof directory) ? directory : folder);
    page_free(&t.page);
    longtext_free(&t.figures);
    return status;
}

static const option options[] = {
    VALUE("output", "FOLDER", OPTION_FILE, "folder for the results [tessera-demo]", .letter = 'o'),
    { .name = NULL },
};
static const char *const examples[] = { "tessera demo", "tessera demo -o tour", NULL };

const verb verb_demo = {
    .name = "demo",
    .subject = "about the command",
    .summary = "run a tour on synthetic data, from movies to a map",
    .arguments = "",
    .text = "Each step is a command line that is shown and then run; files of an earlier demo in the same folder are "
            "overwritten. A structure, movies and particles are simulated; movies are aligned, CTFs fitted, particles "
            "picked and extracted; a map is refined and reconstructed from a low-pass filtered start, and everything "
            "is compared with the ground truth. index.html in the folder shows it all on one page: commands, their "
            "output, pictures and timings. -j and --mem are passed on to each step.",
    VERB_OF_FILE(0, 0),
};
