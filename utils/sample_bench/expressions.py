"""The integer expressions of scenarios (docs/scenario.md), for what is worked out beside them."""

import re


def evaluate(text, parameters):
    """The value of an expression, a number or a string, over named integers. ValueError where it is none."""
    if isinstance(text, (int, float)):
        return text
    tokens = re.findall(r"0x[0-9a-fA-F]+|\d+|[A-Za-z_]\w*|\S", text)
    value = _sum(tokens, parameters)
    if tokens:
        raise ValueError(f"`{text}`: unexpected `{tokens[0]}`")
    return value


def _sum(tokens, parameters):
    value = _product(tokens, parameters)
    while tokens and tokens[0] in "+-":
        value = value + _product(tokens, parameters) if tokens.pop(0) == "+" else value - _product(tokens, parameters)
    return value


def _product(tokens, parameters):
    value = _factor(tokens, parameters)
    while tokens and tokens[0] in "*/%":
        operator, right = tokens.pop(0), _factor(tokens, parameters)
        if operator == "*":
            value *= right
            continue
        if right == 0:
            raise ValueError("division by zero")
        quotient = abs(value) // abs(right) * (1 if (value < 0) == (right < 0) else -1)  # towards zero
        value = quotient if operator == "/" else value - quotient * right
    return value


def _factor(tokens, parameters):
    if not tokens:
        raise ValueError("an expression ends too early")
    token = tokens.pop(0)
    if token == "-":
        return -_factor(tokens, parameters)
    if token == "(":
        value = _sum(tokens, parameters)
        if not tokens or tokens.pop(0) != ")":
            raise ValueError("a `(` without `)`")
        return value
    if token[0].isdigit():
        return int(token, 0)
    if token not in parameters:
        raise ValueError(f"no parameter `{token}`")
    return parameters[token]
