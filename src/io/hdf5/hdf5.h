/* HDF5 files as stacks and volumes: an open one, and the layouts that are known. */
#ifndef TESS_IO_HDF5_HDF5_H
#define TESS_IO_HDF5_HDF5_H

#include "io/file/file.h"
#include "io/hdf5/dataset.h"

/* Images of which integers were made: value = first + stored * step. */
typedef struct tess__h5_scaling {
    double first, step;
    bool   is_needed;
} tess__h5_scaling;

/* An open file: tess_file.state. */
typedef struct tess__h5_file {
    const tess__h5_functions *h5;
    tess__hid                 file;     /* 0: not open */
    tess__h5_dataset          data;     /* the one that is open */
    int                       axis[4];  /* of the dataset: its axis that is b, d, h, w of the array; -1: none */
    int64_t                   depth;    /* sections of each index along b */
    tess_dtype                stored;   /* elements in the file */
    bool                      reversed; /* rows lie there from the top to the bottom */
    tess__h5_scaling          scaling;

    /* Open the dataset of index b, where each has one of its own; NULL: `data` has them all. */
    tess_status (*open_image)(const tess_file *file, int64_t b);
    int64_t image;      /* that is open; -1: none */
    bool    is_missing; /* salvaged: it is read as 0 */
} tess__h5_file;

/* Images as EMAN2 has them, in /MDF/images. */
tess_status tess__h5_open_eman2(tess_file *file);

/* Datasets of EMD files, of Velox and of the Berkeley kind; *found is false if there are none. */
tess_status tess__h5_open_emd(tess_file *file, bool *found);

/* Fill file->info with the sizes of the open dataset, n indices along b, and check that they can be in the file. */
tess_status tess__h5_describe(tess_file *file, int64_t n);

/* Chunks that were never written are an error, or with opts.salvage a warning; `name` is the dataset's. */
tess_status tess__h5_check_chunks(tess_file *file, const char *name);

#endif
