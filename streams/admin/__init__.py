"""Administration: topics and groups as an operator makes and watches them."""
