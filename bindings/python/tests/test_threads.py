"""Threads, asyncio, signals and forks."""

import asyncio
import concurrent.futures
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from conftest import DATA, HOSTS, OWNER
from test_memory import ENDLESS

import anima
import anima.aio


def run_all(works, seconds=120):
    """Each work on a thread of its own; the first error is raised."""
    errors = []

    def guarded(work):
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0, deadline - time.monotonic()))
    assert not any(thread.is_alive() for thread in threads), "they wait for each other"
    if errors:
        raise errors[0]


def test_eight_threads_read_and_write(tmp_path):
    with anima.Memory.open(tmp_path / "space", create=True, author=OWNER) as memory:
        memory.load(DATA / "hosts.csv", DATA / "services.csv")
        start, rounds = memory.newest_entry, 12

        def write(number):
            for i in range(rounds):
                memory.kip('UPSERT { CONCEPT { {type: "Host", name: :name} } }', {"name": f"h{number}-{i}"})

        def update():
            for i in range(rounds):
                memory.sparql_update(f"INSERT DATA {{ <urn:s{i}> <urn:p> {i} }}")

        def read(call):
            for _ in range(rounds):
                assert call() is not None

        heard = []
        feed = memory.changes(after=start)
        listener = threading.Thread(target=lambda: heard.extend(feed))
        listener.start()
        run_all([
            lambda: write(1),
            lambda: write(2),
            update,
            lambda: read(lambda: memory.find(HOSTS).dicts()),
            lambda: read(lambda: memory.ask("Which services run on atlas?")),
            lambda: read(lambda: memory.search("borea")),
            lambda: read(lambda: memory.why("web runs_on")),
            lambda: read(lambda: memory.view().export()),
        ])  # fmt: skip
        last = memory.newest_entry
        assert last == start + 3 * rounds
        deadline = time.monotonic() + 20
        while feed.after < last and time.monotonic() < deadline:
            time.sleep(0.01)
        feed.close()
        listener.join(20)
        assert [commit.entry for commit in heard] == list(range(start + 1, last + 1))
        memory.verify()


def test_one_closes_while_others_call(homelab):
    def call():
        try:
            while True:
                homelab.find(HOSTS)
        except anima.InvalidArgument as error:
            assert "closed" in str(error)

    run_all([*[call] * 4, lambda: (time.sleep(0.05), homelab.close())])


def test_an_agent_is_called_from_threads(tmp_path):
    tool = anima.Tool("sum:add", lambda a, b: a + b, tier=anima.Tier.READ_ONLY)
    heard = []
    with anima.Agent.open(tmp_path / "space", create=True, tools=[tool], author=OWNER) as agent:
        hearing = agent.subscribe("*", lambda kind, payload: heard.append(kind))

        def call():
            for i in range(5):
                assert agent.call("sum:add", {"a": i, "b": 1}, caller="operator", label="operator").result == i + 1

        run_all([call] * 4 + [lambda: agent.ask("Which hosts are there?"), lambda: agent.recall("hosts")])
        hearing.cancel()
    assert heard


def test_asyncio_runs_beside(memory):
    async def main():
        async with await anima.aio.Memory.in_memory(author=OWNER) as asked:
            await asked.load(DATA / "hosts.csv", DATA / "services.csv")
            ticks = 0

            async def tick():
                nonlocal ticks
                while True:
                    ticks += 1
                    await asyncio.sleep(0.001)

            ticking = asyncio.create_task(tick())
            with pytest.raises(anima.Timeout):
                await asked.sparql(ENDLESS, timeout=0.1)
            ticking.cancel()
            assert ticks > 5
            answers = await asyncio.gather(*[asked.find(HOSTS) for _ in range(20)])
            assert {len(rows) for rows in answers} == {2}
            start = await asked.newest_entry()
            commits = await asked.changes(timeout=5)
            await asked.kip('UPSERT { CONCEPT { {type: "Host", name: "notos"} } }')
            async for commit in commits:
                assert commit.entry == start + 1
                break
            await asked.undo(start + 1)
            assert (await asked.ask("Which services run on atlas?")).status == "answered"
            assert await asked.search("borea") and await asked.history("borea")
            assert await asked.why("web runs_on") and await asked.why_not("web runs_on borea")
            assert (await asked.rules()).predicates() and await asked.export()
            assert (await asked.execute_kip({"command": HOSTS}))["result"]
            assert len(await asked.what_if('DELETE CONCEPT ?h DETACH WHERE { ?h {type: "Host"} }', HOSTS)) == 0
            assert await asked.import_rdf("<urn:a> <urn:p> 1 .", format="turtle") == 1
            assert (await asked.sparql_update("DELETE WHERE { <urn:a> ?p ?o }")).deleted == 1
            view = await asked.as_of(start)
            assert view.entry == start and len(await view.find(HOSTS)) == 2
            assert await view.search("borea") and await view.history("borea") and await view.why("web runs_on")
            assert await view.ask("Which services run on atlas?") and await view.export()
            assert await view.sparql("ASK {}") and (await view.rules()).predicates()
            assert await view.why_not("web runs_on borea") and (await asked.view()).entry > start
            await asked.verify()
            pack = await asked.load_pack(DATA / "pack")
            await asked.unload_pack(pack)
        assert asked.closed

    asyncio.run(main())


