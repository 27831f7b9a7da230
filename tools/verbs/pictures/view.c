/* tessera view: a section, a montage, three views of a volume or a power spectrum as a picture. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/view.h"
#include "files/slab_pipeline.h"
#include "measure/cell_text.h"

enum { POWER_SIZE = 512 }; /* pixels of a power spectrum, at most */

/* ---- Images ---- */

/* Image i of what was chosen, as f32 {1,1,h,w}; of complex numbers the magnitudes. */
static tess_status read_numbers(view *v, int64_t i, tess_array *image)
{
    if (tess_dtype_kind(v->in.info.dtype) != TESS_KIND_COMPLEX) return input_read(&v->in, image, i, 1, TESS_F32);
    tess_array  raw = { 0 }, size = { 0 };
    tess_status status;
    TESS_GOTO(done, status, input_read(&v->in, &raw, i, 1, TESS_DTYPE_NONE));
    TESS_GOTO(done, status, tess_abs(&size, &raw));
    TESS_GOTO(done, status, tess_cast(image, &size, TESS_F32, NULL));
done:
    tess_release(&raw);
    tess_release(&size);
    return status;
}

tess_status view_read_image(view *v, int64_t i, tess_array *image)
{
    TESS_TRY(read_numbers(v, i, image));
    return nonfinite_add(&v->odd, image);
}

/* The number of image i as the user counts. */
static int64_t number_of(const view *v, int64_t i)
{
    const int64_t first = job_has(v->job, "from-one");
    return first + (v->in.chosen && v->in.info.shape.b * v->in.info.shape.d == v->in.n_chosen ? v->in.chosen[i] : i);
}

/* Read image i, filter it, and put it in its place. */
static tess_status add_image(view *v, int64_t i, int64_t column, int64_t row)
{
    tess_array  image = { 0 }, power = { 0 };
    char        label[24] = "";
    tess_status status;
    TESS_GOTO(done, status, view_read_image(v, i, &image));
    if (v->cutoff > 0) TESS_GOTO(done, status, image_lowpass(&image, v->cutoff, v->edge));
    if (v->power) TESS_GOTO(done, status, image_power(&power, &image, POWER_SIZE));
    if (v->numbers) (void)snprintf(label, sizeof label, "%lld", (long long)number_of(v, i));
    TESS_GOTO(done, status, sheet_add(&v->sheet, column, row, v->power ? &power : &image, label));
done:
    tess_release(&image);
    tess_release(&power);
    return status;
}

/* The size of what is shown of each image. */
static void image_size(const view *v, int64_t *height, int64_t *width)
{
    const int64_t h = v->in.info.shape.h, w = v->in.info.shape.w, longer = h > w ? h : w;
    const double  factor = v->power && longer > POWER_SIZE ? (double)POWER_SIZE / (double)longer : 1;
    *height = (int64_t)fmax(1, round((double)h * factor));
    *width = (int64_t)fmax(1, round((double)w * factor));
}

/* ---- One image, or a montage ---- */

static tess_status make_montage(view *v, int64_t n)
{
    enum { MAX_ROWS = 200 };
    int64_t columns, rows, height, width;
    TESS_TRY(view_read_montage(v, n, &columns, &rows));
    if (rows > MAX_ROWS) rows = MAX_ROWS;
    const int64_t shown = columns * rows < n ? columns * rows : n;
    if (shown < n)
        job_note(v->job, "%s: showing the first %lld of %lld images", v->in.name, (long long)shown, (long long)n);
    image_size(v, &height, &width);
    v->opts.max_height = v->out.path ? 32768 : v->opts.max_height;
    TESS_TRY(sheet_start(&v->sheet, columns, &width, rows, &height, true, &v->opts));
    progress *p = NULL;
    TESS_TRY(progress_start(&p, v->job, "images", shown, v->in.info.shape.h * v->in.info.shape.w * 4));
    tess_status status = TESS_OK;
    for (int64_t i = 0; i < shown && status == TESS_OK; i++) {
        status = add_image(v, i, i % columns, i / columns);
        progress_add(p, 1);
    }
    progress_end(p);
    if (status != TESS_OK) TESS_TRY(status);
    return TESS_OK;
}

