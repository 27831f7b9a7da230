/* A progress line on a terminal. */
#ifndef TESSERA_COMMAND_PROGRESS_H
#define TESSERA_COMMAND_PROGRESS_H

#include "command/verb.h"

/* `unit` as "images". Made with the total, moved on, and taken away. */
typedef struct progress progress;

tess_status progress_start(progress **p, job *job, const char *unit, int64_t total, int64_t bytes_each);
void        progress_add(progress *p, int64_t n);
void        progress_end(progress *p);

/* Take the line away, so that something else can be printed; the next step draws it again. */
void progress_hide(void);

#endif
