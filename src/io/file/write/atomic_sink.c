/* Byte sinks: atomic creation of files, by a temporary file that is renamed when it is complete. */
#include "io/file/write/atomic_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/device/cancel.h"
#include "core/check/error.h"
#include "core/device/memory.h"
#include "io/codec/compression.h"
#include "io/file/system.h"
#include "io/file/write/temporary_file.h"

struct tess__sink {
    char           *name;      /* the final one, as the caller says it: for messages */
    char           *absolute;  /* the same from the root on: the process may go to another folder meanwhile */
    tess__temporary temporary; /* beside it; without a name bytes are written directly: standard output, a device */
    int             fd;        /* -1 when closed */
    bool            closes, overwrite, skips_sync;
    int64_t         written; /* bytes handed to the sink */
    tess__packer   *packer;  /* compressed */
    unsigned char  *head;    /* gzip: the first bytes, in a stream of their own that can be rewritten */
    int64_t         head_size;
    bool            gzip;
    /* A system lets one thread at a time write to a file, and the others spin: here they sleep. */
    pthread_mutex_t turn;
};

const char *tess__sink_name(const tess__sink *sink) { return sink->name; }

void tess__sink_skip_sync(tess__sink *sink) { sink->skips_sync = true; }

static bool is_seekable(const tess__sink *sink) { return sink->temporary.name && !sink->packer; }

int tess__sink_descriptor(const tess__sink *sink) { return is_seekable(sink) ? sink->fd : -1; }

bool tess__sink_can_patch(const tess__sink *sink) { return sink->temporary.name && (!sink->packer || sink->gzip); }

/* ---- Names ---- */

static char *copy_of(const char *text)
{
    const size_t n = strlen(text) + 1;
    char        *copy = tess__alloc(n);
    if (copy) memcpy(copy, text, n);
    return copy;
}

