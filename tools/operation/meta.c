/* What is known of a result: pixel size and origin as they are after the operation. */
#include <string.h>

#include "files/input_meta.h"
#include "files/one_input.h"
#include "operation/operands.h"

static const tess_value *value_named(const operands *o, const char *name)
{
    for (size_t i = 0; i < o->op->n_args; i++)
        if (strcmp(o->op->args[i].name, name) == 0) return &o->values[i];
    return NULL;
}

/* Axes that are transposed take their pixel sizes along; with batches among them there is nothing to say. */
static void permute(tess_meta *meta, const int32_t axes[4])
{
    const tess_meta old = *meta;
    for (int k = 0; k < 3; k++) {
        const int from = axes[k + 1] - 1;
        meta->pixel_size[k] = from >= 0 ? old.pixel_size[from] : 0;
        meta->origin[k] = from >= 0 ? old.origin[from] : 0;
        meta->start[k] = from >= 0 ? old.start[from] : 0;
        meta->grid[k] = from >= 0 ? old.grid[from] : 0;
        meta->angles[2 - k] = from >= 0 ? old.angles[2 - from] : 0;
    }
    if (axes[0] != 0) tess_meta_forget_cell(meta);
    else if (axes[1] != 1 || axes[2] != 2) tess_meta_forget_symmetry(meta);
}

static tess_status bin(tess_meta *meta, tess_shape factors)
{
    double factor[3], shift[3];
    for (int k = 0; k < 3; k++) {
        factor[k] = (double)factors.dim[k + 1];
        shift[k] = (factor[k] - 1) / 2; /* the first pixel of the result lies in the middle of its block */
    }
    return tess_meta_scale(meta, factor, shift);
}

/* Elements taken away before, or added: sign -1. */
static tess_status move(tess_meta *meta, tess_shape left, int64_t sign)
{
    for (int k = 0; k < 4; k++) left.dim[k] *= sign;
    return tess_meta_crop(meta, left);
}

static void forget_sizes(tess_meta *meta, tess_shape in, tess_shape out)
{
    for (int k = 0; k < 3; k++) {
        if (in.dim[k + 1] == out.dim[k + 1]) continue;
        meta->pixel_size[k] = 0;
        meta->origin[k] = 0;
        meta->start[k] = 0;
        tess_meta_forget_cell(meta);
    }
}

tess_status result_meta(const operands *o, job *j, tess_shape shape, tess_meta *meta)
{
    memset(meta, 0, sizeof *meta);
    const input *in = first_file(o);
    if (!in) return TESS_OK;
    *meta = meta_of(in);
    const char       *name = o->op->name;
    const tess_value *before = value_named(o, "before");
    if (strcmp(name, "permute_copy") == 0) {
        permute(meta, value_named(o, "axes")->axes);
    } else if (strcmp(name, "bin") == 0) {
        TESS_TRY(bin(meta, value_named(o, "factors")->shape));
    } else if (before) {
        TESS_TRY(move(meta, before->shape, strcmp(name, "pad") == 0 ? -1 : 1));
    } else if (strcmp(name, "resize") == 0) {
        const tess_shape in_shape = in->info.shape;
        tess_shape       cut; /* before the first element that stays: the centre n / 2 does */
        for (int k = 0; k < 4; k++) cut.dim[k] = in_shape.dim[k] / 2 - shape.dim[k] / 2;
        TESS_TRY(move(meta, cut, 1));
    } else if (strcmp(name, "fft_r2c") == 0 || strcmp(name, "fft_c2r") == 0 || strcmp(name, "fft_remap") == 0) {
        /* As with the verb fft, the pixel size of a transform is that of the image. */
    } else {
        forget_sizes(meta, in->info.shape, shape);
    }
    if (shape.b != in->info.shape.b || shape.d != in->info.shape.d) tess_meta_forget_extended(meta);
    tell_lost_cell(j, in, meta);
    return TESS_OK;
}
