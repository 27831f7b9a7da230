/* A box by its size and its middle or its first pixel. */
#include "measure/box.h"

tess_status box_of_options(const job *j, const input *in, tess_shape *box, tess_shape *at)
{
    const tess_shape shape = in->info.shape;
    *box = shape;
    TESS_TRY(option_pixels_xyz(j, "box", in, 1, box));
    TESS_CHECK(!job_has(j, "center") || !job_has(j, "at"), TESS_EARG,
               "%s: --center and --at both say where the box is; give one of them", j->verb->name);
    tess_shape middle = TESS_SHAPE(0, shape.d / 2, shape.h / 2, shape.w / 2);
    TESS_TRY(option_pixels_xyz(j, "center", in, INT32_MIN, &middle));
    for (int i = 1; i < 4; ++i) at->dim[i] = middle.dim[i] - box->dim[i] / 2;
    at->b = 0;
    return option_pixels_xyz(j, "at", in, INT32_MIN, at);
}
