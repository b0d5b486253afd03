import type { LaneReport } from '@retry/core/broker';
import type { Finding } from '@retry/worker';
import { holdText } from '../lanes/lane-table.ts';
import { shellWord } from '../terminal/shell-word.ts';

/** The cures of findings for which `queue.health` names calls of a program, with the commands that do the same. */
const CURES: Partial<Readonly<Record<Finding['code'], (finding: Finding) => string>>> = {
  UNBALANCED: () =>
    'Save the output of retry audit --json and report it: the broker has a bug, or another program wrote to its keys or tables.',
  MEMORY_NEARLY_FULL: () =>
    'Raise maxmemory, discard dead letters (retry dlq discard), forget ended runs (retry runs forget), or keep less of them: keepCompleted and keepDead of the broker.',
  MANY_LANES: () => 'Start workers for what old versions of tasks have left, or cancel their runs.',
  OLDEST_AGE: () =>
    'Start more workers, raise their concurrency, or make the handler faster. If retry lanes ls shows a hold, end what holds the lane.',
  DOMINANT_GROUP: ({ group }) => `Fix this cause first, then: retry dlq redrive --group ${group?.id ?? ''}`,
  LANE_ON_HOLD: ({ lane }) => `retry lanes resume ${lane === undefined ? '--all' : shellWord(lane)} ends it.`,
};

/** Returns a finding of `queue.health` with commands in place of calls, and of a hold who has put the lane on it. */
export function inShellWords(finding: Finding, { lanes }: LaneReport): Finding {
  const { code, lane } = finding;
  const cure = CURES[code]?.(finding) ?? finding.cure;
  const holds = (code === 'LANE_ON_HOLD' && lanes.find((other) => other.lane === lane)?.holds) || [];
  if (holds.length === 0) return { ...finding, cure };
  return { ...finding, cure, sentence: `Lane ${lane} is on hold ${holds.map(holdText).join('; ')}.` };
}
