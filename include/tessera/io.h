/* Reading and writing of files: MRC, NPY, NPZ, TIFF, PNG, SPIDER, EMAN2's HDF5 and raw bytes, whole or in parts,
 * compressed or not; EER, DM3, DM4, EM, SER, IMAGIC and EMD are read only.
 *
 * The format is detected from the content when reading, and from the file extension when writing. "x.dat:mrc" states it
 * explicitly, and "x.npz:name" selects a member, whose name may contain colons and slashes. "-" is standard input or
 * output. Row 0 of an array is row 0 of an MRC file, the bottom of the image. TIFF, PNG and DM store the top row first,
 * so their rows are reversed on reading and writing.
 *
 * Headers are checked against the size of the file before use. Irregularities that do not prevent reading are reported
 * as warnings in tess_info_file; the library prints nothing. Lengths are in Å, in the order d, h, w (z, y, x); an
 * unknown length is 0.
 */
#ifndef TESSERA_IO_H
#define TESSERA_IO_H

#include "tessera/array.h"

TESS_BEGIN_C

typedef enum tess_file_format {
    TESS_FORMAT_DEFAULT, /* reading: by content; writing: by the extension */
    TESS_FORMAT_MRC,
    TESS_FORMAT_NPY,
    TESS_FORMAT_NPZ,
    TESS_FORMAT_TIFF,
    TESS_FORMAT_PNG,
    TESS_FORMAT_RAW,
    TESS_FORMAT_EER, /* electron events from Falcon cameras */
    TESS_FORMAT_DM,  /* DM3 and DM4, from Gatan's DigitalMicrograph */
    TESS_FORMAT_SPIDER,
    TESS_FORMAT_HDF5,  /* EMAN2 images, and EMD; reading needs libhdf5 */
    TESS_FORMAT_EM,    /* used by the TOM toolbox, PyTom and Dynamo */
    TESS_FORMAT_SER,   /* written by FEI's TIA */
    TESS_FORMAT_IMAGIC /* a pair of .hed and .img */
} tess_file_format;

typedef enum tess_compression {
    TESS_COMPRESSION_DEFAULT, /* by the extension: .gz, .bz2; otherwise none */
    TESS_COMPRESSION_NONE,
    TESS_COMPRESSION_GZIP,    /* the whole file: MRC, NPY, raw */
    TESS_COMPRESSION_BZIP2,   /* the whole file: MRC, NPY, raw */
    TESS_COMPRESSION_DEFLATE, /* inside: TIFF, NPZ, PNG */
    TESS_COMPRESSION_LZW,     /* inside: TIFF */
    TESS_COMPRESSION_ZSTD,    /* inside: TIFF */
    TESS_COMPRESSION_OTHER    /* other TIFF compressions; reading only */
} tess_compression;

/** Meaning of the sections of a file: MRC, and NPY with three axes, have one axis for images and sections. */
typedef enum tess_sections {
    TESS_AS_DEFAULT, /* by the rules of docs/files.md */
    TESS_AS_STACK,   /* images: {n,1,h,w} */
    TESS_AS_VOLUME,  /* one volume: {1,n,h,w} */
    TESS_AS_VOLUMES  /* volumes of `depth` sections: {n/depth,depth,h,w} */
} tess_sections;

/** Signedness of the bytes of an MRC file of mode 0. */
typedef enum tess_bytes {
    TESS_BYTES_DEFAULT, /* by the rules of docs/files.md */
    TESS_BYTES_SIGNED,
    TESS_BYTES_UNSIGNED,
    TESS_BYTES_IMOD /* signed, plus 128, as displayed by IMOD; reading only */
} tess_bytes;