static tess_status make_single(view *v, int64_t n)
{
    const bool    volume = v->in.info.shape.d > 1;
    const int64_t first = job_has(v->job, "from-one"), middle = volume ? v->in.info.shape.d / 2 : 0;
    const int64_t i = job_has(v->job, "slice") ? job_integer(v->job, "slice", 0) - first : middle;
    TESS_CHECK(i >= 0 && i < n, TESS_ERANGE, "view: --slice is %lld; %s has numbers %lld to %lld",
               (long long)(i + first), v->in.name, (long long)first, (long long)(n - 1 + first));
    int64_t height, width;
    image_size(v, &height, &width);
    TESS_TRY(sheet_start(&v->sheet, 1, &width, 1, &height, true, &v->opts));
    TESS_TRY(add_image(v, i, 0, 0));
    return TESS_OK;
}

/* ---- All of it ---- */

/* An image at a time, or, to be filtered for three views, a volume, has to be in memory, with a copy that can be
 * transformed, its spectrum, and what that is multiplied with or becomes. */
static tess_status check_memory(const view *v)
{
    const tess_shape s = v->in.info.shape;
    const bool       volume = job_has(v->job, "orth") && v->cutoff > 0;
    const int64_t    stored = (int64_t)tess_dtype_size(v->in.info.dtype);
    const int64_t    bytes = 4 + (v->cutoff > 0 || v->power ? 12 : 0) +
                          (tess_dtype_kind(v->in.info.dtype) == TESS_KIND_COMPLEX ? stored + stored / 2 : 0);
    const double  width = (double)v->opts.max_width, shown = 8 * fmin((double)(s.h * s.w), width * width);
    const int64_t drawn = (int64_t)shown; /* the picture of it, and its values in order */
    if (volume) TESS_TRY(volume_fits(v->job, s, s.d * s.h * s.w * bytes + drawn));
    else TESS_TRY(image_fits(v->job, s, s.h * s.w * bytes + drawn));
    return TESS_OK;
}

/* Pixels are drawn as squares; the bar is along x. */
static tess_status read_scale_bar(view *v)
{
    char text[64];
    if (tess_meta_is_skew(&v->in.info.meta, job_has(v->job, "orth")))
        job_note(v->job, "%s: cell angles are %s degrees, drawn as 90: the scale bar is correct along x only",
                 v->in.name, cell_angles_text(text, &v->in.info.meta));
    return input_pixel_size(&v->in, &v->opts.pixel_size);
}

static tess_status make_sheet(view *v, double cut[3])
{
    const tess_shape s = v->in.info.shape;
    const int64_t    n = s.b * s.d;
    TESS_CHECK(n > 0 && s.h > 0 && s.w > 0, TESS_ESHAPE, "view: %s is empty", v->in.name);
    const char *each = job_text(v->job, "contrast", s.d > 1 || job_has(v->job, "orth") ? "together" : "each");
    v->opts.together = strcmp(each, "together") == 0;
    view_map_contrast(v);
    TESS_TRY(view_read_filter(v));
    TESS_TRY(check_memory(v));
    if (job_has(v->job, "scalebar")) TESS_TRY(read_scale_bar(v));
    if (job_has(v->job, "orth")) TESS_TRY(view_planes(v, cut));
    else if (job_has(v->job, "montage") || (job_has(v->job, "slices") && n > 1 && !job_has(v->job, "slice")))
        TESS_TRY(make_montage(v, n));
    else TESS_TRY(make_single(v, n));
    return TESS_OK;
}

static tess_status show(view *v)
{
    double      cut[3], shown[2];
    canvas     *c = NULL;
    const bool  orth = job_has(v->job, "orth");
    tess_status status;
    TESS_GOTO(done, status, make_sheet(v, cut));
    nonfinite_tell(&v->odd, v->job, v->in.name, v->power ? "" : " (shown in purple)", "");
    TESS_GOTO(done, status, sheet_draw(&v->sheet, &c, orth ? cut : NULL));
    TESS_GOTO(done, status, sheet_shown(&v->sheet, 0, v->sheet.n_rows - 1, shown));
    job_detail(v->job, "%lld x %lld pixels; %g is %s, %g is %s", (long long)c->width, (long long)c->height, shown[0],
               v->opts.contrast.invert ? "white" : "black", shown[1], v->opts.contrast.invert ? "black" : "white");
    TESS_GOTO(done, status, picture_out_canvas(&v->out, c));
done:
    canvas_free(c);
    sheet_free(&v->sheet);
    return status;
}

