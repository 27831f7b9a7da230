/* Random operators run twice, by the virtual machine and as printed C that `cc` has compiled: results must have the same
 * bits. NaNs count as equal, since compilers choose which of two operands' NaNs goes on.
 *
 * TESS_PROGRAMS in the environment says how many; --seed N makes others. Needs a compiler, $CC or cc, and to be run in
 * the project's folder, whose headers the printed C includes.
 */
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/device/memory.h"
#include "core/check/text.h"
#include "lang/front/parse.h"
#include "support/generate.h"
#include "support/layouts.h"
#include "support/print_c.h"

enum { BATCH = 100 };

typedef struct program {
    generated g;
    tess_op  *machine, *compiled;
} program;

static int n_same, n_failed;

static const tess_op_parse_opts limits = {
    .max_text = 1 << 16, .max_nodes = 1 << 14, .max_nesting = 64, .max_trips = 65536, .max_registers = 256
};

/* ---- Making both ---- */

/* The operator as C, one function for each part, behind `name`. Whether it uses an index decides how it is laid out. */
static bool print(FILE *file, generated *g, const char *name)
{
    tess__tree *plain = NULL, *tree = NULL;
    char       *text = NULL;
    tess_status status = tess__parse(&plain, g->text, strlen(g->text), &limits);
    if (!status) status = tess__tree_check(&tree, plain, g->letters, &limits);
    if (!status) status = print_c(&text, tree, name);
    if (!status) g->indexed = tree->indexed, (void)fprintf(file, "%s\n", text);
    else (void)fprintf(stderr, "%s%s", g->text, tess_error_trace());
    tess__free(text);
    tess__tree_free(tree);
    tess__tree_free(plain);
    return status == TESS_OK;
}

static tess_tile_fn part_of(void *library, int number, const char *part)
{
    union {
        void        *object;
        tess_tile_fn function;
    } found;
    char name[32];
    (void)snprintf(name, sizeof name, "p%d_%s", number, part);
    found.object = dlsym(library, name);
    return found.function;
}

static bool compile(const char *folder)
{
    const char *cc = getenv("CC");
    char        command[1024]; /* at -O1 gcc 12 gives the negative of an fma that is 0 a wrong sign */
    (void)snprintf(command, sizeof command,
                   "%s -std=c11 -O0 -fwrapv -ffp-contract=off -fno-math-errno -fno-strict-aliasing -w -shared -fPIC "
                   "-Iinclude -Isrc -o %s/programs.so %s/programs.c -lm",
                   cc && *cc ? cc : "cc", folder, folder);
    return system(command) == 0;
}

static bool make_both(program *p, void *library, int number)
{
    tess_status status = tess_op_parse(&p->machine, p->g.text, strlen(p->g.text), &limits);
    if (!status) {
        char signature[sizeof p->g.signature + 8];
        (void)snprintf(signature, sizeof signature, "%s%s", p->g.indexed ? "index " : "", p->g.signature);
        const tess_op_loop_opts opts = { .join = part_of(library, number, "join"),
                                         .post = part_of(library, number, "post") };
        status = tess_op_loop(&p->compiled, signature, part_of(library, number, "body"), &opts);
    }
    if (status) (void)fprintf(stderr, "%s%s\n%s", p->g.text, p->g.signature, tess_error_trace());
    return status == TESS_OK;
}

/* ---- Arguments ---- */

static double unusual(void)
{
    static const double values[] = { 0.0,    -0.0, 1.0,  -1.0, 0.5,   1e30,  -1e30, 1e300, 3.5e38, 1e-40,
                                     5e-324, 2e9,  -2e9, 1e19, 65504, 65520, 6e-8,  1e5,   1e-300, 0.1 };
    const int64_t       which = test_random_in(0, 23);
    if (which == 20) return (double)INFINITY;
    if (which == 21) return -(double)INFINITY;
    if (which >= 22) return (double)NAN;
    return values[which % 20];
}

static double any_number(void)
{
    if (test_random_in(0, 9) == 0) return unusual();
    const double scale = test_random_in(0, 3) == 0 ? 100.0 : 4.0;
    return (test_random_unit() - 0.5) * scale;
}

/* One real at `to`: any bits for integers, mostly moderate floats. */
static void set_real(unsigned char *to, tess_dtype t)
{
    const uint64_t bits = test_random_in(0, 2) ? (uint64_t)test_random_in(-9, 9) : test_random();
    const double   x = any_number();
    const float    x32 = (float)x;
    const tess_f16 x16 = tess_f64_to_f16(x);
    if (t == TESS_F64) memcpy(to, &x, sizeof x);
    else if (t == TESS_F32) memcpy(to, &x32, sizeof x32);
    else if (t == TESS_F16) memcpy(to, &x16, sizeof x16);
    else if (t == TESS_BOOL) *to = (unsigned char)(bits & 1);
    else memcpy(to, &bits, tess_dtype_size(t));
}

