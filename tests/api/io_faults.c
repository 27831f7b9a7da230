/* Every call to the operating system and every allocation of reading and writing fails in turn, once and for good: the
 * old file is untouched, nothing is left behind, the message names the file, and nothing leaks. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/arrays.h"
#include "support/faults.h"
#include "support/file_faults.h"

/* ---- Scenarios ---- */

static tess_status write_over(const void *name)
{
    tess_array  a = { 0 };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_arange(&a, TESS_SHAPE(3, 1, 20, 30), TESS_F32, tess_cpu(), 0, 1));
    TESS_GOTO(done, status, tess_write(in_folder(name), &a, &(tess_write_opts){ .overwrite = 1, .dtype = TESS_I16 }));
done:
    tess_release(&a);
    return status;
}

static tess_status write_new(const void *name)
{
    tess_array  a = { 0 };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_arange(&a, TESS_SHAPE(3, 1, 20, 30), TESS_F32, tess_cpu(), 0, 1));
    TESS_GOTO(done, status, tess_write(in_folder(name), &a, NULL));
done:
    tess_release(&a);
    return status;
}

static tess_status read_back(const void *name)
{
    const tess_read_opts o = {
        .raw_dtype = TESS_I16, .shape = TESS_SHAPE(1, 1, 4, 5), .dtype = TESS_F32, .salvage = 1
    };
    tess_array        a = { 0 };
    const tess_status status = tess_read(&a, in_folder(name), &o);
    tess_release(&a);
    return status;
}

/* Can a file of this name be written here? */
static bool is_built_in(const char *name)
{
    const tess_compression c = strstr(name, ".gz")    ? TESS_COMPRESSION_GZIP
                               : strstr(name, ".bz2") ? TESS_COMPRESSION_BZIP2
                                                      : TESS_COMPRESSION_NONE;
    if (tess_file_format_supported(TESS_FORMAT_RAW, c)) return true;
    test_skip_part("a compression that was not built in");
    return false;
}

static void check_write_fault(const char *name, bool existing, long at, bool good)
{
    if (existing) put_old(name);
    else (void)unlink(in_folder(name));
    const int before = count_files();
    start_faults(at, good, ENOSPC);
    const tess_status status = (existing ? write_over : write_new)(name);
    end_faults();
    if (fired == 0) {
        CHECK_OK(status);
        return;
    }
    if (status == TESS_OK) { /* only what follows once the file is in its place may fail unseen */
        CHECK(after_name);
        return;
    }
    CHECK(status == TESS_EIO && strstr(tess_error_message(), name) && strstr(tess_error_message(), "No space left"));
    CHECK(count_files() == before);
    CHECK(existing ? is_old(name) : access(in_folder(name), F_OK) != 0);
}

TEST(every_call_of_writing_fails_once_and_for_good)
{
    static const char *const names[] = { "x.raw", "x.raw.gz", "x.raw.bz2" };
    for (int n = 0; n < 3; n++)
        for (int kind = 0; kind < 4 && is_built_in(names[n]); kind++) {
            long tried = 0;
            do check_write_fault(names[n], kind & 1, ++tried, kind & 2);
            while (fired > 0 && tried < 200);
            CHECK(tried > 5 && tried < 200);
        }
}

TEST(every_call_of_reading_fails_once_and_for_good)
{
    put_old("r.raw");
    for (int good = 0; good < 2; good++)
        for (long at = 1;; at++) {
            start_faults(at, good, EIO);
            const tess_status status = read_back("r.raw");
            end_faults();
            if (fired == 0) {
                CHECK_OK(status);
                CHECK(at > 3);
                break;
            }
            if (status == TESS_OK) continue; /* closing what was read */
            CHECK(status == TESS_EIO && strstr(tess_error_message(), "r.raw"));
            CHECK(strstr(tess_error_message(), "Input/output error") != NULL);
        }
}

/* Calls that do less than they were asked, or are interrupted. */
static atomic_long turn;
static ssize_t     s_read_at(int fd, void *b, size_t n, int64_t at)
{
    if (++turn % 3 == 0) {
        errno = EINTR;
        return -1;
    }
    return real.read_at(fd, b, n > 7 ? 7 : n, at);
}
static ssize_t s_write(int fd, const void *b, size_t n)
{
    if (++turn % 3 == 0) {
        errno = EINTR;
        return -1;
    }
    return real.write(fd, b, n > 100 ? 100 : n);
}
static ssize_t s_write_at(int fd, const void *b, size_t n, int64_t at)
{
    if (++turn % 3 == 0) {
        errno = EINTR;
        return -1;
    }
    return real.write_at(fd, b, n > 100 ? 100 : n, at);
}

