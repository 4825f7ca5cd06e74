"""Checks a SARIF log against what the standard (OASIS SARIF 2.1.0) requires of the objects in it.

usage: check_sarif.py FILE RESULTS    (FILE may be "-"; RESULTS is the number of results that it must have)
"""

import json
import re
import sys

LEVELS = {"none", "note", "warning", "error"}
# Properties that each object may have, as far as they are written here (the schema allows no others), and must.
OBJECTS = {
    "log": ({"$schema", "version", "runs"}, {"version", "runs"}),  # 3.13
    "run": ({"tool", "columnKind", "invocations", "results"}, {"tool"}),  # 3.14
    "invocation": ({"executionSuccessful", "toolExecutionNotifications"}, {"executionSuccessful"}),  # 3.20
    "notification": ({"level", "message", "locations"}, {"message"}),  # 3.58
    "tool": ({"driver"}, {"driver"}),  # 3.18
    "driver": ({"name", "version", "rules"}, {"name"}),  # 3.19
    "rule": ({"id", "shortDescription", "help", "defaultConfiguration"}, {"id"}),  # 3.49
    "configuration": ({"level"}, set()),  # 3.50
    "message": ({"text"}, {"text"}),  # 3.11, 3.12
    "result": (  # 3.27
        {"ruleId", "ruleIndex", "level", "message", "locations", "relatedLocations", "properties"}, {"message"}),
    "location": ({"id", "physicalLocation", "logicalLocations", "message"}, set()),  # 3.28
    "physical": ({"artifactLocation", "region", "contextRegion"}, {"artifactLocation"}),  # 3.29
    "artifact": ({"uri"}, {"uri"}),  # 3.4
    "region": ({"startLine", "startColumn", "endColumn", "snippet"}, {"startLine"}),  # 3.30
    "logical": ({"name", "kind"}, {"name"}),  # 3.33
}


def fail(text):
    sys.exit(f"check_sarif: {text}")


def check(kind, value):
    if not isinstance(value, dict):
        fail(f"{kind} is no object: {value!r}")
    allowed, required = OBJECTS[kind]
    if set(value) - allowed:
        fail(f"{kind} has {sorted(set(value) - allowed)}")
    if required - set(value):
        fail(f"{kind} lacks {sorted(required - set(value))}")


def check_message(message):
    check("message", message)
    if not isinstance(message["text"], str) or not message["text"].endswith("."):
        fail(f"message {message} is no sentence")


def utf16(column):
    return 2 * (column - 1)


def check_region(region):
    check("region", region)
    for key in ("startLine", "startColumn", "endColumn"):
        if key in region and (not isinstance(region[key], int) or region[key] < 1):
            fail(f"{key} counts from 1, not {region[key]}")
    if "endColumn" in region and region["endColumn"] <= region["startColumn"]:
        fail(f"{region} is empty")
    if "snippet" in region:
        check("message", region["snippet"])  # an artifactContent, which has a text, too
        if "endColumn" in region and len(region["snippet"]["text"].encode("utf-16-le")) != (
                2 * (region["endColumn"] - region["startColumn"])):
            fail(f"{region} has another snippet")  # 3.30.13: the text of the region


def check_location(location):
    check("location", location)
    physical = location["physicalLocation"]
    check("physical", physical)
    check("artifact", physical["artifactLocation"])
    uri = physical["artifactLocation"]["uri"]
    if not re.fullmatch(r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-F]{2})+", uri):
        fail(f"{uri!r} is no URI reference")
    if "region" in physical:
        check_region(physical["region"])
    if "contextRegion" in physical:  # 3.29.5: beside a region, which lies in it
        check_region(physical["contextRegion"])
        region, context = physical["region"], physical["contextRegion"]
        if context["startLine"] != region["startLine"] or "startColumn" in context:
            fail(f"{context} is not the whole line around {region}")
        line, part = context["snippet"]["text"], region["snippet"]["text"]
        first, end = (utf16(region[key]) for key in ("startColumn", "endColumn"))
        if line.encode("utf-16-le")[first:end].decode("utf-16-le") != part:
            fail(f"{part!r} does not stand at the columns of {region}")
    for logical in location.get("logicalLocations", []):
        check("logical", logical)
    if "message" in location:
        check_message(location["message"])


def check_result(result, rules):
    check("result", result)
    check_message(result["message"])
    if result["level"] not in LEVELS:
        fail(f"level {result['level']}")
    if rules[result["ruleIndex"]]["id"] != result["ruleId"]:
        fail(f"rule {result['ruleIndex']} is not {result['ruleId']}")
    for location in result["locations"] + result.get("relatedLocations", []):
        check_location(location)
    ids = [location["id"] for location in result.get("relatedLocations", [])]
    if len(set(ids)) != len(ids):
        fail("ids of related locations repeat")


def main():
    path, expected = sys.argv[1:]
    with (sys.stdin if path == "-" else open(path, encoding="utf-8")) as file:
        log = json.load(file)
    check("log", log)
    if log["version"] != "2.1.0":
        fail(f"version {log['version']}")
    results = 0
    for run in log["runs"]:
        check("run", run)
        check("tool", run["tool"])
        check("driver", run["tool"]["driver"])
        if run["columnKind"] not in ("utf16CodeUnits", "unicodeCodePoints"):
            fail(f"columnKind {run['columnKind']}")
        rules = run["tool"]["driver"]["rules"]
        for rule in rules:
            check("rule", rule)
            check_message(rule["help"])
            check("message", rule["shortDescription"])
            check("configuration", rule["defaultConfiguration"])
            if rule["defaultConfiguration"]["level"] not in LEVELS:
                fail(f"level of {rule['id']}")
        if len({rule["id"] for rule in rules}) != len(rules):
            fail("a rule is there twice")
        for invocation in run["invocations"]:
            check("invocation", invocation)
            for notification in invocation.get("toolExecutionNotifications", []):
                check("notification", notification)
                check("message", notification["message"])
                for location in notification["locations"]:
                    check_location(location)
        for result in run["results"]:
            check_result(result, rules)
            results += 1
    if results != int(expected):
        fail(f"{results} results, not {expected}")


if __name__ == "__main__":
    main()
