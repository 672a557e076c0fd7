"""The walk over a tool's schema: one schema after the other as a narrow target takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from utp_cli.facts.providers import NameRule
from utp_cli.facts.schema_subsets import EVERYTHING
from utp_cli.protocol.spans import pointer
from utp_cli.rendering.keywords import FLAGS, WORDS, action, types_of_keyword
from utp_cli.rendering.losses import Loss, What
from utp_cli.rendering.merge import ANNOTATIONS, merge_into
from utp_cli.rendering.names import free_name, sent_names
from utp_cli.rendering.rewrites import REWRITES
from utp_cli.rendering.values import compact, excerpt, worded
from utp_cli.schemas.bounds import BRANCHES, WRITTEN_DEPTH, WRITTEN_SCHEMAS
from utp_cli.schemas.resolve import resolve
from utp_cli.schemas.types import json_type

if TYPE_CHECKING:
    from utp_cli.rendering.targets import SchemaTarget

Schema = dict[str, Any]
Refs = tuple[str, ...]
"""The references that lead here, outermost first."""

_DEFINITION_NAMES = NameRule(characters="a-zA-Z0-9_-", limit=64)
"""Ours; any name that needs no escaping would do."""
_ANY = ["string", "number", "boolean"]
_NULL = {"type": "null"}
_OPEN_KEYS = ("additionalProperties", "patternProperties", "unevaluatedProperties")
_STRUCTURE: dict[str, type | tuple[type, ...]] = {"properties": dict, "required": list, "items": (dict, bool)}
"""What is translated key by key, and what it must be."""
_OF_OBJECTS = frozenset({"properties", "required", "minProperties", "maxProperties", "default", "example"})


class Walk:
    """The translation of one tool's schema, and what it loses."""

    def __init__(self, tool: str, root: Any, target: SchemaTarget) -> None:
        self.tool, self.root, self.target = tool, root, target
        self.subset = target.subset or EVERYTHING
        self.words: list[str] = []
        self.losses: list[Loss] = []
        self._left = WRITTEN_SCHEMAS
        self.definitions: dict[str, str] = {}
        """Reference → name under `$defs`."""
        self.waiting: list[str] = []
        """References whose definitions are to be translated, in the order they are met."""

    def lose(self, at: str, keyword: str, what: What, message: str) -> None:
        self.losses.append(Loss(tool=self.tool, pointer=at, keyword=keyword, what=what, message=message))

    def node(self, schema: Any, at: str, refs: Refs, depth: int) -> Schema | None:
        """Translate a schema; None where it is cut off, so that whoever holds it must do without."""
        self._left -= 1
        if self._left < 0 or depth > WRITTEN_DEPTH:
            self.lose(at, "", "dropped", "the schema is too deep or too large from here on")
            return None
        if self.target.refs == "hoist" and isinstance(schema, dict) and schema.keys() <= {"$ref"} | ANNOTATIONS:
            hoisted = self._hoisted(schema, at)
            if hoisted:
                return hoisted
        found, refs = self.flat(schema, at, refs)
        if found is None:
            return None
        self.rewrite(found, at)
        if isinstance(found.get("anyOf"), list) and found["anyOf"]:
            return self._union(found, found.pop("anyOf"), at, refs, depth)
        kinds = self._kinds(found, at)
        real = [kind for kind in kinds if kind != "null"] or kinds
        apart = self.target.one_type or {"object", "array"} & set(real)
        if len(real) > 1 and apart:
            shared = {keyword: value for keyword, value in found.items() if keyword not in ("type", "enum")}
            return self._union(shared, _by_kind(kinds, found), at, refs, depth)
        out = self.simple(found, real, at, refs, depth)
        return self._with_null(out) if out is not None and "null" in kinds else out

    def flat(self, schema: Any, at: str, refs: Refs) -> tuple[Schema | None, Refs]:
        """Join a schema with what it refers to; None where that leads round once too often."""
        waiting, found = [schema], Schema()
        for _ in range(BRANCHES):
            if not waiting:
                break
            part = _open(waiting.pop(0))
            ref, branches = part.pop("$ref", None), part.pop("allOf", None)
            waiting += branches if isinstance(branches, list) else []
            if isinstance(ref, str):
                target = resolve(ref, self.root)
                if refs.count(ref) >= self.target.unrolled:
                    rounds = self.target.unrolled
                    self.lose(at, "$ref", "dropped", f"{ref} leads back to itself; it ends after {rounds} rounds")
                    return None, refs
                if target is None:
                    self.lose(at, "$ref", "dropped", f"{ref} points nowhere in this schema")
                else:
                    refs = (*refs, ref)
                    waiting.insert(0, target)
            also: list[str] = []
            for keyword in merge_into(found, part):
                self.say(also, keyword, part[keyword], at)
            if also:
                merge_into(found, {"description": "; ".join(also)})
        if waiting:
            self.lose(at, "allOf", "dropped", f"only {BRANCHES} schemas are joined")
        return found, refs

    def _hoisted(self, schema: Schema, at: str) -> Schema | None:
        """Return a reference to a definition; None where it is none, or leads to itself alone."""
        ref, seen = schema.get("$ref"), set()
        while isinstance(ref, str) and ref not in seen:
            seen.add(ref)
            target = resolve(ref, self.root)
            if not isinstance(target, dict):
                return None
            if target.keys() != {"$ref"}:
                out: Schema = {"$ref": f"#/$defs/{self._definition(ref)}"}
                beside = {keyword: value for keyword, value in schema.items() if keyword != "$ref"}
                return self._annotated({"anyOf": [out]}, beside, at) if beside else out
            ref = target["$ref"]
        return None

    def _definition(self, ref: str) -> str:
        """Return the name that a definition is sent under."""
        if ref not in self.definitions:
            wanted = unquote(ref).replace("#", "/").rpartition("/")[2] or "Root"
            self.definitions[ref] = free_name(wanted, _DEFINITION_NAMES, self.definitions.values())
            self.waiting.append(ref)
        return self.definitions[ref]

    def rewrite(self, found: Schema, at: str) -> None:
        for rewrite in REWRITES:
            loss = rewrite(found, self.target)
            if loss:
                self.lose(f"{at}/{loss[0]}", loss[0], "bent", loss[1])

    def _kinds(self, found: Schema, at: str) -> list[str]:
        """Return the types of a value: declared, or told by its other keywords. Takes null out of an enum."""
        kinds = list(found.pop("type", ()))
        values = found.get("enum")
        if isinstance(values, list) and values:
            kinds = kinds or list(dict.fromkeys(json_type(value) for value in values))
            found["enum"] = [value for value in values if value is not None]
            if not found["enum"]:
                del found["enum"]
        if not kinds:
            kinds = [kind for kind in ("object", "array", "string", "number") if _tells(found, kind)][:1]
        if not kinds and self.target.typed:
            kinds = list(_ANY)
            self.lose(at, "type", "bent", "any value is allowed; text, number and truth value can be sent")
        return kinds

    def _union(self, found: Schema, branches: list[Any], at: str, refs: Refs, depth: int) -> Schema | None:
        """Translate alternatives. What stands beside them holds in each."""
        shared = {keyword: value for keyword, value in found.items() if keyword not in ANNOTATIONS}
        outs: dict[str, Schema] = {}  # by what they say: equal ones are one
        null = False
        for index, branch in enumerate(branches):
            if _is_null(branch):
                null = True
                continue
            whole = {"allOf": [branch, shared]} if shared else branch
            out = self.node(whole, f"{at}/anyOf/{index}", refs, depth + 1)
            several = [] if out is None else out["anyOf"] if out.keys() == {"anyOf"} else [out]
            outs |= {compact(part): part for part in several}
        if not outs:
            return self.simple(found, ["null"], at, refs, depth) if null else None
        first = next(iter(outs.values()))
        out = first if len(outs) == 1 and "$ref" not in first else {"anyOf": [*outs.values()]}
        beside = {keyword: value for keyword, value in found.items() if keyword in ANNOTATIONS}
        out = self._annotated(out, beside, at)
        return self._with_null(out) if null else out

    def _annotated(self, out: Schema, beside: Schema, at: str) -> Schema:
        """Add what stands beside alternatives and asks nothing of a value."""
        words: list[str] = []
        said = self._keep_or_say({k: v for k, v in beside.items() if k != "description"}, [], words, at)
        description = beside.get("description")
        alone = self.target.one_type and "anyOf" in out
        for holder in out["anyOf"] if alone else [out]:
            if isinstance(description, str):
                own = holder.get("description", description)
                holder["description"] = description if own == description else f"{description} ({own})"
            for keyword, value in said.items():
                holder.setdefault(keyword, value)
            self._describe(holder, words, at)
        return out

    def simple(self, found: Schema, kinds: list[str], at: str, refs: Refs, depth: int) -> Schema | None:
        """Translate a schema of one type, or of several that hold no others."""
        words: list[str] = []
        said = found.get("description")
        beside = {k: v for k, v in found.items() if k not in _STRUCTURE and k not in ("type", "description")}
        out: Schema = {"type": kinds[0] if len(kinds) == 1 else kinds} if kinds else {}
        out |= {"description": said} if isinstance(said, str) else {}
        out |= self._keep_or_say(beside, kinds, words, at)
        for keyword, due in _STRUCTURE.items():
            if keyword in found and not isinstance(found[keyword], due):
                self.lose(f"{at}/{keyword}", keyword, "dropped", f"it makes no sense: {excerpt(found[keyword])}")
        whole = True
        if "object" in kinds:
            whole = self._object(out, found, words, at, refs, depth)
        if "array" in kinds:
            whole = self._array(out, found, at, refs, depth)
        if not whole:
            return None
        if self.target.one_type:
            self._as_gemini(out, words, at, depth)
        if depth == 0:
            self.words += words
        self._describe(out, words if depth else [], at)
        return out

    def _keep_or_say(self, found: Schema, kinds: list[str], words: list[str], at: str) -> Schema:
        """Sort keywords by the table: return what is kept, add to `words` what is said."""
        out: Schema = {}
        kind = kinds[0] if len(kinds) == 1 else ""
        for keyword, value in found.items():
            works_on = types_of_keyword(keyword)
            due = action(keyword, value, kind, self.subset)
            if due == "silent" or (works_on and kinds and not {*works_on} & {*kinds}):
                continue
            if value is False and keyword in FLAGS:
                continue
            if self.subset.closed and keyword in _OPEN_KEYS:
                self._close(keyword, value, words, at)
            elif due == "drop":
                self.lose(f"{at}{pointer(keyword)}", keyword, "dropped", f"it cannot be said: {excerpt(value)}")
            elif due == "keep":
                out[keyword] = value
            elif keyword in _OPEN_KEYS and isinstance(value, bool):
                if value is False:
                    self.lose(f"{at}/{keyword}", keyword, "dropped", "the target cannot refuse further keys")
            else:
                self.say(words, keyword, value, at)
        return out

    def say(self, words: list[str], keyword: str, value: Any, at: str) -> None:
        phrase = WORDS.get(keyword) or f"{keyword} {{}}"
        words.append(phrase.replace("{}", excerpt(value)))
        self.lose(f"{at}{pointer(keyword)}", keyword, "moved-to-description", f"said in words: {words[-1]}")

    def _close(self, keyword: str, value: Any, words: list[str], at: str) -> None:
        """An object of a strict tool has only the keys that are listed."""
        if value is not False and value not in (True, {}):
            words.append(f"no further keys here, though the tool takes {excerpt(value)}")
        if value is not False:
            self.lose(f"{at}/{keyword}", keyword, "bent", "closed: keys that are not listed cannot be given")

    def _object(self, out: Schema, found: Schema, words: list[str], at: str, refs: Refs, depth: int) -> bool:
        """Translate the properties. False where a required one is cut off."""
        properties = mapping(found.get("properties"))
        required = set(texts(found.get("required")))
        names = self.sent_names(properties, at, depth)
        sent: Schema = {}
        for name, schema in properties.items():
            where = at + pointer("properties", name)
            child = None if schema is False else self.node(schema, where, refs, depth + 1)
            if child is None and name in required:
                return False
            if child is None:
                words.append(f"{name} cannot be given here")
            elif self.subset.all_required and name not in required:
                sent[names[name]] = self._with_null(child)
                self.lose(where, "required", "bent", "optional: null stands for left out")
            else:
                sent[names[name]] = child
        out["properties"] = sent
        due = [names[name] for name in properties if name in required and names[name] in sent]
        if due or self.subset.all_required:
            out["required"] = list(sent) if self.subset.all_required else due
        for name in sorted(required - properties.keys()):
            self.lose(f"{at}/required", "required", "dropped", f"{name} is required but is no property")
        if self.subset.closed:
            out["additionalProperties"] = False
        return True

    def sent_names(self, properties: Schema, at: str, depth: int) -> dict[str, str]:
        """Return what each property is called for the target."""
        if self.target.keys_at_root and depth > 0:
            return {name: name for name in properties}
        sent = sent_names(properties, self.target.keys)
        for name, new in sent.items():
            if new != name:
                self.lose(at + pointer("properties", name), "properties", "bent", f"{name} is sent as {new}")
        return sent

    def _array(self, out: Schema, found: Schema, at: str, refs: Refs, depth: int) -> bool:
        """Translate the items. False where they are cut off."""
        items = found.get("items", {} if self.target.typed else None)
        if items is None:
            return True
        child = self.node(items, f"{at}/items", refs, depth + 1)
        if child is not None:
            out["items"] = child
        return child is not None

    def _as_gemini(self, out: Schema, words: list[str], at: str, depth: int) -> None:
        """Types in capitals; an object without properties as JSON text."""
        if out.get("type") == "object" and not out["properties"] and depth:
            out["type"] = "string"
            words[:0] = ["a JSON object, written as text"]
            for keyword in out.keys() & _OF_OBJECTS:
                del out[keyword]
            self.lose(at, "type", "bent", "an object without properties is sent as text that holds JSON")
        out["type"] = str(out["type"]).upper()

    def _with_null(self, out: Schema) -> Schema:
        """Allow null as well."""
        if self.target.one_type:
            for holder in out.get("anyOf", [out]):
                holder["nullable"] = True
        elif "anyOf" in out:
            out["anyOf"] += [] if _NULL in out["anyOf"] else [dict(_NULL)]
        elif "$ref" in out:
            return {"anyOf": [out, dict(_NULL)]}
        elif "type" in out:
            kinds = out["type"] if isinstance(out["type"], list) else [out["type"]]
            out["type"] = out["type"] if "null" in kinds else [*kinds, "null"]
            if "enum" in out and None not in out["enum"]:
                out["enum"] = [*out["enum"], None]
        return out

    def _describe(self, out: Schema, words: list[str], at: str) -> None:
        """Put words into the description, and keep that to its limit."""
        said = out.get("description", "")
        if words:
            text = "; ".join(words)
            said = f"{said} ({text})" if said else text[:1].upper() + text[1:]
            out["description"] = said
        limit = self.target.description_limit
        if limit and len(said) > limit:
            out["description"] = worded(said, limit)
            self.lose(f"{at}/description", "description", "bent", f"cut to {limit} characters")


