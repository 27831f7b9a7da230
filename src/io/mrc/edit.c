/* Editing of MRC headers in place: pixel size, origin, statistics, labels, repair. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/device/memory.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "io/file/names.h"
#include "io/file/system.h"
#include "io/mrc/check.h"
#include "io/mrc/mrc.h"

static const tess_choice   bytes_choices[] = { { "signed", TESS_BYTES_SIGNED, "-128 to 127" },
                                               { "unsigned", TESS_BYTES_UNSIGNED, "0 to 255" },
                                               { NULL, 0, NULL } };
static const tess_choice   sections_choices[] = { { "stack", TESS_AS_STACK, "images" },
                                                  { "volume", TESS_AS_VOLUME, "one volume" },
                                                  { "volumes", TESS_AS_VOLUMES, "volumes of `depth` sections" },
                                                  { NULL, 0, NULL } };
static const tess_arg_info args[] = {
    TESS__NEED(TESS_ARG_PATH, "path", "the file"),
    TESS__OPT_ARRAY(tess_mrc_edit_opts, pixel_size, const double *, "three numbers: d, h, w in Å; 0 is unknown"),
    TESS__OPT_ARRAY(tess_mrc_edit_opts, origin, const double *, "three numbers: d, h, w in Å"),
    TESS__OPT_TEXT(tess_mrc_edit_opts, label, "label to add; of ten labels the oldest is replaced"),
    TESS__AUTO_I64(tess_mrc_edit_opts, depth, "sections", "unchanged", 1, INT32_MAX, "sections of each volume"),
    TESS__OPT_CHOICE(tess_mrc_edit_opts, as, 0, sections_choices, "interpretation of the sections"),
    TESS__OPT_CHOICE(tess_mrc_edit_opts, bytes, 0, bytes_choices, "interpretation of bytes in mode 0"),
    TESS__FLAG(tess_mrc_edit_opts, stats, "recompute the statistics from the data"),
    TESS__FLAG(tess_mrc_edit_opts, repair, "repair what mrc_check finds, where the header alone suffices"),
    TESS__OPT_ARRAY(tess_mrc_edit_opts, angles, const double *, "three numbers: alpha, beta, gamma in degrees"),
};
const tess_function_info tess__info_mrc_edit =
    TESS__INFO_OPTS("mrc_edit", "mrc", "Change the header of an MRC file in place.", args, tess_mrc_edit_opts);

/* A file whose header is changed. */
typedef struct edited {
    const char      *path;
    int64_t          size; /* of the file */
    unsigned char    bytes[TESS__MRC_HEADER];
    tess__mrc_header header;
} edited;

/* ---- The file ---- */

static tess_status load(edited *e)
{
    tess__source *source;
    tess_status   status = TESS_OK;
    int64_t       got = 0;
    TESS_TRY(tess__source_open(&source, e->path));
    const bool is_uncompressed =
        tess__source_compression(source) == TESS_COMPRESSION_NONE && tess__source_descriptor(source) >= 0;
    e->size = tess__source_size(source);
    if (is_uncompressed) status = tess__source_read(source, 0, e->bytes, TESS__MRC_HEADER, &got);
    tess__source_close(source);
    TESS_TRY(status);
    TESS_CHECK(is_uncompressed, TESS_EUNSUPPORTED,
               "mrc_edit: %s is compressed or not a regular file; write a new file instead", e->path);
    TESS_CHECK(got == TESS__MRC_HEADER, TESS_EFORMAT,
               "mrc_edit: %s has %" PRId64 " bytes; the header of an MRC file has 1024", e->path, got);
    const tess__mrc_header *h = &e->header;
    TESS_CHECK(tess__mrc_parse(&e->header, e->bytes) != TESS__MRC_ORDER_NONE, TESS_EFORMAT,
               "mrc_edit: %s: NX, NY, NZ, MODE are %" PRId32 ", %" PRId32 ", %" PRId32 ", %" PRId32
               "; neither byte order gives sizes of 1 or more and a known mode",
               e->path, h->n[0], h->n[1], h->n[2], h->mode);
    return TESS_OK;
}

