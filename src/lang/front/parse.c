/* Recursive-descent parser: functions and the operator, from text to the untyped syntax tree. */
#include "lang/front/parse.h"

#include <stdio.h>
#include <string.h>

#include "core/device/memory.h"
#include "core/minmax.h"
#include "lang/front/parser.h"

enum { MAX_FN_PARAMS = 16 };

static tess_op_parse_opts bounded(const tess_op_parse_opts *limits)
{
    tess_op_parse_opts l = *limits;
    l.max_text = tess__min(l.max_text, TESS__MAX_TEXT);
    l.max_nodes = tess__min(l.max_nodes, TESS__MAX_NODES);
    l.max_nesting = tess__min(l.max_nesting, TESS__MAX_NESTING);
    return l;
}

const tess_op_parse_opts tess__parse_defaults = {
    .max_text = TESS__USUAL_TEXT,
    .max_nodes = TESS__USUAL_NODES,
    .max_nesting = TESS__USUAL_NESTING,
    .max_trips = TESS__USUAL_TRIPS,
    .max_registers = TESS__REGISTER_LIMIT,
};

static void start(tess__parser *p, tess__source *source, const tess_op_parse_opts *limits)
{
    tess__build_start(&p->b, source);
    p->lexer = (tess__lexer){ source, 0 };
    memset(&p->token, 0, sizeof p->token);
    p->end = 0, p->nesting = 0, p->loops = 0, p->function = false;
    p->limits = limits;
    tess__advance(p);
}

/* ---- Functions ---- */

static void read_function_params(tess__parser *p, int32_t function)
{
    p->b.functions[function].first = p->b.n_variables;
    if (!tess__expect(p, TESS__MARK1('('), "") || tess__accept(p, TESS__MARK1(')'))) return;
    do {
        const tess__bytes here = tess__here(p);
        const int32_t     type = tess__read_type_or_struct(p);
        const tess__bytes name = tess__new_name(p, "a parameter");
        const int32_t     variable = tess__build_variable(&p->b, name);
        if (p->b.source->status != TESS_OK) return;
        p->b.variables[variable].type = type;
        if (++p->b.functions[function].count > MAX_FN_PARAMS)
            tess__wrong(p, here, "a function has at most %d parameters", (int)MAX_FN_PARAMS);
    } while (tess__accept(p, TESS__MARK1(',')));
    (void)tess__expect(p, TESS__MARK1(')'), "");
}

/* The one return is the last statement; `first` is the first node of the function, so that those inside if and for are
 * found as well. */
static void check_return(tess__parser *p, tess__bytes name, int32_t first, int32_t body)
{
    const tess__node *nodes = p->b.nodes;
    int32_t           last = nodes[body].first;
    while (last && nodes[last].next) last = nodes[last].next;
    for (int32_t i = first; i < p->b.n_nodes; i++)
        if (nodes[i].kind == TESS__RETURN && i != last)
            tess__wrong(p, nodes[i].span, "'return' must be the last statement of the function; use a variable or ?:");
    if (nodes[last].kind != TESS__RETURN)
        tess__wrong(p, name, "function '%.*s' must end with return", tess__shown(name), p->b.source->text + name.at);
}

static void read_function(tess__parser *p)
{
    const int32_t     type = tess__read_type(p);
    const tess__bytes name = tess__new_name(p, "a function");
    const int32_t     function = tess__build_function(&p->b, name);
    if (p->b.source->status != TESS_OK) return;
    p->b.functions[function].type = type;
    read_function_params(p, function);
    p->function = true;
    const int32_t first = p->b.n_nodes, body = tess__read_block(p);
    p->function = false;
    if (p->b.source->status != TESS_OK) return;
    check_return(p, name, first, body);
    p->b.functions[function].body = body;
}

/* ---- The operator ---- */

static void read_head(tess__parser *p)
{
    if (!TESS__AT_KEYWORD(p, "op")) {
        tess__wrong(p, tess__here(p),
                    "expected 'op' or 'fn', found %s; write an operator as op name(in f32 x, out f32 y) { .. }",
                    tess__found(p).text);
        return;
    }
    tess__advance(p);
    p->b.head.name = tess__new_name(p, "an operator");
    tess__read_params(p);
}

/* "join { … }" and "post { … }", each at most once. */
static void read_parts(tess__parser *p)
{
    for (;;) {
        int32_t *part = TESS__AT_KEYWORD(p, "join")   ? &p->b.head.join
                        : TESS__AT_KEYWORD(p, "post") ? &p->b.head.post
                                                      : NULL;
        if (!part) return;
        const tess__bytes word = p->token.span;
        if (*part) tess__wrong(p, word, "there is already a '%.*s'", tess__shown(word), p->b.source->text + word.at);
        if (part == &p->b.head.join && p->b.head.post) tess__wrong(p, word, "'join' must come before 'post'");
        tess__advance(p);
        *part = tess__read_block(p);
    }
}

