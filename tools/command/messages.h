/* How the command speaks: one line per message on stderr. */
#ifndef TESSERA_COMMAND_MESSAGES_H
#define TESSERA_COMMAND_MESSAGES_H

#include "command/job.h"

/* Are colours welcome on this stream? */
bool colours_on(FILE *stream);

/* Letters on a line of the terminal behind this stream; 80 if there is none. */
int terminal_columns(FILE *stream);

/* The library's last message behind `start`, such as "kernel_cache: "; all of it where that is not in it. */
const char *message_after(const char *start);

/* The exit code of a status. */
int exit_code_of(tess_status status);

/* At the end: how often warnings came again. */
void messages_end(job *j);

#endif
