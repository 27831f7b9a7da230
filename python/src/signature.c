/* Signatures and documentation of functions, in the form that inspect.signature and help() read.
 *
 * "lowpass(in_, shape, cutoff, *, width=0, out=None)\n--\n\n" is the first line of a builtin's documentation.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "help.h"

enum { FIRST_SIZE = 2048 };

static const char *name_of_choice(const tess_arg_info *row, int32_t value)
{
    for (const tess_choice *c = row->choices; c && c->name; c++)
        if (c->value == value) return c->name;
    return NULL;
}

/* As Python writes it, whatever the locale. */
static void append_number(text *t, double number)
{
    char *digits = PyOS_double_to_string(number, 'r', 0, 0, NULL);
    if (digits) append(t, "%s", digits);
    else t->failed = true;
    PyMem_Free(digits);
}

/* What the operation computes is None. */
static void append_number_or_none(text *t, double number)
{
    if (isnan(number)) append(t, "None");
    else append_number(t, number);
}

/* The value that stands for leaving it out. */
static void append_default(text *t, const parameter *p)
{
    const tess_arg_info *row = p->row;
    if (p->has_preset) append_number(t, p->preset);
    else if (p->use == USE_KEEPDIMS || p->use == USE_ASKED_OPT || strcmp(p->text, "overwrite") == 0) append(t, "False");
    else if (!row || p->use == USE_ASKED) append(t, "None");
    else if (row->type == TESS_ARG_FLAG) append(t, "False");
    else if (row->type == TESS_ARG_CHOICE && name_of_choice(row, (int32_t)row->fallback))
        append(t, "'%s'", name_of_choice(row, (int32_t)row->fallback));
    else if (row->type == TESS_ARG_F64 || row->type == TESS_ARG_I32 || row->type == TESS_ARG_I64 ||
             row->type == TESS_ARG_U32 || row->type == TESS_ARG_U64)
        append_number_or_none(t, row->fallback);
    else append(t, "None");
}

static void append_signature(text *t, const callable *f)
{
    append(t, "%s(", f->info->name);
    for (int i = 0; i < f->n_parameters; i++) {
        const parameter *p = &f->parameters[i];
        append(t, "%s%s%s", i ? ", " : "", i == f->n_positional ? "*, " : "", p->text);
        if (p->required) continue;
        append(t, "=");
        append_default(t, p);
    }
    append(t, ")\n--\n\n");
}

static void append_choices(text *t, const tess_arg_info *row)
{
    for (const tess_choice *c = row->choices; c && c->name && c->help; c++)
        append(t, "%s'%s'", c == row->choices ? "; one of " : ", ", c->name);
}

static void append_fields(text *t, const tess_arg_info *row)
{
    for (const tess_arg_info *field = row->fields; field && field->name; field++)
        append(t, "        %s: %s%s%s\n", field->name, field->help, *field->unit ? ", in " : "", field->unit);
}

/* What a job takes beside its rows. */
static const char *help_of_context(const char *word)
{
    static const char *const words[][2] = {
        { "overwrite", "overwrite existing files" },
        { "device", "device to compute on, as 'gpu:0' (default: that of the first array, else of tessera.device)" },
        { "memory", "host memory that the job may use, in bytes (default: half of the machine's memory)" },
        { "seed", "seed of random numbers" },
        { "progress", "True for a line on standard error, or a callable (stage, done, total); returning True cancels" },
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], word) == 0) return words[i][1];
    return "";
}

static const char *help_of_own(const parameter *p)
{
    switch (p->use) {
    case USE_CONTEXT: return help_of_context(p->text);
    case USE_OUT: return "array, or tuple of arrays, to write the result into";
    case USE_NDIM:
        return "2 for images, 3 for volumes; axes in front count batches (default: 2 for two axes, 3 for more)";
    case USE_KEEPDIMS: return "keep reduced axes with size 1";
    case USE_CAST: return "element type to which inputs are cast first";
    case USE_DTYPE: return "element type of a new array; default f64, or i64 for integers";
    case USE_DEVICE: return "device of a new array, such as 'gpu:0'";
    default: return "";
    }
}

