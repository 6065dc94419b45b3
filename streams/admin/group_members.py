"""How many members a group has, by the broker's word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kafka.admin import KafkaAdminClient
from kafka.protocol.admin import DescribeGroupsRequest

_Base: Any = KafkaAdminClient  # kafka-python carries no types
_Request: Any = DescribeGroupsRequest


class GroupMembersAdmin(_Base):  # type: ignore[misc]
    """kafka-python's administrator, whose ``describe_groups`` counts members alone.

    The library asks for rights, too, and stumbles over those that the embedded broker
    names; aiokafka cannot read that broker's members at all.
    """

    def _describe_groups_request(self, groups: Sequence[str]) -> object:
        return _Request(groups=list(groups), include_authorized_operations=False)

    def _describe_groups_process_response(self, response: Any) -> dict[str, int]:  # noqa: ANN401 - untyped
        return {group.group_id: len(group.members) for group in response.groups}
