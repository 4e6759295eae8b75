/* Functions of the C library on texts and blocks of characters, as the standard says. They are a file of every program that calls
   one of them and does not define it. */
typedef unsigned long size_t;

size_t strlen(const char *text) {
  size_t length = 0;
  while (text[length])
    length++;
  return length;
}

size_t strnlen(const char *text, size_t most) {
  size_t length = 0;
  while (length < most && text[length])
    length++;
  return length;
}

char *strcpy(char *to, const char *from) {
  size_t at = 0;
  while ((to[at] = from[at]))
    at++;
  return to;
}

char *stpcpy(char *to, const char *from) {
  while ((*to = *from)) {
    to++;
    from++;
  }
  return to;
}

char *strncpy(char *to, const char *from, size_t count) {
  size_t at = 0;
  for (; at < count && from[at]; at++)
    to[at] = from[at];
  for (; at < count; at++)
    to[at] = 0;
  return to;
}

char *strcat(char *to, const char *from) {
  size_t end = 0, at = 0;
  while (to[end])
    end++;
  while ((to[end + at] = from[at]))
    at++;
  return to;
}

char *strncat(char *to, const char *from, size_t count) {
  size_t end = 0, at = 0;
  while (to[end])
    end++;
  for (; at < count && from[at]; at++)
    to[end + at] = from[at];
  to[end + at] = 0;
  return to;
}

int strcmp(const char *left, const char *right) {
  size_t at = 0;
  while (left[at] && left[at] == right[at])
    at++;
  return (int)(unsigned char)left[at] - (int)(unsigned char)right[at];
}

int strncmp(const char *left, const char *right, size_t count) {
  size_t at = 0;
  if (count == 0)
    return 0;
  while (at + 1 < count && left[at] && left[at] == right[at])
    at++;
  return (int)(unsigned char)left[at] - (int)(unsigned char)right[at];
}

char *strchr(const char *text, int letter) {
  while (*text != (char)letter) {
    if (!*text)
      return (char *)0;
    text++;
  }
  return (char *)text;
}

char *strrchr(const char *text, int letter) {
  const char *found = (const char *)0;
  for (;; text++) {
    if (*text == (char)letter)
      found = text;
    if (!*text)
      return (char *)found;
  }
}

char *strstr(const char *text, const char *part) {
  for (;; text++) {
    size_t at = 0;
    while (part[at] && text[at] == part[at])
      at++;
    if (!part[at])
      return (char *)text;
    if (!*text)
      return (char *)0;
  }
}

int memcmp(const void *left, const void *right, size_t count) {
  const unsigned char *a = left, *b = right;
  for (size_t at = 0; at < count; at++)
    if (a[at] != b[at])
      return (int)a[at] - (int)b[at];
  return 0;
}

void *memchr(const void *block, int letter, size_t count) {
  const unsigned char *a = block;
  for (size_t at = 0; at < count; at++)
    if (a[at] == (unsigned char)letter)
      return (void *)(a + at);
  return (void *)0;
}

int isdigit(int letter) { return letter >= '0' && letter <= '9'; }
int isspace(int letter) { return letter == ' ' || letter >= '\t' && letter <= '\r'; }
int isupper(int letter) { return letter >= 'A' && letter <= 'Z'; }
int islower(int letter) { return letter >= 'a' && letter <= 'z'; }
int isalpha(int letter) { return isupper(letter) || islower(letter); }
int isalnum(int letter) { return isalpha(letter) || isdigit(letter); }
int toupper(int letter) { return islower(letter) ? letter - 'a' + 'A' : letter; }
int tolower(int letter) { return isupper(letter) ? letter - 'A' + 'a' : letter; }

long atol(const char *text) {
  long value = 0;
  int negative = 0;
  while (isspace(*text))
    text++;
  if (*text == '-' || *text == '+')
    negative = *text++ == '-';
  while (isdigit(*text))
    value = value * 10 + (*text++ - '0');
  return negative ? -value : value;
}

int atoi(const char *text) { return (int)atol(text); }

long strtol(const char *text, char **end, int base) {
  const char *start = text;
  long value = 0;
  int negative = 0, some = 0;
  while (isspace(*text))
    text++;
  if (*text == '-' || *text == '+')
    negative = *text++ == '-';
  if ((base == 0 || base == 16) && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    text += 2;
    base = 16;
    some = 1;
  }
  if (base == 0)
    base = *text == '0' ? 8 : 10;
  for (;; text++) {
    int digit = isdigit(*text) ? *text - '0' : isalpha(*text) ? tolower(*text) - 'a' + 10 : 99;
    if (digit >= base)
      break;
    value = value * base + digit;
    some = 1;
  }
  if (end)
    *end = (char *)(some ? text : start);
  return negative ? -value : value;
}

/* sscanf with the format "%d" alone. */
int __wattle_sscanf(const char *text, const char *format, int *into) {
  const char *at = text;
  while (isspace(*at))
    at++;
  if (!*at)
    return -1;
  if (*at == '-' || *at == '+')
    at++;
  if (!isdigit(*at))
    return 0;
  *into = atoi(text);
  return 1;
}

int abs(int value) { return value < 0 ? -value : value; }
long labs(long value) { return value < 0 ? -value : value; }