static void set_element(void *context, const int64_t position[4])
{
    const tess_array *a = context;
    const tess_dtype  real = tess_dtype_real(a->dtype);
    for (int k = 0; k < tess_dtype_reals(a->dtype); k++)
        set_real(element_at(a, position) + (size_t)k * tess_dtype_size(real), real);
}

static bool same_real(const unsigned char *a, const unsigned char *b, tess_dtype t)
{
    const size_t size = tess_dtype_size(t);
    if (memcmp(a, b, size) == 0) return true;
    double   x = 0, y = 0;
    float    x32, y32;
    tess_f16 x16, y16;
    if (t == TESS_F64) memcpy(&x, a, size), memcpy(&y, b, size);
    else if (t == TESS_F32) memcpy(&x32, a, size), memcpy(&y32, b, size), x = (double)x32, y = (double)y32;
    else if (t == TESS_F16)
        memcpy(&x16, a, size), memcpy(&y16, b, size), x = (double)tess_f16_to_f32(x16),
                                                      y = (double)tess_f16_to_f32(y16);
    return x != x && y != y;
}

typedef struct pair_of {
    const tess_array *a, *b;
    int64_t           differ[4];
    bool              same;
} pair_of;

static void compare(void *context, const int64_t position[4])
{
    pair_of         *p = context;
    const tess_dtype real = tess_dtype_real(p->a->dtype);
    for (int k = 0; k < tess_dtype_reals(p->a->dtype); k++) {
        const size_t at = (size_t)k * tess_dtype_size(real);
        if (!p->same || same_real(element_at(p->a, position) + at, element_at(p->b, position) + at, real)) continue;
        p->same = false;
        memcpy(p->differ, position, sizeof p->differ);
    }
}

/* Arrays for every parameter; outputs twice, with the same elements. */
typedef struct arguments {
    guarded   arrays[2][GENERATED_PARAMS];
    tess_bind binds[2][GENERATED_PARAMS];
    int       n;
} arguments;

static tess_bind value_of(tess_dtype t)
{
    switch (tess_dtype_kind(t)) {
    case TESS_KIND_COMPLEX: return (tess_bind){ .kind = TESS_BIND_C64, .as.c = { 1.5, -0.25 } };
    case TESS_KIND_FLOAT: return (tess_bind){ .kind = TESS_BIND_F64, .as.f = test_random_in(0, 1) ? 0.75 : -3.0 };
    default: return (tess_bind){ .kind = TESS_BIND_I64, .as.i = test_random_in(0, 1) };
    }
}

static tess_shape any_shape(void)
{
    static const int64_t widths[] = { 1, 2, 3, 7, 31, 64, 255, 256, 257, 300, 513, 1030 };
    return TESS_SHAPE(test_random_in(1, 2), test_random_in(1, 2), test_random_in(1, 4), widths[test_random_in(0, 11)]);
}

static tess_shape reduced(tess_shape shape)
{
    const int64_t axes = test_random_in(1, 15);
    for (int d = 0; d < 4; d++)
        if (axes >> d & 1) shape.dim[d] = 1;
    return shape;
}

static bool written(const generated_param *p)
{
    return p->role == role_out || p->role == role_inout || p->role == role_scatter;
}

static void make_arguments(arguments *args, const generated *g)
{
    const tess_shape domain = any_shape(), results = g->reduces ? reduced(domain) : domain;
    bool             first = true;
    args->n = 0;
    for (int k = 0; k < g->n_params; k++) {
        const generated_param *p = &g->params[k];
        if (p->role == role_acc) continue;
        const int n = args->n++;
        if (p->role == role_val) {
            args->binds[0][n] = args->binds[1][n] = value_of(p->type);
            continue;
        }
        const bool   free_shape = p->role == role_view || p->role == role_scatter;
        const layout kind =
            (layout)test_random_in(0, (written(p) || (first && g->reduces) ? n_output_layouts : n_layouts) - 1);
        guarded_make(&args->arrays[0][n], kind,
                     free_shape           ? any_shape()
                     : p->role == role_in ? domain
                                          : results,
                     p->type);
        first = false;
        tess_array *a = &args->arrays[0][n].view;
        each_index(a->shape, set_element, a);
        args->binds[0][n] = args->binds[1][n] = (tess_bind){ .kind = TESS_BIND_ARRAY, .as.array = a };
        if (!written(p)) continue;
        guarded_make(&args->arrays[1][n], kind, a->shape, p->type);
        if (tess_copy(&args->arrays[1][n].view, a)) abort();
        args->binds[1][n].as.array = &args->arrays[1][n].view;
        guarded_snapshot(&args->arrays[0][n]), guarded_snapshot(&args->arrays[1][n]);
    }
}

