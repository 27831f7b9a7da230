/* Operator calls: arguments bound to parameters and checked, the domain, outputs allocated, one request. */
#include <inttypes.h>
#include <string.h>

#include "core/array/broadcast.h"
#include "core/check/check.h"
#include "core/device/device.h"
#include "core/device/engine.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/array/rows.h"
#include "core/device/stream.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "lang/front/names.h"
#include "ops/op/op.h"
#include "ops/op/value.h"

static const tess_arg_info run_args[] = {
    TESS__AUTO_I32(tess_run_opts, threads, "", "the current setting", 1, 256, "maximum number of threads"),
};
static const tess_function_info run_info = TESS__INFO_OPTS("run", "op", "Run an operator.", run_args, tess_run_opts);

_Static_assert(sizeof((tess__op_call *)NULL)->structs == TESS__STRUCT_ROOM, "as many bytes as a text may have");

/* A call under way. */
typedef struct call {
    const tess__op_body  *body;
    const tess__operator *instance;
    const char           *name;
    const tess_bind      *bind[TESS__MAX_PARAMS]; /* of each parameter; NULL: none */
    const tess_run_opts  *opts;
    uint32_t              made;  /* outputs that were allocated here */
    uint32_t              hosts; /* outputs in host memory */
    tess__op_call         work;
} call;

