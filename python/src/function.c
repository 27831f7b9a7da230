/* Callables made from the descriptions: which arguments a Python function has, and in what order.
 *
 * Outputs are results, except those that must have been made. dtype and device of functions that make arrays of nothing
 * come last and have defaults, as in NumPy; options are keywords.
 */
#include "function.h"

#include <stdlib.h>
#include <string.h>

#include "call.h"

/* ---- Names ---- */

/* Names that are words of Python's get an underscore, as is the custom. */
static const char *python_name(const char *name)
{
    static const char *const words[][2] = { { "in", "in_" },         { "from", "from_" }, { "as", "as_" },
                                            { "lambda", "lambda_" }, { "not", "not_" },   { "is", "is_" } };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i][0]) == 0) return words[i][1];
    return name;
}

/* Defaults that NumPy's functions of the name have. */
static const struct {
    const char *function, *parameter;
    double      value;
} presets[] = {
    { "sort", "axis", -1 },       { "argsort", "axis", -1 }, { "partition", "axis", -1 }, { "topk", "axis", -1 },
    { "concatenate", "axis", 0 }, { "arange", "start", 0 },  { "arange", "step", 1 },
};

static void set_preset(const callable *f, parameter *p)
{
    const char *operation = f->original ? f->original : f->info->name;
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        if (strcmp(operation, presets[i].function) == 0 && strcmp(p->text, presets[i].parameter) == 0) {
            p->has_preset = true;
            p->preset = presets[i].value;
        }
}

/* ---- Rows ---- */

static bool has_row(const tess_function_info *info, tess_arg_type type)
{
    for (size_t i = 0; i < info->n_args; i++)
        if (info->args[i].type == type) return true;
    return false;
}

static bool is_changed(const tess_arg_info *row)
{
    return row->role == TESS_ROLE_OUT && row->flags & (TESS_ARG_MADE | TESS_ARG_KEPT);
}

static bool is_asked(const tess_arg_info *row) { return row->role == TESS_ROLE_OUT && row->flags & TESS_ARG_OPTIONAL; }

/* dtype and device of functions that make arrays of nothing. */
static bool is_late(const tess_function_info *info, const tess_arg_info *row)
{
    return row->type == TESS_ARG_DEVICE ||
           (row->type == TESS_ARG_DTYPE && row->role == TESS_ROLE_REQUIRED && has_row(info, TESS_ARG_DEVICE));
}

static bool is_written_option(const tess_arg_info *row)
{
    return row->role == TESS_ROLE_OPTION && (row->type == TESS_ARG_RESULT || row->flags & TESS_ARG_WRITTEN);
}

static void add(callable *f, const char *text, const tess_arg_info *row, int slot, parameter_use use)
{
    f->parameters[f->n_parameters++] = (parameter){ .text = text, .row = row, .slot = slot, .use = use };
}

/* Neither an option nor a field of a job's result. */
static bool is_argument(const tess_arg_info *row)
{
    return row->role != TESS_ROLE_OPTION && row->role != TESS_ROLE_RESULT;
}

/* Rows for which `which` holds, in their order; slots count the rows that are arguments. */
typedef bool row_test(const tess_function_info *info, const tess_arg_info *row);

static void add_rows(callable *f, row_test *which, parameter_use use)
{
    int slot = 0;
    for (size_t i = 0; i < f->info->n_args; i++) {
        const tess_arg_info *row = &f->info->args[i];
        if (which(f->info, row)) add(f, python_name(row->name), row, slot, use);
        slot += is_argument(row);
    }
}

