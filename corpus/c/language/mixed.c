// Corners of C that translations get wrong: names that hide others, fields of results, arrays as parameters, side effects in places,
// numbers that change their type, initialisers without inner braces.
// A compiled run ends without a failed assertion.
//
// wattle: sc safe
#include <assert.h>
typedef struct { int x, y; } P;
typedef struct { P p[2]; int n; } Q;
static int calls;
static P mk(int a, int b) {
  P r = {a, b};
  calls++;
  return r;
}

static int sum(const int a[], int n) {
  int s = 0;
  while (n--)
    s += *a++;
  return s;
}

static int size(int a[10]) {
  return sizeof a;
}

int tent; int tent = 4;
int m[2][3] = {1, 2, 3, 4};
Q q = {{{1, 2}, 3, 4}, 5};
int z[] = {[2] = 7, 8, [0] = 1};
enum E { A = -1, B, C = 10, D };

static int fib(int n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(void) {
  assert(mk(1, 2).y == 2 && calls == 1);
  int a[4] = {1, 2, 3};
  assert(sum(a, 4) == 6 && size(a) == sizeof(int *));
  int i = 0;
  a[i++] += 2;
  assert(a[0] == 3 && i == 1);
  int *p = a;
  *p++ = 9;
  assert(a[0] == 9 && p == a + 1);
  *++p = 8;
  assert(a[2] == 8);
  (*p)--;
  assert(a[2] == 7);
  assert(-7 / 2 == -3 && -7 % 2 == -1);
  int k = -7;
  assert(k / 2 == -3 && k % 2 == -1 && k >> 1 == -4);
  unsigned u = 1;
  assert(u - 2 > 0 && -1 > u);
  short s = -1;
  assert((unsigned short)s == 65535 && s < u == 0);
  _Bool b = 256;
  assert(b == 1);
  b = (_Bool)0 || 0;
  assert(m[0][2] == 3 && m[1][0] == 4 && m[1][2] == 0);
  assert(q.p[1].y == 4 && q.n == 5 && q.p[0].y == 2);
  assert(sizeof z / sizeof *z == 4 && z[3] == 8 && z[0] == 1 && z[1] == 0);
  enum E e = A;
  assert(e < 0 && D == 11);
  assert(fib(3) == 2);
  {
    int tent = 5;
    assert(tent == 5);
    {
      extern int tent;
      assert(tent == 4);
    }
  }
  int (*row)[3] = m;
  row++;
  assert((*row)[0] == 4 && row[-1][1] == 2);
  Q r = q, *pq = &r;
  pq->p[1] = mk(7, 8);
  assert(r.p[1].x == 7 && q.p[1].x == 3);
  P t;
  t = (q.n = 6, pq->p[1]);
  assert(t.y == 8 && q.n == 6);
  for (int i = 0, j = 10; i < j; i++, j--) { if (i == 2) continue; if (i == 4) { assert(j == 6); goto out; } }
out:;
  char c = 200;
  assert(c < 0);
  unsigned char d = c;
  assert(d == 200);
  long l = 1L << 40;
  assert((int)l == 0 && l / 1024 == 1L << 30);
  int v = 5, w = (v, 3);
  assert(w == 3);
  switch (3) { case 1: assert(0); default: w = 1; case 7: w++; break; case 9: assert(0); } assert(w == 2);
  unsigned long ul = -1;
  assert(ul > 5 && ul + 1 == 0 && (ul >> 63) == 1);
  assert((char)0x1ff == -1 && (unsigned)-1 / 2 == 0x7fffffff);
  assert(sizeof(char[3]) == 3 && _Alignof(long) == 8);
  return 0;
}
