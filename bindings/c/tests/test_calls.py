#!/usr/bin/env python3
"""The calls of anima.h, loaded as another language would load them."""
import ctypes
import json
import os
import tempfile
import threading
import time
import unittest

anima = ctypes.CDLL(os.environ["LIBANIMA"])
TEXT = ctypes.POINTER(ctypes.c_char)
for name in ("anima_version", "anima_status_name"):
    getattr(anima, name).restype = ctypes.c_char_p
anima.anima_stop_new.restype = ctypes.c_void_p
for name in ("anima_close", "anima_agent_close", "anima_feed_close", "anima_stop_free", "anima_stop_request"):
    getattr(anima, name).argtypes = [ctypes.c_void_p]
    getattr(anima, name).restype = None
anima.anima_free.argtypes = [TEXT]


class Failed(Exception):
    def __init__(self, status, error):
        super().__init__(f"{status}: {error}")
        self.status, self.error = status, error


def raw(request):
    return request if request is None or isinstance(request, bytes) else json.dumps(request).encode()


def taken(status, answer):
    text = ctypes.string_at(answer).decode() if answer else "null"
    anima.anima_free(answer)
    if status:
        raise Failed(status, (json.loads(text) or {}).get("error"))
    return json.loads(text)


class Handle:
    """A pointer of the library, and its calls by their names."""

    def __init__(self, pointer, prefix, close):
        self.pointer, self.prefix, self.end = pointer, prefix, close

    def close(self):
        self.end(self.pointer)

    def __getattr__(self, name):
        call = getattr(anima, self.prefix + name)

        def work(request=None, stop=None, **members):
            answer = TEXT()
            status = call(ctypes.c_void_p(self.pointer), raw(request if request is not None else members), ctypes.c_void_p(stop), ctypes.byref(answer))
            return taken(status, answer)

        return work


def made(call, first, options, prefix, close):
    pointer, error = ctypes.c_void_p(), TEXT()
    status = call(first, raw(options), ctypes.byref(pointer), ctypes.byref(error))
    if status:
        assert pointer.value is None
    taken(status, error)
    return Handle(pointer.value, prefix, close)


def open_memory(folder=None, **options):
    return made(anima.anima_open, None if folder is None else folder.encode(), options, "anima_", anima.anima_close)


def open_agent(memory, **options):
    return made(anima.anima_agent_open, ctypes.c_void_p(memory.pointer), options, "anima_agent_", anima.anima_agent_close)


OWNER = {"name": "ada", "trust": "operator"}
HOSTS = 'UPSERT { CONCEPT { {type: "$ConceptType", name: "Host"} } CONCEPT { {type: "Host", name: :name} SET ATTRIBUTES {ram_gb: :ram} } }'


