/* tessera.Array: an array of the library's as a Python object, with the number of axes its user sees. */
#ifndef TESS_PYTHON_ARRAY_TYPE_H
#define TESS_PYTHON_ARRAY_TYPE_H

#include "limited.h"

typedef struct array_object {
    PyObject_HEAD tess_array array; /* holds a reference to its storage */
    int                      ndim;  /* its last axes; those before have size 1 */
    PyObject                *weak_references;
} array_object;

extern PyTypeObject *array_type;

static inline bool       is_array(PyObject *o) { return PyObject_TypeCheck(o, array_type); }
static inline tess_array array_of(PyObject *o) { return ((array_object *)o)->array; }
static inline int        array_ndim(PyObject *o) { return ((array_object *)o)->ndim; }

/* Make the type in the module. 0, or -1 with an exception. */
int array_type_make(PyObject *module);

/* A new object that takes over the reference of `array`; it is released if there is no memory. */
PyObject *array_take(tess_array *array, int ndim);

/* A new object for a view of an array that somebody owns. */
PyObject *array_view(const tess_array *view, int ndim);

/* Any operand as a tessera.Array over the same memory: what was not ours stays alive with it. */
PyObject *array_from_object(PyObject *object, const char *function);

/* The same for what is written: what would have to be copied is rejected. */
PyObject *array_from_output(PyObject *object, const char *function);

/* One element as a number of Python's. */
PyObject *array_element(const tess_array *array);

/* ---- The parts of the type, in files of their own ---- */

/* array_type.c: axis k of the view is axis order[k] of the array. */
PyObject *array_permuted(PyObject *self, const int order[4]);
PyObject *array_shape_of(PyObject *self, void *closure);
PyObject *array_transposed_of(PyObject *self, void *closure);

/* array_elements.c */
PyObject  *array_item(PyObject *self, PyObject *index);
PyObject  *array_to_list(PyObject *self, PyObject *none);
PyObject  *array_to_complex(PyObject *self, PyObject *none);
PyObject  *array_to_float(PyObject *self);
PyObject  *array_to_int(PyObject *self);
PyObject  *array_to_index(PyObject *self);
int        array_is_true(PyObject *self);
Py_ssize_t array_length(PyObject *self);
PyObject  *array_sequence_item(PyObject *self, Py_ssize_t i);
PyObject  *array_iterate(PyObject *self);

/* array_print.c */
PyObject *array_str(PyObject *self);
PyObject *array_repr(PyObject *self);

/* array_methods.c */
extern PyMethodDef array_methods[];

/* array_index.c */
PyObject *array_get_item(PyObject *self, PyObject *key);
PyObject *array_set_indexing(PyObject *module, PyObject *args); /* the functions for indices that are arrays */
int       array_set_item(PyObject *self, PyObject *key, PyObject *value);

/* array_export.c */
PyObject *array_struct_of(PyObject *self, void *closure);
PyObject *array_interface_of(PyObject *self, void *closure);
PyObject *array_cuda_interface_of(PyObject *self, void *closure);

/* array_buffer.c */
int  array_get_buffer(PyObject *self, Py_buffer *view, int flags);
void array_release_buffer(PyObject *self, Py_buffer *view);

/* array_number.c */
extern const PyType_Slot array_number_slots[];
extern const size_t      n_array_number_slots;
PyObject                *array_compare(PyObject *self, PyObject *other, int operation);

#endif
