/* Manual pages, from the table of verbs. */
#ifndef TESSERA_MAIN_MAN_H
#define TESSERA_MAIN_MAN_H

#include <stdio.h>

#include "command/verb.h"

/* tessera.1: the command as a whole. */
void man_command(FILE *out);

/* tessera-VERB.1 */
void man_verb(FILE *out, const verb *v);

#endif
