/* Magic numbers of formats that are recognised but not read. */
#include <string.h>

#include "io/file/file.h"
#include "io/file/numbers.h"

/* Bytes that a format has at a certain offset. */
typedef struct magic {
    int         at, n;
    const char *bytes;
    const char *name;
} magic;

static const magic magics[] = {
    { 0, 3, "\xff\xd8\xff", "a JPEG picture" },
    { 0, 12, "\0\0\0\x0cjP  \r\n\x87\n", "a JPEG 2000 picture" },
    { 0, 4, "\xff\x4f\xff\x51", "a JPEG 2000 picture" },
    { 0, 12, "\0\0\0\x0cJXL \r\n\x87\n", "a JPEG XL picture" },
    { 0, 4, "GIF8", "a GIF picture" },
    { 8, 4, "WEBP", "a WebP picture" },
    { 0, 4, "%PDF", "a PDF document" },
    { 0, 9, "SIMPLE  =", "a FITS file" },
    { 0, 4, "NRRD", "an NRRD file" },
    { 344, 4, "n+1\0", "a NIfTI file" },
    { 128, 4, "DICM", "a DICOM file" },
    { 0, 7, "MATLAB ", "a MATLAB file" },
    { 0, 5, "#ASDF", "an ASDF file" },
    { 0, 4, "\x28\xb5\x2f\xfd", "a file compressed by zstd" },
    { 0, 6,
      "\xfd"
      "7zXZ\0",
      "a file compressed by xz" },
    { 0, 6, "7z\xbc\xaf\x27\x1c", "a 7-Zip archive" },
};

/* The end of a frame of EER movies before they were TIFFs. */
static bool holds_footer(const unsigned char *bytes, int64_t n)
{
    static const char footer[] = "ThermoFisherECCompr";
    const int64_t     length = (int64_t)sizeof footer - 1;
    for (int64_t i = 0; i + length <= n; i++)
        if (memcmp(bytes + i, footer, (size_t)length) == 0) return true;
    return false;
}

const char *tess__known_elsewhere(const unsigned char *bytes, int64_t n)
{
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
        const magic *m = &magics[i];
        if (n >= m->at + m->n && memcmp(bytes + m->at, m->bytes, (size_t)m->n) == 0) return m->name;
    }
    if (holds_footer(bytes, n)) return "an old EER movie that is not a TIFF file";
    if (n >= 14 && memcmp(bytes, "BM", 2) == 0 && tess__load(bytes + 6, 4, false) == 0) return "a BMP picture";
    return NULL;
}
