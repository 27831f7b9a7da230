/* One call of an operation while it is put together: arguments as the library wants them, and where results go. */
#ifndef TESS_PYTHON_CALL_H
#define TESS_PYTHON_CALL_H

#include "function.h"
#include "operand.h"
#include "tessera/reduce.h"

/* Beyond all descriptions there are; functions_make checks it. */
enum {
    MAX_PARAMETERS = 128,
    MAX_VALUES = 12,
    MAX_OPERANDS = 20,
    MAX_RESULTS = 12,
    MAX_OPTION_BYTES = 2048,
    MAX_HELD = 24,
    MAX_AXES = 16 /* of an array in Python */
};

typedef enum result_type { RESULT_ARRAY, RESULT_NUMBER, RESULT_SHAPE } result_type;

typedef struct result {
    const char          *name;
    const tess_arg_info *row; /* NULL: an item of several reductions */
    result_type          type;
    PyObject            *given; /* the caller's array, which is the result; borrowed */
    tess_array           array; /* made by the call */
    tess_shape           shape;
    double               number;
} result;

typedef struct call {
    const callable *function;
    PyObject       *given[MAX_PARAMETERS]; /* for each parameter; NULL: left out, or None */

    tess_value values[MAX_VALUES];
    _Alignas(16) unsigned char opts[MAX_OPTION_BYTES];

    operand        operands[MAX_OPERANDS];
    result         results[MAX_RESULTS];
    tess_reduction reductions[8];
    int            n_operands, n_results, n_reductions;

    const operand *first; /* the array whose kind and axes results have; NULL if there is none */
    int            ndim;  /* of the caller's arrays, or of a shape that is given */
    int32_t        axes;  /* that results lack, or-ed as TESS_B …; 0: all of a reduction, none of a product */
    bool           keepdims;
    int            ndim_given;        /* ndim=, or 0 */
    bool           as_in_c;           /* the first array has the four axes of C, and so have results */
    int            space;             /* axes of an image or a volume of the call; 0: not known, or it has none */
    int            n_leading;         /* axes in front of those, which count batches, */
    Py_ssize_t     leading[MAX_AXES]; /* and their sizes */

    PyObject *held[MAX_HELD];   /* Python objects, */
    void     *memory[MAX_HELD]; /* memory, */
    operand  *listed;           /* and operands of a list, until the call is done */
    int       n_held, n_memory, n_listed;

    struct source_list *sources; /* that a job reads; NULL: none so far */
    struct sink_list   *sinks;   /* that a job writes to */
} call;

static inline const char *name_of(const call *c) { return c->function->info->name; }

/* A fresh operand of the call, filled from an object: 0, or -1 with an exception. */
int call_operand(call *c, PyObject *object, const char *argument, bool output, operand **made);

/* Keep an object (the reference is taken) or memory (PyMem_Malloc) until the call is done. -1 with an exception. */
int call_hold(call *c, PyObject *object);
int call_keep_memory(call *c, void *memory);

/* Call the library with the values of a call: TESS_OK, or the status of the exception that is set. The GIL is kept
 * where giving it up takes longer. */
tess_status call_library(call *c);

/* The outputs that the caller gave can hold results of the kind that they have: 0, or -1 with an exception. */
int call_casts(const call *c);

/* Truth values are integers, too. */
bool is_integer(tess_dtype dtype);

/* The dtype of floats that hold the numbers of another one; complex ones stay complex. */
tess_dtype float_for(tess_dtype given);

/* Let the message of the current exception, which is the library's, tell of the caller's axes and shapes. */
void call_locate(const call *c);

/* The library has rejected a dtype, and the exception is set: call it again with integers as floats, and lists in the
 * dtype of the arrays. 0 without an exception if it helps, else -1 with the first one. */
int call_promoted(call *c);

/* The library has rejected the device of an array, and the exception is set: call it again with lists and scalars on
 * the device of the first array. Returns as call_promoted. */
int call_moved(call *c);

/* Convert the arguments of an operation, and do something else with them than to call it. */
typedef PyObject *call_work(call *c, void *context);
PyObject *call_with(const callable *f, PyObject *const *args, Py_ssize_t n_args, PyObject *keywords, call_work *work,
                    void *context);

/* The library has rejected a shape, and the exception is set: call it again for a mean of no elements, which is NaN.
 * Returns as call_promoted. */
int call_without_elements(call *c);

/* Integers have no negative powers: 0, or -1 with an exception. */
int call_powers(const call *c);

/* Of numbers alone, integers of Python's are i64 as in NumPy, and not floats. */
void call_whole_numbers(call *c);

/* An integer of Python's beside arrays of integers must fit their dtype if the result has it: 0, or -1 with an
 * exception. */
int call_ranges(call *c);

/* The dtype that the first result has of itself, whatever array it is written to; none if the call fails. */
tess_dtype call_own_dtype(const call *c);

/* ---- results.c ---- */

/* Prepare outputs: those the caller gave, and room for those that are made. 0, or -1 with an exception. */
int call_outputs(call *c);

/* What the Python function returns, a new reference. */
PyObject *call_results(call *c);

/* An array as an object of the kind that the caller's first array has; its reference is taken over. */
PyObject *object_of_kind(const operand *first, tess_array *array, int ndim);

#endif
