/* Anima from C, and from every language that calls C: a memory that can be asked, explained and
 * undone, and an agent over it.
 *
 *   anima_memory* memory = NULL;
 *   char* answer = NULL;
 *   if (anima_open("/home/ada/space", "{\"create\":true}", &memory, &answer) == ANIMA_OK)
 *     anima_ask(memory, "{\"question\":\"Which services run on borea?\"}", NULL, &answer);
 *   puts(answer);
 *   anima_free(answer);
 *   anima_close(memory);
 *
 * Requests and answers are JSON texts (RFC 8259) in UTF-8, with the members that docs/c.md lists. A
 * request may be NULL for an empty object; a member that a call does not know is an error. A call
 * gives ANIMA_OK and its answer, or the number of an error and {"error": {"code", "message",
 * "where", "hint"}} (docs/errors.md). The answer is yours: anima_free() it. `answer` may be NULL
 * where nobody reads it.
 *
 * Thread-safety: every function from any thread, but for anima_feed_next(), which one thread calls
 * at a time. No call may begin or run while its handle is closed. After fork() a child uses no
 * handle of its parent; it opens the folder again. Nothing here throws, and no signal is handled.
 */
#ifndef ANIMA_ANIMA_H
#define ANIMA_ANIMA_H

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers stay; new ones are added behind them. */
enum {
  ANIMA_OK = 0,
  ANIMA_INVALID_ARGUMENT = 1,
  ANIMA_SYNTAX = 2,
  ANIMA_NOT_FOUND = 3,
  ANIMA_ALREADY_EXISTS = 4,
  ANIMA_CONFLICT = 5,
  ANIMA_LIMIT_EXCEEDED = 6,
  ANIMA_CORRUPT = 7,
  ANIMA_VERSION_MISMATCH = 8,
  ANIMA_IO = 9,
  ANIMA_DISK_FULL = 10,
  ANIMA_BUSY = 11,
  ANIMA_DENIED = 12,
  ANIMA_CANCELLED = 13,
  ANIMA_TIMEOUT = 14,
  ANIMA_UNSUPPORTED = 15,
  ANIMA_INTERNAL = 16,
  ANIMA_NO_SANDBOX = 17
};

typedef struct anima_memory anima_memory; /* one folder that is open */
typedef struct anima_agent anima_agent;   /* an agent over a memory */
typedef struct anima_feed anima_feed;     /* its commits as they come */
typedef struct anima_stop anima_stop;     /* ends calls from another thread */

const char* anima_version(void);           /* "0.1.0" */
const char* anima_status_name(int status); /* "not_found"; of no status "unknown" */
void anima_free(char* text);               /* an answer; NULL is nothing */

/* Ends the calls that it is given to, now or later, with ANIMA_CANCELLED: those that take a timeout
 * (seconds) as well. Others run to their end. What was written stays. */
anima_stop* anima_stop_new(void);
void anima_stop_request(anima_stop* stop);
void anima_stop_free(anima_stop* stop); /* when no call has it any more */

/* `folder`: of a space, or the address of a PostgreSQL database; NULL: in memory, gone when it is
 * closed. `options`: create (false), read_only (false), author {name, source, trust}. Where it
 * fails, *memory is NULL and *error says why. */
int anima_open(const char* folder, const char* options, anima_memory** memory, char** error);
void anima_close(anima_memory* memory); /* NULL is nothing */

/* What is told and asked. Calls that read take as_of: an entry, a time, "yesterday". */
int anima_kip(anima_memory* memory, const char* request, const anima_stop* stop, char** answer);
int anima_find(anima_memory* memory, const char* request, const anima_stop* stop, char** answer);
int anima_what_if(anima_memory* memory, const char* request, const anima_stop* stop, char** answer);
int anima_sparql(anima_memory* memory, const char* request, const anima_stop* stop, char** answer);
int anima_sparql_update(anima_memory* memory, const char* request, const anima_stop* stop,
                        char** answer);
