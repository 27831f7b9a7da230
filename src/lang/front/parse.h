/* Front end of the language: parser (text to tree), type checker (typed tree) and canonical text (tree to text). */
#ifndef TESS_LANG_FRONT_PARSE_H
#define TESS_LANG_FRONT_PARSE_H

#include "lang/front/tree.h"
#include "tessera/op.h"

/* What limits may be set to: whoever walks a tree does so by recursion, so that beyond these it would not be safe. */
enum { TESS__MOST_TEXT = 1 << 24, TESS__MOST_NODES = 1 << 16, TESS__MOST_NESTING = 256, TESS__MOST_REGISTERS = 256 };

/* And what they are otherwise. */
enum { TESS__USUAL_TEXT = 65536, TESS__USUAL_NODES = 4096, TESS__USUAL_NESTING = 64, TESS__USUAL_TRIPS = 65536 };

/* Operators on top of each other, for each level of nesting; calls of functions inside each other. */
enum { TESS__DEPTH_PER_NESTING = 8, TESS__MAX_CALLS = 16 };

/* The limits of tess_op_text. */
extern const tess_op_parse_opts tess__parse_defaults;

/* Parse n bytes of text; `limits` has no zero left in it but perhaps its name. */
tess_status tess__parse(tess__tree **out, const char *text, size_t n, const tess_op_parse_opts *limits);

/* The same for an operator compiled with the program (tessera/op_define.h), whose text is in pieces and in the manner
 * of macros, as the preprocessor gives it (on one line):
 *
 *     params  "(in(f32,x), inout(f32,y), out(f32,z), val(f32,a), view(f32,v), view(f32,u,clamp), scatter(i32,bins),
 *             acc(f64,s,sum), acc(f64,s,sum,1), acc(f64,s,none,0), post(statements), join(statements), use(lerp))"
 *             post, join and use are no parameters and have no number; they stand anywhere in the list
 *     body    "statements", without braces
 *     uses    "fn f32 lerp(f32 a, f32 b, f32 t) { return a + (b-a)*t; }", one of each
 *
 * Differences from other text: v[b,d,h,w] is refused, it is tess_at(v, b, d, h, w), and a scatter is written
 * tess_at(bins, b, d, h, w) += e; functions have their prefix (tessm_shape(v, 3), tessm_size(0), tessm_max(m, x)). */
tess_status tess__parse_def(tess__tree **out, const tess_op_def *def);

/* "op name(params)" with no body; `*index` if the word index stands before it. */
tess_status tess__parse_signature(tess__tree **out, const char *text, bool *index);

/* A tree with types, once those of its letters are known. All mistakes that are left are found here. Without letters
 * `letters` may be NULL. */
tess_status tess__tree_check(tess__tree **out, const tess__tree *untyped, const tess_dtype letters[TESS__LETTERS],
                             const tess_op_parse_opts *limits);

/* Of a tree with letters: is there any binding with which it is right? If not, what is wrong with it for f32. Without
 * letters this is tess__tree_check. Of a long text with three letters not all bindings are tried: if each of those that
 * were is wrong in its own way, the mistake is left to be found when types are given. */
tess_status tess__tree_try(const tess__tree *untyped, const tess_op_parse_opts *limits);

void tess__tree_free(tess__tree *tree);

/* The canonical text, from a tree without types; to be freed with tess__free. */
tess_status tess__tree_text(char **out, const tess__tree *untyped);

#endif
