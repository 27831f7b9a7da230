/* The images that a STAR file lists: "000012@stack.mrcs" of several files, as one stack. */
#ifndef TESSERA_FILES_LISTING_H
#define TESSERA_FILES_LISTING_H

#include "main/job.h"
#include "tessera/star.h"

typedef struct listed_image {
    int64_t image; /* in its file, from 0 */
    int64_t file;  /* which of the names */
} listed_image;

typedef struct listed {
    listed_image  *images;
    int64_t        n;
    char         **names; /* of the files */
    int64_t        n_names;
    bool          *numbered; /* of each name, "12@stack.mrc": the file is a stack, whatever its header says */
    tess_file     *open;     /* the file that was read last, or NULL */
    int64_t        open_name;
    tess_read_opts opts;
    tess_info_file first; /* of the first file; shape and dtype are those of all: {n,1,h,w} */
} listed;

/* Read a STAR file, and look into the header of every file it names: they must be there, have images of one size, and
 * as many as are asked for. */
tess_status listing_open(listed **list, job *job, const char *path, const tess_read_opts *opts);
void        listing_close(listed *list);

/* The file of a name, open for reading: good until the next call. */
tess_status listing_file(listed *list, int64_t name, tess_file **file);

/* What is known of all images together. */
const tess_info_file *listing_facts(const listed *list);

/* The table of a STAR file that lists images, and the column of their names. */
tess_status listing_table(const tess_star *star, const char *path, tess_star_table **rows, const char **label);

/* Where a file is that the STAR file `path` names: *name, which was allocated, may be replaced. It is relative to
 * `root`; if that is NULL to the folder where the work is done, as RELION has it, or else to that of the STAR file. */
tess_status listing_find_file(char **name, const char *path, const char *root);

/* The same for the name of a file, or "12@x.mrcs", of an image in it. *found is to be freed. */
tess_status listing_find(char **found, const char *named, const char *path, const char *root);

/* Is this the name of a STAR file? */
bool is_listing(const char *path);

#endif
