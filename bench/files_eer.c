/* Counting of the electrons of EER movies that are in the page cache, beside a loop written by hand for their one kind of
 * code and size, which decodes each frame once and checks nothing.
 *
 * One JSON line each. `--quick` takes 20 frames of 4096 x 4096 instead of 60. The movie is made in $TMPDIR, or /tmp.
 */
#include <fcntl.h>
#include <unistd.h>

#include "bench.h"

enum { SIDE = 4096, RUN_BITS = 7, LONGEST = 127, MAX_FRAMES = 60, FRAME_BYTES = 1 << 20 };

static int     n_frames = MAX_FRAMES;
static int64_t frame_bytes[MAX_FRAMES], frame_at[MAX_FRAMES];
static char    path[256];

/* ---- The movie ---- */

static uint64_t random_state = 1;

static uint32_t next_random(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33);
}

static void put_bits(unsigned char *bytes, int64_t *at, unsigned value, int n)
{
    for (int i = 0; i < n; i++, ++*at) bytes[*at / 8] |= (unsigned char)((value >> i & 1) << *at % 8);
}

/* About one electron in 50 pixels; how many bytes the frame takes. */
static int64_t make_frame(unsigned char *bytes)
{
    int64_t bits = 0;
    for (int64_t at = 0, last = (int64_t)SIDE * SIDE; at < last; at++) {
        int64_t run = next_random() % 99;
        while (next_random() % 64 == 0) run += 99;
        if (run > last - at) run = last - at;
        for (at += run; run >= LONGEST; run -= LONGEST) put_bits(bytes, &bits, LONGEST, RUN_BITS);
        put_bits(bytes, &bits, (unsigned)run, RUN_BITS);
        if (at < last) put_bits(bytes, &bits, next_random(), 4);
    }
    return (bits + 7) / 8;
}

static void put_number(FILE *file, uint64_t value, int n)
{
    for (int i = 0; i < n; i++) (void)fputc((int)(value >> 8 * i & 255), file);
}

static void put_entry(FILE *file, unsigned tag, unsigned type, uint64_t value)
{
    put_number(file, tag, 2);
    put_number(file, type, 2);
    put_number(file, 1, 8);
    put_number(file, value, 8);
}

/* A BigTIFF: frames first, each followed by its directory. */
static void make_movie(void)
{
    enum { ENTRIES = 5, DIRECTORY = 16 + 20 * ENTRIES };
    static unsigned char frames[FRAME_BYTES];
    FILE                *file = fopen(path, "wb");
    int64_t              at = 16;
    if (!file || fwrite("II+\0\10\0\0\0", 1, 8, file) != 8) exit(1);
    for (int i = 0; i < n_frames; i++) {
        memset(frames, 0, sizeof frames);
        frame_bytes[i] = make_frame(frames);
        frame_at[i] = at;
        put_number(file, (uint64_t)(at + frame_bytes[i]),
                   8); /* the link to its directory, of the header or of the last */
        if (fwrite(frames, 1, (size_t)frame_bytes[i], file) != (size_t)frame_bytes[i]) exit(1);
        put_number(file, ENTRIES, 8);
        put_entry(file, 256, 4, SIDE);
        put_entry(file, 257, 4, SIDE);
        put_entry(file, 259, 3, 65001);
        put_entry(file, 273, 16, (uint64_t)frame_at[i]);
        put_entry(file, 279, 16, (uint64_t)frame_bytes[i]);
        at += frame_bytes[i] + DIRECTORY;
    }
    put_number(file, 0, 8);
    if (fclose(file) != 0) exit(1);
}

/* ---- What is timed ---- */

typedef struct eer_case {
    tess_array     out;
    tess_read_opts opts;
    unsigned char *image; /* of the loop by hand */
    int            shift;
} eer_case;

static void run_read(void *context)
{
    eer_case *c = context;
    bench_need(tess_read(&c->out, path, &c->opts));
}

static void decode(unsigned char *image, const unsigned char *bytes, int shift)
{
    const int64_t last = (int64_t)SIDE * SIDE;
    int64_t       bit = 0;
    for (int64_t at = 0; at < last; at++) {
        uint64_t word;
        memcpy(&word, bytes + bit / 8, 8);
        word >>= bit % 8;
        const unsigned run = word & LONGEST;
        at += run;
        if (run == LONGEST) {
            bit += RUN_BITS;
            at--;
            continue;
        }
        if (at >= last) break;
        const unsigned in = (unsigned)(word >> RUN_BITS & 15) ^ 10u;
        const int64_t  x = (at % SIDE << shift) | (in & 3) >> (2 - shift), y = (at / SIDE << shift) | in >> (4 - shift);
        image[y * ((int64_t)SIDE << shift) + x]++;
        bit += RUN_BITS + 4;
    }
}

/* One thread, groups of frames in an image that is used again. */
static void run_by_hand(void *context)
{
    static unsigned char bytes[FRAME_BYTES + 8];
    const eer_case      *c = context;
    const int            fd = open(path, O_RDONLY);
    for (int i = 0; i < n_frames; i++) {
        if (i % c->opts.eer_group == 0) memset(c->image, 0, (size_t)SIDE * SIDE << 2 * c->shift);
        if (pread(fd, bytes, (size_t)frame_bytes[i], frame_at[i]) != frame_bytes[i]) exit(1);
        decode(c->image, bytes, c->shift);
    }
    (void)close(fd);
}

static void time_read(const char *name, int group, int shift)
{
    for (int threads = 1; threads <= 2; threads++) {
        eer_case c = { .opts = { .eer_group = group, .eer_upsampling = 1 << shift }, .shift = shift };
        c.image = malloc((size_t)SIDE * SIDE << 2 * shift);
        if (!c.image) exit(1);
        bench_need(tess_threads_set(threads));
        bench_need(tess_read(&c.out, path, &c.opts));
        bench_report(name, "u8", threads, bench_compare(run_read, &c, run_by_hand, &c, 5, 0.01));
        tess_release(&c.out);
        free(c.image);
    }
}

int main(int argc, char **argv)
{
    const char *folder = getenv("TMPDIR");
    if (argc > 1 && strcmp(argv[1], "--quick") == 0) n_frames = 20;
    (void)snprintf(path, sizeof path, "%.200s/tessera-bench-%ld.eer", folder ? folder : "/tmp", (long)getpid());
    make_movie();
    time_read("eer frames", 1, 0);
    time_read("eer groups of 10", 10, 0);
    time_read("eer groups of 10, up-sampled by 4", 10, 2);
    (void)unlink(path);
    return 0;
}
