/* What the library says, in the words of the command: its options and verbs in the place of fields and functions. */
#ifndef TESSERA_MAIN_RETELL_H
#define TESSERA_MAIN_RETELL_H

#include "main/job.h"

/* Print a message, with a '?' for each control character. */
void print_retold(FILE *out, const job *j, const char *message);

#endif
