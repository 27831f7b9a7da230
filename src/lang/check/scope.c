/* Symbol table of the checker: a hash table with open addressing and linear probing. */
#include <string.h>

#include "core/device/memory.h"
#include "lang/check/check.h"

void tess__scope_start(tess__scope *s)
{
    s->entries = s->few_entries, s->table = s->few_table;
    s->n = 0, s->capacity = sizeof s->few_entries / sizeof *s->few_entries;
    memset(s->few_table, 0, sizeof s->few_table);
}

void tess__scope_free(tess__scope *s)
{
    if (s->entries != s->few_entries) tess__free(s->entries);
}

static uint32_t hash_of(const char *name, int32_t n)
{
    uint32_t h = 2166136261u;
    for (int32_t i = 0; i < n; i++) h = (h ^ (unsigned char)name[i]) * 16777619u;
    return h ^ h >> 15;
}

/* The slot of a name in the table: its own, or a free one. The load factor is at most one half. */
static int32_t *slot_of(const tess__checker *c, tess__bytes name)
{
    const tess__scope *s = &c->scope;
    const uint32_t     mask = 2 * (uint32_t)s->capacity - 1;
    const char        *text = c->untyped->text;
    for (uint32_t i = hash_of(text + name.at, name.length) & mask;; i = (i + 1) & mask) {
        const int32_t k = s->table[i];
        if (k == 0 || tess__span_is(text, name, text + s->entries[k - 1].name.at, s->entries[k - 1].name.length))
            return &s->table[i];
    }
}

static bool grow(tess__checker *c)
{
    tess__scope *s = &c->scope;
    const size_t entries = 2 * (size_t)s->capacity * sizeof *s->entries,
                 table = 4 * (size_t)s->capacity * sizeof *s->table;
    char *memory = tess__alloc(entries + table);
    if (!memory) {
        tess__no_memory(c->b.source, entries + table);
        return false;
    }
    memcpy(memory, s->entries, (size_t)s->n * sizeof *s->entries);
    tess__scope_free(s);
    s->entries = (void *)memory;
    s->table = (void *)(memory + entries);
    s->capacity *= 2;
    memset(s->table, 0, table);
    for (int32_t i = 0; i < s->n; i++) *slot_of(c, s->entries[i].name) = i + 1;
    return true;
}

tess__named *tess__scope_find(tess__checker *c, tess__bytes name, bool make)
{
    int32_t *slot = slot_of(c, name);
    if (*slot) return &c->scope.entries[*slot - 1];
    if (!make) return NULL;
    if (c->scope.n == c->scope.capacity) {
        if (!grow(c)) return NULL;
        slot = slot_of(c, name);
    }
    tess__named *entry = &c->scope.entries[c->scope.n++];
    *entry = (tess__named){ .name = name, .variable = -1, .param = -1, .function = -1 };
    *slot = c->scope.n;
    return entry;
}

static bool remember(tess__checker *c, int32_t variable, tess__knowledge is)
{
    while (variable >= c->knowledge_capacity) { /* parameters of isclose are not noted */
        const size_t     bytes = 2 * (size_t)c->knowledge_capacity * sizeof *c->knowledge;
        tess__knowledge *more = tess__alloc(bytes);
        if (!more) {
            tess__no_memory(c->b.source, bytes);
            return false;
        }
        memcpy(more, c->knowledge, bytes / 2);
        if (c->knowledge != c->few_knowledge) tess__free(c->knowledge);
        c->knowledge = more;
        c->knowledge_capacity *= 2;
    }
    c->knowledge[variable] = is;
    return true;
}

int32_t tess__declare(tess__checker *c, tess__bytes name, int32_t type, tess__knowledge is)
{
    tess__named *entry = tess__scope_find(c, name, true);
    if (!entry) return -1;
    if (entry->variable >= 0 || entry->param >= 0) {
        const int32_t param = entry->param >= 0 ? entry->param : c->b.variables[entry->variable].param;
        TESS__WRONG(c, name, "'%.*s' is already declared%s; choose another name", TESS__SHOW(c, name),
                    param >= 0 ? " as a parameter" : "");
        return -1;
    }
    const int32_t variable = tess__build_variable(&c->b, name);
    if (variable < 0) return -1;
    c->b.variables[variable].type = type;
    if (entry->assigned) is.uniform = false;
    if (!remember(c, variable, is)) return -1;
    entry->variable = variable;
    entry->declared = true;
    return variable;
}

