/* Built-in operators: the element-wise functions of ewise.def as operator objects. */
#include "tessera/op_builtin.h"

#include <string.h>

#include "core/check/check.h"
#include "core/check/output.h"
#include "core/check/text.h"
#include "ops/op/op.h"
#include "tessera/ewise.h"

/* ---- The list ---- */

/* The type of the result. Some functions of complex numbers have real results: those are of another letter. */
#define TYPE_SAME "T"
#define TYPE_BOOL "bool"
#define TYPE_MAKES_COMPLEX "U"
#define SOURCE1(name, type) "op " #name "(in T x, out " type " z) { z = " #name "(x); }"
#define SOURCE2(name, type) "op " #name "(in T x, in T y, out " type " z) { z = " #name "(x, y); }"
#define SOURCE3(name, type) "op " #name "(in T x, in T y, in T w, out " type " z) { z = " #name "(x, y, w); }"

static const tess_op builtins[TESS__OP_where] = {
#define ENTRY(name_, text)                                                                                             \
    [TESS__OP_##name_] = { .name = #name_, .source = (text), .builtin = TESS__OP_##name_, .permanent = true },
#define EWISE1(name, types, result, ...) ENTRY(name, SOURCE1(name, TYPE_##result))
#define EWISE2(name, types, result, ...) ENTRY(name, SOURCE2(name, TYPE_##result))
#define EWISE3(name, types, result, ...) ENTRY(name, SOURCE3(name, TYPE_##result))
#define EWISE1_SLOW EWISE1
#define EWISE2_SLOW EWISE2
#include "ops/ewise/ewise.def"
#undef EWISE1
#undef EWISE1_SLOW
#undef EWISE2_SLOW
#undef EWISE2
#undef EWISE3
#undef ENTRY
};

static const char *const sources_of_reals[TESS__OP_where] = {
#define TEXT_SAME(name) NULL
#define TEXT_BOOL(name) NULL
#define TEXT_REAL(name) SOURCE1(name, "U")
#define COMPLEX1(name, result, ...) [TESS__OP_##name] = TEXT_##result(name),
#define COMPLEX1_SLOW COMPLEX1
#define COMPLEX2 COMPLEX1
#define COMPLEX3 COMPLEX1
#include "ops/ewise/complex.def"
#undef COMPLEX1
#undef COMPLEX1_SLOW
#undef COMPLEX2
#undef COMPLEX3
#undef TEXT_SAME
#undef TEXT_BOOL
#undef TEXT_REAL
};

#define BUILTIN(NAME, name) const tess_op *const TESS_OP_##NAME = &builtins[TESS__OP_##name];
TESS_BUILTIN_OPS(BUILTIN)
#undef BUILTIN

#define COUNT(NAME, name) +1
_Static_assert(0 TESS_BUILTIN_OPS(COUNT) == TESS__OP_where, "op_builtin.h is old: UPDATE=1 tests/source/op_builtin");
#undef COUNT

typedef struct function {
    int inputs;
    tess_status (*one)(tess_array *, const tess_array *);
    tess_status (*two)(tess_array *, const tess_array *, const tess_array *);
    tess_status (*three)(tess_array *, const tess_array *, const tess_array *, const tess_array *);
} function;

static const function functions[TESS__OP_where] = {
#define EWISE1(name, ...) [TESS__OP_##name] = { .inputs = 1, .one = tess_##name },
#define EWISE2(name, ...) [TESS__OP_##name] = { .inputs = 2, .two = tess_##name },
#define EWISE3(name, ...) [TESS__OP_##name] = { .inputs = 3, .three = tess_##name },
#define EWISE1_SLOW EWISE1
#define EWISE2_SLOW EWISE2
#include "ops/ewise/ewise.def"
#undef EWISE1
#undef EWISE1_SLOW
#undef EWISE2_SLOW
#undef EWISE2
#undef EWISE3
};

const char *tess__builtin_source(const tess_op *op)
{
    const char *of_reals = sources_of_reals[op->builtin];
    return of_reals ? of_reals : op->source;
}

/* ---- The call ---- */

static const char *const names[TESS__MAX_INPUTS] = { "x", "y", "w" };

/* A scalar as an array of one element. Real ones are weak. Complex ones have the precision of the arrays. */
typedef struct number {
    double     value[2];
    float      single[2];
    tess_array array;
} number;

static tess_status take_number(number *n, const tess_bind *bind, const char *fn, const char *arg, bool single)
{
    n->array = (tess_array){ .shape = { { 1, 1, 1, 1 } },
                             .data = n->value,
                             .dtype = TESS_F64,
                             .flags = TESS_SCALAR | TESS_READ_ONLY | TESS_WEAK };
    switch (bind->kind) {
    case TESS_BIND_I64: n->value[0] = (double)bind->as.i; break;
    case TESS_BIND_U64: n->value[0] = (double)bind->as.u; break;
    case TESS_BIND_F64: n->value[0] = bind->as.f; break;
    default:
        n->value[0] = bind->as.c.re, n->value[1] = bind->as.c.im;
        n->single[0] = (float)n->value[0], n->single[1] = (float)n->value[1];
        n->array.dtype = single ? TESS_C32 : TESS_C64;
        n->array.flags = TESS_SCALAR | TESS_READ_ONLY;
        if (single) n->array.data = n->single;
        return TESS_OK;
    }
    const bool exact = bind->kind == TESS_BIND_F64 ||
                       (-0x1p63 <= n->value[0] && n->value[0] < 0x1p63 && bind->kind == TESS_BIND_I64 &&
                        (int64_t)n->value[0] == bind->as.i) ||
                       (bind->kind == TESS_BIND_U64 && n->value[0] < 0x1p64 && (uint64_t)n->value[0] == bind->as.u);
    TESS_CHECK(exact, TESS_ERANGE,
               "%s: `%s` is an integer that f64 cannot hold exactly; pass it as an array (&tess_i64(x))", fn, arg);
    return TESS_OK;
}

/* Are all arrays of single precision or less? Then complex numbers are as well. */
static bool all_single(const tess_bind *binds, int n)
{
    for (int i = 0; i < n; i++) {
        if (binds[i].kind != TESS_BIND_ARRAY && binds[i].kind != TESS_BIND_INPUT) continue;
        const tess_dtype dtype = binds[i].as.input ? binds[i].as.input->dtype : TESS_DTYPE_NONE;
        if (dtype != TESS_F16 && dtype != TESS_F32 && dtype != TESS_C16 && dtype != TESS_C32) return false;
    }
    return true;
}

static tess_status take_inputs(const tess_array **inputs, number *numbers, const tess_op *op, const tess_bind *binds,
                               int n)
{
    for (int i = 0; i < n; i++) {
        const tess_bind *b = &binds[i];
        inputs[i] = b->as.input;
        if (b->kind == TESS_BIND_ARRAY || b->kind == TESS_BIND_INPUT) continue;
        TESS_CHECK(b->kind >= TESS_BIND_I64 && b->kind <= TESS_BIND_C64, TESS_EARG,
                   "%s: `%s` (in) is %s; an array or a number is needed", op->name, names[i],
                   b->kind == TESS_BIND_HOST     ? "a host pointer"
                   : b->kind == TESS_BIND_STRUCT ? "a struct"
                                                 : "an argument of unknown kind");
        TESS_TRY(take_number(&numbers[i], b, op->name, names[i], all_single(binds, n)));
        inputs[i] = &numbers[i].array;
    }
    return TESS_OK;
}

/* The domain of the options: an input is broadcast to it, and with that a new output has its shape. */
static tess_status widen(const tess_array **inputs, tess_array *wide, const tess_op *op, const tess_array *out,
                         const tess_shape *domain)
{
    char text[2][TESS__SHAPE_TEXT];
    if ((domain->b | domain->d | domain->h | domain->w) == 0) return TESS_OK;
    TESS_CHECK(!out || tess__is_empty_out(out) || tess__same_sizes(&out->shape, domain), TESS_ESHAPE,
               "%s: `z` has shape %s, and the domain is %s; they must be equal", op->name,
               tess__shape_text(text[0], out->shape.dim), tess__shape_text(text[1], domain->dim));
    TESS_TRY(tess__check_array(op->name, "x", inputs[0]));
    TESS_TRY(tess_broadcast(wide, inputs[0], *domain));
    inputs[0] = wide;
    return TESS_OK;
}

static tess_status call(const function *f, tess_array *out, const tess_array *const *inputs)
{
    if (f->one) TESS_TRY(f->one(out, inputs[0]));
    else if (f->two) TESS_TRY(f->two(out, inputs[0], inputs[1]));
    else TESS_TRY(f->three(out, inputs[0], inputs[1], inputs[2]));
    return TESS_OK;
}

/* The same on a stream, which is the thread's only for this call. */
static tess_status call_with(const function *f, tess_array *out, const tess_array *const *inputs,
                             const tess_run_opts *opts)
{
    if (!opts || !opts->stream) return call(f, out, inputs);
    tess_stream *before = tess_stream_current(opts->stream->device);
    TESS_TRY(tess_stream_set_current(opts->stream));
    const tess_status status = call(f, out, inputs);
    TESS_TRY(tess_stream_set_current(before));
    return status;
}

tess_status tess__run_builtin(const tess_op *op, const tess_bind *binds, int n, const tess_run_opts *opts)
{
    const function   *f = &functions[op->builtin];
    const tess_array *inputs[TESS__MAX_INPUTS];
    number            numbers[TESS__MAX_INPUTS];
    tess_array        wide;
    TESS_CHECK(n == f->inputs + 1, TESS_EARG, "%s: %d arguments are given; %d are needed: %s", op->name, n,
               f->inputs + 1, tess__builtin_source(op));
    TESS_TRY(tess__check_pointer(op->name, "binds", binds));
    TESS_TRY(take_inputs(inputs, numbers, op, binds, f->inputs));
    TESS_CHECK(binds[f->inputs].kind == TESS_BIND_ARRAY, TESS_EARG,
               "%s: `z` (out) is not a writable array; one is needed", op->name);
    tess_array *out = binds[f->inputs].as.array;
    if (opts) TESS_TRY(widen(inputs, &wide, op, out, &opts->domain));
    return call_with(f, out, inputs, opts);
}
