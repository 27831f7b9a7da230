/* The images that a STAR file lists, as one stack. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/file_name.h"
#include "files/listing.h"
#include "files/open_file.h"
#include "files/star_file.h"
#include "particles/optics.h"

bool is_listing(const char *path)
{
    size_t n = strlen(path);
    return (n > 5 && strcmp(path + n - 5, ".star") == 0) || is_cs_name(path);
}

const tess_info_file *listing_facts(const listed *list) { return &list->first; }

tess_status listing_table(const tess_star *star, const char *path, tess_star_table **rows, const char **label)
{
    static const char *const labels[] = { "_rlnImageName", "_rlnMicrographName" };
    for (size_t k = 0; k < sizeof labels / sizeof *labels; k++) {
        for (int64_t i = 0; i < tess_star_count(star); i++) {
            *rows = tess_star_at(star, i);
            *label = labels[k];
            if (tess_star_column(*rows, *label) >= 0) return TESS_OK;
        }
    }
    TESS_FAIL(TESS_EFORMAT, "%s: no table has a column _rlnImageName or _rlnMicrographName", path);
}

/* ---- The names of the files, each once ---- */

/* Which of the names a text is; memory for all was allocated. */
typedef struct name_table {
    int64_t *slots; /* number of a name, + 1; 0: free */
    size_t   mask;
} name_table;

static size_t hash_of(const char *text)
{
    uint64_t hash = 14695981039346656037u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return (size_t)(hash ^ (hash >> 32));
}

static tess_status number_of(listed *list, name_table *names, const char *name, int64_t *number)
{
    size_t at = hash_of(name) & names->mask;
    for (; names->slots[at]; at = (at + 1) & names->mask) {
        *number = names->slots[at] - 1;
        if (strcmp(list->names[*number], name) == 0) return TESS_OK;
    }
    *number = list->n_names;
    list->names[*number] = strdup(name);
    TESS_CHECK(list->names[*number], TESS_ENOMEM, "no memory for the name %s", name);
    names->slots[at] = ++list->n_names;
    return TESS_OK;
}

static tess_status read_rows(listed *list, name_table *names, const tess_star_table *rows, const char *label)
{
    for (int64_t i = 0; i < list->n; i++) {
        const char *name, *text;
        int64_t     index;
        TESS_TRY(tess_star_get(&text, rows, i, label));
        TESS_TRY(tess_star_get_image(&index, &name, rows, i, label, 0));
        TESS_TRY(number_of(list, names, name, &list->images[i].file));
        list->images[i].image = index - 1;
        if (strchr(text, '@')) list->numbered[list->images[i].file] = true;
    }
    return TESS_OK;
}

static tess_status list_rows(listed *list, const tess_star_table *rows, const char *label, const char *path)
{
    name_table names = { .mask = 15 };
    list->n = tess_star_rows(rows);
    TESS_CHECK(list->n > 0, TESS_EFORMAT, "%s: the table of images has no rows", path);
    while (names.mask < 2 * (size_t)list->n) names.mask = 2 * names.mask + 1;
    list->images = calloc((size_t)list->n, sizeof *list->images);
    list->names = calloc((size_t)list->n, sizeof *list->names);
    list->numbered = calloc((size_t)list->n, sizeof *list->numbered);
    names.slots = calloc(names.mask + 1, sizeof *names.slots);
    tess_status status;
    if (list->images && list->names && list->numbered && names.slots) status = read_rows(list, &names, rows, label);
    else
        status = tess__fail(TESS_ENOMEM, __FILE__, __LINE__, __func__, "%s: no memory for its %lld rows", path,
                            (long long)list->n);
    free(names.slots);
    return status;
}

static tess_status join_path(char **name, const char *folder, size_t n)
{
    const bool slash = n > 0 && folder[n - 1] != '/';
    char      *joined = malloc(n + strlen(*name) + 2);
    TESS_CHECK(joined, TESS_ENOMEM, "no memory for the name %s", *name);
    memcpy(joined, folder, n);
    strcpy(joined + n, slash ? "/" : "");
    strcat(joined, *name);
    free(*name);
    *name = joined;
    return TESS_OK;
}

/* Is the file there? ":mrcs" behind its name, as RELION has it, is no part of that. */
static bool is_there(const char *name)
{
    char path[4096];
    return plain_path(path, sizeof path, name) && access(path, F_OK) == 0;
}

/* The name in a folder, if it is there: true and *name is replaced. */
static tess_status look_in(char **name, const char *folder, size_t n, bool *found)
{
    char *joined = strdup(*name);
    TESS_CHECK(joined, TESS_ENOMEM, "no memory for the name %s", *name);
    tess_status status = join_path(&joined, folder, n);
    *found = status == TESS_OK && is_there(joined);
    if (*found) {
        char *before = *name;
        *name = joined;
        joined = before;
    }
    free(joined);
    return status;
}

tess_status listing_find_file(char **name, const char *path, const char *root)
{
    const char *slash = strrchr(path, '/');
    bool        found = (*name)[0] == '/' || (!root && is_there(*name));
    if (!found && root) {
        TESS_TRY(look_in(name, root, strlen(root), &found));
        TESS_CHECK(found, TESS_EIO, "%s: --root is %s, and %s is not there", path, root, *name);
    }
    if (!found && slash) TESS_TRY(look_in(name, path, (size_t)(slash - path) + 1, &found));
    TESS_CHECK(found, TESS_EIO,
               "%s: %s is neither in this folder nor in that of the list; --root names the folder it begins in", path,
               *name);
    return TESS_OK;
}

