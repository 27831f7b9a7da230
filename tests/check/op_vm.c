/* Programs against trees walked element by element: the same bits for every layout, length, tile and instruction set, and
 * nothing written elsewhere.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "core/dtype.h"
#include "core/device/memory.h"
#include "cpu/op/vm.h"
#include "lang/codegen/bytecode.h"
#include "lang/front/parse.h"
#include "support/isas.h"
#include "support/test.h"
#include "support/walk.h"

enum { GUARD = 64, MOST = 4096, ROWS = 4, PARAMS = TESS__MAX_PARAMS };

/* ---- Trees and programs ---- */

typedef struct made {
    tess__tree    *plain, *tree;
    tess__program *body;
} made;

static bool make(made *m, const char *text, tess_dtype letter)
{
    const tess_dtype   letters[3] = { letter, letter, letter };
    tess_op_parse_opts limits = tess__parse_defaults;
    limits.max_nodes = 1 << 14;
    *m = (made){ 0 };
    return CHECK_OK(tess__parse(&m->plain, text, strlen(text), &limits)) &&
           CHECK_OK(tess__tree_check(&m->tree, m->plain, letters, &limits)) &&
           CHECK_OK(tess__program_make(&m->body, m->tree, TESS__PART_BODY, &limits));
}

static void unmake(made *m)
{
    tess__program_free(m->body);
    tess__tree_free(m->tree);
    tess__tree_free(m->plain);
}

/* ---- Numbers ---- */

static double any_number(void)
{
    static const double special[] = { 0, -0.0, 1, -1, 0.5, 1e-40, -1e300, 1e10, 255, 256, -129, 3e9, 2147483648.0 };
    const int64_t       k = test_random_in(0, 40);
    if (k < 13) return special[k];
    if (k == 13) return (double)NAN;
    if (k == 14) return (double)INFINITY;
    if (k == 15) return -(double)INFINITY;
    return (double)test_random_in(-4000, 4000) / 256;
}

static void set_number(char *at, tess_dtype type)
{
    const int64_t i = test_random_in(0, 3) ? test_random_in(-9, 9) : (int64_t)test_random();
    const double  x[2] = { any_number(), any_number() };
    const float   f[2] = { (float)x[0], (float)x[1] };
    switch (type) {
    case TESS_BOOL: *at = (char)(i & 1); break;
    case TESS_F16:
    case TESS_C16:
        memcpy(at, (tess_f16[2]){ tess_f64_to_f16(x[0]), tess_f64_to_f16(x[1]) }, tess_dtype_size(type));
        break;
    case TESS_F32:
    case TESS_C32: memcpy(at, f, tess_dtype_size(type)); break;
    case TESS_F64:
    case TESS_C64: memcpy(at, x, tess_dtype_size(type)); break;
    default: memcpy(at, &i, tess_dtype_size(type)); break;
    }
}

/* Some at random, again and again: making numbers for all of a large block would take longer than the test. The period
 * is prime, so that no two rows are the same. */
static void set_numbers(char *at, int64_t bytes, tess_dtype type)
{
    enum { PERIOD = 1021 };
    const int64_t size = tess__dtype_size(type), period = PERIOD * size;
    for (int64_t i = 0; i < bytes && i < period; i += size) set_number(at + i, type);
    for (int64_t i = period; i < bytes; i += period)
        memcpy(at + i, at, (size_t)(bytes - i < period ? bytes - i : period));
}

/* All NaNs as one: which one an operation of two gives depends on the compiler. */
static void same_nans(char *at, int64_t bytes, tess_dtype type)
{
    const tess_dtype real = tess_dtype_real(type);
    for (int64_t k = 0; k + (int64_t)tess_dtype_size(real) <= bytes; k += (int64_t)tess_dtype_size(real)) {
        tess_f16 h;
        float    f;
        double   d;
        if (real == TESS_F16) {
            memcpy(&h, at + k, sizeof h);
            if (isnan(tess_f16_to_f32(h))) memcpy(at + k, &(uint16_t){ 0x7e00 }, 2);
        }
        if (real == TESS_F32) {
            memcpy(&f, at + k, sizeof f);
            if (isnan(f)) memcpy(at + k, &(float){ NAN }, sizeof f);
        }
        if (real == TESS_F64) {
            memcpy(&d, at + k, sizeof d);
            if (isnan(d)) memcpy(at + k, &(double){ (double)NAN }, sizeof d);
        }
    }
}

/* ---- Arguments ---- */

enum { CONTIGUOUS, STEPPED, REVERSED, BROADCAST, NUMBER_OF_ALL, LAYOUTS };

typedef struct argument {
    char   *memory[2]; /* for the program, and for the walk */
    int64_t bytes;
    bool    shared; /* an output that is an input */
} argument;

typedef struct world {
    argument       arg[PARAMS];
    void          *ptr[2][PARAMS], *acc[2][PARAMS], *other[2][PARAMS];
    int64_t        stride[PARAMS][4], shape[PARAMS][4];
    unsigned char *lanes[2][PARAMS], *others[2][PARAMS];
    _Alignas(16) unsigned char val[16 * PARAMS];
    tess_fault fault[2];
    tess_tile  tile[2];
} world;

static void lay_out(world *w, int k, int kind, const int64_t *size, int64_t *first)
{
    const int64_t step = kind == STEPPED ? 3 : kind == REVERSED ? -1 : kind == CONTIGUOUS ? 1 : 0;
    const int64_t pitch = size[3] * 3 + 5;
    *first = GUARD + (step < 0 ? size[3] - 1 : 0);
    w->stride[k][3] = step;
    for (int d = 2; d >= 0; d--)
        w->stride[k][d] = kind == NUMBER_OF_ALL ? 0 : d == 2 ? pitch : w->stride[k][d + 1] * size[d + 1];
}

