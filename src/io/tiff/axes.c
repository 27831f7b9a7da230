/* Axes of hyperstacks: pages that ImageJ or OME describes as sections, channels and time points become a batch of
 * volumes, and a description of OME's says the same of the volumes that are written. */
#include "io/tiff/tiff.h"

#ifdef TESS__TIFF

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/device/memory.h"
#include "core/check/text.h"

/* ---- Reading ---- */

/* The order of pages by time point, channel and section, in place of that of the file. */
static tess_status reorder(tess_file *file, const tess__tiff_axes *axes)
{
    tess__tiff_file *state = file->state;
    tess__tiff_page *pages = tess__alloc((size_t)state->n_pages * sizeof *pages);
    int64_t          step = 1, steps[3] = { 0, 0, 0 };
    TESS_CHECK(pages, TESS_ENOMEM, "open: %s: no memory for a table of %" PRId64 " pages",
               tess__source_name(file->source), state->n_pages);
    for (int k = 0; k < 3; k++) { /* the fastest axis comes first */
        steps[axes->order[k]] = step;
        step *= axes->n[axes->order[k]];
    }
    const int64_t *n = axes->n;
    for (int64_t i = 0; i < state->n_pages; i++) {
        const int64_t z = i % n[TESS__TIFF_Z], c = i / n[TESS__TIFF_Z] % n[TESS__TIFF_C],
                      t = i / n[TESS__TIFF_Z] / n[TESS__TIFF_C];
        pages[i] = state->pages[z * steps[TESS__TIFF_Z] + c * steps[TESS__TIFF_C] + t * steps[TESS__TIFF_T]];
    }
    tess__free(state->pages);
    state->pages = pages;
    return TESS_OK;
}

tess_status tess__tiff_take_axes(tess_file *file, const tess__tiff_notes *notes)
{
    tess__tiff_file *state = file->state;
    tess__tiff_axes  axes = notes->axes;
    int64_t          n = 1;
    if (!axes.n[0] || file->opts.as != TESS_AS_DEFAULT || file->opts.page > 0 || file->opts.n_pages) return TESS_OK;
    const int colours = state->kind.samples - state->kind.alpha;
    if (axes.samples && axes.n[TESS__TIFF_C] % colours == 0) axes.n[TESS__TIFF_C] /= colours; /* of one page */
    for (int k = 0; k < 3; k++)
        if (axes.n[k] < 1 || __builtin_mul_overflow(n, axes.n[k], &n)) return TESS_OK;
    const int64_t sections = axes.n[TESS__TIFF_Z], channels = axes.n[TESS__TIFF_C], times = axes.n[TESS__TIFF_T];
    if (n != state->n_pages) {
        if (n > 1)
            tess__file_warn(file, TESS_ODD_SECTIONS, "axes", "", "",
                            "the description says %" PRId64 " sections, %" PRId64 " channels and %" PRId64
                            " time points, but the file has %" PRId64 " pages; they are read as images in file order",
                            sections, channels, times, state->n_pages);
        return TESS_OK;
    }
    TESS_TRY(reorder(file, &axes));
    if (channels > 1 && times > 1)
        tess__file_warn(file, TESS_ODD_SECTIONS, "axes", "", "",
                        "%" PRId64 " time points of %" PRId64 " channels are read as a batch of %" PRId64
                        ", channels varying fastest",
                        times, channels, times * channels);
    state->depth = sections;
    return TESS_OK;
}

/* ---- Writing ---- */

static bool is_zero(const double numbers[3]) { return numbers[0] == 0 && numbers[1] == 0 && numbers[2] == 0; }

static bool has_start(const tess_meta *meta) { return meta->start[0] || meta->start[1] || meta->start[2]; }

/* OME's name of a dtype; NULL: it has none. */
static const char *type_of(tess_dtype dtype)
{
    switch (dtype) {
    case TESS_I8: return "int8";
    case TESS_I16: return "int16";
    case TESS_I32: return "int32";
    case TESS_U8: return "uint8";
    case TESS_U16: return "uint16";
    case TESS_U32: return "uint32";
    case TESS_F32: return "float";
    case TESS_F64: return "double";
    case TESS_C32: return "complex";
    case TESS_C64: return "double-complex";
    default: return NULL;
    }
}

/* Text at the end of a description. */
static void put(char *text, size_t n, const char *format, ...) TESS_PRINTF(3, 4);
static void put(char *text, size_t n, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list      values;
    va_start(values, format);
    (void)vsnprintf(text + used, n - used, format, values);
    va_end(values);
}

static void put_sizes(char *text, size_t n, const double size[3])
{
    static const char letters[] = "ZYX";
    char              number[32];
    for (int k = 0; k < 3; k++)
        if (isfinite(size[k]) && size[k] > 0)
            put(text, n, " PhysicalSize%c=\"%s\" PhysicalSize%cUnit=\"&#197;\"", letters[k],
                tess__number_text(number, size[k]), letters[k]);
}

/* Origin and start of the array, for which OME has no place of its own. */
static void put_place(char *text, size_t n, const tess_meta *meta)
{
    char z[32], y[32], x[32];
    put(text, n,
        "<StructuredAnnotations><MapAnnotation ID=\"Annotation:0\" Namespace=\"tessera\"><Value>"
        "<M K=\"origin\">%s %s %s</M><M K=\"start\">%" PRId64 " %" PRId64 " %" PRId64
        "</M></Value></MapAnnotation></StructuredAnnotations>",
        tess__number_text(z, meta->origin[0]), tess__number_text(y, meta->origin[1]),
        tess__number_text(x, meta->origin[2]), meta->start[0], meta->start[1], meta->start[2]);
}

bool tess__tiff_can_describe(const tess_writer *writer)
{
    return type_of(tess__tiff_nearest(writer, writer->dtype)) && !writer->opts.rgb;
}

void tess__tiff_describe(char *text, size_t n, const tess_writer *writer)
{
    const tess_meta  *meta = &writer->meta;
    const tess_shape *s = &writer->shape;
    const bool        placed = !is_zero(meta->origin) || has_start(meta);
    text[0] = '\0';
    if (!tess__tiff_can_describe(writer) || (s->d == 1 && !placed)) return;
    put(text, n,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><OME xmlns=\"http://www.openmicroscopy.org/Schemas/OME/2016-06\">"
        "<Image ID=\"Image:0\"><Pixels ID=\"Pixels:0\" DimensionOrder=\"XYZCT\" Type=\"%s\" SizeX=\"%" PRId64
        "\" SizeY=\"%" PRId64 "\" SizeZ=\"%" PRId64 "\" SizeC=\"1\" SizeT=\"%" PRId64 "\"",
        type_of(writer->dtype), s->w, s->h, s->d, s->b);
    put_sizes(text, n, meta->pixel_size);
    put(text, n, "><Channel ID=\"Channel:0:0\" SamplesPerPixel=\"1\"/><TiffData/></Pixels></Image>");
    if (placed) put_place(text, n, meta);
    put(text, n, "</OME>");
}

#endif
