import type { ConnectOptions } from '../connect/connect-options.ts';
import { withQueue } from '../connect/with-queue.ts';
import { EXIT } from '../exit.ts';
import { namedIds } from '../named.ts';
import type { Input, Report } from '../report.ts';
import { printable } from '../terminal/printable.ts';

/** Removes schedules; what they have submitted stays. Exit status 1 unless all were there. */
export async function removeAction(input: Input<ConnectOptions>): Promise<Report> {
  const ids = namedIds(input.args);
  const schedules = await withQueue(input, ({ queue }) =>
    Promise.all(ids.map(async (id) => ({ id, answer: await queue.unschedule(id) }))),
  );
  const isRemoved = ({ answer }: { readonly answer: string }): boolean => answer === 'removed';
  return {
    json: { schedules },
    text: ({ paint }) =>
      schedules
        .map((schedule) => {
          const text = isRemoved(schedule)
            ? paint('good', 'removed')
            : paint('bad', 'there is no such schedule');
          return `${printable(schedule.id)}  ${text}`;
        })
        .join('\n'),
    exitCode: schedules.every(isRemoved) ? EXIT.fine : EXIT.found,
  };
}
