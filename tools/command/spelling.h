/* Messages of the library in the words of the command: its verb for the function, its options for arguments. */
#ifndef TESSERA_COMMAND_SPELLING_H
#define TESSERA_COMMAND_SPELLING_H

#include "command/job.h"

/* Write a marked message of the library: `marked` as of tess_error_marked. */
void spell_message(char *to, size_t n, const job *j, const char *marked);

/* How a function of the library is run: "tessera abs", "tessera op bin", by another verb as "tessera check", or "in C:
 * tess_star_write". */
enum { OPERATION_CALL = 80 };
const char *operation_call(char text[OPERATION_CALL], const tess_function_info *op);

/* Does the verb have this option? '_' and '-' are alike. */
bool has_option(const job *j, const char *name);

#endif
