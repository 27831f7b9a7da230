/* Lexical analysis: tokens, their values, and the precedence of binary operators. */
#ifndef TESS_LANG_FRONT_LEX_H
#define TESS_LANG_FRONT_LEX_H

#include "lang/front/source.h"

enum { TESS__TOKEN_END, TESS__TOKEN_NAME, TESS__TOKEN_NUMBER, TESS__TOKEN_MARK };

/* An operator or punctuator of one, two or three characters as one number. */
#define TESS__MARK1(a) (a)
#define TESS__MARK2(a, b) ((a) | (b) << 8)
#define TESS__MARK3(a, b, c) ((a) | (b) << 8 | (c) << 16)

/* Weakly typed literals, which take the type of the other operand: integers without a suffix; pi, inf and nan. */
enum { TESS__WEAK_INTEGER = 1, TESS__WEAK_REAL = 2 };

typedef struct tess__token {
    int32_t        kind;
    int32_t        mark;
    tess__bytes    span;
    int32_t        type; /* numbers: their dtype */
    int32_t        weak; /* numbers: a TESS__WEAK_, or 0 */
    tess__constant value;
} tess__token;

typedef struct tess__lexer {
    tess__source *source;
    int32_t       at;
} tess__lexer;

/* The next token. After the last one, and after an error, TESS__TOKEN_END. */
void tess__lex(tess__lexer *lexer, tess__token *token);

/* The number of a token whose span begins with a digit, or a point and a digit: its value and type, or an error. */
void tess__lex_number(tess__source *source, tess__token *token);

/* The precedence of a binary operator: 1 to 10, or 0 if it is none. */
int tess__precedence(int32_t mark);

/* Letters, digits and underscores. */
static inline bool tess__is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static inline bool tess__is_digit(char c) { return c >= '0' && c <= '9'; }

#endif
