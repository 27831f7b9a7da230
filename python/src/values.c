/* Python objects as values of arguments, by the type of the argument's row.
 *
 * A tess_value is a union and an option is a field: in both the value lies at the address it is written to.
 */
#include "values.h"

#include <ctype.h>
#include <string.h>

#include "axes.h"
#include "dtypes.h"
#include "errors.h"
#include "job_sinks.h"
#include "job_sources.h"
#include "operator.h"

/* Reject a value: "lowpass: cutoff is 'a'; expected a number". */
static int wrong(PyObject *type, const char *function, const char *argument, PyObject *object, const char *needed)
{
    PyErr_Clear();
    PyErr_Format(type, "%s: %s is %R; expected %s", function, argument, object, needed);
    return -1;
}

static int wrong_value(const call *c, const parameter *p, PyObject *object, const char *needed)
{
    return wrong(PyExc_TypeError, name_of(c), p->text, object, needed);
}

/* ---- Numbers ---- */

static int to_f64(call *c, const parameter *p, PyObject *object, void *to)
{
    const double x = PyFloat_AsDouble(object);
    if (x == -1 && PyErr_Occurred()) return wrong_value(c, p, object, "a number");
    memcpy(to, &x, sizeof x);
    return 0;
}

static int whole_number(const call *c, const parameter *p, PyObject *object, long long *whole)
{
    PyObject *index = PyNumber_Index(object);
    *whole = index ? PyLong_AsLongLong(index) : -1;
    Py_XDECREF(index);
    if (*whole != -1 || !PyErr_Occurred()) return 0;
    return wrong_value(c, p, object, "an integer from -2^63 to 2^63 - 1");
}

static int to_i64(call *c, const parameter *p, PyObject *object, void *to)
{
    long long whole;
    if (whole_number(c, p, object, &whole)) return -1;
    const int64_t value = whole;
    memcpy(to, &value, sizeof value);
    return 0;
}

static int to_i32(call *c, const parameter *p, PyObject *object, void *to)
{
    long long whole;
    if (whole_number(c, p, object, &whole)) return -1;
    if (whole < INT32_MIN || whole > INT32_MAX) return wrong_value(c, p, object, "an integer from -2^31 to 2^31 - 1");
    const int32_t value = (int32_t)whole;
    memcpy(to, &value, sizeof value);
    return 0;
}

static int natural_number(const call *c, const parameter *p, PyObject *object, unsigned long long *whole)
{
    PyObject *index = PyNumber_Index(object);
    *whole = index ? PyLong_AsUnsignedLongLong(index) : 0;
    Py_XDECREF(index);
    return PyErr_Occurred() ? wrong_value(c, p, object, "an integer from 0 to 2^64 - 1") : 0;
}

static int to_u64(call *c, const parameter *p, PyObject *object, void *to)
{
    unsigned long long whole;
    if (natural_number(c, p, object, &whole)) return -1;
    const uint64_t value = whole;
    memcpy(to, &value, sizeof value);
    return 0;
}

static int to_u32(call *c, const parameter *p, PyObject *object, void *to)
{
    unsigned long long whole;
    if (natural_number(c, p, object, &whole)) return -1;
    if (whole > UINT32_MAX) return wrong_value(c, p, object, "an integer from 0 to 2^32 - 1");
    const uint32_t value = (uint32_t)whole;
    memcpy(to, &value, sizeof value);
    return 0;
}

static int to_flag(call *c, const parameter *p, PyObject *object, void *to)
{
    const bool    is_list = PyTuple_Check(object) || PyList_Check(object) || PyUnicode_Check(object);
    const int32_t truth = is_list ? -1 : PyObject_IsTrue(object);
    if (truth < 0) return wrong_value(c, p, object, "True or False");
    memcpy(to, &truth, sizeof truth);
    return 0;
}

/* ---- Choices ---- */

