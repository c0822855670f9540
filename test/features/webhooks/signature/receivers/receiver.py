import hashlib
import hmac
import re
import time


def is_genuine(body: bytes, header: str, secret: str, now=None) -> bool:
    """Whether a delivery is genuine: body is the raw request body, header the value of Service-Signature."""
    parts = [part.partition("=") for part in header.split(",")]
    t = next((value for name, _, value in parts if name == "t"), "")
    now = int(time.time() if now is None else now)
    if not re.fullmatch(r"[0-9]{1,15}", t) or abs(now - int(t)) > 300:
        return False
    expected = hmac.new(secret.encode(), t.encode() + b"." + body, hashlib.sha256).hexdigest()
    return any(name == "v1" and hmac.compare_digest(value.encode(), expected.encode()) for name, _, value in parts)