static tess_status write_back(int fd, const edited *e)
{
    TESS__CHECK_SYSTEM(tess__write_fully(fd, e->bytes, TESS__MRC_HEADER, 0) == 0,
                       "mrc_edit: %s: the header could not be written", e->path);
    TESS__CHECK_SYSTEM(tess__sys.sync(fd) == 0, "mrc_edit: %s: the header could not be flushed to disk", e->path);
    return TESS_OK;
}

/* Nothing is written when nothing changed. */
static tess_status save(edited *e)
{
    unsigned char before[TESS__MRC_HEADER];
    memcpy(before, e->bytes, sizeof before);
    tess__mrc_pack(&e->header, e->bytes);
    if (memcmp(before, e->bytes, sizeof before) == 0) return TESS_OK;
    const int fd = tess__sys.open(e->path, O_RDWR | O_CLOEXEC, 0);
    TESS__CHECK_SYSTEM(fd >= 0, "mrc_edit: %s cannot be opened for writing", e->path);
    const tess_status status = write_back(fd, e);
    const int         closed = tess__sys.close(fd);
    TESS_TRY(status);
    TESS__CHECK_SYSTEM(closed == 0, "mrc_edit: %s could not be closed", e->path);
    return TESS_OK;
}

/* ---- Single changes ---- */

/* Samples of the cell along x, y, z that are not known become those of the file. */
static void complete_grid(tess__mrc_header *h)
{
    for (int k = 0; k < 3; k++) {
        const int axis = tess__mrc_axes_are_permutation(h) ? h->axis[k] - 1 : k;
        if (h->grid[axis] <= 0) h->grid[axis] = h->n[k];
    }
}

static tess_status set_pixel_size(edited *e, const double *size)
{
    complete_grid(&e->header);
    for (int axis = 0; axis < 3; axis++) {
        const double cell = e->header.grid[axis] * size[2 - axis];
        TESS_CHECK(size[2 - axis] >= 0 && isfinite((float)cell), TESS_ERANGE,
                   "mrc_edit: `opts->pixel_size` is %g along %c; expected a length in Å, or 0 for unknown",
                   size[2 - axis], "xyz"[axis]);
        e->header.cell[axis] = (float)cell;
    }
    return TESS_OK;
}

static tess_status set_origin(edited *e, const double *origin)
{
    for (int axis = 0; axis < 3; axis++) {
        TESS_CHECK(isfinite((float)origin[2 - axis]), TESS_ERANGE,
                   "mrc_edit: `opts->origin` is %g along %c; expected a length in Å", origin[2 - axis], "xyz"[axis]);
        e->header.origin[axis] = (float)origin[2 - axis];
    }
    return TESS_OK;
}

static tess_status set_angles(edited *e, const double *angles)
{
    for (int k = 0; k < 3; k++) e->header.angles[k] = (float)angles[k];
    TESS_CHECK(tess__mrc_angles_make_cell(e->header.angles), TESS_ERANGE,
               "mrc_edit: `opts->angles` are %g, %g, %g; cell angles must be above 0 and below 180, each less than the "
               "sum of the others, and less than 360 together",
               angles[0], angles[1], angles[2]);
    return TESS_OK;
}

/* Another number of sections of a volume, with the same pixel size. */
static void set_depth(tess__mrc_header *h, int64_t depth)
{
    if (h->grid[2] > 0) h->cell[2] = (float)((double)h->cell[2] / h->grid[2] * (double)depth);
    h->grid[2] = (int32_t)depth;
}

static tess_status set_sections(edited *e, tess_sections as, int64_t depth)
{
    tess__mrc_header *h = &e->header;
    const int32_t     n = tess__mrc_sections_of(h), given = h->space_group;
    const int32_t     group = given >= 401 && given <= 630 ? given - 400 : given >= 1 && given <= 230 ? given : 1;
    TESS_CHECK(as != TESS_AS_VOLUMES || (depth >= 1 && n % depth == 0), TESS_EARG,
               "mrc_edit: %s: `opts->depth` is %" PRId64 "; it must divide the %" PRId32 " sections", e->path, depth,
               n);
    set_depth(h, as == TESS_AS_STACK ? 1 : as == TESS_AS_VOLUME ? n : depth);
    h->space_group = as == TESS_AS_STACK ? 0 : as == TESS_AS_VOLUME ? group : 400 + group;
    return TESS_OK;
}

static void forget_stats(tess__mrc_header *h)
{
    h->min = 0;
    h->max = -1;
    h->mean = -2;
    h->rms = -1;
}

