/* Pretty printer: the canonical text of an untyped tree. Parsed again, it gives the same tree. */
#include "lang/front/lex.h"
#include "lang/front/names.h"
#include "lang/front/parse.h"
#include "lang/print/write.h"

typedef struct printer {
    const tess__tree *tree;
    tess__writer      w;
} printer;

/* Precedences; as in the parser. */
enum { CHOICE = 0, UNARY = 11, PRIMARY = 12 };

static void put_bytes(printer *p, tess__bytes span)
{
    tess__write_bytes(&p->w, p->tree->text + span.at, (size_t)span.length);
}

static void put_mark(printer *p, int32_t mark)
{
    const char text[4] = { (char)(mark & 0xff), (char)(mark >> 8 & 0xff), (char)(mark >> 16 & 0xff), '\0' };
    tess__write(&p->w, "%s", text);
}

static void put_type(printer *p, int32_t type)
{
    if (tess__is_struct(type)) put_bytes(p, p->tree->structs[type - TESS__STRUCT_TYPE].name);
    else tess__write(&p->w, "%s", tess__type_name(type));
}

/* ---- Expressions ---- */

static int binding(const tess__node *node)
{
    switch (node->kind) {
    case TESS__SELECT: return CHOICE;
    case TESS__BINARY: return tess__precedence(node->op);
    case TESS__UNARY:
    case TESS__CONVERT: return UNARY;
    default: return PRIMARY;
    }
}

static void put_expression(printer *p, int32_t at, int min_level);

static void put_list(printer *p, int32_t k)
{
    for (const char *between = ""; k; k = p->tree->nodes[k].next, between = ", ") {
        tess__write(&p->w, "%s", between);
        put_expression(p, k, CHOICE);
    }
}

/* "--" would be another token. */
static void put_unary(printer *p, const tess__node *node)
{
    const tess__node *operand = &p->tree->nodes[node->first];
    put_mark(p, node->op);
    if (operand->kind == TESS__UNARY && operand->op == node->op && (node->op == '-' || node->op == '+'))
        tess__write(&p->w, " ");
    put_expression(p, node->first, UNARY);
}

static void put_open(printer *p, int32_t at)
{
    const tess__node *nodes = p->tree->nodes, *node = &nodes[at];
    const int32_t     first = node->first, second = first ? nodes[first].next : 0;
    switch (node->kind) {
    case TESS__BINARY:
        put_expression(p, first, binding(node));
        tess__write(&p->w, " ");
        put_mark(p, node->op);
        tess__write(&p->w, " ");
        put_expression(p, second, binding(node) + 1);
        break;
    case TESS__UNARY: put_unary(p, node); break;
    case TESS__CONVERT:
        tess__write(&p->w, "(%s)", tess__type_name(node->type));
        put_expression(p, first, UNARY);
        break;
    case TESS__SELECT:
        put_expression(p, first, CHOICE + 1);
        tess__write(&p->w, " ? ");
        put_expression(p, second, CHOICE);
        tess__write(&p->w, " : ");
        put_expression(p, nodes[second].next, CHOICE);
        break;
    case TESS__CALL:
    case TESS__ELEMENT:
        put_bytes(p, node->span);
        tess__write(&p->w, node->kind == TESS__CALL ? "(" : "[");
        put_list(p, first);
        tess__write(&p->w, node->kind == TESS__CALL ? ")" : "]");
        break;
    case TESS__MEMBER:
        put_expression(p, first, PRIMARY);
        tess__write(&p->w, ".");
        put_bytes(p, node->span);
        if (node->value.i >= 0) tess__write(&p->w, "[%d]", (int)node->value.i);
        break;
    default: put_bytes(p, node->span);
    }
}

static void put_expression(printer *p, int32_t at, int min_level)
{
    const bool closed = binding(&p->tree->nodes[at]) < min_level;
    if (closed) tess__write(&p->w, "(");
    put_open(p, at);
    if (closed) tess__write(&p->w, ")");
}

/* ---- Statements ---- */

static void put_block(printer *p, int32_t block, int indent);

static void put_if(printer *p, const tess__node *node, int indent)
{
    const tess__node *nodes = p->tree->nodes;
    for (;;) {
        const int32_t yes = nodes[node->first].next, no = nodes[yes].next;
        tess__write(&p->w, "if (");
        put_expression(p, node->first, CHOICE);
        tess__write(&p->w, ") ");
        put_block(p, yes, indent);
        if (!no) return;
        tess__write(&p->w, " else ");
        const tess__node *only = &nodes[nodes[no].first];
        if (nodes[no].first == 0 || only->kind != TESS__IF || only->next) {
            put_block(p, no, indent);
            return;
        }
        node = only;
    }
}

static void put_for(printer *p, const tess__node *node, int indent)
{
    const tess__node *nodes = p->tree->nodes;
    const int32_t     to = nodes[node->first].next;
    tess__write(&p->w, "for (i32 ");
    put_bytes(p, node->span);
    tess__write(&p->w, " = ");
    put_expression(p, node->first, CHOICE);
    tess__write(&p->w, "; ");
    put_bytes(p, node->span);
    tess__write(&p->w, node->computed ? " <= " : " < ");
    put_expression(p, to, CHOICE);
    tess__write(&p->w, node->value.i == 1 ? "; ++" : "; ");
    put_bytes(p, node->span);
    if (node->value.i != 1) tess__write(&p->w, " += %d", (int)node->value.i);
    tess__write(&p->w, ") ");
    put_block(p, nodes[to].next, indent);
}