typedef struct tess_read_opts {
    int32_t     format;         /* a tess_file_format [by content] */
    int32_t     as;             /* a tess_sections [by rule] */
    int64_t     depth;          /* VOLUMES: sections of each volume */
    int32_t     bytes;          /* a tess_bytes [by rule] */
    int32_t     dtype;          /* dtype of a newly allocated array [that of the file] */
    int32_t     salvage;        /* 1: read a truncated file; the missing part is 0 [0] */
    int32_t     keep_rows;      /* 1: keep the rows of TIFF, PNG, DM and EMD in file order, top first [0] */
    int32_t     grey;           /* 1: convert colours to grey [0: colours are an error] */
    int32_t     big_endian;     /* RAW: 1: most significant byte first [0] */
    const char *member;         /* NPZ: name of the member [the only one] */
    tess_shape  shape;          /* RAW: shape of the array, required; a w of -1: as many columns as the file has */
    int64_t     offset;         /* RAW: bytes before the first element [0] */
    int32_t     raw_dtype;      /* RAW: dtype of the elements, required */
    int32_t     n_pages;        /* TIFF, SER: number of pages from `page` on [all] */
    int64_t     page;           /* TIFF, SER: first page, from 0; DM, EMD: image, from 0 [by rule]; TESS_ZERO_INT: 0 */
    int32_t     eer_upsampling; /* EER: 1, 2 or 4 pixels along each side of a camera pixel [1] */
    int32_t     eer_group;      /* EER: number of camera frames summed in one image [1] */
    uint32_t    reserved[2];    /* must be 0 */
} tess_read_opts;

/** Flags of known statistics. */
enum { TESS_STATS_MINMAX = 1, TESS_STATS_MEAN = 2, TESS_STATS_STD = 4 };

/** Metadata of an array, kept from file to file. Zeroed, nothing is known. */
typedef struct tess_meta {
    double      pixel_size[3];      /* d, h, w, Å; 0: unknown */
    double      origin[3];          /* d, h, w, Å */
    int64_t     start[3];           /* d, h, w: index of the first section, row, column */
    int32_t     space_group;        /* 0: by the shape */
    int32_t     n_labels;           /* 0 to 10 */
    char        labels[10][81];     /* the newest last */
    char        extended_type[5];   /* "SERI", "FEI1" …; "" if there is none */
    char        unused[5];          /* must be 0 */
    int16_t     extended_layout[2]; /* SERI: bytes per section, and flags of its values; AGAR: number of integers and
                                       reals per section */
    int64_t     extended_size;      /* size of the extended header, bytes */
    const void *extended;           /* from an open file: valid until it is closed */
    double      min, max, mean, std;
    int32_t     stats;       /* which of these four are known, TESS_STATS_ flags */
    float       angles[3];   /* angles of the cell, degrees: alpha (y to z), beta (z to x), gamma (x to y); 0 means
                                90 */
    int32_t     grid[3];     /* d, h, w: samples of the cell of which the array is a part; 0: the array is the cell */
    uint32_t    reserved[3]; /* must be 0 */
} tess_meta;

/** An irregularity of a file, and how it was resolved. */
typedef struct tess_file_warning {
    int32_t code;      /* a tess_file_oddity */
    char    field[20]; /* "MACHST" */
    char    found[40]; /* "00 00 00 00" */
    char    used[40];  /* "little-endian" */
    char    text[160]; /* the complete message */
} tess_file_warning;

typedef enum tess_file_oddity {
    TESS_ODD_BYTE_ORDER = 1, /* unknown machine stamp; the byte order was detected */
    TESS_ODD_MAP,            /* "MAP " is missing */
    TESS_ODD_LENGTH,         /* the file is longer than its header says, or was salvaged */
    TESS_ODD_LABELS,         /* number of labels outside 0 to 10 */
    TESS_ODD_SPACE_GROUP,
    TESS_ODD_PIXEL_SIZE, /* NaN, infinite or negative: treated as unknown */
    TESS_ODD_EXTENDED,   /* an extended header that could not be interpreted */
    TESS_ODD_SECTIONS,   /* stack or volume was guessed */
    TESS_ODD_BYTES,      /* signed or unsigned bytes: a note on their interpretation */
    TESS_ODD_HALF_WIDTH, /* two 4-bit pixels per byte, detected by size or flag */
    TESS_ODD_STATISTICS,
    TESS_ODD_COLOUR, /* alpha was dropped, or colours were converted to grey */
    TESS_ODD_FRAME,  /* a page or frame was omitted */
    TESS_ODD_OTHER
} tess_file_oddity;

