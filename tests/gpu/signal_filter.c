/* Filters of spectra on a GPU beside the CPU: the same bits, in every layout. */
#include "support/filters.h"
#include "support/gpu.h"
#include "tessera/random.h"

static layout any_layout(void) { return (layout)test_random_in(0, n_output_layouts - 1); }

static void check_case(const filter_case *c, tess_device device)
{
    guarded    in, own, out;
    tess_array gpu_in = { .data = NULL }, gpu_own = { .data = NULL }, gpu_out = { .data = NULL };
    const bool has_in = c->in_dtype != TESS_DTYPE_NONE, has_own = c->columns > 0;
    guarded_make(&out, any_layout(), filter_shape(c, c->to), c->out_dtype);
    CHECK_OK(tess_fill(&out.view, 0));
    (void)test_mirror(&gpu_out, &out.view, device);
    if (has_own) {
        filter_parameters(&own, c);
        (void)test_mirror(&gpu_own, &own.view, device);
    }
    if (has_in) {
        guarded_make(&in, any_layout(), filter_shape(c, c->from), c->in_dtype);
        CHECK_OK(tess_random_normal(&in.view, 0, 1, test_random(), NULL));
        (void)test_mirror(&gpu_in, &in.view, device);
    }
    CHECK_OK(filter_call(c, &out.view, has_in ? &in.view : NULL, has_own ? &own.view : NULL));
    CHECK_OK(filter_call(c, &gpu_out, has_in ? &gpu_in : NULL, has_own ? &gpu_own : NULL));
    if (!test_same_bits(&gpu_out, &out.view)) (void)test_failed(__FILE__, __LINE__, "%s", c->text);
    tess_release(&gpu_in);
    tess_release(&gpu_own);
    tess_release(&gpu_out);
    if (has_in) guarded_free(&in);
    if (has_own) guarded_free(&own);
    guarded_free(&out);
}

static void check_function(filter_function function)
{
    tess_device device;
    filter_case c;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 400 : 25); i++) {
        filter_choose(&c, function);
        check_case(&c, device);
    }
}

TEST(lowpass_has_the_bits_of_the_cpu) { check_function(FILTER_LOWPASS); }
TEST(highpass_has_the_bits_of_the_cpu) { check_function(FILTER_HIGHPASS); }
TEST(bandpass_has_the_bits_of_the_cpu) { check_function(FILTER_BANDPASS); }
TEST(bfactor_has_the_bits_of_the_cpu) { check_function(FILTER_BFACTOR); }
TEST(dose_weight_has_the_bits_of_the_cpu) { check_function(FILTER_DOSE); }
TEST(filter_curve_has_the_bits_of_the_cpu) { check_function(FILTER_CURVE); }
TEST(phase_shift_has_the_bits_of_the_cpu) { check_function(FILTER_SHIFT); }
TEST(ctf_apply_has_the_bits_of_the_cpu) { check_function(FILTER_CTF); }
TEST(ctf_flip_has_the_bits_of_the_cpu) { check_function(FILTER_FLIP); }
TEST(ctf_wiener_has_the_bits_of_the_cpu) { check_function(FILTER_WIENER); }
