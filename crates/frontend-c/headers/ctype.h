/* Kinds of characters: functions of the library, where that of the machine may have tables. */
#ifndef WATTLE_CTYPE_H
#define WATTLE_CTYPE_H
int isalnum(int);
int isalpha(int);
int isdigit(int);
int islower(int);
int isspace(int);
int isupper(int);
int tolower(int);
int toupper(int);
#endif
