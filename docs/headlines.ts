/** One row of docs/benchmarks.md: a table of docs/benchmarks-all.md, and those of its rows that are shown. */
interface Headline {
  readonly what: string;
  /** The part of the page, as `npm run bench` names it. */
  readonly suite: 'redis' | 'postgres' | 'inprocess';
  /** The beginning of the table's title. */
  readonly table: string;
  readonly column: string;
  readonly ours: string;
  readonly others: readonly string[];
}

/** A measured row, by the name that it has in its table. */
export interface Figure {
  readonly name: string;
  /** As it is printed: `300 830`. */
  readonly shown: string;
  readonly value: number;
}

const REDIS_QUEUES = { suite: 'redis', column: 'runs/s', ours: 'retry on Redis' } as const;
const POSTGRES_QUEUES = { suite: 'postgres', column: 'runs/s', ours: 'retry on a pg.Pool' } as const;

const HEADLINES: readonly Headline[] = [
  {
    ...REDIS_QUEUES,
    what: 'Redis, 100 at a time: runs per second',
    table: 'process, 100 at a time',
    others: ['BullMQ, best', 'bee-queue, best'],
  },
  {
    ...REDIS_QUEUES,
    what: 'Redis, from submit to start in another process: ms, less is better',
    table: 'from submit to start',
    column: 'ms',
    others: ['BullMQ', 'bee-queue'],
  },
  {
    ...POSTGRES_QUEUES,
    what: 'Postgres, 100 at a time: runs per second',
    table: 'process, 100 at a time',
    others: ['graphile-worker, localQueue 5000', 'pg-boss, fetch 1000'],
  },
  {
    ...POSTGRES_QUEUES,
    what: 'Postgres, payloads of 20 KB: runs per second',
    table: 'process, payloads of 20 KB',
    others: ['graphile-worker, localQueue 1000', 'pg-boss, fetch 1000'],
  },
  {
    suite: 'inprocess',
    what: 'a call that succeeds: ns, less is better',
    table: 'happy path',
    column: 'ns of CPU',
    ours: 'withRetry',
    others: ['hand-written loop', 'cockatiel', 'p-retry'],
  },
];

const BEGIN = '<!-- headlines: written by npm run pictures -->';
const END = '<!-- end of headlines -->';

/** Returns docs/benchmarks.md with its rows replaced by those of docs/benchmarks-all.md. */
export function withHeadlines(page: string, all: string): string {
  const rows = HEADLINES.map((headline) => {
    const [ours, ...others] = readFigures(headline, all);
    return `| ${headline.what} | **${ours?.shown}** | ${others.map(({ name, shown }) => `${name}: ${shown}`).join(' · ')} |`;
  });
  const table = ['| | ours | others |', '| --- | --- | --- |', ...rows].join('\n');
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`docs/benchmarks.md has no ${BEGIN} with ${END} after it.`);
  return `${page.slice(0, from + BEGIN.length)}\n${datesOf(all)}\n\n${table}\n${page.slice(to)}`;
}

/** Returns the runs per second of both servers, ours first. */
export function throughputs(all: string): ReadonlyMap<string, readonly Figure[]> {
  return new Map(
    HEADLINES.filter(({ table }) => table === 'process, 100 at a time').map((headline) => [
      headline.suite === 'redis' ? 'Redis' : 'Postgres',
      readFigures(headline, all),
    ]),
  );
}

function readFigures(
  { suite, table, column, ours, others }: Headline,
  all: string,
): readonly [Figure, ...Figure[]] {
  const lines = tableOf(partOf(all, suite), table);
  const [header = [], , ...rows] = lines.map((line) => line.split('|').map((cell) => cell.trim()));
  const at = header.indexOf(column);
  const read = (name: string): Figure => {
    const shown = rows.find(([, first]) => first === name)?.[at];
    if (shown === undefined)
      throw new Error(`docs/benchmarks-all.md has no ${column} of ${name} in ${table}.`);
    return { name, shown, value: Number(shown.replaceAll(' ', '')) };
  };
  return [read(ours), ...others.map(read)];
}

function tableOf(part: string, title: string): readonly string[] {
  const text = part.split('\n**').find((table) => table.startsWith(title)) ?? '';
  return text.split('\n').filter((line) => line.startsWith('|'));
}

function partOf(all: string, suite: string): string {
  return all.slice(all.indexOf(`<!-- ${suite} -->`), all.indexOf(`<!-- /${suite} -->`));
}

/** When and where the shown tables were made. */
function datesOf(all: string): string {
  const made = ['redis', 'postgres', 'inprocess'].map((suite) => {
    const [, date = '', machine = ''] =
      /\n(\d{4}-\d{2}-\d{2}), [^\n]*\n(on [^\n]*):\n/.exec(partOf(all, suite)) ?? [];
    return `${date} ${machine}`;
  });
  return `Measured ${[...new Set(made)].join(', and ')}.`;
}
