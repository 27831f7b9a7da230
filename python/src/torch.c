/* Tensors of torch on the CPU by its own functions for DLPack, which take a tenth of the time of __dlpack__().
 *
 * What these do not check (gradients, conjugates that are pending, GPUs and their streams) is left to __dlpack__().
 */
#include "torch.h"

#include "dlpack.h"
#include "names.h"

static PyObject *tensor_type, *to_capsule, *from_capsule;

static bool take(PyObject *torch)
{
    PyObject *type = PyObject_GetAttrString(torch, "Tensor"), *functions = PyImport_ImportModule("torch.utils.dlpack");
    PyObject *to = functions ? PyObject_GetAttrString(functions, "to_dlpack") : NULL;
    PyObject *from = functions ? PyObject_GetAttr(functions, names.from_dlpack) : NULL;
    Py_XDECREF(functions);
    if (type && to && from) {
        to_capsule = to;
        from_capsule = from;
        tensor_type = type;
        return true;
    }
    Py_XDECREF(from);
    Py_XDECREF(to);
    Py_XDECREF(type);
    PyErr_Clear();
    return false;
}

static bool is_found(void)
{
    if (tensor_type) return true;
    PyObject  *torch = PyImport_GetModule(names.torch);
    const bool found = torch && take(torch);
    if (!torch) PyErr_Clear();
    Py_XDECREF(torch);
    return found;
}

static bool is_true_attribute(PyObject *object, PyObject *name)
{
    PyObject *value = PyObject_GetAttr(object, name);
    const int truth = value ? PyObject_IsTrue(value) : 1;
    Py_XDECREF(value);
    PyErr_Clear();
    return truth != 0;
}

/* False also where asking fails: then the general way says what is wrong. */
static bool is_simple_tensor(PyObject *object)
{
    if ((PyObject *)Py_TYPE(object) != tensor_type || is_true_attribute(object, names.requires_grad)) return false;
    if (is_true_attribute(object, names.is_cuda)) return false;
    PyObject *conjugate = PyObject_CallMethodObjArgs(object, names.is_conj, NULL);
    const int pending = conjugate ? PyObject_IsTrue(conjugate) : 1;
    Py_XDECREF(conjugate);
    PyErr_Clear();
    return pending == 0;
}

int operand_from_torch(operand *o, PyObject *object, const char *function, const char *argument)
{
    (void)function, (void)argument;
    if (!is_found() || !is_simple_tensor(object)) return 0;
    PyObject *capsule = PyObject_CallFunctionObjArgs(to_capsule, object, NULL);
    if (!capsule) return -1;
    const int failed = dlpack_take_capsule(&o->array, &o->ndim, capsule);
    Py_DECREF(capsule);
    if (failed) return -1;
    o->kind = OPERAND_DLPACK;
    o->releases = true;
    return 1;
}

bool has_negative_strides(const tess_array *array)
{
    for (int axis = 0; axis < 4; axis++)
        if (array->strides.dim[axis] < 0 && array->shape.dim[axis] > 1) return true;
    return false;
}

PyObject *torch_from_array(PyObject *like, const tess_array *array, int ndim)
{
    if ((PyObject *)Py_TYPE(like) != tensor_type || array->device.kind != TESS_CPU) return NULL;
    PyObject *capsule = dlpack_export(array, ndim, false);
    PyObject *made = capsule ? PyObject_CallFunctionObjArgs(from_capsule, capsule, NULL) : NULL;
    Py_XDECREF(capsule);
    return made;
}
