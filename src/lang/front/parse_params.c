/* Recursive-descent parser: the parameter list of an operator, with the syntax of texts and with that of macros. */
#include <string.h>

#include "lang/front/parser.h"

/* A new parameter with its defaults; a dummy, and an error, where there are too many. */
static tess__param *add_param(tess__parser *p, int32_t role)
{
    tess__tree  *head = &p->b.head;
    tess__param *param = &head->params[head->n_params < TESS__MAX_PARAMS ? head->n_params : TESS__MAX_PARAMS - 1];
    if (head->n_params == TESS__MAX_PARAMS)
        tess__wrong(p, p->token.span, "more than %d parameters, which is the limit", (int)TESS__MAX_PARAMS);
    else head->n_params++;
    memset(param, 0, sizeof *param);
    param->role = role;
    param->border = role == TESS__PARAM_VIEW ? TESS_BORDER_ZERO : 0;
    return param;
}

/* One keyword of a list; -1 with an error. */
static int32_t read_keyword(tess__parser *p, const char *const *keywords, const char *what, const char *all)
{
    const char       *text = p->b.source->text;
    const tess__bytes span = p->token.span;
    if (p->token.kind != TESS__TOKEN_NAME) {
        tess__wrong(p, tess__here(p), "expected %s, found %s", what, tess__found(p).text);
        return -1;
    }
    const int32_t i = tess__keyword_index(text, span, keywords);
    tess__guess   guess = tess__guess_start(text, span);
    tess__guess_offer_all(&guess, keywords);
    const tess__hint hint = tess__guess_hint(&guess);
    if (i < 0)
        tess__wrong(p, span, "'%.*s' is not %s%s", tess__shown(span), text + span.at, what,
                    guess.best ? hint.text : all);
    else tess__advance(p);
    return i;
}

static int32_t read_role(tess__parser *p)
{
    return read_keyword(p, tess__role_names, "the role of a parameter",
                        "; expected in, out, inout, val, view, scatter or acc");
}

static void read_border(tess__parser *p, tess__param *param)
{
    static const char expected[] = "; expected "
#define TESS__BORDER(name, NAME, help) #name ", "
#include "tessera/math/borders.def"
                                   "error, or for spectra spectrum_h, spectrum_hc, spectrum_f or spectrum_fc";
    const int32_t     i = read_keyword(p, tess__border_names, "a border", expected);
    param->border = i < 0 ? TESS__BORDER_FAULT : tess__border_named(i);
}

static void read_monoid(tess__parser *p, tess__param *param)
{
    const int32_t i = read_keyword(p, tess__monoid_names, "a monoid", "; expected sum, prod, min, max, any or all");
    param->monoid = i < 0 ? 0 : i;
}

static void set_type(tess__parser *p, tess__param *param)
{
    param->type = param->role == TESS__PARAM_VAL ? tess__read_type_or_struct(p) : tess__read_type(p);
    if (param->type < 0) p->b.head.letters = true;
    if (tess__is_struct(param->type)) tess__place_struct(p, param);
}

static void read_initial(tess__parser *p, tess__param *param)
{
    const tess__bytes here = tess__here(p);
    const int32_t     node = tess__read_expression(p);
    if (tess__is_struct(param->type)) tess__wrong(p, here, "a struct cannot have a default; it must always be given");
    param->given = node;
}

/* ---- As in a text: "acc sum f64 s = 0" ---- */

static void read_param(tess__parser *p)
{
    const int32_t role = read_role(p);
    tess__param  *param = add_param(p, role < 0 ? 0 : role);
    if (param->role == TESS__PARAM_VIEW && p->token.kind == TESS__TOKEN_NAME && !tess__at_type(p))
        read_border(p, param);
    if (param->role == TESS__PARAM_ACC && p->token.kind == TESS__TOKEN_NAME && !tess__at_type(p)) read_monoid(p, param);
    set_type(p, param);
    param->name = tess__new_name(p, "a parameter");
    if (!tess__is_mark(p, TESS__MARK1('='))) return;
    if (role != TESS__PARAM_VAL && role != TESS__PARAM_ACC && param->border != TESS_BORDER_VALUE)
        tess__wrong(p, p->token.span, "only val, acc and a view with the border 'value' can have a value here");
    tess__advance(p);
    read_initial(p, param);
}

