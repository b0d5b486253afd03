-- Reads runs, as many as fit into one reply. The part `listed` says which claims started them, in
-- place of a search among all claims.
with asked as materialized (
  select r.*, a.n from unnest(p_ids) with ordinality as a (id, n)
    left join lateral (select * from run where hasId(run, a.id) offset 0) r on true
), sized as (
  select *,
    sum(256 + coalesce(octet_length(record), 0) + coalesce(octet_length(extras), 0)
      + case when p_payloads
        then coalesce(octet_length(payload), 0) + coalesce(octet_length(result), 0) else 0 end)
      over (order by n) as bytes
  from asked
), since as materialized (
  -- @if listed
  select * from unnest(p_ids, p_ats, p_ords) as l (id, at, ord) where l.at is not null
  -- @else
  select * from leased() where exists (select from asked where isClaimed(asked))
  -- @end
)
select r.n, r.id, r.ended_at is not null,
  -- `l` is the claim that started the run without writing into its row, if any.
  case when r.id is not null then json_build_array(inOrder(RunRow,
    id => r.id,
    lane => r.lane,
    payload => case when p_payloads then r.payload else '' end,
    state => state_name(case when l.id is null then r.state else State.started end),
    epoch => case when l.id is null then r.epoch else nextEpoch(r.epoch) end,
    createdAt => r.created_at,
    submittedAt => r.submitted_at,
    runAt => dueOf(r),
    claimedAt => coalesce(r.claimed_at, l.at),
    heartbeatAt => coalesce(r.heartbeat_at, r.claimed_at, l.at),
    endedAt => r.ended_at,
    isCancelRequested => r.wants_cancel,
    result => case when p_payloads then r.result end,
    record => r.record,
    key => r.key,
    keyLimit => r.key_limit,
    keyWaits => r.key_waits,
    keepsKey => r.keeps_key,
    fairnessKey => r.fairness_key,
    extras => r.extras,
    errorGroup => r.error_group,
    seen => case when not p_payloads then seenOf(r, l.id is not null) end)) end
from sized r left join since l on r.state = State.submitted and isStartedBy(r, l)
where r.n = 1 or r.bytes <= Limit.replyBytes
