PREFIX : <http://e/> DELETE DATA { _:a :p 1 }
