import type { Mutant } from '../support/telling-scenes/mutant.ts';
import { tellCase } from '../support/telling-scenes/scene.ts';

const CLAIMED = tellCase('operations are claimed by one carrier, the oldest first');
const CHANGED = tellCase('operations are paused, resumed and cancelled');
const KEPT = tellCase(
  'operations that have not ended are at most a hundred, and so are the ended ones that are kept',
);
const SENT_AGAIN = tellCase(
  'a step of an operation that is sent again is fenced, and changes nothing: redrive',
);
const COUNTED = tellCase('a step of an operation redrives, counts, and says where the next one begins');
const LAST = tellCase('the last step of an operation ends it, even without runs');

/** Mistakes with operations on dead letters, and their steps. */
export const OPERATION_MUTANTS: readonly Mutant[] = [
  {
    name: 'an operation is carried on by two carriers',
    right: 'and (carrier = p_carrier or coalesce(carried_until, 0) <= v_now)',
    wrong: '',
    scene: CLAIMED,
  },
  {
    name: 'a carrier cannot claim its own operation again',
    right: '(carrier = p_carrier or coalesce(carried_until, 0) <= v_now)',
    wrong: 'coalesce(carried_until, 0) <= v_now',
    scene: CLAIMED,
  },
  {
    name: 'an operation is never taken over',
    right: 'coalesce(carried_until, 0) <= v_now)',
    wrong: 'carried_until is null)',
    scene: tellCase('operations are carried on by another one when the lease is over'),
  },
  {
    name: 'the newest operation is claimed first',
    right: 'order by created_at, id limit 1 for update skip locked',
    wrong: 'order by created_at desc, id limit 1 for update skip locked',
    scene: CLAIMED,
  },
  {
    name: 'a claim of one operation gets another one',
    right: `where state = 'running' and (p_id is null or id = p_id)`,
    wrong: `where state = 'running'`,
    scene: CLAIMED,
  },
  {
    name: 'an operation is carried on while it is paused',
    right: `where state = 'running' and (p_id is null`,
    wrong: 'where ended_at is null and (p_id is null',
    scene: CHANGED,
  },
  {
    name: 'an operation that has ended is resumed',
    right: 'where id = p_id and ended_at is null;',
    wrong: 'where id = p_id;',
    scene: CHANGED,
  },
  {
    name: 'an operation that is cancelled does not end',
    right: `ended_at = case when p_to = 'cancelled' then v_now end`,
    wrong: 'ended_at = null',
    scene: CHANGED,
  },
  {
    name: 'any number of operations is carried on',
    right: 'where ended_at is null) >= 100 then',
    wrong: 'where ended_at is null) > 100 then',
    scene: KEPT,
  },
  {
    name: 'the operations that are forgotten are the latest',
    right: 'order by created_at desc, id desc offset 100',
    wrong: 'order by created_at, id desc offset 100',
    scene: KEPT,
  },
  {
    name: 'a step is accepted twice',
    right: 'and epoch = p_epoch and stepped < p_epoch for update',
    wrong: 'and epoch = p_epoch for update',
    scene: SENT_AGAIN,
  },
  {
    name: 'a step is accepted after another claim',
    right: 'and epoch = p_epoch and stepped < p_epoch for update',
    wrong: 'and stepped < p_epoch for update',
    scene: tellCase('a step of an operation is fenced after another claim'),
  },
  {
    name: 'a step is accepted while its operation is paused',
    right: `and state = 'running' and epoch = p_epoch`,
    wrong: 'and ended_at is null and epoch = p_epoch',
    scene: tellCase('a step of an operation is fenced while that is paused'),
  },
  {
    name: 'a step is accepted of an operation that was cancelled',
    right: `and state = 'running' and epoch = p_epoch`,
    wrong: `and state <> 'paused' and epoch = p_epoch`,
    scene: tellCase('a step of an operation is fenced while that is cancelled'),
  },
  {
    name: 'a step of an operation that there is not is accepted',
    right: '  return found;',
    wrong: '  return found or not exists (select from operation where id = p_operation);',
    scene: tellCase('a step of an unknown operation is fenced'),
  },
  {
    name: 'a step does not count what it has done',
    right: 'done = done + p_done, skipped',
    wrong: 'done = done, skipped',
    scene: COUNTED,
  },
  {
    name: 'a step counts nothing as skipped',
    right: 'skipped = skipped + p_skipped, progress',
    wrong: 'progress',
    scene: COUNTED,
  },
  {
    name: 'a step counts only what it has seen as skipped',
    right: 'p_skipped + cardinality(p_ids)',
    wrong: 'cardinality(p_ids)',
    scene: COUNTED,
  },
  {
    name: 'a step does not say where the next one begins',
    right: 'progress = p_progress,',
    wrong: '',
    scene: COUNTED,
  },
  {
    name: 'the last step leaves its operation running',
    right: `state = case when p_is_last then 'done' else state end`,
    wrong: 'state = state',
    scene: LAST,
  },
  {
    name: 'the last step does not say when its operation ended',
    right: 'ended_at = case when p_is_last then now_ms() end',
    wrong: 'ended_at = null',
    scene: LAST,
  },
];
