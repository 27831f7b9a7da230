/* Texts of operators: what they are parsed to, types, limits, canonical text, positions of mistakes. The messages of
 * mistakes are in tests/lang/errors. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "backend.h"
#include "core/device/memory.h"
#include "lang/front/parse.h"
#include "support/hooks.h"
#include "support/print_c.h"
#include "support/test.h"

static tess_status parse(tess__tree **tree, const char *text)
{
    return tess__parse(tree, text, strlen(text), &tess__parse_defaults);
}

/* A tree with types, of a text that is right. */
static tess__tree *typed_as(const char *text, tess_dtype t, tess_dtype u, tess_dtype v)
{
    const tess_dtype letters[TESS__LETTERS] = { t, u, v };
    tess__tree      *plain = NULL, *tree = NULL;
    if (CHECK_OK(parse(&plain, text))) CHECK_OK(tess__tree_check(&tree, plain, letters, NULL));
    tess__tree_free(plain);
    return tree;
}

static tess__tree *typed(const char *text) { return typed_as(text, TESS_F32, TESS_F32, TESS_F32); }

static tess_status check_text(const char *text, const tess_op_parse_opts *limits)
{
    tess__tree *plain = NULL, *tree = NULL;
    tess_status status = tess__parse(&plain, text, strlen(text), limits);
    if (status == TESS_OK) status = tess__tree_check(&tree, plain, NULL, limits);
    tess__tree_free(plain);
    tess__tree_free(tree);
    return status;
}

/* ---- Trees ---- */

/* The value that the first assignment of the body gives. */
static const tess__node *first_value(const tess__tree *tree)
{
    return &tree->nodes[tree->nodes[tree->nodes[tree->body].first].first];
}

/* Its type, and in which its operands are computed, of an expression of variables of all types. */
static void check_type(const char *expression, tess_dtype computed, tess_dtype type)
{
    char text[1024];
    (void)snprintf(
        text, sizeof text,
        "op f(in bool p, in i8 i8x, in i16 i16x, in i32 i, in i64 l, in u8 u8x, in u16 u16x, in u32 u,"
        " in u64 ul, in f16 hx, in f32 x, in f64 y, in c16 hz, in c32 z, in c64 zz, out c64 out) { out = %s; }",
        expression);
    tess__tree *tree = typed(text);
    if (!tree) return;
    const tess__node *value = first_value(tree);
    if (value->kind == TESS__CONVERT && value->type == TESS_C64) value = &tree->nodes[value->first];
    const bool good = value->type == type && (value->kind != TESS__OPERATOR || value->computed == computed);
    if (!CHECK(good))
        printf("    %s: %s in %s\n", expression, tess_dtype_name(value->type), tess_dtype_name(value->computed));
    tess__tree_free(tree);
}

TEST(types_are_those_of_c)
{
    check_type("i8x + i8x", TESS_I32, TESS_I32);
    check_type("p + p", TESS_I32, TESS_I32);
    check_type("i + l", TESS_I64, TESS_I64);
    check_type("i + u", TESS_U32, TESS_U32);
    check_type("l + u", TESS_I64, TESS_I64);
    check_type("l + ul", TESS_U64, TESS_U64);
    check_type("u16x * u16x", TESS_I32, TESS_I32);
    check_type("i + x", TESS_F32, TESS_F32);
    check_type("l + x", TESS_F32, TESS_F32);
    check_type("x + y", TESS_F64, TESS_F64);
    check_type("hx * hx", TESS_F32, TESS_F32);
    check_type("hx + y", TESS_F64, TESS_F64);
    check_type("hz + hx", TESS_C32, TESS_C32);
    check_type("z + y", TESS_C64, TESS_C64);
    check_type("z * i", TESS_C32, TESS_C32);
    check_type("u << l", TESS_U32, TESS_U32);
    check_type("i8x << ul", TESS_I32, TESS_I32);
    check_type("-p", TESS_I32, TESS_I32);
    check_type("~u8x", TESS_I32, TESS_I32);
    check_type("!x", TESS_BOOL, TESS_BOOL);
    check_type("x && i", TESS_BOOL, TESS_BOOL);
}

