int x;

int main(void) {
  x + 1 = 2;
  f(x);
  return 0;
}
