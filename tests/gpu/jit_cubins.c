/* On-disk cache of compiled kernels: what is not whole, or not the user's own, is not used. */
#include "cuda/jit/cubins.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/device/memory.h"
#include "support/arrays.h"
#include "support/folder.h"
#include "support/gpu.h"

static const char code[] = "these bytes stand for compiled code; it is whole, or it is not used";

/* A new folder for the cache. Returns the folder of the files, which is made when one is written. */
static const char *new_cache(void)
{
    static int  n;
    static char name[300], files[320];
    (void)snprintf(name, sizeof name, "%s/cache%d", folder(), n++);
    (void)snprintf(files, sizeof files, "%s/tessera", name);
    CHECK(setenv("XDG_CACHE_HOME", name, 1) == 0);
    return files;
}

static bool reads(const tess__cubin_name *name)
{
    void      *got = NULL;
    size_t     size = 0;
    const bool found = tess__cubin_read(&got, &size, name);
    if (found) CHECK(size == sizeof code && memcmp(got, code, size) == 0);
    else CHECK(got == NULL);
    tess__free(got);
    return found;
}

static const char *path_of(const char *files, const tess__cubin_name *name)
{
    static char path[500];
    (void)snprintf(path, sizeof path, "%s/%s", files, name->text);
    return path;
}

