/* Registry of file formats. */
#include "io/file/file.h"

const tess__format *const tess__formats[] = {
#define READ(ID, name, reading) &tess__format_##name,
#define READ_WRITE(ID, name, reading, writing) &tess__format_##name,
#include "io/file/formats.def"
    NULL
};
