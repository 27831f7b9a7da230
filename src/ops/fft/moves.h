/* Block copies between spectra, as a list of element-wise requests that is submitted as one batch. */
#ifndef TESS_OPS_FFT_MOVES_H
#define TESS_OPS_FFT_MOVES_H

#include "backend.h"
#include "ops/fft/layout.h"

/* A run along an axis: `n` indices from `out` on, copied from `in` on in steps of 1 or -1. */
typedef struct tess__fft_axis_run {
    int64_t out, in, n;
    int64_t step;
    double  weight; /* of the coefficients */
    bool    adds;   /* to what another run wrote */
} tess__fft_axis_run;

enum { TESS__FFT_MAX_RUNS = 8 };

typedef struct tess__fft_axis_runs {
    int                n;
    tess__fft_axis_run run[TESS__FFT_MAX_RUNS];
} tess__fft_axis_runs;

/* n frequencies, in cycles per axis, from `k_out` on of one axis, which come from `k_in` on in steps of 1 or -1 of
 * another. Frequencies are taken modulo the size, but for those of half axes. */
typedef struct tess__fft_stretch {
    int64_t k_out, k_in, n;
    int     step;
    double  weight;
    bool    adds;
} tess__fft_stretch;

/* Add the runs of a stretch. */
void tess__fft_add(tess__fft_axis_runs *runs, tess__fft_axis out, tess__fft_axis in, tess__fft_stretch s);

/* What is done to coefficients on the way: a TESS__OP_ of one input, or this. */
enum { TESS__FFT_COPY = -1 };

typedef struct tess__fft_moves {
    const char  *name; /* of the operation */
    tess_array   out, in;
    tess__ewise *work;
    int          n, capacity;
} tess__fft_moves;

/* The view of `a` that runs of its four axes select, as the input or as the output. */
tess_array tess__fft_select(const tess_array *a, const tess__fft_axis_run *const run[4], bool as_input);

/* out = op of in. */
tess_status tess__fft_move(tess__fft_moves *m, const tess_array *out, const tess_array *in, int op);

/* out = scale times in; floats and complex numbers. */
tess_status tess__fft_scale(tess__fft_moves *m, const tess_array *out, const tess_array *in, double scale);

/* out += weight times in, or the conjugate of it; floats and complex numbers. */
tess_status tess__fft_accumulate(tess__fft_moves *m, const tess_array *out, const tess_array *in, double weight,
                                 bool conjugate);

/* out = 0. */
tess_status tess__fft_clear(tess__fft_moves *m, const tess_array *out);

/* Move all combinations of the runs of four axes. */
tess_status tess__fft_move_all(tess__fft_moves *m, const tess__fft_axis_runs runs[4], int op);

/* The next combination of one run of each axis, none of them empty: `at` is zeroed at the start. False at the end. */
bool tess__fft_next(const tess__fft_axis_runs runs[4], int at[4], const tess__fft_axis_run *run[4], bool *started);

/* Submit all moves to the current stream, if there are any; then, or after a failure, clear the list. */
tess_status tess__fft_submit(tess__fft_moves *m);
void        tess__fft_forget(tess__fft_moves *m);

#endif
