import { MAX_INSTANT_AT } from '@retry/core';
import { KEYS_LOOKED_AT, STATE_LETTERS } from '@retry/core/broker/kit';
import { hasId } from './fragments.ts';
import { isClaimed } from './leases.ts';
import { ACTIVE, answer, WAITING } from './letters.ts';
import { seenOf } from './rows.ts';
import { call, head } from './signatures.ts';

const submitOne = call('submit_runs', {
  ids: 'p_ids[i:i]',
  lanes: 'p_lanes[i:i]',
  payloads: 'p_payloads[i:i]',
  runAts: 'p_run_ats[i:i]',
  delaysMs: 'p_delays_ms[i:i]',
  keys: 'p_keys[i:i]',
  keyLimits: 'p_key_limits[i:i]',
  keyWaits: 'p_key_waits[i:i]',
  keepsKeys: 'p_keeps_keys[i:i]',
  keyed: 'p_keyed[i:i]',
  keepResultsMs: 'p_keep_results_ms[i:i]',
  extras: 'p_extras[i:i]',
  notify: 'p_notify',
});

const cancelOther = call('change_runs', {
  ids: 'array[v_other.id]',
  seen: `array (select ${seenOf('r', 'false')} from run r where ${hasId('r', 'v_other.id')})`,
  destinations: `'${STATE_LETTERS.cancelled}'`,
  instants: 'array[v_now]',
  ...{
    errorNames: 'null',
    results: 'null',
    records: 'null',
    groupIds: 'null',
    groupTitles: 'null',
    spent: 'null',
  },
  ...{
    keepKeysMs: 'null',
    operation: 'null',
    epoch: 'null',
    skipped: 'null',
    progress: 'null',
    isLast: 'null',
  },
});

/** Whether the run has its key: `hasKey` of core's kit. */
const HAS_KEY = `
create function has_key(p_holder unique_key, p_now bigint) returns boolean language plpgsql stable as $$
begin
  if p_holder.until is not null then
    return p_holder.until > p_now;
  end if;
  return exists (
    select from run r where ${hasId('r', 'p_holder.id')} and r.state in ${ACTIVE}
      and coalesce(read_count(read_record(r.record), 'redrives'), 0) = 0
      and (not p_holder.to_start or (r.epoch = 0 and r.state in ${WAITING} and not ${isClaimed('r')})));
end
$$;
`;

/**
 * Inserts new runs, some of which are unique, one after another. Replies the answer of each, and the runs that the answers are about.
 *
 * 1. The rows of the keys are locked first, by ascending key: two submissions of a key follow one another, in transactions of the
 *    user's, too.
 * 2. Where runs are to be replaced, then come the locks that `change_runs` takes, for all of them: `lock_waiting`. A run that another
 *    client is claiming is not among those: it has started, and keeps running.
 * 3. Last, a few other keys are looked at, those that are not locked: the free ones are forgotten.
 *
 * `has_key` is whether a run has its key.
 */
export const SUBMIT_UNIQUE: string = `${HAS_KEY}create function ${head('submit_unique')} returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
  v_holders text[];
  v_other unique_key;
  v_ended json;
  v_answers text := '';
  v_others text[] := '{}';
  v_unparked text[];
  v_results boolean := false;
  v_finished bigint := 0;
  v_long bigint := 0;
begin
  insert into unique_key (key, id) select distinct key, '' from unnest(p_unique_keys) as given (key) where key is not null order by key
  on conflict (key) do update set key = excluded.key;
  if true = any (p_replaces) then
    v_holders := array (select id from unique_key where key = any (p_unique_keys) and has_key(unique_key, v_now));
    perform lock_keys(array (
      select key from unnest(p_keys, p_unique_keys) as given (key, unique_key) where key is not null and unique_key is not null
      union select one.key from unnest(v_holders) as h (id) join run r on ${hasId('r', 'h.id')}, unnest(array[r.key, r.lane]) as one (key)
      where r.key is not null));
    perform from lock_waiting(v_holders);
  end if;
  for i in 1 .. cardinality(p_ids) loop
    if p_unique_keys[i] is null
      or exists (select from run r where ${hasId('r', 'p_ids[i]')})
      or exists (select from kept_key k where ${hasId('k', 'p_ids[i]')} and k.until > v_now)
    then
      v_answers := v_answers || case when ${submitOne} is null then ${answer('submitUnique', 'created')} else ${answer('submitUnique', 'exists')} end;
      continue;
    end if;
    select * into v_other from unique_key where key = p_unique_keys[i] and has_key(unique_key, v_now);
    if v_other.id is not null and not p_replaces[i] then
      v_answers := v_answers || ${answer('submitUnique', 'kept')};
      v_others := v_others || v_other.id;
      continue;
    end if;
    if v_other.id is not null and exists (select from lock_waiting(array[v_other.id])) then
      v_ended := ${cancelOther}::json;
      v_answers := v_answers || ${answer('submitUnique', 'replaced')};
      v_others := v_others || v_other.id;
      v_unparked := v_unparked || array (select json_array_elements_text(
        case when json_typeof(v_ended -> 'unparked') = 'array' then v_ended -> 'unparked' else '[]' end));
      v_results := v_results or (v_ended ->> 'results')::boolean;
      v_finished := v_finished + (v_ended ->> 'finished')::bigint;
      v_long := v_long + (v_ended ->> 'long')::bigint;
    else
      v_answers := v_answers || ${answer('submitUnique', 'created')};
    end if;
    perform ${submitOne};
    update unique_key set id = p_ids[i], to_start = p_until_started[i],
      until = case when p_untils_ms[i] is null then null else least(v_now + p_untils_ms[i], ${MAX_INSTANT_AT}) end
    where key = p_unique_keys[i];
  end loop;
  with looked as (
    select ctid as row_at, has_key(unique_key, v_now) as is_taken from unique_key
    where key <> all (array_remove(p_unique_keys, null)) order by ord limit ${KEYS_LOOKED_AT} * cardinality(p_ids) for update skip locked
  ), forgotten as (
    delete from unique_key where ctid = any (array (select row_at from looked where not is_taken))
  )
  update unique_key set ord = nextval('unique_order') where ctid = any (array (select row_at from looked where is_taken));
  return json_build_object('answers', v_answers, 'others', v_others, 'unparked', v_unparked, 'results', v_results,
    'finished', v_finished, 'long', v_long)::text;
end
$$;
`;
