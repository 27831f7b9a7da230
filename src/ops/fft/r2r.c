/* Discrete cosine and sine transforms (DCT, DST): checks and request. */
#include <inttypes.h>
#include <math.h>

#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/fft/fft.h"
#include "tessera/ewise.h"
#include "tessera/scalar.h"

static const char fn[] = "fft_r2r";

static const tess_choice kinds[] = {
    { "dct1", TESS_FFT_DCT1, "cosine transform, type 1; sizes of at least 2" },
    { "dct2", TESS_FFT_DCT2, "cosine transform, type 2" },
    { "dct3", TESS_FFT_DCT3, "cosine transform, type 3" },
    { "dct4", TESS_FFT_DCT4, "cosine transform, type 4" },
    { "dst1", TESS_FFT_DST1, "sine transform, type 1" },
    { "dst2", TESS_FFT_DST2, "sine transform, type 2" },
    { "dst3", TESS_FFT_DST3, "sine transform, type 3" },
    { "dst4", TESS_FFT_DST4, "sine transform, type 4" },
    { NULL, 0, NULL },
};
static const tess_arg_info args[] = {
    TESS__OUT("out", "the transform; may be the input itself"),
    TESS__IN("in", "f16, f32 or f64"),
    TESS__NEED_CHOICE("kind", kinds, "type of the transform"),
    TESS__NEED_CHOICE("sign", tess__fft_signs, "forward transform or its inverse"),
    TESS__FFT_ROWS(0),
};
TESS__CALL(fft_r2r, v[0].out, v[1].in, (tess_fft_r2r_kind)v[2].i32, (tess_fft_sign)v[3].i32, opts)
const tess_function_info tess__info_fft_r2r =
    TESS__OP_OPTS(TESS_CUT_BATCHES, fft_r2r, "fft", "Cosine and sine transforms of real arrays.", args, tess_fft_opts);

/* The inverse of each, but for a factor. */
static int inverse_of(int kind)
{
    switch (kind) {
    case TESS_FFT_DCT2: return TESS_FFT_DCT3;
    case TESS_FFT_DCT3: return TESS_FFT_DCT2;
    case TESS_FFT_DST2: return TESS_FFT_DST3;
    case TESS_FFT_DST3: return TESS_FFT_DST2;
    default: return kind;
    }
}

/* The length of the periodic signal that an axis of n stands for. */
static double period(int kind, int64_t n)
{
    return 2 * ((double)n + (kind == TESS_FFT_DST1) - (kind == TESS_FFT_DCT1));
}

/* The factor of an axis of one element. */
static double factor_of_one(int kind)
{
    if (kind == TESS_FFT_DCT3 || kind == TESS_FFT_DST3) return 1;
    return kind == TESS_FFT_DCT4 || kind == TESS_FFT_DST4 ? sqrt(2) : 2;
}

static tess_status check_input(const tess_array *in, int kind)
{
    TESS_TRY(tess__check_array(fn, "in", in));
    TESS_CHECK(in->dtype >= TESS_F16 && in->dtype <= TESS_F64, TESS_EDTYPE,
               "%s: `in` is %s; f16, f32 or f64 is needed (`tess_cast` converts)", fn, tess_dtype_name(in->dtype));
    TESS_CHECK(kind >= TESS_FFT_DCT1 && kind <= TESS_FFT_DST4, TESS_EARG,
               "%s: `kind` is %d; TESS_FFT_DCT1 (1) to TESS_FFT_DST4 (8) is needed", fn, kind);
    return TESS_OK;
}

/* Axes of size 1 are transformed if they are named. */
static tess_status choose_axes(int32_t *axes, const tess_array *in, int kind)
{
    char text[TESS__SHAPE_TEXT];
    TESS_TRY(tess__fft_check_axes(fn, TESS_FFT_C2C, *axes));
    const bool named = *axes != 0;
    for (int k = 1; k < 4 && !named; k++)
        if (in->shape.dim[k] > 1) *axes |= TESS_B << k;
    for (int k = 0; k < 4; k++)
        TESS_CHECK(!(*axes & (TESS_B << k)) || kind != TESS_FFT_DCT1 || in->shape.dim[k] != 1, TESS_ESHAPE,
                   "%s: `in` has shape %s, too small along axis %d; TESS_FFT_DCT1 needs sizes of at least 2", fn,
                   tess__shape_text(text, in->shape.dim), k);
    return TESS_OK;
}

/* Axes of size 1 are a factor, and not part of the request. */
static tess__fft describe(tess_shape shape, int kind, int sign, int32_t axes, int norm)
{
    const int  computed = sign == TESS_FFT_FORWARD ? kind : inverse_of(kind);
    const bool ortho = norm == TESS_FFT_NORM_ORTHO;
    tess__fft  work = { .name = fn, .kind = TESS__FFT_R2R, .r2r = computed, .sign = sign, .ortho = ortho };
    double     n = 1, factor = 1;
    for (int k = 0; k < 4; k++) {
        const int64_t size = shape.dim[k];
        if (!(axes & (TESS_B << k)) || (size == 1 && ortho)) continue;
        n *= period(kind, size);
        if (size == 1) factor *= factor_of_one(computed);
        else work.axes |= (uint32_t)TESS_B << k;
    }
    work.scale = factor * tess__fft_factor(norm, sign, n);
    return work;
}

tess_status tess_fft_r2r(tess_array *out, const tess_array *in, tess_fft_r2r_kind kind, tess_fft_sign sign,
                         const tess_fft_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_fft_opts o;
    TESS_TRY(tess__resolve(&tess__info_fft_r2r, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(check_input(in, (int)kind));
    TESS_TRY(tess__fft_check_sign(fn, (int)sign));
    TESS_TRY(choose_axes(&o.axes, in, (int)kind));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__output(fn, out, in->shape, in->dtype, in->device));
    if (!tess__has_elements(out)) return TESS_OK;
    if (!made) TESS_TRY(tess__check_overlap(fn, out, "in", in, true));
    tess__fft work = describe(in->shape, (int)kind, (int)sign, o.axes, o.norm);
    if (!work.axes) {
        const tess_status status = tess_mul(out, in, &tess_num(work.scale));
        return tess__finish(tess__error_under(status, fn), out, made);
    }
    TESS_TRY(tess__fft_compute(&work, out, in, made));
    return TESS_OK;
}