def test_a_cancelled_task_ends_its_call(memory):
    async def main():
        asked = anima.aio.Memory(memory)
        task = asyncio.create_task(asked.sparql(ENDLESS))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with pytest.raises((asyncio.TimeoutError, TimeoutError)):
            await asyncio.wait_for(asked.sparql(ENDLESS), 0.05)

    start = time.monotonic()
    asyncio.run(main())
    assert time.monotonic() - start < 10


def test_a_hundred_feeds_wait_beside_calls(memory):
    async def main():
        asked = anima.aio.Memory(memory)
        loop = asyncio.get_running_loop()
        loop.set_default_executor(concurrent.futures.ThreadPoolExecutor(1))

        async def first(feed):
            async for commit in feed:
                return commit.entry

        waiting = [asyncio.create_task(first(await asked.changes())) for _ in range(100)]
        await asyncio.sleep(0.2)
        start = time.monotonic()
        assert await asyncio.wait_for(asyncio.to_thread(int, "7"), 5) == 7
        assert (await asyncio.wait_for(asked.ask("Which hosts are there?"), 5)).status
        assert time.monotonic() - start < 1
        for task in waiting[:50]:
            task.cancel()
        await asyncio.wait(waiting[:50], timeout=10)
        assert all(task.cancelled() for task in waiting[:50])
        await asked.kip('UPSERT { CONCEPT { {type: "$ConceptType", name: "Host"} } }')
        assert set(await asyncio.wait_for(asyncio.gather(*waiting[50:]), 10)) == {memory.newest_entry}

    asyncio.run(main())


def test_a_cancelled_task_ends_a_call_that_has_no_thread_yet(memory):
    async def main():
        asked = anima.aio.Memory(memory)
        long = [asyncio.create_task(asked.sparql(ENDLESS)) for _ in range(40)]
        await asyncio.sleep(0.1)
        before = memory.newest_entry
        with pytest.raises((asyncio.TimeoutError, TimeoutError)):
            await asyncio.wait_for(asked.kip('UPSERT { CONCEPT { {type: "$ConceptType", name: "Host"} } }'), 0.1)
        for task in long:
            task.cancel()
        await asyncio.wait(long, timeout=20)
        assert all(task.cancelled() for task in long)
        assert await asked.newest_entry() == before

    start = time.monotonic()
    asyncio.run(main())
    assert time.monotonic() - start < 20


def test_a_program_ends_while_feeds_wait():
    script = """
        import asyncio, anima, anima.aio
        memory = anima.Memory.in_memory()
        loop = asyncio.new_event_loop()
        async def wait():
            async for commit in await anima.aio.Memory(memory).changes():
                pass
        task = loop.create_task(wait())
        loop.run_until_complete(asyncio.sleep(0.2))
        print("ends")
    """
    ran = run_script(script)
    assert ran.stdout == "ends\n" and ran.returncode == 0, ran


def test_an_agent_for_asyncio(tmp_path):
    async def main():
        async with await anima.aio.Agent.open(tmp_path / "space", create=True, author=OWNER) as agent:
            await agent.remember("The boiler is serviced by Bo.")
            assert "Bo" in (await agent.recall("Who services the boiler?")).text
            assert (await agent.ask("Who is Zork?")).outcome
            assert (await agent.run("hum a polka", timeout=30)).outcome == "failed"
            refused = await agent.call("file:write", {"path": "x", "content": "x"}, caller="untrusted")
            assert await agent.why(refused.refusal_id)
            assert await agent.waiting() == [] and (await agent.chat("hello")).outcome
            with pytest.raises(anima.NotFound):
                await agent.grant("nothing")
            with pytest.raises(anima.NotFound):
                await agent.deny("nothing")
            assert await agent.memory.newest_entry() > 0
        assert agent.closed

    asyncio.run(main())


def run_script(text, *arguments, **options):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text), *arguments],
        capture_output=True, text=True, timeout=60, check=False, **options,
    )  # fmt: skip