static void expect_end(tess__parser *p)
{
    if (p->token.kind == TESS__TOKEN_END) return;
    tess__wrong(p, p->token.span, "expected the end of the text, found %s; a text contains one operator, at its end",
                tess__found(p).text);
}

/* Type letters are bound by arrays, so each one that is used must be that of an array. */
static void check_letters(tess__parser *p)
{
    uint32_t bound = 0;
    for (int32_t i = 0; i < p->b.head.n_params; i++) {
        const tess__param *param = &p->b.head.params[i];
        if (param->type < 0 && param->role != TESS__PARAM_VAL && param->role != TESS__PARAM_ACC)
            bound |= 1u << -param->type;
    }
    for (int32_t i = 0; i < p->b.head.n_params; i++) {
        const tess__param *param = &p->b.head.params[i];
        if (param->type < 0 && !(bound >> -param->type & 1))
            tess__wrong(p, param->name,
                        "type %s of '%.*s' is not the type of any array; an in, out or view of it is needed",
                        tess__type_name(param->type), tess__shown(param->name), p->b.source->text + param->name.at);
    }
    for (int32_t i = 1; i < p->b.n_nodes; i++) {
        const tess__node *node = &p->b.nodes[i];
        if (node->type < 0 && !(bound >> -node->type & 1))
            tess__wrong(p, node->span, "type %s is not the type of any array parameter", tess__type_name(node->type));
    }
    for (int32_t i = 0; i < p->b.n_functions; i++)
        if (p->b.functions[i].type < 0 && !(bound >> -p->b.functions[i].type & 1))
            tess__wrong(p, p->b.functions[i].name, "type %s is not the type of any array parameter",
                        tess__type_name(p->b.functions[i].type));
    for (int32_t i = 0; i < p->b.n_variables; i++)
        if (p->b.variables[i].type < 0 && !(bound >> -p->b.variables[i].type & 1))
            tess__wrong(p, p->b.variables[i].name, "type %s is not the type of any array parameter",
                        tess__type_name(p->b.variables[i].type));
}

static void read_unit(tess__parser *p)
{
    for (;;) {
        if (TESS__AT_KEYWORD(p, "struct")) {
            tess__read_struct(p);
        } else if (TESS__AT_KEYWORD(p, "fn")) {
            tess__advance(p);
            read_function(p);
        } else break;
    }
    read_head(p);
    const int32_t body = p->b.source->status == TESS_OK ? tess__read_block(p) : 0;
    p->b.head.body = body;
    read_parts(p);
    expect_end(p);
    if (p->b.source->status == TESS_OK) check_letters(p);
}

/* A text of n bytes; if it is too long, the error points to the first byte beyond the limit. */
static tess_status set_length(tess__source *source, size_t n, int64_t max)
{
    source->length = (int32_t)(n <= (size_t)max ? n : (size_t)max + 1);
    if (n > (size_t)max)
        tess__complain(source, (tess__bytes){ (int32_t)max, 1 }, "text has %zu bytes; at most %lld are allowed", n,
                       (long long)max);
    return source->status;
}

tess_status tess__parse(tess__tree **out, const char *text, size_t n, const tess_op_parse_opts *limits)
{
    const tess_op_parse_opts l = bounded(limits);
    tess__source             source = { .text = text, .label = l.name };
    TESS_TRY(set_length(&source, n, l.max_text));
    tess__parser p;
    start(&p, &source, &l);
    read_unit(&p);
    return tess__build_finish(out, &p.b);
}

tess_status tess__parse_signature(tess__tree **out, const char *text, bool *index)
{
    tess__source source = { .text = text };
    tess__parser p;
    TESS_TRY(set_length(&source, strlen(text), tess__parse_defaults.max_text));
    start(&p, &source, &tess__parse_defaults);
    while (TESS__AT_KEYWORD(&p, "struct")) tess__read_struct(&p);
    *index = TESS__AT_KEYWORD(&p, "index");
    if (*index) tess__advance(&p);
    read_head(&p);
    if (p.token.kind != TESS__TOKEN_END)
        tess__wrong(&p, p.token.span, "expected the end of the signature, found %s; the body is the loop",
                    tess__found(&p).text);
    if (source.status == TESS_OK) check_letters(&p);
    return tess__build_finish(out, &p.b);
}

/* ---- Operators compiled with the program ---- */

/* The fragments of a macro, a line each: functions, the name, parameters, body. */
typedef struct fragments {
    int32_t name, params, body; /* where they begin */
} fragments;

