/* List of the images in the tags of a DM3 or DM4 file: types, sizes, calibrations, and which of them are thumbnails. */
#include "io/dm/images.h"

#include <string.h>

#include "core/device/memory.h"
#include "io/dm/tags.h"
#include "io/file/grow.h"

enum { MAX_MARKS = 256 };

/* Indices of images that other tags name. */
typedef struct marks {
    int64_t index[MAX_MARKS];
    int     n;
} marks;

typedef struct search {
    tess__dm_images *images;
    tess__dm_image   current;
    marks            thumbnails, shown;
} search;

int64_t tess__dm_elements(const tess__dm_image *m)
{
    int64_t n = 1;
    if (m->n_dims == 0 || m->bytes == 0) return 0;
    for (int k = 0; k < m->n_dims && k < TESS__DM_AXES; k++) {
        if (m->dims[k] < 1 || n > INT64_MAX / 64 / m->dims[k]) return 0;
        n *= m->dims[k];
    }
    return n;
}

static tess_status keep_current(search *s)
{
    tess__dm_images *images = s->images;
    if (tess__dm_elements(&s->current) == 0) return TESS_OK;
    TESS_TRY(tess__grow("open", &images->all, images->n, 1, &images->capacity, sizeof *images->all));
    images->all[images->n++] = s->current;
    return TESS_OK;
}

static bool is_named(const tess__dm_tag *tag, int level, const char *name)
{
    return level < tag->depth && strcmp(tag->path[level].name, name) == 0;
}

static int64_t whole_of(double value) { return value >= 0 && value <= 0x1p53 ? (int64_t)value : -1; }

/* Calibrations/Dimension/K/Scale or Units. */
static void take_calibration(tess__dm_image *m, const tess__dm_tag *tag)
{
    if (tag->depth != 7 || !is_named(tag, 4, "Dimension")) return;
    const int64_t k = tag->path[5].index;
    if (k >= TESS__DM_AXES) return;
    if (is_named(tag, 6, "Scale") && !tag->is_array) m->scale[k] = tag->number;
    if (is_named(tag, 6, "Units") && tag->is_array && tag->type == TESS__DM_U16) {
        m->unit_at[k] = tag->at;
        m->unit_length[k] = tag->count;
    }
}

static void take_dimension(tess__dm_image *m, const tess__dm_tag *tag)
{
    const int64_t k = tag->path[4].index;
    if (k < TESS__DM_AXES) m->dims[k] = whole_of(tag->number);
    if (k >= m->n_dims) m->n_dims = (int)(k < TESS__DM_AXES ? k + 1 : TESS__DM_AXES + 1);
}

/* ImageList/I/ImageData/… */
static tess_status take_image_tag(search *s, const tess__dm_tag *tag)
{
    tess__dm_image *m = &s->current;
    if (!is_named(tag, 2, "ImageData") || tag->depth < 4) return TESS_OK;
    if (tag->path[1].index != m->index) {
        TESS_TRY(keep_current(s));
        *m = (tess__dm_image){ .index = tag->path[1].index };
    }
    if (is_named(tag, 3, "Calibrations")) take_calibration(m, tag);
    if (is_named(tag, 3, "DataType") && tag->depth == 4) m->type = whole_of(tag->number);
    if (is_named(tag, 3, "Data") && tag->depth == 4 && tag->is_array) {
        m->at = tag->at;
        m->bytes = tag->count * tag->size;
    }
    if (is_named(tag, 3, "Dimensions") && tag->depth == 5 && !tag->is_array) take_dimension(m, tag);
    return TESS_OK;
}

/* LIST/I/NAME: the index of an image. */
static void take_mark(marks *m, const tess__dm_tag *tag, const char *name)
{
    if (tag->depth == 3 && is_named(tag, 2, name) && !tag->is_array && m->n < MAX_MARKS)
        m->index[m->n++] = whole_of(tag->number);
}

static tess_status visit(void *context, const tess__dm_tag *tag)
{
    search *s = context;
    if (is_named(tag, 0, "ImageList")) TESS_TRY(take_image_tag(s, tag));
    if (is_named(tag, 0, "Thumbnails")) take_mark(&s->thumbnails, tag, "ImageIndex");
    if (is_named(tag, 0, "ImageSourceList")) take_mark(&s->shown, tag, "ImageRef");
    return TESS_OK;
}

static bool is_marked(const marks *m, int64_t index)
{
    for (int i = 0; i < m->n; i++)
        if (m->index[i] == index) return true;
    return false;
}

tess_status tess__dm_images_read(tess__dm_images *images, tess_file *file)
{
    search s = { .images = images, .current = { .index = -1 } };
    TESS_TRY(tess__dm_walk(file, visit, &s));
    TESS_TRY(keep_current(&s));
    for (int64_t i = 0; i < images->n; i++) {
        images->all[i].is_thumbnail = is_marked(&s.thumbnails, images->all[i].index);
        images->all[i].is_shown = is_marked(&s.shown, images->all[i].index);
    }
    return TESS_OK;
}
