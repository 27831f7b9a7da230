/* Outputs of reductions: the epilogue's results in its own dtype, or converted to that of the output. */
#include "cpu/convert/convert.h"
#include "cpu/reduce/reduce.h"

void tess__put_outputs(const tess__method *m, int which, const tess__results *from, const tess__destination *d,
                       double *values)
{
    const tess_dtype wide = m->wide[which];
    const bool       f32 = wide == TESS_F64 && d->dtype == TESS_F32, one = from->n == 1 || d->stride == 1;
    if (one && (f32 || wide == d->dtype)) {
        m->epilogue(m, which, from, d->to, f32);
        return;
    }
    m->epilogue(m, which, from, values, false);
    const tess__conversion c = tess__conversion_of(wide, d->dtype, TESS__CLAMP, TESS_PART_ABS);
    const int64_t          strides[2] = { d->stride, 1 };
    char *const            p[2] = { d->to, (char *)values };
    c.row(p, strides, from->n, &c);
}