static void set_argument(world *w, const tess__tree *tree, int k, const int64_t *size, int in_place)
{
    const tess__param *p = &tree->params[k];
    argument          *a = &w->arg[k];
    const int64_t      bytes = (int64_t)tess_dtype_size(p->type);
    const bool         view = p->role == TESS__PARAM_VIEW || p->role == TESS__PARAM_SCATTER;
    int64_t            first = GUARD, dims[4];
    memcpy(dims, size, sizeof dims);
    if (view) {
        dims[2] = 5;
        dims[3] = size[3] < 3 ? 3 : size[3] - 1;
    }
    const int kind = (int)test_random_in(0, p->role == TESS__PARAM_IN || view ? LAYOUTS - 1 : REVERSED);
    lay_out(w, k, p->role == TESS__PARAM_SCATTER && kind > REVERSED ? CONTIGUOUS : kind, dims, &first);
    memcpy(w->shape[k], dims, sizeof dims);
    a->bytes = (2 * GUARD + (dims[0] * dims[1] * dims[2] + 1) * (dims[3] * 3 + 5)) * bytes;
    for (int j = 0; j < tree->n_params && p->role == TESS__PARAM_OUT && in_place; j++)
        if (tree->params[j].role == TESS__PARAM_IN && tree->params[j].type == p->type && w->stride[j][3] &&
            !w->arg[j].shared) {
            memcpy(w->stride[k], w->stride[j], sizeof w->stride[k]);
            w->ptr[0][k] = w->ptr[0][j], w->ptr[1][k] = w->ptr[1][j];
            w->arg[j].shared = true;
            return;
        }
    for (int c = 0; c < 2; c++) a->memory[c] = tess__alloc((size_t)a->bytes);
    set_numbers(a->memory[0], a->bytes, p->type);
    memcpy(a->memory[1], a->memory[0], (size_t)a->bytes);
    for (int c = 0; c < 2; c++) w->ptr[c][k] = a->memory[c] + first * bytes;
}

static bool holds_nan(const char *at, tess_dtype type)
{
    tess_f16 h;
    float    f;
    double   d;
    switch (type) {
    case TESS_F16: memcpy(&h, at, sizeof h); return isnan(tess_f16_to_f32(h)) != 0;
    case TESS_F32: memcpy(&f, at, sizeof f); return isnan(f) != 0;
    case TESS_F64: memcpy(&d, at, sizeof d); return isnan(d) != 0;
    default: return false;
    }
}

/* Lanes of the least and the largest begin with an infinity, and are never NaN. */
static void set_lane(char *at, tess_dtype type, int monoid)
{
    do set_number(at, type);
    while ((monoid == TESS__MONOID_MIN || monoid == TESS__MONOID_MAX) && holds_nan(at, type));
}

static void set_lanes(world *w, const tess__tree *tree, int k)
{
    const tess__param *p = &tree->params[k];
    const bool         sum = p->monoid == TESS__MONOID_SUM || p->monoid == TESS__MONOID_PROD;
    const tess_dtype   type = tess_lane_dtype(p->type, sum);
    const size_t       size = tess_dtype_size(type);
    argument          *a = &w->arg[k];
    a->bytes = (int64_t)(MOST + 2 * GUARD) * (int64_t)size;
    for (int c = 0; c < 2; c++) {
        a->memory[c] = tess__alloc((size_t)a->bytes);
        w->others[c][k] = tess__alloc((size_t)a->bytes);
    }
    for (int64_t i = 0; i < a->bytes; i += (int64_t)size) {
        set_lane(a->memory[0] + i, type, p->monoid);
        set_lane((char *)w->others[0][k] + i, type, p->monoid);
    }
    memcpy(a->memory[1], a->memory[0], (size_t)a->bytes);
    memcpy(w->others[1][k], w->others[0][k], (size_t)a->bytes);
    for (int c = 0; c < 2; c++) {
        w->acc[c][k] = a->memory[c] + GUARD * size;
        w->other[c][k] = w->others[c][k] + GUARD * size;
    }
}

static void set_world(world *w, const tess__tree *tree, const int64_t *origin, const int64_t *extent, bool in_place)
{
    int64_t size[4];
    bool    few = test_random_in(0, 3) != 0;
    *w = (world){ 0 };
    for (int d = 0; d < 4; d++) size[d] = origin[d] + extent[d];
    for (int k = 0; k < tree->n_params; k++)
        few &= tree->params[k].role != TESS__PARAM_ACC || tree->params[k].monoid != TESS__MONOID_NONE;
    for (int k = 0; k < tree->n_params; k++) {
        const tess__param *p = &tree->params[k];
        if (p->role == TESS__PARAM_VAL) set_number((char *)w->val + 16 * k, p->type);
        else if (p->role == TESS__PARAM_ACC) set_lanes(w, tree, k);
        else set_argument(w, tree, k, size, in_place);
    }
    for (int c = 0; c < 2; c++) {
        tess_tile *t = &w->tile[c];
        *t = (tess_tile){ .ptr = w->ptr[c],
                          .stride = (const int64_t(*)[4])w->stride,
                          .shape = (const int64_t(*)[4])w->shape,
                          .val = w->val,
                          .acc = w->acc[c],
                          .other = w->other[c],
                          .fault = &w->fault[c],
                          .count = 77,
                          .lanes = few ? TESS_ROW_LANES : TESS_LANES };
        memcpy(t->origin, origin, sizeof t->origin);
        memcpy(t->extent, extent, sizeof t->extent);
        memcpy(t->size, size, sizeof t->size);
    }
}

static bool same_world(world *w, const tess__tree *tree)
{
    bool same = w->fault[0].set == w->fault[1].set;
    for (int k = 0; k < tree->n_params; k++) {
        const tess__param *p = &tree->params[k];
        argument          *a = &w->arg[k];
        if (!a->memory[0] || memcmp(a->memory[0], a->memory[1], (size_t)a->bytes) == 0) continue;
        const bool       sum = p->monoid == TESS__MONOID_SUM || p->monoid == TESS__MONOID_PROD;
        const tess_dtype type = p->role == TESS__PARAM_ACC ? tess_lane_dtype(p->type, sum) : (tess_dtype)p->type;
        for (int c = 0; c < 2; c++) same_nans(a->memory[c], a->bytes, type);
        same &= memcmp(a->memory[0], a->memory[1], (size_t)a->bytes) == 0;
    }
    return same;
}

static void free_world(world *w)
{
    for (int k = 0; k < PARAMS; k++)
        for (int c = 0; c < 2; c++) {
            tess__free(w->arg[k].memory[c]);
            tess__free(w->others[c][k]);
        }
}

/* ---- One text ---- */

