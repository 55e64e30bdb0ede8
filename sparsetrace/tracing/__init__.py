"""One call of a function, run as often as it takes: arguments in, patterns' graphs out."""
