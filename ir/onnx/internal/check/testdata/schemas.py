"""Prints ../schemas.txt, the forms of ONNX's operators, with the onnx package: python schemas.py > ../schemas.txt"""

import onnx.defs

DOMAINS = ("", "ai.onnx.ml")
TYPES = {"FLOAT": "f", "INT": "i", "STRING": "s", "TENSOR": "t", "GRAPH": "g", "SPARSE_TENSOR": "x", "TYPE_PROTO": "p"}


def attribute(a):
    name = a.type.name
    letter = TYPES[name] if name in TYPES else TYPES[name[:-1]].upper()
    return f"{a.name}:{letter}" + ("!" if a.required else "")


def parameters(list):
    text = ""
    for p in list:
        text += {"Single": "s", "Optional": "o", "Variadic": f"v{p.min_arity}"}[p.option.name]
    return text or "-"


lines = []
schemas = [s for s in onnx.defs.get_all_schemas_with_history() if s.domain in DOMAINS]
before = None
for s in sorted(schemas, key=lambda s: (s.domain, s.name, s.since_version)):
    name = f"{s.domain}:{s.name}" if s.domain else s.name
    form = ["deprecated"] if s.deprecated else [
        parameters(s.inputs), parameters(s.outputs), *(attribute(a) for _, a in sorted(s.attributes.items()))]
    if before != (name, form):
        lines.append(" ".join([name, str(s.since_version), *form]))
    before = (name, form)
print("\n".join(lines))
