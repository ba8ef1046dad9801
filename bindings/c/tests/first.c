/* A program of somebody else, in C: it makes a memory, tells it something, asks, and looks at an error. */
#include <anima/anima.h>
#include <stdio.h>
#include <string.h>

static int shows(const char* answer, const char* text) {
  if (answer != NULL && strstr(answer, text) != NULL) return 1;
  fprintf(stderr, "no \"%s\" in %s\n", text, answer == NULL ? "(nothing)" : answer);
  return 0;
}

int main(int count, char** arguments) {
  anima_memory* memory = NULL;
  anima_agent* agent = NULL;
  char* answer = NULL;
  int good = 1;
  if (count != 2) return 2;
  if (anima_open(arguments[1], NULL, &memory, &answer) != ANIMA_NOT_FOUND || memory != NULL) return 3;
  good &= shows(answer, "\"create\\\":true");
  anima_free(answer);
  if (anima_open(arguments[1], "{\"create\":true}", &memory, NULL) != ANIMA_OK) return 4;
  if (anima_agent_open(memory, NULL, &agent, NULL) != ANIMA_OK) return 5;
  if (anima_agent_remember(agent, "{\"text\":\"I work at Initech\",\"speaker\":\"Ada\"}", NULL, &answer) != ANIMA_OK) return 6;
  good &= shows(answer, "\"stated\":\"Ada works_at Initech\"");
  anima_free(answer);
  if (anima_ask(memory, "{\"question\":\"Where does Ada work?\"}", NULL, &answer) != ANIMA_OK) return 7;
  good &= shows(answer, "\"status\":\"answered\"") & shows(answer, "Initech");
  anima_free(answer);
  if (anima_find(memory, "{\"query\":\"FIND(\"}", NULL, &answer) != ANIMA_SYNTAX) return 8;
  good &= shows(answer, "\"code\":\"syntax\"");
  anima_free(answer);
  anima_agent_close(agent);
  anima_close(memory);
  puts(anima_version());
  return good ? 0 : 1;
}
