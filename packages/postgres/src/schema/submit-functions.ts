import { MAX_INSTANT_AT } from '@retry/core';
import { hasId, unnestAs } from './fragments.ts';
import { state } from './letters.ts';
import { head } from './signatures.ts';
import { isAwaited, sendNotice } from './wait-functions.ts';

/** The clock of record: whole epoch milliseconds, rounded down so that nothing is early. */
export const CLOCK = `
create function now_ms() returns bigint language sql volatile as $$
  select floor(extract(epoch from clock_timestamp()) * 1000)::bigint
$$;
`;

/** How often a submission is tried whose ids other clients submit or forget at the same time. */
const MAX_TRIES = 10;

/** What is submitted, each value beside the array that has it. */
const INPUT = {
  id: 'p_ids',
  lane: 'p_lanes',
  payload: 'p_payloads',
  run_at: 'p_run_ats',
  delay: 'p_delays_ms',
  key: 'p_keys',
  key_limit: 'p_key_limits',
  key_waits: 'p_key_waits',
  keeps_key: 'p_keeps_keys',
  is_keyed: 'p_keyed',
  keep_ms: 'p_keep_results_ms',
  extras: 'p_extras',
} as const;

const ALL_INPUT = unnestAs('input', INPUT);

/** The only one, which takes a third of the time. */
const ONE_INPUT = `(select ${Object.entries(INPUT)
  .map(([name, array]) => `${array}[1] as ${name}`)
  .join(', ')}) input`;

const FOR_LATER = `
  ), for_later as (
    insert into scheduled (lane, run_at, ord, id, row_at) select lane, run_at, ord, id, row_at from fresh where state = ${state('scheduled')}`;

/** How runs are inserted. */
interface Inserting {
  readonly input: string;
  /** A known id fails the statement, or is left out. */
  readonly onConflict: 'on conflict do nothing' | '';
  /** What puts runs in the schedule, if any may be due later. */
  readonly forLater: string;
  readonly selected: string;
}

const CREATED = 'array_agg(id) into v_created';

const ALL: Inserting = { input: ALL_INPUT, onConflict: '', forLater: FOR_LATER, selected: CREATED };
const ALL_NEW: Inserting = { ...ALL, onConflict: 'on conflict do nothing' };
const ONE_DUE: Inserting = {
  input: ONE_INPUT,
  onConflict: 'on conflict do nothing',
  forLater: '',
  selected: `array_agg(id), p_notify and ${isAwaited('v_now')} into v_created, v_is_awaited`,
};

/** Inserts runs and puts them in their lanes or the schedule. */
const insertRuns = ({ input, onConflict, forLater, selected }: Inserting): string => `
  with fresh as (
    insert into run (id, state, epoch, ord, lane, payload, submitted_at, run_at, key, key_limit, key_waits, keeps_key, is_keyed, keep_ms, extras)
    select id, case when due > v_now then ${state('scheduled')} else ${state('submitted')} end::"char", 0, nextval('back_order'), lane,
      payload, v_now, due, key, key_limit, key_waits, keeps_key, coalesce(is_keyed, false), keep_ms, extras
    from (
      select *, least(greatest(v_now, run_at, v_now + delay), ${MAX_INSTANT_AT}) as due
      from ${input}) input
    where not exists (select from kept_key) or not exists (select from kept_key k where ${hasId('k', 'input.id')} and k.until > v_now)
    ${onConflict}
    returning id, state, ord, lane, run_at, key, ctid as row_at
  ), now_ready as (
    insert into ready (lane, ord, id, key, row_at) select lane, ord, id, key, row_at from fresh where state = ${state('submitted')}${forLater}
  ), counted as (
    insert into tally (submitted, forgotten) select count(*), 0 from fresh having count(*) > 0
  )
  select ${selected} from fresh;
`;

/**
 * Inserts new runs. Replies the ids that were new, in order, as JSON; null when all of them were.
 *
 * 1. An id conflicts with the primary key of \`run\`, which has every run until it is forgotten, and with \`kept_key\`, which
 *    has the keys of forgotten runs.
 * 2. A single run that is due now and whose id was drawn is inserted by a statement of its own, without a block for errors. The same
 *    statement sees whether a process waits for work.
 * 3. Of others, the first try inserts without \`on conflict\`: as a rule all ids are new, and a plain insert takes a quarter less time.
 * 4. A run that is being forgotten is in one of the two tables, but one statement may see neither. A keyed id is therefore
 *    looked up in \`kept_key\` once more after the insert.
 */
export const SUBMIT: string = `
create function ${head('submit_runs')} returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
  v_try integer := 1;
  v_created text[];
  v_is_awaited boolean;
  v_message text;
  v_is_sent boolean;
  v_ready text[];
  v_later text[];
begin
  if cardinality(p_ids) = 1 and p_keyed is null and p_run_ats is null and p_delays_ms is null then${insertRuns(ONE_DUE)}
    if v_is_awaited and v_created is not null then${sendNotice({ ready: 'p_lanes', later: 'null', results: 'false' })}
    end if;
  else
    loop
      begin
        if v_try = 1 then${insertRuns(ALL)}        else${insertRuns(ALL_NEW)}        end if;
        if p_keyed is not null then
          if exists (
            select from unnest(v_created) as created (id)
            join kept_key k on ${hasId('k', 'created.id')} where k.until > v_now)
          then
            raise unique_violation;
          end if;
        end if;
        exit;
      exception when unique_violation then
        -- The second try finds every conflict with our own rows. One that stays is raised by a rule of the database's owner.
        if v_try = ${MAX_TRIES} then
          raise;
        end if;
        v_try := v_try + 1;
      end;
    end loop;
    if p_notify and v_created is not null and ${isAwaited('v_now')} then
      select array_agg(distinct lane) filter (where due <= v_now), array_agg(distinct lane) filter (where due > v_now)
      into v_ready, v_later
      from (select lane, greatest(v_now, run_at, v_now + delay) as due
        from unnest(p_lanes, p_run_ats, p_delays_ms) as input (lane, run_at, delay)) asked;${sendNotice({
          ready: 'v_ready',
          later: 'v_later',
          results: 'false',
        })}
    end if;
  end if;
  if cardinality(v_created) = cardinality(p_ids) then
    return null;
  end if;
  return coalesce(to_json(v_created)::text, '[]');
end
$$;
`;
