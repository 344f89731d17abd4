"""Who labels: labelers, their studies, and whose votes count."""
