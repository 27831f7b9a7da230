/* MRC2014 header: a table of its fields, for both byte orders. */
#include "io/mrc/header.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "io/file/byteswap.h"
#include "tessera/io.h"

/* A field: where it is in the file and in the struct, and of how many bytes are the numbers in it. */
typedef struct field {
    int    at;
    int    item;
    size_t offset, size;
} field;

#define FIELD(name, at, item)                                                                                          \
    {                                                                                                                  \
        at, item, offsetof(tess__mrc_header, name), sizeof(((tess__mrc_header *)0)->name)                              \
    }
static const field fields[] = {
    FIELD(n, 0, 4),
    FIELD(mode, 12, 4),
    FIELD(start, 16, 4),
    FIELD(grid, 28, 4),
    FIELD(cell, 40, 4),
    FIELD(angles, 52, 4),
    FIELD(axis, 64, 4),
    FIELD(min, 76, 4),
    FIELD(max, 80, 4),
    FIELD(mean, 84, 4),
    FIELD(space_group, 88, 4),
    FIELD(extended_size, 92, 4),
    FIELD(extended_type, 104, 1),
    FIELD(version, 108, 4),
    FIELD(extended_layout, 128, 2),
    FIELD(imod_stamp, 152, 4),
    FIELD(imod_flags, 156, 4),
    FIELD(origin, 196, 4),
    FIELD(map, 208, 1),
    FIELD(machine, 212, 1),
    FIELD(rms, 216, 4),
    FIELD(n_labels, 220, 4),
    FIELD(labels, 224, 1),
};
#undef FIELD

/* Numbers of `item` bytes, byte-swapped if asked. */
static void copy_items(unsigned char *to, const unsigned char *from, size_t size, int item, bool swapped)
{
    const size_t n = (size_t)item;
    if (!swapped || n == 1) {
        memcpy(to, from, size);
        return;
    }
    for (size_t i = 0; i < size; i += n)
        for (size_t k = 0; k < n; k++) to[i + k] = from[i + n - 1 - k];
}

/* The fields in one byte order, without a look at them. */
static void unpack(tess__mrc_header *header, const unsigned char bytes[TESS__MRC_HEADER], bool big_endian)
{
    const bool swapped = big_endian == tess__is_little_endian();
    memset(header, 0, sizeof *header);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        copy_items((unsigned char *)header + fields[i].offset, bytes + fields[i].at, fields[i].size, fields[i].item,
                   swapped);
    header->big_endian = big_endian;
}

void tess__mrc_pack(const tess__mrc_header *header, unsigned char bytes[TESS__MRC_HEADER])
{
    const bool swapped = header->big_endian == tess__is_little_endian();
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        copy_items(bytes + fields[i].at, (const unsigned char *)header + fields[i].offset, fields[i].size,
                   fields[i].item, swapped);
}

/* ---- Modes ---- */

static const tess__mrc_mode modes[] = {
    { 0, 8, TESS_I8, "bytes" },         { 1, 16, TESS_I16, "i16" },    { 2, 32, TESS_F32, "f32" },
    { 3, 32, TESS_C32, "complex i16" }, { 4, 64, TESS_C32, "c32" },    { 6, 16, TESS_U16, "u16" },
    { 12, 16, TESS_F16, "f16" },        { 16, 24, TESS_U8, "colour" }, { 101, 4, TESS_U8, "4-bit pixels" },
};

const tess__mrc_mode *tess__mrc_mode_of(int32_t mode)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (modes[i].mode == mode) return &modes[i];
    return NULL;
}

bool tess__mrc_mode_is_mrcz(int32_t mode) { return mode >= 1000 && mode <= 9999; }

/* ---- Byte order ---- */

int tess__mrc_stamped_order(const unsigned char machine[4])
{
    if (machine[0] == 0x44 && (machine[1] == 0x44 || machine[1] == 0x41)) return 0;
    return machine[0] == 0x11 && machine[1] == 0x11 ? 1 : -1;
}

void tess__mrc_stamp(unsigned char machine[4], bool big_endian)
{
    machine[0] = machine[1] = big_endian ? 0x11 : 0x44;
    machine[2] = machine[3] = 0;
}

static bool makes_sense(const tess__mrc_header *h)
{
    return h->n[0] >= 1 && h->n[1] >= 1 && h->n[2] >= 1 &&
           (tess__mrc_mode_of(h->mode) || tess__mrc_mode_is_mrcz(h->mode));
}

static double volume(const tess__mrc_header *h) { return (double)h->n[0] * (double)h->n[1] * (double)h->n[2]; }

/* Modes are the same in both orders if they are 0; axes and sizes are not, and the wrong ones are large. */
static bool is_likelier(const tess__mrc_header *a, const tess__mrc_header *b)
{
    const bool first = tess__mrc_axes_are_permutation(a), second = tess__mrc_axes_are_permutation(b);
    return first != second ? first : volume(a) < volume(b);
}

