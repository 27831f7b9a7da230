/* tessera sharpen: the mean of two half maps, weighted by their correlation, with a B-factor by a Guinier fit. */
#include <math.h>
#include <stdlib.h>

#include "files/on_device.h"
#include "files/one_input.h"
#include "measure/geometry.h"
#include "maps/guinier.h"
#include "maps/half_maps.h"

static const option options[] = {
    { .name = "bfactor",
      .value = "B",
      .type = OPTION_NUMBER,
      .help = "in \xc3\x85^2, negative ones sharpen [by a fit]" },
    { .name = "fit-from", .value = "RES", .type = OPTION_NUMBER, .help = "\xc3\x85 where the fit begins [10]" },
    { .name = "fit-to", .value = "RES", .type = OPTION_NUMBER, .help = "\xc3\x85 where it ends [the resolution]" },
    { .name = "relion-fit",
      .type = OPTION_FLAG,
      .help = "fit over the range of relion_postprocess: to where the FSC first falls to 0, beyond the resolution" },
    { .name = "lowpass", .value = "RES", .type = OPTION_CUTOFF, .help = "the resolution [where the FSC is 0.143]" },
    { .name = "edge", .value = "N", .type = OPTION_EDGE, .help = "of the low-pass: shells, or with /px [2]" },
    { .name = "no-weight", .type = OPTION_FLAG, .help = "without sqrt(2 FSC / (1 + FSC))" },
    HALF_MAP_OPTIONS,
    { .name = "apply-mask", .type = OPTION_FLAG, .help = "multiply the result by the mask" },
    { .name = "plot",
      .value = "OUT",
      .type = OPTION_FILE,
      .writes = true,
      .help = "draw the Guinier plot: x.svg or x.png" },
    { 0 },
};
static const char *const examples[] = {
    "tessera sharpen half1.mrc half2.mrc -o sharp.mrc",
    "tessera gen sphere --size 32,32,32 --radius 9 --soft 5 --apix 1.5 -o ball.mrc",
    "tessera sharpen half1.mrc half2.mrc --mask ball.mrc --apply-mask --plot guinier.svg -o masked.mrc",
    "tessera sharpen volume.mrc --bfactor -80 --lowpass 4 -o crisp.mrc",
    NULL,
};

#define NO_CORRELATION 1e-4 /* where RELION takes an FSC for 0 */

typedef struct sharpening {
    half_maps  maps;
    tess_array map[2];                         /* on the device of the job; the first becomes the mean of both */
    double    *curves;                         /* of half_maps_correlate */
    double    *weight, *amplitude, *sharpened; /* of each shell */
    double     cutoff, width;                  /* of the low-pass, cycles per pixel */
    bool       as_relion;                      /* the fit has RELION's rings and range */
    int64_t    correlated;                     /* shells before the correlation first falls to 0 */
    guinier    line;
} sharpening;

/* ---- Measures ---- */

static tess_status read_maps(job *j, sharpening *s)
{
    const half_maps *h = &s->maps;
    const int64_t    bytes = h->shape.d * h->shape.h * h->shape.w * (int64_t)tess_dtype_size(h->dtype);
    TESS_TRY(
        volume_fits(j, h->shape, (h->n_open + (h->mask.data ? 1 : 0)) * bytes + h->shape.d * half_maps_workspace(h)));
    for (int k = 0; k < h->n_open; ++k) {
        TESS_TRY(input_read_all(&s->maps.in[k], j, &s->map[k], h->dtype));
        TESS_TRY(move_array(&s->map[k], j->device));
    }
    return TESS_OK;
}

