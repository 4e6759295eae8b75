int x;

int main(void) {
  int y = x +;
  return y;
}
