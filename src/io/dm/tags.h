/* The tag tree of DM3 and DM4 files (Gatan DigitalMicrograph), walked in the order of the file. */
#ifndef TESS_IO_DM_TAGS_H
#define TESS_IO_DM_TAGS_H

#include "io/file/file.h"

enum { TESS__DM_DEPTH = 24 /* of groups within groups */, TESS__DM_NAME = 24 };

/* A level of the path to a tag: its name, "" for entries of lists; and its number in its group. */
typedef struct tess__dm_level {
    char    name[TESS__DM_NAME];
    int64_t index;
} tess__dm_level;

/* Encodings of values. */
enum {
    TESS__DM_I16 = 2,
    TESS__DM_I32,
    TESS__DM_U16,
    TESS__DM_U32,
    TESS__DM_F32,
    TESS__DM_F64,
    TESS__DM_BOOL,
    TESS__DM_I8,
    TESS__DM_U8,
    TESS__DM_I64,
    TESS__DM_U64,
    TESS__DM_STRUCT = 15,
    TESS__DM_STRING = 18,
    TESS__DM_ARRAY = 20
};

/* A tag with a value, or an array of them. */
typedef struct tess__dm_tag {
    const tess__dm_level *path;
    int                   depth; /* levels of the path: the last is the tag itself */
    int                   type;  /* of the value, or of those of an array; STRUCT: of several */
    bool                  is_array;
    int64_t               count, size; /* values, and bytes of one */
    int64_t               at;          /* offset of the first */
    double                number;      /* a single value */
} tess__dm_tag;

typedef tess_status tess__dm_visit(void *context, const tess__dm_tag *tag);

/* Is this the start of such a file? Its version, 3 or 4; 0: it is not. */
int tess__dm_version(const unsigned char *bytes, int64_t n);

/* Visit all tags; with opts.salvage, those before the damage. */
tess_status tess__dm_walk(tess_file *file, tess__dm_visit *visit, void *context);

#endif
