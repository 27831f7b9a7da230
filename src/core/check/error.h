/* Internal additions to the error record; see tessera/error.h. */
#ifndef TESS_CORE_CHECK_ERROR_H
#define TESS_CORE_CHECK_ERROR_H

#include <errno.h>

#include "tessera/error.h"

/* Where in a text the failure lies that was just recorded: `excerpt` is the line, or what of it can be shown, and
 * `marks` a caret line for it. */
void tess__error_excerpt(int line, int column, int length, const char *excerpt, const char *marks);

/* The errno that the failure that was just recorded comes from, where it is known from elsewhere. */
void tess__error_set_errno(int number);

/* Fail with TESS_EIO because a call of the system's did: its words for the errno `number` follow the message. */
TESS_COLD tess_status tess__fail_system(int number, const char *file, int line, const char *function,
                                        const char *format, ...) TESS_PRINTF(5, 6);

#define TESS__FAIL_SYSTEM(number, ...) return tess__fail_system((number), __FILE__, __LINE__, __func__, __VA_ARGS__)

/* If a call of the system's did not succeed, fail here with what it left in errno. */
#define TESS__CHECK_SYSTEM(condition, ...)                                                                             \
    do {                                                                                                               \
        if (!(condition)) TESS__FAIL_SYSTEM(errno, __VA_ARGS__);                                                       \
    } while (0)

/* The failure that was just recorded, under the name of the function that was called: those that it calls
 * internally have names of their own, which say nothing to the caller. TESS_OK stays what it is. */
tess_status tess__error_under(tess_status status, const char *fn);

#endif
