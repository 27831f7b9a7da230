/* tessera demo: a tour of the command on data that it makes itself, and a page that shows it. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "main/clock.h"
#include "main/job.h"
#include "picture/page.h"

/* The steps: what is shown, and the command line that does it, word by word. They run in the folder of the demo. */
typedef struct stage {
    const char *title;
    const char *words[20]; /* ended by NULL */
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
      { "plot", "--spectrum", "micrographs.mrcs", "smooth.mrcs", "--angstrom", "-o", "spectrum.svg" } },
    { "A structure without symmetry, of 300 pseudo-atoms.",
      { "simulate", "atoms", "--box", "64", "--apix", "1.5", "--seed", "7", "-o", "structure.mrc" } },
    { "Three sections through it.",
      { "view", "structure.mrc", "--orth", "--zoom", "3", "--scalebar", "-o", "structure.png" } },
    { "A movie of it: 8 frames with drift, dose damage, astigmatism and counted electrons, and the truth as a STAR "
      "file.",
      { "simulate", "movie", "structure.mrc", "--frames", "8", "--dose", "4", "--drift", "0.3", "--defocus",
        "1.6um,1.45um", "--angle", "30", "--seed", "7", "-o", "movie.mrcs", "--star", "movie.star" } },
    { "Its frames, added up.", { "reduce", "--method", "sum", "movie.mrcs", "-o", "micrograph.mrc" } },
    { "Particles, dark and under-focused.",
      { "view", "micrograph.mrc", "--lowpass", "15", "--scalebar", "--width", "760", "-o", "micrograph.png" } },
    { "The CTF that is fitted to it: U and V were 16000 and 14500 A, at 30 degrees.",
      { "ctf", "fit", "micrograph.mrc", "-o", "fit.star", "--plot", "ctf.png" } },
    { "Its curves alone: the spectrum along lines of equal phase, and the fit.",
      { "ctf", "fit", "micrograph.mrc", "--plot", "ctf.svg" } },
    { "Five hundred particles with CTFs, shifts and noise, and a STAR file as RELION has it.",
      { "simulate", "particles", "structure.mrc", "--count", "500", "--seed", "7", "-o", "views.mrcs", "--star",
        "views.star" } },
    { "Some of them.",
      { "view", "views.mrcs", "--slices", "0-23", "--montage", "8x", "--lowpass", "10", "-o", "views.png" } },
    { "Is all that was written as the standard wants it?",
      { "check", "micrographs.mrcs", "smooth.mrcs", "binned.mrcs", "structure.mrc", "movie.mrcs", "views.mrcs" } },
};
enum { STAGES = sizeof stages / sizeof *stages };

