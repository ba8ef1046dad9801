PREFIX : <http://example.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
INSERT DATA { :a :p 1 . :b :p 2 } ; DELETE DATA { :a :p 1 }
