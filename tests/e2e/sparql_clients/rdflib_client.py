"""rdflib against a running endpoint: python3 rdflib_client.py ANIMA SPACE. Prints "rdflib ok" or raises."""
import json
import subprocess
import sys
import urllib.request

from rdflib import ConjunctiveGraph, Graph, Literal, Namespace, URIRef
from rdflib.namespace import FOAF, RDF, XSD
from rdflib.plugins.stores.sparqlstore import SPARQLUpdateStore

E = Namespace("http://example.org/")


def triples(endpoint, token):
    store = SPARQLUpdateStore(query_endpoint=endpoint["sparql"], update_endpoint=endpoint["sparql"], headers=dict(token))
    graph = Graph(store, identifier=URIRef("http://example.org/people"))
    graph.add((E.ada, RDF.type, FOAF.Person))
    graph.add((E.ada, FOAF.name, Literal("Ada \"the\" first\n", lang="en")))
    graph.add((E.ada, FOAF.age, Literal("36", datatype=XSD.integer)))
    graph.add((E.grace, FOAF.knows, E.ada))
    assert len(graph) == 4, len(graph)
    assert (E.grace, FOAF.knows, E.ada) in graph
    assert graph.value(E.ada, FOAF.name) == Literal("Ada \"the\" first\n", lang="en")
    graph.remove((E.grace, None, None))
    assert len(graph) == 3, len(graph)
    return store


def queries(store):
    everything = ConjunctiveGraph(store)
    rows = list(everything.query(
        "PREFIX foaf: <http://xmlns.com/foaf/0.1/> SELECT ?who (?age + 1 AS ?next) "
        "WHERE { GRAPH ?g { ?who foaf:age ?age } FILTER(?age > 30) }"))
    assert [(str(row.who), row.next.toPython()) for row in rows] == [(str(E.ada), 37)], rows
    assert everything.query("ASK { GRAPH ?g { ?s ?p ?o } }").askAnswer
    built = everything.query("CONSTRUCT { ?s a <http://example.org/Aged> } WHERE "
                             "{ GRAPH ?g { ?s <http://xmlns.com/foaf/0.1/age> ?age } }").graph
    assert set(built) == {(E.ada, RDF.type, E.Aged)}, set(built)
    everything.update("INSERT { GRAPH <http://example.org/copy> { ?s ?p ?o } } "
                      "WHERE { GRAPH <http://example.org/people> { ?s ?p ?o } }")
    assert len(Graph(store, identifier=URIRef("http://example.org/copy"))) == 3


def graph_store(endpoint, token):
    """The same graph by the Graph Store protocol, in each format that rdflib reads."""
    address = endpoint["data"] + "?graph=http://example.org/people"
    wanted = None
    for media_type, name in (("text/turtle", "turtle"), ("application/rdf+xml", "xml"),
                             ("application/n-triples", "nt"), ("application/ld+json", "json-ld")):
        request = urllib.request.Request(address, headers={"Accept": media_type, **token})
        with urllib.request.urlopen(request) as answer:
            read = set(Graph().parse(data=answer.read().decode(), format=name))
        assert len(read) == 3, (media_type, read)
        assert wanted is None or read == wanted, media_type
        wanted = read
    body = Graph()
    body.add((E.new, E.p, Literal(1)))
    request = urllib.request.Request(endpoint["data"] + "?graph=http://example.org/put", method="PUT",
                                     data=body.serialize(format="xml").encode(),
                                     headers={"Content-Type": "application/rdf+xml", **token})
    with urllib.request.urlopen(request) as answer:
        assert answer.status == 201, answer.status


def main():
    made = subprocess.run([sys.argv[1], "--space", sys.argv[2], "serve", "token", "add", "rdflib", "--json"],
                          stdout=subprocess.PIPE, check=True)
    token = {"Authorization": "Bearer " + json.loads(made.stdout)["token"]}
    server = subprocess.Popen([sys.argv[1], "--space", sys.argv[2], "serve", "--sparql", "--log", "off", "--listen", "127.0.0.1:0",
                               "--json"], stdout=subprocess.PIPE)
    try:
        endpoint = json.loads(server.stdout.readline())
        store = triples(endpoint, token)
        queries(store)
        graph_store(endpoint, token)
    finally:
        server.terminate()
        assert server.wait(timeout=20) == 0
    print("rdflib ok")


main()