static void append_parameter(text *t, const callable *f, const parameter *p)
{
    const tess_arg_info *row = p->row;
    append(t, "    %s: ", p->text);
    if (row) append_help(t, row, f->job != NULL);
    else append(t, "%s", help_of_own(p));
    if (row && *row->unit) append(t, ", in %s", row->unit);
    if (row && row->type == TESS_ARG_SOURCE) append(t, " (a path, an open file or an array)");
    if (row && row->type == TESS_ARG_SOURCES) append(t, " (a list of paths, open files or arrays)");
    if (row && row->type == TESS_ARG_SINK) append(t, " (a path or array to write to; default: a new array)");
    if (row && row->computed) {
        append(t, " (default: ");
        append_words(t, row, row->computed);
        append(t, ")");
    }
    if (row) append_choices(t, row);
    if (p->use == USE_ASKED || p->use == USE_ASKED_OPT) append(t, " (True to return it, or an array to write into)");
    if (p->use == USE_CHANGED && row->flags & TESS_ARG_MADE) append(t, " (an array, or the shape of a new one)");
    append(t, "\n");
    if (row && row->fields) append_fields(t, row);
}

/* A table has a column for each choice. */
static void append_field_of_result(text *t, const tess_arg_info *row)
{
    append(t, "    %s: ", row->name);
    append_help(t, row, true);
    append(t, "%s%s%s\n", *row->unit ? " (" : "", row->unit, *row->unit ? ")" : "");
    for (const tess_choice *c = row->type == TESS_ARG_COLUMNS ? row->choices : NULL; c && c->name; c++)
        append(t, "        %s: %s\n", c->name, c->help);
}

/* Whether a function returns an output only if it is asked for. */
static bool is_asked(const callable *f, const char *name)
{
    for (int i = 0; i < f->n_parameters; i++)
        if (f->parameters[i].use == USE_ASKED && strcmp(f->parameters[i].text, name) == 0) return true;
    return false;
}

static void append_output(text *t, const callable *f, const tess_arg_info *row)
{
    append(t, "    %s: ", row->name);
    append_help(t, row, f->job != NULL);
    append_shape(t, row);
    if (is_asked(f, row->name)) append(t, " (with %s=True)", row->name);
    append(t, "\n");
}

static void append_results(text *t, const callable *f)
{
    append(t, f->job ? "\nReturns an object with these attributes:\n" : "\nReturns:\n");
    for (size_t i = 0; i < f->info->n_args; i++)
        if (f->info->args[i].role == TESS_ROLE_OUT) append_output(t, f, &f->info->args[i]);
        else if (f->info->args[i].role == TESS_ROLE_RESULT) append_field_of_result(t, &f->info->args[i]);
    if (f->job) append(t, "    report: dict of all numbers by name\n");
}

/* The example of tessera.examples, if that is there; `original`: what `name` is another name of, or NULL. */
static void append_example(text *t, const char *name, const char *original)
{
    PyObject   *examples = PyImport_ImportModule("tessera.examples");
    PyObject   *made = examples ? PyObject_CallMethod(examples, "of_operation", "sz", name, original) : NULL;
    const char *words = made ? PyUnicode_AsUTF8AndSize(made, NULL) : NULL;
    if (words) append(t, "%s", words);
    PyErr_Clear();
    Py_XDECREF(made);
    Py_XDECREF(examples);
}

char *function_document(const callable *f)
{
    text t = { malloc(FIRST_SIZE), 0, FIRST_SIZE, false };
    if (!t.at) return NULL;
    append_signature(&t, f);
    append(&t, "%s\n", f->info->help);
    if (f->n_parameters) append(&t, "\nArguments:\n");
    for (int i = 0; i < f->n_parameters; i++) append_parameter(&t, f, &f->parameters[i]);
    append_results(&t, f);
    append_example(&t, f->info->name, f->original);
    if (!t.failed) return t.at;
    free(t.at);
    return NULL;
}

int methods_document(PyMethodDef *methods)
{
    for (; methods->ml_name; methods++) {
        if (!methods->ml_doc) continue;
        text t = { malloc(FIRST_SIZE), 0, FIRST_SIZE, false };
        if (t.at) append(&t, "%s\n", methods->ml_doc);
        if (t.at) append_example(&t, methods->ml_name, NULL);
        if (!t.at || t.failed) {
            free(t.at);
            PyErr_NoMemory();
            return -1;
        }
        methods->ml_doc = t.at;
    }
    return 0;
}
