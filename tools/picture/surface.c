/* Shapes that every surface has by its lines and areas. */
#include "picture/surface.h"
#include "tessera/constants.h"

#include <math.h>

void surface_segment(surface *s, double x0, double y0, double x1, double y1, stroke style)
{
    const point points[2] = { { x0, y0 }, { x1, y1 } };
    s->line(s, points, 2, style);
}

void surface_rectangle(surface *s, double x, double y, double width, double height, colour inside)
{
    const point points[4] = { { x, y }, { x + width, y }, { x + width, y + height }, { x, y + height } };
    s->fill(s, points, 4, inside);
}

void surface_disc(surface *s, double x, double y, double radius, colour inside)
{
    enum { CORNERS = 32 };
    point points[CORNERS];
    for (int i = 0; i < CORNERS; i++) {
        const double angle = 2 * TESS_PI * i / CORNERS;
        points[i] = (point){ x + radius * cos(angle), y + radius * sin(angle) };
    }
    s->fill(s, points, CORNERS, inside);
}
