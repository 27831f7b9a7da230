/* EMD files: images of Velox (/Data/Image/ID/Data with metadata as JSON), and the arrays of the Berkeley kind (groups
 * with an emd_group_type, their data and a dataset for each axis). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/device/memory.h"
#include "io/hdf5/hdf5.h"
#include "io/hdf5/json.h"
#include "io/text/length_unit.h"
#include "io/text/text.h"

enum { MAX_PATH = 240, MAX_ENTRIES = 256, MAX_DEPTH = 8, MAX_VISITS = 4096, MAX_METADATA = 1 << 20 };

/* A group with an image, a stack or a volume. */
typedef struct entry {
    char group[MAX_PATH];
    bool is_velox;
} entry;

typedef struct search {
    const tess__h5_functions *h5;
    tess__hid                 file;
    entry                    *entries; /* MAX_ENTRIES of them */
    int64_t                   n;
    int                       visits;
    bool                      is_cut; /* there is more than the limits allow */
} search;

static const char *dataset_name(char name[MAX_PATH + 8], const entry *e)
{
    (void)snprintf(name, MAX_PATH + 8, "%s/%s", e->group, e->is_velox ? "Data" : "data");
    return name;
}

/* ---- Finding datasets ---- */

/* Is a group one of the Berkeley kind? Type 1 until version 0.2, "array" since 1.0. */
static bool is_array(const search *s, const char *group)
{
    double type = 0;
    char   text[16], name[MAX_PATH + 8];
    tess__h5_number(&type, s->h5, s->file, group, "emd_group_type");
    tess__h5_text(text, sizeof text, s->h5, s->file, group, "emd_group_type");
    (void)snprintf(name, sizeof name, "%s/data", group);
    return (type == 1 || strcmp(text, "array") == 0) && s->h5->Lexists(s->file, name, 0) > 0;
}

static void add_entry(search *s, const char *group, bool is_velox)
{
    if (s->n == MAX_ENTRIES) s->is_cut = true;
    if (s->is_cut) return;
    entry *e = &s->entries[s->n++];
    e->is_velox = is_velox;
    (void)snprintf(e->group, sizeof e->group, "%s", group);
}

/* A group on the way down. */
typedef struct place {
    search     *search;
    const char *group; /* "" is the root */
    int         depth;
} place;

/* Call `visit` for each link of a group, by the order of their names. What is no group has none. */
static void for_each_link(const search *s, const char *group, tess__h5_visitor *visit, void *context)
{
    const tess__hid open = s->h5->Gopen2(s->file, group[0] ? group : "/", 0);
    if (open <= 0) return;
    (void)s->h5->Literate(open, 0, 0, NULL, visit, context);
    (void)s->h5->Gclose(open);
}

/* Arrays of the Berkeley kind: this group, or those below it. */
static int search_below(tess__hid group, const char *name, const void *info, void *context)
{
    const place *above = context;
    search      *s = above->search;
    char         path[MAX_PATH];
    (void)group, (void)info;
    if (s->visits++ > MAX_VISITS) return s->is_cut = true, 1;
    if (snprintf(path, sizeof path, "%s/%s", above->group, name) >= (int)sizeof path) return 0;
    if (is_array(s, path)) add_entry(s, path, false);
    place here = { s, path, above->depth + 1 };
    if (here.depth < MAX_DEPTH) for_each_link(s, path, search_below, &here);
    return 0;
}

/* An image of Velox. */
static int take_image(tess__hid group, const char *name, const void *info, void *context)
{
    const place *above = context;
    search      *s = above->search;
    char         path[MAX_PATH], data[MAX_PATH + 8];
    (void)group, (void)info;
    if (s->visits++ > MAX_VISITS) return s->is_cut = true, 1;
    if (snprintf(path, sizeof path, "%s/%s", above->group, name) >= (int)sizeof path) return 0;
    (void)snprintf(data, sizeof data, "%s/Data", path);
    if (s->h5->Lexists(s->file, data, 0) > 0) add_entry(s, path, true);
    return 0;
}