/* The program of a body for inputs that are the same along the rows, if there are any. */
static tess__program *still_program(const tess__tree *tree, int32_t block, const world *w)
{
    tess__program *program = NULL;
    uint32_t       still = 0;
    for (int k = 0; k < tree->n_params && block == tree->body; k++)
        if (tree->params[k].role == TESS__PARAM_IN && w->stride[k][3] == 0) still |= 1u << k;
    if (still && tess__program_make_still(&program, tree, still, &tess__parse_defaults) != TESS_OK)
        program = NULL; /* too many values are the same along a row: the general one is right as well */
    return program;
}

static bool run_both(const tess__program *general, const tess__tree *tree, int32_t block, world *w)
{
    tess__program       *still = test_random_in(0, 3) ? still_program(tree, block, w) : NULL;
    const tess__program *program = still ? still : general;
    const size_t         size = tess__vm_workspace(program);
    char                *workspace = tess__alloc(size + 64);
    memset(workspace, 0xa5, size + 64);
    tess__vm_run(program, &w->tile[0], workspace);
    walk_tile(tree, block, &w->tile[1]);
    bool kept = true;
    for (int k = 0; k < 64; k++) kept &= (unsigned char)workspace[size + (size_t)k] == 0xa5;
    tess__free(workspace);
    tess__program_free(still);
    return kept && same_world(w, tree);
}

static bool check_width(const made *m, const char *text, tess_dtype letter, int64_t width, const char *isa)
{
    const int64_t none[4] = { 0 }, part[4] = { 1, 0, 1, 3 };
    const bool    inside = test_random_in(0, 2) == 0;
    const int64_t extent[4] = { 1, 2, 2, width };
    const bool    in_place = test_random_in(0, 1) != 0;
    world         w;
    set_world(&w, m->tree, inside ? part : none, extent, in_place);
    const bool same = run_both(m->body, m->tree, m->tree->body, &w);
    if (!same)
        (void)test_failed(__FILE__, __LINE__, "%s: T %s, width %d, %s%s%s", text, tess_dtype_name(letter), (int)width,
                          isa, inside ? ", a part" : "", in_place ? ", in place" : "");
    free_world(&w);
    return same;
}

static void check_text(const char *text, tess_dtype letter)
{
    static const int64_t widths[] = { 1, 2, 7, 255, 256, 257, 600, 1023, 1024, 1025, 2100 };
    made                 m;
    if (!test_wants_case(text)) return;
    if (make(&m, text, letter))
        for (const tess__isa *isa = tess__isas; isa->name; isa++) {
            if (!isa->supported() || !isa_has_turn(isa)) continue;
            CHECK_OK(tess_cpu_limit_set(isa->name));
            for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
                if (widths[k] > 7 && !test_takes_case()) continue;
                if (!check_width(&m, text, letter, widths[k], isa->name)) break;
            }
        }
    CHECK_OK(tess_cpu_limit_set(NULL));
    unmake(&m);
}

static void check_all(const char *const *texts, size_t n, tess_dtype letter)
{
    for (size_t k = 0; k < n; k++) check_text(texts[k], letter);
}
#define CHECK_TEXTS(letter, ...)                                                                                       \
    do {                                                                                                               \
        static const char *const texts[] = { __VA_ARGS__ };                                                            \
        check_all(texts, sizeof texts / sizeof *texts, letter);                                                        \
    } while (0)

/* ---- Tests ---- */

TEST(element_wise)
{
    CHECK_TEXTS(TESS_F32, "op e1(in f32 a, in f32 b, out f32 c) { c = a*2 + cos(b); }",
                "op e2(in f32 x, in f32 y, out f32 z) { z = sqrt(x*x + y*y); }",
                "op copy(in f32 x, out f32 y) { y = x; }", "op same(inout f32 x) { x = x*x - 1; }",
                "op number(out f32 x, val f32 a) { x = a; }",
                "op two(in f32 x, in f32 y, out f32 p, out f32 q) { p = x + y; q = x - y; }",
                "op turn(in f32 x, in f32 y, out f32 p, out f32 q) { p = y; q = x; }",
                "op both(inout f32 x, inout f32 y) { f32 t = x; x = y; y = t; }",
                "op late(in f32 x, in f32 y, out f32 p, out f32 q) { p = x*2; q = p*y + x; }",
                "op wide(in f32 x, in f64 y, in i32 k, out f64 z) { z = x*y + k; }",
                "op mix(in u8 x, in i16 y, out i8 z, out u16 t) { z = (i8)(x + y); t = (u16)(x*y); }",
                "op half(in f16 x, in f16 y, out f16 z) { z = (f16)(x*y + x); }",
                "op choose(in f32 x, in f32 y, out f32 z, out bool m) { m = x < y; z = x < y ? x*2 : y/3; }",
                "op cmp(in f64 x, in f64 y, out bool m) { m = !(x <= y) || x == 1; }",
                "op far(in f32 x, val f32 a, out f32 y) { y = a*a + a; y = y*x + (a + 1)*x*x; }");
}

TEST(all_types)
{
    for (tess_dtype t = TESS_BOOL; t <= TESS_C64; t++) {
        check_text("op move(in T x, out T y) { y = x; }", t);
        check_text("op pick(in T x, in T y, in bool m, out T z) { z = m ? x : y; }", t);
        check_text("op if_(in T x, in T y, in bool m, out T z) { z = x; if (m) { z = y; } }", t);
        if (t == TESS_BOOL) continue;
        check_text("op sums(in T x, in T y, val T a, out T z) { z = (T)(x*y + a - x); }", t);
        check_text(
            "op under(in T x, in T y, in bool m, out T z) { z = x; if (m) { z = (T)(x/y); } else { z = (T)-x; } }", t);
        check_text("op total(in T x, acc sum T s, out T o) { s += x; }", t);
        check_text("op bins(in T x, in u8 k, scatter T o) { o[0,0,0,k] += x; }", t);
        if (t <= TESS_F64) {
            check_text("op low(in T x, in bool m, acc min T s, acc max T g, out T o, out T p)"
                       "{ if (m) { s = min(s, x); } g = max(g, x); }",
                       t);
            check_text("op to(in T x, out f32 a, out i32 b, out u8 c, out f64 d) { a = (f32)x; b = (i32)x; c = (u8)x;"
                       "d = (f64)x; }",
                       t);
        }
    }
}

