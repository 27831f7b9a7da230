/* Files: writes a stack and reads parts of it, passes arrays to NumPy, and reads a table of particles. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tessera.h"

static const char table[] = "# version 30001\n"
                            "data_optics\n"
                            "_rlnImagePixelSize 1.06\n"
                            "\n"
                            "data_particles\n"
                            "loop_\n"
                            "_rlnImageName #1\n"
                            "_rlnDefocusU #2\n"
                            "000003@stack.mrcs 15023.5\n"
                            "000007@stack.mrcs 14988.1\n";

/* Ten images of noise, one after the other: only one is in memory at a time. */
static tess_status write_stack(const char *path)
{
    const tess_meta       meta = { .pixel_size = { 1.06, 1.06, 1.06 } };
    const tess_write_opts opts = { .meta = &meta, .label = "noise" };
    tess_writer          *writer = NULL;
    tess_array            image = { 0 };
    tess_status           status = TESS_OK;
    TESS_TRY(tess_writer_open(&writer, path, TESS_SHAPE(10, 1, 64, 96), TESS_F32, &opts));
    TESS_GOTO(failed, status, tess_empty(&image, TESS_SHAPE(1, 1, 64, 96), TESS_F32, tess_cpu()));
    for (uint64_t i = 0; i < 10; i++) {
        TESS_GOTO(failed, status, tess_random_normal(&image, (double)i, 1, i, NULL));
        TESS_GOTO(failed, status, tess_writer_append(writer, &image));
    }
    tess_release(&image);
    TESS_TRY(tess_writer_finish(writer));
    return TESS_OK;
failed:
    tess_release(&image);
    tess_writer_discard(writer);
    return status;
}

/* The images that a STAR table names, and their defocus, for NumPy: np.load("picked.npz")["images"]. */
static tess_status pick(const char *stack, const char *npz)
{
    tess_star  *star = NULL;
    tess_file  *file = NULL;
    tess_array  images = { 0 }, defocus = { 0 };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_star_parse(&star, table, sizeof table - 1, "table"));
    const tess_star_table *particles = tess_star_find(star, "particles");
    const int64_t          n = tess_star_rows(particles);
    TESS_GOTO(done, status, tess_star_numbers(&defocus, particles, "rlnDefocusU"));
    TESS_GOTO(done, status, tess_open(&file, stack, NULL));
    const tess_info_file *info = tess_file_info(file);
    TESS_GOTO(done, status, tess_empty(&images, TESS_SHAPE(n, 1, 32, 32), TESS_F32, tess_cpu()));
    for (int64_t i = 0; i < n; i++) { /* the middle of each, straight into its part of the result */
        tess_array  one;
        int64_t     index;
        const char *name;
        TESS_GOTO(done, status, tess_star_get_image(&index, &name, particles, i, "rlnImageName", info->shape.b));
        TESS_GOTO(done, status, tess_index(&one, &images, 0, i));
        const tess_region middle = { tess_only(index - 1), tess_only(0), tess_from_to(16, 48), tess_from_to(32, 64) };
        TESS_GOTO(done, status, tess_file_read(&one, file, middle));
        printf("image %lld of %s, pixel size %.2f\n", (long long)index, name, info->meta.pixel_size[2]);
    }
    const tess_npz_entry entries[] = { { "images", &images }, { "defocus", &defocus } };
    TESS_GOTO(done, status, tess_npz_write(npz, entries, 2, NULL));
done:
    tess_star_free(star);
    tess_file_close(file);
    tess_release(&images), tess_release(&defocus);
    return status;
}

/* One of the arrays, and the mean of each image. */
static tess_status look(const char *npz)
{
    tess_array  images = { 0 }, means = { 0 };
    tess_status status = TESS_OK;
    TESS_TRY(tess_read(&images, npz, &(tess_read_opts){ .member = "images" }));
    TESS_GOTO(done, status, tess_mean(&means, &images, TESS_D | TESS_H | TESS_W, NULL));
    for (int64_t i = 0; i < means.shape.b; i++)
        printf("mean of image %lld: %.1f\n", (long long)i, (double)TESS_AT(float, means, i, 0, 0, 0));
done:
    tess_release(&images), tess_release(&means);
    return status;
}

int main(void)
{
    char folder[] = "/tmp/tessera-example-XXXXXX", stack[64], npz[64];
    if (!mkdtemp(folder)) return 1;
    (void)snprintf(stack, sizeof stack, "%s/stack.mrcs", folder);
    (void)snprintf(npz, sizeof npz, "%s/picked.npz", folder);
    tess_status status = write_stack(stack);
    if (status == TESS_OK) status = pick(stack, npz);
    if (status == TESS_OK) status = look(npz);
    if (status != TESS_OK) (void)fputs(tess_error_trace(), stderr);
    (void)remove(stack);
    (void)remove(npz);
    (void)rmdir(folder);
    return status == TESS_OK ? 0 : 1;
}