/* Statistics within the range of bytes that are read so are also those of bytes that were read otherwise. */
static bool stats_fit(const tess__mrc_header *h, tess_bytes bytes)
{
    const float low = bytes == TESS_BYTES_SIGNED ? -128 : 0, high = low + 255;
    return (tess__mrc_known_stats(h) & TESS_STATS_MINMAX) && h->min >= low && h->max <= high;
}

static tess_status set_bytes(edited *e, tess_bytes bytes)
{
    tess__mrc_header *h = &e->header;
    TESS_CHECK(h->mode == 0, TESS_EARG, "mrc_edit: %s: `opts->bytes` applies to mode 0; the mode is %" PRId32, e->path,
               h->mode);
    TESS_CHECK(bytes != TESS_BYTES_SIGNED || !tess__mrc_has_imod_flag(h, TESS__IMOD_NIBBLES), TESS_EARG,
               "mrc_edit: %s: `opts->bytes` is signed, but imodFlags is %" PRId32
               ": each byte holds two pixels (16), which have no sign",
               e->path, h->imod_flags);
    if (h->imod_stamp != TESS__IMOD_STAMP) h->imod_flags = TESS__IMOD_ORIGIN | TESS__IMOD_RMS;
    h->imod_stamp = TESS__IMOD_STAMP;
    h->imod_flags &= ~TESS__IMOD_SIGNED;
    if (bytes == TESS_BYTES_SIGNED) h->imod_flags |= TESS__IMOD_SIGNED;
    if (!stats_fit(h, bytes)) forget_stats(h);
    return TESS_OK;
}

/* The file, reopened with its current header. */
static tess_status measure(tess__measured *m, bool *complex_, const edited *e)
{
    const tess_read_opts how = { .format = TESS_FORMAT_MRC, .grey = 1 };
    tess_file           *file;
    TESS_TRY(tess_open(&file, e->path, &how));
    *complex_ = tess_dtype_kind(file->info.dtype) == TESS_KIND_COMPLEX;
    const tess_status status = tess__measure(m, file);
    tess_file_close(file);
    TESS_TRY(status);
    return TESS_OK;
}

/* There are no statistics of data that are not finite. */
static tess_status set_stats(edited *e, bool only_wrong)
{
    tess__mrc_header *h = &e->header;
    tess__measured    m;
    bool              complex_ = false;
    TESS_TRY(measure(&m, &complex_, e));
    if (only_wrong && (complex_ || tess__mrc_wrong_stats(h, &m) == 0)) return TESS_OK;
    forget_stats(h);
    if (complex_ || m.n_nan || m.n_inf || m.n_finite == 0) return TESS_OK;
    h->min = (float)m.min;
    h->max = (float)m.max;
    h->mean = (float)m.mean;
    if (isfinite((float)m.std)) h->rms = (float)m.std;
    return TESS_OK;
}

/* ---- Repair ---- */

static void repair_geometry(tess__mrc_header *h)
{
    if (!tess__mrc_axes_are_permutation(h))
        for (int k = 0; k < 3; k++) h->axis[k] = k + 1;
    for (int k = 0; k < 3; k++) {
        if (!isfinite(h->cell[k]) || h->cell[k] < 0) h->cell[k] = 0;
        if (!isfinite(h->origin[k])) h->origin[k] = 0;
        if (h->grid[h->axis[k] - 1] < 0) h->grid[h->axis[k] - 1] = h->n[k];
    }
    if (!tess__mrc_angles_are_unset(h->angles) && !tess__mrc_angles_make_cell(h->angles))
        for (int k = 0; k < 3; k++) h->angles[k] = 90;
    if (tess__mrc_space_group_is_right(h)) return;
    h->space_group = h->n[0] == h->n[1] && h->n[1] == h->n[2]; /* as rule 7 of sections has it */
}

/* Those with a text, one after the other. */
static void repair_labels(tess__mrc_header *h)
{
    const tess__mrc_label_use use = tess__mrc_labels_in_use(h);
    if (!use.gaps && use.n == h->n_labels) return;
    int n = 0;
    for (int k = 0; k < TESS__MRC_LABELS; k++) {
        char text[TESS__MRC_LABEL + 1];
        if (tess__mrc_label_text(text, h->labels[k]) == 0) continue;
        memmove(h->labels[n++], h->labels[k], TESS__MRC_LABEL);
    }
    for (int k = n; k < TESS__MRC_LABELS; k++) memset(h->labels[k], ' ', TESS__MRC_LABEL);
    h->n_labels = n;
}

