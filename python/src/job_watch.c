/* Progress, warnings and signals of a job: callbacks that take the GIL for as long as Python code runs.
 *
 * An exception of such code stays set until the job has ended, and cancels it.
 */
#include "job_watch.h"

#include <string.h>

#include "dtypes.h"
#include "errors.h"
#include "job_sources.h"
#include "spelling.h"
#include "values.h"
#include "work.h"

/* ---- Callbacks: on the thread of the call, without the GIL ---- */

/* Whether to cancel: the callable returned something true, or raised. */
static bool call_progress(const job_watch *w, const tess_progress *p)
{
    if (!w->progress) return false;
    PyObject *answer = PyObject_CallFunction(w->progress, "sLL", p->stage, (long long)p->done, (long long)p->total);
    const int truth = answer ? PyObject_IsTrue(answer) : 1;
    Py_XDECREF(answer);
    return truth != 0;
}

static int32_t hear_progress(void *user, const tess_progress *p)
{
    const PyGILState_STATE gil = PyGILState_Ensure();
    const bool             cancels = PyErr_Occurred() || PyErr_CheckSignals() || call_progress(user, p);
    PyGILState_Release(gil);
    return cancels;
}

static void hear_warning(void *user, const char *text)
{
    const job_watch       *w = user;
    const PyGILState_STATE gil = PyGILState_Ensure();
    char                   spelled[1024];
    (void)text; /* the same with the names that C has */
    spell_message(spelled, sizeof spelled, tess_warning_marked());
    if (!PyErr_Occurred()) (void)PyErr_WarnFormat(PyExc_UserWarning, 1, "%s: %s", w->name, spelled);
    PyGILState_Release(gil);
}

/* ---- Keywords ---- */

PyObject *context_given(const call *c, const char *word)
{
    const callable *f = c->function;
    for (int i = f->n_positional; i < f->n_parameters; i++)
        if (f->parameters[i].use == USE_CONTEXT && strcmp(f->parameters[i].text, word) == 0) return c->given[i];
    return NULL;
}

static int wrong(const call *c, const char *word, PyObject *object, const char *needed)
{
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s: %s is %R; expected %s", name_of(c), word, object, needed);
    return -1;
}

/* Where nothing is said, on the device of the first array, or that of `with tessera.device(…)`. */
static int take_device(tess_context *context, const call *c)
{
    PyObject *object = context_given(c, "device");
    context->device = c->first ? c->first->array.device : default_device();
    return object ? device_from_object(&context->device, object) : 0;
}

static int take_memory(tess_context *context, const call *c)
{
    PyObject *object = context_given(c, "memory");
    if (!object) return 0;
    PyObject *index = PyNumber_Index(object);
    context->memory = index ? PyLong_AsLongLong(index) : 0;
    Py_XDECREF(index);
    return PyErr_Occurred() || context->memory < 1 ? wrong(c, "memory", object, "a number of bytes above 0") : 0;
}

static int take_seed(tess_context *context, const call *c)
{
    PyObject *object = context_given(c, "seed");
    if (!object) return 0;
    PyObject *index = PyNumber_Index(object);
    context->seed = index ? PyLong_AsUnsignedLongLong(index) : 0;
    Py_XDECREF(index);
    return PyErr_Occurred() ? wrong(c, "seed", object, "an integer from 0 to 2^64 - 1") : 0;
}

/* True is a line of ours. */
static int take_progress(job_watch *w, const call *c)
{
    PyObject *object = context_given(c, "progress");
    if (!object || object == Py_False) return 0;
    if (object != Py_True && !PyCallable_Check(object))
        return wrong(c, "progress", object, "True, or a callable (stage, done, total)");
    w->is_line = object == Py_True;
    if (w->is_line) {
        PyObject *module = PyImport_ImportModule("tessera.progress");
        w->progress = module ? PyObject_CallMethod(module, "Line", "s", name_of(c)) : NULL;
        Py_XDECREF(module);
        return w->progress ? 0 : -1;
    }
    Py_INCREF(object);
    w->progress = object;
    return 0;
}

int job_watch_begin(job_watch *w, const call *c)
{
    *w = (job_watch){ .name = name_of(c) };
    w->context.progress = hear_progress;
    w->context.warning = hear_warning;
    w->context.user = w;
    return take_device(&w->context, c) || take_memory(&w->context, c) || take_seed(&w->context, c) ||
                   take_progress(w, c)
               ? -1
               : 0;
}

/* ---- The run ---- */

static tess_status run(job_watch *w, call *c, void *into)
{
    TESS_TRY(sources_fill(c, &w->context));
    return tess_job_run(c->function->job, into, c->values, c->opts, &w->context);
}

int job_watch_run(job_watch *w, call *c, void *into)
{
    const work_state  work = work_begin();
    const tess_status status = work_end(&work, run(w, c, into));
    if (PyErr_Occurred()) return -1; /* of a callback */
    return status == TESS_OK ? PyErr_CheckSignals() : raise_status(status);
}

/* Ends the line, also after an exception, which stays. */
void job_watch_end(job_watch *w)
{
    PyObject *error, *of, *how;
    PyErr_Fetch(&error, &of, &how);
    PyObject *closed = w->is_line ? PyObject_CallMethod(w->progress, "close", NULL) : NULL;
    if (PyErr_Occurred()) PyErr_Clear();
    Py_XDECREF(closed);
    Py_CLEAR(w->progress);
    PyErr_Restore(error, of, how);
}
