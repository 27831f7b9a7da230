/* The progress line: how far, how fast, how long still. */
#include "command/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "command/job.h"
#include "command/messages.h"

struct progress {
    char        name[80]; /* of the verb, and which file of several */
    const char *unit;
    int64_t     total, done, bytes_each;
    double      began, drawn; /* seconds */
    double      waited;       /* since when the user waits: several files are one work */
    int         tenths;       /* lines so far: in a log, one per 10 % */
    bool        on_terminal;
};

/* The one whose line is on the terminal now. */
static progress *shown;

void progress_hide(void)
{
    if (!shown) return;
    (void)fputs("\r\033[K", stderr);
    shown->drawn = 0;
    shown = NULL;
}

tess_status progress_start(progress **p, job *j, const char *unit, int64_t total, int64_t bytes_each)
{
    *p = NULL;
    const char *when = job_text(j, "progress", "auto");
    const bool  on_terminal = isatty(STDERR_FILENO);
    if (strcmp(when, "never") == 0 || total < 1) return TESS_OK;
    if (strcmp(when, "auto") == 0 && (!on_terminal || j->verbose < 0)) return TESS_OK;
    if (j->n_files > 1 && !on_terminal) return TESS_OK; /* a log has a line for each file */
    *p = calloc(1, sizeof **p);
    TESS_CHECK(*p, TESS_ENOMEM, "%s: no memory for the progress line", j->verb->name);
    **p = (progress){ .unit = unit, .total = total, .bytes_each = bytes_each };
    (*p)->on_terminal = on_terminal;
    (*p)->began = clock_seconds();
    (*p)->waited = j->n_files > 1 ? j->began : (*p)->began;
    if (j->n_files > 1)
        (void)snprintf((*p)->name, sizeof(*p)->name, "%s, file %d of %d", j->verb->name, j->file, j->n_files);
    else (void)snprintf((*p)->name, sizeof(*p)->name, "%s", j->verb->name);
    return TESS_OK;
}

/* "1.2 GB/s" of `bytes`, "310 images/s" where their size is not known. */
static void rate_text(char text[48], const progress *p, double spent)
{
    const double rate = (double)p->done / spent, bytes = rate * (double)p->bytes_each;
    if (bytes >= 1e9) (void)snprintf(text, 48, "%.1f GB/s", bytes / 1e9);
    else if (bytes > 0) (void)snprintf(text, 48, "%.0f MB/s", bytes / 1e6);
    else (void)snprintf(text, 48, "%.3g %s/s", rate, p->unit);
}

static void time_text(char text[24], double s)
{
    if (s < 0 || s > 359999) s = 359999;
    const int whole = (int)(s + 0.5);
    if (whole >= 3600) (void)snprintf(text, 24, "%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60);
    else (void)snprintf(text, 24, "%d:%02d", whole / 60, whole % 60);
}

static void draw_bar(const progress *p, double spent)
{
    char rate[48], left[24], tail[128];
    rate_text(rate, p, spent);
    time_text(left, spent * (double)(p->total - p->done) / (double)p->done);
    (void)snprintf(tail, sizeof tail, " %3d %% %" PRId64 "/%" PRId64 " %s, %s, %s left",
                   (int)(p->done * 100 / p->total), p->done, p->total, p->unit, rate, left);
    int width = terminal_columns(stderr) - 1 - (int)strlen(p->name) - 3 - (int)strlen(tail);
    if (width > 40) width = 40;
    (void)fprintf(stderr, "\r%s ", p->name);
    if (width >= 5) {
        const int filled = (int)((double)width * (double)p->done / (double)p->total);
        (void)fputc('[', stderr);
        for (int i = 0; i < width; i++) (void)fputc(i < filled ? '#' : '.', stderr);
        (void)fputc(']', stderr);
    }
    (void)fprintf(stderr, "%s\033[K", tail);
    (void)fflush(stderr);
}

static void print_lines(progress *p, double spent)
{
    const int tenths = (int)(p->done * 10 / p->total);
    if (tenths <= p->tenths) return;
    char rate[48];
    p->tenths = tenths;
    rate_text(rate, p, spent);
    (void)fprintf(stderr, "tessera: %s: %d %%, %" PRId64 " of %" PRId64 " %s, %s\n", p->name, tenths * 10, p->done,
                  p->total, p->unit, rate);
}

void progress_add(progress *p, int64_t n)
{
    if (!p) return;
    const double now = clock_seconds(), spent = now > p->began ? now - p->began : 1e-9;
    p->done = p->done + n < p->total ? p->done + n : p->total;
    if (p->done < 1) return;
    if (!p->on_terminal) {
        print_lines(p, spent);
    } else if (now - p->drawn >= 0.1 && now - p->waited >= 0.2) { /* nothing at all for short work */
        p->drawn = now;
        shown = p;
        draw_bar(p, spent);
    }
}

void progress_end(progress *p)
{
    if (p && p == shown) progress_hide();
    free(p);
}
