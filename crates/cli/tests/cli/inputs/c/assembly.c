int x;

int main(void) {
  asm volatile("incl %0" : "+m"(x));
  return x;
}
