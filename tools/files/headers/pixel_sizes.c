/* Pixel sizes of files that are used together: whether they agree, and a warning where they do not. */
#include "files/headers/pixel_sizes.h"

void warn_of_pixel_sizes(job *j, const input *one, const input *other)
{
    const double a = one->info.meta.pixel_size[2], b = other->info.meta.pixel_size[2];
    if (!tess_pixel_sizes_differ(a, b)) return;
    job_warn(j, "%s has pixels of %.6g A and %s of %.6g A: they are used pixel by pixel, as if both were of %.6g A",
             one->name, a, other->name, b, a);
}
