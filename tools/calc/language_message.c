/* What the operator language says of an expression, without the operator that was made of it. */
#include "calc/language_message.h"

#include <stdio.h>
#include <string.h>

#include "tessera.h"

void language_message(char *text, size_t size, bool ended)
{
    static const char end[] = "found the end of the expression";
    const char       *message = tess_error_message();
    for (int i = 0; i < 3 && strchr(message, ':'); ++i) { /* name:line:column: */
        const size_t n = strcspn(message, ":");
        if (i > 0 && strspn(message, "0123456789") != n) break;
        message += n + 1;
    }
    message += strspn(message, " ");
    const char *found = ended ? strstr(message, "found '") : NULL;
    if (found) (void)snprintf(text, size, "%.*s%s", (int)(found - message), message, end);
    else (void)snprintf(text, size, "%s", message);
}
