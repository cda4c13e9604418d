"""The most memory that one search takes above the interpreter, measured in a process of its own.

The peak is the kernel's high-water mark of the process image (VmHWM), so that nothing of a parent is counted.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

__all__ = ["memory_above_interpreter"]

_SCRIPT = """
import sys
def status(field):
    with open("/proc/self/status") as file:
        for line in file:
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
bare = status("VmRSS")
import json
request = json.loads(sys.argv[1])
import rootle
result = getattr(rootle, request["call"])(*request["arguments"], **request["keywords"])
count = len(getattr(result, request["rows"]))
print(json.dumps({"above": status("VmHWM") - bare, "count": count}))
"""


def memory_above_interpreter(call: str, *arguments: str, rows: str, **keywords: Any) -> tuple[int, int]:
    """Run `rootle.<call>` in a fresh process; gives the bytes above a bare interpreter and the number of `rows`."""
    request = json.dumps({"call": call, "arguments": arguments, "keywords": keywords, "rows": rows})
    output = subprocess.run([sys.executable, "-c", _SCRIPT, request], stdout=subprocess.PIPE, check=True).stdout
    answer = json.loads(output)
    return answer["above"], answer["count"]
