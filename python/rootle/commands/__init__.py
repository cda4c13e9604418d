"""Commands as tools run and describe them: jobs, what is shown of their output, and the words on how they ended.

`rootle.sandbox` runs a command and gives back bytes; here that becomes what a model reads and a program uses.
"""

from rootle.commands.job import Job
from rootle.commands.jobs import Jobs, jobs_of

__all__ = ["Job", "Jobs", "jobs_of"]