/* Is this the current folder, reached from the root on? */
static bool is_current(const char *folder)
{
    struct stat here, there;
    return stat(".", &here) == 0 && stat(folder, &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

/* The path from the root on; as it is where that would be longer than a path may be, or is closed to this process.
 * NULL: no memory. */
static char *absolute_path(const char *path)
{
    enum { LONGEST = 4096, BESIDE = 160 };
    char folder[LONGEST];
    if (path[0] == '/' || !getcwd(folder, sizeof folder) || !is_current(folder)) return copy_of(path);
    const size_t n = strlen(folder), m = strlen(path) + 1;
    if (n + 1 + m + BESIDE > LONGEST) return copy_of(path);
    char *absolute = tess__alloc(n + 1 + m);
    if (!absolute) return NULL;
    memcpy(absolute, folder, n);
    absolute[n] = '/';
    memcpy(absolute + n + 1, path, m);
    return absolute;
}

/* Where a link leads: a path of its own, or one from the folder of the link. NULL: no memory. */
static char *target_of(const char *link, const char *target)
{
    const char  *slash = target[0] == '/' ? NULL : strrchr(link, '/');
    const size_t folder = slash ? (size_t)(slash - link) + 1 : 0, n = strlen(target) + 1;
    char        *path = tess__alloc(folder + n);
    if (!path) return NULL;
    memcpy(path, link, folder);
    memcpy(path + folder, target, n);
    return path;
}

/* The name itself, or where links of that name lead, to a file that is there or not: the links stay. */
static tess_status resolve(tess__sink *s, const char *path)
{
    enum { MAX_LINKS = 40, LONGEST = 4096 };
    char target[LONGEST];
    s->name = copy_of(path);
    for (int i = 0; s->name && i < MAX_LINKS; i++) {
        const ssize_t n = readlink(s->name, target, sizeof target - 1);
        if (n <= 0) return TESS_OK;
        target[n] = '\0';
        char *next = target_of(s->name, target);
        tess__free(s->name);
        s->name = next;
    }
    TESS_CHECK(s->name, TESS_ENOMEM, "writer_open: %s: no memory for its name", path);
    TESS_FAIL(TESS_EIO, "writer_open: %s: more than %d symbolic links", path, MAX_LINKS);
}

/* ---- Beginning ---- */

static tess_status open_temporary(tess__sink *s)
{
    TESS_TRY(tess__temporary_create(&s->temporary, s->absolute, s->name));
    s->fd = s->temporary.fd;
    s->closes = true;
    return TESS_OK;
}

static tess_status open_path(tess__sink *s, const char *path)
{
    struct stat info;
    if (strcmp(path, "-") == 0) {
        s->name = copy_of("standard output");
        TESS_CHECK(s->name, TESS_ENOMEM, "writer_open: no memory for a name");
        s->fd = STDOUT_FILENO;
        return TESS_OK;
    }
    TESS_TRY(resolve(s, path));
    s->absolute = absolute_path(s->name);
    TESS_CHECK(s->absolute, TESS_ENOMEM, "writer_open: %s: no memory for its name", path);
    const bool there = stat(s->absolute, &info) == 0;
    if (there && S_ISDIR(info.st_mode)) TESS__FAIL_SYSTEM(EISDIR, "writer_open: %s", s->name);
    if (there && !S_ISREG(info.st_mode)) { /* a device or a pipe is written to, not replaced */
        s->fd = tess__sys.open(s->absolute, O_WRONLY, 0);
        TESS__CHECK_SYSTEM(s->fd >= 0, "writer_open: %s", s->name);
        s->closes = true;
        return TESS_OK;
    }
    TESS_CHECK(!there || s->overwrite, TESS_EEXIST, "writer_open: %s already exists; `overwrite|opts->overwrite is 0`",
               s->name);
    TESS_TRY(open_temporary(s));
    if (there) (void)fchmod(s->fd, info.st_mode & 07777); /* who may read it stays as it was, where that can be */
    return TESS_OK;
}

static tess_status begin_compression(tess__sink *s, tess_compression compression, int level, int64_t head)
{
    if (compression != TESS_COMPRESSION_GZIP && compression != TESS_COMPRESSION_BZIP2) return TESS_OK;
    TESS_TRY(tess__packer_new(&s->packer, s->name, compression, level));
    s->gzip = compression == TESS_COMPRESSION_GZIP;
    if (!s->gzip || head == 0) return TESS_OK;
    s->head_size = head;
    s->head = tess__alloc((size_t)head);
    TESS_CHECK(s->head, TESS_ENOMEM, "writer_open: %s: no memory for %" PRId64 " bytes of its header", s->name, head);
    return TESS_OK;
}

tess_status tess__sink_open(tess__sink **sink, const char *path, bool overwrite, tess_compression compression,
                            int level, int64_t head)
{
    tess__sink *s = tess__alloc(sizeof *s);
    tess_status status = TESS_OK;
    TESS_CHECK(s, TESS_ENOMEM, "writer_open: %s: no memory to write a file", path);
    *s = (tess__sink){ .fd = -1, .overwrite = overwrite };
    (void)pthread_mutex_init(&s->turn, NULL);
    TESS_GOTO(failed, status, open_path(s, path));
    TESS_GOTO(failed, status, begin_compression(s, compression, level, head));
    *sink = s;
    return TESS_OK;
failed:
    tess__sink_discard(s);
    return status;
}

/* ---- Bytes ---- */

static tess_status put(void *context, const void *bytes, int64_t n)
{
    tess__sink *s = context;
    TESS__CHECK_SYSTEM(tess__write_fully(s->fd, bytes, n, is_seekable(s) ? s->written : -1) == 0, "write: %s", s->name);
    return TESS_OK;
}

/* The head as a stream of its own, at the start (`again`) or at the current position. */
static tess_status put_head(tess__sink *s, bool again)
{
    const int64_t n = tess__gzip_stored_size(s->head_size);
    void         *stream = tess__alloc((size_t)n);
    TESS_CHECK(stream, TESS_ENOMEM, "write: %s: no memory for %" PRId64 " bytes of its header", s->name, n);
    tess__gzip_stored(stream, s->head, s->head_size);
    const int code = tess__write_fully(s->fd, stream, n, again ? 0 : -1);
    tess__free(stream);
    TESS__CHECK_SYSTEM(code == 0, "write: %s", s->name);
    return TESS_OK;
}

tess_status tess__sink_write(tess__sink *sink, const void *bytes, int64_t n)
{
    const char *from = bytes;
    TESS__CHECK_CANCELLED("write");
    if (sink->written < sink->head_size) {
        const int64_t left = sink->head_size - sink->written, some = n < left ? n : left;
        memcpy(sink->head + sink->written, from, (size_t)some);
        sink->written += some;
        if (sink->written == sink->head_size) TESS_TRY(put_head(sink, false));
        from += some;
        n -= some;
    }
    if (n == 0) return TESS_OK;
    if (sink->packer) TESS_TRY(tess__pack(sink->packer, from, n, false, put, sink));
    else TESS_TRY(put(sink, from, n));
    sink->written += n;
    return TESS_OK;
}

int64_t tess__sink_claim(tess__sink *sink, int64_t n)
{
    if (!is_seekable(sink)) return -1;
    sink->written += n;
    return sink->written - n;
}

tess_status tess__sink_write_at(tess__sink *sink, int64_t offset, const void *bytes, int64_t n)
{
    TESS__CHECK_CANCELLED("write");
    (void)pthread_mutex_lock(&sink->turn);
    const int code = tess__write_fully(sink->fd, bytes, n, offset);
    (void)pthread_mutex_unlock(&sink->turn);
    TESS__CHECK_SYSTEM(code == 0, "write: %s", sink->name);
    return TESS_OK;
}

tess_status tess__sink_patch(tess__sink *sink, const void *bytes, int64_t n)
{
    if (sink->gzip) {
        memcpy(sink->head, bytes, (size_t)n);
        TESS_TRY(put_head(sink, true));
        return TESS_OK;
    }
    TESS__CHECK_SYSTEM(tess__write_fully(sink->fd, bytes, n, 0) == 0, "write: %s: writing the header again",
                       sink->name);
    return TESS_OK;
}

/* ---- The end ---- */

/* Make the new name last through a crash of the machine, as far as the folder allows: the file itself is safe. */
static void sync_folder(const char *name)
{
    const char *slash = strrchr(name, '/');
    char       *folder = slash ? copy_of(name) : NULL;
    if (slash && !folder) return;
    if (folder) folder[slash == name ? 1 : slash - name] = '\0';
    const int fd = tess__sys.open(folder ? folder : ".", O_RDONLY | O_DIRECTORY, 0);
    if (fd >= 0) {
        (void)tess__sys.sync(fd);
        (void)tess__sys.close(fd);
    }
    tess__free(folder);
}

/* A file that appeared meanwhile is not replaced: link fails then. Some file systems know no links. */
static tess_status take_free_name(tess__sink *s)
{
    if (tess__sys.link(s->temporary.name, s->absolute) == 0) {
        (void)tess__sys.unlink(s->temporary.name);
        return TESS_OK;
    }
    TESS_CHECK(errno != EEXIST, TESS_EEXIST, "writer_open: %s already exists; `overwrite|opts->overwrite is 0`",
               s->name);
    struct stat info;
    const bool  unlinkable = errno == EPERM || errno == ENOTSUP || errno == EOPNOTSUPP || errno == ENOSYS;
    TESS__CHECK_SYSTEM(unlinkable, "write: %s: renaming the temporary file", s->name);
    TESS_CHECK(stat(s->absolute, &info) != 0, TESS_EEXIST,
               "writer_open: %s already exists; `overwrite|opts->overwrite is 0`", s->name);
    TESS__CHECK_SYSTEM(tess__sys.rename(s->temporary.name, s->absolute) == 0, "write: %s: renaming the temporary file",
                       s->name);
    return TESS_OK;
}

static tess_status take_name(tess__sink *s)
{
    if (s->overwrite)
        TESS__CHECK_SYSTEM(tess__sys.rename(s->temporary.name, s->absolute) == 0,
                           "write: %s: renaming the temporary file", s->name);
    else TESS_TRY(take_free_name(s));
    tess__temporary_forget(&s->temporary);
    if (!s->skips_sync) sync_folder(s->absolute);
    return TESS_OK;
}

static tess_status complete(tess__sink *s)
{
    if (s->packer) TESS_TRY(tess__pack(s->packer, "", 0, true, put, s));
    if (s->temporary.name && !s->skips_sync)
        TESS__CHECK_SYSTEM(tess__sys.sync(s->fd) == 0, "write: %s: flushing it to disk", s->name);
    if (s->closes) {
        const int code = tess__sys.close(s->fd);
        s->closes = false;
        TESS__CHECK_SYSTEM(code == 0, "write: %s: closing it", s->name);
    }
    if (s->temporary.name) TESS_TRY(take_name(s));
    return TESS_OK;
}

tess_status tess__sink_finish(tess__sink *sink)
{
    const tess_status status = complete(sink);
    tess__sink_discard(sink); /* what is left of it; after success that is memory alone */
    TESS_TRY(status);
    return TESS_OK;
}

void tess__sink_discard(tess__sink *sink)
{
    if (!sink) return;
    if (sink->closes) (void)tess__sys.close(sink->fd);
    if (sink->temporary.name) (void)tess__sys.unlink(sink->temporary.name);
    tess__temporary_forget(&sink->temporary);
    tess__packer_free(sink->packer);
    tess__free(sink->head);
    tess__free(sink->absolute);
    tess__free(sink->name);
    (void)pthread_mutex_destroy(&sink->turn);
    tess__free(sink);
}
