/* Sources of images that a list names, "000012@stack.mrcs" of several files: one stack, whose files are opened one at a
 * time. */
#include <string.h>

#include "core/device/memory.h"
#include "jobs/data/particles/name_set.h"
#include "jobs/data/source_list.h"
#include "jobs/run/source.h"
#include "tessera/cryosparc.h"
#include "tessera/jobs/star_rows.h"

enum { RULE_GUESSED = 7 /* sections_rule: a file that may hold a volume or images */, MAX_PATH = 4096 };

typedef struct listed_image {
    int64_t file, image; /* of the names; from 0 */
} listed_image;

typedef struct image_list {
    listed_image  *images;
    int64_t        n;
    tess__name_set files;
    bool          *numbered; /* of each file, "12@stack.mrc": it is a stack, whatever its header says */
    tess_file     *open;     /* the file that was read last, or NULL */
    int64_t        open_name;
    tess_read_opts read;
    tess_meta      meta;
    tess_shape     shape; /* of all images; of the files looked at so far */
    tess_dtype     dtype;
    int32_t        format;
    char          *name; /* for messages */
} image_list;

/* What images are wanted: by rows of a table, or by names. */
typedef struct wanted_images {
    const char                  *fn;
    const tess_source_list_opts *opts;
    const char                  *list; /* file that has the names; NULL: none */
    const tess_star_table       *rows; /* NULL: names */
    const char                  *label;
    const char *const           *names;
    int64_t                      n;
} wanted_images;

/* ---- Names ---- */

static tess_status take_name(image_list *l, const wanted_images *w, int64_t i)
{
    const char *text = w->rows ? NULL : w->names[i], *name;
    int64_t     index;
    TESS_CHECK(w->rows || text, TESS_EARG, "%s: `names[%lld]` is `NULL`", w->fn, (long long)i);
    if (w->rows) {
        TESS_TRY(tess_star_get(&text, w->rows, i, w->label));
        TESS_TRY(tess_star_get_image(&index, &name, w->rows, i, w->label, 0));
    } else {
        TESS_TRY_NOTE(tess_star_image(&index, &name, text), "name %lld of %s", (long long)i, l->name);
    }
    TESS_TRY(tess__name_set_add(&l->files, w->fn, name, &l->images[i].file));
    l->images[i].image = index - 1;
    if (strchr(text, '@')) l->numbered[l->images[i].file] = true;
    return TESS_OK;
}

static tess_status take_names(image_list *l, const wanted_images *w)
{
    const size_t n = (size_t)w->n;
    l->n = w->n;
    l->images = tess__alloc(n * sizeof *l->images);
    l->numbered = tess__alloc(n * sizeof *l->numbered);
    TESS_CHECK(l->images && l->numbered, TESS_ENOMEM, "%s: out of memory for %lld images", w->fn, (long long)w->n);
    memset(l->numbered, 0, n * sizeof *l->numbered);
    TESS_TRY(tess__name_set_make(&l->files, w->fn, w->n));
    for (int64_t i = 0; i < w->n; i++) TESS_TRY(take_name(l, w, i));
    return TESS_OK;
}

/* The path of a file in the place of its name. */
static tess_status find_file(image_list *l, const wanted_images *w, int64_t i)
{
    char path[MAX_PATH];
    TESS_TRY(tess_star_find_file(path, sizeof path, l->files.names[i], w->list, w->opts->root));
    const size_t size = strlen(path) + 1;
    char        *copy = tess__alloc(size);
    TESS_CHECK(copy, TESS_ENOMEM, "%s: out of memory for the name %s", w->fn, path);
    memcpy(copy, path, size);
    tess__free(l->files.names[i]);
    l->files.names[i] = copy;
    return TESS_OK;
}

/* ---- Headers ---- */

