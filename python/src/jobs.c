/* Jobs as Python functions, made from their descriptions: sources in the order of the rows, options as keywords. */
#include "jobs.h"

#include <stdlib.h>

#include "foreign_stream.h"
#include "job_results.h"
#include "job_sinks.h"
#include "job_watch.h"

static callable *jobs; /* live as long as the process, as those of operations */

static PyObject *run(call *c, job_watch *watch)
{
    const tess_job_info *job = c->function->job;
    void                *found = PyMem_Calloc(1, job->result_size);
    if (!found) return PyErr_NoMemory();
    int failed = job_watch_run(watch, c, found);
    if (!failed && c->sinks) failed = sinks_finish(c->sinks);
    PyObject *made = failed ? NULL : job_result(c, found);
    job->release(found);
    PyMem_Free(found);
    return made;
}

static PyObject *work(call *c, void *none)
{
    (void)none;
    stream_turn turn;
    job_watch   watch;
    if (job_watch_begin(&watch, c)) return NULL;
    PyObject *made = NULL;
    if (stream_follow(&turn, c->first, c->operands, c->n_operands, NULL) == 0)
        made = stream_leave(&turn, c->first, c->operands, c->n_operands, run(c, &watch));
    job_watch_end(&watch);
    return made;
}

static PyObject *job_vectorcall(PyObject *self, PyObject *const *args, Py_ssize_t n_args, PyObject *keywords)
{
    return call_with(((operation_object *)self)->function, args, n_args, keywords, work, NULL);
}

static int add_job(PyObject *dict, callable *f, const tess_job_info *job)
{
    if (function_make(f, &job->function, job, job_vectorcall)) return -1;
    PyObject *made = function_object(f, "tessera.jobs", "tessera.jobs");
    const int failed = made ? PyDict_SetItemString(dict, job->function.name, made) : -1;
    Py_XDECREF(made);
    return failed;
}

int jobs_make(PyObject *module)
{
    if (!jobs) jobs = calloc(tess_job_count(), sizeof *jobs);
    PyObject *dict = jobs ? PyDict_New() : PyErr_NoMemory();
    for (size_t i = 0; dict && i < tess_job_count(); i++)
        if (add_job(dict, &jobs[i], tess_job_at(i))) Py_CLEAR(dict);
    if (!dict) return -1;
    if (PyModule_AddObject(module, "_jobs", dict) == 0) return 0;
    Py_DECREF(dict);
    return -1;
}
