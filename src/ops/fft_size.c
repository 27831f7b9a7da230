/* Sizes that are fast to transform, and storage for transforms in place. */
#include "core/check.h"
#include "core/engine.h"
#include "core/table.h"
#include "ops/infos.h"
#include "tessera/fft.h"

static const tess_arg_info empty_args[] = {
    TESS__OUT("real", "the real array; zeroed before"),
    TESS__OUT("spectrum", "its half spectrum on the same storage; zeroed before"),
    TESS__NEED(TESS_ARG_SHAPE, "shape", "of the real array"),
    TESS__NEED(TESS_ARG_DTYPE, "dtype", "of the real array: f16, f32 or f64"),
    TESS__NEED(TESS_ARG_DEVICE, "device", "where they are to be"),
};
TESS__CALL(fft_empty, v[0].out, v[1].out, v[2].shape, v[3].dtype, v[4].device)
const tess_op_info tess__info_fft_empty =
    TESS__OP(TESS_CUT_NONE, fft_empty, "fft", "A real array and its half spectrum on the same storage.", empty_args);

/* ---- Fast sizes ---- */

/* The least 2^a odd of n or more, a at least 1; `most` if that is not below it. */
static int64_t doubled(int64_t odd, int64_t n, int64_t most)
{
    for (int64_t size = odd; size <= most / 2;) {
        size *= 2;
        if (size >= n) return size;
    }
    return most;
}

int64_t tess_fft_fast_size(int64_t n)
{
    if (n <= 1) return n;
    int64_t best = INT64_MAX; /* which is no such size: it is odd */
    for (int64_t seven = 1;; seven *= 7) {
        for (int64_t five = seven;; five *= 5) {
            for (int64_t odd = five;; odd *= 3) {
                best = doubled(odd, n, best);
                if (odd > best / 3) break;
            }
            if (five > best / 5) break;
        }
        if (seven > best / 7) break;
    }
    return best == INT64_MAX ? n : best;
}

tess_shape tess_fft_fast_shape(tess_shape shape)
{
    for (int k = 1; k < 4; k++) shape.dim[k] = tess_fft_fast_size(shape.dim[k]);
    return shape;
}

/* ---- Storage for both ---- */

static tess_status check_unmade(const char *arg, const tess_array *a)
{
    TESS_TRY(tess__check_pointer("fft_empty", arg, a));
    TESS_CHECK(tess__is_unmade(a), TESS_EARG,
               "fft_empty: %s is an array that was made; a zeroed one is needed (tess_release it)", arg);
    return TESS_OK;
}

tess_status tess_fft_empty(tess_array *real, tess_array *spectrum, tess_shape shape, tess_dtype dtype,
                           tess_device device)
{
    TESS_TRY(check_unmade("real", real));
    TESS_TRY(check_unmade("spectrum", spectrum));
    TESS_CHECK(real != spectrum, TESS_EARG, "fft_empty: real and spectrum are the same struct; two are needed");
    TESS_TRY(tess__check_dtype("fft_empty", "dtype", dtype));
    TESS_CHECK(tess_dtype_kind(dtype) == TESS_KIND_FLOAT, TESS_EDTYPE,
               "fft_empty: dtype is %s; that of the real array, f16, f32 or f64, is needed", tess_dtype_name(dtype));
    TESS_TRY(tess__check_shape("fft_empty", "shape", shape, dtype));
    tess_array whole = { .data = NULL }, view;
    TESS_TRY(tess__make("fft_empty", &whole, tess_rfft_shape(shape), tess_dtype_complex(dtype), device, false));
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_reinterpret(&view, &whole, dtype));
    TESS_GOTO(done, status, tess_slice(&view, &view, 3, 0, shape.w, 1));
    TESS_GOTO(done, status, tess_retain(&view));
    *real = view;
    *spectrum = whole;
done:
    return tess__finish(status, &whole, true);
}
