/* Shell correlation curves as files: RELION's STAR, the XML of EMDB, and a plot. */
#include "maps/fsc_files.h"

#include <math.h>
#include <stdlib.h>

#include "picture/longtext.h"
#include "picture/plot.h"

/* ---- Curves ---- */

enum { FREQUENCY, FSC, FIRST_KIND }; /* columns of the table of curves */

static double value_at(const fsc_curves *c, int64_t shell, int column)
{
    const tess_array *t = &c->result->curves;
    return ((const double *)t->data)[shell * t->shape.w + column];
}

double fsc_frequency(const fsc_curves *c, int64_t shell) { return value_at(c, shell, FREQUENCY); }

const double *fsc_curve(const fsc_curves *c, int64_t pair, int kind, int64_t row)
{
    const tess_shape s = c->result->all.shape;
    return (const double *)c->result->all.data + ((pair * s.d + kind) * s.h + row) * s.w;
}

/* ---- STAR ---- */

static const struct {
    const char *label;
    int         column;
} columns[] = { { "rlnFourierShellCorrelationCorrected", FSC },
                { "rlnFourierShellCorrelationUnmaskedMaps", FIRST_KIND + FSC_UNMASKED },
                { "rlnFourierShellCorrelationMaskedMaps", FIRST_KIND + FSC_MASKED },
                { "rlnCorrectedFourierShellCorrelationPhaseRandomizedMaskedMaps", FIRST_KIND + FSC_RANDOMISED } };

static tess_status add_shell(const fsc_curves *c, tess_star_table *t, int64_t shell)
{
    const double frequency = fsc_frequency(c, shell);
    TESS_TRY(tess_star_set_i64(t, shell, "rlnSpectralIndex", shell));
    TESS_TRY(tess_star_set_f64(t, shell, "rlnResolution", frequency));
    TESS_TRY(tess_star_set_f64(t, shell, "rlnAngstromResolution", shell > 0 ? 1 / frequency : 999));
    for (int k = 0; k < (c->is_masked ? 4 : 2); ++k)
        TESS_TRY(tess_star_set_f64(t, shell, columns[k].label, value_at(c, shell, columns[k].column)));
    return TESS_OK;
}

static tess_status fill_star(const fsc_curves *c, tess_star *star)
{
    tess_star_table *general, *fsc;
    TESS_TRY(tess_star_add(&general, star, "general", true));
    TESS_TRY(tess_star_set_f64(general, 0, "rlnFinalResolution", c->result->resolution_143));
    TESS_TRY(tess_star_set(general, 0, "rlnUnfilteredMapHalf1", c->names[0]));
    TESS_TRY(tess_star_set(general, 0, "rlnUnfilteredMapHalf2", c->names[1]));
    TESS_TRY(tess_star_add(&fsc, star, "fsc", false));
    TESS_TRY(tess_star_add_rows(fsc, c->result->n_shells));
    for (int64_t i = 0; i < c->result->n_shells; ++i) TESS_TRY(add_shell(c, fsc, i));
    return TESS_OK;
}

