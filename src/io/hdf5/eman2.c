/* HDF5 files of EMAN2: image N is the dataset /MDF/images/N/image, with attributes EMAN.*. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/hdf5.h"

enum { MAX_NAME = 48 };

/* ---- Numbers of images ---- */

typedef struct count {
    int64_t n, max;
} count;

/* A name that is a number as EMAN2 writes it: digits without a 0 before them. */
static int count_image(tess__hid group, const char *name, const void *info, void *context)
{
    count       *c = context;
    const size_t digits = strspn(name, "0123456789");
    (void)group, (void)info;
    if (digits == 0 || digits > 9 || name[digits] || (name[0] == '0' && digits > 1)) return 0;
    const int64_t number = strtoll(name, NULL, 10);
    c->n++;
    if (number > c->max) c->max = number;
    return 0;
}

static int64_t first_missing(const tess__h5_file *s)
{
    char name[MAX_NAME];
    for (int64_t i = 0;; i++) {
        (void)snprintf(name, sizeof name, "/MDF/images/%" PRId64, i);
        if (s->h5->Lexists(s->file, name, 0) <= 0) return i;
    }
}

/* Images 0 to n - 1. One that is missing is an error: numbers behind it, to which other files refer, would change. */
static tess_status count_images(tess_file *file, int64_t *n)
{
    const tess__h5_file      *s = file->state;
    const tess__h5_functions *h5 = s->h5;
    count                     images = { .n = 0, .max = -1 };
    char                      found[32], used[32];
    const tess__hid           group = h5->Gopen2(s->file, "/MDF/images", 0);
    TESS_CHECK(group > 0, TESS_EFORMAT, "open: %s: libhdf5 cannot open /MDF/images", file->path);
    const int status = h5->Literate(group, 0, 0, NULL, count_image, &images);
    (void)h5->Gclose(group);
    TESS_CHECK(status >= 0, TESS_EFORMAT, "open: %s: libhdf5 cannot list /MDF/images: it is damaged", file->path);
    TESS_CHECK(images.n > 0, TESS_EFORMAT, "open: %s: /MDF/images has 0 images; 1 or more are needed", file->path);
    *n = images.max + 1;
    if (images.n == *n) return TESS_OK;
    const int64_t missing = first_missing(s);
    TESS_CHECK(file->opts.salvage, TESS_EFORMAT,
               "open: %s: image %" PRId64 " is missing: /MDF/images has %" PRId64 " of the images 0 to %" PRId64
               " (opts->salvage reads those that are missing as 0)",
               file->path, missing, images.n, images.max);
    (void)snprintf(found, sizeof found, "%" PRId64, images.n);
    (void)snprintf(used, sizeof used, "%" PRId64, *n);
    tess__file_warn(file, TESS_ODD_FRAME, "images", found, used,
                    "%" PRId64 " images are missing, the first is %" PRId64 ": they are read as 0", *n - images.n,
                    missing);
    return TESS_OK;
}

/* ---- Images ---- */

/* EMAN2 writes integers of some bits for a range of values, which is a point if all are equal. */
static tess__h5_scaling read_scaling(const tess__h5_file *s, const char *image)
{
    double min = NAN, max = NAN, bits = 0;
    tess__h5_number(&min, s->h5, s->file, image, "EMAN.stored_rendermin");
    tess__h5_number(&max, s->h5, s->file, image, "EMAN.stored_rendermax");
    tess__h5_number(&bits, s->h5, s->file, image, "EMAN.stored_renderbits");
    const bool is_needed = isfinite(min) && isfinite(max) && max >= min && bits >= 1 && bits <= 32;
    return (tess__h5_scaling){ min, is_needed ? (max - min) / (exp2(bits) - 1) : 1, is_needed };
}

/* The dataset of an image, whatever its sizes. */
static tess_status open_any(const tess_file *file, int64_t image)
{
    tess__h5_file *s = file->state;
    char           group[MAX_NAME], name[MAX_NAME + 8];
    (void)snprintf(group, sizeof group, "/MDF/images/%" PRId64, image);
    (void)snprintf(name, sizeof name, "%s/image", group);
    tess__h5_close(&s->data);
    s->image = -1;
    TESS_CHECK(tess__h5_open(&s->data, s->h5, s->file, name), TESS_EFORMAT,
               "open: %s: it has no dataset %s; images as EMAN2 writes them are read", file->path, name);
    TESS_CHECK(s->data.rank <= 3, TESS_EUNSUPPORTED, "open: %s: dataset %s has %d axes; 1 to 3 are read", file->path,
               name, s->data.rank);
    TESS_CHECK(
        s->data.dtype != TESS_DTYPE_NONE, TESS_EUNSUPPORTED,
        "open: %s: the elements of %s are neither integers nor floats of 32 or 64 bits, nor complex numbers r, i",
        file->path, name);
    const bool is_real = s->data.dtype == TESS_F32 || s->data.dtype == TESS_F64;
    s->scaling = is_real ? (tess__h5_scaling){ .is_needed = false } : read_scaling(s, group);
    s->image = image;
    return TESS_OK;
}

