"""A receiver of OTLP over HTTP, in JSON: each request is read into the messages of opentelemetry-proto, checked for what
the protocol requires, and told as a line of JSON on standard output. The first line is the port.

Usage: collector.py [STATUS]      what it answers (200)
"""
import base64
import http.server
import json
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2 as metrics
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as traces

STATUS = int(sys.argv[1]) if len(sys.argv) > 1 else 200
IDS = {"traceId": 16, "spanId": 8, "parentSpanId": 8}


def with_bytes(value):
    """Ids are hexadecimal digits in OTLP's JSON, and base64 in that of protobuf."""
    if isinstance(value, list):
        return [with_bytes(each) for each in value]
    if not isinstance(value, dict):
        return value
    changed = {}
    for name, held in value.items():
        if name in IDS:
            held = bytes.fromhex(held)
            assert len(held) == IDS[name] and any(held), name
            changed[name] = base64.b64encode(held).decode()
        else:
            changed[name] = with_bytes(held)
    return changed


def plain(any_value):
    kind = any_value.WhichOneof("value")
    assert kind is not None
    held = getattr(any_value, kind)
    return [plain(each) for each in held.values] if kind == "array_value" else held


def attributes(pairs):
    names = [pair.key for pair in pairs]
    assert len(names) == len(set(names)) and all(names), names
    return {pair.key: plain(pair.value) for pair in pairs}


def told_span(span):
    assert span.name and span.kind in (1, 2, 3), span
    assert 0 < span.start_time_unix_nano <= span.end_time_unix_nano, span
    return {"name": span.name, "kind": span.kind, "trace": span.trace_id.hex(), "span": span.span_id.hex(),
            "parent": span.parent_span_id.hex(), "links": [link.span_id.hex() for link in span.links],
            "state": span.trace_state, "failed": span.status.code == 2, "attributes": attributes(span.attributes)}


def told_points(metric):
    kind = metric.WhichOneof("data")
    assert kind is not None and metric.name, metric
    points = getattr(metric, kind).data_points
    for point in points:
        assert point.time_unix_nano > 0
        if kind == "histogram":
            assert metric.histogram.aggregation_temporality == 2
            assert len(point.bucket_counts) == len(point.explicit_bounds) + 1
            assert sum(point.bucket_counts) == point.count and point.count > 0
            assert 0 < point.start_time_unix_nano <= point.time_unix_nano
    return {"name": metric.name, "unit": metric.unit, "kind": kind,
            "points": [attributes(point.attributes) for point in points]}


def told(path, body):
    read = with_bytes(json.loads(body))
    lines = []
    if path == "/v1/traces":
        for resource in json_format.ParseDict(read, traces.ExportTraceServiceRequest()).resource_spans:
            about = attributes(resource.resource.attributes)
            assert "service.name" in about
            for scope in resource.scope_spans:
                assert scope.scope.name
                lines += [{"resource": about, **told_span(span)} for span in scope.spans]
    else:
        for resource in json_format.ParseDict(read, metrics.ExportMetricsServiceRequest()).resource_metrics:
            for scope in resource.scope_metrics:
                lines += [{"metric": told_points(metric)} for metric in scope.metrics]
    assert lines
    return lines


class Collector(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            assert self.path in ("/v1/traces", "/v1/metrics") and self.headers["content-type"] == "application/json"
            for line in told(self.path, body):
                print(json.dumps({**line, "key": self.headers.get("api-key")}), flush=True)
        except Exception as problem:  # a fault of what came, for the test to see
            print(json.dumps({"fault": repr(problem), "body": body.decode()[:2000]}), flush=True)
        self.send_response(STATUS)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
print(server.server_port, flush=True)
server.serve_forever()
