/* Completion for shells, from the table of verbs and the descriptors. */
#ifndef TESSERA_MAIN_COMPLETION_H
#define TESSERA_MAIN_COMPLETION_H

#include "command/verb.h"
#include <stdio.h>

/* "bash", "zsh", "fish". */
tess_status completion_print(FILE *out, const char *shell);

#endif
