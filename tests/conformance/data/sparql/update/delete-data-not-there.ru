PREFIX : <http://example.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
DELETE DATA { :a :p 2 . :z :p 1 }