/* The command line as a shell would need it. */
static void add_words(longtext *line, const stage *s)
{
    longtext_add(line, "tessera");
    for (const char *const *word = s->words; *word; word++) {
        const bool plain =
            strspn(*word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,@:") == strlen(*word);
        longtext_add(line, plain ? " %s" : " '%s'", *word);
    }
}

/* The i-th file that a stage writes, or NULL. */
static const char *output_of(const stage *s, int i)
{
    for (const char *const *word = s->words; *word; word++) {
        const bool names_one = strcmp(*word, "-o") == 0 || strcmp(*word, "--star") == 0 || strcmp(*word, "--plot") == 0;
        if (names_one && i-- == 0) return word[1];
    }
    return NULL;
}

static bool ends_with(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

/* What a process prints goes on to standard output, and into `printed`. */
static void pass_on(int from, longtext *printed)
{
    char    part[4096];
    ssize_t n;
    while ((n = read(from, part, sizeof part)) != 0) {
        if (n < 0 && errno != EINTR) return;
        if (n < 0) continue;
        longtext_bytes(printed, part, (size_t)n);
        (void)fwrite(part, 1, (size_t)n, stdout);
    }
    (void)fflush(stdout);
}

static void become(const char *program, const char *const *words, const int ends[2])
{
    if (dup2(ends[1], STDOUT_FILENO) >= 0) {
        (void)close(ends[0]);
        (void)close(ends[1]);
        (void)execv(program, (char *const *)(uintptr_t)words);
    }
    _exit(127);
}

/* This very program, with the words of a stage: what is shown is what is done. */
static tess_status run_stage(const stage *s, const char *program, longtext *printed)
{
    const char *words[24] = { "tessera" };
    int         n = 1, state, ends[2];
    for (; s->words[n - 1]; n++) words[n] = s->words[n - 1];
    TESS_CHECK(pipe(ends) == 0, TESS_EIO, "demo: a pipe cannot be made: %s", strerror(errno));
    const pid_t child = fork();
    if (child == 0) become(program, words, ends);
    (void)close(ends[1]);
    if (child > 0) pass_on(ends[0], printed);
    (void)close(ends[0]);
    TESS_CHECK(child >= 0, TESS_EIO, "demo: a new process cannot be made: %s", strerror(errno));
    while (waitpid(child, &state, 0) < 0)
        TESS_CHECK(errno == EINTR, TESS_EIO, "demo: waiting for a step: %s", strerror(errno));
    TESS_CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 0, TESS_EIO, "demo: the step \"%s\" did not succeed",
               s->title);
    return TESS_OK;
}

/* A stage in the page: its command line, what it printed, and the picture that it made. */
static tess_status report(page *p, const stage *s, const char *line, const char *printed, double seconds)
{
    const char *made;
    page_step(p, s->title, line, seconds);
    page_output(p, printed);
    for (int i = 0; (made = output_of(s, i)) != NULL; i++) {
        if (ends_with(made, ".svg")) TESS_TRY(page_drawing(p, made, s->title));
        if (ends_with(made, ".png")) TESS_TRY(page_picture(p, made, s->title));
    }
    return TESS_OK;
}

/* The same, once it is known that nothing is missing in both texts. */
static tess_status report_texts(page *p, const stage *s, const longtext *line, const longtext *printed, double seconds)
{
    TESS_CHECK(!line->failed && !printed->failed, TESS_ENOMEM, "demo: no memory for what the step \"%s\" printed",
               s->title);
    return report(p, s, line->bytes, printed->bytes, seconds);
}

static tess_status do_stage(page *p, const stage *s, const char *program)
{
    longtext     line = { 0 }, printed = { 0 };
    const char  *made;
    const double began = clock_seconds();
    add_words(&line, s);
    longtext_bytes(&printed, "", 0);
    (void)printf("\n%s\n  $ %s\n", s->title, line.bytes ? line.bytes : "");
    (void)fflush(stdout);
    for (int i = 0; (made = output_of(s, i)) != NULL; i++)
        (void)unlink(made); /* a file that is left of an earlier demo is in the way */
    tess_status status = run_stage(s, program, &printed);
    if (status == TESS_OK) status = report_texts(p, s, &line, &printed, clock_seconds() - began);
    longtext_free(&line);
    longtext_free(&printed);
    return status;
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
    for (int i = 0; i < STAGES; i++) {
        const char *made;
        for (int k = 0; (made = output_of(&stages[i], k)) != NULL; k++)
            if (stat(made, &info) == 0) (void)printf("  %-18s %9lld bytes\n", made, (long long)info.st_size);
    }
    (void)printf("\nOpen index.html, one page with all of it. docs/tutorial.md goes through this step by step;\n"
                 "tessera help lists what else there is.\n");
}

static tess_status run_stages(page *p, const char *program)
{
    page_start(
        p, "A tour of tessera",
        "Synthetic data are made, looked at, filtered in Fourier space, binned, measured and fitted. Each step is a "
        "command line: copy it, and do the same with your own files.");
    for (int i = 0; i < STAGES; i++) TESS_TRY(do_stage(p, &stages[i], program));
    return page_write(p, "index.html", true);
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
    page              p = { .n_steps = 0 };
    const tess_status status = run_stages(&p, program);
    page_free(&p);
    TESS_TRY(status);
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
    .summary = "a tour on data of its own: make, look at, filter, bin, measure, fit",
    .arguments = "",
    .text = "Each step is a command line that is shown and then run; files of an earlier demo in the same folder are "
            "replaced. index.html there has all of it in one page: commands, what they print, pictures and timings.",
    VERB_OF_FILE(0, 0),
};
