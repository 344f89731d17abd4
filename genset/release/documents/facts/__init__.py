"""What is known of a release, in sentences that its documents share."""
