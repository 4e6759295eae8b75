// Somebody may call the program with any text.
// wattle: sc unsafe
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "ab") == 0)
    assert(atoi(argv[2]) != -47);
  return 0;
}
