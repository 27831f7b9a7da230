/* Random operators. Expressions are made for a wanted type, with casts where types meet. */
#include "support/generate.h"

#include <stdarg.h>
#include <stdlib.h>

enum { MAX_VARIABLES = 48, MAX_DEPTH = 4 };

typedef struct variable {
    char       name[8];
    tess_dtype type;
    bool       assigned; /* may be assigned */
} variable;

typedef struct maker {
    generated *g;
    size_t     used;
    variable   variables[MAX_VARIABLES];
    int        n_variables, n_named;
    int        loops;   /* around the statement */
    bool       in_body; /* indices and views are there */
    bool       accumulates;
    bool       counts; /* in post */
} maker;

static const tess_dtype all_types[] = { TESS_BOOL, TESS_I8,  TESS_I16, TESS_I32, TESS_I64, TESS_U8,  TESS_U16, TESS_U32,
                                        TESS_U64,  TESS_F16, TESS_F32, TESS_F64, TESS_C16, TESS_C32, TESS_C64 };

static bool chance(int percent) { return test_random_in(0, 99) < percent; }

static const char *one_of(const char *const *texts, int n) { return texts[test_random_in(0, n - 1)]; }
#define ONE_OF(...)                                                                                                    \
    one_of((const char *const[]){ __VA_ARGS__ }, (int)(sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)))

static void put(maker *m, const char *format, ...) TESS_PRINTF(2, 3);
static void put(maker *m, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(m->g->text + m->used, GENERATED_TEXT - m->used, format, args);
    va_end(args);
    m->used += (size_t)n;
    if (m->used >= GENERATED_TEXT) m->used = GENERATED_TEXT - 1;
}

static tess_dtype any_type(void)
{
    if (chance(50)) return chance(70) ? TESS_F32 : chance(50) ? TESS_I32 : TESS_F64;
    return all_types[test_random_in(0, (int64_t)(sizeof all_types / sizeof *all_types) - 1)];
}

static bool is_complex(tess_dtype t) { return tess_dtype_kind(t) == TESS_KIND_COMPLEX; }
static bool is_float(tess_dtype t) { return tess_dtype_kind(t) == TESS_KIND_FLOAT; }

/* The type that one is computed in. */
static tess_dtype computed(tess_dtype t)
{
    if (t == TESS_F16) return TESS_F32;
    if (t == TESS_C16) return TESS_C32;
    return t == TESS_BOOL || t == TESS_I8 || t == TESS_I16 || t == TESS_U8 || t == TESS_U16 ? TESS_I32 : t;
}

static tess_dtype any_real(void)
{
    tess_dtype t;
    do t = computed(any_type());
    while (is_complex(t));
    return t;
}

static tess_dtype any_whole(void)
{
    tess_dtype t;
    do t = any_real();
    while (is_float(t));
    return t;
}

/* ---- Expressions ---- */

static void expression(maker *m, tess_dtype t, int depth);

static void literal(maker *m, tess_dtype t)
{
    const int small = (int)test_random_in(0, 9);
    switch (t) {
    case TESS_BOOL: put(m, chance(50) ? "true" : "false"); return;
    case TESS_I32:
        if (chance(10)) put(m, "(-2147483647 - 1)");
        else if (chance(50)) put(m, "%d", small);
        else put(m, "(-%d)", (int)test_random_in(1, chance(20) ? 2147483647 : 300));
        return;
    case TESS_I64: put(m, chance(30) ? "0x7fffffffffffffffl" : "%dl", small); return;
    case TESS_U32: put(m, chance(30) ? "4294967295u" : "%du", small); return;
    case TESS_U64: put(m, chance(30) ? "18446744073709551615ul" : "%dul", small); return;
    case TESS_F32:
        put(m, "%s", ONE_OF("0.5f", "1.0f", "2.5f", "0.1f", "3e30f", "1e-40f", "(-7.25f)", "100.0f"));
        return;
    case TESS_F64: put(m, "%s", ONE_OF("0.5", "1.0", "2.5", "0.1", "3e300", "1e-310", "(-7.25)", "100.0")); return;
    case TESS_C32: put(m, "complex(%d.5f, %s)", small, ONE_OF("0.25f", "(-1.0f)", "0.0f")); return;
    case TESS_C64: put(m, "complex(%d.5, %s)", small, ONE_OF("0.25", "(-1.0)", "0.0")); return;
    default: put(m, "(%s)%d", tess_dtype_name(t), small);
    }
}

