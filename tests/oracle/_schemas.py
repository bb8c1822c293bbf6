# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tests of docs/schemas share: documents are valid, together they have every part that the schema describes, and
whatever is changed in them is refused. python3-jsonschema says what is valid."""

import json
import os
import sys

import _profiles as p

DIRECTORY = os.path.join(p.SOURCE, "docs", "schemas")
DEBIANS = "/usr/bin/python3"  # which has Debian's modules, and need not be the one that runs this

try:
    import jsonschema
except ImportError:
    if os.environ.get("ANYPROF_SECOND_TRY") or not os.path.exists(DEBIANS):
        p.skip("python3-jsonschema is not installed")
    os.environ["ANYPROF_SECOND_TRY"] = "1"
    os.execv(DEBIANS, [DEBIANS, *sys.argv])

AS_THEY_ARE = 20  # so many documents are validated with the schemas as they are in the files
OTHERS = (None, True, 7, 7.5, "?", [], {}, ["?"], {"?": 7})


def parse(data):
    """A document; a key that is there twice is an error."""

    def entries(pairs):
        if len({key for key, _ in pairs}) != len(pairs):
            raise ValueError("a key is there twice")
        return dict(pairs)

    return json.loads(data.decode("utf-8"), object_pairs_hook=entries)


def kind(value):
    return "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__


class Schema:
    """A schema, and the documents that it is for. `optional` are members that need not be there; `other` are the types
    that a value may have beside that of any one; both by paths."""

    def __init__(self, report, name, optional=(), other=()):
        self.report, self.name, self.optional, self.other = report, name, set(optional), dict(other)
        with open(os.path.join(DIRECTORY, name + ".schema.json"), "rb") as file:
            self.root = parse(file.read())
        jsonschema.Draft202012Validator.check_schema(self.root)
        self.as_it_is = jsonschema.Draft202012Validator(self.root)
        self.validator = jsonschema.Draft202012Validator(self.without_references(self.root))  # much faster
        self.documents = []

    def without_references(self, schema):
        if isinstance(schema, list):
            return [self.without_references(entry) for entry in schema]
        if not isinstance(schema, dict):
            return schema
        plain = {key: self.without_references(value) for key, value in schema.items() if key not in ("$ref", "$defs")}
        name = schema.get("$ref", "").split("/")[-1]
        return {**self.without_references(self.root["$defs"][name]), **plain} if name else plain

    def add(self, what, data):
        """A document as it was written; it must be valid. Returns it."""
        document = parse(data)
        errors = [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"
                  for error in self.validator.iter_errors(document)]
        self.report.check(f"{self.name}: {what}", not errors, errors[:3])
        if len(self.documents) < AS_THEY_ARE:
            self.report.check(f"{self.name}, as it is: {what}", self.as_it_is.is_valid(document))
        self.documents.append((len(data), document))
        return document

    # ---- paths: the keys of members, * for those with any name and for entries of lists ----

    def resolved(self, schema):
        """The schema itself: not a reference, and not one that allows null beside it."""
        while isinstance(schema, dict):
            if "$ref" in schema:
                schema = self.root["$defs"][schema["$ref"].split("/")[-1]]
            elif {"type": "null"} in schema.get("anyOf", ()):
                schema = schema["anyOf"][0]
            else:
                return schema
        return {}

    def below(self, schema):
        """(part of the path, schema) for everything that is in a value of a schema."""
        parts = list(schema.get("properties", {}).items())
        parts += [(str(i), item) for i, item in enumerate(schema.get("prefixItems", []))]
        for key in ("items", "additionalProperties"):
            parts += [("*", schema[key])] if isinstance(schema.get(key), dict) else []
        return [(part, self.resolved(item)) for part, item in parts]

    def paths(self):
        """All that the schema describes; schemas do not contain themselves."""
        found, todo = set(), [("", self.resolved(self.root))]
        while todo:
            path, schema = todo.pop()
            found.add(path)
            todo += [(f"{path}/{part}", item) for part, item in self.below(schema)]
        return found

    def values(self, document):
        """(path, schema, keys that lead there) of all values in a document."""
        todo = [("", self.resolved(self.root), ())]
        while todo:
            path, schema, keys = todo.pop()
            yield path, schema, keys
            value, parts = follow(document, keys), dict(self.below(schema))
            names = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
            for key in names:
                part = str(key) if str(key) in parts else "*"
                todo.append((f"{path}/{part}", parts.get(part, {}), (*keys, key)))

    # ---- changes ----

    def refuses(self, what, document):
        self.report.check(f"{self.name}: {what}", not self.validator.is_valid(document), "it is valid")

    def change_value(self, document, path, schema, keys):
        """In place of a value, one of every other type, and another one of its own."""
        parent, last = follow(document, keys[:-1]), keys[-1]
        value = parent[last]
        others = [other for other in OTHERS if kind(other) not in (kind(value), *self.other.get(path, ()))]
        if kind(value) == "number":
            others.append(-(2**60) if schema == self.root["$defs"].get("signed") else -1)
        elif isinstance(value, str) and schema.keys() & {"pattern", "enum", "const", "anyOf"}:
            others.append(value + "?")
        for other in others:
            parent[last] = other
            self.refuses(f"{path}: {other!r} in place of {p.clip(value, 60)}", document)
        parent[last] = value

    def change_members(self, document, path, schema, keys):
        """Without a member, with one more, and a list of a fixed size with another size."""
        value = follow(document, keys)
        if isinstance(value, dict) and "properties" in schema:
            value["?"] = 0
            self.refuses(f"{path}: one more member", document)
            del value["?"]
            for key in list(value):
                if f"{path}/{key}" in self.optional:
                    continue
                kept = value.pop(key)
                self.refuses(f"{path}: without {key}", document)
                value[key] = kept
        if isinstance(value, list) and value and len(value) == schema.get("minItems"):
            kept = value.pop()
            self.refuses(f"{path}: one entry less", document)
            value += [kept, kept]
            self.refuses(f"{path}: one entry more", document)
            value.pop()

    def change_everything(self, absent=()):
        """Changes each part of the documents once. There must be documents with all that the schema describes, but for
        what is at or below the paths that are absent."""
        seen, described = set(), self.paths()
        for _, document in sorted(self.documents, key=lambda entry: entry[0]):
            for path, schema, keys in list(self.values(document)):
                value = kind(follow(document, keys))
                if (path, value) in seen or (path, "NoneType") in seen and value == "NoneType":
                    continue
                is_whole = value not in ("list", "dict") or follow(document, keys)
                seen.update({(path, value)} if is_whole else ())
                if keys:
                    self.change_value(document, path, schema, keys)
                self.change_members(document, path, schema, keys)
            if not self.report.check(f"{self.name}: the document is as before", self.validator.is_valid(document)):
                return
        missing = {path for path in described - {path for path, _ in seen} if not path.startswith(absent)}
        self.report.check(f"{self.name}: all that it describes is in a document", not missing, sorted(missing))


NAMES = {"integer": "number", "number": "number", "string": "str", "null": "NoneType", "object": "dict",
         "array": "list", "boolean": "bool"}


def resolved(schema, part):
    while "$ref" in part:
        part = schema.root["$defs"][part["$ref"].split("/")[-1]]
    return part


def kinds(schema, part):
    """The types that a value may have, by the schema."""
    part = resolved(schema, part)
    for choice in part.get("anyOf", ()):
        yield from kinds(schema, choice)
    types = part.get("type", ())
    yield from (NAMES[name] for name in (types if isinstance(types, list) else [types] if types else ()))
    yield from (type(value).__name__ for value in part.get("enum", ()))


def facts(schema):
    """{path: types} of values that may have several types, and the paths of members that need not be there."""
    other, optional, todo = {}, set(), [("", schema.root)]
    while todo:
        path, raw = todo.pop()
        other[path] = tuple(set(kinds(schema, raw)))
        part = schema.resolved(raw)
        required = part.get("required", ())
        optional.update(f"{path}/{name}" for name in part.get("properties", ()) if name not in required)
        todo += [(f"{path}/{name}", inner) for name, inner in part.get("properties", {}).items()]
        lists = (part.get(key) for key in ("items", "additionalProperties"))
        todo += [(f"{path}/*", inner) for inner in lists if isinstance(inner, dict)]
    return other, optional


def is_of_programs(name):
    """Whether a schema is one of json_schemas_programs.py."""
    return name.startswith(("anyprof-probe-", "anyprof-bolt-", "anyprof-perf-", "anyprof-profgen",
                            "anyprof-bat-verification"))


def all_tried(report, schemas, are_theirs):
    """No schema file is left out: `are_theirs` says which names of files are those of a test."""
    names = {schema.name + ".schema.json" for schema in schemas}
    report.same("schemas that are tried", sorted(names), sorted(filter(are_theirs, os.listdir(DIRECTORY))))


def follow(document, keys):
    for key in keys:
        document = document[key]
    return document
