PREFIX : <http://example.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
DELETE { ?s :old ?o } INSERT { ?s :new ?o } WHERE { ?s :old ?o }
