"""The language model, and everything between a task and an endpoint.

what is asked       task (the seam), tasks (the catalogue), sources, absence
the models          prompted, scripted; opening puts a prompted one together
a reply is read     parsing > scanning, fitting, refusals; schema is what is asked for
the layers          request (their Protocol), cached, budgeted, retrying, limited, chat
beneath them        rates, dialect, completion, statuses, faults, clock
the network         openai (who and where), connection (HTTP)
the cache           cache, cache_file, entry; cache_upkeep is for the user
batches             batched, batch_desk, batch_journal, batches
what it costs       costs, ledger, estimate
"""
