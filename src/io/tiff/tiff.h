/* TIFF files through libtiff: what its files share. */
#ifndef TESS_IO_TIFF_TIFF_H
#define TESS_IO_TIFF_TIFF_H

#include <pthread.h>
#include <stdatomic.h>

#include "io/tiff/directories.h"

/* From 4.5 on libtiff takes handlers of messages and a limit of memory for each open file; before that only for the
 * whole process, which is not ours. */
#ifdef TESS_HAVE_TIFF
#include <tiffio.h>
#if TIFFLIB_VERSION >= 20221213
#define TESS__TIFF 1
#endif
#endif

#ifdef TESS__TIFF

/* The first error message of libtiff since this was emptied, in printable characters. */
typedef struct tess__tiff_message {
    char text[200];
} tess__tiff_message;

/* libtiff's error handler: the first message goes to `message`, nothing is printed. */
int tess__tiff_on_error(TIFF *tiff, void *message, const char *module, const char *format, va_list values);

/* libtiff's handler of warnings in reading: what the decoders of faxes and JPEG call a warning is data that they could
 * not decode, and goes to `message` as errors do; others are dropped. */
int tess__tiff_on_warning(TIFF *tiff, void *message, const char *module, const char *format, va_list values);

/* Warnings are dropped. */
int tess__tiff_ignore(TIFF *tiff, void *message, const char *module, const char *format, va_list values);

/* libtiff's message, for the end of ours; "" if there was none. */
const char *tess__tiff_said(const tess__tiff_message *message);

/* A page: where its directory is, and how its data are divided into strips or tiles ("blocks" for both). */
typedef struct tess__tiff_page {
    int64_t  offset;      /* of its directory */
    int64_t  number;      /* among the pages of the file, for messages */
    int64_t  shift;       /* bytes from the strips of the directory to those of this page: a plane of several */
    uint32_t block_w;     /* columns and rows of a block; a strip has all columns */
    uint32_t block_h;     /* 1 to the height for strips */
    uint16_t compression; /* libtiff's number */
    bool     tiled;
    bool     separate; /* the samples of a pixel are in blocks of their own */
    bool     raw;      /* as in memory, but for the order of bytes: read without libtiff */
} tess__tiff_page;

/* What all pages of a file have in common. */
typedef struct tess__tiff_kind {
    uint32_t   width, height; /* as they are stored */
    uint16_t   bits;          /* of a sample */
    uint16_t   format;        /* SAMPLEFORMAT_ */
    uint16_t   samples;       /* of a pixel */
    uint16_t   photometric;   /* PHOTOMETRIC_ */
    uint16_t   orientation;   /* ORIENTATION_ */
    uint16_t   alpha;         /* 1: the last sample is no colour */
    bool       rgba;          /* colours that libtiff converts: CMYK of 8 bits, YCbCr, CIE L*a*b* */
    tess_dtype dtype;         /* of a sample once it is unpacked */
} tess__tiff_kind;

/* libtiff's view of a file, for one thread. */
typedef struct tess__tiff_handle {
    TIFF                     *tiff;
    tess__source             *source;
    int64_t                   at;     /* libtiff's file position */
    tess_status               failed; /* of the source; its message is that of the thread */
    tess__tiff_message        message;
    int64_t                   page;              /* whose directory is read; -1: none */
    unsigned char            *workspace[3];      /* stored or decoded bytes, elements, another plane */
    int64_t                   workspace_size[3]; /* bytes of each */
    unsigned char             grey[256];         /* palettes: the grey of each colour */
    struct tess__tiff_handle *next;              /* among those that are idle */
} tess__tiff_handle;

/* A TIFF that is open for reading: tess_file.state. */
typedef struct tess__tiff_file {
    tess__tiff_kind    kind;
    tess__tiff_page   *pages;
    int64_t            n_pages;
    int64_t            stored;  /* bytes that the blocks of all pages take in the file */
    bool               flip;    /* the top row is stored first, and is to be the last */
    bool               halved;  /* two pixels in each byte, the low four bits first: the width is twice that stored */
    bool               colours; /* of each pixel, to become grey */
    bool               inks;    /* these are CMYK of 16 bits */
    int64_t            depth;   /* sections of a volume by a description of the axes; 0: it says nothing */
    bool               palette; /* samples are indices into a table of colours, to become grey */
    atomic_bool        damaged; /* salvage: some block could not be read in full */
    tess__tiff_handle *idle;
    pthread_mutex_t    lock; /* of `idle` */
} tess__tiff_file;

/* How many sections, channels and time points the pages are; n[0] is 0 where nobody says it. */
enum { TESS__TIFF_Z, TESS__TIFF_C, TESS__TIFF_T };
typedef struct tess__tiff_axes {
    int64_t n[3];
    int     order[3]; /* the axis whose index changes from page to page comes first */
    bool    samples;  /* the samples of a pixel are counted as channels */
} tess__tiff_axes;

/* What a description of ImageJ's, OME's or tifffile's says; 0 where it says nothing. */
typedef struct tess__tiff_notes {
    int64_t         images;   /* ImageJ: how many there are */
    int64_t         elements; /* tifffile: of all images, of which only the first has a directory */
    bool            has_unit; /* ImageJ: resolutions are per unit[], h and w, in Å; 0: it is no length, as "pixel" */
    double          unit[2];
    double          size[3];   /* of a pixel, d, h, w, Å */
    double          origin[3]; /* d, h, w, Å */
    int64_t         start[3];
    tess__tiff_axes axes;
} tess__tiff_notes;

