/* An expression, taken apart into statements and reductions. */
#include "calc/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char    *name;
    reduction_kind kind;
} reducers[] = { { "mean", REDUCE_MEAN }, { "sum", REDUCE_SUM }, { "min", REDUCE_MIN },   { "max", REDUCE_MAX },
                 { "std", REDUCE_STD },   { "var", REDUCE_VAR }, { "norm", REDUCE_NORM }, { "median", REDUCE_MEDIAN } };

typedef struct statement {
    token  name;
    tokens value;
} statement;

static void at_fault(program *p, const token *t) { p->fault = (fault){ t->at, t->length }; }

static binding *find_binding(program *p, const token *t)
{
    for (int i = 0; i < p->n_bindings; ++i) {
        if (token_is(t, p->bindings[i].name)) return &p->bindings[i];
    }
    return NULL;
}

/* ---- Statements: names are replaced by what they stand for ---- */

static tess_status expand(program *p, tokens *out, const tokens *in, int first, int end, const statement *known, int n)
{
    for (int i = first; i < end; ++i) {
        token        t = in->token[i];
        const bool   calls = i + 1 < end && token_is(&in->token[i + 1], "(");
        const token *name = &in->token[i];
        binding     *b = t.kind == TOKEN_NAME && !calls ? find_binding(p, name) : NULL;
        int          k = n;
        while (t.kind == TOKEN_NAME && !calls && --k >= 0 &&
               !(known[k].name.length == t.length && memcmp(known[k].name.text, t.text, (size_t)t.length) == 0)) {}
        if (t.kind == TOKEN_NAME && !calls && k >= 0) {
            TESS_TRY(tokens_add(out, (token){ "(", 1, TOKEN_SYMBOL, t.at }));
            TESS_TRY(tokens_add_part(out, &known[k].value, 0, known[k].value.n));
            TESS_TRY(tokens_add(out, (token){ ")", 1, TOKEN_SYMBOL, t.at }));
            continue;
        }
        if (b) b->used = true;
        if (b && b->number[0]) t = (token){ b->number, (int)strlen(b->number), TOKEN_NUMBER, t.at };
        TESS_TRY(tokens_add(out, t));
    }
    return TESS_OK;
}

static int statement_end(const tokens *all, int first)
{
    while (first < all->n && !token_is(&all->token[first], ";")) ++first;
    return first;
}

/* `name = expression;` any number of times, then the expression that is the result. */
static tess_status read_statements(program *p, const tokens *all, statement *known, int *n, tokens *result)
{
    int first = 0;
    for (;;) {
        const int end = statement_end(all, first);
        int       rest = end;
        while (rest < all->n && token_is(&all->token[rest], ";")) ++rest;
        if (end == first && end < all->n) p->fault = (fault){ all->token[end].at, 1 };
        TESS_CHECK(end > first, TESS_EPARSE, "calc: an expression is missing");
        if (rest == all->n) return expand(p, result, all, first, end, known, *n);
        const token *name = &all->token[first];
        at_fault(p, name);
        TESS_CHECK(end > first + 2 && name->kind == TOKEN_NAME && token_is(&all->token[first + 1], "="), TESS_EPARSE,
                   "calc: only the last expression may have no name; the others must be NAME = EXPRESSION");
        TESS_CHECK(!find_binding(p, name), TESS_EPARSE, "calc: '%.*s' is a file or a number and cannot be redefined",
                   name->length, name->text);
        TESS_CHECK(*n < MAX_STATEMENTS, TESS_EPARSE, "calc: more than %d statements", MAX_STATEMENTS);
        statement *s = &known[*n];
        s->name = *name;
        TESS_TRY(expand(p, &s->value, all, first + 2, end, known, *n));
        ++*n;
        first = rest;
    }
}

/* ---- Reductions: a call with one argument becomes a name ---- */

static int count_arguments(const tokens *list, int open, int close)
{
    int depth = 0, n = close > open + 1;
    for (int i = open + 1; i < close; ++i) {
        const token *t = &list->token[i];
        if (token_is(t, "(") || token_is(t, "[")) ++depth;
        else if (token_is(t, ")") || token_is(t, "]")) --depth;
        else if (depth == 0 && token_is(t, ",")) ++n;
    }
    return n;
}

/* The reduction that word i calls; -1 if it does not. Of more arguments, min and max are functions of the language. */
static tess_status reducer_of(program *p, const tokens *list, int i, int *kind)
{
    const token *t = &list->token[i];
    *kind = -1;
    if (i + 1 >= list->n || t->kind != TOKEN_NAME || !token_is(t + 1, "(")) return TESS_OK;
    for (size_t k = 0; k < sizeof reducers / sizeof *reducers; ++k) {
        if (!token_is(t, reducers[k].name)) continue;
        const int  n = count_arguments(list, i + 1, tokens_close(list, i + 1));
        const bool function = reducers[k].kind == REDUCE_MIN || reducers[k].kind == REDUCE_MAX;
        if (n != 1 && function) return TESS_OK;
        at_fault(p, t);
        TESS_CHECK(n == 1, TESS_EPARSE, "calc: %s takes one argument, but %d are given", reducers[k].name, n);
        *kind = (int)k;
    }
    return TESS_OK;
}

