/* Approximate equality within tolerances: one operator, compiled from text, for each pair of dtypes, in f64. */
#include "core/check/check.h"
#include "core/check/output.h"
#include "core/check/promote.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "ops/ewise/ewise_output.h"
#include "ops/op/op.h"
#include "tessera/ewise.h"
#include "tessera/op.h"

#define MAX_ULPS 0x1p30 /* differences of f64 that are so near are exact */

static const tess_arg_info args[] = {
    TESS__OUT("out", "bool: whether x and y are close; may be an input (in place)"),
    TESS__IN("x", "numbers to compare"),
    TESS__IN("y", "numbers to compare with; the relative tolerance refers to them"),
    TESS__JOINT_F64(tess_isclose_opts, rtol, "", "1e-5; 0 if ulps is given", 0, DBL_MAX,
                    "maximum difference, relative to |y|"),
    TESS__JOINT_F64(tess_isclose_opts, atol, "", "1e-8; 0 if ulps is given", 0, DBL_MAX,
                    "maximum difference in addition to the relative one"),
    TESS__JOINT_I32(
        tess_isclose_opts, ulps, "", 0, 0, MAX_ULPS,
        "alternative to rtol and atol: maximum difference in units in the last place of the larger number, in "
        "the common dtype of x and y"),
    TESS__FLAG(tess_isclose_opts, equal_nan, "treat two NaNs as close"),
};
TESS__CALL(isclose, v[0].out, v[1].in, v[2].in, opts)
const tess_function_info tess__info_isclose =
    TESS__OP_OPTS(TESS_CUT_ELEMENTS, isclose, "ewise", "Compare x and y within tolerances.", args, tess_isclose_opts);

/* ---- The operators ---- */

/* Numbers so large that an intermediate result might overflow are scaled by `fit`, which is exact. `first` is the
 * power of 2 in the larger number m: m times 2^52 + 1, less the float below that. `last` is the unit of a number from 1
 * to 2, `least` the smallest unit there is. */
#define VALUES "val f64 rtol, val f64 atol, val f64 ulps, val f64 last, val f64 least, val i32 equal_nan, "
#define TEST                                                                                                           \
    "bool same = p == q || (equal_nan != 0 && is_nan(p) && is_nan(q));"                                                \
    "bool finite = is_finite(p) && is_finite(q);"                                                                      \
    "f64 fit = largest > 0x1p900 ? 0x1p-200 : 1.0;"                                                                    \
    "p = p*fit; q = q*fit;"                                                                                            \
    "f64 apart = abs(p - q);"                                                                                          \
    "f64 m = max(abs(p), abs(q));"                                                                                     \
    "f64 grown = m*0x1.0000000000001p52;"                                                                              \
    "f64 first = grown - grown*0x1.fffffffffffffp-1;"                                                                  \
    "f64 unit = max(first*last, least);"                                                                               \
    "bool near = finite && (apart <= atol*fit + rtol*abs(q) || apart <= ulps*unit);"
#define REALS "f64 p = (f64)x; f64 q = (f64)y; f64 largest = max(abs(p), abs(q));" TEST
#define COMPLEXES                                                                                                      \
    "c64 p = complex((f64)real(x), (f64)imag(x)); c64 q = complex((f64)real(y), (f64)imag(y));"                        \
    "f64 largest = max(max(abs(real(p)), abs(imag(p))), max(abs(real(q)), abs(imag(q))));" TEST
#define EACH(BODY) "op isclose(in T x, in U y, " VALUES "out bool z) {" BODY "z = same || near; }"
#define ALL(BODY) "op allclose(in T x, in U y, " VALUES "acc all bool a, out bool result) {" BODY "a &= same || near; }"

/* Of real numbers, and where one is complex. */
static tess__kept_op each[2] = { { EACH (REALS), NULL }, { EACH (COMPLEXES), NULL } };
static tess__kept_op all[2] = { { ALL(REALS), NULL }, { ALL(COMPLEXES), NULL } };

/* ---- The call ---- */

/* What is compared with what: the tolerances, and the units of the dtype that both meet in. */
typedef struct comparison {
    tess_isclose_opts opts;
    double            last, min;
    bool              is_complex;
} comparison;

/* The unit of integers is 1. */
static void set_units(comparison *c, tess_dtype common)
{
    const tess_dtype real = tess_dtype_real(common);
    c->is_complex = common != real;
    c->last = real == TESS_F64 ? 0x1p-52 : real == TESS_F32 ? 0x1p-23 : real == TESS_F16 ? 0x1p-10 : 0;
    c->min = real == TESS_F64 ? 0x1p-1074 : real == TESS_F32 ? 0x1p-149 : real == TESS_F16 ? 0x1p-24 : 1;
}

static tess_status begin(comparison *c, const char *fn, const tess_array *const inputs[2],
                         const tess_isclose_opts *opts)
{
    tess_function_info info = tess__info_isclose;
    info.name = fn;
    TESS_TRY(tess__resolve(&info, opts, &c->opts));
    TESS_TRY(tess__check_numbers(fn, "x", inputs[0]));
    TESS_TRY(tess__check_numbers(fn, "y", inputs[1]));
    set_units(c, tess__promote(inputs, 2));
    if (isnan(c->opts.rtol)) c->opts.rtol = c->opts.ulps ? 0 : 1e-5;
    if (isnan(c->opts.atol)) c->opts.atol = c->opts.ulps ? 0 : 1e-8;
    return TESS_OK;
}

static tess_status run(const comparison *c, tess__kept_op *ops, const tess_array *const inputs[2], tess_bind out)
{
    const tess_isclose_opts *o = &c->opts;
    const tess_op           *op = NULL;
    TESS_TRY(tess__op_kept(&op, &ops[c->is_complex]));
    const tess_bind binds[] = {
        tess__bind_input(inputs[0]), tess__bind_input(inputs[1]),  tess__bind_f64(o->rtol),
        tess__bind_f64(o->atol),     tess__bind_f64(o->ulps),      tess__bind_f64(c->last),
        tess__bind_f64(c->min),      tess__bind_i64(o->equal_nan), out,
    };
    TESS_TRY(tess_run(op, binds, sizeof binds / sizeof *binds, NULL));
    return TESS_OK;
}

tess_status tess_isclose(tess_array *out, const tess_array *x, const tess_array *y, const tess_isclose_opts *opts)
{
    static const char *const names[2] = { "x", "y" };
    const tess_array *const  inputs[2] = { x, y };
    comparison               c;
    int64_t                  row = 0;
    TESS_TRY(tess__check_pointer("isclose", "out", out));
    TESS_TRY(begin(&c, "isclose", inputs, opts));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__ewise_output(&row, "isclose", out, TESS_BOOL, names, inputs, 2));
    TESS_CHECK(out->dtype == TESS_BOOL, TESS_EDTYPE, "isclose: `out` is %s; bool is needed",
               tess_dtype_name(out->dtype));
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__ewise_devices("isclose", out, names, inputs, 2));
    TESS_GOTO(done, status, run(&c, each, inputs, tess__bind_array(out)));
done:
    return tess__finish(status, out, made);
}

tess_status tess_allclose(bool *result, const tess_array *x, const tess_array *y, const tess_isclose_opts *opts)
{
    const tess_array *const inputs[2] = { x, y };
    comparison              c;
    TESS_TRY(tess__check_pointer("allclose", "result", result));
    TESS_TRY(begin(&c, "allclose", inputs, opts));
    TESS_TRY(run(&c, all, inputs, tess__bind_host(result, TESS_BOOL)));
    return TESS_OK;
}
