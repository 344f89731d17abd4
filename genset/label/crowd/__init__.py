"""Paid studies on Prolific and Mechanical Turk: their visits, and whom to pay."""