/* A variable as a value of type t, by a cast if need be. */
static void variable_as(maker *m, tess_dtype t)
{
    if (m->n_variables == 0) {
        literal(m, t);
        return;
    }
    const variable *v = &m->variables[test_random_in(0, m->n_variables - 1)];
    if (v->type == t && chance(80)) put(m, "%s", v->name);
    else if (!is_complex(v->type) && !is_complex(t)) put(m, "(%s)%s", tess_dtype_name(t), v->name);
    else if (is_complex(t)) put(m, "(%s)%s", tess_dtype_name(t), v->name);
    else put(m, "(%s)%s(%s)", tess_dtype_name(t), ONE_OF("real", "imag", "abs2"), v->name);
}

static void pair(maker *m, const char *before, tess_dtype t, const char *between, int depth)
{
    put(m, "%s", before);
    expression(m, t, depth - 1);
    put(m, "%s", between);
    expression(m, t, depth - 1);
    put(m, ")");
}

static void triple(maker *m, const char *function, tess_dtype t, int depth)
{
    put(m, "%s(", function);
    expression(m, t, depth - 1);
    put(m, ", ");
    pair(m, "", t, ", ", depth);
}

static void one(maker *m, const char *before, tess_dtype t, int depth)
{
    put(m, "%s", before);
    expression(m, t, depth - 1);
    put(m, ")");
}

static void truth(maker *m, int depth)
{
    const tess_dtype t = any_real();
    switch (test_random_in(0, 5)) {
    case 0: pair(m, "(", TESS_BOOL, ONE_OF(" && ", " || "), depth); return;
    case 1: one(m, "(!", TESS_BOOL, depth); return;
    case 2: one(m, ONE_OF("isnan(", "isinf(", "isfinite("), chance(50) ? TESS_F32 : TESS_F64, depth); return;
    default: pair(m, "(", t, ONE_OF(" < ", " <= ", " > ", " >= ", " == ", " != "), depth); return;
    }
}

static void whole(maker *m, tess_dtype t, int depth)
{
    switch (test_random_in(0, 6)) {
    case 0: one(m, ONE_OF("(-", "(~", "abs(", "square(", "sign("), t, depth); return;
    case 1: pair(m, ONE_OF("min(", "max("), t, ", ", depth); return;
    case 2: triple(m, "clamp", t, depth); return;
    case 3: pair(m, "(", t, ONE_OF(" << ", " >> "), depth); return;
    default: pair(m, "(", t, ONE_OF(" + ", " - ", " * ", " / ", " % ", " & ", " | ", " ^ "), depth); return;
    }
}

static void real_number(maker *m, tess_dtype t, int depth)
{
    switch (test_random_in(0, 9)) {
    case 0: one(m, "(-", t, depth); return;
    case 1:
        one(m,
            ONE_OF("sqrt(", "exp(", "sin(", "cos(", "log(", "tanh(", "atan(", "exp2(", "cbrt(", "erf(", "tan(",
                   "expm1(", "log1p(", "asin(", "sinh(", "sinc(", "rsqrt("),
            t, depth);
        return;
    case 2:
        one(m, ONE_OF("floor(", "ceil(", "trunc(", "round(", "rint(", "abs(", "sign(", "square("), t, depth);
        return;
    case 3: pair(m, ONE_OF("min(", "max(", "fmod(", "atan2(", "hypot(", "pow("), t, ", ", depth); return;
    case 4: triple(m, chance(50) ? "fma" : "clamp", t, depth); return;
    case 5:
        if (t == TESS_F32 && chance(30)) pair(m, "rng_uniform(", TESS_U64, ", ", depth);
        else one(m, ONE_OF("real(", "imag(", "abs2("), t == TESS_F32 ? TESS_C32 : TESS_C64, depth);
        return;
    default: pair(m, "(", t, ONE_OF(" + ", " - ", " * ", " / "), depth); return;
    }
}

