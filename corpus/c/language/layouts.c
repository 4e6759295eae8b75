// Attributes that change the layout of structs: the sizes and offsets are those of the compiler.
// wattle: sc safe
#include <assert.h>
#include <stddef.h>

struct __attribute__((packed)) before { char tag; int number; };
struct after { char tag; int number; short more; } __attribute__((__packed__));
struct member { char tag; int number __attribute__((packed)); long last; };
typedef struct { char tag; long number; } __attribute__((packed)) unnamed;
struct wide { char tag; } __attribute__((aligned(16)));
struct inner { char tag; int number __attribute__((aligned(1 << 4))); char last; };
struct words { char tag; char word __attribute__((aligned(sizeof(long)))); };
struct both { char tag; int number; } __attribute__((packed, aligned(4)));
struct standard { char tag; _Alignas(8) char eight; };
struct holder { char tag; struct { char a; int b; } __attribute__((packed)) part; struct wide wide; };
struct usual { char tag; int number; };

struct after afters[2] = {{1, 2, 3}, {4, 5, 6}};

int main(void) {
  assert(sizeof(struct before) == 5 && offsetof(struct before, number) == 1);
  assert(sizeof(struct after) == 7 && offsetof(struct after, more) == 5);
  assert(sizeof(struct member) == 16 && offsetof(struct member, number) == 1);
  assert(sizeof(unnamed) == 9);
  assert(sizeof(struct wide) == 16 && _Alignof(struct wide) == 16);
  assert(sizeof(struct inner) == 32 && offsetof(struct inner, number) == 16 && offsetof(struct inner, last) == 20);
  assert(sizeof(struct words) == 16 && offsetof(struct words, word) == 8);
  assert(sizeof(struct both) == 8 && offsetof(struct both, number) == 1);
  assert(sizeof(struct standard) == 16 && offsetof(struct standard, eight) == 8);
  assert(sizeof(struct holder) == 32 && offsetof(struct holder, part) == 1 && offsetof(struct holder, wide) == 16);
  assert(sizeof(struct usual) == 8);
  struct after *second = &afters[1];
  second->number += afters[0].more;
  assert(afters[1].number == 8 && second->tag == 4 && sizeof afters == 14 && second - afters == 1);
  struct holder holder = {1, {2, 3}, {4}};
  assert(holder.part.b == 3 && holder.wide.tag == 4);
  return 0;
}