static bool changed_rows(const tess_function_info *info, const tess_arg_info *row)
{
    (void)info;
    return is_changed(row);
}
static bool input_rows(const tess_function_info *info, const tess_arg_info *row)
{
    return (row->role == TESS_ROLE_IN || row->role == TESS_ROLE_REQUIRED) && !is_late(info, row);
}
static bool kinds_rows(const tess_function_info *info, const tess_arg_info *row)
{
    (void)info;
    return row->type == TESS_ARG_REDUCTIONS;
}
static bool late_rows(const tess_function_info *info, const tess_arg_info *row) { return is_late(info, row); }
static bool asked_rows(const tess_function_info *info, const tess_arg_info *row)
{
    (void)info;
    return is_asked(row);
}
static bool option_rows(const tess_function_info *info, const tess_arg_info *row)
{
    (void)info;
    return row->role == TESS_ROLE_OPTION && !is_written_option(row) && strcmp(row->name, "unused") != 0 &&
           row->type != TESS_ARG_META && row->type != TESS_ARG_OBJECT;
}
static bool written_rows(const tess_function_info *info, const tess_arg_info *row)
{
    (void)info;
    return is_written_option(row);
}

/* ---- Parameters ---- */

/* The items of tess_reduce come behind the array, as options of it. */
static void put_kinds_second(callable *f)
{
    for (int i = 2; i < f->n_parameters; i++)
        if (f->parameters[i].use == USE_KINDS) {
            const parameter kinds = f->parameters[i];
            memmove(&f->parameters[2], &f->parameters[1], (size_t)(i - 1) * sizeof kinds);
            f->parameters[1] = kinds;
        }
}

static bool has_default(const parameter *p)
{
    if (p->use == USE_CHANGED || p->use == USE_KINDS) return false;
    return p->has_preset || p->row->type == TESS_ARG_AXIS_SET || p->row->type == TESS_ARG_DEVICE ||
           (p->row->flags & TESS_ARG_OPTIONAL) != 0;
}

/* What has a default, but stands before something that has none, must be given, too. */
static void set_required(callable *f)
{
    bool required = false;
    for (int i = f->n_positional - 1; i >= 0; i--) {
        parameter *p = &f->parameters[i];
        const bool late = is_late(f->info, p->row) && p->use == USE_VALUE;
        required = required || !(has_default(p) || late);
        p->required = required;
        const bool is_array =
            p->use == USE_VALUE && p->row->role == TESS_ROLE_IN; /* the library knows which it needs */
        p->needed = !is_array && (p->has_preset || !(has_default(p) || late));
    }
}

static void note_reduced(callable *f)
{
    for (int i = 0; i < f->n_parameters; i++) {
        parameter *p = &f->parameters[i];
        if (!p->row || p->row->type != TESS_ARG_AXIS_SET || !(p->row->flags & TESS_ARG_REDUCED)) continue;
        f->reduced = p->row;
        p->text = "axis"; /* as in NumPy; axes= is taken as well */
    }
}

static void count_outputs(callable *f)
{
    for (size_t i = 0; i < f->info->n_args; i++) {
        const tess_arg_info *row = &f->info->args[i];
        if (row->role == TESS_ROLE_OUT && !is_changed(row) && !is_asked(row) && row->type == TESS_ARG_ARRAY)
            f->n_outputs++;
        f->n_values += is_argument(row);
    }
}

static bool makes_arrays(const callable *f)
{
    for (int i = 0; i < f->n_positional; i++)
        if (f->parameters[i].use == USE_CHANGED && f->parameters[i].row->flags & TESS_ARG_MADE) return true;
    return false;
}

static bool works_on_elements(const callable *f)
{
    bool reads = false;
    for (int i = 0; i < f->n_positional; i++)
        reads = reads || (f->parameters[i].use == USE_VALUE && f->parameters[i].row->role == TESS_ROLE_IN);
    return reads && f->n_outputs > 0 && (f->reduced || f->info->cut == TESS_CUT_ELEMENTS);
}

/* ---- Images and volumes ---- */

bool is_image_row(const tess_arg_info *row) { return row->axes && strcmp(row->axes, "B,1,h,w") == 0; }

