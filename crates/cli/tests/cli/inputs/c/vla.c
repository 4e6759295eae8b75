int sum(int n) {
  int cells[n];
  cells[0] = 1;
  return cells[0];
}

int main(void) {
  return sum(3);
}
