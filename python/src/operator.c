/* tessera.op: an operator of the user's as a callable that broadcasts its arguments.
 *
 * Its parameters are read from the canonical text: inputs, views and numbers are arguments in their order, what it
 * changes is an argument as well, and outputs are results.
 */
#include "operator.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include <structmember.h>

#include "call.h"
#include "errors.h"
#include "foreign_stream.h"
#include "tessera/op.h"
#include "values.h"
#include "work.h"

enum { MAX_OP_PARAMETERS = 32, OP_NAME = 64 };

typedef enum op_role { OP_IN, OP_VAL, OP_INOUT, OP_OUT, OP_ACC } op_role;

typedef struct op_parameter {
    op_role role;
    char    name[OP_NAME];
    bool    has_default;
} op_parameter;

typedef struct operator_object {
    PyObject_HEAD tess_op *op;
    PyObject              *weak_references;
    int                    n;
    op_parameter           parameters[MAX_OP_PARAMETERS];
} operator_object;

static PyTypeObject *operator_type;

const struct tess_op *operator_of(PyObject *self) { return ((operator_object *)self)->op; }

/* ---- The parameters of a text ---- */

static bool starts_with(const char *text, const char *word)
{
    const size_t n = strlen(word);
    return strncmp(text, word, n) == 0 && isspace((unsigned char)text[n]);
}

static op_role role_of(const char *text)
{
    if (starts_with(text, "in") || starts_with(text, "view")) return OP_IN;
    if (starts_with(text, "val")) return OP_VAL;
    if (starts_with(text, "out")) return OP_OUT;
    return starts_with(text, "acc") ? OP_ACC : OP_INOUT;
}

/* "val f32 a = 2": the name is the last word before a default or a border. */
static void read_parameter(op_parameter *p, const char *text, size_t n)
{
    size_t end = 0, begin;
    p->role = role_of(text);
    while (end < n && !strchr("=[:", text[end])) end++;
    p->has_default = end < n && text[end] == '=';
    while (end > 0 && isspace((unsigned char)text[end - 1])) end--;
    begin = end;
    while (begin > 0 && (isalnum((unsigned char)text[begin - 1]) || text[begin - 1] == '_')) begin--;
    (void)snprintf(p->name, sizeof p->name, "%.*s", (int)(end - begin), text + begin);
}

static bool read_parameters(operator_object *self)
{
    const char *source = tess_op_source(self->op);
    const char *at = strncmp(source, "op ", 3) == 0 ? source : strstr(source, "op ");
    at = at ? strchr(at, '(') : NULL;
    int depth = 1;
    while (at && depth > 0) {
        const char *begin = ++at;
        while (isspace((unsigned char)*begin)) begin++;
        for (; *at && depth > 0 && !(depth == 1 && *at == ','); at++) depth += (*at == '(') - (*at == ')');
        if (!*at || self->n == MAX_OP_PARAMETERS) return false;
        const char *end = depth == 0 ? at - 1 : at;
        if (end > begin) read_parameter(&self->parameters[self->n++], begin, (size_t)(end - begin));
    }
    return at != NULL;
}

/* ---- Arguments ---- */

typedef struct op_call {
    operator_object *self;
    PyObject        *given[MAX_OP_PARAMETERS];
    operand          operands[MAX_OP_PARAMETERS];
    tess_bind        binds[MAX_OP_PARAMETERS];
    tess_array       made[MAX_OP_PARAMETERS];
    int              n_operands, n_binds, ndim;
    const operand   *first;
    bool             reduces;
} op_call;

static int unexpected(const op_call *c, PyObject *name)
{
    PyErr_Format(PyExc_TypeError, "op: unknown argument %R", name);
    (void)c;
    return -1;
}

static int bind_names(op_call *c, PyObject *keywords)
{
    PyObject  *key, *value;
    Py_ssize_t at = 0;
    while (keywords && PyDict_Next(keywords, &at, &key, &value)) {
        int i = 0;
        if (PyUnicode_CompareWithASCIIString(key, "out") == 0 || PyUnicode_CompareWithASCIIString(key, "shape") == 0)
            continue;
        while (i < c->self->n && PyUnicode_CompareWithASCIIString(key, c->self->parameters[i].name) != 0) i++;
        if (i == c->self->n || c->given[i]) return unexpected(c, key);
        c->given[i] = value;
    }
    return 0;
}

static int bind_op(op_call *c, PyObject *args, PyObject *keywords)
{
    const Py_ssize_t n = PyTuple_Size(args);
    Py_ssize_t       next = 0;
    for (int i = 0; i < c->self->n && next < n; i++)
        if (c->self->parameters[i].role < OP_OUT) c->given[i] = PyTuple_GetItem(args, next++);
    if (next < n) {
        PyErr_Format(PyExc_TypeError, "op: got %zd arguments; expected %zd", n, next);
        return -1;
    }
    return bind_names(c, keywords);
}

