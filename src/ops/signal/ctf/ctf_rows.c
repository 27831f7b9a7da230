/* Rows of CTFs, as polar transforms and averages take them. */
#include <inttypes.h>

#include "core/check/check.h"
#include "core/check/output.h"
#include "core/check/text.h"
#include "ops/signal/ctf/ctf.h"
#include "tessera/device.h"

tess_status tess__check_ctf_rows(const char *fn, const char *arg, const tess_array *rows, const tess_array *in,
                                 int64_t h)
{
    char text[2][TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_numbers(fn, arg, rows));
    TESS_CHECK(rows->dtype < TESS_C16, TESS_EDTYPE, "%s: `%s` is %s; a real type is needed", fn, arg,
               tess_dtype_name(rows->dtype));
    const tess_shape *n = &rows->shape;
    TESS_CHECK((n->b == 1 || n->b == in->shape.b) && n->d == 1 && (n->h == 1 || n->h == h) &&
                   n->w >= TESS_CTF_MIN_COLUMNS && n->w <= TESS_CTF_COLUMNS,
               TESS_ESHAPE,
               "%s: `%s` has shape %s and `in` has shape %s; {1 or %" PRId64 ",1,1 or %" PRId64
               ",m} with m from %d to %d (pixel_size h, w, defocus, astigmatism, angle, voltage, amplitude, cs …) is "
               "needed",
               fn, arg, tess__shape_text(text[0], n->dim), tess__shape_text(text[1], in->shape.dim), in->shape.b, h,
               TESS_CTF_MIN_COLUMNS, TESS_CTF_COLUMNS);
    if (rows->device.kind != TESS_CPU) TESS_TRY(tess__check_device_of(fn, "in", in, arg, rows));
    return TESS_OK;
}

tess_status tess__take_ctf_rows(tess_array *ctfs, const char *fn, const tess_array *rows, tess_device device)
{
    const tess_shape shape = TESS_SHAPE(rows->shape.b, 1, rows->shape.h, TESS_CTF_COLUMNS);
    tess_array       all = { .data = NULL };
    tess_status      status = TESS_OK;
    TESS_TRY(tess__make(fn, &all, shape, TESS_F64, rows->device, true));
    tess_array given = all;
    given.shape.w = rows->shape.w;
    TESS_GOTO(done, status, tess_cast(&given, rows, TESS_F64, NULL));
    TESS_GOTO(done, status, tess_to_device(ctfs, &all, device));
done:
    tess_release(&all);
    return status;
}
