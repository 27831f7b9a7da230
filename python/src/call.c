/* A call from Python: bind arguments to parameters, convert them, call the library without the GIL, return results. */
#include "call.h"

#include <string.h>

#include "array_type.h"
#include "axes.h"
#include "dtypes.h"
#include "errors.h"
#include "foreign_stream.h"
#include "job_sinks.h"
#include "job_sources.h"
#include "stream.h"
#include "values.h"
#include "work.h"

/* ---- What a call holds ---- */

int call_operand(call *c, PyObject *object, const char *argument, bool output, operand **made)
{
    if (c->n_operands == MAX_OPERANDS) {
        PyErr_Format(PyExc_RuntimeError, "%s: too many arrays", name_of(c));
        return -1;
    }
    operand  *o = &c->operands[c->n_operands];
    const int failed =
        output ? operand_read_output(o, object, name_of(c), argument) : operand_read(o, object, name_of(c), argument);
    if (failed) return -1;
    c->n_operands++;
    *made = o;
    return 0;
}

int call_hold(call *c, PyObject *object)
{
    if (object && c->n_held < MAX_HELD) {
        c->held[c->n_held++] = object;
        return 0;
    }
    Py_XDECREF(object);
    if (!PyErr_Occurred()) PyErr_NoMemory();
    return -1;
}

int call_keep_memory(call *c, void *memory)
{
    if (memory && c->n_memory < MAX_HELD) {
        c->memory[c->n_memory++] = memory;
        return 0;
    }
    PyMem_Free(memory);
    PyErr_NoMemory();
    return -1;
}

static void drop_all(call *c)
{
    if (c->sources) sources_close(c->sources);
    if (c->sinks) sinks_close(c->sinks);
    for (int i = 0; i < c->n_operands; i++) operand_clear(&c->operands[i]);
    for (int i = 0; i < c->n_listed; i++) operand_clear(&c->listed[i]);
    for (int i = 0; i < c->n_results; i++) tess_release(&c->results[i].array);
    for (int i = 0; i < c->n_held; i++) Py_DECREF(c->held[i]);
    for (int i = 0; i < c->n_memory; i++) PyMem_Free(c->memory[i]);
    PyMem_Free(c->listed);
}

/* ---- Binding ---- */

static int bind_keyword(call *c, PyObject *name, PyObject *value)
{
    const callable *f = c->function;
    const int       i = find_parameter(f, name);
    if (i < 0) return unknown_keyword(f, name);
    if (c->given[i]) {
        PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'", f->info->name,
                     f->parameters[i].text);
        return -1;
    }
    c->given[i] = value;
    return 0;
}

/* None stands for what is left out. */
static int drop_nones(call *c)
{
    const callable *f = c->function;
    for (int i = 0; i < f->n_parameters; i++) {
        const parameter *p = &f->parameters[i];
        if (c->given[i] != Py_None) continue;
        if (p->needed) {
            PyErr_Format(PyExc_TypeError, "%s: %s is None; expected a value", f->info->name, p->text);
            return -1;
        }
        c->given[i] = NULL;
    }
    return 0;
}

static int bind(call *c, PyObject *const *args, Py_ssize_t n_args, PyObject *keywords)
{
    const callable *f = c->function;
    if (n_args > f->n_positional) {
        PyErr_Format(PyExc_TypeError, "%s() takes %d positional arguments but %zd were given", f->info->name,
                     f->n_positional, n_args);
        return -1;
    }
    memset(c->given, 0, (size_t)f->n_parameters * sizeof *c->given);
    for (Py_ssize_t i = 0; i < n_args; i++) c->given[i] = args[i];
    const Py_ssize_t n = keywords ? PyTuple_Size(keywords) : 0;
    for (Py_ssize_t i = 0; i < n; i++)
        if (bind_keyword(c, PyTuple_GetItem(keywords, i), args[n_args + i])) return -1;
    for (int i = 0; i < f->n_positional; i++)
        if (f->parameters[i].required && !c->given[i]) {
            PyErr_Format(PyExc_TypeError, "%s() missing required argument '%s' (pos %d)", f->info->name,
                         f->parameters[i].text, i + 1);
            return -1;
        }
    return drop_nones(c);
}

/* ---- Arrays first: they decide what axes mean ---- */

