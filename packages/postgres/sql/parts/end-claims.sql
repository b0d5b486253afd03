-- Removes the earlier claims of a worker whose runs have all been settled, unless another exchange
-- is doing so.
delete from claim where ctid = any (array (
  select ctid from claim where worker = p_worker and request = any (p_ended_requests)
  for update skip locked))
