/* Run-time compilation by the real NVRTC, which needs no GPU: what the library can print for its own operators, and
 * every program that other tests had the simulated NVRTC compile before, each for one of four kinds of GPUs. There
 * is no time for all: a few, or with TESS_TEST_LARGE as many, in any order, as about 100 s are enough for; --seed
 * changes which. TESS_COMPILE=all takes all, each for the four kinds (make kernels-all), or all of a share
 * (TESS_TEST_SHARE). */
#define _GNU_SOURCE
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core/device/memory.h"
#include "cuda/ewise/tiles.h"
#include "cuda/jit/embedded_sources.h"
#include "cuda/jit/loop.h"
#include "cuda/jit/nvrtc.h"
#include "cuda/jit/specialise.h"
#include "requests/operator_rows.h"
#include "support/gpu.h"

static const int kinds_of_gpus[] = { 75, 80, 90, 100 };

/* The library is asked for before anything else is opened: not the simulated one. */
static bool have_nvrtc(void)
{
    (void)unsetenv("TESS_CUDA_PATH");
    void       *code = NULL;
    size_t      size = 0;
    const char *nothing = "extern \"C\" __global__ void tess_kernel(int x) {}\n";
    const bool  good = tess__nvrtc_compile(&code, &size, "compile", nothing, 80) == TESS_OK;
    tess__free(code);
    if (!good) test_skip(tess_error_message());
    return good;
}

static double slowest;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool takes_all(void)
{
    const char *text = getenv("TESS_COMPILE");
    return text && strcmp(text, "all") == 0;
}

static void compile_for(int sm, const char *what, const char *program)
{
    void        *code = NULL;
    size_t       size = 0;
    const double start = now();
    if (!CHECK_OK(tess__nvrtc_compile(&code, &size, what, program, sm)))
        (void)test_failed(__FILE__, __LINE__, "%s for sm_%d:\n%s", what, sm, program);
    tess__free(code);
    const double seconds = now() - start;
    if (seconds > slowest) slowest = seconds;
}

static void compile(const char *what, const char *program)
{
    const int any = (int)test_random_in(0, 3);
    for (int i = 0; i < 4; i++)
        if (i == any || takes_all()) compile_for(kinds_of_gpus[i], what, program);
}

/* ---- Samples ---- */

/* Numbers of 0 to n-1 in any order, until there are `few` or the time is up. */
typedef struct sample {
    int    n, taken, few;
    int   *order;
    double end;
} sample;

static sample sample_of(int n, int few, double seconds)
{
    sample s = { .n = n, .few = test_large() || takes_all() ? n : few, .order = calloc((size_t)n + 1, sizeof(int)) };
    s.end = takes_all() ? INFINITY : now() + seconds;
    for (int i = 0; s.order && i < n; i++) {
        const int other = (int)test_random_in(0, i);
        s.order[i] = s.order[other];
        s.order[other] = i;
    }
    return s;
}

/* The next number; -1 behind the last, and it is told how many there were. */
static int next(sample *s, const char *what)
{
    while (s->order && s->taken < s->n && s->taken < s->few && (!test_large() || now() < s->end)) {
        const int i = s->order[s->taken++];
        if (test_share(i)) return i;
    }
    if (test_large() || takes_all()) printf("%d of %d %s, the slowest %.3f s\n", s->taken, s->n, what, slowest);
    free(s->order);
    return -1;
}

static void finish(tess__writer *w, const char *what)
{
    char *program = NULL;
    if (CHECK_OK(tess__write_finish(w, &program))) compile(what, program);
    tess__free(program);
}

/* ---- Ways to walk ---- */

static int64_t largest_size(const tess__cuda_spec *f)
{
    int64_t largest = f->unit;
    for (int k = 0; k <= f->n_inputs && !f->unit; k++) {
        const int64_t size = (int64_t)tess_dtype_size(f->stored[k]);
        if (size > largest) largest = size;
    }
    return largest;
}

static void print_rows(tess__writer *w, const tess__cuda_spec *f)
{
    const int        most = (int)(16 / largest_size(f));
    tess__cuda_shape s = { .pack = 1 };
    while (s.pack < most && test_random_in(0, 3)) s.pack *= 2;
    s.aligned = s.pack > 1 || test_random() & 1;
    s.dims = (uint8_t)test_random_in(1, 5);
    s.wide = test_random_in(0, 3) == 0;
    s.edges = s.dims == 1 && s.pack > 1 && test_random() & 1;
    s.still = (uint8_t)(s.pack > 1 ? test_random_in(0, 7) << 1 : 0);
    s.rounds = (uint8_t)(1 << test_random_in(0, 2));
    tess__cuda_spec_print(w, f);
    tess__cuda_shape_print(w, &s);
    tess__write(w, "#include \"cuda/ewise/ewise.cu.h\"\n");
}

