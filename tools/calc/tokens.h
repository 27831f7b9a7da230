/* The words of an expression, each with its position in what the user typed. */
#ifndef TESSERA_CALC_TOKENS_H
#define TESSERA_CALC_TOKENS_H

#include "tessera.h"

typedef enum token_kind { TOKEN_NAME, TOKEN_NUMBER, TOKEN_SYMBOL } token_kind;

typedef struct token {
    const char *text; /* not ended by a zero byte; lives as long as the expression */
    int         length;
    token_kind  kind;
    int         at; /* byte of the user's text that it comes from */
} token;

typedef struct tokens {
    token *token;
    int    n, capacity;
} tokens;

/* Where an expression is at fault, for the caret: bytes of the user's text. */
typedef struct fault {
    int at, length;
} fault;

/* Prints the expression on stderr, and a caret under what is wrong in it. */
void fault_show(const char *text, const fault *f);

tess_status tokens_read(tokens *list, const char *text, fault *f);
tess_status tokens_add(tokens *list, token t);
/* A part of another list. */
tess_status tokens_add_part(tokens *list, const tokens *from, int first, int end);
void        tokens_free(tokens *list);

bool token_is(const token *t, const char *text);

/* Where the bracket that opens at `open` closes; n if it does not. */
int tokens_close(const tokens *list, int open);

#endif
