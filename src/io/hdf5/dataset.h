/* HDF5 datasets and attributes: what they hold, and sections of them. */
#ifndef TESS_IO_HDF5_DATASET_H
#define TESS_IO_HDF5_DATASET_H

#include "io/hdf5/library.h"
#include "tessera/io.h"

/* An open dataset; zeroed: none. */
typedef struct tess__h5_dataset {
    const tess__h5_functions *h5;
    tess__hid                 data, space;
    int                       rank;
    uint64_t                  sizes[TESS__H5_MAX_RANK];
    tess_dtype                dtype; /* of the elements; TESS_DTYPE_NONE: not read */
    uint64_t                  bytes; /* that it takes in the file */
} tess__h5_dataset;

/* Open a dataset by its name. False, and nothing is open: there is none, or it has no axes. */
bool tess__h5_open(tess__h5_dataset *d, const tess__h5_functions *h5, tess__hid file, const char *name);
void tess__h5_close(tess__h5_dataset *d);

/* How many of its chunks were never written: libhdf5 reads them as 0. Data in one piece are one chunk. */
int64_t tess__h5_missing_chunks(const tess__h5_dataset *d);

/* Read n[k] elements from from[k] on along each axis, one after the other as d->dtype; false: it failed. */
bool tess__h5_read(const tess__h5_dataset *d, const uint64_t *from, const uint64_t *n, void *values);

/* An attribute of an object that is one number; `value` stays as it is if there is none. */
void tess__h5_number(double *value, const tess__h5_functions *h5, tess__hid file, const char *object, const char *name);

/* One that is a text, cut to `size`; "" if there is none. */
void tess__h5_text(char *text, size_t size, const tess__h5_functions *h5, tess__hid file, const char *object,
                   const char *name);

#endif