/* Sections that may be a volume or images are images. */
static tess_status open_images(tess_file **file, const image_list *l, int64_t i)
{
    tess_read_opts opts = l->read;
    if (l->numbered[i] && !opts.as) opts.as = TESS_AS_STACK;
    TESS_TRY(tess_open(file, l->files.names[i], &opts));
    if (tess_file_info(*file)->sections_rule != RULE_GUESSED) return TESS_OK;
    tess_file_close(*file);
    *file = NULL;
    opts.as = TESS_AS_STACK;
    return tess_open(file, l->files.names[i], &opts);
}

/* The facts of the first file are those of all, but for the dtype, to which those of all convert. */
static tess_status take_facts(image_list *l, const tess_info_file *info, int64_t i)
{
    const tess_shape s = info->shape, first = l->shape;
    const char      *name = l->files.names[i];
    TESS_CHECK(s.d == 1, TESS_EARG,
               "%s: it holds %s {%lld,%lld,%lld,%lld}; images {n,1,h,w} are needed; `opts->as` stack reads its "
               "sections as images",
               name, s.b > 1 ? "volumes" : "a volume", (long long)s.b, (long long)s.d, (long long)s.h, (long long)s.w);
    TESS_CHECK(i == 0 || (s.h == first.h && s.w == first.w), TESS_ESHAPE,
               "%s: the images of %lld x %lld pixels (x y) differ in size from the %lld x %lld of %s", name,
               (long long)s.w, (long long)s.h, (long long)first.w, (long long)first.h, l->files.names[0]);
    l->dtype = i == 0 ? info->dtype : tess_dtype_promote(l->dtype, info->dtype);
    if (i > 0) return TESS_OK;
    l->format = info->format;
    l->shape = TESS_SHAPE(l->n, 1, s.h, s.w);
    l->meta = info->meta;
    l->meta.stats = 0;
    l->meta.extended = NULL;
    l->meta.extended_size = 0;
    l->meta.extended_type[0] = 0;
    return TESS_OK;
}

static tess_status look_at_file(image_list *l, const wanted_images *w, int64_t i, int64_t *count)
{
    tess_file  *file = NULL;
    tess_status status;
    TESS_TRY(find_file(l, w, i));
    TESS_GOTO(done, status, open_images(&file, l, i));
    if (w->opts->opened) TESS_GOTO(done, status, w->opts->opened(w->opts->user, l->files.names[i], file));
    *count = tess_file_info(file)->shape.b;
    status = take_facts(l, tess_file_info(file), i);
done:
    tess_file_close(file);
    return status;
}

static tess_status check_image(const image_list *l, const wanted_images *w, int64_t i, int64_t count)
{
    const listed_image at = l->images[i];
    const char        *file = l->files.names[at.file];
    if (at.image < count) return TESS_OK;
    TESS_CHECK(w->rows, TESS_EARG, "%s: name %lld refers to image %lld of %s, which has %lld", l->name, (long long)i,
               (long long)at.image + 1, file, (long long)count);
    TESS_FAIL(TESS_EARG, "%s: line %lld (row %lld) refers to image %lld of %s, which has %lld", l->name,
              (long long)tess_star_line(w->rows, i), (long long)i, (long long)at.image + 1, file, (long long)count);
}

static tess_status look_at_files(image_list *l, const wanted_images *w)
{
    int64_t *counts = tess__alloc(sizeof *counts * (size_t)l->files.n);
    TESS_CHECK(counts, TESS_ENOMEM, "%s: out of memory for %lld files", w->fn, (long long)l->files.n);
    tess_status status = TESS_OK;
    for (int64_t i = 0; i < l->files.n && status == TESS_OK; i++) status = look_at_file(l, w, i, &counts[i]);
    for (int64_t i = 0; i < l->n && status == TESS_OK; i++) status = check_image(l, w, i, counts[l->images[i].file]);
    tess__free(counts);
    return status;
}

/* ---- Reading ---- */

