import { sqlText } from '../support/sql-text.ts';
import type { Mutant } from '../support/telling-scenes/mutant.ts';
import { reserveFullWindow } from '../support/telling-scenes/reservations.ts';
import { tellCase } from '../support/telling-scenes/scene.ts';
import {
  cancelRequestWhileHolding,
  endWhileHolding,
  holdWhileRetrying,
  leaveWithTheFreeSlot,
} from '../support/telling-scenes/slots.ts';
import {
  freeKeyAtEnd,
  freeKeyAtStart,
  freeKeyInTime,
  redriveWithoutKey,
  replaceByKey,
} from '../support/telling-scenes/uniques.ts';

/** Mistakes with unique keys, with slots that runs keep while they wait, and with limits of all workers. */
export const KEY_MUTANTS: readonly Mutant[] = [
  {
    name: 'a unique key until the start is not freed by the start',
    right: sqlText('(r.epoch = 0 and r.state in (States.waiting) and not isClaimed(r))'),
    wrong: 'true',
    scene: freeKeyAtStart,
  },
  {
    name: 'a unique key is not freed by the end of its run',
    right: sqlText('and r.state in (States.active) and coalesce(read_count'),
    wrong: 'and coalesce(read_count',
    scene: freeKeyAtEnd,
  },
  {
    name: 'a unique key whose time is over still conflicts',
    right: 'return p_holder.until > p_now;',
    wrong: 'return true;',
    scene: freeKeyInTime,
  },
  {
    name: 'a redrive gives a unique key back',
    right: "and coalesce(read_count(read_record(r.record), 'redrives'), 0) = 0",
    wrong: '',
    scene: redriveWithoutKey,
  },
  {
    name: 'a replacement keeps the old run',
    right: 'p_ids => array[v_other.id]',
    wrong: "p_ids => array['']",
    scene: replaceByKey,
  },
  {
    name: 'a replacement does not get the key',
    right: 'update unique_key set id = p_ids[i],',
    wrong: 'update unique_key set id = coalesce(v_other.id, p_ids[i]),',
    scene: replaceByKey,
  },
  {
    name: 'a retry frees the slot of a run that is to keep it',
    right: 'r.holds_key and r.keeps_key is true and',
    wrong: 'false and',
    scene: holdWhileRetrying,
  },
  {
    name: 'a run that has kept its slot waits for another one',
    right: 'and not v_run.holds_key and',
    wrong: 'and',
    scene: holdWhileRetrying,
  },
  {
    name: 'a run that has kept its slot does not free it by its final end',
    right: sqlText('r.keeps_key is true and s.destination in (Destinations.continued) and'),
    wrong: 'r.keeps_key is true and',
    scene: holdWhileRetrying,
  },
  {
    name: 'a run that is cancelled by its request keeps its slot',
    right: sqlText('s.destination in (Destinations.continued) and not r.wants_cancel,'),
    wrong: sqlText('s.destination in (Destinations.continued),'),
    scene: cancelRequestWhileHolding,
  },
  {
    name: 'a run that is ended while it keeps its slot does not free it',
    right: 'r.keeps_key is true and a.destination in',
    wrong: 'r.keeps_key is true or false and a.destination in',
    scene: endWhileHolding,
  },
  {
    name: 'a run that is ended by hand leaves its free slot to nobody',
    right: 'keys_of(array (select r from unnest(v_runs) r where',
    wrong: 'keys_of(array (select r from unnest(v_runs) r where false and',
    scene: leaveWithTheFreeSlot,
  },
  {
    name: 'a full window grants one more',
    right: 'p_limit - coalesce(sum(starts), 0)',
    wrong: 'p_limit + 1 - coalesce(sum(starts), 0)',
    scene: reserveFullWindow,
  },
  {
    name: 'a bucket that is over still counts',
    right: 'where bucket >= (greatest(p_now, v_kept.latest_at) - p_window_ms + 1) / v_width;',
    wrong: ';',
    scene: reserveFullWindow,
  },
  {
    name: 'a limit says too early when it grants again',
    right: 'select (bucket + 1) * v_width + p_window_ms - 1 into available_at',
    wrong: 'select bucket * v_width + p_window_ms - 1 into available_at',
    scene: reserveFullWindow,
  },
  {
    name: 'a run with a key of its own takes no slot of its lane',
    right: 'case when not v_is_lane_full then v_of_lane and not v_is_full end',
    wrong: 'false',
    scene: tellCase('a run with a key of its own needs a slot of its lane, too, where the claim limits that'),
  },
  {
    name: 'a run with a key of its own never frees its slot of its lane',
    right: 'holds_lane = nullif(r.holds_lane, true),',
    wrong: '',
    scene: tellCase('a run with a key of its own frees the slots of both by: retry'),
  },
  {
    name: 'a run with a key of its own that waits for it keeps the turn of its lane',
    right: 'and pass_on(p_lane) then',
    wrong: 'and false then',
    scene: tellCase('a run that has waited for its lane and finds its own key full lets the next one start'),
  },
  {
    name: 'a run that waits for its lane takes the turn of its key away',
    right: 'unnest(array[r.key, r.lane]) as one (key) where',
    wrong: 'unnest(array[r.lane]) as one (key) where',
    scene: tellCase(
      'a run that waits for its lane leaves the turn of its key to the next one when it is cancelled',
    ),
  },
  {
    name: 'a run that leaves with the turn of its lane takes it away',
    right: 'unnest(array[r.key, r.lane]) as one (key) where',
    wrong: 'unnest(array[r.key]) as one (key) where',
    scene: tellCase(
      'a run that got its turn after it had waited for its lane can be cancelled, and the next one gets it',
    ),
  },
];
