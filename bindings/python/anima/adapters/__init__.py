"""A memory behind the frameworks of others. Each module needs a package of its own, and says which.

`anima.adapters.langgraph` has a store and a checkpointer, `anima.adapters.llama_index` a chat store, a
memory and a memory block, `anima.adapters.openai_agents` a session and tools. docs/python.md says what
each keeps.
"""
