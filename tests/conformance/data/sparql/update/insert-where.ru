PREFIX : <http://example.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
INSERT { ?s :q ?v } WHERE { ?s :p ?v }
