/* Bilateral filters, non-local means and anisotropic diffusion: the same bits on every instruction set, for any number
 * of threads and any layout, nothing written outside the output, and images of several tiles. */
#include <string.h>

#include "support/isas.h"
#include "support/layouts.h"
#include "tessera/random.h"
#include "tessera/restoration.h"

enum { FILTERS = 4 };

static tess_status call(int which, tess_array *out, const tess_array *in, int32_t border)
{
    const double              value = border == TESS_BORDER_VALUE ? 2 : 0;
    const tess_bilateral_opts b = { .border = border, .value = value, .window = TESS_SHAPE(1, 1, 5, 3) };
    const tess_nl_means_opts  m = { .border = border, .value = value, .noise = 0.3, .patch = 1, .search = 2 };
    const tess_diffusion_opts f = { .conductance = which == 3 ? TESS_CONDUCTANCE_RATIONAL : 0 };
    if (which == 0) TESS_TRY(tess_bilateral(out, in, 1, 1, &b));
    else if (which == 1) TESS_TRY(tess_nl_means(out, in, 1, &m));
    else TESS_TRY(tess_anisotropic_diffusion(out, in, 1, 3, &f));
    return TESS_OK;
}

static void fill(tess_array *a)
{
    if (tess_dtype_kind(a->dtype) == TESS_KIND_FLOAT) CHECK_OK(tess_random_normal(a, 0, 2, test_random(), NULL));
    else CHECK_OK(tess_random_integers(a, 0, 9, test_random(), NULL));
}

/* By a contiguous copy, whose elements must be those of a contiguous array. */
static bool same_bits(const tess_array *a, const tess_array *b)
{
    tess_array copy = { .data = NULL };
    CHECK_OK(tess_copy(&copy, a));
    const bool same = memcmp(copy.data, b->data, (size_t)tess_n_bytes(b)) == 0;
    tess_release(&copy);
    return same;
}

/* One thread, contiguous arrays and the plainest instruction set, and any others. */
static void check_filter(int which, tess_shape shape, tess_dtype dtype, tess_dtype result)
{
    const int32_t border = (int32_t)test_random_in(TESS_BORDER_ZERO, TESS_BORDER_REFLECT);
    tess_array    plain = { .data = NULL }, want = { .data = NULL };
    guarded       in, out;
    guarded_make(&in, (layout)test_random_in(0, n_output_layouts - 1), shape, dtype);
    fill(&in.view);
    CHECK_OK(tess_copy(&plain, &in.view));
    CHECK_OK(tess_empty(&want, shape, result, tess_cpu()));
    CHECK_OK(tess_cpu_limit_set(tess__isas[0].name));
    CHECK_OK(tess_threads_set(1));
    CHECK_OK(call(which, &want, &plain, border));
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        if (!isa_is_there(isa)) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        CHECK_OK(tess_threads_set((int)test_random_in(1, 4)));
        guarded_make(&out, (layout)test_random_in(0, n_output_layouts - 1), shape, result);
        guarded_snapshot(&out);
        CHECK_OK(call(which, &out.view, &in.view, border));
        if (!same_bits(&out.view, &want))
            (void)test_failed(__FILE__, __LINE__, "filter %d of %s to %s on %s, border %d", which,
                              tess_dtype_name(dtype), tess_dtype_name(result), isa->name, (int)border);
        (void)guarded_check(&out, "filter");
        guarded_free(&out);
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    CHECK_OK(tess_threads_set(0));
    tess_release(&plain);
    tess_release(&want);
    guarded_free(&in);
}

TEST(filters_are_the_same_everywhere)
{
    static const tess_dtype dtypes[][2] = { { TESS_F32, TESS_F32 }, { TESS_F64, TESS_F64 }, { TESS_U8, TESS_F32 },
                                            { TESS_F16, TESS_F16 }, { TESS_F32, TESS_I16 }, { TESS_I32, TESS_F64 } };
    isas_tell_missing();
    for (int i = 0; i < test_fewer(24 * FILTERS); i++) {
        const tess_shape shape = TESS_SHAPE(test_random_in(1, 2), test_random() % 2 ? 1 : test_random_in(1, 5),
                                            test_random_in(1, 30), test_random_in(1, test_random() % 4 ? 40 : 300));
        check_filter(i % FILTERS, shape, dtypes[i / FILTERS % 6][0], dtypes[i / FILTERS % 6][1]);
    }
}

TEST(several_tiles)
{
    for (int which = 0; which < FILTERS; which++)
        check_filter(which, TESS_SHAPE(1, 1, 131, 701), which % 2 ? TESS_F64 : TESS_F32,
                     which % 2 ? TESS_F64 : TESS_F32);
}
