/* Compiling for the simulated NVRTC. What was compiled once is kept beside the library, by a hash of all that went into
 * it; what many programs begin with is a precompiled header. */
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

/* Headers stay, a megabyte for each version of the library: old ones may be in use. */
static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)kind, (void)where;
    const bool is_header = strstr(path, ".headers") != NULL && strstr(path, ".headers/programs/") == NULL;
    if (status->st_mtime < long_ago && !is_header) (void)remove(path);
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

static const char *chosen_compiler(void)
{
    const char *compiler = getenv("TESS_SIM_CXX");
    return compiler != NULL ? compiler : "g++";
}

/* Of all that programs are compiled with. */
static hash hash_of_setting(const program *p, const request *r, const char *folder)
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
    add_text(&h, chosen_compiler());
    add_text(&h, r->contract ? "contract" : "exact");
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

/* Where things are for one program. */
typedef struct places {
    char folder[PATH], cache[PATH], headers[PATH]; /* of this library, of what it keeps, of headers */
    char own_include[PATH], headers_include[PATH]; /* as options */
    char start[PATH];                              /* what is included before the program */
    char image[PATH];                              /* what becomes of it */
} places;

enum { MOST_WORDS = 48 + MOST_OPTIONS };

/* The compiler and its options for sources and headers. No header of the system's: NVRTC has none either. A GPU needs
 * aligned addresses; and nothing else would notice an index beyond an array in shared memory. */
static int add_options(const char *command[MOST_WORDS], const request *r, const places *at)
{
    const char *common[] = {
        chosen_compiler(),
        "-std=c++17",
        "-O1",
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
        at->own_include,
        at->headers_include,
    };
    int n = 0;
    for (size_t k = 0; k < sizeof common / sizeof *common; k++) command[n++] = common[k];
    for (int k = 0; k < r->passed_count; k++) command[n++] = r->passed[k];
    return n;
}

/* How many bytes at the start of a source do no more than include what is common to many programs? */
static size_t length_of_start(const char *source)
{
    static const char *const common[] = { "#line ", "#define TESS_ONLY\n", "#define TESS_WITH_",
                                          "#include \"cuda/jit/" };
    size_t                   length = 0;
    for (const char *line = source; line != NULL && length == (size_t)(line - source);) {
        const char *end = strchr(line, '\n');
        for (size_t k = 0; end != NULL && k < sizeof common / sizeof *common; k++)
            if (strncmp(line, common[k], strlen(common[k])) == 0) length = (size_t)(end + 1 - source);
        line = end != NULL ? end + 1 : NULL;
    }
    return length;
}

/* The header that stands for the start of a source. From the second program with this start on it is compiled, which
 * takes twice the time that it saves; a compiler that does not find it compiled, or not by itself, reads the text. */
static void choose_start(places *at, const program *p, const request *r, hash h)
{
    char         text[PATH], made[PATH], log[PATH];
    const size_t length = length_of_start(p->source);
    make_path(at->start, "%s/shim.h", at->folder);
    if (length == 0 || length >= PATH / 2) return;
    make_path(text, "#include \"shim.h\"\n%.*s", (int)length, p->source);
    if (strstr(text, "cuda/jit/elements.cu.h") == NULL) return;
    add_text(&h, text);
    make_path(at->start, "%s/%016llx%016llx.h", at->cache, (unsigned long long)h.a, (unsigned long long)h.b);
    if (access(at->start, F_OK) != 0) {
        make_path(made, "%s.%llx", at->start, own_number());
        if (!write_all(made, text, strlen(text)) || rename(made, at->start) != 0)
            make_path(at->start, "%s/shim.h", at->folder);
        return;
    }
    make_path(text, "%s.gch", at->start);
    if (access(text, F_OK) == 0) return;
    make_path(made, "%s.%llx", text, own_number());
    make_path(log, "%s.log", made);
    const char *command[MOST_WORDS] = { 0 };
    const char *rest[] = { "-x", "c++-header", at->start, "-o", made };
    int         n = add_options(command, r, at);
    for (size_t k = 0; k < sizeof rest / sizeof *rest; k++) command[n++] = rest[k];
    if (!run(command, log) || rename(made, text) != 0) (void)remove(made);
    (void)remove(log);
}

static bool compile(program *p, const request *r, const places *at)
{
    char                     source[PATH], object[PATH], log[PATH];
    const unsigned long long number = own_number();
    make_path(source, "%s.%llx.cpp", at->image, number);
    make_path(object, "%s.%llx.so", at->image, number);
    make_path(log, "%s.%llx.log", at->image, number);
    const char *command[MOST_WORDS] = { 0 };
    const char *rest[] = { "-include", at->start, "-shared", "-nostdlib", "-o", object, source, "-lm", "-lc", "-lgcc" };
    int         n = add_options(command, r, at);
    for (size_t k = 0; k < sizeof rest / sizeof *rest; k++) command[n++] = rest[k];

    const bool done = write_all(source, p->source, strlen(p->source)) && run(command, log);
    size_t     size = 0;
    free(p->log);
    p->log = read_all(log, &size);
    (void)remove(log);
    if (done) keep_program(source, at->headers, at->image);
    else (void)remove(source);
    return done && rename(object, at->image) == 0;
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
    places at;
    if (!library_folder(at.folder)) return NVRTC_INTERNAL;
    make_path(at.cache, "%s/cache", at.folder);
    const hash setting = hash_of_setting(p, r, at.folder);
    hash       h = setting;
    add_text(&h, p->name);
    add_text(&h, p->source);
    make_path(at.image, "%s/%016llx%016llx.so", at.cache, (unsigned long long)h.a, (unsigned long long)h.b);
    if (take_image(p, r, at.image)) return NVRTC_OK;
    static int misses;
    if (__atomic_fetch_add(&misses, 1, __ATOMIC_SEQ_CST) == 0) bound_cache(at.cache);
    (void)mkdir(at.cache, 0777);
    if (!write_headers(p, at.cache, at.headers)) return NVRTC_INTERNAL;
    make_path(at.own_include, "-I%s", at.folder);
    make_path(at.headers_include, "-I%s", at.headers);
    choose_start(&at, p, r, setting);
    if (!compile(p, r, &at)) return NVRTC_COMPILATION;
    return take_image(p, r, at.image) ? NVRTC_OK : NVRTC_INTERNAL;
}