static void print_tiles(tess__writer *w, const tess__cuda_spec *f)
{
    const int         largest = (int)largest_size(f);
    tess__cuda_tiling t = { .tile = largest == 1 ? 128 : largest <= 4 ? 64 : 32, .vector = { 1, 1, 1, 1 } };
    const int         most = largest == 1 ? 16 : largest <= 4 ? 4 : largest == 8 ? 2 : 1;
    t.transposed = (uint8_t)(2u << test_random_in(0, f->n_inputs - 1)) & (uint8_t)~f->scalars;
    for (int k = 0; k <= f->n_inputs; k++) t.vector[k] = (uint8_t)(test_random() & 1 ? most : 1);
    for (int k = 1; k <= f->n_inputs; k++)
        if (t.vector[k] > t.vector[0]) t.vector[k] = t.vector[0];
    t.dims[0] = (uint8_t)test_random_in(1, 3);
    t.dims[1] = (uint8_t)test_random_in(1, 4 - t.dims[0]);
    t.dims[2] = (uint8_t)test_random_in(0, 4 - t.dims[0] - t.dims[1]);
    tess__cuda_spec_print(w, f);
    tess__cuda_tiling_print(w, &t);
    tess__write(w, "#include \"cuda/ewise/tiles.cu.h\"\n");
}

static void compile_spec(const char *what, const tess__cuda_spec *f)
{
    tess__writer w = { 0 };
    if (f->n_inputs > 0 && test_random_in(0, 3) == 0) print_tiles(&w, f);
    else print_rows(&w, f);
    finish(&w, what);
}

/* ---- Operators ---- */

static bool is_computed_in(int op, tess_dtype dtype)
{
    const tess_kind kind = tess_dtype_kind(dtype);
    const int bit = kind == TESS_KIND_BOOL ? TESS__BOOLS : kind == TESS_KIND_FLOAT ? TESS__FLOATS : TESS__INTEGERS;
    if (dtype == TESS_F16 || dtype == TESS_C16) return false;
    if (kind == TESS_KIND_COMPLEX) return tess__complex_rows[op].result != TESS__GIVES_NOTHING;
    return (tess__operator_rows[op].types & bit) != 0;
}

static tess_dtype result_of(int op, tess_dtype dtype)
{
    const int result = (dtype >= TESS_C16 ? tess__complex_rows : tess__operator_rows)[op].result;
    return result == TESS__GIVES_BOOL            ? TESS_BOOL
           : result == TESS__GIVES_REAL          ? tess_dtype_real(dtype)
           : result == TESS__GIVES_MAKES_COMPLEX ? tess_dtype_complex(dtype)
                                                 : dtype;
}

static void compile_operator(int op, tess_dtype dtype)
{
    tess__cuda_spec f = { .kind = TESS__APPLY, .op = (uint16_t)op, .kernel = (uint8_t)dtype };
    f.n_inputs = tess__operator_rows[op].inputs;
    f.wanted[0] = (uint8_t)result_of(op, dtype);
    for (int k = 1; k <= f.n_inputs; k++) f.wanted[k] = (uint8_t)dtype;
    memcpy(f.stored, f.wanted, sizeof f.stored);
    if (test_random_in(0, 3) == 0) f.stored[1] = TESS_F16;
    if (f.n_inputs > 1 && test_random_in(0, 3) == 0) f.scalars = 1 << 2;
    compile_spec(tess__operator_rows[op].name, &f);
}

TEST(operators)
{
    const int types = TESS_SCALAR_DTYPE_COUNT - 1;
    if (!have_nvrtc()) return;
    sample s = sample_of(TESS__OP_where * types, TESS__OP_where * types / 149 + 1, 40);
    for (int i; (i = next(&s, "operators with dtypes")) >= 0;)
        if (is_computed_in(i / types, 1 + i % types)) compile_operator(i / types, 1 + i % types);
}

