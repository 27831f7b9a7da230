/* NPZ recovery: the readable bytes of a damaged member, and the warnings about it. */
#include <inttypes.h>
#include <stdio.h>

#include "core/check/error.h"
#include "io/npy/npz.h"

void tess__npz_warn_lost(tess_file *file)
{
    tess__file_warn(file, TESS_ODD_LENGTH, "directory", "damaged", "headers of members",
                    "the directory of the archive is damaged or missing: arrays were found by their own headers");
}

static void warn(tess_file *file, const tess__zip_member *m, int64_t good, int64_t needed)
{
    char found[32], used[32];
    (void)snprintf(found, sizeof found, "%" PRId64, good);
    (void)snprintf(used, sizeof used, "%" PRId64, needed);
    if (good < needed)
        tess__file_warn(file, TESS_ODD_LENGTH, "size", found, used,
                        "member '%.60s' is damaged: of %" PRId64 " bytes only %" PRId64
                        " are present; the rest is read as 0",
                        m->name, needed, good);
    else
        tess__file_warn(file, TESS_ODD_LENGTH, "crc", "", "",
                        "member '%.60s' is damaged: its checksum is wrong, and some of its numbers may be, too",
                        m->name);
}

/* The bytes of a stored member that lie in the file. */
static tess_status salvage_stored(tess_file *file, const tess__zip *zip, const tess__zip_member *m, int64_t offset,
                                  int64_t needed)
{
    const int64_t left = tess__source_size(file->source) - offset, there = left < m->size ? left : m->size;
    if (m->cut || there < needed) {
        if (there < needed) warn(file, m, there, needed);
        return TESS_OK;
    }
    const tess_status status = tess__zip_check_stored(zip, m, offset);
    if (status == TESS_EFORMAT) {
        tess_error_clear();
        warn(file, m, needed, needed);
        return TESS_OK;
    }
    TESS_TRY(status);
    return TESS_OK;
}

tess_status tess__npz_salvage(tess_file *file, const tess__zip *zip, const tess__zip_member *m, int64_t offset,
                              tess__inflater *inflater, int64_t needed)
{
    int64_t good;
    bool    right;
    if (!inflater) {
        TESS_TRY(salvage_stored(file, zip, m, offset, needed));
        return TESS_OK;
    }
    TESS_TRY(tess__inflater_measure(inflater, &good, &right));
    if (good < needed || (!right && !m->cut)) warn(file, m, good, needed);
    return TESS_OK;
}