TEST(literals_take_the_type_they_meet)
{
    check_type("x * 2", TESS_F32, TESS_F32);
    check_type("x * 2.0f", TESS_F32, TESS_F32);
    check_type("y * 2.0", TESS_F64, TESS_F64);
    check_type("y * 2.0f", TESS_F64, TESS_F64);
    check_type("i * 2.0", TESS_F64, TESS_F64);
    check_type("x * pi", TESS_F32, TESS_F32);
    check_type("x * (2*pi)", TESS_F32, TESS_F32);
    check_type("z * pi", TESS_C32, TESS_C32);
    check_type("u + 1", TESS_U32, TESS_U32);
    check_type("ul + 1", TESS_U64, TESS_U64);
    check_type("i + 3000000000", TESS_I64, TESS_I64);
    check_type("i + 1u", TESS_U32, TESS_U32);
    check_type("i + 1l", TESS_I64, TESS_I64);
    check_type("u > 3", TESS_U32, TESS_BOOL);
    check_type("u8x != 0", TESS_U8, TESS_BOOL);
    check_type("u8x < 300", TESS_I32, TESS_BOOL);
    check_type("u8x < u8x", TESS_U8, TESS_BOOL);
    check_type("u8x < i8x", TESS_I32, TESS_BOOL);
    check_type("p == true", TESS_BOOL, TESS_BOOL);
    check_type("p == 2", TESS_I32, TESS_BOOL);
}

TEST(functions_have_the_types_of_the_operators)
{
    check_type("sqrt(x)", TESS_F32, TESS_F32);
    check_type("sqrt(hx)", TESS_F32, TESS_F32);
    check_type("sqrt(i)", TESS_F64, TESS_F64);
    check_type("sqrt(z)", TESS_C32, TESS_C32);
    check_type("abs(z)", TESS_C32, TESS_F32);
    check_type("real(zz)", TESS_C64, TESS_F64);
    check_type("abs(i8x)", TESS_I32, TESS_I32);
    check_type("min(i, l)", TESS_I64, TESS_I64);
    check_type("max(x, 0)", TESS_F32, TESS_F32);
    check_type("clamp(x, 0, 1)", TESS_F32, TESS_F32);
    check_type("isnan(x)", TESS_F32, TESS_BOOL);
    check_type("complex(x, 0)", TESS_F32, TESS_C32);
    check_type("cis(y)", TESS_F64, TESS_C64);
    check_type("pow(i, 2)", TESS_I32, TESS_I32);
    check_type("tessm_pow(i, 2)", TESS_F64, TESS_F64); /* as tessera/math.h */
    check_type("floor(i)", TESS_I32, TESS_I32);
    check_type("tessm_floor(i)", TESS_F64, TESS_F64);
    check_type("tessm_floor(x)", TESS_F32, TESS_F32);
    check_type("atan2(i, x)", TESS_F32, TESS_F32);
    check_type("fmod(i, 3)", TESS_I32, TESS_I32);
    check_type("shift_left(i, 3)", TESS_I32, TESS_I32);
    check_type("p | p", TESS_BOOL, TESS_BOOL);
    check_type("p | i", TESS_I32, TESS_I32);
}

TEST(values_of_parameters_are_constants)
{
    tess__tree *tree = typed("op f(val f32 a = 1.0/3, val i32 b1 = -(2 << 3) % 5, val f64 c = 2*pi, val u8 e = 0xff,"
                             " val bool g = 3 > 2, val f32 k = inf, val c32 z = -2, val i64 l = -9223372036854775807,"
                             " out f32 o) { o = a; }");
    if (!tree) return;
    CHECK(tree->params[0].given && (float)tree->params[0].value.f[0] == 1.0f / 3.0f);
    CHECK_I64(tree->params[1].value.i, -(2 << 3) % 5);
    CHECK(tree->params[2].value.f[0] == 6.283185307179586);
    CHECK_I64((int64_t)tree->params[3].value.u, 255);
    CHECK_I64((int64_t)tree->params[4].value.u, 1);
    CHECK(isinf(tree->params[5].value.f[0]));
    CHECK(tree->params[6].value.f[0] == -2 && tree->params[6].value.f[1] == 0);
    CHECK_I64(tree->params[7].value.i, -INT64_MAX);
    tess__tree_free(tree);
}

