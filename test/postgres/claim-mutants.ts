import {
  claimAfterRetry,
  claimAgainAfterRelease,
  claimAndExpire,
  claimBesideKeys,
  claimInOrder,
  claimReleased,
  claimSomeAndExpire,
  claimWhenDue,
  claimWithExtras,
  settleBesideClaims,
} from '../support/telling-scenes/claims.ts';
import {
  findExpiredOfOneLane,
  heartbeatOfEachEpoch,
  settleAfterShortHeartbeat,
} from '../support/telling-scenes/leases.ts';
import type { Mutant } from '../support/telling-scenes/mutant.ts';
import { claimOverTheLimit, waitForSlots } from '../support/telling-scenes/slots.ts';

/** Mistakes in submissions and claims, and in what leases are for. */
export const CLAIM_MUTANTS: readonly Mutant[] = [
  {
    name: 'no fence on heartbeats',
    right: 'and run.epoch = b.epoch and',
    wrong: 'and',
    scene: heartbeatOfEachEpoch,
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
    scene: claimAfterRetry,
  },
  {
    name: 'an epoch is charged twice where not all runs are plain',
    right: 'json_agg(epoch + 1)',
    wrong: 'json_agg(epoch + 2)',
    scene: claimBesideKeys,
  },
  {
    name: 'runs with a concurrency key are claimed as if they had none',
    right: 'l.key is null and r.epoch >= 0',
    wrong: 'r.epoch >= 0',
    scene: claimBesideKeys,
  },
  {
    name: 'a heartbeat charges an epoch',
    right: '+ 1, claimed_at = l.at',
    wrong: '+ 2, claimed_at = l.at',
    scene: heartbeatOfEachEpoch,
  },
  {
    name: 'the lease of a claim is forgotten',
    right: 'lease_until = l.until\n',
    wrong: 'lease_until = l.at\n',
    scene: settleAfterShortHeartbeat,
  },
  {
    name: 'a run is promoted before it is due',
    right: 'and run_at <= p_now\n',
    wrong: 'and run_at <= p_now + 40\n',
    scene: claimWhenDue,
  },
  {
    name: 'a promotion forgets when a run was created',
    right: 'created_at = coalesce(r.created_at, r.submitted_at),',
    wrong: '',
    scene: claimWhenDue,
  },
  {
    name: 'due runs are promoted in the order of their submission',
    right: 'row_number() over (order by run_at, ord)',
    wrong: 'row_number() over (order by id desc)',
    scene: claimWhenDue,
  },
  {
    name: 'a full key is not waited for',
    right: 'v_waits_for_key or v_is_lane_full and p_task_waits',
    wrong: 'false',
    scene: waitForSlots,
  },
  {
    name: 'a key allows one start more',
    right: '>= v_run.key_limit;',
    wrong: '> v_run.key_limit;',
    scene: waitForSlots,
  },
  {
    name: 'a run over the limit takes a slot',
    right: 'v_run.key is not null and not (v_is_full or v_is_lane_full)',
    wrong: 'v_run.key is not null',
    scene: claimOverTheLimit,
  },
  {
    name: 'a heartbeat shrinks a lease',
    right: 'greatest(lease_until, v_now + p_lease_ms)',
    wrong: 'v_now + p_lease_ms',
    scene: settleAfterShortHeartbeat,
  },
  {
    name: 'a claimed run stays in its lane',
    right: 'delete from ready where ctid = any (array (select ready_at from fitting))',
    wrong: 'select from fitting',
    scene: claimInOrder,
  },
  {
    name: 'a claimed run stays in its lane beside one with a concurrency key',
    right: 'delete from ready where ctid = any (array (select row_at from fitting where key is null))',
    wrong: 'select from fitting',
    scene: claimBesideKeys,
  },
  {
    name: 'a claimed run stays in its lane where only one is asked for',
    right: 'delete from ready where ctid = (select ready_at from found where is_plain)',
    wrong: 'select from found',
    scene: claimInOrder,
  },
  {
    name: 'nobody leases a run that is claimed alone',
    right: 'array[id], array[ord], p_lanes[n:n] from found where is_plain',
    wrong: 'array[id], array[ord], p_lanes[n:n] from found where false',
    scene: claimAndExpire,
  },
  {
    name: 'expired runs of other lanes are found',
    right: 'and (p_lanes is null or r.lane = any (p_lanes))',
    wrong: '',
    scene: findExpiredOfOneLane,
  },
  {
    name: 'policies and origins are lost by a claim',
    right: `coalesce((extras)::text, '')`,
    wrong: `coalesce((null)::text, '')`,
    scene: claimWithExtras,
  },
  {
    name: 'nobody leases a few runs of one lane',
    right: 'ids, ords, p_lanes from taken where is_plain',
    wrong: 'ids, ords, p_lanes from taken where false',
    scene: claimSomeAndExpire,
  },
  {
    name: 'a few runs are claimed before what is due',
    right: 'and (due > v_now) is not false',
    wrong: '',
    scene: claimWhenDue,
  },
  {
    name: 'a few runs are claimed before those that were released',
    right: 'and not exists (select from ready where lane = p_lanes[1] and ord < 0)',
    wrong: '',
    scene: claimReleased,
  },
  {
    name: 'a few runs are claimed beside a settlement that did not hold',
    right: 'and exists (select from settled) as is_clear',
    wrong: 'as is_clear',
    scene: settleBesideClaims,
  },
  {
    name: 'a run that is settled beside a claim is not among those that ended',
    right: 'select v_end, 1, array[id], array[row_at] from settled',
    wrong: 'select v_end, 1, array[id], array[row_at] from settled where false',
    scene: settleBesideClaims,
  },
  {
    name: 'the only run of a submission gets another id',
    right: `from (select p_ids[1] as id`,
    wrong: `from (select p_ids[1] || v_now as id`,
    scene: claimWhenDue,
  },
];