static int no_choice(const tess_arg_info *row, PyObject *object, const char *function, const char *argument)
{
    char   list[400] = "one of ";
    size_t used = strlen(list);
    for (const tess_choice *o = row->choices; o && o->name && o->help && used < sizeof list; o++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s'%s'", o == row->choices ? "" : ", ", o->name);
    return wrong(PyExc_ValueError, function, argument, object, list);
}

int choice_from_object(int32_t *value, const tess_arg_info *row, PyObject *object, const char *function,
                       const char *argument)
{
    const char *name = PyUnicode_Check(object) ? text_of(object) : NULL;
    tess_dtype  dtype;
    if (strcmp(row->name, "dtype") == 0 && dtype_from_object(&dtype, object) == 0) name = tess_dtype_name(dtype);
    PyErr_Clear();
    for (const tess_choice *o = row->choices; name && o->name; o++)
        if (strcmp(o->name, name) == 0) {
            *value = o->value;
            return 0;
        }
    return no_choice(row, object, function, argument);
}

static int to_choice(call *c, const parameter *p, PyObject *object, void *to)
{
    int32_t value;
    if (choice_from_object(&value, p->row, object, name_of(c), p->text)) return -1;
    memcpy(to, &value, sizeof value);
    return 0;
}

static int to_dtype(call *c, const parameter *p, PyObject *object, void *to)
{
    (void)p;
    tess_dtype dtype;
    if (dtype_argument(&dtype, object, name_of(c))) return -1;
    memcpy(to, &dtype, sizeof dtype);
    return 0;
}

static int to_device(call *c, const parameter *p, PyObject *object, void *to)
{
    (void)c, (void)p;
    tess_device device;
    if (device_from_object(&device, object)) return -1;
    memcpy(to, &device, sizeof device);
    return 0;
}

/* ---- Axes and shapes: counted in the axes that the caller's arrays have ---- */

/* An axis, by number or letter, as one of the four. */
static int axis_from_object(const call *c, const parameter *p, PyObject *object, int *axis)
{
    static const char letters[] = "bdhw";
    const char       *letter = PyUnicode_Check(object) ? text_of(object) : NULL;
    if (letter && letter[0] && !letter[1] && strchr(letters, tolower((unsigned char)letter[0]))) {
        *axis = (int)(strchr(letters, tolower((unsigned char)letter[0])) - letters);
        return 0;
    }
    long long whole;
    if (PyUnicode_Check(object) || whole_number(c, p, object, &whole))
        return wrong_value(c, p, object, "an axis: its number, or 'b', 'd', 'h' or 'w'");
    return axes_find(c, p, whole, axis);
}

static int to_axis(call *c, const parameter *p, PyObject *object, void *to)
{
    int axis;
    if (axis_from_object(c, p, object, &axis)) return -1;
    const int32_t value = axis;
    memcpy(to, &value, sizeof value);
    return 0;
}

static int add_axis_to_set(const call *c, const parameter *p, PyObject *object, int32_t *set)
{
    int axis;
    if (axis_from_object(c, p, object, &axis)) return -1;
    if (*set & TESS_B << axis) {
        PyErr_Format(PyExc_ValueError, "%s: %s has axis %S twice; expected different axes", name_of(c), p->text,
                     object);
        return -1;
    }
    *set |= TESS_B << axis;
    return 0;
}

/* The letters of "hw" one by one. */
static int add_letters(const call *c, const parameter *p, PyObject *object, int32_t *set)
{
    const Py_ssize_t n = PyUnicode_GetLength(object);
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *letter = PyUnicode_Substring(object, i, i + 1);
        const int failed = letter ? add_axis_to_set(c, p, letter, set) : -1;
        Py_XDECREF(letter);
        if (failed) return -1;
    }
    return 0;
}