/* Numbers are read as in C, whatever the locale, also where their digits do not fit a float. */
TEST(numbers_are_read_exactly)
{
    static const struct {
        const char *text;
        double      value;
    } rows[] = { { "0.1", 0.1 },
                 { "1e-3", 1e-3 },
                 { "3.141592653589793238462643383", 3.141592653589793238462643383 },
                 { "1.7976931348623157e308", 1.7976931348623157e308 },
                 { "4.9e-324", 4.9e-324 },
                 { "0x1.8p3", 12 },
                 { "0.1f", (double)0.1f },
                 { "16777217.0f", (double)16777217.0f },
                 { "1.00000017881393432617187499f", (double)1.00000017881393432617187499f },
                 { "1e-3f", (double)1e-3f },
                 { "0x1p-3f", 0.125 },
                 { ".5", 0.5 },
                 { "5.", 5 } };
    const bool comma = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256];
        (void)snprintf(text, sizeof text, "op f(val f64 a = %s, out f64 o) { o = a; }", rows[i].text);
        tess__tree *tree = typed(text);
        if (tree && !CHECK(tree->params[0].value.f[0] == rows[i].value)) printf("    %s\n", rows[i].text);
        tess__tree_free(tree);
    }
    if (comma) (void)setlocale(LC_ALL, "C");
}

TEST(what_is_used_is_known)
{
    tess__tree *tree = typed("op f(in f32 x, out f32 y) { y = x * 2; }");
    if (tree) CHECK(!tree->indexed && tree->uses == 0 && tree->cost > 0);
    tess__tree_free(tree);
    tree = typed("op f(in f32 x, out f32 y) { y = cos(x) + w; }");
    if (tree) CHECK(tree->indexed && tree->uses == (TESS__USES_INDEX | TESS__HAS_SLOW_PATH));
    tess__tree_free(tree);
    tree = typed("op f(in f32 x, out f32 y) { y = x / size(3); }");
    if (tree) CHECK(tree->indexed && tree->uses == TESS__USES_SIZE);
    tess__tree_free(tree);
    tree = typed("op f(in f32 w, out f32 y) { y = w; }"); /* a parameter hides an index */
    if (tree) CHECK(!tree->indexed && tree->uses == 0);
    tess__tree_free(tree);
    tess__tree *cheap = typed("op f(in f32 x, out f32 y) { y = x; }");
    tess__tree *loop = typed("op f(in f32 x, out f32 y) { y = x; for (i32 i = 0; i < 100; ++i) { y = exp(y); } }");
    if (cheap && loop) CHECK(loop->cost > 100 * cheap->cost + 100);
    tess__tree_free(cheap);
    tess__tree_free(loop);
}

TEST(uniform_bounds_are_seen_through_variables_and_functions)
{
    CHECK_OK(
        check_text("op f(val i32 n, out f32 y) { i32 m = n + 1; y = 0; for (i32 i = -m; i <= m; ++i) { y += i; } }",
                   &tess__parse_defaults));
    CHECK_OK(check_text("fn f32 g(i32 n) { f32 s = 0; for (i32 i = 0; i < n; ++i) { s += i; } return s; }\n"
                        "fn i32 twice(i32 n) { return 2*n; }\n"
                        "op f(val i32 n, view f32 v, out f32 y) { y = g(twice(n)) + g((i32)shape(v, 3)) + g((i32)h); }",
                        &tess__parse_defaults));
    CHECK_FAILS(check_text("fn f32 g(i32 n) { f32 s = 0; for (i32 i = 0; i < n; ++i) { s += i; } return s; }\n"
                           "fn f32 k(i32 m) { return g(m + 1); }\n"
                           "op f(in i32 x, out f32 y) { y = k(x); }",
                           &tess__parse_defaults),
                TESS_EPARSE, "f:3:35:", "'m'");
}

TEST(letters_may_need_one_type)
{
    tess_op *op = NULL;
    CHECK_OK(tess_op_text(&op, "op f(in U x, acc sum i64 s, out T z) { s += (i64)x; }"));
    tess_op_release(op);
}

TEST(letters_are_bound)
{
    static const char text[] = "op f(in T x, val T a, in U m, out V y) { y = (V)(m != 0 ? a*x : x); }";
    for (tess_dtype t = TESS_BOOL; t <= TESS_F64; t++) {
        tess__tree *tree = typed_as(text, t, TESS_U8, TESS_F64);
        if (tree) CHECK(tree->params[0].type == t && tree->params[1].type == t && !tree->letters);
        tess__tree_free(tree);
    }
    tess__tree *plain = NULL, *tree = NULL;
    CHECK_OK(parse(&plain, text));
    CHECK(plain->letters);
    CHECK_OK(tess__tree_try(plain, &tess__parse_defaults));
    const tess_dtype compound[TESS__LETTERS] = { TESS_VEC2_F32, TESS_F32, TESS_F32 };
    CHECK_FAILS(tess__tree_check(&tree, plain, compound, NULL), TESS_EDTYPE, "f:", "T is bound to vec2_f32");
    CHECK(tree == NULL);
    tess__tree_free(plain);
    /* Right for integers only, which is found. */
    plain = NULL;
    CHECK_OK(parse(&plain, "op f(in T x, out T y) { y = x % 3; }"));
    CHECK_OK(tess__tree_try(plain, &tess__parse_defaults));
    CHECK_FAILS(tess__tree_check(&tree, plain, (tess_dtype[]){ TESS_F32, 0, 0 }, NULL), TESS_EPARSE, "integers");
    tess__tree_free(plain);
}

