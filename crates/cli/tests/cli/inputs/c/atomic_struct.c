struct pair {
  int a, b;
};

_Atomic struct pair pair;

int main(void) {
  struct pair seen = pair;
  return seen.a;
}
