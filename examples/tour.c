/* A tour of the library: views, broadcasting, a stack of images, a picture made of it, and an error.
 *
 * Writes out/tour.pgm, a picture that any image viewer opens.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "tessera.h"

enum { IMAGES = 6, SIDE = 96 };

static double now_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static tess_status show(const char *title, const tess_array *a)
{
    char                   text[2048];
    const tess_format_opts brief = { .precision = 3, .edge = 2, .threshold = 100 };
    TESS_TRY(tess_format(text, sizeof text, NULL, a, &brief));
    printf("%s\n%s\n\n", title, text);
    return TESS_OK;
}

/* Rings whose spacing shrinks from image to image, off the centre and brighter to the right and to the top, so that one
 * can see which way an image is turned. */
static tess_status draw_stack(tess_array *stack)
{
    tess_span_f32 s;
    TESS_TRY(tess_empty(stack, TESS_SHAPE(IMAGES, 1, SIDE, SIDE), TESS_F32, tess_cpu()));
    TESS_TRY(tess_as_f32(&s, stack));
    for (int b = 0; b < IMAGES; b++)
        for (int h = 0; h < SIDE; h++)
            for (int w = 0; w < SIDE; w++) {
                const double y = h - SIDE * 0.35, x = w - SIDE * 0.6, light = (double)(SIDE - h + w) / (2 * SIDE);
                TESS_AT(float, s, b, 0, h, w) = (float)(light * (0.5 + 0.5 * cos((x * x + y * y) * 0.003 * (b + 1))));
            }
    return TESS_OK;
}

/* Tile (row, column) of the sheet, as a view of it. */
static tess_status tile_at(tess_array *tile, const tess_array *sheet, int64_t row, int64_t column)
{
    const tess_region region = { .h = tess_from_to(row * SIDE, (row + 1) * SIDE),
                                 .w = tess_from_to(column * SIDE, (column + 1) * SIDE) };
    TESS_TRY(tess_subregion(tile, sheet, region));
    return TESS_OK;
}

/* The images side by side; below each, the same image upside down, and transposed. Only views of the sheet are written. */
static tess_status draw_sheet(tess_array *sheet, const tess_array *stack)
{
    tess_along walk = { 0 };
    tess_array image = { 0 }, tile = { 0 }, reversed = { 0 };
    TESS_TRY(tess_zeros(sheet, TESS_SHAPE(1, 1, 3 * SIDE, IMAGES * SIDE), TESS_F32, tess_cpu()));
    while (tess_along_next(&walk, &image, stack, 0)) {
        TESS_TRY(tile_at(&tile, sheet, 0, walk.index));
        TESS_TRY(tess_copy(&tile, &image));
        TESS_TRY(tile_at(&tile, sheet, 1, walk.index));
        TESS_TRY(tess_subregion_text(&reversed, &image, "..., ::-1, :"));
        TESS_TRY(tess_copy(&tile, &reversed));
        TESS_TRY(tile_at(&tile, sheet, 2, walk.index));
        TESS_TRY(tess_permute_copy(&tile, &image, 0, 1, 3, 2));
    }
    TESS_CHECK(walk.status == TESS_OK, (tess_status)walk.status, "draw_sheet: the walk ended: %s",
               tess_error_message());
    return TESS_OK;
}

static tess_status write_pgm(const char *path, const tess_array *bytes)
{
    FILE *file = fopen(path, "wb");
    TESS_CHECK(file, TESS_EIO, "write_pgm: %s cannot be written: %s", path, strerror(errno));
    fprintf(file, "P5\n%d %d\n255\n", (int)bytes->shape.w, (int)bytes->shape.h);
    const size_t n = (size_t)tess_n_bytes(bytes), written = fwrite(bytes->data, 1, n, file);
    const int    closed = fclose(file);
    TESS_CHECK(written == n && closed == 0, TESS_EIO, "write_pgm: %s is incomplete: %s", path, strerror(errno));
    return TESS_OK;
}

