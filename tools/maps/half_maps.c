/* Half maps, and pairs of images: their checks, and shell correlation with and without a mask.
 *
 * What a mask brings is measured by phase randomisation (Chen et al., 2013). */
#include "maps/half_maps.h"

#include <math.h>
#include <string.h>

#include "files/on_device.h"
#include "files/one_input.h"
#include "measure/geometry.h"
#include "measure/pixel_sizes.h"
#include "measure/unit_cell.h"

#define PI 3.14159265358979323846

/* ---- What is opened ---- */

static const char *size_text(char text[80], tess_shape s)
{
    (void)snprintf(text, 80, "%lld x %lld x %lld", (long long)s.w, (long long)s.h, (long long)s.d);
    return text;
}

static bool same_size(tess_shape a, tess_shape b) { return a.d == b.d && a.h == b.h && a.w == b.w; }

/* Of one map alone, that it is not empty. */
static tess_status check_sizes(const half_maps *h, const char *fn)
{
    const tess_shape a = h->in[0].info.shape, b = h->n_open == 2 ? h->in[1].info.shape : a;
    char             text[2][80];
    TESS_CHECK(same_size(a, b), TESS_ESHAPE, "%s: %s has %s pixels and %s %s; equal sizes are needed", fn,
               h->in[0].name, size_text(text[0], a), h->in[1].name, size_text(text[1], b));
    TESS_CHECK(a.b == b.b, TESS_ESHAPE, "%s: %s has %lld images and %s %lld; as many are needed", fn, h->in[0].name,
               (long long)a.b, h->in[1].name, (long long)b.b);
    TESS_CHECK(a.b > 0 && a.d > 0 && a.h > 0 && a.w > 0, TESS_ESHAPE, "%s: %s is empty", fn, h->in[0].name);
    TESS_CHECK(tess_fsc_shells(TESS_SHAPE(1, a.d, a.h, a.w)) > 1, TESS_ESHAPE,
               "%s: %s has %s pixels; more than one is needed", fn, h->in[0].name, size_text(text[0], a));
    return TESS_OK;
}

static tess_status check_pixels(half_maps *h, job *j)
{
    const double *size = h->in[0].info.meta.pixel_size;
    TESS_TRY(input_pixel_size(&h->in[0], &h->pixel_size));
    TESS_CHECK(unit_cell_is_cubic(&h->in[0].info.meta, h->shape.d > 1), TESS_EUNSUPPORTED,
               "%s: %s has pixels of %g x %g x %g A, or axes that are not at right angles; pixels that are alike along "
               "all axes are needed",
               j->verb->name, h->in[0].name, size[2], size[1], size[0]);
    if (h->n_open == 2) warn_of_pixel_sizes(j, &h->in[0], &h->in[1]);
    return TESS_OK;
}

static tess_status read_mask(half_maps *h, job *j, input *in)
{
    char   text[2][80];
    double low, high;
    TESS_TRY(need_real(j, in));
    TESS_CHECK(same_size(in->info.shape, h->shape) && in->info.shape.b == 1, TESS_ESHAPE,
               "%s: the mask %s has %s pixels and %s %s; equal sizes are needed", j->verb->name, in->name,
               size_text(text[0], in->info.shape), h->in[0].name, size_text(text[1], h->shape));
    warn_of_pixel_sizes(j, &h->in[0], in);
    TESS_TRY(input_read_all(in, j, &h->mask, h->dtype));
    TESS_TRY(tess_host_minmax(&low, &high, &h->mask));
    TESS_CHECK(low >= -1e-3 && high <= 1.001 && high > 0, TESS_ERANGE,
               "%s: the mask %s has values from %g to %g; 0 to 1 are allowed, and not 0 alone", j->verb->name, in->name,
               low, high);
    return move_array(&h->mask, j->device);
}

static tess_status open_mask(half_maps *h, job *j)
{
    input       mask;
    const char *name = job_text(j, "mask", NULL);
    if (!name) return TESS_OK;
    TESS_TRY(input_open(&mask, j, name, h->shape.d > 1 ? NEED_VOLUME : NEED_ANY));
    const tess_status status = read_mask(h, j, &mask);
    input_close(&mask);
    return status;
}

/* Evenly spread over half a sphere, by a spiral whose steps are the golden angle, or over half a circle. */
void half_maps_direction(const half_maps *h, int64_t cone, double zyx[3])
{
    const bool   sphere = h->shape.d > 1;
    const double z = sphere ? ((double)cone + 0.5) / (double)h->cones : 0, radius = sqrt(1 - z * z);
    const double angle = (double)cone * (sphere ? PI * (3 - sqrt(5)) : PI / (double)h->cones);
    zyx[0] = z;
    zyx[1] = radius * sin(angle);
    zyx[2] = radius * cos(angle);
}

