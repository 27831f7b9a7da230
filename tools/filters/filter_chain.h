/* A chain of filters: Fourier filters, between one transform and its inverse, and medians. */
#ifndef TESSERA_FILTERS_FILTER_CHAIN_H
#define TESSERA_FILTERS_FILTER_CHAIN_H

#include "command/job.h"

enum { MAX_STAGES = 64 };

typedef enum stage_kind {
    STAGE_PASS,
    STAGE_BELL,
    STAGE_BELLS,
    STAGE_DOSE,
    STAGE_CURVE,
    STAGE_WHITEN,
    STAGE_MEDIAN
} stage_kind;

typedef struct stage {
    stage_kind kind;
    double     low, high; /* PASS: cutoffs of a high-pass, a low-pass, or both */
    bool       has_low, has_high;
    double     bfactor; /* BELL, BELLS: of pixels of size 1, as tess_bfactor takes it */
    double     other;   /* BELLS: of the one that is subtracted */
    tess_array numbers; /* DOSE, CURVE: {1 or b,1,1,m} */
    int64_t    median;  /* MEDIAN: the size of a window */
} stage;

/* All of them, and what they are applied to. */
typedef struct filter_chain {
    tess_shape       shape; /* of an image or a volume, b = 1 */
    int64_t          images;
    tess_dtype       dtype;
    tess_device      device;
    double           pixel_size; /* along w, Å; 0 if it is not known */
    double           highest;    /* frequency along an axis */
    double           edge;       /* cycles per pixel */
    tess_filter_edge edge_type;
    int32_t          order;
    double           voltage;
    int64_t          side; /* smallest, in pixels */
    tess_metric      metric;
    stage            stages[MAX_STAGES];
    int              n_stages;
} filter_chain;

/* How edges fall and how wide they are, by options; for images whose smallest side is known. */
tess_status filter_chain_edges(const job *j, filter_chain *f);

/* Adds the filters of all options, in their order; what they hold is in `numbers` of stages. */
tess_status filter_chain_add(job *j, filter_chain *f);

/* Applies them to images or volumes `first` to first + b: a step of stream_run. In place, it works in the memory of
 * volumes whose rows have the capacity for their spectrum. */
tess_status filter_chain_run(void *chain, tess_array *out, const tess_array *in, int64_t first);
tess_status filter_chain_in_place(void *chain, tess_array *out, const tess_array *in, int64_t first);

#endif
