PREFIX : <http://example.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
DELETE { ?s :p ?v } WHERE { ?s :p ?v FILTER(isBlank(?s)) }
