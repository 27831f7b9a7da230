/* Type checking of structs of parameters: members by their names, and structs as arguments of functions. */
#include "lang/check/check.h"

static const tess__struct *struct_of(const tess__checker *c, int32_t type)
{
    return &c->untyped->structs[type - TESS__STRUCT_TYPE];
}

tess__bytes tess__first_member(const tess__checker *c, int32_t type)
{
    return c->untyped->variables[struct_of(c, type)->first].name;
}

/* The variable of the first member of the struct that is in scope by this name; -1 with an error. */
static int32_t find_struct(tess__checker *c, tess__bytes name)
{
    const tess__named *entry = tess__scope_find(c, name, false);
    if (!entry || (entry->variable < 0 && entry->param < 0)) {
        tess__unknown_name(c, name);
        return -1;
    }
    if (entry->variable >= 0 && c->b.variables[entry->variable].is_first) return entry->variable;
    const bool is_complex = entry->variable >= 0 && tess__is_complex(c->b.variables[entry->variable].type);
    TESS__WRONG(c, name, "'%.*s' is not a struct and has no members%s", TESS__SHOW(c, name),
                is_complex ? "; its parts are real(..) and imag(..)" : "");
    return -1;
}

static tess__typed name_of(tess__checker *c, int32_t variable, tess__bytes span)
{
    const int32_t node = tess__build_node(&c->b, TESS__NAME, span);
    c->b.nodes[node].type = c->b.variables[variable].type, c->b.nodes[node].op = variable;
    return (tess__typed){ .node = node, .is = c->knowledge[variable] };
}

static void unknown_member(tess__checker *c, const tess__struct *s, tess__bytes name)
{
    const char *text = c->untyped->text;
    tess__guess guess = tess__guess_start(text, name);
    for (int32_t i = s->first; i < s->first + s->count; i++)
        tess__guess_offer(&guess, text + c->untyped->variables[i].name.at, c->untyped->variables[i].name.length);
    TESS__WRONG(c, name, "struct '%.*s' has no member '%.*s'%s", TESS__SHOW(c, s->name), TESS__SHOW(c, name),
                tess__guess_hint(&guess).text);
}

/* The number of a member, or of an element of it, in its struct; -1 with an error. */
static int32_t find_member(tess__checker *c, const tess__struct *s, const tess__node *member)
{
    const char           *text = c->untyped->text;
    const tess__variable *members = &c->untyped->variables[s->first];
    const tess__bytes     name = member->span;
    int32_t               first = 0, n = 1;
    while (first < s->count && !tess__span_is(text, name, text + members[first].name.at, members[first].name.length))
        first++;
    if (first == s->count) {
        unknown_member(c, s, name);
        return -1;
    }
    while (first + n < s->count && members[first + n].name.at == members[first].name.at) n++;
    const bool is_array = n > 1, indexed = member->value.i >= 0;
    if (is_array != indexed)
        TESS__WRONG(c, name, is_array ? "'%.*s' is an array; name an element of it: %.*s[0]" : "'%.*s' is not an array",
                    TESS__SHOW(c, name), TESS__SHOW(c, name));
    else if (member->value.i >= n)
        TESS__WRONG(c, name, "'%.*s' has %d elements; index %lld is out of range", TESS__SHOW(c, name), (int)n,
                    (long long)member->value.i);
    else return first + (indexed ? (int32_t)member->value.i : 0);
    return -1;
}

tess__typed tess__check_member(tess__checker *c, int32_t untyped)
{
    const tess__node *node = &c->untyped->nodes[untyped];
    const int32_t     first = find_struct(c, c->untyped->nodes[node->first].span);
    const int32_t     i = first < 0 ? -1 : find_member(c, struct_of(c, c->b.variables[first].is_first), node);
    return i < 0 ? (tess__typed){ .node = 0 } : name_of(c, first + i, node->span);
}

void tess__check_struct_argument(tess__checker *c, int32_t untyped, int32_t type, tess__knowledge *is, tess__list *list)
{
    const tess__node   *node = &c->untyped->nodes[untyped];
    const tess__struct *s = struct_of(c, type);
    const bool          named = node->kind == TESS__IDENTIFIER;
    const int32_t       first = named ? find_struct(c, node->span) : -1;
    if (!named || (first >= 0 && c->b.variables[first].is_first != type))
        TESS__WRONG(c, node->span, "expected the name of a struct '%.*s' here", TESS__SHOW(c, s->name));
    if (c->b.source->status != TESS_OK) return;
    *is = c->knowledge[first];
    c->now.size += s->count;
    for (int32_t i = 0; i < s->count; i++) tess__append(&c->b, list, name_of(c, first + i, node->span).node);
}
