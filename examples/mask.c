/* A mask for a noisy map, made in one call and by hand, and masks from shapes: what is inside, and what it costs. With
 * the name of a folder, it writes the pictures of docs/masks.md there. */
#include <stdio.h>
#include <stdlib.h>

#include "tessera.h"

enum { SIDE = 64 };

static void need(tess_status status)
{
    if (status == TESS_OK) return;
    fputs(tess_error_trace(), stderr);
    exit(1);
}

/* Two balls that touch, a speck that does not belong to them, and noise. */
static void make_map(tess_array *map)
{
    double     places[] = { 32, 32, 26, 32, 32, 40, 12, 12, 12 }, radii[] = { 12, 9, 2 };
    tess_array centres, sizes, noise = { 0 };
    need(tess_wrap(&centres, places, TESS_SHAPE(1, 3, 1, 3), TESS_F64, NULL));
    need(tess_wrap(&sizes, radii, TESS_SHAPE(1, 3, 1, 1), TESS_F64, NULL));
    need(tess_draw_sphere(
        map, NULL, &sizes,
        &(tess_draw_opts){ .shape = TESS_SHAPE(1, SIDE, SIDE, SIDE), .centres = &centres, .width = 3 }));
    need(tess_empty(&noise, map->shape, TESS_F32, tess_cpu()));
    need(tess_random_normal(&noise, 0, 0.1, 1, NULL));
    need(tess_add(map, map, &noise));
    tess_release(&noise);
}

static double fraction(const tess_array *mask)
{
    double mean;
    need(tess_host_mean(&mean, mask));
    return 100 * mean;
}

/* The same by hand: threshold, the largest component, distance from it. */
static void by_hand(const tess_array *map)
{
    tess_array inside = { 0 }, labels = { 0 }, counts = { 0 }, far = { 0 };
    double     n, most;
    need(tess_greater_equal(&inside, map, &tess_num(0.5)));
    need(tess_label(&labels, &inside, &(tess_label_opts){ .counts = &counts }));
    need(tess_get_f64(&n, &counts, 0, 0, 0, 0));
    need(tess_distance_transform(&far, &inside, NULL));
    need(tess_host_max(&most, &far));
    printf("components above the threshold: %.0f; the deepest voxel lies %.1f inside\n", n, most);
    tess_release(&inside);
    tess_release(&labels);
    tess_release(&counts);
    tess_release(&far);
}

static void save(const char *folder, const char *name, const tess_array *a)
{
    char       path[512];
    tess_array section;
    need(tess_slice(&section, a, 1, SIDE / 2, SIDE / 2 + 1, 1));
    (void)snprintf(path, sizeof path, "%s/%s.mrc", folder, name);
    need(tess_write(path, &section, NULL));
}

int main(int argc, char **argv)
{
    tess_array map = { 0 }, mask = { 0 }, masked = { 0 }, tube = { 0 };
    double     sizes[] = { 10, 24 }, turn[] = { 0, 0.38268343, 0, 0.92387953 };
    tess_array rod, inverse;
    make_map(&map);
    by_hand(&map);
    need(tess_mask_create(&mask, &map, 0.5, &(tess_mask_create_opts){ .extend = 3, .width = 6, .keep_largest = 1 }));
    need(tess_mul(&masked, &map, &mask));
    printf("of the map, %.1f %% are in the mask\n", fraction(&mask));

    /* A cylinder that was turned by 45 degrees about y; and zero frequency kept out of a spectrum. */
    need(tess_wrap(&rod, sizes, TESS_SHAPE(1, 1, 1, 2), TESS_F64, NULL));
    need(tess_wrap(&inverse, turn, TESS_SHAPE(1, 1, 1, 4), TESS_F64, NULL));
    need(tess_draw_cylinder(&tube, &map, &rod, &(tess_draw_opts){ .inverse = &inverse, .width = 4 }));
    printf("mean inside a turned cylinder: %.3f\n", fraction(&tube) / 100);
    if (argc > 1) {
        save(argv[1], "map", &map);
        save(argv[1], "mask", &mask);
        save(argv[1], "masked", &masked);
        save(argv[1], "tube", &tube);
    }
    tess_release(&map);
    tess_release(&mask);
    tess_release(&masked);
    tess_release(&tube);
    return 0;
}
