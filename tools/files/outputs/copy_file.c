/* A copy of a file that appears only when it is complete and changed as it should be. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/outputs/copy_file.h"

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
        TESS_CHECK(written > 0, TESS_EIO, "%s: could not be written: %s", to, strerror(errno));
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
            status =
                tess__fail(TESS_EIO, __FILE__, __LINE__, __func__, "%s: could not be read: %s", from, strerror(errno));
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

static tess_status open_bytes(tess_file **file, const char *path, int64_t n)
{
    const tess_read_opts opts = { .format = TESS_FORMAT_RAW, .shape = TESS_SHAPE(1, 1, 1, n), .raw_dtype = TESS_U8 };
    return tess_open(file, path, &opts);
}

tess_status is_compressed(bool *compressed, const char *path)
{
    tess_file *file = NULL;
    TESS_TRY(open_bytes(&file, path, 0));
    const int32_t kind = tess_file_info(file)->compression;
    *compressed = kind == TESS_COMPRESSION_GZIP || kind == TESS_COMPRESSION_BZIP2;
    tess_file_close(file);
    return TESS_OK;
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

/* Raw bytes are read through the decompressor, as those of all formats are: all there are, whatever a header says. */
static tess_status unpack(int out, const char *from, const char *to)
{
    tess_file *file = NULL;
    TESS_TRY(open_bytes(&file, from, -1));
    const tess_status status = unpack_bytes(out, file, tess_file_info(file)->shape.w, to);
    tess_file_close(file);
    return status;
}

/* ---- All of it, under the temporary name ---- */

static tess_status fill_copy(int out, const char *from, const char *to)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);
    TESS_CHECK(in >= 0, TESS_EIO, "%s: could not be opened: %s", from, strerror(errno));
    tess_status status = copy_bytes(in, out, from, to);
    (void)close(in);
    return status;
}

static tess_status put_in_place(const char *temporary, const char *to, bool overwrite)
{
    int failed = overwrite ? rename(temporary, to) : link(temporary, to);
    TESS_CHECK(!failed || errno != EEXIST, TESS_EEXIST, "%s: the file exists already; -f overwrites it", to);
    TESS_CHECK(!failed, TESS_EIO, "%s: could not be renamed to its final name: %s", to, strerror(errno));
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
    TESS_CHECK(*fd >= 0, TESS_EIO, "%s: could not be created: %s", to, strerror(errno));
    return TESS_OK;
}

/* What failed is told of the file that was asked for. */
static tess_status tell_of(tess_status status, const char *temporary, const char *to)
{
    char        text[1024];
    const char *message = tess_error_marked(), *found = strstr(message, temporary);
    if (!found) return status;
    (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(found - message), message, to, found + strlen(temporary));
    return tess__fail(status, __FILE__, __LINE__, __func__, "%s", text);
}

static tess_status copy_beside(const char *from, const char *to, bool overwrite,
                               tess_status (*change)(void *context, const char *path), void *context)
{
    char        temporary[4200];
    int         fd = -1;
    bool        compressed;
    tess_status status;
    TESS_TRY(is_compressed(&compressed, from));
    TESS_TRY(make_temporary(temporary, sizeof temporary, to, &fd));
    status = compressed ? unpack(fd, from, to) : fill_copy(fd, from, to);
    if (close(fd) != 0 && status == TESS_OK) {
        status =
            tess__fail(TESS_EIO, __FILE__, __LINE__, __func__, "%s: could not be written: %s", to, strerror(errno));
    }
    if (status == TESS_OK) {
        status = change(context, temporary);
        if (status != TESS_OK) status = tell_of(status, temporary, to);
    }
    if (status == TESS_OK) status = put_in_place(temporary, to, overwrite);
    if (status != TESS_OK) (void)unlink(temporary);
    return status;
}

tess_status copy_changed(const char *from, const char *to, bool overwrite,
                         tess_status (*change)(void *context, const char *path), void *context)
{
    sigset_t ends, before;
    (void)sigemptyset(&ends);
    (void)sigaddset(&ends, SIGINT);
    (void)sigaddset(&ends, SIGTERM);
    (void)sigaddset(&ends, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, &ends, &before);
    tess_status status = copy_beside(from, to, overwrite, change, context);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}