static void complex_number(maker *m, tess_dtype t, int depth)
{
    const tess_dtype real = tess_dtype_real(t);
    switch (test_random_in(0, 4)) {
    case 0: one(m, ONE_OF("conj(", "(-", "exp(", "sqrt("), t, depth); return;
    case 1: pair(m, "complex(", real, ", ", depth); return;
    case 2: one(m, "cis(", real, depth); return;
    default: pair(m, "(", t, ONE_OF(" + ", " - ", " * ", " / "), depth); return;
    }
}

static const generated_param *any_view(const maker *m)
{
    const generated_param *views[GENERATED_PARAMS];
    int                    n = 0;
    for (int k = 0; k < m->g->n_params; k++)
        if (m->g->params[k].role == role_view) views[n++] = &m->g->params[k];
    return n ? views[test_random_in(0, n - 1)] : NULL;
}

static void index_near(maker *m, const char *name, int depth)
{
    if (chance(70)) put(m, "%s%+d", name, (int)test_random_in(-3, 3));
    else if (chance(30)) put(m, "%d", (int)test_random_in(-2, 4));
    else expression(m, chance(50) ? TESS_I32 : TESS_I64, depth - 1);
}

/* An element of a view, or one between its elements, as a value of type t. */
static void viewed(maker *m, const generated_param *v, tess_dtype t, int depth)
{
    const bool cast = v->type != t, to_real = cast && is_complex(v->type) && !is_complex(t);
    if (cast) put(m, "(%s)", tess_dtype_name(t));
    if (to_real) put(m, "real(");
    const tess_dtype real = tess_dtype_real(v->type);
    if (chance(30) && (real == TESS_F32 || real == TESS_F64)) {
        put(m, "%s(%s, b, ",
            ONE_OF("interp_nearest", "interp_linear", "interp_cubic", "interp_lanczos6", "interp_linear_dx",
                   "interp_bspline_dy"),
            v->name);
        put(m, "%s, ", chance(80) ? "d" : "0");
        put(m, "h*%s + ", real == TESS_F32 ? "0.75f" : "0.75");
        pair(m, "", real, ", ", depth);
    } else {
        put(m, "%s[", v->name);
        index_near(m, "b", depth), put(m, ", ");
        index_near(m, "d", depth), put(m, ", ");
        index_near(m, "h", depth), put(m, ", ");
        index_near(m, "w", depth), put(m, "]");
    }
    if (to_real) put(m, ")");
}

static void expression(maker *m, tess_dtype t, int depth)
{
    if (depth <= 0 || chance(15)) {
        if (chance(70)) variable_as(m, t);
        else literal(m, t);
        return;
    }
    const generated_param *view = m->in_body && chance(25) ? any_view(m) : NULL;
    if (view && (is_complex(t) || t != TESS_BOOL)) {
        viewed(m, view, t, depth);
    } else if (chance(12)) {
        const bool call = chance(50);
        put(m, call ? "select(" : "(");
        expression(m, TESS_BOOL, depth - 1);
        pair(m, call ? ", " : " ? ", t, call ? ", " : " : ", depth);
    } else if (t == TESS_BOOL) {
        truth(m, depth);
    } else if (computed(t) != t) {
        put(m, "(%s)(", tess_dtype_name(t));
        expression(m, computed(t), depth);
        put(m, ")");
    } else if (chance(12)) { /* from another type */
        const tess_dtype from = is_complex(t) ? any_type() : any_real();
        put(m, "(%s)(", tess_dtype_name(t));
        expression(m, from, depth - 1);
        put(m, ")");
    } else if (m->in_body && m->g->indexed && t == TESS_I64 && chance(40)) {
        put(m, "%s", ONE_OF("b", "d", "h", "w", "size(3)", "size(2)"));
    } else if (m->counts && t == TESS_I64 && chance(40)) {
        put(m, "count");
    } else if (is_complex(t)) {
        complex_number(m, t, depth);
    } else if (is_float(t)) {
        real_number(m, t, depth);
    } else {
        whole(m, t, depth);
    }
}

