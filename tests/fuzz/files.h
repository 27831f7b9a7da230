/* Files that went wrong: bytes of good ones, changed, opened and read from memory. What the programs for each format
 * share.
 *
 *     fuzz_tiff N [SEED]     N files; the same for the same seed
 *
 * For libFuzzer, compile with -DTESS_LIBFUZZER and -fsanitize=fuzzer: LLVMFuzzerTestOneInput is the entry.
 */
#ifndef TESS_FUZZ_FILES_H
#define TESS_FUZZ_FILES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "io/file.h"

enum { LONGEST = 1 << 16, MOST_SEEDS = 128 };

static void fail(const char *what)
{
    (void)fprintf(stderr, "%s\n%s\n", what, tess_error_trace());
    abort();
}

/* Reads of an opened file: all of it if that is small, and a part. */
static void read_file(tess_file *file, const unsigned char *bytes)
{
    const tess_shape *n = &file->info.shape;
    tess_array        a = { 0 }, part = { 0 };
    tess_region       region = { .h = tess_from_to_step(TESS_NONE, TESS_NONE, -3), .w = tess_from_to(1, 4) };
    if (n->b < 1 || n->d < 1 || n->h < 1 || n->w < 1) fail("an empty file");
    if (n->b > 0) region.b = tess_only(bytes[0] % n->b);
    if (tess_file_read(&part, file, region) != TESS_OK && tess_error_message()[0] == '\0') fail("no message of a part");
    if ((double)n->b * (double)n->d * (double)n->h * (double)n->w < 1e6 &&
        tess_file_read(&a, file, (tess_region){ .b = { .from = 0 } }) != TESS_OK && tess_error_message()[0] == '\0')
        fail("no message of reading");
    tess_release(&a);
    tess_release(&part);
}

/* Whatever is said of the bytes: it must come back, in good time, and leave nothing behind. */
static void try_bytes(const tess__format *format, const uint8_t *bytes, size_t n, const tess_read_opts *opts)
{
    tess_file *file = tess__alloc(sizeof *file);
    if (!file) return;
    memset(file, 0, sizeof *file);
    file->format = format;
    file->opts = *opts;
    file->path = tess__alloc(2);
    if (file->path) {
        memcpy(file->path, "x", 2);
        tess_error_clear();
        if (tess__source_memory(&file->source, "x", bytes, (int64_t)n) != TESS_OK) file->source = NULL;
        else if (format->open(file) == TESS_OK) read_file(file, bytes);
        else if (tess_error_message()[0] == '\0') fail("no message");
    }
    tess_file_close(file);
}

#ifndef TESS_LIBFUZZER

static uint64_t state;

static uint32_t next_random(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static size_t below(size_t n) { return n ? next_random() % n : 0; }

static unsigned char *seeds[MOST_SEEDS];
static size_t         lengths[MOST_SEEDS];
static size_t         n_seeds;

static void add_seed(const unsigned char *bytes, size_t n)
{
    if (n_seeds == MOST_SEEDS || n > LONGEST) return;
    seeds[n_seeds] = malloc(n ? n : 1);
    if (!seeds[n_seeds]) return;
    memcpy(seeds[n_seeds], bytes, n);
    lengths[n_seeds++] = n;
}

/* A file that the library writes is a seed. */
static void add_written(const char *path)
{
    static unsigned char bytes[LONGEST];
    FILE                *file = fopen(path, "rb");
    if (!file) return;
    add_seed(bytes, fread(bytes, 1, sizeof bytes, file));
    (void)fclose(file);
    (void)remove(path);
}

/* One change: a byte, a number of some width, a stretch less or more, a stretch of another file. */
static size_t change(unsigned char *bytes, size_t n)
{
    static const uint32_t odd[] = {
        0, 1, 2, 7, 8, 255, 256, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff
    };
    const size_t at = below(n + 1);
    switch (below(8)) {
    case 0:
    case 1:
        if (at < n) bytes[at] = (unsigned char)next_random();
        return n;
    case 2:
        if (at < n) bytes[at] ^= (unsigned char)(1u << below(8));
        return n;
    case 3:
    case 4: {
        const uint32_t value = below(4) ? odd[below(sizeof odd / sizeof *odd)] : (uint32_t)below(n + 16);
        const size_t   width = (size_t)1 << below(3);
        const bool     turned = below(2);
        for (size_t i = 0; i < width && at + i < n; i++)
            bytes[at + i] = (unsigned char)(value >> 8 * (turned ? width - 1 - i : i));
        return n;
    }
    case 5: { /* less */
        const size_t length = below(n - at + 1) % 64;
        memmove(bytes + at, bytes + at + length, n - at - length);
        return n - length;
    }
    case 6: { /* from another file */
        const size_t other = below(n_seeds), from = below(lengths[other] + 1);
        const size_t length = below(lengths[other] - from + 1) % 64;
        for (size_t i = 0; i < length && at + i < n; i++) bytes[at + i] = seeds[other][from + i];
        return n;
    }
    default: return below(20) ? n : at; /* cut off */
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static int fuzz_main(int argc, char **argv, void (*add_seeds)(void))
{
    const long long runs = argc > 1 ? atoll(argv[1]) : 10000;
    state = argc > 2 ? (uint64_t)atoll(argv[2]) : 1;
    add_seeds();
    if (n_seeds == 0) {
        printf("SKIPPED: not built in\n0 passed, 0 failed, 1 skipped\n");
        return 0;
    }
    for (long long i = 0; i < runs; i++) {
        const size_t   seed = below(n_seeds);
        size_t         n = lengths[seed];
        unsigned char *bytes = malloc(n ? n : 1);
        if (!bytes) break;
        memcpy(bytes, seeds[seed], n);
        for (size_t k = below(5); k < 5; k++) n = change(bytes, n);
        unsigned char *exact = malloc(n ? n : 1); /* as long as it says, so that reading beyond it is seen */
        if (exact) (void)LLVMFuzzerTestOneInput(memcpy(exact, bytes, n), n);
        free(exact);
        free(bytes);
    }
    for (size_t i = 0; i < n_seeds; i++) free(seeds[i]);
    printf("%lld passed, 0 failed\n", runs);
    return 0;
}

#endif

#endif
