/* Figures of the geometry guide, as SVG: indices and centres of pixels, and the axes of Euler rotations.
 *
 *     example_guide_axes [folder]
 *
 * Without a folder only the matrices are printed. */
#include <math.h>
#include <stdio.h>

#include "tessera.h"

static const char *const grey = "#9a9a9a", *const black = "#202020", *const red = "#c0392b";

/* ---- SVG ---- */

static FILE *begin(const char *folder, const char *name, int width, int height)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s.svg", folder, name);
    FILE *file = fopen(path, "w");
    if (!file) return NULL;
    (void)fprintf(file,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                  "font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" font-size=\"13\">\n"
                  "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
                  width, height, width, height, width, height);
    return file;
}

static int end(FILE *file)
{
    (void)fputs("</svg>\n", file);
    return fclose(file);
}

static void line(FILE *file, const double from[2], const double to[2], const char *colour, double width,
                 const char *dashes)
{
    (void)fprintf(file,
                  "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%g\" "
                  "stroke-dasharray=\"%s\" stroke-linecap=\"round\"/>\n",
                  from[0], from[1], to[0], to[1], colour, width, dashes);
}

/* Words whose middle is at x, and whose foot at y. */
static void words(FILE *file, double x, double y, const char *colour, const char *text)
{
    (void)fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\" text-anchor=\"middle\">%s</text>\n", x, y, colour,
                  text);
}

static void dot(FILE *file, double x, double y, double radius, const char *colour)
{
    (void)fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%g\" fill=\"%s\"/>\n", x, y, radius, colour);
}

/* ---- Coordinates ---- */

enum { CELL = 36 };

/* n x n pixels with their lower left corner at (left, foot): a dot where the coordinates of each are integers, and a
 * ring around the centre. */
static void pixels(FILE *file, int n, double left, double foot)
{
    char         text[64];
    const double middle = CELL * (n / 2 + 0.5);
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            (void)fprintf(file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"%s\" stroke=\"%s\"/>\n",
                          left + CELL * x, foot - CELL * (y + 1), CELL, CELL,
                          x == n / 2 && y == n / 2 ? "#f6d5d1" : "#f2f2f2", grey);
            dot(file, left + CELL * (x + 0.5), foot - CELL * (y + 0.5), 2, black);
        }
    (void)fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"8\" fill=\"none\" stroke=\"%s\" stroke-width=\"2.5\"/>\n",
                  left + middle, foot - middle, red);
    for (int i = 0; i < n; i++) {
        (void)snprintf(text, sizeof text, "%d", i);
        words(file, left + CELL * (i + 0.5), foot + 18, i == n / 2 ? red : black, text);
        words(file, left - 12, foot - CELL * (i + 0.5) + 5, i == n / 2 ? red : black, text);
    }
    words(file, left + CELL * n + 14, foot + 18, black, "x");
    words(file, left - 12, foot - CELL * n - 6, black, "y");
    (void)snprintf(text, sizeof text, "%d pixels: the centre is at %d", n, n / 2);
    words(file, left + CELL * n / 2.0, foot + 42, black, text);
}

static int draw_coordinates(const char *folder)
{
    FILE *file = begin(folder, "coordinates", 520, 270);
    if (!file) return -1;
    pixels(file, 4, 60, 216);
    pixels(file, 5, 300, 216);
    return end(file);
}

/* ---- Euler angles ---- */

enum { PANEL = 190, ROW = 230, STEPS = 4 };
#define LENGTH 62.0 /* of an axis, pixels */

/* Where a point z, y, x is seen, from above and from the side, in a panel. */
static void seen(double at[2], const double middle[2], tess_vec3_f64 p)
{
    const double azimuth = 0.5, height = 0.4, z = p.at[0], y = p.at[1], x = p.at[2];
    const double away = cos(azimuth) * x + sin(azimuth) * y;
    at[0] = middle[0] + LENGTH * (cos(azimuth) * y - sin(azimuth) * x);
    at[1] = middle[1] - LENGTH * (cos(height) * z - sin(height) * away);
}

