/* System calls for files: one table, so that tests can inject failures. */
#ifndef TESS_IO_FILE_SYSTEM_H
#define TESS_IO_FILE_SYSTEM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct tess__system {
    int (*open)(const char *path, int flags, unsigned mode);
    int (*close)(int fd);
    int64_t (*size)(int fd); /* bytes of a regular file; -1: it has no size (a pipe), -2: the call failed */
    ssize_t (*read)(int fd, void *bytes, size_t n);
    ssize_t (*read_at)(int fd, void *bytes, size_t n, int64_t offset);
    ssize_t (*write)(int fd, const void *bytes, size_t n);
    ssize_t (*write_at)(int fd, const void *bytes, size_t n, int64_t offset);
    int (*sync)(int fd);
    int (*rename)(const char *from, const char *to);
    int (*link)(const char *from, const char *to);
    int (*unlink)(const char *path);
} tess__system;

/* The table in use; tests change it and restore it. */
extern tess__system tess__sys;

/* Read all n bytes, over partial reads; interrupted calls are repeated. The number that could be read
 * before the end of the file, or -1 with errno set. */
int64_t tess__read_fully(int fd, void *bytes, int64_t n, int64_t offset);

/* Write all n bytes at an offset (-1: at the current position); -1, with errno set, if that failed. */
int tess__write_fully(int fd, const void *bytes, int64_t n, int64_t offset);

#endif
