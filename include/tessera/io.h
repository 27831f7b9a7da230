/* Arrays in files: MRC, NPY, NPZ, TIFF, PNG, SPIDER, HDF5 of EMAN2 and raw bytes, whole or in parts, plain or
 * compressed; EER, DM3, DM4, EM, SER, IMAGIC and EMD are read.
 *
 * The reader is chosen by what a file holds, the writer by the end of its name; "x.dat:mrc" says it outright, and
 * "x.npz:name" picks a member, whose name may have colons and slashes. "-" is standard input or output. Row 0 of an
 * array is row 0 of an MRC file, the bottom of the picture; TIFF, PNG and DM have their top row first, and are reversed
 * on the way in and out.
 *
 * Nothing that a header says is believed before the size of the file agrees with it. What is odd but can be read comes
 * back as warnings in tess_info_file; the library prints nothing. Lengths are in Ångström, in the order d, h, w
 * (z, y, x); a length that is not known is 0.
 */
#ifndef TESSERA_IO_H
#define TESSERA_IO_H

#include "tessera/array.h"

TESS_BEGIN_C

typedef enum tess_file_format {
    TESS_FORMAT_DEFAULT, /* reading: by content; writing: by the end of the name */
    TESS_FORMAT_MRC,
    TESS_FORMAT_NPY,
    TESS_FORMAT_NPZ,
    TESS_FORMAT_TIFF,
    TESS_FORMAT_PNG,
    TESS_FORMAT_RAW,
    TESS_FORMAT_EER, /* electron events of Falcon cameras */
    TESS_FORMAT_DM,  /* DM3 and DM4, of Gatan's DigitalMicrograph */
    TESS_FORMAT_SPIDER,
    TESS_FORMAT_HDF5,  /* images of EMAN2, and EMD; reading needs libhdf5 */
    TESS_FORMAT_EM,    /* of the TOM toolbox, PyTom and Dynamo */
    TESS_FORMAT_SER,   /* of TIA, FEI's program */
    TESS_FORMAT_IMAGIC /* a pair of .hed and .img */
} tess_file_format;

typedef enum tess_compression {
    TESS_COMPRESSION_DEFAULT, /* by the end of the name: .gz, .bz2; none elsewhere */
    TESS_COMPRESSION_NONE,
    TESS_COMPRESSION_GZIP,    /* the whole file: MRC, NPY, raw */
    TESS_COMPRESSION_BZIP2,   /* the whole file: MRC, NPY, raw */
    TESS_COMPRESSION_DEFLATE, /* inside: TIFF, NPZ, PNG */
    TESS_COMPRESSION_LZW,     /* inside: TIFF */
    TESS_COMPRESSION_ZSTD,    /* inside: TIFF */
    TESS_COMPRESSION_OTHER    /* what a TIFF may also have; reading only */
} tess_compression;

/** What the sections of a file are: MRC has one axis for both, NPY of three axes too. */
typedef enum tess_sections {
    TESS_AS_DEFAULT, /* by the rules of docs/files.md */
    TESS_AS_STACK,   /* images: {n,1,h,w} */
    TESS_AS_VOLUME,  /* one volume: {1,n,h,w} */
    TESS_AS_VOLUMES  /* volumes of `depth` sections: {n/depth,depth,h,w} */
} tess_sections;

/** What the bytes of an MRC file of mode 0 are. */
typedef enum tess_bytes {
    TESS_BYTES_DEFAULT, /* by the rules of docs/files.md */
    TESS_BYTES_SIGNED,
    TESS_BYTES_UNSIGNED,
    TESS_BYTES_IMOD /* signed, plus 128: as IMOD shows them. Reading only */
} tess_bytes;

