-- Reads the runs of an earlier claim, p_request of p_worker, that it still holds: the reply to a
-- request that is sent again. A claim only keeps ids, so that no payload is written once more: what
-- it replied is read from the runs.
--
-- Returns them as JSON, in the order in which the worker got them.
-- Locks nothing.
create function recall_claim(p_worker text, p_request text) returns text language sql as $$
  select (
    select concat('[', string_agg(shown, ',' order by n), ']') from (
      select held.n,
        claimedOne(held, of_lane => held.lane, started_at => c.at, leased_until => held.until,
          concurrency => case when held.key is not null then concurrencyOf(held) end,
          is_over_limit => held.key is not null
            and not (held.holds_key and held.holds_lane is not null))::text as shown
      from unnest(c.ids, c.ords) with ordinality as l (id, ord, n), lateral (
        select l.n, r.id, r.ord, r.lane, r.payload, r.created_at, r.submitted_at, r.run_at,
          r.record, r.extras,
          r.key, r.key_limit, r.key_waits, r.keeps_key, r.holds_key, r.holds_lane, r.fairness_key,
          r.epoch - case r.state when State.started then 1 else 0 end as epoch,
          case r.state when State.started then r.lease_until else c.until end as until
        from run r where isStartedBy(r, l) offset 0) held) shown)
  from claim c where c.worker = p_worker and c.request = p_request
$$;
