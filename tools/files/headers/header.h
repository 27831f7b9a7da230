/* What the header of a file says, as a row of values and as lines for people. */
#ifndef TESSERA_FILES_HEADERS_HEADER_H
#define TESSERA_FILES_HEADERS_HEADER_H

#include "command/row.h"
#include "files/input.h"

/* All of it as named values. */
void header_row(row *r, const input *in);

/* All of it on standard output, and the labels alone, each after `before`. */
void print_header(const input *in);
void print_labels(const tess_meta *meta, const char *before);

/* Columns, rows, sections of what was chosen: as they lie in the file, unless only some were. */
void stored_size(const input *in, int64_t n[3]);

const char *compression_name(int32_t compression);

#endif
