"""Mail out: from notices to letters, and from letters to the other side."""
