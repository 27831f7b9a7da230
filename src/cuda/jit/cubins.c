/* On-disk cache of compiled kernels. A file is the SHA-256 of its code, then the code; it is written under another
 * name and renamed. The folder is opened and checked at each use: it must belong to this user, and nobody else may
 * write to it. */
#define _GNU_SOURCE
#include "cuda/jit/cubins.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/device/memory.h"
#include "core/sha256.h"
#include "cuda/jit/embedded_sources.h"
#include "cuda/jit/nvrtc.h"
#include "tessera/version.h"

enum { DIGEST = 32, MAX_FILES = 4096, PATH_SIZE = 4096, MAX_WAITS = 6000 /* of 5 ms: half a minute */ };
#define MAX_BYTES ((off_t)64 << 20) /* of one file */

/* NVRTC's own version is not a part of it: asking for it would open a library of 100 MB in each process, and code
 * from any version will do. */
tess__cubin_name tess__cubin_name_of(const char *program, int sm)
{
    char          head[160];
    unsigned char digest[DIGEST];
    tess__sha256  s;
    const int     n = snprintf(head, sizeof head, "%s %s sm_%d\n", TESS_VERSION, tess__sources_hash, sm);
    tess__sha256_start(&s);
    tess__sha256_add(&s, head, (size_t)n);
    for (int i = 0; i < TESS__NVRTC_OPTIONS; i++)
        tess__sha256_add(&s, tess__nvrtc_options[i], strlen(tess__nvrtc_options[i]) + 1);
    tess__sha256_add(&s, program, strlen(program));
    tess__sha256_end(&s, digest);
    tess__cubin_name name;
    for (int i = 0; i < DIGEST; i++) (void)snprintf(name.text + 2 * i, 3, "%02x", digest[i]);
    (void)snprintf(name.text + 2 * DIGEST, sizeof name.text - 2 * DIGEST, ".cubin");
    return name;
}

/* ---- The folder ---- */

static bool folder_path(char *path, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int         n = -1;
    if (cache && cache[0] == '/') n = snprintf(path, size, "%s/tessera", cache);
    else if (home && home[0] == '/') n = snprintf(path, size, "%s/.cache/tessera", home);
    return n > 0 && (size_t)n < size;
}

static bool is_private(int folder)
{
    struct stat s;
    return fstat(folder, &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == geteuid() && (s.st_mode & 077) == 0;
}

/* The folder, made if it is wanted and not there; -1 if it cannot be used. A program with more rights than its user
 * uses none. */
static int open_folder(bool make)
{
    char path[PATH_SIZE];
    if (getauxval(AT_SECURE) || !folder_path(path, sizeof path)) return -1;
    char *last = strrchr(path, '/');
    if (make) {
        *last = '\0';
        (void)mkdir(path, 0700);
        *last = '/';
        (void)mkdir(path, 0700);
    }
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0 && is_private(folder)) return folder;
    if (folder >= 0) (void)close(folder);
    return -1;
}

/* Why a folder that open_folder has rejected, or that cannot be written to, is not used; empty if it is. */
static void explain(char *why, size_t size, const char *path)
{
    struct stat s;
    why[0] = '\0';
    if (lstat(path, &s) != 0) {
        if (mkdir(path, 0700) != 0) (void)snprintf(why, size, "it cannot be created: %s", strerror(errno));
        return;
    }
    if (!S_ISDIR(s.st_mode)) (void)snprintf(why, size, "it is not a folder");
    else if (s.st_uid != geteuid()) (void)snprintf(why, size, "it belongs to another user (%ld)", (long)s.st_uid);
    else if (s.st_mode & 077)
        (void)snprintf(why, size, "its mode is %03o, but it must not be accessible to others: chmod 700",
                       s.st_mode & 0777u);
    else if (access(path, R_OK | W_OK | X_OK) != 0)
        (void)snprintf(why, size, "it cannot be written to: %s", strerror(errno));
}

tess_status tess__cubin_folder(const char *fn, char *path, size_t size)
{
    char all[PATH_SIZE] = "", why[160];
    path[0] = '\0';
    TESS_CHECK(!getauxval(AT_SECURE), TESS_EIO,
               "%s: compiled kernels are not kept: the program runs with more rights than its user", fn);
    TESS_CHECK(folder_path(all, sizeof all), TESS_EIO,
               "%s: compiled kernels are not kept: neither XDG_CACHE_HOME nor HOME is the path of a folder", fn);
    (void)snprintf(path, size, "%s", all);
    const int folder = open_folder(true);
    explain(why, sizeof why, all);
    if (folder >= 0) (void)close(folder);
    TESS_CHECK(!why[0], TESS_EIO, "%s: compiled kernels are not kept in %.200s: %s", fn, all, why);
    return TESS_OK;
}

