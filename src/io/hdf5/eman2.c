/* HDF5 files of EMAN2: image N is the dataset /MDF/images/N/image, with attributes EMAN.*. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/device/memory.h"
#include "io/hdf5/hdf5.h"

enum { MAX_NAME = 48 };

/* ---- Numbers of images ---- */

/* Those that the file has, in ascending order. */
typedef struct list {
    int64_t  n, room; /* numbers; how many have a place below */
    int32_t *numbers;
} list;

/* A name that is a number as EMAN2 writes it: digits without a 0 before them. */
static int take_image(tess__hid group, const char *name, const void *info, void *context)
{
    list        *l = context;
    const size_t digits = strspn(name, "0123456789");
    (void)group, (void)info;
    if (digits == 0 || digits > 9 || name[digits] || (name[0] == '0' && digits > 1)) return 0;
    if (l->n < l->room) l->numbers[l->n] = (int32_t)strtol(name, NULL, 10);
    l->n++;
    return 0;
}

static int by_number(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Links are counted, then taken. */
static tess_status list_images(const tess_file *file, list *images)
{
    const tess__h5_file      *s = file->state;
    const tess__h5_functions *h5 = s->h5;
    const tess__hid           group = h5->Gopen2(s->file, "/MDF/images", 0);
    TESS_CHECK(group > 0, TESS_EFORMAT, "open: %s: libhdf5 cannot open /MDF/images", file->path);
    int status = h5->Literate(group, 0, 0, NULL, take_image, images);
    images->room = images->n;
    images->numbers = images->n ? tess__alloc((size_t)images->n * sizeof *images->numbers) : NULL;
    images->n = 0;
    if (images->numbers && status >= 0) status = h5->Literate(group, 0, 0, NULL, take_image, images);
    (void)h5->Gclose(group);
    TESS_CHECK(status >= 0, TESS_EFORMAT, "open: %s: libhdf5 cannot list /MDF/images; the file is damaged", file->path);
    TESS_CHECK(images->room > 0, TESS_EFORMAT, "open: %s: /MDF/images has 0 images; expected 1 or more", file->path);
    TESS_CHECK(images->numbers, TESS_ENOMEM, "open: %s: no memory for the numbers of %" PRId64 " images", file->path,
               images->room);
    TESS_CHECK(images->n == images->room, TESS_EFORMAT, "open: %s: /MDF/images changed while it was read", file->path);
    qsort(images->numbers, (size_t)images->n, sizeof *images->numbers, by_number);
    return TESS_OK;
}

/* Images 0 to n - 1. One that is missing is an error: numbers behind it, to which other files refer, would change. */
static tess_status check_numbers(tess_file *file, const list *images)
{
    const int64_t last = images->numbers[images->n - 1];
    int64_t       missing = 0;
    char          found[32], used[32];
    if (images->n == last + 1) return TESS_OK;
    while (images->numbers[missing] == missing) missing++;
    TESS_CHECK(file->opts.salvage, TESS_EFORMAT,
               "open: %s: image %" PRId64 " is missing: /MDF/images has %" PRId64 " of the images 0 to %" PRId64
               " (`opts->salvage` reads missing images as 0)",
               file->path, missing, images->n, last);
    (void)snprintf(found, sizeof found, "%" PRId64, images->n);
    (void)snprintf(used, sizeof used, "%" PRId64, last + 1);
    tess__file_warn(file, TESS_ODD_FRAME, "images", found, used,
                    "%" PRId64 " images are missing, the first is %" PRId64 "; they are read as 0",
                    last + 1 - images->n, missing);
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
    const bool is_needed = isfinite(max - min) && max >= min && bits >= 1 && bits <= 32;
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
               "open: %s: it has no dataset %s; expected images as EMAN2 writes them", file->path, name);
    TESS_CHECK(s->data.rank <= 3, TESS_EUNSUPPORTED, "open: %s: dataset %s has %d axes; expected 1 to 3", file->path,
               name, s->data.rank);
    TESS_CHECK(
        s->data.dtype != TESS_DTYPE_NONE, TESS_EUNSUPPORTED,
        "open: %s: the elements of %s are neither integers nor floats of 32 or 64 bits, nor complex numbers (r, i)",
        file->path, name);
    const tess_kind kind = tess_dtype_kind(s->data.dtype);
    const bool      is_integer = kind == TESS_KIND_INT || kind == TESS_KIND_UINT;
    s->scaling = is_integer ? read_scaling(s, group) : (tess__h5_scaling){ .is_needed = false };
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
static tess_status check_images(tess_file *file, const list *images)
{
    const tess__h5_file *s = file->state;
    char                 name[MAX_NAME + 8];
    for (int64_t i = 0; i < images->n; i++) {
        TESS_TRY(open_image(file, images->numbers[i]));
        (void)snprintf(name, sizeof name, "/MDF/images/%" PRId32 "/image", images->numbers[i]);
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

static tess_status open_images(tess_file *file, const list *images)
{
    tess__h5_file *s = file->state;
    const int64_t  first = images->numbers[0];
    TESS_TRY(check_numbers(file, images));
    TESS_TRY(open_any(file, first));
    s->axis[0] = -1;
    for (int k = 1; k < 4; k++) s->axis[k] = k - (4 - s->data.rank) >= 0 ? k - (4 - s->data.rank) : -1;
    TESS_TRY(tess__h5_describe(file, (int64_t)images->numbers[images->n - 1] + 1));
    read_geometry(file, first);
    TESS_TRY(check_images(file, images));
    s->open_image = open_image;
    return TESS_OK;
}

tess_status tess__h5_open_eman2(tess_file *file)
{
    list        images = { .n = 0 };
    tess_status status;
    TESS_CHECK(file->opts.page < 0, TESS_EARG,
               "open: %s: `opts->page` is %" PRId64 ", but the images of EMAN2 files form one stack", file->path,
               file->opts.page);
    TESS_CHECK(!file->opts.n_pages, TESS_EARG,
               "open: %s: `opts->n_pages` is %" PRId32 ", but the images of EMAN2 files form one stack", file->path,
               file->opts.n_pages);
    TESS_GOTO(done, status, list_images(file, &images));
    TESS_GOTO(done, status, open_images(file, &images));
done:
    tess__free(images.numbers);
    return status;
}
