static int twice(int n) {
  return n + m;
}
