/* A copy of a file that appears only when it is complete and changed as it should be. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/copy_file.h"

enum { CHUNK = 1 << 20 };

static bool is_interrupted(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && (sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1 ||
                                         sigismember(&pending, SIGHUP) == 1);
}

static tess_status write_chunk(int fd, const char *bytes, ssize_t n, const char *to)
{
    while (n > 0) {
        ssize_t written = write(fd, bytes, (size_t)n);
        if (written < 0 && errno == EINTR) continue;
        TESS_CHECK(written > 0, TESS_EIO, "%s: it could not be written: %s", to, strerror(errno));
        bytes += written;
        n -= written;
    }
    return TESS_OK;
}

static tess_status copy_bytes(int in, int out, const char *from, const char *to)
{
    char *bytes = malloc(CHUNK);
    TESS_CHECK(bytes, TESS_ENOMEM, "%s: no memory to copy it", from);
    tess_status status = TESS_OK;
    for (;;) {
        ssize_t n = read(in, bytes, CHUNK);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            status = tess__fail(TESS_EIO, __FILE__, __LINE__, __func__, "%s: it could not be read: %s", from,
                                strerror(errno));
        if (n <= 0) break;
        status = write_chunk(out, bytes, n, to);
        if (status == TESS_OK && is_interrupted()) {
            status = tess__fail(TESS_EIO, __FILE__, __LINE__, __func__, "%s: interrupted", to);
        }
        if (status != TESS_OK) break;
    }
    free(bytes);
    return status;
}

/* ---- Compressed files ---- */

int64_t unpacked_size(const char *path)
{
    static const struct {
        int32_t mode;
        int64_t bits;
    } modes[] = { { 0, 8 }, { 1, 16 }, { 2, 32 }, { 3, 32 }, { 4, 64 }, { 6, 16 }, { 12, 16 }, { 16, 24 }, { 101, 4 } };
    tess_info_file info;
    if (tess_info(&info, path, NULL) != TESS_OK) { /* a header that cannot be read is mended first */
        tess_error_clear();
        return 0;
    }
    if (info.compression != TESS_COMPRESSION_GZIP && info.compression != TESS_COMPRESSION_BZIP2) return 0;
    int64_t bits = 0;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (modes[i].mode == info.mode) bits = modes[i].bits;
    }
    for (int i = 0; i < info.n_warnings; i++) {
        if (info.warnings[i].code == TESS_ODD_HALF_WIDTH) bits = 4; /* two pixels in a byte */
    }
    return info.data_offset + (info.stored[0] * bits + 7) / 8 * info.stored[1] * info.stored[2];
}

static tess_status unpack_bytes(int out, tess_file *file, int64_t bytes, const char *to)
{
    tess_array chunk = { 0 };
    for (int64_t done = 0, n; done < bytes; done += n) {
        n = bytes - done < CHUNK ? bytes - done : CHUNK;
        const tess_region region = { .w = tess_from_to(done, done + n) };
        tess_status       status = tess_file_read(&chunk, file, region);
        if (status == TESS_OK) status = write_chunk(out, chunk.data, (ssize_t)n, to);
        if (status == TESS_OK && is_interrupted()) {
            status = tess__fail(TESS_EIO, __FILE__, __LINE__, __func__, "%s: interrupted", to);
        }
        tess_release(&chunk);
        TESS_TRY(status);
    }
    return TESS_OK;
}

/* Raw bytes are read through the decompressor, as those of all formats are. */
static tess_status unpack(int out, const char *from, const char *to, int64_t bytes)
{
    tess_file           *file = NULL;
    const tess_read_opts opts = { .format = TESS_FORMAT_RAW,
                                  .shape = TESS_SHAPE(1, 1, 1, bytes),
                                  .raw_dtype = TESS_U8 };
    TESS_TRY(tess_open(&file, from, &opts));
    const tess_status status = unpack_bytes(out, file, bytes, to);
    tess_file_close(file);
    return status;
}

/* ---- All of it, under the temporary name ---- */

static tess_status fill_copy(int out, const char *from, const char *to)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);
    TESS_CHECK(in >= 0, TESS_EIO, "%s: it could not be opened: %s", from, strerror(errno));
    tess_status status = copy_bytes(in, out, from, to);
    (void)close(in);
    return status;
}

static tess_status put_in_place(const char *temporary, const char *to, bool overwrite)
{
    int failed = overwrite ? rename(temporary, to) : link(temporary, to);
    TESS_CHECK(!failed || errno != EEXIST, TESS_EEXIST, "%s: the file is there already; -f overwrites it", to);
    TESS_CHECK(!failed, TESS_EIO, "%s: it could not get its name: %s", to, strerror(errno));
    if (!overwrite) (void)unlink(temporary);
    return TESS_OK;
}

/* "folder/x.mrc" becomes "folder/.tessera-1234-0-x.mrc": the end of a name says what a file is. */
static tess_status make_temporary(char *name, size_t size, const char *to, int *fd)
{
    const char *slash = strrchr(to, '/'), *base = slash ? slash + 1 : to;
    int         n = -1;
    for (unsigned i = 0; i < 1000; i++) {
        n = snprintf(name, size, "%.*s.tessera-%ld-%u-%s", (int)(base - to), to, (long)getpid(), i, base);
        TESS_CHECK(n > 0 && (size_t)n < size, TESS_EARG, "%s: the name is too long", to);
        *fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (*fd >= 0 || errno != EEXIST) break;
    }
    TESS_CHECK(*fd >= 0, TESS_EIO, "%s: it could not be made: %s", to, strerror(errno));
    return TESS_OK;
}

static tess_status copy_beside(const char *from, const char *to, bool overwrite, int64_t unpacked,
                               tess_status (*change)(void *context, const char *path), void *context)
{
    char        temporary[4200];
    int         fd = -1;
    tess_status status;
    TESS_TRY(make_temporary(temporary, sizeof temporary, to, &fd));
    status = unpacked ? unpack(fd, from, to, unpacked) : fill_copy(fd, from, to);
    if (close(fd) != 0 && status == TESS_OK) {
        status =
            tess__fail(TESS_EIO, __FILE__, __LINE__, __func__, "%s: it could not be written: %s", to, strerror(errno));
    }
    if (status == TESS_OK) status = change(context, temporary);
    if (status == TESS_OK) status = put_in_place(temporary, to, overwrite);
    if (status != TESS_OK) (void)unlink(temporary);
    return status;
}

tess_status copy_changed(const char *from, const char *to, bool overwrite, int64_t unpacked,
                         tess_status (*change)(void *context, const char *path), void *context)
{
    sigset_t ends, before;
    (void)sigemptyset(&ends);
    (void)sigaddset(&ends, SIGINT);
    (void)sigaddset(&ends, SIGTERM);
    (void)sigaddset(&ends, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, &ends, &before);
    tess_status status = copy_beside(from, to, overwrite, unpacked, change, context);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}
