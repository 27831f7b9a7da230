/* Metadata of EER movies: items of XML in a tag of the first frame. */
#ifndef TESS_IO_EER_METADATA_H
#define TESS_IO_EER_METADATA_H

#include "io/eer/eer.h"

/* The size of the camera's pixels, in Å at the specimen, from n bytes of XML at an offset; what is not said or cannot
 * be read stays unknown. */
void tess__eer_read_metadata(tess_file *file, int64_t at, int64_t n);

#endif
