/* Compiling for the simulated NVRTC. What was compiled once is kept beside the library, by a hash of all that went into
 * it. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cuda/nvrtc.h"
#include "cuda/machine.h"

enum { PATH = 4096 };
static const long long cache_bound = 256ll << 20; /* bytes; a fuller one is emptied */

extern char **environ;

/* ---- Files ------------------------------------------------------------------------------------------------------- */

/* A path of at most PATH - 1 bytes; longer ones are cut, and then not found. */
static __attribute__((format(printf, 2, 3))) void make_path(char *path, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(path, PATH, format, arguments);
    va_end(arguments);
}

/* The folder of this library. */
static bool library_folder(char *folder)
{
    Dl_info information;
    if (dladdr((const void *)&cache_bound, &information) == 0 || strlen(information.dli_fname) >= PATH) return false;
    strcpy(folder, information.dli_fname);
    char *slash = strrchr(folder, '/');
    if (slash == NULL) strcpy(folder, ".");
    else *slash = '\0';
    return true;
}

static char *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    struct stat status;
    char       *bytes = fstat(fileno(file), &status) == 0 ? malloc((size_t)status.st_size + 1) : NULL;
    *size = bytes != NULL ? fread(bytes, 1, (size_t)status.st_size, file) : 0;
    if (bytes != NULL) bytes[*size] = '\0';
    (void)fclose(file);
    return bytes;
}

static bool write_all(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL) return false;
    const bool written = fwrite(bytes, 1, size, file) == size;
    return fclose(file) == 0 && written;
}

/* Make the folders on the way to a file. */
static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0777);
        *slash = '/';
    }
}

static long long seen_bytes;
static time_t    long_ago; /* what is newer may be in use */

static int add_size(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)path, (void)where;
    if (kind == FTW_F) seen_bytes += status->st_size;
    return 0;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)kind, (void)where;
    if (status->st_mtime < long_ago) (void)remove(path);
    return 0;
}

/* Before the first program that a process compiles. */
static void bound_cache(const char *cache)
{
    (void)nftw(cache, add_size, 16, FTW_PHYS);
    long_ago = time(NULL) - 600;
    if (seen_bytes > cache_bound) (void)nftw(cache, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A number for names of files that nobody else uses now. */
static unsigned long long own_number(void)
{
    static unsigned long long numbers;
    return (unsigned long long)getpid() << 32 | __atomic_add_fetch(&numbers, 1, __ATOMIC_SEQ_CST);
}

/* ---- Hashes ------------------------------------------------------------------------------------------------------ */

typedef struct hash {
    uint64_t a, b;
} hash;

static const hash empty_hash = { 0xcbf29ce484222325u, 0x9e3779b97f4a7c15u };

/* Two multiplicative hashes of the text and its end, beside each other. */
static void add_text(hash *h, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text;; c++) {
        h->a = (h->a ^ *c) * 0x100000001b3u;
        h->b = (h->b + *c) * 0xff51afd7ed558ccdu;
        h->b ^= h->b >> 31;
        if (*c == '\0') return;
    }
}

static hash hash_of_headers(const program *p)
{
    hash h = empty_hash;
    for (int k = 0; k < p->header_count; k++) {
        add_text(&h, p->header_names[k]);
        add_text(&h, p->headers[k]);
    }
    return h;
}

static hash hash_of_program(const program *p, const request *r, const char *folder)
{
    hash h = hash_of_headers(p);
    char path[PATH];
    for (int k = 0; k < 2; k++) {
        size_t size = 0;
        make_path(path, "%s/%s", folder, k == 0 ? "shim.h" : "machine.h");
        char *text = read_all(path, &size);
        if (text != NULL) add_text(&h, text);
        free(text);
    }
    for (int k = 0; k < r->passed_count; k++) add_text(&h, r->passed[k]);
    const char *compiler = getenv("TESS_SIM_CXX");
    add_text(&h, compiler != NULL ? compiler : "g++");
    add_text(&h, r->contract ? "contract" : "exact");
    add_text(&h, p->name);
    add_text(&h, p->source);
    return h;
}

/* ---- Compiling --------------------------------------------------------------------------------------------------- */

/* Headers in memory as files in a folder, which is there whole or not at all. */
static bool write_headers(const program *p, const char *cache, char *folder)
{
    const hash h = hash_of_headers(p);
    char       made[PATH], path[PATH];
    make_path(folder, "%s/%016llx%016llx.headers", cache, (unsigned long long)h.a, (unsigned long long)h.b);
    if (access(folder, F_OK) == 0) return true;
    make_path(made, "%s.%llx", folder, own_number());
    make_path(path, "%s/", made);
    make_folders(path);
    for (int k = 0; k < p->header_count; k++) {
        make_path(path, "%s/%s", made, p->header_names[k]);
        make_folders(path);
        if (!write_all(path, p->headers[k], strlen(p->headers[k]))) return false;
    }
    /* If somebody else was first, this copy stays until the cache is emptied. */
    return rename(made, folder) == 0 || access(folder, F_OK) == 0;
}

static bool run(const char *const *command, const char *log)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    pid_t     child = 0;
    const int status = posix_spawnp(&child, command[0], &actions, NULL, (char *const *)command, environ);
    posix_spawn_file_actions_destroy(&actions);
    int end = 1;
    while (status == 0 && waitpid(child, &end, 0) < 0 && errno == EINTR) {}
    return status == 0 && WIFEXITED(end) && WEXITSTATUS(end) == 0;
}

