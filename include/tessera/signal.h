/* Includes all headers on signal processing. Frequencies are in cycles per pixel everywhere; see docs/signal.md. */
#ifndef TESSERA_SIGNAL_H
#define TESSERA_SIGNAL_H

#include "tessera/constants.h"
#include "tessera/convolve.h"
#include "tessera/correlate.h"
#include "tessera/ctf.h"
#include "tessera/filter.h"
#include "tessera/fourier_mask.h"
#include "tessera/fsc.h"
#include "tessera/morphology.h"
#include "tessera/motion.h"
#include "tessera/rank_filter.h"
#include "tessera/restoration.h"
#include "tessera/statistics.h"
#include "tessera/window.h"

#endif
