/* Words for what descriptors hold. */
#ifndef TESSERA_COMMAND_ARG_NAMES_H
#define TESSERA_COMMAND_ARG_NAMES_H

#include "tessera.h"

const char *arg_type_name(tess_arg_type type); /* "shape", "number", … */
const char *arg_role_name(tess_arg_role role); /* "out", "in", "required", "option" */
const char *cut_name(tess_cut cut);            /* "none", "elements", "batches" */

#endif
