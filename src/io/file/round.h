/* Rounding on the way to a file of integers: to nearest, ties to even. */
#ifndef TESS_IO_FILE_ROUND_H
#define TESS_IO_FILE_ROUND_H

#include "tessera/array.h"

/* Do elements of `from` have fractions that a file of `to` cannot hold? */
bool tess__needs_rounding(tess_dtype from, tess_dtype to);

/* Convert to the dtype of `out`, as tess_cast does, but that fractions are rounded. */
tess_status tess__cast_rounded(tess_array *out, const tess_array *in);

#endif
