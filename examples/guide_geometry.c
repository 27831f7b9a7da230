/* Pictures of the guides to geometry: one matrix taken as inverse and as forward, methods of interpolation, views of a
 * volume, and a projection beside the central slice of the spectrum.
 *
 *     example_guide_geometry [folder]
 *
 * Given a folder, each is written there, stacks of images as MRC files and curves as tables. */
#include <math.h>
#include <stdio.h>

#include "guide_stacks.h"

enum { BOX = 96, SAMPLES = 16, ZOOM = 6, VOLUME = 64, PADDED = 2 * VOLUME };

static const char *folder;

/* ---- Matrices ---- */

/* An F in the middle, with a cross at the centre of the image. */
static void letter(float *x)
{
    for (int h = -15; h < 15; h++)
        for (int w = -9; w < 9; w++)
            if (w < -3 || h >= 9 || (h >= -3 && h < 3 && w < 5)) x[(BOX / 2 + h) * BOX + BOX / 2 + w] = 0.75f;
}

static void mark_centre(float *x)
{
    for (int i = -4; i <= 4; i++) x[(BOX / 2 + i) * BOX + BOX / 2] = x[BOX / 2 * BOX + BOX / 2 + i] = 1;
}

/* The image; where M says that each pixel comes from; what M does. */
static tess_status matrices(void)
{
    const tess_parts_2d parts = { .rotation = TESS_PI / 6, .translation = { 0, 24 }, .centre = { BOX / 2, BOX / 2 } };
    tess_array          stack = { 0 }, image, result[2], matrix = { 0 };
    tess_mat23_f64      m;
    TESS_TRY(tess_affine_2d(&m, &parts));
    TESS_TRY(tess_empty(&matrix, TESS_SHAPE(1, 1, 1, 1), TESS_MAT23_F64, tess_cpu()));
    *(tess_mat23_f64 *)matrix.data = m;
    TESS_TRY(tess_zeros(&stack, TESS_SHAPE(3, 1, BOX, BOX), TESS_F32, tess_cpu()));
    TESS_TRY(image_of(&image, &stack, 0));
    letter(image.data);
    for (int k = 0; k < 2; k++) {
        TESS_TRY(image_of(&result[k], &stack, k + 1));
        TESS_TRY(tess_transform_2d(&result[k], &image, &matrix,
                                   &(tess_transform_opts){ .interp = TESS_INTERP_CUBIC, .forward = k }));
        mark_centre(result[k].data);
    }
    mark_centre(image.data);
    tess_release(&matrix);
    return finish(folder, "matrices", &stack);
}

/* ---- Interpolation ---- */

typedef struct method {
    const char *name;
    int32_t     interp;
} method;

static const method methods[] = {
    { "nearest", TESS_INTERP_NEAREST },
    { "linear", TESS_INTERP_LINEAR },
    { "cosine", TESS_INTERP_COSINE },
    { "cubic", TESS_INTERP_CUBIC },
    { "cubic_bspline", TESS_INTERP_CUBIC_BSPLINE },
    { "lanczos4", TESS_INTERP_LANCZOS4 },
    { "lanczos8", TESS_INTERP_LANCZOS8 },
};
enum { METHODS = sizeof methods / sizeof *methods };

/* Rings whose frequency rises from 0 at a corner to 0.35 cycles per pixel at the next ones. */
static double chirp(double y, double x) { return cos(TESS_PI * 0.35 / SAMPLES * (y * y + x * x)); }

/* The chirp as it is, and by each method from 16 x 16 samples of it. */
static tess_status interpolation(void)
{
    tess_array stack = { 0 }, samples = { 0 }, zoomed;
    TESS_TRY(tess_empty(&samples, TESS_SHAPE(1, 1, SAMPLES, SAMPLES), TESS_F32, tess_cpu()));
    TESS_TRY(tess_empty(&stack, TESS_SHAPE(METHODS + 1, 1, SAMPLES * ZOOM, SAMPLES * ZOOM), TESS_F32, tess_cpu()));
    float *x = samples.data, *truth = stack.data;
    for (int i = 0; i < SAMPLES * SAMPLES; i++) x[i] = (float)chirp(i / SAMPLES, i % SAMPLES);
    for (int i = 0; i < SAMPLES * SAMPLES * ZOOM * ZOOM; i++)
        truth[i] = (float)chirp((double)(i / (SAMPLES * ZOOM)) / ZOOM, (double)(i % (SAMPLES * ZOOM)) / ZOOM);
    for (int k = 0; k < METHODS; k++) {
        TESS_TRY(image_of(&zoomed, &stack, k + 1));
        TESS_TRY(tess_rescale(&zoomed, &samples, ZOOM, 1,
                              &(tess_resample_opts){ .interp = methods[k].interp,
                                                     .border = TESS_BORDER_REFLECT,
                                                     .prefilter = methods[k].interp == TESS_INTERP_CUBIC_BSPLINE }));
    }
    tess_release(&samples);
    return finish(folder, "interpolation", &stack);
}