static bool is_array_row(const parameter *p)
{
    return p->use == USE_CHANGED || (p->use == USE_VALUE && p->row->role == TESS_ROLE_IN);
}

/* An output that must have been made: an array, or a shape of one that is made now. */
static int read_changed(call *c, const parameter *p, PyObject *object)
{
    operand   *made;
    const bool is_shape = PyTuple_Check(object) || PyList_Check(object) || PyLong_Check(object);
    if (is_shape && p->row->flags & TESS_ARG_MADE) return 0; /* when dtype= is known */
    if (axes_operand(c, p, object, true, &made)) return -1;
    c->values[p->slot].out = &made->array;
    c->results[c->n_results++] = (result){ .name = p->row->name, .row = p->row, .type = RESULT_ARRAY, .given = object };
    return 0;
}

static int read_arrays(call *c)
{
    const callable *f = c->function;
    for (int i = 0; i < f->n_positional; i++) {
        const parameter *p = &f->parameters[i];
        if (!is_array_row(p) || !c->given[i]) continue;
        if (p->use == USE_CHANGED ? read_changed(c, p, c->given[i])
                                  : value_from_object(c, p, c->given[i], &c->values[p->slot]))
            return -1;
    }
    return 0;
}

/* Results are of the kind of the first array that is not a number or a list, and have as many axes as any of them. */
static void find_first(call *c)
{
    for (int i = 0; i < c->n_operands; i++) {
        const operand *o = &c->operands[i];
        if (!c->first || (c->first->kind < OPERAND_BUFFER && o->kind > c->first->kind)) c->first = o;
        if (o->ndim > c->ndim) c->ndim = o->ndim;
    }
}

/* A complex number is of the precision of the arrays it meets, as in NumPy. */
static void narrow_complex_numbers(call *c)
{
    int arrays = 0, narrow = 0;
    for (int i = 0; i < c->n_operands; i++) {
        const tess_array *a = &c->operands[i].array;
        const tess_dtype  real = tess_dtype_real(a->dtype);
        if (a->flags & TESS_SCALAR) continue;
        arrays++;
        narrow += real == TESS_F32 || real == TESS_F16;
    }
    if (arrays == 0 || narrow < arrays) return;
    for (int i = 0; i < c->n_operands; i++) {
        operand *o = &c->operands[i];
        if (o->kind != OPERAND_NUMBER || o->array.dtype != TESS_C64) continue;
        const tess_c32 number = { (float)o->number[0], (float)o->number[1] };
        memcpy(o->number, &number, sizeof number);
        o->array.dtype = TESS_C32;
    }
}

/* A float makes floats of integers also where it is whole, as in NumPy: 2 * 1.0. */
static void keep_floats(call *c)
{
    if (c->function->info->cut != TESS_CUT_ELEMENTS) return;
    for (int i = 0; i < c->n_operands; i++)
        if (c->operands[i].kind != OPERAND_NUMBER && !is_integer(c->operands[i].array.dtype)) return;
    for (int i = 0; i < c->n_operands; i++)
        if (c->operands[i].kind == OPERAND_NUMBER && PyFloat_CheckExact(c->operands[i].source))
            c->operands[i].array.flags &= ~(uint32_t)TESS_WEAK;
}

/* ---- All other values ---- */

static int set_default(call *c, const parameter *p)
{
    tess_value *value = &c->values[p->slot];
    if (p->has_preset) {
        PyObject *number = p->row->type == TESS_ARG_F64 ? PyFloat_FromDouble(p->preset) : PyLong_FromDouble(p->preset);
        const int failed = number ? value_from_object(c, p, number, value) : -1;
        Py_XDECREF(number);
        return failed;
    }
    if (p->row->type == TESS_ARG_DTYPE) value->dtype = TESS_F64;
    if (p->row->type == TESS_ARG_DEVICE) value->device = default_device();
    return 0;
}

static int read_keepdims(call *c)
{
    const callable *f = c->function;
    for (int i = f->n_positional; i < f->n_parameters; i++) {
        if (f->parameters[i].use != USE_KEEPDIMS || !c->given[i]) continue;
        const int truth = PyObject_IsTrue(c->given[i]);
        if (truth < 0) return -1;
        c->keepdims = truth > 0;
    }
    return 0;
}

