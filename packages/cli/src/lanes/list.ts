import type { ConnectOptions } from '../connect/connect-options.ts';
import { figuresOf } from '../connect/figures-of.ts';
import { withQueue } from '../connect/with-queue.ts';
import type { Input, Report } from '../report.ts';
import { instantsAsText } from '../terminal/instants-as-text.ts';
import { holdLines, holdText, laneTable } from './lane-table.ts';

/** Lists the lanes that have runs, workers or a hold. */
export async function listAction(input: Input<ConnectOptions>): Promise<Report> {
  const query = input.args.length === 0 ? {} : { lanes: input.args };
  const { lanes: found } = await withQueue(input, ({ broker }) => figuresOf(broker)({ lanes: query }));
  const { holds, workers: _, ...report } = found;
  const ofAll = holds.filter(({ lane }) => lane === undefined);
  const { lanes, isComplete } = report;
  return {
    json: instantsAsText(report),
    text: (screen) => {
      if (lanes.length === 0)
        return [
          'No lane has runs or workers.',
          ...ofAll.map((hold) => `All lanes are on hold ${holdText(hold)}.`),
        ].join('\n');
      const table = laneTable(lanes, screen);
      const inFull = table.includes('…') ? ['', ...holdLines(lanes, screen)] : [];
      const more = isComplete ? [] : ['', 'There are more than 1000 lanes: name those that you want.'];
      return [table, ...inFull, ...more].join('\n');
    },
  };
}