/* A text of which n parts stand in the middle. */
static char *repeated(const char *before, const char *part, int n, const char *after)
{
    char *text = malloc(strlen(before) + (size_t)n * strlen(part) + strlen(after) + 1), *at = text;
    if (!text) return NULL;
    at += sprintf(at, "%s", before);
    for (int i = 0; i < n; i++) at += sprintf(at, "%s", part);
    (void)sprintf(at, "%s", after);
    return text;
}

/* Processor time of the fastest of some tries of a text. */
static double time_of(const char *text, tess_status wanted)
{
    tess__tree *plain = NULL;
    double      best = 1e9;
    CHECK_OK(parse(&plain, text));
    for (int i = 0; i < 5 && plain; i++) {
        const clock_t start = clock();
        for (int k = 0; k < 10; k++) CHECK(tess__tree_try(plain, &tess__parse_defaults) == wanted);
        const double time = (double)(clock() - start);
        if (time < best) best = time;
    }
    tess__tree_free(plain);
    return best;
}

/* What is wrong for all types is not checked with every set of them. */
TEST(mistakes_that_no_letter_changes_are_found_soon)
{
    char *part = repeated("op f(in T x, in U m, out V y) { y = 0;", " y = (V)(x + 1) + (V)m;", 200, "");
    char *right = repeated(part, "", 0, " }"), *wrong = repeated(part, "", 0, " y = coz(y); }");
    CHECK(time_of(wrong, TESS_EPARSE) < 200 * time_of(right, TESS_OK) + 1000);
    free(part);
    free(right);
    free(wrong);
    /* A binding that is right is found, though many are not. */
    tess__tree *plain = NULL;
    CHECK_OK(parse(&plain, "op f(in T x, in U m, in V p, out T y) { y = x % 3; U t = m; V q = p; bool b = q & 1; "
                           "t = tessm_sin(t); }"));
    CHECK_OK(tess__tree_try(plain, &tess__parse_defaults));
    tess__tree_free(plain);
}

/* ---- Limits ---- */

/* The most that a text may have of something: it goes with n and not with n + 1. */
static void check_limit(const char *before, const char *part, const char *after, tess_op_parse_opts limits, int n,
                        const char *message)
{
    char *right = repeated(before, part, n, after), *wrong = repeated(before, part, n + 1, after);
    if (right && wrong) {
        CHECK_OK(check_text(right, &limits));
        CHECK_FAILS(check_text(wrong, &limits), TESS_EPARSE, message);
    }
    free(right);
    free(wrong);
}

TEST(limits_are_reached_and_not_passed)
{
    tess_op_parse_opts limits = tess__parse_defaults;
    static const char  head[] = "op f(in f32 x, out f32 y) { ";
    check_limit(head, " ", "y = x; }", limits, 65536 - (int)strlen(head) - 8,
                "f:1:65537: text has 65537 bytes; at most 65536");
    /* Two nodes for each assignment, one for the block. */
    limits.max_nodes = 201;
    check_limit(head, "y = x; ", "}", limits, 100, "201 nodes");
    limits = tess__parse_defaults;
    limits.max_nesting = 10;
    CHECK_OK(check_text("op f(in f32 x, out f32 y) { y = ((((((((( x ))))))))); }", &limits));
    CHECK_FAILS(check_text("op f(in f32 x, out f32 y) { y = (((((((((( x )))))))))); }", &limits), TESS_EPARSE,
                "10 levels deep");
    limits = tess__parse_defaults;
    limits.max_trips = 100;
    CHECK_OK(check_text(
        "op f(out f32 y) { y = 0; for (i32 i = 0; i < 10; ++i) { for (i32 j = 1; j <= 10; ++j) { y += 1; } } }",
        &limits));
    CHECK_FAILS(
        check_text(
            "op f(out f32 y) { y = 0; for (i32 i = 0; i < 10; ++i) { for (i32 j = 0; j <= 10; ++j) { y += 1; } } }",
            &limits),
        TESS_EPARSE, "110 times; at most 100");
    CHECK_FAILS(check_text("fn f32 g(f32 x) { f32 s = x; for (i32 i = 0; i < 11; ++i) { s += 1; } return s; }\n"
                           "op f(in f32 x, out f32 y) { y = 0; for (i32 i = 0; i < 10; ++i) { y += g(x); } }",
                           &limits),
                TESS_EPARSE, "110 times");
    CHECK_FAILS(check_text("op f(out f32 y) { y = 0; for (i32 i = 0; i < 2147483647; ++i) { y += 1; } }", &limits),
                TESS_EPARSE, "at most 100");
    CHECK_OK(check_text("op f(out f32 y) { y = 0; for (i32 i = -2147483648; i < -2147483646; ++i) { y += 1; } "
                        "for (i32 j = 2147483646; j <= 2147483647; ++j) { y += 1; } }",
                        &limits));
}

