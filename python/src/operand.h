/* Arguments that are arrays: whatever Python object holds the elements, as a tess_array for the time of a call. */
#ifndef TESS_PYTHON_OPERAND_H
#define TESS_PYTHON_OPERAND_H

#include "limited.h"

/* Whose object it was: results are of the same kind. */
typedef enum operand_kind {
    OPERAND_NUMBER, /* a number of Python's */
    OPERAND_SCALAR, /* one of NumPy's, which has a dtype */
    OPERAND_LIST,   /* a list or tuple of numbers */
    OPERAND_BUFFER, /* the buffer protocol, or __cuda_array_interface__ alone */
    OPERAND_ARRAY,  /* tessera.Array */
    OPERAND_NUMPY,
    OPERAND_DLPACK /* torch, CuPy, JAX */
} operand_kind;

typedef struct operand {
    tess_array   array;
    PyObject    *source;    /* the caller's object, borrowed */
    PyObject    *owner;     /* what else keeps the memory alive, or NULL */
    double       number[2]; /* of a number of Python's: its value; data points here */
    int          ndim;
    operand_kind kind;
    bool         releases; /* the array holds a reference to its storage */
    bool         copied;   /* the elements are a copy: of the other byte order, or not aligned */
} operand;

/* Fill `o` from an object. 0, or -1 with an exception that names the function and the argument; then there is nothing
 * to clear. */
int operand_read(operand *o, PyObject *object, const char *function, const char *argument);

/* The same for an array that is written: numbers, lists and what would have to be copied are rejected. */
int operand_read_output(operand *o, PyObject *object, const char *function, const char *argument);

void operand_clear(operand *o);

/* True for what operand_read takes for an array or a number, without looking inside. */
bool is_operand(PyObject *object);

/* Shape and strides, in bytes, of up to four right-aligned axes. False where a stride is no multiple of the item. */
bool operand_layout(tess_array *array, int ndim, const Py_ssize_t *shape, const Py_ssize_t *byte_strides);

/* What a number can be held by; the larger holds the smaller. */
typedef enum number_kind { NUMBER_NONE = -1, NUMBER_BOOL, NUMBER_INTEGER, NUMBER_FLOAT, NUMBER_COMPLEX } number_kind;

number_kind kind_of_number(PyObject *object);

/* 0, or -1 with an exception. */
int complex_from_object(tess_c64 *number, PyObject *object);

/* Cast the elements of an operand, unless it is a number. 0, or -1 with an exception. */
int operand_cast(operand *o, tess_dtype dtype);

/* Copy the elements of an operand to a device, unless they are there. 0, or -1 with an exception. */
int operand_move(operand *o, tess_device device);

/* Let the message of the current exception, which is the library's, tell of the axes and shapes that operands have in
 * Python; `ndim` is the largest number of axes. */
void operands_locate(const operand *operands, int n, int ndim);

/* Cast all to their common dtype. 0, or -1 with an exception. */
int operands_promote(operand *operands, int n);

/* A reader of one protocol: 1 if it took the object, 0 if it is none of its own, -1 with an exception. */
typedef int operand_reader(operand *o, PyObject *object, const char *function, const char *argument);

/* Of the last, a number counts as an array of no axes, of the dtype that a list of it would have. */
operand_reader operand_from_numbers, operand_from_array_struct, operand_from_dlpack, operand_from_cuda_interface,
    operand_from_arrays, operand_from_list;

#endif
