/* PNG format descriptor, and the guard around libpng, which reports errors by longjmp; a stub without libpng. */
#include "io/png/png.h"

#include <stdio.h>
#include <string.h>

#include "core/device/memory.h"

static bool recognises(const unsigned char *bytes, int64_t n)
{
    return n >= 8 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0;
}

#ifdef TESS_HAVE_PNG

bool tess__png_run(tess__png_guard *guard, void (*step)(void *context), void *context)
{
    if (setjmp(guard->back)) return false;
    step(context);
    return true;
}

void tess__png_leave(tess__png_guard *guard, tess_status status)
{
    guard->failed = status;
    longjmp(guard->back, 1);
}

void tess__png_fail(png_structp png, png_const_charp text)
{
    tess__png_guard *guard = png_get_error_ptr(png);
    (void)snprintf(guard->said, sizeof guard->said, "%s", text ? text : "");
    for (char *c = guard->said; *c; c++)
        if (*c < ' ' || *c > '~') *c = '?';
    longjmp(guard->back, 1);
}

void tess__png_ignore(png_structp png, png_const_charp text) { (void)png, (void)text; }

png_voidp tess__png_alloc(png_structp png, png_alloc_size_t n)
{
    tess__png_guard *guard = png_get_mem_ptr(png);
    if (guard->most && n > guard->most) png_error(png, "a chunk is longer than the file");
    void *memory = tess__alloc(n);
    if (!memory) guard->no_memory = true;
    return memory;
}

void tess__png_free(png_structp png, png_voidp memory)
{
    (void)png;
    tess__free(memory);
}

static bool supports(tess_compression compression)
{
    return compression == TESS_COMPRESSION_DEFAULT || compression == TESS_COMPRESSION_NONE ||
           compression == TESS_COMPRESSION_DEFLATE;
}

const tess__format tess__format_png = {
    .name = "png",
    .extensions = "png",
    .id = TESS_FORMAT_PNG,
    .recognises = recognises,
    .open = tess__png_open,
    .read = tess__png_read,
    .close = tess__png_close,
    .nearest = tess__png_nearest,
    .start = tess__png_start,
    .append = tess__png_append,
    .supports = supports,
};

#else

static tess_status open_file(tess_file *file)
{
    TESS_FAIL(TESS_EUNSUPPORTED, "open: %s: PNG is not supported: this library was built without libpng",
              tess__source_name(file->source));
}

static tess_status start(tess_writer *writer)
{
    TESS_FAIL(TESS_EUNSUPPORTED, "writer_open: %s: PNG is not supported: this library was built without libpng",
              writer->path);
}

static bool supports(tess_compression compression)
{
    (void)compression;
    return false;
}

const tess__format tess__format_png = {
    .name = "png",
    .extensions = "png",
    .id = TESS_FORMAT_PNG,
    .recognises = recognises,
    .open = open_file,
    .start = start,
    .supports = supports,
};

#endif
