/* The slab pipeline: its plan, the sets of buffers that circulate in it, and how large a slab is. */
#ifndef TESS_JOBS_RUN_PIPELINE_H
#define TESS_JOBS_RUN_PIPELINE_H

#include <pthread.h>

#include "core/device/cancel.h"
#include "jobs/run/context.h"
#include "tessera/jobs/slabs.h"

enum { TESS__SLOTS = 3, TESS__SLAB_MESSAGE = 2048 };

typedef enum tess__slot_state { TESS__SLOT_FREE, TESS__SLOT_READ, TESS__SLOT_WORKED } tess__slot_state;

/* A set of buffers. */
typedef struct tess__slot {
    tess_array       in_buffer[TESS_SLAB_SOURCES], out_buffer; /* made once, for the largest slab */
    tess_array       in[TESS_SLAB_SOURCES], out;               /* of the slab that is in it */
    tess_slab        slab;
    tess__slot_state state;
} tess__slot;

typedef struct tess__pipeline {
    const tess_slab_plan *plan;
    const tess_sink      *sink; /* or NULL */
    const tess_context   *context;
    tess_slab_step        step;
    void                 *user;                /* of the step */
    int64_t               max_b, max_z;        /* volumes and sections of the largest slab */
    int64_t               n_slabs, per_volume; /* slabs in all, slabs of each volume (or group of volumes) */
    int                   n_slots;
    bool                  keep[TESS_SLAB_SOURCES]; /* this source is the same for all slabs: it was read once */
    tess_array            kept[TESS_SLAB_SOURCES];
    tess__slot            slots[TESS__SLOTS];
    pthread_mutex_t       lock;
    pthread_cond_t        changed;
    tess__call           *call; /* that the helping threads work for: cancelled with it */
    bool                  stop;
    tess_status           status; /* the first failure of a helping thread, and what it said */
    char                  message[TESS__SLAB_MESSAGE];
} tess__pipeline;

/* Chooses the size of slabs within the budget of the context; fails where one image or volume does not fit. */
tess_status tess__choose_slabs(tess__pipeline *p);

/* The dtype that a source is read as. */
tess_dtype tess__slab_dtype(const tess_slab_plan *plan, int source);

/* The shape of a source with its rows as far apart as they are read. */
tess_shape tess__slab_shape_read(const tess_slab_plan *plan, int source);

/* Which sections of a source the sections z to z + nz of the domain take, and how many nz of them take at most. */
void    tess__slab_sections(const tess_slab_plan *plan, int source, int64_t z, int64_t nz, int64_t *from, int64_t *n);
int64_t tess__slab_max_sections(const tess_slab_plan *plan, int source, int64_t nz);

/* Bytes of an image. */
int64_t tess__image_bytes(tess_shape shape, tess_dtype dtype);

/* Slab number i. */
tess_slab tess__slab_at(const tess__pipeline *p, int64_t i);

#endif
