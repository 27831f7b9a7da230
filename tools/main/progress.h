/* The progress line, as messages see it. */
#ifndef TESSERA_MAIN_PROGRESS_H
#define TESSERA_MAIN_PROGRESS_H

/* Take the line away, so that something else can be printed; the next step draws it again. */
void progress_hide(void);

#endif
