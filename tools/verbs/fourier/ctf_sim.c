/* tessera ctf sim: contrast transfer functions as images and as curves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/on_device.h"
#include "files/slab_pipeline.h"
#include "ctf/ctf_parameters.h"
#include "picture/plot.h"

static const option options[] = {
    CTF_OPTIONS,
    VALUE("size", "X,Y", OPTION_XYZ, "image size in pixels; one number for a square [512]"),
    CHOICE("form", "F", "ctf abs squared", "form of the CTF: CTF, |CTF| or CTF^2 [ctf]"),
    CHOICE("layout", "L", "h hc f fc", "layout of an image: half or full, zero frequency first or in the middle [fc]"),
    VALUE("plot", "OUT", OPTION_FILE, "plot the curves to x.svg or x.png", .writes = true),
    { 0 },
};
static const char *const examples[] = {
    "tessera ctf sim --apix 1.4 --defocus 1.5um",
    "tessera ctf sim --apix 1.4 --defocus 1.6um,1.5um --angle 30 --form squared --size 256 -o rings.mrc",
    "tessera ctf sim --apix 1 --defocus 12000A --voltage 200 --bfactor 80 --plot ctf.svg",
    "tessera ctf sim particles.star --apix 1.4 --voltage 300 --cs 2.7 --amplitude 0.1 --size 64 -o ctfs.mrcs",
    NULL,
};

enum { DRAWN = 2001 }; /* points of a curve in a plot */

typedef struct simulation {
    tess_array    rows; /* {n,1,1,17} */
    tess_shape    size; /* {1,1,h,w} */
    tess_ctf_opts opts;
} simulation;

/* ---- The parameters ---- */