TEST(complex_numbers)
{
    CHECK_TEXTS(TESS_C32, "op mul(in c32 x, in c32 y, out c32 z) { z = x*y + conj(x); }",
                "op parts(in c64 x, out f64 a, out f64 b) { a = real(x); b = imag(x)*abs2(x); }",
                "op make(in f32 x, in f32 y, out c32 z) { z = complex(x, y); }",
                "op small(in c16 x, in c16 y, out c16 z) { z = (c16)(x + y); }",
                "op wider(in c32 x, in f32 y, out c64 z) { z = (c64)x*(c64)y; }",
                "op root(in c32 x, in bool m, out c32 z) { z = x; if (m) { z = sqrt(x); } }",
                "op total(in c32 x, acc sum c32 s, acc prod c64 p, out c32 o, out c64 q) { s += x; p *= (c64)x; }");
}

TEST(conditions)
{
    CHECK_TEXTS(
        TESS_F32,
        "op nest(in f32 x, in f32 y, out f32 z) { z = 0; if (x > 0) { z = 1; if (y > 0) { z = x; } else { z = y; } }"
        "else if (x < -1) { z = x*y; } }",
        "op sums(in f32 x, in u8 m, acc sum f64 s, acc max f32 g, out f64 o, out f32 p)"
        "{ if (m != 0) { s += x; g = max(g, x); } }",
        "op any_(in f32 x, acc any bool a, acc all bool b, out bool o, out bool p) { a = a || x > 2; b = b && x > -9; "
        "}",
        "op uni(in f32 x, val i32 k, out f32 z) { z = x; if (k > 0) { z = x*2; } }",
        "op deep(in i32 x, out i32 z) { z = x; if (x > 0) { if (x > 2) { if (x > 4) { z = z + 1; } z = z + 2; }"
        "z = z*3; } }");
}

TEST(loops)
{
    CHECK_TEXTS(
        TESS_F32, "op sum(in f32 x, out f32 z) { f32 s = 0; for (i32 i = 0; i < 5; ++i) { s += x*i; } z = s; }",
        "op two(in f32 x, out f32 z) { f32 s = 1; for (i32 i = 0; i <= 4; i += 2) { for (i32 j = i; j < 4; ++j)"
        "{ s = s*x + j; } s = s - i; } z = s; }",
        "op swap(in i32 x, in i32 y, out i32 z) { i32 a = x; i32 b = y; for (i32 i = 0; i < 7; ++i) { i32 t = a;"
        "a = b; b = t + i; } z = a*3 + b; }",
        "op skip(in i32 x, out i32 z) { i32 s = 0; for (i32 i = 0; i < 9; ++i) { if (x + i > 4) { continue; }"
        "s += i; if (s > 10) { s = s - x; continue; } s += 100; } z = s; }",
        "op inner(in i32 x, out i32 z) { i32 s = x; for (i32 i = 0; i < 3; ++i) { if (s > 5) { continue; }"
        "for (i32 j = 0; j < 4; ++j) { if (j == 2) { continue; } if (s > 20) { s = s - 1; continue; } s += j; }"
        "s += 1; } z = s; }",
        "op none(in f32 x, val i32 n, out f32 z) { z = x; for (i32 i = 0; i < 0; ++i) { z = z*2; } }",
        "op count(in f32 x, out f32 z) { i32 n = 0; for (i32 i = 0; i < 6; ++i) { n = n + i*2; } z = x + n; }",
        "op kept(in f32 x, out f32 z, out f32 t) { f32 a = x; f32 b = 0; for (i32 i = 0; i < 3; ++i) { b = a; a = a + "
        "1;"
        "} z = a; t = b; }",
        "op under(in f32 x, in bool m, out f32 z) { z = x; if (m) { for (i32 i = 0; i < 3; ++i) { z = z*2 + i; } } }",
        "op acc_(in f32 x, acc sum f64 s, out f64 o) { for (i32 i = 0; i < 3; ++i) { if (x > i) { s += x*i; } } }",
        "op hoist(in f32 x, in f32 y, out f32 z) { f32 s = 0; for (i32 i = 0; i < 4; ++i) { f32 q = x*y; if (q > 1)"
        "{ s += q*i; } } z = s; for (i32 k = 0; k < 2; ++k) { f32 q = x - y; z += q; } }");
}

/* Kernels that widen, for one value or the product of two; what is widened has other uses, or none, or is one number. */
TEST(lanes_of_doubles_take_floats)
{
    CHECK_TEXTS(
        TESS_F32, "op plain(in f32 x, acc sum f64 s, acc prod f64 p, out f64 o, out f64 q) { s += x; p *= x; }",
        "op square(in f32 x, in f32 y, acc sum f64 s, out f64 o) { f32 t = x*y + 1; s += t*t; }",
        "op pairs(in f32 x, in f32 y, acc sum f64 s, acc sum f64 t, out f64 o, out f64 q)"
        "{ f32 d = x - y; s += d*d; t += x*y; }",
        "op both(in f32 x, acc sum f64 s, acc sum f64 q, out f64 o, out f64 p) { f64 v = x; s += v; q += v*v; }",
        "op twice(in f32 x, acc sum f64 s, acc sum f64 q, out f64 o, out f64 p) { f64 v = x*x; s += v; q += v; }",
        "op one(in f32 x, val f32 a, acc sum f64 s, acc sum f64 q, out f64 o, out f64 p) { s += a*a; q += x*a; }",
        "op ends(in f32 x, acc min f64 s, acc max f64 q, out f64 o, out f64 p) { s = min(s, x); q = max(q, x); }",
        "op loop(in f32 x, acc sum f64 s, out f64 o) { f32 t = x; for (i32 i = 0; i < 3; ++i) { t = t*x + i; } s += t;"
        "for (i32 i = 0; i < 2; ++i) { t = t - x; } s += t; }",
        "op last(in f32 x, acc sum f64 s, acc sum f64 q, out f64 o, out f64 p) { f32 t = x; for (i32 i = 0; i < 3; ++i)"
        "{ t = t*x + i; } s += t; for (i32 i = 0; i < 2; ++i) { t = t - x; } q += t*t; }");
}