static int to_axis_set(call *c, const parameter *p, PyObject *object, void *to)
{
    int32_t set = 0;
    if (PyUnicode_Check(object)) {
        if (add_letters(c, p, object, &set)) return -1;
    } else if (PyTuple_Check(object) || PyList_Check(object)) {
        const Py_ssize_t n = PySequence_Size(object);
        for (Py_ssize_t i = 0; i < n; i++) {
            PyObject *one = PySequence_GetItem(object, i);
            const int failed = one ? add_axis_to_set(c, p, one, &set) : -1;
            Py_XDECREF(one);
            if (failed) return -1;
        }
    } else if (add_axis_to_set(c, p, object, &set)) {
        return -1;
    }
    if (!set) return wrong(PyExc_ValueError, name_of(c), p->text, object, "one axis or more");
    if (p->row->flags & TESS_ARG_REDUCED) c->axes = set;
    memcpy(to, &set, sizeof set);
    return 0;
}

static int to_axes(call *c, const parameter *p, PyObject *object, void *to)
{
    const Py_ssize_t n = PyTuple_Check(object) || PyList_Check(object) ? PySequence_Size(object) : -1;
    int32_t          axes[4] = { 0, 1, 2, 3 };
    if (n != c->ndim) return wrong(PyExc_ValueError, name_of(c), p->text, object, "the number of each axis, once");
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *one = PySequence_GetItem(object, i);
        int       axis = 0;
        const int failed = one ? axis_from_object(c, p, one, &axis) : -1;
        Py_XDECREF(one);
        if (failed) return -1;
        axes[4 - n + i] = axis;
    }
    memcpy(to, axes, sizeof axes);
    return 0;
}

static int read_size(int64_t *size, PyObject *object)
{
    PyObject *index = PyNumber_Index(object);
    *size = index ? PyLong_AsLongLong(index) : -1;
    Py_XDECREF(index);
    return *size == -1 && PyErr_Occurred() ? -1 : 0;
}

static bool is_sequence(PyObject *object)
{
    return !PyUnicode_Check(object) && !PyIndex_Check(object) && PySequence_Check(object);
}

int shape_from_object(tess_shape *shape, int *ndim, PyObject *object, int64_t fill, const char *function,
                      const char *argument)
{
    const bool       several = is_sequence(object);
    const Py_ssize_t n = several ? PySequence_Size(object) : 1;
    *shape = TESS_SHAPE(fill, fill, fill, fill);
    if (n < 0 || n > 4) return wrong(PyExc_ValueError, function, argument, object, "a shape of at most 4 sizes");
    *ndim = (int)n;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *one = several ? PySequence_GetItem(object, i) : object;
        const int failed = one ? read_size(&shape->dim[4 - n + i], one) : -1;
        if (several) Py_XDECREF(one);
        if (failed) return wrong(PyExc_TypeError, function, argument, object, "an integer, or a tuple of integers");
    }
    return 0;
}

/* A window of one number is as long along each axis; along those of size 1 only if ndim= counts them, as SciPy does. */
static bool counts_axis(const call *c, int axis)
{
    if (c->ndim_given) return axis >= 4 - c->ndim_given;
    return !c->first || c->first->array.shape.dim[axis] > 1;
}

static bool is_window(const parameter *p) { return strcmp(p->row->name, "window") == 0; }

/* A number for each axis; a single one is for those of d, h and w along which the caller's array is longer than 1. */
static int numbers_per_axis(call *c, const parameter *p, PyObject *object, tess_shape *shape)
{
    const int64_t fill = (int64_t)p->row->fallback;
    int           ndim;
    if (shape_from_object(shape, &ndim, object, fill, name_of(c), p->text)) return -1;
    if (is_sequence(object) && c->first && ndim > c->ndim && ndim < 4) {
        PyErr_Format(PyExc_ValueError, "%s: %s has %d numbers, and the array %d axes; expected one for each axis",
                     name_of(c), p->text, ndim, c->ndim);
        return -1;
    }
    if (is_sequence(object)) return 0;
    const int64_t number = shape->w;
    for (int axis = 1; axis < 4; axis++) {
        const bool is_one = c->first && c->first->array.shape.dim[axis] <= 1;
        shape->dim[axis] = (is_window(p) ? counts_axis(c, axis) : !is_one) ? number : fill;
    }
    return 0;
}