/* Where two results differ, and the bytes of both, the last first. */
static void tell_difference(const pair_of *p, const char *name, const char *text)
{
    char position[96], shape[96];
    (void)fprintf(stderr, "%s\nparameter %s differs at %s of %s:", text, name, tess__shape_text(position, p->differ),
                  tess__shape_text(shape, p->a->shape.dim));
    for (int i = 0; i < 2; i++) {
        const unsigned char *bytes = element_at(i ? p->b : p->a, p->differ);
        (void)fprintf(stderr, i ? ", compiled 0x" : " machine 0x");
        for (size_t k = tess_dtype_size(p->a->dtype); k > 0; k--) (void)fprintf(stderr, "%02x", bytes[k - 1]);
    }
    (void)fprintf(stderr, "\n");
}

static bool same_results(const arguments *args, const generated *g, const char *text)
{
    bool same = true;
    for (int k = 0, n = 0; k < g->n_params; k++) {
        if (g->params[k].role == role_acc) continue;
        if (written(&g->params[k])) {
            pair_of p = { .a = &args->arrays[0][n].view, .b = &args->arrays[1][n].view, .same = true };
            each_index(p.a->shape, compare, &p);
            if (!p.same) tell_difference(&p, g->params[k].name, text);
            same = same && p.same && guarded_check(&args->arrays[0][n], text);
        }
        n++;
    }
    return same;
}

static void free_arguments(arguments *args)
{
    for (int k = 0; k < args->n; k++)
        for (int i = 0; i < 2; i++)
            if (args->arrays[i][k].block) guarded_free(&args->arrays[i][k]);
}

static bool run_both(program *p)
{
    arguments args;
    memset(&args, 0, sizeof args);
    make_arguments(&args, &p->g);
    if (tess_threads_set((int)test_random_in(1, 2))) abort();
    tess_status status = tess_run(p->machine, args.binds[0], args.n, NULL);
    if (!status) status = tess_run(p->compiled, args.binds[1], args.n, NULL);
    if (status) (void)fprintf(stderr, "%s%s", p->g.text, tess_error_trace());
    const bool same = status == TESS_OK && same_results(&args, &p->g, p->g.text);
    free_arguments(&args);
    return same;
}

/* ---- Batches ---- */

static void run_batch(program *programs, int n, const char *folder)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/programs.c", folder);
    FILE *file = fopen(path, "w");
    if (!file) abort();
    (void)fprintf(file, "#include \"tessera/op.h\"\n");
    bool printed = true;
    for (int k = 0; k < n; k++) {
        char name[16];
        memset(&programs[k], 0, sizeof programs[k]);
        generate(&programs[k].g);
        (void)snprintf(name, sizeof name, "p%d", k);
        printed = print(file, &programs[k].g, name) && printed;
    }
    (void)fclose(file);
    (void)snprintf(path, sizeof path, "%s/programs.so", folder);
    void *library = printed && compile(folder) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        (void)fprintf(stderr, "a batch of %d operators was not printed or compiled: %s/programs.c\n", n, folder);
        n_failed += n;
        return;
    }
    for (int k = 0; k < n; k++) {
        program *p = &programs[k];
        if (make_both(p, library, k) && run_both(p)) n_same++;
        else n_failed++;
        tess_op_release(p->machine), tess_op_release(p->compiled);
    }
    (void)dlclose(library);
    (void)unlink(path);
}

TEST(same_bits_as_compiled)
{
    const char *wanted = getenv("TESS_PROGRAMS");
    const int   total = wanted ? atoi(wanted) : test_fewer(200);
    char        folder[] = "/tmp/tessera-programs-XXXXXX", path[512];
    program    *programs = calloc(BATCH, sizeof *programs);
    if (!CHECK(programs && mkdtemp(folder))) return;
    for (int done = 0; done < total && n_failed < 10; done += BATCH)
        run_batch(programs, total - done < BATCH ? total - done : BATCH, folder);
    free(programs);
    (void)snprintf(path, sizeof path, "%s/programs.c", folder);
    if (n_failed == 0) (void)unlink(path), (void)rmdir(folder);
    (void)printf("%d operators gave the same bits, %d did not\n", n_same, n_failed);
    CHECK(n_failed == 0);
}
