PREFIX : <http://example.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
INSERT { GRAPH ?g { ?s :copied ?v } } WHERE { GRAPH ?g { ?s :p ?v } }
