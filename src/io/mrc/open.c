/* MRC2014 and CCP4 files: recognition, header, layout of the data. */
#include "io/mrc/mrc.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/device/memory.h"
#include "core/device/stream.h"
#include "io/file/bomb_limit.h"
#include "io/file/byteswap.h"
#include "io/mrc/write.h"

/* ---- Is it one? ---- */

static bool recognises(const unsigned char *bytes, int64_t n)
{
    tess__mrc_header header;
    if (n >= 212 && memcmp(bytes + 208, "MAP", 3) == 0) return true;
    if (n < TESS__MRC_HEADER || tess__known_elsewhere(bytes, n)) return false;
    /* Files from before the year 2000 do not say so: all else must make sense. */
    if (tess__mrc_parse(&header, bytes) == TESS__MRC_ORDER_NONE || !tess__mrc_mode_of(header.mode)) return false;
    const bool unset = header.axis[0] == 0 && header.axis[1] == 0 && header.axis[2] == 0;
    return (unset || tess__mrc_axes_are_permutation(&header)) && header.extended_size >= 0;
}

/* ---- The header ---- */

static tess_status fail_order(const tess_file *file, const tess__mrc_header *h)
{
    const bool sized = h->n[0] >= 1 && h->n[1] >= 1 && h->n[2] >= 1;
    TESS_CHECK(!sized || tess__mrc_stamped_order(h->machine) < 0, TESS_EUNSUPPORTED,
               "open: %s: MODE is %" PRId32 "; 0, 1, 2, 3, 4, 6, 12, 16 and 101 are read", file->path, h->mode);
    TESS_FAIL(TESS_EFORMAT,
              "open: %s: NX, NY, NZ, MODE are %" PRId32 ", %" PRId32 ", %" PRId32 ", %" PRId32
              "; neither byte order gives sizes of 1 or more and a known mode",
              file->path, h->n[0], h->n[1], h->n[2], h->mode);
}

static void warn_order(tess_file *file, const tess__mrc_header *h)
{
    char        found[40];
    const char *used = h->big_endian ? "big-endian" : "little-endian";
    (void)snprintf(found, sizeof found, "%02x %02x %02x %02x", (unsigned)h->machine[0], (unsigned)h->machine[1],
                   (unsigned)h->machine[2], (unsigned)h->machine[3]);
    tess__file_warn(file, TESS_ODD_BYTE_ORDER, "MACHST", found, used, "machine stamp %s, read as %s", found, used);
}

static void warn_header(tess_file *file, const tess__mrc_header *h)
{
    char found[40], letters[5];
    if (!tess__mrc_has_map(h))
        tess__file_warn(file, TESS_ODD_MAP, "MAP", tess__mrc_letters(letters, h->map), "MAP ",
                        "found '%s' instead of 'MAP '", letters);
    if (h->n_labels < 0 || h->n_labels > TESS__MRC_LABELS) {
        (void)snprintf(found, sizeof found, "%" PRId32, h->n_labels);
        tess__file_warn(file, TESS_ODD_LABELS, "NLABL", found, "those with a text",
                        "the number of labels is %s; expected 0 to 10", found);
    }
    if (isnan(h->min) || isnan(h->max) || isnan(h->mean) || isnan(h->rms) || isinf(h->rms))
        tess__file_warn(file, TESS_ODD_STATISTICS, "DMIN DMAX DMEAN RMS", "not a number", "not determined",
                        "statistics in the header are not numbers; they are ignored");
    if (h->imod_stamp == TESS__IMOD_STAMP && !tess__mrc_has_imod_flag(h, TESS__IMOD_ORIGIN) &&
        (h->origin[0] != 0 || h->origin[1] != 0 || h->origin[2] != 0))
        tess__file_warn(
            file, TESS_ODD_OTHER, "ORIGIN", "IMOD's sign", "as it is",
            "the origin has the sign of older IMOD files, opposite to that of other files; it is not changed");
}

