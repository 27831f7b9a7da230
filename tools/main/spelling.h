/* Messages of the library in the words of the command: its verb for the function, its options for arguments. */
#ifndef TESSERA_MAIN_SPELLING_H
#define TESSERA_MAIN_SPELLING_H

#include "main/job.h"

/* Write a marked message of the library: `marked` as of tess_error_marked. */
void spell_message(char *to, size_t n, const job *j, const char *marked);

/* Does the verb have this option? '_' and '-' are alike. */
bool has_option(const job *j, const char *name);

#endif