/* The three axes after a rotation, with their names, or without, and in grey, those that stay. */
static void axes(FILE *file, const double middle[2], const tess_mat33_f64 *rotation, bool named)
{
    static const char *const names[3] = { "z", "y", "x" };
    static const char *const colours[3] = { "#2255bb", "#1f8a3b", "#c0392b" };
    for (int k = 0; k < 3; k++) {
        tess_vec3_f64 axis = { { 0, 0, 0 } };
        double        at[2], beyond[2];
        axis.at[k] = 1;
        axis = tess_mat33_apply_f64(*rotation, axis);
        seen(at, middle, axis);
        line(file, middle, at, named ? colours[k] : "#bdbdbd", named ? 3 : 1.5, "none");
        if (!named) continue;
        seen(beyond, middle, tess_vec3_scale_f64(axis, 1.2));
        words(file, beyond[0], beyond[1] + 4, colours[k], names[k]);
    }
}

/* A dashed line along the axis of rotation. */
static void hinge(FILE *file, const double middle[2], tess_vec3_f64 axis)
{
    double ends[2][2];
    seen(ends[0], middle, tess_vec3_scale_f64(axis, -1.1));
    seen(ends[1], middle, axis);
    line(file, ends[0], ends[1], black, 1, "4 4");
}

/* The first `n` of three angles in a panel. */
static tess_status draw_step(FILE *file, const double middle[2], bool extrinsic, int n, const char *title)
{
    static const double   angles[3] = { 60, 40, 70 };
    static const int      about[3] = { 0, 1, 0 }; /* z, y, z */
    const tess_euler_opts opts = { .convention = extrinsic ? "zyz-extrinsic" : "zyz-intrinsic",
                                   .unit = TESS_ANGLE_DEGREES };
    const tess_mat33_f64  none = tess_mat33_identity_f64();
    tess_mat33_f64        rotation[2]; /* before the last turn, and after it */
    for (int k = 0; k < 2; k++) {
        const int           given = n + k - 1;
        const tess_vec3_f64 some = { { given > 0 ? angles[0] : 0, given > 1 ? angles[1] : 0,
                                       given > 2 ? angles[2] : 0 } };
        TESS_TRY(tess_mat33_from_euler(&rotation[k], &some, &opts));
    }
    printf("%s %d: %6.3f %6.3f %6.3f\n", opts.convention, n, rotation[1].at[0], rotation[1].at[3], rotation[1].at[6]);
    if (!file) return TESS_OK;
    axes(file, middle, &none, n == 0);
    if (n > 0) {
        tess_vec3_f64 axis = { { 0, 0, 0 } };
        axis.at[about[n - 1]] = 1;
        hinge(file, middle, extrinsic ? axis : tess_mat33_apply_f64(rotation[0], axis));
        axes(file, middle, &rotation[1], true);
    }
    words(file, middle[0], middle[1] + 104, black, title);
    return TESS_OK;
}

static tess_status draw_euler(FILE *file)
{
    static const char *const titles[2][STEPS] = {
        { "the axes that stay", "60° about z", "then 40° about the new y", "then 70° about the new z" },
        { "the axes that stay", "60° about z", "then 40° about y that stays", "then 70° about z that stays" },
    };
    for (int row = 0; row < 2; row++) {
        if (file) words(file, 2 * PANEL, ROW * row + 20, black, row ? "zyz-extrinsic" : "zyz, zyz-intrinsic");
        for (int n = 0; n < STEPS; n++) {
            const double middle[2] = { PANEL * (n + 0.5), ROW * row + 112 };
            TESS_TRY(draw_step(file, middle, row == 1, n, titles[row][n]));
        }
    }
    return TESS_OK;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : NULL;
    FILE       *file = folder ? begin(folder, "euler", STEPS * PANEL, 2 * ROW + 6) : NULL;
    const bool  opened = !folder || file;
    if (draw_euler(file) != TESS_OK) {
        fputs(tess_error_trace(), stderr);
        return 1;
    }
    if (opened && (!file || end(file) == 0) && (!folder || draw_coordinates(folder) == 0)) return 0;
    fprintf(stderr, "%s: figures cannot be written there\n", folder);
    return 1;
}