tess__mrc_order tess__mrc_parse(tess__mrc_header *header, const unsigned char bytes[TESS__MRC_HEADER])
{
    tess__mrc_header swapped;
    unpack(header, bytes, false);
    unpack(&swapped, bytes, true);
    const int stamped = tess__mrc_stamped_order(header->machine);
    if (stamped == 1) {
        const tess__mrc_header little = *header;
        *header = swapped;
        swapped = little;
    }
    const bool first = makes_sense(header), second = makes_sense(&swapped);
    if (!first && !second) return TESS__MRC_ORDER_NONE;
    const bool axes = tess__mrc_axes_are_permutation(header) || !tess__mrc_axes_are_permutation(&swapped);
    if (stamped >= 0 && first && (axes || !second)) return TESS__MRC_ORDER_STAMPED;
    if (!first || (second && is_likelier(&swapped, header))) *header = swapped;
    return TESS__MRC_ORDER_TRIED;
}

/* ---- Single fields ---- */

bool tess__mrc_has_map(const tess__mrc_header *header) { return memcmp(header->map, "MAP", 3) == 0; }

bool tess__mrc_has_imod_flag(const tess__mrc_header *header, int flag)
{
    return header->imod_stamp == TESS__IMOD_STAMP && (header->imod_flags & flag) != 0;
}

bool tess__mrc_axes_are_permutation(const tess__mrc_header *header)
{
    unsigned seen = 0;
    for (int k = 0; k < 3; k++)
        if (header->axis[k] >= 1 && header->axis[k] <= 3) seen |= 1u << header->axis[k];
    return seen == (1u << 1 | 1u << 2 | 1u << 3);
}

bool tess__mrc_angles_make_cell(const float angles[3])
{
    const double sum = (double)angles[0] + (double)angles[1] + (double)angles[2];
    for (int k = 0; k < 3; k++) {
        const double angle = (double)angles[k]; /* NaN fails each comparison */
        if (!(angle > 0 && angle < 180 && sum < 360 && 2 * angle < sum)) return false;
    }
    return true;
}

bool tess__mrc_angles_are_unset(const float angles[3]) { return angles[0] == 0 && angles[1] == 0 && angles[2] == 0; }

int tess__mrc_known_stats(const tess__mrc_header *h)
{
    const float lower = h->min < h->max ? h->min : h->max;
    int         known = 0;
    if (isfinite(h->min) && isfinite(h->max) && h->max >= h->min) known |= TESS_STATS_MINMAX;
    if (isfinite(h->mean) && isfinite(lower) && h->mean >= lower) known |= TESS_STATS_MEAN;
    if (isfinite(h->rms) && h->rms >= 0) known |= TESS_STATS_STD;
    return known;
}

void tess__mrc_blank(tess__mrc_header *header, bool big_endian)
{
    memset(header, 0, sizeof *header);
    header->big_endian = big_endian;
    for (int k = 0; k < 3; k++) {
        header->angles[k] = 90;
        header->axis[k] = k + 1;
    }
    header->max = -1;
    header->mean = -2;
    header->rms = -1;
    header->version = 20141;
    memset(header->extended_type, ' ', sizeof header->extended_type);
    memcpy(header->map, "MAP ", sizeof header->map);
    tess__mrc_stamp(header->machine, big_endian);
    memset(header->labels, ' ', sizeof header->labels);
}

/* ---- Texts ---- */

static char printable(char c) { return c >= 32 && c < 127 ? c : '?'; }

int tess__mrc_label_text(char *text, const char label[TESS__MRC_LABEL])
{
    int n = 0;
    for (int k = 0; k < TESS__MRC_LABEL && label[k] != '\0'; k++) {
        text[k] = printable(label[k]);
        if (text[k] != ' ') n = k + 1;
    }
    text[n] = '\0';
    return n;
}

static void set_label(char label[TESS__MRC_LABEL], const char *text)
{
    int k = 0;
    for (; k < TESS__MRC_LABEL && text[k] != '\0'; k++) label[k] = printable(text[k]);
    for (; k < TESS__MRC_LABEL; k++) label[k] = ' ';
}

void tess__mrc_add_label(tess__mrc_header *header, const char *text)
{
    int n = header->n_labels;
    if (n < 0 || n > TESS__MRC_LABELS) n = n < 0 ? 0 : TESS__MRC_LABELS;
    if (n == TESS__MRC_LABELS) {
        memmove(header->labels[0], header->labels[1], (TESS__MRC_LABELS - 1) * TESS__MRC_LABEL);
        n--;
    }
    set_label(header->labels[n], text);
    header->n_labels = n + 1;
}

const char *tess__mrc_letters(char text[5], const char letters[4])
{
    for (int k = 0; k < 4; k++) text[k] = printable(letters[k]);
    text[4] = '\0';
    return text;
}
