"""What `genset.release.choose` chooses by: the plan, copies, and the reasons against others."""
