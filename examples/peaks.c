/* Particles in a noisy micrograph: correlates a template with it at each pixel, and lists the peaks of the map. */
#include <math.h>
#include <stdio.h>

#include "tessera.h"

enum { SIDE = 256, BOX = 25, PARTICLES = 6 };

static const double places[PARTICLES][2] = { { 40, 52 },   { 61.5, 180.25 }, { 120, 96 },
                                             { 133, 201 }, { 198.75, 44.5 }, { 214, 150 } };

/* A ring around (y, x), the image of a round particle. */
static float ring(double y, double x)
{
    const double far = (sqrt(y * y + x * x) - 5) / 1.8;
    return (float)exp(-far * far);
}

static tess_status draw(tess_array *micrograph, tess_array *templ)
{
    tess_array  noise = { 0 };
    tess_status status = TESS_OK;
    TESS_TRY(tess_zeros(micrograph, TESS_SHAPE(1, 1, SIDE, SIDE), TESS_F32, tess_cpu()));
    TESS_TRY(tess_zeros(templ, TESS_SHAPE(1, 1, BOX, BOX), TESS_F32, tess_cpu()));
    TESS_TRY(tess_empty(&noise, micrograph->shape, TESS_F32, tess_cpu()));
    for (int h = 0; h < BOX; h++)
        for (int w = 0; w < BOX; w++) TESS_AT(float, *templ, 0, 0, h, w) = ring(h - BOX / 2, w - BOX / 2);
    for (int h = 0; h < SIDE; h++)
        for (int w = 0; w < SIDE; w++)
            for (int i = 0; i < PARTICLES; i++)
                TESS_AT(float, *micrograph, 0, 0, h, w) += ring(h - places[i][0], w - places[i][1]);
    TESS_GOTO(done, status, tess_random_normal(&noise, 0, 0.5, 7, NULL));
    TESS_GOTO(done, status, tess_add(micrograph, micrograph, &noise));
done:
    tess_release(&noise);
    return status;
}

/* The distance of a peak from the nearest particle, in pixels. */
static double distance(double y, double x)
{
    double least = SIDE;
    for (int i = 0; i < PARTICLES; i++) least = fmin(least, hypot(y - places[i][0], x - places[i][1]));
    return least;
}

static tess_status list(const tess_array *map, bool *all_found)
{
    tess_array            positions = { 0 }, heights = { 0 };
    const tess_peaks_opts o = { .distance = BOX / 2, .edge = BOX / 2 };
    TESS_TRY(tess_peaks(&positions, &heights, map, 0.45, &o)); /* (b, d, h, w), the highest first */
    *all_found = positions.shape.b == PARTICLES;
    for (int64_t i = 0; i < positions.shape.b; i++) {
        const double y = TESS_AT(double, positions, i, 0, 0, 2), x = TESS_AT(double, positions, i, 0, 0, 3);
        printf("peak at y %6.2f, x %6.2f, correlation %.2f: %.2f pixels from a particle\n", y, x,
               TESS_AT(double, heights, i, 0, 0, 0), distance(y, x));
        *all_found = *all_found && distance(y, x) < 1;
    }
    tess_release(&positions);
    tess_release(&heights);
    return TESS_OK;
}

static tess_status run(bool *all_found)
{
    tess_array  micrograph = { 0 }, templ = { 0 }, map = { 0 };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, draw(&micrograph, &templ));
    TESS_GOTO(done, status, tess_match_template(&map, &micrograph, &templ, NULL, NULL));
    TESS_GOTO(done, status, list(&map, all_found));
done:
    tess_release(&micrograph);
    tess_release(&templ);
    tess_release(&map);
    return status;
}

int main(void)
{
    bool all_found = false;
    if (run(&all_found) == TESS_OK) return all_found ? 0 : 1;
    (void)fprintf(stderr, "%s\n", tess_error_message());
    return 1;
}
