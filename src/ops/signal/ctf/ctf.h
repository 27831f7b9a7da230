/* The contrast transfer function among arguments: its row in descriptions, its checks, rows of many. */
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

/* Rows of CTFs: {1 or b,1,1 or h,m}, m from TESS_CTF_MIN_COLUMNS to TESS_CTF_COLUMNS, where `in` is or on the host. */
tess_status tess__check_ctf_rows(const char *fn, const char *arg, const tess_array *rows, const tess_array *in,
                                 int64_t h);

/* The same as f64 on a device, with all columns, those that are not given 0; `ctfs` is zeroed. */
tess_status tess__take_ctf_rows(tess_array *ctfs, const char *fn, const tess_array *rows, tess_device device);

#endif
