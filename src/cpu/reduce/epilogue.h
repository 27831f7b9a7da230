/* Epilogues of reductions: from accumulator states to results. */
#ifndef TESS_CPU_REDUCE_EPILOGUE_H
#define TESS_CPU_REDUCE_EPILOGUE_H

#include "cpu/reduce/tree.h"

tess__epilogue_fn tess__epilogue_integer, tess__epilogue_any, tess__epilogue_all, tess__epilogue_index;
tess__epilogue_fn tess__epilogue_sum, tess__epilogue_complex_sum; /* as they are, or method->empty */
tess__epilogue_fn tess__epilogue_mean, tess__epilogue_complex_mean, tess__epilogue_signed_mean,
    tess__epilogue_unsigned_mean;
tess__epilogue_fn tess__epilogue_compensated, tess__epilogue_complex_compensated, tess__epilogue_compensated_mean,
    tess__epilogue_complex_compensated_mean;
tess__epilogue_fn tess__epilogue_var, tess__epilogue_complex_var;
tess__epilogue_fn tess__epilogue_norm, tess__epilogue_rmsd, tess__epilogue_logsumexp;
tess__epilogue_fn tess__epilogue_minmax, tess__epilogue_largest_magnitude;
tess__epilogue_fn tess__epilogue_weighted, tess__epilogue_complex_weighted;

#endif