TEST(short_and_interrupted_calls_are_made_again)
{
    real = tess__sys;
    tess__sys.read_at = s_read_at;
    tess__sys.write = s_write;
    tess__sys.write_at = s_write_at;
    if (is_built_in("short.raw.gz")) CHECK_OK(write_over("short.raw.gz"));
    CHECK_OK(write_over("short.raw"));
    tess_read_opts o = { .raw_dtype = TESS_I16, .shape = TESS_SHAPE(3, 1, 20, 30) };
    tess_array     a = { 0 };
    CHECK_OK(tess_read(&a, in_folder("short.raw"), &o));
    tess__sys = real;
    CHECK(value_at(&a, 0, 0, 0, 1) == 1 && value_at(&a, 2, 0, 19, 29) == 1799);
    tess_release(&a);
}

static int e_link(const char *from, const char *to)
{
    (void)from, (void)to;
    errno = EPERM;
    return -1;
}

TEST(a_file_system_without_links)
{
    real = tess__sys;
    tess__sys.link = e_link;
    (void)unlink(in_folder("links.raw"));
    CHECK_OK(write_new("links.raw"));
    CHECK_FAILS(write_new("links.raw"), TESS_EEXIST, "already exists");
    tess__sys = real;
}

static int e_rename(const char *from, const char *to)
{
    (void)from, (void)to;
    errno = EIO;
    return -1;
}

/* What was lost is said of a file that is there. */
TEST(losses_of_a_file_that_cannot_be_finished)
{
    tess_array  a = { 0 };
    tess_losses losses;
    memset(&losses, 7, sizeof losses);
    const tess_losses before = losses;
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 4, 5), TESS_F32, tess_cpu()));
    real = tess__sys;
    tess__sys.rename = e_rename;
    CHECK_FAILS(tess_write_losses(&losses, in_folder("lost.mrc"), &a, &(tess_write_opts){ .overwrite = 1 }), TESS_EIO,
                "write: ");
    tess__sys = real;
    CHECK(memcmp(&losses, &before, sizeof losses) == 0);
    CHECK_OK(tess_write_losses(&losses, in_folder("lost.mrc"), &a, NULL));
    CHECK(losses.n_values == 20 && losses.n_nan == 0);
    tess_release(&a);
}

/* ---- Flushing to disk ---- */

static int y_syncs;
static int y_sync(int fd)
{
    y_syncs++;
    return real.sync(fd);
}

TEST(files_are_flushed_to_disk_unless_told_otherwise)
{
    static const char *const names[] = { "synced.mrc", "synced.npz", "synced.raw" };
    tess_array               a = { 0 };
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 4, 5), TESS_F32, tess_cpu()));
    real = tess__sys;
    tess__sys.sync = y_sync;
    for (int i = 0; i < 3; i++) {
        y_syncs = 0;
        CHECK_OK(tess_write(in_folder(names[i]), &a, NULL));
        CHECK(y_syncs == 2); /* the file and its folder */
        y_syncs = 0;
        CHECK_OK(tess_write(in_folder(names[i]), &a, &(tess_write_opts){ .overwrite = 1, .no_sync = 1 }));
        CHECK(y_syncs == 0);
    }
    const tess_npz_entry entry = { .name = "a", .array = &a };
    CHECK_OK(tess_npz_write(in_folder("synced.npz"), &entry, 1, &(tess_write_opts){ .overwrite = 1, .no_sync = 1 }));
    CHECK(y_syncs == 0);
    tess__sys = real;
    tess_release(&a);
}

/* ---- Temporary names ---- */

enum { T_MOST = 200 };
static int t_taken; /* so many of the next names are taken by others, which lock their files */
static int t_others[T_MOST], t_n_others;
static int t_open(const char *path, int flags, unsigned mode)
{
    if ((flags & O_EXCL) && t_taken > 0 && t_n_others < T_MOST) {
        t_taken--;
        const int other = real.open(path, flags, mode);
        CHECK(other >= 0 && real.write(other, "mine", 4) == 4 && flock(other, LOCK_EX) == 0);
        t_others[t_n_others++] = other;
    }
    return real.open(path, flags, mode);
}

static void end_others(void)
{
    while (t_n_others > 0) (void)real.close(t_others[--t_n_others]);
}

/* How many files others made; these are removed. */
static int files_of_others(const char *start)
{
    DIR *dir = opendir(in_folder("."));
    int  n = 0;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        struct stat info;
        if (strncmp(e->d_name, start, strlen(start)) != 0 || stat(in_folder(e->d_name), &info) != 0) continue;
        n += info.st_size == 4;
        (void)unlink(in_folder(e->d_name));
    }
    if (dir) (void)closedir(dir);
    return n;
}

