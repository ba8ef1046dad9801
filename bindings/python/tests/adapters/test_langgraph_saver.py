"""AnimaSaver: the conformance tests of langgraph, graphs that really run, and what those tests leave out."""

import asyncio
import operator
from typing import Annotated, TypedDict

import pytest
from conftest import OWNER
from keeping import KEYS, at_once, killed, space  # noqa: F401 (a fixture)
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.base import WRITES_IDX_MAP
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.test_utils import generate_checkpoint, generate_config, generate_metadata
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, interrupt
from serving import serving

import anima
from anima.adapters.langgraph import AnimaSaver, AnimaStore


@pytest.fixture
def saver(memory):
    return AnimaSaver(memory)


def thread(name, **more):
    return {"configurable": {"thread_id": name, **more}}


def put(saver, config, values, versions=None, **metadata):
    """A checkpoint behind that of `config`, with these values of channels."""
    versions = versions or {channel: 1 for channel in values}
    checkpoint = generate_checkpoint(channel_values=values, channel_versions=versions)
    config["configurable"].setdefault("checkpoint_ns", "")
    return saver.put(config, checkpoint, generate_metadata(**metadata), versions)


# -- the conformance tests


def conforms(make):
    registered = checkpointer_test(name="AnimaSaver")(make)
    report = asyncio.run(validate(registered))
    told = report.to_dict()
    assert all(each["passed"] for each in told["results"].values()), told
    assert len(told["results"]) == 8 and told["conformance_level"] == "FULL"


def test_it_conforms_in_the_process():
    async def make():
        with anima.Memory.in_memory(author=OWNER) as memory:
            yield AnimaSaver(memory)

    conforms(make)


def test_it_conforms_over_a_server(folder):
    async def make():
        with anima.connect(folder) as connection:
            yield AnimaSaver(connection)

    with serving(folder):
        conforms(make)


# -- graphs


class Counted(TypedDict):
    count: int
    log: Annotated[list, operator.add]


def counting(saver, store=None):
    def add(state):
        return {"count": state.get("count", 0) + 1, "log": [f"step {state.get('count', 0)}"]}

    builder = StateGraph(Counted)
    builder.add_node("add", add)
    builder.add_node("again", add)
    builder.add_edge(START, "add")
    builder.add_edge("add", "again")
    builder.add_edge("again", END)
    return builder.compile(checkpointer=saver, store=store)


def test_a_graph_runs_as_with_langgraphs_own(space):  # noqa: F811
    ours, theirs = counting(AnimaSaver(space)), counting(InMemorySaver())
    for name in ("a", "b", "a"):
        told = [graph.invoke({"log": [name]}, thread(name)) for graph in (ours, theirs)]
        assert told[0] == told[1]
    for name in ("a", "b"):
        states = [[state.values for state in graph.get_state_history(thread(name))] for graph in (ours, theirs)]
        assert states[0] == states[1] and len(states[0]) == (8 if name == "a" else 4)
        assert [state.metadata["step"] for state in ours.get_state_history(thread(name))] == [
            state.metadata["step"] for state in theirs.get_state_history(thread(name))
        ]


def test_going_back_and_branching(saver):
    graph = counting(saver)
    graph.invoke({"log": ["a"]}, thread("a"))
    early = next(state for state in graph.get_state_history(thread("a")) if state.values.get("count") == 1)
    branch = graph.update_state(early.config, {"count": 10})
    assert graph.invoke(None, branch)["count"] == 11
    assert graph.get_state(early.config).values["count"] == 1
    assert graph.get_state(thread("a")).values["count"] == 11


def asking(saver):
    def ask(state):
        return {"log": [interrupt({"question": "how many?"})]}

    builder = StateGraph(Counted)
    builder.add_node("ask", ask)
    builder.add_edge(START, "ask")
    return builder.compile(checkpointer=saver)