static void search_all(search *s)
{
    place velox = { s, "/Data/Image", 0 }, root = { s, "", 0 };
    if (s->h5->Lexists(s->file, "/Data", 0) > 0 && s->h5->Lexists(s->file, velox.group, 0) > 0)
        for_each_link(s, velox.group, take_image, &velox);
    if (s->n == 0) for_each_link(s, root.group, search_below, &root);
}

/* ---- Calibration ---- */

/* Å of a unit as "nm", "[n_m]" or "m"; 0: it is no length. */
static double angstrom_of(const char *unit)
{
    char   plain[16];
    size_t n = 0;
    for (; *unit && n < sizeof plain; unit++)
        if (!strchr("[]_ ", *unit)) plain[n++] = *unit;
    return tess__length_unit(plain, n);
}

/* What is known of an axis of the Berkeley kind. */
typedef struct dimension {
    double pixel_size; /* Å; 0: unknown, or no length */
    char   name[16];
} dimension;

/* Axis k of a group: its dataset has the coordinates of all pixels, or of the first two. Numbers begin at 1, since
 * version 1.0 at 0. */
static void read_dimension(dimension *d, const tess__h5_file *s, const char *group, int k)
{
    char             path[MAX_PATH + 16], unit[32];
    tess__h5_dataset data;
    double           values[2] = { 0, 0 };
    *d = (dimension){ .pixel_size = 0 };
    (void)snprintf(path, sizeof path, "%s/dim0", group);
    const int first = s->h5->Lexists(s->file, path, 0) > 0 ? 0 : 1;
    (void)snprintf(path, sizeof path, "%s/dim%d", group, k + first);
    if (s->h5->Lexists(s->file, path, 0) <= 0 || !tess__h5_open(&data, s->h5, s->file, path)) return;
    tess__h5_text(d->name, sizeof d->name, s->h5, s->file, path, "name");
    tess__h5_text(unit, sizeof unit, s->h5, s->file, path, "units");
    const bool has_two = data.rank == 1 && data.sizes[0] >= 2 && data.dtype != TESS_DTYPE_NONE &&
                         data.dtype != TESS_C32 && data.dtype != TESS_C64;
    data.dtype = TESS_F64; /* what libhdf5 converts to */
    if (has_two && tess__h5_read(&data, (const uint64_t[]){ 0 }, (const uint64_t[]){ 2 }, values))
        d->pixel_size = tess__length_in(fabs(values[1] - values[0]), angstrom_of(unit));
    tess__h5_close(&data);
}

/* Axes by their names, where these are x, y and z in another order than z, y, x. */
static void order_by_name(int axis[4], const dimension *d, int rank)
{
    static const char letters[] = "zyx";
    int               found[3] = { -1, -1, -1 };
    for (int k = 0; k < rank; k++) {
        const char *letter = d[k].name[0] && !d[k].name[1] ? strchr(letters, d[k].name[0]) : NULL;
        if (!letter) return;
        if (found[letter - letters] >= 0) return;
        found[letter - letters] = k;
    }
    for (int k = 0; k < rank; k++)
        if (found[3 - rank + k] < 0) return;
    for (int k = 0; k < rank; k++) axis[4 - rank + k] = found[3 - rank + k];
}

/* Up to four axes, the last of them rows and columns. Of three, the first is depth where it is a length, else b. */
static void take_berkeley(tess_file *file, const entry *e)
{
    tess__h5_file *s = file->state;
    const int      rank = s->data.rank;
    dimension      d[4];
    for (int k = 0; k < rank; k++) read_dimension(&d[k], s, e->group, k);
    for (int k = 0; k < 4; k++) s->axis[k] = k - (4 - rank) >= 0 ? k - (4 - rank) : -1;
    if (rank <= 3) order_by_name(s->axis, d, rank);
    for (int k = 0; k < 3; k++)
        if (s->axis[k + 1] >= 0) file->info.meta.pixel_size[k] = d[s->axis[k + 1]].pixel_size;
    const bool is_volume = rank == 4 || (rank == 3 && file->info.meta.pixel_size[0] > 0);
    if (rank == 3 && !is_volume) s->axis[0] = s->axis[1], s->axis[1] = -1;
    if (!is_volume || rank == 4) file->info.meta.pixel_size[0] = file->info.meta.pixel_size[2];
    s->reversed = !is_volume && !file->opts.keep_rows;
}