class Calls(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name + "/space"
        self.memory = open_memory(self.folder, create=True, author=OWNER)
        self.addCleanup(lambda: self.memory.close())

    def tell(self, name, ram):
        return self.memory.kip(command=HOSTS, parameters={"name": name, "ram": ram})

    def fails(self, status, call, *given, **members):
        with self.assertRaises(Failed) as failed:
            call(*given, **members)
        self.assertEqual(failed.exception.status, status, failed.exception)
        self.assertEqual(failed.exception.error["code"], anima.anima_status_name(status).decode())
        return failed.exception.error

    def test_it_is_told_asked_and_undone(self):
        self.tell("borea", 64)
        before = self.memory.newest_entry()["entry"]
        self.tell("notos", 2**53 + 1)
        query = 'FIND(?h.name, ?h.attributes.ram_gb) WHERE { ?h {type: "Host"} } ORDER BY ?h.name ASC'
        self.assertEqual(self.memory.find(query=query), {"columns": ["?h.name", "?h.attributes.ram_gb"], "rows": [["borea", 64], ["notos", 2**53 + 1]]})
        self.assertEqual(len(self.memory.find(query=query, as_of=before)["rows"]), 1)
        answer = self.memory.ask(question="How many hosts are there?")
        self.assertEqual((answer["status"], answer["rows"]), ("answered", [[2]]))
        self.assertEqual(self.memory.ask(question="How many hosts are there?", as_of=str(before))["rows"], [[1]])
        self.assertEqual(self.memory.search(words="notos")[0]["name"], "notos")
        commit = self.memory.history(about="notos")[-1]
        self.assertEqual((commit["author"], commit["trust"]), ("ada", "operator"))
        self.assertIn({"subject": "notos", "predicate": ".ram_gb", "object": str(2**53 + 1)}, commit["added"])
        proof = self.memory.why(fact="notos ram_gb")
        self.assertEqual(proof["steps"][0]["asserted"][0]["author"], "ada")
        self.assertTrue(self.memory.why_not(fact="borea runs_on notos")["text"])
        written = self.tell("eurus", 8)["entry"]
        self.assertEqual(self.memory.undo(entries="last")["entry"], written)
        self.assertEqual(self.memory.search(words="eurus"), [])
        self.memory.undo(first=commit["entry"])
        self.assertEqual(self.memory.ask(question="How many hosts are there?")["rows"], [[1]])
        self.memory.verify()

    def test_what_is_outranked_is_told(self):
        self.tell("borea", 64)
        told = self.memory.kip(command=HOSTS, parameters={"name": "borea", "ram": 1}, author={"name": "guest", "trust": "untrusted"})
        self.assertEqual([each["key"] for each in told["outranked"]], ["ram_gb"])

    def test_sparql_rules_and_texts(self):
        self.assertEqual(self.memory.import_rdf(text="<urn:db> <urn:runs_on> <urn:borea> .", format="turtle"), {"statements": 1})
        rows = self.memory.sparql(query="SELECT ?where { <urn:db> <urn:runs_on> ?where }")
        self.assertEqual(json.loads(rows["text"])["results"]["bindings"][0]["where"]["value"], "urn:borea")
        self.assertEqual(self.memory.sparql(query="ASK {?s ?p ?o}")["form"], "truth")
        self.assertIn("<urn:borea>", self.memory.sparql(query="CONSTRUCT WHERE {?s <urn:runs_on> ?o}")["text"])
        change = self.memory.sparql_update(update="INSERT DATA {<urn:a> <urn:b> 1}")
        self.assertEqual((change["operations"], change["inserted"], change["deleted"]), (1, 1, 0))
        self.tell("borea", 64)
        rules = [{"name": "big.mg", "text": 'Decl big(X).\nbig(X) :- attribute(X, "ram_gb", N), N > 32.\n'}]
        self.assertEqual(self.memory.rules(goal="big(X)", rules=rules)["rows"], [["borea"]])
        self.assertIn("ram_gb", self.memory.export(format="turtle")["text"])
        self.memory.export(path=self.folder + ".nt")
        self.assertTrue(os.path.getsize(self.folder + ".nt"))
        self.memory.backup(path=self.folder + ".backup")
        what_if = self.memory.what_if(change='DELETE CONCEPT ?h DETACH WHERE { ?h {type: "Host", name: "borea"} }', query='FIND(?h.name) WHERE { ?h {type: "Host"} }')
        self.assertEqual(what_if["rows"], [])

    def test_files_are_loaded(self):
        table = self.folder + "_hosts.csv"
        with open(table, "w", encoding="utf-8") as file:
            file.write("name,ram_gb\nborea,64\nnotos,32\n")
        self.assertEqual(self.memory.load(files=table, type="Host", dry_run=True)["tables"][0]["rows"], 2)
        self.memory.load(files=[table], type="Host")
        self.assertEqual(self.memory.ask(question="Which hosts have more than 40 ram_gb?")["rows"][0][0], "borea")
        self.fails(3, self.memory.load, files="nothing.csv")

    def test_an_agent_remembers_recalls_and_waits_for_a_yes(self):
        agent = open_agent(self.memory)
        self.addCleanup(agent.close)
        told = agent.remember(text="I work at Initech", speaker="Ada")
        self.assertEqual(told["stated"], "Ada works_at Initech")
        self.assertIn("Initech", agent.recall(question="Where does Ada work?", budget=500)["text"])
        asked = agent.remember(text="I work for Free", speaker="Ada")
        self.assertEqual([each["id"] for each in agent.questions()], [asked["question"]])
        self.assertIn("Free", agent.answer(question=asked["question"], answer="yes")["stated"])
        self.assertEqual(agent.update_memory(id=told["id"], text="I worked at Initech")["taken_back"] is not None, True)
        self.assertTrue(agent.memories(query="Free"))
        self.assertEqual(len(agent.forget_memory(id=asked["id"], dry_run=True)["taken_back"]), 1)
        self.assertEqual(agent.ask(question="Where does Ada work?")["outcome"], "answered")
        os.makedirs(self.folder + "/work", exist_ok=True)
        with open(self.folder + "/work/old.txt", "w", encoding="utf-8") as file:
            file.write("x")
        waits = agent.chat(line="delete old.txt")
        self.assertEqual(waits["outcome"], "waiting")
        (request,) = agent.waiting()
        self.assertEqual((request["tool"], request["arguments"]["path"]), ("file:delete", "old.txt"))
        agent.grant(id=request["id"])
        self.assertEqual(agent.chat(line="delete old.txt")["outcome"], "done")
        again = agent.call(tool="file:write", arguments={"path": "x", "content": "x"}, caller="untrusted", labels={"path": {"trust": "hostile", "source": "a letter"}})
        self.assertEqual(again["outcome"], "denied")
        self.assertTrue(agent.why(id=again["refusal_id"]))
        self.assertIn(agent.run(goal="find out about borea", cycles=2)["outcome"], ("open", "done", "failed", "found", "not_understood"))
        self.fails(3, agent.deny, id="none")

    def test_mistakes_are_errors_that_say_what_is_missing(self):
        self.assertIn("missing", self.fails(1, self.memory.ask)["message"])
        misspelt = self.fails(1, self.memory.ask, qestion="x")
        self.assertIn("qestion", misspelt["message"])
        self.assertIn("question", misspelt["hint"])
        self.assertIn("question", self.fails(1, self.memory.ask, question="x", sesion="y")["hint"])
        self.fails(1, self.memory.ask, question=7)
        self.fails(1, self.memory.ask, question="x", timeout=0)
        self.fails(1, self.memory.ask, question="x", timeout="soon")
        self.fails(1, self.memory.find, query="FIND(?x) WHERE {?x {}}", as_of=True)
        self.fails(1, self.memory.kip, command=HOSTS, author={"trust": "boss"})
        self.fails(1, self.memory.search, words="x", limit=-1)
        self.fails(1, self.memory.undo, first=1.5)
        self.fails(1, self.memory.rules, goal="p(X)", rules="p(1).")
        self.fails(2, self.memory.ask, b"{")
        self.fails(2, self.memory.ask, b'{"question":"\xff"}')
        self.fails(1, self.memory.ask, b"[]")
        self.fails(1, Handle(None, "anima_", None).ask, question="x")
        self.fails(1, Handle(None, "anima_agent_", None).recall, question="x")
        self.fails(3, open_memory, self.folder + "_none")
        self.fails(1, open_memory, self.folder, creat=True)
        nothing = open_memory()
        loopless = open_agent(nothing)
        self.fails(15, loopless.run, goal="hum a polka")
        loopless.close()
        nothing.close()
        self.assertEqual(anima.anima_status_name(99), b"unknown")
        self.assertEqual(anima.anima_ask(None, None, None, None), 1, "nobody reads the answer")
        reading = open_memory(self.folder, read_only=True)
        self.fails(12, reading.kip, command=HOSTS, parameters={"name": "x", "ram": 1})
        reading.close()

    def test_a_feed_tells_each_commit_and_ends_in_time(self):
        feed = made(anima.anima_feed_open, ctypes.c_void_p(self.memory.pointer), {}, "anima_feed_", anima.anima_feed_close)
        self.tell("borea", 64)
        commit = feed.next(timeout=5)
        while not any(each["predicate"] == ".ram_gb" for each in commit["added"]):
            commit = feed.next(timeout=5)
        self.assertIsNone(feed.next(timeout=0.05))
        early = made(anima.anima_feed_open, ctypes.c_void_p(self.memory.pointer), {"after": 0}, "anima_feed_", anima.anima_feed_close)
        self.assertEqual(early.next(timeout=5)["entry"], 1)
        early.close()
        feed.close()

    def test_a_stop_of_another_thread_ends_a_call(self):
        stop = anima.anima_stop_new()
        feed = made(anima.anima_feed_open, ctypes.c_void_p(self.memory.pointer), {}, "anima_feed_", anima.anima_feed_close)
        threading.Timer(0.1, lambda: anima.anima_stop_request(stop)).start()
        began = time.monotonic()
        self.assertIsNone(feed.next({}, stop=stop))
        self.assertLess(time.monotonic() - began, 60)
        self.fails(13, self.memory.sparql, query="SELECT * {?a ?b ?c. ?d ?e ?f. ?g ?h ?i}", stop=stop)
        feed.close()
        anima.anima_stop_free(stop)

    def test_threads_share_a_memory(self):
        wrong = []

        def work(number):
            try:
                for step in range(20):
                    self.tell(f"host-{number}-{step}", step)
                    self.memory.find(query='FIND(COUNT(?h)) WHERE { ?h {type: "Host"} }')
            except Exception as error:  # for the main thread
                wrong.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        self.assertEqual(self.memory.find(query='FIND(COUNT(?h)) WHERE { ?h {type: "Host"} }')["rows"], [[80]])

    def test_a_view_of_a_closed_memory_goes_on(self):
        feed = made(anima.anima_feed_open, ctypes.c_void_p(self.memory.pointer), {"after": 0}, "anima_feed_", anima.anima_feed_close)
        agent = open_agent(self.memory)
        self.memory.close()
        self.memory = open_memory(self.folder)
        self.assertEqual(feed.next(timeout=5)["entry"], 1)
        self.assertTrue(agent.remember(text="The boiler is serviced by Bo.")["id"])
        feed.close()
        agent.close()

    def test_a_million_calls_would_leave_nothing(self):
        def resident():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        for _ in range(2000):
            self.memory.newest_entry()
        before = resident()
        for _ in range(20000):
            self.memory.newest_entry()
            self.fails(1, self.memory.ask)
        self.assertLess(resident() - before, 8 << 20)


if __name__ == "__main__":
    unittest.main()
