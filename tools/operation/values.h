/* Texts of options as values of operations. */
#ifndef TESSERA_OPERATION_VALUES_H
#define TESSERA_OPERATION_VALUES_H

#include "command/rows.h"

/* Storage of lists that values point to. */
typedef struct value_workspace {
    double         numbers[64];
    tess_reduction reductions[8];
    tess_array     reduced[8]; /* their results */
    tess_array     element;
    tess_op       *op;
    double         structure[32];
    double pixel_size; /* of the first file, in Å, for frequencies that are resolutions; 0 if it is not known */
} value_workspace;

void value_workspace_free(value_workspace *workspace);

/* A required value from its text. `dtype` is that of an element. */
tess_status value_from_text(const tess_arg_info *row, const char *text, tess_dtype dtype, tess_value *value,
                            value_workspace *workspace);

/* An option of `op` from its text, which is used as it is, also 0; flags are set. */
tess_status option_from_text(const tess_function_info *op, const tess_arg_info *row, const char *text, void *opts,
                             value_workspace *workspace);

/* An argument that is a number, as a weak scalar in `number`; false if it is none. */
bool number_argument(const char *text, double *value, tess_array *number);

/* An argument that is several numbers with commas between them, as a row {1,1,1,n} of f64: *is_one. */
tess_status numbers_argument(const char *text, tess_array *row, bool *is_one);

#endif
