/* A font of strokes, drawn for this program: ASCII, Å, µ, −, ×, ·, °, ±, some Greek, raised and lowered digits. Its
 * widths are those of common sans-serif fonts, so that a text measured here fits in an SVG file too. */
#ifndef TESSERA_PICTURE_FONT_H
#define TESSERA_PICTURE_FONT_H

#include <stdbool.h>
#include <stdint.h>

/* All lengths in units of the font size, y up from the base line. */
#define FONT_CAPITAL 0.72 /* height of capitals */
#define FONT_SMALL 0.52   /* height of small letters */
#define FONT_DESCENT 0.21 /* below the base line */

/* The next character of UTF-8 text, which moves on; 0 at the end. Bytes that are not UTF-8 give U+FFFD. */
uint32_t font_next(const char **text);

/* Characters of a text. */
int64_t font_count(const char *text);

double font_width(const char *text, double size, bool bold);

/* Width of the pen. */
double font_pen(double size, bool bold);

/* Calls `segment` for each stroke of a text, as straight parts, from the start of its base line at (0, 0). */
typedef void (*font_segment)(void *context, double x0, double y0, double x1, double y1);
void font_strokes(const char *text, double size, bool bold, font_segment segment, void *context);

#endif
