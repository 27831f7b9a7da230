/* Constant arrays and identity matrices: fill, full, zeros, ones, eye. */
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/table/table.h"

#include <string.h>

static const tess_arg_info fill_args[] = {
    TESS__OUT_ALLOCATED("out", "array to fill; any strides"),
    TESS__NEED(TESS_ARG_F64, "value", "value of every element"),
};
TESS__CALL(fill, v[0].out, v[1].f64)
const tess_function_info tess__info_fill =
    TESS__OP(TESS_CUT_NONE, fill, "array", "Set every element to a number.", fill_args);

static const tess_arg_info fill_element_args[] = {
    TESS__OUT_ALLOCATED("out", "array to fill; any strides"),
    TESS__NEED(TESS_ARG_ELEMENT, "element", "value of every element, in the array's dtype"),
};
TESS__CALL(fill_element, v[0].out, v[1].element)
const tess_function_info tess__info_fill_element =
    TESS__OP(TESS_CUT_NONE, fill_element, "array", "Set every element to a value of any dtype.", fill_element_args);

#define MADE_ROWS                                                                                                      \
    TESS__OUT("out", "the array; allocated if it is zeroed"),                                                          \
        TESS__NEED(TESS_ARG_SHAPE, "shape", "shape of the array"),                                                     \
        TESS__NEED(TESS_ARG_DTYPE, "dtype", "dtype of the array"),                                                     \
        TESS__NEED(TESS_ARG_DEVICE, "device", "device of the array")
static const tess_arg_info made_args[] = { MADE_ROWS };
static const tess_arg_info full_args[] = { MADE_ROWS, TESS__NEED(TESS_ARG_F64, "value", "value of every element") };
#undef MADE_ROWS
TESS__CALL(full, v[0].out, v[1].shape, v[2].dtype, v[3].device, v[4].f64)
const tess_function_info tess__info_full =
    TESS__OP(TESS_CUT_NONE, full, "array", "Create an array filled with one value.", full_args);
TESS__CALL(eye, v[0].out, v[1].shape, v[2].dtype, v[3].device)
const tess_function_info tess__info_eye =
    TESS__OP(TESS_CUT_NONE, eye, "array", "Create an array with ones on the diagonal of every image.", made_args);
TESS__CALL(zeros, v[0].out, v[1].shape, v[2].dtype, v[3].device)
const tess_function_info tess__info_zeros =
    TESS__OP(TESS_CUT_NONE, zeros, "array", "Create an array of zeros.", made_args);
TESS__CALL(ones, v[0].out, v[1].shape, v[2].dtype, v[3].device)
const tess_function_info tess__info_ones =
    TESS__OP(TESS_CUT_NONE, ones, "array", "Create an array of ones.", made_args);

/* Work that sets `out` to an element. */
static void plan_fill(tess__ewise *work, const char *fn, const tess_array *out, const void *element)
{
    work->name = fn;
    work->kind = TESS__FILL;
    work->param.element.size = tess__dtype_size(out->dtype);
    memcpy(work->param.element.bytes, element, (size_t)work->param.element.size);
    tess__ewise_plan(work, out, NULL, 0);
}

/* The number as an element of the dtype: complex get it as their real part, compounds in each of their reals. */
static tess_status element_of(unsigned char bytes[128], tess_dtype dtype, double value)
{
    const tess_dtype real = tess_dtype_real(dtype);
    const int64_t    size = tess__dtype_size(real);
    const int        n = tess_dtype_kind(dtype) == TESS_KIND_COMPLEX ? 1 : tess_dtype_reals(dtype);
    memset(bytes, 0, 128);
    for (int i = 0; i < n; i++) TESS_TRY(tess__convert(bytes + i * size, real, &value, TESS_F64));
    return TESS_OK;
}

tess_status tess_fill(tess_array *out, double value)
{
    _Alignas(16) unsigned char bytes[128];
    TESS_TRY(tess__check_writable("fill", "out", out));
    TESS_TRY(element_of(bytes, out->dtype, value));
    TESS_TRY(tess__fill_run("fill", out, bytes));
    return TESS_OK;
}

tess_status tess_fill_element(tess_array *out, const void *element)
{
    TESS_TRY(tess__check_writable("fill_element", "out", out));
    TESS_TRY(tess__check_pointer("fill_element", "element", element));
    TESS_TRY(tess__fill_run("fill_element", out, element));
    return TESS_OK;
}

static tess_status full(const char *fn, tess_array *out, tess_shape shape, tess_dtype dtype, tess_device device,
                        double value)
{
    _Alignas(16) unsigned char bytes[128];
    TESS_TRY(tess__check_pointer(fn, "out", out));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__output(fn, out, shape, dtype, device));
    TESS_TRY(tess__finish(element_of(bytes, dtype, value), out, made));
    TESS_TRY(tess__finish(tess__fill_run(fn, out, bytes), out, made));
    return TESS_OK;
}

tess_status tess_zeros(tess_array *out, tess_shape shape, tess_dtype dtype, tess_device device)
{
    TESS_TRY(tess__check_pointer("zeros", "out", out));
    if (tess__is_empty_out(out))
        TESS_TRY(tess__make("zeros", out, shape, dtype, device, true)); /* fresh pages are zero */
    else TESS_TRY(full("zeros", out, shape, dtype, device, 0));
    return TESS_OK;
}

tess_status tess_full(tess_array *out, tess_shape shape, tess_dtype dtype, tess_device device, double value)
{
    TESS_TRY(full("full", out, shape, dtype, device, value));
    return TESS_OK;
}

tess_status tess_ones(tess_array *out, tess_shape shape, tess_dtype dtype, tess_device device)
{
    TESS_TRY(full("ones", out, shape, dtype, device, 1.0));
    return TESS_OK;
}

/* Zeros everywhere, then ones on the diagonal: both are submitted together. */
static tess_status draw_diagonal(const tess_array *out)
{
    _Alignas(16) unsigned char zero[128], one[128];
    tess__ewise                work[2];
    tess_array                 diagonal = *out;
    diagonal.shape.h = out->shape.h < out->shape.w ? out->shape.h : out->shape.w;
    diagonal.shape.w = out->shape.w ? 1 : 0;
    diagonal.strides.h = out->strides.h + out->strides.w;
    TESS_TRY(element_of(zero, out->dtype, 0));
    TESS_TRY(element_of(one, out->dtype, 1));
    plan_fill(&work[0], "eye", out, zero);
    plan_fill(&work[1], "eye", &diagonal, one);
    TESS_TRY(tess__ewise_submit(work, 2, out->device));
    return TESS_OK;
}

tess_status tess_eye(tess_array *out, tess_shape shape, tess_dtype dtype, tess_device device)
{
    TESS_TRY(tess__check_pointer("eye", "out", out));
    TESS_TRY(tess__check_dtype("eye", "dtype", dtype));
    TESS_CHECK(tess_dtype_kind(dtype) != TESS_KIND_COMPOUND, TESS_EDTYPE,
               "eye: `dtype` is %s; a number type is needed, not a vector or matrix", tess_dtype_name(dtype));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__output("eye", out, shape, dtype, device));
    TESS_TRY(tess__finish(draw_diagonal(out), out, made));
    return TESS_OK;
}
