/* Sections of a file as images, a volume or volumes: what the file says, or what the caller wants. */
#include <inttypes.h>

#include "io/file/file.h"

tess_status tess__file_take_sections(tess_file *file, int64_t n, int64_t depth)
{
    tess_info_file *info = &file->info;
    const int       as = file->opts.as;
    if (as) depth = as == TESS_AS_STACK ? 1 : as == TESS_AS_VOLUME ? n : file->opts.depth;
    TESS_CHECK(depth > 0 && n % depth == 0, TESS_EARG,
               "open: %s: `opts->depth` is %" PRId64 "; it must divide the %" PRId64 " sections of the file",
               file->path, depth, n);
    info->shape.b = n / depth;
    info->shape.d = depth;
    info->sections = as ? as : depth == 1 ? TESS_AS_STACK : depth == n ? TESS_AS_VOLUME : TESS_AS_VOLUMES;
    info->sections_rule = as ? 1 : 0;
    return TESS_OK;
}
