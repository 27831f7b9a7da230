/* The same operator by the virtual machine and as printed C that was compiled: the same bits?
 *
 *     lang_compare FILE LIBRARY     LIBRARY holds printed_body, printed_join, printed_post
 *
 * On contiguous, turned and odd arrays of numbers with all that is special.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/device/memory.h"
#include "lang/front/parse.h"
#include "tessera.h"

static char     text[1 << 16];
static uint64_t state = 1;

static uint32_t next_random(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static void stop(const char *what)
{
    printf("%s\n%s", what, tess_error_trace());
    exit(1);
}

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        if ((call) != TESS_OK) stop(#call);                                                                            \
    } while (0)

/* Small numbers mostly, some of them special. */
static double number(tess_dtype dtype)
{
    static const double special[] = { 0, -0.0, 1, -1, 0.5, 1e30, -1e30, 1e-40, 127, -128, 255, 65504 };
    const bool          real = tess_dtype_kind(dtype) >= TESS_KIND_FLOAT;
    const uint32_t      r = next_random();
    if (r % 8 == 0 && real) {
        const uint32_t k = next_random() % 15;
        return k < 12 ? special[k] : k == 12 ? __builtin_nan("") : k == 13 ? __builtin_inf() : -__builtin_inf();
    }
    const double x = (double)(next_random() % 4096) / 256 - (tess_dtype_kind(dtype) == TESS_KIND_UINT ? 0 : 8);
    return real ? x : (double)(int64_t)x;
}

static void fill(tess_array *a)
{
    tess_array wide = { 0 };
    OK(tess_zeros(&wide, a->shape, TESS_F64, tess_cpu()));
    double *data = wide.data;
    for (int64_t i = 0; i < (a->shape.b * a->shape.d * a->shape.h * a->shape.w); i++)
        data[i] = a->dtype == TESS_BOOL ? next_random() % 2 : number(a->dtype);
    OK(tess_cast(a, &wide, a->dtype, NULL));
    tess_release(&wide);
}

/* An array of the shape; with `turned` its rows are columns in memory. */
static tess_array make(tess_shape s, tess_dtype dtype, bool turned)
{
    tess_array a = { 0 }, view = { 0 };
    OK(tess_zeros(&a, turned ? TESS_SHAPE(s.b, s.d, s.w, s.h) : s, dtype, tess_cpu()));
    if (!turned) return a;
    OK(tess_transpose(&view, &a));
    OK(tess_retain(&view));
    tess_release(&a);
    return view;
}

enum { OPERATORS = 2 };

/* The arguments of both operators: the same inputs, outputs of their own. */
typedef struct arguments {
    tess_array      arrays[TESS__MAX_PARAMS][OPERATORS];
    tess_bind       binds[OPERATORS][TESS__MAX_PARAMS];
    tess_struct_def defs[TESS__MAX_PARAMS];
    int             n;
} arguments;

/* A struct of small numbers: all of its bytes are 1. */
static tess_bind struct_argument(tess_struct_def *def, const tess__tree *tree, int32_t type)
{
    static _Alignas(16) unsigned char bytes[TESS__STRUCT_ROOM];
    memset(bytes, 1, sizeof bytes);
    def->size = tree->structs[type - TESS__STRUCT_TYPE].size;
    return (tess_bind){ .kind = TESS_BIND_STRUCT, .as.structure = { bytes, def } };
}

static void add_argument(arguments *a, const tess__tree *tree, int k, tess_shape shape, bool turned, bool reduces)
{
    const tess__param *param = &tree->params[k];
    const bool         output =
        param->role == TESS__PARAM_OUT || param->role == TESS__PARAM_INOUT || param->role == TESS__PARAM_SCATTER;
    const tess_kind kind = tess_dtype_kind(param->type);
    if (param->role == TESS__PARAM_ACC) return;
    for (int o = 0; o < OPERATORS; o++) {
        tess_array *array = &a->arrays[k][o];
        tess_bind  *bind = &a->binds[o][a->n];
        if (tess__is_struct(param->type)) {
            *bind = struct_argument(&a->defs[k], tree, param->type);
            continue;
        }
        if (param->role == TESS__PARAM_VAL) {
            *bind = (tess_bind){ .kind = TESS_BIND_I64, .as.i = 2 };
            if (kind >= TESS_KIND_FLOAT) *bind = (tess_bind){ .kind = TESS_BIND_F64, .as.f = 1.25 };
            continue;
        }
        *bind = (tess_bind){ .kind = TESS_BIND_ARRAY, .as.array = array };
        if (reduces && output) continue;
        if (o == 1 && !output) {
            OK(tess_retain(&a->arrays[k][0]));
            *array = a->arrays[k][0];
        } else {
            *array = make(shape, param->type, turned);
        }
        if (o == 1 && param->role == TESS__PARAM_INOUT) OK(tess_copy(array, &a->arrays[k][0]));
        if (o == 0 && param->role != TESS__PARAM_OUT && param->role != TESS__PARAM_SCATTER) fill(array);
    }
    a->n++;
}

