// Structs: by value as arguments, results and in assignments, nested, in arrays, with anonymous parts; `sizeof` and `offsetof`.
// A compiled run ends without a failed assertion.
//
// wattle: sc,rc11 safe
#include <assert.h>
#include <stddef.h>
#include <string.h>

struct point {
  char tag;
  int x, y;
};

struct line {
  struct point from, to;
  struct {
    short width;
  };
};

struct line lines[2];

struct point moved(struct point point, int by) {
  point.x += by;
  return point;
}

int length(const struct line *line) {
  return line->to.x - line->from.x + line->to.y - line->from.y;
}

int main(void) {
  struct point a = {'p', 1, 2}, b = moved(a, 10), *at = &b;
  assert(a.x == 1 && b.x == 11 && b.y == 2 && b.tag == 'p');
  at->y = 7;
  (*at).x--;
  assert(b.y == 7 && b.x == 10);
  struct line line = {.to = b, .from = {.x = 3}, .width = 4};
  assert(line.from.y == 0 && line.to.tag == 'p' && line.width == 4);
  lines[1] = line;
  line.to.x = 100;
  assert(length(&lines[1]) == 14 && length(lines) == 0);
  struct line copy;
  memcpy(&copy, &lines[1], sizeof copy);
  assert(copy.to.x == 10);
  memset(&copy, 0, sizeof(struct line));
  assert(copy.to.x == 0 && copy.width == 0);
  assert(sizeof(struct point) == 12 && sizeof(struct line) == 28);
  assert(offsetof(struct line, to) == 12 && offsetof(struct line, width) == 24);
  return 0;
}
