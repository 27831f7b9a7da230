/* The descriptions of all operations. */
#ifndef TESS_OPS_INFOS_H
#define TESS_OPS_INFOS_H

#include "tessera/table.h"

/* In the order of their names. */
#define TESS__INFOS(X)                                                                                                 \
    X(all)                                                                                                             \
    X(any)                                                                                                             \
    X(arange)                                                                                                          \
    X(argmax)                                                                                                          \
    X(argmin)                                                                                                          \
    X(argsort)                                                                                                         \
    X(cast)                                                                                                            \
    X(concatenate)                                                                                                     \
    X(copy)                                                                                                            \
    X(count_nonzero)                                                                                                   \
    X(cummax)                                                                                                          \
    X(cummin)                                                                                                          \
    X(cumprod)                                                                                                         \
    X(cumsum)                                                                                                          \
    X(dot)                                                                                                             \
    X(eye)                                                                                                             \
    X(fill)                                                                                                            \
    X(fill_element)                                                                                                    \
    X(full)                                                                                                            \
    X(linspace)                                                                                                        \
    X(log_normalize)                                                                                                   \
    X(logsumexp)                                                                                                       \
    X(max)                                                                                                             \
    X(mean)                                                                                                            \
    X(mean_std)                                                                                                        \
    X(mean_var)                                                                                                        \
    X(median)                                                                                                          \
    X(min)                                                                                                             \
    X(minmax)                                                                                                          \
    X(norm)                                                                                                            \
    X(normalize)                                                                                                       \
    X(ones)                                                                                                            \
    X(partition)                                                                                                       \
    X(permute_copy)                                                                                                    \
    X(prod)                                                                                                            \
    X(quantile)                                                                                                        \
    X(quantiles)                                                                                                       \
    X(reduce)                                                                                                          \
    X(rmsd)                                                                                                            \
    X(sort)                                                                                                            \
    X(std)                                                                                                             \
    X(sum)                                                                                                             \
    X(to_device)                                                                                                       \
    X(topk)                                                                                                            \
    X(var)                                                                                                             \
    X(weighted_mean)                                                                                                   \
    X(zeros)

#define TESS__INFO_DECLARE(name) extern const tess_op_info tess__info_##name;
TESS__INFOS(TESS__INFO_DECLARE)
#undef TESS__INFO_DECLARE

#endif
