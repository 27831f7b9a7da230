/* Fields of structured NPY arrays, as cryoSPARC's .cs files are: names, types and places in a row. */
#ifndef TESS_IO_TEXT_CRYOSPARC_FIELDS_H
#define TESS_IO_TEXT_CRYOSPARC_FIELDS_H

#include "tessera/array.h"

typedef struct tess__cs_field {
    const char *name; /* in the header, not ended */
    int64_t     name_length;
    char        kind;  /* 'b' bool, 'i', 'u', 'f', 'S' bytes, 'U' UTF-32 */
    int64_t     bytes; /* of one value */
    int64_t     count; /* values of a row: the product of the shape, 1 without one */
    int64_t     offset;
    bool        big_endian;
} tess__cs_field;

typedef struct tess__cs_header {
    tess__cs_field *fields; /* tess__alloc'ed */
    int64_t         n_fields, capacity;
    int64_t         n_rows, row_bytes;
    int64_t         data_offset;
} tess__cs_header;

/* Parse an NPY header of `length` bytes; names point into it. To be freed by tess__free(header->fields), also after a
 * failure. `name` is the file's. */
tess_status tess__cs_parse(tess__cs_header *header, const char *name, const unsigned char *bytes, int64_t length);

#endif