static tess_status save_sheet(const tess_array *stack)
{
    tess_array sheet = { 0 }, scaled = { 0 }, bytes = { 0 };
    TESS_TRY(draw_sheet(&sheet, stack));
    TESS_TRY(tess_like(&scaled, &sheet));
    for (int64_t i = 0; i < tess_n_elements(&sheet); i++)
        ((float *)scaled.data)[i] = 255.0f * ((const float *)sheet.data)[i];
    TESS_TRY(tess_cast(&bytes, &scaled, TESS_U8, NULL)); /* clamps: no value can wrap round */
    (void)mkdir("out", 0777);
    TESS_TRY(write_pgm("out/tour.pgm", &bytes));
    printf("wrote out/tour.pgm: %d images; below each, the same upside down, then transposed\n\n", IMAGES);
    tess_release(&sheet);
    tess_release(&scaled);
    tess_release(&bytes);
    return TESS_OK;
}

static tess_status show_views(void)
{
    tess_array a = { 0 }, view = { 0 }, copy = { 0 };
    TESS_TRY(tess_arange(&a, TESS_SHAPE(1, 1, 3, 4), TESS_F32, tess_cpu(), 0, 1));
    TESS_TRY(show("an array:", &a));
    TESS_TRY(tess_transpose(&view, &a));
    TESS_TRY(show("transposed, a view of the same memory:", &view));
    TESS_TRY(tess_subregion_text(&view, &a, "..., ::-1, 1:3"));
    TESS_TRY(show("rows backwards, columns 1 and 2:", &view));
    TESS_TRY(tess_fill(&view, -1));
    TESS_TRY(show("filled through that view, seen in the array:", &a));
    TESS_TRY(tess_index(&view, &a, 2, 1));
    TESS_TRY(tess_broadcast(&view, &view, TESS_SHAPE(1, 1, 2, 4)));
    TESS_TRY(tess_copy(&copy, &view));
    TESS_TRY(show("row 1 broadcast to two rows, and copied:", &copy));
    tess_release(&a);
    tess_release(&copy);
    return TESS_OK;
}

static tess_status time_transpose(void)
{
    tess_array a = { 0 }, b = { 0 };
    TESS_TRY(tess_ones(&a, TESS_SHAPE(1, 1, 4096, 4096), TESS_F32, tess_cpu()));
    TESS_TRY(tess_ones(&b, TESS_SHAPE(1, 1, 4096, 4096), TESS_F32, tess_cpu()));
    double copied = 1e9, transposed = 1e9;
    for (int i = 0; i < 5; i++) {
        double start = now_ms();
        TESS_TRY(tess_copy(&b, &a));
        copied = fmin(copied, now_ms() - start);
        start = now_ms();
        TESS_TRY(tess_permute_copy(&b, &a, 0, 1, 3, 2));
        transposed = fmin(transposed, now_ms() - start);
    }
    printf("4096 x 4096 f32 on %d threads: copied in %.1f ms, transposed in %.1f ms\n\n", tess_threads_get(), copied,
           transposed);
    tess_release(&a);
    tess_release(&b);
    return TESS_OK;
}

/* What goes wrong explains itself, with the calls it passed and what the caller knew. */
static tess_status show_error(const tess_array *stack)
{
    tess_array volume = { 0 };
    TESS_TRY_NOTE(tess_reshape(&volume, stack, TESS_SHAPE(1, IMAGES, SIDE, SIDE + 1)),
                  "while making a volume of %d images", IMAGES);
    return TESS_OK;
}

static tess_status tour(void)
{
    tess_array       stack = { 0 }, first = { 0 };
    tess_info_device cpu;
    TESS_TRY(tess_device_info(&cpu, tess_cpu()));
    printf("Tessera %s on %d cores, kernels: %s\n\n", tess_version(), (int)cpu.cores, cpu.isa);
    TESS_TRY(show_views());
    TESS_TRY(draw_stack(&stack));
    TESS_TRY(tess_index(&first, &stack, 0, 0));
    TESS_TRY(show("the first of a stack of images (summarised):", &first));
    TESS_TRY(save_sheet(&stack));
    TESS_TRY(time_transpose());
    printf("a mistake, on purpose:\n");
    if (show_error(&stack) != TESS_OK) printf("%s\n", tess_error_trace());
    tess_release(&stack);
    TESS_CHECK(tess_memory_used(tess_cpu()) == 0, TESS_ENOMEM, "tour: storage is left over");
    printf("done: all storage given back\n");
    return TESS_OK;
}

int main(void)
{
    if (tour() == TESS_OK) return 0;
    fputs(tess_error_trace(), stderr);
    return 1;
}
