/* TEMPORARY NAME of command/units.h. */
#include "command/units.h"
