/* PNG files through libpng: what reading and writing share. */
#ifndef TESS_IO_PNG_PNG_H
#define TESS_IO_PNG_PNG_H

#include "io/file/file.h"

#ifdef TESS_HAVE_PNG

#include <setjmp.h>

#include <png.h>

/* Where libpng jumps (longjmp) when something fails, and its message. All that it has allocated then is in structs of
 * its own, which are freed after the jump. */
typedef struct tess__png_guard {
    jmp_buf     back;
    tess_status failed;    /* of the source, the sink or the array; its message is that of the thread */
    bool        no_memory; /* an allocation failed; libpng may call it something else */
    size_t      most;      /* largest allocation of libpng, in bytes; 0: unlimited */
    char        said[128];
} tess__png_guard;

/* Call `step`; false if libpng, or the step by tess__png_leave, jumped out of it. */
bool tess__png_run(tess__png_guard *guard, void (*step)(void *context), void *context);

/* Jump out of a step: a call of ours failed. */
TESS_COLD void tess__png_leave(tess__png_guard *guard, tess_status status);

/* libpng's handlers of errors and warnings, and its allocator; each has the guard. */
void      tess__png_fail(png_structp png, png_const_charp text);
void      tess__png_ignore(png_structp png, png_const_charp text);
png_voidp tess__png_alloc(png_structp png, png_alloc_size_t n);
void      tess__png_free(png_structp png, png_voidp memory);

/* The keyword of the text that holds height and width of a pixel in Å. */
#define TESS__PNG_PIXEL_SIZE "pixel_size_angstrom"

/* See tess__format. */
tess_status tess__png_open(tess_file *file);
tess_status tess__png_read(tess_file *file, int64_t first, const tess_array *out);
void        tess__png_close(tess_file *file);
tess_dtype  tess__png_nearest(const tess_writer *writer, tess_dtype dtype);
tess_status tess__png_start(tess_writer *writer);
tess_status tess__png_append(tess_writer *writer, const tess_array *images);

#endif

#endif
