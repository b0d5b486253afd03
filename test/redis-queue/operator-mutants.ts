import { closeLanes, holdAndProbe, sayWhenAHoldEnds } from '../support/telling-scenes/holds.ts';
import type { Mutant } from '../support/telling-scenes/mutant.ts';
import {
  cancelWherever,
  changeWhatWasSeen,
  endAfterErrors,
  endWherever,
  redriveAndDiscard,
  rescheduleWherever,
} from '../support/telling-scenes/waiting.ts';

/** Mistakes with holds, reschedules and ends by hand. */
export const OPERATOR_MUTANTS: readonly Mutant[] = [
  {
    name: 'a claim starts runs of a lane on hold',
    right: 'if isClosed(passage) then return 0, true end',
    wrong: '',
  },
  {
    name: 'a hold of all lanes holds none',
    right: 'local ofAll = passageOf(0)',
    wrong: 'local ofAll = nil',
    scene: closeLanes,
  },
  {
    name: 'a hold that probes lets through as many runs as are asked for',
    right: 'math.min(room, 1) or room, false',
    wrong: 'room or room, false',
    scene: holdAndProbe,
  },
  {
    name: 'a hold that probes does not say which run it let through',
    right: 'got.probes[#got.probes + 1] = taken',
    wrong: '',
    scene: holdAndProbe,
  },
  {
    name: 'a hold that probes lets runs through one after another',
    right: '  noteProbe(passage, probes)\n',
    wrong: '',
    scene: holdAndProbe,
  },
  {
    name: 'a hold that probes ends by itself',
    right: '(ends > 0 and ends <= now and probeMs == 0)',
    wrong: '(ends > 0 and ends <= now)',
    scene: holdAndProbe,
  },
  {
    name: 'a claim does not say when a hold ends',
    right: 'if held then due = held.nextWorkAt() end',
    wrong: '',
    scene: sayWhenAHoldEnds,
  },
  {
    name: 'a run that waits elsewhere, or has ended, stays where it waited',
    right: '  for index = 1, #wasWaiting do leave(unpack(wasWaiting[index], 1, 3)) end\n',
    wrong: '',
    scene: rescheduleWherever,
  },
  {
    name: 'a dead letter that waits again stays one',
    right: '  for index = 1, #hadEnded do takeFromEnded(unpack(hadEnded[index])) end\n',
    wrong: '',
    scene: redriveAndDiscard,
  },
  {
    name: 'a change is written whatever the run has become',
    right: ' or seenOf(id, body, old) ~= seen[index]',
    wrong: '',
    scene: changeWhatWasSeen,
  },
  {
    name: 'of two changes of one run in one call the second is written, too',
    right: 'isChanged[id] or ',
    wrong: '',
    scene: changeWhatWasSeen,
  },
  {
    name: 'an end by hand of a started run leaves no cancel request',
    right: "many('HSET', RECORD, requests)\n",
    wrong: '',
    scene: endWherever,
  },
  {
    name: 'an end by hand keeps no stack',
    right: "if hasStack(new) then call('HSET', STACKS, id, stacks[index])",
    wrong: 'if false then',
    scene: endAfterErrors,
  },
  {
    name: 'an id that a run left in its lane starts it',
    right: 'local isCancelled = mayBeCancelled and not seqs and takeCancelled(tag, id)',
    wrong: 'local isCancelled = false',
    scene: cancelWherever,
  },
];