TEST(functions)
{
    CHECK_TEXTS(
        TESS_F32,
        "fn f32 lerp(f32 a, f32 b, f32 t) { return a + (b - a)*t; }"
        "op f(in f32 x, in f32 y, out f32 z) { z = lerp(lerp(x, y, 0.25f), lerp(y, x, y), x); }",
        "fn f32 power(f32 a, i32 n) { f32 p = 1; for (i32 i = 0; i < 3; ++i) { if (i < n) { p *= a; } } return p; }"
        "op g(in f32 x, in i32 k, out f32 z) { z = power(x, k) + power(x, 2); }",
        "fn i32 step(i32 a) { i32 r = a; if (a > 3) { r = a - 3; } return r; }"
        "op h(in i32 x, out i32 z) { z = x; for (i32 i = 0; i < 3; ++i) { z = step(z) + step(i); } }");
}

TEST(indices)
{
    CHECK_TEXTS(
        TESS_F32, "op i(out i64 z) { z = ((b*10 + d)*10 + h)*10000 + w; }",
        "op s(out i64 z, view f32 v) { z = size(3)*w + shape(v, 2)*h - shape(v,3); }",
        "op f(in f32 x, out f32 z, out f64 t, out i32 k) { z = x*w + h; t = w*0.5; k = (i32)w - (i32)d; }",
        "op r(out f32 z, val u64 seed) { z = rng_uniform(seed, (u64)(w + h*100)) + rng_uniform((u64)w, seed); }");
}

TEST(views)
{
    static const char *const borders[] = { "zero", "clamp", "mirror", "reflect", "periodic" };
    static const char *const bodies[] = {
        "f32 s = 0; for (i32 i = -2; i <= 2; ++i) { for (i32 j = -2; j < 3; ++j) { s += v[b,d,h + i,w + j]*i; } } z=s;",
        "z = v[b,d,h,w] - v[b,d,h,w - 1] + v[b,d,h - 1,1 + w] + v[0,0,2,w + 4000] + v[b,d,h,w - 5000];",
        "z = v[b,d,x,w] + v[b,d,h,x] + v[0,0,x,y] + v[x,y,h,w] + v[b,d,2*h,2*w];",
        "z = x; if (x > 2) { z = v[0,d,y,x]; }",
    };
    for (size_t k = 0; k < sizeof borders / sizeof *borders; k++)
        for (size_t j = 0; j < sizeof bodies / sizeof *bodies; j++) {
            char text[512];
            (void)snprintf(text, sizeof text, "op v(in i32 x, in i64 y, view %s f32 v, out f32 z) { %s }", borders[k],
                           bodies[j]);
            check_text(text, TESS_F32);
        }
    for (tess_dtype t = TESS_BOOL; t <= TESS_C64; t++)
        check_text("op v(in i32 x, view clamp T v, view T u, out T z, out T o) { z = v[0,0,x,w]; o = u[b,d,h,w + 1]; }",
                   t);
}

TEST(views_far_outside)
{
    CHECK_TEXTS(
        TESS_F32, "op l(view f32 v, out f32 z) { z = v[b,d,h,w - 9223372036854775807]; }",
        "op r(view f32 v, out f32 z) { z = v[b,d,h,w + 9223372036854775807]; }",
        "op c(view clamp f32 v, out f32 z) { z = v[b,d,h,w - 9223372036854775807 - 1] + v[b,d,h,w + "
        "9223372036854775800]; }",
        "op p(view periodic f32 v, out f32 z) { z = v[b,d,h,w + 9223372036854775800]; }",
        "op m(view mirror f32 v, out f32 z) { z = v[b,d,h - 9223372036854775807,w + 9223372036854775807]; }",
        "op e(view error f32 v, out f32 z) { z = v[b,d,h,w - 9223372036854775807]; }",
        "op x(in i64 k, view f32 v, out f32 z) { z = v[k*k*k,k,k*k,k - 9223372036854775807]; }",
        "op s(in i64 k, in i32 x, scatter i32 z) { z[0,0,k*9223372036854775807,k - 9223372036854775807] += x; }");
}

TEST(interpolation)
{
    for (tess_dtype t = TESS_F32; t <= TESS_C64; t++) {
        if (t == TESS_C16) continue;
        check_text(
            "op i(in f32 x, in f32 y, view clamp T v, view T u, out T z)"
            "{ z = interp_linear(v, b, d, y, x) + interp_cubic(u, b, d, y, w*0.75f) + interp_nearest(v, 0, 0, y, x); }",
            t);
        check_text("op j(in f64 x, in f64 y, in i32 k, view mirror T v, view reflect T u, out T z)"
                   "{ z = interp_linear(v, b, k, y, x) + interp3_linear(u, b, x, y, x) + interp3_cubic(v, b, x, y, x)"
                   "+ interp3_nearest(v, k, y, y, x); }",
                   t);
        check_text("op k(in f32 x, view T v, view periodic T u, out T z, out T o)"
                   "{ z = interp_cosine(v, b, d, h*0.5f, x) + interp_lanczos8(u, b, d, w*0.9f - 2, h + 0.25f);"
                   "o = interp_lanczos4(v, b, d, w*0.4f, 1.5f) - interp_bspline(v, 0, 0, w*0.1f - 1, w*1.1f - 2); }",
                   t);
        check_text("op l(in f64 x, in bool m, view clamp T v, view T u, out T z)"
                   "{ z = 1; if (m) { z = interp3_lanczos6(v, b, w*0.3, x, h*0.7) + interp3_cosine(u, b, d, h, w); }"
                   "z = z - interp3_bspline(u, b, w*0.5 - 1, 0.25, w*0.9 - 3); }",
                   t);
        check_text(
            "op n(in f32 x, view value T v = 3, view nothing T u, out T z, out T o)"
            "{ z = interp_linear(v, b, d, h*0.5f, x) + v[b,d,h-1,w+2] + interp_lanczos6(v, b, d, w*0.4f - 9, x);"
            "o = interp_cubic(u, b, d, w*0.4f - 2, x) + interp3_linear_dx(u, b, x, x, w*1.1f - 2) + u[b,-1,h,w]; }",
            t);
        check_text(
            "op m(in f32 x, in bool m, view clamp T v, view T u, out T z, out T o)"
            "{ z = interp_linear_dx(v, b, d, h*0.5f, x); if (m) { z = interp3_cubic_dz(u, b, w*0.3f, x, h*0.7f); }"
            "o = interp_lanczos6_dy(u, b, d, w*0.4f, x) - interp3_cosine_dx(v, b, d, w*0.1f - 1, w*1.1f - 2); }",
            t);
        check_text(
            "op s(in f32 x, view spectrum_h T v, view spectrum_hc T u, out T z, out T o)"
            "{ z = interp_linear(v, b, d, h - 3, x) + v[b,d,h-1,w-2] + interp_lanczos6(v, b, d, w*0.4f - 9, x);"
            "o = interp_cubic(u, b, d, w*0.4f - 2, x) + interp3_linear_dx(u, b, x, x, w*0.3f - 2) + u[b,-1,h,-w]; "
            "}",
            t);
        check_text(
            "op t(in f64 x, in i64 k, view spectrum_f T v, view spectrum_fc T u, out T z, out T o)"
            "{ z = interp_linear(v, b, d, x, w*0.25 - 2) + v[b,k,-h,w-2] + interp3_nearest(u, b, x, x, w*0.5 - 3);"
            "o = interp_bspline(u, b, d, w*0.4 - 2, x) + interp3_cosine(v, b, x, x, x) + u[b,d,k,3-w]; }",
            t);
    }
}