tess_status fsc_write_star(const fsc_curves *c, const char *path, bool overwrite)
{
    tess_star  *star = NULL;
    tess_status status;
    TESS_TRY(tess_star_new(&star));
    TESS_GOTO(done, status, fill_star(c, star));
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

tess_status fsc_write_xml(const fsc_curves *c, const char *path, bool overwrite)
{
    longtext text = { 0 };
    char     x[32], y[32];
    longtext_add(&text, "<fsc title=\"Fourier shell correlation\" xaxis=\"Resolution (A-1)\" "
                        "yaxis=\"Correlation Coefficient\">\n");
    for (int64_t i = 0; i < c->result->n_shells; ++i)
        longtext_add(&text, "  <coordinate>\n    <x>%s</x>\n    <y>%s</y>\n  </coordinate>\n",
                     number_text(x, fsc_frequency(c, i)), number_text(y, value_at(c, i, FSC)));
    longtext_add(&text, "</fsc>\n");
    const tess_status status = write_bytes(path, &text, overwrite);
    longtext_free(&text);
    return status;
}

/* ---- Plot ---- */

static const char *const names[FSC_KINDS] = { "unmasked", "masked", "phases randomised", "corrected" };

/* Columns of the table side by side, and with cones the curve of each; a shell without a coefficient in a cone, which
 * is 0, is drawn as that of all directions. */
static void fill_curves(const fsc_curves *c, double *to)
{
    const int64_t n = c->result->n_shells, columns_of_table = c->result->curves.shape.w;
    const int     final = c->is_masked ? FSC_CORRECTED : FSC_UNMASKED;
    for (int64_t k = 0; k < columns_of_table; ++k)
        for (int64_t i = 0; i < n; ++i) *to++ = value_at(c, i, (int)k);
    for (int64_t cone = 0; cone < c->result->cones.shape.h; ++cone) {
        const double *curve = fsc_curve(c, 0, final, cone + 1);
        for (int64_t i = 0; i < n; ++i) *to++ = curve[i] == 0 ? value_at(c, i, FSC) : curve[i];
    }
}

/* Curves of all directions, by kind; then, with cones, those of each. */
static int list_curves(const fsc_curves *c, const double *from, plot_curve *list)
{
    const int64_t shells = c->result->n_shells, cones = c->result->cones.shape.h;
    int           n = 0;
    for (int k = 0; k < (c->is_masked ? FSC_KINDS : 1) && cones == 0; ++k)
        list[n++] = (plot_curve){ .name = names[k], .x = from, .y = from + (FIRST_KIND + k) * shells, .n = shells };
    if (cones > 0)
        list[n++] = (plot_curve){ .name = "all directions", .x = from, .y = from + FSC * shells, .n = shells };
    for (int64_t i = 0; i < cones; ++i)
        list[n++] =
            (plot_curve){ .x = from, .y = from + (FIRST_KIND + FSC_KINDS + i) * shells, .n = shells, .dash = 3 };
    return n;
}

static tess_status draw(const fsc_curves *c, plot_curve *list, int n, const char *path, bool overwrite)
{
    static const double thresholds[2] = { 0.143, 0.5 };
    const double        resolution[2] = { c->result->resolution_143, c->result->resolution_500 };
    const bool          crosses[2] = { c->result->crosses_143, c->result->crosses_500 };
    plot_line           lines[2];
    plot_mark           marks[2];
    char                label[2][32];
    int                 n_marks = 0;
    for (int k = 0; k < 2; ++k) {
        lines[k] = (plot_line){ .value = thresholds[k], .label = k == 0 ? "0.143" : "0.5" };
        if (!crosses[k] || !isfinite(resolution[k])) continue;
        (void)snprintf(label[k], sizeof label[k], "%.2f \xc3\x85", resolution[k]);
        marks[n_marks++] = (plot_mark){ .x = 1 / resolution[k], .y = thresholds[k], .label = label[k] };
    }
    const plot p = { .x.title = "Spatial frequency (1/\xc3\x85)",
                     .y.title = c->is_volume ? "Fourier shell correlation" : "Fourier ring correlation",
                     .angstrom = true,
                     .curves = list,
                     .n_curves = n,
                     .lines = lines,
                     .n_lines = 2,
                     .marks = marks,
                     .n_marks = n_marks };
    return plot_write(&p, path, 2, overwrite, NULL);
}

tess_status fsc_write_plot(const fsc_curves *c, const char *path, bool overwrite)
{
    const size_t n = (size_t)(c->result->curves.shape.w + c->result->cones.shape.h);
    plot_curve  *list = calloc(n, sizeof *list);
    double      *numbers = calloc(n * (size_t)c->result->n_shells, sizeof *numbers);
    tess_status  status = TESS_OK;
    const bool   failed = !list || !numbers;
    if (!failed) {
        fill_curves(c, numbers);
        status = draw(c, list, list_curves(c, numbers, list), path, overwrite);
    }
    free(list);
    free(numbers);
    TESS_CHECK(!failed, TESS_ENOMEM, "fsc: out of memory");
    return status;
}
