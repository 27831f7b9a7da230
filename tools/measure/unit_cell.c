/* Unit cells: edges and angles of crystals. */
#include "measure/unit_cell.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "measure/geometry.h"

double unit_cell_angle(const tess_meta *meta, int i) { return meta->angles[i] > 0 ? (double)meta->angles[i] : 90; }

const char *unit_cell_angles_text(char text[64], const tess_meta *meta)
{
    char number[3][32];
    for (int i = 0; i < 3; ++i) (void)number_text_as(number[i], unit_cell_angle(meta, i), TESS_F32);
    (void)snprintf(text, 64, "%.18s, %.18s, %.18s", number[0], number[1], number[2]);
    return text;
}

bool unit_cell_is_cubic(const tess_meta *meta, bool volume) { return tess_meta_is_cubic(meta, volume); }

bool unit_cell_has_operators(const tess_meta *meta)
{
    return meta->grid[2] > 0 && strcmp(meta->extended_type, "CCP4") == 0;
}

void unit_cell_drop_symmetry(tess_meta *meta)
{
    if (meta->space_group <= 1 || meta->space_group > 230) return;
    meta->space_group = 1;
    meta_drop_records(meta);
}

void unit_cell_forget(tess_meta *meta)
{
    if (unit_cell_has_operators(meta)) meta_drop_records(meta);
    if (meta->space_group > 1 && meta->space_group <= 230) meta->space_group = 1;
    for (int i = 0; i < 3; ++i) meta->grid[i] = 0;
}
