import {
  answer,
  CONTINUED,
  destination,
  REDRIVABLE,
  state,
} from '../../packages/postgres/src/schema/letters.ts';
import type { Real } from '../support/broker-commands.ts';
import {
  claimAgainAfterRelease,
  claimOverTheLimit,
  findExpiredOfOneLane,
  settleAfterShortHeartbeat,
} from '../support/telling-scenes.ts';

/** A mistake in the SQL texts that the differential test has to notice. */
export interface Mutant {
  readonly name: string;
  /** Part of the SQL texts as they are. */
  readonly right: string;
  readonly wrong: string;
  /** Commands that show the mistake, where random ones seldom do. */
  readonly scene?: (real: Real) => Promise<unknown>;
}

/** One mistake for each promise that the SQL texts keep. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'no fence: any epoch is accepted',
    right: `when ${state('submitted')} then r.epoch = s.epoch - 1 and`,
    wrong: `when ${state('submitted')} then`,
  },
  {
    name: 'no fence after a heartbeat',
    right: `when ${state('started')} then r.epoch = s.epoch and`,
    wrong: `when ${state('started')} then`,
  },
  {
    name: 'no fence on heartbeats',
    right: 'and run.epoch = b.epoch and',
    wrong: 'and',
  },
  {
    name: 'no stall check: a cleaner stalls a run whose lease has not expired',
    right: 'and (not p_only_if_expired or r.lease_until <= v_now)',
    wrong: '',
  },
  {
    name: 'no stall check before a heartbeat',
    right: 'and l.until <= v_now))',
    wrong: '))',
  },
  {
    name: 'a repeated settlement is answered as another outcome',
    right: `= coalesce(read_record(s.record) ->> 'settledBy', s.epoch || ':complete') then ${answer('settle', 'already')}`,
    wrong: `= coalesce(read_record(s.record) ->> 'settledBy', s.epoch || ':complete') then ${answer('settle', 'fenced')}`,
  },
  {
    name: 'a repeated claim claims anew',
    right: 'exists (select from claim where worker = p_worker and request = p_request)',
    wrong: 'false',
  },
  {
    name: 'a repeated claim returns runs that it no longer leases',
    right: 'r.ord = l.ord\n    and r.state in',
    wrong: 'r.state in',
    scene: claimAgainAfterRelease,
  },
  {
    name: 'an epoch is charged twice',
    right: '(epoch + 1)::text',
    wrong: '(epoch + 2)::text',
  },
  {
    name: 'an epoch is charged twice where not all runs are plain',
    right: 'json_agg(epoch + 1)',
    wrong: 'json_agg(epoch + 2)',
  },
  {
    name: 'runs with a concurrency key are claimed as if they had none',
    right: 'l.key is null and r.epoch >= 0',
    wrong: 'r.epoch >= 0',
  },
  {
    name: 'a heartbeat charges an epoch',
    right: 'epoch = epoch + 1, claimed_at = l.at',
    wrong: 'epoch = epoch + 2, claimed_at = l.at',
  },
  {
    name: 'the lease of a claim is forgotten',
    right: 'lease_until = l.until\n',
    wrong: 'lease_until = l.at\n',
    scene: settleAfterShortHeartbeat,
  },
  {
    name: 'a released run goes to the back',
    right: `when ${destination('front')} then v_front + n - 1`,
    wrong: `when ${destination('front')} then nextval('back_order')`,
  },
  {
    name: 'a run is promoted before it is due',
    right: 'and run_at <= p_now\n',
    wrong: 'and run_at <= p_now + 40\n',
  },
  {
    name: 'a promotion forgets when a run was created',
    right: 'created_at = coalesce(r.created_at, r.submitted_at),',
    wrong: '',
  },
  {
    name: 'due runs are promoted in the order of their submission',
    right: 'from (select * from due order by run_at, ord) due\n',
    wrong: 'from (select * from due order by id desc) due\n',
  },
  {
    name: 'a cancel request is ignored by a settlement that continues',
    right: `when r.wants_cancel then ${state('cancelled')}`,
    wrong: `when false then ${state('cancelled')}`,
  },
  {
    name: 'a cancel request cancels a run that has ended otherwise',
    right: `case when s.destination not in ${CONTINUED} then s.destination when r.wants_cancel`,
    wrong: `case when s.destination not in ${CONTINUED} and not r.wants_cancel then s.destination when r.wants_cancel`,
  },
  {
    name: 'a full key is not waited for',
    right: 'v_run.key_waits and v_is_full',
    wrong: 'false',
  },
  {
    name: 'a key allows one start more',
    right: 'v_slots_taken >= v_run.key_limit;',
    wrong: 'v_slots_taken > v_run.key_limit;',
  },
  {
    name: 'a run over the limit takes a slot',
    right: 'holds_key = not v_is_full',
    wrong: 'holds_key = true',
    scene: claimOverTheLimit,
  },
  { name: 'parked runs stay parked', right: 'v_unparked := unpark_runs(v_keys);', wrong: 'null;' },
  {
    name: 'a parked run comes back to the end of its lane',
    right: 'select lane, ord, id, key from unparked',
    wrong: "select lane, nextval('back_order'), id, key from unparked",
  },
  {
    name: 'a heartbeat shrinks a lease',
    right: 'greatest(lease_until, v_now + p_lease_ms)',
    wrong: 'v_now + p_lease_ms',
  },
  {
    name: 'a redrive keeps the counters',
    right: "again.record - '{errors,previousDelayMs,failures,stalls,releases,rateLimits}'::text[]",
    wrong: 'again.record',
  },
  {
    name: 'a redrive takes what was cancelled',
    right: `r.state in ${REDRIVABLE}`,
    wrong: `(r.state in ${REDRIVABLE} or r.state = ${state('cancelled')})`,
  },
  {
    name: 'a discarded id stays taken',
    right: 'delete from run r using unnest(v_ended) o where',
    wrong: 'update run r set state = r.state from unnest(v_ended) o where',
  },
  {
    name: 'a submission of a known id replaces it',
    right: 'on conflict do nothing\n',
    wrong: 'on conflict (hash, id) do update set payload = excluded.payload\n',
  },
  {
    name: 'a claimed run stays in its lane',
    right: 'delete from ready where ctid = any (array (select ready_at from fitting))',
    wrong: 'select from fitting',
  },
  {
    name: 'a claimed run stays in its lane beside one with a concurrency key',
    right: 'delete from ready where ctid = any (array (select row_at from fitting where key is null))',
    wrong: 'select from fitting',
  },
  {
    name: 'a claimed run stays in its lane where only one is asked for',
    right: 'delete from ready where ctid = (select ready_at from found where is_plain)',
    wrong: 'select from found',
  },
  {
    name: 'nobody leases a run that is claimed alone',
    right: 'array[id], array[ord], p_lanes[n:n] from found where is_plain',
    wrong: 'array[id], array[ord], p_lanes[n:n] from found where false',
  },
  {
    name: 'settled runs are counted twice',
    right: 'select count(*), 0 from fresh',
    wrong: 'select 2 * count(*), 0 from fresh',
  },
  {
    name: 'a delay counts from nothing',
    right: 'least(v_now + delay',
    wrong: 'least(v_now',
  },
  {
    name: 'expired runs of other lanes are found',
    right: 'and (p_lanes is null or r.lane = any (p_lanes))',
    wrong: '',
    scene: findExpiredOfOneLane,
  },
];