TEST(spectra_at_far_frequencies)
{
    CHECK_TEXTS(TESS_F32,
                "op f(in i64 k, view spectrum_f c32 v, view spectrum_hc c64 u, out c32 z, out c64 q)"
                "{ z = v[b,d,h,w - 9223372036854775807 - 1] + v[b,k*9223372036854775807,h,w];"
                "q = u[b,-9223372036854775807 - 1,h - 9223372036854775807 - 1,-w]"
                "+ interp_linear(u, b, 9223372036854775807, 1e30, -1e30); }",
                "op g(view spectrum_h u8 v, view spectrum_fc c16 u, out i32 z, out c16 q) { z = v[b,d,h-2,-w];"
                "q = u[b,d,h-2,-w]; }");
}

TEST(scatters)
{
    CHECK_TEXTS(
        TESS_F32, "op h(in f32 x, scatter i32 o) { i32 k = (i32)clamp(x, -5.0f, 400.0f); o[0,1,2,k] += 1; }",
        "op m(in i32 x, in bool m, scatter i64 o) { if (m) { o[b,d,h,x] += x; } else { o[0,d,x,w] += 1; } }",
        "op l(in i32 x, scatter i32 o) { for (i32 i = 0; i < 3; ++i) { if (x == i) { continue; } o[0,0,i,w] += x; } }");
}

TEST(faults_of_views)
{
    CHECK_TEXTS(TESS_F32, "op f(in i32 x, view error f32 v, out f32 z) { z = v[0,0,x,0]; }",
                "op g(in i32 x, view error f32 v, out f32 z) { z = 1; if (x >= 0 && x < 3) { z = v[0,0,x,0]; } }",
                "op r(view error f32 v, out f32 z) { z = 1; if (w > 0) { z = v[b,d,h,w - 1]; } }",
                "op s(view error f32 v, out f32 z) { z = v[b,d,h,w]; }",
                "op q(view error f32 v, out f32 z) { z = w > 0 ? v[b,d,h,w - 1] : 0; }",
                "op c(view error f32 v, out f32 z) { z = w == 0 ? 1 : h == 0 || d > 0 ? 2 : v[b,d,h,w - 1]; }",
                "op a(view error f32 v, out f32 z) { z = w > 0 && v[b,d,h,w - 1] > 0 ? 1 : 0; }",
                "op o(view error f32 v, out f32 z) { z = w < 1 || h < 0 || v[b,d,h,w - 1] > 0 ? 1 : 0; }",
                "op i(in bool m, view error f32 v, out f32 z) { z = 0; if (m) { z = w > 1 ? interp_linear(v, b, d, "
                "(f32)h, (f32)w - 1) : 3; } }",
                "op k(view error f32 v, out f32 z) { z = interp_lanczos6(v, b, d, h*0.3f + 2, w*0.2f + 1); }",
                "op l(in i32 x, view error f32 v, out f32 z) { z = 0; for (i32 i = 0; i < 4; ++i) { if (x + i != 2) { "
                "continue; }"
                "z += v[0,0,i + 1,x]; } }");
}

/* ---- Join and post ---- */

static void check_part(const char *text, int part)
{
    made           m;
    tess__program *program = NULL;
    if (!make(&m, text, TESS_F32)) return;
    const int32_t block = part == TESS__PART_JOIN ? m.tree->join : m.tree->post;
    if (CHECK_OK(tess__program_make(&program, m.tree, part, &tess__parse_defaults)))
        for (int64_t width = 1; width < MOST; width = width * 3 + 1) {
            world         w;
            const int64_t none[4] = { 0 }, extent[4] = { 1, 1, 1, width };
            set_world(&w, m.tree, none, extent, false);
            for (int k = 0; k < m.tree->n_params; k++) { /* lanes of post are of the accumulators' own types */
                same_nans(w.arg[k].memory[0], w.arg[k].bytes, m.tree->params[k].type);
                if (w.arg[k].memory[1]) memcpy(w.arg[k].memory[1], w.arg[k].memory[0], (size_t)w.arg[k].bytes);
            }
            if (!run_both(program, m.tree, block, &w))
                (void)test_failed(__FILE__, __LINE__, "%s: part %d, width %d", text, part, (int)width);
            free_world(&w);
        }
    tess__program_free(program);
    unmake(&m);
}

TEST(join_and_post)
{
    static const char *const last =
        "op last(in f32 x, in bool m, acc f32 s = 0, acc i32 n = 0, acc f64 t = 0, out f32 o) {"
        "if (m) { s = s*0.5f + x; n = n + 1; t = x; } }"
        "join { if (n_other > n) { s = s_other; t = (f64)s; } else { t = t_other; } n = n + n_other; }"
        "post { o = n > 0 ? s/n + (f32)t : 0; }";
    check_text(last, TESS_F32);
    check_part(last, TESS__PART_JOIN);
    check_part(last, TESS__PART_POST);
    check_part("op mean(in f32 x, acc sum f64 s, acc sum f64 q, val f32 a, out f32 m, out f32 sd) { f64 v = x; s += v;"
               "q += v*v; } post { f64 c = s/count; m = (f32)c*a; sd = (f32)sqrt(max(q/count - c*c, (f64)0)); }",
               TESS__PART_POST);
}

