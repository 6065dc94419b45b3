"""The report: tables whose rows keep a bound or fail, and charts as text."""