/* A value that was given is used as it is, also 0. */
static int read_option(call *c, const parameter *p, PyObject *object)
{
    if (value_from_object(c, p, object, c->opts + p->row->offset)) return -1;
    const tess_status status = tess_option_given(c->function->info, p->row, c->opts);
    return status == TESS_OK ? 0 : raise_status(status);
}

static int read_values(call *c)
{
    const callable *f = c->function;
    for (int i = 0; i < f->n_parameters; i++) {
        const parameter *p = &f->parameters[i];
        int              failed = 0;
        if (p->use == USE_VALUE && !is_array_row(p))
            failed = c->given[i] ? value_from_object(c, p, c->given[i], &c->values[p->slot]) : set_default(c, p);
        else if (p->use == USE_OPTION && c->given[i]) failed = read_option(c, p, c->given[i]);
        if (failed) return -1;
    }
    return read_keepdims(c);
}

/* ---- dtype=: the type that work is done in, as of NumPy's functions ---- */

/* A number takes the dtype of the arrays, which must hold it: neither fraction nor imaginary part can be lost, and no
 * integer is out of range. */
static int cast_number(const call *c, operand *o, tess_dtype dtype)
{
    tess_array        cast = { .data = NULL }, back = { .data = NULL };
    const number_kind most = is_integer(dtype)                             ? NUMBER_INTEGER
                             : tess_dtype_kind(dtype) == TESS_KIND_COMPLEX ? NUMBER_COMPLEX
                                                                           : NUMBER_FLOAT;
    bool              fits = kind_of_number(o->source) <= most;
    tess_status       status = TESS_OK;
    if (fits && is_integer(dtype)) {
        status = tess_cast(&cast, &o->array, dtype, NULL);
        if (!status) status = tess_cast(&back, &cast, o->array.dtype, NULL);
        fits = status || memcmp(back.data, o->array.data, tess_dtype_size(o->array.dtype)) == 0;
        tess_release(&cast);
        tess_release(&back);
        cast = (tess_array){ .data = NULL };
    }
    if (!status && fits) status = tess_cast(&cast, &o->array, dtype, NULL);
    if (status) return raise_status(status);
    if (fits) {
        o->array = cast;
        o->releases = true;
        return 0;
    }
    PyObject *text = PyObject_Repr(o->source);
    PyObject *bytes = text ? PyUnicode_AsUTF8String(text) : NULL;
    if (bytes)
        (void)raise_text(TESS_EDTYPE, "%s: dtype is %s, which cannot hold the number %.100s", name_of(c),
                         tess_dtype_name(dtype), PyBytes_AsString(bytes));
    Py_XDECREF(text);
    Py_XDECREF(bytes);
    return -1;
}

static int cast_inputs(call *c)
{
    const callable *f = c->function;
    if (f->cast < 0 || !c->given[f->cast]) return 0;
    tess_dtype dtype;
    if (dtype_argument(&dtype, c->given[f->cast], name_of(c))) return -1;
    for (int i = 0; i < c->n_operands; i++) {
        operand *o = &c->operands[i];
        if (o->kind == OPERAND_NUMBER ? cast_number(c, o, dtype) : operand_cast(o, dtype)) return -1;
    }
    return 0;
}

/* ---- The call ---- */

static bool is_small(const call *c)
{
    if (c->function->info->cut != TESS_CUT_ELEMENTS && !c->function->reduced) return false;
    int64_t bytes = 0;
    for (int i = 0; i < c->n_operands; i++) {
        const tess_array *a = &c->operands[i].array;
        if (a->device.kind != TESS_CPU) return false;
        bytes += tess_n_bytes(a);
    }
    return bytes <= SMALL_BYTES;
}

tess_status call_library(call *c)
{
    const tess_function_info *info = c->function->info;
    const void               *opts = info->opts_size ? c->opts : NULL;
    tess_status               status;
    if (call_casts(c)) return TESS_EARG; /* other dtypes of inputs do not help */
    if (is_small(c)) {
        status = info->call(c->values, opts);
    } else {
        const work_state work = work_begin();
        status = work_end(&work, tess_function_call(info, c->values, opts));
        if (status == TESS_OK && PyErr_CheckSignals()) return TESS_ECANCELLED;
    }
    if (status == TESS_OK) return status;
    (void)raise_status(status);
    call_locate(c);
    return status;
}

