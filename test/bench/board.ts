/**
 * `npm run bench -- board`: how long the server of the board takes for its pages in a queue with very many dead letters, and how soon
 * a browser paints them. With `--full` there are a million dead letters, else a tenth of that. Without a Chromium nothing is painted.
 */
import type { Broker } from '@retry/core/broker';
import { createPostgresBroker, migrate } from '@retry/postgres';
import { createRedisBroker } from '@retry/redis-queue';
import pg from 'pg';
import { findChromium, NO_CHROMIUM } from '../support/browser/find-chromium.ts';
import { openPainter } from './board/paint.ts';
import { serveBoard } from './board/serve.ts';
import { openPostgresServer } from './harness/postgres-server.ts';
import { openRedisServer } from './harness/redis-server.ts';
import type { BenchServer } from './harness/server.ts';
import { DEAD, fillBroker } from './insight/fill.ts';
import { isFull, isWanted, printHeader, printMarkdown, rounds, roundsOr, say, short } from './report.ts';
import { quantile } from './rounds.ts';

const DEAD_LETTERS = isFull ? 1_000_000 : 100_000;

const COLUMNS = ['', 'least, ms', 'median, ms', 'p95, ms', 'most, ms'];

/** The requests of the screens. @param url - of the board, with a slash at its end */
async function listRequests(
  url: string,
): Promise<readonly { readonly name: string; readonly path: string }[]> {
  const { groups } = await ask(`${url}api/groups`);
  const group = `groups/${encodeURIComponent(DEAD)}/${groups[0]?.id}`;
  const { next } = await ask(`${url}api/${group}`);
  return [
    { name: 'Failures: the groups', path: 'groups' },
    { name: 'a group: 50 dead letters and its trend', path: group },
    { name: 'a group: the next 50', path: `${group}?after=${encodeURIComponent(next ?? '')}` },
    { name: 'Search: 50 dead letters', path: 'search?state=failed' },
    { name: 'Retries', path: 'retries' },
    { name: 'Storm', path: 'storm' },
    { name: 'Overview', path: 'overview' },
  ];
}

interface Answer {
  readonly groups: readonly { readonly id: string }[];
  readonly next?: string;
}

async function ask(address: string): Promise<Answer> {
  const answer = await fetch(address);
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${address}: ${text}`);
  return JSON.parse(text) as Answer; // as the board answers these two routes
}

/** Each request in turn, so that none has the caches for itself. */
async function timeAnswers(url: string): Promise<readonly (readonly string[])[]> {
  const requests = await listRequests(url);
  const taken = requests.map((): number[] => []);
  // The first rounds plan statements, cache scripts and compile.
  for (let round = -3; round < roundsOr(100); round += 1) {
    for (const [index, { path }] of requests.entries()) {
      const startedAt = performance.now();
      await ask(`${url}api/${path}`);
      if (round >= 0) taken[index]?.push(performance.now() - startedAt);
    }
  }
  return requests.map(({ name }, index) => rowOf(name, taken[index] ?? []));
}

async function timePaints(url: string): Promise<readonly (readonly string[])[]> {
  const executable = findChromium();
  if (executable === undefined) {
    say(`\nNothing was painted: ${NO_CHROMIUM}.`);
    return [];
  }
  const painter = await openPainter(executable);
  const paints = [];
  for (let round = -1; round < rounds; round += 1) {
    const paint = await painter.open(url);
    if (round >= 0) paints.push(paint);
  }
  await painter.close();
  const name = `in Chromium ${painter.version}`;
  return [
    rowOf(
      `first paint ${name}`,
      paints.map(({ firstMs }) => firstMs),
    ),
    rowOf(
      `rows ${name}`,
      paints.map(({ rowsMs }) => rowsMs),
    ),
  ];
}

function rowOf(name: string, ms: readonly number[]): readonly string[] {
  return [name, ...[0, 0.5, 0.95, 1].map((share) => short(quantile(ms, share)))];
}

async function measure(
  server: BenchServer,
  name: string,
  open: (url: string) => Promise<Broker>,
): Promise<void> {
  const title = `${name}: ${DEAD_LETTERS.toLocaleString('en').replaceAll(',', ' ')} dead letters`;
  if (isWanted(title)) {
    const broker = await open(server.url);
    await fillBroker(broker, { waiting: 0, scheduled: 0, dead: DEAD_LETTERS });
    const board = await serveBoard(broker);
    const rows = [...(await timeAnswers(board.url)), ...(await timePaints(board.url))];
    await board.close();
    await broker.close();
    printMarkdown(title, COLUMNS, rows);
  }
  await server.stop();
}

const [redis, postgres] = [await openRedisServer(), await openPostgresServer()];
printHeader('board', [redis.version, postgres.version]);

await measure(redis, 'Redis', async (url) => createRedisBroker({ url }));
await measure(postgres, 'Postgres', async (url) => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await migrate(client);
  await client.end();
  return createPostgresBroker({ url });
});
