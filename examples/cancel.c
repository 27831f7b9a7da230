/* Cancels long calls: by a deadline, and by a signal such as Ctrl-C. */
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "tessera.h"

static double seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Called about every 20 ms by the thread that makes the call. */
static int32_t is_late(void *deadline) { return seconds() > *(double *)deadline; }

static volatile sig_atomic_t interrupted;

/* The flag is for signals that come between two calls. */
static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
    tess_cancel();
}

static tess_status run(void)
{
    tess_array image = { 0 }, out = { 0 };
    TESS_TRY(tess_empty(&image, TESS_SHAPE(1, 1, 4096, 4096), TESS_F32, tess_cpu()));
    TESS_TRY(tess_random_normal(&image, 0, 1, 1, NULL));

    double deadline = seconds() + 0.1;
    tess_cancel_set(is_late, &deadline);
    tess_status status = tess_median_filter(&out, &image, TESS_SHAPE(1, 1, 15, 15), NULL);
    tess_cancel_set(NULL, NULL);
    printf("%s after the deadline: %s\n", tess_status_name(status), tess_error_message());

    (void)signal(SIGALRM, on_signal);
    (void)alarm(1); /* a signal in one second */
    for (status = TESS_OK; status == TESS_OK && !interrupted;)
        status = tess_median_filter(&out, &image, TESS_SHAPE(1, 1, 15, 15), NULL);
    printf("%s after the signal\n", tess_status_name(status));

    TESS_TRY(tess_median_filter(&out, &image, TESS_SHAPE(1, 1, 3, 3), NULL)); /* the next call is not affected */
    tess_release(&out);
    tess_release(&image);
    return TESS_OK;
}

int main(void)
{
    if (run() == TESS_OK) return 0;
    fputs(tess_error_trace(), stderr);
    return 1;
}
