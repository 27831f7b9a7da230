/* Axes that a job needs at right angles. */
#include "jobs/data/maps/unit_cell.h"

#include "core/check/error.h"
#include "tessera/meta.h"

tess_status tess__need_right_angles(const char *fn, const tess_source *source, bool volume, const char *what)
{
    const tess_meta *meta = source->meta;
    if (!meta || !tess_meta_is_skew(meta, volume)) return TESS_OK;
    TESS_FAIL(TESS_EUNSUPPORTED,
              "%s: %s needs axes at right angles; the cell of %s has angles of %.7g, %.7g, %.7g degrees", fn, what,
              source->name, tess_meta_angle(meta, 0), tess_meta_angle(meta, 1), tess_meta_angle(meta, 2));
}
