/* One file in memory in place of all files on disk: the public functions read it, whatever the name, without a system
 * call. */
#ifndef TESS_FUZZ_ONE_FILE_H
#define TESS_FUZZ_ONE_FILE_H

#include <string.h>

#include "io/file/system.h"

static const void *one_file_bytes;
static int64_t     one_file_size;

enum { ONE_FILE = 1 << 20 /* its descriptor, which no real file has */ };

static int one_file_open(const char *path, int flags, unsigned mode)
{
    (void)path, (void)flags, (void)mode;
    return ONE_FILE;
}

static int one_file_close(int fd)
{
    (void)fd;
    return 0;
}

static int64_t one_file_length(int fd)
{
    (void)fd;
    return one_file_size;
}

static ssize_t one_file_read_at(int fd, void *bytes, size_t n, int64_t offset)
{
    const int64_t left = one_file_size - offset;
    (void)fd;
    if (offset < 0 || left <= 0) return 0;
    const size_t some = n < (size_t)left ? n : (size_t)left;
    memcpy(bytes, (const char *)one_file_bytes + offset, some);
    return (ssize_t)some;
}

/* From now on there is no other file than this. */
static inline void one_file(const void *bytes, size_t n)
{
    one_file_bytes = bytes;
    one_file_size = (int64_t)n;
    tess__sys.open = one_file_open;
    tess__sys.close = one_file_close;
    tess__sys.size = one_file_length;
    tess__sys.read_at = one_file_read_at;
}

#endif
