import { runCli } from '@retry/cli';
import type { BrokerName } from '../brokers/open-broker.ts';
import { createFillProgress } from '../kept/progress.ts';
import type { OpenDay } from './open-day.ts';
import { openDay } from './open-day.ts';
import { eventsOf, PAST_MS, playPast } from './play-past.ts';
import { defineDayTasks, listTasks } from './tasks.ts';
import { workOn } from './work-on.ts';

/** What is shown. */
export interface Showing {
  readonly broker: BrokerName;
  /** Another one will not do. */
  readonly isBrokerGiven: boolean;
  /** Opens a browser, if there is a terminal. */
  readonly opens: boolean;
}

/** Fills a queue with a day of a shop, goes on with it, and serves its board until a signal ends it; then nothing of it is left. */
export async function showBoard(showing: Showing): Promise<number> {
  const interrupted = watchInterrupts();
  const endAt = Date.now();
  const day = await openAnyDay(showing, endAt - PAST_MS);
  try {
    console.log(`A day of a shop passes ${day.where} …`);
    const onHappened = createFillProgress(process.stdout, 'events of the day have happened');
    await playPast({ past: day.past, endAt, signal: interrupted, onHappened });
    return await serveBoard(day, { endAt, opens: showing.opens });
  } catch (error) {
    if (interrupted.aborted) return 0;
    throw error;
  } finally {
    await day.close();
  }
}

/** A Redis that nobody has named, and that does not start, is done without, and this is said. */
async function openAnyDay({ broker, isBrokerGiven }: Showing, startAt: number): Promise<OpenDay> {
  const isNamed = isBrokerGiven || Boolean(process.env['REDIS_URL']);
  try {
    return await openDay(broker, startAt);
  } catch (error) {
    if (isNamed || broker === 'memory') throw error;
    console.error(
      `${error instanceof Error ? error.message : error}\nSo it is done in memory, which no other process sees.`,
    );
    return openDay('memory', startAt);
  }
}

async function serveBoard(
  day: OpenDay,
  { endAt, opens }: { readonly endAt: number; readonly opens: boolean },
): Promise<number> {
  const broker = await day.enterPresent();
  const tasks = defineDayTasks(eventsOf(endAt), { now: Date.now });
  const stopWork = workOn(broker, tasks);
  try {
    announce(day);
    const given = { broker, tasks: listTasks(tasks), shown: `a day of a shop, ${day.where},` };
    const { exitCode } = await runCli(['board', ...(opens && process.stdout.isTTY ? ['--open'] : [])], given);
    return exitCode;
  } finally {
    await stopWork();
  }
}

function announce({ options }: OpenDay): void {
  if (options === undefined) return;
  console.log(`In another terminal: npm run --silent retry -- dlq groups ${options}\n`);
}

/** Aborts at the first signal that is to end this process. */
function watchInterrupts(): AbortSignal {
  const interrupts = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupts.abort());
  return interrupts.signal;
}
