/* What the library says, in the words of the command: its options and verbs in the place of fields and functions. */
#ifndef TESSERA_MAIN_RETELL_H
#define TESSERA_MAIN_RETELL_H

#include "main/job.h"

/* Change a message in place; `size` is that of its buffer. */
void retell(char *message, size_t size, const job *j);

/* Print a message, with a '?' for each control character. */
void print_retold(FILE *out, const job *j, const char *message);

#endif
