/* TEMPORARY NAME of command/row.h. */
#include "command/row.h"
