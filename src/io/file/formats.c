/* Registry of file formats, in the order in which they are asked to recognise a file. */
#include "io/file/file.h"

const tess__format *const tess__formats[] = {
    &tess__format_npy,  &tess__format_npz, &tess__format_eer, /* before TIFF, whose directories it has */
    &tess__format_tiff, &tess__format_png, &tess__format_dm,  &tess__format_spider,
    &tess__format_hdf5, &tess__format_mrc, &tess__format_raw, NULL
};
