/* The images of a DM3 or DM4 file, as its tags describe them. */
#ifndef TESS_IO_DM_IMAGES_H
#define TESS_IO_DM_IMAGES_H

#include "io/file/file.h"

enum { TESS__DM_AXES = 4 };

typedef struct tess__dm_image {
    int64_t index; /* in the list of images */
    int64_t type;  /* DigitalMicrograph's number */
    int64_t dims[TESS__DM_AXES];
    int     n_dims;    /* TESS__DM_AXES + 1: more */
    int64_t at, bytes; /* the data */
    double  scale[TESS__DM_AXES];
    int64_t unit_at[TESS__DM_AXES], unit_length[TESS__DM_AXES]; /* texts of 16 bits per letter */
    bool    is_thumbnail;                                       /* the tags call it so */
    bool    is_shown;                                           /* the document displays it */
} tess__dm_image;

/* Zero it before tess__dm_images_read. */
typedef struct tess__dm_images {
    tess__dm_image *all; /* tess__alloc'ed */
    int64_t         n, capacity;
} tess__dm_images;

/* Elements of an image; 0: it has no data, or sizes that no image has. */
int64_t tess__dm_elements(const tess__dm_image *m);

/* Read the tags: all images that have elements. Free `images->all`, also after a failure. */
tess_status tess__dm_images_read(tess__dm_images *images, tess_file *file);

#endif
