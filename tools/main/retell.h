/* What the library says, in the words of the command: its options and verbs in the place of fields and functions. */
#ifndef TESSERA_MAIN_RETELL_H
#define TESSERA_MAIN_RETELL_H

#include "main/job.h"

/* Print the message of a failure: without the name of the library's function, with the option whose value is at fault,
 * and with amounts of memory that can be read. */
void print_failure(FILE *out, const job *j, const char *message);

/* Change a message in place; `size` is that of its buffer. */
void retell(char *message, size_t size, const job *j);

/* Print a message, with a '?' for each control character. */
void print_retold(FILE *out, const job *j, const char *message);

/* The same from `from` on, which is in the message. */
void print_retold_rest(FILE *out, const job *j, const char *message, const char *from);

/* Does the verb have this option? '_' and '-' are alike. */
bool has_option(const job *j, const char *name);

#endif
