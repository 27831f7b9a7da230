/* One call of an operation by the command: its files, values and results. */
#ifndef TESSERA_OPERATION_OPERANDS_H
#define TESSERA_OPERATION_OPERANDS_H

#include "files/input.h"
#include "files/outputs/output.h"
#include "operation/values.h"

/* A result: by the row it comes from, or of a list of reductions. */
typedef struct result {
    const char *name;
    const char *file; /* to write it to, or NULL */
    tess_array *array;
    output      out;     /* while it is written in parts */
    bool        started; /* `out` is */
    bool        of_all;  /* it is the same for each part along b */
    tess_array  whole;   /* parts put together, where it is printed */
} result;

typedef struct operands {
    const tess_function_info *op;
    tess_value                values[MAX_ROWS];
    tess_array                arrays[MAX_ROWS];  /* of the row: read, or made by the call */
    double                    numbers[MAX_ROWS]; /* arguments and results that are numbers */
    input                     inputs[MAX_ROWS];  /* of the row */
    bool                      is_file[MAX_ROWS];
    bool                      is_read[MAX_ROWS]; /* `arrays` has all of the file */
    tess_array                tables[MAX_ROWS];  /* rows that were read from a text; data NULL: none */
    bool                      is_rows[MAX_ROWS]; /* the file is an image {n,m}: rows of n batches */
    input                    *parts;             /* of a list of arrays */
    tess_array               *part_arrays;
    int                       n_parts;
    void                     *opts; /* NULL if the operation has none */
    value_workspace           workspace;
    tess_shape                shape; /* a result that is a shape */
    result                    results[MAX_ROWS];
    int                       n_results;
    bool                      prints; /* no file is written */
} operands;

/* Open the files and take the values (open.c). */
tess_status operands_open(operands *o, job *j);
void        operands_close(operands *o);

/* The first file that is read; NULL if there is none. */
const input *first_file(const operands *o);

/* The shape that a file has for the operation. */
tess_shape shape_of_file(const operands *o, size_t i);

/* All of a file, in that shape. */
tess_status read_file(operands *o, job *j, size_t i);

/* Is the row one whose batches are those of the work? Arrays among the options need not be. */
bool has_batches(const operands *o, size_t i);

/* The input that has the most batches; a shape of ones if there is none. */
tess_shape largest_input(const operands *o);

/* Sizes of shapes that were not given: of the input, or such that nothing changes. */
void complete_shapes(operands *o, tess_shape in);

/* What is known of a result of this shape; a cell that is not its own is told (meta.c). */
tess_status result_meta(const operands *o, job *j, tess_shape shape, tess_meta *meta);

/* Call it where --device says, with arrays that are on the host or there; results are brought to the host
 * (run.c). */
tess_status call_on_device(operands *o, job *j);

/* Batch by batch, if it can be done so and is worth it: *done (parts.c). */
tess_status run_in_parts(operands *o, job *j, bool *done);

/* Print results that no file was named for (print.c). */
tess_status print_results(operands *o, job *j);

/* The most elements that are printed. */
enum { MAX_PRINTED = 10000 };

#endif