/* How deep parentheses go with a limit. */
static bool goes(int parentheses, int64_t max_nesting)
{
    tess_op_parse_opts limits = tess__parse_defaults;
    limits.max_nesting = max_nesting;
    char *open = repeated("op f(in f32 x, out f32 y) { y = ", "(", parentheses, "x");
    char *text = open ? repeated(open, ")", parentheses, "; }") : NULL;
    bool  good = text && check_text(text, &limits) == TESS_OK;
    free(open);
    free(text);
    return good;
}

TEST(nesting_has_a_limit)
{
    CHECK(goes(63, 64));
    CHECK(!goes(64, 64));
    CHECK(!goes(100000 / 4, 64));
    CHECK(!goes(30000, INT64_MAX)); /* the stack is not the limit */
    char *signs = repeated("op f(in f32 x, out f32 y) { y = ", "- ", 30000, "x; }");
    CHECK_FAILS(check_text(signs, &tess__parse_defaults), TESS_EPARSE, "nested");
    free(signs);
    char *sums = repeated("op f(in f32 x, out f32 y) { y = x", "+x", 512, "; }");
    CHECK_OK(check_text(sums, &tess__parse_defaults));
    free(sums);
    sums = repeated("op f(in f32 x, out f32 y) { y = x", "+x", 513, "; }");
    CHECK_FAILS(check_text(sums, &tess__parse_defaults), TESS_EPARSE, "512 nested operators");
    free(sums);
    char *chain = repeated("op f(in f32 x, out f32 y) { if (x > 0) { y = 1; }", " else if (x > 1) { y = 2; }", 2000,
                           " else { y = 0; } }");
    CHECK_FAILS(check_text(chain, &tess__parse_defaults), TESS_EPARSE, "nested");
    free(chain);
}

/* g0 and on, each of which calls the one before inside so many signs, and an operator that calls the last. */
static tess_status check_chain(int n, int signs)
{
    static char text[1 << 16], minus[256];
    memset(minus, '~', (size_t)signs);
    minus[signs] = '\0';
    char *at = text + sprintf(text, "fn i32 g0(i32 x) { return x; }\n");
    for (int i = 1; i < n; i++) at += sprintf(at, "fn i32 g%d(i32 x) { return %sg%d(x); }\n", i, minus, i - 1);
    (void)sprintf(at, "op f(in i32 x, out i32 y) { y = g%d(x); }", n - 1);
    return check_text(text, &tess__parse_defaults);
}

TEST(calls_go_only_so_deep)
{
    CHECK_OK(check_chain(16, 0));
    CHECK_FAILS(check_chain(17, 0), TESS_EPARSE, "f:18:33: ", "17 deep", "'g16'", "at most 16");
    CHECK_FAILS(check_chain(18, 0), TESS_EPARSE, "f:18:28: ", "17 deep", "'g16'");
    CHECK_OK(check_chain(9, 60));
    CHECK_FAILS(check_chain(10, 60), TESS_EPARSE, "nested operators", "'g8'", "at most 512");
}

/* ---- Places ---- */

TEST(mistakes_have_a_position)
{
    int line = 0, column = 0, length = 0;
    CHECK_FAILS(check_text("op f(in f32 x, out f32 y) {\n\ty = /* 漢字 */ sqrtt(x);\n}", &tess__parse_defaults),
                TESS_EPARSE, "f:2:24: unknown function 'sqrtt'; did you mean 'sqrt'?");
    CHECK(tess_error_position(&line, &column, &length));
    CHECK_I64(line, 2);
    CHECK_I64(column, 24);
    CHECK_I64(length, 5);
    CHECK(strstr(tess_error_trace(), "\n    y = /* 漢字 */ sqrtt(x);\n                   ^~~~~\n") != NULL);
    CHECK(tess_error_position(NULL, NULL, NULL));
    CHECK(strpbrk(tess_error_message(), "\n") == NULL);
}

