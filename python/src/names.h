/* Names of attributes and modules as Python strings, interned once: looking them up costs no allocation. */
#ifndef TESS_PYTHON_NAMES_H
#define TESS_PYTHON_NAMES_H

#include "limited.h"

/* C name and text. */
#define ATTRIBUTE_NAMES(X)                                                                                             \
    X(array_struct, "__array_struct__")                                                                                \
    X(array, "__array__")                                                                                              \
    X(cuda_array_interface, "__cuda_array_interface__")                                                                \
    X(dlpack, "__dlpack__")                                                                                            \
    X(dlpack_device, "__dlpack_device__")                                                                              \
    X(from_dlpack, "from_dlpack")                                                                                      \
    X(max_version, "max_version")                                                                                      \
    X(stream, "stream")                                                                                                \
    X(module, "__module__")                                                                                            \
    X(type_name, "__name__")                                                                                           \
    X(name, "name")                                                                                                    \
    X(kind, "kind")                                                                                                    \
    X(dtype, "dtype")                                                                                                  \
    X(astype, "astype")                                                                                                \
    X(newbyteorder, "newbyteorder")                                                                                    \
    X(filled, "filled")                                                                                                \
    X(other_names, "_names")                                                                                           \
    X(add_note, "add_note")                                                                                            \
    X(notes, "__notes__")                                                                                              \
    X(requires_grad, "requires_grad")                                                                                  \
    X(is_cuda, "is_cuda")                                                                                              \
    X(is_conj, "is_conj")                                                                                              \
    X(shape, "shape")                                                                                                  \
    X(reshape, "reshape")                                                                                              \
    X(numpy, "numpy")                                                                                                  \
    X(torch, "torch")

typedef struct attribute_names {
#define ATTRIBUTE_FIELD(field, text) PyObject *field;
    ATTRIBUTE_NAMES(ATTRIBUTE_FIELD)
#undef ATTRIBUTE_FIELD
} attribute_names;

extern attribute_names names;

/* 0, or -1 with an exception. */
int names_make(void);

#endif