/* The resolution and the weights, of the correlation of the half maps. */
static tess_status measure_halves(job *j, sharpening *s)
{
    half_maps *h = &s->maps;
    int64_t    from;
    double     angstrom;
    bool       crosses;
    tess_array fsc, weights;
    TESS_TRY(half_maps_correlate(h, s->map, 0, s->curves, &from));
    double *curve = half_maps_curve(h, s->curves, half_maps_final(h), 0);
    TESS_TRY(half_maps_resolution(h, curve, 0.143, false, &angstrom, &crosses));
    TESS_CHECK(isfinite(angstrom) || s->cutoff > 0, TESS_ERANGE,
               "sharpen: the correlation of %s and %s is below 0.143 from the first shell on; give --lowpass",
               h->in[0].name, h->in[1].name);
    job_note(j, "FSC 0.143 = %.2f A%s", angstrom, crosses ? "" : " (Nyquist: the curve never falls below)");
    if (s->cutoff == 0) s->cutoff = h->pixel_size / angstrom;
    while (s->correlated < h->shells && curve[s->correlated] >= NO_CORRELATION) s->correlated++;
    if (job_has(j, "no-weight")) return TESS_OK;
    TESS_TRY(tess_wrap(&fsc, curve, TESS_SHAPE(1, 1, 1, h->shells), TESS_F64, NULL));
    TESS_TRY(tess_wrap(&weights, s->weight, TESS_SHAPE(1, 1, 1, h->shells), TESS_F64, NULL));
    return tess_fsc_weight(&weights, &fsc);
}

/* The mean amplitude of each shell. */
static tess_status measure_amplitudes(const sharpening *s, const tess_array *spectrum, double *to)
{
    const half_maps                   *h = &s->maps;
    const tess_shape                   shape = TESS_SHAPE(1, h->shape.d, h->shape.h, h->shape.w);
    const tess_rotational_average_opts opts = { .shells = h->shells,
                                                .nearest = s->as_relion,
                                                .out_stop = (double)(h->shells - 1) / (double)h->side };
    tess_array                         size = { 0 }, mean = { 0 }, exact = { 0 };
    tess_status                        status;
    TESS_GOTO(done, status, tess_cast(&size, spectrum, h->dtype, &(tess_cast_opts){ .part = TESS_PART_ABS }));
    TESS_GOTO(done, status, tess_rotational_average(&mean, &size, shape, &opts));
    TESS_GOTO(done, status, tess_cast(&exact, &mean, TESS_F64, NULL));
    TESS_GOTO(done, status, move_array(&exact, tess_cpu()));
    for (int64_t i = 0; i < h->shells; ++i) to[i] = ((const double *)exact.data)[i];
done:
    tess_release(&size);
    tess_release(&mean);
    tess_release(&exact);
    return status;
}

/* The end of RELION's fit in Å: the last shell before the correlation first falls to 0, or --fit-to. */
static double end_as_relion(const job *j, sharpening *s)
{
    const double last = half_maps_frequency(&s->maps, s->correlated - 1) * (1 + 1e-9),
                 given = job_number(j, "fit-to", 0);
    for (int64_t i = s->correlated; i < s->maps.shells; ++i) s->amplitude[i] = 0;
    return fmax(given, 1 / last);
}

static tess_status find_bfactor(job *j, sharpening *s)
{
    half_maps *h = &s->maps;
    guinier   *g = &s->line;
    *g = (guinier){ .n = h->shells,
                    .step = half_maps_frequency(h, 1),
                    .amplitude = s->amplitude,
                    .from = job_number(j, "fit-from", 10),
                    .to = job_number(j, "fit-to", h->pixel_size / s->cutoff) };
    TESS_CHECK(g->from > 0 && g->to > 0, TESS_ERANGE, "sharpen: the fit is from %g to %g A; numbers above 0 are needed",
               g->from, g->to);
    for (int64_t i = 0; i < h->shells; ++i) s->amplitude[i] *= s->weight[i];
    if (s->as_relion) g->to = end_as_relion(j, s);
    TESS_CHECK(job_has(j, "bfactor") || g->from > g->to, TESS_ERANGE,
               "sharpen: the fit begins at %.4g A and ends at %.4g A; a coarser beginning is needed: --fit-from, or "
               "--bfactor instead of a fit",
               g->from, g->to);
    if (job_has(j, "bfactor")) {
        g->bfactor = job_number(j, "bfactor", 0);
        TESS_CHECK(isfinite(g->bfactor), TESS_ERANGE, "--bfactor is %g; a finite number is needed", g->bfactor);
        job_note(j, "B = %.2f A^2, as given", g->bfactor);
        return TESS_OK;
    }
    TESS_TRY(guinier_fit(g, "sharpen"));
    job_note(j, "B = %.2f A^2, fitted from %.2f to %.2f A (correlation %.3f)", g->bfactor, g->from, g->to,
             g->correlation);
    return TESS_OK;
}

