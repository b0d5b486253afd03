import { sqlText } from '../support/sql-text.ts';
import { claimReleased } from '../support/telling-scenes/claims.ts';
import {
  settleAfterCancelRequest,
  settleAfterShortHeartbeat,
  stallTooEarly,
} from '../support/telling-scenes/leases.ts';
import type { Mutant } from '../support/telling-scenes/mutant.ts';
import {
  settleEarlierStart,
  settleTwice,
  settleWithDelay,
  submitBySettlement,
} from '../support/telling-scenes/settlements.ts';
import { waitForSlots } from '../support/telling-scenes/slots.ts';

/** Mistakes in settlements. */
export const SETTLEMENT_MUTANTS: readonly Mutant[] = [
  {
    name: 'no fence: any epoch is accepted',
    right: sqlText('when State.submitted then r.epoch = s.epoch - 1 and'),
    wrong: sqlText('when State.submitted then'),
    scene: settleEarlierStart,
  },
  {
    name: 'no fence after a heartbeat',
    right: sqlText('when State.started then r.epoch = s.epoch and'),
    wrong: sqlText('when State.started then'),
    scene: settleEarlierStart,
  },
  {
    name: 'no stall check: a cleaner stalls a run whose lease has not expired',
    right: 'and (not p_only_if_expired or r.lease_until <= v_now)',
    wrong: '',
    scene: settleAfterShortHeartbeat,
  },
  {
    name: 'no stall check before a heartbeat',
    right: 'and l.until <= v_now))',
    wrong: '))',
    scene: stallTooEarly,
  },
  {
    name: 'a repeated settlement is answered as another outcome',
    right: sqlText(
      "= coalesce(read_record(s.record) ->> 'settledBy', s.epoch || ':complete') then Answer.settle.already",
    ),
    wrong: sqlText(
      "= coalesce(read_record(s.record) ->> 'settledBy', s.epoch || ':complete') then Answer.settle.fenced",
    ),
    scene: settleTwice,
  },
  {
    name: 'a released run goes to the back',
    right: sqlText('when Destination.front then v_front + n - 1'),
    wrong: sqlText("when Destination.front then nextval('back_order')"),
    scene: claimReleased,
  },
  {
    name: 'a cancel request is ignored by a settlement that continues',
    right: sqlText('when r.wants_cancel then State.cancelled'),
    wrong: sqlText('when false then State.cancelled'),
    scene: settleAfterCancelRequest,
  },
  {
    name: 'a cancel request cancels a run that has ended otherwise',
    right: sqlText(
      'case when s.destination not in (Destinations.continued) then s.destination when r.wants_cancel',
    ),
    wrong: sqlText(
      'case when s.destination not in (Destinations.continued) and not r.wants_cancel then s.destination when r.wants_cancel',
    ),
    scene: settleAfterCancelRequest,
  },
  {
    name: 'parked runs stay parked',
    right: 'v_unparked := unpark_runs(v_keys);',
    wrong: 'null;',
    scene: waitForSlots,
  },
  {
    name: 'a parked run comes back to the end of its lane',
    right: 'select lane, ord, id, key from unparked',
    wrong: "select lane, nextval('back_order'), id, key from unparked",
    scene: waitForSlots,
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
    scene: settleWithDelay,
  },
  {
    name: 'a settlement that is not accepted submits its run',
    right: "where substr(v_answers, n::integer, 1) = 'o' having",
    wrong: 'having',
    scene: submitBySettlement,
  },
  {
    name: 'a settlement submits a run that is due later for now',
    right: 'p_delays_ms => array_agg(delay order by n)',
    wrong: 'p_delays_ms => null',
    scene: submitBySettlement,
  },
  {
    name: 'a settlement submits into the lane of another name',
    right: 'p_lanes => array_agg(lane order by n)',
    wrong: 'p_lanes => array_agg(id order by n)',
    scene: submitBySettlement,
  },
];
