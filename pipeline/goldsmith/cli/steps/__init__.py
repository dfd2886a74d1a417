"""One module a stage: connects its tables to its function. dvc.yaml runs one of them at a time,
`goldsmith build` all of them in turn, over the same files.
"""
