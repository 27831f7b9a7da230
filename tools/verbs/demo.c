/* tessera demo: a tour of the command on data that it makes itself. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "main/job.h"

/* The steps: what is shown, and the command line that does it, word by word. They run in the folder of the demo. */
typedef struct stage {
    const char *title;
    const char *words[16]; /* ended by NULL */
} stage;

#define PARTICLES                                                                                                      \
    "i = floor($w/96.0); j = floor($h/96.0); "                                                                         \
    "x = $w - 96*i - 48 - 22*sin(5*i + 9*j + 3*$b); y = $h - 96*j - 48 - 22*cos(7*i + 4*j + 5*$b); "                   \
    "r = sqrt(x*x + y*y); n - 1.5*exp(-(r - 18)*(r - 18)/36) - exp(-r*r/50)"

#define SOFTEN "y = ($h < 240 ? $h : $h - 480)/480.0; x = $w/480.0; s*exp(-300*(x*x + y*y))"

static const stage stages[] = {
    { "Eight images of noise, 2.5 Å to the pixel: a real MRC stack.",
      { "gen", "noise", "--size", "480", "--count", "8", "--sd", "1.3", "--seed", "7", "--apix", "2.5", "-o",
        "noise.mrcs" } },
    { "Particles put into it, by a formula of the operator language over the indices $b, $h and $w.",
      { "calc", PARTICLES, "n=noise.mrcs", "-o", "micrographs.mrcs" } },
    { "What the header says.", { "info", "micrographs.mrcs" } },
    { "A look at it.", { "view", "micrographs.mrcs", "--montage", "4x", "--scalebar", "-o", "micrographs.png" } },
    { "Its Fourier transforms, half of each: complex numbers in MRC's mode 4.",
      { "fft", "micrographs.mrcs", "-o", "spectra.mrcs" } },
    { "A filter of our own in Fourier space: every coefficient by a Gaussian of its frequency.",
      { "calc", SOFTEN, "s=spectra.mrcs", "-o", "softened.mrcs" } },
    { "And back.", { "fft", "--inverse", "softened.mrcs", "-o", "smooth.mrcs" } },
    { "Binned by two; the pixel size in the header follows.",
      { "bin", "--factor", "2", "smooth.mrcs", "-o", "binned.mrcs" } },
    { "The particles stand out.", { "view", "binned.mrcs", "--montage", "4x", "--scalebar", "-o", "binned.png" } },
    { "Statistics of each image.", { "stats", "--each", "binned.mrcs" } },
    { "The power at each spatial frequency, before and after.",
      { "plot", "--spectrum", "micrographs.mrcs", "smooth.mrcs", "--angstrom", "-o", "spectrum.png" } },
    { "The same as a drawing.",
      { "plot", "--spectrum", "micrographs.mrcs", "smooth.mrcs", "--angstrom", "-o", "spectrum.svg" } },
    { "Is all that was written as the standard wants it?",
      { "check", "micrographs.mrcs", "smooth.mrcs", "binned.mrcs" } },
};
enum { STAGES = sizeof stages / sizeof *stages };

/* A word as a shell would need it. */
static void print_word(const char *word)
{
    const bool plain =
        strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,@:") == strlen(word);
    (void)printf(plain ? " %s" : " '%s'", word);
}

static void announce(const stage *s)
{
    (void)printf("\n%s\n  $ tessera", s->title);
    for (const char *const *word = s->words; *word; word++) print_word(*word);
    (void)printf("\n");
    (void)fflush(stdout);
}

/* A file that is left of an earlier demo is in the way. */
static void clear_output(const stage *s)
{
    for (const char *const *word = s->words; *word; word++)
        if (strcmp(*word, "-o") == 0) (void)unlink(word[1]);
}

/* This very program, with the words of a stage: what is shown is what is done. */
static tess_status run_stage(const stage *s, const char *program)
{
    const char *words[20] = { "tessera" };
    int         n = 1, state;
    for (; s->words[n - 1]; n++) words[n] = s->words[n - 1];
    const pid_t child = fork();
    TESS_CHECK(child >= 0, TESS_EIO, "demo: a new process cannot be made: %s", strerror(errno));
    if (child == 0) {
        (void)execv(program, (char *const *)(uintptr_t)words);
        _exit(127);
    }
    while (waitpid(child, &state, 0) < 0)
        TESS_CHECK(errno == EINTR, TESS_EIO, "demo: waiting for a step: %s", strerror(errno));
    TESS_CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 0, TESS_EIO, "demo: the step \"%s\" did not succeed",
               s->title);
    return TESS_OK;
}

static tess_status make_folder(const char *path)
{
    char part[1024];
    for (const char *at = path; *at;) {
        at += strcspn(at + 1, "/") + 1;
        (void)snprintf(part, sizeof part, "%.*s", (int)(at - path), path);
        TESS_CHECK(mkdir(part, 0777) == 0 || errno == EEXIST, TESS_EIO, "demo: the folder %s cannot be made: %s", part,
                   strerror(errno));
    }
    return TESS_OK;
}

static void list_results(const char *folder)
{
    struct stat info;
    (void)printf("\nWhat was made, in %s:\n", folder);
    for (int i = 0; i < STAGES; i++)
        for (const char *const *word = stages[i].words; *word; word++)
            if (strcmp(*word, "-o") == 0 && stat(word[1], &info) == 0)
                (void)printf("  %-18s %9lld bytes\n", word[1], (long long)info.st_size);
    (void)printf(
        "\nOpen micrographs.png, binned.png and spectrum.png. docs/tutorial.md goes through this step by step;\n"
        "tessera help lists what else there is.\n");
}

static tess_status run(job *j)
{
    const char   *folder = job_text(j, "output", "tessera-demo");
    char          program[1024], directory[1024];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    TESS_CHECK(n > 0, TESS_EIO, "demo: the path of this program is not known: %s", strerror(errno));
    program[n] = '\0';
    TESS_TRY(make_folder(folder));
    TESS_CHECK(chdir(folder) == 0, TESS_EIO, "demo: %s: %s", folder, strerror(errno));
    for (int i = 0; i < STAGES; i++) {
        announce(&stages[i]);
        clear_output(&stages[i]);
        TESS_TRY(run_stage(&stages[i], program));
    }
    list_results(getcwd(directory, sizeof directory) ? directory : folder);
    return TESS_OK;
}

static const option options[] = {
    { .name = "output",
      .value = "FOLDER",
      .letter = 'o',
      .type = OPTION_FILE,
      .help = "where files go [tessera-demo]" },
    { .name = NULL },
};
static const char *const examples[] = { "tessera demo", "tessera demo -o tour", NULL };

const verb verb_demo = {
    .name = "demo",
    .subject = "about the command",
    .summary = "a tour on data of its own: make, look at, filter, bin, measure",
    .arguments = "",
    .text = "Each step is a command line that is shown and then run; files of an earlier demo in the same folder are "
            "replaced.",
    VERB_OF_FILE(0, 0),
};
