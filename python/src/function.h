/* Operations as Python functions: one callable for each description in the library. */
#ifndef TESS_PYTHON_FUNCTION_H
#define TESS_PYTHON_FUNCTION_H

#include "limited.h"
#include "tessera/jobs/table.h"

/* What an argument of the Python function is for. */
typedef enum parameter_use {
    USE_VALUE,     /* an argument of the C function */
    USE_OPTION,    /* a field of its options */
    USE_CHANGED,   /* an output that must have been made: the caller's array, or where all is written, a shape */
    USE_ASKED,     /* an output that may be left out: True, or an array to write into */
    USE_ASKED_OPT, /* the same of an output that is a field of options */
    USE_KINDS,     /* names of reductions, each of which is an output */
    USE_OUT,       /* out= */
    USE_KEEPDIMS,  /* keepdims= */
    USE_NDIM,      /* ndim=: 2 for images, 3 for volumes */
    USE_CAST,      /* dtype= of functions of elements and of reductions: what inputs are cast to before */
    USE_DTYPE,     /* dtype= of an output that a shape was given for */
    USE_DEVICE,    /* device= of the same */
    USE_CONTEXT    /* jobs: overwrite=, device=, memory=, seed=, progress= */
} parameter_use;

typedef struct parameter {
    const char          *text;
    PyObject            *name; /* the same, interned */
    const tess_arg_info *row;  /* NULL for those of Python's own */
    int                  slot; /* of its value among those of the call */
    parameter_use        use;
    bool                 required, has_preset;
    bool                 needed; /* None is no value of it */
    double               preset; /* for what NumPy has a default */
} parameter;

typedef struct callable {
    const tess_function_info *info;
    const tess_job_info      *job; /* NULL: an operation */
    parameter                *parameters;
    int                       n_parameters, n_positional, n_values;
    int                       n_outputs;     /* always made */
    int                       cast;          /* the number of dtype=, or -1 */
    const tess_arg_info      *reduced;       /* the set of axes that results lack, or NULL */
    bool                      lays_out;      /* an argument or a result has axes of its own: see axes.h */
    bool                      multiplies;    /* matrices, or vectors in their place */
    bool                      takes_volumes; /* with ndim=: not only images */
    const char               *original;      /* of an alias: the name of the operation; otherwise NULL */
    PyMethodDef               method;
} callable;

/* Make a callable for each operation in the module. 0, or -1 with an exception. */
int functions_make(PyObject *module);

/* Describe one callable, whose body is `body`: `job` is NULL for an operation. 0, or -1 with an exception. */
int function_make(callable *f, const tess_function_info *info, const tess_job_info *job, fast_function *body);

/* A callable as an object of Python's in the module of a name, a new reference. Pickle finds it in the module `place`,
 * where a function of Python's cannot have taken its name. */
PyObject *function_object(callable *f, const char *module, const char *place);

/* True for images and stacks of them, which cannot be volumes. */
bool is_image_row(const tess_arg_info *row);

/* The function of an operation, which exists. */
const callable *function_find(const char *name);

/* Call it with positional arguments and, if it is not NULL, out=. */
PyObject *function_call(const callable *f, PyObject *const *args, Py_ssize_t n_args, PyObject *out);

/* The number of the parameter of a keyword, also by the names that NumPy's functions have; -1 if there is none. */
int find_parameter(const callable *f, PyObject *name);

/* Raise a TypeError for a keyword that the function does not have. Returns -1. */
int unknown_keyword(const callable *f, PyObject *name);

/* The signature and the documentation of a function as Python's inspect and help read them; malloc'ed, NULL if there is
 * no memory. */
char *function_document(const callable *f);

/* Give the documentation of each method that has one its example; it lives as long as the process. 0, or -1 with an
 * exception. */
int methods_document(PyMethodDef *methods);

/* What a callable of Python's is bound to. */
typedef struct operation_object {
    PyObject_HEAD const callable *function;
    const char                   *place; /* the module that pickle looks it up in */
} operation_object;

/* The callable's body: self is an operation_object. */
fast_function function_vectorcall;

#endif
