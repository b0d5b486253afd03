import type { LaneReport } from '@retry/core/broker';
import { holdText } from '../lanes/lane-table.ts';
import { shellWord } from '../terminal/shell-word.ts';
import type { Fault } from './fault.ts';

/** Returns a finding of `queue.health`, whose cures are calls of a program, with the commands that do the same. */
export function inShellWords(fault: Fault, report: LaneReport): Fault {
  const { code, group, cure } = fault;
  if (code === 'UNBALANCED') return { ...fault, cure: cure.replace('queue.counts()', 'retry audit --json') };
  if (code === 'MEMORY_NEARLY_FULL') {
    const said = cure
      .replace('queue.deadLetters', 'retry dlq discard')
      .replace('queue.forget', 'retry runs forget');
    return { ...fault, cure: said };
  }
  if (code === 'MANY_LANES') return { ...fault, cure: cure.replace(/; queue\.unattended\(\).*/, '.') };
  if (code === 'DOMINANT_GROUP') {
    return { ...fault, cure: `Fix this cause first, then: retry dlq redrive --group ${group?.id ?? ''}` };
  }
  return code === 'LANE_ON_HOLD' ? heldInShellWords(fault, report) : fault;
}

function heldInShellWords(fault: Fault, { lanes }: LaneReport): Fault {
  const { lane } = fault;
  if (lane === undefined) return { ...fault, cure: 'retry lanes resume --all ends it.' };
  const cure = `retry lanes resume ${shellWord(lane)} ends it.`;
  const holds = lanes.find((other) => other.lane === lane)?.holds ?? [];
  if (holds.length === 0) return { ...fault, cure };
  return { ...fault, sentence: `Lane ${lane} is on hold ${holds.map(holdText).join('; ')}.`, cure };
}
