/* Devices and streams: where arrays are made and where work runs. */
#ifndef TESS_PYTHON_STREAM_H
#define TESS_PYTHON_STREAM_H

#include "operand.h"

/* Where the caller's array is torch's or CuPy's on a GPU, work on the stream that is current there. -1 with an
 * exception. */
int stream_follow(const operand *first);

/* Functions of the module about devices, streams and threads, ended by a NULL name. */
extern PyMethodDef stream_methods[];

#endif