static tess_status read_header(tess_file *file, tess__mrc_header *h)
{
    unsigned char bytes[TESS__MRC_HEADER];
    int64_t       n;
    TESS_TRY(tess__source_read(file->source, 0, bytes, sizeof bytes, &n));
    TESS_CHECK(n == TESS__MRC_HEADER, TESS_EFORMAT,
               "open: %s has %" PRId64 " bytes; the header of an MRC file has 1024", file->path, n);
    const tess__mrc_order order = tess__mrc_parse(h, bytes);
    if (order == TESS__MRC_ORDER_NONE) TESS_TRY(fail_order(file, h));
    TESS_CHECK(!tess__mrc_mode_is_mrcz(h->mode), TESS_EUNSUPPORTED,
               "open: %s: MODE is %" PRId32 ", compressed blocks of MRCZ, which are not supported", file->path,
               h->mode);
    if (order == TESS__MRC_ORDER_TRIED) warn_order(file, h);
    if (h->axis[0] == 0 && h->axis[1] == 0 && h->axis[2] == 0)
        for (int k = 0; k < 3; k++) h->axis[k] = k + 1;
    TESS_CHECK(tess__mrc_axes_are_permutation(h), TESS_EFORMAT,
               "open: %s: MAPC, MAPR, MAPS are %" PRId32 ", %" PRId32 ", %" PRId32 "; expected 1, 2, 3 in some order",
               file->path, h->axis[0], h->axis[1], h->axis[2]);
    warn_header(file, h);
    return TESS_OK;
}

/* ---- What travels with the array ---- */

/* The cell in f32 stands for a range of pixel sizes; of these the one with the fewest digits is what its writer had:
 * 3.54, where the quotient is 3.5400001. It gives the same cell again. */
static double shortest_quotient(float cell, int32_t n)
{
    const double exact = (double)cell / n;
    if (!(exact > 1e-6 && exact < 1e9)) return exact;
    double unit = 1;
    while (unit <= exact) unit *= 10;
    for (double parts = 10; parts <= 1e9; parts *= 10) { /* powers of ten up to 1e22 are exact */
        const double value = parts >= unit ? rint(exact * (parts / unit)) / (parts / unit)
                                           : rint(exact / (unit / parts)) * (unit / parts);
        if ((float)(n * value) == cell) return value;
    }
    return exact;
}

static void take_pixel_size(tess_file *file, const tess__mrc_header *h, int axis)
{
    const double cell = (double)h->cell[axis];
    char         found[40], field[] = "CELLA.x";
    if (isfinite(cell) && cell >= 0) {
        if (h->grid[axis] > 0) file->info.meta.pixel_size[2 - axis] = shortest_quotient(h->cell[axis], h->grid[axis]);
        return;
    }
    field[6] = "xyz"[axis];
    (void)snprintf(found, sizeof found, "%g", cell);
    tess__file_warn(file, TESS_ODD_PIXEL_SIZE, field, found, "unknown", "the cell is %s Å along %c: pixel size unknown",
                    found, "xyz"[axis]);
}

static void take_angles(tess_file *file, const tess__mrc_header *h)
{
    char found[40];
    if (tess__mrc_angles_are_unset(h->angles)) return;
    if (tess__mrc_angles_make_cell(h->angles)) {
        memcpy(file->info.meta.angles, h->angles, sizeof h->angles);
        return;
    }
    (void)snprintf(found, sizeof found, "%.5g, %.5g, %.5g", (double)h->angles[0], (double)h->angles[1],
                   (double)h->angles[2]);
    tess__file_warn(file, TESS_ODD_OTHER, "CELLB", found, "90, 90, 90", "no unit cell has the angles %s: 90 is used",
                    found);
}

/* A volume that is a part of its cell, or whose cell is a crystal's, keeps the samples of the cell when it is cut or
 * written again. Programs that leave MX, MY, MZ to chance do not say that: MZ is 1, or the file is an image stack. */
