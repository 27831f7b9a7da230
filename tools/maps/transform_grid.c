/* The grid of pixels of a transformed picture. */
#include "maps/transform.h"

#include <string.h>

#include "files/box.h"

/* Where the first pixel is, in Å: the origin, or if that is 0 the start. */
static double position_of(const tess_meta *meta, int axis)
{
    const bool by_origin = meta->origin[0] != 0 || meta->origin[1] != 0 || meta->origin[2] != 0;
    return by_origin ? meta->origin[axis] : (double)meta->start[axis] * meta->pixel_size[axis];
}

/* Reads the header of the map of --like, as a volume or images, whichever the input has. */
static tess_status read_like(const job *j, const transform *t, const char *path, tess_info_file *like)
{
    const tess_read_opts opts = { .as = t->volume ? TESS_AS_VOLUME : TESS_AS_STACK };
    const int            needed = t->volume ? 3 : 2;
    TESS_CHECK(!job_has(j, "box") && t->scale == 1, TESS_EARG,
               "transform: --like sets pixel size and box size; --%s cannot be combined with it",
               job_has(j, "box") ? "box" : "scale");
    TESS_TRY(tess_info(like, path, &opts));
    TESS_CHECK((like->shape.d > 1) == t->volume, TESS_ESHAPE, "transform: --like %s is an image; it must be a volume",
               path);
    TESS_CHECK(!tess_meta_is_skew(&like->meta, t->volume), TESS_EUNSUPPORTED,
               "transform: the axes of the cell of --like %s must be at right angles", path);
    for (int i = 3 - needed; i < 3; ++i)
        TESS_CHECK(like->meta.pixel_size[i] > 0, TESS_EARG,
                   "transform: the map of --like, %s, has no pixel size; set it with tessera edit --apix", path);
    return TESS_OK;
}

tess_status transform_grid_of_map(const job *j, transform *t, const input *in, tess_meta *meta)
{
    tess_info_file   like;
    const tess_meta *from = &in->info.meta;
    double           size;
    TESS_TRY(read_like(j, t, job_text(j, "like", ""), &like));
    TESS_TRY(input_pixel_size(in, &size));
    for (int i = t->volume ? 0 : 1; i < 3; ++i) {
        const double each = from->pixel_size[i] > 0 ? from->pixel_size[i] : size;
        t->out.dim[i + 1] = like.shape.dim[i + 1];
        t->grid[i] = like.meta.pixel_size[i] / each;
        t->first[i] = (position_of(&like.meta, i) - position_of(from, i)) / each;
    }
    memcpy(meta->pixel_size, like.meta.pixel_size, sizeof meta->pixel_size);
    memcpy(meta->origin, like.meta.origin, sizeof meta->origin);
    memcpy(meta->start, like.meta.start, sizeof meta->start);
    return TESS_OK;
}

tess_status transform_grid_of_box(const job *j, transform *t, const input *in, tess_meta *meta)
{
    const tess_shape shape = in->info.shape;
    double           factor[3], shift[3];
    bool             moved = t->scale != 1;
    TESS_TRY(option_pixels_xyz(j, "box", in, 1, &t->out));
    TESS_CHECK(t->volume || t->out.d == 1, TESS_EARG, "transform: --box has z %lld; expected x,y, since %s has images",
               (long long)t->out.d, in->name);
    for (int i = 0; i < 3; ++i) {
        const bool along = i > 0 || t->volume;
        t->first[i] = (double)(shape.dim[i + 1] / 2 - t->out.dim[i + 1] / 2);
        factor[i] = along ? 1 / t->scale : 1;
        shift[i] = along ? t->centre.at[i] + (t->first[i] - t->centre.at[i]) / t->scale : 0;
        moved = moved || shift[i] != 0;
    }
    if (moved) TESS_TRY(tess_meta_scale(meta, factor, shift));
    return TESS_OK;
}

tess_status transform_invert(const job *j, transform *t)
{
    const tess_vec3_f64  c = t->centre, back = { { -c.at[0], -c.at[1], -c.at[2] } };
    const tess_mat33_f64 spread = tess_scale_3d_f64((tess_vec3_f64){ { t->grid[0], t->grid[1], t->grid[2] } });
    const tess_mat34_f64 grid = tess_mat34_of_f64(spread, (tess_vec3_f64){ { t->first[0], t->first[1], t->first[2] } });
    for (int64_t i = 0; i < t->moves.n; ++i) {
        tess_mat34_f64 *m = &t->moves.at[i], inverse = *m;
        if (!job_has(j, "inverse") && tess_invert_mat34(&inverse, m) != TESS_OK)
            TESS_FAIL(TESS_ERANGE, "transform: the matrix of image %lld has no inverse (determinant %g)", (long long)i,
                      tess_mat33_determinant_f64(tess_mat34_linear_f64(*m)));
        inverse = tess_mat34_mul_f64(inverse, tess_mat34_mul_f64(tess_translate_3d_f64(back), grid));
        *m = tess_mat34_mul_f64(tess_translate_3d_f64(c), inverse);
    }
    return TESS_OK;
}