static bool same_words(const tokens *a, const tokens *b)
{
    if (a->n != b->n) return false;
    for (int i = 0; i < a->n; ++i) {
        const token *x = &a->token[i], *y = &b->token[i];
        if (x->length != y->length || memcmp(x->text, y->text, (size_t)x->length) != 0) return false;
    }
    return true;
}

static tess_status extract(program *p, tokens *out, const tokens *in, int first, int end, int *level);

/* The reduction that a call is, a new one or one that is there; `*which` is its number. */
static tess_status take_reduction(program *p, const tokens *in, int i, int kind, int close, int *which)
{
    tokens inner = { 0 };
    int    level = 0;
    TESS_TRY(extract(p, &inner, in, i + 2, close, &level));
    for (int k = 0; k < p->n_reductions; ++k) {
        if (p->reductions[k].kind == reducers[kind].kind && same_words(&p->reductions[k].of.text, &inner)) {
            tokens_free(&inner);
            *which = k;
            return TESS_OK;
        }
    }
    TESS_CHECK(p->n_reductions < MAX_REDUCTIONS, TESS_EPARSE, "calc: more than %d reductions", MAX_REDUCTIONS);
    *which = p->n_reductions++;
    reduction *r = &p->reductions[*which];
    *r = (reduction){ .kind = reducers[kind].kind, .of.text = inner, .level = level + 1 };
    snprintf(r->name, sizeof r->name, "reduction_%d_", *which);
    return TESS_OK;
}

static tess_status extract(program *p, tokens *out, const tokens *in, int first, int end, int *level)
{
    for (int i = first; i < end; ++i) {
        int kind;
        TESS_TRY(reducer_of(p, in, i, &kind));
        if (kind < 0) {
            TESS_TRY(tokens_add(out, in->token[i]));
            continue;
        }
        const int close = tokens_close(in, i + 1);
        int       which = 0;
        TESS_TRY(take_reduction(p, in, i, kind, close, &which));
        const reduction *r = &p->reductions[which];
        if (r->level > *level) *level = r->level;
        TESS_TRY(tokens_add(out, (token){ r->name, (int)strlen(r->name), TOKEN_NAME, in->token[i].at }));
        i = close;
    }
    return TESS_OK;
}

/* ---- All of it ---- */

static tess_status check_brackets(program *p, const tokens *all)
{
    int open[256], n = 0;
    for (int i = 0; i < all->n; ++i) {
        const token *t = &all->token[i];
        at_fault(p, t);
        if (token_is(t, "(")) {
            TESS_CHECK(n < 256, TESS_EPARSE, "calc: more than 256 nested brackets");
            open[n++] = i;
        }
        TESS_CHECK(!token_is(t, ")") || n > 0, TESS_EPARSE, "calc: this bracket was not opened");
        n -= token_is(t, ")");
    }
    if (n > 0) at_fault(p, &all->token[open[n - 1]]);
    TESS_CHECK(n == 0, TESS_EPARSE, "calc: this bracket is not closed");
    return TESS_OK;
}

static tess_status read_words(program *p, tokens *all, statement *known, int *n, tokens *result)
{
    int level = 0;
    TESS_TRY(tokens_read(all, p->text, &p->fault));
    TESS_TRY(check_brackets(p, all));
    p->fault = (fault){ (int)strlen(p->text), 1 };
    TESS_TRY(read_statements(p, all, known, n, result));
    return extract(p, &p->result.text, result, 0, result->n, &level);
}

tess_status program_read(program *p)
{
    tokens     all = { 0 }, result = { 0 };
    statement *known = calloc(MAX_STATEMENTS, sizeof *known);
    int        n = 0;
    TESS_CHECK(known, TESS_ENOMEM, "calc: out of memory");
    const tess_status status = read_words(p, &all, known, &n, &result);
    for (int i = 0; i < MAX_STATEMENTS; ++i) tokens_free(&known[i].value);
    free(known);
    tokens_free(&all);
    tokens_free(&result);
    return status;
}

static void free_formula(formula *f)
{
    tokens_free(&f->text);
    tess_op_release(f->op);
}

void program_free(program *p)
{
    for (int i = 0; i < p->n_reductions; ++i) {
        free_formula(&p->reductions[i].of);
        tess_release(&p->reductions[i].value);
    }
    free_formula(&p->result);
    for (int i = 0; i < p->n_bindings; ++i) {
        if (!p->bindings[i].number[0]) input_close(&p->bindings[i].file);
    }
}
