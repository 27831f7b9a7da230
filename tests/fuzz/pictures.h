/* What TIFF and PNG have in common: seeds that the library writes. */
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

#endif
