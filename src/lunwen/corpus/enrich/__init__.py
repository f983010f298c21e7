"""What is added to papers: links, counts of citations, ORCIDs, each as a record of the source it is from."""
