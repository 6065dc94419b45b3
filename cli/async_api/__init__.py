"""The AsyncAPI document: topics and messages, for the tools that read such a file."""
