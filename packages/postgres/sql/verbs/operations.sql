-- Keeps the operation p_id on dead letters, p_request for the runs p_ids, and forgets those that
-- ended first, beyond the number that is kept. What was asked for is text, even if it cannot be
-- read: the client parses each by itself.
--
-- Returns whether it is `created`, already `exists`, or there are as many as there may be: `full`.
-- Locks one lock for all that keep operations, so that no two of them count at the same time.
create function put_operation(p_id text, p_request text, p_ids text) returns text language plpgsql
-- @include settings
as $$
declare
  v_now bigint := now_ms();
begin
  perform pg_advisory_xact_lock(Schema.lock, 3);
  if exists (select from operation where id = p_id) then
    return 'exists';
  elsif (select count(*) from operation where ended_at is null) >= Limit.operations then
    return 'full';
  end if;
  delete from operation where id in (
    select id from operation where ended_at is not null
    order by created_at desc, id desc offset Limit.operations);
  insert into operation (id, request, ids, created_at, updated_at)
  values (p_id, p_request, p_ids, v_now, v_now);
  return 'created';
end
$$;

-- Reads the operation p_id, or all.
--
-- Returns them as JSON.
-- Locks nothing.
create function read_operations(p_id text) returns text language sql
-- @include settings
as $$
  select coalesce(json_agg(json_build_object(
    'id', o.id, 'request', o.request, 'figures', figuresOf(o))), '[]')::text
  from operation o where p_id is null or id = p_id
$$;

-- Gives the oldest running operation that no other carrier holds, or p_id, to p_carrier for
-- p_lease_ms.
--
-- Returns it as JSON; null where there is none.
-- Locks its row. It waits for no step: one that is locked is skipped.
create function claim_operation(p_carrier text, p_lease_ms bigint, p_id text)
returns text language plpgsql
-- @include settings
as $$
declare
  v_now bigint := now_ms();
  v_id text;
begin
  select id into v_id from operation
  where state = 'running' and (p_id is null or id = p_id)
    and (carrier = p_carrier or coalesce(carried_until, 0) <= v_now)
  order by created_at, id limit 1 for update skip locked;
  update operation set epoch = epoch + 1, carrier = p_carrier, carried_until = v_now + p_lease_ms,
    updated_at = v_now
  where id = v_id;
  return (
    select json_build_object('id', o.id, 'request', o.request, 'figures', figuresOf(o),
      'ids', o.ids, 'epoch', o.epoch, 'progress', o.progress, 'now', v_now)::text
    from operation o where id = v_id);
end
$$;

-- Moves the operation p_id to the state p_to, unless it has ended.
--
-- Returns whether it is `changed`, `refused` or `gone`.
-- Locks its row.
create function change_operation(p_id text, p_to text) returns text language plpgsql
-- @include settings
as $$
declare
  v_now bigint := now_ms();
begin
  update operation set state = p_to, updated_at = v_now,
    ended_at = case when p_to = 'cancelled' then v_now end
  where id = p_id and ended_at is null;
  if found then
    return 'changed';
  end if;
  return case when exists (select from operation where id = p_id) then 'refused' else 'gone' end;
end
$$;
