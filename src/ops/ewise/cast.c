/* Casts: elements converted to another type. */
#include "core/array/broadcast.h"
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/table/table.h"

static const tess_choice modes[] = {
    { "clamp", TESS_CAST_CLAMP, "saturate to the nearest representable value" },
    { "wrap", TESS_CAST_WRAP, "wrap integers modulo 2^bits" },
    { "exact", TESS_CAST_EXACT, "report an error if a value would change" },
    { NULL, 0, NULL },
};
static const tess_choice parts[] = {
    { "real", TESS_PART_REAL, "the real part" },
    { "imag", TESS_PART_IMAG, "the imaginary part" },
    { "abs", TESS_PART_ABS, "the absolute value" },
    { "power", TESS_PART_POWER, "the square of the absolute value" },
    { NULL, 0, NULL },
};
static const tess_arg_info args[] = {
    TESS__OUT("out", "converted array; any strides"),
    TESS__IN("in", "array to convert; broadcast to out"),
    TESS__NEED(TESS_ARG_DTYPE, "dtype", "dtype of the result"),
    TESS__OPT_CHOICE(tess_cast_opts, mode, TESS_CAST_CLAMP, modes, "conversion of values that do not fit"),
    TESS__OPT_CHOICE(tess_cast_opts, part, TESS_PART_DEFAULT, parts, "real number to take from a complex one"),
};
TESS__CALL(cast, v[0].out, v[1].in, v[2].dtype, opts)
const tess_function_info tess__info_cast =
    TESS__OP_OPTS(TESS_CUT_ELEMENTS, cast, "array", "Convert every element to another type.", args, tess_cast_opts);

/* Which types go into which; part and mode fit them. */
static tess_status check_types(tess_dtype from, tess_dtype to, const tess_cast_opts *o)
{
    const tess_kind from_kind = tess_dtype_kind(from), to_kind = tess_dtype_kind(to);
    if (from == to) return TESS_OK;
    TESS_CHECK(
        from_kind != TESS_KIND_COMPOUND && to_kind != TESS_KIND_COMPOUND, TESS_EDTYPE,
        "cast: `in` is %s and `dtype` is %s; vectors and matrices convert only to themselves (see `tess_reinterpret`)",
        tess_dtype_name(from), tess_dtype_name(to));
    if (from_kind != TESS_KIND_COMPLEX || to_kind == TESS_KIND_COMPLEX) return TESS_OK;
    TESS_CHECK(o->part != TESS_PART_DEFAULT, TESS_EDTYPE,
               "cast: `in` is %s and `dtype` is %s; `opts->part` must be real, imag, abs or power",
               tess_dtype_name(from), tess_dtype_name(to));
    TESS_CHECK(o->mode != TESS_CAST_EXACT || o->part == TESS_PART_REAL || o->part == TESS_PART_IMAG, TESS_EARG,
               "cast: `opts->mode` is exact and `opts->part` is %s; only real and imag can be exact",
               o->part == TESS_PART_ABS ? "abs" : "power");
    return TESS_OK;
}

static tess_status plan(tess__ewise *work, const tess_array *out, const tess_array *in, const tess_cast_opts *o)
{
    const bool to_real =
        tess_dtype_kind(in->dtype) == TESS_KIND_COMPLEX && tess_dtype_kind(out->dtype) != TESS_KIND_COMPLEX;
    tess_array source = *in;
    work->name = "cast";
    if (to_real && o->part == TESS_PART_REAL) TESS_TRY(tess_real_view(&source, in));
    if (to_real && o->part == TESS_PART_IMAG) TESS_TRY(tess_imag_view(&source, in));
    work->kind = source.dtype == out->dtype ? TESS__COPY : TESS__CAST;
    work->from = source.dtype;
    work->to = out->dtype;
    work->mode = o->mode;
    work->part = o->part;
    work->param.source = source;
    const tess_array *input = &source;
    tess__ewise_plan(work, out, &input, 1);
    return TESS_OK;
}

/* A scalar of the caller's, which is valid only during the call, is converted now and filled in. */
static tess_status cast_number(const tess_array *out, const tess_array *in, const tess_cast_opts *o)
{
    tess__ewise                work;
    _Alignas(16) unsigned char element[128];
    tess_array                 one = *in, converted = { .data = element, .dtype = out->dtype };
    one.shape = converted.shape = TESS_SHAPE(1, 1, 1, 1);
    TESS_TRY(plan(&work, &converted, &one, o));
    TESS_TRY(tess__ewise_now(&work));
    TESS_TRY(tess__fill_run("cast", out, element));
    return TESS_OK;
}

static tess_status cast(const tess_array *out, const tess_array *in, const tess_cast_opts *o)
{
    tess__ewise work;
    if (!tess__has_elements(out)) return TESS_OK;
    if (in->flags & TESS_SCALAR) return cast_number(out, in, o);
    TESS_TRY(plan(&work, out, in, o));
    TESS_TRY(tess__ewise_submit(&work, 1, out->device));
    return TESS_OK;
}

tess_status tess_cast(tess_array *out, const tess_array *in, tess_dtype dtype, const tess_cast_opts *opts)
{
    tess_cast_opts o;
    TESS_TRY(tess__resolve(&tess__info_cast, opts, &o));
    TESS_TRY(tess__check_array("cast", "in", in));
    TESS_TRY(tess__check_pointer("cast", "out", out));
    if (dtype == TESS_DTYPE_NONE && !tess__is_empty_out(out)) dtype = out->dtype;
    TESS_TRY(tess__check_dtype("cast", "dtype", dtype));
    TESS_TRY(check_types(in->dtype, dtype, &o));
    const bool made = tess__is_empty_out(out);
    if (!made) TESS_TRY(tess__check_array("cast", "out", out));
    const bool anywhere = !made && in->flags & TESS_SCALAR;
    TESS_TRY(tess__output("cast", out, made ? in->shape : out->shape, dtype, anywhere ? out->device : in->device));
    if (!made) {
        TESS_TRY(tess__check_broadcast("cast", "in", in, "out", &out->shape));
        TESS_TRY(tess__check_overlap("cast", out, "in", in, true));
    }
    TESS_TRY(tess__finish(cast(out, in, &o), out, made));
    return TESS_OK;
}
