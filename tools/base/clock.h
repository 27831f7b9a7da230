/* Time. */
#ifndef TESSERA_BASE_CLOCK_H
#define TESSERA_BASE_CLOCK_H

/* Seconds from some moment on, never running backwards. */
double clock_seconds(void);

#endif
