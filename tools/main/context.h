/* TEMPORARY NAME of command/context.h. */
#include "command/context.h"