TEST(a_name_may_be_given)
{
    tess_op_parse_opts limits = tess__parse_defaults;
    limits.name = "filters.conf";
    CHECK_FAILS(check_text("op f(in f32 x, out f32 y) { y = z; }", &limits), TESS_EPARSE,
                "filters.conf:1:33: unknown name 'z'");
}

/* ---- Other ways in ---- */

TEST(signatures)
{
    bool        index = true;
    tess__tree *tree = NULL;
    CHECK_OK(tess__parse_signature(&tree, "op f(in f32 x, val f32 a, out f32 z)", &index));
    CHECK(tree && !index && tree->n_params == 3 && tree->body == 0);
    tess__tree_free(tree);
    CHECK_OK(tess__parse_signature(&tree, "index op f(in T x, acc sum f64 s, out T z)", &index));
    CHECK(tree && index && tree->letters);
    tess__tree_free(tree);
    tree = NULL;
    CHECK_FAILS(tess__parse_signature(&tree, "op f(in f32 x, out f32 z) { z = x; }", &index), TESS_EPARSE,
                "f:1:27:", "'{'");
    CHECK_FAILS(tess__parse_signature(&tree, "", &index), TESS_EPARSE, "text:1:1: expected 'op'");
    CHECK(tree == NULL);
}

TEST(definitions_in_pieces)
{
    const char *const uses[] = { "fn f32 half(f32 x) { return x / 2; }",
                                 "fn f32 quarter(f32 x) { return half(half(x)); }",
                                 "fn f32 half(f32 x) { return x / 2; }", NULL };
    tess_op_def       def = { .name = "mix",
                              .params = "(in(f32,x), val(f32,a), out(f32,z), use(half), use(quarter))",
                              .body = "if (x > 0) z = quarter(x) + a; else { z = half(x); }",
                              .file = "demo.c",
                              .uses = uses,
                              .line = 7 };
    tess__tree       *plain = NULL, *tree = NULL;
    char             *text = NULL;
    CHECK_OK(tess__parse_def(&plain, &def));
    CHECK_OK(tess__tree_check(&tree, plain, NULL, NULL));
    CHECK_OK(tess__tree_text(&text, plain));
    CHECK(plain->n_functions == 2 && plain->n_params == 3);
    CHECK_OK(check_text(text, &tess__parse_defaults));
    tess__free(text);
    tess__tree_free(plain);
    tess__tree_free(tree);
    plain = NULL;
    def.body = "z = v[b,d,h,w];";
    CHECK_FAILS(tess__parse_def(&plain, &def), TESS_EPARSE, "demo.c:7: mix:1:6:", "tess_at");
    CHECK(plain == NULL);
}

/* Each allocation that fails is TESS_ENOMEM, and nothing is lost. */
TEST(no_memory)
{
    static hooks h;
    char        *many = repeated("op f(in f32 x, out f32 y) { y = x; ", "y = y*x + 1; ", 200, "}");
    const char  *texts[] = { "fn f32 g(f32 x) { return x; }\nop f(in f32 x, out f32 y) { f32 t = g(x) + 1; y = t; }",
                             many };
    hooks_on(&h);
    for (int k = 0; k < 2; k++) {
        bool done = false;
        for (long at = 1; at < 60 && !done; at++) {
            tess__tree *plain = NULL, *tree = NULL;
            char       *printed = NULL, *c = NULL;
            atomic_store(&h.calls, 0);
            atomic_store(&h.fail_at, at);
            tess_status status = parse(&plain, texts[k]);
            if (status == TESS_OK) status = tess__tree_check(&tree, plain, NULL, NULL);
            if (status == TESS_OK) status = tess__tree_text(&printed, plain);
            if (status == TESS_OK) status = print_c(&c, tree, "f");
            CHECK(status == TESS_OK || status == TESS_ENOMEM);
            done = status == TESS_OK;
            tess__free(c);
            tess__free(printed);
            tess__tree_free(tree);
            tess__tree_free(plain);
            CHECK_I64(h.live, 0);
        }
        CHECK(done);
    }
    atomic_store(&h.fail_at, 0);
    hooks_off();
    free(many);
}
