-- A letter for each of the leases p_ids and p_epochs: it is still valid, has a cancel request, is
-- fenced, or gone.
select string_agg(
  case when r.id is null then Answer.heartbeat.gone
    when not case r.state when State.started then r.epoch = b.epoch
      when State.submitted then r.epoch = b.epoch - 1 and isClaimed(r)
      else false end then Answer.heartbeat.fenced
    when r.wants_cancel then Answer.heartbeat.cancel else Answer.heartbeat.ok end,
  '' order by b.n)
from (select unnest(p_ids) as id, unnest(p_epochs) as epoch,
  generate_series(1::bigint, cardinality(p_ids)) as n) b
  left join lateral (select * from run where hasId(run, b.id) offset 0) r on true