static int count_in(const char *files)
{
    DIR *d = opendir(files);
    int  n = 0;
    for (const struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.';
    if (d) (void)closedir(d);
    return n;
}

static unsigned mode_of(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 ? (unsigned)s.st_mode & 0777 : 0;
}

TEST(names_tell_programs_and_processors_apart)
{
    const tess__cubin_name a = tess__cubin_name_of("program", 90), b = tess__cubin_name_of("program", 90);
    const tess__cubin_name c = tess__cubin_name_of("program", 80), d = tess__cubin_name_of("another", 90);
    CHECK_TEXT(a.text, b.text);
    CHECK(strcmp(a.text, c.text) != 0 && strcmp(a.text, d.text) != 0);
    CHECK(strlen(a.text) == 70 && strspn(a.text, "0123456789abcdef") == 64);
}

TEST(code_is_kept_for_its_owner_alone)
{
    const char            *files = new_cache();
    const tess__cubin_name name = tess__cubin_name_of("a", 90);
    CHECK(!reads(&name));
    tess__cubin_write(code, sizeof code, &name);
    CHECK(reads(&name));
    CHECK_I64(mode_of(files), 0700);
    CHECK_I64(mode_of(path_of(files, &name)), 0600);
    tess__cubin_write(code, sizeof code, &name); /* again, in its place */
    CHECK(reads(&name));
    CHECK_I64(count_in(files), 1);
}

TEST(damaged_files_are_not_used)
{
    const char            *files = new_cache();
    const tess__cubin_name name = tess__cubin_name_of("a", 90);
    const char            *path = path_of(files, &name);
    for (off_t n = 0; n < (off_t)sizeof code + 32; n += 7) {
        tess__cubin_write(code, sizeof code, &name);
        CHECK(reads(&name));
        CHECK(truncate(path, n) == 0);
        CHECK(!reads(&name));
    }
    for (long at = 0; at < (long)sizeof code + 32; at += 5) {
        tess__cubin_write(code, sizeof code, &name);
        FILE *f = fopen(path, "r+b");
        if (!CHECK(f != NULL)) return;
        (void)fseek(f, at, SEEK_SET);
        const int byte = fgetc(f);
        (void)fseek(f, at, SEEK_SET);
        (void)fputc(byte ^ 1, f);
        (void)fclose(f);
        CHECK(!reads(&name));
    }
    CHECK(truncate(path, (off_t)100 << 20) == 0); /* larger than any kernel */
    CHECK(!reads(&name));
    tess__cubin_write(code, sizeof code, &name);
    CHECK(reads(&name));
}

TEST(folders_that_others_can_reach_are_not_used)
{
    static const mode_t modes[] = { 0777, 0755, 0750, 0701, 0770 };
    for (int i = 0; i < 5; i++) {
        const char            *files = new_cache();
        const tess__cubin_name name = tess__cubin_name_of("a", 90);
        tess__cubin_write(code, sizeof code, &name);
        CHECK(chmod(files, modes[i]) == 0);
        CHECK(!reads(&name));
        const tess__cubin_name other = tess__cubin_name_of("b", 90);
        tess__cubin_write(code, sizeof code, &other);
        CHECK_I64(count_in(files), 1);
        CHECK(chmod(files, 0700) == 0);
        CHECK(reads(&name));
    }
    if (geteuid() != 0) {
        test_skip_part("a folder of another owner can be made by root only");
        return;
    }
    const char            *files = new_cache();
    const tess__cubin_name name = tess__cubin_name_of("a", 90);
    tess__cubin_write(code, sizeof code, &name);
    CHECK(chown(files, 1, 1) == 0);
    CHECK(!reads(&name));
    CHECK(chown(files, 0, 0) == 0);
}

TEST(links_are_not_followed)
{
    const char            *real = new_cache();
    const tess__cubin_name name = tess__cubin_name_of("a", 90);
    char                   target[400];
    tess__cubin_write(code, sizeof code, &name);
    (void)snprintf(target, sizeof target, "%s", real);
    const char *files = new_cache();
    CHECK(mkdir(getenv("XDG_CACHE_HOME"), 0700) == 0);
    CHECK(symlink(target, files) == 0); /* the folder */
    CHECK(!reads(&name));
    CHECK(unlink(files) == 0 && mkdir(files, 0700) == 0);
    char file[500];
    (void)snprintf(file, sizeof file, "%s/%s", target, name.text);
    CHECK(symlink(file, path_of(files, &name)) == 0); /* a file */
    CHECK(!reads(&name));
    tess__cubin_write(code, sizeof code, &name); /* takes the link's place, not its target's */
    CHECK(reads(&name));
    struct stat s;
    CHECK(lstat(path_of(files, &name), &s) == 0 && S_ISREG(s.st_mode));
}

TEST(without_a_place_nothing_is_kept)
{
    const tess__cubin_name name = tess__cubin_name_of("a", 90);
    char                   home[300];
    (void)snprintf(home, sizeof home, "%s/home", folder());
    CHECK(setenv("XDG_CACHE_HOME", "relative", 1) == 0 && unsetenv("HOME") == 0);
    tess__cubin_write(code, sizeof code, &name);
    CHECK(!reads(&name));
    CHECK(setenv("XDG_CACHE_HOME", "/proc", 1) == 0);
    tess__cubin_write(code, sizeof code, &name);
    CHECK(!reads(&name));
    CHECK(unsetenv("XDG_CACHE_HOME") == 0 && setenv("HOME", home, 1) == 0 && mkdir(home, 0700) == 0);
    tess__cubin_write(code, sizeof code, &name);
    CHECK(reads(&name));
    (void)strncat(home, "/.cache/tessera", sizeof home - strlen(home) - 1);
    CHECK_I64(count_in(home), 1);
}

/* What nobody would notice otherwise: each process compiles again. */
TEST(the_folder_is_told_or_why_there_is_none)
{
    const char *files = new_cache();
    char        path[500] = "x", little[8];
    CHECK_OK(tess_kernel_cache(path, sizeof path));
    CHECK_TEXT(path, files);
    CHECK_I64(mode_of(files), 0700);
    CHECK_OK(tess_kernel_cache(little, sizeof little));
    CHECK(strlen(little) == 7 && strncmp(little, files, 7) == 0);
    CHECK(chmod(files, 0777) == 0);
    CHECK_FAILS(tess_kernel_cache(path, sizeof path), TESS_EIO, "kernel_cache: ", files, "mode is 777", "chmod 700");
    CHECK_TEXT(path, files);
    CHECK(rmdir(files) == 0 && symlink("/tmp", files) == 0);
    CHECK_FAILS(tess_kernel_cache(path, sizeof path), TESS_EIO, files, "it is not a folder");
    CHECK(unlink(files) == 0 && setenv("XDG_CACHE_HOME", "/proc", 1) == 0);
    CHECK_FAILS(tess_kernel_cache(path, sizeof path), TESS_EIO, "/proc/tessera", "cannot be created");
    CHECK(setenv("XDG_CACHE_HOME", "relative", 1) == 0 && unsetenv("HOME") == 0);
    CHECK_FAILS(tess_kernel_cache(path, sizeof path), TESS_EIO, "neither XDG_CACHE_HOME nor HOME");
    CHECK_TEXT(path, "");
    CHECK_FAILS(tess_kernel_cache(path, 0), TESS_EARG, "size is 0");
    CHECK_FAILS(tess_kernel_cache(NULL, 9), TESS_EARG, "path is NULL");
}

TEST(the_number_of_files_is_bounded)
{
    const char            *files = new_cache();
    const tess__cubin_name name = tess__cubin_name_of("a", 90);
    tess__cubin_write(code, sizeof code, &name);
    for (int i = 0; i < 4100; i++) {
        char path[400];
        (void)snprintf(path, sizeof path, "%s/%d.cubin", files, i);
        const int file = open(path, O_WRONLY | O_CREAT, 0600);
        if (!CHECK(file >= 0)) return;
        (void)close(file);
    }
    tess__cubin_write(code, sizeof code, &name);
    CHECK_I64(count_in(files), 1);
    CHECK(reads(&name));
}

/* What a process of the same number, in another container, began and did not end. */
TEST(halves_that_were_left_do_not_disturb)
{
    const char            *files = new_cache();
    const tess__cubin_name first = tess__cubin_name_of("a", 90), name = tess__cubin_name_of("b", 90);
    char                   part[500];
    tess__cubin_write(code, sizeof code, &first);
    (void)snprintf(part, sizeof part, "%s/.%s.%ld.part", files, name.text, (long)getpid());
    const int file = open(part, O_WRONLY | O_CREAT, 0600);
    CHECK(file >= 0 && close(file) == 0);
    tess__cubin_write(code, sizeof code, &name);
    CHECK(reads(&name));
}

TEST(processes_do_not_see_each_other_s_halves)
{
    enum { N = 3 };
    (void)new_cache();
    const tess__cubin_name name = tess__cubin_name_of("a", 90);
    pid_t                  children[N];
    for (int i = 0; i < N; i++) {
        children[i] = fork();
        if (children[i] != 0) continue;
        bool good = true;
        for (int k = 0; k < 200 && good; k++) {
            void  *got = NULL;
            size_t size = 0;
            tess__cubin_write(code, sizeof code, &name);
            good = tess__cubin_read(&got, &size, &name) && size == sizeof code && memcmp(got, code, size) == 0;
            tess__free(got);
        }
        _exit(good ? 0 : 1);
    }
    for (int i = 0; i < N; i++) {
        int status = -1;
        CHECK(waitpid(children[i], &status, 0) == children[i] && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

/* As in kernel.c; true if this process compiled. */
static bool read_or_compile(const tess__cubin_name *name)
{
    if (reads(name)) return false;
    const int  lock = tess__cubin_lock(name);
    const bool kept = reads(name);
    if (!kept) {
        (void)nanosleep(&(struct timespec){ 0, 100000000 }, NULL); /* it takes a while */
        tess__cubin_write(code, sizeof code, name);
    }
    tess__cubin_unlock(lock);
    return !kept;
}

TEST(of_processes_that_start_together_one_compiles)
{
    enum { N = 6 };
    (void)new_cache();
    const tess__cubin_name name = tess__cubin_name_of("a", 90);
    pid_t                  children[N];
    int                    compiled = 0;
    for (int i = 0; i < N; i++) {
        children[i] = fork();
        if (children[i] == 0) _exit(read_or_compile(&name) ? 1 : 0);
    }
    for (int i = 0; i < N; i++) {
        int status = -1;
        CHECK(waitpid(children[i], &status, 0) == children[i] && WIFEXITED(status));
        compiled += WEXITSTATUS(status);
    }
    CHECK_I64(compiled, 1);
    CHECK(setenv("XDG_CACHE_HOME", "/dev/null/nowhere", 1) == 0); /* without a folder nobody waits */
    CHECK_I64(tess__cubin_lock(&name), -1);
    tess__cubin_unlock(-1);
}

static bool is_loaded(const char *library)
{
    const char *from = getenv("TESS_CUDA_PATH");
    char        path[500];
    (void)snprintf(path, sizeof path, "%s/%s", from ? from : "", library);
    void *handle = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (handle) (void)dlclose(handle);
    return handle != NULL;
}

/* In a process of its own: a kernel is needed. How often was one compiled? */
static void use_a_kernel(const gpu_controls *sim)
{
    const char *wanted = getenv("TESS_TEST_COMPILED");
    tess_array  a = { 0 };
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 1, 30), TESS_F32, tess_gpu(0)));
    CHECK_OK(tess_maximum(&a, &a, &a));
    CHECK_OK(tess_stream_sync(tess_stream_current(tess_gpu(0))));
    CHECK_I64(sim->count("nvrtcCompileProgram"), wanted ? atoi(wanted) : -1);
    if (wanted && atoi(wanted) == 0) CHECK(!is_loaded("libnvrtc.so.13")); /* the compiler is not even opened */
    tess_release(&a);
}

static bool compiles(const char *wanted)
{
    return CHECK(setenv("TESS_TEST_COMPILED", wanted, 1) == 0) &&
           CHECK(test_again("the_next_process_need_not_compile") == 0);
}

/* Code that is whole, but not for this driver. */
static void put_other_code(const char *files)
{
    DIR *d = opendir(files);
    for (const struct dirent *e; d && (e = readdir(d));) {
        tess__cubin_name name;
        if (e->d_name[0] == '.' || strlen(e->d_name) >= sizeof name.text) continue;
        strcpy(name.text, e->d_name);
        tess__cubin_write(code, sizeof code, &name);
    }
    if (d) (void)closedir(d);
}

TEST(the_next_process_need_not_compile)
{
    gpu_controls sim;
    tess_device  gpu;
    if (!test_gpu(&gpu)) return;
    if (!gpu_simulated(&sim)) {
        test_skip("compilations are counted by the simulated libraries only");
        return;
    }
    if (test_is_again()) {
        use_a_kernel(&sim);
        return;
    }
    const char *files = new_cache();
    (void)compiles("1");
    CHECK_I64(count_in(files), 1);
    (void)compiles("0");
    put_other_code(files);
    (void)compiles("1");
    (void)compiles("0");
    CHECK_I64(count_in(files), 1);
}
