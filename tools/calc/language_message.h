/* What the operator language says of an expression, without the operator that was made of it. */
#ifndef TESSERA_CALC_LANGUAGE_MESSAGE_H
#define TESSERA_CALC_LANGUAGE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

/* The last message of the library without the position in the operator's text. `ended`: it is at the end of the
 * expression, where the operator goes on. */
void language_message(char *text, size_t size, bool ended);

#endif
