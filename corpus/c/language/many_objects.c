// Lists, sorting, recursion, pointers to functions, copies and texts in one program; each value is what a compiler computes.
// wattle: sc safe
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <stdbool.h>
typedef struct node { int v; struct node *next; } node; typedef int (*fn)(node *);
static node pool[4]; static int used; int counter = 0; int tick(void) { return ++counter; }
node *new(int v, node *n) { node *r = &pool[used++]; *r = (node){.v = v, .next = n}; return r; }
int len(node *n) { int k = 0; for (; n; n = n->next) k++; return k; }
int sum(node *n) { return n ? n->v + sum(n->next) : 0; }
node *rev(node *n) { node *r = NULL; while (n) { node *t = n->next; n->next = r; r = n; n = t; } return r; }
void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
void sort(int *a, int n) { for (int i = 0; i < n; i++) for (int j = i + 1; j < n; j++) if (a[j] < a[i]) swap(&a[i], &a[j]); }
struct in { int a[3]; struct { short x, y; }; union { int i; unsigned j; }; };
int apply(fn f, node *n) { return f(n); }
fn pick(int which) { static fn table[2] = {len, sum}; return table[which]; }
static int memo[5]; int fib(int n) { if (n < 2) return n; if (memo[n]) return memo[n]; return memo[n] = fib(n - 1) + fib(n - 2); }
void out(int *x, int **px) { *px = x; **px = 9; }
int cond(int a) { return a > 0 ? a > 5 ? 2 : 1 : a < 0 ? -1 : 0; }
#define MAX(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
int duff(int n) { int c = 0; switch (n % 4) { case 0: do { c++; case 3: c++; case 2: c++; case 1: c++; } while ((n -= 4) > 0); } return c; }
int main(void) {
  node *l = new(1, new(2, new(3, NULL))); assert(len(l) == 3 && sum(l) == 6);
  l = rev(l); assert(l->v == 3 && l->next->next->v == 1 && l->next->next->next == NULL);
  int a[4] = {4, 1, 3, 2}; sort(a, 4); assert(a[0] == 1 && a[1] == 2 && a[2] == 3 && a[3] == 4);
  struct in i = {{1, 2, 3}, {4, 5}, {-1}}; assert(i.a[2] == 3 && i.y == 5 && i.j == 4294967295u); struct in j = i; j.x = 9; assert(i.x == 4 && j.x == 9 && j.i == -1);
  assert(pick(0)(l) == 3 && apply(pick(1), l) == 6 && (pick(1) == sum));
  int x = 1, *p; out(&x, &p); assert(x == 9 && p == &x);
  assert(tick() + tick() * 10 == 21 && counter == 2);
  int e = 0; (void)(0 && e++); (void)(1 || e++); assert(e == 0); e = 1 ? 5 : tick(); assert(counter == 2);
  assert(cond(6) == 2 && cond(3) == 1 && cond(-3) == -1 && cond(0) == 0);
  assert(MAX(3, 7) == 7 && MAX(-1L, -2) == -1);
  int m[2][2] = {{1, 2}, {3, 4}}, t = 0; for (int r = 0; r < 2; r++) for (int c = 0; c < 2; c++) t += m[r][c] * (r + 1) * (c + 1); assert(t == 1 + 4 + 6 + 16);
  unsigned u = 3; assert(u - 4 > 0 && (int)(u - 4) == -1); assert((char)0x1ff == -1 && (unsigned char)0x1ff == 255);
  int64_t big = INT64_C(1) << 62; assert(big / 3 == 1537228672809129301 && big % 1000 == 904);
  uint64_t ub = ~0ull; assert(ub / 10 == 1844674407370955161ull && ub > 5 && (ub >> 60) == 15);
  const char *s = "a\tb\\\x41\101"; assert(s[1] == 9 && s[3] == '\\' && s[4] == 'A' && s[5] == 'A' && s[6] == 0);
  char buf[8]; memset(buf, 'q', sizeof buf); memcpy(buf + 2, "zz", 2); assert(buf[1] == 'q' && buf[2] == 'z' && buf[4] == 'q');
  bool b = 42; assert(b == true && !b == false); b &= 2; assert(b == 0);
  int *q = malloc(sizeof(int) * 3); if (q) { for (int k = 0; k < 3; k++) q[k] = k * k; assert(q[2] == 4 && *(q + 1) == 1); free(q); }
  volatile int v = 3; v += v; assert(v == 6); register int r = 2; r <<= 2; assert(r == 8);
  for (int k = 0, h = 5; k < h; k++, h--) t = k * 10 + h; assert(t == 23);
  intptr_t ip = (intptr_t)&x; int *back = (int *)ip; *back = 12; assert(x == 12);
  void *vp = &x; assert(*(int *)vp == 12); const int *cp = vp; assert(cp == p);
  x = 7; x = -x; assert(x == -7 && +x == -7 && ~x == 6); x >>= 1; assert(x == -4);
  short sh = 32767; sh++; assert(sh == -32768); sh = (short)40000; assert(sh == -25536); unsigned char uc = 1; uc <<= 7; assert(uc == 128); uc = uc * 2; assert(uc == 0);
  long lg = 2147483647; lg++; assert(lg == 2147483648); assert((int)lg == -2147483647 - 1);
  assert(fib(4) == 3 && memo[3] == 2);
  assert(duff(6) == 2 + 4);
  struct { int k; } anon = {3}, other = anon; other.k++; assert(anon.k == 3 && other.k == 4);
  node list[] = {{1, &list[1]}, {2, 0}}; assert(list[0].next->v == 2 && sizeof list == 32);
  int (*fp)(int) = cond; assert((*fp)(9) == 2 && (***fp)(1) == 1); 
  return 0; }
