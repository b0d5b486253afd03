import { MAX_INSTANT_AT } from '@retry/core';
import { byHash, hasId, isSame, unnestAs, unnestNumbered } from '../fragments.ts';
import { isClaimed, isStartedBy } from '../leases.ts';
import { answer, CONTINUED, DEAD, destination, state, WAITING } from '../letters.ts';
import { call, head } from '../signatures.ts';
import { longBytes, noteLong } from './long-texts.ts';

/** What {@link SETTLE} works with. */
export const SETTLE_VARIABLES = `
  v_end bigint;
  v_front bigint;
  v_settled bigint[];
  v_keys text[];
  v_awaited text[];
  v_answers text;
  v_unparked text[];
  v_ready text[];
  v_later text[];
  v_results boolean;
  v_groups text[];
  v_dead dead_letter[];
  v_long bigint;`;

/** How a settlement finds the row of its run. */
interface Found {
  readonly columns: Readonly<Record<string, string>>;
  readonly where: string;
}

/**
 * Where its claim has seen it: no index is searched. No other waiting or started run has its order in the lane, so its id
 * need not be compared.
 */
const BY_ROW: Found = {
  columns: { row_at: 'p_rows_at' },
  where: 'r.ctid = s.row_at and r.ord = s.lane_seq',
};

/** The same of many, by one scan of all places. */
const BY_ROWS: Found = { ...BY_ROW, where: `r.ctid = any (p_rows_at) and ${BY_ROW.where}` };

/** By its id: its row is not known, or has moved since, for instance by a heartbeat. What has been settled is left out. */
const BY_ID: Found = {
  columns: { id: 'p_ids' },
  where: `${hasId('r', 's.id')} and (s.lane_seq is null or r.ord = s.lane_seq) and s.n not in (select unnest(v_settled))`,
};

/**
 * Updates runs, and puts those that continue into their lane or the schedule. It adds to what earlier statements have found, in
 * whatever order the join finds the runs.
 */
const settleFound = (found: Found): string => `
    v_end := nextval('end_order');
    with settled as (
      update run r set
        state = case when s.destination not in ${CONTINUED} then s.destination when r.wants_cancel then ${state('cancelled')}
          when s.destination = ${destination('schedule')} then ${state('scheduled')} else ${state('submitted')} end::"char",
        epoch = s.epoch,
        ord = case when r.wants_cancel then v_end else s.ord end,
        submitted_at = case when s.record is null then r.submitted_at end,
        run_at = case when s.destination = ${destination('schedule')} then s.due when s.record is null then r.run_at end,
        claimed_at = case when s.record is null then s.started_at end,
        heartbeat_at = case when s.record is null then s.started_at end,
        ended_at = case when s.destination not in ${CONTINUED} then s.at when r.wants_cancel then v_now end,
        holds_key = r.holds_key and r.keeps_key is true and s.destination in ${CONTINUED} and not r.wants_cancel,
        holds_lane = nullif(r.holds_lane, true),
        wants_cancel = false, is_dead = s.destination in ${DEAD},
        error_name = s.error, error_group = v_groups[s.group_number], spent = s.spent, result = s.result, record = s.record
      from (
        select *, case destination when ${destination('back')} then nextval('back_order')
            when ${destination('schedule')} then nextval('back_order')
            when ${destination('front')} then v_front + n - 1 else v_end end as ord,
          case when delay is null then at else least(v_now + delay, ${MAX_INSTANT_AT}) end as due
        from ${unnestNumbered('s', {
          ...found.columns,
          epoch: 'p_epochs',
          lane_seq: 'p_lane_seqs',
          destination: 'string_to_array(p_destinations, null)',
          started_at: 'p_started_ats',
          at: 'p_instants',
          delay: 'p_delays_ms',
          error: 'p_error_names',
          group_number: 'p_group_numbers',
          spent: 'p_spent',
          result: 'p_results',
          record: "string_to_array(p_records, chr(10), '')",
        })}
      ) s
      where ${found.where} and case r.state
        when ${state('started')} then r.epoch = s.epoch and (not p_only_if_expired or r.lease_until <= v_now)
        when ${state('submitted')} then r.epoch = s.epoch - 1 and (s.lane_seq is not null or ${isClaimed('r')})
          and (not p_only_if_expired or exists (select from leased() l where ${isStartedBy('r', 'l')} and l.until <= v_now))
        else false end
      returning s.n, r.ctid as row_at, r.id, r.lane, r.state, r.ord, r.run_at, r.key, r.holds_lane, r.is_dead, r.keep_ms,
        s.group_number, r.error_group, r.spent, r.ended_at, ${longBytes('r')} as long
    ), ready_again as (
      insert into ready (lane, ord, id, key, row_at) select lane, ord, id, key, row_at from settled where state = ${state('submitted')}
    ), for_later as (
      insert into scheduled (lane, run_at, ord, id, row_at) select lane, run_at, ord, id, row_at from settled where state = ${state('scheduled')}
    ), ended as (
      insert into finished (ord, count, ids, rows_at) select v_end, count(*), array_agg(id), array_agg(row_at)
      from settled where state not in ${WAITING} and not is_dead and keep_ms is null having count(*) > 0
    )
    select v_settled || array_agg(n), v_keys || array_agg(key) filter (where key is not null) || array_agg(lane) filter (where holds_lane is null),
      v_ready || array_agg(lane) filter (where state = ${state('submitted')}),
      v_later || array_agg(lane) filter (where state = ${state('scheduled')}),
      v_results or coalesce(bool_or(keep_ms is not null and state not in ${WAITING}), false),
      v_awaited || array_agg(id) filter (where keep_ms is not null and state not in ${WAITING} and not is_dead),
      v_dead || array_agg((lane, error_group, p_group_titles[group_number], id, spent, ended_at, v_end, n)::dead_letter) filter (where is_dead),
      sum(long) filter (where state not in ${WAITING} and not is_dead and keep_ms is null)
    into v_settled, v_keys, v_ready, v_later, v_results, v_awaited, v_dead, v_long from settled;${noteLong('v_end', 'v_long')}
`;

