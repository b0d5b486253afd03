import { MAX_OPERATIONS } from '@retry/core/broker/kit';
import { insertInto } from '../fragments.ts';
import { head } from '../signatures.ts';

/** One lock for all that keep operations, so that no two of them count at the same time. */
const LOCK_OPERATIONS = 'perform pg_advisory_xact_lock({lock}, 3);';

/** The figures of the row `o`. */
const FIGURES = `json_strip_nulls(json_build_object('state', o.state, 'createdAt', o.created_at, 'updatedAt', o.updated_at,
      'endedAt', o.ended_at, 'done', o.done, 'skipped', o.skipped, 'carrier', o.carrier, 'carriedUntil', o.carried_until))`;

/**
 * Keeps operations on dead letters.
 *
 * 1. \`put_operation\` forgets those that ended first, beyond the number that is kept.
 * 2. \`claim_operation\` gives the oldest running one that no other carrier holds. It waits for no step.
 * 3. \`begin_step\` locks the operation of a step and replies whether the step is accepted; \`end_step\` counts it. Both are in the
 *    statement that moves the runs. The operation is locked before all other rows.
 *
 * What was asked for is passed as text, even if it cannot be read: the client parses each by itself.
 */
export const OPERATIONS: string = `
create function ${head('put_operation')} returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
begin
  ${LOCK_OPERATIONS}
  if exists (select from operation where id = p_id) then
    return 'exists';
  elsif (select count(*) from operation where ended_at is null) >= ${MAX_OPERATIONS} then
    return 'full';
  end if;
  delete from operation where id in (
    select id from operation where ended_at is not null order by created_at desc, id desc offset ${MAX_OPERATIONS});
  ${insertInto('operation', {
    id: 'p_id',
    request: 'p_request',
    ids: 'p_ids',
    created_at: 'v_now',
    updated_at: 'v_now',
  })};
  return 'created';
end
$$;

create function ${head('read_operations')} returns text language sql {settings} as $$
  select coalesce(json_agg(json_build_object('id', o.id, 'request', o.request, 'figures', ${FIGURES})), '[]')::text
  from operation o where p_id is null or id = p_id
$$;

create function ${head('claim_operation')} returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
  v_id text;
begin
  select id into v_id from operation
  where state = 'running' and (p_id is null or id = p_id) and (carrier = p_carrier or coalesce(carried_until, 0) <= v_now)
  order by created_at, id limit 1 for update skip locked;
  update operation set epoch = epoch + 1, carrier = p_carrier, carried_until = v_now + p_lease_ms, updated_at = v_now
  where id = v_id;
  return (
    select json_build_object('id', o.id, 'request', o.request, 'figures', ${FIGURES}, 'ids', o.ids, 'epoch', o.epoch,
      'progress', o.progress, 'now', v_now)::text
    from operation o where id = v_id);
end
$$;

create function ${head('change_operation')} returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
begin
  update operation set state = p_to, updated_at = v_now, ended_at = case when p_to = 'cancelled' then v_now end
  where id = p_id and ended_at is null;
  if found then
    return 'changed';
  end if;
  return case when exists (select from operation where id = p_id) then 'refused' else 'gone' end;
end
$$;

create function begin_step(p_operation text, p_epoch bigint) returns boolean language plpgsql as $$
begin
  if p_operation is null then
    return true;
  end if;
  perform from operation where id = p_operation and state = 'running' and epoch = p_epoch and stepped < p_epoch for update;
  return found;
end
$$;

create function ${head('end_step')} returns void language sql as $$
  update operation set stepped = p_epoch, done = done + p_done, skipped = skipped + p_skipped, progress = p_progress,
    updated_at = now_ms(), state = case when p_is_last then 'done' else state end, ended_at = case when p_is_last then now_ms() end
  where id = p_operation
$$;
`;
