/* Image descriptions: what ImageJ, OME and tifffile write into them of the number of images, their axes and the size of
 * pixels. */
#include "io/tiff/tiff.h"

#ifdef TESS__TIFF

#include <math.h>
#include <string.h>

#include "io/text/length_unit.h"
#include "io/text/text.h"

/* ---- ImageJ: "ImageJ=1.53t\nimages=10\nunit=micron\nspacing=0.5\n" ---- */

/* The value of a key at the start of a line, and its bytes; NULL if it is not there. */
static const char *value_of(const char *text, const char *key, size_t *n)
{
    const size_t length = strlen(key);
    for (const char *line = text; *line;) {
        const char *end = line + strcspn(line, "\r\n");
        if (strncmp(line, key, length) == 0 && line[length] == '=') {
            *n = (size_t)(end - line) - length - 1;
            return line + length + 1;
        }
        line = end + strspn(end, "\r\n");
    }
    return NULL;
}

static double unit_of(const char *text, const char *key, double otherwise)
{
    size_t      n;
    const char *value = value_of(text, key, &n);
    return value ? tess__length_unit(value, n) : otherwise;
}

/* 1 where it is not there, 0 where it is no number. */
static int64_t count_of(const char *text, const char *key)
{
    size_t      n;
    int64_t     count = 1;
    const char *value = value_of(text, key, &n);
    return value && (!tess__text_i64(&count, value, (int64_t)n) || count < 1) ? 0 : count;
}

/* Other stacks of ImageJ's are all "slices", whatever they are. */
static void read_hyperstack(tess__tiff_axes *axes, const char *text)
{
    size_t      n;
    const char *value = value_of(text, "hyperstack", &n);
    if (!value || n != 4 || strncmp(value, "true", 4) != 0) return;
    *axes = (tess__tiff_axes){ .n = { count_of(text, "slices"), count_of(text, "channels"), count_of(text, "frames") },
                               .order = { TESS__TIFF_C, TESS__TIFF_Z, TESS__TIFF_T } };
}

static void read_imagej(tess__tiff_notes *notes, const char *text)
{
    size_t      n;
    double      spacing;
    const char *value = value_of(text, "images", &n);
    if (value && !tess__text_i64(&notes->images, value, (int64_t)n)) notes->images = 0;
    notes->has_unit = value_of(text, "unit", &n) != NULL;
    notes->unit[1] = unit_of(text, "unit", 0);
    notes->unit[0] = unit_of(text, "yunit", notes->unit[1]);
    value = value_of(text, "spacing", &n);
    if (value && tess__text_f64(&spacing, value, (int64_t)n))
        notes->size[0] = tess__length_in(fabs(spacing), unit_of(text, "zunit", notes->unit[1]));
    read_hyperstack(&notes->axes, text);
}

/* ---- OME: <Pixels … PhysicalSizeX="0.1" PhysicalSizeXUnit="nm" …> ---- */

/* The value of an attribute of the element that ends at `end`. */
static const char *attribute_of(const char *element, const char *end, const char *key, size_t *n)
{
    const size_t length = strlen(key);
    for (const char *at = element; end - at > (ptrdiff_t)length + 3; at++) {
        if (!tess__is_blank(*at) || strncmp(at + 1, key, length) != 0) continue;
        const char *value = at + 1 + length;
        if (value[0] != '=' || (value[1] != '"' && value[1] != '\'')) continue;
        const char *close = memchr(value + 2, value[1], (size_t)(end - value - 2));
        if (!close) return NULL;
        *n = (size_t)(close - value - 2);
        return value + 2;
    }
    return NULL;
}

static double ome_size(const char *element, const char *end, const char *key, const char *unit_key)
{
    size_t      n, n_unit;
    double      size;
    const char *value = attribute_of(element, end, key, &n), *unit = attribute_of(element, end, unit_key, &n_unit);
    if (!value || !tess__text_f64(&size, value, (int64_t)n)) return 0;
    return tess__length_in(size, unit ? tess__length_unit(unit, n_unit) : 1e4); /* without a unit: the micrometre */
}

