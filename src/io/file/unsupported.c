/* Magic numbers of formats that are recognised but not read. */
#include <string.h>

#include "io/file/file.h"

/* Bytes that a format has at a certain offset. */
typedef struct magic {
    int         at, n;
    const char *bytes;
    const char *name;
} magic;

static const magic magics[] = {
    { 0, 4, "II\x97\x01", "a SER file (TIA)" },
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
    { 56, 4, "REAL", "the header of an Imagic file" },
    { 56, 4, "INTG", "the header of an Imagic file" },
    { 56, 4, "PACK", "the header of an Imagic file" },
    { 56, 4, "COMP", "the header of an Imagic file" },
    { 56, 4, "RECO", "the header of an Imagic file" },
};

static uint32_t u32(const unsigned char *b, bool big_endian)
{
    return big_endian ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
                      : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

/* The EM format: machine, two bytes without use, type of data, three sizes. */
static bool is_em(const unsigned char *bytes, int64_t n)
{
    if (n < 512 || bytes[0] < 1 || bytes[0] > 6 || bytes[1] > 1 || bytes[2] != 0) return false;
    const bool     big_endian = bytes[0] != 1 && bytes[0] != 2 && bytes[0] != 4 && bytes[0] != 6;
    const unsigned type = bytes[3];
    if (type != 1 && type != 2 && type != 4 && type != 5 && type != 8 && type != 9) return false;
    for (int i = 1; i <= 3; i++) {
        const uint32_t size = u32(bytes + 4 * i, big_endian);
        if (size < 1 || size > 1 << 17) return false;
    }
    return true;
}

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
    if (is_em(bytes, n)) return "an EM file (TOM toolbox)";
    if (holds_footer(bytes, n)) return "an EER movie of the kind before TIFF";
    if (n >= 14 && memcmp(bytes, "BM", 2) == 0 && u32(bytes + 6, false) == 0) return "a BMP picture";
    return NULL;
}
