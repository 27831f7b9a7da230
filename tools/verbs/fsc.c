/* tessera fsc: Fourier shell correlation of half maps, ring correlation of images. */
#include <math.h>
#include <stdlib.h>

#include "files/slab_pipeline.h"
#include "maps/fsc_files.h"

static const option options[] = {
    HALF_MAP_OPTIONS,
    { .name = "cones", .value = "N", .type = OPTION_INTEGER, .help = "curves of N directions, evenly spread" },
    { .name = "cone-angle",
      .value = "A",
      .type = OPTION_ANGLE,
      .help = "between the axis of a cone and its surface [20]" },
    { .name = "each", .type = OPTION_FLAG, .help = "of stacks, a curve for each pair, not their mean" },
    { .name = "no-interpolate",
      .type = OPTION_FLAG,
      .help = "resolutions are those of the last shell above, as RELION's" },
    { .name = "star", .value = "OUT", .type = OPTION_FILE, .writes = true, .help = "write RELION's table of curves" },
    { .name = "xml", .value = "OUT", .type = OPTION_FILE, .writes = true, .help = "write the curve as EMDB takes it" },
    { .name = "plot",
      .value = "OUT",
      .type = OPTION_FILE,
      .writes = true,
      .help = "draw it: x.svg or x.png, with 0.143 and 0.5" },
    { .name = "force", .letter = 'f', .type = OPTION_FLAG, .help = "replace files that are there" },
    { 0 },
};
static const char *const examples[] = {
    "tessera fsc half1.mrc half2.mrc",
    "tessera gen sphere --size 32,32,32 --radius 9 --soft 5 --apix 1.5 -o ball.mrc",
    "tessera fsc half1.mrc half2.mrc --mask ball.mrc --plot fsc.svg --star fsc.star > fsc.tsv",
    "tessera fsc half1.mrc half2.mrc --cones 20 --tsv",
    "tessera fsc stack.mrcs stack.mrcs --each --json",
    NULL,
};

static const char *const names[FSC_KINDS] = { "unmasked", "masked", "randomised", "corrected" };

typedef struct correlation {
    half_maps maps;
    double   *one, *mean; /* curves of a pair, and of all so far */
    int64_t   n, from;    /* pairs; the first shell with random phases, of the last one */
    bool      each;
    table    *table;
} correlation;

/* ---- Printing ---- */

static void print_direction(correlation *c, int64_t cone)
{
    double zyx[3];
    half_maps_direction(&c->maps, cone, zyx);
    table_integer(c->table, "cone", cone);
    for (int k = 2; k >= 0; --k) table_number_as(c->table, k == 2 ? "x" : k == 1 ? "y" : "z", zyx[k], TESS_F32);
}

static void print_curves(correlation *c, double *curves, int64_t pair)
{
    const half_maps *h = &c->maps;
    for (int64_t row = h->cones > 0 ? 1 : 0; row <= h->cones; ++row)
        for (int64_t i = 0; i < h->shells; ++i) {
            const double frequency = half_maps_frequency(h, i);
            if (c->each) table_integer(c->table, "image", pair);
            if (h->cones > 0) print_direction(c, row - 1);
            table_integer(c->table, "shell", i);
            table_number(c->table, "1/A", frequency);
            table_number(c->table, "A", i > 0 ? 1 / frequency : INFINITY);
            for (int k = 0; k < (h->mask.data ? FSC_KINDS : 1); ++k)
                table_number(c->table, names[k], half_maps_curve(h, curves, (fsc_kind)k, row)[i]);
            table_row(c->table);
        }
}

/* "3.42 A", or that the curve says nothing of the kind. */
static const char *resolution_text(char text[64], double angstrom, bool crosses)
{
    if (!crosses) (void)snprintf(text, 64, "%.2f A (Nyquist: the curve never falls below)", angstrom);
    else if (!isfinite(angstrom)) (void)snprintf(text, 64, "none (the curve begins below)");
    else (void)snprintf(text, 64, "%.2f A", angstrom);
    return text;
}