static tess_status rows_of_star(tess_array *rows, const job *j, const ctf_star *s)
{
    const int64_t n = tess_star_rows(s->rows);
    TESS_CHECK(n > 0, TESS_EFORMAT, "%s: table %s has no rows", s->path, tess_star_name(s->rows));
    TESS_TRY(tess_zeros(rows, TESS_SHAPE(n, 1, 1, TESS_CTF_COLUMNS), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < n; i++) {
        tess_ctf *ctf = (tess_ctf *)rows->data + i;
        ctf->pixel_size[0] = ctf->pixel_size[1] = job_number(j, "apix", 0);
        TESS_TRY(ctf_star_row(ctf, j, s, i));
        ctf->tilt[0] = ctf->tilt[1] = 0; /* what is shown is real */
    }
    return TESS_OK;
}

static tess_status read_star(tess_array *rows, const job *j, const char *path)
{
    ctf_star s;
    TESS_TRY(ctf_star_open(&s, path));
    const tess_status status = rows_of_star(rows, j, &s);
    ctf_star_close(&s);
    return status;
}

static tess_status find_rows(tess_array *rows, const job *j)
{
    if (j->n_arguments > 0) return read_star(rows, j, j->arguments[0]);
    const double apix = job_number(j, "apix", 0);
    tess_ctf     ctf = { .pixel_size = { apix, apix } };
    TESS_CHECK(job_has(j, "defocus"), TESS_EARG, "ctf sim: the defocus is missing; give --defocus, or a STAR file");
    TESS_CHECK(apix > 0, TESS_EARG, "ctf sim: the pixel size is not known; give it with --apix");
    TESS_TRY(ctf_of_options(j, &ctf));
    TESS_TRY(tess_zeros(rows, TESS_SHAPE(1, 1, 1, TESS_CTF_COLUMNS), TESS_F64, tess_cpu()));
    *(tess_ctf *)rows->data = ctf;
    return TESS_OK;
}

static tess_status find_size(const job *j, simulation *s)
{
    double xyz[3] = { 512, 512, 1 };
    int    n = 0;
    TESS_TRY(job_xyz(j, "size", xyz, &n));
    if (n == 1) xyz[1] = xyz[0];
    for (int i = 0; i < 2; i++)
        TESS_CHECK(n < 3 && xyz[i] >= 2 && xyz[i] <= 1e6 && xyz[i] == floor(xyz[i]), TESS_ERANGE,
                   "ctf sim: --size is %s; integers x,y from 2 to 1e6 are needed", job_text(j, "size", ""));
    s->size = TESS_SHAPE(1, 1, (int64_t)xyz[1], (int64_t)xyz[0]);
    return TESS_OK;
}

static void find_form(const job *j, tess_ctf_opts *opts)
{
    const char *form = job_text(j, "form", "ctf"), *layout = job_text(j, "layout", "fc");
    opts->abs = strcmp(form, "abs") == 0;
    opts->squared = strcmp(form, "squared") == 0;
    opts->to = strcmp(layout, "h") == 0    ? TESS_FFT_H
               : strcmp(layout, "hc") == 0 ? TESS_FFT_HC
               : strcmp(layout, "f") == 0  ? TESS_FFT_F
                                           : TESS_FFT_FC;
}

/* ---- Images ---- */

static tess_status draw_images(void *context, tess_array *out, const tess_array *in, const slab *part)
{
    (void)in;
    const simulation *s = context;
    tess_array        rows = { 0 };
    tess_ctf_opts     opts = s->opts;
    tess_shape        shape = s->size;
    shape.b = part->nb;
    TESS_TRY(tess_slice(&rows, &s->rows, 0, part->b, part->b + part->nb, 1));
    opts.parameters = &rows;
    return tess_ctf_image(out, shape, NULL, &opts);
}

/* Pixels are frequencies, which headers have no place for. */
static tess_status write_images(job *j, simulation *s)
{
    const tess_meta meta = { .pixel_size = { 0 } };
    tess_shape      shape = s->size;
    shape.b = s->rows.shape.b;
    if (s->opts.to == TESS_FFT_H || s->opts.to == TESS_FFT_HC) shape.w = shape.w / 2 + 1;
    slab_plan plan = {
        .domain = shape, .out_shape = shape, .out_dtype = TESS_F32, .unit = "images", .device = j->device
    };
    TESS_TRY(move_array(&s->rows, j->device));
    return stream_slabs_to_file(j, &plan, &meta, draw_images, s);
}

/* ---- Curves ---- */

static double value_at(const simulation *s, const tess_ctf *ctf, double fh, double fw)
{
    const double value = tess_ctf_value_at(ctf, fh, fw);
    return s->opts.squared ? value * value : s->opts.abs ? fabs(value) : value;
}

/* At a frequency in cycles per pixel: of the mean defocus, or in the directions of the larger (1) and the smaller
 * defocus (2). */
static double curve_at(const simulation *s, const tess_ctf *ctf, int direction, double f)
{
    const double sine = sin(ctf->angle), cosine = cos(ctf->angle);
    if (direction == 1) return value_at(s, ctf, f * sine, f * cosine);
    if (direction == 2) return value_at(s, ctf, f * cosine, -f * sine);
    const tess_ctf mean = tess_ctf_isotropic(ctf);
    return value_at(s, &mean, 0, f);
}

static void print_curves(job *j, const simulation *s)
{
    table          *t = table_new(j, stdout);
    const tess_ctf *ctfs = s->rows.data;
    const int64_t   side = s->size.h < s->size.w ? s->size.h : s->size.w;
    for (int64_t k = 0; k < s->rows.shape.b; k++) {
        for (int64_t i = 0; i <= side / 2; i++) {
            const double f = (double)i / (double)side;
            if (s->rows.shape.b > 1) table_integer(t, "image", k);
            table_integer(t, "shell", i);
            table_number(t, "1/A", f / ctfs[k].pixel_size[0]);
            table_number(t, "A", i > 0 ? ctfs[k].pixel_size[0] / f : INFINITY);
            table_number(t, "mean", curve_at(s, &ctfs[k], 0, f));
            table_number(t, "u", curve_at(s, &ctfs[k], 1, f));
            table_number(t, "v", curve_at(s, &ctfs[k], 2, f));
            table_row(t);
        }
    }
    table_end(t);
}

/* Frequencies in 1/A up to Nyquist, finer than those that are printed, and values. */
static void fill_curve(const simulation *s, const tess_ctf *ctf, int direction, double *x, double *y)
{
    for (int i = 0; i < DRAWN; i++) {
        const double f = 0.5 * i / (DRAWN - 1);
        x[i] = f / ctf->pixel_size[0];
        y[i] = curve_at(s, ctf, direction, f);
    }
}

static tess_status write_plot(job *j, const simulation *s)
{
    const bool      single = s->rows.shape.b == 1;
    const tess_ctf *ctfs = s->rows.data;
    const bool      split = single && ctfs->astigmatism != 0;
    const int64_t   n = split ? 2 : s->rows.shape.b;
    plot_curve     *curves = calloc((size_t)n, sizeof *curves);
    double         *numbers = calloc((size_t)(2 * n * DRAWN), sizeof *numbers);
    tess_status     status = TESS_OK;
    for (int64_t i = 0; curves && numbers && i < n; i++) {
        double *x = numbers + 2 * i * DRAWN, *y = x + DRAWN;
        fill_curve(s, split ? ctfs : &ctfs[i], split ? (int)i + 1 : 0, x, y);
        curves[i] = (plot_curve){ .x = x, .y = y, .n = DRAWN, .name = !split ? NULL : i ? "V" : "U" };
    }
    const plot_line zero = { .value = 0 };
    const plot      p = { .x.title = "Spatial frequency (1/\xc3\x85)",
                          .y.title = s->opts.squared ? "CTF\xc2\xb2"
                                     : s->opts.abs   ? "|CTF|"
                                                     : "CTF",
                          .angstrom = true,
                          .curves = curves,
                          .n_curves = (int)n,
                          .lines = &zero,
                          .n_lines = 1 };
    const bool      failed = !curves || !numbers;
    if (!failed) status = plot_write(&p, job_text(j, "plot", ""), 2, job_has(j, "force"), NULL);
    free(curves);
    free(numbers);
    TESS_CHECK(!failed, TESS_ENOMEM, "ctf sim: no memory for %lld curves", (long long)n);
    return status;
}

/* ---- The verb ---- */

static tess_status simulate(job *j, simulation *s)
{
    TESS_TRY(find_rows(&s->rows, j));
    TESS_TRY(find_size(j, s));
    find_form(j, &s->opts);
    if (job_has(j, "plot") && !job_has(j, "dry-run")) TESS_TRY(write_plot(j, s));
    if (job_has(j, "output")) return write_images(j, s);
    if (!job_has(j, "plot")) print_curves(j, s);
    return TESS_OK;
}

static tess_status run(job *j)
{
    simulation s = { .size = { .b = 0 } };
    if (job_has(j, "output")) TESS_TRY(output_check(j, NULL));
    const tess_status status = simulate(j, &s);
    tess_release(&s.rows);
    return status;
}

const verb verb_ctf_sim = {
    .name = "ctf sim",
    .subject = "Fourier",
    .summary = "simulate contrast transfer functions as images or curves",
    .arguments = "[STAR] [-o OUT]",
    .text = "With -o, writes an image of the CTF, or one per row of a STAR file, by rlnDefocusU, rlnDefocusV, "
            "rlnDefocusAngle, rlnPhaseShift, rlnCtfBfactor and rlnCtfScalefactor, and by voltage, Cs, amplitude "
            "contrast and pixel size of the rows or their optics groups. Options take precedence over the file. Phases "
            "of beam tilt are left out: the CTF is real.\n\nWithout -o and --plot, prints the curves: shell, 1/A, A, "
            "and the CTF of the mean defocus and in the directions of U, the larger defocus, and of V. At frequency 0 "
            "the CTF is the amplitude contrast, positive.",
    .globals = GLOBAL_OUT | GLOBAL_APIX | GLOBAL_DEVICE | GLOBAL_NUMBER_TABLE | GLOBAL_PROGRESS,
    VERB_OF_FILE(0, 1),
};
