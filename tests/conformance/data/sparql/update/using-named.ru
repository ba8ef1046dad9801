PREFIX : <http://example.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
INSERT { ?s :in ?g } USING NAMED :g1 WHERE { GRAPH ?g { ?s :p ?v } }
