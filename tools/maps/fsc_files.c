/* Shell correlation curves as files: RELION's STAR, the XML of EMDB, and a plot. */
#include "maps/fsc_files.h"

#include <math.h>
#include <stdlib.h>

#include "picture/longtext.h"
#include "picture/plot.h"

/* ---- STAR ---- */

static const struct {
    const char *label;
    fsc_kind    kind;
} columns[] = { { "rlnFourierShellCorrelationCorrected", FSC_CORRECTED },
                { "rlnFourierShellCorrelationUnmaskedMaps", FSC_UNMASKED },
                { "rlnFourierShellCorrelationMaskedMaps", FSC_MASKED },
                { "rlnCorrectedFourierShellCorrelationPhaseRandomizedMaskedMaps", FSC_RANDOMISED } };

/* Without a mask, the unmasked curve is the one that counts. */
static tess_status add_shell(const half_maps *h, tess_star_table *t, double *curves, int64_t shell)
{
    const double frequency = half_maps_frequency(h, shell);
    TESS_TRY(tess_star_set_i64(t, shell, "rlnSpectralIndex", shell));
    TESS_TRY(tess_star_set_f64(t, shell, "rlnResolution", frequency));
    TESS_TRY(tess_star_set_f64(t, shell, "rlnAngstromResolution", shell > 0 ? 1 / frequency : 999));
    for (int k = 0; k < (h->mask.data ? 4 : 2); ++k) {
        const fsc_kind kind = k == 0 ? half_maps_final(h) : columns[k].kind;
        TESS_TRY(tess_star_set_f64(t, shell, columns[k].label, half_maps_curve(h, curves, kind, 0)[shell]));
    }
    return TESS_OK;
}

static tess_status fill_star(const half_maps *h, tess_star *star, double *curves, const fsc_facts *facts)
{
    tess_star_table *general, *fsc;
    TESS_TRY(tess_star_add(&general, star, "general", true));
    TESS_TRY(tess_star_set_f64(general, 0, "rlnFinalResolution", facts->resolution[0]));
    TESS_TRY(tess_star_set(general, 0, "rlnUnfilteredMapHalf1", h->in[0].name));
    TESS_TRY(tess_star_set(general, 0, "rlnUnfilteredMapHalf2", h->in[1].name));
    TESS_TRY(tess_star_add(&fsc, star, "fsc", false));
    TESS_TRY(tess_star_add_rows(fsc, h->shells));
    for (int64_t i = 0; i < h->shells; ++i) TESS_TRY(add_shell(h, fsc, curves, i));
    return TESS_OK;
}

tess_status fsc_write_star(const half_maps *h, double *curves, const fsc_facts *facts, const char *path, bool overwrite)
{
    tess_star  *star = NULL;
    tess_status status;
    TESS_TRY(tess_star_new(&star));
    TESS_GOTO(done, status, fill_star(h, star, curves, facts));
    TESS_GOTO(done, status, tess_star_write(path, star, &(tess_star_opts){ .overwrite = overwrite }));
done:
    tess_star_free(star);
    return status;
}

/* ---- XML ---- */

/* As an array of bytes, so that the file is put in its place whole. */
static tess_status write_bytes(const char *path, longtext *text, bool overwrite)
{
    tess_array bytes;
    TESS_CHECK(!text->failed, TESS_ENOMEM, "fsc: no memory for the text of %s", path);
    TESS_TRY(tess_wrap(&bytes, text->bytes, TESS_SHAPE(1, 1, 1, (int64_t)text->length), TESS_U8, NULL));
    return tess_write(
        path, &bytes,
        &(tess_write_opts){ .format = TESS_FORMAT_RAW, .compression = TESS_COMPRESSION_NONE, .overwrite = overwrite });
}

tess_status fsc_write_xml(const half_maps *h, double *curves, const char *path, bool overwrite)
{
    const double *curve = half_maps_curve(h, curves, half_maps_final(h), 0);
    longtext      text = { 0 };
    char          x[32], y[32];
    longtext_add(&text, "<fsc title=\"Fourier shell correlation\" xaxis=\"Resolution (A-1)\" "
                        "yaxis=\"Correlation Coefficient\">\n");
    for (int64_t i = 0; i < h->shells; ++i)
        longtext_add(&text, "  <coordinate>\n    <x>%s</x>\n    <y>%s</y>\n  </coordinate>\n",
                     number_text(x, half_maps_frequency(h, i)), number_text(y, curve[i]));
    longtext_add(&text, "</fsc>\n");
    const tess_status status = write_bytes(path, &text, overwrite);
    longtext_free(&text);
    return status;
}

/* ---- Plot ---- */

static const char *const names[FSC_KINDS] = { "unmasked", "masked", "phases randomised", "corrected" };

/* Curves of all directions, by kind; then, with cones, those of each. */
static int list_curves(const half_maps *h, double *curves, const double *x, plot_curve *list)
{
    int n = 0;
    for (int k = 0; k < FSC_KINDS; ++k) {
        if (k != FSC_UNMASKED && !h->mask.data) continue;
        if (h->cones > 0 && (fsc_kind)k != half_maps_final(h)) continue;
        const char *name = h->cones > 0 ? "all directions" : names[k];
        list[n++] =
            (plot_curve){ .name = name, .x = x, .y = half_maps_curve(h, curves, (fsc_kind)k, 0), .n = h->shells };
    }
    for (int64_t i = 0; i < h->cones; ++i)
        list[n++] = (plot_curve){
            .x = x, .y = half_maps_curve(h, curves, half_maps_final(h), i + 1), .n = h->shells, .dash = 3
        };
    return n;
}

static tess_status draw(const half_maps *h, plot_curve *list, int n, const fsc_facts *facts, const char *path,
                        bool overwrite)
{
    static const double thresholds[2] = { 0.143, 0.5 };
    plot_line           lines[2];
    plot_mark           marks[2];
    char                label[2][32];
    int                 n_marks = 0;
    for (int k = 0; k < 2; ++k) {
        lines[k] = (plot_line){ .value = thresholds[k], .label = k == 0 ? "0.143" : "0.5" };
        if (!facts->crosses[k] || !isfinite(facts->resolution[k])) continue;
        (void)snprintf(label[k], sizeof label[k], "%.2f \xc3\x85", facts->resolution[k]);
        marks[n_marks++] = (plot_mark){ .x = 1 / facts->resolution[k], .y = thresholds[k], .label = label[k] };
    }
    const plot p = { .x.title = "Spatial frequency (1/\xc3\x85)",
                     .y.title = h->shape.d > 1 ? "Fourier shell correlation" : "Fourier ring correlation",
                     .angstrom = true,
                     .curves = list,
                     .n_curves = n,
                     .lines = lines,
                     .n_lines = 2,
                     .marks = marks,
                     .n_marks = n_marks };
    return plot_write(&p, path, 2, overwrite, NULL);
}

tess_status fsc_write_plot(const half_maps *h, double *curves, const fsc_facts *facts, const char *path, bool overwrite)
{
    plot_curve *list = calloc((size_t)(FSC_KINDS + h->cones), sizeof *list);
    double     *x = calloc((size_t)h->shells, sizeof *x);
    tess_status status = TESS_OK;
    const bool  failed = !list || !x;
    if (!failed) {
        for (int64_t i = 0; i < h->shells; ++i) x[i] = half_maps_frequency(h, i);
        status = draw(h, list, list_curves(h, curves, x, list), facts, path, overwrite);
    }
    free(list);
    free(x);
    TESS_CHECK(!failed, TESS_ENOMEM, "fsc: out of memory");
    return status;
}
