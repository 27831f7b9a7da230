/* Operations that factor matrices: what they have in common. */
#ifndef TESS_OPS_LINALG_DECOMPOSE_H
#define TESS_OPS_LINALG_DECOMPOSE_H

#include "core/check/outputs.h"
#include "requests/linalg/decompose.h"

/* Fills in what follows from the matrices: `name` and `kind` are set. Fails if `in` is no array of numbers or, where
 * the kind asks for it, not of square matrices. */
tess_status tess__decompose_begin(tess__decompose *work, const char *arg, const tess_array *in);

/* The dtype of results. */
tess_dtype tess__decompose_dtype(const tess_array *a, const tess_array *b);

/* Takes the outputs, which are `results` where these are not NULL, in their order, and computes them. b may be NULL. */
tess_status tess__decompose_end(tess__decompose *work, tess__outputs *out, tess_array *const results[3],
                                const tess_array *a, const tess_array *b);

#endif
