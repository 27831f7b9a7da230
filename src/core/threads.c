/* The calling thread's own limit on threads. */
#include "core/threads.h"

static _Thread_local int cap;

int tess__threads_capped(void) { return cap; }

int tess__threads_cap(int n)
{
    const int before = cap;
    cap = n;
    return before;
}
