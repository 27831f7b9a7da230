/* ZIP archives, as far as NPZ files need them: the central directory, reading a member, writing members in sequence.
 *
 * Names are labels here, never paths.
 */
#ifndef TESS_IO_ZIP_ZIP_H
#define TESS_IO_ZIP_ZIP_H

#include "io/file/write/atomic_sink.h"
#include "io/file/source.h"

enum { TESS__ZIP_STORED = 0, TESS__ZIP_DEFLATED = 8 };

typedef struct tess__zip_member {
    const char *name;        /* as tess__zip_copy_name writes it */
    int64_t     offset;      /* of its local header */
    int64_t     packed_size; /* bytes in the archive */
    int64_t     size;        /* bytes when decompressed */
    int64_t     limit;       /* where the next member or the directory begins */
    uint32_t    crc;
    uint16_t    method, flags;
    bool        cut; /* not all of it is there; then its size and checksum may not be known */
} tess__zip_member;

/* ---- Reading ---- */

typedef struct tess__zip {
    tess__source     *source; /* not owned */
    tess__zip_member *members;
    int64_t           n_members;
    char             *names;
    bool              scanned; /* there was no directory to compare with */
} tess__zip;

/* Read the directory at the end of the archive. The source outlives it. */
tess_status tess__zip_open(tess__zip **zip, tess__source *source);
void        tess__zip_close(tess__zip *zip);

/* Without a directory: the members whose names end in .npy, by their local headers, as far as they are there. */
tess_status tess__zip_scan(tess__zip **zip, tess__source *source);

/* Sizes and offset that did not fit into 32 bits, from the extra field of ZIP64: those that are 0xffffffff, in this
 * order. False if one is missing. */
bool tess__zip_take64(const unsigned char *extra, int64_t n, uint64_t *values[], int n_values);

/* A name of n bytes as text, with a zero byte behind it: control characters, bytes that are no UTF-8, and a '%' before
 * two hexadecimal digits become %0A and the like, so that two names never become one. `to` has 3 n + 1 bytes; `from`
 * may be those from 2 n on. Gives the bytes of the text. */
int64_t tess__zip_copy_name(char *to, const unsigned char *from, int64_t n);

/* Where the bytes of a member begin, after its local header was compared with the directory. Encryption and other
 * methods than stored and deflated are TESS_EUNSUPPORTED. */
tess_status tess__zip_locate(int64_t *offset, const tess__zip *zip, const tess__zip_member *member);

/* The checksum of a stored member whose bytes begin at `offset`. */
tess_status tess__zip_check_stored(const tess__zip *zip, const tess__zip_member *member, int64_t offset);

/* A deflated member that is decompressed from front to end. Reading at an earlier offset starts again. What is read is
 * never more than the size in the directory; that this size and the checksum are right is seen when the last byte is
 * read. */
typedef struct tess__inflater tess__inflater;
tess_status tess__inflater_new(tess__inflater **inflater, const tess__zip *zip, const tess__zip_member *member,
                               int64_t offset);
tess_status tess__inflater_read(tess__inflater *inflater, int64_t offset, void *bytes, int64_t n);
void        tess__inflater_free(tess__inflater *inflater);

/* From now on data that are damaged or end too early are followed by zeros, without an error. */
void tess__inflater_forgive(tess__inflater *inflater);

/* The same, and count the bytes that can be decompressed: is that all of the member, with the right checksum? */
tess_status tess__inflater_measure(tess__inflater *inflater, int64_t *good, bool *right);

/* ---- Writing ---- */

typedef struct tess__zip_writer tess__zip_writer;

/* Sizes and offsets from this on are written as ZIP64 fields. Tests lower it, and restore it. */
extern int64_t tess__zip64_from;

/* Begin. The sink is not owned. `level` is that of members that are deflated. */
tess_status tess__zip_writer_new(tess__zip_writer **writer, tess__sink *sink, int level);
void        tess__zip_writer_free(tess__zip_writer *writer);

/* The maximum size of the local header of a member. */
int64_t tess__zip_header_max(const char *name);

/* Begin a member of `size` bytes. Its checksum follows its bytes, if `crc` is NULL. */
tess_status tess__zip_begin(tess__zip_writer *writer, const char *name, int64_t size, bool deflated,
                            const uint32_t *crc);

/* The next bytes of the member. */
tess_status tess__zip_put(tess__zip_writer *writer, const void *bytes, int64_t n);

/* All bytes of the member were put. With `patch`, which is only for the first member and a sink whose head is its local
 * header, the checksum is put there and does not follow. */
tess_status tess__zip_end_member(tess__zip_writer *writer, bool patch);

/* Write the directory. */
tess_status tess__zip_end(tess__zip_writer *writer);

#endif