/* ---- Texts made at random ---- */

typedef struct writer {
    char   text[16384];
    size_t n;
    int    floats, ints; /* variables x0, x1 … and k0, k1 … that can be named here */
    int    loops, depth;
} writer;

TESS_PRINTF(2, 3) static void put(writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(w->text + w->n, sizeof w->text - w->n, format, args);
    va_end(args);
    if (n > 0 && w->n + (size_t)n < sizeof w->text) w->n += (size_t)n;
}

static int below(int n) { return (int)test_random_in(0, n - 1); }

static void put_expression(writer *w, bool real, int depth)
{
    static const char *const sums[] = { "+", "-", "*", "/" };
    static const char *const compares[] = { "<", "<=", "==", "!=", ">" };
    const int                way = depth <= 0 ? below(3) : below(10);
    if (way == 0) put(w, real ? "%d.5f" : "%d", below(9));
    else if (way == 1 && w->loops) put(w, real ? "(f32)i%d" : "i%d", below(w->loops));
    else if (way <= 2) put(w, "%s%d", real ? "x" : "k", below(real ? w->floats : w->ints));
    else if (way == 3 && real) {
        put(w, "v[b,d,h + ");
        put_expression(w, false, 0);
        put(w, ",w - ");
        put_expression(w, false, depth - 2);
        put(w, "]");
    } else if (way == 4) {
        put(w, "(");
        put_expression(w, real, depth - 1);
        put(w, " %s ", compares[below(5)]);
        put_expression(w, real, depth - 1);
        put(w, " ? ");
        put_expression(w, real, depth - 1);
        put(w, " : ");
        put_expression(w, real, depth - 1);
        put(w, ")");
    } else if (way == 5) {
        put(w, real ? "(f32)(" : "(i32)(");
        put_expression(w, !real, depth - 1);
        put(w, ")");
    } else if (way == 6) {
        put(w, real ? "f(" : "g(");
        put_expression(w, real, depth - 1);
        put(w, ", ");
        put_expression(w, real, depth - 1);
        put(w, ")");
    } else {
        put(w, "(");
        put_expression(w, real, depth - 1);
        put(w, " %s ", sums[below(4)]);
        put_expression(w, real, depth - 1);
        put(w, ")");
    }
}

static void put_block(writer *w, int statements, bool turns);

static void put_statement(writer *w, bool turns)
{
    const int way = w->depth >= 3 ? below(5) : w->loops ? below(6) + 3 * below(2) : below(9);
    if (way < 3) {
        const bool real = below(2);
        put(w, "%s%d = ", real ? "x" : "k", below(real ? w->floats : w->ints));
        put_expression(w, real, 3);
        put(w, "; ");
    } else if (way == 3) {
        const bool real = below(2);
        put(w, "%s %s%d = ", real ? "f32" : "i32", real ? "x" : "k", real ? w->floats : w->ints);
        put_expression(w, real, 3);
        put(w, "; ");
        if (real) w->floats++;
        else w->ints++;
    } else if (way == 4 && turns) {
        put(w, "if (k%d > ", below(w->ints));
        put_expression(w, false, 1);
        put(w, ") { k0 = k0 + 1; continue; } ");
    } else if (way <= 5) {
        put(w, "s += ");
        put_expression(w, true, 1);
        put(w, "; ");
    } else if (way == 6 && w->loops < 2) {
        put(w, "for (i32 i%d = %d; i%d < %d; ++i%d) { ", w->loops, below(3) - 1, w->loops, below(4), w->loops);
        w->loops++;
        put_block(w, 1 + below(3), true);
        w->loops--;
        put(w, "} ");
    } else {
        put(w, "if (k%d < ", below(w->ints));
        put_expression(w, false, 1);
        put(w, ") { ");
        put_block(w, 1 + below(3), turns);
        put(w, "} ");
        if (way == 8) {
            put(w, "else { ");
            put_block(w, 1 + below(2), turns);
            put(w, "} ");
        }
    }
}

static void put_block(writer *w, int statements, bool turns)
{
    const int floats = w->floats, ints = w->ints;
    w->depth++;
    for (int k = 0; k < statements; k++) put_statement(w, turns);
    w->depth--;
    w->floats = floats;
    w->ints = ints;
}

TEST(texts_made_at_random)
{
    for (int k = 0; k < 40; k++) {
        static writer w;
        w = (writer){ .floats = 3, .ints = 2 };
        put(&w, "fn f32 f(f32 p, f32 q) { f32 r = p; if (q > 1) { r = p - q; } return r; } ");
        put(&w,
            "fn i32 g(i32 p, i32 q) { i32 r = q; for (i32 t = 0; t < 2; ++t) { if (p == t) { continue; } r += p; } ");
        put(&w, "return r; } op random(in f32 p0, in f32 p1, in i32 q0, view mirror f32 v, out f32 o, out i32 u, ");
        put(&w, "inout f32 t) { f32 s = 1; f32 x0 = p0; f32 x1 = p1; f32 x2 = t; i32 k0 = q0; i32 k1 = 3; ");
        put_block(&w, 5, false);
        put(&w, "o = x0 + s; u = k0 + k1; t = x1*x2; }");
        made m;
        if (make(&m, w.text, TESS_F32))
            for (int width = 3; width < 300; width = width * 9 + 2)
                if (!check_width(&m, w.text, TESS_F32, width, "any")) break;
        unmake(&m);
    }
}

/* ---- Limits ---- */

