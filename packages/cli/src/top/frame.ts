import type { LaneFigures, LaneReport } from '@retry/core/broker';
import { countInLanes } from '@retry/core/broker/kit';
import type { LetterGroupPage } from '@retry/worker';
import { figuresOf } from '../connect/figures-of.ts';
import type { Connected } from '../connect/with-queue.ts';
import { groupTable } from '../dead-letters/group-table.ts';
import { laneTable } from '../lanes/lane-table.ts';
import { ageText, instantText } from '../terminal/age.ts';
import { countedText, rateText, scheduledText, shareText, wholeText } from '../terminal/counts.ts';
import { printable } from '../terminal/printable.ts';
import type { Screen } from '../terminal/screen.ts';
import { cut } from '../terminal/table.ts';
import { workerTable } from '../workers/list.ts';

/** What `retry top` shows at one instant. */
export interface TopFigures
  extends Omit<LaneReport, 'holds'>,
    Pick<LetterGroupPage, 'groups' | 'deadLetters'> {}

/** How many causes of dead letters are shown. */
const GROUPS = 5;

/** Asks a queue for the figures. @throws {InsightError} `NO_INSIGHT` for a broker that has none */
export async function readFigures({ broker, queue }: Connected): Promise<TopFigures> {
  const figures = figuresOf(broker);
  const [{ lanes: report }, { groups, deadLetters }] = await Promise.all([
    figures({ lanes: {} }),
    queue.deadLetters.groups({ limit: GROUPS }),
  ]);
  const { holds: _, ...shown } = report;
  return { ...shown, groups, deadLetters };
}

/** Returns the figures as lines of text; where there is less room, fewer lanes, then no workers. @param rows - lines of the screen */
export function frameText(figures: TopFigures, screen: Screen, rows: number): string {
  const { at, groups, workers } = figures;
  const lanes = [...figures.lanes].sort(byWork);
  const dead = groups.length === 0 ? [] : ['', groupTable(groups, at, screen)];
  const alive = workers.length === 0 ? ['', 'No worker is alive.'] : ['', workerTable(workers, at, screen)];
  const head = [
    `${screen.paint('strong', 'retry top')}  ${screen.paint('quiet', instantText(at))}`,
    ...totals(figures).map((line) => cut(line, screen.width)),
    '',
  ];
  const linesOf = (parts: readonly string[]): readonly string[] => parts.flatMap((part) => part.split('\n'));
  const others = [...linesOf(dead), ...linesOf(alive)];
  const room = Math.max(1, rows - head.length - others.length - 2);
  const table =
    lanes.length === 0 ? 'No lane has runs, workers or a hold.' : laneTable(lanes.slice(0, room), screen);
  const more =
    lanes.length > room || !figures.isComplete ? [screen.paint('quiet', 'There are more lanes.')] : [];
  return [...head, ...linesOf([table]), ...more, ...others].slice(0, rows).join('\n');
}

function byWork(one: LaneFigures, other: LaneFigures): number {
  const work = ({ waiting, scheduled, started }: LaneFigures): number =>
    waiting.count + started.count + scheduled.count;
  return work(other) - work(one) || (one.lane < other.lane ? -1 : 1);
}

function totals(figures: TopFigures): readonly string[] {
  const { lanes, deadLetters } = figures;
  const sum = (figure: (lane: LaneFigures) => number): number =>
    lanes.reduce((total, lane) => total + figure(lane), 0);
  const starts = sum(({ rates }) => rates?.starts.count ?? 0);
  const retries = sum(({ rates }) => rates?.retries.count ?? 0);
  const late = Math.max(0, ...lanes.map(({ rates }) => rates?.maxLatenessMs ?? 0));
  const counts = [
    `${countedText(countInLanes(figures, 'waiting'))} waiting`,
    scheduledText(countInLanes(figures, 'scheduled'), countInLanes(figures, 'due')),
    `${countedText(countInLanes(figures, 'started'))} started`,
    `${wholeText(deadLetters)} dead letters`,
  ];
  const flow = [
    `${rateText({ perSecond: sum(({ rates }) => rates?.starts.perSecond ?? 0), windowMs: 0 })} starts/s`,
    `${shareText(starts === 0 ? 0 : retries / starts)} retries`,
    ...(starts === 0 ? [] : [`latest start ${ageText(late)} late`]),
  ];
  return [printable(counts.join('   ')), flow.join('   ')];
}
