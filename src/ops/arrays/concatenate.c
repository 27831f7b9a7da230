/* Concatenation of arrays along an axis. */
#include <stdio.h>

#include <string.h>

#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/check/text.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "the joined array; any strides"),
    TESS__IN_MANY("parts", "arrays to join, in order"),
    TESS__NEED(TESS_ARG_AXIS, "axis", "axis to join along"),
};
TESS__CALL(concatenate, v[0].out, v[1].list.of.arrays, (int)v[1].list.n, v[2].i32)
const tess_function_info tess__info_concatenate =
    TESS__OP(TESS_CUT_NONE, concatenate, "array", "Join arrays along an axis.", args);

/* Part i fits to part 0; `*length` grows by its size along the axis. */
static tess_status check_part(const tess_array *parts, int i, int axis, int64_t *length)
{
    char name[32], text[2][TESS__SHAPE_TEXT];
    (void)snprintf(name, sizeof name, "parts[%d]", i);
    TESS_TRY(tess__check_array("concatenate", name, &parts[i]));
    TESS_CHECK(parts[i].dtype == parts[0].dtype, TESS_EDTYPE,
               "concatenate: `%s` is %s and parts[0] is %s; the same dtype is needed", name,
               tess_dtype_name(parts[i].dtype), tess_dtype_name(parts[0].dtype));
    TESS_TRY(tess__check_device_of("concatenate", "parts[0]", &parts[0], name, &parts[i]));
    for (int k = 0; k < 4; k++)
        TESS_CHECK(k == axis || parts[i].shape.dim[k] == parts[0].shape.dim[k], TESS_ESHAPE,
                   "concatenate: `%s` has shape %s and parts[0] has %s; they may differ only in axis %d", name,
                   tess__shape_text(text[0], parts[i].shape.dim), tess__shape_text(text[1], parts[0].shape.dim), axis);
    TESS_CHECK(!__builtin_add_overflow(*length, parts[i].shape.dim[axis], length), TESS_ESHAPE,
               "concatenate: the sizes along axis %d, up to parts[%d], add up to more than 2^63", axis, i);
    return TESS_OK;
}

/* One request for each part; all are submitted together, so that a queue out of memory cannot leave half of them. */
static tess_status plan_parts(tess__ewise *work, tess_array *out, const tess_array *parts, int n, int axis)
{
    int64_t at = 0;
    for (int i = 0; i < n; i++) {
        tess_array        target;
        const tess_array *in = &parts[i];
        TESS_TRY(tess_slice(&target, out, axis, at, at + in->shape.dim[axis], 1));
        at += in->shape.dim[axis];
        /* A scalar of the caller's, which is valid only during the call, is filled in. */
        const bool number = in->flags & TESS_SCALAR;
        work[i].name = "concatenate";
        work[i].kind = number ? TESS__FILL : TESS__COPY;
        work[i].param.element.size = tess__dtype_size(in->dtype);
        if (number) memcpy(work[i].param.element.bytes, in->data, (size_t)work[i].param.element.size);
        tess__ewise_plan(&work[i], &target, &in, number ? 0 : 1);
    }
    return TESS_OK;
}

static tess_status copy_parts(tess_array *out, const tess_array *parts, int n, int axis)
{
    const size_t size = (size_t)n * sizeof(tess__ewise);
    tess__ewise *work = tess__alloc(size);
    TESS_CHECK(work, TESS_ENOMEM, "concatenate: no memory for %zu bytes", size);
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, plan_parts(work, out, parts, n, axis));
    TESS_GOTO(done, status, tess__ewise_submit(work, n, out->device));
done:
    tess__free(work);
    return status;
}

tess_status tess_concatenate(tess_array *out, const tess_array *parts, int n, int axis)
{
    TESS_TRY(tess__check_pointer("concatenate", "out", out));
    TESS_TRY(tess__check_pointer("concatenate", "parts", parts));
    TESS_CHECK(n >= 1, TESS_EARG, "concatenate: `n` is %d; at least one part is needed", n);
    TESS_TRY(tess__check_axis("concatenate", "axis", &axis));
    int64_t length = 0;
    for (int i = 0; i < n; i++) TESS_TRY(check_part(parts, i, axis, &length));
    tess_shape shape = parts[0].shape;
    shape.dim[axis] = length;
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__output("concatenate", out, shape, parts[0].dtype, parts[0].device));
    for (int i = 0; i < n && !made; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "parts[%d]", i);
        TESS_TRY(tess__check_overlap("concatenate", out, name, &parts[i], false));
    }
    TESS_TRY(tess__finish(copy_parts(out, parts, n, axis), out, made));
    return TESS_OK;
}
