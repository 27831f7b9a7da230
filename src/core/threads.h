/* How many threads work of the calling thread may take, below what tess_threads_set says. */
#ifndef TESS_CORE_THREADS_H
#define TESS_CORE_THREADS_H

/* From now on at most n; 0: as set. Returns what it was. */
int tess__threads_cap(int n);

/* That number. */
int tess__threads_capped(void);

#endif
