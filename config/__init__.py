"""The operator's panel: every knob, dial and dataset."""
