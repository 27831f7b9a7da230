/* Reading and writing of files that are in the page cache, beside read() and write() of as many bytes in the same run.
 *
 * One JSON line each. `--quick` takes 64 MiB instead of 1 GiB; other arguments are names of works to run. Files are made
 * in $TMPDIR, or /tmp.
 */
#include <fcntl.h>
#include <unistd.h>

#include "bench.h"

static int64_t bytes_in_file = INT64_C(1) << 30;
static int     rounds = 5;
static int     n_names;
static char  **names;
static char    path[256];

static int64_t size_of(tess_dtype dtype) { return (int64_t)tess_dtype_size(dtype); }

static bool wanted(const char *name) { return bench_wanted(name, names, n_names); }

enum { CHUNK = 1 << 18, HEADER = 1024 };

typedef struct file_case {
    tess_array out;
    int64_t    stored;   /* bytes of data in the file */
    char      *copied;   /* what the limit fills */
    int64_t    made;     /* bytes of the array */
    bool       converts; /* through a buffer that stays in the cache */
    int        threads;
} file_case;

static void run_read(void *context)
{
    file_case *c = context;
    bench_need(tess_read(&c->out, path, NULL));
}

/* A share of the limit: bytes from `from` on by read() straight into memory; or, for data that are converted, into a
 * buffer in the cache, and as many bytes as come of them copied out of another. */
typedef struct limit_share {
    const file_case *c;
    int64_t          from, n;
} limit_share;

static void *run_share(void *given)
{
    const limit_share *s = given;
    const file_case   *c = s->c;
    static char        made[8 * CHUNK];
    char              *buffer = malloc(CHUNK);
    const int          fd = open(path, O_RDONLY);
    const int64_t      grows = c->made / c->stored;
    for (int64_t at = s->from; at < s->from + s->n;) {
        const int64_t left = s->from + s->n - at, piece = c->converts ? CHUNK : 4 << 20,
                      n = left < piece ? left : piece;
        char *to = c->converts ? buffer : c->copied + at;
        if (pread(fd, to, (size_t)n, HEADER + at) != n) exit(1);
        if (c->converts) memcpy(c->copied + at * grows, made, (size_t)(n * grows));
        at += n;
    }
    (void)close(fd);
    free(buffer);
    return NULL;
}

static void run_limit(void *context)
{
    file_case    *c = context;
    const int64_t half = c->threads == 2 ? c->stored / 2 / CHUNK * CHUNK : c->stored;
    limit_share   shares[2] = { { c, 0, half }, { c, half, c->stored - half } };
    pthread_t     second;
    if (c->threads == 2 && pthread_create(&second, NULL, run_share, &shares[1]) != 0) exit(1);
    (void)run_share(&shares[0]);
    if (c->threads == 2) (void)pthread_join(second, NULL);
}

/* Images of 4096 x 4096 bytes' worth. */
static void make_file(tess_dtype dtype, bool big_endian)
{
    const int64_t size = size_of(dtype), images = bytes_in_file / (size * 4096 * 1024);
    tess_array    image = { 0 };
    tess_writer  *w;
    bench_need(tess_arange(&image, TESS_SHAPE(1, 1, 1024, 4096), dtype, tess_cpu(), 0, 1e-6));
    bench_need(tess_writer_open(&w, path, TESS_SHAPE(images, 1, 1024, 4096), dtype,
                                &(tess_write_opts){ .overwrite = 1, .big_endian = big_endian }));
    for (int64_t i = 0; i < images; i++) bench_need(tess_writer_append(w, &image));
    bench_need(tess_writer_finish(w));
    tess_release(&image);
}

static void time_read(const char *name, tess_dtype stored, bool big_endian, tess_dtype as)
{
    if (!wanted(name)) return;
    make_file(stored, big_endian);
    const int64_t images = bytes_in_file / (size_of(stored) * 4096 * 1024);
    for (int threads = 1; threads <= 2; threads++) {
        file_case c = { .stored = bytes_in_file, .threads = threads, .converts = stored != as || big_endian };
        c.made = bytes_in_file / size_of(stored) * size_of(as);
        tess_array copied = { 0 };
        bench_need(tess_zeros(&c.out, TESS_SHAPE(images, 1, 1024, 4096), as, tess_cpu()));
        bench_need(tess_zeros(&copied, TESS_SHAPE(1, 1, 1, c.made), TESS_U8, tess_cpu()));
        bench_need(tess_fill(&c.out, 1)); /* its pages are there */
        bench_need(tess_fill(&copied, 1));
        c.copied = copied.data;
        bench_need(tess_threads_set(threads));
        bench_report(name, tess_dtype_name(stored), threads, bench_compare(run_read, &c, run_limit, &c, rounds, 0.01));
        tess_release(&c.out);
        tess_release(&copied);
    }
}

/* ---- Headers ---- */

static void run_info(void *unused)
{
    tess_info_file info;
    (void)unused;
    bench_need(tess_info(&info, path, NULL));
}

static void run_open(void *unused)
{
    char      header[HEADER];
    const int fd = open(path, O_RDONLY);
    (void)unused;
    if (pread(fd, header, sizeof header, 0) != (ssize_t)sizeof header) exit(1);
    (void)close(fd);
}

int main(int argc, char **argv)
{
    const char *folder = getenv("TMPDIR");
    if (argc > 1 && strcmp(argv[1], "--quick") == 0) bytes_in_file = 64 << 20, rounds = 3, argc--, argv++;
    n_names = argc - 1;
    names = argv + 1;
    (void)snprintf(path, sizeof path, "%.200s/tessera-bench-%ld.mrcs", folder ? folder : "/tmp", (long)getpid());
    time_read("read", TESS_F32, false, TESS_F32);
    time_read("read swapped", TESS_F32, true, TESS_F32);
    time_read("read as f32", TESS_I8, false, TESS_F32);
    time_read("read as f32", TESS_I16, false, TESS_F32);
    time_read("read as f32", TESS_F16, false, TESS_F32);
    time_read("read swapped as f32", TESS_I16, true, TESS_F32);
    if (wanted("info")) bench_report("info", "f32", 1, bench_compare(run_info, NULL, run_open, NULL, rounds, 0.01));
    (void)unlink(path);
    return 0;
}
