/* Verbs by their names. */
#ifndef TESSERA_MAIN_FIND_H
#define TESSERA_MAIN_FIND_H

#include "command/verb.h"

/* The verb of a name or of the beginning of one that has no other. An operation is a verb if no job has its name;
 * `op` is then set. Fails with the candidates, or with the nearest name. */
tess_status find_verb(const char *name, const verb **v, const tess_function_info **op);

/* The word behind that of its verb: "fit" of "ctf fit". */
const char *command_word(const verb *command);

/* The same of the first words of a line: after "op" comes an operation, after "ctf" one of its sub-commands. *used
 * is how many words the name took. */
tess_status find_verb_words(const char *const *words, int n, const verb **v, const tess_function_info **op, int *used);

#endif