def test_ctrl_c_ends_a_call():
    script = """
        import os, signal, sys, threading, time
        import anima
        before = signal.getsignal(signal.SIGINT)
        memory = anima.Memory.in_memory()
        for _ in range(2):
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
            start = time.monotonic()
            try:
                memory.sparql(sys.argv[1])
                print("went on")
            except KeyboardInterrupt:
                print("ended", time.monotonic() - start < 10)
        print(signal.getsignal(signal.SIGINT) is before, len(memory.sparql("SELECT * { ?s ?p ?o } LIMIT 1")))
        signal.signal(signal.SIGINT, lambda *_: None)
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            memory.sparql(sys.argv[1])
        except anima.Cancelled:
            print("cancelled")
    """
    ran = run_script(script, ENDLESS)
    assert ran.stdout.split("\n")[:4] == ["ended True", "ended True", "True 1", "cancelled"], ran


def in_child(path, queue):
    try:
        with anima.Memory.open(path) as memory:
            queue.put(len(memory.find(HOSTS)))
    except anima.Error as error:
        queue.put(error.code)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_children_of_a_process(folder, tmp_path, method):
    context = multiprocessing.get_context(method)
    memory = anima.Memory.open(folder, author=OWNER)
    memory.load(DATA / "hosts.csv")
    view = memory.view()
    queue = context.Queue()
    child = context.Process(target=in_child, args=(folder, queue))
    child.start()
    assert queue.get(timeout=60) == ("unsupported" if method == "fork" else 2)
    child.join(60)
    assert child.exitcode == 0
    assert len(memory.find(HOSTS)) == 2 and view.entry > 0
    del view
    memory.close()
    if method == "fork":  # once it is closed a child may have it
        child = context.Process(target=in_child, args=(folder, queue))
        child.start()
        assert queue.get(timeout=60) == 2
        child.join(60)


def test_a_forked_child_uses_nothing_of_its_parent(memory):
    view, start = memory.view(), memory.newest_entry
    child = os.fork()
    if child == 0:
        status = 1
        try:
            for call in (lambda: memory.find(HOSTS), view.export, memory.changes):
                try:
                    call()
                    os._exit(2)
                except anima.Unsupported:
                    status = 0
            memory.close()
            other = anima.Memory.in_memory()
            assert other.newest_entry > 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert memory.newest_entry == start


def test_what_is_open_at_the_end_of_a_program(tmp_path):
    script = """
        import sys, threading
        import anima
        memory = anima.Memory.open(sys.argv[1], create=True)
        agent = anima.Agent.open(memory)
        kept = agent.subscribe("*", lambda kind, payload: None)
        feed = memory.changes()
        threading.Thread(target=lambda: list(feed), daemon=True).start()
        agent.ask("Who is Ada?")
        print("end")
    """
    ran = run_script(script, str(tmp_path / "space"))
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "end\n", ""), ran


def test_signals_of_others_are_left_alone(memory):
    signal.signal(signal.SIGUSR1, lambda *_: None)
    assert len(memory.sparql("SELECT * { ?s ?p ?o } LIMIT 1")) == 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_handlers_of_signals_run_while_a_feed_waits(memory):
    heard = []
    before = signal.signal(signal.SIGTERM, lambda *_: heard.append(time.monotonic()))
    try:
        sent = time.monotonic() + 0.2
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM)).start()
        assert memory.changes().next(timeout=3) is None
        assert heard and heard[0] - sent < 1.5
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_cancelled_task_is_over_when_its_call_is(tmp_path):
    async def main():
        memory = await anima.aio.Memory.open(tmp_path / "space", create=True, author=OWNER)
        loading = asyncio.create_task(memory.load(DATA / "hosts.csv"))
        await asyncio.sleep(0)
        loading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await loading
        entry = await memory.newest_entry()
        await asyncio.sleep(0.3)
        assert await memory.newest_entry() == entry
        await memory.close()

    asyncio.run(main())


# As programs have a thread that never ends: it is in a call while the interpreter goes.
@pytest.mark.parametrize(
    "call",
    [
        "memory.find('FIND(?x.name) WHERE { ?x {type: \"$ConceptType\"} }')",
        "memory.kip('FIND(COUNT(?x)) WHERE { ?x {type: \"$ConceptType\"} }')",
        "memory.ask('Which hosts are there?')",
        "agent.remember('The tide is high at nine.')",
        "agent.recall('When is the tide high?')",
    ],
)
def test_a_daemon_thread_ends_with_the_program(call, tmp_path):
    program = f"""
import threading, time
import anima
memory = anima.Memory.open({str(tmp_path / "space")!r}, create=True)
agent = anima.Agent.open(memory)
def work():
    while True:
        {call}
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
print("done")
"""
    for _ in range(3):
        ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, "done\n", ""), ran.stderr
