/* Numbers of files beside a stack, for the images of it that were chosen. */
#include "movies/tilts.h"

/* Of the images that were chosen, in their order. */
static tess_status choose(tess_array *numbers, const input *in)
{
    double    *all = numbers->data;
    tess_array some = { 0 };
    TESS_TRY(tess_empty(&some, TESS_SHAPE(in->n_chosen, 1, 1, 1), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < in->n_chosen; i++) ((double *)some.data)[i] = all[in->chosen[i]];
    tess_release(numbers);
    *numbers = some;
    return TESS_OK;
}

tess_status keep_those_of_images(tess_array *numbers, const char *path, const char *kind, const input *in)
{
    const int64_t images = in->info.shape.b, all = in->file ? tess_file_info(in->file)->shape.b : images;
    const int64_t n = numbers->shape.b;
    if (n == all && in->chosen) return choose(numbers, in);
    TESS_CHECK(n == images, TESS_EARG, "%s has %lld %s; there are %lld images in %s", path, (long long)n, kind,
               (long long)images, in->name);
    return TESS_OK;
}

tess_status tilts_of_images(tess_array *tilts, const char *path, const input *in)
{
    tess_tilt_series series = { 0 };
    TESS_TRY(tess_tilt_series_read(&series, path));
    *tilts = series.angles;
    return keep_those_of_images(tilts, path, "tilts", in);
}
