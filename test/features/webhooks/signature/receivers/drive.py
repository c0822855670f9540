import base64
import json
import sys

from receiver import is_genuine

cases = json.load(sys.stdin)
print(json.dumps([is_genuine(base64.b64decode(c["body"]), c["header"], c["secret"], c["now"]) for c in cases]))
