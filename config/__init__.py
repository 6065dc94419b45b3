"""What an operator chooses and sees: settings, data sets, metrics, logs, exit codes."""
