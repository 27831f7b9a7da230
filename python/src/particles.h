/* Particles as a Python object, behind tessera.jobs.Particles. */
#ifndef TESS_PYTHON_PARTICLES_H
#define TESS_PYTHON_PARTICLES_H

#include "limited.h"
#include "tessera/jobs/particles.h"

typedef struct particles_object {
    PyObject_HEAD tess_particles p;
    PyThread_type_lock           lock;   /* held by whoever reads images */
    int                          n_jobs; /* jobs that use it now: tables stay where they are */
} particles_object;

extern PyTypeObject *particles_type;

/* Make the type and its functions in the module. 0, or -1 with an exception. */
int particles_make(PyObject *module);

/* A tess_source_opened_fn: passes warnings of a file on to Python; `user` is the name of a function. */
tess_status warn_of_opened(void *user, const char *path, const tess_file *file);

#endif
