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
  /** Opens a browser, if there is a terminal. */
  readonly opens: boolean;
}

/** Fills a queue with a day of a shop, goes on with it, and serves its board until a signal ends it; then nothing of it is left. */
export async function showBoard({ broker: name, opens }: Showing): Promise<number> {
  const interrupted = watchInterrupts();
  const endAt = Date.now();
  const day = await openDay(name, endAt - PAST_MS);
  try {
    console.log(`A day of a shop passes ${day.where} …`);
    const onHappened = createFillProgress(process.stdout, 'events of the day have happened');
    await playPast({ past: day.past, endAt, signal: interrupted, onHappened });
    return await serveBoard(day, { endAt, opens });
  } catch (error) {
    if (interrupted.aborted) return 0;
    throw error;
  } finally {
    await day.close();
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
