/* TEMPORARY NAME of tessera/meta.h. */
#include "files/one_input.h"