static tess_status guess_type(edited *e)
{
    tess__mrc_header *h = &e->header;
    tess__source     *source;
    unsigned char    *bytes = tess__alloc((size_t)h->extended_size);
    TESS_CHECK(bytes, TESS_ENOMEM, "mrc_edit: %s: no memory for %" PRId32 " bytes of extended header", e->path,
               h->extended_size);
    tess_status status = tess__source_open(&source, e->path);
    if (status == TESS_OK) {
        status = tess__source_read_all(source, TESS__MRC_HEADER, bytes, h->extended_size, "the extended header");
        tess__source_close(source);
    }
    const char *type = status == TESS_OK ? tess__mrc_guess_extended(h->extended_layout, bytes, h->extended_size) : "";
    memcpy(h->extended_type, type[0] ? type : "MRCO", sizeof h->extended_type);
    tess__free(bytes);
    TESS_TRY(status);
    return TESS_OK;
}

/* An extended size that was copied with a header of another file becomes 0 if the size of the file agrees. */
static tess_status repair_extended(edited *e)
{
    tess__mrc_header *h = &e->header;
    if (tess__mrc_data_fills(h, e->size)) h->extended_size = 0;
    TESS_CHECK(h->extended_size >= 0 && TESS__MRC_HEADER + (int64_t)h->extended_size <= e->size, TESS_EFORMAT,
               "mrc_edit: %s: NSYMBT is %" PRId32 " bytes of extended header after 1024; the file has %" PRId64,
               e->path, h->extended_size, e->size);
    if (h->extended_size > 0 && !tess__mrc_knows_extended(h->extended_type)) TESS_TRY(guess_type(e));
    return TESS_OK;
}

static tess_status repair(edited *e)
{
    tess__mrc_header *h = &e->header;
    TESS_CHECK(tess__mrc_mode_of(h->mode), TESS_EUNSUPPORTED,
               "mrc_edit: %s: MODE is %" PRId32 ", compressed blocks of MRCZ, which are not repaired", e->path,
               h->mode);
    memcpy(h->map, "MAP ", sizeof h->map);
    if (tess__mrc_stamped_order(h->machine) != h->big_endian) tess__mrc_stamp(h->machine, h->big_endian);
    if (h->version != 20140) h->version = 20141;
    repair_geometry(h);
    repair_labels(h);
    TESS_TRY(repair_extended(e));
    return TESS_OK;
}

/* ---- All of it ---- */

static tess_status edit(edited *e, const tess_mrc_edit_opts *o)
{
    TESS_TRY(load(e));
    if (o->repair) TESS_TRY(repair(e));
    if (o->pixel_size) TESS_TRY(set_pixel_size(e, o->pixel_size));
    if (o->origin) TESS_TRY(set_origin(e, o->origin));
    if (o->angles) TESS_TRY(set_angles(e, o->angles));
    if (o->as) TESS_TRY(set_sections(e, (tess_sections)o->as, o->depth));
    if (o->bytes) TESS_TRY(set_bytes(e, (tess_bytes)o->bytes));
    if (o->label && o->label[0]) tess__mrc_add_label(&e->header, o->label);
    TESS_TRY(save(e));
    if (o->stats || o->repair) {
        TESS_TRY(set_stats(e, !o->stats));
        TESS_TRY(save(e));
    }
    return TESS_OK;
}

tess_status tess_mrc_edit(const char *path, const tess_mrc_edit_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_mrc_edit_opts o;
    tess__name         name;
    TESS_TRY(tess__resolve(&tess__info_mrc_edit, opts, &o));
    TESS_CHECK(o.depth == 0 || o.as == TESS_AS_VOLUMES, TESS_EARG,
               "mrc_edit: `opts->depth` is %" PRId64 "; it applies only to volumes (`opts->as`)", o.depth);
    TESS_TRY(tess__name_take(&name, "mrc_edit", path));
    edited            e = { .path = name.path };
    const tess_status status = edit(&e, &o);
    tess__free(name.path);
    TESS_TRY(tess__error_under(status, "mrc_edit"));
    return TESS_OK;
}
