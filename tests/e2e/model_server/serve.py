"""A real model server on a model that is made here: llama.cpp's own, from the wheel xllamacpp.

The model has random weights, one layer and a token for each byte: it writes nonsense, and holds to a
grammar when it is asked for JSON of a schema. Prints the address of the server, then serves until
its input ends.
"""
import sys

import gguf
import numpy
import xllamacpp

EMBEDDING, HEADS, FEED_FORWARD, CONTEXT = 32, 2, 64, 16384


def byte_tokens():
    """One token a byte, behind the three that the vocabulary must have."""
    tokens = [(b"<unk>", gguf.TokenType.UNKNOWN), (b"<s>", gguf.TokenType.CONTROL),
              (b"</s>", gguf.TokenType.CONTROL)]
    tokens += [(b"<0x%02X>" % byte, gguf.TokenType.BYTE) for byte in range(256)]
    return tokens


def make_model(path):
    draw = numpy.random.default_rng(7)
    tokens = byte_tokens()
    model = gguf.GGUFWriter(path, "llama")
    model.add_name("random-bytes")
    model.add_context_length(CONTEXT)
    model.add_embedding_length(EMBEDDING)
    model.add_block_count(1)
    model.add_feed_forward_length(FEED_FORWARD)
    model.add_head_count(HEADS)
    model.add_head_count_kv(HEADS)
    model.add_rope_dimension_count(EMBEDDING // HEADS)
    model.add_layer_norm_rms_eps(1e-5)
    model.add_vocab_size(len(tokens))
    model.add_tokenizer_model("llama")
    model.add_token_list([text for text, _ in tokens])
    model.add_token_scores([0.0] * len(tokens))
    model.add_token_types([kind for _, kind in tokens])
    model.add_unk_token_id(0)
    model.add_bos_token_id(1)
    model.add_eos_token_id(2)
    model.add_chat_template("{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"
                            "assistant:")

    def tensor(name, *shape):
        model.add_tensor(name, draw.normal(0, 0.4, shape).astype(numpy.float32))

    def ones(name):
        model.add_tensor(name, numpy.ones(EMBEDDING, dtype=numpy.float32))

    tensor("token_embd.weight", len(tokens), EMBEDDING)
    tensor("output.weight", len(tokens), EMBEDDING)
    for part in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        ones(part + ".weight")
    for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
        tensor("blk.0.%s.weight" % part, EMBEDDING, EMBEDDING)
    tensor("blk.0.ffn_gate.weight", FEED_FORWARD, EMBEDDING)
    tensor("blk.0.ffn_up.weight", FEED_FORWARD, EMBEDDING)
    tensor("blk.0.ffn_down.weight", EMBEDDING, FEED_FORWARD)
    model.write_header_to_file()
    model.write_kv_data_to_file()
    model.write_tensors_to_file()
    model.close()


def main():
    path = sys.argv[1] + "/random-bytes.gguf"
    make_model(path)
    settings = xllamacpp.CommonParams()
    settings.model.path = path
    settings.n_ctx = CONTEXT
    settings.n_parallel = 1
    settings.n_batch = settings.n_ubatch = 2048
    settings.cpuparams.n_threads = 1
    settings.use_jinja = True
    settings.hostnames = ["127.0.0.1"]
    settings.port = 0
    server = xllamacpp.Server(settings)
    print(server.listening_address, flush=True)
    sys.stdin.read()


main()