/* Is there no group of this image? */
static bool is_absent(const tess__h5_file *s, int64_t image)
{
    char name[MAX_NAME];
    (void)snprintf(name, sizeof name, "/MDF/images/%" PRId64, image);
    return s->h5->Lexists(s->file, name, 0) <= 0;
}

/* One that is like the first. */
static tess_status open_image(const tess_file *file, int64_t image)
{
    tess__h5_file *s = file->state;
    const int64_t  sizes[4] = { 0, s->depth, file->info.shape.h, file->info.shape.w };
    s->is_missing = file->opts.salvage && is_absent(s, image);
    if (s->is_missing) return s->image = image, TESS_OK;
    TESS_TRY(open_any(file, image));
    const uint64_t *is = s->data.sizes;
    const int       rank = s->data.rank;
    const uint64_t  found[4] = { 0, rank > 2 ? is[0] : 1, rank > 1 ? is[rank - 2] : 1, is[rank - 1] };
    bool            is_alike = s->data.dtype == s->stored;
    for (int k = 1; k < 4; k++) is_alike &= found[k] == (uint64_t)sizes[k];
    TESS_CHECK(is_alike, TESS_EUNSUPPORTED,
               "open: %s: image %" PRId64 " is %" PRIu64 " x %" PRIu64 " x %" PRIu64 " of %s, unlike the first",
               file->path, image, found[3], found[2], found[1], tess_dtype_name(s->data.dtype));
    for (int k = 1; k < 4; k++) s->axis[k] = k - (4 - rank);
    return TESS_OK;
}

/* All images are looked at, so that what is said of a file is what will be read. */
static tess_status check_images(tess_file *file, int64_t n)
{
    tess__h5_file *s = file->state;
    char           name[MAX_NAME + 8];
    for (int64_t i = 0; i < n; i++) {
        TESS_TRY(open_image(file, i));
        (void)snprintf(name, sizeof name, "/MDF/images/%" PRId64 "/image", i);
        if (s->is_missing) continue;
        if (s->scaling.is_needed) file->info.dtype = TESS_F32;
        TESS_TRY(tess__h5_check_chunks(file, name));
    }
    return TESS_OK;
}

static void read_geometry(tess_file *file, int64_t image)
{
    static const char *const sizes[] = { "EMAN.apix_z", "EMAN.apix_y", "EMAN.apix_x" };
    static const char *const origins[] = { "EMAN.origin_z", "EMAN.origin_y", "EMAN.origin_x" };
    const tess__h5_file     *s = file->state;
    tess_meta               *meta = &file->info.meta;
    char                     group[MAX_NAME];
    (void)snprintf(group, sizeof group, "/MDF/images/%" PRId64, image);
    for (int k = 0; k < 3; k++) {
        tess__h5_number(&meta->pixel_size[k], s->h5, s->file, group, sizes[k]);
        tess__h5_number(&meta->origin[k], s->h5, s->file, group, origins[k]);
        if (!isfinite(meta->pixel_size[k]) || !(meta->pixel_size[k] > 0)) meta->pixel_size[k] = 0;
        if (!isfinite(meta->origin[k])) meta->origin[k] = 0;
    }
}

tess_status tess__h5_open_eman2(tess_file *file)
{
    tess__h5_file *s = file->state;
    int64_t        n = 0, first = 0;
    TESS_CHECK(file->opts.page < 0, TESS_EARG,
               "open: %s: opts->page is %" PRId64 ", but the images of EMAN2's files are one stack", file->path,
               file->opts.page);
    TESS_CHECK(!file->opts.n_pages, TESS_EARG,
               "open: %s: opts->n_pages is %" PRId32 ", but the images of EMAN2's files are one stack", file->path,
               file->opts.n_pages);
    TESS_TRY(count_images(file, &n));
    while (file->opts.salvage && first < n - 1 && is_absent(s, first)) first++;
    TESS_TRY(open_any(file, first));
    s->axis[0] = -1;
    for (int k = 1; k < 4; k++) s->axis[k] = k - (4 - s->data.rank) >= 0 ? k - (4 - s->data.rank) : -1;
    TESS_TRY(tess__h5_describe(file, n));
    read_geometry(file, first);
    TESS_TRY(check_images(file, n));
    s->open_image = open_image;
    return TESS_OK;
}