/* ---- The work ---- */

static tess_status filter(const sharpening *s, tess_array *spectrum)
{
    const half_maps             *h = &s->maps;
    const tess_shape             shape = TESS_SHAPE(1, h->shape.d, h->shape.h, h->shape.w);
    const tess_filter_curve_opts along = { .last = (double)(h->shells - 1) / (double)h->side };
    const tess_lowpass_opts      edge = { .width = s->width };
    tess_array                   weights = { 0 };
    TESS_TRY(tess_wrap(&weights, s->weight, TESS_SHAPE(1, 1, 1, h->shells), TESS_F64, NULL));
    tess_status status = move_array(&weights, spectrum->device);
    if (status == TESS_OK) status = tess_filter_curve(spectrum, spectrum, shape, &weights, &along);
    tess_release(&weights);
    TESS_TRY(status);
    TESS_TRY(tess_bfactor(spectrum, spectrum, shape, s->line.bfactor, h->pixel_size, NULL));
    return tess_lowpass(spectrum, spectrum, shape, fmax(s->cutoff - s->width / 2, 0), &edge);
}

static tess_status sharpen_mean(job *j, sharpening *s, tess_array *spectrum)
{
    const half_maps *h = &s->maps;
    const tess_shape shape = TESS_SHAPE(1, h->shape.d, h->shape.h, h->shape.w);
    tess_array      *map = &s->map[0];
    if (h->n_open == 2) {
        TESS_TRY(tess_add(map, map, &s->map[1]));
        TESS_TRY(tess_mul(map, map, &tess_f64(0.5)));
        tess_release(&s->map[1]);
    }
    TESS_TRY(tess_fft_r2c(spectrum, map, NULL));
    TESS_TRY(measure_amplitudes(s, spectrum, s->amplitude));
    TESS_CHECK(isfinite(s->amplitude[0]), TESS_EFORMAT, "sharpen: %s has NaN or infinite values", h->in[0].name);
    TESS_TRY(find_bfactor(j, s));
    TESS_TRY(filter(s, spectrum));
    if (job_has(j, "plot")) TESS_TRY(measure_amplitudes(s, spectrum, s->sharpened));
    TESS_TRY(tess_fft_c2r(map, spectrum, shape, &(tess_fft_opts){ .overwrite = 1 }));
    if (job_has(j, "apply-mask")) TESS_TRY(tess_mul(map, map, &h->mask));
    return move_array(map, tess_cpu());
}

static tess_status check_options(job *j, sharpening *s)
{
    half_maps *h = &s->maps;
    TESS_CHECK(h->shape.d > 1 && h->shape.b == 1, TESS_ESHAPE, "sharpen: %s is no volume; one is needed",
               h->in[0].name);
    TESS_TRY(job_cutoff(j, "lowpass", h->pixel_size, h->side, &s->cutoff));
    s->cutoff = fmin(s->cutoff, 0.5);
    s->width = 2.0 / (double)h->side;
    TESS_TRY(job_edge(j, "edge", h->side, &s->width));
    TESS_CHECK(h->n_open == 2 || s->cutoff > 0, TESS_EARG,
               "sharpen: of one map the resolution is not known; give --lowpass, or both half maps");
    TESS_CHECK(!job_has(j, "apply-mask") || h->mask.data, TESS_EARG, "sharpen: --apply-mask without --mask");
    TESS_CHECK(!job_has(j, "relion-fit") || (h->n_open == 2 && !job_has(j, "bfactor")), TESS_EARG,
               "sharpen: --relion-fit needs both half maps, and no --bfactor");
    s->as_relion = job_has(j, "relion-fit");
    s->correlated = 1;
    TESS_CHECK(!job_has(j, "plot") || !job_has(j, "bfactor"), TESS_EARG,
               "sharpen: --plot shows the fit, and --bfactor is given instead of one");
    return TESS_OK;
}

