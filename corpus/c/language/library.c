// Texts and characters of the C library. The values are those that the standard says; a compiler agrees.
// wattle: sc safe
#include <assert.h>
#include <string.h>
#include <stdlib.h>
#include <ctype.h>
char buf[16]; const char *name = "wattle";
int main(void) {
  assert(strlen(name) == 6 && strlen("") == 0 && strnlen(name, 3) == 3);
  strcpy(buf, name); assert(strcmp(buf, "wattle") == 0);
  strcat(buf, "!"); assert(buf[6] == '!' && buf[7] == 0);
  assert(strncmp(buf, "watt", 4) == 0 && strcmp("a", "b") < 0 && strcmp("b", "a") > 0);
  assert(strchr(buf, 't') == buf + 2 && strrchr(buf, 't') == buf + 3 && strchr(buf, 'z') == NULL);
  assert(strstr(buf, "tle") == buf + 3);
  assert(memcmp("ab", "ac", 2) < 0 && memcmp("ab", "ac", 1) == 0);
  assert(atoi(" -42x") == -42 && abs(-3) == 3);
  assert(isdigit('4') && !isdigit('a') && toupper('q') == 'Q');
  strncpy(buf, "xy", 4); assert(buf[3] == 0 && buf[4] == 'l');
  return 0;
}