/** A settlement that completes a run at its first attempt: SQL of what it has, where, and the order of the end. */
interface Completion {
  readonly n: string;
  readonly epoch: string;
  readonly startedAt: string;
  readonly at: string;
  readonly result: string;
  readonly from: string;
  readonly where: string;
}

/** Updates the runs of such settlements, but those whose result a caller waits for. */
const complete = ({ n, epoch, startedAt, at, result, from, where }: Completion): string => `
      update run r set state = ${state('completed')}, epoch = ${epoch}, ord = v_end, claimed_at = ${startedAt},
        heartbeat_at = ${startedAt}, ended_at = ${at}, holds_key = false, wants_cancel = false, is_dead = false, error_name = null,
        result = ${result}, record = null${from}
      where ${where} and r.keep_ms is null
        and r.epoch = case r.state when ${state('started')} then ${epoch} when ${state('submitted')} then ${epoch} - 1 end
      returning ${n} as n, r.ctid as row_at, r.id`;

/**
 * One run that completed at its first attempt, where its claim has seen it, as subqueries of one statement: with as few nodes as may be,
 * each of which takes about as long as the update.
 */
export const COMPLETED_ONE: string = `settled as (${complete({
  n: '1::bigint',
  epoch: 'p_epochs[1]',
  startedAt: 'p_started_ats[1]',
  at: 'p_instants[1]',
  result: 'p_results[1]',
  from: '',
  where: 'r.ctid = p_rows_at[1] and r.ord = p_lane_seqs[1]',
})}
    ), ended as (
      insert into finished (ord, count, ids, rows_at) select v_end, 1, array[id], array[row_at] from settled
    )`;

/**
 * The same for runs that all completed at their first attempt, which is what most exchanges carry: nothing of them continues, so
 * that the statement is a third of the general one, most of whose time would be its start. Runs whose result a caller waits for
 * are left to the general one; a run with a concurrency key is not found here, as its claim says no row of it.
 */
const settleCompleted = (found: Found): string => `
    v_end := nextval('end_order');
    with settled as (${complete({
      ...{ n: 's.n', epoch: 's.epoch', startedAt: 's.started_at', at: 's.at', result: 's.result' },
      from: `
      from ${unnestNumbered('s', {
        ...found.columns,
        epoch: 'p_epochs',
        lane_seq: 'p_lane_seqs',
        started_at: 'p_started_ats',
        at: 'p_instants',
        result: 'p_results',
      })}`,
      where: found.where,
    })}
    ), ended as (
      insert into finished (ord, count, ids, rows_at) select v_end, count(*), array_agg(id), array_agg(row_at)
      from settled having count(*) > 0
    )
    select array_agg(n) into v_settled from settled;
`;

/** From how many runs on one scan of all their places takes less time than a scan of each, most of which is its start. */
const MANY_PLACES = 16;

