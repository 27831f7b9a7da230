/* How many electrons each image of a movie or tilt series has received when it ends. */
#ifndef TESS_JOBS_DATA_MOVIES_EXPOSURE_H
#define TESS_JOBS_DATA_MOVIES_EXPOSURE_H

#include "jobs/run/table.h"
#include "tessera/filter.h"

/* The fields of the options of a job, as the rows below describe them. */
typedef struct tess__exposure_opts {
    double            dose, pre, voltage, critical_factor;
    const tess_array *doses;
} tess__exposure_opts;

#define TESS__EXPOSURE_ROWS(opts)                                                                                      \
    TESS__AUTO_F64(opts, dose, "electrons/\xc3\x85^2", "not known", TESS__POSITIVE, DBL_MAX, "dose per frame"),        \
        TESS__OPT_F64(opts, pre, "electrons/\xc3\x85^2", 0, 0, DBL_MAX, "exposure before the first frame"),            \
        TESS__FLAGGED_FIELD(opts, doses, const tess_array *, TESS_ARG_ARRAY, 0, 0, 0, NULL, "", TESS_ARG_HOST,         \
                            "exposure at the end of each frame, without pre, in electrons/\xc3\x85^2 [by dose]"),      \
        TESS__OPT_F64(opts, voltage, "kV", 300, TESS__POSITIVE, DBL_MAX,                                               \
                      "acceleration voltage: 300 or 200; others require critical_factor"),                             \
        TESS__AUTO_F64(opts, critical_factor, "", "1 at 300 kV, 0.8 at 200 kV", TESS__POSITIVE, DBL_MAX,               \
                       "factor applied to the critical exposure")

/* From options of any job that has these fields. */
#define TESS__EXPOSURE_OF(o)                                                                                           \
    (tess__exposure_opts)                                                                                              \
    {                                                                                                                  \
        .dose = (o)->dose, .pre = (o)->pre, .voltage = (o)->voltage, .critical_factor = (o)->critical_factor,          \
        .doses = (o)->doses                                                                                            \
    }

typedef struct tess__exposure {
    tess_array            doses;  /* f64 {n,1,1,1} on the CPU; no data: not known */
    double                each;   /* of a frame; 0 if it is not known */
    tess_dose_weight_opts weight; /* for the filters of the library */
} tess__exposure;

/* Of n images. To be closed, also after a failure. `fn` is the job, for messages. */
tess_status tess__exposure_open(tess__exposure *e, const char *fn, const tess__exposure_opts *opts, int64_t n);
void        tess__exposure_close(tess__exposure *e);

/* Doses of n images from `first` on, on a device; to be released. */
tess_status tess__exposure_part(tess_array *doses, const tess__exposure *e, int64_t first, int64_t n,
                                tess_device device);

#endif
