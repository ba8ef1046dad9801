"""LangGraph's store and checkpointer over a memory.

    from anima.adapters.langgraph import AnimaSaver, AnimaStore

    graph = builder.compile(checkpointer=AnimaSaver(memory), store=AnimaStore(memory))
"""

from __future__ import annotations

from ._missing import needs

with needs("langgraph"):
    from ._langgraph_saver import AnimaSaver
    from ._langgraph_store import AnimaStore

__all__ = ["AnimaSaver", "AnimaStore"]