enum { TESS_MAX_FILE_WARNINGS = 16 };

/** Information about a file. */
typedef struct tess_info_file {
    tess_shape        shape;       /* of the array */
    tess_dtype        dtype;       /* of the array */
    int32_t           format;      /* a tess_file_format */
    int32_t           compression; /* a tess_compression */
    int32_t           big_endian;
    int32_t           sections;      /* a tess_sections: how they were interpreted */
    int32_t           sections_rule; /* number of the rule that decided; 7: guessed, 0: none was needed */
    int32_t           bytes_rule;    /* MRC mode 0: number of the rule that decided; 0 elsewhere */
    int32_t           mode;          /* MRC: the mode; TIFF: bits per sample; -1 elsewhere */
    int32_t           axes[3];       /* MRC: axis (1 x, 2 y, 3 z) of columns, rows, sections; 0 elsewhere */
    int32_t           rank;          /* NPY, NPZ: number of axes in the file; -1 elsewhere */
    int64_t           stored[3];     /* columns, rows, sections (pages) as stored in the file */
    int64_t           file_size;     /* bytes, after compression; -1 if not known */
    int64_t           data_offset;   /* bytes before the first element; -1 if the data are not contiguous */
    double            cell[6];       /* MRC: cell lengths along x, y, z in Å, then angles in degrees */
    int64_t           grid[3];       /* MRC: samples of the cell along x, y, z */
    tess_meta         meta;
    int32_t           n_warnings;
    int32_t           more_warnings; /* number of warnings that did not fit below */
    tess_file_warning warnings[TESS_MAX_FILE_WARNINGS];
} tess_info_file;

/* ---- Reading ---- */

/** Reads the header of a file, without the data. `info->meta.extended` is NULL. */
TESS_API TESS_MUST_CHECK tess_status tess_info(tess_info_file *info, const char *path, const tess_read_opts *opts);

/** Reads a whole file into `out`, as in tess_file_read. */
TESS_API TESS_MUST_CHECK tess_status tess_read(tess_array *out, const char *path, const tess_read_opts *opts);

/** A file open for reading. It must not be used by two threads at the same time. */
typedef struct tess_file tess_file;

/** Opens a file and reads its header. */
TESS_API TESS_MUST_CHECK tess_status tess_open(tess_file **file, const char *path, const tess_read_opts *opts);

/** Returns the information about an open file; valid until it is closed. */
TESS_API const tess_info_file *tess_file_info(const tess_file *file);

/** Returns the text of warning `i` of an open file with its names marked, for tess_spell; "" if there is no such
 *  warning. Valid until the file is closed. */
TESS_API const char *tess_file_warning_marked(const tess_file *file, int i);

/** Reads a part of an open file; a zeroed region means the whole file. A newly allocated `out` has the dtype opts.dtype
 *  or that of the file; an allocated one may have any strides and any dtype, to which elements are converted as in
 *  tess_cast. CPU only. */
TESS_API TESS_MUST_CHECK tess_status tess_file_read(tess_array *out, tess_file *file, tess_region region);

/** Maps the data of an open file into memory as an array, without a copy. The data must be stored as in memory:
 *  uncompressed, in the byte order of this machine, whole bytes, aligned; otherwise the function fails with
 *  TESS_EUNSUPPORTED. Writing to the array changes the array, not the file. The array stays valid after the file is
 *  closed; the file must not be truncated meanwhile. */
TESS_API TESS_MUST_CHECK tess_status tess_file_map(tess_array *out, tess_file *file);

/** Closes a file. NULL is allowed. */
TESS_API void tess_file_close(tess_file *file);

/* ---- Writing ---- */