static void put_scatter(printer *p, const tess__node *node)
{
    const tess__node *nodes = p->tree->nodes;
    int32_t           k = node->first;
    put_bytes(p, node->span);
    for (int i = 0; i < 4; i++, k = nodes[k].next) {
        tess__write(&p->w, i ? ", " : "[");
        put_expression(p, k, CHOICE);
    }
    tess__write(&p->w, "] ");
    put_mark(p, node->op);
    tess__write(&p->w, " ");
    put_expression(p, k, CHOICE);
    tess__write(&p->w, ";");
}

static void put_add_linear(printer *p, const tess__node *node)
{
    tess__write(&p->w, "add_linear(");
    put_bytes(p, node->span);
    for (int32_t k = node->first; k; k = p->tree->nodes[k].next) {
        tess__write(&p->w, ", ");
        put_expression(p, k, CHOICE);
    }
    tess__write(&p->w, ");");
}

static void put_statement(printer *p, const tess__node *node, int indent)
{
    switch (node->kind) {
    case TESS__IF: put_if(p, node, indent); return;
    case TESS__FOR: put_for(p, node, indent); return;
    case TESS__SCATTER: put_scatter(p, node); return;
    case TESS__ADD_LINEAR: put_add_linear(p, node); return;
    case TESS__CONTINUE: tess__write(&p->w, "continue;"); return;
    case TESS__RETURN: tess__write(&p->w, "return "); break;
    case TESS__DECLARE:
        tess__write(&p->w, "%s ", tess__type_name(node->type));
        put_bytes(p, node->span);
        tess__write(&p->w, " = ");
        break;
    default:
        put_bytes(p, node->span);
        tess__write(&p->w, " ");
        put_mark(p, node->op);
        tess__write(&p->w, " ");
    }
    put_expression(p, node->first, CHOICE);
    tess__write(&p->w, ";");
}

static void put_block(printer *p, int32_t block, int indent)
{
    tess__write(&p->w, "{\n");
    for (int32_t k = p->tree->nodes[block].first; k; k = p->tree->nodes[k].next) {
        tess__write(&p->w, "%*s", 4 * (indent + 1), "");
        put_statement(p, &p->tree->nodes[k], indent + 1);
        tess__write(&p->w, "\n");
    }
    tess__write(&p->w, "%*s}", 4 * indent, "");
}

/* ---- The operator ---- */

static void put_struct(printer *p, const tess__struct *s)
{
    const tess__variable *members = &p->tree->variables[s->first];
    tess__write(&p->w, "struct ");
    put_bytes(p, s->name);
    tess__write(&p->w, " { ");
    for (int32_t i = 0, n; i < s->count; i += n) {
        for (n = 1; i + n < s->count && members[i + n].name.at == members[i].name.at;) n++;
        tess__write(&p->w, "%s ", tess__type_name(members[i].type));
        put_bytes(p, members[i].name);
        if (n > 1) tess__write(&p->w, "[%d]", (int)n);
        tess__write(&p->w, "; ");
    }
    tess__write(&p->w, "}\n");
}

static void put_function(printer *p, const tess__function *f)
{
    tess__write(&p->w, "fn %s ", tess__type_name(f->type));
    put_bytes(p, f->name);
    tess__write(&p->w, "(");
    for (int32_t i = 0; i < f->count; i++) {
        const tess__variable *param = &p->tree->variables[f->first + i];
        tess__write(&p->w, "%s", i ? ", " : "");
        put_type(p, param->type);
        tess__write(&p->w, " ");
        put_bytes(p, param->name);
    }
    tess__write(&p->w, ") ");
    put_block(p, f->body, 0);
    tess__write(&p->w, "\n");
}

static void put_param(printer *p, const tess__param *param)
{
    tess__write(&p->w, "%s ", tess__role_names[param->role]);
    if (param->role == TESS__PARAM_VIEW) tess__write(&p->w, "%s ", tess__border_name(param->border));
    if (param->role == TESS__PARAM_ACC && param->monoid) tess__write(&p->w, "%s ", tess__monoid_names[param->monoid]);
    put_type(p, param->type);
    tess__write(&p->w, " ");
    put_bytes(p, param->name);
    if (!param->given) return;
    tess__write(&p->w, " = ");
    put_expression(p, param->given, CHOICE);
}

tess_status tess__tree_text(char **out, const tess__tree *untyped)
{
    printer p = { .tree = untyped };
    for (int32_t i = 0; i < untyped->n_structs; i++) put_struct(&p, &untyped->structs[i]);
    for (int32_t i = 0; i < untyped->n_functions; i++) put_function(&p, &untyped->functions[i]);
    tess__write(&p.w, "op ");
    put_bytes(&p, untyped->name);
    for (int32_t k = 0; k < untyped->n_params; k++) {
        tess__write(&p.w, k ? ", " : "(");
        put_param(&p, &untyped->params[k]);
    }
    tess__write(&p.w, ")");
    if (untyped->body) {
        tess__write(&p.w, " ");
        put_block(&p, untyped->body, 0);
    }
    if (untyped->join) {
        tess__write(&p.w, " join ");
        put_block(&p, untyped->join, 0);
    }
    if (untyped->post) {
        tess__write(&p.w, " post ");
        put_block(&p, untyped->post, 0);
    }
    tess__write(&p.w, "\n");
    return tess__write_finish(&p.w, out);
}