void tess__read_params(tess__parser *p)
{
    if (!tess__expect(p, TESS__MARK1('('), "; parameters follow the name of the operator")) return;
    if (tess__is_mark(p, TESS__MARK1(')'))) {
        tess__wrong(p, p->token.span, "an operator must have parameters: (in f32 x, out f32 y)");
        return;
    }
    do read_param(p);
    while (tess__accept(p, TESS__MARK1(',')));
    (void)tess__expect(p, TESS__MARK1(')'), "");
}

/* ---- As in a macro: "acc(f64, s, sum, 0)" ---- */

static void read_macro_options(tess__parser *p, tess__param *param)
{
    const int32_t role = param->role;
    if (!tess__accept(p, TESS__MARK1(','))) return;
    if (role == TESS__PARAM_VIEW) {
        read_border(p, param);
        if (param->border == TESS_BORDER_VALUE && tess__accept(p, TESS__MARK1(','))) read_initial(p, param);
    } else if (role == TESS__PARAM_VAL) {
        read_initial(p, param);
    } else if (role == TESS__PARAM_ACC) {
        read_monoid(p, param);
        if (tess__accept(p, TESS__MARK1(','))) read_initial(p, param);
    } else {
        tess__wrong(p, tess__here(p), "'%s' takes only a type and a name", tess__role_names[role]);
    }
}

/* post( … ) and join( … ). */
static void read_part(tess__parser *p, int32_t *part)
{
    const tess__bytes name = p->token.span;
    if (*part) tess__wrong(p, name, "there is already a %.*s", tess__shown(name), p->b.source->text + name.at);
    tess__advance(p);
    (void)tess__expect(p, TESS__MARK1('('), "");
    const int32_t block = tess__read_statements(p, TESS__MARK1(')'), name);
    *part = block;
}

/* use(f): a function of the fragments. */
static void read_use(tess__parser *p)
{
    const char *text = p->b.source->text;
    tess__advance(p);
    (void)tess__expect(p, TESS__MARK1('('), "");
    const tess__bytes name = tess__new_name(p, "a function");
    bool              known = false;
    for (int32_t i = 0; i < p->b.n_functions; i++)
        known |= tess__span_is(text, name, text + p->b.functions[i].name.at, p->b.functions[i].name.length);
    if (!known)
        tess__wrong(p, name, "unknown function '%.*s'; define it with TESS_DEVICE_FN", tess__shown(name),
                    text + name.at);
}

static void read_macro_param(tess__parser *p)
{
    if (TESS__AT_KEYWORD(p, "post")) {
        read_part(p, &p->b.head.post);
    } else if (TESS__AT_KEYWORD(p, "join")) {
        read_part(p, &p->b.head.join);
    } else if (TESS__AT_KEYWORD(p, "use")) {
        read_use(p);
    } else {
        const int32_t role = read_role(p);
        tess__param  *param = add_param(p, role < 0 ? 0 : role);
        (void)tess__expect(p, TESS__MARK1('('), "; in a macro a parameter is written in(f32,x)");
        set_type(p, param);
        (void)tess__expect(p, TESS__MARK1(','), "; in a macro a parameter is written in(f32,x)");
        param->name = tess__new_name(p, "a parameter");
        read_macro_options(p, param);
    }
    (void)tess__expect(p, TESS__MARK1(')'), "");
}

void tess__read_macro_params(tess__parser *p)
{
    const bool open = tess__accept(p, TESS__MARK1('('));
    do read_macro_param(p);
    while (tess__accept(p, TESS__MARK1(',')));
    if (open) (void)tess__expect(p, TESS__MARK1(')'), "");
}
