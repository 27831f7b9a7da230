/* Calls to the operating system that fail on request: see src/io/file/system.h. */
#ifndef TESS_TEST_FAULTS_H
#define TESS_TEST_FAULTS_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "io/file/system.h"

/* Each file that includes this has its own. */
static tess__system real;
static atomic_long  calls, fired;         /* calls made, by any thread; how many failed */
static long         fail_at;              /* the one that fails */
static bool         for_good, after_name; /* those after it fail, too; the file has its new name */
static int          error;

static bool fails(void)
{
    const long call = ++calls;
    if (!fail_at || (call != fail_at && !(for_good && call > fail_at))) return false;
    fired++;
    errno = error;
    return true;
}

static int f_open(const char *path, int flags, unsigned mode) { return fails() ? -1 : real.open(path, flags, mode); }
static int64_t f_size(int fd) { return fails() ? -2 : real.size(fd); }
static ssize_t f_read(int fd, void *b, size_t n) { return fails() ? -1 : real.read(fd, b, n); }
static ssize_t f_read_at(int fd, void *b, size_t n, int64_t at) { return fails() ? -1 : real.read_at(fd, b, n, at); }
static ssize_t f_write(int fd, const void *b, size_t n) { return fails() ? -1 : real.write(fd, b, n); }
static int     f_sync(int fd) { return fails() ? -1 : real.sync(fd); }

/* What is closed is closed, whatever close says. */
static int f_close(int fd)
{
    const bool bad = fails();
    const int  code = real.close(fd);
    if (bad) errno = error;
    return bad ? -1 : code;
}

static ssize_t f_write_at(int fd, const void *b, size_t n, int64_t at)
{
    return fails() ? -1 : real.write_at(fd, b, n, at);
}

static int f_rename(const char *from, const char *to)
{
    if (fails()) return -1;
    after_name = true;
    return real.rename(from, to);
}

static int f_link(const char *from, const char *to)
{
    if (fails()) return -1;
    after_name = true;
    return real.link(from, to);
}

/* A temporary file that cannot be removed stays: that is not what is tried here. */
static int f_unlink(const char *path) { return real.unlink(path); }

/* From now on call `at` fails with errno `code`, and, if `good`, all that follow. */
static void start_faults(long at, bool good, int code)
{
    real = tess__sys;
    calls = fired = 0;
    fail_at = at;
    for_good = good;
    error = code;
    after_name = false;
    tess__sys = (tess__system){ f_open,     f_close, f_size,   f_read, f_read_at, f_write,
                                f_write_at, f_sync,  f_rename, f_link, f_unlink };
}

static void end_faults(void) { tess__sys = real; }

#endif
