/* Element-wise operations: each is a line of ewise.def; checks, type promotion, and the request to the backend. */
#include "tessera/ewise.h"

#include <string.h>

#include "core/array/broadcast.h"
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/output.h"
#include "core/check/promote.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "ops/ewise/ewise_output.h"
#include "requests/operator_rows.h"

static const char *const arguments[TESS__MAX_INPUTS] = { "x", "y", "z" };

/* ---- Descriptions ---- */

#define OPERANDS(sample_)                                                                                              \
    {                                                                                                                  \
        TESS__OUT("out", "the result; may be an input (in place)"),                                                    \
            TESS__IN("x", "first operand", .sample = (sample_)), TESS__IN("y", "second operand", .sample = (sample_)), \
            TESS__IN("z", "third operand", .sample = (sample_))                                                        \
    }
static const tess_arg_info operands[][4] = { OPERANDS(NULL), OPERANDS("integer") };
#undef OPERANDS
static const tess_arg_info where_args[] = {
    TESS__OUT("out", "the result; may be an input (in place)"),
    TESS__IN("condition", "selects x where it is true or not 0", .sample = "mask"),
    TESS__IN("x", "values where the condition holds"),
    TESS__IN("y", "values where it does not"),
};

#define EWISE1(name, types, result, cost, expr, help) TESS__CALL(name, v[0].out, v[1].in)
#define EWISE1_SLOW EWISE1
#define EWISE2(name, types, result, cost, expr, help) TESS__CALL(name, v[0].out, v[1].in, v[2].in)
#define EWISE2_SLOW EWISE2
#define EWISE3(name, types, result, cost, expr, help) TESS__CALL(name, v[0].out, v[1].in, v[2].in, v[3].in)
#include "ops/ewise/ewise.def"
#undef EWISE1
#undef EWISE1_SLOW
#undef EWISE2_SLOW
#undef EWISE2
#undef EWISE3
TESS__CALL(where, v[0].out, v[1].in, v[2].in, v[3].in)