/* The metadata of the first frame of a Velox image, a text of n bytes; NULL: none. */
static char *read_metadata(const tess__h5_file *s, const entry *e, int64_t *n)
{
    char             path[MAX_PATH + 16];
    tess__h5_dataset data;
    char            *text = NULL;
    (void)snprintf(path, sizeof path, "%s/Metadata", e->group);
    if (s->h5->Lexists(s->file, path, 0) <= 0 || !tess__h5_open(&data, s->h5, s->file, path)) return NULL;
    *n = data.sizes[0] <= MAX_METADATA ? (int64_t)data.sizes[0] : MAX_METADATA;
    if (data.rank <= 2 && data.dtype == TESS_U8 && *n > 0 && (data.rank == 1 || data.sizes[1] > 0))
        text = tess__alloc((size_t)*n);
    if (text && !tess__h5_read(&data, (const uint64_t[]){ 0, 0 }, (const uint64_t[]){ (uint64_t)*n, 1 }, text)) {
        tess__free(text);
        text = NULL;
    }
    tess__h5_close(&data);
    return text;
}

/* Rows, columns, frames; the pixel size is in metres. */
static void take_velox(tess_file *file, const entry *e)
{
    static const char *const sides[] = { "BinaryResult.PixelSize.height", "BinaryResult.PixelSize.width" };
    static const char *const units[] = { "BinaryResult.PixelUnitY", "BinaryResult.PixelUnitX" };
    tess__h5_file           *s = file->state;
    double                  *sizes = file->info.meta.pixel_size;
    char                     value[64], unit[16];
    int64_t                  n = 0;
    char                    *text = read_metadata(s, e, &n);
    s->axis[0] = s->data.rank == 3 ? 2 : -1;
    s->axis[1] = -1;
    s->axis[2] = s->data.rank >= 2 ? 0 : -1;
    s->axis[3] = s->data.rank >= 2 ? 1 : 0;
    s->reversed = !file->opts.keep_rows;
    for (int k = 0; text && k < 2; k++) {
        if (!tess__json_find(value, sizeof value, text, n, sides[k])) continue;
        double size = 0;
        if (!tess__text_f64(&size, value, (int64_t)strlen(value))) continue;
        if (!tess__json_find(unit, sizeof unit, text, n, units[k])) (void)snprintf(unit, sizeof unit, "m");
        sizes[k + 1] = tess__length_in(size, angstrom_of(unit));
    }
    sizes[0] = sizes[2];
    tess__free(text);
}

/* ---- Choosing one ---- */

/* "512 x 512 x 10 of u16, HAADF". */
static void describe(char *text, size_t size, const tess__h5_file *s, const entry *e)
{
    char             name[MAX_PATH + 8], label[64] = "", sizes[96] = "?";
    tess__h5_dataset data;
    int64_t          n = 0;
    int              used = 0;
    if (tess__h5_open(&data, s->h5, s->file, dataset_name(name, e))) {
        for (int k = 0; k < data.rank && used < 60; k++)
            used += snprintf(sizes + used, sizeof sizes - (size_t)used, "%s%" PRIu64, k ? " x " : "", data.sizes[k]);
        const bool known = data.dtype != TESS_DTYPE_NONE;
        (void)snprintf(sizes + used, sizeof sizes - (size_t)used, known ? " of %s" : ", not read",
                       tess_dtype_name(data.dtype));
        tess__h5_close(&data);
    }
    char *metadata = e->is_velox ? read_metadata(s, e, &n) : NULL;
    if (!metadata || !tess__json_find(label, sizeof label, metadata, n, "BinaryResult.Detector"))
        (void)snprintf(label, sizeof label, "%.60s", e->is_velox ? strrchr(e->group, '/') + 1 : e->group);
    (void)snprintf(text, size, "%s, %s", sizes, label);
    tess__free(metadata);
}

