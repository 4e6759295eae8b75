struct flags {
  unsigned ready : 1;
} flags;

int main(void) {
  flags.ready = 1;
  return flags.ready;
}