#define ARE_INTEGERS(types) ((TESS__IN_##types & (TESS__INTEGERS | TESS__FLOATS)) == TESS__INTEGERS)
const tess_function_info tess__ewise_infos[TESS__OPS] = {
#define INFO(name_, types, help_, n)                                                                                   \
    [TESS__OP_##name_] = { .name = #name_,                                                                             \
                           .module = "ewise",                                                                          \
                           .help = (help_),                                                                            \
                           .args = operands[ARE_INTEGERS(types)],                                                      \
                           .n_args = 1 + (n),                                                                          \
                           .cut = TESS_CUT_ELEMENTS,                                                                   \
                           .call = call_##name_ },
#define EWISE1(name, types, result, cost, expr, help) INFO(name, types, help, 1)
#define EWISE1_SLOW EWISE1
#define EWISE2(name, types, result, cost, expr, help) INFO(name, types, help, 2)
#define EWISE2_SLOW EWISE2
#define EWISE3(name, types, result, cost, expr, help) INFO(name, types, help, 3)
#include "ops/ewise/ewise.def"
#undef EWISE1
#undef EWISE1_SLOW
#undef EWISE2_SLOW
#undef EWISE2
#undef EWISE3
#undef INFO
#undef ARE_INTEGERS
    [TESS__OP_where] = { .name = "where",
                         .module = "ewise",
                         .help = "x where a condition holds, y where it does not",
                         .args = where_args,
                         .n_args = 4,
                         .cut = TESS_CUT_ELEMENTS,
                         .call = call_where },
};

/* ---- Dtypes ---- */

/* The dtypes of one call: of its kernel, of what the kernel writes, and of the array that holds the result. */
typedef struct typing {
    tess_dtype kernel, writes, result;
    float      cost;
} typing;

static const char *needed(int types)
{
    switch (types) {
    case TESS__IN_BITS: return "bool or an integer type";
    case TESS__IN_INTEGER: return "an integer type";
    default: return "a real type";
    }
}

static bool fits(int types, tess_dtype dtype)
{
    const tess_kind kind = tess_dtype_kind(dtype);
    if (types & TESS__FLOATS || types == TESS__IN_TRUTH) return kind != TESS_KIND_COMPLEX;
    return kind == TESS_KIND_BOOL || kind == TESS_KIND_INT || kind == TESS_KIND_UINT;
}

/* Reports the first array of the wrong kind; otherwise a number that integers cannot hold; otherwise two integer types
 * whose common type is f64. */
static tess_status reject_dtype(const tess__operator_row *row, const tess_array *const *inputs, int n)
{
    for (int k = 0; k < n; k++)
        TESS_CHECK(inputs[k]->flags & TESS_WEAK || fits(row->types, inputs[k]->dtype), TESS_EDTYPE,
                   "%s: `%s` is %s; %s is needed", row->name, arguments[k], tess_dtype_name(inputs[k]->dtype),
                   needed(row->types));
    bool all_weak = true;
    for (int k = 0; k < n; k++) all_weak &= (inputs[k]->flags & TESS_WEAK) != 0;
    for (int k = 0; k < n; k++)
        TESS_CHECK(!(inputs[k]->flags & TESS_WEAK), TESS_EDTYPE, "%s: `%s` is a number %s f64; %s is needed", row->name,
                   arguments[k],
                   all_weak ? "without an array to take its type from, and so" : "that makes the common type",
                   needed(row->types));
    TESS_FAIL(TESS_EDTYPE, "%s: `x` is %s and `y` is %s, which meet as f64; %s is needed: `tess_cast` one of them",
              row->name, tess_dtype_name(inputs[0]->dtype), tess_dtype_name(inputs[n - 1]->dtype), needed(row->types));
}

/* The real type that numbers of this one are computed in, or none. */
static tess_dtype computed_in(int types, tess_dtype dtype)
{
    const tess_kind kind = tess__dtypes[dtype].kind;
    const int bit = kind == TESS_KIND_BOOL ? TESS__BOOLS : kind == TESS_KIND_FLOAT ? TESS__FLOATS : TESS__INTEGERS;
    if (types & bit) return dtype;
    if (types == TESS__IN_TRUTH) return TESS_BOOL;
    if (types == TESS__IN_FLOAT) return tess__float_of(dtype);
    return bit == TESS__BOOLS ? TESS_U8 : TESS_DTYPE_NONE;
}

static tess_status find_types(typing *t, int op, const tess_array *const *inputs, int n)
{
    const tess_dtype          common = tess__promote(inputs, n);
    const bool                is_complex = common >= TESS_C16;
    const tess__operator_row *row = is_complex ? &tess__complex_rows[op] : &tess__operator_rows[op];
    const tess_dtype          dtype = is_complex ? common : computed_in(row->types, common);
    if (row->result == TESS__GIVES_NOTHING || dtype == TESS_DTYPE_NONE)
        return reject_dtype(&tess__operator_rows[op], inputs, n);
    t->cost = row->cost;
    t->kernel = tess__half_to_single(dtype);
    switch (row->result) {
    case TESS__GIVES_BOOL: t->writes = t->result = TESS_BOOL; break;
    case TESS__GIVES_REAL: t->writes = tess_dtype_real(t->kernel), t->result = tess_dtype_real(dtype); break;
    case TESS__GIVES_MAKES_COMPLEX:
        t->writes = tess_dtype_complex(t->kernel), t->result = tess_dtype_complex(dtype);
        break;
    default: t->writes = t->kernel, t->result = dtype; break;
    }
    return TESS_OK;
}

/* ---- The call ---- */

/* The device of the arrays that have one: all but scalars. */
static tess_device device_of(const tess_array *const *inputs, int n)
{
    for (int k = 0; k < n; k++)
        if (!(inputs[k]->flags & TESS_SCALAR)) return inputs[k]->device;
    return inputs[0]->device;
}

/* A product or quotient with one real operand leaves that real: each part of the complex one is multiplied or divided
 * by it. A real factor comes second. */
static void keep_real(tess__apply *o, const tess_array **ordered)
{
    const bool first = ordered[0]->dtype >= TESS_C16, second = ordered[1]->dtype >= TESS_C16;
    const bool divides = o->op == TESS__OP_div || o->op == TESS__OP_true_div;
    if (first == second || (divides ? second : o->op != TESS__OP_mul)) return;
    if (second) {
        const tess_array *const factor = ordered[0];
        ordered[0] = ordered[1], ordered[1] = factor;
    }
    o->op = divides ? TESS__OP_div_real : TESS__OP_mul_real;
    o->cost = tess__complex_rows[o->op].cost;
    o->wanted[2] = (int32_t)tess_dtype_real((tess_dtype)o->kernel);
}

/* Scalars are passed by value, converted to the kernel's dtype; then the loop is planned and submitted. */
static tess_status run(tess__ewise *work, int64_t row, tess_array *out, const tess_array *const *inputs, int n)
{
    tess__apply *o = &work->param.operate;
    work->kind = TESS__APPLY;
    o->stored[0] = out->dtype;
    memset(o->scalar, 0, sizeof o->scalar);
    for (int k = 0; k < n; k++) {
        o->stored[1 + k] = inputs[k]->dtype;
        if (!(inputs[k]->flags & TESS_SCALAR)) continue;
        o->scalar[1 + k] = true;
        o->stored[1 + k] = o->wanted[1 + k];
        TESS_TRY(tess__convert(o->value[1 + k], o->wanted[1 + k], inputs[k]->data, inputs[k]->dtype));
    }
    TESS_TRY(tess__ewise_run_row(work, row, out, inputs, n));
    return TESS_OK;
}

static tess_status make_output(const char *fn, tess_array *out, tess_dtype dtype, const char *const *names,
                               const tess_array *const *inputs, int n)
{
    tess_shape shape;
    TESS_TRY(tess__common_shape(&shape, fn, names, inputs, n));
    TESS_TRY(tess__make(fn, out, shape, dtype, device_of(inputs, n), false));
    return TESS_OK;
}

/* A dtype alone neither makes an array nor requires one. */
static tess_status check_not_bare(const char *fn, const tess_array *out, const tess_array *const *inputs, int n)
{
    static const tess_shape nothing = { { 0, 0, 0, 0 } };
    if (out->data || !tess__same_sizes(&out->shape, &nothing)) return TESS_OK;
    for (int k = 0; k < n; k++)
        for (int d = 0; d < 4; d++)
            TESS_CHECK(inputs[k]->shape.dim[d] <= 1, TESS_ESHAPE,
                       "%s: `out` has dtype %s, but no data and shape {0,0,0,0}; pass an allocated array, or a "
                       "zero-initialised one (dtype included) to have it allocated",
                       fn, tess_dtype_name(out->dtype));
    return TESS_OK;
}

tess_status tess__ewise_output(int64_t *row, const char *fn, tess_array *out, tess_dtype dtype,
                               const char *const *names, const tess_array *const *inputs, int n)
{
    if (tess__is_empty_out(out)) {
        TESS_TRY(make_output(fn, out, dtype, names, inputs, n));
        *row = tess__row_of(out, inputs, n);
        return TESS_OK;
    }
    TESS_TRY(tess__check_array(fn, "out", out));
    *row = tess__row_of(out, inputs, n);
    if (!*row) TESS_TRY(check_not_bare(fn, out, inputs, n));
    if (!*row || out->flags & TESS_READ_ONLY) TESS_TRY(tess__check_writable(fn, "out", out));
    TESS_TRY(tess__check_converts(fn, "out", out, dtype));
    for (int k = 0; k < n; k++) {
        if (!*row) TESS_TRY(tess__check_broadcast(fn, names[k], inputs[k], "out", &out->shape));
        if (inputs[k]->flags & TESS_SCALAR || (*row && tess__rows_disjoint(out, *row, inputs[k], *row))) continue;
        TESS_TRY(tess__check_overlap(fn, out, names[k], inputs[k], true));
    }
    return TESS_OK;
}

/* Input k and out are on different devices. Another input on a different one is named before out, which may be new. */
static tess_status reject_device(const char *fn, const tess_array *out, const char *const *names,
                                 const tess_array *const *inputs, int n, int k)
{
    for (int i = 0; i < n; i++) {
        if (inputs[i]->flags & TESS_SCALAR) continue;
        const int first = i < k ? i : k, second = i < k ? k : i;
        TESS_TRY(tess__check_device_of(fn, names[second], inputs[second], names[first], inputs[first]));
    }
    TESS_TRY(tess__check_same_device(fn, out, names[k], inputs[k]));
    return TESS_OK;
}

tess_status tess__ewise_devices(const char *fn, const tess_array *out, const char *const *names,
                                const tess_array *const *inputs, int n)
{
    for (int k = 0; k < n; k++) {
        if (inputs[k]->flags & TESS_SCALAR || tess__same_device(out->device, inputs[k]->device)) continue;
        TESS_TRY(reject_device(fn, out, names, inputs, n, k));
    }
    return TESS_OK;
}

static tess_status operate(int op, tess_array *out, const tess_array *const *inputs, int n)
{
    const char *fn = tess__operator_rows[op].name;
    typing      t = { 0 };
    int64_t     row = 0;
    tess__ewise work;
    TESS_TRY(tess__check_pointer(fn, "out", out));
    for (int k = 0; k < n; k++) TESS_TRY(tess__check_numbers(fn, arguments[k], inputs[k]));
    TESS_TRY(find_types(&t, op, inputs, n));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__ewise_output(&row, fn, out, t.result, arguments, inputs, n));
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__ewise_devices(fn, out, arguments, inputs, n));
    const tess_array *ordered[TESS__MAX_INPUTS];
    memcpy(ordered, inputs, (size_t)n * sizeof *inputs);
    work.name = fn;
    work.param.operate.op = op;
    work.param.operate.kernel = t.kernel;
    work.param.operate.cost = t.cost;
    work.param.operate.wanted[0] = t.writes;
    for (int k = 0; k < n; k++) work.param.operate.wanted[1 + k] = t.kernel;
    if (n == 2 && t.kernel >= TESS_C16) keep_real(&work.param.operate, ordered);
    TESS_GOTO(done, status, run(&work, row, out, ordered, n));