/* Near frequency 0 a shell may have no coefficient in a cone, and is 0: it says nothing of the resolution there. In
 * plots and for resolutions it is that of all directions. */
static void fill_empty_shells(correlation *c)
{
    const half_maps *h = &c->maps;
    for (int k = 0; k < (h->mask.data ? FSC_KINDS : 1); ++k) {
        const double *all = half_maps_curve(h, c->mean, (fsc_kind)k, 0);
        for (int64_t row = 1; row <= h->cones; ++row) {
            double *curve = half_maps_curve(h, c->mean, (fsc_kind)k, row);
            for (int64_t i = 0; i < h->shells; ++i)
                if (curve[i] == 0) curve[i] = all[i];
        }
    }
}

static tess_status tell_cones(job *j, correlation *c, bool whole)
{
    double best = INFINITY, worst = 0;
    bool   crosses;
    for (int64_t row = 1; row <= c->maps.cones; ++row) {
        double angstrom;
        TESS_TRY(half_maps_resolution(&c->maps, half_maps_curve(&c->maps, c->mean, half_maps_final(&c->maps), row),
                                      0.143, whole, &angstrom, &crosses));
        best = fmin(best, angstrom);
        worst = fmax(worst, angstrom);
    }
    if (c->maps.cones > 0)
        job_note(j, "FSC 0.143 of %lld cones: %.2f to %.2f A", (long long)c->maps.cones, best, worst);
    return TESS_OK;
}

static tess_status tell(job *j, correlation *c, fsc_facts *facts)
{
    half_maps  *h = &c->maps;
    const bool  whole = job_has(j, "no-interpolate");
    const char *kind = h->shape.d > 1 ? "FSC" : "FRC";
    double     *curve = half_maps_curve(h, c->mean, half_maps_final(h), 0);
    char        text[2][64];
    for (int k = 0; k < 2; ++k)
        TESS_TRY(
            half_maps_resolution(h, curve, k == 0 ? 0.143 : 0.5, whole, &facts->resolution[k], &facts->crosses[k]));
    if (h->mask.data && c->from >= h->shells)
        job_note(j, "the unmasked curve never falls below %g: no phases were randomised", h->random_below);
    else if (h->mask.data && c->n == 1)
        job_note(j, "phases are random from shell %lld on, %.2f A", (long long)c->from,
                 1 / half_maps_frequency(h, c->from));
    job_note(j, "%s 0.143 = %s, 0.5 = %s", kind, resolution_text(text[0], facts->resolution[0], facts->crosses[0]),
             resolution_text(text[1], facts->resolution[1], facts->crosses[1]));
    return tell_cones(j, c, whole);
}

/* ---- The work ---- */

static tess_status correlate_pairs(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    (void)out;
    correlation  *c = context;
    const int64_t size = half_maps_size(&c->maps);
    for (int64_t b = 0; b < in[0].shape.b; ++b) {
        tess_array pair[2];
        for (int k = 0; k < 2; ++k) TESS_TRY(tess_index(&pair[k], &in[k], 0, b));
        TESS_TRY(half_maps_correlate(&c->maps, pair, s->b + b, c->one, &c->from));
        if (c->each) print_curves(c, c->one, s->b + b);
        for (int64_t i = 0; i < size; ++i) c->mean[i] += c->one[i];
        ++c->n;
    }
    return TESS_OK;
}

static tess_status write_files(job *j, correlation *c, const fsc_facts *facts)
{
    const bool overwrite = job_has(j, "force");
    if (job_has(j, "star")) TESS_TRY(fsc_write_star(&c->maps, c->mean, facts, job_text(j, "star", ""), overwrite));
    if (job_has(j, "xml")) TESS_TRY(fsc_write_xml(&c->maps, c->mean, job_text(j, "xml", ""), overwrite));
    if (job_has(j, "plot")) TESS_TRY(fsc_write_plot(&c->maps, c->mean, facts, job_text(j, "plot", ""), overwrite));
    return TESS_OK;
}

