/* MRC2014 header: 1024 bytes as a struct and back, in both byte orders. */
#ifndef TESS_IO_MRC_HEADER_H
#define TESS_IO_MRC_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "tessera/dtype.h"

enum { TESS__MRC_HEADER = 1024, TESS__MRC_LABELS = 10, TESS__MRC_LABEL = 80 };

/* The stamp "IMOD", and the bits of the flags that come with it. */
enum {
    TESS__IMOD_STAMP = 1146047817,
    TESS__IMOD_SIGNED = 1,  /* bytes of mode 0 are signed */
    TESS__IMOD_ORIGIN = 4,  /* the origin has the sign of the standard */
    TESS__IMOD_RMS = 8,     /* the standard deviation is negative when it is not known */
    TESS__IMOD_NIBBLES = 16 /* bytes of mode 0 hold two pixels of 4 bits, the low one first */
};

/* Fields in the order of the file; those along the axes of the file are columns, rows, sections, all others x, y, z. */
typedef struct tess__mrc_header {
    int32_t       n[3]; /* columns, rows, sections */
    int32_t       mode;
    int32_t       start[3]; /* of columns, rows, sections */
    int32_t       grid[3];  /* MX, MY, MZ */
    float         cell[3];  /* Å */
    float         angles[3];
    int32_t       axis[3]; /* 1 x, 2 y, 3 z: of columns, rows, sections */
    float         min, max, mean;
    int32_t       space_group;
    int32_t       extended_size; /* NSYMBT */
    char          extended_type[4];
    int32_t       version;
    int16_t       extended_layout[2]; /* nint, nreal */
    int32_t       imod_stamp, imod_flags;
    float         origin[3];
    char          map[4];
    unsigned char machine[4];
    float         rms;
    int32_t       n_labels;
    char          labels[TESS__MRC_LABELS][TESS__MRC_LABEL];
    bool          big_endian;
} tess__mrc_header;

/* How the samples of a mode lie in a file. */
typedef struct tess__mrc_mode {
    int32_t     mode;
    int         bits;  /* of a sample */
    tess_dtype  dtype; /* what it becomes */
    const char *name;
} tess__mrc_mode;

/* NULL for a mode that is not read. */
const tess__mrc_mode *tess__mrc_mode_of(int32_t mode);

/* Modes of MRCZ: those of compressed blocks, which are known but not read. */
bool tess__mrc_mode_is_mrcz(int32_t mode);

/* How the byte order was found. */
typedef enum tess__mrc_order {
    TESS__MRC_ORDER_NONE, /* neither gives sizes of 1 or more and a known mode; parsed as the stamp says, or little */
    TESS__MRC_ORDER_STAMPED, /* by the machine stamp */
    TESS__MRC_ORDER_TRIED    /* the stamp is not known, or what it says makes no sense */
} tess__mrc_order;

/* Parse a header: nothing in it is checked but what tells the byte order. */
tess__mrc_order tess__mrc_parse(tess__mrc_header *header, const unsigned char bytes[TESS__MRC_HEADER]);

/* Write the fields to a header, in the order of header->big_endian; bytes that belong to no field stay. */
void tess__mrc_pack(const tess__mrc_header *header, unsigned char bytes[TESS__MRC_HEADER]);

/* 1: the stamp means big-endian, 0: little-endian, -1: it is not known. */
int tess__mrc_stamped_order(const unsigned char machine[4]);

/* The stamp of a byte order. */
void tess__mrc_stamp(unsigned char machine[4], bool big_endian);

bool tess__mrc_has_map(const tess__mrc_header *header); /* "MAP", whatever follows */
bool tess__mrc_has_imod_flag(const tess__mrc_header *header, int flag);
bool tess__mrc_axes_are_permutation(const tess__mrc_header *header);

/* Are there three edges with these angles, alpha, beta, gamma in degrees? */
bool tess__mrc_angles_make_cell(const float angles[3]);

/* No angle is given: old programs leave them 0, and mean 90. */
bool tess__mrc_angles_are_unset(const float angles[3]);

/* Statistics that the header gives by the rules of the format: a set of TESS_STATS_. */
int tess__mrc_known_stats(const tess__mrc_header *header);

/* Every field as a new file has it: little-endian or not, sizes and cell 0, statistics not determined. */
void tess__mrc_blank(tess__mrc_header *header, bool big_endian);

/* The text of a label, without blanks at its end; what cannot be printed is '?'. `text` holds 81. */
int tess__mrc_label_text(char *text, const char label[TESS__MRC_LABEL]);

/* Add a label after those that are in use; the oldest is removed when there are ten. */
void tess__mrc_add_label(tess__mrc_header *header, const char *text);

/* The four letters of a field as text; what cannot be printed is '?'. */
const char *tess__mrc_letters(char text[5], const char letters[4]);

#endif
