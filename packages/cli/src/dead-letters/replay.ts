import { formatDuration, policyToJSON } from '@retry/core';
import type { Replay, ReplaySummary } from '@retry/core/failures';
import { replay, summarizeReplays } from '@retry/core/failures';
import { withQueue } from '../connect/with-queue.ts';
import { readPolicy } from '../policies/read-policy.ts';
import type { Input, Report } from '../report.ts';
import { noteAbsentTask } from '../runs/absent-task.ts';
import { shareText, wholeText } from '../terminal/counts.ts';
import { renderFacts } from '../terminal/facts.ts';
import { type Screen, wrap } from '../terminal/screen.ts';
import type { SelectionOptions } from './selection.ts';
import { readFilter } from './selection.ts';

/** The options of `retry replay`. */
interface ReplayCommandOptions extends SelectionOptions {
  readonly limit: number;
}

/** What the text needs. */
interface Replayed {
  readonly summary: ReplaySummary;
  readonly isComplete: boolean;
}

/** The most runs of a page. */
const PAGE = 1_000;

/** Shows what a policy would have decided about the recorded failures of dead letters. It changes nothing. */
export async function replayAction(input: Input<ReplayCommandOptions>): Promise<Report> {
  const { args, options, environment } = input;
  const policy = await readPolicy(args[0] ?? '', environment);
  const replays: Replay[] = [];
  let isComplete = true;
  const note = await withQueue(input, async (connected) => {
    const { queue } = connected;
    const filter = await readFilter(queue, options);
    for await (const run of queue.deadLetters.list({ ...filter, limit: PAGE, payloads: 'omit' })) {
      isComplete = replays.length < options.limit;
      if (!isComplete) break;
      replays.push(replay(policy, run));
    }
    return noteAbsentTask(connected, { task: options.task, isEmpty: replays.length === 0 });
  });
  const summary = summarizeReplays(replays);
  return {
    json: { policy: policyToJSON(policy), ...summary, isComplete },
    text: (screen) => replayText({ summary, isComplete }, screen),
    ...note,
  };
}

function replayText({ summary, isComplete }: Replayed, screen: Screen): string {
  const { runs, retried, endedEarlier, unchanged, sparedAttempts, reasons, laterBy, missing } = summary;
  if (runs === 0) return 'No dead letter matches.';
  const part = (count: number): string => `${wholeText(count)}  (${shareText(count / runs)})`;
  const ended = Object.entries(reasons).map(([reason, count]) => `${reason} ${count}`);
  const later =
    laterBy && `${signed(laterBy.minMs)} to ${signed(laterBy.maxMs)}, mean ${signed(laterBy.meanMs)}`;
  const lacks = Object.entries(missing).map(([fact, count]) => `${fact} ${count}`);
  const facts = [
    ['dead letters', `${wholeText(runs)}${isComplete ? '' : ', and more: --limit looks at more of them'}`],
    ['one more attempt', { text: part(retried), style: 'good' as const }],
    ['dead at the same', part(unchanged)],
    ['dead earlier', part(endedEarlier)],
    ['attempts spared', wholeText(sparedAttempts)],
    ...(ended.length > 0 ? [['ended for', ended.join(', ')] as const] : []),
    ...(later === undefined ? [] : [['ended later by', later] as const]),
    ...(lacks.length > 0 ? [['not recorded', lacks.join(', ')] as const] : []),
  ] as const;
  const caveat = 'What the server would have answered to another attempt is not known.';
  return `${renderFacts(facts, screen)}\n\n${wrap(caveat, screen.width)}`;
}

function signed(ms: number): string {
  return ms < 0 ? `−${formatDuration(-ms)}` : formatDuration(ms);
}
