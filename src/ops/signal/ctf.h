/* The contrast transfer function among arguments: its row in descriptions, its checks. */
#ifndef TESS_OPS_SIGNAL_CTF_H
#define TESS_OPS_SIGNAL_CTF_H

#include "core/table.h"
#include "tessera/ctf.h"

#define TESS__CTF_ROW                                                                                                  \
    TESS__NEED(TESS_ARG_NUMBERS, "ctf",                                                                                \
               "pixel size h, w, defocus, astigmatism, angle, voltage, amplitude, Cs … as tess_ctf has them")

/* The numbers of a description as a struct; those that are not there are 0. */
tess_status tess__ctf_of_numbers(tess_ctf *ctf, const char *fn, const tess_value *v);

/* TESS__CALL for functions whose argument number `at` is a CTF: `ctf` in the arguments. */
#define TESS__CTF_CALL(name, at, ...)                                                                                  \
    static tess_status call_##name(const tess_value *v, const void *opts)                                              \
    {                                                                                                                  \
        tess_ctf ctf;                                                                                                  \
        (void)opts;                                                                                                    \
        TESS_TRY(tess__ctf_of_numbers(&ctf, #name, &v[at]));                                                           \
        return tess_##name(__VA_ARGS__);                                                                               \
    }

/* Finite numbers, pixel sizes and voltage above 0, an amplitude from 0 to below 1. `prefix` comes before the names of
 * fields in messages: "ctf->". */
tess_status tess__check_ctf(const char *fn, const char *prefix, const tess_ctf *ctf);

#endif