typedef struct tess_read_opts {
    int32_t     format;         /* a tess_file_format [by content] */
    int32_t     as;             /* a tess_sections [by rule] */
    int64_t     depth;          /* VOLUMES: sections of each volume */
    int32_t     bytes;          /* a tess_bytes [by rule] */
    int32_t     dtype;          /* of an array that is made [that of the file] */
    int32_t     salvage;        /* 1: of a file that is cut short, read what is there; the rest is 0 [0] */
    int32_t     keep_rows;      /* 1: rows of TIFF, PNG and DM in the order of the file, top first [0] */
    int32_t     grey;           /* 1: colours become grey; 0: they are an error [0] */
    int32_t     big_endian;     /* RAW: 1 if the highest byte comes first [0] */
    const char *member;         /* NPZ: which [the only one] */
    tess_shape  shape;          /* RAW: of the array, needed; a w of -1 is as many columns as there are */
    int64_t     offset;         /* RAW: bytes before the first element [0] */
    int32_t     raw_dtype;      /* RAW: of the elements, needed */
    int32_t     n_pages;        /* TIFF, SER: how many pages from `page` on [all] */
    int64_t     page;           /* TIFF, SER: first page; DM, EMD: image [by rule]; from 0, which is TESS_ZERO_INT */
    int32_t     eer_upsampling; /* EER: 1, 2 or 4 pixels along each side of a camera's pixel [1] */
    int32_t     eer_group;      /* EER: camera frames whose electrons are counted in one image [1] */
    uint32_t    reserved[2];    /* must be 0 */
} tess_read_opts;

/** Which statistics are known. */
enum { TESS_STATS_MINMAX = 1, TESS_STATS_MEAN = 2, TESS_STATS_STD = 4 };

/** What travels with an array from file to file. Zeroed, nothing is known. */
typedef struct tess_meta {
    double      pixel_size[3];      /* d, h, w, Å; 0 is unknown */
    double      origin[3];          /* d, h, w, Å */
    int64_t     start[3];           /* d, h, w: number of the first section, row, column */
    int32_t     space_group;        /* 0: by the shape */
    int32_t     n_labels;           /* 0 to 10 */
    char        labels[10][81];     /* the newest last */
    char        extended_type[5];   /* "SERI", "FEI1" …; "" if there is none */
    char        unused[5];          /* must be 0 */
    int16_t     extended_layout[2]; /* SERI: bytes of a section, and which values; AGAR: integers and reals of one */
    int64_t     extended_size;      /* bytes of the extended header */
    const void *extended;           /* of an open file: good until it is closed */
    double      min, max, mean, std;
    int32_t     stats;       /* TESS_STATS_ or-ed together: which of these four are known */
    float       angles[3];   /* of the cell, degrees: alpha (y to z), beta (z to x), gamma (x to y); 0 is 90 */
    int32_t     grid[3];     /* d, h, w: samples of the cell that the array is a part of; 0: it is the array itself */
    uint32_t    reserved[3]; /* must be 0 */
} tess_meta;

/** What was odd about a file, and what was made of it. */
typedef struct tess_file_warning {
    int32_t code;      /* a tess_file_oddity */
    char    field[20]; /* "MACHST" */
    char    found[40]; /* "00 00 00 00" */
    char    used[40];  /* "little-endian" */
    char    text[160]; /* all of it in words */
} tess_file_warning;

typedef enum tess_file_oddity {
    TESS_ODD_BYTE_ORDER = 1, /* the machine stamp is not known; the order was found by trying */
    TESS_ODD_MAP,            /* "MAP " is missing */
    TESS_ODD_LENGTH,         /* the file is longer than its header says, or was salvaged */
    TESS_ODD_LABELS,         /* a number of labels outside 0 to 10 */
    TESS_ODD_SPACE_GROUP,
    TESS_ODD_PIXEL_SIZE, /* not a number, infinite or negative: taken as unknown */
    TESS_ODD_EXTENDED,   /* an extended header that could not be understood */
    TESS_ODD_SECTIONS,   /* stack or volume was guessed */
    TESS_ODD_BYTES,      /* signed or unsigned bytes: what a reader should know */
    TESS_ODD_HALF_WIDTH, /* two 4-bit pixels in each byte, known by size or flag */
    TESS_ODD_STATISTICS,
    TESS_ODD_COLOUR, /* alpha was dropped, colours became grey */
    TESS_ODD_FRAME,  /* a page or frame that was left out */
    TESS_ODD_OTHER
} tess_file_oddity;

