/* What TIFF and PNG have in common: seeds that the library writes, and files that are salvaged. */
#ifndef TESS_FUZZ_PICTURES_H
#define TESS_FUZZ_PICTURES_H

#include "fuzz/arrays.h"
#include "support/folder.h"

/* Write an array of numbers; the file is a seed. False if it could not be written: not built in. */
static inline bool fuzz_add_written(const char *name, tess_shape shape, tess_dtype dtype, const tess_write_opts *opts)
{
    static uint8_t bytes[FUZZ_LONGEST / 2];
    tess_array     a = { 0 };
    const bool     written =
        tess_arange(&a, shape, dtype, tess_cpu(), 0, 1) == TESS_OK && tess_write(in_folder(name), &a, opts) == TESS_OK;
    tess_release(&a);
    if (written) fuzz_add(bytes, (size_t)get_file(name, bytes, sizeof bytes));
    return written;
}

/* What is salvaged is as large as the file says, and memory may not be enough for it. */
static inline void fuzz_salvage(const char *path)
{
    const tess_read_opts opts = { .salvage = 1, .grey = 1, .keep_rows = 1 };
    tess_array           a = { 0 };
    if (tess_set_memory_limit(INT64_C(1) << 24) != TESS_OK) fuzz_fail("no limit of memory");
    if (tess_read(&a, path, &opts) != TESS_OK && tess_error_message()[0] == '\0') fuzz_fail("no message");
    tess_release(&a);
    if (tess_set_memory_limit(0) != TESS_OK) fuzz_fail("no limit of memory");
}

#endif
