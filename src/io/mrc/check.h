/* Validation of MRC headers: rules of the MRC2014 standard that checking and repair share. */
#ifndef TESS_IO_MRC_CHECK_H
#define TESS_IO_MRC_CHECK_H

#include "io/mrc/header.h"
#include "io/mrc/measure.h"
#include "tessera/mrc.h"

/* Labels: those with a text, and whether one comes after an empty one. */
typedef struct tess__mrc_label_use {
    int  n;
    bool gaps;
} tess__mrc_label_use;

tess__mrc_label_use tess__mrc_labels_in_use(const tess__mrc_header *header);

/* Is the space group one of the standard, and does MZ divide the sections of a stack of volumes? */
bool tess__mrc_space_group_is_right(const tess__mrc_header *header);

/* Do the statistics of a header agree with those of the data? A set of TESS_STATS_: those that do not. */
int tess__mrc_wrong_stats(const tess__mrc_header *header, const tess__measured *measured);

/* Does a file of this size end where the data of a header of 1024 bytes do: without space for an extended one? */
bool tess__mrc_data_fills(const tess__mrc_header *header, int64_t file_size);

/* The number of sections: the size along the axis of the file that is z. */
int32_t tess__mrc_sections_of(const tess__mrc_header *header);

#endif
