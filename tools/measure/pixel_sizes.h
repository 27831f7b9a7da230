/* TEMPORARY NAME of files/pixel_sizes.h. */
#include "files/box.h"
#include "files/one_input.h"
#include "files/pixel_sizes.h"
#define pixel_sizes_differ tess_pixel_sizes_differ
