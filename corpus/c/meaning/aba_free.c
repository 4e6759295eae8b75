// The ABA problem of Treiber's stack with nodes that are freed: `malloc` may give the cell of a node that was freed, so that `top` looks
// unchanged to a thread that has read it and its `next` long before.
//
// The stack holds A, then B. The main thread reads `top == A` and `A->next == B`. The other one pops A and B, frees
// A, and pushes a new node, for which it gets the cell of A. Now the main thread exchanges A for B, which the
// other one has taken: both have B.
//
// wattle: sc unsafe
#define FREE
#include "aba.c"
