import type { Broker, ResumeAnswer } from '@retry/core/broker';
import type { AnyTask, HoldTarget } from '@retry/worker';
import { askEach } from '../change-each.ts';
import type { ConnectOptions } from '../connect/connect-options.ts';
import { withQueueInSteps } from '../connect/with-queue.ts';
import { userOf } from '../environment.ts';
import { CliError } from '../errors.ts';
import { EXIT } from '../exit.ts';
import { namedLanes } from '../named.ts';
import type { Input, Report } from '../report.ts';
import { printable } from '../terminal/printable.ts';

/** The options of `retry lanes resume`. */
interface ResumeCommandOptions extends ConnectOptions {
  readonly all?: boolean;
}

/** The options of `retry lanes hold`. */
interface HoldCommandOptions extends ResumeCommandOptions {
  /** Milliseconds. */
  readonly for?: number;
  /** Epoch milliseconds. */
  readonly until?: number;
  readonly reason?: string;
  readonly by?: string;
}

/** Puts lanes, or all of them, on hold: no worker claims a run of them. */
export async function holdAction(input: Input<HoldCommandOptions>): Promise<Report> {
  const { options, environment } = input;
  const { for: length, until, reason, by = userOf(environment) } = options;
  const targets = targetsOf(input);
  checkEnd(options, environment.now());
  const lanes = targets.map(nameOf);
  return withQueueInSteps(input, async ({ queue, broker }, note) => {
    const hold = async (target: LaneTarget): Promise<'held'> => {
      await queue.hold(target, { for: length, until, reason, by });
      return 'held';
    };
    const held = await askEach(targets, hold, (some) => note(laneReport(lanes, some, heldText)));
    note(laneReport(lanes, held, heldText));
    const empty = await emptyLanes(broker, targets);
    return {
      json: {
        lanes: lanes.map((lane) => ({ lane, answer: 'held', ...(empty.has(lane) && { isEmpty: true }) })),
      },
      text: () => lanes.map((lane) => heldText(lane) + (empty.has(lane) ? EMPTY : '')).join('\n'),
    };
  });
}

/** A hold lasts until the later of both ends. */
function checkEnd({ for: length, until }: HoldCommandOptions, now: number): void {
  const ends = [length === undefined ? undefined : now + length, until].filter((at) => at !== undefined);
  if (ends.length === 0 || ends.some((at) => at > now)) return;
  const what =
    until === undefined ? '--for 0 is no time' : `--until ${new Date(until).toISOString()} is over`;
  const cure = 'Give a longer time; retry lanes resume ends a hold.';
  throw new CliError('WRONG_USAGE', `${what}: nothing was put on hold. ${cure}`);
}

function heldText(lane: string): string {
  return `${printable(lane)} is on hold.`;
}

/** Follows where a lane has no runs, no dead letters and no live worker: its name may be wrong. */
const EMPTY = ' It has no runs and no workers; retry lanes ls lists those that have.';

/** Returns what was answered for lanes. @param answers - one a lane; `undefined` where the call failed */
function laneReport<Answer extends string>(
  lanes: readonly string[],
  answers: readonly (Answer | undefined)[],
  textOf: (lane: string, answer: Answer) => string,
): Report {
  const unknown = (lane: string): string =>
    `${printable(lane)}: no answer; whether this was done is not known.`;
  return {
    json: {
      lanes: lanes.flatMap((lane, index) => (answers[index] ? [{ lane, answer: answers[index] }] : [])),
    },
    text: () =>
      lanes
        .map((lane, index) => {
          const answer = answers[index];
          return answer === undefined ? unknown(lane) : textOf(lane, answer);
        })
        .join('\n'),
  };
}

/** Returns the lanes without runs, dead letters and workers, by name; none where the broker cannot say. */
async function emptyLanes({ figures }: Broker, targets: readonly LaneTarget[]): Promise<ReadonlySet<string>> {
  const lanes = targets.flatMap(({ lane }) => lane ?? []);
  if (figures === undefined || lanes.length === 0) return new Set();
  const { lanes: report } = await figures({ lanes: { lanes } });
  const empty = report.lanes.filter(
    ({ waiting, scheduled, started, workers }) =>
      waiting.count + scheduled.count + started.count + workers === 0,
  );
  const pages = await Promise.all(empty.map(({ lane }) => figures({ groups: { lane, limit: 1 } })));
  return new Set(
    empty.filter((_, index) => pages[index]?.groups.groups.length === 0).map(({ lane }) => lane),
  );
}

/** Ends the holds of lanes, or the hold of all lanes. Exit status 1 if there was none. */
export async function resumeAction(input: Input<ResumeCommandOptions>): Promise<Report> {
  const targets = targetsOf(input);
  const reportOf = (answers: readonly (ResumeAnswer | undefined)[]): Report => ({
    ...laneReport(targets.map(nameOf), answers, resumedText),
    exitCode: answers.every((answer) => answer === 'resumed') ? EXIT.fine : EXIT.found,
  });
  return withQueueInSteps(input, async ({ queue }, note) =>
    reportOf(
      await askEach(
        targets,
        (target) => queue.resume(target),
        (some) => note(reportOf(some)),
      ),
    ),
  );
}

function resumedText(lane: string, answer: ResumeAnswer): string {
  return `${printable(lane)} ${answer === 'none' ? 'was not on hold' : 'is resumed'}.`;
}

/** One lane, or all of them. */
type LaneTarget = Exclude<HoldTarget, AnyTask>;

function targetsOf({ args, options }: Input<ResumeCommandOptions>): readonly LaneTarget[] {
  if (options.all === true && args.length === 0) return [{ all: true }];
  if (options.all !== true && args.length > 0) return namedLanes(args).map((lane) => ({ lane }));
  throw new CliError('WRONG_USAGE', 'Name the lanes (send-email@1), or give --all alone.');
}

function nameOf(target: LaneTarget): string {
  return target.lane ?? '(all lanes)';
}