static tess_status sharpen(job *j, sharpening *s)
{
    half_maps    *h = &s->maps;
    const int64_t size = half_maps_size(h);
    tess_array    spectrum = { 0 };
    tess_meta     meta = meta_of(&h->in[0]);
    bool          skip;
    TESS_TRY(check_options(j, s));
    TESS_TRY(output_planned(j, NULL, h->shape, h->dtype, &skip));
    if (skip) return TESS_OK;
    s->curves = calloc((size_t)(size + 3 * h->shells), sizeof(double));
    TESS_CHECK(s->curves, TESS_ENOMEM, "sharpen: out of memory");
    s->weight = s->curves + size;
    s->amplitude = s->weight + h->shells;
    s->sharpened = s->amplitude + h->shells;
    for (int64_t i = 0; i < h->shells; ++i) s->weight[i] = 1;
    TESS_TRY(read_maps(j, s));
    if (h->n_open == 2) TESS_TRY(measure_halves(j, s));
    const tess_status status = sharpen_mean(j, s, &spectrum);
    tess_release(&spectrum);
    TESS_TRY(status);
    TESS_TRY(output_write(j, NULL, &s->map[0], &meta));
    if (!job_has(j, "plot")) return TESS_OK;
    s->line.sharpened = s->sharpened;
    return guinier_plot(&s->line, job_text(j, "plot", ""), job_has(j, "force"));
}

static tess_status run(job *j)
{
    sharpening s = { .maps = { .n_open = 0 } };
    TESS_TRY(half_maps_need_mask(j));
    TESS_TRY(output_check(j, NULL));
    tess_status status = half_maps_open(&s.maps, j);
    if (status == TESS_OK) status = sharpen(j, &s);
    tess_release(&s.map[0]);
    tess_release(&s.map[1]);
    half_maps_close(&s.maps);
    free(s.curves);
    return status;
}

const verb verb_sharpen = {
    .name = "sharpen",
    .subject = "maps",
    .summary = "the mean of two half maps, weighted by their FSC and sharpened by a B-factor",
    .arguments = "HALF1 [HALF2] -o OUT",
    .text =
        "Coefficients of the mean of both maps are multiplied by sqrt(2 FSC / (1 + FSC)), linear between shells, then "
        "by "
        "exp(-B/4 s^2), s in 1/A, and by a low-pass with a raised cosine of --edge shells, half at the resolution: "
        "where "
        "the FSC falls below 0.143. With --mask the FSC is the corrected one of `tessera fsc`, by the same "
        "options.\n\n"
        "Without --bfactor, B is 4 times the slope of a straight line through the Guinier plot: ln(mean amplitude of a "
        "shell, weighted) against 1/d^2, from --fit-from to the resolution. The B-factor, the range and the "
        "correlation "
        "of the fit go to standard error.\n\n"
        "relion_postprocess fits the same line, from 10 A too, but goes on beyond the resolution, to the shell before "
        "the FSC first falls to 0 (below 0.0001). There the weights fall fast, so its B is mostly more negative. "
        "--relion-fit takes RELION's range and its rings of round(|f| n); --fit-from and --fit-to then are its "
        "autob_lowres and autob_highres. There is no correction for the MTF of a detector.\n\n"
        "One map is not weighted, and needs --lowpass.",
    .globals = GLOBAL_OUT | GLOBAL_READ | GLOBAL_APIX | GLOBAL_PROGRESS | GLOBAL_DEVICE | GLOBAL_SEED,
    VERB_OF_FILE(1, 2),
};