/* One number is the size along each axis of the caller's image or volume; a row of numbers tells nothing of shapes. */
static int spread_number(const call *c, const parameter *p, PyObject *object, tess_shape *shape)
{
    const operand *first = c->n_operands ? &c->operands[0] : NULL;
    const bool     is_of_job = c->function->job && p->row->role == TESS_ROLE_OPTION; /* whose sources may be files */
    if (is_sequence(object) || (!is_of_job && (!first || first->ndim < 2))) return 0;
    if (is_of_job) {
        shape->h = shape->w;
        return 0;
    }
    if (is_window(p)) {
        const int64_t number = shape->w;
        for (int axis = 1; axis < 4; axis++) shape->dim[axis] = counts_axis(c, axis) ? number : 1;
        return 0;
    }
    const bool of_another = p->row->role == TESS_ROLE_OPTION || strcmp(p->row->name, "volume") == 0;
    if (of_another) return wrong(PyExc_ValueError, name_of(c), p->text, object, "a tuple with the size of each axis");
    for (int axis = 1; axis < 3; axis++)
        if (first->array.shape.dim[axis] > 1) shape->dim[axis] = shape->w;
    if (p->row->flags & TESS_ARG_COUNTS_BATCH) shape->b = first->array.shape.b;
    return 0;
}

/* An image does not become a volume by a shape with one size more. */
static int check_rank(const call *c, const parameter *p, PyObject *object)
{
    const char *name = c->function->original ? c->function->original : name_of(c);
    const bool  keeps = strcmp(name, "resize") == 0 || strcmp(name, "fft_resize") == 0 || strcmp(name, "extract") == 0;
    if (!keeps || !c->n_operands || !is_sequence(object)) return 0;
    const int        ndim = c->operands[0].ndim;
    const Py_ssize_t n = PySequence_Size(object);
    if (n <= ndim || ndim < 2 || n > 3) return 0;
    PyErr_Format(PyExc_ValueError, "%s: %s has %zd numbers, and the array %d axes; expected one for each axis",
                 name_of(c), p->text, n, ndim);
    return -1;
}

static int to_shape(call *c, const parameter *p, PyObject *object, void *to)
{
    tess_shape shape;
    int        ndim = c->ndim;
    if (check_rank(c, p, object)) return -1;
    const int counted = axes_read_shape(c, p, object, &shape);
    if (counted < 0) return -1;
    if (counted > 0) {
        memcpy(to, &shape, sizeof shape);
        return 0;
    }
    if (p->row->flags & TESS_ARG_PER_AXIS) {
        if (numbers_per_axis(c, p, object, &shape)) return -1;
    } else if (shape_from_object(&shape, &ndim, object, 1, name_of(c), p->text) ||
               spread_number(c, p, object, &shape)) {
        return -1;
    }
    if (!c->first && ndim > c->ndim) c->ndim = ndim;
    memcpy(to, &shape, sizeof shape);
    return 0;
}

/* ---- Texts ---- */

static int to_text(call *c, const parameter *p, PyObject *object, void *to)
{
    const char *text = PyUnicode_Check(object) ? text_of(object) : NULL;
    if (!text) return wrong_value(c, p, object, "a str");
    memcpy(to, &text, sizeof text);
    return 0;
}

static int to_path(call *c, const parameter *p, PyObject *object, void *to)
{
    PyObject *bytes = NULL;
    if (!PyUnicode_FSConverter(object, &bytes)) return wrong_value(c, p, object, "a file name");
    if (call_hold(c, bytes)) return -1;
    const char *text = PyBytes_AsString(bytes);
    memcpy(to, &text, sizeof text);
    return 0;
}

/* ---- Arrays, lists, structs, operators ---- */

/* A table {n,m} of rows of numbers, where one row for each batch is wanted: {n,1,1,m}. */
static void rows_to_batches(operand *o)
{
    if (o->ndim != 2) return;
    o->ndim = 4;
    o->array.shape = TESS_SHAPE(o->array.shape.h, 1, 1, o->array.shape.w);
    o->array.strides = TESS_STRIDES(o->array.strides.h, 0, 0, o->array.strides.w);
}