/* What each method makes of a single 1 among zeros: a table of positions and values. */
static tess_status kernels(void)
{
    enum { REACH = 4, STEPS = 16, N = 2 * REACH * STEPS + 1, WIDTH = 4 * REACH + 1 };
    tess_array impulse = { 0 }, curves = { 0 }, curve;
    char       path[512];
    TESS_TRY(tess_zeros(&impulse, TESS_SHAPE(1, 1, 1, WIDTH), TESS_F64, tess_cpu()));
    TESS_TRY(tess_set_f64(&impulse, 0, 0, 0, WIDTH / 2, 1));
    TESS_TRY(tess_empty(&curves, TESS_SHAPE(METHODS, 1, 1, N), TESS_F64, tess_cpu()));
    for (int k = 0; k < METHODS; k++) {
        TESS_TRY(image_of(&curve, &curves, k));
        TESS_TRY(tess_rescale(&curve, &impulse, STEPS, 1,
                              &(tess_resample_opts){ .interp = methods[k].interp,
                                                     .border = TESS_BORDER_CLAMP,
                                                     .prefilter = methods[k].interp == TESS_INTERP_CUBIC_BSPLINE }));
    }
    (void)snprintf(path, sizeof path, "%s/kernels.tsv", folder ? folder : ".");
    FILE *file = folder ? fopen(path, "w") : NULL;
    if (file) {
        const double *x = curves.data;
        (void)fputs("distance", file);
        for (int k = 0; k < METHODS; k++) (void)fprintf(file, "\t%s", methods[k].name);
        for (int i = 0; i < N; i++) {
            (void)fprintf(file, "\n%g", (double)i / STEPS - REACH);
            for (int k = 0; k < METHODS; k++) (void)fprintf(file, "\t%.5f", x[k * N + i]);
        }
        (void)fputs("\n", file);
        (void)fclose(file);
    }
    tess_release(&impulse);
    tess_release(&curves);
    return TESS_OK;
}

/* ---- Projections ---- */

typedef struct spot {
    double z, y, x, radius, value;
} spot;

/* A ball with a hole, a long arm and a small ball, about the centre, with soft edges. */
static tess_status phantom(tess_array *volume)
{
    static const spot all[] = {
        { 0, 0, -8, 13, 1 }, { 4, 3, -11, 6, -1 }, { 0, 2, 6, 4, 1 },   { 2, 4, 11, 4, 1 },
        { 4, 6, 16, 4, 1 },  { 6, 8, 21, 4, 1 },   { -17, 5, 2, 4, 2 },
    };
    TESS_TRY(tess_zeros(volume, TESS_SHAPE(1, VOLUME, VOLUME, VOLUME), TESS_F32, tess_cpu()));
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const double   centre[3] = { VOLUME / 2 + all[k].z, VOLUME / 2 + all[k].y, VOLUME / 2 + all[k].x };
        tess_draw_opts opts = { .op = TESS_DRAW_ADD, .width = 2, .value = all[k].value };
        tess_array     centres = { 0 }, radii = { 0 };
        TESS_TRY(tess_empty(&centres, TESS_SHAPE(1, 1, 1, 3), TESS_F64, tess_cpu()));
        for (int64_t i = 0; i < 3; i++) TESS_TRY(tess_set_f64(&centres, 0, 0, 0, i, centre[i]));
        TESS_TRY(tess_full(&radii, TESS_SHAPE(1, 1, 1, 1), TESS_F64, tess_cpu(), all[k].radius));
        opts.centres = &centres;
        TESS_TRY(tess_draw_sphere(volume, volume, &radii, &opts));
        tess_release(&centres);
        tess_release(&radii);
    }
    return TESS_OK;
}

/* Views at RELION's angles 0, tilt, 0, from image to volume. */
static tess_status tilts(tess_array *views, const double *degrees, int n)
{
    tess_array angles = { 0 };
    TESS_TRY(tess_zeros(&angles, TESS_SHAPE(n, 1, 1, 3), TESS_F64, tess_cpu()));
    for (int i = 0; i < n; i++) TESS_TRY(tess_set_f64(&angles, i, 0, 0, 1, degrees[i]));
    TESS_TRY(tess_euler_to_matrix(views, &angles, &(tess_euler_opts){ .convention = "relion" }));
    tess_release(&angles);
    return TESS_OK;
}