TEST(casts)
{
    const int n = TESS_SCALAR_DTYPE_COUNT - 1;
    if (!have_nvrtc()) return;
    sample s = sample_of(n * n * 2, n * n * 2 / 97 + 1, 15);
    for (int i; (i = next(&s, "casts")) >= 0;) {
        tess__cuda_spec f = { .kind = TESS__CAST, .n_inputs = 1, .mode = i % 2 ? TESS_CAST_WRAP : TESS_CAST_CLAMP };
        f.stored[0] = (uint8_t)(1 + i / 2 / n);
        f.stored[1] = (uint8_t)(1 + i / 2 % n);
        f.part = (uint8_t)test_random_in(TESS_PART_ABS, TESS_PART_POWER);
        compile_spec("cast", &f);
        if (i % 2) continue;
        tess__writer w = { 0 };
        tess__write(&w, "#define TESS_ONLY\n#include \"cuda/jit/prelude.cu.h\"\n#include \"cuda/jit/elements.cu.h\"\n");
        tess__write(&w, "#define FROM %d\n#define TO %d\n#define DIMS 3\n#define WIDE %d\n", f.stored[1], f.stored[0],
                    i % 3 == 0);
        tess__write(&w, "#include \"cuda/convert/lossless.cu.h\"\n");
        finish(&w, "exact cast");
    }
}

TEST(moves)
{
    if (!have_nvrtc()) return;
    sample s = sample_of(60, 4, 5);
    for (int i; (i = next(&s, "moves")) >= 0;) {
        tess__cuda_spec f = { .kind = TESS__COPY, .n_inputs = 1, .unit = (uint8_t)(1 << i % 5) };
        if (i % 3 == 1) f.kind = TESS__FILL, f.n_inputs = 0;
        if (i % 3 == 2) f.kind = TESS__APPLY, f.op = TESS__OP_where, f.n_inputs = 3, f.stored[1] = TESS_BOOL;
        compile_spec("move", &f);
    }
}

/* ---- What others had compiled ---- */

enum { PATH = 600 };

static bool holds(const char *folder, const char *name, const char *text)
{
    char         path[PATH], *found = NULL;
    const size_t length = strlen(text);
    bool         same = false;
    (void)snprintf(path, sizeof path, "%.255s/%.255s", folder, name);
    FILE *file = fopen(path, "rb");
    if (file && (found = malloc(length + 2)) != NULL)
        same = fread(found, 1, length + 2, file) == length && memcmp(found, text, length) == 0;
    free(found);
    if (file) (void)fclose(file);
    return same;
}

/* Programs that were compiled with other texts may be none for these. */
static bool is_of_these_texts(const char *folder)
{
    for (int i = 0; i < tess__n_sources; i++)
        if (!holds(folder, tess__source_names[i], tess__sources[i])) return false;
    return true;
}

static void compile_file(const char *path)
{
    static char program[1 << 20];
    FILE       *file = fopen(path, "rb");
    if (!CHECK(file)) return;
    program[fread(program, 1, sizeof program - 1, file)] = '\0';
    (void)fclose(file);
    compile("a program of another test", program);
}

/* Paths of programs, as many as there are. */
typedef struct paths {
    char (*at)[PATH];
    int n, capacity;
} paths;

static void add_path(paths *all, const char *folder, const char *name)
{
    if (all->n == all->capacity) {
        const int capacity = 2 * all->capacity + 64;
        char(*larger)[PATH] = realloc(all->at, (size_t)capacity * sizeof *larger);
        if (!CHECK(larger)) return;
        all->at = larger;
        all->capacity = capacity;
    }
    (void)snprintf(all->at[all->n++], PATH, "%.255s/programs/%.255s", folder, name);
}

static void list_folder(paths *list, const char *folder)
{
    char path[PATH];
    (void)snprintf(path, sizeof path, "%.255s/programs", folder);
    DIR *all = is_of_these_texts(folder) ? opendir(path) : NULL;
    for (struct dirent *e; all && (e = readdir(all));)
        if (e->d_name[0] != '.') add_path(list, folder, e->d_name);
    if (all) (void)closedir(all);
}

/* The cache of the simulated NVRTC lies beside this program. */
static bool enter_cache(void)
{
    char          own[4096];
    const ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    if (n <= 0) return false;
    own[n] = '\0';
    *strrchr(own, '/') = '\0';
    return chdir(own) == 0 && chdir("simulated/cache") == 0;
}

TEST(programs_of_other_tests)
{
    paths list = { NULL, 0, 0 };
    if (!have_nvrtc()) return;
    DIR *all = enter_cache() ? opendir(".") : NULL;
    if (!all) test_skip("the simulated NVRTC has compiled nothing here");
    for (struct dirent *e; all && (e = readdir(all));)
        if (strstr(e->d_name, ".headers")) list_folder(&list, e->d_name);
    if (all) (void)closedir(all);
    sample s = sample_of(list.n, list.n / 20, 40);
    for (int i; (i = next(&s, "programs of other tests")) >= 0;) compile_file(list.at[i]);
    free(list.at);
}