static int to_array(call *c, const parameter *p, PyObject *object, void *to)
{
    operand *made;
    if (axes_operand(c, p, object, false, &made)) return -1;
    if (p->row->flags & TESS_ARG_ROWS && !p->row->axes) rows_to_batches(made);
    const tess_array *array = &made->array;
    memcpy(to, &array, sizeof array);
    return 0;
}

static int to_arrays(call *c, const parameter *p, PyObject *object, void *to)
{
    const Py_ssize_t n = PyTuple_Check(object) || PyList_Check(object) ? PySequence_Size(object) : -1;
    tess_value      *value = to;
    if (n < 1 || n > 1 << 20) return wrong_value(c, p, object, "a list of arrays");
    tess_array *arrays = PyMem_Malloc((size_t)n * sizeof *arrays);
    if (call_keep_memory(c, arrays)) return -1;
    operand *listed = c->listed = PyMem_Malloc((size_t)n * sizeof *listed);
    if (!listed) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *one = PySequence_GetItem(object, i);
        if (!one || operand_read(&listed[i], one, name_of(c), p->text)) {
            Py_XDECREF(one);
            return -1;
        }
        if (listed[i].owner) Py_DECREF(one);
        else listed[i].owner = one; /* a thread may change the list while the library works */
        c->n_listed++;
        if (listed[i].ndim > c->ndim) c->ndim = listed[i].ndim;
        if (!c->first || c->first->kind < OPERAND_BUFFER) c->first = &listed[i];
    }
    for (Py_ssize_t i = 0; i < n; i++)
        if (listed[i].kind < OPERAND_BUFFER && operand_move(&listed[i], c->first->array.device)) return -1;
    if (operands_promote(listed, (int)n)) return -1;
    for (Py_ssize_t i = 0; i < n; i++) arrays[i] = listed[i].array;
    value->list.of.arrays = arrays;
    value->list.n = n;
    return 0;
}

static int to_numbers(call *c, const parameter *p, PyObject *object, void *to)
{
    tess_value *value = to;
    operand    *list;
    tess_array  made = { .data = NULL };
    if (call_operand(c, object, p->text, false, &list)) return -1;
    const int64_t n = tess_n_elements(&list->array);
    double       *numbers = PyMem_Malloc((size_t)(n > 0 ? n : 1) * sizeof *numbers);
    if (call_keep_memory(c, numbers)) return -1;
    tess_status status = tess_cast(&made, &list->array, TESS_F64, NULL);
    if (status != TESS_OK) return raise_status(status);
    if (n > 0) memcpy(numbers, made.data, (size_t)n * sizeof *numbers);
    tess_release(&made);
    value->list.of.numbers = numbers;
    value->list.n = n;
    return 0;
}

/* One element of the dtype of the array that is changed. */
static int to_element(call *c, const parameter *p, PyObject *object, void *to)
{
    operand   *number;
    tess_array made = { .data = NULL };
    if (call_operand(c, object, p->text, false, &number)) return -1;
    const tess_dtype dtype = c->operands[0].array.dtype;
    unsigned char   *element = PyMem_Malloc(tess_dtype_size(TESS_MAT44_F64));
    if (call_keep_memory(c, element)) return -1;
    const tess_status status = tess_cast(&made, &number->array, dtype, NULL);
    if (status != TESS_OK) return raise_status(status);
    memcpy(element, made.data, tess_n_elements(&made) ? tess_dtype_size(dtype) : 0);
    tess_release(&made);
    memcpy(to, &element, sizeof element);
    return 0;
}

static int put_field(const call *c, const parameter *p, const tess_arg_info *field, PyObject *object, char *structure)
{
    const double x = PyFloat_AsDouble(object);
    if (x == -1 && PyErr_Occurred()) return wrong(PyExc_TypeError, name_of(c), field->name, object, "a number");
    if (!(x >= field->min && x <= field->max)) {
        PyErr_Format(PyExc_ValueError, "%s: %s of %s is %R, which is out of range", name_of(c), field->name, p->text,
                     object);
        return -1;
    }
    memcpy(structure + field->offset, &x, sizeof x);
    tess_field_given(field, structure);
    return 0;
}