def mapping(value: Any) -> Schema:
    """Return the value if it is a mapping, else an empty one."""
    return value if isinstance(value, dict) else {}


def texts(value: Any) -> list[str]:
    """Return the texts in a list; none where it is no list."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _tells(found: Schema, kind: str) -> bool:
    """Whether a keyword is there that only says something about this type."""
    structure = {"object": ("properties", "required"), "array": ("items",)}.get(kind, ())
    return any(keyword in structure or kind in types_of_keyword(keyword) for keyword in found)


def _by_kind(kinds: list[str], found: Schema) -> list[Schema]:
    """Return a branch for each of several types, with the members of the enum that are of it."""
    values = found.get("enum")
    if not isinstance(values, list) or not values:
        return [{"type": kind} for kind in kinds]
    fitting = {kind: {kind, "integer"} if kind == "number" else {kind} for kind in kinds}
    members = {kind: [value for value in values if json_type(value) in fitting[kind]] for kind in kinds}
    branches = [{"type": kind, "enum": found} for kind, found in members.items() if found]
    return [*branches, *([_NULL] if "null" in kinds else [])]


def _open(schema: Any) -> Schema:
    """Return a schema as a mapping: `true` allows everything, `false` nothing."""
    return dict(schema) if isinstance(schema, dict) else {"not": {}} if schema is False else {}


def _is_null(branch: Any) -> bool:
    return isinstance(branch, dict) and (
        branch.get("type") in ("null", ["null"]) or branch.get("enum") == [None] or branch.get("const", "") is None
    )
