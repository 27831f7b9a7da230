/* Reductions: the checks, results' dtypes and output rule that all of them share. */
#ifndef TESS_OPS_REDUCE_REDUCE_H
#define TESS_OPS_REDUCE_REDUCE_H

#include "requests/reduce.h"

/* A reduction being put together. */
typedef struct tess__reducing {
    tess__reduce work;
    const char  *names[2];                               /* of the inputs, for messages */
    const char  *output_names[2 * TESS__MAX_REDUCTIONS]; /* of those that were added */
    tess_shape   result;                                 /* shape of the results */
    bool         one;                                    /* there is one result */
    bool         nothing;                                /* results are of no elements */
    int          n_made;
    tess_array  *made[2 * TESS__MAX_REDUCTIONS]; /* outputs to release if something fails */
} tess__reducing;

/* Check the input and the set of axes; no reduction is added yet. */
tess_status tess__reduce_begin(tess__reducing *c, const char *fn, const tess_array *in, int axes);

/* The same for two inputs that are broadcast to each other, or, if `weights`, the second to the first. */
tess_status tess__reduce_begin_two(tess__reducing *c, const char *fn, const char *const names[2], const tess_array *a,
                                   const tess_array *b, int axes, bool weights);

/* Add a reduction: is it defined for the input? */
tess_status tess__reduce_add(tess__reducing *c, int op);

/* Sums of wide integers are exact in 64 bits and not in f64, in which a variance is summed: then its mean
 * is a reduction of its own. */
bool tess__reduce_mean_disjoint(const tess__reducing *c, int op);

/* Reports an error if there are no elements to reduce. */
tess_status tess__reduce_need_elements(const tess__reducing *c);

/* Output `which` of the reduction added last, by the output rule. The name is kept. */
tess_status tess__reduce_output(tess__reducing *c, int which, const char *name, tess_array *out);

/* The same for a number on the host, of this dtype. */
void tess__reduce_to_host(tess__reducing *c, int which, void *out, tess_dtype dtype);

/* Finds the minimum and maximum. Synchronises with the device. */
tess_status tess__minmax_to_host(const char *fn, double *min, double *max, const tess_array *in, bool skip_nan);

/* Run, if all went well until here; otherwise release the new outputs. */
tess_status tess__reduce_end(tess__reducing *c, tess_status status);

#endif
