/* File objects: open files, files being written, and the interface that each format implements (tess__format). */
#ifndef TESS_IO_FILE_FILE_H
#define TESS_IO_FILE_FILE_H

#include "io/file/write/atomic_sink.h"
#include "io/file/source.h"
#include "tessera/io.h"

/* Flat data: rows of elements one after the other, as in MRC, NPY and raw files. Rows run along the fastest axis of the
 * file. */
typedef struct tess__flat {
    int64_t    offset;    /* of the first row, in bytes of the source */
    int        axis[4];   /* the axis (0 b, 1 d, 2 h, 3 w) of each axis of the file, slowest first */
    int64_t    row_bytes; /* of one row in the file: packed samples may take less than elements do */
    tess_dtype dtype;     /* of the elements in the file; with `decode`, what that makes */
    bool       swapped;   /* the other byte order than this machine's */
    bool       reversed;  /* rows (h) lie in the file from the last to the first; axes are b, d, h, w */
    int64_t    gap;       /* bytes between the rows of an index of the slowest axis and those of the next */
    /* Decode one row of the file into elements; NULL: they are elements. `n` elements of the row are wanted, from
     * `first` on; `row` is the whole row. */
    void (*decode)(const unsigned char *row, int64_t first, int64_t n, void *elements, const tess_file *file);
} tess__flat;

/* A region of a file: from, step (may be negative) and size of each axis b, d, h, w. */
typedef struct tess__file_region {
    int64_t from[4], step[4], n[4];
} tess__file_region;

typedef struct tess__format tess__format;

enum { TESS__MARKED_WARNING = 224 };

struct tess_file {
    const tess__format *format;
    tess__source       *source;
    tess_read_opts      opts; /* resolved */
    tess_info_file      info;
    char                warnings[TESS_MAX_FILE_WARNINGS][TESS__MARKED_WARNING]; /* the texts of those, with marks */
    tess__flat          flat;          /* where format->read and read_region are NULL */
    void               *state;         /* the format's own: format->close frees it */
    void               *extended;      /* tess__alloc'ed; info.meta.extended points to it */
    char               *path;          /* without ":mrc" and the like */
    char                extension[12]; /* of the path, in small letters, before .gz or .bz2 */
};

struct tess_writer {
    const tess__format *format;
    tess__sink         *sink;
    tess_write_opts     opts;        /* resolved; meta and label point to what is below */
    tess_meta           meta;        /* the caller's, with the statistics of what was written; extended is a copy */
    tess_shape          shape;       /* of the whole */
    tess_dtype          given;       /* of the caller's arrays */
    tess_dtype          dtype;       /* in the file */
    bool                swapped;     /* the other byte order than this machine's */
    int64_t             n_images;    /* b * d */
    int64_t             done;        /* images written */
    struct tess__stats *stats;       /* statistics so far */
    tess_array          packed;      /* workspace for images converted for the file */
    bool                stats_known; /* the statistics were computed before start, and are in meta */
    bool                failed;      /* something was not written */
    void               *state;       /* the format's own: format->drop frees it */
    char               *path;        /* without ":mrc" and the like */
    char               *texts;       /* copies of label and member */
    char                note[260];   /* for tess_writer_note: what tess__writer_add_note added */
};

/* Add what readers of the file will not find to what tess_writer_note says. */
void tess__writer_add_note(tess_writer *writer, const char *text);

/* How sure `recognises` is: the surest formats are asked first. */
typedef enum tess__evidence {
    TESS__BY_SIGNATURE,   /* bytes that no other format has */
    TESS__BY_AGREEMENT,   /* several numbers of a header agree */
    TESS__BY_ELIMINATION, /* they make sense, and no other format knows the file */
    TESS__N_EVIDENCE
} tess__evidence;

/* A format. NULL where it cannot do something. */
struct tess__format {
    const char      *name;       /* "mrc" */
    const char      *extensions; /* "mrc mrcs map", without what compresses the whole */
    tess_file_format id;
    tess__evidence   evidence;
    bool             whole_compression; /* .gz and .bz2 may follow */
    bool             has_members;       /* arrays have names: opts.member chooses */
    bool             has_pages;         /* opts.page and n_pages choose among images */

    /* Could a file that begins with these n bytes (up to 1024, fewer of a short file) be one? */
    bool (*recognises)(const unsigned char *bytes, int64_t n);

    /* Those bytes could be of another format, too: is the file one of this? What is wrong with it is for that other
     * format to say, failures to read it are not. NULL: they are enough. */
    tess_status (*recognises_source)(bool *is_one, tess__source *source);

