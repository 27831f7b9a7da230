/* The languages that the headers are written for: C11 and C++17, or newer.
 *
 * An older one ends here: by a file that does not exist, since compilers go on after #error, with hundreds of others.
 */
#ifndef TESSERA_LANGUAGE_H
#define TESSERA_LANGUAGE_H

#if defined(__cplusplus)
#if __cplusplus < 201703L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 201703L)
#error "Tessera needs C++17 or newer: compile with -std=c++17"
#include "Tessera needs C++17"
#endif
#elif !defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L
#error "Tessera needs C11 or newer: compile with -std=c11"
#include "Tessera needs C11"
#endif

#endif