/* The parameters of a set, one after the other. */
#define EACH(k, set)                                                                                                   \
    for (uint32_t k##_left = (set), k = 0; k##_left && (k = (uint32_t)__builtin_ctz(k##_left), 1);                     \
         k##_left &= k##_left - 1)

static bool is_number(const tess_bind *bind) { return bind->kind >= TESS_BIND_I64 && bind->kind <= TESS_BIND_C64; }

static const char *given_text(const tess_bind *bind)
{
    static const char *const texts[] = { "nothing",  "an array", "a const array",  "a number", "a number",
                                         "a number", "a number", "a host pointer", "a struct" };
    return bind->kind >= 1 && bind->kind <= TESS_BIND_STRUCT ? texts[bind->kind] : "an argument of unknown kind";
}

/* ---- Arguments to parameters ---- */

/* The head of the canonical text: what stands before the body, without functions. */
static const char *signature(const call *c, int *length)
{
    const char *head = c->body->source, *next = head;
    while (strncmp(head, "op ", 3) != 0 && (next = strchr(head, '\n')) != NULL) head = next + 1;
    *length = (int)strcspn(head, "{\n");
    if (*length && head[*length - 1] == ' ') --*length;
    return head;
}

static tess_status reject_count(const call *c, int n)
{
    const int   needed = c->body->n_arguments, defaults = c->body->n_defaults;
    int         length;
    const char *head = signature(c, &length);
    TESS_CHECK(defaults > 0, TESS_EARG, "%s: %d arguments are given; %d are needed: %.*s", c->name, n, needed, length,
               head);
    TESS_FAIL(TESS_EARG, "%s: %d arguments are given; %d to %d are needed: %.*s", c->name, n, needed - defaults, needed,
              length, head);
}

/* Values that have a default may be left out, the last ones first. */
static tess_status match(call *c, const tess_bind *binds, int n)
{
    const tess__tree *untyped = c->body->untyped;
    const int         missing = c->body->n_arguments - n;
    int               kept = c->body->n_defaults - missing;
    if (missing < 0 || kept < 0) return reject_count(c, n);
    TESS_CHECK(n == 0 || binds, TESS_EARG, "%s: `binds` is `NULL`; %d arguments are needed", c->name, n);
    for (int k = 0; k < untyped->n_params; k++) {
        const tess__param *p = &untyped->params[k];
        const bool         left_out = missing && p->role == TESS__PARAM_VAL && p->given && kept-- <= 0;
        c->bind[k] = p->role == TESS__PARAM_ACC || left_out ? NULL : binds++;
    }
    return TESS_OK;
}

static tess_status reject_kind(const call *c, uint32_t k, int role)
{
    const tess__tree *untyped = c->body->untyped;
    const int32_t     type = untyped->params[k].type;
    if (tess__is_struct(type)) {
        const tess__bytes name = untyped->structs[type - TESS__STRUCT_TYPE].name;
        TESS_FAIL(TESS_EARG, "%s: %s (val) is %s; a struct %.*s is needed: tess_struct(%.*s, &..)", c->name,
                  c->body->params[k], given_text(c->bind[k]), (int)name.length, untyped->text + name.at,
                  (int)name.length, untyped->text + name.at);
    }
    static const char *const needed[] = {
        "an array is needed (for a number: &tess_f32(x), or declare it val)",
        "a writable array, or in a reduction a host pointer, is needed",
        "a writable array is needed",
        "a number is needed",
        "an array is needed",
        "a writable array is needed",
    };
    TESS_FAIL(TESS_EARG, "%s: %s (%s) is %s; %s", c->name, c->body->params[k], tess__role_names[role],
              given_text(c->bind[k]), needed[role]);
}

static bool kind_fits(const tess_bind *bind, int role, int32_t type, bool reduces)
{
    if (tess__is_struct(type)) return bind->kind == TESS_BIND_STRUCT;
    switch (role) {
    case TESS__PARAM_IN:
    case TESS__PARAM_VIEW: return bind->kind == TESS_BIND_ARRAY || bind->kind == TESS_BIND_INPUT;
    case TESS__PARAM_OUT: return bind->kind == TESS_BIND_ARRAY || (bind->kind == TESS_BIND_HOST && reduces);
    case TESS__PARAM_VAL: return is_number(bind);
    default: return bind->kind == TESS_BIND_ARRAY;
    }
}

/* An output that is allocated here is allocated once. */
static tess_status note_made(call *c, uint32_t k)
{
    EACH (other, c->made)
        TESS_CHECK(c->bind[other]->as.input != c->bind[k]->as.input, TESS_EALIAS,
                   "%s: %s and %s are the same array, which is zeroed; each needs an array of its own", c->name,
                   c->body->params[other], c->body->params[k]);
    c->made |= 1u << k;
    c->work.param[k].array = *c->bind[k]->as.input;
    return TESS_OK;
}

/* The array of a binding as it was given; one that stands for a host pointer. */
static tess_status take_array(call *c, uint32_t k, int role)
{
    const tess_bind *bind = c->bind[k];
    const char      *arg = c->body->params[k];
    tess_array      *a = &c->work.param[k].array;
    if (bind->kind == TESS_BIND_HOST) {
        TESS_TRY(tess__check_pointer(c->name, arg, bind->as.host));
        TESS_TRY(tess__check_dtype(c->name, arg, bind->dtype));
        *a = (tess_array){
            .shape = { { 1, 1, 1, 1 } }, .strides = { { 1, 1, 1, 1 } }, .data = bind->as.host, .dtype = bind->dtype
        };
        c->hosts |= 1u << k;
        return TESS_OK;
    }
    TESS_TRY(tess__check_pointer(c->name, arg, bind->as.input));
    if (role == TESS__PARAM_OUT && tess__is_empty_out(bind->as.input)) {
        TESS_TRY(note_made(c, k));
        return TESS_OK;
    }
    TESS_TRY(tess__check_numbers(c->name, arg, bind->as.input));
    const bool number = bind->as.input->flags & TESS_SCALAR; /* to read it from the copy would be slow */
    *a = *bind->as.input;
    if (!number) return TESS_OK;
    TESS_CHECK(role == TESS__PARAM_IN, TESS_EARG, "%s: %s (%s) is a number; an array is needed", c->name, arg,
               tess__role_names[role]);
    c->work.scalars |= 1u << k;
    return TESS_OK;
}

static tess_status take_arguments(call *c)
{
    const tess__tree *untyped = c->body->untyped;
    const bool        reduces = c->body->reduces;
    c->made = c->hosts = 0;
    c->work.scalars = 0;
    for (uint32_t k = 0; k < (uint32_t)untyped->n_params; k++) {
        const int role = untyped->params[k].role;
        if (!c->bind[k]) continue;
        if (!kind_fits(c->bind[k], role, untyped->params[k].type, reduces)) return reject_kind(c, k, role);
        if (role != TESS__PARAM_VAL) TESS_TRY(take_array(c, k, role));
    }
    return TESS_OK;
}

/* ---- Types ---- */

/* The dtypes that stand for T, U and V, and which parameter said so. */
static tess_status bind_letters(const call *c, tess_dtype letters[TESS__LETTERS])
{
    const tess__tree *untyped = c->body->untyped;
    int               said[TESS__LETTERS] = { 0 };
    for (int weak = 0; weak < 2; weak++) /* weak scalars come last */
        for (int k = 0; k < untyped->n_params; k++) {
            const int32_t type = untyped->params[k].type, role = untyped->params[k].role;
            if (type >= 0 || !c->bind[k] || role == TESS__PARAM_VAL || c->made >> k & 1) continue;
            const tess_array *a = &c->work.param[k].array;
            if (((a->flags & TESS_WEAK) != 0) != weak) continue;
            tess_dtype *letter = &letters[-1 - type];
            if (!*letter) *letter = a->dtype, said[-1 - type] = k;
            TESS_CHECK(*letter == a->dtype || weak, TESS_EDTYPE,
                       "%s: %s is %s, but %s is %s; both are %c and must have the same type", c->name,
                       c->body->params[k], tess_dtype_name(a->dtype), c->body->params[said[-1 - type]],
                       tess_dtype_name(*letter), "TUV"[-1 - type]);
        }
    for (int k = 0; k < untyped->n_params; k++) {
        const int32_t type = untyped->params[k].type;
        TESS_CHECK(type >= 0 || letters[-1 - type], TESS_EDTYPE,
                   "%s: %s is %c, and no array of the call determines that type; allocate the output first", c->name,
                   c->body->params[k], "TUV"[-1 - type]);
    }
    return TESS_OK;
}

/* A scalar of the caller's is held by its value. */
static tess_status hold_number(call *c, uint32_t k, tess_dtype dtype)
{
    tess_array *a = &c->work.param[k].array;
    if (a->flags & TESS_WEAK) {
        double x;
        memcpy(&x, a->data, sizeof x);
        const tess_bind bind = { .kind = TESS_BIND_F64, .as.f = x };
        TESS_TRY(tess__bind_value(c->work.param[k].value, dtype, &bind, c->name, c->body->params[k]));
        a->dtype = dtype;
        return TESS_OK;
    }
    memcpy(c->work.param[k].value, a->data, (size_t)tess__dtype_size(dtype));
    return TESS_OK;
}

static tess_status check_type(call *c, uint32_t k, tess_dtype dtype)
{
    const tess_array *a = &c->work.param[k].array;
    if (c->made >> k & 1) return TESS_OK;
    const int role = c->body->untyped->params[k].role;
    TESS_CHECK(a->dtype == dtype || a->flags & TESS_WEAK, TESS_EDTYPE, "%s: %s (%s) is %s%s; %s is needed", c->name,
               c->body->params[k], tess__role_names[role], c->hosts >> k & 1 ? "a host pointer to " : "",
               tess_dtype_name(a->dtype), tess_dtype_name(dtype));
    if (c->work.scalars >> k & 1) TESS_TRY(hold_number(c, k, dtype));
    return TESS_OK;
}

/* The default of a value, as its type. */
static tess_status set_default(call *c, uint32_t k)
{
    const tess__param *p = &c->instance->tree->params[k];
    tess_bind          bind = { .kind = TESS_BIND_I64 };
    switch (tess_dtype_kind(p->type)) {
    case TESS_KIND_INT: bind.as.i = p->value.i; break;
    case TESS_KIND_UINT:
    case TESS_KIND_BOOL: bind.kind = TESS_BIND_U64, bind.as.u = p->value.u; break;
    case TESS_KIND_FLOAT: bind.kind = TESS_BIND_F64, bind.as.f = p->value.f[0]; break;
    default: bind.kind = TESS_BIND_C64, bind.as.c = (tess_c64){ p->value.f[0], p->value.f[1] };
    }
    TESS_TRY(tess__bind_value(c->work.param[k].value, p->type, &bind, c->name, c->body->params[k]));
    return TESS_OK;
}

/* A struct is copied; it must be the one that the operator was written for. */
static tess_status take_struct(call *c, uint32_t k)
{
    const tess__tree        *tree = c->instance->tree;
    const tess__param       *p = &tree->params[k];
    const tess__struct      *s = &tree->structs[p->type - TESS__STRUCT_TYPE];
    const tess_struct_value *given = &c->bind[k]->as.structure;
    const char              *name = tree->text + s->name.at, *arg = c->body->params[k];
    const int                length = (int)s->name.length;
    TESS_TRY(tess__check_pointer(c->name, arg, given->at));
    TESS_TRY(tess__check_pointer(c->name, "the definition of a struct", given->def));
    const char *other = given->def->name;
    TESS_CHECK(!other || (strlen(other) == (size_t)length && memcmp(other, name, (size_t)length) == 0), TESS_EDTYPE,
               "%s: %s (val) is a struct %s; %.*s is needed", c->name, arg, other ? other : "", length, name);
    TESS_CHECK(given->def->size == s->size, TESS_EDTYPE, "%s: %s (val) is a struct of %" PRId64 " bytes; %.*s has %d",
               c->name, arg, given->def->size, length, name, (int)s->size);
    memcpy(c->work.structs + p->at, given->at, (size_t)s->size);
    return TESS_OK;
}

static tess_status check_types(call *c)
{
    const tess__roles *roles = &c->instance->roles;
    const tess__param *params = c->instance->tree->params;
    EACH (k, roles->in | roles->out | roles->inout | roles->view | roles->scatter)
        TESS_TRY(check_type(c, k, params[k].type));
    EACH (k, roles->val) {
        if (!c->bind[k]) TESS_TRY(set_default(c, k));
        else if (tess__is_struct(params[k].type)) TESS_TRY(take_struct(c, k));
        else
            TESS_TRY(tess__bind_value(c->work.param[k].value, params[k].type, c->bind[k], c->name, c->body->params[k]));
    }
    return TESS_OK;
}

/* ---- The domain ---- */

static tess_status common_shape(call *c, uint32_t set)
{
    const char       *names[TESS__MAX_PARAMS];
    const tess_array *inputs[TESS__MAX_PARAMS];
    int               n = 0;
    EACH (k, set) names[n] = c->body->params[k], inputs[n++] = &c->work.param[k].array;
    TESS_CHECK(n, TESS_ESHAPE, "%s: no %s determines the domain; give it in the options (domain)", c->name,
               c->instance->mode == TESS_MODE_REDUCE ? "input" : "input or allocated output");
    TESS_TRY(tess__common_shape(&c->work.domain, c->name, names, inputs, n));
    if (n > 1) TESS_TRY(tess__check_shape(c->name, "the domain", c->work.domain, TESS_C64));
    return TESS_OK;
}

static bool domain_given(const tess_shape *domain) { return (domain->b | domain->d | domain->h | domain->w) != 0; }

static tess_status find_domain(call *c)
{
    const tess__roles *roles = &c->instance->roles;
    const uint32_t     outs = (roles->out | roles->inout) & ~c->made;
    if (c->opts && domain_given(&c->opts->domain)) {
        c->work.domain = c->opts->domain;
        TESS_TRY(tess__check_shape(c->name, "opts->domain", c->work.domain, TESS_C64));
    } else if (c->instance->mode == TESS_MODE_REDUCE) {
        TESS_TRY(common_shape(c, roles->in | roles->inout));
    } else if (outs) {
        c->work.domain = c->work.param[__builtin_ctz(outs)].array.shape;
    } else {
        TESS_TRY(common_shape(c, roles->in));
    }
    EACH (k, roles->in)
        TESS_TRY(
            tess__check_broadcast(c->name, c->body->params[k], &c->work.param[k].array, "the domain", &c->work.domain));
    return TESS_OK;
}

/* Outputs of element-wise and index-wise work have the shape of the domain. */
static tess_status check_full(const call *c, uint32_t k)
{
    char              text[2][TESS__SHAPE_TEXT];
    const tess_array *a = &c->work.param[k].array;
    TESS_CHECK(tess__same_sizes(&a->shape, &c->work.domain), TESS_ESHAPE,
               "%s: %s has shape %s, and the domain is %s; they must be equal", c->name, c->body->params[k],
               tess__shape_text(text[0], a->shape.dim), tess__shape_text(text[1], c->work.domain.dim));
    return TESS_OK;
}

/* Outputs of a reduction have size 1 in the axes that are reduced, all of them in the same ones. */
static tess_status find_axes(call *c)
{
    char     text[2][TESS__SHAPE_TEXT];
    int      first = -1;
    uint32_t axes = 15;
    EACH (k, c->instance->roles.out & ~c->made) {
        const int64_t *shape = c->work.param[k].array.shape.dim, *domain = c->work.domain.dim;
        uint32_t       reduced = 0;
        for (int d = 0; d < 4; d++) {
            TESS_CHECK(shape[d] == 1 || shape[d] == domain[d], TESS_ESHAPE,
                       "%s: %s has shape %s, and the domain is %s: axis %d must be 1 (reduced) or equal", c->name,
                       c->body->params[k], tess__shape_text(text[0], shape), tess__shape_text(text[1], domain), d);
            if (shape[d] == 1) reduced |= 1u << d;
        }
        TESS_CHECK(first < 0 || reduced == axes, TESS_ESHAPE,
                   "%s: %s has shape %s and %s has %s; all outputs must be reduced over the same axes", c->name,
                   c->body->params[first < 0 ? (int)k : first],
                   tess__shape_text(text[0], c->work.param[first < 0 ? (int)k : first].array.shape.dim),
                   c->body->params[k], tess__shape_text(text[1], shape));
        if (first < 0) first = (int)k, axes = reduced;
    }
    TESS_CHECK(first < 0 || !c->made || axes == 15, TESS_ESHAPE,
               "%s: %s is zeroed and would be allocated as {1,1,1,1}, but %s has shape %s; allocate all outputs first",
               c->name, c->body->params[__builtin_ctz(c->made ? c->made : 1)], c->body->params[first < 0 ? 0 : first],
               tess__shape_text(text[0], c->work.param[first < 0 ? 0 : first].array.shape.dim));
    c->work.axes = axes;
    return TESS_OK;
}

/* ---- Devices, memory ---- */

static tess_status reject_device(const call *c, uint32_t first, uint32_t k)
{
    char text[2][24];
    TESS_FAIL(TESS_EDEVICE, "%s: %s is on %s and %s on %s; copy one with `tess_to_device`", c->name,
              c->body->params[first], tess_device_name(text[0], sizeof text[0], c->work.param[first].array.device),
              c->body->params[k], tess_device_name(text[1], sizeof text[1], c->work.param[k].array.device));
}

/* The stream of the call: the caller's, or the current one of the arrays' device. */
static tess_status find_stream(call *c, tess_stream **stream)
{
    const tess__roles *roles = &c->instance->roles;
    const uint32_t     all = roles->in | roles->out | roles->inout | roles->view | roles->scatter;
    const uint32_t     placed = all & ~(c->made | c->hosts | c->work.scalars);
    const uint32_t     first = placed ? (uint32_t)__builtin_ctz(placed) : 0;
    tess_device        device = placed ? c->work.param[first].array.device : tess_cpu();
    EACH (k, placed)
        if (!tess__same_device(c->work.param[k].array.device, device)) return reject_device(c, first, k);
    tess_stream *given = c->opts ? c->opts->stream : NULL;
    if (!given) {
        TESS_TRY(tess__stream_need(stream, c->name, device));
        return TESS_OK;
    }
    char text[2][24];
    TESS_CHECK(!placed || tess__same_device(given->device, device), TESS_EDEVICE,
               "%s: %s is on %s and the stream of %s; one device is needed", c->name, c->body->params[first],
               tess_device_name(text[0], sizeof text[0], device),
               tess_device_name(text[1], sizeof text[1], given->device));
    *stream = given;
    return TESS_OK;
}

static tess_status reject_overlap(const call *c, uint32_t out, uint32_t k, bool exact)
{
    char              shape[2][TESS__SHAPE_TEXT], strides[2][TESS__SHAPE_TEXT];
    const tess_array *a = &c->work.param[out].array, *b = &c->work.param[k].array;
    TESS_FAIL(TESS_EALIAS, "%s: %s (shape %s, strides %s) shares memory with %s (shape %s, strides %s); %s", c->name,
              c->body->params[out], tess__shape_text(shape[0], a->shape.dim),
              tess__shape_text(strides[0], a->strides.dim), c->body->params[k],
              tess__shape_text(shape[1], b->shape.dim), tess__shape_text(strides[1], b->strides.dim),
              exact ? "use exactly the same view, or other memory" : "use other memory");
}

/* Outputs are disjoint from all else, but in element-wise work they may be exactly an input. */
static tess_status check_overlaps(call *c)
{
    const tess__roles *roles = &c->instance->roles;
    const uint32_t     written = roles->out | roles->inout | roles->scatter;
    const bool         exact = c->instance->mode == TESS_MODE_EWISE;
    c->work.same = 0;
    EACH (out, written & ~c->made)
        EACH (k, ((roles->in | roles->view) & ~c->work.scalars) | (written & ~c->made & ((1u << out) - 1))) {
            const tess_array *a = &c->work.param[out].array, *b = &c->work.param[k].array;
            const int64_t     row = c->work.row;
            if (row ? tess__rows_disjoint(a, row, b, row) : tess__disjoint(a, b)) continue;
            const bool is_input = roles->in >> k & 1;
            if (exact && is_input && tess__same_view(a, b)) c->work.same |= 1u << k;
            else if (tess_overlap(a, b)) return reject_overlap(c, out, k, exact && is_input);
        }
    return TESS_OK;
}

/* Fast path: element-wise work on arrays that can all be walked as one row. */
static void find_row(call *c)
{
    const tess__roles *roles = &c->instance->roles;
    const tess_array  *others[TESS__MAX_PARAMS];
    int                n = 0;
    const uint32_t     outs = roles->out | roles->inout;
    c->work.row = 0;
    if (c->instance->mode != TESS_MODE_EWISE || !outs) return;
    const uint32_t first = (uint32_t)__builtin_ctz(outs);
    EACH (k, (roles->in | outs) & ~(1u << first)) others[n++] = &c->work.param[k].array;
    c->work.row = tess__row_of(&c->work.param[first].array, others, n);
}

static tess_status check_outputs(call *c)
{
    const tess__roles *roles = &c->instance->roles;
    if (c->instance->mode == TESS_MODE_REDUCE) TESS_TRY(find_axes(c));
    else
        EACH (k, roles->out & ~c->made) TESS_TRY(check_full(c, k));
    EACH (k, roles->inout) TESS_TRY(check_full(c, k));
    if (!c->made) find_row(c);
    else c->work.row = 0;
    EACH (k, (roles->out | roles->inout | roles->scatter) & ~(c->made | c->hosts)) {
        const tess_array *a = &c->work.param[k].array;
        if (!c->work.row || a->flags & TESS_READ_ONLY) TESS_TRY(tess__check_writable(c->name, c->body->params[k], a));
    }
    TESS_TRY(check_overlaps(c));
    return TESS_OK;
}

/* Unless what lies outside is known, there must be something inside. */
static tess_status check_views(const call *c)
{
    char text[TESS__SHAPE_TEXT];
    if (!tess__sizes_have_elements(&c->work.domain)) return TESS_OK;
    EACH (k, c->instance->roles.view) {
        const tess_array *v = &c->work.param[k].array;
        const int32_t     border = c->instance->tree->params[k].border;
        const bool known = border == TESS_BORDER_DEFAULT || border == TESS_BORDER_ZERO || border == TESS_BORDER_VALUE ||
                           border == TESS_BORDER_NOTHING || tess__is_spectrum(border);
        TESS_CHECK(tess__has_elements(v) || known, TESS_ESHAPE,
                   "%s: %s has shape %s with no elements; only a view with border zero, value or nothing, or of a "
                   "spectrum, may be empty",
                   c->name, c->body->params[k], tess__shape_text(text, v->shape.dim));
    }
    return TESS_OK;
}

static tess_status make_outputs(call *c, tess_device device)
{
    const bool     reduces = c->instance->mode == TESS_MODE_REDUCE;
    const uint32_t wanted = c->made;
    c->made = 0;
    EACH (k, wanted) {
        tess_array *out = c->bind[k]->as.array;
        TESS_TRY(tess__make(c->name, out, reduces ? TESS_SHAPE(1, 1, 1, 1) : c->work.domain,
                            c->instance->tree->params[k].type, device, false));
        c->work.param[k].array = *out;
        c->made |= 1u << k;
    }
    return TESS_OK;
}

/* ---- The call ---- */

/* Operators that know their index walk in the order of the axes, whatever the layouts are; others in that of memory,
 * where all arrays have the same. Sums of those follow the layout of their inputs: in copies, for which there may be no
 * memory, they would be others. */
static bool wants_rows(const call *c)
{
    const tess__operator *o = c->instance;
    bool                  differ = o->indexed;
    if (!o->walked || c->hosts || c->work.row || __builtin_popcount(o->walked) > TESS__ROWS_MAX) return false;
    if (o->mode == TESS_MODE_REDUCE) return o->indexed;
    EACH (k, o->walked)
        differ |= tess__rows_differ(&c->work.param[__builtin_ctz(o->walked)].array, &c->work.param[k].array);
    return differ;
}

static tess_status run_in_rows(call *c, tess_stream *stream)
{
    const tess__roles *roles = &c->instance->roles;
    tess__rows         rows = { .name = c->name };
    tess_status        status = TESS_OK;
    EACH (k, roles->in) TESS_GOTO(done, status, tess__rows_read(&rows, &c->work.param[k].array));
    EACH (k, roles->out | roles->inout)
        TESS_GOTO(done, status, tess__rows_write(&rows, &c->work.param[k].array, roles->inout >> k & 1));
    TESS_GOTO(done, status, tess__op_call_run(&c->work, stream));
done:
    TESS_TRY(tess__rows_end(&rows, status));
    return TESS_OK;
}

static tess_status hand_over(call *c, tess_stream *stream)
{
    if (c->made) {
        TESS_TRY(make_outputs(c, stream->device));
        find_row(c);
    }
    TESS_TRY(wants_rows(c) ? run_in_rows(c, stream) : tess__op_call_run(&c->work, stream));
    if (c->hosts) TESS_TRY(stream->backend->stream_sync(stream));
    return TESS_OK;
}

static tess_status submit(call *c)
{
    tess_stream *stream = NULL;
    TESS_TRY(find_domain(c));
    TESS_TRY(find_stream(c, &stream));
    TESS_TRY(check_outputs(c));
    if (c->instance->roles.view) TESS_TRY(check_views(c));
    if (c->instance->has_trips) TESS_TRY(tess__check_trips(&c->work, c->body->limits.max_trips));
    const uint32_t    unmade = c->made;
    const tess_status status = hand_over(c, stream);
    if (status != TESS_OK && unmade)
        EACH (k, c->made) tess_release(c->bind[k]->as.array);
    TESS_TRY(status);
    return TESS_OK;
}

/* Without letters there is one instance, which exists already. */
static tess_status find_instance(call *c, tess__operator **own, const tess_op *op)
{
    if (!c->body->untyped->letters) {
        c->instance = c->body->instance[0];
        return TESS_OK;
    }
    tess_dtype letters[TESS__LETTERS] = { 0 };
    TESS_TRY(bind_letters(c, letters));
    TESS_TRY(tess__op_instance(&c->instance, own, op, letters));
    return TESS_OK;
}

static tess_status run_body(const tess_op *op, const tess_bind *binds, int n, const tess_run_opts *opts)
{
    call            c;
    tess__operator *own = NULL;
    c.body = op->body;
    c.name = op->name;
    c.opts = opts;
    TESS_TRY(match(&c, binds, n));
    TESS_TRY(take_arguments(&c));
    TESS_TRY(find_instance(&c, &own, op));
    c.work.name = c.name;
    c.work.op = c.instance;
    c.work.keep = own ? &own->buffer : (tess_buffer *)(uintptr_t)&op->buffer;
    c.work.n_params = c.instance->n_params;
    c.work.axes = 0;
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, check_types(&c));
    TESS_GOTO(done, status, submit(&c));
done:
    if (own) tess__buffer_release(&own->buffer);
    return status;
}

tess_status tess_run(const tess_op *op, const tess_bind *binds, int n, const tess_run_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_run_opts o;
    TESS_TRY(tess__check_pointer("run", "op", op));
    if (opts) {
        TESS_TRY(tess__resolve(&run_info, opts, &o));
        opts = &o;
    }
    const bool        capped = opts && opts->threads; /* queued work takes the limit along */
    const int         before = capped ? tess__threads_cap(opts->threads) : 0;
    const tess_status status = op->body ? run_body(op, binds, n, opts) : tess__run_builtin(op, binds, n, opts);
    if (capped) (void)tess__threads_cap(before);
    TESS_TRY(status);
    return TESS_OK;
}

tess_status tess_run_def(tess_op_def *def, const tess_bind *binds, int n, const tess_run_opts *opts)
{
    const tess_op *op = NULL;
    TESS_TRY(tess_op_of(&op, def));
    TESS_TRY(tess_run(op, binds, n, opts));
    return TESS_OK;
}