int32_t tess__declare_struct(tess__checker *c, tess__bytes name, int32_t type, tess__knowledge is)
{
    const tess__struct   *s = &c->untyped->structs[type - TESS__STRUCT_TYPE];
    const tess__variable *members = &c->untyped->variables[s->first];
    const int32_t         first = tess__declare(c, name, members[0].type, is);
    if (first < 0) return -1;
    if (first + s->count > c->limits->max_nodes) {
        TESS__WRONG(c, name, "more than %lld members of structs and variables, which is the limit (max_nodes)",
                    (long long)c->limits->max_nodes);
        return -1;
    }
    c->b.variables[first].name = members[0].name, c->b.variables[first].is_first = type;
    is = c->knowledge[first];
    for (int32_t i = 1; i < s->count; i++) {
        const int32_t v = tess__build_variable(&c->b, members[i].name);
        if (v < 0 || !remember(c, v, is)) return -1;
        c->b.variables[v].type = members[i].type, c->b.variables[v].offset = members[i].offset;
    }
    return first;
}

void tess__scope_clear(tess__checker *c)
{
    for (int32_t i = 0; i < c->scope.n; i++) c->scope.entries[i].variable = c->scope.entries[i].param = -1;
}

/* Names that are declared in another scope get another message than names that never are. */
static bool explain_role(tess__checker *c, tess__bytes name)
{
    const char *text = c->untyped->text;
    for (int32_t k = 0; k < c->untyped->n_params; k++) {
        const tess__param *param = &c->untyped->params[k];
        if (!tess__span_is(text, name, text + param->name.at, param->name.length)) continue;
        if (c->part == TESS__WITHIN_CONSTANT)
            TESS__WRONG(c, name, "'%.*s' is a parameter; a value here must be a constant", TESS__SHOW(c, name));
        else if (c->part == TESS__WITHIN_POST)
            TESS__WRONG(c, name, "'%.*s' is '%s'; post can use only accumulators, values and outputs",
                        TESS__SHOW(c, name), tess__role_names[param->role]);
        else if (c->part == TESS__WITHIN_JOIN)
            TESS__WRONG(c, name, "'%.*s' cannot be used in join, which sees only val and accumulators without a monoid",
                        TESS__SHOW(c, name));
        else if (c->part == TESS__WITHIN_FUNCTION)
            TESS__WRONG(c, name, "'%.*s' is a parameter of the operator; a function can use only its own: pass it",
                        TESS__SHOW(c, name));
        else if (param->role == TESS__PARAM_OUT)
            TESS__WRONG(c, name, "'%.*s' is an output of a reduction; it is assigned in post { .. }",
                        TESS__SHOW(c, name));
        else return false;
        return true;
    }
    return false;
}

void tess__unknown_name(tess__checker *c, tess__bytes name)
{
    static const char *const predefined[] = { "b", "d", "h", "w", "pi", "inf", "nan", "true", "false", "count", NULL };
    const char              *text = c->untyped->text;
    bool                     prefixed;
    if (explain_role(c, name)) return;
    const int32_t index = tess__keyword_index(text, name, predefined);
    if (index == 9) {
        TESS__WRONG(c, name, "'count', the number of reduced elements, is known only in post");
        return;
    }
    if (index >= 0 && index < 4) {
        TESS__WRONG(c, name, "index '%.*s' is known only in the body of the operator%s", TESS__SHOW(c, name),
                    c->part == TESS__WITHIN_FUNCTION ? "; pass it to the function" : "");
        return;
    }
    if (tess__builtin_named(text, name, &prefixed)) {
        TESS__WRONG(c, name, "'%.*s' is a function; call it: %.*s(..)", TESS__SHOW(c, name), TESS__SHOW(c, name));
        return;
    }
    const tess__named *known = tess__scope_find(c, name, false);
    if (known && known->function >= 0) {
        TESS__WRONG(c, name, "'%.*s' is a function; call it: %.*s(..)", TESS__SHOW(c, name), TESS__SHOW(c, name));
        return;
    }
    if (known && known->declared) {
        TESS__WRONG(c, name, "'%.*s' is declared in another block, which has ended", TESS__SHOW(c, name));
        return;
    }
    tess__guess guess = tess__guess_start(text, name);
    for (int32_t i = 0; i < c->scope.n; i++)
        if (c->scope.entries[i].variable >= 0 || c->scope.entries[i].param >= 0)
            tess__guess_offer(&guess, text + c->scope.entries[i].name.at, c->scope.entries[i].name.length);
    if (name.length > 1) tess__guess_offer_all(&guess, predefined);
    TESS__WRONG(c, name, "unknown name '%.*s'%s", TESS__SHOW(c, name), tess__guess_hint(&guess).text);
}
