/* Temporary files, locked while they are written: one that nobody locks was left by a process that died, whatever its
 * number, and is removed by the next one that writes the same file. Files of other machines are left alone: locks may
 * not reach there. */
#include "io/file/write/temporary_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/check/error.h"
#include "core/device/memory.h"
#include "io/file/system.h"
#include "io/file/write/unfinished_list.h"

enum {
    NUMBERED = 32, /* names of a file on a machine before one is made up */
    TRIES = 100,
    NAMED = 100 /* bytes of the final name that are kept */
};

static const char ending[] = ".part";

/* ---- Names ---- */

static uint32_t hash(uint32_t h, const char *text, size_t n)
{
    for (size_t i = 0; i < n && text[i]; i++) h = (h ^ (unsigned char)text[i]) * 16777619u; /* FNV-1a */
    return h;
}

/* A number of this machine, by its name and its identity. */
static uint32_t machine(void)
{
    static _Atomic uint32_t known;
    char                    text[256] = "";
    uint32_t                h = atomic_load(&known);
    if (h) return h;
    (void)gethostname(text, sizeof text - 1);
    h = hash(2166136261u, text, sizeof text);
    const int     fd = open("/etc/machine-id", O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0) (void)close(fd);
    h = hash(h, text, n > 0 ? (size_t)n : 0) | 1;
    atomic_store(&known, h);
    return h;
}

/* "folder/.x.mrc.9e3779b9-0.part" for "folder/x.mrc": beside it, so that it can be renamed, out of sight, and not
 * longer than a name may be. Beyond the numbered ones it has the process and the time. */
static char *make_name(const char *path, int k)
{
    const size_t    n = strlen(path) + 80;
    const char     *slash = strrchr(path, '/');
    const int       folder = slash ? (int)(slash - path) + 1 : 0;
    char           *name = tess__alloc(n), last[48];
    struct timespec now = { 0 };
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (k < NUMBERED) (void)snprintf(last, sizeof last, "%d", k);
    else (void)snprintf(last, sizeof last, "%ld-%d-%lx", (long)getpid(), k, (unsigned long)now.tv_nsec);
    if (name)
        (void)snprintf(name, n, "%.*s.%.*s.%08x-%s%s", folder, path, NAMED, path + folder, machine(), last, ending);
    return name;
}

/* The same backwards. What follows the machine is hexadecimal digits and dashes, so that the final name is known. */
bool tess__temporary_is_of(const char *entry, const char *name)
{
    static const char digits[] = "0123456789abcdef";
    const size_t      n = strlen(name), kept = n < NAMED ? n : NAMED;
    if (entry[0] != '.' || strncmp(entry + 1, name, kept) != 0 || entry[1 + kept] != '.') return false;
    const char *at = entry + kept + 2;
    if (strspn(at, digits) != 8 || at[8] != '-') return false;
    const size_t last = strspn(at + 9, "0123456789abcdef-");
    return last > 0 && strcmp(at + 9 + last, ending) == 0;
}

/* ---- Locks ---- */

typedef enum lock_state { LOCKED, HELD_BY_OTHER, NO_LOCKS } lock_state;

static lock_state lock(int fd)
{
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) return LOCKED;
    return errno == EWOULDBLOCK ? HELD_BY_OTHER : NO_LOCKS;
}

bool tess__temporary_is_alive(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return errno != ENOENT;
    const bool is_free = flock(fd, LOCK_SH | LOCK_NB) == 0;
    (void)close(fd);
    return !is_free;
}

/* Whoever removes a file holds its lock: while it is held here, the name stands for the same file. */
static bool is_named(int fd, const char *name)
{
    struct stat file, named;
    return fstat(fd, &file) == 0 && stat(name, &named) == 0 && file.st_ino == named.st_ino &&
           file.st_dev == named.st_dev;
}

typedef enum name_state { ABSENT, REMOVED, TAKEN } name_state;

/* Remove the file of a name if its process is gone. */
static name_state remove_stale(const char *name)
{
    const int fd = tess__sys.open(name, O_RDWR, 0);
    if (fd < 0) return errno == ENOENT ? ABSENT : TAKEN;
    const bool gone = lock(fd) == LOCKED && (!is_named(fd, name) || tess__sys.unlink(name) == 0 || errno == ENOENT);
    (void)tess__sys.close(fd);
    return gone ? REMOVED : TAKEN;
}

/* Several processes that died left several files: remove those of numbers from k on, up to the first that is absent. */
static void remove_others(const char *path, int k)
{
    name_state state = REMOVED;
    for (; k < NUMBERED && state != ABSENT; k++) {
        char *name = make_name(path, k);
        state = name ? remove_stale(name) : ABSENT;
        tess__free(name);
    }
}

/* ---- Creation ---- */

/* No signal may come between the creation and the list by which a handler removes the file. */
static int create(tess__temporary *t)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const int fd = tess__sys.open(t->name, O_RDWR | O_CREAT | O_EXCL, 0666);
    const int why = errno;
    if (fd >= 0) t->slot = tess__unfinished_add(t->name);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = why;
    return fd;
}

/* False: another process took the new file for a stale one before it was locked, and removes it. */
static bool take_lock(tess__temporary *t)
{
    const lock_state state = lock(t->fd);
    if (state == HELD_BY_OTHER || (state == LOCKED && !is_named(t->fd, t->name))) return false;
    if (state == LOCKED) t->lock = fcntl(t->fd, F_DUPFD_CLOEXEC, 0);
    return true;
}

tess_status tess__temporary_create(tess__temporary *t, const char *path, const char *shown)
{
    for (int k = 0, tries = 0; tries < NUMBERED + TRIES; tries++) {
        *t = (tess__temporary){ .name = make_name(path, k), .fd = -1, .lock = -1, .slot = -1 };
        TESS_CHECK(t->name, TESS_ENOMEM, "writer_open: %s: no memory for its name", shown);
        t->fd = create(t);
        const int why = errno;
        if (t->fd >= 0 && take_lock(t)) return remove_others(path, k + 1), TESS_OK;
        if (t->fd >= 0) (void)tess__sys.close(t->fd);
        if (t->fd >= 0 || why != EEXIST || remove_stale(t->name) == TAKEN) k++;
        const bool taken = t->fd >= 0 || why == EEXIST;
        tess__temporary_forget(t);
        if (!taken) TESS__FAIL_SYSTEM(why, "writer_open: %s: cannot create a file in its folder", shown);
    }
    TESS_FAIL(TESS_EIO, "writer_open: %s: no free name for a temporary file in its folder", shown);
}

void tess__temporary_forget(tess__temporary *t)
{
    if (!t->name) return;
    tess__unfinished_forget(t->slot);
    if (t->lock >= 0) (void)close(t->lock);
    tess__free(t->name);
    *t = (tess__temporary){ .fd = -1, .lock = -1, .slot = -1 };
}
