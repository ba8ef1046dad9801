PREFIX : <http://example.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
CREATE GRAPH :g ; INSERT DATA { GRAPH :g { :a :p 1 } }