int anima_ask(anima_memory* memory, const char* request, const anima_stop* stop, char** answer);
int anima_rules(anima_memory* memory, const char* request, const anima_stop* stop, char** answer);
int anima_search(anima_memory* memory, const char* request, const anima_stop* stop, char** answer);
int anima_history(anima_memory* memory, const char* request, const anima_stop* stop, char** answer);
int anima_why(anima_memory* memory, const char* request, const anima_stop* stop, char** answer);
int anima_why_not(anima_memory* memory, const char* request, const anima_stop* stop, char** answer);
int anima_load(anima_memory* memory, const char* request, const anima_stop* stop, char** answer);
int anima_import_rdf(anima_memory* memory, const char* request, const anima_stop* stop,
                     char** answer);
int anima_export(anima_memory* memory, const char* request, const anima_stop* stop, char** answer);
int anima_load_pack(anima_memory* memory, const char* request, const anima_stop* stop,
                    char** answer);
int anima_unload_pack(anima_memory* memory, const char* request, const anima_stop* stop,
                      char** answer);
int anima_undo(anima_memory* memory, const char* request, const anima_stop* stop, char** answer);
int anima_newest_entry(anima_memory* memory, const char* request, const anima_stop* stop,
                       char** answer);
int anima_verify(anima_memory* memory, const char* request, const anima_stop* stop, char** answer);
int anima_backup(anima_memory* memory, const char* request, const anima_stop* stop, char** answer);

/* The commits behind an entry, `after`, or those that come from now on. anima_feed_next() waits for
 * one; `null` when `timeout` (seconds) is over. A feed may outlive its memory. */
int anima_feed_open(anima_memory* memory, const char* request, anima_feed** feed, char** error);
int anima_feed_next(anima_feed* feed, const char* request, const anima_stop* stop, char** answer);
void anima_feed_close(anima_feed* feed);

/* An agent over a memory that has a folder; it may outlive its handle. `options`: name,
 * work_folder, readable, rules, fetcher, model {provider, url, model, key_env, key_file,
 * context_tokens, max_tokens}. The owner speaks here. */
int anima_agent_open(anima_memory* memory, const char* options, anima_agent** agent, char** error);
void anima_agent_close(anima_agent* agent);

int anima_agent_remember(anima_agent* agent, const char* request, const anima_stop* stop,
                         char** answer);
int anima_agent_recall(anima_agent* agent, const char* request, const anima_stop* stop,
                       char** answer);
int anima_agent_memories(anima_agent* agent, const char* request, const anima_stop* stop,
                         char** answer);
int anima_agent_update_memory(anima_agent* agent, const char* request, const anima_stop* stop,
                              char** answer);
int anima_agent_forget_memory(anima_agent* agent, const char* request, const anima_stop* stop,
                              char** answer);
int anima_agent_questions(anima_agent* agent, const char* request, const anima_stop* stop,
                          char** answer);
int anima_agent_answer(anima_agent* agent, const char* request, const anima_stop* stop,
                       char** answer);
int anima_agent_ask(anima_agent* agent, const char* request, const anima_stop* stop, char** answer);
int anima_agent_run(anima_agent* agent, const char* request, const anima_stop* stop, char** answer);
int anima_agent_chat(anima_agent* agent, const char* request, const anima_stop* stop,
                     char** answer);
int anima_agent_call(anima_agent* agent, const char* request, const anima_stop* stop,
                     char** answer);
int anima_agent_waiting(anima_agent* agent, const char* request, const anima_stop* stop,
                        char** answer);
int anima_agent_grant(anima_agent* agent, const char* request, const anima_stop* stop,
                      char** answer);
int anima_agent_deny(anima_agent* agent, const char* request, const anima_stop* stop,
                     char** answer);
int anima_agent_why(anima_agent* agent, const char* request, const anima_stop* stop, char** answer);

#ifdef __cplusplus
}
#endif

#endif
