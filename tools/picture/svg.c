/* Lines, areas and texts as SVG. */
#include "picture/svg.h"

#include <string.h>

#include "picture/font.h"
#include "picture/stored_png.h"

static void add_colour(longtext *t, const char *what, colour c)
{
    longtext_add(t, " %s=\"#%02x%02x%02x\"", what, c.r, c.g, c.b);
    if (c.a == 255) return;
    longtext_add(t, " %s-opacity=\"", what);
    longtext_number(t, c.a / 255.0);
    longtext_add(t, "\"");
}

static void add_attribute(longtext *t, const char *name, double value)
{
    longtext_add(t, " %s=\"", name);
    longtext_number(t, value);
    longtext_add(t, "\"");
}

static void add_points(longtext *t, const point *points, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        longtext_add(t, i == 0 ? "M" : i == 1 ? "L" : " ");
        longtext_number(t, points[i].x);
        longtext_add(t, " ");
        longtext_number(t, points[i].y);
    }
}

static void svg_line(surface *s, const point *points, int64_t n, stroke style)
{
    longtext *t = &((svg *)s)->text;
    longtext_add(t, "<path d=\"");
    add_points(t, points, n);
    longtext_add(t, "\" fill=\"none\"");
    add_colour(t, "stroke", style.colour);
    add_attribute(t, "stroke-width", style.width);
    if (n > 2) longtext_add(t, " stroke-linejoin=\"round\" stroke-linecap=\"round\"");
    if (style.dash > 0) {
        longtext_add(t, " stroke-dasharray=\"");
        longtext_number(t, style.dash);
        longtext_add(t, " ");
        longtext_number(t, style.gap);
        longtext_add(t, "\"");
    }
    longtext_add(t, "/>\n");
}

static void svg_fill(surface *s, const point *points, int64_t n, colour inside)
{
    longtext *t = &((svg *)s)->text;
    longtext_add(t, "<path d=\"");
    add_points(t, points, n);
    longtext_add(t, "Z\"");
    add_colour(t, "fill", inside);
    longtext_add(t, "/>\n");
}

static void svg_text(surface *s, point at, const char *words, text_style style)
{
    longtext *t = &((svg *)s)->text;
    longtext_add(t, "<text");
    add_attribute(t, "x", at.x);
    add_attribute(t, "y", at.y);
    add_attribute(t, "font-size", style.size);
    add_colour(t, "fill", style.colour);
    if (style.anchor != ANCHOR_START) {
        longtext_add(t, " text-anchor=\"%s\"", style.anchor == ANCHOR_MIDDLE ? "middle" : "end");
    }
    if (style.bold) longtext_add(t, " font-weight=\"bold\"");
    if (style.upwards) {
        longtext_add(t, " transform=\"rotate(-90 ");
        longtext_number(t, at.x);
        longtext_add(t, " ");
        longtext_number(t, at.y);
        longtext_add(t, ")\"");
    }
    longtext_add(t, ">");
    longtext_escaped(t, words);
    longtext_add(t, "</text>\n");
}

static double svg_text_width(const surface *s, const char *words, double size, bool bold)
{
    (void)s;
    return font_width(words, size, bold);
}

static void svg_clip(surface *s, double x, double y, double width, double height)
{
    svg *v = (svg *)s;
    if (v->clipped) longtext_add(&v->text, "</g>\n");
    v->clipped = width >= 0;
    if (!v->clipped) return;
    v->n_clips++;
    longtext_add(&v->text, "<clipPath id=\"clip%d\"><rect", v->n_clips);
    add_attribute(&v->text, "x", x);
    add_attribute(&v->text, "y", y);
    add_attribute(&v->text, "width", width);
    add_attribute(&v->text, "height", height);
    longtext_add(&v->text, "/></clipPath>\n<g clip-path=\"url(#clip%d)\">\n", v->n_clips);
}

static void svg_image(surface *s, double x, double y, double width, double height, const grey_image *image)
{
    longtext *t = &((svg *)s)->text, png = { 0 };
    stored_png(&png, image->pixels, image->width, image->height);
    longtext_add(t, "<image");
    add_attribute(t, "x", x);
    add_attribute(t, "y", y);
    add_attribute(t, "width", width);
    add_attribute(t, "height", height);
    longtext_add(t, " preserveAspectRatio=\"none\" href=\"data:image/png;base64,");
    if (!png.failed) longtext_base64(t, png.bytes, png.length);
    longtext_add(t, "\"/>\n");
    t->failed = t->failed || png.failed;
    longtext_free(&png);
}

void svg_start(svg *s, double width, double height, colour background)
{
    *s = (svg){ .surface = { width, height, 0, 0, svg_line, svg_fill, svg_text, svg_text_width, svg_clip, svg_image } };
    longtext *t = &s->text;
    longtext_add(t, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    add_attribute(t, "width", width);
    add_attribute(t, "height", height);
    longtext_add(t, " viewBox=\"0 0 ");
    longtext_number(t, width);
    longtext_add(t, " ");
    longtext_number(t, height);
    longtext_add(t, "\" font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\">\n");
    surface_rectangle(&s->surface, 0, 0, width, height, background);
}

tess_status svg_write(svg *s, const char *path, bool overwrite)
{
    if (s->clipped) svg_clip(&s->surface, 0, 0, -1, 0);
    longtext_add(&s->text, "</svg>\n");
    return longtext_write(&s->text, path, overwrite);
}

void svg_free(svg *s) { longtext_free(&s->text); }