typedef struct tess_write_opts {
    int32_t          format;      /* a tess_file_format [by the extension] */
    int32_t          dtype;       /* dtype in the file [that of the array, or the nearest one that the format
                                     supports] */
    int32_t          compression; /* a tess_compression [by the extension] */
    int32_t          level;       /* compression level, 1 to 9 [6] */
    int32_t          overwrite;   /* 1: overwrite an existing file [0: an existing file is an error] */
    int32_t          big_endian;  /* MRC, NPY, SPIDER, HDF5, RAW: 1: most significant byte first [0] */
    int32_t          bytes;       /* MRC, u8: UNSIGNED writes mode 0 with IMOD's stamp [0..255 stored as u16, mode 6] */
    int32_t          compat_imod; /* MRC: 1: set MZ = NZ also for stacks [0] */
    int32_t          keep_rows;   /* TIFF, PNG: 1: row 0 is the top [0] */
    int32_t          rgb;         /* PNG, TIFF: 1: {n,3,h,w} of u8 are red, green and blue planes [0] */
    const char      *member;      /* NPZ: name of the array ["arr_0"] */
    const char      *label;       /* MRC: a label to add; the oldest is dropped if there are more than ten; SPIDER: the
                                     title [none] */
    const tess_meta *meta;        /* metadata of the array [none] */
    int32_t          rank;        /* NPY, NPZ: number of axes in the file, 1 to 4: the last ones [4] */
    int32_t          no_sync;     /* 1: do not wait until the file is on disk: faster, but a crash of the machine soon
                                     afterwards can leave an incomplete file [0] */
    uint32_t         reserved[6]; /* must be 0 */
} tess_write_opts;

/**
 * Writes an array, with any strides, to a file.
 *
 * The file appears under its name only when it is complete, with its statistics, and, unless opts.no_sync is 1, safely
 * on disk. Until then, and after any failure, an existing file is untouched. An existing file is an error (TESS_EEXIST)
 * unless opts.overwrite is 1. Relative paths, here and for a writer, refer to the current folder at the time of the
 * call. Elements are converted to opts.dtype: to integers by rounding to nearest, ties to even, with values out of
 * range clamped and NaN as 0; otherwise as in tess_cast.
 */
TESS_API TESS_MUST_CHECK tess_status tess_write(const char *path, const tess_array *in, const tess_write_opts *opts);

/** Losses of information in writing a file. */
typedef struct tess_losses {
    int64_t n_values;     /* elements written */
    int64_t n_nan;        /* NaNs, written as 0 in integers */
    int64_t n_clamped;    /* values out of the range of an integer dtype, which were clamped */
    int64_t n_infinite;   /* finite values out of the range of a floating-point dtype, which became infinite */
    int64_t n_rounded;    /* integers, also in f64, with more digits than the dtype holds: beyond 2^24 for f32 */
    int32_t dtype;        /* a tess_dtype: dtype in the file */
    char    note[260];    /* description of other losses; "" if there are none */
    int32_t reserved[12]; /* 0 */
} tess_losses;

/** Writes an array like tess_write, and reports the losses. */
TESS_API TESS_MUST_CHECK tess_status tess_write_losses(tess_losses *losses, const char *path, const tess_array *in,
                                                       const tess_write_opts *opts);

/** Formats loss `i`, from 0 on, as a sentence without the name of the file; returns NULL after the last. `text` has n
 *  bytes. */
TESS_API const char *tess_losses_text(char *text, size_t n, const tess_losses *losses, int i);

/** A file that is being written. It must not be used by two threads at the same time. */
typedef struct tess_writer tess_writer;

/** Begins a file of a known shape, to be written from arrays of `dtype`. */
TESS_API TESS_MUST_CHECK tess_status tess_writer_open(tess_writer **writer, const char *path, tess_shape shape,
                                                      tess_dtype dtype, const tess_write_opts *opts);

/** Writes the next images: {n,d,h,w} in the order of the file, with the h and w of the whole; either n whole volumes,
 *  or some sections of one (n = 1). Any dtype that can be converted. */
TESS_API TESS_MUST_CHECK tess_status tess_writer_append(tess_writer *writer, const tess_array *part);

/** Returns the statistics of the elements written so far, and the number of values out of the range of the dtype in the
 *  file (clamped, or infinite) and of NaNs. Pointers may be NULL. */
