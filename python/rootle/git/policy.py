"""What whoever runs rootle allows git besides the defaults."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from weakref import WeakKeyDictionary

from rootle.errors import InvalidArgument
from rootle.web.addresses import AddressGuard

__all__ = ["PROTOCOLS", "GitPolicy", "policy_of", "set_policy"]

PROTOCOLS: frozenset[str] = frozenset({"https", "http", "ssh", "git", "file"})
"""What can be allowed at all; others run a program that the URL names."""


class GitPolicy:
    """What git may do in a workspace.

    Args:
        outside: Absolute directories in which parts of a repository may lie although they are outside the root: the
            repository of a linked work tree, borrowed objects.
        any_owner: Read repositories that belong to another user.
        protocols: How repositories may be cloned, of `PROTOCOLS`.
        addresses: Where they may be cloned from. By default public addresses; `AddressGuard(allow=["git.intranet"])`
            adds a host.

    Raises:
        InvalidArgument: For a directory that is not absolute, or an unknown protocol.
    """

    __slots__ = ("addresses", "any_owner", "outside", "protocols")

    def __init__(
        self,
        *,
        outside: Collection[str] = (),
        any_owner: bool = False,
        protocols: Collection[str] = ("https",),
        addresses: AddressGuard | None = None,
    ) -> None:
        for place in outside:
            if not place.startswith("/"):
                raise InvalidArgument.of(f"outside: {place!r} is not absolute", name="outside")
        if unknown := set(protocols) - PROTOCOLS:
            raise InvalidArgument.of(f"protocols: {min(unknown)!r} cannot be allowed", name="protocols")
        self.outside = tuple(outside)
        self.any_owner = any_owner
        self.protocols = frozenset(protocols)
        self.addresses = AddressGuard() if addresses is None else addresses


_DEFAULT = GitPolicy()
_policies: WeakKeyDictionary[Any, GitPolicy] = WeakKeyDictionary()


def policy_of(workspace: Any) -> GitPolicy:
    """Give the policy of a workspace."""
    return _policies.get(getattr(workspace, "sync", workspace), _DEFAULT)


def set_policy(workspace: Any, policy: GitPolicy) -> None:
    """Set the policy of a `Workspace` or an `AsyncWorkspace`."""
    _policies[getattr(workspace, "sync", workspace)] = policy
