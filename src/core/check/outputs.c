/* The output rule for calls with several outputs: check all, then allocate all, or none. */
#include "core/check/outputs.h"

#include "core/check/check.h"
#include "core/check/output.h"

void tess__wants(tess__outputs *out, const char *name, tess_array *array, tess_shape shape, tess_dtype dtype,
                 tess_device device)
{
    if (!array) return;
    out->is_full |= out->n == TESS__MAX_OUTPUTS;
    if (!out->is_full) out->wanted[out->n++] = (tess__wanted){ name, array, shape, dtype, device, false };
}

tess_status tess__wants_numbers(tess__outputs *out, const char *name, tess_array *array, tess_shape shape,
                                tess_device device)
{
    if (!array) return TESS_OK;
    const bool empty = tess__is_empty_out(array);
    TESS_CHECK(empty || array->dtype == TESS_F16 || array->dtype == TESS_F32 || array->dtype == TESS_F64, TESS_EDTYPE,
               "%s: `%s` is %s; f16, f32 or f64 is needed", out->fn, name, tess_dtype_name(array->dtype));
    tess__wants(out, name, array, shape, empty ? TESS_F64 : array->dtype, device);
    return TESS_OK;
}

void tess__reads(tess__outputs *out, const char *name, const tess_array *array)
{
    if (!array) return;
    out->is_full |= out->n_inputs == TESS__OUTPUTS_INPUTS;
    if (out->is_full) return;
    out->inputs[out->n_inputs].name = name;
    out->inputs[out->n_inputs++].array = array;
}

static tess_status check_alone(const tess__outputs *out, const tess__wanted *w)
{
    if (tess__is_empty_out(w->array)) return TESS_OK;
    TESS_TRY(tess__output_named(out->fn, w->name, w->array, w->shape, w->dtype, w->device)); /* checks it */
    for (int k = 0; k < out->n_inputs; k++)
        TESS_TRY(tess__check_disjoint(out->fn, w->name, w->array, out->inputs[k].name, out->inputs[k].array));
    return TESS_OK;
}

tess_status tess__outputs_check(const tess__outputs *out)
{
    TESS_CHECK(!out->is_full, TESS_EUNSUPPORTED, "%s: at most %d outputs and %d inputs can be checked", out->fn,
               TESS__MAX_OUTPUTS, TESS__OUTPUTS_INPUTS);
    for (int k = 0; k < out->n; k++) TESS_TRY(check_alone(out, &out->wanted[k]));
    for (int k = 0; k < out->n; k++)
        for (int i = 0; i < k; i++) {
            const tess__wanted *a = &out->wanted[i], *b = &out->wanted[k];
            TESS_TRY(tess__check_disjoint(out->fn, b->name, b->array, a->name, a->array));
            TESS_CHECK(a->array != b->array, TESS_EALIAS,
                       "%s: `%s` and `%s` are the same array; they must be different", out->fn, a->name, b->name);
        }
    return TESS_OK;
}

tess_status tess__outputs_take(tess__outputs *out)
{
    TESS_TRY(tess__outputs_check(out));
    for (int k = 0; k < out->n; k++) {
        tess__wanted *w = &out->wanted[k];
        if (!tess__is_empty_out(w->array)) continue;
        const tess_status status = tess__make(out->fn, w->array, w->shape, w->dtype, w->device, false);
        if (status != TESS_OK) return tess__outputs_end(out, status);
        w->made = true;
    }
    return TESS_OK;
}

tess_status tess__outputs_end(tess__outputs *out, tess_status status)
{
    for (int k = 0; k < out->n; k++) {
        (void)tess__finish(status, out->wanted[k].array, out->wanted[k].made);
        out->wanted[k].made = false;
    }
    return status;
}

tess_status tess__check_apart(const char *fn, const char *other, const tess_array *out, const char *arg,
                              const tess_array *in)
{
    if (!out || tess__is_empty_out(out) || !in) return TESS_OK;
    TESS_TRY(tess__check_array(fn, other, out));
    TESS_TRY(tess__check_array(fn, arg, in));
    TESS_TRY(tess__check_disjoint(fn, other, out, arg, in));
    return TESS_OK;
}
