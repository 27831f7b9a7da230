/* Lists of images and sections: "0-9,12,20-", or as in NumPy "::2", "10:20", "-1". */
#ifndef TESSERA_COMMAND_SLICES_H
#define TESSERA_COMMAND_SLICES_H

#include "tessera.h"

/* Can it be read at all? `what` is how messages call it. */
tess_status slices_check(const char *what, const char *text);

/* Which of n indices are chosen, in the order given, counted from `first`, 0 or 1. To be freed. */
tess_status slices_parse(const char *what, const char *text, int64_t n, int first, int64_t **chosen, int64_t *n_chosen);

#endif