static int unknown_field(const call *c, const parameter *p, PyObject *key)
{
    char   list[400] = "";
    size_t used = 0;
    for (const tess_arg_info *field = p->row->fields; field->name && used < sizeof list; field++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", field->name);
    PyErr_Format(PyExc_ValueError, "%s: %s has no field %R; it has %s", name_of(c), p->text, key, list);
    return -1;
}

static int put_pair(const call *c, const parameter *p, PyObject *key, PyObject *value, char *structure)
{
    const char          *name = PyUnicode_Check(key) ? text_of(key) : NULL;
    const tess_arg_info *field = p->row->fields;
    while (name && field->name && strcmp(field->name, name) != 0) field++;
    return name && field->name ? put_field(c, p, field, value, structure) : unknown_field(c, p, key);
}

/* Of a copy: values with methods of their own may change the dict. */
static int put_fields(const call *c, const parameter *p, PyObject *dict, char *structure)
{
    PyObject  *key, *value, *copy = PyDict_Copy(dict);
    Py_ssize_t at = 0;
    int        failed = copy ? 0 : -1;
    while (!failed && PyDict_Next(copy, &at, &key, &value)) failed = put_pair(c, p, key, value, structure);
    Py_XDECREF(copy);
    return failed;
}

/* {"defocus": 1.5, "voltage": 300}: a field that is left out has its default. */
static int to_struct(call *c, const parameter *p, PyObject *object, void *to)
{
    if (!PyDict_Check(object)) return wrong_value(c, p, object, "a dict of numbers");
    char *structure = PyMem_Calloc(1, p->row->size);
    if (call_keep_memory(c, structure) || put_fields(c, p, object, structure)) return -1;
    memcpy(to, &structure, sizeof structure);
    return 0;
}

static int to_op(call *c, const parameter *p, PyObject *object, void *to)
{
    PyObject *made = operator_from_object(object);
    if (!made)
        return PyErr_ExceptionMatches(PyExc_TypeError) ? wrong_value(c, p, object, "an operator or its text") : -1;
    if (call_hold(c, made)) return -1;
    const struct tess_op *op = operator_of(made);
    memcpy(to, &op, sizeof op);
    return 0;
}

/* ---- The table ---- */

static converter *const converters[] = {
    [TESS_ARG_ARRAY] = to_array,
    [TESS_ARG_ARRAYS] = to_arrays,
    [TESS_ARG_SHAPE] = to_shape,
    [TESS_ARG_DTYPE] = to_dtype,
    [TESS_ARG_DEVICE] = to_device,
    [TESS_ARG_AXIS] = to_axis,
    [TESS_ARG_AXES] = to_axes,
    [TESS_ARG_F64] = to_f64,
    [TESS_ARG_I64] = to_i64,
    [TESS_ARG_I32] = to_i32,
    [TESS_ARG_FLAG] = to_flag,
    [TESS_ARG_CHOICE] = to_choice,
    [TESS_ARG_ELEMENT] = to_element,
    [TESS_ARG_AXIS_SET] = to_axis_set,
    [TESS_ARG_U64] = to_u64,
    [TESS_ARG_U32] = to_u32,
    [TESS_ARG_TEXT] = to_text,
    [TESS_ARG_PATH] = to_path,
    [TESS_ARG_NUMBERS] = to_numbers,
    [TESS_ARG_OP] = to_op,
    [TESS_ARG_STRUCT] = to_struct,
    [TESS_ARG_SOURCE] = source_from_object,
    [TESS_ARG_SOURCES] = sources_from_object,
    [TESS_ARG_SINK] = sink_from_object,
};

int value_from_object(call *c, const parameter *p, PyObject *object, void *to)
{
    const size_t type = (size_t)p->row->type;
    if (type < sizeof converters / sizeof *converters && converters[type]) return converters[type](c, p, object, to);
    PyErr_Format(PyExc_NotImplementedError, "%s: %s cannot be given from Python", name_of(c), p->text);
    return -1;
}
