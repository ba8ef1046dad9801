PREFIX : <http://example.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
WITH :g1 INSERT { ?s :both true } WHERE { ?s :p ?v GRAPH :g2 { ?s :p ?w } }
