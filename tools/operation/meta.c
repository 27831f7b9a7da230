/* What is known of a result: pixel size and origin as they are after the operation. */
#include <string.h>

#include "files/input_meta.h"
#include "files/one_input.h"
#include "operation/operands.h"

/* That of the first row of this type, and with these flags. */
static const tess_value *value_of(const operands *o, tess_arg_type type, uint32_t flags)
{
    size_t i = 0;
    while (o->op->args[i].type != type || (o->op->args[i].flags & flags) != flags) i++;
    return &o->values[i];
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

/* As `metadata` of the operation says; `in` and `out` are the shapes. */
static tess_status follow(tess_meta *meta, const operands *o, tess_shape in, tess_shape out)
{
    tess_shape cut; /* what is before the first element that stays, where the centre n / 2 does */
    switch (o->op->metadata) {
    case TESS_METADATA_KEPT: break;
    case TESS_METADATA_PERMUTED: permute(meta, value_of(o, TESS_ARG_AXES, 0)->axes); break;
    case TESS_METADATA_BINNED: return bin(meta, value_of(o, TESS_ARG_SHAPE, TESS_ARG_PER_AXIS)->shape);
    case TESS_METADATA_CROPPED: return move(meta, value_of(o, TESS_ARG_SHAPE, TESS_ARG_PER_AXIS)->shape, 1);
    case TESS_METADATA_PADDED: return move(meta, value_of(o, TESS_ARG_SHAPE, TESS_ARG_PER_AXIS)->shape, -1);
    case TESS_METADATA_CENTRED:
        for (int k = 0; k < 4; k++) cut.dim[k] = in.dim[k] / 2 - out.dim[k] / 2;
        return move(meta, cut, 1);
    default: forget_sizes(meta, in, out);
    }
    return TESS_OK;
}

tess_status result_meta(const operands *o, job *j, tess_shape shape, tess_meta *meta)
{
    memset(meta, 0, sizeof *meta);
    const input *in = first_file(o);
    if (!in) return TESS_OK;
    *meta = meta_of(in);
    TESS_TRY(follow(meta, o, in->info.shape, shape));
    if (shape.b != in->info.shape.b || shape.d != in->info.shape.d) tess_meta_forget_extended(meta);
    tell_lost_cell(j, in, meta);
    return TESS_OK;
}
