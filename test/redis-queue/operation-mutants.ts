import { luaText } from '../support/lua-text.ts';
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

/** Mistakes with operations on dead letters, and their steps. */
export const OPERATION_MUTANTS: readonly Mutant[] = [
  {
    name: 'an operation is carried on by two carriers',
    right: 'local isFree = one.carrier == carrier or (one.carriedUntil or 0) <= now',
    wrong: 'local isFree = true',
    scene: CLAIMED,
  },
  {
    name: 'a carrier cannot claim its own operation again',
    right: 'local isFree = one.carrier == carrier or (one.carriedUntil or 0) <= now',
    wrong: 'local isFree = (one.carriedUntil or 0) <= now',
    scene: CLAIMED,
  },
  {
    name: 'an operation is never taken over',
    right: 'or (one.carriedUntil or 0) <= now',
    wrong: 'or not one.carriedUntil',
    scene: tellCase('operations are carried on by another one when the lease is over'),
  },
  {
    name: 'the newest operation is claimed first',
    right: 'one.createdAt < figures.createdAt',
    wrong: 'one.createdAt > figures.createdAt',
    scene: CLAIMED,
  },
  {
    name: 'a claim of one operation gets another one',
    right: " and (wanted == '' or wanted == all[index])",
    wrong: '',
    scene: CLAIMED,
  },
  {
    name: 'an operation is carried on while it is paused',
    right: "if one.state == 'running' and isFree",
    wrong: 'if not one.endedAt and isFree',
    scene: CHANGED,
  },
  {
    name: 'an operation that has ended is resumed',
    right: "if figures.endedAt then return 'refused' end",
    wrong: '',
    scene: CHANGED,
  },
  {
    name: 'an operation that is cancelled does not end',
    right: "if to == 'cancelled' then figures.endedAt = now end",
    wrong: '',
    scene: CHANGED,
  },
  {
    name: 'an operation replaces another one of its id',
    right: "if call('HEXISTS', OPERATIONS, id) == 1 then return 'exists' end",
    wrong: '',
    scene: tellCase('operations keep what was asked for, and when'),
  },
  {
    name: 'any number of operations is carried on',
    right: 'if active >= 100 then',
    wrong: 'if active > 100 then',
    scene: KEPT,
  },
  {
    name: 'the operations that are forgotten are the latest',
    right: 'if one[1] ~= other[1] then return one[1] > other[1] end',
    wrong: 'if one[1] ~= other[1] then return one[1] < other[1] end',
    scene: KEPT,
  },
  {
    name: 'an operation forgets its ids',
    right: "if ids ~= '' then call('HSET', OPERATION_REQUESTS",
    wrong: "if false then call('HSET', OPERATION_REQUESTS",
    scene: CLAIMED,
  },
  {
    name: 'a step is accepted twice',
    right: 'or epoch <= figures.stepped or epoch < figures.epoch',
    wrong: 'or epoch < figures.epoch',
    scene: SENT_AGAIN,
  },
  {
    name: 'a step is accepted after another claim',
    right: 'or epoch <= figures.stepped or epoch < figures.epoch',
    wrong: 'or epoch <= figures.stepped',
    scene: tellCase('a step of an operation is fenced after another claim'),
  },
  {
    name: 'a step is accepted while its operation is paused',
    right: "figures.state ~= 'running' or",
    wrong: "figures.state == 'cancelled' or",
    scene: tellCase('a step of an operation is fenced while that is paused'),
  },
  {
    name: 'a step is accepted of an operation that was cancelled',
    right: "figures.state ~= 'running' or",
    wrong: "figures.state == 'paused' or",
    scene: tellCase('a step of an operation is fenced while that is cancelled'),
  },
  {
    name: 'a step is accepted before a carrier has its epoch',
    right: '  if isHome == 1 and epoch > figures.epoch then return nil end\n',
    wrong: '',
    scene: tellCase('a step of an operation is fenced before that is claimed with its epoch'),
  },
  {
    name: 'a step does not count what it has done',
    right: `figures.done + done, figures.skipped + ${luaText('step[Step.skipped]')} + others`,
    wrong: `figures.done, figures.skipped + ${luaText('step[Step.skipped]')} + others`,
    scene: COUNTED,
  },
  {
    name: 'a step counts only what it has seen as skipped',
    right: `figures.done + done, figures.skipped + ${luaText('step[Step.skipped]')} + others`,
    wrong: 'figures.done + done, figures.skipped + others',
    scene: COUNTED,
  },
  {
    name: 'a step does not count the runs that have changed',
    right: 'endStep(step, figures, done, #ids - done)',
    wrong: 'endStep(step, figures, done, 0)',
    scene: tellCase('a step of an operation counts runs that have changed since they were read as skipped'),
  },
  {
    name: 'a step does not say where the next one begins',
    right: `figures.progress = ${luaText('step[Step.progress]')}`,
    wrong: '',
    scene: COUNTED,
  },
  {
    name: 'the last step does not end its operation',
    right: `if ${luaText('step[Step.isLast]')} == 1 then figures.state, figures.endedAt = 'done', now end`,
    wrong: '',
    scene: tellCase('the last step of an operation ends it, even without runs'),
  },
];