/* ---- Statements ---- */

static void add_variable(maker *m, const char *name, tess_dtype type, bool assigned)
{
    if (m->n_variables == MAX_VARIABLES) return;
    variable *v = &m->variables[m->n_variables++];
    (void)snprintf(v->name, sizeof v->name, "%s", name);
    v->type = type;
    v->assigned = assigned;
}

static void declare(maker *m)
{
    char             name[8];
    const tess_dtype t = any_type();
    (void)snprintf(name, sizeof name, "t%d", m->n_named++);
    put(m, "  %s %s = ", tess_dtype_name(t), name);
    expression(m, t, MAX_DEPTH);
    put(m, ";\n");
    add_variable(m, name, t, true);
}

static void assign(maker *m)
{
    for (int tries = 0; tries < 8; tries++) {
        const variable *v = m->n_variables ? &m->variables[test_random_in(0, m->n_variables - 1)] : NULL;
        if (!v || !v->assigned) continue;
        const tess_dtype t = v->type;
        if (computed(t) == t && chance(40)) put(m, "  %s %s ", v->name, ONE_OF("+=", "-=", "*="));
        else put(m, "  %s = ", v->name);
        expression(m, t, MAX_DEPTH);
        put(m, ";\n");
        return;
    }
}

static void statements(maker *m, int n, int depth);

static void block(maker *m, int depth)
{
    const int n_variables = m->n_variables;
    put(m, "{\n");
    statements(m, (int)test_random_in(1, 3), depth - 1);
    put(m, "  }");
    m->n_variables = n_variables;
}

static void condition(maker *m, int depth)
{
    put(m, "  if (");
    expression(m, TESS_BOOL, 3);
    put(m, ") ");
    block(m, depth);
    if (chance(50)) {
        put(m, " else ");
        block(m, depth);
    }
    put(m, "\n");
}

static void loop(maker *m, int depth)
{
    char name[8];
    if (m->loops >= 2) return;
    (void)snprintf(name, sizeof name, "k%d", m->n_named++);
    const int n_variables = m->n_variables;
    put(m, "  for (i32 %s = %d; %s %s %d; ", name, (int)test_random_in(-1, 1), name, ONE_OF("<", "<="),
        (int)test_random_in(0, 3));
    if (chance(60)) put(m, "++%s) {\n", name);
    else put(m, "%s += 2) {\n", name);
    add_variable(m, name, TESS_I32, false);
    m->loops++;
    statements(m, (int)test_random_in(1, 2), depth - 1);
    if (chance(30)) {
        put(m, "  if (");
        expression(m, TESS_BOOL, 2);
        put(m, ") { continue; }\n");
    }
    assign(m);
    m->loops--;
    put(m, "  }\n");
    m->n_variables = n_variables;
}

/* Accumulators: the letter of the name says which monoid; those without one are variables. */
static void accumulate(maker *m)
{
    for (int k = 0; k < m->g->n_params; k++) {
        const generated_param *p = &m->g->params[k];
        if (p->role != role_acc || !chance(70)) continue;
        const char monoid = p->name[0];
        if (monoid == 'j') continue;
        if (monoid == 's' || monoid == 'p') put(m, "  %s %s ", p->name, monoid == 's' ? "+=" : "*=");
        else if (monoid == 'x' || monoid == 'n')
            put(m, "  %s = %s(%s, ", p->name, monoid == 'x' ? "max" : "min", p->name);
        else put(m, "  %s %s ", p->name, monoid == 'o' ? "|=" : "&=");
        expression(m, p->type, 3);
        put(m, monoid == 'x' || monoid == 'n' ? ");\n" : ";\n");
    }
}

static void scatter(maker *m)
{
    for (int k = 0; k < m->g->n_params; k++) {
        const generated_param *p = &m->g->params[k];
        if (p->role != role_scatter) continue;
        put(m, "  %s[", p->name);
        index_near(m, "b", 2), put(m, ", ");
        index_near(m, "d", 2), put(m, ", ");
        index_near(m, "h", 2), put(m, ", ");
        index_near(m, "w", 2), put(m, "] += ");
        expression(m, p->type, 3);
        put(m, ";\n");
    }
}