enum { TESS_MAX_FILE_WARNINGS = 16 };

/** What a file says of itself. */
typedef struct tess_info_file {
    tess_shape        shape;       /* of the array */
    tess_dtype        dtype;       /* of the array */
    int32_t           format;      /* a tess_file_format */
    int32_t           compression; /* a tess_compression */
    int32_t           big_endian;
    int32_t           sections;      /* a tess_sections: what they were taken for */
    int32_t           sections_rule; /* the number of the rule that said so; 7: it was guessed, 0: none was needed */
    int32_t           bytes_rule;    /* MRC mode 0: the number of the rule that said so; 0 elsewhere */
    int32_t           mode;          /* MRC; TIFF: bits of a sample; -1 elsewhere */
    int32_t           axes[3];       /* MRC: axis (1 x, 2 y, 3 z) of columns, rows, sections; 0 elsewhere */
    int32_t           rank;          /* NPY, NPZ: how many axes the array has there; -1 elsewhere */
    int64_t           stored[3];     /* columns, rows, sections (pages) as they lie in the file */
    int64_t           file_size;     /* bytes; compressed, where it is; -1 where it is not known */
    int64_t           data_offset;   /* bytes before the first element; -1 where data are not in one piece */
    double            cell[6];       /* MRC: cell size along x, y, z in Å, angles in degrees */
    int64_t           grid[3];       /* MRC: samples of the cell along x, y, z */
    tess_meta         meta;
    int32_t           n_warnings;
    int32_t           more_warnings; /* that found no place below */
    tess_file_warning warnings[TESS_MAX_FILE_WARNINGS];
} tess_info_file;

/* ---- Reading ---- */

/** Read a header, not the data: what tess_open would find. `info->meta.extended` is NULL. */
TESS_API TESS_MUST_CHECK tess_status tess_info(tess_info_file *info, const char *path, const tess_read_opts *opts);

/** Read a whole file into `out`: as in tess_file_read. */
TESS_API TESS_MUST_CHECK tess_status tess_read(tess_array *out, const char *path, const tess_read_opts *opts);

/** A file that is open for reading. Not to be used from two threads at once. */
typedef struct tess_file tess_file;

/** Open a file and read its header. */
TESS_API TESS_MUST_CHECK tess_status tess_open(tess_file **file, const char *path, const tess_read_opts *opts);

/** What is known of an open file; good until it is closed. */
TESS_API const tess_info_file *tess_file_info(const tess_file *file);

/** The text of warning `i` of an open file with marks around the names in it, for tess_spell; "" if there is no such
 *  warning. Good until the file is closed. */
TESS_API const char *tess_file_warning_marked(const tess_file *file, int i);

/** Read a part of an open file; a zeroed region is all of it. An `out` that is made has the dtype of opts.dtype or of
 *  the file; one that was made may have any strides and any dtype, converted as tess_cast does. CPU only. */
TESS_API TESS_MUST_CHECK tess_status tess_file_read(tess_array *out, tess_file *file, tess_region region);

/** The data of an open file as an array that is read when it is used, without a copy. Only for data that lie in the
 *  file as they do in memory: uncompressed, this machine's byte order, whole bytes, aligned; TESS_EUNSUPPORTED
 *  elsewhere. Writing to the array changes it, not the file. The array outlives the file's closing; the file must not
 *  be made shorter meanwhile. */
TESS_API TESS_MUST_CHECK tess_status tess_file_map(tess_array *out, tess_file *file);

/** Close a file. NULL is allowed. */
TESS_API void tess_file_close(tess_file *file);

/* ---- Writing ---- */