static tess_status open_name(image_list *l, int64_t name)
{
    tess_read_opts opts = l->read;
    if (l->open && l->open_name == name) return TESS_OK;
    tess_file_close(l->open);
    l->open = NULL;
    if (!opts.as) opts.as = TESS_AS_STACK;
    TESS_TRY(tess_open(&l->open, l->files.names[name], &opts));
    l->open_name = name;
    return TESS_OK;
}

static tess_status read_list(void *user, const tess_array *out, int64_t first, tess_range rows, tess_range columns)
{
    image_list *l = user;
    for (int64_t done = 0, n = out->shape.b, count; done < n; done += count) {
        const listed_image *at = &l->images[first + done];
        tess_array          part;
        for (count = 1; done + count < n; count++)
            if (at[count].file != at->file || at[count].image != at->image + count) break;
        TESS_TRY(open_name(l, at->file));
        TESS_TRY(tess_slice(&part, out, 0, done, done + count, 1));
        TESS_TRY_NOTE(tess__read_images(l->open, &part, at->image, rows, columns), "images %lld to %lld of %s",
                      (long long)at->image, (long long)(at->image + count - 1), l->files.names[at->file]);
    }
    return TESS_OK;
}

static void close_list(void *user)
{
    image_list *l = user;
    tess_file_close(l->open);
    tess__name_set_free(&l->files);
    tess__free(l->images);
    tess__free(l->numbered);
    tess__free(l->name);
    tess__free(l);
}

/* ---- Opening ---- */

static tess_status fill(image_list *l, const wanted_images *w)
{
    const char  *name = w->list ? w->list : "the list";
    const size_t size = strlen(name) + 1;
    l->name = tess__alloc(size);
    TESS_CHECK(l->name, TESS_ENOMEM, "%s: out of memory", w->fn);
    memcpy(l->name, name, size);
    if (w->opts->read) l->read = *w->opts->read;
    TESS_TRY(take_names(l, w));
    return look_at_files(l, w);
}

static tess_status open_wanted(tess_source *source, const wanted_images *w)
{
    image_list *l = tess__alloc(sizeof *l);
    TESS_CHECK(l, TESS_ENOMEM, "%s: out of memory", w->fn);
    *l = (image_list){ .n = 0 };
    const tess_status status = fill(l, w);
    if (status != TESS_OK) close_list(l);
    TESS_TRY(status);
    *source = (tess_source){ .name = l->name,
                             .shape = l->shape,
                             .dtype = l->dtype,
                             .format = l->format,
                             .keep_rows = l->read.keep_rows,
                             .meta = &l->meta,
                             .read = read_list,
                             .close = close_list,
                             .user = l };
    return TESS_OK;
}

static tess_status check_opts(const char *fn, const tess_source *source, const tess_source_list_opts *opts)
{
    TESS_CHECK(source, TESS_EARG, "%s: `source` is `NULL`", fn);
    for (size_t i = 0; opts && i < sizeof opts->reserved / sizeof *opts->reserved; i++)
        TESS_CHECK(opts->reserved[i] == 0, TESS_EARG,
                   "%s: `opts->reserved` is not 0; zero the options before setting fields", fn);
    return TESS_OK;
}

/* The pixel size of the first row stands for all. */
tess_status tess__source_of_rows(tess_source *source, const tess_star *star, const tess_star_table *rows,
                                 const char *label, const char *path, const tess_source_list_opts *opts)
{
    const tess_source_list_opts none = { .root = NULL };
    const wanted_images         w = { .fn = "source_star",
                                      .opts = opts ? opts : &none,
                                      .list = path,
                                      .rows = rows,
                                      .label = label,
                                      .n = tess_star_rows(rows) };
    double                      size;
    TESS_CHECK(w.n > 0, TESS_EFORMAT, "%s: the table of images has no rows", path);
    TESS_TRY_NOTE(tess_star_row_pixel_size(&size, star, rows, 0), "of %s", path);
    TESS_TRY(open_wanted(source, &w));
    image_list *l = source->user;
    for (int i = 0; i < 3 && size > 0; i++) l->meta.pixel_size[i] = size;
    return TESS_OK;
}

