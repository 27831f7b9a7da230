/* Angles of unit cells as texts. */
#include "measure/cell_text.h"

#include <stdio.h>

#include "base/number.h"

const char *cell_angles_text(char text[64], const tess_meta *meta)
{
    char number[3][32];
    for (int i = 0; i < 3; ++i) (void)number_text_as(number[i], tess_meta_angle(meta, i), TESS_F32);
    (void)snprintf(text, 64, "%.18s, %.18s, %.18s", number[0], number[1], number[2]);
    return text;
}
