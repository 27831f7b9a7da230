/* Code printer: expressions as C. Variables are v0, v1, …, functions f0, f1, … and views w0, w1, …, by number; every
 * operator is a call of formulas/operators.op.h. f16 and c16 are held as float and tess_c32. */
#include <string.h>

#include "backend.h"
#include "lang/print/print_c.h"

#define PUT(...) tess__write(&p->w, __VA_ARGS__)

/* ---- Types ---- */

const char *tess__c_held(int32_t type)
{
    static const char *const names[] = { "void",    "uint8_t",  "int8_t",   "int16_t",  "int32_t", "int64_t",
                                         "uint8_t", "uint16_t", "uint32_t", "uint64_t", "float",   "float",
                                         "double",  "tess_c32", "tess_c32", "tess_c64" };
    return names[type];
}

const char *tess__c_stored(int32_t type)
{
    return type == TESS_F16 ? "tess_f16" : type == TESS_C16 ? "tess_c16" : tess__c_held(type);
}

const char *tess__c_load(int32_t type)
{
    return type == TESS_BOOL  ? "tess__held_bool("
           : type == TESS_F16 ? "tess__held_f16("
           : type == TESS_C16 ? "tess__held_c16("
                              : "(";
}

const char *tess__c_store(int32_t type)
{
    return type == TESS_F16 ? "tess__kept_f16(" : type == TESS_C16 ? "tess__kept_c16(" : "(";
}

static const char *suffix(int32_t type) { return type == TESS_BOOL ? "b8" : tess_dtype_name(type); }

static bool is_integer(int32_t type) { return type <= TESS_U64; }
static bool is_complex(int32_t type) { return type >= TESS_C16; }
static bool is_double(int32_t type) { return type == TESS_F64 || type == TESS_C64; }

/* ---- Numbers and conversions ---- */

/* Every bit of a finite number, without a point: which one printf takes is up to the locale. */
static void put_finite(tess__c_printer *p, double x, bool single)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t  digits = bits & ((UINT64_C(1) << 52) - 1);
    int       power = (exponent ? exponent : 1) - 1075;
    if (exponent) digits |= UINT64_C(1) << 52;
    for (; digits && digits % 2 == 0; digits /= 2) power++;
    PUT("%s0x%llxp%d%s", bits >> 63 ? "-" : "", (unsigned long long)digits, digits ? power : 0, single ? "f" : "");
}

static void put_real(tess__c_printer *p, double x, bool single)
{
    if (x != x) PUT(single ? "__builtin_nanf(\"\")" : "__builtin_nan(\"\")");
    else if (x - x != 0) PUT("%s__builtin_inf%s()", x < 0 ? "-" : "", single ? "f" : "");
    else put_finite(p, x, single);
}

void tess__c_zero(tess__c_printer *p, int32_t type) { PUT(is_complex(type) ? "{ 0, 0 }" : "0"); }

void tess__c_number(tess__c_printer *p, int32_t type, tess__constant value)
{
    const bool single = !is_double(type);
    if (is_integer(type)) {
        PUT("((%s)UINT64_C(%llu))", tess__c_held(type), (unsigned long long)value.u);
        return;
    }
    PUT(!is_complex(type) ? "(" : single ? "tess__of_parts_c32(" : "tess__of_parts_c64(");
    put_real(p, value.f[0], single);
    if (is_complex(type)) {
        PUT(", ");
        put_real(p, value.f[1], single);
    }
    PUT(")");
}

const char *tess__c_convert(tess__c_printer *p, int32_t from, int32_t to)
{
    const bool wide = is_double(from);
    if (from == to) PUT("(");
    else if (to == TESS_BOOL) PUT("tess__held_bool(0 != ");
    else if (is_integer(to) && !is_integer(from)) PUT("tess__clamped_%s((double)", tess_dtype_name(to));
    else if (is_complex(to) && is_complex(from))
        PUT(to == TESS_C64           ? "tess__widen_c32("
            : to == TESS_C16 && wide ? "tess__halved_c64("
            : to == TESS_C16         ? "tess__halved_c32("
            : wide                   ? "tess__narrow_c64("
                                     : "(");
    else if (is_complex(to)) {
        PUT("tess__of_parts_%s(", to == TESS_C64 ? "c64" : "c32");
        (void)tess__c_convert(p, from, to == TESS_C64 ? TESS_F64 : to == TESS_C32 ? TESS_F32 : TESS_F16);
        return "), 0)";
    } else if (to == TESS_F16) PUT(wide ? "tess__halved_f64(" : "tess__halved_f32((float)");
    else PUT("(%s)(", tess__c_held(to));
    return ")";
}