static tess_status correlate_files(job *j, correlation *c)
{
    half_maps *h = &c->maps;
    h->streams = true;
    input *const     inputs[] = { &h->in[0], &h->in[1] };
    const tess_dtype dtypes[] = { h->dtype, h->dtype };
    const int64_t    size = half_maps_size(h), element = (int64_t)tess_dtype_size(h->dtype);
    const slab_plan  plan = { .domain = h->shape,
                              .inputs = inputs,
                              .n_inputs = 2,
                              .in_dtypes = dtypes,
                              .out_shape = h->shape,
                              .whole = h->shape.d > 1,
                              .extra = half_maps_workspace(h),
                              .taken = h->mask.data ? tess_n_elements(&h->mask) * element : 0,
                              .unit = h->shape.d > 1 ? "sections" : "images",
                              .in_place = half_maps_in_place(h, j->device),
                              .row = half_maps_in_place(h, j->device) ? 2 * (h->shape.w / 2 + 1) : 0,
                              .device = j->device };
    fsc_facts        facts;
    c->one = calloc((size_t)size, sizeof(double));
    c->mean = calloc((size_t)size, sizeof(double));
    TESS_CHECK(c->one && c->mean, TESS_ENOMEM, "fsc: out of memory");
    TESS_TRY(stream_slabs(j, &plan, NULL, correlate_pairs, c));
    for (int64_t i = 0; i < size; ++i) c->mean[i] /= (double)c->n;
    if (!c->each) print_curves(c, c->mean, 0);
    fill_empty_shells(c);
    TESS_TRY(tell(j, c, &facts));
    return write_files(j, c, &facts);
}

static tess_status run(job *j)
{
    correlation c = { .each = job_has(j, "each") };
    TESS_CHECK(!c.each || !job_has(j, "cones"), TESS_EARG, "fsc: --each and --cones are given; one is allowed");
    TESS_TRY(half_maps_need_mask(j));
    tess_status status = half_maps_open(&c.maps, j);
    c.table = table_new(j, stdout);
    table_tabs(c.table);
    if (status == TESS_OK) status = correlate_files(j, &c);
    if (status == TESS_OK) table_end(c.table);
    else table_free(c.table);
    half_maps_close(&c.maps);
    free(c.one);
    free(c.mean);
    return status;
}

const verb verb_fsc = {
    .name = "fsc",
    .subject = "maps",
    .summary = "Fourier shell correlation of half maps, ring correlation of images",
    .arguments = "HALF1 HALF2",
    .text =
        "Prints a row for each shell, with tabs: shell, 1/A, A, unmasked and, with --mask, masked, randomised and "
        "corrected. A coefficient is in the shell round(|f| n), f in cycles per pixel, n the smallest side; shells go "
        "to n/2, and what lies beyond Nyquist is in none. FSC = Re sum(F1 conj F2) / sqrt(sum|F1|^2 sum|F2|^2) over "
        "the full transform, 0 where that is 0. "
        "Images give the ring correlation; of two stacks, the mean of the curves of all pairs.\n\n"
        "A mask correlates by itself. Phases of both maps are made random from the first shell on where the unmasked "
        "curve is below --randomize-at-fsc; the correlation of these maps under the mask, `randomised`, is what it "
        "brings. From two shells after that on, corrected = (masked - randomised) / (1 - randomised); before it, "
        "corrected = masked. --seed chooses other phases.\n\n"
        "The resolutions at 0.143 and 0.5 go to standard error: the first crossing of the corrected curve, or without "
        "a mask of the unmasked one, interpolated between shells. RELION sums the half of the transform that is "
        "stored, so its lowest shells differ slightly, and reports the last shell above 0.143, as --no-interpolate "
        "does.\n\n"
        "With --cones, a row for each shell of each cone, with the direction x, y, z of its axis: evenly spread over "
        "half a sphere, or of images over half a circle. A cone takes what lies within --cone-angle of its axis, on "
        "both sides.",
    .globals = GLOBAL_READ | GLOBAL_APIX | GLOBAL_TABLE | GLOBAL_PROGRESS | GLOBAL_DEVICE | GLOBAL_SEED,
    VERB_OF_FILE(2, 2),
};