static void bind_integer(tess_bind *b, PyObject *object)
{
    PyObject *index = PyNumber_Index(object);
    b->kind = TESS_BIND_I64;
    b->as.i = index ? PyLong_AsLongLong(index) : -1;
    if (index && b->as.i == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        b->kind = TESS_BIND_U64;
        b->as.u = PyLong_AsUnsignedLongLong(index);
    }
    Py_XDECREF(index);
}

static int bind_number(tess_bind *b, PyObject *object, const char *name)
{
    const number_kind kind = kind_of_number(object);
    if (kind == NUMBER_COMPLEX) {
        b->kind = TESS_BIND_C64;
        (void)complex_from_object(&b->as.c, object);
    } else if (kind == NUMBER_INTEGER) {
        bind_integer(b, object);
    } else {
        b->kind = TESS_BIND_F64;
        b->as.f = PyFloat_AsDouble(object);
    }
    if (!PyErr_Occurred()) return 0;
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "op: %s is %R; expected a number", name, object);
    return -1;
}

static int bind_array(op_call *c, tess_bind *b, PyObject *object, const char *name, bool output)
{
    operand *o = &c->operands[c->n_operands];
    if (output ? operand_read_output(o, object, "op", name) : operand_read(o, object, "op", name)) return -1;
    c->n_operands++;
    if (o->ndim > c->ndim) c->ndim = o->ndim;
    if (!c->first || (c->first->kind < OPERAND_BUFFER && o->kind > c->first->kind)) c->first = o;
    b->kind = output ? TESS_BIND_ARRAY : TESS_BIND_INPUT;
    if (output) b->as.array = &o->array;
    else b->as.input = &o->array;
    return 0;
}

/* The output number `k`: the caller's, or a new one. */
static int bind_output(op_call *c, tess_bind *b, int i, PyObject *out, int k)
{
    PyObject *given = out && PyTuple_Check(out) ? PyTuple_GetItem(out, k) : k == 0 ? out : NULL;
    if (PyErr_Occurred()) return -1;
    c->given[i] = given && given != Py_None ? given : NULL;
    if (c->given[i]) return bind_array(c, b, given, c->self->parameters[i].name, true);
    b->kind = TESS_BIND_ARRAY;
    b->as.array = &c->made[i];
    return 0;
}

static int bind_one(op_call *c, int i, PyObject *out, int *n_out)
{
    const op_parameter *p = &c->self->parameters[i];
    tess_bind          *b = &c->binds[c->n_binds];
    if (p->role == OP_ACC) {
        c->reduces = true;
        return 0;
    }
    c->n_binds++;
    if (p->role == OP_OUT) return bind_output(c, b, i, out, (*n_out)++);
    if (!c->given[i]) {
        if (p->has_default) {
            c->n_binds--;
            return 0;
        }
        PyErr_Format(PyExc_TypeError, "op: missing argument '%s'", p->name);
        return -1;
    }
    if (p->role == OP_VAL) return bind_number(b, c->given[i], p->name);
    return bind_array(c, b, c->given[i], p->name, p->role == OP_INOUT);
}

/* ---- Results ---- */

static PyObject *op_result(op_call *c, int i)
{
    if (c->given[i]) {
        Py_INCREF(c->given[i]);
        return c->given[i];
    }
    int ndim = c->reduces ? 0 : c->ndim;
    for (int least = 4; least > ndim; least--)
        if (c->made[i].shape.dim[4 - least] != 1) ndim = least;
    return object_of_kind(c->first, &c->made[i], ndim);
}

static PyObject *op_results(op_call *c)
{
    PyObject *list = PyList_New(0);
    for (int pass = OP_OUT; list && pass >= OP_INOUT && PyList_Size(list) == 0; pass--)
        for (int i = 0; list && i < c->self->n; i++) {
            if ((int)c->self->parameters[i].role != pass) continue;
            PyObject *one = op_result(c, i);
            if (!one || PyList_Append(list, one)) Py_CLEAR(list);
            Py_XDECREF(one);
        }
    PyObject *made = NULL;
    if (list && PyList_Size(list) == 1) {
        made = PyList_GetItem(list, 0);
        Py_INCREF(made);
    } else if (list) {
        made = PyList_AsTuple(list);
    }
    Py_XDECREF(list);
    return made;
}

static int bind_all(op_call *c, PyObject *keywords, tess_run_opts *opts)
{
    PyObject *out = keywords ? PyDict_GetItemString(keywords, "out") : NULL;
    PyObject *shape = keywords ? PyDict_GetItemString(keywords, "shape") : NULL;
    int       n_out = 0, ndim = 0;
    for (int i = 0; i < c->self->n; i++)
        if (bind_one(c, i, out == Py_None ? NULL : out, &n_out)) return -1;
    if (shape && shape != Py_None && shape_from_object(&opts->domain, &ndim, shape, 1, "op", "shape")) return -1;
    if (ndim > c->ndim) c->ndim = ndim;
    return 0;
}

