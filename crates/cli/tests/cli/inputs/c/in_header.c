#include "in_header.h"

int main(void) {
  return twice(2);
}
