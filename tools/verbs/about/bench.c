/* tessera bench: what this machine reaches, in some seconds. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "command/job.h"

typedef struct workload {
    tess_array a, b, out, spectrum;
    char       file[1024];
} workload;

static tess_status run_copy(workload *w) { return tess_copy(&w->out, &w->a); }
static tess_status run_add(workload *w) { return tess_add(&w->out, &w->a, &w->b); }
static tess_status run_exp(workload *w) { return tess_exp(&w->out, &w->a); }
static tess_status run_sum(workload *w) { return tess_host_sum(&(double){ 0 }, &w->a); }
static tess_status run_fft(workload *w) { return tess_fft_r2c(&w->spectrum, &w->a, NULL); }
static tess_status run_write(workload *w) { return tess_write(w->file, &w->a, &(tess_write_opts){ .overwrite = 1 }); }
static tess_status run_read(workload *w) { return tess_read(&w->out, w->file, NULL); }

/* `moved`: times that the array goes to or from memory. */
static const struct {
    const char *name;
    tess_status (*run)(workload *w);
    double moved;
} works[] = {
    { "copy", run_copy, 2 }, { "add", run_add, 3 },     { "exp", run_exp, 2 },   { "sum", run_sum, 1 },
    { "fft", run_fft, 2 },   { "write", run_write, 1 }, { "read", run_read, 1 },
};

/* The shortest time of several runs, within about half a second. */
static tess_status measure(workload *w, tess_status (*run)(workload *), double *best)
{
    const double began = clock_seconds();
    *best = 1e30;
    for (int i = 0; i < 20 && (i < 2 || clock_seconds() - began < 0.5); i++) {
        const double from = clock_seconds();
        TESS_TRY(run(w));
        const double spent = clock_seconds() - from;
        if (spent < *best) *best = spent;
    }
    return TESS_OK;
}

static tess_status prepare(workload *w, job *j)
{
    const tess_shape shape = TESS_SHAPE(job_integer(j, "images", 64), 1, 512, 512);
    const char      *folder = job_text(j, "folder", getenv("TMPDIR"));
    TESS_CHECK(shape.b >= 1 && shape.b <= 65536, TESS_ERANGE, "bench: --images is %" PRId64 "; 1 to 65536 is allowed",
               shape.b);
    (void)snprintf(w->file, sizeof w->file, "%s/tessera-bench-%ld.mrcs", folder ? folder : "/tmp", (long)getpid());
    TESS_TRY(tess_linspace(&w->a, shape, TESS_F32, tess_cpu(), 0, 1, NULL));
    TESS_TRY(tess_full(&w->b, shape, TESS_F32, tess_cpu(), 0.5));
    return tess_zeros(&w->out, shape, TESS_F32, tess_cpu());
}

static tess_status run_all(workload *w, job *j, table *t)
{
    TESS_TRY(prepare(w, j));
    const double bytes = (double)tess_n_bytes(&w->a);
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        double best;
        TESS_TRY(measure(w, works[i].run, &best));
        table_text(t, "work", works[i].name);
        table_number(t, "ms", (double)(int64_t)(best * 1e5 + 0.5) / 100);
        table_number(t, "GB/s", (double)(int64_t)(works[i].moved * bytes / best / 1e7 + 0.5) / 100);
        table_row(t);
    }
    return TESS_OK;
}

static tess_status run(job *j)
{
    workload          w = { .file = "" };
    table            *t = table_new(j, stdout);
    const tess_status status = run_all(&w, j, t);
    tess_release(&w.a);
    tess_release(&w.b);
    tess_release(&w.out);
    tess_release(&w.spectrum);
    if (w.file[0]) (void)remove(w.file);
    if (status == TESS_OK) table_end(t);
    else table_free(t);
    return status;
}

static const option options[] = {
    VALUE("images", "N", OPTION_INTEGER, "number of test images, 512 x 512 f32, 1 MiB each [64]"),
    VALUE("folder", "DIR", OPTION_FILE, "folder of the test file [TMPDIR, or /tmp]"),
    { .name = NULL },
};
static const char *const examples[] = { "tessera bench --images 8", "tessera bench --images 8 -j 1 --json", NULL };

const verb verb_bench = {
    .name = "bench",
    .subject = "about the command",
    .summary = "measure how fast this machine copies, computes, reads and writes",
    .arguments = "",
    .text = "GB/s count each array once for every time it is read or written. The file is read from the page cache; "
            "writing includes the time until it is safe on the disk.",
    .globals = GLOBAL_NUMBER_TABLE,
    VERB_OF_FILE(0, 0),
};
