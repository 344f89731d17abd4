"""What was shown and said, photo by photo: of a class, by a labeler, of one candidate."""
