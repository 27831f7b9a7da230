/* Frame sizes of cameras whose pixels are packed, two 4-bit ones in each byte. */
#include "io/mrc/camera.h"

#include <stddef.h>

bool tess__is_packed_camera(int64_t w, int64_t h)
{
    static const int sizes[][2] = { { 5760, 8184 }, { 4092, 11520 }, { 3710, 7676 }, { 3838, 7420 } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if ((w == sizes[i][0] && h == sizes[i][1]) || (w == sizes[i][1] && h == sizes[i][0])) return true;
    return false;
}
