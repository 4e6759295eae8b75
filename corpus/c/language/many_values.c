// Conversions, operators, layouts and control flow in one program; each value is what a compiler computes.
// wattle: sc safe
#include <assert.h>
#include <string.h>
#include <stdlib.h>
#include <stdint.h>
#include <stddef.h>
struct p { char c; int i; short s; long l; }; struct q { struct p a[2]; struct p *link; union { int x; unsigned u; } v; };
static int g[3][4] = {{1,2,3,4},{5,6},{[2]=9}}; const int K = 6; static struct q Q = {.a = {[1] = {.i = 5, .l = -1}}, .v.u = 4000000000u};
int add(int a, int b) { return a + b; } int sub(int a, int b) { return a - b; } int (*ops[])(int,int) = {add, sub};
int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
int sw(int x) { int r = 0; switch (x) { case 1: r += 1; case 2: r += 10; break; default: r = 99; case 5 ... 7: r++; } return r; }
struct p mk(int i) { struct p r = {'a', i, (short)70000, 1L << 40}; return r; }
int lp(void) { int s = 0; for (int i = 0; i < 10; i++) { if (i == 3) continue; if (i == 7) break; s += i; } do { s++; if (s % 2) continue; s += 3; } while (s < 30); return s; }
int gt(int n) { int k = 0; again: k += n; if (k < 10) goto again; return k; }
int ptr(void) { int a[5] = {1,2,3,4,5}; int *p = a + 1, *q = &a[4]; *p++ += 10; int d = q - p; p += 2; return d * 1000 + *p * 100 + p[-1] * 10 + a[1]; }
unsigned char uc(int x) { return x; } signed char sc(int x) { return x; }
int main(void) {
  assert(g[1][1] == 6 && g[1][2] == 0 && g[2][2] == 9 && sizeof g == 48);
  assert(Q.a[1].i == 5 && Q.a[1].l == -1 && Q.a[0].i == 0 && Q.v.x < 0 && Q.v.u == 4000000000u);
  assert(ops[0](3, 4) == 7 && ops[1](3, 4) == -1 && (*ops[K - 5])(1, 2) == -1);
  assert(sw(1) == 11 && sw(2) == 10 && sw(3) == 100 && sw(6) == 1);
  struct p m = mk(3); assert(m.s == 4464 && m.l == 1099511627776 && m.c == 'a' && mk(8).i == 8);
  assert(lp() == ({ int s = 0; for (int i = 0; i < 7; i++) if (i != 3) s += i; do { s++; if (s % 2) continue; s += 3; } while (s < 30); s; }));
  assert(gt(4) == 12 && ptr() == 2*1000 + 500 + 40 + 12);
  assert(uc(300) == 44 && sc(200) == -56 && uc(-1) == 255);
  assert(-7 / 2 == -3 && -7 % 2 == -1 && 7 % -2 == 1 && -1 >> 1 == -1 && (-1u >> 31) == 1);
  assert((-1 < 1u) == 0 && (-1L < 1u) == 1 && sizeof(char) + 1 > 0 && ('\xff' < 0));
  unsigned short us = 65535; us++; assert(us == 0); us--; assert(us == 65535); assert(us * 1 > 0 && (us << 16) < 0);
  _Bool b = 256; assert(b == 1); b = 3 == 3; b += 5; assert(b == 1); b--; assert(b == 0);
  int x = 5; int y = (x = 3, x * 2); assert(y == 6);
  x = 0x7fffffff; assert((unsigned)x + 1 == 0x80000000u && 0xffffffff > 0 && 0x80000000 > 0 && 2147483648 > 0);
  assert(sizeof(struct p) == 24 && offsetof(struct p, s) == 8 && sizeof(struct q) == 64 && sizeof(Q.a) == 48 && sizeof("abc") == 4 && sizeof 'a' == 4);
  assert((1 ? -1 : 0u) == 4294967295u && (long)(1 ? -1 : 0u) == 4294967295L);
  char t[] = "hello"; t[0] ^= 0x20; assert(!strcmp(t, "Hello") && sizeof t == 6);
  char two[3] = "xyz"; assert(two[2] == 'z'); char pad[6] = "ab"; assert(pad[5] == 0 && pad[1] == 'b');
  struct q c = Q; c.a[1].i = 77; assert(Q.a[1].i == 5 && c.a[1].i == 77); c.link = &c.a[1]; assert(c.link->i == 77 && c.link - c.a == 1);
  struct p *pp = malloc(3 * sizeof *pp); if (!pp) return 0; pp[2].i = 4; pp[1] = pp[2]; assert((pp + 1)->i == 4); struct p *e = pp + 3; assert(e - pp == 3 && e > pp && &pp[1] < e); free(pp);
  int arr[2][3]; for (int i = 0; i < 6; i++) (&arr[0][0])[i] = i; assert(arr[1][1] == 4); int (*row)[3] = arr; assert(row[1][2] == 5 && *(*(row + 1) + 0) == 3);
  assert(fact(4) == 24); long long ll = 1; ll <<= 40; ll |= 3; assert((int)ll == 3 && ll >> 38 == 4);
  int8_t i8 = -128; i8 = -i8; assert(i8 == -128); uint8_t u8 = 200; u8 += 100; assert(u8 == 44); assert((uint8_t)~u8 == 211 && ~u8 == -45);
  enum e { A = -2, B, C = 5, D } ee = D; assert(ee == 6 && A < 0 && B == -1);
  int z = 3; z = 10; z -= 3; z *= 2; z /= 5; z <<= 3; z %= 7; z |= 8; z &= ~1; z ^= 3; assert(z == (((((10-3)*2/5)<<3)%7|8)&~1^3));
  assert(!0 == 1 && !!5 == 1 && (3 && 0) == 0 && (0 || 7) == 1 && (5 & 3) == 1 && (5 | 3) == 7 && (2 ^ 3) == 1);
  return 0; }