/* An axis that must be given is one of the caller's: there is nothing to choose. */
static bool names_axes(const tess_function_info *info)
{
    for (size_t i = 0; i < info->n_args; i++) {
        const tess_arg_info *row = &info->args[i];
        const bool is_axis = row->type == TESS_ARG_AXIS || row->type == TESS_ARG_AXES || row->type == TESS_ARG_AXIS_SET;
        if (is_axis && row->role == TESS_ROLE_REQUIRED) return true;
    }
    return false;
}

/* Functions of images or volumes, which are cut along batches, or whose results have rows for each batch. */
static bool takes_ndim(callable *f)
{
    const bool is_peaks = strcmp(f->info->name, "peaks") == 0;
    const bool is_transform = strcmp(f->info->name, "transform_2d") == 0;
    bool       of_images = false;
    if ((f->info->cut != TESS_CUT_BATCHES && !is_peaks && !is_transform) || names_axes(f->info)) return false;
    for (size_t i = 0; i < f->info->n_args; i++) {
        const tess_arg_info *row = &f->info->args[i];
        if (row->role != TESS_ROLE_IN || row->type != TESS_ARG_ARRAY || row->flags & TESS_ARG_ROWS) continue;
        f->takes_volumes = f->takes_volumes || !row->axes;
        of_images = of_images || is_image_row(row);
    }
    return f->takes_volumes || of_images;
}

static void add_ndim(callable *f)
{
    for (size_t i = 0; i < f->info->n_args; i++) f->lays_out = f->lays_out || f->info->args[i].axes;
    if (f->job || !takes_ndim(f)) return;
    f->lays_out = true;
    add(f, "ndim", NULL, 0, USE_NDIM);
}

static int find_text(const callable *f, const char *text)
{
    for (int i = 0; i < f->n_parameters; i++)
        if (strcmp(f->parameters[i].text, text) == 0) return i;
    return -1;
}