TEST(a_temporary_name_that_is_taken_is_left_alone)
{
    real = tess__sys;
    tess__sys.open = t_open;
    t_taken = 3;
    CHECK_OK(write_new("taken.raw"));
    CHECK(files_of_others(".taken.raw.") == 3);
    end_others();
    t_taken = 1000;
    CHECK_FAILS(write_new("taken2.raw"), TESS_EIO, "no free name");
    t_taken = 0;
    tess__sys = real;
    CHECK(files_of_others(".taken2.raw.") == 132);
    end_others();
}

static int s_unlink(const char *path)
{
    const size_t n = strlen(path);
    if (n > 7 && strcmp(path + n - 7, "-0.part") == 0) return errno = EPERM, -1;
    return real.unlink(path);
}

/* Files of processes that died: all that can be removed are. */
TEST(stale_files_are_removed)
{
    real = tess__sys;
    tess__sys.open = t_open;
    t_taken = 3;
    CHECK_OK(write_new("stale.raw"));
    end_others();
    tess__sys.open = real.open;
    tess__sys.unlink = s_unlink; /* that of number 0 stays, another name is taken */
    (void)unlink(in_folder("stale.raw"));
    CHECK_OK(write_new("stale.raw"));
    tess__sys = real;
    (void)unlink(in_folder("stale.raw"));
    t_taken = 0;
    CHECK(files_of_others(".stale.raw.") == 1);
}

/* A signal that comes when the file has just been made, before the library hears of it. */
static volatile sig_atomic_t u_left;
static void                  u_discard(int number)
{
    (void)number;
    tess_discard_unfinished();
    u_left = count_files();
}

static int u_open(const char *path, int flags, unsigned mode)
{
    const int fd = real.open(path, flags, mode);
    if ((flags & O_EXCL) && u_left < 0) (void)raise(SIGUSR1);
    return fd;
}

TEST(a_file_can_be_discarded_as_soon_as_it_is_there)
{
    const int    before = count_files();
    tess_writer *w;
    u_left = -1;
    real = tess__sys;
    tess__sys.open = u_open;
    (void)signal(SIGUSR1, u_discard);
    CHECK_OK(tess_writer_open(&w, in_folder("early.raw"), TESS_SHAPE(1, 1, 1, 4), TESS_U8, NULL));
    (void)signal(SIGUSR1, SIG_DFL);
    tess__sys = real;
    CHECK(u_left == before); /* a program ends then; this one goes on with another file */
    CHECK(count_files() == before + 1);
    tess_writer_discard(w);
    CHECK(count_files() == before);
}

/* ---- Files that were left behind ---- */

/* A process that begins a file, and is then ended as by kill -9, or lives until it is. */
static pid_t begin_elsewhere(const char *name, bool dies)
{
    int         begun[2];
    char        byte = 0;
    const pid_t child = pipe(begun) == 0 ? fork() : -1;
    if (child == 0) {
        tess_writer *w = NULL;
        if (tess_writer_open(&w, in_folder(name), TESS_SHAPE(1, 1, 1, 4), TESS_U8, NULL) != TESS_OK) _exit(1);
        if (write(begun[1], "x", 1) != 1) _exit(1);
        if (dies) (void)raise(SIGKILL);
        for (;;) (void)pause();
    }
    CHECK(child > 0 && read(begun[0], &byte, 1) == 1 && byte == 'x');
    (void)close(begun[0]);
    (void)close(begun[1]);
    if (dies) CHECK(waitpid(child, NULL, 0) == child);
    return child;
}

TEST(what_a_dead_process_left_is_removed)
{
    const int before = count_files();
    (void)begin_elsewhere("dead.raw", true);
    (void)begin_elsewhere("dead.raw", true); /* it removes what the first left */
    CHECK(count_files() == before + 1);
    CHECK_OK(write_new("dead.raw"));
    CHECK(count_files() == before + 1); /* the file itself */
    (void)unlink(in_folder("dead.raw"));
    const pid_t alive = begin_elsewhere("alive.raw", false);
    CHECK_OK(write_new("alive.raw"));
    CHECK(count_files() == before + 2); /* and that of the other process */
    CHECK(kill(alive, SIGKILL) == 0 && waitpid(alive, NULL, 0) == alive);
    (void)unlink(in_folder("alive.raw"));
    CHECK_OK(write_new("alive.raw"));
    CHECK(count_files() == before + 1);
    (void)unlink(in_folder("alive.raw"));
}

/* ---- Memory ---- */

static hooks h;

TEST(every_allocation_fails_once_and_for_good)
{
    if (!hooks_on(&h)) return;
    static const char *const names[] = { "m.raw", "m.raw.gz", "m.raw.bz2" };
    for (int n = 0; n < 3; n++) {
        if (!is_built_in(names[n])) continue;
        check_memory(&h, write_over, names[n], names[n], true);
        CHECK_OK(write_over(names[n]));
        check_memory(&h, read_back, names[n], names[n], false);
    }
    CHECK(h.live == 0 && h.wrong == 0);
    hooks_off();
}
