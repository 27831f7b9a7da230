/* Boxes, factors and places; meta data after a change of geometry. */
#include "geometry.h"

#include <math.h>
#include <stdlib.h>

tess_status open_input(job *j, input *in, input_need need)
{
    TESS_TRY(output_check(j, NULL));
    return input_open(in, j, j->arguments[0], need);
}

tess_status option_whole_xyz(const job *j, const char *name, tess_shape shape, int64_t least, tess_shape *values)
{
    if (!job_has(j, name)) return TESS_OK;
    double xyz[3];
    int    n = 0;
    TESS_TRY(job_xyz(j, name, xyz, &n));
    for (int i = 0; i < n; ++i) {
        TESS_CHECK(xyz[i] == floor(xyz[i]) && fabs(xyz[i]) < 1e15 && xyz[i] >= (double)least, TESS_EARG,
                   "%s: --%s has %c %g; whole numbers of %lld or more are allowed", j->verb->name, name, "xyz"[i],
                   xyz[i], (long long)least);
    }
    for (int i = 0; i < 3; ++i) {
        const int axis = 3 - i;
        if (i < n) values->dim[axis] = (int64_t)xyz[i];
        else if (n == 1 && (i < 2 || shape.d > 1)) values->dim[axis] = (int64_t)xyz[0];
    }
    return TESS_OK;
}

tess_dtype dtype_to_compute(tess_dtype dtype)
{
    switch (tess_dtype_kind(dtype)) {
    case TESS_KIND_COMPLEX: return dtype == TESS_C64 ? TESS_C64 : TESS_C32;
    case TESS_KIND_FLOAT: return dtype == TESS_F64 ? TESS_F64 : TESS_F32;
    default: return tess_dtype_size(dtype) > 2 ? TESS_F64 : TESS_F32;
    }
}

tess_dtype dtype_to_keep(tess_dtype dtype)
{
    return dtype == TESS_F16 || dtype == TESS_C16 ? dtype : dtype_to_compute(dtype);
}

tess_meta meta_of(const input *in)
{
    tess_meta meta = in->info.meta;
    meta.stats = 0;
    return meta;
}

static void drop_extended(tess_meta *meta)
{
    meta->extended = NULL;
    meta->extended_size = 0;
    meta->extended_type[0] = '\0';
}

void meta_crop(tess_meta *meta, tess_shape left)
{
    for (int i = 0; i < 3; ++i) {
        meta->origin[i] += (double)left.dim[i + 1] * meta->pixel_size[i];
        meta->start[i] += left.dim[i + 1];
    }
    drop_extended(meta);
}

void meta_scale(tess_meta *meta, int axis, double factor, double shift)
{
    meta->origin[axis] += shift * meta->pixel_size[axis];
    meta->pixel_size[axis] *= factor;
    const double start = (double)meta->start[axis] / factor;
    meta->start[axis] = start == floor(start) ? (int64_t)start : 0;
    if (factor != 1) drop_extended(meta);
}

void meta_swap(tess_meta *meta, int a, int b)
{
    const double  size = meta->pixel_size[a], origin = meta->origin[a];
    const int64_t start = meta->start[a];
    meta->pixel_size[a] = meta->pixel_size[b], meta->origin[a] = meta->origin[b], meta->start[a] = meta->start[b];
    meta->pixel_size[b] = size, meta->origin[b] = origin, meta->start[b] = start;
}