/** Whether all of them may be runs that completed at their first attempt. */
export const SEEM_COMPLETED: string = `p_rows_at is not null and p_records is null and not p_only_if_expired
      and p_destinations = repeat(${destination('completed')}, length(p_destinations))`;

/** Finds the runs where their claims have seen them, each or all at once. */
const byRow = (settle: (found: Found) => string): string => `
      if cardinality(p_ids) < ${MANY_PLACES} then${settle(BY_ROW)}      else${byHash(settle(BY_ROWS))}
      end if;`;

/**
 * Settles runs, as a rule in one statement. Ids must not repeat. It is part of the body of \`settle_and_claim\`: a function of
 * its own would cost another call and the start of another statement for each exchange.
 *
 * 1. Only the settlement of a run's current epoch is accepted. One that has the run's order in its lane comes from the client
 *    that claimed it.
 * 2. \`p_destinations\` has a letter for each: front or back of the lane, the schedule, or an end state, in small letters for
 *    a dead letter.
 * 3. A cancel request ends a run that would continue.
 * 4. A run that completes at its first attempt has no record: its columns are enough.
 * 5. A dead letter is counted under its group, once all settlements are written.
 * 6. A delay counts from \`v_now\`.
 * 7. A run with long texts comes without its row, so that this statement finds it by its id: the others count no bytes.
 * 8. What has been settled beside a claim is in \`v_settled\`: see \`claim-few.ts\`.
 *
 * It sets a letter for each settlement, the lanes that got parked runs back, the lanes where settled runs are ready or
 * scheduled, and whether a run has ended whose result a caller waits for.
 */
export const SETTLE: string = `
    if p_group_ids is not null then
      v_groups := admit_groups(p_group_lanes, p_group_ids);
    end if;
    if strpos(p_destinations, ${destination('front')}) > 0 then
      v_front := -nextval('front_order');
    end if;
    if v_is_clear is not null then
      null; -- settled beside the claim, where it was found
    elsif ${SEEM_COMPLETED}
    then${byRow(settleCompleted)}
    elsif p_rows_at is not null then${byRow(settleFound)}
    end if;
    if v_settled is null or cardinality(v_settled) < cardinality(p_ids) then${settleFound(BY_ID)}    end if;
    if v_dead is not null then
      perform join_groups(v_dead);
    end if;
    if v_ready is not null then
      v_ready := array (select distinct lane from unnest(v_ready) as lane);
    end if;
    if v_later is not null then
      v_later := array (select distinct lane from unnest(v_later) as lane);
    end if;
    if v_keys is not null then
      v_keys := array (select distinct key from unnest(v_keys) as key);
      v_unparked := unpark_runs(v_keys);
    end if;
    if v_awaited is not null then
      perform keep_awaited(v_awaited);
    end if;
    if cardinality(v_settled) = cardinality(p_ids) then
      v_answers := repeat(${answer('settle', 'ok')}, cardinality(p_ids));
    else
      v_answers := ${call('answer_unsettled', {
        ids: 'p_ids',
        epochs: 'p_epochs',
        records: 'p_records',
        settled: "coalesce(v_settled, '{}')",
      })};
    end if;
`;

/** Returns the letters of all settlements, and for those that changed nothing why not. */
export const ANSWER_UNSETTLED: string = `
create function ${head('answer_unsettled')} returns text
language sql set enable_hashjoin = on as $$
  -- Raises a serialization failure where the snapshot of a transaction is older than the claim, which it would not see.
  select from ${unnestAs('s', { id: 'p_ids', epoch: 'p_epochs' })},
    lateral (select from run r join ready l on ${isSame('l.lane', 'r.lane')} and l.ord = r.ord
      where ${hasId('r', 's.id')} and r.state = ${state('submitted')} and r.epoch = s.epoch - 1 for update of l skip locked) waiting;
  select string_agg(
    case
      when t.n is not null then ${answer('settle', 'ok')}
      when r.id is null then ${answer('settle', 'gone')}
      when case when r.state = ${state('completed')} and r.record is null then r.epoch || ':complete'
          else read_record(r.record) ->> 'settledBy' end
        = coalesce(read_record(s.record) ->> 'settledBy', s.epoch || ':complete') then ${answer('settle', 'already')}
      else ${answer('settle', 'fenced')}
    end, '' order by s.n)
  from ${unnestNumbered('s', { id: 'p_ids', epoch: 'p_epochs', record: "string_to_array(p_records, chr(10), '')" })}
  left join unnest(p_settled) as t (n) on t.n = s.n
  left join run r on ${hasId('r', 's.id')}
$$;
`;
