/* The file made by hand that a test of MRC works on: its bytes, and where it lies. */
#ifndef TESS_MRC_FILE_H
#define TESS_MRC_FILE_H

#include <stdlib.h>

#include "support/folder.h"
#include "support/mrc_bytes.h"
#include "support/test.h"

static mrc_bytes m;
static char      path[256], name_in_folder[32]; /* of the file saved last */

static inline const char *name_file(const char *name)
{
    (void)snprintf(name_in_folder, sizeof name_in_folder, "%s", name);
    (void)snprintf(path, sizeof path, "%s", in_folder(name));
    return path;
}

static inline const char *save(const char *name)
{
    put_file(name, m.bytes, (long)m.size);
    return name_file(name);
}

static inline void load(void) { m.size = get_file(name_in_folder, m.bytes, MRC_ROOM); }

static inline bool has_warning(const tess_info_file *info, tess_file_oddity code, const char *part)
{
    for (int i = 0; i < info->n_warnings; i++)
        if (info->warnings[i].code == (int32_t)code && strstr(info->warnings[i].text, part)) return true;
    return false;
}

#endif
