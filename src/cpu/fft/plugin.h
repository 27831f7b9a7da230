/* How another library for Fourier transforms is called: plain C, nothing of ours, so that it can be built apart. */
#ifndef TESS_CPU_FFT_PLUGIN_H
#define TESS_CPU_FFT_PLUGIN_H

#include <stdint.h>

/* Grows with each change of the structs below. */
enum { TESS__FFT_PLUGIN_VERSION = 2 };

/* A dimension; strides are in elements of the array they belong to. */
typedef struct tess__fft_dim {
    int64_t n, in, out;
} tess__fft_dim;

/* Values as those of tess_fft_kind and tess_fft_r2r_kind. */
enum { TESS__PLUGIN_R2C = 1, TESS__PLUGIN_C2R = 2, TESS__PLUGIN_C2C = 3, TESS__PLUGIN_R2R = 16 };

/* Transforms along `dims`, one for each index of `many`. Of R2C and C2R the last of dims is that of the half spectrum,
 * and its n that of the real array. Results are not scaled. C2R may overwrite its input. Both arrays are the same, or
 * apart, and no element of one is at two indices. */
typedef struct tess__fft_problem {
    int32_t       kind; /* one of the above */
    int32_t       r2r;  /* 1 to 4: cosine transforms of type 1 to 4, 5 to 8: sine transforms */
    int32_t       sign; /* -1 or 1 */
    int32_t       wide; /* 0: f32, 1: f64 */
    int32_t       n_dims, n_many;
    tess__fft_dim dims[4], many[4];
    void         *in, *out; /* NULL: only get ready */
} tess__fft_problem;

/* What a plugin's run answers. */
enum { TESS__PLUGIN_DONE, TESS__PLUGIN_NO_MEMORY, TESS__PLUGIN_CANNOT };

typedef struct tess__fft_plugin {
    int32_t     version;
    const char *name;
    const char *method;                           /* how it plans, in a few words */
    const char *fault;                            /* why it cannot do what its settings ask for; NULL: it can */
    int (*run)(const tess__fft_problem *problem); /* from any number of threads */
    void (*clear)(void);                          /* give back what is kept from call to call */
} tess__fft_plugin;

/* The one symbol of a plugin. */
typedef const tess__fft_plugin *tess__fft_plugin_fn(void);
#define TESS__FFT_PLUGIN_SYMBOL "tess_fft_plugin"

#endif
