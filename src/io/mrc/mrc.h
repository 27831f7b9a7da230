/* MRC2014 and CCP4 files: the functions that reading and writing share. */
#ifndef TESS_IO_MRC_MRC_H
#define TESS_IO_MRC_MRC_H

#include "io/file/file.h"
#include "io/mrc/header.h"

/* ---- Heuristics of reading: heuristics.c ---- */

/* Stack, volume or volumes, of sections along z: sets the shape, what the sections are and the rule that decided it.
 * `size` is along x, y, z. */
tess_status tess__mrc_choose_sections(tess_file *file, const tess__mrc_header *header, const int64_t size[3]);

/* What the bytes of mode 0 are, and the rule that decided it. */
tess_bytes tess__mrc_choose_bytes(tess_file *file, const tess__mrc_header *header);

/* Do bytes of mode 0 hold two pixels each? */
tess_status tess__mrc_find_half_width(bool *half, tess_file *file, const tess__mrc_header *header);

/* Columns and rows of bytes, either way round, of cameras whose super-resolution frames SerialEM and IMOD pack, two
 * pixels in each byte. */
bool tess__is_packed_camera(int64_t w, int64_t h);

/* ---- Rows of the file whose samples are no elements: decode.c ---- */

/* As the decoder of a tess__flat. They byte-swap numbers themselves. */
void tess__mrc_complex_i16(const unsigned char *row, int64_t first, int64_t n, void *out, const tess_file *file);
void tess__mrc_nibbles(const unsigned char *row, int64_t first, int64_t n, void *out, const tess_file *file);
void tess__mrc_grey(const unsigned char *row, int64_t first, int64_t n, void *out, const tess_file *file);
void tess__mrc_imod_bytes(const unsigned char *row, int64_t first, int64_t n, void *out, const tess_file *file);

/* ---- Extended headers: extended_header.c ---- */

/* Read it into file->extended, say what it is in file->info.meta. One that is not understood is a warning. */
tess_status tess__mrc_read_extended(tess_file *file, const tess__mrc_header *header);

/* One of the types that the format knows. */
bool tess__mrc_knows_extended(const char type[4]);

/* What an extended header is whose type is not known: by its layout, or by its text; "" if neither tells. */
const char *tess__mrc_guess_extended(const int16_t layout[2], const unsigned char *bytes, int64_t size);

/* Byte-swap the numbers of an extended header; those without numbers of one size stay. */
void tess__mrc_byteswap_extended(const char *type, unsigned char *bytes, int64_t size);

#endif