/* Open a handle; no directory is read. */
tess_status tess__tiff_handle_open(tess__tiff_handle **handle, tess__source *source);
void        tess__tiff_handle_close(tess__tiff_handle *handle);

/* Read the directory of a page. */
tess_status tess__tiff_go_to(tess__tiff_handle *handle, const tess__tiff_page *pages, int64_t page);

/* At least n bytes of workspace, kept or allocated; its contents are lost. */
tess_status tess__tiff_workspace(tess__tiff_handle *handle, int which, int64_t n);

/* Keep the pages that opts.page and opts.n_pages say. */
tess_status tess__tiff_choose_pages(tess_file *file);

/* The error that pages differ, whose message is the last one, with a list of all pages. */
tess_status tess__tiff_reject_mixture(tess_file *file, tess__tiff_handle *handle);

/* What the description of the page that a handle is at says. */
void tess__tiff_read_notes(tess__tiff_notes *notes, const tess__tiff_handle *handle);

/* A file with one directory, which a handle is at: its pages are all planes that it has, if that can be known. */
tess_status tess__tiff_find_planes(tess_file *file, tess__tiff_handle *handle, const tess__tiff_notes *notes);

/* Let the pages be volumes as the description says, in its order of axes, unless the caller chose otherwise. */
tess_status tess__tiff_take_axes(tess_file *file, const tess__tiff_notes *notes);

/* The description of what is written, by which it is read again; "" where pages say it all. */
enum { TESS__TIFF_DESCRIPTION = 2048 };
void tess__tiff_describe(char *text, size_t n, const tess_writer *writer);

/* Has OME a name for the dtype? */
bool tess__tiff_can_describe(const tess_writer *writer);

/* A file with several directories: a warning if the description says another number. */
void tess__tiff_compare_count(tess_file *file, const tess__tiff_notes *notes);

/* Bits, format and number of samples of the page that libtiff is at, and their dtype; NONE: it is not read. */
void tess__tiff_sample_type(tess__tiff_kind *kind, TIFF *tiff);

/* The tags of the page that a handle is at. */
tess_status tess__tiff_tags(tess__tiff_kind *kind, tess__tiff_page *page, tess__tiff_handle *handle);

/* An error if the kind of `page` is another than that of the first page. */
tess_status tess__tiff_alike(const tess__tiff_file *state, const tess__tiff_kind *other, const tess__tiff_page *page,
                             const char *name);

/* Depth, height and width of a pixel in Å, from notes and the directory that a handle is at; 0: not known. */
void tess__tiff_pixel_size(double size[3], const tess__tiff_handle *handle, const tess__tiff_notes *notes);

/* Check that the strips or tiles of a page lie in the file, keep the decompression bomb limit, and with those of the
 * pages before take no more bytes than there are. */
tess_status tess__tiff_check_blocks(tess_file *file, tess__tiff_handle *handle, const tess__tiff_page *page);

/* Does a sample not take whole bytes? */
bool tess__tiff_is_packed(const tess__tiff_kind *kind);

/* Unpack samples of 1 to 14 bits, the highest bit first, each row begun at a byte, to u8 or, above 8 bits, u16. */
void tess__tiff_unpack(void *out, const unsigned char *in, int64_t rows, int64_t cols, int bits);

/* The same of 4 bits, the high or the low half of a byte first. */
void tess__tiff_unpack_halves(unsigned char *out, const unsigned char *in, int64_t rows, int64_t cols, bool low_first);

/* Bytes of a whole row of a block, as libtiff gives it. */
int64_t tess__tiff_row_bytes(const tess__tiff_kind *kind, const tess__tiff_page *page);

/* The name of a compression, "LZW"; "" if it has none. */
const char *tess__tiff_codec(uint16_t compression);

/* Colours of n pixels of four inks (CMYK) of u16, in place: red, green and blue where cyan, magenta and yellow were. */
void tess__tiff_mix_inks(uint16_t *pixels, int64_t n);

/* The grey of a strip or tile whose colours libtiff converts, with the block's row and column in the page: `rows` rows
 * of a block's columns. `raster` is workspace for as many pixels. False: it cannot be decoded. */
bool tess__tiff_grey_block(unsigned char *grey, uint32_t *raster, tess__tiff_handle *h, const tess__tiff_page *page,
                           const int64_t corner[2], int64_t rows);

/* Read a region; see tess__format. */
tess_status tess__tiff_read_region(tess_file *file, const tess__file_region *region, const tess_array *out);

/* Writing; see tess__format. */
tess_dtype  tess__tiff_nearest(const tess_writer *writer, tess_dtype dtype);
bool        tess__tiff_supports(tess_compression compression);
tess_status tess__tiff_start(tess_writer *writer);
tess_status tess__tiff_append(tess_writer *writer, const tess_array *images);
tess_status tess__tiff_end(tess_writer *writer);
void        tess__tiff_drop(tess_writer *writer);

#endif

#endif
