/* Devices and streams: where arrays are made and where work runs. */
#ifndef TESS_PYTHON_STREAM_H
#define TESS_PYTHON_STREAM_H

#include "limited.h"

/* Functions of the module about devices, streams and threads, ended by a NULL name. */
extern PyMethodDef stream_methods[];

#endif