tess_status listing_find(char **found, const char *named, const char *path, const char *root)
{
    const char  *at = strchr(named, '@'), *name = at ? at + 1 : named;
    const size_t number = (size_t)(name - named);
    char        *file = strdup(name);
    TESS_CHECK(file, TESS_ENOMEM, "no memory for the name %s", named);
    tess_status status = listing_find_file(&file, path, root);
    *found = status == TESS_OK ? malloc(number + strlen(file) + 1) : NULL;
    if (*found) {
        memcpy(*found, named, number);
        strcpy(*found + number, file);
    }
    free(file);
    TESS_TRY(status);
    TESS_CHECK(*found, TESS_ENOMEM, "no memory for the name %s", named);
    return TESS_OK;
}

/* ---- The files ---- */

/* Look into the header of a file: how many images it has. */
static tess_status look_at_file(listed *list, job *j, int64_t i, int64_t *count)
{
    tess_file     *file = NULL;
    tess_read_opts opts = list->opts;
    if (list->numbered[i] && !opts.as) opts.as = TESS_AS_STACK;
    TESS_TRY(open_file(&file, j, list->names[i], &opts, NEED_IMAGES));
    const tess_info_file *info = tess_file_info(file);
    tess_shape            s = info->shape, first = list->first.shape;
    bool                  fits = i == 0 || (s.h == first.h && s.w == first.w);
    *count = s.b;
    if (i == 0) {
        list->first = *info;
    } else {
        list->first.dtype = tess_dtype_promote(list->first.dtype, info->dtype);
    }
    tess_file_close(file);
    TESS_CHECK(fits, TESS_ESHAPE, "%s: images of %lld x %lld (x y) do not go with the %lld x %lld of %s",
               list->names[i], (long long)s.w, (long long)s.h, (long long)first.w, (long long)first.h, list->names[0]);
    return TESS_OK;
}

static tess_status look_at_files(listed *list, job *j, const tess_star_table *rows, const char *path)
{
    int64_t *counts = malloc(sizeof *counts * (size_t)list->n_names);
    TESS_CHECK(counts, TESS_ENOMEM, "%s: no memory for its %lld files", path, (long long)list->n_names);
    tess_status status = TESS_OK;
    for (int64_t i = 0; i < list->n_names && status == TESS_OK; i++) {
        status = listing_find_file(&list->names[i], path, job_text(j, "root", NULL));
        if (status == TESS_OK) status = look_at_file(list, j, i, &counts[i]);
    }
    for (int64_t i = 0; i < list->n && status == TESS_OK; i++) {
        listed_image at = list->images[i];
        if (at.image < counts[at.file]) continue;
        status = tess__fail(TESS_EARG, __FILE__, __LINE__, __func__,
                            "%s: line %lld (row %lld) asks for image %lld of %s, which has %lld", path,
                            (long long)tess_star_line(rows, i), (long long)i, (long long)at.image + 1,
                            list->names[at.file], (long long)counts[at.file]);
    }
    free(counts);
    return status;
}

/* The info of the first file, as far as they are those of all. */
static void set_facts(listed *list, double pixel_size)
{
    tess_info_file *info = &list->first;
    info->shape = TESS_SHAPE(list->n, 1, info->shape.h, info->shape.w);
    info->sections = TESS_AS_STACK;
    info->sections_rule = 0;
    info->n_warnings = info->more_warnings = 0;
    info->meta.stats = 0;
    info->meta.extended = NULL;
    info->meta.extended_size = 0;
    info->meta.extended_type[0] = 0;
    for (int i = 0; i < 3 && pixel_size > 0; i++) info->meta.pixel_size[i] = pixel_size;
}

static tess_status fill(listed *list, job *j, const tess_star *star, const char *path)
{
    tess_star_table *rows = NULL;
    const char      *label = NULL;
    double           pixel_size;
    TESS_TRY(listing_table(star, path, &rows, &label));
    TESS_TRY(list_rows(list, rows, label, path));
    TESS_TRY(look_at_files(list, j, rows, path));
    TESS_TRY_NOTE(star_pixel_size(&pixel_size, star, rows, 0), "of %s", path); /* the first stands for all */
    set_facts(list, pixel_size);
    return TESS_OK;
}

tess_status listing_open(listed **list, job *j, const char *path, const tess_read_opts *opts)
{
    tess_star *star = NULL;
    TESS_TRY(star_file_read(&star, path));
    *list = calloc(1, sizeof **list);
    tess_status status;
    if (*list) {
        (*list)->opts = *opts;
        status = fill(*list, j, star, path);
    } else {
        status = tess__fail(TESS_ENOMEM, __FILE__, __LINE__, __func__, "%s: no memory", path);
    }
    tess_star_free(star);
    return status; /* what was made of a list is freed by input_close */
}

void listing_close(listed *list)
{
    if (!list) return;
    tess_file_close(list->open);
    for (int64_t i = 0; i < list->n_names; i++) free(list->names[i]);
    free(list->names);
    free(list->numbered);
    free(list->images);
    free(list);
}

tess_status listing_file(listed *list, int64_t name, tess_file **file)
{
    if (!list->open || list->open_name != name) {
        tess_file_close(list->open);
        list->open = NULL;
        tess_read_opts as_stack = list->opts;
        if (!as_stack.as) as_stack.as = TESS_AS_STACK;
        TESS_TRY(tess_open(&list->open, list->names[name], &as_stack));
        list->open_name = name;
    }
    *file = list->open;
    return TESS_OK;
}