static void take_grid(tess_meta *meta, const tess__mrc_header *h)
{
    const int32_t group = h->space_group;
    bool          is_skew = false, is_part = false;
    for (int k = 0; k < 3; k++) {
        const int axis = h->axis[k] - 1;
        if (h->grid[axis] < 1 || (axis == 2 && h->grid[2] == 1 && h->n[k] > 1)) return;
        is_part = is_part || h->grid[axis] != h->n[k];
        is_skew = is_skew || (meta->angles[k] != 0 && meta->angles[k] != 90);
    }
    if (group < 0 || group > 230 || (group < 2 && !is_skew && !(group == 1 && is_part))) return;
    for (int axis = 0; axis < 3; axis++) meta->grid[2 - axis] = h->grid[axis];
}

static void take_labels(tess_meta *meta, const tess__mrc_header *h)
{
    const int n = h->n_labels >= 0 && h->n_labels <= TESS__MRC_LABELS ? h->n_labels : TESS__MRC_LABELS;
    for (int k = 0; k < n; k++)
        if (tess__mrc_label_text(meta->labels[meta->n_labels], h->labels[k]) > 0) meta->n_labels++;
}

/* IMOD's bytes are shown 128 higher than they are stored. */
static void take_stats(tess_meta *meta, const tess__mrc_header *h, double shift)
{
    meta->stats = tess__mrc_known_stats(h);
    if (meta->stats & TESS_STATS_MINMAX) meta->min = (double)h->min + shift, meta->max = (double)h->max + shift;
    if (meta->stats & TESS_STATS_MEAN) meta->mean = (double)h->mean + shift;
    if (meta->stats & TESS_STATS_STD) meta->std = (double)h->rms;
}

static void take_meta(tess_file *file, const tess__mrc_header *h)
{
    tess_meta    *meta = &file->info.meta;
    const int32_t group = h->space_group;
    for (int axis = 0; axis < 3; axis++) {
        take_pixel_size(file, h, axis);
        if (isfinite(h->origin[axis])) meta->origin[2 - axis] = (double)h->origin[axis];
        meta->start[3 - h->axis[axis]] = h->start[axis];
        file->info.axes[axis] = h->axis[axis];
        file->info.stored[axis] = h->n[axis];
        file->info.grid[axis] = h->grid[axis];
        file->info.cell[axis] = (double)h->cell[axis];
        file->info.cell[3 + axis] = (double)h->angles[axis];
    }
    if ((group >= 1 && group <= 230) || (group >= 401 && group <= 630)) meta->space_group = group;
    take_angles(file, h);
    take_grid(meta, h);
    take_labels(meta, h);
}

/* ---- Where the data are ---- */

/* The axes of the file, slowest first; sections along z are b and d, and the one of these that has size 1 comes first,
 * so that rows do not run along it. */
static void set_axes(tess_file *file, const tess__mrc_header *h)
{
    int      *axis = file->flat.axis, at = 0;
    const int idle = file->info.sections == TESS_AS_VOLUMES ? -1 : file->info.sections == TESS_AS_STACK ? 1 : 0;
    if (idle >= 0) axis[at++] = idle;
    for (int k = 3; k-- > 0;) {
        if (h->axis[k] == 1) axis[at++] = 3;
        else if (h->axis[k] == 2) axis[at++] = 2;
        else {
            if (idle != 0) axis[at++] = 0;
            if (idle != 1) axis[at++] = 1;
        }
    }
}

static void choose_decoder(tess_file *file, const tess__mrc_header *h, bool half, tess_bytes bytes)
{
    tess__flat *flat = &file->flat;
    flat->swapped = h->big_endian == tess__is_little_endian() && tess__mrc_mode_of(h->mode)->bits > 8;
    if (h->mode == 3) flat->decode = tess__mrc_complex_i16;
    if (h->mode == 16) flat->decode = tess__mrc_grey;
    if (h->mode == 101 || half) flat->decode = tess__mrc_nibbles;
    if (h->mode == 0 && !half && bytes == TESS_BYTES_IMOD) flat->decode = tess__mrc_imod_bytes;
    if (flat->decode) flat->swapped = false; /* they see to that */
    flat->dtype = tess__mrc_mode_of(h->mode)->dtype;
    if (h->mode == 0 && (half || bytes != TESS_BYTES_SIGNED)) flat->dtype = TESS_U8;
    file->info.dtype = flat->dtype;
}

