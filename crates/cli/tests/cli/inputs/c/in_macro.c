#define ADD(a, b) ((a) + (b) + missing)

int main(void) {
  int sum = ADD(1, 2);
  return sum;
}