/* ---- Reading ---- */

static void digest_of(unsigned char digest[DIGEST], const void *bytes, size_t n)
{
    tess__sha256 s;
    tess__sha256_start(&s);
    tess__sha256_add(&s, bytes, n);
    tess__sha256_end(&s, digest);
}

static bool read_all(int file, void *bytes, size_t n)
{
    char *to = bytes;
    while (n) {
        const ssize_t got = read(file, to, n);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        to += got;
        n -= (size_t)got;
    }
    return true;
}

static bool read_code(void **code, size_t *size, int file)
{
    struct stat   s;
    unsigned char kept[DIGEST], found[DIGEST];
    if (fstat(file, &s) != 0 || !S_ISREG(s.st_mode) || s.st_size <= DIGEST || s.st_size > MAX_BYTES) return false;
    *size = (size_t)s.st_size - DIGEST;
    *code = tess__alloc(*size);
    if (!*code) return false;
    bool good = read_all(file, kept, DIGEST) && read_all(file, *code, *size);
    if (good) digest_of(found, *code, *size);
    good = good && memcmp(kept, found, DIGEST) == 0;
    if (!good) {
        tess__free(*code);
        *code = NULL;
    }
    return good;
}

bool tess__cubin_read(void **code, size_t *size, const tess__cubin_name *name)
{
    const int folder = open_folder(false);
    if (folder < 0) return false;
    const int  file = openat(folder, name->text, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    const bool good = file >= 0 && read_code(code, size, file);
    if (file >= 0) (void)close(file);
    (void)close(folder);
    return good;
}

/* ---- Compiling once ---- */

/* One file for many kernels, which are seldom compiled at the same time. */
int tess__cubin_lock(const tess__cubin_name *name)
{
    const struct timespec pause = { 0, 5000000 };
    char                  lock[16];
    const int             folder = open_folder(true);
    if (folder < 0) return -1;
    (void)snprintf(lock, sizeof lock, ".lock.%.2s", name->text);
    const int file = openat(folder, lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    (void)close(folder);
    if (file < 0) return -1;
    for (int waits = 0; flock(file, LOCK_EX | LOCK_NB) != 0; waits++) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || waits == MAX_WAITS) {
            (void)close(file);
            return -1;
        }
        (void)nanosleep(&pause, NULL);
    }
    return file;
}

void tess__cubin_unlock(int lock)
{
    if (lock >= 0) (void)close(lock);
}

/* ---- Writing ---- */

static bool write_all(int file, const void *bytes, size_t n)
{
    const char *from = bytes;
    while (n) {
        const ssize_t put = write(file, from, n);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        from += put;
        n -= (size_t)put;
    }
    return true;
}

/* When there are too many files, all are removed: kernels still in use are soon compiled again. */
static void keep_small(int folder)
{
    const int copy = dup(folder);
    DIR      *entries = copy >= 0 ? fdopendir(copy) : NULL;
    if (!entries && copy >= 0) (void)close(copy);
    if (!entries) return;
    int n = 0;
    while (readdir(entries)) n++;
    rewinddir(entries);
    if (n > MAX_FILES)
        for (struct dirent *e = readdir(entries); e; e = readdir(entries))
            if (e->d_name[0] != '.' || strstr(e->d_name, ".part")) (void)unlinkat(folder, e->d_name, 0);
    (void)closedir(entries);
}

void tess__cubin_write(const void *code, size_t size, const tess__cubin_name *name)
{
    const int folder = open_folder(true);
    if (folder < 0) return;
    char     part[160];
    uint64_t bits = 0; /* numbers of processes are not enough: containers that share the folder have the same ones */
    if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) < 0) bits = (uint64_t)(uintptr_t)&bits;
    (void)snprintf(part, sizeof part, ".%s.%ld.%016" PRIx64 ".part", name->text, (long)getpid(), bits);
    unsigned char digest[DIGEST];
    digest_of(digest, code, size);
    keep_small(folder);
    const int file = openat(folder, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file >= 0) {
        const bool written = write_all(file, digest, DIGEST) && write_all(file, code, size);
        const bool closed = close(file) == 0;
        if (!written || !closed || renameat(folder, part, folder, name->text) != 0) (void)unlinkat(folder, part, 0);
    }
    (void)close(folder);
}

bool tess__cubin_leave(const char *text, const char *name)
{
    const int folder = open_folder(true);
    if (folder < 0) return false;
    const int  file = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    const bool written = file >= 0 && write_all(file, text, strlen(text));
    const bool closed = file >= 0 && close(file) == 0;
    (void)close(folder);
    return written && closed;
}