done:
    return tess__finish(status, out, made);
}

/* Any dtype, also compounds if both are the same: elements are chosen, not computed with. */
static tess_status where_dtype(tess_dtype *dtype, const tess_array *const *choices)
{
    const bool compound = choices[0]->dtype >= TESS_SCALAR_DTYPE_COUNT || choices[1]->dtype >= TESS_SCALAR_DTYPE_COUNT;
    *dtype = compound ? tess_dtype_promote(choices[0]->dtype, choices[1]->dtype) : tess__promote(choices, 2);
    TESS_CHECK(*dtype != TESS_DTYPE_NONE, TESS_EDTYPE,
               "where: `x` is %s and `y` is %s; two number types, or the same compound type twice, are needed",
               tess_dtype_name(choices[0]->dtype), tess_dtype_name(choices[1]->dtype));
    return TESS_OK;
}

tess_status tess_where(tess_array *out, const tess_array *condition, const tess_array *x, const tess_array *y)
{
    static const char *const names[3] = { "condition", "x", "y" };
    const tess_array *const  inputs[3] = { condition, x, y };
    tess_dtype               dtype;
    int64_t                  row = 0;
    tess__ewise              work;
    TESS_TRY(tess__check_pointer("where", "out", out));
    TESS_TRY(tess__check_numbers("where", "condition", condition));
    TESS_CHECK(condition->dtype < TESS_C16, TESS_EDTYPE,
               "where: `condition` is %s; a real type is needed, preferably bool", tess_dtype_name(condition->dtype));
    TESS_TRY(tess__check_array("where", "x", x));
    TESS_TRY(tess__check_array("where", "y", y));
    TESS_TRY(where_dtype(&dtype, inputs + 1));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__ewise_output(&row, "where", out, dtype, names, inputs, 3));
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__ewise_devices("where", out, names, inputs, 3));
    work.name = "where";
    work.param.operate = (tess__apply){
        .op = TESS__OP_where, .kernel = dtype, .wanted = { dtype, TESS_BOOL, dtype, dtype }, .cost = 0.1f
    };
    TESS_GOTO(done, status, run(&work, row, out, inputs, 3));
