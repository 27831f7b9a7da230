/* System calls for files: the table of the real ones, and loops over partial reads and writes. */
#include "io/file/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_path(const char *path, int flags, unsigned mode) { return open(path, flags | O_CLOEXEC, (mode_t)mode); }

static int64_t size_of(int fd)
{
    struct stat info;
    if (fstat(fd, &info) != 0) return -2;
    if (S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return -2;
    }
    return S_ISREG(info.st_mode) ? (int64_t)info.st_size : -1;
}

static ssize_t read_at(int fd, void *bytes, size_t n, int64_t offset) { return pread(fd, bytes, n, (off_t)offset); }

static ssize_t write_at(int fd, const void *bytes, size_t n, int64_t offset)
{
    return pwrite(fd, bytes, n, (off_t)offset);
}

tess__system tess__sys = { open_path, close, size_of, read, read_at, write, write_at, fsync, rename, link, unlink };

/* One call moves at most this many bytes: Linux stops at 2 GiB anyway. */
enum { MAX_BYTES = 1 << 30 };

int64_t tess__read_fully(int fd, void *bytes, int64_t n, int64_t offset)
{
    int64_t done = 0;
    while (done < n) {
        const size_t  want = n - done < MAX_BYTES ? (size_t)(n - done) : MAX_BYTES;
        const ssize_t got = tess__sys.read_at(fd, (char *)bytes + done, want, offset + done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        done += got;
    }
    return done;
}

int tess__write_fully(int fd, const void *bytes, int64_t n, int64_t offset)
{
    int64_t done = 0;
    while (done < n) {
        const size_t  want = n - done < MAX_BYTES ? (size_t)(n - done) : MAX_BYTES;
        const char   *from = (const char *)bytes + done;
        const ssize_t put =
            offset < 0 ? tess__sys.write(fd, from, want) : tess__sys.write_at(fd, from, want, offset + done);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) {
            if (put == 0) errno = EIO;
            return -1;
        }
        done += put;
    }
    return 0;
}
