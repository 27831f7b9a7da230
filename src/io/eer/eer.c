/* EER format descriptor: recognition and opening of movies, as images of counted electrons. */
#include "io/eer/eer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/device/memory.h"

/* A TIFF of 64-bit offsets, or in small files of 32. */
static bool recognises(const unsigned char *bytes, int64_t n)
{
    return n >= 8 && (memcmp(bytes, "II+\0", 4) == 0 || memcmp(bytes, "II*\0", 4) == 0 ||
                      memcmp(bytes, "MM\0+", 4) == 0 || memcmp(bytes, "MM\0*", 4) == 0);
}

static tess_status settle_upsampling(tess_file *file)
{
    tess__eer_file *movie = file->state;
    const int32_t   up = file->opts.eer_upsampling;
    movie->shift = up == 4 ? 2 : up == 2 ? 1 : 0;
    TESS_CHECK(up == 1 << movie->shift, TESS_EARG,
               "open: %s: `opts->eer_upsampling` is %" PRId32 "; expected 1, 2 or 4", file->path, up);
    TESS_CHECK(movie->shift <= movie->code.x_bits && movie->shift <= movie->code.y_bits, TESS_EARG,
               "open: %s: `opts->eer_upsampling` is %" PRId32 "; electron positions are known to 1 / %d of a pixel",
               file->path, up,
               1 << (movie->code.x_bits < movie->code.y_bits ? movie->code.x_bits : movie->code.y_bits));
    for (int k = 1; k < 3; k++) file->info.meta.pixel_size[k] /= up;
    return TESS_OK;
}

/* Images are groups of frames; frames that fill no group are left out. */
static tess_status settle_groups(tess_file *file, int64_t *n_images)
{
    const tess__eer_file *movie = file->state;
    const int64_t         group = file->opts.eer_group, rest = movie->n_frames % group;
    TESS_CHECK(group <= movie->n_frames, TESS_EARG,
               "open: %s: `opts->eer_group` is %" PRId64 "; the movie has %" PRId64 " frames", file->path, group,
               movie->n_frames);
    *n_images = movie->n_frames / group;
    if (rest > 0)
        tess__file_warn(file, TESS_ODD_FRAME, "frames", "", "",
                        "the last %" PRId64 " of %" PRId64 " frames do not fill a group of %" PRId64 " and are skipped",
                        rest, movie->n_frames, group);
    return TESS_OK;
}

static tess_status settle_shape(tess_file *file)
{
    const tess__eer_file *movie = file->state;
    tess_info_file       *info = &file->info;
    int64_t               n = 0, bytes;
    TESS_TRY(settle_groups(file, &n));
    info->shape = TESS_SHAPE(1, 1, movie->height << movie->shift, movie->width << movie->shift);
    TESS_TRY(tess__file_take_sections(file, n, 1));
    info->dtype = file->opts.eer_group <= 255 ? TESS_U8 : TESS_U16;
    info->compression = TESS_COMPRESSION_OTHER;
    info->stored[0] = movie->width;
    info->stored[1] = movie->height;
    info->stored[2] = movie->n_frames;
    TESS_CHECK(tess__bytes_of(&bytes, info->shape.dim, 4, 16), TESS_EFORMAT,
               "open: %s: %" PRId64 " images of %" PRId64 " x %" PRId64 " are too many", file->path, n, info->shape.w,
               info->shape.h);
    return TESS_OK;
}

static tess_status open_file(tess_file *file)
{
    tess__eer_file *movie = tess__alloc(sizeof *movie);
    TESS_CHECK(movie, TESS_ENOMEM, "open: %s: no memory to read an EER movie", file->path);
    memset(movie, 0, sizeof *movie);
    file->state = movie;
    TESS_TRY(tess__eer_find_frames(file));
    TESS_TRY(settle_upsampling(file));
    TESS_TRY(settle_shape(file));
    return TESS_OK;
}

static void close_file(tess_file *file)
{
    tess__eer_file *movie = file->state;
    if (!movie) return;
    tess__free(movie->frames);
    tess__free(movie->strips);
    tess__free(movie);
    file->state = NULL;
}

const tess__format tess__format_eer = {
    .name = "eer",
    .extensions = "eer",
    .id = TESS_FORMAT_EER,
    .recognises = recognises,
    .recognises_source = tess__eer_has_frames,
    .open = open_file,
    .read = tess__eer_read,
    .close = close_file,
};