static size_t put(char *text, size_t used, const char *fragment)
{
    const size_t n = strlen(fragment);
    if (text) {
        memcpy(text + used, fragment, n);
        text[used + n] = '\n';
    }
    return used + n + 1;
}

/* Written to `text`, or only counted if it is NULL. */
static size_t put_fragments(char *text, const tess_op_def *def, fragments *at)
{
    size_t used = 0;
    for (int i = 0; def->uses && def->uses[i]; i++) used = put(text, used, def->uses[i]);
    if (at) at->name = (int32_t)used;
    used = put(text, used, def->name);
    if (at) at->params = (int32_t)used;
    used = put(text, used, def->params);
    if (at) at->body = (int32_t)used;
    return put(text, used, def->body);
}

/* Continue at a fragment. */
static void go_to(tess__parser *p, int32_t at, int32_t end)
{
    if (p->b.source->status != TESS_OK) return;
    p->lexer.at = at;
    p->b.source->length = end;
    p->end = at;
    p->token.kind = TESS__TOKEN_END;
    tess__advance(p);
}

static bool is_defined(const tess__parser *p, const char *text, tess__bytes name)
{
    if (tess__struct_named(p, name)) return true;
    for (int32_t i = 0; i < p->b.n_functions; i++)
        if (tess__span_is(text, name, text + p->b.functions[i].name.at, p->b.functions[i].name.length)) return true;
    return false;
}

/* "fn f32 f(f32 x) { … }", "struct s(f32 x)", or nothing; the keyword fn may be missing. A function that several others
 * use occurs only once, and so does a struct of several parameters. */
static void read_uses(tess__parser *p, const char *text, const tess_op_def *def)
{
    int32_t at = 0;
    for (int i = 0; def->uses && def->uses[i]; i++) {
        const int32_t end = at + (int32_t)strlen(def->uses[i]);
        go_to(p, at, end);
        const bool is_struct = TESS__AT_KEYWORD(p, "struct");
        if (TESS__AT_KEYWORD(p, "fn")) tess__advance(p);
        tess__lexer lookahead = p->lexer;
        tess__token name;
        tess__lex(&lookahead, &name);
        if (end > at && !is_defined(p, text, name.span)) {
            if (is_struct) tess__read_struct(p);
            else read_function(p);
            if (p->token.kind != TESS__TOKEN_END)
                tess__wrong(p, p->token.span, "expected the end of the %s", is_struct ? "struct" : "function");
        }
        at = end + 1;
    }
}

static void read_fragments(tess__parser *p, const char *text, const tess_op_def *def, const fragments *at)
{
    const int32_t length = p->b.source->length;
    read_uses(p, text, def);
    go_to(p, at->name, at->params - 1);
    if (p->b.source->status == TESS_OK) p->b.head.name = tess__new_name(p, "an operator");
    go_to(p, at->params, at->body - 1);
    if (p->b.source->status == TESS_OK) tess__read_macro_params(p);
    if (p->token.kind != TESS__TOKEN_END)
        tess__wrong(p, p->token.span, "expected the end of the parameters, found %s", tess__found(p).text);
    go_to(p, at->body, length - 1);
    if (p->b.source->status == TESS_OK) {
        const int32_t body = tess__is_mark(p, TESS__MARK1('{'))
                                 ? tess__read_block(p)
                                 : tess__read_statements(p, 0, (tess__bytes){ at->body, 1 });
        p->b.head.body = body;
    }
    if (p->token.kind != TESS__TOKEN_END)
        tess__wrong(p, p->token.span, "expected the end of the body, found %s", tess__found(p).text);
    p->b.source->length = length;
    if (p->b.source->status == TESS_OK) check_letters(p);
}

tess_status tess__parse_def(tess__tree **out, const tess_op_def *def)
{
    fragments    at = { 0 };
    const size_t size = put_fragments(NULL, def, NULL);
    char         label[160];
    (void)snprintf(label, sizeof label, "%s:%d: %s", def->file, (int)def->line, def->name);
    tess__source source = { .text = def->body, .label = label, .macro = true };
    const size_t beside = size - strlen(def->body), max = (size_t)tess__parse_defaults.max_text;
    TESS_TRY(set_length(&source, strlen(def->body), (int64_t)(beside < max ? max - beside : 0)));
    char *text = tess__alloc(size);
    TESS_CHECK(text, TESS_ENOMEM, "op_of: no memory for %zu bytes", size);
    (void)put_fragments(text, def, &at);
    source.text = text, source.length = (int32_t)size;
    tess__parser  p;
    const int32_t length = source.length;
    source.length = 0;
    start(&p, &source, &tess__parse_defaults);
    source.length = length;
    read_fragments(&p, text, def, &at);
    const tess_status status = tess__build_finish(out, &p.b);
    tess__free(text);
    return status;
}
