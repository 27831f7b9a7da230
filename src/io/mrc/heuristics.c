/* Heuristics for what an MRC file leaves open: stack or volume, signed or unsigned bytes, one or two pixels in a byte.
 * The numbers of the rules are those of docs/files.md. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/mrc/mrc.h"

/* ---- Sections ---- */

static bool is_one_of(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0) return true;
    return false;
}

static void settle(tess_file *file, const int64_t size[3], tess_sections as, int64_t depth, int rule)
{
    tess_info_file *info = &file->info;
    if (as == TESS_AS_STACK) depth = 1;
    if (as == TESS_AS_VOLUME) depth = size[2];
    info->sections = (int32_t)as;
    info->sections_rule = rule;
    info->shape = TESS_SHAPE(size[2] / depth, depth, size[1], size[0]);
}

static tess_status settle_as_asked(tess_file *file, const int64_t size[3])
{
    const char *name = tess__source_name(file->source);
    int64_t     depth = file->opts.depth;
    if (file->opts.as == TESS_AS_VOLUMES) {
        TESS_CHECK(depth >= 1 && size[2] % depth == 0, TESS_EARG,
                   "open: %s: `opts->depth` is %" PRId64 "; it must divide the %" PRId64 " sections", name, depth,
                   size[2]);
    }
    settle(file, size, (tess_sections)file->opts.as, depth, 1);
    return TESS_OK;
}

/* Rule 2: a stack of volumes, as the standard has it. */
static bool says_volumes(tess_file *file, const tess__mrc_header *header, int64_t sections)
{
    const int32_t group = header->space_group, depth = header->grid[2];
    const bool    volumes = group >= 401 && group <= 630;
    char          found[40];
    (void)snprintf(found, sizeof found, "%" PRId32, group);
    if (volumes && depth >= 1 && sections % depth == 0) return true;
    if (volumes)
        tess__file_warn(file, TESS_ODD_SPACE_GROUP, "MZ", found, "not a stack of volumes",
                        "space group %" PRId32 " means volumes of MZ sections; MZ is %" PRId32 ", which does not "
                        "divide %" PRId64 " sections",
                        group, depth, sections);
    else if (group < 0 || group > 230)
        tess__file_warn(file, TESS_ODD_SPACE_GROUP, "ISPG", found, "0",
                        "space group %" PRId32 " is not in 0 to 230 or 401 to 630; it is ignored", group);
    return false;
}

tess_status tess__mrc_choose_sections(tess_file *file, const tess__mrc_header *header, const int64_t size[3])
{
    static const char *const stacks[] = { "mrcs", "st", "ali", "preali", "stk", NULL };
    static const char *const maps[] = { "map", "ccp4", "rec", NULL };
    const int32_t            group = header->space_group;
    const bool               volumes = says_volumes(file, header, size[2]); /* it also warns */
    if (file->opts.as) TESS_TRY(settle_as_asked(file, size));
    else if (volumes) settle(file, size, TESS_AS_VOLUMES, header->grid[2], 2);
    else if (size[2] == 1) settle(file, size, TESS_AS_STACK, 1, 3);
    else if (is_one_of(file->extension, stacks)) settle(file, size, TESS_AS_STACK, 1, 4);
    else if (is_one_of(file->extension, maps)) settle(file, size, TESS_AS_VOLUME, 1, 5);
    else if (group == 0 && header->grid[2] == 1) settle(file, size, TESS_AS_STACK, 1, 6);
    else if (group >= 1 && group <= 230) settle(file, size, TESS_AS_VOLUME, 1, 6);
    else if (size[0] == size[1] && size[1] == size[2]) settle(file, size, TESS_AS_VOLUME, 1, 7);
    else {
        char found[40];
        (void)snprintf(found, sizeof found, "%" PRId32 ", %" PRId32, group, header->grid[2]);
        settle(file, size, TESS_AS_STACK, 1, 7);
        tess__file_warn(file, TESS_ODD_SECTIONS, "ISPG, MZ", found, "stack",
                        "the file does not say whether its %" PRId64
                        " sections are images or a volume: read as images (or use --as volume)",
                        size[2]);
    }
    return TESS_OK;
}

/* ---- Bytes ---- */

/* By the range that the header gives. */
static tess_bytes by_range(const tess__mrc_header *h)
{
    if (!(tess__mrc_known_stats(h) & TESS_STATS_MINMAX)) return TESS_BYTES_DEFAULT;
    if (h->min < 0) return h->max < 128 || -h->min > h->max - 128 ? TESS_BYTES_SIGNED : TESS_BYTES_UNSIGNED;
    return h->max >= 128 ? TESS_BYTES_UNSIGNED : TESS_BYTES_DEFAULT;
}

tess_bytes tess__mrc_choose_bytes(tess_file *file, const tess__mrc_header *header)
{
    tess_info_file *info = &file->info;
    info->bytes_rule = 1;
    if (file->opts.bytes) return (tess_bytes)file->opts.bytes;
    info->bytes_rule = 2;
    if (header->imod_stamp == TESS__IMOD_STAMP) {
        if (!tess__mrc_has_imod_flag(header, TESS__IMOD_SIGNED)) return TESS_BYTES_UNSIGNED;
        tess__file_warn(
            file, TESS_ODD_BYTES, "imodFlags", "signed", "signed",
            "signed bytes of an IMOD file, -128 to 127; IMOD shows them as 0 to 255 (as --bytes imod does)");
        return TESS_BYTES_SIGNED;
    }
    info->bytes_rule = 3;
    const tess_bytes bytes = by_range(header);
    if (bytes) return bytes;
    info->bytes_rule = 4;
    return TESS_BYTES_SIGNED;
}

/* ---- Two pixels in a byte ---- */

static bool has_packed_label(const tess__mrc_header *header)
{
    char text[TESS__MRC_LABEL + 1];
    return header->n_labels == 1 && tess__mrc_label_text(text, header->labels[0]) > 0 && strstr(text, "4 bits packed");
}

bool tess__is_packed_camera(int64_t w, int64_t h)
{
    static const int sizes[][2] = { { 5760, 8184 }, { 4092, 11520 }, { 3710, 7676 }, { 3838, 7420 } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if ((w == sizes[i][0] && h == sizes[i][1]) || (w == sizes[i][1] && h == sizes[i][0])) return true;
    return false;
}

tess_status tess__mrc_find_half_width(bool *half, tess_file *file, const tess__mrc_header *header)
{
    const bool flag = tess__mrc_has_imod_flag(header, TESS__IMOD_NIBBLES);
    *half = false;
    if (file->opts.bytes) return TESS_OK; /* the caller says what the bytes are */
    TESS_CHECK(!flag || !tess__mrc_has_imod_flag(header, TESS__IMOD_SIGNED), TESS_EFORMAT,
               "open: %s: imodFlags is %" PRId32 "; bytes cannot be signed (1) and hold two pixels each (16)",
               tess__source_name(file->source), header->imod_flags);
    *half = flag || (has_packed_label(header) && tess__is_packed_camera(header->n[0], header->n[1]));
    if (!*half) return TESS_OK;
    char found[40], used[40];
    (void)snprintf(found, sizeof found, "%" PRId32, header->n[0]);
    (void)snprintf(used, sizeof used, "%" PRId64, (int64_t)header->n[0] * 2);
    tess__file_warn(file, TESS_ODD_HALF_WIDTH, "NX", found, used,
                    "each byte holds two pixels, by %s: images are %s wide, not %s (--bytes unsigned reads bytes)",
                    flag ? "IMOD's flag" : "its label and size", used, found);
    return TESS_OK;
}