static tess_status views(const tess_array *volume)
{
    tess_array rotations = { 0 }, images = { 0 };
    TESS_TRY(tilts(&rotations, (const double[]){ 0, 30, 60, 90 }, 4));
    TESS_TRY(tess_project(&images, volume, &rotations, &(tess_project_opts){ .centred = 1 }));
    tess_release(&rotations);
    return finish(folder, "views", &images);
}

/* The image whose spectrum is the slice of the volume's across the direction of view; *slice is the slice. The volume is
 * padded to twice its size first, so that interpolation of the spectrum does little to the image. */
static tess_status through_slice(tess_array *image, tess_array *slice, const tess_array *volume,
                                 const tess_array *rotation)
{
    const tess_shape cube = TESS_SHAPE(1, PADDED, PADDED, PADDED), square = TESS_SHAPE(1, 1, PADDED, PADDED);
    tess_array       padded = { 0 }, moved = { 0 }, spectrum = { 0 };
    TESS_TRY(tess_resize(&padded, volume, cube, NULL));
    TESS_TRY(tess_gridding_correct(&padded, &padded, NULL));
    TESS_TRY(tess_ifftshift(&moved, &padded, TESS_D | TESS_H | TESS_W));
    TESS_TRY(tess_fft_r2c(&spectrum, &moved, NULL));
    TESS_TRY(tess_fourier_extract(slice, &spectrum, cube, rotation, NULL));
    tess_release(&padded);
    tess_release(&moved);
    TESS_TRY(tess_fft_c2r(&moved, slice, square, NULL));
    TESS_TRY(tess_fftshift(&padded, &moved, TESS_H | TESS_W));
    TESS_TRY(tess_resize(image, &padded, image->shape, NULL));
    tess_release(&padded);
    tess_release(&moved);
    tess_release(&spectrum);
    return TESS_OK;
}

/* log(1 + |f|) of the middle of a half spectrum, with frequency 0 at the centre, over its maximum. */
static tess_status spectrum_picture(tess_array *image, const tess_array *slice)
{
    tess_array power = { 0 }, full = { 0 };
    double     most;
    TESS_TRY(tess_abs(&power, slice));
    TESS_TRY(tess_log1p(&power, &power));
    TESS_TRY(tess_fft_remap(&full, &power, TESS_SHAPE(1, 1, PADDED, PADDED), TESS_FFT_H, TESS_FFT_FC));
    TESS_TRY(tess_resize(image, &full, image->shape, NULL));
    TESS_TRY(tess_host_max(&most, image));
    TESS_TRY(tess_div(image, image, &tess_f64(most)));
    tess_release(&power);
    tess_release(&full);
    return TESS_OK;
}

/* The projection of a view, the slice, what the slice is transformed to, and ten times how far that is from the
 * projection. */
static tess_status slices(const tess_array *volume)
{
    tess_array rotation = { 0 }, stack = { 0 }, slice = { 0 }, image[4];
    double     most, error;
    TESS_TRY(tilts(&rotation, (const double[]){ 30 }, 1));
    TESS_TRY(tess_empty(&stack, TESS_SHAPE(4, 1, VOLUME, VOLUME), TESS_F32, tess_cpu()));
    for (int k = 0; k < 4; k++) TESS_TRY(image_of(&image[k], &stack, k));
    TESS_TRY(tess_project(&image[0], volume, &rotation, &(tess_project_opts){ .centred = 1 }));
    TESS_TRY(through_slice(&image[2], &slice, volume, &rotation));
    TESS_TRY(spectrum_picture(&image[1], &slice));
    TESS_TRY(tess_host_max(&most, &image[0]));
    TESS_TRY(tess_div(&image[0], &image[0], &tess_f64(most)));
    TESS_TRY(tess_div(&image[2], &image[2], &tess_f64(most)));
    TESS_TRY(tess_sub(&image[3], &image[2], &image[0]));
    TESS_TRY(tess_host_std(&error, &image[3], NULL));
    printf("slice and projection differ by %.4f of the maximum (rms)\n", error);
    TESS_TRY(tess_abs(&image[3], &image[3]));
    TESS_TRY(tess_mul(&image[3], &image[3], &tess_f64(10)));
    tess_release(&rotation);
    tess_release(&slice);
    return finish(folder, "slices", &stack);
}

int main(int argc, char **argv)
{
    tess_array volume = { 0 };
    folder = argc > 1 ? argv[1] : NULL;
    const bool done = matrices() == TESS_OK && interpolation() == TESS_OK && kernels() == TESS_OK &&
                      phantom(&volume) == TESS_OK && views(&volume) == TESS_OK && slices(&volume) == TESS_OK;
    tess_release(&volume);
    if (done) return 0;
    fputs(tess_error_trace(), stderr);
    return 1;
}