    /* Read the header of file->source: fill file->info (zeroed but for format, compression and file_size) and
     * file->flat or file->state. Options are in file->opts. On failure, state may be left: close is called. */
    tess_status (*open)(tess_file *file);

    /* Where data are not flat: the images from `first` (of b * d) on into `out`, {n,1,h,w} of info.dtype or any other,
     * any strides. */
    tess_status (*read)(tess_file *file, int64_t first, const tess_array *out);

    /* The same of a region, into `out` of its shape, where a format need not decode whole images for it; `read` is not
     * needed then. NULL: it is taken out of whole ones. */
    tess_status (*read_region)(tess_file *file, const tess__file_region *region, const tess_array *out);

    /* Flat data were read to their end: is their checksum right? NULL: they have none. */
    tess_status (*verify)(tess_file *file);

    void (*close)(tess_file *file); /* free file->state */

    /* The dtype that elements of a dtype are written as where the caller does not say; NULL: the same. */
    tess_dtype (*nearest)(const tess_writer *writer, tess_dtype dtype);

    /* Begin to write: check writer->dtype and the shape, write the header as far as it is known. */
    tess_status (*start)(tess_writer *writer);

    /* The next images {n,1,h,w}, of writer->dtype or any other that converts, any strides. NULL: their elements are
     * written one after the other, as writer->dtype and in the byte order of `swapped`. */
    tess_status (*append)(tess_writer *writer, const tess_array *images);

    tess_status (*end)(tess_writer *writer); /* all is written: the header again, a directory, … */
    void (*drop)(tess_writer *writer);       /* free writer->state; after end, or instead of it */

    /* Was it built in, with a compression of its own (DEFLATE, LZW, ZSTD; DEFAULT and NONE: at all)? NULL: always, and
     * none. */
    bool (*supports)(tess_compression compression);

    /* Bytes at the start that `end` writes again; NULL: none. Called before start. */
    int64_t (*head)(const tess_writer *writer);
};

/* The formats, as formats.def lists them; ended by NULL. */
extern const tess__format *const tess__formats[];
#define READ(ID, name, reading) extern const tess__format tess__format_##name;
#define READ_WRITE(ID, name, reading, writing) extern const tess__format tess__format_##name;
#include "io/file/formats.def"

/* The name of a format that is known but not read ("a DM3 file"), by its first bytes; NULL if it is none of those. */
const char *tess__known_elsewhere(const unsigned char *bytes, int64_t n);

/* Add a warning to the info of a file; its text comes from a printf format, with marks (core/check/marks.h). */
void tess__file_warn(tess_file *file, tess_file_oddity code, const char *field, const char *found, const char *used,
                     const char *format, ...) TESS_PRINTF(6, 7);

/* Check that n bytes from `offset` on fit into the file, as far as its size is known; `what` names them, as "4 x 5 x
 * 6 of f32". Too long is a warning; too short an error, or a warning with opts.salvage. */
tess_status tess__file_check_size(tess_file *file, int64_t offset, int64_t n, const char *what);

/* The product of sizes and an element's size; false if it is beyond 2^62 or a size is negative. */
bool tess__bytes_of(int64_t *bytes, const int64_t *sizes, int n, int64_t element);

/* The first two sizes of file->info.shape, of n sections, and what they are: volumes of `depth` (1: images) as the file
 * has them, or what opts.as says. */
tess_status tess__file_take_sections(tess_file *file, int64_t n, int64_t depth);

/* Flat data: see tess__flat. */
tess_status tess__flat_read(tess_file *file, const tess__file_region *region, const tess_array *out);

/* Run n tasks, which threads take one by one; stops at the first failure, whose message becomes the caller's. Within a
 * task, operations of the library use one thread. */
tess_status tess__parallel_tasks(int64_t n, int threads, tess_status (*task)(void *context, int64_t i), void *context);

/* The options of reading, checked and completed. */
tess_status tess__read_opts_take(tess_read_opts *resolved, const tess_read_opts *opts);

/* tess_writer_open; with the array that will be written, its statistics are computed first where the header cannot be
 * rewritten. NULL: it is not known yet. */
tess_status tess__writer_new(tess_writer **writer, const char *path, tess_shape shape, tess_dtype dtype,
                             const tess_write_opts *opts, const tess_array *in);

/* Compute the statistics of an array before it is written. */
tess_status tess__writer_measure(tess_writer *writer, const tess_array *in);

#endif