typedef struct tess_write_opts {
    int32_t          format;      /* a tess_file_format [by the end of the name] */
    int32_t          dtype;       /* in the file [that of the array, or the nearest that the format has] */
    int32_t          compression; /* a tess_compression [by the end of the name] */
    int32_t          level;       /* of compression, 1 to 9 [6] */
    int32_t          overwrite;   /* 1: replace a file that is there [0: an error] */
    int32_t          big_endian;  /* 1: highest byte first: MRC, NPY, SPIDER, HDF5, RAW [0] */
    int32_t          bytes;       /* MRC, u8: UNSIGNED writes mode 0 with IMOD's stamp [0..255 stored as u16, mode 6] */
    int32_t          compat_imod; /* MRC: 1: MZ = NZ also for stacks [0] */
    int32_t          keep_rows;   /* 1: TIFF and PNG: row 0 is the top [0] */
    int32_t          rgb;         /* 1: PNG, TIFF: {n,3,h,w} of u8 are red, green and blue planes [0] */
    const char      *member;      /* NPZ: name of the array ["arr_0"] */
    const char      *label; /* MRC: a label to add; the oldest goes when there are ten; SPIDER: the title [none] */
    const tess_meta *meta;  /* what is known of the array [nothing] */
    int32_t          rank;  /* NPY, NPZ: how many axes the array has there, 1 to 4: its last ones [4] */
    uint32_t         reserved[7]; /* must be 0 */
} tess_write_opts;

/**
 * Write an array, any strides, to a file.
 *
 * The file appears under its name only when it is complete, with its statistics and safe on the disk: until then, and
 * after any failure, what was there before is untouched. A file that is there is an error (TESS_EEXIST) unless
 * opts.overwrite is 1. A relative path is one from the folder that the process is in at the call, here and of a writer.
 * Elements are converted to opts.dtype: to integers they are rounded to nearest, ties to even, and values outside its
 * range are clamped, NaN is 0; else as by tess_cast.
 */
TESS_API TESS_MUST_CHECK tess_status tess_write(const char *path, const tess_array *in, const tess_write_opts *opts);

/** What of the arrays of the caller a file does not hold. */
typedef struct tess_losses {
    int64_t n_values;     /* elements that were written */
    int64_t n_nan;        /* NaNs; integers have 0 there */
    int64_t n_clamped;    /* values beyond the range of integers, which became its limits */
    int64_t n_infinite;   /* finite values beyond the range of a floating dtype, which became infinite */
    int64_t n_rounded;    /* integers, also those of f64, with more digits than the dtype holds: beyond 2^24 for f32 */
    int32_t dtype;        /* a tess_dtype: that of the file */
    char    note[260];    /* what else its readers will not find, in words; "" if nothing */
    int32_t reserved[12]; /* 0 */
} tess_losses;

/** As tess_write, and says what the file does not hold. */
TESS_API TESS_MUST_CHECK tess_status tess_write_losses(tess_losses *losses, const char *path, const tess_array *in,
                                                       const tess_write_opts *opts);

/** One of the losses as a sentence without the name of the file, from 0 on; NULL after the last. `text` has n bytes. */
TESS_API const char *tess_losses_text(char *text, size_t n, const tess_losses *losses, int i);

/** A file that is being written. Not to be used from two threads at once. */
typedef struct tess_writer tess_writer;

/** Begin a file of a known shape, of arrays of `dtype`. */
TESS_API TESS_MUST_CHECK tess_status tess_writer_open(tess_writer **writer, const char *path, tess_shape shape,
                                                      tess_dtype dtype, const tess_write_opts *opts);

/** Write the next images: {n,d,h,w} in the order of the file, with the h and w of the whole; n whole volumes, or some
 *  sections of one (n = 1). Any dtype that converts. */
TESS_API TESS_MUST_CHECK tess_status tess_writer_append(tess_writer *writer, const tess_array *part);

/** The statistics of what was written so far, and how many values were beyond the range of the dtype in the file
 *  (clamped, or infinite) or NaN. Pointers may be NULL. */
