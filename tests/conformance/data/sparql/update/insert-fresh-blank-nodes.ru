PREFIX : <http://example.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
INSERT { ?s :has [ :v ?v ] } WHERE { ?s :p ?v }