tess_status tess_source_star(tess_source *source, const char *path, const tess_source_list_opts *opts)
{
    static const char fn[] = "source_star";
    tess_star        *star = NULL;
    tess_star_table  *rows = NULL;
    const char       *label = NULL;
    TESS_TRY(check_opts(fn, source, opts));
    TESS_CHECK(path, TESS_EARG, "%s: `path` is `NULL`", fn);
    TESS_CHECK(!opts || !opts->list, TESS_EARG, "%s: `opts->list` is %s; it must be `NULL`, as `path` is the list", fn,
               opts->list);
    TESS_TRY(tess_star_read_relion(&star, path));
    tess_status status = tess_star_find_images(&rows, &label, star, path);
    if (status == TESS_OK) status = tess__source_of_rows(source, star, rows, label, path, opts);
    tess_star_free(star);
    return status;
}

tess_status tess_source_names(tess_source *source, const char *const *names, int64_t n,
                              const tess_source_list_opts *opts)
{
    static const char           fn[] = "source_names";
    const tess_source_list_opts none = { .root = NULL };
    TESS_TRY(check_opts(fn, source, opts));
    TESS_CHECK(names, TESS_EARG, "%s: `names` is `NULL`", fn);
    TESS_CHECK(n > 0, TESS_ERANGE, "%s: `n` is %lld; 1 or more is expected", fn, (long long)n);
    const wanted_images w = {
        .fn = fn, .opts = opts ? opts : &none, .list = opts ? opts->list : NULL, .names = names, .n = n
    };
    return open_wanted(source, &w);
}

/* ---- Afterwards ---- */

static tess_status check_list(const char *fn, const tess_source *source)
{
    TESS_CHECK(source, TESS_EARG, "%s: `source` is `NULL`", fn);
    TESS_CHECK(source->read == read_list, TESS_EARG,
               "%s: `source` is not a list; one opened by `tess_source_star` or `tess_source_names` is expected", fn);
    return TESS_OK;
}

tess_status tess_source_place(const tess_source *source, int64_t i, const char **path, int64_t *number)
{
    static const char fn[] = "source_place";
    TESS_TRY(check_list(fn, source));
    TESS_CHECK(path && number, TESS_EARG, "%s: `%s` is `NULL`", fn, path ? "number" : "path");
    const image_list *l = source->user;
    TESS_CHECK(i >= 0 && i < l->n, TESS_ERANGE, "%s: `i` is %lld; %s has %lld images", fn, (long long)i, l->name,
               (long long)l->n);
    *path = l->files.names[l->images[i].file];
    *number = l->numbered[l->images[i].file] ? l->images[i].image + 1 : 0;
    return TESS_OK;
}

tess_status tess_source_choose(tess_source *source, const int64_t *images, int64_t n)
{
    static const char fn[] = "source_choose";
    TESS_TRY(check_list(fn, source));
    image_list *l = source->user;
    TESS_CHECK(images && n > 0, TESS_EARG, "%s: `%s`; the indices of one or more images are expected", fn,
               images ? "n is 0 or less" : "images is NULL");
    for (int64_t i = 0; i < n; i++)
        TESS_CHECK(images[i] >= 0 && images[i] < l->n, TESS_ERANGE, "%s: `images[%lld]` is %lld; %s has %lld images",
                   fn, (long long)i, (long long)images[i], l->name, (long long)l->n);
    listed_image *chosen = tess__alloc((size_t)n * sizeof *chosen);
    TESS_CHECK(chosen, TESS_ENOMEM, "%s: out of memory for %lld images", fn, (long long)n);
    for (int64_t i = 0; i < n; i++) chosen[i] = l->images[images[i]];
    tess__free(l->images);
    l->images = chosen;
    l->n = source->shape.b = l->shape.b = n;
    return TESS_OK;
}
