"""`Toolbox`: a set of tools bound to one workspace, with a policy."""

from rootle.toolbox.box import Toolbox

__all__ = ["Toolbox"]
