"""Tables that other programs read: photos, classes, answers, what is to be pulled."""
