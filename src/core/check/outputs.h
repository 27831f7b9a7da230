/* The outputs of one call: all of them are checked before the first is allocated or written, and those that were
 * allocated are released if the call fails.
 *
 *     tess__outputs out = { .fn = "lstsq" };
 *     tess__wants(&out, "x", x, shape, dtype, device);
 *     tess__wants(&out, "opts->rank", o.rank, batches, TESS_I64, device);
 *     tess__reads(&out, "a", a);
 *     TESS_TRY(tess__outputs_take(&out));
 *     return tess__outputs_end(&out, run(...));
 */
#ifndef TESS_CORE_CHECK_OUTPUTS_H
#define TESS_CORE_CHECK_OUTPUTS_H

#include "tessera/array.h"

enum { TESS__MAX_OUTPUTS = 9, TESS__OUTPUTS_INPUTS = 8 };

/* An output, as the operation wants it. */
typedef struct tess__wanted {
    const char *name; /* of the argument */
    tess_array *array;
    tess_shape  shape;
    tess_dtype  dtype;
    tess_device device;
    bool        made; /* allocated by tess__outputs_take */
} tess__wanted;

typedef struct tess__outputs {
    const char  *fn;
    tess__wanted wanted[TESS__MAX_OUTPUTS];
    struct {
        const char       *name;
        const tess_array *array;
    } inputs[TESS__OUTPUTS_INPUTS];
    int  n, n_inputs;
    bool is_full; /* more were added than there is room for */
} tess__outputs;

/* Add an output. A NULL `array` is an output that the caller leaves out: it is not added. */
void tess__wants(tess__outputs *out, const char *name, tess_array *array, tess_shape shape, tess_dtype dtype,
                 tess_device device);

/* The same for numbers that are f64 if they are allocated, and may be f16, f32 or f64 otherwise. */
tess_status tess__wants_numbers(tess__outputs *out, const char *name, tess_array *array, tess_shape shape,
                                tess_device device);

/* Add an input, which may share no memory with an output. NULL is none. */
void tess__reads(tess__outputs *out, const char *name, const tess_array *array);

/* All outputs that were allocated before the call have the shape, the dtype and the device that are wanted, can be
 * written, and share no memory with each other or with an input. */
tess_status tess__outputs_check(const tess__outputs *out);

/* The same; then the empty ones are allocated. If one cannot be, all are as they were. */
tess_status tess__outputs_take(tess__outputs *out);

/* The end of the call: if it failed, outputs that were allocated are released, so that they are as they were. */
tess_status tess__outputs_end(tess__outputs *out, tess_status status);

/* For a single output, at the beginning of a call: it shares no memory with an input. It may be empty, and the input
 * NULL. */
tess_status tess__check_apart(const char *fn, const char *other, const tess_array *out, const char *arg,
                              const tess_array *in);

#endif