static tess_status run(job *j)
{
    view v = { .job = j };
    TESS_TRY(picture_out_find(&v.out, j));
    TESS_TRY(view_read_options(&v));
    TESS_TRY(input_open(&v.in, j, j->arguments[0], job_has(j, "orth") ? NEED_VOLUME : NEED_ANY));
    const tess_status status = v.out.skip ? TESS_OK : show(&v);
    input_close(&v.in);
    if (status != TESS_OK) TESS_TRY(status);
    return TESS_OK;
}

static const option options[] = {
    VALUE("slice", "N", OPTION_INTEGER, "image or section to show [the first image, the middle section]"),
    VALUE("montage", "CxR", OPTION_TEXT, "montage of C columns and R rows: 8x, 8x4"),
    FLAG("orth", "show three orthogonal planes of a volume"),
    VALUE("at", "X,Y,Z", OPTION_XYZ, "point where the planes meet, in pixels [n/2 of each side]"),
    FLAG("power", "show the log power spectrum, zero frequency centred"),
    VALUE("sigma", "S", OPTION_NUMBER, "contrast: mean - S sd to mean + S sd [images: 3]"),
    VALUE("percentile", "LOW,HIGH", OPTION_XYZ, "contrast by percentiles: 1,99 [volumes: 0.5,99.5; --power: 0.5,99.7]"),
    FLAG("minmax", "contrast from minimum to maximum"),
    VALUE("range", "LOW,HIGH", OPTION_XYZ, "contrast between these values"),
    CHOICE("contrast", "WORD", "each together",
           "contrast of each image, or together [images: each; sections: together]"),
    FLAG("invert", "show high values dark"),
    VALUE("lowpass", "RES", OPTION_CUTOFF, "first remove detail finer than this (low-pass filter)"),
    VALUE("edge", "E", OPTION_EDGE, "width of the filter's edge [2 shells]"),
    FLAG("scalebar", "draw a scale bar; needs the pixel size"),
    FLAG("numbers", "number the images"),
    VALUE("width", "N", OPTION_INTEGER, "maximum width of the picture in pixels [1024]"),
    VALUE("zoom", "N", OPTION_INTEGER, "enlarge each pixel to N x N [small pictures only]"),
    VALUE("gap", "N", OPTION_INTEGER, "gap between images in pixels [4]"),
    TERMINAL_OPTION,
    { .name = NULL },
};

static const char *const examples[] = {
    "tessera view volume.mrc -o middle.png",
    "tessera view volume.mrc --orth --scalebar --apix 1.5 -o views.png",
    "tessera view stack.mrcs --montage 8x --numbers -o montage.png",
    "tessera view x.mrc --lowpass 0.1/px --sigma 2.5 -o filtered.png",
    "tessera view x.mrc --power -o power.png",
    "tessera view x.mrc --terminal ascii",
    NULL,
};

const verb verb_view = {
    .name = "view",
    .subject = "pictures",
    .summary = "show images, sections, montages or power spectra as a picture",
    .arguments = "INPUT... [-o OUT.png]",
    .text = "Without -o the picture is shown in the terminal: as sixel graphics if the environment says that it "
            "supports them, else as coloured half-blocks, else as letters.\n\nRow 0 is the bottom of the picture. NaN "
            "and infinite values do not affect the contrast; NaN is shown in purple.\n\nA picture wider than --width "
            "is reduced by averaging areas, a small one is enlarged by an integer factor. Several images selected with "
            "--slices make a montage. --orth shows the planes xy (lower left), xz above it and zy beside it, with "
            "marks where they intersect. --lowpass filters images, or with --orth the volume, in Fourier space.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_PROGRESS,
    VERB_FOR_EACH(EACH_FILE),
};