static void read_ome_axes(tess__tiff_axes *axes, const char *element, const char *end)
{
    static const char *const keys[] = { "SizeZ", "SizeC", "SizeT" };
    static const char        letters[] = "ZCT";
    size_t                   n;
    const char              *order = attribute_of(element, end, "DimensionOrder", &n);
    tess__tiff_axes          found = { .samples = true };
    bool                     seen[3] = { false, false, false };
    if (!order || n != 5) return;
    for (int k = 0; k < 3; k++) {
        size_t      length;
        const char *letter = order[2 + k] ? strchr(letters, order[2 + k]) : NULL;
        const char *size = attribute_of(element, end, keys[k], &length);
        if (!letter || seen[letter - letters] || !size || !tess__text_i64(&found.n[k], size, (int64_t)length) ||
            found.n[k] < 1)
            return;
        seen[letter - letters] = true;
        found.order[k] = (int)(letter - letters);
    }
    *axes = found;
}

/* Three numbers of a key of ours: <M K="origin">0 1.5 2</M>; what is not there stays. */
static void three_of(double numbers[3], const char *text, const char *key)
{
    const char *at = strstr(text, "Namespace=\"tessera\"");
    double      found[3];
    if (at) at = strstr(at, key);
    if (!at) return;
    at += strlen(key);
    for (int k = 0; k < 3; k++) {
        at += strspn(at, " ");
        const size_t n = strcspn(at, " <");
        if (!tess__text_f64(&found[k], at, (int64_t)n) || !isfinite(found[k])) return;
        at += n;
    }
    memcpy(numbers, found, sizeof found);
}

static void read_place(tess__tiff_notes *notes, const char *text)
{
    double start[3] = { 0, 0, 0 };
    three_of(notes->origin, text, "<M K=\"origin\">");
    three_of(start, text, "<M K=\"start\">");
    for (int k = 0; k < 3; k++)
        if (fabs(start[k]) < 0x1p53) notes->start[k] = (int64_t)start[k];
}

static void read_ome(tess__tiff_notes *notes, const char *text)
{
    const char *element = strstr(text, "<Pixels"), *end = element ? strchr(element, '>') : NULL;
    if (!end) element = strstr(text, ":Pixels"), end = element ? strchr(element, '>') : NULL;
    if (!end) return;
    read_ome_axes(&notes->axes, element, end);
    read_place(notes, text);
    notes->size[0] = ome_size(element, end, "PhysicalSizeZ", "PhysicalSizeZUnit");
    notes->size[1] = ome_size(element, end, "PhysicalSizeY", "PhysicalSizeYUnit");
    notes->size[2] = ome_size(element, end, "PhysicalSizeX", "PhysicalSizeXUnit");
}

/* ---- tifffile: {"shape": [10, 64, 64], "truncated": true} ---- */

static void read_tifffile(tess__tiff_notes *notes, const char *text)
{
    static const char key[] = "\"shape\": [";
    const char       *at = strstr(text, key);
    int64_t           elements = 1, size;
    if (!at || !strstr(text, "\"truncated\": true")) return;
    for (at += strlen(key); *at && *at != ']';) {
        const size_t n = strspn(at, "0123456789");
        if (!tess__text_i64(&size, at, (int64_t)n) || __builtin_mul_overflow(elements, size, &elements)) return;
        at += n + strspn(at + n, ", ");
    }
    notes->elements = elements;
}

void tess__tiff_read_notes(tess__tiff_notes *notes, const tess__tiff_handle *handle)
{
    const char *text = NULL;
    *notes = (tess__tiff_notes){ .images = 0 };
    if (!TIFFGetField(handle->tiff, TIFFTAG_IMAGEDESCRIPTION, &text) || !text) return;
    if (strncmp(text, "ImageJ=", 7) == 0) read_imagej(notes, text);
    else if (text[0] == '{') read_tifffile(notes, text);
    else if (strstr(text, "<OME") || strstr(text, ":OME")) read_ome(notes, text);
}

#endif
