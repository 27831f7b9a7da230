/* Recursive-descent parser: structs of parameters, and their layout in memory, which is that of C. */
#include "core/dtype.h"
#include "lang/front/parser.h"

int32_t tess__struct_named(const tess__parser *p, tess__bytes name)
{
    const char *text = p->b.source->text;
    for (int32_t i = 0; i < p->b.head.n_structs; i++) {
        const tess__bytes other = p->b.head.structs[i].name;
        if (tess__span_is(text, name, text + other.at, other.length)) return TESS__STRUCT_TYPE + i;
    }
    return 0;
}

static int32_t aligned(int32_t bytes, int32_t alignment) { return (bytes + alignment - 1) / alignment * alignment; }

/* A dtype of members: in C those of half precision are no numbers, and letters are bound by arrays. */
static int32_t read_member_type(tess__parser *p)
{
    const tess__bytes here = tess__here(p);
    const int32_t     type = tess__read_type(p);
    if (type < 0 || type == TESS_F16 || type == TESS_C16)
        tess__wrong(p, here, "a member of a struct cannot be %s; %s", tess__type_name(type),
                    type < 0 ? "its type must be known" : "f32 and c32 can be");
    return type > 0 ? type : TESS_U8;
}

/* "[6]" behind the name of an array; 1 if there is none. */
static int32_t read_length(tess__parser *p)
{
    if (!tess__accept(p, TESS__MARK1('['))) return 1;
    const tess__token t = p->token;
    const bool        good =
        t.kind == TESS__TOKEN_NUMBER && t.type == TESS_I32 && t.value.i >= 2 && t.value.i <= TESS__STRUCT_ROOM;
    if (!good)
        tess__wrong(p, tess__here(p), "expected the number of elements of an array in a struct, 2 to %d",
                    (int)TESS__STRUCT_ROOM);
    else tess__advance(p);
    (void)tess__expect(p, TESS__MARK1(']'), "");
    return good ? (int32_t)t.value.i : 1;
}

static void check_member_name(tess__parser *p, const tess__struct *s, tess__bytes name)
{
    const char *text = p->b.source->text;
    for (int32_t i = s->first; i < s->first + s->count; i++) {
        const tess__bytes other = p->b.variables[i].name;
        if (tess__span_is(text, name, text + other.at, other.length))
            tess__wrong(p, name, "two members are called '%.*s'", tess__shown(name), text + name.at);
    }
}

static void read_struct_member(tess__parser *p, tess__struct *s)
{
    const int32_t     type = read_member_type(p), size = (int32_t)tess__dtype_size(type);
    const int32_t     alignment = tess_dtype_kind(type) == TESS_KIND_COMPLEX ? size / 2 : size;
    const tess__bytes name = tess__new_name(p, "a member");
    check_member_name(p, s, name);
    const int32_t n = read_length(p);
    s->size = aligned(s->size, alignment);
    if (alignment > s->alignment) s->alignment = alignment;
    for (int32_t i = 0; i < n && p->b.source->status == TESS_OK; i++, s->size += size, s->count++) {
        const int32_t member = tess__build_variable(&p->b, name);
        if (member < 0) return;
        p->b.variables[member].type = type, p->b.variables[member].offset = s->size;
    }
    if (s->size > TESS__STRUCT_ROOM)
        tess__wrong(p, s->name, "struct '%.*s' has more than %d bytes, which is the limit", tess__shown(s->name),
                    p->b.source->text + s->name.at, (int)TESS__STRUCT_ROOM);
}

void tess__read_struct(tess__parser *p)
{
    tess__tree *head = &p->b.head;
    tess__advance(p);
    tess__struct s = { .name = tess__new_name(p, "a struct"), .first = p->b.n_variables, .alignment = 1 };
    if (p->b.source->status != TESS_OK) return;
    if (tess__struct_named(p, s.name))
        tess__wrong(p, s.name, "struct '%.*s' already exists", tess__shown(s.name), p->b.source->text + s.name.at);
    if (head->n_structs == TESS__MAX_STRUCTS)
        tess__wrong(p, s.name, "more than %d structs, which is the limit", (int)TESS__MAX_STRUCTS);
    const bool list = p->b.source->macro && tess__accept(p, TESS__MARK1('('));
    if (!list && !tess__expect(p, TESS__MARK1('{'), "; write a struct as struct name { f64 x; }")) return;
    do {
        read_struct_member(p, &s);
        if (!list) (void)tess__expect(p, TESS__MARK1(';'), "; each member must end with one");
    } while (list ? tess__accept(p, TESS__MARK1(',')) : p->token.kind == TESS__TOKEN_NAME);
    (void)tess__expect(p, list ? TESS__MARK1(')') : TESS__MARK1('}'), "");
    if (!list) (void)tess__accept(p, TESS__MARK1(';'));
    if (p->b.source->status != TESS_OK) return;
    s.size = aligned(s.size, s.alignment);
    head->structs[head->n_structs++] = s;
}

void tess__place_struct(tess__parser *p, tess__param *param)
{
    enum { ALIGNMENT = 16 };
    tess__tree   *head = &p->b.head;
    const int32_t bytes = head->struct_bytes + head->structs[param->type - TESS__STRUCT_TYPE].size;
    param->at = head->struct_bytes;
    head->struct_bytes = aligned(bytes, ALIGNMENT);
    if (head->struct_bytes > TESS__STRUCT_ROOM)
        tess__wrong(p, tess__here(p), "the structs of the parameters have %d bytes; at most %d are allowed", (int)bytes,
                    (int)TESS__STRUCT_ROOM);
}
