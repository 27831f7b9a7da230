/* What is done with a file that may hold an array: opened in every way, read whole and in part. */
#ifndef TESS_FUZZ_ARRAYS_H
#define TESS_FUZZ_ARRAYS_H

#include "fuzz/mutate.h"
#include "fuzz/one_file.h"

static void fuzz_read_part(tess_file *file, const tess_shape *shape, uint32_t pick)
{
    tess_array        out = { 0 };
    const tess_region part = { tess_from_to_step(pick % 3, TESS_NONE, 2), tess_from_to(0, 2),
                               tess_from_to_step(TESS_NONE, TESS_NONE, -2), tess_from_to(1, shape->w - 1) };
    (void)fuzz_ok(tess_file_read(&out, file, part));
    tess_release(&out);
}

/* Open and read; `most` is what the elements of a file of this size may take. */
static void fuzz_read(const char *path, const tess_read_opts *opts, uint32_t pick, int64_t most)
{
    tess_file *file = NULL;
    tess_array out = { 0 };
    if (!fuzz_ok(tess_open(&file, path, opts))) return;
    const tess_info_file *info = tess_file_info(file);
    int64_t               bytes = (int64_t)tess_dtype_size(info->dtype);
    bool                  empty = false;
    for (int k = 0; k < 4; k++) {
        if (info->shape.dim[k] < 0) fuzz_fail("a negative size");
        empty |= info->shape.dim[k] == 0;
        if (!empty && __builtin_mul_overflow(bytes, info->shape.dim[k], &bytes)) fuzz_fail("sizes overflow");
    }
    if (!empty && bytes > most) fuzz_fail("more data than the file can hold");
    if (pick % 3) fuzz_read_part(file, &info->shape, pick);
    (void)fuzz_ok(tess_file_read(&out, file, (tess_region){ .b = { .from = 0 } }));
    if (pick % 5 == 0) fuzz_read_part(file, &info->shape, pick / 7);
    tess_release(&out);
    tess_file_close(file);
}

/* What is salvaged is as large as the file says, and memory may not be enough for it. */
static inline void fuzz_salvage(const char *path)
{
    const tess_read_opts opts = { .salvage = 1, .grey = 1, .keep_rows = 1 };
    tess_array           a = { 0 };
    if (tess_memory_limit_set(INT64_C(1) << 24) != TESS_OK) fuzz_fail("no limit of memory");
    if (tess_read(&a, path, &opts) != TESS_OK && tess_error_message()[0] == '\0') fuzz_fail("no message");
    tess_release(&a);
    if (tess_memory_limit_set(0) != TESS_OK) fuzz_fail("no limit of memory");
}

/* A number that depends on the input: which options it is read with. */
static uint32_t fuzz_pick(const uint8_t *data, size_t n)
{
    uint32_t pick = (uint32_t)n;
    for (size_t i = 0; i < n; i += 1 + n / 64) pick = pick * 31 + data[i];
    return pick >> 3;
}

#endif
