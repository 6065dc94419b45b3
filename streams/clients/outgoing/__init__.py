"""What is sent: a record that can always be sent, and batches of records."""
