"""JSON Schema as everything here reads it: one walk, one way to follow `$ref`, one list of types, one set of bounds."""
