/* Broadcasting: the common shape of all inputs, and errors for arrays that do not broadcast to it. */
#include "core/array/broadcast.h"

#include "core/check/marks.h"
#include "core/check/text.h"

/* A stack of images where a volume is meant, or a volume where a stack is meant, is the most common mistake. */
static const char *swapped_hint(tess_shape in, tess_shape shape)
{
    const bool swapped = in.b == shape.d && in.d == shape.b && in.h == shape.h && in.w == shape.w;
    return swapped ? " (batch and depth are swapped, images against a volume: " TESS__MARK(
                         "tess_permute") " or " TESS__MARK("tess_reshape") " one)"
                   : "";
}

tess_status tess__check_unequal(const char *fn, const char *arg, const tess_array *in, const char *other,
                                const tess_shape *shape)
{
    char text[2][TESS__SHAPE_TEXT];
    for (int k = 0; k < 4; k++)
        TESS_CHECK(in->shape.dim[k] == shape->dim[k] || in->shape.dim[k] == 1, TESS_ESHAPE,
                   "%s: `%s` has shape %s, which cannot be broadcast to %s of `%s`: axis %d must be 1 or equal%s", fn,
                   arg, tess__shape_text(text[0], in->shape.dim), tess__shape_text(text[1], shape->dim), other, k,
                   swapped_hint(in->shape, *shape));
    return TESS_OK;
}

tess_status tess__common_shape(tess_shape *shape, const char *fn, const char *const *names,
                               const tess_array *const *inputs, int n)
{
    *shape = inputs[0]->shape;
    for (int k = 1; k < n; k++)
        for (int d = 0; d < 4; d++) {
            const int64_t size = inputs[k]->shape.dim[d];
            if (size == shape->dim[d] || size == 1) continue;
            char text[2][TESS__SHAPE_TEXT];
            TESS_CHECK(
                shape->dim[d] == 1, TESS_ESHAPE,
                "%s: `%s` has shape %s, which cannot be broadcast with %s of the others: axis %d must be 1 or equal",
                fn, names[k], tess__shape_text(text[0], inputs[k]->shape.dim), tess__shape_text(text[1], shape->dim),
                d);
            shape->dim[d] = size;
        }
    return TESS_OK;
}