TESS_API void tess_writer_stats(tess_meta *stats, int64_t *n_clamped, int64_t *n_nan, const tess_writer *writer);

/** What of the array the file will not tell its readers, in words; "" if nothing. Good until the writer is freed. */
TESS_API const char *tess_writer_note(const tess_writer *writer);

/** What of the arrays written so far the file does not hold. */
TESS_API void tess_writer_losses(tess_losses *losses, const tess_writer *writer);

/** How many integers written so far, also those of f64, have more digits than the dtype in the file holds: beyond 2^24
 *  for f32. */
TESS_API int64_t tess_writer_rounded(const tess_writer *writer);

/** Complete the file and put it in its place. The writer is freed, also when this fails. */
TESS_API TESS_MUST_CHECK tess_status tess_writer_finish(tess_writer *writer);

/** Drop a file that is not complete: nothing is left of it. NULL is allowed. */
TESS_API void tess_writer_discard(tess_writer *writer);

/** Remove what unfinished writers of this process have on disk: for a signal handler, where it is safe, before the
 *  process ends. The writers are of no use after it. */
TESS_API void tess_discard_unfinished(void);

/** Called with the path of an unfinished file; `alive`: a process is writing it, else one that ended left it. */
typedef void (*tess_unfinished_fn)(void *context, const char *path, bool alive);

/** Calls `found` for each unfinished file beside `path`: what writers of this path have on disk before it is complete.
 *  The next writer of the same path removes those that are left. In a folder that cannot be listed none are found. */
TESS_API void tess_find_unfinished(const char *path, tess_unfinished_fn found, void *context);

/* ---- Several arrays in one NPZ file ---- */

/** The names of the arrays of an NPZ file, in its order. */
typedef struct tess_npz_list tess_npz_list;

/** List an NPZ file; each name is one for opts.member of tess_open, or for "x.npz:name". In a name, control characters,
 *  bytes that are no UTF-8 and a '%' before two hexadecimal digits are written as '%' and two such digits: "%0A" is a
 *  new line, "%2541" is "%41". opts.member may also have the name as it is in the file. */
TESS_API TESS_MUST_CHECK tess_status tess_npz_members(tess_npz_list **list, const char *path);

/** How many there are. */
TESS_API int64_t tess_npz_list_count(const tess_npz_list *list);

/** Name `i`, good until the list is freed; NULL if there is none. */
TESS_API const char *tess_npz_list_name(const tess_npz_list *list, int64_t i);

/** Free a list. NULL is allowed. */
TESS_API void tess_npz_list_free(tess_npz_list *list);

typedef struct tess_npz_entry {
    const char       *name; /* as in NumPy: without .npy */
    const tess_array *array;
} tess_npz_entry;

/** Write `n` arrays, any strides, into one NPZ file, as tess_write does. Of the options, dtype, compression (DEFLATE or
 *  none), level, overwrite and big_endian are used; `member` must be NULL. */
TESS_API TESS_MUST_CHECK tess_status tess_npz_write(const char *path, const tess_npz_entry *entries, int64_t n,
                                                    const tess_write_opts *opts);

/* ---- Names ---- */

/** The format whose files end like this name (before .gz, .bz2), or what follows its last colon; DEFAULT if none. */
TESS_API tess_file_format tess_file_format_of(const char *path);

/** "mrc", "npy", "tiff" and so on; "" for DEFAULT. */
TESS_API const char *tess_file_format_name(tess_file_format format);

/** The extensions of a format's files, as "npy" or "mrc mrcs map"; "" for DEFAULT. */
TESS_API const char *tess_file_format_extensions(tess_file_format format);

/** Can files of a format be written? Every format is read. */
TESS_API bool tess_file_format_writes(tess_file_format format);

/** Was support for a format or a compression built in? */
TESS_API bool tess_file_format_supported(tess_file_format format, tess_compression compression);

TESS_END_C

#endif