/* ---- 4-bit pixels whose rows do not begin at bytes: sections do ---- */

static tess_status read_section(tess_file *file, int64_t section, const tess_array *out, unsigned char *packed,
                                unsigned char *pixels)
{
    const int64_t n = file->info.stored[0] * file->info.stored[1], bytes = (n + 1) / 2;
    const int64_t offset = file->flat.offset + section * bytes;
    int64_t       got;
    TESS_TRY(tess__source_read(file->source, offset, packed, bytes, &got));
    TESS_CHECK(got == bytes || file->opts.salvage, TESS_EFORMAT,
               "file_read: %s ends in section %" PRId64 ": only %" PRId64 " of its %" PRId64 " bytes are present",
               file->path, section, got, bytes);
    memset(packed + got, 0, (size_t)(bytes - got));
    tess__mrc_nibbles(packed, 0, n, pixels, file);
    tess_array in, to = *out;
    TESS_TRY(tess_wrap(&in, pixels, TESS_SHAPE(1, 1, file->info.stored[1], file->info.stored[0]), TESS_U8, NULL));
    TESS_TRY(tess_cast(&to, &in, out->dtype, NULL));
    TESS_TRY(tess__sync("file_read", tess_cpu())); /* the workspace is used again */
    return TESS_OK;
}

static tess_status read_packed(tess_file *file, int64_t first, const tess_array *out)
{
    const int64_t  n = file->info.stored[0] * file->info.stored[1], bytes = (n + 1) / 2;
    unsigned char *workspace = tess__alloc((size_t)(bytes + n));
    tess_status    status = TESS_OK;
    TESS_CHECK(workspace, TESS_ENOMEM, "file_read: %s: no memory for a section of %" PRId64 " pixels", file->path, n);
    for (int64_t k = 0; k < out->shape.b; k++) {
        tess_array image;
        TESS_GOTO(done, status, tess_index(&image, out, 0, k));
        TESS_GOTO(done, status, read_section(file, first + k, &image, workspace, workspace + bytes));
    }
done:
    tess__free(workspace);
    return status;
}

static void close_mrc(tess_file *file)
{
    tess__free(file->state); /* of the extended header */
    file->state = NULL;
}

static const tess__format packed_format = {
    .name = "mrc", .id = TESS_FORMAT_MRC, .read = read_packed, .close = close_mrc
};

/* Rows of odd width take a byte more than half of it, or sections are packed without gaps: the size of the file says
 * which. */
static bool sections_are_packed(const tess_file *file, const tess__mrc_header *h, int64_t *bytes)
{
    const int64_t size = tess__source_size(file->source), offset = TESS__MRC_HEADER + (int64_t)h->extended_size;
    if (h->mode != 101 || h->n[0] % 2 == 0 || size < 0 || size - offset >= *bytes) return false;
    const int64_t section = ((int64_t)h->n[0] * h->n[1] + 1) / 2;
    if (size - offset < section * h->n[2]) return false;
    *bytes = section * h->n[2];
    return true;
}

