import { sqlText } from '../support/sql-text.ts';
import { closeLanes, holdAndProbe, sayWhenAHoldEnds } from '../support/telling-scenes/holds.ts';
import type { Mutant } from '../support/telling-scenes/mutant.ts';
import { tellCase } from '../support/telling-scenes/scene.ts';
import {
  changeWhatWasSeen,
  endWherever,
  redriveAndDiscard,
  redriveLater,
  submitKnownIds,
} from '../support/telling-scenes/waiting.ts';

/** Mistakes in what operators do, and in holds. */
export const OPERATOR_MUTANTS: readonly Mutant[] = [
  {
    name: 'a redrive ignores when a run is due',
    right: ') then a.at when',
    wrong: ') then v_now when',
    scene: redriveLater,
  },
  {
    name: 'a redrive for later puts the run into its lane, too',
    right: sqlText('select lane, ord, id, key, row_at from written where state = State.submitted'),
    wrong: 'select lane, ord, id, key, row_at from written where true',
    scene: redriveLater,
  },
  {
    name: 'a discarded id stays taken',
    right: 'delete from run r using unnest(v_runs) f join',
    wrong: 'update run r set state = r.state from unnest(v_runs) f join',
    scene: redriveAndDiscard,
  },
  {
    name: 'a submission of a known id replaces it',
    right: 'on conflict do nothing\n',
    wrong: 'on conflict (hash, id) do update set payload = excluded.payload\n',
    scene: submitKnownIds,
  },
  {
    name: 'claims look at no hold',
    right: sqlText('isAnyHeld()'),
    wrong: 'false',
    scene: closeLanes,
  },
  {
    name: 'a hold of all lanes is one of none',
    right: `h.lane in ('', asked.lane)`,
    wrong: 'h.lane = asked.lane',
    scene: closeLanes,
  },
  {
    name: 'a hold never ends',
    right: '(h.until is null or h.until > p_now)',
    wrong: '(h.until is null or h.until > 0)',
  },
  {
    name: 'a hold that has to be resumed ends by itself',
    right: 'h.until is null or h.until >',
    wrong: 'h.until >',
    scene: closeLanes,
  },
  {
    name: 'a probe lets all runs through',
    right: 'when probes > 0 then least(most, 1)',
    wrong: 'when probes > 0 then most',
    scene: holdAndProbe,
  },
  {
    name: 'a probe is followed by the next one',
    right: 'set until = least(p_now + probe_ms,',
    wrong: 'set until = least(p_now,',
    scene: holdAndProbe,
  },
  {
    name: 'a probe that gets no run counts as one',
    right: 'and h.lane = any (c.lanes)',
    wrong: '',
    scene: holdAndProbe,
  },
  {
    name: 'an end by hand of a started run leaves no cancel request',
    right: 'update run set wants_cancel = true',
    wrong: 'update run set wants_cancel = wants_cancel',
    scene: endWherever,
  },
  {
    name: 'a run that is completed by hand has the result of none',
    right: 'spent = a.spent, result = a.result',
    wrong: 'spent = a.spent',
    scene: endWherever,
  },
  {
    name: 'a run that is cancelled or ended by hand stays where it was, too',
    right: 'v_passed := remove_from_locations(v_runs);',
    wrong: 'null;',
    scene: endWherever,
  },
  {
    name: 'a change is written whatever the run has become',
    right: '= a.seen;\n',
    wrong: 'is not null;\n',
    scene: changeWhatWasSeen,
  },
  {
    name: 'a cancel request is left for any claim',
    right: '= a.seen);\n  end if;\n  v_done',
    wrong: 'is not null);\n  end if;\n  v_done',
    scene: tellCase('change leaves no cancel request for a later claim than was seen'),
  },
  {
    name: 'a claim does not say when a hold ends',
    right: 'when has_ready then',
    wrong: 'when false then',
    scene: sayWhenAHoldEnds,
  },
];
