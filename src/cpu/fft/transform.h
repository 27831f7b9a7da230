/* A multidimensional transform: the 1-D plans of its axes, and its workspaces. */
#ifndef TESS_CPU_FFT_TRANSFORM_H
#define TESS_CPU_FFT_TRANSFORM_H

#include "backend.h"
#include "cpu/fft/axis_pass.h"

/* Axes are numbered as in a shape. */
enum { B, D, H, W };

typedef struct tess__fft_transform {
    const tess__fft        *work;
    const tess__fft_kernel *kernels;
    int64_t                 shape[4]; /* logical */
    tess__fft_plan1d       *plan[4];  /* NULL: not along this axis */
    bool                    alone[4]; /* vectors are transformed by themselves along this axis, */
    bool                    tasks[4]; /* and are the threads' tasks */
    int                     first;    /* the axis that is done first, */
    int                     scaled;   /* and the one in whose pass numbers are scaled */
    tess__workspaces        workspaces;
    char                   *single_workspace; /* for one vector at a time, by all threads */
} tess__fft_transform;

/* The 1-D plans of a transform, to be released by tess__fft_end, also after a failure. */
tess_status tess__fft_begin(tess__fft_transform *t, const tess__fft *work);
void        tess__fft_end(tess__fft_transform *t);

/* Bytes that a transform on one thread needs beside its arrays. */
size_t tess__fft_workspace(const tess__fft_transform *t);

/* Transforms of vectors that are long or few: one after the other, in their workspace; or, by Stockham's algorithm, as
 * the threads' tasks. */
void   tess__fft_run_singles(const tess__fft_pass *pass, const tess__fft_kernel *kernels, tess__workspaces *workspaces,
                             char *workspace);
size_t tess__fft_single_workspace(const tess__fft_plan1d *plan);
void   tess__fft_run_tasks(const tess__fft_pass *pass, const tess__fft_kernel *kernels, tess__workspaces *workspaces);
size_t tess__fft_task_workspace(const tess__fft_plan1d *plan, bool packs); /* those that are not adjacent */

#endif
