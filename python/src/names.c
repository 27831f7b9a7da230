/* Interned strings: the names of attributes that are looked up in each call. */
#include "names.h"

attribute_names names;

int names_make(void)
{
#define MAKE_NAME(field, text)                                                                                         \
    names.field = PyUnicode_InternFromString(text);                                                                    \
    if (!names.field) return -1;
    ATTRIBUTE_NAMES(MAKE_NAME)
#undef MAKE_NAME
    return 0;
}
