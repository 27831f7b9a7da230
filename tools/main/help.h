/* What the command says of itself. */
#ifndef TESSERA_MAIN_HELP_H
#define TESSERA_MAIN_HELP_H

#include <stdio.h>

#include "command/verb.h"

/* Verbs by subject, in a few lines each. */
void help_overview(FILE *out);

/* Operations of the library by module. */
void help_operations(FILE *out);

/* Usage, options and examples of a verb: a screen. */
void help_verb(FILE *out, const verb *v);

/* All of it. */
void help_manual(FILE *out, const verb *v);

/* The words that call it: its name, or "op NAME" for an operation whose name another verb has. In `text`. */
const char *verb_called(const verb *v, char text[64]);

/* "-o, --output OUT" in `text`. */
const char *option_usage(const option *o, char text[80]);

#endif
