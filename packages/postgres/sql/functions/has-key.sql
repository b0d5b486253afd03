-- Whether the run that p_holder says has its unique key at p_now: `hasKey` of core's kit.
--
-- Returns false when the key is free.
create function has_key(p_holder unique_key, p_now bigint)
returns boolean language plpgsql stable as $$
begin
  if p_holder.until is not null then
    return p_holder.until > p_now;
  end if;
  return exists (
    select from run r where hasId(r, p_holder.id) and r.state in (States.active)
      and coalesce(read_count(read_record(r.record), 'redrives'), 0) = 0
      and (not p_holder.to_start
        or (r.epoch = 0 and r.state in (States.waiting) and not isClaimed(r))));
end
$$;