static PyObject *run_op(op_call *c, const tess_run_opts *opts)
{
    stream_turn turn;
    if (stream_follow(&turn, c->first, c->operands, c->n_operands, NULL)) return NULL;
    const work_state  work = work_begin();
    const tess_status status = work_end(&work, tess_run(c->self->op, c->binds, c->n_binds, opts));
    const int         failed = status == TESS_OK ? PyErr_CheckSignals() : raise_status(status);
    if (status != TESS_OK) operands_locate(c->operands, c->n_operands, c->ndim);
    return stream_leave(&turn, c->first, c->operands, c->n_operands, failed ? NULL : op_results(c));
}

static PyObject *call_operator(PyObject *self, PyObject *args, PyObject *keywords)
{
    op_call *c = PyMem_Calloc(1, sizeof *c);
    if (!c) return PyErr_NoMemory();
    c->self = (operator_object *)self;
    tess_run_opts opts = { .stream = NULL };
    PyObject     *made = bind_op(c, args, keywords) || bind_all(c, keywords, &opts) ? NULL : run_op(c, &opts);
    for (int i = 0; i < c->n_operands; i++) operand_clear(&c->operands[i]);
    for (int i = 0; i < c->self->n; i++) tess_release(&c->made[i]);
    PyMem_Free(c);
    return made;
}

/* ---- The type ---- */

static PyObject *make_operator(PyObject *text)
{
    Py_ssize_t        size;
    const char       *utf8 = PyUnicode_AsUTF8AndSize(text, &size);
    tess_op          *op = NULL;
    const tess_status status = utf8 ? tess_op_parse(&op, utf8, (size_t)size, NULL) : TESS_OK;
    if (!utf8) return NULL;
    if (status != TESS_OK) return raised(status);
    operator_object *self = PyObject_New(operator_object, operator_type);
    if (!self) {
        tess_op_release(op);
        return NULL;
    }
    self->op = op;
    self->weak_references = NULL;
    self->n = 0;
    if (read_parameters(self)) return (PyObject *)self;
    Py_DECREF(self);
    PyErr_Format(PyExc_NotImplementedError, "op: an operator with more than %d parameters cannot be called from Python",
                 MAX_OP_PARAMETERS);
    return NULL;
}

PyObject *operator_from_object(PyObject *object)
{
    if (PyUnicode_Check(object)) return make_operator(object);
    if (PyObject_TypeCheck(object, operator_type)) {
        Py_INCREF(object);
        return object;
    }
    PyErr_Format(PyExc_TypeError, "op: %R is not an operator; expected its text", object);
    return NULL;
}

static PyObject *new_operator(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    (void)type;
    static char *words[] = { "text", NULL };
    PyObject    *text;
    return PyArg_ParseTupleAndKeywords(args, keywords, "O:op", words, &text) ? operator_from_object(text) : NULL;
}

static void drop_operator(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    if (((operator_object *)self)->weak_references) PyObject_ClearWeakRefs(self);
    tess_op_release(((operator_object *)self)->op);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *represent_operator(PyObject *self)
{
    return PyUnicode_FromFormat("tessera.op(\"%s\")", tess_op_source(((operator_object *)self)->op));
}

static PyObject *get_source(PyObject *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(tess_op_source(((operator_object *)self)->op));
}

/* Pickled and copied by its text. */
static PyObject *reduce_operator(PyObject *self, PyObject *none)
{
    (void)none;
    return Py_BuildValue("O(s)", (PyObject *)operator_type, tess_op_source(((operator_object *)self)->op));
}

static PyMethodDef operator_methods[] = {
    { "__reduce__", reduce_operator, METH_NOARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static PyMemberDef operator_members[] = {
    { "__weaklistoffset__", T_PYSSIZET, offsetof(operator_object, weak_references), READONLY, NULL },
    { NULL, 0, 0, 0, NULL },
};

static PyGetSetDef operator_attributes[] = {
    { "source", get_source, NULL, "its canonical text", NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

static const char operator_doc[] =
    "op(text)\n--\n\nAn operator from text, such as \"op f(in f32 x, val f32 a, out f32 y) { y = a*x; }\".\n\n"
    "Calling it broadcasts the arguments and returns the outputs. out= writes into existing arrays; shape= is\n"
    "the domain where no input gives it. Errors in the text raise ParseError, which points at their position.";

int operator_type_make(PyObject *module)
{
    PyType_Slot slots[] = {
        { Py_tp_new, SLOT(new_operator) },
        { Py_tp_dealloc, SLOT(drop_operator) },
        { Py_tp_call, SLOT(call_operator) },
        { Py_tp_repr, SLOT(represent_operator) },
        { Py_tp_getset, operator_attributes },
        { Py_tp_methods, operator_methods },
        { Py_tp_members, operator_members },
        { Py_tp_doc, (void *)operator_doc },
        { 0, NULL },
    };
    PyType_Spec spec = { "tessera.op", sizeof(operator_object), 0, Py_TPFLAGS_DEFAULT, slots };
    operator_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!operator_type) return -1;
    Py_INCREF(operator_type);
    if (PyModule_AddObject(module, "op", (PyObject *)operator_type) == 0) return 0;
    Py_DECREF(operator_type);
    return -1;
}
