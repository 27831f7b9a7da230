/* The contrast transfer function among arguments: its row in descriptions, its checks. */
#ifndef TESS_OPS_SIGNAL_CTF_CTF_H
#define TESS_OPS_SIGNAL_CTF_CTF_H

#include "core/table/table.h"
#include "tessera/ctf.h"

/* Descriptions of the fields of a tess_ctf, in the order of its columns. */
extern const tess_arg_info tess__ctf_fields[];

#define TESS__CTF_ROW(flags, help) TESS__NEED_STRUCT(tess_ctf, tess__ctf_fields, flags, "ctf", help)

/* Finite numbers, pixel sizes and voltage above 0, an amplitude from 0 to below 1. `prefix` comes before the names of
 * fields in messages: "ctf->". */
tess_status tess__check_ctf(const char *fn, const char *prefix, const tess_ctf *ctf);

#endif