/* Beside the headers, so that tests/gpu/jit_compile.c can try the real NVRTC with it. */
static void keep_program(const char *source, const char *headers, const char *base)
{
    char kept[PATH];
    make_path(kept, "%s/programs", headers);
    (void)mkdir(kept, 0777);
    make_path(kept, "%s/programs/%s.cpp", headers, strrchr(base, '/') + 1);
    if (rename(source, kept) != 0) (void)remove(source);
}

static bool compile(program *p, const request *r, const char *folder, const char *headers, const char *base)
{
    char                     source[PATH], object[PATH], log[PATH], shim[PATH], own[PATH], given[PATH];
    const char              *compiler = getenv("TESS_SIM_CXX");
    const unsigned long long number = own_number();
    make_path(source, "%s.%llx.cpp", base, number);
    make_path(object, "%s.%llx.so", base, number);
    make_path(log, "%s.%llx.log", base, number);
    make_path(shim, "%s/shim.h", folder);
    make_path(own, "-I%s", folder);
    make_path(given, "-I%s", headers);
    /* No header of the system's: NVRTC has none either. A GPU needs aligned addresses; and nothing else would notice an
     * index beyond an array in shared memory. */
    const char *command[40 + MOST_OPTIONS] = {
        compiler != NULL ? compiler : "g++",
        "-std=c++17",
        "-O1",
        "-shared",
        "-fPIC",
        "-fwrapv",
        "-fno-strict-aliasing",
        "-w",
        "-pipe",
        "-nostdinc",
        "-nostdinc++",
        "-fvisibility=hidden",
        "-fno-exceptions",
        "-fno-rtti",
        "-fno-math-errno",
        "-fno-threadsafe-statics",
        "-fsanitize=alignment,bounds",
        "-fsanitize-undefined-trap-on-error",
        r->contract ? "-ffp-contract=fast" : "-ffp-contract=off",
        own,
        given,
        "-include",
        shim,
    };
    int n = 0;
    while (command[n] != NULL) n++;
    for (int k = 0; k < r->passed_count; k++) command[n++] = r->passed[k];
    const char *rest[] = { "-nostdlib", "-o", object, source, "-lm", "-lc", "-lgcc" };
    for (size_t k = 0; k < sizeof rest / sizeof *rest; k++) command[n++] = rest[k];

    const bool done = write_all(source, p->source, strlen(p->source)) && run(command, log);
    size_t     size = 0;
    free(p->log);
    p->log = read_all(log, &size);
    (void)remove(log);
    if (done) keep_program(source, headers, base);
    else (void)remove(source);
    return done && rename(object, base) == 0;
}

static bool take_image(program *p, const request *r, const char *path)
{
    size_t size = 0;
    char  *bytes = read_all(path, &size);
    if (bytes == NULL) return false;
    const sim_image head = { SIM_IMAGE, size, r->arch, r->ptx };
    free(p->image);
    p->image_size = sizeof head + size;
    p->image = malloc(p->image_size);
    if (p->image != NULL) {
        memcpy(p->image, &head, sizeof head);
        memcpy(p->image + sizeof head, bytes, size);
    }
    free(bytes);
    return p->image != NULL;
}

int sim_make_image(program *p, const request *r)
{
    char folder[PATH], cache[PATH], headers[PATH], path[PATH];
    if (!library_folder(folder)) return NVRTC_INTERNAL;
    make_path(cache, "%s/cache", folder);
    const hash h = hash_of_program(p, r, folder);
    make_path(path, "%s/%016llx%016llx.so", cache, (unsigned long long)h.a, (unsigned long long)h.b);
    if (take_image(p, r, path)) return NVRTC_OK;
    static int misses;
    if (__atomic_fetch_add(&misses, 1, __ATOMIC_SEQ_CST) == 0) bound_cache(cache);
    (void)mkdir(cache, 0777);
    if (!write_headers(p, cache, headers)) return NVRTC_INTERNAL;
    if (!compile(p, r, folder, headers, path)) return NVRTC_COMPILATION;
    return take_image(p, r, path) ? NVRTC_OK : NVRTC_INTERNAL;
}
