/* Operators of arrays: + - * / // % divmod ** @ & | ^ << >> ~, comparisons, and those that write in place.
 *
 * Each is the operation of the library that does it. An operand of torch's in front gives a result of its kind. NumPy's
 * operators come here by __array_ufunc__, and their results are a tessera.Array.
 */
#include "array_type.h"
#include "function.h"
#include "operand.h"

/* Slot and the name of its operation. */
#define BINARY(X)                                                                                                      \
    X(add, "add")                                                                                                      \
    X(subtract, "sub")                                                                                                 \
    X(multiply, "mul")                                                                                                 \
    X(true_divide, "true_div")                                                                                         \
    X(floor_divide, "floor_div")                                                                                       \
    X(remainder, "floor_mod")                                                                                          \
    X(matrix_multiply, "matmul")                                                                                       \
    X(and, "bit_and")                                                                                                  \
    X(or, "bit_or")                                                                                                    \
    X(xor, "bit_xor")                                                                                                  \
    X(lshift, "shift_left")                                                                                            \
    X(rshift, "shift_right")

static bool is_on_gpu(PyObject *x) { return is_array(x) && array_of(x).device.kind == TESS_GPU; }

static bool is_python_number(PyObject *x)
{
    return PyFloat_CheckExact(x) || PyLong_Check(x) || PyComplex_CheckExact(x);
}

/* The operand; a scalar of NumPy's beside an array on a GPU goes there. A new reference. */
static PyObject *operand_beside(PyObject *x, PyObject *other)
{
    Py_INCREF(x);
    if (!is_on_gpu(other) || is_array(x) || is_python_number(x)) return x;
    PyObject *host = array_from_object(x, "array");
    if (!host) PyErr_Clear(); /* the function says why */
    if (!host || array_ndim(host) > 0 || is_on_gpu(host)) {
        Py_XDECREF(host);
        return x;
    }
    PyObject *device = PyObject_GetAttrString(other, "device");
    PyObject *moved = device ? PyObject_CallMethod(host, "to", "O", device) : NULL;
    Py_XDECREF(device);
    Py_DECREF(host);
    Py_DECREF(x);
    return moved;
}

static PyObject *call_beside(const callable *f, PyObject *x, PyObject *y, PyObject *out)
{
    PyObject *first = operand_beside(x, y), *second = operand_beside(y, x), *made = NULL;
    if (first && second) made = function_call(f, (PyObject *const[]){ first, second }, 2, out);
    Py_XDECREF(first);
    Py_XDECREF(second);
    return made;
}

/* *function is found at the first call. */
static PyObject *binary(const callable **f, const char *name, PyObject *x, PyObject *y, PyObject *out)
{
    if (!is_operand(x) || !is_operand(y)) {
        Py_INCREF(Py_NotImplemented);
        return Py_NotImplemented;
    }
    if (!*f) *f = function_find(name);
    return call_beside(*f, x, y, out);
}

#define DEFINE_BINARY(slot, name)                                                                                      \
    static PyObject *do_##slot(PyObject *x, PyObject *y)                                                               \
    {                                                                                                                  \
        static const callable *f;                                                                                      \
        return binary(&f, name, x, y, NULL);                                                                           \
    }                                                                                                                  \
    static PyObject *do_inplace_##slot(PyObject *x, PyObject *y)                                                       \
    {                                                                                                                  \
        static const callable *f;                                                                                      \
        return binary(&f, name, x, y, x);                                                                              \
    }
BINARY(DEFINE_BINARY)
#undef DEFINE_BINARY

static PyObject *do_power(PyObject *x, PyObject *y, PyObject *modulus)
{
    static const callable *f;
    if (modulus == Py_None) return binary(&f, "pow", x, y, NULL);
    Py_INCREF(Py_NotImplemented);
    return Py_NotImplemented;
}

static PyObject *do_inplace_power(PyObject *x, PyObject *y, PyObject *modulus)
{
    static const callable *f;
    if (modulus == Py_None) return binary(&f, "pow", x, y, x);
    Py_INCREF(Py_NotImplemented);
    return Py_NotImplemented;
}

static PyObject *do_divmod(PyObject *x, PyObject *y)
{
    PyObject *quotient = do_floor_divide(x, y);
    if (!quotient || quotient == Py_NotImplemented) return quotient;
    PyObject *rest = do_remainder(x, y), *made = rest ? PyTuple_Pack(2, quotient, rest) : NULL;
    Py_DECREF(quotient);
    Py_XDECREF(rest);
    return made;
}

static PyObject *unary(const callable **f, const char *name, PyObject *x)
{
    if (!*f) *f = function_find(name);
    return function_call(*f, &x, 1, NULL);
}

#define DEFINE_UNARY(slot, name)                                                                                       \
    static PyObject *do_##slot(PyObject *x)                                                                            \
    {                                                                                                                  \
        static const callable *f;                                                                                      \
        return unary(&f, name, x);                                                                                     \
    }
DEFINE_UNARY(negative, "neg")
DEFINE_UNARY(positive, "copy")
DEFINE_UNARY(absolute, "abs")

/* ~ of truth values is their opposite, as in NumPy. */
static PyObject *do_invert(PyObject *x)
{
    static const callable *bits, *truth;
    return array_of(x).dtype == TESS_BOOL ? unary(&truth, "logical_not", x) : unary(&bits, "bit_not", x);
}

PyObject *array_compare(PyObject *x, PyObject *y, int operation)
{
    static const char *const comparisons[] = { "less", "less_equal", "equal", "not_equal", "greater", "greater_equal" };
    static const callable   *functions[6];
    _Static_assert(Py_LT == 0 && Py_LE == 1 && Py_EQ == 2 && Py_NE == 3 && Py_GT == 4 && Py_GE == 5, "order");
    return binary(&functions[operation], comparisons[operation], x, y, NULL);
}

#define BINARY_SLOTS(slot, name) { Py_nb_##slot, SLOT(do_##slot) }, { Py_nb_inplace_##slot, SLOT(do_inplace_##slot) },
const PyType_Slot array_number_slots[] = {
    BINARY(BINARY_SLOTS){ Py_nb_power, SLOT(do_power) },
    { Py_nb_inplace_power, SLOT(do_inplace_power) },
    { Py_nb_divmod, SLOT(do_divmod) },
    { Py_nb_negative, SLOT(do_negative) },
    { Py_nb_positive, SLOT(do_positive) },
    { Py_nb_absolute, SLOT(do_absolute) },
    { Py_nb_invert, SLOT(do_invert) },
};
const size_t n_array_number_slots = sizeof array_number_slots / sizeof *array_number_slots;