static void statements(maker *m, int n, int depth)
{
    for (int i = 0; i < n; i++) {
        const int64_t which = test_random_in(0, 9);
        if (which < 3) declare(m);
        else if (which < 6) assign(m);
        else if (which < 8 && depth > 0) condition(m, depth);
        else if (which < 9 && depth > 0) loop(m, depth);
        if (m->in_body && chance(30)) scatter(m);
        if (m->accumulates && chance(40)) accumulate(m);
    }
}

/* ---- Parameters ---- */

static void add_param(generated *g, generated_role role, tess_dtype type, const char *letter)
{
    generated_param *p = &g->params[g->n_params];
    p->role = role;
    p->type = type;
    (void)snprintf(p->name, sizeof p->name, "%s%d", letter, g->n_params++);
}

static void choose_params(generated *g)
{
    const bool indexed = chance(40);
    g->reduces = chance(30);
    g->indexed = indexed;
    for (int64_t n = test_random_in(1, 3); n > 0; n--) add_param(g, role_in, any_type(), "a");
    for (int64_t n = test_random_in(0, 2); n > 0; n--) add_param(g, role_val, any_type(), "q");
    for (int64_t n = indexed ? test_random_in(0, 2) : 0; n > 0; n--) add_param(g, role_view, any_type(), "v");
    if (g->reduces) {
        const char *const letters[] = { "s", "p", "x", "n", "o", "y", "j" };
        for (int64_t n = test_random_in(1, 3); n > 0; n--) {
            const char *letter = letters[test_random_in(0, 6)];
            tess_dtype  t = letter[0] == 'o' || letter[0] == 'y' ? TESS_BOOL
                            : letter[0] == 'j'                   ? any_type()
                                                                 : any_real();
            add_param(g, role_acc, t, letter);
            g->joins = g->joins || letter[0] == 'j';
        }
        const int n_acc = g->n_params;
        g->posts = chance(50);
        if (g->posts) add_param(g, role_out, any_type(), "z");
        for (int k = 0; !g->posts && k < n_acc; k++)
            if (g->params[k].role == role_acc) add_param(g, role_out, g->params[k].type, "z");
        return;
    }
    if (chance(20)) add_param(g, role_inout, any_type(), "e");
    if (indexed && chance(30)) add_param(g, role_scatter, any_whole(), "c"); /* floats: the order is another */
    for (int64_t n = test_random_in(1, 2); n > 0; n--) add_param(g, role_out, any_type(), "z");
}

static const char *monoid_of(const generated_param *p)
{
    static const char *const names[][2] = { { "s", "sum " }, { "p", "prod " }, { "x", "max " },
                                            { "n", "min " }, { "o", "any " },  { "y", "all " } };
    for (int k = 0; k < 6; k++)
        if (p->name[0] == names[k][0][0]) return names[k][1];
    return "";
}

static const char *const role_names[] = { "in", "out", "inout", "val", "view", "scatter", "acc" };

/* A parameter, in the text and, with its type, in the signature. */
static void write_param(maker *m, int k, const char *const borders[])
{
    static const char *const letter_names[] = { "T", "U", "V" };
    generated               *g = m->g;
    const generated_param   *p = &g->params[k];
    const char              *type = tess_dtype_name(p->type), *word = type;
    for (int l = 0; l < 3 && (p->role == role_in || p->role == role_out); l++)
        if (g->letters[l] == p->type) word = letter_names[l];
    for (int l = 0; l < 3; l++) g->has_letters = g->has_letters || word == letter_names[l];
    const char *init = p->role == role_acc && p->name[0] == 'j' ? (p->type == TESS_BOOL ? " = false" : " = 1") : "";
    const char *more = p->role == role_acc ? monoid_of(p) : p->role == role_view ? borders[k] : "";
    put(m, "%s%s %s%s %s%s", k ? ", " : "", role_names[p->role], more, word, p->name, init);
    const size_t used = strlen(g->signature);
    (void)snprintf(g->signature + used, sizeof g->signature - used, "%s%s %s%s %s%s", k ? ", " : "",
                   role_names[p->role], more, type, p->name, init);
}

