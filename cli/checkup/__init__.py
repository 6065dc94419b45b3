"""The checkup of `sigma doctor`: what is looked at, most important first."""
