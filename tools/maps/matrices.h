/* Affine matrices of z, y, x: lists of them from the command line and from files, and as the library takes them. */
#ifndef TESSERA_MAPS_MATRICES_H
#define TESSERA_MAPS_MATRICES_H

#include "files/input.h"

/* Matrices that move the picture, in pixels: one for all images or volumes, or one for each. To be freed. */
typedef struct matrix_list {
    tess_mat34_f64 *at;
    int64_t         n;
} matrix_list;

tess_status matrix_list_new(matrix_list *list, int64_t n);
void        matrix_list_free(matrix_list *list);

/* Row after row in the order x, y, z, as comma-separated numbers, or in a text file: one matrix as rows and
 * columns, or one per line. Images have 2 x 2, 2 x 3 or 3 x 3, volumes 3 x 3, 3 x 4 or 4 x 4. */
tess_status matrix_list_of_numbers(matrix_list *list, const char *what, const char *text, bool volume);

/* Lines of an IMOD .xf file, which are for images, from the middle of the image. */
tess_status matrix_list_of_xf(matrix_list *list, const char *path);

/* Matrices that align the images or volumes of the rows of a STAR file with their reference: a shift by rlnOrigin…,
 * then a rotation by rlnAnglePsi, for volumes by all three angles. `pixel_size` in Å converts origins in Å. */
tess_status matrix_list_of_star(matrix_list *list, const char *path, bool volume, double pixel_size);

/* Checks that the list has one matrix, or one for each image or volume of an input. From a longer list, those of the
 * chosen images are taken. */
tess_status matrix_list_fit(matrix_list *list, const input *in, const char *what);

/* n matrices as numbers {n,1,3,4}; of images, without what is along z, {n,1,2,3}. On the CPU, to be released. */
tess_status matrices_array(tess_array *out, const tess_mat34_f64 *matrices, int64_t n, bool volume);

#endif
