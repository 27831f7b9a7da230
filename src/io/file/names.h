/* File names: format by extension or ":format" suffix, compression by ".gz" or ".bz2", member of an archive. */
#ifndef TESS_IO_FILE_NAMES_H
#define TESS_IO_FILE_NAMES_H

#include "io/file/file.h"

typedef struct tess__name {
    char               *path;          /* without what follows the colon; to be freed */
    const char         *word;          /* what followed it ("mrcs", a member), or "" */
    bool                member;        /* that is the name of a member of an archive */
    const tess__format *format;        /* by the word, or by the extension; NULL: not known */
    tess_compression    compression;   /* by the end: GZIP, BZIP2 or NONE */
    char                extension[12]; /* in small letters, before .gz or .bz2 */
} tess__name;

/* "x.mrc", "x.dat:mrc", "x.npz:member", "x.map.gz". A file whose name has the colon in it is that file. */
tess_status tess__name_take(tess__name *name, const char *fn, const char *text);

/* The format of a number; NULL if it is none. */
const tess__format *tess__format_of_id(tess_file_format id);

/* "mrc, npy, npz": all formats, or those that are written. */
enum { TESS__FORMAT_NAMES = 160 };
const char *tess__format_names(char text[TESS__FORMAT_NAMES], bool written);

#endif