def test_an_interrupt_waits_over_a_kill(folder):
    killed(
        folder,
        """
        import sys
        sys.path.insert(0, "adapters")
        from test_langgraph_saver import AnimaSaver, asking, thread
        graph = asking(AnimaSaver(memory))
        graph.invoke({"log": ["begin"]}, thread("a"))
        assert graph.get_state(thread("a")).interrupts
        """,
    )
    with anima.Memory.open(folder, author=OWNER) as memory:
        graph = asking(AnimaSaver(memory))
        assert graph.get_state(thread("a")).interrupts[0].value == {"question": "how many?"}
        assert graph.invoke(Command(resume="three"), thread("a"))["log"] == ["begin", "three"]
        memory.verify()


PNG = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
MESSAGES = [
    HumanMessage([{"type": "text", "text": "look \0 é e\u0301"}, {"type": "image_url", "image_url": {"url": PNG}}]),
    AIMessage("", tool_calls=[{"name": "add", "args": {"a": 1, "b": [2.0, None]}, "id": "call-1", "type": "tool_call"}]),
    ToolMessage("3", tool_call_id="call-1", artifact={"raw": b"\0\xff"}),
    AIMessage("It is 3.", additional_kwargs={"odd": {"x": [1, 2.0]}}),
]


def talking(saver):
    def answer(state):
        return {"messages": MESSAGES[len(state["messages"]) : len(state["messages"]) + 1]}

    builder = StateGraph(MessagesState)
    builder.add_node("answer", answer)
    builder.add_edge(START, "answer")
    builder.add_conditional_edges("answer", lambda state: "answer" if len(state["messages"]) < 4 else END)
    return builder.compile(checkpointer=saver)


def test_messages_with_images_and_calls_of_tools_in_their_order(folder):
    with anima.Memory.open(folder, author=OWNER) as memory:
        said = talking(AnimaSaver(memory)).invoke({"messages": MESSAGES[:1]}, thread("a"))["messages"]
    with anima.Memory.open(folder, author=OWNER) as memory:
        kept = talking(AnimaSaver(memory)).get_state(thread("a")).values["messages"]
    assert kept == said and [type(each) for each in kept] == [type(each) for each in MESSAGES]
    for one, given in zip(kept, MESSAGES):
        assert one.content == given.content
    assert kept[1].tool_calls == MESSAGES[1].tool_calls and kept[2].artifact == {"raw": b"\0\xff"}
    assert repr(kept[3].additional_kwargs) == repr(MESSAGES[3].additional_kwargs)


def test_a_graph_with_a_store_under_asyncio(memory):
    graph = counting(AnimaSaver(memory), AnimaStore(memory))

    async def main():
        told = await asyncio.gather(*(graph.ainvoke({"log": [str(n)]}, thread(str(n))) for n in range(20)))
        assert [each["log"][0] for each in told] == [str(n) for n in range(20)]
        states = [state async for state in graph.aget_state_history(thread("7"))]
        assert len(states) == 4 and states[0].values == told[7]

    asyncio.run(main())


# -- what is kept


def test_values_come_back_to_the_byte(saver):
    values = {"a": b"\0\xff" * 10, "b": [1, {2}], "c": "\u2028 \0", "d": {1: 2.0}, "e": 2**64 - 1, "": None, "f": float("inf")}
    config = put(saver, thread("t"), values)
    kept = saver.get_tuple(config).checkpoint["channel_values"]
    assert {channel: repr(value) for channel, value in kept.items()} == {channel: repr(value) for channel, value in values.items()}


def test_threads_and_namespaces_are_told_apart_by_every_letter(saver):
    for at, key in enumerate(KEYS):
        put(saver, thread(key), {"n": at})
        put(saver, thread("one", checkpoint_ns=key), {"n": -at})
    put(saver, thread(1), {"n": "a number"})
    for at, key in enumerate(KEYS):
        for config, value in ((thread(key, checkpoint_ns=""), at), (thread("one", checkpoint_ns=key), -at)):
            (only,) = saver.list(config)
            assert only.checkpoint["channel_values"] == {"n": value}, key[:20]
            assert only.config["configurable"]["thread_id"] == config["configurable"]["thread_id"]
            assert only.config["configurable"]["checkpoint_ns"] == config["configurable"]["checkpoint_ns"]
    saver.delete_thread("x")
    assert saver.get_tuple(thread("x")) is None and saver.get_tuple(thread("X")) is not None
    assert len(list(saver.list(thread("one")))) == len(KEYS)


