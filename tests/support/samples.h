/* One valid call of any operation, made of its description, with small arrays on the host.
 *
 *     sample s;
 *     sample_make(&s, tess_function_find("lstsq"));
 *     sample_ask_results(&s);
 *     CHECK_OK(sample_call(&s));
 *     sample_free(&s);
 */
#ifndef TESS_TEST_SAMPLES_H
#define TESS_TEST_SAMPLES_H

#include "support/arrays.h"

enum { SAMPLE_ROWS = 24 };

/* The arguments, by the types and samples of the rows. */
typedef struct sample {
    const tess_function_info *op;
    tess_value                values[SAMPLE_ROWS];
    tess_array                arrays[SAMPLE_ROWS]; /* of the inputs and outputs among them */
    tess_shape                shape;               /* a result */
    double                    number;              /* a result */
    tess_reduction            reductions[2];
    tess_array                reduced[2];
    tess_op                  *made;       /* an operator */
    double                    fields[32]; /* of a struct */
    _Alignas(16) unsigned char opts[256];
} sample;

/* All that is required; outputs are zeroed, but for those that must have been made. */
void sample_make(sample *s, const tess_function_info *op);
void sample_free(sample *s);

/* Also ask for the arrays that options receive: zeroed, in `arrays`. */
void sample_ask_results(sample *s);

/* Give an option that takes an array for each batch such a one: a row of its parameters, or weights. */
void sample_give_option(sample *s, size_t row);

/* Set an option that is an array: to the array of its row. */
void sample_set_option(sample *s, size_t row);

tess_status sample_call(const sample *s);

/* An array that is written: an output, or what an option receives. */
bool sample_is_output(const tess_arg_info *row);

/* Its name in messages: "out", "opts->rank". */
void sample_name(char name[80], const tess_arg_info *row);

/* Operations of files are called where there are files. */
bool sample_is_of_files(const tess_function_info *op);

#endif