/* Element by element; any NaN is as good as any other. */
static bool is_same(const tess_array *x, const tess_array *y)
{
    tess_array cx = { 0 }, cy = { 0 };
    bool       same = tess_same_shape(x, y) && x->dtype == y->dtype;
    if (!same) return false;
    OK(tess_copy(&cx, x));
    OK(tess_copy(&cy, y));
    const tess_dtype real = tess_dtype_real(x->dtype);
    const size_t     size = tess_dtype_size(real),
                 n = (size_t)((x->shape.b * x->shape.d * x->shape.h * x->shape.w) * tess_dtype_reals(x->dtype));
    const char *p = cx.data, *q = cy.data;
    for (size_t i = 0; i < n && same; i++, p += size, q += size) {
        same = memcmp(p, q, size) == 0;
        if (real == TESS_F16) same |= (p[1] & 0x7c) == 0x7c && (q[1] & 0x7c) == 0x7c;
        if (real == TESS_F32) same |= *(const float *)p != *(const float *)p && *(const float *)q != *(const float *)q;
        if (real == TESS_F64)
            same |= *(const double *)p != *(const double *)p && *(const double *)q != *(const double *)q;
    }
    tess_release(&cx);
    tess_release(&cy);
    return same;
}

static int compare(const tess_op *const *ops, const tess__tree *tree, tess_shape shape, bool turned)
{
    static arguments a;
    bool             reduces = false;
    int              bad = 0;
    memset(&a, 0, sizeof a);
    for (int k = 0; k < tree->n_params; k++) reduces |= tree->params[k].role == TESS__PARAM_ACC;
    for (int k = 0; k < tree->n_params; k++) add_argument(&a, tree, k, shape, turned, reduces);
    tess_status status[OPERATORS];
    for (int o = 0; o < OPERATORS; o++) status[o] = tess_run(ops[o], a.binds[o], a.n, NULL);
    if (status[0] != status[1] || (status[0] != TESS_OK && status[0] != TESS_ERANGE)) stop("it does not run");
    for (int k = 0; k < tree->n_params; k++) {
        if (a.arrays[k][0].data && status[0] == TESS_OK && !is_same(&a.arrays[k][0], &a.arrays[k][1])) {
            printf("parameter %d differs, %lld columns%s\n", k, (long long)shape.w, turned ? ", turned" : "");
            bad++;
        }
        for (int o = 0; o < OPERATORS; o++) tess_release(&a.arrays[k][o]);
    }
    return bad;
}

/* The canonical text up to the body, with the word index if it is needed: structs, which come first, and the operator. */
static const char *signature_of(const tess__tree *plain, const tess__tree *tree)
{
    static char signature[1 << 16];
    char       *canonical = NULL;
    OK(tess__tree_text(&canonical, plain));
    const char *from = strstr(canonical, "op ");
    for (const char *next = from; next; next = strstr(next + 1, "\nop ")) from = *next == '\n' ? next + 1 : next;
    const char *end = strchr(from, '{'), *functions = canonical;
    while (strncmp(functions, "struct ", 7) == 0) functions = strchr(functions, '\n') + 1;
    (void)snprintf(signature, sizeof signature, "%.*s%s%.*s", (int)(functions - canonical), canonical,
                   tree->indexed ? "index " : "", (int)(end - from), from);
    tess__free(canonical);
    return signature;
}

static tess_tile_fn find(void *library, const char *name)
{
    tess_tile_fn function;
    void        *symbol = dlsym(library, name);
    memcpy(&function, &symbol, sizeof function);
    return function;
}

int main(int argc, char **argv)
{
    FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    void *library = argc == 3 ? dlopen(argv[2], RTLD_NOW) : NULL;
    if (!file || !library) return 2;
    const size_t n = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    tess__tree *plain = NULL, *tree = NULL;
    tess_op    *ops[OPERATORS] = { NULL };
    int         bad = 0;
    OK(tess__parse(&plain, text, n, &tess__parse_defaults));
    OK(tess__tree_check(&tree, plain, NULL, NULL));
    const tess_op_loop_opts opts = { .join = find(library, "printed_join"), .post = find(library, "printed_post") };
    OK(tess_op_parse(&ops[0], text, n, NULL));
    OK(tess_op_loop(&ops[1], signature_of(plain, tree), find(library, "printed_body"), &opts));
    static const int64_t columns[] = { 1, 5, 255, 256, 257, 700 };
    for (int i = 0; i < 6; i++)
        for (int turned = 0; turned < 2; turned++)
            bad += compare((const tess_op *const *)ops, tree, TESS_SHAPE(2, 1, 3, columns[i]), turned);
    for (int o = 0; o < OPERATORS; o++) tess_op_release(ops[o]);
    tess__tree_free(plain);
    tess__tree_free(tree);
    (void)dlclose(library);
    return bad != 0;
}
