/* Pixel size of a TIFF: OME's, that of ImageJ's unit, or the resolution, unless that is one of screens and printers. */
#include "io/tiff/tiff.h"

#ifdef TESS__TIFF

#include <math.h>

/* Resolutions are floats: of all sizes that come from the same float, the one with the fewest digits was meant. */
static double shortest(double unit, float resolution)
{
    const double size = unit / (double)resolution;
    const int    before = (int)floor(log10(size));
    for (int digits = 1; digits <= 8; digits++) {
        const int    k = digits - 1 - before;
        const double scale = pow(10, k < 0 ? -k : k);
        const double rounded = k < 0 ? nearbyint(size / scale) * scale : nearbyint(size * scale) / scale;
        if (rounded > 0 && (float)(unit / rounded) == resolution) return rounded;
    }
    return size;
}

/* Pixels of a print, a screen or a scan, by dots per inch: everything below PRINT_MOST, and above it what printers and
 * scanners have, also rounded, or converted to centimetres and rounded. */
static bool is_dots_per_inch(double dots, double tolerance)
{
    static const double known[] = { 350, 360, 400, 480, 500, 508, 600, 720, 800, 900, 1000, 1200 };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (fabs(dots / known[i] - 1) <= tolerance) return true;
    return false;
}

static bool is_for_print(uint16_t unit, double resolution)
{
    static const double scanners[] = { 1440, 1800, 2400, 2880, 3200, 3600, 4000, 4800, 9600 };
    enum { PRINT_MOST = 305 }; /* dots per inch: pixels of 0.08 mm and more */
    const double dots = unit == RESUNIT_INCH ? resolution : resolution * 2.54;
    if (dots <= PRINT_MOST || resolution <= PRINT_MOST) return true;
    if (is_dots_per_inch(dots, 0.013) || is_dots_per_inch(resolution, 1e-4)) return true; /* of a wrong unit: exactly */
    for (size_t i = 0; i < sizeof scanners / sizeof *scanners; i++)
        if (fabs(dots / scanners[i] - 1) <= 1e-3) return true;
    return false;
}

/* The size of a pixel by its resolution; 0: not known. */
static double size_of(float resolution, uint16_t unit, double imagej_unit)
{
    if (!isfinite(resolution) || resolution <= 0) return 0;
    if (imagej_unit == 2.54e8) unit = RESUNIT_INCH; /* a picture for print, also there */
    else if (imagej_unit > 0) return shortest(imagej_unit, resolution);
    if (is_for_print(unit, (double)resolution)) return 0;
    return shortest(unit == RESUNIT_INCH ? 2.54e8 : 1e8, resolution);
}

/* Height and width, where the notes say nothing of them, by the resolution if there is one. */
static void add_resolution(double size[3], const tess__tiff_handle *handle, const tess__tiff_notes *notes)
{
    float    resolution[2] = { 0, 0 };
    uint16_t unit = RESUNIT_INCH;
    (void)TIFFGetFieldDefaulted(handle->tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
    if (!TIFFGetField(handle->tiff, TIFFTAG_XRESOLUTION, &resolution[1])) return;
    (void)TIFFGetField(handle->tiff, TIFFTAG_YRESOLUTION, &resolution[0]);
    if (resolution[0] == 0) resolution[0] = resolution[1]; /* as it is if there was none */
    for (int i = 0; i < 2; i++) {
        const bool told = notes->has_unit ? notes->unit[i] > 0 : unit == RESUNIT_INCH || unit == RESUNIT_CENTIMETER;
        if (size[i + 1] == 0 && told) size[i + 1] = size_of(resolution[i], unit, notes->unit[i]);
    }
}

void tess__tiff_pixel_size(double size[3], const tess__tiff_handle *handle, const tess__tiff_notes *notes)
{
    for (int i = 0; i < 3; i++) size[i] = notes->size[i];
    add_resolution(size, handle, notes);
    for (int i = 0; i < 3; i++)
        if (!isfinite(size[i])) size[i] = 0;
}

#endif
