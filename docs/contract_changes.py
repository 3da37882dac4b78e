"""Changes of the OpenAPI document that break clients, each in a sentence with its place.

A request breaks where what was taken is taken no longer, a response where it may hold what it never held. Both are
one question: may a value of one schema be none of the other? It is asked of the old schema against the new one for
requests, and the other way round for responses.

What is compared are names, types, words, bounds and what is required; patterns and formats are not.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

Json = dict[str, Any]

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
LOWEST = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
HIGHEST = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")


class Change(NamedTuple):
    place: str  # `GET /v1/sets`, or `SetOut.name`
    says: str

    def __str__(self) -> str:
        return f"`{self.place}` {self.says}"


class _Sides(NamedTuple):
    """Schemas by name: of the side whose values are sent, and of the side that has to take them."""

    sent: Json
    taken: Json
    is_request: bool


def breaking(old: Json, new: Json) -> list[Change]:
    """What a client of `old` may trip over in `new`; empty when there is nothing."""
    changes: list[Change] = []
    for path, methods in old["paths"].items():
        for method in (name for name in METHODS if name in methods):
            title = f"{method.upper()} {path}"
            if now := new["paths"].get(path, {}).get(method):
                changes += _operation(title, methods[method], now, old, new)
            else:
                changes.append(Change(title, "is gone"))
    return list(dict.fromkeys(changes))


def _operation(title: str, was: Json, now: Json, old: Json, new: Json) -> Iterator[Change]:
    before, after = (document["components"]["schemas"] for document in (old, new))
    if was["operationId"] != now["operationId"]:
        yield Change(title, f"has the operationId {now['operationId']}, which was {was['operationId']}")
    yield from _parameters(title, was, now, _Sides(before, after, is_request=True))
    yield from _request(title, was, now, _Sides(before, after, is_request=True))
    yield from _responses(title, was["responses"], now["responses"], _Sides(after, before, is_request=False))


def _parameters(title: str, was: Json, now: Json, sides: _Sides) -> Iterator[Change]:
    before, after = ({_key(parameter): parameter for parameter in each.get("parameters", [])} for each in (was, now))
    for where, name in before.keys() - after.keys():
        yield Change(title, f"takes no {where} parameter {name} any more")
    for key, parameter in after.items():
        if parameter.get("required") and not before.get(key, {}).get("required"):
            yield Change(title, f"needs the {key[0]} parameter {key[1]} now")
        if key in before:
            yield from _beyond(before[key]["schema"], parameter["schema"], f"{title}?{key[1]}", sides)


def _key(parameter: Json) -> tuple[str, str]:
    """Where it is and its name, in which headers have no capitals."""
    name = parameter["name"]
    return parameter["in"], name.lower() if parameter["in"] == "header" else name


def _request(title: str, was: Json, now: Json, sides: _Sides) -> Iterator[Change]:
    before, after = (each.get("requestBody", {}) for each in (was, now))
    if after.get("required") and not before.get("required"):
        yield Change(title, "needs a body now")
    yield from _contents(title, before.get("content", {}), after.get("content", {}), sides)


def _responses(title: str, was: Json, now: Json, sides: _Sides) -> Iterator[Change]:
    for status, response in was.items():
        if status.startswith("2") and status not in now:
            yield Change(title, f"no longer answers {status}")
        elif status.startswith("2"):
            yield from _contents(title, response.get("content", {}), now[status].get("content", {}), sides)


def _contents(title: str, was: Json, now: Json, sides: _Sides) -> Iterator[Change]:
    for media_type, content in was.items():
        if media_type not in now:
            yield Change(title, f"no longer has {media_type}")
            continue
        before, after = content.get("schema", {}), now[media_type].get("schema", {})
        sent, taken = (before, after) if sides.is_request else (after, before)
        yield from _beyond(sent, taken, title, sides)


def _beyond(sent: Json, taken: Json, place: str, sides: _Sides, seen: tuple[str, ...] = ()) -> Iterator[Change]:
    """Why a value of `sent` may be none of `taken`."""
    for choice in _choices(sent, sides.sent):
        reasons = [list(_unlike(choice, other, place, sides, seen)) for other in _choices(taken, sides.taken)]
        yield from min(reasons, key=lambda each: (any(change.place == place for change in each), len(each)))


def _choices(schema: Json, schemas: Json) -> list[Json]:
    """The types that a value may have, none of them a reference; a model with its name as `title`."""
    if "anyOf" in schema:
        return [choice for each in schema["anyOf"] for choice in _choices(each, schemas)]
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        return _choices(schemas[name] | {"title": name}, schemas)
    return [schema]


def _unlike(sent: Json, taken: Json, place: str, sides: _Sides, seen: tuple[str, ...]) -> Iterator[Change]:
    """`_beyond` for one of several types each."""
    kind, wanted = sent.get("type"), taken.get("type")
    if wanted is not None and kind != wanted and not (kind == "integer" and wanted == "number"):
        yield Change(place, f"{'is no longer' if sides.is_request else 'may now be'} {kind or 'of any type'}")
        return
    yield from _words(sent, taken, place, sides)
    yield from _bounds(sent, taken, place, sides)
    yield from _fields(sent, taken, place, sides, seen)
    for part in ("items", "additionalProperties"):
        if isinstance(taken.get(part), dict) and isinstance(sent.get(part), dict):
            yield from _beyond(sent[part], taken[part], place, sides, seen)
    yield from _entries(sent, taken, place, sides, seen)


def _words(sent: Json, taken: Json, place: str, sides: _Sides) -> Iterator[Change]:
    listed, takes = ([each["const"]] if "const" in each else each.get("enum") for each in (sent, taken))
    if takes is None:
        return
    if listed is None:
        yield Change(place, "has only certain values now" if sides.is_request else "may now have any value")
        return
    for word in listed:
        if word not in takes:
            yield Change(place, f"{'no longer takes' if sides.is_request else 'may now be'} {json.dumps(word)}")


def _bounds(sent: Json, taken: Json, place: str, sides: _Sides) -> Iterator[Change]:
    for names, is_narrower in ((LOWEST, float.__gt__), (HIGHEST, float.__lt__)):
        for name in names:
            if name in taken and (name not in sent or is_narrower(float(taken[name]), float(sent[name]))):
                was, now = (sent, taken) if sides.is_request else (taken, sent)
                yield Change(place, f"has the {name} {now.get(name)}, which was {was.get(name)}")


def _fields(sent: Json, taken: Json, place: str, sides: _Sides, seen: tuple[str, ...]) -> Iterator[Change]:
    has, takes = sent.get("properties", {}), taken.get("properties", {})
    if has:
        place = sent["title"]
        if place in seen:
            return
        seen = (*seen, place)
    for name in taken.get("required", []):
        if name not in sent.get("required", []) and (sides.is_request or name in has):
            yield Change(f"{place}.{name}", "is required now" if sides.is_request else "may now be left out")
    for name in (takes.keys() - has.keys()) if not sides.is_request else ():
        yield Change(f"{place}.{name}", "is gone")
    for name, schema in has.items():
        if name in takes:
            yield from _beyond(schema, takes[name], f"{place}.{name}", sides, seen)
        elif taken.get("additionalProperties") is False:
            yield Change(f"{place}.{name}", "is no longer taken")


def _entries(sent: Json, taken: Json, place: str, sides: _Sides, seen: tuple[str, ...]) -> Iterator[Change]:
    has, takes = sent.get("prefixItems", []), taken.get("prefixItems", [])
    if len(has) != len(takes):
        yield Change(place, "has another number of entries")
    for one, other in zip(has, takes, strict=False):
        yield from _beyond(one, other, place, sides, seen)
