PREFIX : <http://e/> COPY :g :h
