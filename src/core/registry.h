/* Registry of operations: their descriptions, which their files define. */
#ifndef TESS_CORE_REGISTRY_H
#define TESS_CORE_REGISTRY_H

#include "tessera/table.h"

/* In the order of their names. */
#define TESS__INFOS(X)                                                                                                 \
    X(all)                                                                                                             \
    X(any)                                                                                                             \
    X(arange)                                                                                                          \
    X(argmax)                                                                                                          \
    X(argmin)                                                                                                          \
    X(argsort)                                                                                                         \
    X(atlas_layout)                                                                                                    \
    X(bin)                                                                                                             \
    X(cast)                                                                                                            \
    X(compress)                                                                                                        \
    X(concatenate)                                                                                                     \
    X(convolve)                                                                                                        \
    X(convolve_separable)                                                                                              \
    X(copy)                                                                                                            \
    X(correlate)                                                                                                       \
    X(correlate_map)                                                                                                   \
    X(correlate_peak)                                                                                                  \
    X(correlate_score)                                                                                                 \
    X(count_nonzero)                                                                                                   \
    X(crop)                                                                                                            \
    X(cummax)                                                                                                          \
    X(cummin)                                                                                                          \
    X(cumprod)                                                                                                         \
    X(cumsum)                                                                                                          \
    X(derivative)                                                                                                      \
    X(dot)                                                                                                             \
    X(extract)                                                                                                         \
    X(eye)                                                                                                             \
    X(fft_c2c)                                                                                                         \
    X(fft_c2r)                                                                                                         \
    X(fft_empty)                                                                                                       \
    X(fft_frequencies)                                                                                                 \
    X(fft_frequency)                                                                                                   \
    X(fft_index)                                                                                                       \
    X(fft_phase_shift)                                                                                                 \
    X(fft_r2c)                                                                                                         \
    X(fft_r2r)                                                                                                         \
    X(fft_remap)                                                                                                       \
    X(fft_resize)                                                                                                      \
    X(fft_spectrum)                                                                                                    \
    X(fftshift)                                                                                                        \
    X(fill)                                                                                                            \
    X(fill_element)                                                                                                    \
    X(fsc)                                                                                                             \
    X(fsc_corrected)                                                                                                   \
    X(fsc_resolution)                                                                                                  \
    X(full)                                                                                                            \
    X(gaussian_filter)                                                                                                 \
    X(histogram)                                                                                                       \
    X(ifftshift)                                                                                                       \
    X(insert)                                                                                                          \
    X(isclose)                                                                                                         \
    X(laplacian)                                                                                                       \
    X(linspace)                                                                                                        \
    X(log_normalize)                                                                                                   \
    X(logsumexp)                                                                                                       \
    X(lstsq)                                                                                                           \
    X(match_template)                                                                                                  \
    X(matmul)                                                                                                          \
    X(max)                                                                                                             \
    X(mdoc_write)                                                                                                      \
    X(mean)                                                                                                            \
    X(mean_std)                                                                                                        \
    X(mean_var)                                                                                                        \
    X(median)                                                                                                          \
    X(median_filter)                                                                                                   \
    X(min)                                                                                                             \
    X(minmax)                                                                                                          \
    X(mrc_check)                                                                                                       \
    X(mrc_edit)                                                                                                        \
    X(norm)                                                                                                            \
    X(normalize)                                                                                                       \
    X(ones)                                                                                                            \
    X(pad)                                                                                                             \
    X(partition)                                                                                                       \
    X(percentile_filter)                                                                                               \
    X(permute_copy)                                                                                                    \
    X(phase_randomize)                                                                                                 \
    X(place)                                                                                                           \
    X(polyfit_surface)                                                                                                 \
    X(prod)                                                                                                            \
    X(put)                                                                                                             \
    X(put_flat)                                                                                                        \
    X(quantile)                                                                                                        \
    X(quantiles)                                                                                                       \
    X(radial_power)                                                                                                    \
    X(random_exponential)                                                                                              \
    X(random_integers)                                                                                                 \
    X(random_lognormal)                                                                                                \
    X(random_normal)                                                                                                   \
    X(random_permutation)                                                                                              \
    X(random_poisson)                                                                                                  \
    X(random_shuffle)                                                                                                  \
    X(random_uniform)                                                                                                  \
    X(rank_filter)                                                                                                     \
    X(read)                                                                                                            \
    X(reduce)                                                                                                          \
    X(remove_outliers)                                                                                                 \
    X(resize)                                                                                                          \
    X(rmsd)                                                                                                            \
    X(searchsorted)                                                                                                    \
    X(sort)                                                                                                            \
    X(star_write)                                                                                                      \
    X(std)                                                                                                             \
    X(sum)                                                                                                             \
    X(take)                                                                                                            \
    X(take_along)                                                                                                      \
    X(take_flat)                                                                                                       \
    X(tilts_write)                                                                                                     \
    X(to_device)                                                                                                       \
    X(topk)                                                                                                            \
    X(unique)                                                                                                          \
    X(var)                                                                                                             \
    X(weighted_mean)                                                                                                   \
    X(whiten)                                                                                                          \
    X(write)                                                                                                           \
    X(xf_write)                                                                                                        \
    X(zeros)

#define TESS__INFO_DECLARE(name) extern const tess_function_info tess__info_##name;
TESS__INFOS(TESS__INFO_DECLARE)
#undef TESS__INFO_DECLARE

/* The element-wise ones, by their ids: TESS__OPS of them. */
extern const tess_function_info tess__ewise_infos[];

#endif
