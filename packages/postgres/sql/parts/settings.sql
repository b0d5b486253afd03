-- Settings of every function that a client calls. They allow reads by index only, so that no plan
-- depends on the statistics of the tables, and let each connection plan a statement once.
set search_path = Schema.name, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_bitmapscan = off
set jit = off
set plan_cache_mode = force_generic_plan