def test_channels_and_tasks_are_told_apart_by_every_letter(saver):
    values = {key: at for at, key in enumerate(KEYS) if not any("\ud800" <= sign <= "\udfff" for sign in key)}
    config = put(saver, thread("t"), values)  # the names of channels are LangGraph's to write
    assert saver.get_tuple(config).checkpoint["channel_values"] == values
    for at, key in enumerate(KEYS):
        saver.put_writes(config, [(key, at), ("other", -at)], f"task {key}")
    writes = saver.get_tuple(config).pending_writes
    assert {(task, channel): value for task, channel, value in writes} == {
        **{(f"task {key}", key): at for at, key in enumerate(KEYS)}, **{(f"task {key}", "other"): -at for at, key in enumerate(KEYS)},
    }  # fmt: skip


@pytest.mark.parametrize("config", [{}, {"configurable": {}}, thread(None), thread(b"x"), thread(True), thread(1.5)])
def test_a_config_without_a_thread(saver, config):
    with pytest.raises(anima.WrongType) as refused:
        saver.get_tuple(config)
    assert refused.value.hint


def test_writes_without_a_checkpoint(saver):
    with pytest.raises(anima.InvalidArgument):
        saver.put_writes(generate_config("t"), [("a", 1)], "task")


def test_of_a_write_the_first_counts_but_of_errors_the_last(saver):
    config = put(saver, thread("t"), {"a": 1})
    special = next(iter(WRITES_IDX_MAP))
    for value in (1, 2):
        saver.put_writes(config, [("a", value), (special, value)], "task")
    assert {channel: value for _, channel, value in saver.get_tuple(config).pending_writes} == {"a": 1, special: 2}


def test_large_values(saver):
    value = {"text": "word " * 1_000_000, "bytes": bytes(range(256)) * 10_000}
    config = put(saver, thread("t"), {"a": value})
    assert saver.get_tuple(config).checkpoint["channel_values"]["a"] == value
    with pytest.raises(anima.LimitExceeded):
        put(saver, thread("t"), {"a": b"x" * (17 << 20)})
    assert saver.get_tuple(thread("t")).config == config


def test_a_hundred_channels(saver):
    values = {f"c{n}": n for n in range(250)}
    config = put(saver, thread("t"), values)
    assert saver.get_tuple(config).checkpoint["channel_values"] == values
    saver.put_writes(config, [(f"c{n}", n) for n in range(250)], "task")
    assert [value for _, _, value in saver.get_tuple(config).pending_writes] == list(range(250))


# -- the log


def test_each_write_is_one_entry_with_its_author_and_can_be_undone(memory):
    saver = AnimaSaver(memory, author=anima.Author("helper", trust=anima.Trust.STANDARD))
    first = put(saver, thread("t"), {"a": 1})
    before = memory.newest_entry
    second = put(saver, first, {"a": 2}, {"a": 2})
    saver.put_writes(second, [("a", 3), ("b", 4)], "task")
    assert memory.newest_entry == before + 2
    assert {commit.author for commit in memory.history(checkpoint_id(memory, second))} == {"helper"}
    memory.undo(memory.newest_entry)
    assert saver.get_tuple(thread("t")).pending_writes == []
    memory.undo(before + 1)
    assert saver.get_tuple(thread("t")).config == first and saver.get_tuple(second) is None
    saver.delete_thread("t")
    assert saver.get_tuple(first) is None
    memory.undo(memory.newest_entry)
    assert saver.get_tuple(thread("t")).checkpoint["channel_values"] == {"a": 1}


def test_no_search_finds_a_checkpoint(memory):
    put(AnimaSaver(memory), thread("attic"), {"attic": "The attic window is purple."}, note="attic")
    assert memory.search("window purple") == []
    (kept,) = memory.find('FIND(?c.id) WHERE { ?c {type: "LangGraphCheckpoint"} }').one()
    commit = memory.history(kept)[-1]
    assert (commit.author, commit.source, commit.trust) == ("ada", "langgraph", anima.Trust.UNTRUSTED)