done:
    return tess__finish(status, out, made);
}

/* ---- The public functions ---- */

#define EWISE1(name, types, result, cost, expr, help)                                                                  \
    tess_status tess_##name(tess_array *out, const tess_array *x)                                                      \
    {                                                                                                                  \
        TESS_TRY(operate(TESS__OP_##name, out, &x, 1));                                                                \
        return TESS_OK;                                                                                                \
    }
#define EWISE1_SLOW EWISE1
#define EWISE2(name, types, result, cost, expr, help)                                                                  \
    tess_status tess_##name(tess_array *out, const tess_array *x, const tess_array *y)                                 \
    {                                                                                                                  \
        const tess_array *const inputs[2] = { x, y };                                                                  \
        TESS_TRY(operate(TESS__OP_##name, out, inputs, 2));                                                            \
        return TESS_OK;                                                                                                \
    }
#define EWISE2_SLOW EWISE2
#define EWISE3(name, types, result, cost, expr, help)                                                                  \
    tess_status tess_##name(tess_array *out, const tess_array *x, const tess_array *y, const tess_array *z)            \
    {                                                                                                                  \
        const tess_array *const inputs[3] = { x, y, z };                                                               \
        TESS_TRY(operate(TESS__OP_##name, out, inputs, 3));                                                            \
        return TESS_OK;                                                                                                \
    }
#include "ops/ewise/ewise.def"
#undef EWISE1
#undef EWISE1_SLOW
#undef EWISE2_SLOW
#undef EWISE2
#undef EWISE3