/* What each job takes beside its rows; a row of the same name comes first. */
static void add_context(callable *f)
{
    static const char *const words[] = { "overwrite", "device", "memory", "seed", "progress" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (find_text(f, words[i]) < 0 && (i > 0 || has_row(f->info, TESS_ARG_SINK))) {
            add(f, words[i], NULL, 0, USE_CONTEXT);
            f->parameters[f->n_parameters - 1].has_preset = strcmp(words[i], "seed") == 0; /* 0 */
        }
}

static void list_parameters(callable *f)
{
    add_rows(f, changed_rows, USE_CHANGED);
    add_rows(f, input_rows, USE_VALUE);
    add_rows(f, kinds_rows, USE_KINDS);
    put_kinds_second(f);
    add_rows(f, late_rows, USE_VALUE);
    f->n_positional = f->n_parameters;
    add_rows(f, asked_rows, USE_ASKED);
    add_rows(f, option_rows, USE_OPTION);
    add_rows(f, written_rows, USE_ASKED_OPT);
    note_reduced(f);
    f->multiplies = strcmp(f->info->name, "matmul") == 0;
    count_outputs(f);
    if (makes_arrays(f)) {
        add(f, "dtype", NULL, 0, USE_DTYPE);
        add(f, "device", NULL, 0, USE_DEVICE);
    }
    f->cast = -1;
    if (works_on_elements(f) && find_text(f, "dtype") < 0) {
        f->cast = f->n_parameters;
        add(f, "dtype", NULL, 0, USE_CAST);
    }
    add_ndim(f);
    if (f->reduced) add(f, "keepdims", NULL, 0, USE_KEEPDIMS);
    if (f->n_outputs) add(f, "out", NULL, 0, USE_OUT);
    if (f->job) add_context(f);
    for (int i = 0; i < f->n_parameters; i++)
        if (f->parameters[i].row) set_preset(f, &f->parameters[i]);
    set_required(f);
}

/* ---- All of them ---- */

static callable *functions;
static size_t    n_functions;

static int name_parameters(callable *f)
{
    for (int i = 0; i < f->n_parameters; i++) {
        f->parameters[i].name = PyUnicode_InternFromString(f->parameters[i].text);
        if (!f->parameters[i].name) return -1;
    }
    return 0;
}

/* The workspace of a call has fixed sizes. */
static bool fits(const callable *f)
{
    return f->n_parameters <= MAX_PARAMETERS && f->n_values <= MAX_VALUES && f->info->opts_size <= MAX_OPTION_BYTES;
}

int function_make(callable *f, const tess_function_info *info, const tess_job_info *job, fast_function *body)
{
    enum { OF_PYTHON = 8 };
    f->info = info;
    f->job = job;
    f->parameters = calloc(info->n_args + OF_PYTHON, sizeof *f->parameters);
    if (!f->parameters) {
        PyErr_NoMemory();
        return -1;
    }
    list_parameters(f);
    if (!fits(f)) {
        PyErr_Format(PyExc_SystemError, "%s has more arguments than a call supports", info->name);
        return -1;
    }
    f->method = (PyMethodDef){ .ml_name = info->name,
                               .ml_meth = (PyCFunction)(void (*)(void))body,
                               .ml_flags = METH_FASTCALL | METH_KEYWORDS,
                               .ml_doc = function_document(f) };
    if (f->method.ml_doc) return name_parameters(f);
    PyErr_NoMemory();
    return -1;
}

/* What callables are bound to. Pickled, it is the module, in which the callable is then looked up by its name. */
static PyTypeObject *operation_type;

static PyObject *reduce_to_module(PyObject *self, PyObject *none)
{
    (void)none;
    PyObject *importlib = PyImport_ImportModule("importlib");
    PyObject *import = importlib ? PyObject_GetAttrString(importlib, "import_module") : NULL;
    PyObject *made = import ? Py_BuildValue("O(s)", import, ((operation_object *)self)->place) : NULL;
    Py_XDECREF(import);
    Py_XDECREF(importlib);
    return made;
}

static void drop_operation(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

static int make_operation_type(void)
{
    static PyMethodDef reduce[] = { { "__reduce__", reduce_to_module, METH_NOARGS, NULL }, { NULL, NULL, 0, NULL } };
    PyType_Slot        slots[] = { { Py_tp_dealloc, SLOT(drop_operation) }, { Py_tp_methods, reduce }, { 0, NULL } };
    PyType_Spec        spec = { "tessera.Operation", sizeof(operation_object), 0, Py_TPFLAGS_DEFAULT, slots };
    operation_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return operation_type ? 0 : -1;
}

PyObject *function_object(callable *f, const char *module, const char *place)
{
    operation_object *self = PyObject_New(operation_object, operation_type);
    PyObject         *module_name = self ? PyUnicode_InternFromString(module) : NULL;
    if (self) self->function = f, self->place = place;
    PyObject *made = module_name ? PyCFunction_NewEx(&f->method, (PyObject *)self, module_name) : NULL;
    Py_XDECREF(self);
    Py_XDECREF(module_name);
    return made;
}

static int add_callable(PyObject *module, callable *f)
{
    PyObject *made = function_object(f, "tessera", "tessera._tessera");
    if (!made) return -1;
    if (PyModule_AddObject(module, f->info->name, made) == 0) return 0;
    Py_DECREF(made);
    return -1;
}

/* They live as long as the process: callables may be kept beyond the module. */
int functions_make(PyObject *module)
{
    if (!functions) functions = calloc(tess_function_count(), sizeof *functions);
    if (!functions) {
        PyErr_NoMemory();
        return -1;
    }
    if (make_operation_type()) return -1;
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *info = tess_function_at(i);
        if (!info->call) continue; /* files' own objects */
        callable *f = &functions[n_functions];
        if (function_make(f, info, NULL, function_vectorcall) || add_callable(module, f)) return -1;
        n_functions++;
    }
    return 0;
}

const callable *function_find(const char *name)
{
    for (size_t i = 0; i < n_functions; i++)
        if (strcmp(functions[i].info->name, name) == 0) return &functions[i];
    return NULL;
}