static int32_t promoted(int32_t type)
{
    return type == TESS_F16                                                                                  ? TESS_F32
           : type == TESS_C16                                                                                ? TESS_C32
           : type == TESS_BOOL || type == TESS_I8 || type == TESS_I16 || type == TESS_U8 || type == TESS_U16 ? TESS_I32
                                                                                                             : type;
}

int32_t tess__c_computed(int32_t op, int32_t type)
{
    return op == TESS__OP_logical_or || op == TESS__OP_logical_and ? TESS_BOOL : promoted(type);
}

void tess__c_combined(tess__c_printer *p, int32_t op, int32_t type, const char *x, const char *y)
{
    const int32_t     computed = tess__c_computed(op, type);
    const char *const close = tess__c_convert(p, computed, type);
    PUT("tess__do_%s_%s(", tess__operator_rows[op].name, suffix(computed));
    const char *const *const operands = (const char *const[]){ x, y };
    for (int i = 0; i < 2; i++) {
        PUT(i ? ", " : "");
        const char *end = tess__c_convert(p, type, computed);
        PUT("%s%s", operands[i], end);
    }
    PUT(")%s", close);
}

/* ---- Expressions ---- */

static void put_list(tess__c_printer *p, int32_t k, const char *between)
{
    for (; k; k = p->tree->nodes[k].next, between = ", ") {
        PUT("%s", between);
        tess__c_expression(p, k);
    }
}

static void put_interp(tess__c_printer *p, const tess__node *node)
{
    static const char *const names[] = {
#define TESS__INTERP(name, NAME, method, taps, cost, help) [TESS_INTERP_##NAME] = #method,
#include "tessera/math/interps.def"
    };
    const int32_t     method = tess__interp_method(node->value.i), along = tess__interp_along(node->value.i);
    const char *const rank = tess__interp_is_volume(node->value.i) ? "interp3" : "interp";
    PUT("tess__%s_%s_%s_%s(&w%d", rank, along ? "along" : names[method], tess_dtype_name(node->type),
        tess_dtype_name(node->computed), (int)node->op);
    if (along) PUT(", %d, %d", (int)method, (int)along);
    put_list(p, node->first, ", ");
    PUT(")");
}

static void put_select(tess__c_printer *p, const tess__node *node)
{
    const tess__node *nodes = p->tree->nodes;
    const int32_t     yes = nodes[node->first].next;
    PUT("(");
    tess__c_expression(p, node->first);
    PUT(" ? ");
    tess__c_expression(p, yes);
    PUT(" : ");
    tess__c_expression(p, nodes[yes].next);
    PUT(")");
}

void tess__c_expression(tess__c_printer *p, int32_t at)
{
    static const char         axes[] = "bdhw";
    const tess__node         *node = &p->tree->nodes[at];
    const tess__operator_row *row = &tess__operator_rows[node->op];
    switch (node->kind) {
    case TESS__NUMBER: tess__c_number(p, node->type, node->value); return;
    case TESS__NAME: PUT("v%d", (int)node->op); return;
    case TESS__INDEX: PUT("i%c", axes[node->op]); return;
    case TESS__SHAPE: PUT("tess__c_shape(%d, %d)", (int)node->op, (int)node->value.i); return;
    case TESS__SIZE: PUT("tess__c_size(%d)", (int)node->value.i); return;
    case TESS__COUNT: PUT("tess__c_count"); return;
    case TESS__SELECT: put_select(p, node); return;
    case TESS__INTERP: put_interp(p, node); return;
    case TESS__CONVERT: {
        const char *close = tess__c_convert(p, p->tree->nodes[node->first].type, node->type);
        tess__c_expression(p, node->first);
        PUT("%s", close);
        return;
    }
    case TESS__OPERATOR: PUT("tess__do_%s_%s(", row->name, suffix(node->computed)); break;
    case TESS__AT:
        PUT("%stess__at_%s(&w%d, ", tess__c_load(node->type), tess_dtype_name(node->type), (int)node->op);
        break;
    case TESS__RANDOM: PUT("tess__c_random("); break;
    default:
        PUT("%s_f%d(", p->name, (int)node->op);
        if (p->dialect->put_call) p->dialect->put_call(p, node->op);
    }
    put_list(p, node->first, "");
    PUT(node->kind == TESS__AT ? "))" : ")");
}