static int run(call *c)
{
    const tess_status status = call_library(c);
    if (status == TESS_OK) return 0;
    if (status == TESS_EDEVICE && c->first) return call_moved(c);
    if (status == TESS_ESHAPE && c->function->reduced) return call_without_elements(c);
    return status == TESS_EDTYPE ? call_promoted(c) : -1;
}

/* A vector on the left of a product is a row; one on the right is a column. The product lacks the axes that both have
 * got for it, as in NumPy. */
static int place_vectors(call *c)
{
    if (!c->function->multiplies) return 0;
    for (int i = 0; i < 2; i++) {
        operand *o = &c->operands[i];
        if (o->ndim == 0) {
            PyErr_Format(PyExc_ValueError, "%s: %s is a number; expected an array of at least one axis", name_of(c),
                         c->function->parameters[i].text);
            return -1;
        }
        if (o->ndim == 1) c->axes |= i ? TESS_W : TESS_H;
        if (o->ndim > 1 || i == 0) continue;
        o->array.shape = TESS_SHAPE(1, 1, o->array.shape.w, 1);
        o->array.strides = TESS_STRIDES(0, 0, o->array.strides.w, 0);
    }
    if (c->ndim < 2) c->ndim = 2;
    return 0;
}

static int prepare(call *c)
{
    const callable *f = c->function;
    memset(c->values, 0, (size_t)f->n_values * sizeof *c->values);
    memset(c->opts, 0, f->info->opts_size);
    if (axes_read_ndim(c) || read_arrays(c)) return -1;
    find_first(c);
    narrow_complex_numbers(c);
    keep_floats(c);
    call_whole_numbers(c);
    return place_vectors(c) ? -1 : read_values(c);
}

static PyObject *finish_call(call *c)
{
    const callable *f = c->function;
    const int       last = f->n_parameters - 1; /* out=, if there is one */
    stream_turn     turn;
    if (prepare(c)) return NULL;
    PyObject *out = last >= 0 && f->parameters[last].use == USE_OUT ? c->given[last] : NULL;
    if (stream_follow(&turn, c->first, c->operands, c->n_operands, out)) return NULL;
    const int failed = cast_inputs(c) || call_powers(c) || call_outputs(c) || call_ranges(c) || run(c);
    PyObject *made = failed ? NULL : call_results(c);
    return stream_leave(&turn, c->first, c->operands, c->n_operands, made);
}

static PyObject *finish(call *c)
{
    PyObject *made = finish_call(c);
    if (!made && c->function->original) errors_rename(c->function->original, name_of(c));
    return made;
}

static void begin(call *c, const callable *f)
{
    c->function = f;
    c->n_operands = c->n_results = c->n_reductions = c->n_held = c->n_memory = c->n_listed = 0;
    c->listed = NULL;
    c->sources = NULL;
    c->sinks = NULL;
    c->first = NULL;
    c->ndim = 0;
    c->axes = 0;
    c->keepdims = false;
    c->as_in_c = false;
    c->ndim_given = c->space = c->n_leading = 0;
}

PyObject *function_vectorcall(PyObject *self, PyObject *const *args, Py_ssize_t n_args, PyObject *keywords)
{
    call            c;
    const callable *f = ((operation_object *)self)->function;
    begin(&c, f);
    PyObject *made = bind(&c, args, n_args, keywords) ? NULL : finish(&c);
    drop_all(&c);
    return made;
}

PyObject *function_call(const callable *f, PyObject *const *args, Py_ssize_t n_args, PyObject *out)
{
    call c;
    begin(&c, f);
    int failed = bind(&c, args, n_args, NULL);
    for (int i = 0; !failed && out && i < f->n_parameters; i++)
        if (f->parameters[i].use == USE_OUT) c.given[i] = out;
    PyObject *made = failed ? NULL : finish(&c);
    drop_all(&c);
    return made;
}

PyObject *call_with(const callable *f, PyObject *const *args, Py_ssize_t n_args, PyObject *keywords, call_work *work,
                    void *context)
{
    call c;
    begin(&c, f);
    PyObject *made = bind(&c, args, n_args, keywords) || prepare(&c) ? NULL : work(&c, context);
    drop_all(&c);
    return made;
}