static void write_params(maker *m)
{
    generated  *g = m->g;
    const char *borders[GENERATED_PARAMS];
    for (int k = 0; k < g->n_params; k++)
        borders[k] = ONE_OF("", "zero ", "clamp ", "mirror ", "reflect ", "periodic ", "spectrum_f ", "spectrum_fc ",
                            "spectrum_h ", "spectrum_hc ");
    for (int k = 0; k < g->n_params; k++) write_param(m, k, borders);
}

/* Letters may stand for the types of inputs. */
static void choose_letters(generated *g)
{
    int n = 0;
    for (int k = 0; k < g->n_params && n < 3; k++) {
        const generated_param *p = &g->params[k];
        if (p->role != role_in || !chance(25)) continue;
        bool taken = false;
        for (int l = 0; l < n; l++) taken = taken || g->letters[l] == p->type;
        if (!taken) g->letters[n++] = p->type;
    }
}

/* ---- Parts ---- */

static void write_body(maker *m)
{
    const generated *g = m->g;
    m->in_body = g->indexed;
    m->accumulates = g->reduces;
    for (int k = 0; k < g->n_params; k++) {
        const generated_param *p = &g->params[k];
        if (p->role == role_in || p->role == role_val) add_variable(m, p->name, p->type, false);
        if (p->role == role_inout || (p->role == role_acc && p->name[0] == 'j'))
            add_variable(m, p->name, p->type, true);
    }
    statements(m, (int)test_random_in(1, 4), 2);
    if (g->reduces) accumulate(m);
    for (int k = 0; k < g->n_params && !g->reduces; k++) {
        const generated_param *p = &g->params[k];
        if (p->role != role_out) continue;
        put(m, "  %s = ", p->name);
        expression(m, p->type, MAX_DEPTH);
        put(m, ";\n");
        add_variable(m, p->name, p->type, true);
    }
    if (!g->reduces && chance(40)) statements(m, 1, 1);
    m->in_body = m->accumulates = false;
    m->n_variables = 0;
}

static void write_join(maker *m)
{
    put(m, " join {\n");
    for (int k = 0; k < m->g->n_params; k++) {
        const generated_param *p = &m->g->params[k];
        if (p->role != role_acc || p->name[0] != 'j') continue;
        put(m, "  %s = ", p->name);
        if (p->type == TESS_BOOL) put(m, "%s || %s_other;\n", p->name, p->name);
        else if (computed(p->type) == p->type) put(m, "%s %s %s_other;\n", p->name, ONE_OF("+", "-", "*"), p->name);
        else put(m, "(%s)(%s + %s_other);\n", tess_dtype_name(p->type), p->name, p->name);
    }
    put(m, "}");
}

static void write_post(maker *m)
{
    put(m, " post {\n");
    m->counts = true;
    for (int k = 0; k < m->g->n_params; k++) {
        const generated_param *p = &m->g->params[k];
        if (p->role == role_acc || p->role == role_val) add_variable(m, p->name, p->type, false);
    }
    statements(m, (int)test_random_in(0, 2), 1);
    for (int k = 0; k < m->g->n_params; k++) {
        const generated_param *p = &m->g->params[k];
        if (p->role != role_out) continue;
        put(m, "  %s = ", p->name);
        expression(m, p->type, MAX_DEPTH);
        put(m, ";\n");
    }
    put(m, "}");
}

void generate(generated *g)
{
    memset(g, 0, sizeof *g);
    maker m = { .g = g };
    choose_params(g);
    choose_letters(g);
    (void)snprintf(g->signature, sizeof g->signature, "op random(");
    put(&m, "op random(");
    write_params(&m);
    put(&m, ") {\n");
    (void)snprintf(g->signature + strlen(g->signature), sizeof g->signature - strlen(g->signature), ")");
    write_body(&m);
    put(&m, "}");
    if (g->joins) write_join(&m);
    if (g->posts) write_post(&m);
    put(&m, "\n");
}
