/* Half maps, and pairs of images: their checks, and shell correlation with and without a mask.
 *
 * What a mask adds to the correlation is measured by phase randomisation (Chen et al., 2013). */
#include "jobs/data/maps/half_maps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "jobs/data/in_place.h"
#include "jobs/data/pixels.h"
#include "tessera/ewise.h"
#include "tessera/fft.h"
#include "tessera/reduce.h"
#include "tessera/signal.h"

/* ---- Checks ---- */

static const char *size_text(char text[80], tess_shape s)
{
    (void)snprintf(text, 80, "%lld x %lld x %lld", (long long)s.w, (long long)s.h, (long long)s.d);
    return text;
}

static bool same_size(tess_shape a, tess_shape b) { return a.d == b.d && a.h == b.h && a.w == b.w; }

/* Of one map alone, that it is not empty. */
static tess_status check_sizes(const tess__half_maps *h)
{
    const tess_shape a = h->in[0]->shape, b = h->n == 2 ? h->in[1]->shape : a;
    const char      *names[2] = { h->in[0]->name, h->n == 2 ? h->in[1]->name : "" };
    char             text[2][80];
    TESS_CHECK(same_size(a, b), TESS_ESHAPE, "%s: %s has %s pixels and %s has %s; the sizes must be equal", h->fn,
               names[0], size_text(text[0], a), names[1], size_text(text[1], b));
    TESS_CHECK(a.b == b.b, TESS_ESHAPE, "%s: %s has %lld images and %s has %lld; the numbers must be equal", h->fn,
               names[0], (long long)a.b, names[1], (long long)b.b);
    TESS_CHECK(a.b > 0 && a.d > 0 && a.h > 0 && a.w > 0, TESS_ESHAPE, "%s: %s is empty", h->fn, names[0]);
    TESS_CHECK(tess_fsc_shells(TESS_SHAPE(1, a.d, a.h, a.w)) > 1, TESS_ESHAPE,
               "%s: %s has %s pixels; more than one is needed", h->fn, names[0], size_text(text[0], a));
    return TESS_OK;
}

tess_status tess__half_maps_need_mask(const char *fn, const tess_source *mask, double randomize_at_fsc,
                                      double randomize_at)
{
    TESS_CHECK(mask || (randomize_at_fsc == 0 && randomize_at == 0), TESS_EARG,
               "%s: phases are randomised to measure the effect of a mask; give `opts->mask`", fn);
    return TESS_OK;
}

tess_status tess__half_maps_need_volume(const tess__half_maps *h)
{
    TESS_CHECK(h->shape.d > 1 && h->shape.b == 1, TESS_ESHAPE, "%s: %s is not a volume; a volume is needed", h->fn,
               h->in[0]->name);
    return TESS_OK;
}

static tess_status read_mask(tess__half_maps *h, const tess_source *mask)
{
    char   text[2][80];
    double low, high;
    if (!mask) return TESS_OK;
    TESS_TRY(tess__check_source(h->fn, "opts->mask", mask));
    TESS_TRY(tess__need_real(h->fn, mask));
    TESS_CHECK(same_size(mask->shape, h->shape) && mask->shape.b == 1, TESS_ESHAPE,
               "%s: the mask %s has %s pixels and %s has %s; the sizes must be equal", h->fn, mask->name,
               size_text(text[0], mask->shape), h->in[0]->name, size_text(text[1], h->shape));
    tess__warn_of_pixel_sizes(h->context, h->in[0], mask);
    TESS_TRY(tess_source_read_all(mask, &h->mask, h->dtype, h->context));
    TESS_TRY(tess_host_minmax(&low, &high, &h->mask));
    TESS_CHECK(low >= -1e-3 && high <= 1.001 && high > 0, TESS_ERANGE,
               "%s: the mask %s has values from %g to %g; they must lie in 0 to 1 and not all be 0", h->fn, mask->name,
               low, high);
    return TESS_OK;
}

/* Evenly spread over half a sphere, by a spiral whose steps are the golden angle, or over half a circle. */
void tess__half_maps_direction(const tess__half_maps *h, int64_t cone, double zyx[3])
{
    const bool   sphere = h->shape.d > 1;
    const double z = sphere ? ((double)cone + 0.5) / (double)h->cones : 0, radius = sqrt(1 - z * z);
    const double angle = (double)cone * (sphere ? TESS_PI * (3 - sqrt(5)) : TESS_PI / (double)h->cones);
    zyx[0] = z;
    zyx[1] = radius * sin(angle);
    zyx[2] = radius * cos(angle);
}

