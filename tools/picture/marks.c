/* What is written over images: labels and scale bars. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "picture/font.h"
#include "picture/image.h"
#include "picture/ticks.h"

static const colour VEIL = { 0, 0, 0, 150 }, WHITE = { 255, 255, 255, 255 };

char *length_text(char text[40], double length)
{
    char         number[TICK_TEXT];
    const bool   micro = length >= 9999, nano = length > 100 || length < 0.1;
    const double value = micro ? length / 1e4 : nano ? length / 10 : length;
    (void)snprintf(text, 40, "%.30s %s", tick_number(number, value, 3), micro ? "\xc2\xb5m" : nano ? "nm" : "\xc3\x85");
    return text;
}

void image_label(canvas *c, double x, double y, double width, const char *text)
{
    surface     *s = &c->surface;
    const double size = floor(fmin(fmax(width / 12, 9), 15)), pad = ceil(size * 0.3);
    const double length = s->text_width(s, text, size, false);
    if (length + 2 * pad > width) return;
    surface_rectangle(s, x, y, ceil(length + 2 * pad), ceil(FONT_CAPITAL * size) + 2 * pad, VEIL);
    s->text(s, (point){ x + pad, y + pad + ceil(FONT_CAPITAL * size) }, text,
            (text_style){ size, WHITE, ANCHOR_START, false, false });
}

bool image_scale_bar(canvas *c, double x, double y, double width, double height, double pixel_size)
{
    surface     *s = &c->surface;
    const double length = round_length(width / 3 * pixel_size), bar = floor(length / pixel_size + 0.5);
    const double size = floor(fmin(fmax(width / 32, 11), 30)), thick = ceil(size / 4), pad = ceil(size * 0.5);
    char         text[40];
    const double words = s->text_width(s, length_text(text, length), size, true);
    const double inner = fmax(bar, ceil(words)), box_height = ceil(FONT_CAPITAL * size) + thick + 3 * pad - pad / 2;
    const double margin = fmin(ceil(size * 0.7), fmax(0, (width - inner - 2 * pad) / 2));
    if (!(length > 0) || bar < 2 || inner + 2 * pad > width || box_height + margin > height) return false;
    const double left = x + margin, top = y + height - margin - box_height;
    surface_rectangle(s, left, top, inner + 2 * pad, box_height, VEIL);
    surface_rectangle(s, left + pad + floor((inner - bar) / 2), top + box_height - pad - thick, bar, thick, WHITE);
    s->text(s, (point){ left + pad + inner / 2, top + pad + ceil(FONT_CAPITAL * size) }, text,
            (text_style){ size, WHITE, ANCHOR_MIDDLE, true, false });
    return true;
}