static tess_status locate_data(tess_file *file, const tess__mrc_header *h, bool half)
{
    const tess__mrc_mode *mode = tess__mrc_mode_of(h->mode);
    const int64_t         rows[2] = { h->n[1], h->n[2] };
    int64_t               bytes;
    char                  what[120];
    file->flat.row_bytes = half ? h->n[0] / 2 : ((int64_t)h->n[0] * mode->bits + 7) / 8;
    (void)snprintf(what, sizeof what, "%" PRId32 " x %" PRId32 " x %" PRId32 " of %s", h->n[0], h->n[1], h->n[2],
                   half ? "4-bit pixels" : mode->name);
    TESS_CHECK(tess__bytes_of(&bytes, rows, 2, file->flat.row_bytes) && bytes < INT64_MAX / 4, TESS_EFORMAT,
               "open: %s: %s are more bytes than a file can hold", file->path, what);
    file->flat.offset = file->info.data_offset = TESS__MRC_HEADER + (int64_t)h->extended_size;
    if (sections_are_packed(file, h, &bytes)) {
        TESS_CHECK(h->axis[0] == 1 && h->axis[1] == 2, TESS_EUNSUPPORTED,
                   "open: %s: 4-bit pixels without gaps between rows are read with axes 1, 2, 3 only", file->path);
        file->format = &packed_format;
        file->info.data_offset = -1;
    }
    TESS_TRY(tess__file_check_size(file, file->flat.offset, bytes, what));
    TESS_TRY(tess__check_bomb_limit(file, file->flat.offset, bytes, what));
    return TESS_OK;
}

/* ---- Opening ---- */

static void double_width(tess__mrc_header *h)
{
    const int axis = h->axis[0] - 1;
    if (h->grid[axis] == h->n[0]) {
        h->grid[axis] *= 2;
        h->cell[axis] *= 2;
    }
    h->n[0] *= 2;
}

/* Volumes one after the other along the columns: each row of the file is one row of each volume. */
static tess_status split_rows(tess_file *file, const tess__mrc_header *h)
{
    if (file->info.sections != TESS_AS_VOLUMES || h->axis[0] != 3) return TESS_OK;
    TESS_CHECK(!file->flat.decode, TESS_EUNSUPPORTED,
               "open: %s: volumes along the columns are not supported in mode %" PRId32, file->path, h->mode);
    file->flat.row_bytes /= file->info.shape.b;
    return TESS_OK;
}

static tess_status open_mrc(tess_file *file)
{
    tess__mrc_header h;
    tess_bytes       bytes = TESS_BYTES_DEFAULT;
    bool             half = false;
    TESS_TRY(read_header(file, &h));
    file->info.mode = h.mode;
    file->info.big_endian = h.big_endian;
    TESS_CHECK(h.mode != 16 || file->opts.grey, TESS_EUNSUPPORTED,
               "open: %s: MODE is 16, colours; `opts->grey` reads them as grey", file->path);
    if (h.mode == 16) tess__file_warn(file, TESS_ODD_COLOUR, "MODE", "16", "grey", "colours are read as grey");
    if (h.mode == 0) TESS_TRY(tess__mrc_find_half_width(&half, file, &h));
    TESS_CHECK(!half || h.n[0] <= INT32_MAX / 2, TESS_EFORMAT, "open: %s: NX is %" PRId32 " bytes of two pixels each",
               file->path, h.n[0]);
    if (half) double_width(&h);
    else if (h.mode == 0) bytes = tess__mrc_choose_bytes(file, &h);
    int64_t size[3];
    for (int k = 0; k < 3; k++) size[h.axis[k] - 1] = h.n[k];
    TESS_TRY(tess__mrc_read_extended(file, &h));
    take_meta(file, &h);
    take_stats(&file->info.meta, &h, bytes == TESS_BYTES_IMOD ? 128 : 0);
    TESS_TRY(locate_data(file, &h, half));
    TESS_TRY(tess__mrc_choose_sections(file, &h, size));
    choose_decoder(file, &h, half, bytes);
    set_axes(file, &h);
    TESS_TRY(split_rows(file, &h));
    return TESS_OK;
}

const tess__format tess__format_mrc = {
    .name = "mrc",
    .extensions = "mrc mrcs map ccp4 rec st ali preali stk",
    .id = TESS_FORMAT_MRC,
    .evidence = TESS__BY_ELIMINATION,
    .whole_compression = true,
    .recognises = recognises,
    .open = open_mrc,
    .close = close_mrc,
    .nearest = tess__mrc_nearest,
    .start = tess__mrc_start,
    .end = tess__mrc_end,
    .head = tess__mrc_head,
};
