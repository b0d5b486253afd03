-- Says of the settlements of p_ids, p_epochs and p_records, of which p_settled (numbers from 1)
-- were written, why the others changed nothing.
--
-- Returns a letter for each.
-- Locks entries of `ready`, and skips those that are locked.
create function answer_unsettled(
  p_ids text[], p_epochs bigint[], p_records text, p_settled bigint[]
) returns text language sql set enable_hashjoin = on as $$
  -- Raises a serialization failure where the snapshot of a transaction is older than the claim,
  -- which it would not see.
  select from unnest(p_ids, p_epochs) as s (id, epoch),
    lateral (
      select from run r join ready l on isSame(l.lane, r.lane) and l.ord = r.ord
      where hasId(r, s.id) and r.state = State.submitted and r.epoch = s.epoch - 1
      for update of l skip locked) waiting;
  select string_agg(
    case
      when t.n is not null then Answer.settle.ok
      when r.id is null then Answer.settle.gone
      when case when r.state = State.completed and r.record is null then r.epoch || ':complete'
          else read_record(r.record) ->> 'settledBy' end
        = coalesce(read_record(s.record) ->> 'settledBy', s.epoch || ':complete')
      then Answer.settle.already
      else Answer.settle.fenced
    end, '' order by s.n)
  from (select unnest(p_ids) as id, unnest(p_epochs) as epoch,
    unnest(string_to_array(p_records, chr(10), '')) as record,
    generate_series(1::bigint, cardinality(p_ids)) as n) s
  left join unnest(p_settled) as t (n) on t.n = s.n
  left join run r on hasId(r, s.id)
$$;