static tess_status make_directions(tess__half_maps *h)
{
    if (h->cones == 0) return TESS_OK;
    TESS_TRY(tess_empty(&h->directions, TESS_SHAPE(1, 1, h->cones, 3), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < h->cones; ++i) tess__half_maps_direction(h, i, (double *)h->directions.data + 3 * i);
    return tess__move(&h->directions, h->context->device);
}

/* The shape and dtype of both, and their shells. */
static void measure_maps(tess__half_maps *h)
{
    h->shape = h->in[0]->shape;
    h->dtype = TESS_F32;
    for (int k = 0; k < h->n; ++k)
        if (tess__dtype_to_compute(h->in[k]->dtype) == TESS_F64) h->dtype = TESS_F64;
    h->side = INT64_MAX;
    for (int k = 1; k < 4; ++k)
        if (h->shape.dim[k] > 1 && h->shape.dim[k] < h->side) h->side = h->shape.dim[k];
    h->shells = tess_fsc_shells(TESS_SHAPE(1, h->shape.d, h->shape.h, h->shape.w));
}

tess_status tess__half_maps_open(tess__half_maps *h, const char *fn, const tess_source *const in[2],
                                 const tess__half_map_opts *opts, const tess_context *context)
{
    *h = (tess__half_maps){ .fn = fn,
                            .context = context,
                            .in = { in[0], in[1] },
                            .n = in[1] ? 2 : 1,
                            .cones = opts->cones,
                            .aperture = opts->aperture,
                            .random_below = opts->randomize_at_fsc,
                            .streams = opts->streams };
    for (int k = 0; k < h->n; ++k) TESS_TRY(tess__need_real(fn, in[k]));
    TESS_TRY(check_sizes(h));
    measure_maps(h);
    TESS_TRY(tess__pixel_size(&h->pixel_size, fn, in[0], opts->pixel_size));
    if (h->n == 2) tess__warn_of_pixel_sizes(context, in[0], in[1]);
    if (opts->randomize_at > 0) h->random_at = h->pixel_size / opts->randomize_at;
    TESS_TRY(make_directions(h));
    return read_mask(h, opts->mask);
}

void tess__half_maps_close(tess__half_maps *h)
{
    tess_release(&h->mask);
    tess_release(&h->directions);
}

/* ---- Curves ---- */

int64_t tess__half_maps_size(const tess__half_maps *h) { return TESS__FSC_KINDS * (1 + h->cones) * h->shells; }

double *tess__half_maps_curve(const tess__half_maps *h, double *curves, tess__fsc_kind kind, int64_t row)
{
    return curves + ((int64_t)kind * (1 + h->cones) + row) * h->shells;
}

tess__fsc_kind tess__half_maps_final(const tess__half_maps *h)
{
    return h->mask.data ? TESS__FSC_CORRECTED : TESS__FSC_UNMASKED;
}

double tess__half_maps_frequency(const tess__half_maps *h, int64_t shell)
{
    return (double)shell / ((double)h->side * h->pixel_size);
}

static tess_shape one_map(const tess__half_maps *h) { return TESS_SHAPE(1, h->shape.d, h->shape.h, h->shape.w); }

/* A curve for all directions, then those of cones, as rows of `to`. */
static tess_status correlate(const tess__half_maps *h, const tess_array spectra[2], double *to)
{
    for (int cones = 0; cones < (h->cones > 0 ? 2 : 1); ++cones) {
        const tess_fsc_opts opts = { .nearest = 1,
                                     .directions = cones ? &h->directions : NULL,
                                     .aperture = h->aperture };
        tess_array          curves = { 0 };
        TESS_TRY(tess_fsc(&curves, &spectra[0], &spectra[1], one_map(h), &opts));
        const tess_status status = tess__move(&curves, tess_cpu());
        if (status == TESS_OK)
            memcpy(cones ? to + h->shells : to, curves.data, (size_t)tess_n_elements(&curves) * sizeof(double));
        tess_release(&curves);
        TESS_TRY(status);
    }
    return TESS_OK;
}

/* The spectrum of a map times the mask, in its own storage. */
static tess_status transform_masked(const tess__half_maps *h, tess_array *spectrum, const tess_array *map)
{
    tess_array real = tess__real_images_of(spectrum, map->shape.w);
    TESS_TRY(tess_mul(&real, map, &h->mask));
    return tess_fft_r2c(spectrum, &real, NULL);
}

/* Phases beyond a frequency become random; then the mask. */
static tess_status randomise(const tess__half_maps *h, tess_array *spectrum, double frequency, int half, int64_t pair)
{
    tess_array real = tess__real_images_of(spectrum, h->shape.w);
    TESS_TRY(tess_phase_randomize(spectrum, spectrum, one_map(h), frequency, 2 * h->context->seed + (uint64_t)half,
                                  &(tess_phase_randomize_opts){ .first_batch = pair }));
    TESS_TRY(tess_fft_c2r(&real, spectrum, one_map(h), &(tess_fft_opts){ .overwrite = 1 }));
    TESS_TRY(tess_mul(&real, &real, &h->mask));
    return tess_fft_r2c(spectrum, &real, NULL);
}

/* Without the correlation of the mask, from two shells after the first with random phases on. */
static tess_status correct(const tess__half_maps *h, double *curves, double frequency)
{
    tess_array rows[3];
    for (int k = 0; k < 3; ++k)
        TESS_TRY(tess_wrap(&rows[k], tess__half_maps_curve(h, curves, (tess__fsc_kind)(TESS__FSC_MASKED + k), 0),
                           TESS_SHAPE(1, 1, 1 + h->cones, h->shells), TESS_F64, NULL));
    return tess_fsc_corrected(&rows[2], &rows[0], &rows[1], one_map(h), frequency, NULL);
}

/* The first shell above 0 where phases are random; one beyond the last if the curve is never below. */
static int64_t first_random(const tess__half_maps *h, const double *unmasked)
{
    int64_t shell = 1;
    if (h->random_at > 0) return (int64_t)fmax(1, fmin(rint(h->random_at * (double)h->side), (double)h->shells));
    while (shell < h->shells && !(unmasked[shell] < h->random_below)) ++shell;
    return shell;
}

static tess_status check_finite(const tess__half_maps *h, const double *curve)
{
    for (int64_t i = 0; i < h->shells; ++i)
        TESS_CHECK(
            isfinite(curve[i]), TESS_EFORMAT,
            "%s: %s and %s cannot be correlated: there are NaN or infinite values, or numbers too large to square",
            h->fn, h->in[0]->name, h->in[1]->name);
    return TESS_OK;
}

static tess_status correlate_masked(const tess__half_maps *h, const tess_array maps[2], tess_array spectra[2],
                                    int64_t pair, double *curves, int64_t from)
{
    const double frequency = ((double)from - 0.5) / (double)h->side;
    for (int k = 0; k < 2; ++k) TESS_TRY(randomise(h, &spectra[k], frequency, k, pair));
    TESS_TRY(correlate(h, spectra, tess__half_maps_curve(h, curves, TESS__FSC_RANDOMISED, 0)));
    for (int k = 0; k < 2; ++k) TESS_TRY(transform_masked(h, &spectra[k], &maps[k]));
    TESS_TRY(correlate(h, spectra, tess__half_maps_curve(h, curves, TESS__FSC_MASKED, 0)));
    return correct(h, curves, frequency);
}

tess_status tess__half_maps_correlate(const tess__half_maps *h, const tess_array maps[2], int64_t pair, double *curves,
                                      int64_t *from)
{
    const tess_shape half = tess_rfft_shape(one_map(h));
    double          *unmasked = tess__half_maps_curve(h, curves, TESS__FSC_UNMASKED, 0);
    tess_array       spectra[2] = { { .data = NULL }, { .data = NULL } };
    tess_status      status = TESS_OK;
    for (int k = 0; k < 2; ++k) {
        if (tess__half_maps_in_place(h, maps[k].device)) spectra[k] = tess__half_spectrum_of(&maps[k]);
        else TESS_GOTO(done, status, tess_empty(&spectra[k], half, tess_dtype_complex(h->dtype), maps[k].device));
        TESS_GOTO(done, status, tess_fft_r2c(&spectra[k], &maps[k], NULL));
    }
    TESS_GOTO(done, status, correlate(h, spectra, unmasked));
    TESS_GOTO(done, status, check_finite(h, unmasked));
    *from = first_random(h, unmasked);
    if (h->mask.data) TESS_GOTO(done, status, correlate_masked(h, maps, spectra, pair, curves, *from));
done:
    for (int k = 0; k < 2; ++k)
        if (spectra[k].data != maps[k].data) tess_release(&spectra[k]);
    return status;
}

bool tess__half_maps_in_place(const tess__half_maps *h, tess_device device)
{
    return h->streams && !h->mask.data && device.kind == TESS_CPU;
}

int64_t tess__half_maps_workspace(const tess__half_maps *h)
{
    const int64_t spectrum = 2 * (h->shape.w / 2 + 1) * h->shape.h * (int64_t)tess_dtype_size(h->dtype);
    return (h->mask.data ? 3 : h->streams ? 0 : 2) * spectrum;
}

/* ---- Resolution ---- */

tess_status tess__half_maps_resolution(const tess__half_maps *h, double *curve, double threshold, bool whole,
                                       double *angstrom, bool *crosses)
{
    const tess_fsc_resolution_opts opts = { .threshold = tess_given(threshold),
                                            .pixel_size = h->pixel_size,
                                            .no_interpolate = whole };
    tess_array                     fsc, found;
    double                         copy[1];
    *crosses = false;
    for (int64_t i = 1; i < h->shells; ++i) *crosses = *crosses || curve[i] < threshold;
    TESS_TRY(tess_wrap(&fsc, curve, TESS_SHAPE(1, 1, 1, h->shells), TESS_F64, NULL));
    TESS_TRY(tess_wrap(&found, copy, TESS_SHAPE(1, 1, 1, 1), TESS_F64, NULL));
    TESS_TRY(tess_fsc_resolution(&found, &fsc, one_map(h), &opts));
    *angstrom = copy[0];
    return TESS_OK;
}
