/* Who transforms: TESS_FFT. The program runs itself again with other variables; the child says what it was told. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

__attribute__((constructor)) static void answer_parent(void)
{
    if (!getenv("TESS_TEST_ANSWER")) return;
    tess_array a = { 0 }, out = { 0 };
    if (tess_zeros(&a, TESS_SHAPE(1, 1, 4, 4), TESS_F32, tess_cpu()) != TESS_OK) _exit(1);
    tess_fft_plan      *plan = NULL;
    struct tess_fft_plan_info info = { .provider = "" };
    if (tess_fft_r2c(&out, &a, NULL) == TESS_OK &&
        tess_fft_plan_new(&plan, TESS_FFT_R2C, a.shape, TESS_F32, tess_cpu(), NULL) == TESS_OK &&
        tess_fft_plan_info(&info, plan) == TESS_OK)
        printf("%s, %s\n", info.provider, info.method);
    else printf("%s\n", tess_error_message());
    fflush(stdout);
    tess_fft_plan_release(plan);
    tess_release(&out);
    tess_release(&a);
    _exit(0);
}

/* What the child says when called `path` and started with these variables. */
static const char *answer_to(const char *path, const char *setting, const char *other)
{
    static char text[1024];
    int         ends[2];
    text[0] = '\0';
    if (pipe(ends) != 0) return text;
    const pid_t child = fork();
    if (child == 0) {
        char *const arguments[] = { (char *)(uintptr_t)path, NULL };
        char *const variables[] = { "TESS_TEST_ANSWER=1", (char *)(uintptr_t)setting, (char *)(uintptr_t)other, NULL };
        dup2(ends[1], STDOUT_FILENO);
        execve("/proc/self/exe", arguments, variables);
        _exit(2);
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t got = 1; got > 0 && n < sizeof text - 1; n += (size_t)(got > 0 ? got : 0))
        got = read(ends[0], text + n, sizeof text - 1 - n);
    text[n] = '\0';
    close(ends[0]);
    (void)waitpid(child, NULL, 0);
    return text;
}

static void check_answer(const char *answer, const char *const parts[])
{
    for (int i = 0; parts[i]; i++)
        if (!strstr(answer, parts[i])) (void)test_failed(__FILE__, __LINE__, "\"%s\" lacks \"%s\"", answer, parts[i]);
}

/* A plugin that is beside the program, and is none: the message says why it was not opened. */
TEST(plugins_that_cannot_be_opened)
{
    char        folder[] = "/tmp/tess_provider_XXXXXX", program[64], plugin[64];
    const char *given = mkdtemp(folder);
    CHECK(given != NULL);
    if (!given) return;
    (void)snprintf(program, sizeof program, "%s/fft_provider", folder);
    (void)snprintf(plugin, sizeof plugin, "%s/libtessera_fftw.so", folder);
    FILE *file = fopen(plugin, "w");
    CHECK(file != NULL);
    if (file) CHECK(fputs("no library", file) >= 0 && fclose(file) == 0);
    const char *answer = answer_to(program, "TESS_FFT=fftw", NULL);
    if (!strstr(answer, "fftw, FFTW_ESTIMATE")) { /* installed where the system looks */
        check_answer(answer, (const char *[]){ "TESS_FFT is \"fftw\"", plugin, NULL });
        CHECK(!strstr(answer, "No such file"));
    }
    (void)remove(plugin);
    (void)rmdir(folder);
}

TEST(providers_by_name)
{
    check_answer(answer_to("fft_provider", "TESS_FFT=native", NULL), (const char *[]){ "native", NULL });
    check_answer(answer_to("fft_provider", "TESS_FFT=", NULL), (const char *[]){ "native", NULL });
    check_answer(answer_to("fft_provider", "TESS_FFT=mine", NULL),
                 (const char *[]){ "fft_r2c", "TESS_FFT is \"mine\"", "no such provider", "native and fftw", NULL });
    const char *nowhere = answer_to("/nowhere/fft_provider", "TESS_FFT=fftw", NULL);
    if (!strstr(nowhere, "fftw, FFTW_ESTIMATE")) /* installed where the system looks */
        check_answer(nowhere, (const char *[]){ "fft_r2c", "TESS_FFT is \"fftw\"", "/nowhere/libtessera_fftw.so",
                                                "could be opened", "native and fftw", NULL });
    if (strstr(answer_to("fft_provider", "TESS_FFT=fftw", NULL), "could be opened")) {
        test_skip_part("the plugin of FFTW was not built");
        return;
    }
    check_answer(answer_to("fft_provider", "TESS_FFT=fftw", NULL), (const char *[]){ "fftw, FFTW_ESTIMATE", NULL });
    check_answer(answer_to("fft_provider", "TESS_FFT=fftw", "TESS_FFTW=measure"),
                 (const char *[]){ "fftw, FFTW_MEASURE", NULL });
    check_answer(answer_to("fft_provider", "TESS_FFT=fftw", "TESS_FFTW=estimate"),
                 (const char *[]){ "fftw, FFTW_ESTIMATE", NULL });
    check_answer(
        answer_to("fft_provider", "TESS_FFT=fftw", "TESS_FFTW=patient"),
        (const char *[]){ "fft_r2c: TESS_FFT is \"fftw\": TESS_FFTW is \"patient\"", "estimate and measure", NULL });
}
