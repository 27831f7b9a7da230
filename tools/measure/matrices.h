/* Affine matrices of z, y, x as the library takes them. */
#ifndef TESSERA_MEASURE_MATRICES_H
#define TESSERA_MEASURE_MATRICES_H

#include "tessera.h"

/* n matrices as numbers {n,1,3,4}; of images, without what is along z, {n,1,2,3}. On the CPU, to be released. */
tess_status matrices_array(tess_array *out, const tess_mat34_f64 *matrices, int64_t n, bool volume);

#endif