static tess_status make_directions(half_maps *h, job *j)
{
    h->cones = job_integer(j, "cones", 0);
    h->aperture = PI / 9;
    TESS_TRY(job_angle(j, "cone-angle", &h->aperture));
    TESS_CHECK(h->aperture > 0 && h->aperture <= PI / 2, TESS_ERANGE,
               "--cone-angle is %g degrees; above 0 to 90 are allowed", h->aperture * 180 / PI);
    TESS_CHECK(h->cones >= 0 && h->cones <= 10000, TESS_ERANGE, "--cones is %lld; 1 to 10000 are allowed",
               (long long)h->cones);
    if (h->cones == 0) return TESS_OK;
    TESS_TRY(tess_empty(&h->directions, TESS_SHAPE(1, 1, h->cones, 3), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < h->cones; ++i) half_maps_direction(h, i, (double *)h->directions.data + 3 * i);
    return move_array(&h->directions, j->device);
}

static tess_status check_maps(half_maps *h, job *j)
{
    for (int k = 0; k < h->n_open; ++k) TESS_TRY(need_real(j, &h->in[k]));
    TESS_TRY(check_sizes(h, j->verb->name));
    h->shape = h->in[0].info.shape;
    h->dtype = TESS_F32;
    for (int k = 0; k < h->n_open; ++k)
        if (dtype_to_compute(h->in[k].info.dtype) == TESS_F64) h->dtype = TESS_F64;
    h->side = INT64_MAX;
    for (int k = 1; k < 4; ++k)
        if (h->shape.dim[k] > 1 && h->shape.dim[k] < h->side) h->side = h->shape.dim[k];
    h->shells = tess_fsc_shells(TESS_SHAPE(1, h->shape.d, h->shape.h, h->shape.w));
    TESS_TRY(check_pixels(h, j));
    h->random_below = job_number(j, "randomize-at-fsc", 0.8);
    h->seed = (uint64_t)job_integer(j, "seed", 0);
    TESS_CHECK(h->random_below > 0 && h->random_below <= 1, TESS_ERANGE,
               "--randomize-at-fsc is %g; above 0 to 1 is allowed", h->random_below);
    TESS_TRY(job_cutoff(j, "randomize-at", h->pixel_size, h->side, &h->random_at));
    TESS_TRY(make_directions(h, j));
    return open_mask(h, j);
}

tess_status half_maps_need_mask(const job *j)
{
    TESS_CHECK(job_has(j, "mask") || (!job_has(j, "randomize-at") && !job_has(j, "randomize-at-fsc")), TESS_EARG,
               "%s: phases are randomised to measure what a mask does; --mask is not given", j->verb->name);
    return TESS_OK;
}

tess_status half_maps_open(half_maps *h, job *j)
{
    *h = (half_maps){ 0 };
    for (int k = 0; k < (j->n_arguments < 2 ? 1 : 2); ++k) {
        TESS_TRY(input_open(&h->in[k], j, j->arguments[k], NEED_ANY));
        ++h->n_open;
    }
    return check_maps(h, j);
}

void half_maps_close(half_maps *h)
{
    while (h->n_open > 0) input_close(&h->in[--h->n_open]);
    tess_release(&h->mask);
    tess_release(&h->directions);
}

/* ---- Curves ---- */

int64_t half_maps_size(const half_maps *h) { return FSC_KINDS * (1 + h->cones) * h->shells; }

double *half_maps_curve(const half_maps *h, double *curves, fsc_kind kind, int64_t row)
{
    return curves + ((int64_t)kind * (1 + h->cones) + row) * h->shells;
}

fsc_kind half_maps_final(const half_maps *h) { return h->mask.data ? FSC_CORRECTED : FSC_UNMASKED; }

double half_maps_frequency(const half_maps *h, int64_t shell)
{
    return (double)shell / ((double)h->side * h->pixel_size);
}

static tess_shape one_map(const half_maps *h) { return TESS_SHAPE(1, h->shape.d, h->shape.h, h->shape.w); }

/* A curve for all directions, then those of cones, as rows of `to`. */
static tess_status correlate(const half_maps *h, const tess_array spectra[2], double *to)
{
    for (int cones = 0; cones < (h->cones > 0 ? 2 : 1); ++cones) {
        const tess_fsc_opts opts = { .nearest = 1,
                                     .directions = cones ? &h->directions : NULL,
                                     .aperture = h->aperture };
        tess_array          curves = { 0 };
        TESS_TRY(tess_fsc(&curves, &spectra[0], &spectra[1], one_map(h), &opts));
        const tess_status status = move_array(&curves, tess_cpu());
        if (status == TESS_OK)
            memcpy(cones ? to + h->shells : to, curves.data, (size_t)tess_n_elements(&curves) * sizeof(double));
        tess_release(&curves);
        TESS_TRY(status);
    }
    return TESS_OK;
}

/* The spectrum of a map times the mask, in its own storage. */
static tess_status transform_masked(const half_maps *h, tess_array *spectrum, const tess_array *map)
{
    tess_array real = real_images_of(spectrum, map->shape.w);
    TESS_TRY(tess_mul(&real, map, &h->mask));
    return tess_fft_r2c(spectrum, &real, NULL);
}

/* Phases beyond a frequency become random; then the mask. */
static tess_status randomise(const half_maps *h, tess_array *spectrum, double frequency, int half, int64_t pair)
{
    tess_array real = real_images_of(spectrum, h->shape.w);
    TESS_TRY(tess_phase_randomize(spectrum, spectrum, one_map(h), frequency, 2 * h->seed + (uint64_t)half,
                                  &(tess_phase_randomize_opts){ .first_batch = pair }));
    TESS_TRY(tess_fft_c2r(&real, spectrum, one_map(h), &(tess_fft_opts){ .overwrite = 1 }));
    TESS_TRY(tess_mul(&real, &real, &h->mask));
    return tess_fft_r2c(spectrum, &real, NULL);
}

/* Without the correlation of the mask, from two shells after the first with random phases on. */
static tess_status correct(const half_maps *h, double *curves, double frequency)
{
    tess_array rows[3];
    for (int k = 0; k < 3; ++k)
        TESS_TRY(tess_wrap(&rows[k], half_maps_curve(h, curves, (fsc_kind)(FSC_MASKED + k), 0),
                           TESS_SHAPE(1, 1, 1 + h->cones, h->shells), TESS_F64, NULL));
    return tess_fsc_corrected(&rows[2], &rows[0], &rows[1], one_map(h), frequency, NULL);
}

/* The first shell above 0 where phases are random; one beyond the last if the curve is never below. */
static int64_t first_random(const half_maps *h, const double *unmasked)
{
    int64_t shell = 1;
    if (h->random_at > 0) return (int64_t)fmax(1, fmin(rint(h->random_at * (double)h->side), (double)h->shells));
    while (shell < h->shells && !(unmasked[shell] < h->random_below)) ++shell;
    return shell;
}

static tess_status check_finite(const half_maps *h, const double *curve)
{
    for (int64_t i = 0; i < h->shells; ++i)
        TESS_CHECK(isfinite(curve[i]), TESS_EFORMAT,
                   "%s and %s have no correlation: there are NaN or infinite values, or numbers too large to square; "
                   "`tessera stats` counts them",
                   h->in[0].name, h->in[1].name);
    return TESS_OK;
}

static tess_status correlate_masked(const half_maps *h, const tess_array maps[2], tess_array spectra[2], int64_t pair,
                                    double *curves, int64_t from)
{
    const double frequency = ((double)from - 0.5) / (double)h->side;
    for (int k = 0; k < 2; ++k) TESS_TRY(randomise(h, &spectra[k], frequency, k, pair));
    TESS_TRY(correlate(h, spectra, half_maps_curve(h, curves, FSC_RANDOMISED, 0)));
    for (int k = 0; k < 2; ++k) TESS_TRY(transform_masked(h, &spectra[k], &maps[k]));
    TESS_TRY(correlate(h, spectra, half_maps_curve(h, curves, FSC_MASKED, 0)));
    return correct(h, curves, frequency);
}

tess_status half_maps_correlate(const half_maps *h, const tess_array maps[2], int64_t pair, double *curves,
                                int64_t *from)
{
    const tess_shape half = tess_rfft_shape(one_map(h));
    double          *unmasked = half_maps_curve(h, curves, FSC_UNMASKED, 0);
    tess_array       spectra[2] = { { .data = NULL }, { .data = NULL } };
    tess_status      status = TESS_OK;
    for (int k = 0; k < 2; ++k) {
        if (half_maps_in_place(h, maps[k].device)) spectra[k] = half_spectrum_of(&maps[k]);
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

bool half_maps_in_place(const half_maps *h, tess_device device)
{
    return h->streams && !h->mask.data && device.kind == TESS_CPU;
}

int64_t half_maps_workspace(const half_maps *h)
{
    const int64_t spectrum = 2 * (h->shape.w / 2 + 1) * h->shape.h * (int64_t)tess_dtype_size(h->dtype);
    return (h->mask.data ? 3 : h->streams ? 0 : 2) * spectrum;
}

/* ---- Resolution ---- */

tess_status half_maps_resolution(const half_maps *h, double *curve, double threshold, bool whole, double *angstrom,
                                 bool *crosses)
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
