/* TEMPORARY NAME of tessera/meta.h. */
#include "tessera.h"
#define unit_cell_metric            tess_meta_metric
#define unit_cell_is_cubic          tess_meta_is_cubic
#define unit_cell_highest_frequency tess_meta_highest_frequency
#define meta_drop_records           tess_meta_forget_extended