TEST(registers_run_out)
{
    char   text[8192];
    size_t n = (size_t)snprintf(text, sizeof text, "op many(in f32 x, out f32 z) {");
    for (int k = 0; k < 40; k++) n += (size_t)snprintf(text + n, sizeof text - n, "f32 a%d = x*%d + 1;", k, k + 2);
    n += (size_t)snprintf(text + n, sizeof text - n, "z = x;");
    for (int k = 39; k >= 0; k--) n += (size_t)snprintf(text + n, sizeof text - n, "z = z*a%d + a%d;", k, 39 - k);
    (void)snprintf(text + n, sizeof text - n, "}");
    made               m;
    tess__program     *program = NULL;
    tess_op_parse_opts few = tess__parse_defaults;
    few.max_registers = 16;
    check_text(text, TESS_F32);
    if (make(&m, text, TESS_F32))
        CHECK_FAILS(tess__program_make(&program, m.tree, TESS__PART_BODY, &few), TESS_EPARSE,
                    "many:1:", "more than 16 values");
    unmake(&m);
}

/* The checker would not let such a tree through: it is one whose bound was replaced. */
TEST(bounds_that_differ)
{
    made           m;
    tess__program *program = NULL;
    if (make(&m, "op f(in i32 x, val i32 n, out i32 z) { z = x; for (i32 i = 0; i < n; ++i) { z += 2; } }", TESS_F32)) {
        tess__node *nodes = (tess__node *)(uintptr_t)m.tree->nodes;
        for (int32_t i = 1; i < m.tree->n_nodes; i++) /* n becomes x */
            if (nodes[i].kind == TESS__NAME && m.tree->variables[nodes[i].op].param == 1) nodes[i].op = 0;
        CHECK_FAILS(tess__program_make(&program, m.tree, TESS__PART_BODY, &tess__parse_defaults), TESS_EPARSE,
                    "f:1:67: bound of 'i' differs");
    }
    unmake(&m);
}

/* All variables of one type after another: registers of each size are needed, and none is alive with all others. */
static void check_sizes(const char *params, const char *first, const char *last, tess_dtype letter)
{
    static const char *const types[] = { "c64", "f64", "f32" };
    enum { ROOM = 1 << 16, N = 245 };
    char *text = malloc(ROOM);
    if (!CHECK(text)) return;
    size_t n = (size_t)snprintf(text, ROOM, "op sizes(%s) { %s", params, first);
    for (int t = 0; t < 3; t++) {
        for (int k = 0; k < N; k++)
            n += (size_t)snprintf(text + n, ROOM - n, "%s v%d_%d = (%s)(y + %d);", types[t], t, k, types[t], k);
        n += (size_t)snprintf(text + n, ROOM - n, "%s s%d = v%d_0;", types[t], t, t);
        for (int k = 1; k < N; k++) n += (size_t)snprintf(text + n, ROOM - n, "s%d = s%d + v%d_%d;", t, t, t, k);
        n += (size_t)snprintf(text + n, ROOM - n, t == 0 ? "y = (f32)real(s0);" : "y = (f32)s%d;", t);
    }
    (void)snprintf(text + n, ROOM - n, "%s }", last);
    check_text(text, letter);
    free(text);
}

TEST(registers_of_all_sizes)
{
    check_sizes("in f32 x, out f32 z", "f32 y = x;", "z = y;", TESS_F32);
    check_sizes("in f32 x, acc sum f32 s, out f32 z", "f32 y = x;", "s += y;", TESS_F32);
}

TEST(functions_that_grow_without_bound)
{
    char   text[8192];
    size_t n = (size_t)snprintf(text, sizeof text, "fn f32 n0(f32 x) { return x + 1; }");
    for (int k = 1; k < 40; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, "fn f32 n%d(f32 x) { return n%d(x)*n%d(x + 1); }", k, k - 1,
                              k - 1);
    (void)snprintf(text + n, sizeof text - n, "op grow(in f32 x, out f32 z) { z = n39(x); }");
    tess__tree    *plain = NULL, *tree = NULL;
    tess__program *program = NULL;
    if (CHECK_OK(tess__parse(&plain, text, strlen(text), &tess__parse_defaults)) &&
        tess__tree_check(&tree, plain, NULL, &tess__parse_defaults) == TESS_OK)
        CHECK_FAILS(tess__program_make(&program, tree, TESS__PART_BODY, &tess__parse_defaults), TESS_EPARSE, "grow");
    tess__tree_free(tree);
    tess__tree_free(plain);
}

/* ---- Lanes of rows ---- */

/* What many elements at once make of the lanes is what they make one by one, also where one stands for all. */
static bool check_lanes(tess__lanes_fn *fn, tess_dtype dtype, bool wide, int64_t stride, int64_t n)
{
    enum { MOST_N = 1200, LANES = TESS__ROW_LANES };
    const size_t      size = (size_t)tess__dtype_size(dtype), lane = wide ? sizeof(double) : size;
    _Alignas(64) char lanes[LANES * 8], one[LANES * 8], want[LANES * 8], x[MOST_N * 8];
    for (size_t i = 0; i < sizeof x; i++) x[i] = (char)test_random_in(0, dtype == TESS_BOOL ? 1 : 63);
    for (size_t i = 0; i < sizeof lanes; i++) lanes[i] = want[i] = (char)test_random_in(0, dtype == TESS_BOOL ? 1 : 63);
    for (int64_t i = 0; i < n; i++) {
        memcpy(one, want, sizeof one);
        memcpy(one, want + (size_t)(i % LANES) * lane, lane);
        fn(one, x + (size_t)(i * stride) * size, 1, 1);
        memcpy(want + (size_t)(i % LANES) * lane, one, lane);
    }
    fn(lanes, x, stride, n);
    return memcmp(lanes, want, LANES * lane) == 0;
}

TEST(lanes_of_rows)
{
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        if (!isa->supported()) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        for (int step = 0; step < TESS__STEPS; step++)
            for (tess_dtype dtype = TESS_BOOL; dtype <= TESS_F64; dtype++) {
                tess__lanes_fn *fn = tess__cpu_kernels()->ewise.lanes[step][dtype];
                const bool      wide = dtype == TESS_F32 && step <= TESS__STEP_mul;
                for (int k = 0; k < 40 && fn; k++) {
                    const int64_t n = test_random_in(1, 1200), stride = k % 2;
                    if (check_lanes(fn, dtype, wide, stride, n)) continue;
                    (void)test_failed(__FILE__, __LINE__, "%s: step %d of %d elements of %s, stride %d", isa->name,
                                      step, (int)n, tess_dtype_name(dtype), (int)stride);
                    break;
                }
            }
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
}