TESS_API void tess_writer_stats(tess_meta *stats, int64_t *n_clamped, int64_t *n_nan, const tess_writer *writer);

/** Describes information that the file cannot store; "" if there is none. Valid until the writer is freed. */
TESS_API const char *tess_writer_note(const tess_writer *writer);

/** Reports the losses of the arrays written so far. */
TESS_API void tess_writer_losses(tess_losses *losses, const tess_writer *writer);

/** Returns the number of integers written so far, also in f64, with more digits than the dtype in the file holds:
 *  beyond 2^24 for f32. */
TESS_API int64_t tess_writer_rounded(const tess_writer *writer);

/** Completes the file and moves it into place. The writer is freed, also on failure. */
TESS_API TESS_MUST_CHECK tess_status tess_writer_finish(tess_writer *writer);

/** Discards an incomplete file without leaving anything on disk. NULL is allowed. */
TESS_API void tess_writer_discard(tess_writer *writer);

/** Removes the unfinished files of all writers of this process from disk. It may be called in a signal handler before
 *  the process ends. The writers are unusable afterwards. */
TESS_API void tess_discard_unfinished(void);

/** Receives the path of an unfinished file; `alive` is true if a process is writing it, false if it was left by one
 *  that ended. */
typedef void (*tess_unfinished_fn)(void *context, const char *path, bool alive);

/** Calls `found` for each unfinished file beside `path`, written by writers of this path before completion. The next
 *  writer of the same path removes those left over. In a folder that cannot be listed none are found. */
TESS_API void tess_find_unfinished(const char *path, tess_unfinished_fn found, void *context);

/* ---- Several arrays in one NPZ file ---- */

/** The names of the arrays in an NPZ file, in file order. */
typedef struct tess_npz_list tess_npz_list;

/** Lists the arrays in an NPZ file; each name can be used for opts.member of tess_open, or in "x.npz:name". In a name,
 *  control characters, bytes that are not UTF-8 and a '%' before two hexadecimal digits are written as '%' and two such
 *  digits: "%0A" is a new line, "%2541" is "%41". opts.member may also be the name as stored in the file. */
TESS_API TESS_MUST_CHECK tess_status tess_npz_members(tess_npz_list **list, const char *path);

/** Returns the number of names. */
TESS_API int64_t tess_npz_list_count(const tess_npz_list *list);

/** Returns name `i`, valid until the list is freed; NULL if there is none. */
TESS_API const char *tess_npz_list_name(const tess_npz_list *list, int64_t i);

/** Frees a list. NULL is allowed. */
TESS_API void tess_npz_list_free(tess_npz_list *list);

typedef struct tess_npz_entry {
    const char       *name; /* as in NumPy, without .npy */
    const tess_array *array;
} tess_npz_entry;

/** Writes `n` arrays, with any strides, to an NPZ file, like tess_write. The options dtype, compression (DEFLATE or
 *  none), level, overwrite, big_endian and no_sync are used; `member` must be NULL. */
TESS_API TESS_MUST_CHECK tess_status tess_npz_write(const char *path, const tess_npz_entry *entries, int64_t n,
                                                    const tess_write_opts *opts);

/* ---- Names ---- */

/** Returns the format of a file name, by its extension (before .gz, .bz2) or the part after its last colon; DEFAULT if
 *  there is none. */
TESS_API tess_file_format tess_file_format_of(const char *path);

/** Returns the name of a format: "mrc", "npy", "tiff" and so on; "" for DEFAULT. */
TESS_API const char *tess_file_format_name(tess_file_format format);

/** Returns the file extensions of a format, such as "npy" or "mrc mrcs map"; "" for DEFAULT. */
TESS_API const char *tess_file_format_extensions(tess_file_format format);

/** Returns true if files of a format can be written. Every format can be read. */
TESS_API bool tess_file_format_writes(tess_file_format format);

/** Returns true if support for a format and a compression was built in. */
TESS_API bool tess_file_format_supported(tess_file_format format, tess_compression compression);

TESS_END_C

#endif