def checkpoint_id(memory, config):
    wanted = f'"{config["configurable"]["checkpoint_id"]}"'
    query = 'FIND(?c.id) WHERE { ?c {type: "LangGraphCheckpoint"} FILTER(?c.attributes.checkpoint == :wanted) }'
    return memory.find(query, {"wanted": wanted}).one()[0]


def things(memory):
    return memory.find('FIND(COUNT(?x)) WHERE { ?x {} FILTER(STARTS_WITH(?x.type, "LangGraph")) }').one()[0]


def test_nothing_is_left_of_what_is_deleted(memory, saver):
    graph = counting(saver)
    graph.invoke({"log": ["b"]}, thread("b"))
    alone = things(memory)
    graph.invoke({"log": ["a"]}, thread("a"))
    saver.copy_thread("a", "c")
    saver.delete_thread("a")
    saver.delete_thread("c")
    assert things(memory) == alone
    saver.prune(["b"])
    pruned = things(memory)
    assert pruned < alone and graph.get_state(thread("b")).values["log"] == ["b", "step 0", "step 1"]
    saver.prune(["b"], strategy="delete")
    assert things(memory) == 0


def test_what_a_kept_checkpoint_needs_is_not_deleted(saver):
    first = put(saver, thread("t"), {"a": 1}, run_id="one")
    put(saver, first, {"a": 2}, {"a": 2}, run_id="two", counters_since_delta_snapshot={"a": [1, 1]})
    for deletion in (lambda: saver.prune(["t"]), lambda: saver.delete_for_runs(["one"])):
        with pytest.raises(anima.Unsupported) as refused:
            deletion()
        assert refused.value.hint
    saver.delete_for_runs(["two"])
    assert [each.config for each in saver.list(thread("t"))] == [first]
    with pytest.raises(anima.InvalidArgument):
        saver.prune(["t"], strategy="keep_some")


def test_a_copy_is_another_thread(saver):
    graph = counting(saver)
    graph.invoke({"log": ["a"]}, thread("a"))
    saver.copy_thread("a", "b")
    saver.copy_thread("a", "a")
    copied, original = (list(graph.get_state_history(thread(name))) for name in ("b", "a"))
    assert [state.values for state in copied] == [state.values for state in original]
    graph.invoke({"log": ["more"]}, thread("b"))
    assert len(list(graph.get_state_history(thread("a")))) == 4


# -- many at once


def test_threads(space):  # noqa: F811
    saver = AnimaSaver(space)

    def work(number):
        config = put(saver, thread(str(number % 4)), {"a": number}, {"a": number + 1})
        saver.put_writes(config, [("a", number)], f"task {number}")
        return saver.get_tuple(config).checkpoint["channel_values"]["a"]

    assert at_once(work, 60) == list(range(60))
    kept = list(saver.list(None))
    assert len(kept) == 60 and all(len(each.pending_writes) == 1 for each in kept)
    assert all(each.pending_writes[0][2] == each.checkpoint["channel_values"]["a"] for each in kept)


def test_what_is_read_is_of_one_moment(saver):
    def work(number):
        if number % 3 == 0:
            saver.delete_thread("t")
        elif number % 3 == 1:
            config = put(saver, thread("t"), {f"c{n}": number for n in range(20)}, {f"c{n}": number for n in range(20)})
            saver.put_writes(config, [("a", number)], "task")
        else:
            for seen in [saver.get_tuple(thread("t")), *saver.list(thread("t"))]:
                values = seen.checkpoint["channel_values"].values() if seen else []
                assert not seen or len(values) == 20 and len(set(values)) == 1

    at_once(work, 150)


def test_what_was_acknowledged_outlives_a_kill(folder):
    killed(
        folder,
        """
        import sys
        sys.path.insert(0, "adapters")
        from test_langgraph_saver import AnimaSaver, counting, thread
        counting(AnimaSaver(memory)).invoke({"log": ["a"]}, thread("a"))
        """,
    )
    with anima.Memory.open(folder, author=OWNER) as memory:
        graph = counting(AnimaSaver(memory))
        assert len(list(graph.get_state_history(thread("a")))) == 4
        assert graph.invoke({"log": ["b"]}, thread("a"))["count"] == 4
