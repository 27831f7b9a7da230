/* Front end of the language: parser (text to tree), type checker (typed tree) and canonical text (tree to text). */
#ifndef TESS_LANG_FRONT_PARSE_H
#define TESS_LANG_FRONT_PARSE_H

#include "lang/front/tree.h"
#include "tessera/op.h"

/* Upper bounds of the limits: trees are walked by recursion, and beyond these the stack might overflow. */
enum { TESS__MAX_TEXT = 1 << 24, TESS__MAX_NODES = 1 << 16, TESS__MAX_NESTING = 256, TESS__REGISTER_LIMIT = 256 };

/* The defaults. */
enum { TESS__USUAL_TEXT = 65536, TESS__USUAL_NODES = 4096, TESS__USUAL_NESTING = 64, TESS__USUAL_TRIPS = 65536 };

/* Depth of operators for each level of nesting; depth of calls. */
enum { TESS__DEPTH_PER_NESTING = 8, TESS__MAX_CALLS = 16 };

/* The limits of tess_op_text. */
extern const tess_op_parse_opts tess__parse_defaults;

/* Parse n bytes of text; `limits` has no zero left in it but perhaps its name. */
tess_status tess__parse(tess__tree **out, const char *text, size_t n, const tess_op_parse_opts *limits);

/* The same for an operator compiled with the program (tessera/op_define.h), whose text is in fragments with the syntax
 * of macros, as the preprocessor gives it (on one line):
 *
 *     params  "(in(f32,x), inout(f32,y), out(f32,z), val(f32,a), view(f32,v), view(f32,u,clamp), scatter(i32,bins),
 *             acc(f64,s,sum), acc(f64,s,sum,1), acc(f64,s,none,0), post(statements), join(statements), use(lerp))"
 *             post, join and use are no parameters and have no number; they stand anywhere in the list
 *     body    "statements", without braces
 *     uses    "fn f32 lerp(f32 a, f32 b, f32 t) { return a + (b-a)*t; }", "struct lens(f64 cs, f32 m[6])", one of each
 *
 * Differences from other text: v[b,d,h,w] is rejected, it is tess_at(v, b, d, h, w), and a scatter is written
 * tess_at(bins, b, d, h, w) += e; functions have their prefix (tessm_shape(v, 3), tessm_size(0), tessm_max(m, x)). */
tess_status tess__parse_def(tess__tree **out, const tess_op_def *def);

/* "op name(params)" with no body; `*index` if the keyword index stands before it. */
tess_status tess__parse_signature(tess__tree **out, const char *text, bool *index);

/* The typed tree, once the types of its letters are known. All remaining errors are found here. Without letters
 * `letters` may be NULL. */
tess_status tess__tree_check(tess__tree **out, const tess__tree *untyped, const tess_dtype letters[TESS__LETTERS],
                             const tess_op_parse_opts *limits);

/* Of a tree with letters: is there any binding with which it is correct? If not, the error for f32. Without letters
 * this is tess__tree_check. Of a long text with three letters not all bindings are tried: if each of those that were
 * has an error of its own, the error is left to be found when types are bound. */
tess_status tess__tree_try(const tess__tree *untyped, const tess_op_parse_opts *limits);

void tess__tree_free(tess__tree *tree);

/* The canonical text of an untyped tree; to be freed with tess__free. */
tess_status tess__tree_text(char **out, const tess__tree *untyped);

#endif