/* Where the caller did not choose: all that there is, one warning for each. */
static void list_entries(tess_file *file, const search *found, int64_t chosen)
{
    char number[24], used[24], text[180];
    (void)snprintf(used, sizeof used, "%" PRId64, chosen);
    (void)snprintf(number, sizeof number, "%" PRId64, found->n);
    tess__file_warn(file, TESS_ODD_OTHER, "page", number, used,
                    "the file has %" PRId64 " images; page %" PRId64 " is read, as no page was chosen", found->n,
                    chosen);
    for (int64_t i = 0; i < found->n; i++) {
        describe(text, sizeof text, file->state, &found->entries[i]);
        (void)snprintf(number, sizeof number, "%" PRId64, i);
        tess__file_warn(file, TESS_ODD_OTHER, "page", number, used, "page %" PRId64 ": %s", i, text);
    }
}

static bool is_readable(const tess__h5_dataset *d, const entry *e)
{
    return d->dtype != TESS_DTYPE_NONE && d->rank <= (e->is_velox ? 3 : 4);
}

/* The first that can be read, unless the caller says which. */
static tess_status choose(tess_file *file, const search *found, int64_t *chosen)
{
    tess__h5_file *s = file->state;
    const int64_t  wanted = file->opts.page;
    char           name[MAX_PATH + 8];
    *chosen = wanted < 0 ? 0 : wanted;
    TESS_CHECK(wanted < found->n, TESS_ERANGE,
               "open: %s: `opts->page` is %" PRId64 "; the file has pages 0 to %" PRId64, file->path, wanted,
               found->n - 1);
    TESS_CHECK(file->opts.n_pages <= 1, TESS_EARG,
               "open: %s: `opts->n_pages` is %" PRId32 "; one image of an EMD file is read at a time", file->path,
               file->opts.n_pages);
    if (wanted < 0) {
        bool is_found = false;
        for (int64_t i = 0; i < found->n && !is_found; i++) {
            if (!tess__h5_open(&s->data, s->h5, s->file, dataset_name(name, &found->entries[i]))) continue;
            is_found = is_readable(&s->data, &found->entries[i]);
            if (is_found) *chosen = i;
            tess__h5_close(&s->data);
        }
        if (found->n > 1) list_entries(file, found, *chosen);
    }
    return TESS_OK;
}

static tess_status open_entry(tess_file *file, const entry *e)
{
    tess__h5_file *s = file->state;
    char           name[MAX_PATH + 8];
    const int      max = e->is_velox ? 3 : 4;
    TESS_CHECK(tess__h5_open(&s->data, s->h5, s->file, dataset_name(name, e)), TESS_EFORMAT,
               "open: %s: libhdf5 cannot open dataset %s", file->path, name);
    TESS_CHECK(s->data.rank <= max, TESS_EUNSUPPORTED, "open: %s: dataset %s has %d axes; expected 1 to %d", file->path,
               name, s->data.rank, max);
    TESS_CHECK(s->data.dtype != TESS_DTYPE_NONE, TESS_EUNSUPPORTED,
               "open: %s: the elements of %s are neither integers nor floats of 32 or 64 bits, nor complex numbers (r, "
               "i); spectra computed by Velox are not supported",
               file->path, name);
    if (e->is_velox) take_velox(file, e);
    else take_berkeley(file, e);
    TESS_TRY(tess__h5_describe(file, s->axis[0] < 0 ? 1 : (int64_t)s->data.sizes[s->axis[0]]));
    TESS_TRY(tess__h5_check_chunks(file, name));
    return TESS_OK;
}

tess_status tess__h5_open_emd(tess_file *file, bool *found)
{
    const tess__h5_file *s = file->state;
    search               all = { .h5 = s->h5, .file = s->file };
    int64_t              chosen = 0;
    tess_status          status = TESS_OK;
    all.entries = tess__alloc(MAX_ENTRIES * sizeof *all.entries);
    TESS_CHECK(all.entries, TESS_ENOMEM, "open: %s: no memory for a list of datasets", file->path);
    search_all(&all);
    *found = all.n > 0;
    if (all.is_cut)
        tess__file_warn(file, TESS_ODD_OTHER, "page", "", "",
                        "the file has too many images or groups; only the first %" PRId64 " images are available",
                        all.n);
    if (*found) TESS_GOTO(done, status, choose(file, &all, &chosen));
    if (*found) TESS_GOTO(done, status, open_entry(file, &all.entries[chosen]));
done:
    tess__free(all.entries);
    return status;
}
